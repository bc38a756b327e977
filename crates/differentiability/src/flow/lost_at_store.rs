//! 41031: a value that carries a derivative is stored where none can be kept: a `no_diff` field, a type that is not
//! differentiable, a buffer, a global or group-shared variable.

use autodiff::activity;
use hir_def::position::Location;

use super::Flow;
use crate::{Edit, Finding, Fix};

pub(super) fn wording(flow: &Flow<'_>, location: Location, found: &activity::Finding) -> Finding {
    let value = flow.assigned_at(location).map(|value| flow.expr_location(value));
    let text = value
        .and_then(|value| flow.text(value).map(|text| format!("`{text}`")))
        .unwrap_or_else(|| flow.lost_text(location, found));
    let detach = value.map(|value| {
        let edits = [Edit::insert_before(value, "detach("), Edit::insert_after(value, ")")];
        Fix::new("Say that this is meant: wrap in `detach(…)`", edits)
    });
    let message = format!("the derivative of {text} is lost here: this place cannot hold one");
    Finding::error(41031, location, message).fix(detach)
}
