//! What is directly inside a statement or an expression: every walk over a body goes through here, so that none forgets a
//! kind of statement, and none overflows its stack.

use ::diagnostics::stack;

use super::{CaseLabel, Condition, Expr, ExprId, Stmt, StmtId};
use crate::type_ref::GenericArgRef;

/// A part of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Child {
    /// A statement inside.
    Stmt(StmtId),
    /// An expression inside.
    Expr(ExprId),
}

impl Stmt {
    /// Calls `visit` with each statement and expression directly inside this one, in the order of the text; the arguments
    /// of attributes are not among them.
    pub fn for_each_child(&self, visit: impl FnMut(Child)) {
        stack::deep(|| self.visit_children(visit));
    }

    fn visit_children(&self, mut visit: impl FnMut(Child)) {
        match self {
            Stmt::Missing
            | Stmt::Unsupported(_)
            | Stmt::Empty
            | Stmt::Break(_)
            | Stmt::Continue
            | Stmt::Discard
            | Stmt::IntrinsicAsm(_)
            | Stmt::RequireCapability(_) => {}
            Stmt::Expr(expr) | Stmt::Throw(expr) => visit(Child::Expr(*expr)),
            Stmt::StaticAssert { condition, message } => {
                visit(Child::Expr(*condition));
                optional_expr(*message, &mut visit);
            }
            Stmt::Return(value) | Stmt::Let { init: value, .. } => optional_expr(*value, &mut visit),
            Stmt::Block(stmts) | Stmt::Sequence(stmts) => each_stmt(stmts, &mut visit),
            Stmt::If { cond, then, otherwise, .. } => {
                visit(Child::Expr(cond.expr()));
                visit(Child::Stmt(*then));
                optional_stmt(*otherwise, &mut visit);
            }
            Stmt::For { init, cond, step, body, attributes: _ } => {
                optional_stmt(*init, &mut visit);
                optional_expr(*cond, &mut visit);
                optional_expr(*step, &mut visit);
                visit(Child::Stmt(*body));
            }
            Stmt::While { cond, body, attributes: _ } => {
                visit(Child::Expr(cond.expr()));
                visit(Child::Stmt(*body));
            }
            Stmt::DoWhile { body, cond, attributes: _ } => {
                visit(Child::Stmt(*body));
                visit(Child::Expr(*cond));
            }
            Stmt::Switch { selector, cases, .. } => {
                visit(Child::Expr(*selector));
                for case in cases {
                    for label in &case.labels {
                        match label {
                            CaseLabel::Value(value) => visit(Child::Expr(*value)),
                            CaseLabel::Default => {}
                        }
                    }
                    each_stmt(&case.body, &mut visit);
                }
            }
            Stmt::Labeled { body, label: _ } | Stmt::Defer(body) => visit(Child::Stmt(*body)),
            Stmt::DoCatch { body, catches } => {
                visit(Child::Stmt(*body));
                catches.iter().for_each(|catch| visit(Child::Stmt(catch.body)));
            }
            Stmt::CompileTimeFor { local: _, bounds, body } => {
                bounds.iter().for_each(|bound| visit(Child::Expr(*bound)));
                visit(Child::Stmt(*body));
            }
            Stmt::TargetSwitch { subject: _, arms } => arms.iter().for_each(|arm| each_stmt(&arm.body, &mut visit)),
        }
    }

    /// Whether `holds` is true of a statement directly inside this one.
    pub fn any_inner(&self, mut holds: impl FnMut(StmtId) -> bool) -> bool {
        let mut found = false;
        self.for_each_child(|child| match child {
            Child::Stmt(stmt) => found = found || holds(stmt),
            Child::Expr(_) => {}
        });
        found
    }
}

fn each_stmt(stmts: &[StmtId], visit: &mut impl FnMut(Child)) {
    stmts.iter().for_each(|stmt| visit(Child::Stmt(*stmt)));
}

fn optional_stmt(stmt: Option<StmtId>, visit: &mut impl FnMut(Child)) {
    stmt.into_iter().for_each(|stmt| visit(Child::Stmt(stmt)));
}

fn optional_expr(expr: Option<ExprId>, visit: &mut impl FnMut(Child)) {
    expr.into_iter().for_each(|expr| visit(Child::Expr(expr)));
}

impl Condition {
    /// The expression that is tested, or that a local is bound to.
    pub fn expr(self) -> ExprId {
        match self {
            Condition::Expr(expr) | Condition::Let { init: expr, local: _ } => expr,
        }
    }
}

impl Expr {
    /// Calls `visit` with each expression directly inside this one, in the order of the text; the body of a lambda and
    /// expressions inside types are not among them.
    pub fn for_each_operand(&self, visit: impl FnMut(ExprId)) {
        stack::deep(|| self.visit_operands(visit));
    }

    fn visit_operands(&self, mut visit: impl FnMut(ExprId)) {
        match self {
            Expr::Missing
            | Expr::Unsupported(_)
            | Expr::Literal(_)
            | Expr::Path(_)
            | Expr::This
            | Expr::Type(_)
            | Expr::Lambda { .. } => {}
            Expr::PackQuery { operands, .. } => operands.iter().for_each(|operand| match operand {
                GenericArgRef::Value(value) => visit(*value),
                GenericArgRef::Type(_) => {}
            }),
            Expr::SpirvAsm { operands, result: _ } => operands.iter().copied().for_each(visit),
            Expr::New { args, .. } => args.iter().copied().for_each(visit),
            Expr::Member { base: operand, .. }
            | Expr::Prefix { operand, .. }
            | Expr::Postfix { operand, .. }
            | Expr::Cast { operand, .. }
            | Expr::NoDiff(operand)
            | Expr::Derivative { function: operand, .. }
            | Expr::Is { operand, .. }
            | Expr::As { operand, .. }
            | Expr::Expand(operand)
            | Expr::Try(operand)
            | Expr::Each(operand) => visit(*operand),
            Expr::SizeOf { operand, .. } => operand.iter().copied().for_each(visit),
            Expr::Binary { left, right, .. } | Expr::Assign { target: left, value: right, .. } => {
                visit(*left);
                visit(*right);
            }
            Expr::Ternary { cond, then, otherwise } => [*cond, *then, *otherwise].into_iter().for_each(visit),
            Expr::Index { base, args } => {
                visit(*base);
                args.iter().copied().for_each(visit);
            }
            Expr::Call { callee, args } => {
                visit(*callee);
                args.iter().for_each(|arg| visit(arg.value));
            }
            Expr::InitList(exprs) | Expr::Tuple(exprs) | Expr::Comma(exprs) => exprs.iter().copied().for_each(visit),
        }
    }
}
