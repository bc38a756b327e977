//! 41022 where a differentiable function asks for the derivative of another one: its own derivatives differentiate that once more,
//! and behind the function that is named stands one whose derivative the user wrote and did not mark.

use autodiff::activity;
use base_db::Db;
use hir_def::{body::DerivativeOperator, item::ItemId, position::Location, source_map};
use hir_ty::{
    env::Env,
    infer::{self, result::Resolution},
};

use super::rules_through_calls::{Operators, differentiated, obstacle, symbolic, wording};
use crate::{
    Finding,
    flow::{Flow, is_analysed},
};

pub(super) fn check(db: &dyn Db, item: ItemId, findings: &mut Vec<Finding>) {
    let resolutions = &infer::infer(db, item).resolutions;
    let mut asked: Vec<_> = resolutions
        .iter()
        .filter_map(|(expr, resolution)| match resolution {
            Resolution::Call(call) => Some((expr, differentiated(&call.callee)?)),
            _ => None,
        })
        // Of a function that is called as it is, its own body says what is wrong, but for what generic arguments decide.
        .filter(|(_, (function, operators))| !operators.is_empty() || !function.args.args(db).is_empty())
        .collect();
    if asked.is_empty() || !is_analysed(db, item) {
        return;
    }
    let lowered = lower::lower_for_analysis(db, item);
    let Some(func) = lowered.func.filter(|func| lowered.module.funcs[*func].body.is_some()) else { return };
    let flow = Flow { db, item, lowered, func };
    asked.sort_by_key(|(expr, _)| *expr);
    let active: Vec<Location> = activity::active_calls(flow.module(), flow.func)
        .into_iter()
        .filter_map(|(_, op)| flow.location(flow.func().ops[op].span))
        .collect();
    let rules = &flow.func().rules;
    let modes = [
        (DerivativeOperator::Forward, rules.forward_differentiable),
        (DerivativeOperator::Backward, rules.backward_differentiable),
    ];
    let (map, env) = (source_map::body_source_map(db, item), Env::of(db, item));
    for (expr, (function, operators)) in asked {
        let location = map.expr(expr);
        if !active.contains(&location) {
            continue;
        }
        let promised = modes.iter().filter(|(_, is_promised)| *is_promised);
        let is_plain = operators.is_empty();
        let found = promised
            .map(|(mode, _)| operators.iter().copied().chain([*mode]).collect::<Operators>())
            .filter(|all| !is_plain || obstacle(db, env, symbolic(db, function.item), all.clone()).is_none())
            .find_map(|all| obstacle(db, env, function, all).as_ref());
        findings.extend(found.map(|obstacle| wording(db, location, function.item, obstacle)));
    }
}
