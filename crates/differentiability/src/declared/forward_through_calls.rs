//! 41022 where a forward derivative is asked for: a function behind the one that is named has only a backward derivative,
//! which the user wrote. That one is never made into a forward derivative (it may have effects), nor is the body, of which
//! nobody said that it may be differentiated. slangc prints code that calls what it did not make.

use ::diagnostics::stack;
use autodiff::activity;
use base_db::Db;
use diagnostics::codes;
use hir_def::{body::DerivativeOperator, item::ItemId, position::Location, source_map};
use hir_ty::{
    display::qualified_name,
    infer::{
        self,
        result::{Callable, Resolution},
    },
};
use ir::FuncId;

use crate::{
    Cause, Finding,
    finding::{add_attribute, has_unsupported, name_location},
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
        let (asked, lacking) = (qualified_name(db, function), qualified_name(db, obstacle.function));
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

/// The functions that are called where derivatives go through the calls, by a function and the lambdas in it, each with the place of
/// the call.
pub(super) fn active_callees(flow: &Flow<'_>) -> Vec<ActiveCallee> {
    let module = flow.module();
    let calls = activity::active_calls(module, flow.func).into_iter().flat_map(|(callee, op)| {
        let func = module.funcs[callee].rules.primal_substitute.unwrap_or(callee);
        // A lambda stands beside the function that it is written in.
        if module.funcs[func].body.is_some() && func != flow.func {
            return active_callees(&Flow { func, ..*flow });
        }
        let at = flow.location(flow.func().ops[op].span);
        vec![ActiveCallee { item: flow.declaration(func), func, caller: flow.func, at }]
    });
    calls.collect()
}

/// A function that is called where derivatives go through the call.
pub(super) struct ActiveCallee {
    /// The function, if it is called as it is declared, and not its derivative.
    pub item: Option<ItemId>,
    func: FuncId,
    caller: FuncId,
    /// Where it is called.
    pub at: Option<Location>,
}

fn active_obstacle(flow: &Flow<'_>) -> Option<Obstacle> {
    let (db, module) = (flow.db, flow.module());
    active_callees(flow).into_iter().find_map(|ActiveCallee { item, func, caller, at }| {
        let (item, rules) = (item?, &module.funcs[func].rules);
        let mut way = Vec::new();
        if let Some(at) = at {
            let message = format!("`{}` calls `{}` here", qualified_name(db, flow.item), qualified_name(db, item));
            way.push(Cause { message, at });
        }
        if rules.has_backward() && !rules.has_forward() {
            // Where only the forward derivative may be made, the body says so itself.
            let own = &module.funcs[caller].rules;
            if own.forward_differentiable && !own.backward_differentiable {
                return None;
            }
            if let Some(location) = name_location(db, item) {
                let message = format!("`{}` has only a backward derivative", qualified_name(db, item));
                way.push(Cause { message, at: location });
            }
            return Some(Obstacle { function: item, way });
        }
        let behind = obstacle(db, item).as_ref()?;
        way.extend(behind.way.iter().cloned());
        Some(Obstacle { function: behind.function, way })
    })
}
