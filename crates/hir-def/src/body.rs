//! Bodies: expressions, statements and locals in arenas, with names not yet resolved.

mod children;
pub mod queries;

pub use children::Child;

use std::sync::Arc;

use la_arena::{Arena, Idx};
use smol_str::SmolStr;

use crate::{
    attribute::{Attribute, AttributeId, AttributeKind, Modifiers},
    name::Name,
    type_ref::{Path, PathSegment, TypeRef, TypeRefId},
};

/// An expression of an [`ExprStore`].
pub type ExprId = Idx<Expr>;
/// A statement of an [`ExprStore`].
pub type StmtId = Idx<Stmt>;
/// A parameter or variable of an [`ExprStore`].
pub type LocalId = Idx<Local>;

/// The arenas of one owner: an item's signature (default arguments, array sizes, attribute arguments), or a body.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ExprStore {
    /// Every expression.
    pub exprs: Arena<Expr>,
    /// Every statement.
    pub stmts: Arena<Stmt>,
    /// Every parameter and variable.
    pub locals: Arena<Local>,
    /// Every type that is written.
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
    /// The nodes that the body is made of.
    pub store: ExprStore,
    /// One per parameter of the signature, in order.
    pub params: Vec<LocalId>,
    /// What is run.
    pub root: BodyRoot,
    /// How many types and functions the body declares by itself: see [`crate::item::local_items`].
    pub declared: u32,
}

/// What a body begins with.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum BodyRoot {
    /// No body was written.
    #[default]
    None,
    /// A block in braces.
    Block(StmtId),
    /// An expression: the value of a variable, a default, or what an attribute holds.
    Expr(ExprId),
}

/// A parameter or local variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Local {
    /// As written; empty where a parameter has none.
    pub name: Name,
    /// How it is declared.
    pub kind: LocalKind,
    /// `None` for parameters (their type is in the signature).
    pub ty: Option<TypeRefId>,
    /// The modifiers in front of it.
    pub modifiers: Modifiers,
    /// The attributes in front of it.
    pub attributes: Vec<AttributeId>,
}

/// How a local is declared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LocalKind {
    /// A parameter.
    Param {
        /// Its number in the signature.
        index: u32,
    },
    /// `T x`, `var x`.
    Variable,
    /// `let x`: cannot be assigned.
    Let,
    /// `static` inside a function: one per invocation of the program; `static const`: a constant.
    Static,
}

