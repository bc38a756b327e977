//! Statement trees: functions with local variables, statements and nested expressions, the form that both the C-like
//! printer and the naga writer walk.
//!
//! [`build::build`] makes them from IR. The steps, one file each: `position` numbers the places
//! of a function, `inline` decides which values become part of a larger expression, `liveness` knows where the others are
//! still needed, `coalesce` gives values a common variable so that no copies remain, `build` walks the regions, `copies`
//! orders the copies that do remain, `declare` puts each declaration where its variable is first written, `defined`
//! verifies that no read comes before the writes, `tested_reads` knows which indices may be out of bounds, `names` gives the
//! names.
//!
//! # Invariants
//! - A function's trees mean what its IR means: expressions are evaluated where they stand, an expression with an
//!   effect stands alone in its statement or as the right side of one.
//! - Each local is written before it is read, except where the IR says "undefined". Its declaration starts its life
//!   anew: it stands outside of every loop that carries its value from one iteration to the next.
//! - Arguments for `out` and `inout` parameters are whole locals, so that every target can pass them.
//! - Nesting of expressions is bounded ([`inline::MAX_SIZE`]), so walking them needs no depth check.

pub mod build;
mod coalesce;
mod copies;
mod declare;
mod defined;
pub mod inline;
mod interference;
mod invented_names;
mod liveness;
pub mod names;
mod position;
mod tested_reads;

use ir::{Advice, AtomicOp, BinaryOp, Builtin, Constant, FuncId, GlobalId, Intrinsic, MathFn, SpanId, TypeId, UnaryOp};
use la_arena::{Arena, Idx};
use smol_str::SmolStr;

/// A variable or parameter of a [`Function`].
pub type LocalId = Idx<Local>;

/// One function as trees.
#[derive(Debug, Clone)]
pub struct Function {
    /// The function of the module.
    pub func: FuncId,
    /// The parameters, in the order of the signature.
    pub params: Vec<LocalId>,
    /// The type of the `return` result, if there is one.
    pub result: Option<TypeId>,
    /// Every variable and parameter.
    pub locals: Arena<Local>,
    /// What is done.
    pub body: Block,
    /// Where it is declared.
    pub span: SpanId,
}

/// A variable or parameter.
#[derive(Debug, Clone, PartialEq)]
pub struct Local {
    /// Its name in the code.
    pub name: SmolStr,
    /// What it holds.
    pub ty: TypeId,
    /// Whether it is handed in.
    pub kind: LocalKind,
    /// Where its declaration has to be.
    pub start: Start,
}

/// What a local is at its declaration, where that gives it no value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    /// Written before it is read.
    Unread,
    /// The IR says "undefined" for it on some way, but none of them leads to a read.
    Undefined,
    /// Some way to a read of it writes nothing.
    Value,
    /// The same, of what is written part by part.
    Storage,
}

/// Whether a variable is handed in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LocalKind {
    /// `written` tells whether the body changes it, which not every target allows for `In`.
    Param {
        /// How it is passed.
        direction: Direction,
        /// Whether the body assigns to it.
        written: bool,
    },
    /// Written once, where it is declared.
    Constant,
    /// Declared in the body.
    Variable,
}

/// How a parameter is passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// Handed in.
    In,
    /// Given back.
    Out,
    /// Handed in and given back.
    InOut,
}

/// Statements in the order in which they run.
pub type Block = Vec<Stmt>;

/// A statement with its place.
#[derive(Debug, Clone, PartialEq)]
pub struct Stmt {
    /// Where it comes from.
    pub span: SpanId,
    /// What it does.
    pub kind: StmtKind,
}

