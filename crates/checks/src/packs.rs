//! Packs in expressions.

use diagnostics::codes;
use hir_def::body::{Expr, ExprId, ExprStore};
use hir_ty::diagnostics::Node;
use rustc_hash::FxHashSet;

use super::CheckedBody;

/// E30104: only `expand` says which elements there are.
pub(super) fn check(body: &mut CheckedBody<'_>) {
    let store = &body.body.store;
    let elements: Vec<ExprId> =
        store.exprs.iter().filter(|(_, expr)| matches!(expr, Expr::Each(_))).map(|(id, _)| id).collect();
    if elements.is_empty() {
        return;
    }
    let expanded = expanded(store);
    for element in elements.into_iter().filter(|element| !expanded.contains(element)) {
        body.report(codes::EACH_OUTSIDE_EXPAND, Node::Expr(element), "'each' must be inside of an 'expand'");
    }
}

/// Every expression that is part of an `expand`.
fn expanded(store: &ExprStore) -> FxHashSet<ExprId> {
    let mut pending: Vec<ExprId> = Vec::new();
    for (_, expr) in store.exprs.iter() {
        if let Expr::Expand(pattern) = expr {
            pending.push(*pattern);
        }
    }
    let mut found = FxHashSet::default();
    while let Some(expr) = pending.pop() {
        if found.insert(expr) {
            store.exprs[expr].for_each_operand(|operand| pending.push(operand));
        }
    }
    found
}