/// What is written where a value may be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expr {
    /// Broken or absent; already reported.
    Missing,
    /// Not supported yet, by the name to report.
    Unsupported(Name),
    /// A number, truth value, text or null.
    Literal(Literal),
    /// A name with optional generic arguments. Qualified names `A::B.c` are `Member` chains over a `Path` of one
    /// segment, except where `::` or generics make them types for sure. Equal names of a body share theirs.
    Path(Arc<Path>),
    /// `this`
    This,
    /// `base.name<args>`, `base->name`, `base::name`.
    Member {
        /// What has the member.
        base: ExprId,
        /// The name of the member.
        name: Name,
        /// `<…>` behind the name, if it was written.
        generic_args: Option<Vec<crate::type_ref::GenericArgRef>>,
        /// Written `->`.
        arrow: bool,
    },
    /// `base[args]`.
    Index {
        /// What is indexed.
        base: ExprId,
        /// The arguments in the brackets.
        args: Vec<ExprId>,
    },
    /// `f(a, b)`
    Call {
        /// What is called.
        callee: ExprId,
        /// The arguments, in order.
        args: Vec<Arg>,
    },
    /// An operator before its operand.
    Prefix {
        /// The operator.
        op: PrefixOp,
        /// The operand.
        operand: ExprId,
    },
    /// An operator behind its operand.
    Postfix {
        /// The operator.
        op: PostfixOp,
        /// The operand.
        operand: ExprId,
    },
    /// An operator between its operands.
    Binary {
        /// The operator.
        op: BinaryOp,
        /// The first operand.
        left: ExprId,
        /// The second operand.
        right: ExprId,
    },
    /// `target = value`, `target op= value`.
    Assign {
        /// The operator of a compound assignment: `+` of `+=`.
        op: Option<BinaryOp>,
        /// What is assigned to.
        target: ExprId,
        /// The value.
        value: ExprId,
    },
    /// `cond ? then : otherwise`
    Ternary {
        /// What decides.
        cond: ExprId,
        /// The value where `cond` is true.
        then: ExprId,
        /// The value where it is false.
        otherwise: ExprId,
    },
    /// `(T)operand`.
    Cast {
        /// The type that is asked for.
        ty: TypeRefId,
        /// The value.
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
        /// The parameters.
        params: Vec<LocalId>,
        /// What it does.
        body: LambdaBody,
    },
    /// `no_diff operand`.
    NoDiff(ExprId),
    /// `fwd_diff(f)`, `bwd_diff(f)` and their `__` forms.
    Derivative {
        /// Which derivative.
        kind: DerivativeOperator,
        /// The function that is differentiated.
        function: ExprId,
    },
    /// `e is T`, `e as T`.
    Is {
        /// The value.
        operand: ExprId,
        /// The type that is asked for.
        ty: TypeRefId,
    },
    /// `operand as ty`
    As {
        /// The value.
        operand: ExprId,
        /// The type that is asked for.
        ty: TypeRefId,
    },
    /// `sizeof(T)`, `alignof(T)`, `countof(T)` of a type or an expression.
    SizeOf {
        /// Which number is asked for.
        what: SizeOfKind,
        /// The type, where the operand is one.
        ty: Option<TypeRefId>,
        /// The value, where the operand is one.
        operand: Option<ExprId>,
        /// How it lies in memory: `sizeof(T, Std430DataLayout)`.
        layout: Option<TypeRefId>,
    },
    /// `a, b`.
    Comma(Vec<ExprId>),
    /// `expand e`, `each e`.
    Expand(ExprId),
    /// `each pack`
    Each(ExprId),
    /// `__first(pack)` and its like; the operands are values or types.
    PackQuery {
        /// What is asked.
        query: PackQuery,
        /// The packs, and numbers.
        operands: Vec<crate::type_ref::GenericArgRef>,
    },
    /// `try f(…)`.
    Try(ExprId),
    /// `new T(…)`.
    New {
        /// The type that is made.
        ty: TypeRefId,
        /// The arguments of its constructor.
        args: Vec<ExprId>,
    },
    /// `spirv_asm { … }`: the operands that are of the program, a type as an [`Expr::Type`]; the rest is kept in the tree alone.
    SpirvAsm {
        /// The values that the text names.
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
    /// `fwd_diff`
    Forward,
    /// `bwd_diff`
    Backward,
    /// `f.apply_bwd`, `__apply(f)`: the function, which also gives a context for the way back.
    Apply,
    /// `f.remat`: the context again, with all that the way back needs.
    Remat,
    /// A context as a function: it propagates derivatives backward. Not written, but what a call of a context means.
    Propagate,
}

impl DerivativeOperator {
    /// The word as programs write it.
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
    /// `__first`
    First,
    /// `__last`
    Last,
    /// `__trimFirst`
    TrimFirst,
    /// `__trimLast`
    TrimLast,
    /// `__packBranch(pack, if_empty, otherwise)`.
    Branch,
    /// `__shapeConcat(first, second)`.
    ShapeConcat,
    /// `__shapePermute`
    ShapePermute,
    /// `__shapeSwap`
    ShapeSwap,
    /// `__shapeReduce`
    ShapeReduce,
}

/// Which number of a type is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SizeOfKind {
    /// `sizeof`
    Size,
    /// `alignof`
    Align,
    /// `countof`
    Count,
    /// `__offsetOf(T, field)`.
    Offset,
}

/// What a lambda does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LambdaBody {
    /// `x => value`
    Expr(ExprId),
    /// `x => { … }`
    Block(StmtId),
}