/// What a statement does.
#[derive(Debug, Clone, PartialEq)]
pub enum StmtKind {
    /// While the trees are built, one without a value after the local's declaration is a *mark*: the IR says there that
    /// the value is not defined from then on.
    Declare {
        /// The variable.
        local: LocalId,
        /// Its first value.
        init: Option<Expr>,
    },
    /// `place = value;`
    Assign {
        /// What is assigned to.
        place: Place,
        /// The value.
        value: Expr,
    },
    /// Writes memory.
    Store {
        /// The memory.
        handle: Expr,
        /// Where in it.
        path: Vec<Step>,
        /// The value.
        value: Expr,
    },
    /// Writes a buffer of bytes.
    ByteStore {
        /// The buffer.
        handle: Expr,
        /// Bytes from its begin.
        offset: Expr,
        /// The value.
        value: Expr,
    },
    /// An expression for its effect.
    Evaluate(Expr),
    /// A call whose return value is not used, or that has none.
    Call {
        /// What is called.
        callee: FuncId,
        /// Its arguments; variables for what is given back.
        args: Vec<Expr>,
    },
    /// `if (cond) { then } else { otherwise }`
    If {
        /// `[branch]`, `[flatten]`.
        advice: Option<Advice>,
        /// What decides.
        cond: Expr,
        /// Runs where it is true.
        then: Block,
        /// Runs where it is false.
        otherwise: Block,
    },
    /// No fall-through; `break` and `continue` inside mean the loop around it.
    Switch {
        /// `[branch]`, `[flatten]`.
        advice: Option<Advice>,
        /// The integer that is looked up.
        selector: Expr,
        /// The integers of each case, and what runs.
        cases: Vec<(Vec<i64>, Block)>,
        /// Runs where no case fits.
        default: Block,
    },
    /// `for (init; cond; step) { body }`
    For {
        /// `[loop]`, `[unroll]`.
        advice: Option<Advice>,
        /// Runs before the first iteration.
        init: Box<Stmt>,
        /// Whether another iteration runs.
        cond: Expr,
        /// Runs behind each iteration.
        step: Box<Stmt>,
        /// One iteration.
        body: Block,
    },
    /// `while (cond) { body }`
    While {
        /// `[loop]`, `[unroll]`.
        advice: Option<Advice>,
        /// Whether another iteration runs.
        cond: Expr,
        /// One iteration.
        body: Block,
    },
    /// Without end but for `break` and `return`.
    Loop {
        /// `[loop]`, `[unroll]`.
        advice: Option<Advice>,
        /// One iteration.
        body: Block,
    },
    /// `break;`
    Break,
    /// `continue;`
    Continue,
    /// `return value;`
    Return(Option<Expr>),
    /// Waits for the group.
    Barrier {
        /// Whether threads wait for each other, and not for their memory alone.
        control: bool,
    },
    /// `printf(format, args…);`
    Print {
        /// The text with places for the values.
        format: SmolStr,
        /// The values.
        args: Vec<Expr>,
    },
}

/// A local or a part of one.
#[derive(Debug, Clone, PartialEq)]
pub struct Place {
    /// The variable.
    pub local: LocalId,
    /// The parts, each inside of the one before.
    pub path: Vec<Step>,
}

/// A step from a whole to a part.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// The field, element, row or component with this number.
    Const(u32),
    /// An index that is in bounds, or about which the language's own rules are right.
    Dynamic(Expr),
    /// An index that may be out of bounds where something is read: then there is zero. Only for targets that ask for it.
    Tested(Expr),
}

/// An expression with its type.
#[derive(Debug, Clone, PartialEq)]
pub struct Expr {
    /// Its type.
    pub ty: TypeId,
    /// What it is.
    pub kind: ExprKind,
}

