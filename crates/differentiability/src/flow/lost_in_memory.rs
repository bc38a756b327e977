//! 41804 (warning): a value that carried a derivative is written to memory, here or in a function that is called, and read
//! back where a derivative is expected. Memory holds no derivatives; slangc says nothing.
//!
//! `autodiff::memory` tells when. Said of the read where the function itself stores, and of the call where another one does,
//! with the store beside it.

use autodiff::activity;
use diagnostics::codes;
use hir_def::position::Location;
use ir::{FuncId, Op, ValueDef};

use super::{Flow, lost_at_call};
use crate::{Cause, Finding, summary};

pub(super) fn wording(flow: &Flow<'_>, location: Location, found: &activity::Finding) -> Finding {
    let lost = flow.lost_text(location, found);
    let message = format!("the derivative of {lost} does not come back from memory: what is read here has none");
    Finding::new(codes::LOST_IN_MEMORY, location, message)
}

pub(super) fn stored_by_call(
    flow: &Flow<'_>,
    location: Location,
    found: &activity::Finding,
    callee: FuncId,
) -> Finding {
    let (lost, name) = (flow.lost_text(location, found), flow.function_name(callee));
    let message =
        format!("the derivative of {lost} is lost in memory: `{name}` stores it, and what is read again has none");
    Finding::new(codes::LOST_IN_MEMORY, location, message).fix(lost_at_call::no_diff(location))
}

/// From the call to the store, and to where what was stored is read.
pub(super) fn way(flow: &Flow<'_>, found: &activity::Finding, callee: FuncId, way: u32) -> Vec<Cause> {
    let steps = summary::way_into_memory(flow.db, flow.item, flow.lowered, callee, way);
    let last = steps.len().saturating_sub(1);
    let word = |(number, (function, location)): (usize, (String, Location))| {
        let what = if number == last { "stores it" } else { "hands it on" };
        Cause { message: format!("…`{function}` {what} here"), at: location }
    };
    let mut causes: Vec<Cause> = steps.into_iter().enumerate().map(word).collect();
    let read = found.value.and_then(|value| match flow.func().values[value].def {
        ValueDef::Result { op, .. } if !matches!(flow.op(op), Op::Call { .. }) => Some(op),
        _ => None,
    });
    if let Some(location) = read.and_then(|op| flow.location(flow.func().ops[op].span)) {
        causes.push(Cause { message: "…and it is read again here".to_owned(), at: location });
    }
    causes
}
