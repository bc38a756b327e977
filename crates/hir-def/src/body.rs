//! Bodies: expressions, statements and locals in arenas, with names not yet resolved.

mod children;
pub mod lower;

pub use children::Child;

use std::sync::Arc;

use la_arena::{Arena, Idx};
use smol_str::SmolStr;

use crate::{
    attribute::{Attribute, AttributeId, AttributeKind, Modifiers},
    name::Name,
    type_ref::{Path, PathSegment, TypeRef, TypeRefId},
};

pub type ExprId = Idx<Expr>;
pub type StmtId = Idx<Stmt>;
pub type LocalId = Idx<Local>;

/// The arenas of one owner: an item's signature (default arguments, array sizes, attribute arguments), or a body.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ExprStore {
    pub exprs: Arena<Expr>,
    pub stmts: Arena<Stmt>,
    pub locals: Arena<Local>,
    pub type_refs: Arena<TypeRef>,
    /// Those of the declaration, its parameters, locals and statements.
    pub attributes: Arena<Attribute>,
    /// Assignments in parentheses, which are meant as values.
    pub parenthesized_assignments: Vec<ExprId>,
    /// Names in parentheses: where they name a type, `(T)(x)` and `(T) - x` are casts.
    pub parenthesized_names: Vec<ExprId>,
}

impl ExprStore {
    /// Gives back what the lists took to grow: every body of a project keeps them.
    pub(crate) fn shrink_to_fit(&mut self) {
        let ExprStore { exprs, stmts, locals, type_refs, attributes, parenthesized_assignments, parenthesized_names } =
            self;
        exprs.shrink_to_fit();
        stmts.shrink_to_fit();
        locals.shrink_to_fit();
        type_refs.shrink_to_fit();
        attributes.shrink_to_fit();
        parenthesized_assignments.shrink_to_fit();
        parenthesized_names.shrink_to_fit();
    }

    /// `A.B::f` as one path; `None` for expressions that are no chain of names.
    pub fn as_path(&self, expr: ExprId) -> Option<Path> {
        let mut trailing = Vec::new();
        let mut expr = expr;
        loop {
            match &self.exprs[expr] {
                Expr::Member { base, name, generic_args, .. } => {
                    trailing.push(PathSegment { name: name.clone(), args: generic_args.clone() });
                    expr = *base;
                }
                Expr::Path(path) => {
                    let mut path = Path::clone(path);
                    path.segments.extend(trailing.into_iter().rev());
                    return Some(path);
                }
                Expr::This => {
                    let this = PathSegment { name: Name::new("This"), args: None };
                    let segments = std::iter::once(this).chain(trailing.into_iter().rev()).collect();
                    return Some(Path { global: false, segments });
                }
                _ => return None,
            }
        }
    }

    /// The first of the attributes that is of this kind.
    pub fn attribute(&self, among: &[AttributeId], kind: AttributeKind) -> Option<&Attribute> {
        among.iter().map(|id| &self.attributes[*id]).find(|attribute| attribute.kind == Some(kind))
    }
}

/// The body of a function, accessor or constructor, or the initialiser of a variable, field or enum case.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Body {
    pub store: ExprStore,
    /// One per parameter of the signature, in order.
    pub params: Vec<LocalId>,
    pub root: BodyRoot,
    /// How many types and functions the body declares by itself: see [`crate::item::local_items`].
    pub declared: u32,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum BodyRoot {
    /// No body was written.
    #[default]
    None,
    Block(StmtId),
    Expr(ExprId),
}

