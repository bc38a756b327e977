//! 55212 (warning): `abort` in a function that may be differentiated backwards: the derivative cannot be made then. An error
//! only where `bwd_diff` is asked for, which is found when the derivative is made.

use base_db::Db;
use hir_def::{
    item::{self, ItemId},
    modules, source_map,
};
use hir_ty::{
    differential::rules::derivative_rules,
    infer::{
        self,
        result::{Callable, Resolution},
    },
};

use crate::Finding;

pub(super) fn check(db: &dyn Db, item: ItemId, findings: &mut Vec<Finding>) {
    let rules = derivative_rules(db, item);
    if !rules.backward_differentiable || rules.backward_derivative.is_some() || rules.treat_as_differentiable {
        return;
    }
    let is_abort = |callee: ItemId| {
        item::item_data(db, callee).name.as_ref().is_some_and(|name| name.as_str() == "abort")
            && modules::is_prelude(db, item::file_of(db, callee))
    };
    let resolutions = &infer::infer(db, item).resolutions;
    let mut calls: Vec<_> = resolutions
        .iter()
        .filter(|(_, resolution)| {
            let Resolution::Call(call) = resolution else { return false };
            matches!(&call.callee, Callable::Function(callee) if is_abort(callee.item))
        })
        .map(|(expr, _)| *expr)
        .collect();
    calls.sort();
    let map = source_map::body_source_map(db, item);
    for call in calls {
        let message = "`abort` keeps this function from being differentiated backwards";
        findings.push(Finding::warning(55212, map.expr(call), message));
    }
}
