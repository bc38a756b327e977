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
mod invented_names;
mod liveness;
pub mod names;
mod position;
mod tested_reads;

use ir::{Advice, AtomicOp, BinaryOp, Builtin, Constant, FuncId, GlobalId, Intrinsic, MathFn, SpanId, TypeId, UnaryOp};
use la_arena::{Arena, Idx};
use smol_str::SmolStr;

pub type LocalId = Idx<Local>;

/// One function as trees.
#[derive(Debug, Clone)]
pub struct Function {
    pub func: FuncId,
    pub params: Vec<LocalId>,
    /// The type of the `return` result, if there is one.
    pub result: Option<TypeId>,
    pub locals: Arena<Local>,
    pub body: Block,
    pub span: SpanId,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Local {
    pub name: SmolStr,
    pub ty: TypeId,
    pub kind: LocalKind,
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

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LocalKind {
    /// `written` tells whether the body changes it, which not every target allows for `In`.
    Param {
        direction: Direction,
        written: bool,
    },
    /// Written once, where it is declared.
    Constant,
    Variable,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    In,
    Out,
    InOut,
}

pub type Block = Vec<Stmt>;

#[derive(Debug, Clone, PartialEq)]
pub struct Stmt {
    pub span: SpanId,
    pub kind: StmtKind,
}

#[derive(Debug, Clone, PartialEq)]
pub enum StmtKind {
    /// While the trees are built, one without a value after the local's declaration is a *mark*: the IR says there that
    /// the value is not defined from then on.
    Declare {
        local: LocalId,
        init: Option<Expr>,
    },
    Assign {
        place: Place,
        value: Expr,
    },
    Store {
        handle: Expr,
        path: Vec<Step>,
        value: Expr,
    },
    ByteStore {
        handle: Expr,
        offset: Expr,
        value: Expr,
    },
    /// An expression for its effect.
    Evaluate(Expr),
    /// A call whose return value is not used, or that has none.
    Call {
        callee: FuncId,
        args: Vec<Expr>,
    },
    If {
        advice: Option<Advice>,
        cond: Expr,
        then: Block,
        otherwise: Block,
    },
    /// No fall-through; `break` and `continue` inside mean the loop around it.
    Switch {
        advice: Option<Advice>,
        selector: Expr,
        cases: Vec<(Vec<i64>, Block)>,
        default: Block,
    },
    For {
        advice: Option<Advice>,
        init: Box<Stmt>,
        cond: Expr,
        step: Box<Stmt>,
        body: Block,
    },
    While {
        advice: Option<Advice>,
        cond: Expr,
        body: Block,
    },
    /// Without end but for `break` and `return`.
    Loop {
        advice: Option<Advice>,
        body: Block,
    },
    Break,
    Continue,
    Return(Option<Expr>),
    Barrier {
        control: bool,
    },
    Print {
        format: SmolStr,
        args: Vec<Expr>,
    },
}

/// A local or a part of one.
#[derive(Debug, Clone, PartialEq)]
pub struct Place {
    pub local: LocalId,
    pub path: Vec<Step>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    Const(u32),
    /// An index that is in bounds, or about which the language's own rules are right.
    Dynamic(Expr),
    /// An index that may be out of bounds where something is read: then there is zero. Only for targets that ask for it.
    Tested(Expr),
}

#[derive(Debug, Clone, PartialEq)]
pub struct Expr {
    pub ty: TypeId,
    pub kind: ExprKind,
}

/// As the IR's operations of the same names.
#[derive(Debug, Clone, PartialEq)]
pub enum ExprKind {
    Local(LocalId),
    /// A local given to an `out` or `inout` parameter; only as an argument of a call.
    Reference(LocalId),
    Const(Constant),
    Zero,
    Unary(UnaryOp, Box<Expr>),
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    Math(MathFn, Vec<Expr>),
    Convert(Box<Expr>),
    Bitcast(Box<Expr>),
    Select {
        cond: Box<Expr>,
        then: Box<Expr>,
        otherwise: Box<Expr>,
    },
    Make(Vec<Expr>),
    Splat(Box<Expr>),
    Extract {
        aggregate: Box<Expr>,
        path: Vec<Step>,
    },
    Swizzle {
        vector: Box<Expr>,
        components: Vec<u8>,
    },
    /// The value is the callee's `return` result.
    Call {
        callee: FuncId,
        args: Vec<Expr>,
    },
    Global(GlobalId),
    Builtin(Builtin),
    Load {
        handle: Box<Expr>,
        path: Vec<Step>,
    },
    ByteLoad {
        handle: Box<Expr>,
        offset: Box<Expr>,
    },
    BufferLength(Box<Expr>),
    Atomic {
        op: AtomicOp,
        handle: Box<Expr>,
        path: Vec<Step>,
        operands: Vec<Expr>,
    },
    ByteAtomic {
        op: AtomicOp,
        handle: Box<Expr>,
        offset: Box<Expr>,
        operands: Vec<Expr>,
    },
    Intrinsic {
        intrinsic: Intrinsic,
        args: Vec<Expr>,
    },
    /// Of what an expression reads from memory.
    AddressOf(Box<Expr>),
}

impl Expr {
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

    pub fn has_call(&self) -> bool {
        let mut found = matches!(self.kind, ExprKind::Call { .. });
        self.for_each_child(&mut |child| found |= child.has_call());
        found
    }

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
