//! 41022 where a forward derivative is asked for: a function behind the one that is named has only a backward derivative,
//! which the user wrote. That one is never made into a forward derivative (it may have effects), nor is the body, of which
//! nobody said that it may be differentiated. slangc prints code that calls what it did not make.

use autodiff::activity;
use base_db::{Db, stack};
use diagnostics::codes;
use hir_def::{body::DerivativeOperator, item::ItemId, source_map};
use hir_ty::infer::{
    self,
    result::{Callable, Resolution},
};

use crate::{
    Cause, Finding,
    finding::{add_attribute, has_unsupported, name_location, name_of},
    flow::Flow,
};

pub(super) fn check(db: &dyn Db, item: ItemId, findings: &mut Vec<Finding>) {
    let mut wrong = Vec::new();
    for (expr, resolution) in infer::infer(db, item).resolutions.iter() {
        if let Resolution::Call(call) = resolution
            && let Some(function) = differentiated_forward(&call.callee)
            && let Some(obstacle) = obstacle(db, function)
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
        let (asked, lacking) = (name_of(db, function), name_of(db, obstacle.function));
        let message = format!(
            "`{asked}` has no forward derivative: it calls `{lacking}`, which has only the backward derivative that is \
             written for it"
        );
        let title = format!("Mark `{lacking}` as [Differentiable], for the derivative of its body");
        let mut finding = Finding::new(codes::LOST_AT_CALL, map.expr(expr), message);
        finding.related.extend(obstacle.way.iter().cloned());
        findings.push(finding.fix(add_attribute(db, obstacle.function, "Differentiable", title)));
    }
}

/// The function whose forward derivative is called, that of another derivative included.
fn differentiated_forward(callable: &Callable) -> Option<ItemId> {
    match callable {
        Callable::Derivative { operator: DerivativeOperator::Forward, of } => match &**of {
            Callable::Function(function) => Some(function.item),
            _ => None,
        },
        Callable::Derivative { of, .. } => differentiated_forward(of),
        _ => None,
    }
}

/// Why a function has no forward derivative, although it may be differentiated.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Obstacle {
    /// The function that has only a backward derivative.
    function: ItemId,
    /// The calls that lead there.
    way: Vec<Cause>,
}

/// What stands behind the calls of `function`; what it lacks itself is said by [`super::operand`].
#[salsa::tracked(returns(ref), cycle_initial = none)]
fn obstacle(db: &dyn Db, function: ItemId) -> Option<Obstacle> {
    let lowered = lower::lower_for_analysis(db, function);
    let func = lowered.func.filter(|func| lowered.module.funcs[*func].body.is_some())?;
    let rules = &lowered.module.funcs[func].rules;
    if rules.forward.is_some() || rules.treat_as_differentiable || !rules.has_forward() {
        return None;
    }
    let flow = Flow { db, item: function, lowered, func };
    stack::deep(|| active_obstacle(&flow))
}

fn none(_db: &dyn Db, _id: salsa::Id, _function: ItemId) -> Option<Obstacle> {
    None
}

fn active_obstacle(flow: &Flow<'_>) -> Option<Obstacle> {
    let (db, module) = (flow.db, flow.module());
    activity::active_calls(module, flow.func).into_iter().find_map(|(callee, op)| {
        let called = module.funcs[callee].rules.primal_substitute.unwrap_or(callee);
        // A lambda stands beside the function that it is written in.
        if module.funcs[called].body.is_some() && called != flow.func {
            return active_obstacle(&Flow { func: called, ..*flow });
        }
        let item = flow.declaration(called)?;
        let rules = &module.funcs[called].rules;
        let mut way = Vec::new();
        if let Some(location) = flow.location(flow.func().ops[op].span) {
            let message = format!("`{}` calls `{}` here", name_of(db, flow.item), name_of(db, item));
            way.push(Cause { message, at: location });
        }
        if rules.has_backward() && !rules.has_forward() {
            // Where only the forward derivative may be made, the body says so itself.
            let own = &flow.func().rules;
            if own.forward_differentiable && !own.backward_differentiable {
                return None;
            }
            if let Some(location) = name_location(db, item) {
                let message = format!("`{}` has only a backward derivative", name_of(db, item));
                way.push(Cause { message, at: location });
            }
            return Some(Obstacle { function: item, way });
        }
        let behind = obstacle(db, item).as_ref()?;
        way.extend(behind.way.iter().cloned());
        Some(Obstacle { function: behind.function, way })
    })
}
