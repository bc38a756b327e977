//! 41022 where a differentiable function asks for the derivative of another one: its own derivatives differentiate that once more,
//! and behind the function that is named stands one whose derivative the user wrote and did not mark.

use autodiff::activity;
use hir_def::{body::DerivativeOperator, position::Location, source_map};
use hir_ty::infer::{self, result::Resolution};

use super::Flow;
use crate::{
    Finding,
    declared::rules_through_calls::{differentiated, obstacle, wording},
};

pub(super) fn check(flow: &Flow<'_>) -> Vec<Finding> {
    let resolutions = &infer::infer(flow.db, flow.item).resolutions;
    let mut asked: Vec<_> = resolutions
        .iter()
        .filter_map(|(expr, resolution)| match resolution {
            Resolution::Call(call) => Some((expr, differentiated(&call.callee)?)),
            _ => None,
        })
        .filter(|(_, (_, operators))| !operators.is_empty())
        .collect();
    if asked.is_empty() {
        return Vec::new();
    }
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
    let map = source_map::body_source_map(flow.db, flow.item);
    let mut findings = Vec::new();
    for (expr, (function, operators)) in asked {
        let location = map.expr(expr);
        if !active.contains(&location) {
            continue;
        }
        let promised = modes.iter().filter(|(_, is_promised)| *is_promised);
        let found = promised
            .map(|(mode, _)| operators.iter().copied().chain([*mode]).collect())
            .find_map(|operators| obstacle(flow.db, function, operators).as_ref());
        findings.extend(found.map(|obstacle| wording(flow.db, location, function, obstacle)));
    }
    findings
}
