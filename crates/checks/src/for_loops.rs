//! `for` loops that count in a way that nobody means: another variable than they test, away from their end, or not at all.
//!
//! The numbers and conditions are slangc's. Loops of other forms are not looked at.

use diagnostics::codes;
use hir_def::body::{BinaryOp, Expr, ExprId, Literal, LocalId, PostfixOp, PrefixOp, Stmt, StmtId};
use hir_ty::{diagnostics::Node, infer::result::Resolution};

use super::CheckedBody;

pub(super) fn check(body: &mut CheckedBody<'_>) {
    let loops: Vec<Loop> = body.body.store.stmts.iter().filter_map(|(id, stmt)| loop_of(body, id, stmt)).collect();
    loops.iter().for_each(|counted| counting(body, counted));
}

/// `for (counter = start; tested op end; stepped += by)`.
struct Loop {
    stmt: StmtId,
    counter: LocalId,
    start: Option<i128>,
    cond: ExprId,
    /// The variable on the left of the comparison, seen from there.
    tested: LocalId,
    goes_on_while: Comparison,
    end: Option<i128>,
    step: ExprId,
    stepped: LocalId,
    /// What is added; `None` if that is not a constant.
    by: Option<i128>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Comparison {
    /// `<` or `<=`, else `>` or `>=`.
    is_below: bool,
    or_equal: bool,
}

fn loop_of(body: &CheckedBody<'_>, id: StmtId, stmt: &Stmt) -> Option<Loop> {
    let store = &body.body.store;
    let Stmt::For { init: Some(init), cond: Some(cond), step: Some(step), .. } = *stmt else { return None };
    let (counter, start) = match store.stmts[init] {
        Stmt::Let { local, init: Some(start) } => (local, start),
        Stmt::Expr(assignment) => match store.exprs[assignment] {
            Expr::Assign { op: None, target, value } => (local(body, target)?, value),
            _ => return None,
        },
        _ => return None,
    };
    let Expr::Binary { op, left, right } = store.exprs[cond] else { return None };
    let comparison = match op {
        BinaryOp::Less => Comparison { is_below: true, or_equal: false },
        BinaryOp::LessEqual => Comparison { is_below: true, or_equal: true },
        BinaryOp::Greater => Comparison { is_below: false, or_equal: false },
        BinaryOp::GreaterEqual => Comparison { is_below: false, or_equal: true },
        _ => return None,
    };
    let flipped = Comparison { is_below: !comparison.is_below, ..comparison };
    let (tested, goes_on_while, end) = match (local(body, left), local(body, right)) {
        (_, Some(local)) if local == counter => (local, flipped, left),
        (Some(local), _) => (local, comparison, right),
        (None, Some(local)) => (local, flipped, left),
        (None, None) => return None,
    };
    let (stepped, by) = match store.exprs[step] {
        Expr::Prefix { op: PrefixOp::Increment, operand } | Expr::Postfix { op: PostfixOp::Increment, operand } => {
            (operand, Some(1))
        }
        Expr::Prefix { op: PrefixOp::Decrement, operand } | Expr::Postfix { op: PostfixOp::Decrement, operand } => {
            (operand, Some(-1))
        }
        Expr::Assign { op: Some(BinaryOp::Add), target, value } => (target, constant(body, value)),
        Expr::Assign { op: Some(BinaryOp::Sub), target, value } => (target, constant(body, value).map(|by| -by)),
        _ => return None,
    };
    let stepped = local(body, stepped)?;
    let (start, end) = (constant(body, start), constant(body, end));
    Some(Loop { stmt: id, counter, start, cond, tested, goes_on_while, end, step, stepped, by })
}

fn local(body: &CheckedBody<'_>, expr: ExprId) -> Option<LocalId> {
    match body.inferred.resolutions.get(&expr) {
        Some(Resolution::Local(local)) => Some(*local),
        _ => None,
    }
}

/// The number that is written there.
fn constant(body: &CheckedBody<'_>, expr: ExprId) -> Option<i128> {
    match body.body.store.exprs[expr] {
        Expr::Literal(Literal::Int { value, .. }) => Some(value.into()),
        Expr::Prefix { op: PrefixOp::Neg, operand } => match body.body.store.exprs[operand] {
            Expr::Literal(Literal::Int { value, .. }) => Some(-i128::from(value)),
            _ => None,
        },
        _ => None,
    }
}

/// E30507, E30508, E30511, E30512, E30514 (warnings).
fn counting(body: &mut CheckedBody<'_>, counted: &Loop) {
    let name = |local: LocalId| body.body.store.locals[local].name.clone();
    let counter = name(counted.counter);
    if counted.stepped != counted.counter {
        if counted.tested == counted.counter {
            let message = format!("the loop counts '{counter}', but this changes '{}'", name(counted.stepped));
            body.report(codes::LOOP_CHANGES_ANOTHER_VARIABLE, Node::Expr(counted.step), message);
        }
        return;
    }
    if counted.tested != counted.counter {
        let message = format!("the loop counts '{counter}', but this tests '{}'", name(counted.tested));
        body.report(codes::LOOP_TESTS_ANOTHER_VARIABLE, Node::Expr(counted.cond), message);
        return;
    }
    let Some(by) = counted.by else { return };
    if by == 0 {
        body.report(
            codes::LOOP_STEP_IS_ZERO,
            Node::Expr(counted.step),
            format!("'{counter}' stays as it is: the step is zero"),
        );
        return;
    }
    if (by > 0) != counted.goes_on_while.is_below && !counted.goes_on_while.or_equal {
        let message = format!("'{counter}' goes away from where the loop ends");
        body.report(codes::LOOP_COUNTS_AWAY, Node::Expr(counted.step), message);
        return;
    }
    if let (Some(start), Some(end)) = (counted.start, counted.end) {
        let begins = match counted.goes_on_while {
            Comparison { is_below: true, or_equal: false } => start < end,
            Comparison { is_below: true, or_equal: true } => start <= end,
            Comparison { is_below: false, or_equal: false } => start > end,
            Comparison { is_below: false, or_equal: true } => start >= end,
        };
        if !begins {
            body.report(codes::LOOP_NEVER_RUNS, Node::Stmt(counted.stmt), "the loop never runs");
        }
    }
}