/// A parameter or local variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Local {
    pub name: Name,
    pub kind: LocalKind,
    /// `None` for parameters (their type is in the signature).
    pub ty: Option<TypeRefId>,
    pub modifiers: Modifiers,
    pub attributes: Vec<AttributeId>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LocalKind {
    Param {
        index: u32,
    },
    /// `T x`, `var x`.
    Variable,
    /// `let x`: cannot be assigned.
    Let,
    /// `static` inside a function: one per invocation of the program; `static const`: a constant.
    Static,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expr {
    /// Broken or absent; already reported.
    Missing,
    /// Not supported yet, by the name to report.
    Unsupported(Name),
    Literal(Literal),
    /// A name with optional generic arguments. Qualified names `A::B.c` are `Member` chains over a `Path` of one
    /// segment, except where `::` or generics make them types for sure. Equal names of a body share theirs.
    Path(Arc<Path>),
    This,
    /// `base.name<args>`, `base->name`, `base::name`.
    Member {
        base: ExprId,
        name: Name,
        generic_args: Option<Vec<crate::type_ref::GenericArgRef>>,
        arrow: bool,
    },
    /// `base[args]`.
    Index {
        base: ExprId,
        args: Vec<ExprId>,
    },
    Call {
        callee: ExprId,
        args: Vec<Arg>,
    },
    Prefix {
        op: PrefixOp,
        operand: ExprId,
    },
    Postfix {
        op: PostfixOp,
        operand: ExprId,
    },
    Binary {
        op: BinaryOp,
        left: ExprId,
        right: ExprId,
    },
    /// `target = value`, `target op= value`.
    Assign {
        op: Option<BinaryOp>,
        target: ExprId,
        value: ExprId,
    },
    Ternary {
        cond: ExprId,
        then: ExprId,
        otherwise: ExprId,
    },
    /// `(T)operand`.
    Cast {
        ty: TypeRefId,
        operand: ExprId,
    },
    /// A type in expression position, e.g. the callee of `float3(…)` or `Foo<int>(…)`, when the syntax says so for sure;
    /// plain names come as `Path`.
    Type(TypeRefId),
    /// `{ a, b }`.
    InitList(Vec<ExprId>),
    /// `(a, b)` as a tuple.
    Tuple(Vec<ExprId>),
    /// `(int x) => …`.
    Lambda {
        params: Vec<LocalId>,
        body: LambdaBody,
    },
    /// `no_diff operand`.
    NoDiff(ExprId),
    /// `fwd_diff(f)`, `bwd_diff(f)` and their `__` forms.
    Derivative {
        kind: DerivativeOperator,
        function: ExprId,
    },
    /// `e is T`, `e as T`.
    Is {
        operand: ExprId,
        ty: TypeRefId,
    },
    As {
        operand: ExprId,
        ty: TypeRefId,
    },
    /// `sizeof(T)`, `alignof(T)`, `countof(T)` of a type or an expression.
    SizeOf {
        what: SizeOfKind,
        ty: Option<TypeRefId>,
        operand: Option<ExprId>,
        /// How it lies in memory: `sizeof(T, Std430DataLayout)`.
        layout: Option<TypeRefId>,
    },
    /// `a, b`.
    Comma(Vec<ExprId>),
    /// `expand e`, `each e`.
    Expand(ExprId),
    Each(ExprId),
    /// `__first(pack)` and its like; the operands are values or types.
    PackQuery {
        query: PackQuery,
        operands: Vec<crate::type_ref::GenericArgRef>,
    },
    /// `try f(…)`.
    Try(ExprId),
    /// `new T(…)`.
    New {
        ty: TypeRefId,
        args: Vec<ExprId>,
    },
    /// `spirv_asm { … }`: the operands that are of the program, a type as an [`Expr::Type`]; the rest is kept in the tree alone.
    SpirvAsm {
        operands: Box<[ExprId]>,
        /// The operand among them that is the type of the whole, if its result is one.
        result: SpirvResult,
    },
}

/// What a `spirv_asm { … }` results in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SpirvResult {
    /// No instruction of it has the word `result`.
    Nothing,
    /// A value of the type that this [`Expr::Type`] is.
    Typed(ExprId),
    /// A value whose type is not written as one of the program.
    Untyped,
}

/// What is made of a function for its derivatives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DerivativeOperator {
    Forward,
    Backward,
    /// `f.apply_bwd`, `__apply(f)`: the function, which also gives a context for the way back.
    Apply,
    /// `f.remat`: the context again, with all that the way back needs.
    Remat,
    /// A context as a function: it propagates derivatives backward. Not written, but what a call of a context means.
    Propagate,
}

impl DerivativeOperator {
    pub fn spelling(self) -> &'static str {
        match self {
            DerivativeOperator::Forward => "fwd_diff",
            DerivativeOperator::Backward => "bwd_diff",
            DerivativeOperator::Apply => "apply_bwd",
            DerivativeOperator::Remat => "remat",
            DerivativeOperator::Propagate => "operator()",
        }
    }
}