/// A call argument; `name` for `f(x: 1)`-like labels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arg {
    /// `name:` in front of the argument, if it was written.
    pub name: Option<Name>,
    /// The argument.
    pub value: ExprId,
}

/// A value as it is spelled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Literal {
    /// `true`, `false`
    Bool(bool),
    /// An integer.
    Int {
        /// Its value, without the suffix.
        value: u64,
        /// The letters behind it.
        suffix: IntSuffix,
        /// Written with base ten: such literals without suffix are signed, others may be unsigned.
        decimal: bool,
    },
    /// `bits` are those of the `f64` value, so that literals compare and hash.
    Float {
        /// The bits of the number in double precision.
        bits: u64,
        /// The letters behind it.
        suffix: FloatSuffix,
    },
    /// `"text"`, without quotes and escapes.
    String(SmolStr),
    /// `nullptr`, `none`.
    NullPtr,
    /// `none`
    None,
}

/// The letters behind an integer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum IntSuffix {
    /// No letters.
    None,
    /// `u`
    U,
    /// `l`
    L,
    /// `ul`
    UL,
    /// `ll`, `ull`, `z`, `uz` keep their sizes.
    LL,
    /// `ull`
    ULL,
    /// `z`
    Z,
    /// `uz`
    UZ,
}

/// The letters behind a number with a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FloatSuffix {
    /// No letters.
    None,
    /// `f`
    F,
    /// `h`
    H,
    /// `l`, `lf`, `d`.
    L,
}

/// An operator before its operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PrefixOp {
    /// `-x`
    Neg,
    /// `+x`
    Plus,
    /// `!x`
    Not,
    /// `~x`
    BitNot,
    /// `++x`
    Increment,
    /// `--x`
    Decrement,
    /// `&x`
    AddressOf,
    /// `*x`
    Deref,
}

/// An operator behind its operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PostfixOp {
    /// `x++`
    Increment,
    /// `x--`
    Decrement,
}

/// An operator between its operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    /// `a + b`
    Add,
    /// `a - b`
    Sub,
    /// `a * b`
    Mul,
    /// `a / b`
    Div,
    /// `a % b`
    Rem,
    /// `a & b`
    BitAnd,
    /// `a | b`
    BitOr,
    /// `a ^ b`
    BitXor,
    /// `a << b`
    Shl,
    /// `a >> b`
    Shr,
    /// `a && b`
    LogicalAnd,
    /// `a || b`
    LogicalOr,
    /// `a == b`
    Equal,
    /// `a != b`
    NotEqual,
    /// `a < b`
    Less,
    /// `a <= b`
    LessEqual,
    /// `a > b`
    Greater,
    /// `a >= b`
    GreaterEqual,
}

