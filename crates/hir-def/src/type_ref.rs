//! Types as written, before names are resolved.

use crate::{
    attribute::Modifiers,
    body::{ExprId, PackQuery},
    name::Name,
};

pub type TypeRefId = la_arena::Idx<TypeRef>;

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
        base: TypeRefId,
        member: PathSegment,
    },
    /// `T[N]`; `None` for `T[]`.
    Array {
        element: TypeRefId,
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
        params: Vec<(Modifiers, TypeRefId)>,
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
    Dyn(TypeRefId),
    /// `no_diff T`, `const T`, `unorm T`… in front of a type.
    Modified(Modifiers, TypeRefId),
    /// A type declared where it is used: number in the segment, or, in a body, among what the body declares.
    Declared(u32),
    /// `__first(Pack)` and its like.
    PackQuery {
        query: PackQuery,
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
    pub segments: Vec<PathSegment>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathSegment {
    pub name: Name,
    /// `None` if no `<…>` was written.
    pub args: Option<Vec<GenericArgRef>>,
}

/// A generic argument as written. Whether a plain path is a type or a value is known only when the name is resolved, so
/// paths come as `Type`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GenericArgRef {
    Type(TypeRefId),
    Value(ExprId),
}
