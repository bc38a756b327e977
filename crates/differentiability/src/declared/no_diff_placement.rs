//! `no_diff` where it says nothing.
//!
//! - 38031: on an expression that is neither a call nor a subscript.
//! - 38033: in a function that is not differentiable.

use base_db::Db;
use diagnostics::codes;
use hir_def::{
    body::{self, Expr},
    expansion,
    item::ItemId,
    position::Location,
    source_map,
};
use hir_ty::differential::rules::derivative_rules;
use syntax::{TextRange, TextSize};

use crate::{Edit, Finding, Fix};

pub(super) fn check(db: &dyn Db, item: ItemId, findings: &mut Vec<Finding>) {
    let body = body::queries::body(db, item);
    let mut placed = body.store.exprs.iter().filter_map(|(id, expr)| match expr {
        Expr::NoDiff(operand) => Some((id, *operand)),
        _ => None,
    });
    let Some(first) = placed.next() else { return };
    let differentiable = derivative_rules(db, item).is_differentiable();
    let map = source_map::body_source_map(db, item);
    for (id, operand) in std::iter::once(first).chain(placed) {
        let whole = map.expr(id);
        let keyword = keyword(db, whole);
        let remove = |title: &str| Some(Fix::new(title, [Edit { at: keyword?, text: String::new() }]));
        if !differentiable {
            let message = "`no_diff` says nothing here: the function is not differentiable";
            findings
                .push(Finding::new(codes::NO_DIFF_IN_PLAIN_FUNCTION, whole, message).fix(remove("Remove `no_diff`")));
        } else if !matches!(body.store.exprs[operand], Expr::Call { .. } | Expr::Index { .. } | Expr::Missing) {
            let message =
                "`no_diff` can only stand before a call or a subscript; `detach(…)` drops the derivative of a value";
            let detach = keyword.map(|keyword| {
                let (before, behind) =
                    if is_parenthesized(db, whole, keyword) { ("detach", "") } else { ("detach(", ")") };
                let edit = Edit { at: keyword, text: before.to_owned() };
                Fix::new("Use `detach(…)`", [edit, crate::finding::insert_after(whole, behind)])
            });
            findings.push(
                Finding::new(codes::NO_DIFF_NOT_ON_CALL, whole, message).fix(detach).fix(remove("Remove `no_diff`")),
            );
        }
    }
}

/// The word `no_diff` and the space behind it; nothing where a macro writes it.
fn keyword(db: &dyn Db, whole: Location) -> Option<Location> {
    let rest = written(db, whole)?.strip_prefix("no_diff")?;
    let length = "no_diff".len() + (rest.len() - rest.trim_start().len());
    Some(Location { range: TextRange::at(whole.range.start(), TextSize::new(length as u32)), ..whole })
}

/// Whether what follows the keyword is in one pair of parentheses.
fn is_parenthesized(db: &dyn Db, whole: Location, keyword: Location) -> bool {
    let operand = Location { range: TextRange::new(keyword.range.end(), whole.range.end()), ..whole };
    let Some(inner) = written(db, operand).and_then(|text| text.strip_prefix('(')) else { return false };
    let mut open = 1usize;
    for (at, letter) in inner.char_indices() {
        match letter {
            '(' => open += 1,
            ')' => open -= 1,
            _ => {}
        }
        if open == 0 {
            return at + 1 == inner.len();
        }
    }
    false
}

fn written(db: &dyn Db, location: Location) -> Option<&str> {
    let text = expansion::spelled_text(db, location.segment, location.part);
    text.get(location.range.start().into()..location.range.end().into())
}