/// As the IR's operations of the same names.
#[derive(Debug, Clone, PartialEq)]
pub enum ExprKind {
    /// A variable or parameter.
    Local(LocalId),
    /// A local given to an `out` or `inout` parameter; only as an argument of a call.
    Reference(LocalId),
    /// A constant.
    Const(Constant),
    /// Zero of the type.
    Zero,
    /// An operator before its operand.
    Unary(UnaryOp, Box<Expr>),
    /// An operator between its operands.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// A mathematical function.
    Math(MathFn, Vec<Expr>),
    /// A conversion between numbers.
    Convert(Box<Expr>),
    /// The same bits as another type.
    Bitcast(Box<Expr>),
    /// `cond ? then : otherwise`
    Select {
        /// What decides.
        cond: Box<Expr>,
        /// The value where it is true.
        then: Box<Expr>,
        /// The value where it is false.
        otherwise: Box<Expr>,
    },
    /// A struct, array, vector or matrix from its parts.
    Make(Vec<Expr>),
    /// A scalar in every component.
    Splat(Box<Expr>),
    /// A part of a value.
    Extract {
        /// What has the part.
        aggregate: Box<Expr>,
        /// The parts, each inside of the one before.
        path: Vec<Step>,
    },
    /// Components of a vector.
    Swizzle {
        /// The vector.
        vector: Box<Expr>,
        /// The number of the component for each place of the result.
        components: Vec<u8>,
    },
    /// The value is the callee's `return` result.
    Call {
        /// What is called.
        callee: FuncId,
        /// Its arguments.
        args: Vec<Expr>,
    },
    /// A parameter or variable of the module.
    Global(GlobalId),
    /// A value that the machine gives.
    Builtin(Builtin),
    /// Reads memory.
    Load {
        /// The memory.
        handle: Box<Expr>,
        /// Where in it.
        path: Vec<Step>,
    },
    /// Reads a buffer of bytes.
    ByteLoad {
        /// The buffer.
        handle: Box<Expr>,
        /// Bytes from its begin.
        offset: Box<Expr>,
    },
    /// The number of elements or bytes of a buffer.
    BufferLength(Box<Expr>),
    /// Changes memory atomically; the old value.
    Atomic {
        /// What becomes of the old value.
        op: AtomicOp,
        /// The memory.
        handle: Box<Expr>,
        /// Where in it.
        path: Vec<Step>,
        /// What the old value is combined with.
        operands: Vec<Expr>,
    },
    /// Changes a buffer of bytes atomically; the old value.
    ByteAtomic {
        /// What becomes of the old value.
        op: AtomicOp,
        /// The buffer.
        handle: Box<Expr>,
        /// Bytes from its begin.
        offset: Box<Expr>,
        /// What the old value is combined with.
        operands: Vec<Expr>,
    },
    /// An operation of the core library.
    Intrinsic {
        /// Which one.
        intrinsic: Intrinsic,
        /// Its arguments.
        args: Vec<Expr>,
    },
    /// Of what an expression reads from memory.
    AddressOf(Box<Expr>),
}

impl Expr {
    /// A variable as an expression.
    pub fn local(local: LocalId, ty: TypeId) -> Expr {
        Expr { ty, kind: ExprKind::Local(local) }
    }

    /// Calls `visit` on the expressions directly below.
    pub fn for_each_child<'a>(&'a self, visit: &mut impl FnMut(&'a Expr)) {
        match &self.kind {
            ExprKind::Local(_)
            | ExprKind::Reference(_)
            | ExprKind::Const(_)
            | ExprKind::Zero
            | ExprKind::Global(_)
            | ExprKind::Builtin(_) => {}
            ExprKind::Unary(_, a)
            | ExprKind::Convert(a)
            | ExprKind::Bitcast(a)
            | ExprKind::Splat(a)
            | ExprKind::AddressOf(a)
            | ExprKind::BufferLength(a) => visit(a),
            ExprKind::Binary(_, a, b) => {
                visit(a);
                visit(b);
            }
            ExprKind::Select { cond, then, otherwise } => {
                visit(cond);
                visit(then);
                visit(otherwise);
            }
            ExprKind::Math(_, parts)
            | ExprKind::Make(parts)
            | ExprKind::Call { args: parts, .. }
            | ExprKind::Intrinsic { args: parts, .. } => parts.iter().for_each(visit),
            ExprKind::Extract { aggregate, path } | ExprKind::Load { handle: aggregate, path } => {
                visit(aggregate);
                dynamic_steps(path).for_each(visit);
            }
            ExprKind::Swizzle { vector, .. } => visit(vector),
            ExprKind::ByteLoad { handle, offset } => {
                visit(handle);
                visit(offset);
            }
            ExprKind::Atomic { handle, path, operands, .. } => {
                visit(handle);
                dynamic_steps(path).for_each(&mut *visit);
                operands.iter().for_each(visit);
            }
            ExprKind::ByteAtomic { handle, offset, operands, .. } => {
                visit(handle);
                visit(offset);
                operands.iter().for_each(visit);
            }
        }
    }

    /// Calls `visit` on each local that is read, including those given to `out` parameters.
    pub fn for_each_local(&self, visit: &mut impl FnMut(LocalId)) {
        if let ExprKind::Local(local) | ExprKind::Reference(local) = self.kind {
            visit(local);
        }
        self.for_each_child(&mut |child| child.for_each_local(visit));
    }

    /// Whether a function of the module is called in it.
    pub fn has_call(&self) -> bool {
        let mut found = matches!(self.kind, ExprKind::Call { .. });
        self.for_each_child(&mut |child| found |= child.has_call());
        found
    }

