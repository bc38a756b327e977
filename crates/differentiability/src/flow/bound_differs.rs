//! `[MaxIters(n)]` on a loop whose count can be computed, and it is another one.
//!
//! - 41803: less than the loop makes; the derivative would be wrong. slangc says nothing.
//! - 30519 (warning): more than the loop makes; memory is reserved that is not used.

use diagnostics::codes;
use hir_def::{attribute::AttributeKind, body::Stmt, position::Location};

use super::Flow;
use crate::{Edit, Finding, Fix};

pub(super) fn too_small(flow: &Flow<'_>, location: Location, declared: u32, iterations: u32) -> Finding {
    let (place, fix) = correction(flow, location, iterations);
    let message = format!(
        "this loop makes {iterations} iterations, but [MaxIters({declared})] keeps only {declared}: its derivative would be \
         wrong"
    );
    Finding::new(codes::MAX_ITERS_TOO_SMALL, place, message).fix(fix)
}

/// `exact`: the loop always makes so many; otherwise at most.
pub(super) fn too_large(flow: &Flow<'_>, location: Location, declared: u32, iterations: u32, exact: bool) -> Finding {
    let (place, fix) = correction(flow, location, iterations);
    let makes = if exact { "makes" } else { "makes at most" };
    let message = format!("this loop {makes} {iterations} iterations: [MaxIters({declared})] reserves memory for more");
    Finding::new(codes::BOUND_TOO_LARGE, place, message).fix(fix)
}

/// The number in the attribute, and the edit that corrects it.
fn correction(flow: &Flow<'_>, location: Location, iterations: u32) -> (Location, Option<Fix>) {
    let Some(stmt) = flow.loop_at(location) else { return (location, None) };
    let (Stmt::For { attributes, .. } | Stmt::While { attributes, .. } | Stmt::DoWhile { attributes, .. }) =
        &flow.body().store.stmts[stmt]
    else {
        return (location, None);
    };
    let bound = flow.body().store.attribute(attributes, AttributeKind::MaxIters);
    let Some(argument) = bound.and_then(|bound| bound.args.first()) else { return (flow.stmt_location(stmt), None) };
    let place = flow.expr_location(*argument);
    let edit = Edit { at: place, text: iterations.to_string() };
    (place, Some(Fix::new(format!("Change to [MaxIters({iterations})]"), [edit])))
}
