//! 41022: a value that carries a derivative goes through a call of a function that is not differentiable, and a derivative
//! of the call's result is expected. Not given for calls marked `no_diff`, calls without arguments that carry a derivative,
//! and results that only decide conditions.

use autodiff::activity;
use diagnostics::codes;
use hir_def::{
    item::{self, ItemId},
    modules,
    position::Location,
};
use ir::{FuncId, Op};

use super::Flow;
use crate::{
    Finding, Fix,
    finding::{insert_after, insert_before, mark_differentiable, name_location, name_of},
};

/// A call of a function of the program or the prelude.
pub(super) fn function(flow: &Flow<'_>, location: Location, found: &activity::Finding, callee: FuncId) -> Finding {
    // What is differentiated is the substitute, where there is one.
    let original = flow.function_name(callee);
    let substitute = flow.module().funcs[callee].rules.primal_substitute;
    let callee = substitute.unwrap_or(callee);
    let name = flow.function_name(callee);
    let rules = &flow.module().funcs[callee].rules;
    let why = if rules.forward_differentiable || rules.forward.is_some() {
        "is only forward-differentiable"
    } else if rules.backward_differentiable || rules.backward.is_some() {
        "is only backward-differentiable"
    } else {
        "is not differentiable"
    };
    let in_program = |item: &hir_def::item::ItemId| !modules::is_prelude(flow.db, item::file_of(flow.db, *item));
    let own = flow.declaration(callee).filter(in_program);
    let who = match substitute {
        Some(_) => format!("`{name}`, the substitute of `{original}`,"),
        None => format!("`{name}`"),
    };
    let message = format!("the derivative of {} is lost here: {who} {why}", flow.lost_text(location, found));
    Finding::new(codes::LOST_AT_CALL, location, message)
        .fix(no_diff(location))
        .fix(own.and_then(|item| mark_differentiable(flow.db, item, name)))
        .related(own.and_then(|item| name_location(flow.db, item)), format!("`{name}` is declared here"))
}

/// A call of a function that is not differentiable with a place that has one for its derivatives, or the use of a property.
pub(super) fn of_place(
    flow: &Flow<'_>,
    location: Location,
    place: &str,
    callee: ItemId,
    property: Option<&str>,
) -> Finding {
    let name = property.map_or_else(|| name_of(flow.db, callee), str::to_owned);
    // Which `no_diff` cannot stand in front of.
    let meant = if property.is_some() { detach(location) } else { no_diff(location) };
    let own = Some(callee).filter(|item| !modules::is_prelude(flow.db, item::file_of(flow.db, *item)));
    let message = format!("the derivative of what {place} stands for is lost here: `{name}` is not differentiable");
    Finding::new(codes::LOST_AT_CALL, location, message)
        .fix(meant)
        .fix(own.and_then(|item| mark_differentiable(flow.db, item, &name)))
        .related(own.and_then(|item| name_location(flow.db, item)), format!("`{name}` is declared here"))
}

/// A call of something of the core library that has no derivative, because it is constant almost everywhere or because it
/// is not a function of its arguments alone.
pub(super) fn intrinsic(flow: &Flow<'_>, location: Location, found: &activity::Finding) -> Finding {
    let (name, why) = match flow.op(found.op) {
        Op::Math(function, _) => {
            (format!("{function:?}").to_lowercase(), "is constant between its jumps, so its derivative is zero")
        }
        Op::Intrinsic { intrinsic, .. } => (intrinsic.source_name().to_owned(), "is not differentiable"),
        _ => ("this operation".to_owned(), "is not differentiable"),
    };
    let message = format!("the derivative of {} is lost here: `{name}` {why}", flow.lost_text(location, found));
    Finding::new(codes::LOST_AT_CALL, location, message).fix(no_diff(location))
}

pub(super) fn no_diff(location: Location) -> Option<Fix> {
    let edit = insert_before(location, "no_diff ");
    Some(Fix::new("Say that this is meant: add `no_diff`", [edit]))
}

pub(super) fn detach(value: Location) -> Option<Fix> {
    let edits = [insert_before(value, "detach("), insert_after(value, ")")];
    Some(Fix::new("Say that this is meant: wrap in `detach(…)`", edits))
}
