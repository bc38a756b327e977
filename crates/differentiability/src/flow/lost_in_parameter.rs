//! 41031: a value that carries a derivative is assigned to an `out` or `inout` parameter that is marked `no_diff`, or to the
//! receiver of a method that is marked `[NoDiffThis]`: the caller gets it without its derivative.
//!
//! Who assigns to a parameter that is passed by value (`no_diff float x`) changes a copy, which is read in the function only.

use autodiff::activity::Activity;
use diagnostics::codes;
use hir_def::{body::Expr, position::Location};

use super::{Flow, lost_at_call};
use crate::{Finding, places::Places};

pub(super) fn check(flow: &Flow<'_>, activity: &Activity) -> Vec<Finding> {
    // A lambda has copies of what it captures.
    if flow.lowered.func != Some(flow.func) {
        return Vec::new();
    }
    let places = Places::new(flow.db, flow.item);
    let assignments = flow.body().store.exprs.iter().filter_map(|(id, expr)| match expr {
        Expr::Assign { target, value, .. } if places.comes_out_without_derivative(*target) => Some((id, *value)),
        _ => None,
    });
    let lost = assignments.filter_map(|(assignment, value)| {
        let value = flow.expr_location(value);
        carries(flow, activity, value).then(|| {
            let text = flow.text(value).map_or_else(|| "this value".to_owned(), |text| format!("`{text}`"));
            let message = format!(
                "the derivative of {text} is lost here: what is assigned to comes out without one, since it is marked as `no_diff`"
            );
            Finding::new(codes::LOST_AT_STORE, flow.expr_location(assignment), message).fix(lost_at_call::detach(value))
        })
    });
    lost.collect()
}

fn carries(flow: &Flow<'_>, activity: &Activity, location: Location) -> bool {
    let values = flow.lowered.values.iter().filter(|written| written.func == flow.func);
    values
        .filter(|written| activity.carries(written.value))
        .any(|written| flow.location(written.span) == Some(location))
}