    /// Whether a variable is read in it.
    pub fn mentions(&self, local: LocalId) -> bool {
        let mut found = false;
        self.for_each_local(&mut |other| found |= other == local);
        found
    }
}

impl Expr {
    /// Calls `visit` on each local that a call in the expression writes.
    pub fn for_each_reference(&self, visit: &mut impl FnMut(LocalId)) {
        if let ExprKind::Reference(local) = self.kind {
            visit(local);
        }
        self.for_each_child(&mut |child| child.for_each_reference(visit));
    }
}

/// The expressions in a path.
pub fn dynamic_steps(path: &[Step]) -> impl Iterator<Item = &Expr> {
    path.iter().filter_map(|step| match step {
        Step::Const(_) => None,
        Step::Dynamic(expr) | Step::Tested(expr) => Some(expr),
    })
}

impl Stmt {
    /// Calls `visit` on the expressions that stand in the statement itself, not on those of nested blocks.
    pub fn for_each_expr<'a>(&'a self, visit: &mut impl FnMut(&'a Expr)) {
        match &self.kind {
            StmtKind::Declare { init, .. } | StmtKind::Return(init) => init.iter().for_each(visit),
            StmtKind::Assign { place, value } => {
                dynamic_steps(&place.path).for_each(&mut *visit);
                visit(value);
            }
            StmtKind::Store { handle, path, value } => {
                visit(handle);
                dynamic_steps(path).for_each(&mut *visit);
                visit(value);
            }
            StmtKind::ByteStore { handle, offset, value } => {
                visit(handle);
                visit(offset);
                visit(value);
            }
            StmtKind::Evaluate(expr) => visit(expr),
            StmtKind::Call { args, .. } | StmtKind::Print { args, .. } => args.iter().for_each(visit),
            StmtKind::If { cond, .. } | StmtKind::While { cond, .. } => visit(cond),
            StmtKind::Switch { selector, .. } => visit(selector),
            StmtKind::For { init, cond, step, .. } => {
                init.for_each_expr(visit);
                visit(cond);
                step.for_each_expr(visit);
            }
            StmtKind::Loop { .. } | StmtKind::Break | StmtKind::Continue | StmtKind::Barrier { .. } => {}
        }
    }

    /// The blocks directly inside.
    pub fn blocks(&self) -> Vec<&Block> {
        match &self.kind {
            StmtKind::If { then, otherwise, .. } => vec![then, otherwise],
            StmtKind::Switch { cases, default, .. } => {
                cases.iter().map(|(_, block)| block).chain(std::iter::once(default)).collect()
            }
            StmtKind::For { body, .. } | StmtKind::While { body, .. } | StmtKind::Loop { body, .. } => vec![body],
            _ => Vec::new(),
        }
    }

    /// The same, to be changed.
    pub fn blocks_mut(&mut self) -> Vec<&mut Block> {
        match &mut self.kind {
            StmtKind::If { then, otherwise, .. } => vec![then, otherwise],
            StmtKind::Switch { cases, default, .. } => {
                cases.iter_mut().map(|(_, block)| block).chain(std::iter::once(default)).collect()
            }
            StmtKind::For { body, .. } | StmtKind::While { body, .. } | StmtKind::Loop { body, .. } => vec![body],
            _ => Vec::new(),
        }
    }

    /// Calls `visit` on each local that the statement itself writes, without those of nested blocks.
    pub fn for_each_write(&self, visit: &mut impl FnMut(LocalId)) {
        match &self.kind {
            StmtKind::Declare { local, init: Some(_) } => visit(*local),
            StmtKind::Assign { place, .. } => visit(place.local),
            StmtKind::For { init, step, .. } => {
                init.for_each_write(visit);
                step.for_each_write(visit);
            }
            _ => {}
        }
        self.for_each_expr(&mut |expr| expr.for_each_reference(visit));
    }

    /// Calls `visit` on each local that the statement itself mentions, read or written.
    pub fn for_each_local(&self, visit: &mut impl FnMut(LocalId)) {
        match &self.kind {
            StmtKind::Declare { local, .. } => visit(*local),
            StmtKind::Assign { place, .. } => visit(place.local),
            StmtKind::For { init, step, .. } => {
                init.for_each_local(visit);
                step.for_each_local(visit);
            }
            _ => {}
        }
        self.for_each_expr(&mut |expr| expr.for_each_local(visit));
    }
}