/// What a body does, step by step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stmt {
    /// Broken; already reported.
    Missing,
    /// A statement that is not supported, by the name to report.
    Unsupported(Name),
    /// `;`
    Empty,
    /// An expression whose value nobody takes.
    Expr(ExprId),
    /// One variable; `float a = 1, b;` gives two statements.
    Let {
        /// The variable.
        local: LocalId,
        /// Its first value, if one is written.
        init: Option<ExprId>,
    },
    /// `{ … }`, with a scope of its own.
    Block(Vec<StmtId>),
    /// `if (cond) then else otherwise`
    If {
        /// What decides.
        cond: Condition,
        /// Runs where `cond` is true.
        then: StmtId,
        /// Runs where it is false.
        otherwise: Option<StmtId>,
        /// `[branch]`, `[flatten]`, ….
        attributes: Vec<AttributeId>,
    },
    /// `for (init; cond; step) body`
    For {
        /// Runs before the first iteration.
        init: Option<StmtId>,
        /// Whether another iteration runs; always, where nothing is written.
        cond: Option<ExprId>,
        /// Runs behind each iteration.
        step: Option<ExprId>,
        /// One iteration.
        body: StmtId,
        /// `[MaxIters(n)]`, `[unroll]`, ….
        attributes: Vec<AttributeId>,
    },
    /// `while (cond) body`
    While {
        /// Whether another iteration runs.
        cond: Condition,
        /// One iteration.
        body: StmtId,
        /// `[MaxIters(n)]`, `[unroll]`, ….
        attributes: Vec<AttributeId>,
    },
    /// `do body while (cond);`
    DoWhile {
        /// One iteration.
        body: StmtId,
        /// Whether another iteration runs.
        cond: ExprId,
        /// `[MaxIters(n)]`, `[unroll]`, ….
        attributes: Vec<AttributeId>,
    },
    /// `switch (selector) { … }`
    Switch {
        /// The value that is looked up.
        selector: ExprId,
        /// `[branch]`, `[flatten]`, ….
        attributes: Vec<AttributeId>,
        /// The cases, in the order of the text.
        cases: Vec<SwitchCase>,
    },
    /// `return value;`
    Return(Option<ExprId>),
    /// Label of `break label;`.
    Break(Option<Name>),
    /// `continue;`
    Continue,
    /// `label: body`
    Labeled {
        /// What `break` names.
        label: Name,
        /// What it stands on.
        body: StmtId,
    },
    /// `discard;`
    Discard,
    /// `defer body`: runs where the block is left.
    Defer(StmtId),
    /// Several statements from one (a multi-variable declaration): no scope of their own.
    Sequence(Vec<StmtId>),
    /// `throw error;`
    Throw(ExprId),
    /// `do … catch (E e) …`.
    DoCatch {
        /// What may throw.
        body: StmtId,
        /// What runs then: the first one whose type fits.
        catches: Vec<CatchClause>,
    },
    /// `$for (name in Range(from, to))`: `bounds` are the arguments of the range.
    CompileTimeFor {
        /// The number, a constant in each copy of the body.
        local: LocalId,
        /// The arguments of the range.
        bounds: Vec<ExprId>,
        /// One copy.
        body: StmtId,
    },
    /// `__target_switch`, `__stage_switch`: the compiler takes the arm that the target or stage has.
    TargetSwitch {
        /// What the arms are chosen by.
        subject: SwitchSubject,
        /// The arms, in the order of the text.
        arms: Vec<TargetArm>,
    },
    /// `__intrinsic_asm "text"`: the function's result is what the text computes.
    IntrinsicAsm(SmolStr),
    /// `static_assert(condition, "message");`
    StaticAssert {
        /// What has to be true.
        condition: ExprId,
        /// What is said otherwise.
        message: Option<ExprId>,
    },
    /// `__requireCapability(a, b);`: names of capabilities, which no scope declares.
    RequireCapability(Vec<Name>),
}

/// What runs where an error is thrown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CatchClause {
    /// The error; `None` where the clause takes any.
    pub error: Option<LocalId>,
    /// What runs.
    pub body: StmtId,
}

/// What the arms of a `__target_switch` or `__stage_switch` are chosen by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SwitchSubject {
    /// The language or machine that code is made for.
    Target,
    /// The stage of the pipeline.
    Stage,
}

/// An arm of a `__target_switch`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TargetArm {
    /// The targets or stages that it is for.
    pub labels: Vec<TargetLabel>,
    /// What runs.
    pub body: Vec<StmtId>,
}

/// A label of an arm.
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
    /// A truth value.
    Expr(ExprId),
    /// `let local = init`
    Let {
        /// The variable, which holds the value inside.
        local: LocalId,
        /// The optional that is asked.
        init: ExprId,
    },
}

/// Statements after one or more `case`/`default` labels; falls through to the next unless it leaves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SwitchCase {
    /// The labels in front of the statements.
    pub labels: Vec<CaseLabel>,
    /// The statements.
    pub body: Vec<StmtId>,
}

/// A label of a `switch`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CaseLabel {
    /// `case value:`
    Value(ExprId),
    /// `default:`
    Default,
}
