//! The numbers in `[MaxIters(n)]` and `[ForceUnroll(n)]`: the compiler must know them.

use diagnostics::codes;
use hir_def::{
    attribute::Modifiers,
    body::{Expr, ExprId, Literal, Local, LocalKind, Stmt},
};
use hir_ty::{consts, diagnostics::Node, lower_ty::TypeLowering, ty::Const};

use super::CheckedBody;

/// The attributes, and whether they may stand without a number.
const NUMBERED: &[(&str, bool)] = &[("MaxIters", false), ("ForceUnroll", true)];

pub(super) fn check(body: &mut CheckedBody<'_>) {
    for (id, stmt) in body.body.store.stmts.iter() {
        let (Stmt::For { attributes, .. } | Stmt::While { attributes, .. } | Stmt::DoWhile { attributes, .. }) = stmt
        else {
            continue;
        };
        for attribute in attributes {
            let Some(&(name, is_optional)) = NUMBERED.iter().find(|(name, _)| attribute.name.as_str() == *name) else {
                continue;
            };
            match attribute.args.first() {
                Some(&number) => check_number(body, number),
                // E31001
                None if !is_optional => {
                    let message = format!("attribute '{name}' expects 1 argument (0 provided)");
                    body.report(codes::WRONG_ATTRIBUTE_ARGUMENT_COUNT, Node::Stmt(id), message);
                }
                None => {}
            }
        }
    }
}

/// E30019, E39999: what no compiler can know before the loop runs.
fn check_number(body: &mut CheckedBody<'_>, number: ExprId) {
    let expr = &body.body.store.exprs[number];
    if let Expr::Literal(Literal::String(_)) = expr {
        body.report(codes::TYPE_MISMATCH, Node::Expr(number), "expected an expression of type 'int', got 'String'");
        return;
    }
    let mut lowering = TypeLowering::new(body.db, body.item, &body.body.store);
    let is_known = match consts::evaluate(&mut lowering, number) {
        Some(Const::Error) | None => names_constant(body, expr),
        Some(_) => true,
    };
    if !is_known {
        body.report(
            codes::CANNOT_RESOLVE,
            Node::Expr(number),
            "expression does not evaluate to a compile-time constant",
        );
    }
}

/// Whether an expression is the name of a constant of the body.
fn names_constant(body: &CheckedBody<'_>, expr: &Expr) -> bool {
    let Expr::Path(path) = expr else { return false };
    let [segment] = path.segments.as_slice() else { return false };
    let is_constant = |local: &Local| local.modifiers.contains(Modifiers::CONST) || local.kind == LocalKind::Let;
    body.body.store.locals.iter().any(|(_, local)| local.name == segment.name && is_constant(local))
}