/// What is asked of a pack, a value pack or a tuple.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PackQuery {
    /// `each list` of a list that is known: one element at a time, inside of an expansion.
    Each,
    /// `countof(list)`.
    Count,
    First,
    Last,
    TrimFirst,
    TrimLast,
    /// `__packBranch(pack, if_empty, otherwise)`.
    Branch,
    /// `__shapeConcat(first, second)`.
    ShapeConcat,
    ShapePermute,
    ShapeSwap,
    ShapeReduce,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SizeOfKind {
    Size,
    Align,
    Count,
    /// `__offsetOf(T, field)`.
    Offset,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LambdaBody {
    Expr(ExprId),
    Block(StmtId),
}

/// A call argument; `name` for `f(x: 1)`-like labels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arg {
    pub name: Option<Name>,
    pub value: ExprId,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Literal {
    Bool(bool),
    Int {
        value: u64,
        suffix: IntSuffix,
        /// Written with base ten: such literals without suffix are signed, others may be unsigned.
        decimal: bool,
    },
    /// `bits` are those of the `f64` value, so that literals compare and hash.
    Float {
        bits: u64,
        suffix: FloatSuffix,
    },
    String(SmolStr),
    /// `nullptr`, `none`.
    NullPtr,
    None,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum IntSuffix {
    None,
    U,
    L,
    UL,
    /// `ll`, `ull`, `z`, `uz` keep their sizes.
    LL,
    ULL,
    Z,
    UZ,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FloatSuffix {
    None,
    F,
    H,
    /// `l`, `lf`, `d`.
    L,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PrefixOp {
    Neg,
    Plus,
    Not,
    BitNot,
    Increment,
    Decrement,
    AddressOf,
    Deref,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PostfixOp {
    Increment,
    Decrement,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    BitAnd,
    BitOr,
    BitXor,
    Shl,
    Shr,
    LogicalAnd,
    LogicalOr,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stmt {
    /// Broken; already reported.
    Missing,
    Unsupported(Name),
    Empty,
    Expr(ExprId),
    /// One variable; `float a = 1, b;` gives two statements.
    Let {
        local: LocalId,
        init: Option<ExprId>,
    },
    Block(Vec<StmtId>),
    If {
        cond: Condition,
        then: StmtId,
        otherwise: Option<StmtId>,
        attributes: Vec<AttributeId>,
    },
    For {
        init: Option<StmtId>,
        cond: Option<ExprId>,
        step: Option<ExprId>,
        body: StmtId,
        attributes: Vec<AttributeId>,
    },
    While {
        cond: Condition,
        body: StmtId,
        attributes: Vec<AttributeId>,
    },
    DoWhile {
        body: StmtId,
        cond: ExprId,
        attributes: Vec<AttributeId>,
    },
    Switch {
        selector: ExprId,
        attributes: Vec<AttributeId>,
        cases: Vec<SwitchCase>,
    },
    Return(Option<ExprId>),
    /// Label of `break label;`.
    Break(Option<Name>),
    Continue,
    Labeled {
        label: Name,
        body: StmtId,
    },
    Discard,
    Defer(StmtId),
    /// Several statements from one (a multi-variable declaration): no scope of their own.
    Sequence(Vec<StmtId>),
    Throw(ExprId),
    /// `do … catch (E e) …`.
    DoCatch {
        body: StmtId,
        catches: Vec<CatchClause>,
    },
    /// `$for (name in Range(from, to))`: `bounds` are the arguments of the range.
    CompileTimeFor {
        local: LocalId,
        bounds: Vec<ExprId>,
        body: StmtId,
    },
    /// `__target_switch`, `__stage_switch`: the compiler takes the arm that the target or stage has.
    TargetSwitch {
        subject: SwitchSubject,
        arms: Vec<TargetArm>,
    },
    /// `__intrinsic_asm "text"`: the function's result is what the text computes.
    IntrinsicAsm(SmolStr),
    /// `static_assert(condition, "message");`
    StaticAssert {
        condition: ExprId,
        message: Option<SmolStr>,
    },
    /// `__requireCapability(a, b);`: names of capabilities, which no scope declares.
    RequireCapability(Vec<Name>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CatchClause {
    pub error: Option<LocalId>,
    pub body: StmtId,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SwitchSubject {
    Target,
    Stage,
}

/// An arm of a `__target_switch`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TargetArm {
    pub labels: Vec<TargetLabel>,
    pub body: Vec<StmtId>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TargetLabel {
    /// A capability; `None` for `default`.
    pub name: Option<Name>,
    /// An empty statement where the label is.
    pub place: StmtId,
}

/// The condition of an `if` or `while`; `if (let x = optional)` binds a local.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Condition {
    Expr(ExprId),
    Let { local: LocalId, init: ExprId },
}

/// Statements after one or more `case`/`default` labels; falls through to the next unless it leaves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SwitchCase {
    pub labels: Vec<CaseLabel>,
    pub body: Vec<StmtId>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CaseLabel {
    Value(ExprId),
    Default,
}
