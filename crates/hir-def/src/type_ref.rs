//! Types as written, before names are resolved.

use crate::{
    attribute::Modifiers,
    body::{ExprId, PackQuery},
    name::Name,
};

/// A type of an [`ExprStore`](crate::body::ExprStore).
pub type TypeRefId = la_arena::Idx<TypeRef>;

/// What is written where a type may be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TypeRef {
    /// A broken or absent type; already reported by the parser.
    Missing,
    /// A type that is not supported yet, by the name to report.
    Unsupported(Name),
    /// `let x`, `var x`: comes from the initialiser.
    Infer,
    /// `A.B<C>`, `A::B`.
    Path(Path),
    /// `base.Name` where the base is not a path: `float[3].Differential`.
    Member {
        /// What has the member.
        base: TypeRefId,
        /// The member.
        member: PathSegment,
    },
    /// `T[N]`; `None` for `T[]`.
    Array {
        /// The type of an element.
        element: TypeRefId,
        /// How many there are, where it is written.
        len: Option<ExprId>,
    },
    /// `T*`, `Ptr<T>` written with a star.
    Pointer(TypeRefId),
    /// `T?`-like sugar for `Optional<T>`.
    Optional(TypeRefId),
    /// `(A, B)` sugar for `Tuple<A, B>`.
    Tuple(Vec<TypeRefId>),
    /// `functype (A, inout B) -> C`.
    Function {
        /// The types of the parameters, with the modifiers in front of them.
        params: Vec<(Modifiers, TypeRefId)>,
        /// The type of the result.
        ret: TypeRefId,
    },
    /// `A & B` in constraints.
    And(Vec<TypeRefId>),
    /// `expand F(each T)`.
    Expand(TypeRefId),
    /// `each T`.
    Each(TypeRefId),
    /// `some I` / `dyn I`.
    Some(TypeRefId),
    /// `dyn I`
    Dyn(TypeRefId),
    /// `no_diff T`, `const T`, `unorm T`… in front of a type.
    Modified(Modifiers, TypeRefId),
    /// A type declared where it is used: number in the segment, or, in a body, among what the body declares.
    Declared(u32),
    /// `__first(Pack)` and its like.
    PackQuery {
        /// What is asked.
        query: PackQuery,
        /// The packs, and numbers.
        operands: Vec<GenericArgRef>,
    },
    /// `__fwd_diff_type(f)`-like and `functype` of an expression: a type computed from an expression.
    Expr(ExprId),
}

/// `a.b<c>::d`; `.` and `::` mean the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Path {
    /// Written with a leading `::`.
    pub global: bool,
    /// Its names, in order.
    pub segments: Vec<PathSegment>,
}

/// A name of a path, with its generic arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathSegment {
    /// The name.
    pub name: Name,
    /// `None` if no `<…>` was written.
    pub args: Option<Vec<GenericArgRef>>,
}

/// A generic argument as written. Whether a plain path is a type or a value is known only when the name is resolved, so
/// paths come as `Type`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GenericArgRef {
    /// A type, or a path of either kind.
    Type(TypeRefId),
    /// A value that is no path.
    Value(ExprId),
}
