//! 41022 where a derivative is differentiated again: behind the function that is named stands one whose derivative the user wrote,
//! and that derivative is not differentiable. slangc says it of calls in functions that are marked, and fails without a word of
//! `fwd_diff(fwd_diff(f))`.

use base_db::Db;
use diagnostics::codes;
use hir_def::{
    body::DerivativeOperator,
    item::{self, ItemId},
    position::Location,
    source_map,
};
use hir_ty::{
    differential::rules::derivative_rules_in,
    display::qualified_name,
    infer::{
        self,
        result::{Callable, Resolution},
    },
};

use super::forward_through_calls::{ActiveCallee, active_callees};
use crate::{
    Cause, Finding,
    finding::{has_unsupported, mark_differentiable, name_location},
    flow::Flow,
};

/// What is done to a function, the innermost operator first.
pub(super) type Operators = Vec<DerivativeOperator>;

pub(super) fn check(db: &dyn Db, item: ItemId, findings: &mut Vec<Finding>) {
    let mut wrong = Vec::new();
    for (expr, resolution) in infer::infer(db, item).resolutions.iter() {
        if let Resolution::Call(call) = resolution
            && let Some((function, operators)) = differentiated(&call.callee)
            && operators.len() > 1
            && let Some(obstacle) = obstacle(db, function, operators)
        {
            wrong.push((expr, function, obstacle));
        }
    }
    if wrong.is_empty() || has_unsupported(db, item) {
        return;
    }
    wrong.sort_by_key(|(expr, ..)| *expr);
    let map = source_map::body_source_map(db, item);
    for (expr, function, obstacle) in wrong {
        findings.push(wording(db, map.expr(expr), function, obstacle));
    }
}

/// What is said where the derivative of `function` is asked for.
pub(super) fn wording(db: &dyn Db, at: Location, function: ItemId, obstacle: &Obstacle) -> Finding {
    let (asked, of) = (qualified_name(db, function), qualified_name(db, obstacle.function));
    let rule = qualified_name(db, obstacle.rule);
    let message = format!(
        "the derivative of `{asked}` cannot be differentiated: it calls `{of}`, whose derivative `{rule}` is not differentiable"
    );
    let mut finding = Finding::new(codes::LOST_AT_CALL, at, message);
    finding.related.extend(obstacle.way.iter().cloned());
    finding.fix(mark_differentiable(db, obstacle.rule, &rule))
}

/// The function whose derivative is called, and what is done to it.
pub(super) fn differentiated(callable: &Callable) -> Option<(ItemId, Operators)> {
    match callable {
        Callable::Function(function) => Some((function.item, Vec::new())),
        Callable::Derivative { operator, of } => {
            let (function, mut operators) = differentiated(of)?;
            operators.push(*operator);
            Some((function, operators))
        }
        Callable::Make(_) | Callable::Synthesized { .. } | Callable::Value(_) => None,
    }
}

/// Why the derivatives of a function cannot be differentiated again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Obstacle {
    /// The function that has a derivative of its own.
    function: ItemId,
    /// That derivative, which is not differentiable.
    rule: ItemId,
    /// The calls that lead there.
    way: Vec<Cause>,
}

/// What stands behind the calls of `function`; what it lacks itself is said by [`super::operand`].
#[salsa::tracked(returns(ref), cycle_initial = none)]
pub(super) fn obstacle(db: &dyn Db, function: ItemId, operators: Operators) -> Option<Obstacle> {
    let (first, after) = operators.split_first().filter(|(_, after)| !after.is_empty())?;
    let file = item::file_of(db, function);
    let rules = derivative_rules_in(db, function, file);
    if let Some(rule) = rules.custom(*first) {
        return obstacle(db, rule, after.to_vec()).clone();
    }
    let is_transposed = rules.forward_derivative.is_some() && !rules.backward_differentiable;
    if is_transposed || rules.treat_as_differentiable {
        return None;
    }
    let lowered = lower::lower_for_analysis(db, function);
    let func = lowered.func.filter(|func| lowered.module.funcs[*func].body.is_some())?;
    let flow = Flow { db, item: function, lowered, func };
    active_callees(&flow).into_iter().find_map(|ActiveCallee { item: callee, at, .. }| {
        let called = at.map(|at| {
            let message = format!("`{}` calls `{}` here", qualified_name(db, function), qualified_name(db, callee));
            Cause { message, at }
        });
        let mut way: Vec<Cause> = called.into_iter().collect();
        if let Some(rule) = derivative_rules_in(db, callee, file).custom(*first)
            && let rules = derivative_rules_in(db, rule, file)
            && !rules.allows(after[0])
            && rules.forward_derivative.is_none()
        {
            let message = format!("`{}` is declared here", qualified_name(db, rule));
            way.extend(name_location(db, rule).map(|at| Cause { message, at }));
            return Some(Obstacle { function: callee, rule, way });
        }
        let behind = obstacle(db, callee, operators.clone()).as_ref()?;
        way.extend(behind.way.iter().cloned());
        Some(Obstacle { way, ..behind.clone() })
    })
}

fn none(_db: &dyn Db, _id: salsa::Id, _function: ItemId, _operators: Operators) -> Option<Obstacle> {
    None
}
