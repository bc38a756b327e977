//! 41031: a value that carries a derivative is stored where none can be kept: a `no_diff` field, a type that is not
//! differentiable, a buffer, a global or group-shared variable.

use autodiff::activity;
use diagnostics::codes;
use hir_def::position::Location;

use super::Flow;
use crate::{Edit, Finding, Fix};

pub(super) fn wording(flow: &Flow<'_>, location: Location, found: &activity::Finding) -> Finding {
    if let Some(combined) = combined(flow, location) {
        return combined;
    }
    let value = flow.assigned_at(location).map(|value| flow.expr_location(value));
    let text = value
        .and_then(|value| flow.text(value).map(|text| format!("`{text}`")))
        .unwrap_or_else(|| flow.lost_text(location, found));
    let detach = value.map(|value| {
        let edits = [crate::finding::insert_before(value, "detach("), crate::finding::insert_after(value, ")")];
        Fix::new("Say that this is meant: wrap in `detach(…)`", edits)
    });
    let message = format!("the derivative of {text} is lost here: this place cannot hold one");
    Finding::new(codes::LOST_AT_STORE, location, message).fix(detach)
}

/// `place *= factor`: what is lost is the derivative of the product, whichever of the two carries one.
fn combined(flow: &Flow<'_>, location: Location) -> Option<Finding> {
    let (operator, target, value) = flow.combined_at(location)?;
    let (target, value) = (flow.text(target)?, flow.text(value)?);
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '[' | ']');
    let operand = if value.chars().all(is_plain) { value.to_owned() } else { format!("({value})") };
    let message = format!("the derivative of `{target} {operator} {operand}` is lost here: this place cannot hold one");
    let edit = Edit { at: location, text: format!("{target} = detach({target} {operator} {operand})") };
    let fix = Fix::new("Say that this is meant: wrap in `detach(…)`", [edit]);
    Some(Finding::new(codes::LOST_AT_STORE, location, message).fix(Some(fix)))
}
