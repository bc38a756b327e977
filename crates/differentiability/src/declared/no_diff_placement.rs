//! `no_diff` where it says nothing.
//!
//! - 38031: on an expression that is neither a call nor a subscript.
//! - 38033: in a function that is not differentiable.

use base_db::Db;
use diagnostics::codes;
use hir_def::{
    body::{self, Expr},
    item::ItemId,
    source_map,
};
use hir_ty::differential::rules::derivative_rules;

use crate::{Edit, Finding, Fix};

pub(super) fn check(db: &dyn Db, item: ItemId, findings: &mut Vec<Finding>) {
    let body = body::lower::body(db, item);
    let mut placed = body.store.exprs.iter().filter_map(|(id, expr)| match expr {
        Expr::NoDiff(operand) => Some((id, *operand)),
        _ => None,
    });
    let Some(first) = placed.next() else { return };
    let differentiable = derivative_rules(db, item).is_differentiable();
    let map = source_map::body_source_map(db, item);
    for (id, operand) in std::iter::once(first).chain(placed) {
        let (whole, inner) = (map.expr(id), map.expr(operand));
        let keyword = hir_def::position::Location {
            range: syntax::TextRange::new(whole.range.start(), inner.range.start().max(whole.range.start())),
            ..whole
        };
        let remove = |title: &str| Some(Fix::new(title, [Edit { at: keyword, text: String::new() }]));
        if !differentiable {
            let message = "`no_diff` says nothing here: the function is not differentiable";
            findings
                .push(Finding::new(codes::NO_DIFF_IN_PLAIN_FUNCTION, whole, message).fix(remove("Remove `no_diff`")));
        } else if !matches!(body.store.exprs[operand], Expr::Call { .. } | Expr::Index { .. } | Expr::Missing) {
            let message =
                "`no_diff` can only stand before a call or a subscript; `detach(…)` drops the derivative of a value";
            let detach = Fix::new(
                "Use `detach(…)`",
                [Edit { at: keyword, text: "detach(".to_owned() }, crate::finding::insert_after(inner, ")")],
            );
            findings.push(
                Finding::new(codes::NO_DIFF_NOT_ON_CALL, whole, message)
                    .fix(Some(detach))
                    .fix(remove("Remove `no_diff`")),
            );
        }
    }
}
