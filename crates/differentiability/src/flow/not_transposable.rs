//! 41022 where a backward derivative needs a forward derivative that the user wrote and that cannot be transposed: it is not linear
//! in its tangents, or loses one. slangc transposes none and says of all of them that they are only forward-differentiable.

use autodiff::activity;
use diagnostics::codes;

use super::{Flow, lost_at_call::no_diff};
use crate::{Finding, finding::name_location, transposition};

pub(super) fn check(flow: &Flow<'_>) -> Vec<Finding> {
    // A function that promises forward mode alone needs no more of what it calls.
    if !flow.func().rules.backward_differentiable {
        return Vec::new();
    }
    let calls = activity::active_calls(flow.module(), flow.func).into_iter();
    let found = calls.filter_map(|(callee, op)| {
        let callee = flow.module().funcs[callee].rules.primal_substitute.unwrap_or(callee);
        let rules = &flow.module().funcs[callee].rules;
        let is_transposed = rules.forward.is_some()
            && rules.backward.is_none()
            && !rules.backward_differentiable
            && !rules.treat_as_differentiable;
        let item = if is_transposed { flow.declaration(callee)? } else { return None };
        let why = transposition::obstacle(flow.db, item).as_ref()?;
        let location = flow.location(flow.func().ops[op].span)?;
        let name = flow.function_name(callee);
        let message =
            format!("the derivative is lost here on the way back: `{name}` has only a forward derivative, and {why}");
        let finding = Finding::new(codes::LOST_AT_CALL, location, message).fix(no_diff(location));
        Some(finding.related(name_location(flow.db, item), format!("`{name}` is declared here")))
    });
    found.collect()
}
