//! 55212: `abort` in a function that may be differentiated backwards: what it ends cannot be followed back. An error where
//! the module asks for `bwd_diff` of the function or of one that calls it, else a warning.

use base_db::{Db, SourceFile};
use diagnostics::{Severity, codes};
use hir_def::{
    body::DerivativeOperator,
    item::{self, ItemId},
    modules, scope, source_map,
};
use hir_ty::{
    differential::rules::derivative_rules,
    infer::{
        self,
        result::{Callable, Resolution},
    },
};
use rustc_hash::FxHashSet;

use crate::Finding;

pub(super) fn check(db: &dyn Db, item: ItemId, findings: &mut Vec<Finding>) {
    if !is_transposed(db, item) {
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
        .map(|(expr, _)| expr)
        .collect();
    if calls.is_empty() {
        return;
    }
    calls.sort();
    let asked = differentiated_backwards(db, item::file_of(db, item)).contains(&item);
    let map = source_map::body_source_map(db, item);
    for call in calls {
        let location = map.expr(call);
        let finding = |message| Finding::new(codes::ABORT_IN_BACKWARD_CODE, location, message);
        findings.push(if asked {
            finding("`abort` is not supported in a function that is differentiated backwards")
        } else {
            finding("`abort` keeps this function from being differentiated backwards").with_severity(Severity::Warning)
        });
    }
}

/// Whether the backward derivative of a function is made from its body.
fn is_transposed(db: &dyn Db, item: ItemId) -> bool {
    let rules = derivative_rules(db, item);
    rules.backward_differentiable
        && rules.backward_derivative.is_none()
        && rules.primal_substitute.is_none()
        && !rules.treat_as_differentiable
}

/// The functions of a file's module whose backward derivatives the module asks for, by `bwd_diff` itself or through calls.
/// Only asked where a function calls `abort`, so that an edit in one body does not concern the others otherwise.
#[salsa::tracked(returns(ref))]
fn differentiated_backwards(db: &dyn Db, file: SourceFile) -> FxHashSet<ItemId> {
    let files = modules::module_view(db, file).files.iter();
    let items: FxHashSet<ItemId> = files.flat_map(|file| scope::all_file_items(db, *file).iter().copied()).collect();
    let mut pending: Vec<ItemId> = Vec::new();
    for &item in &items {
        pending.extend(infer::infer(db, item).resolutions.values().filter_map(|resolution| match resolution {
            Resolution::Call(call) => backward_of(&call.callee),
            Resolution::Function(Some(callee)) => backward_of(callee),
            _ => None,
        }));
    }
    let mut asked = FxHashSet::default();
    while let Some(function) = pending.pop() {
        if items.contains(&function) && is_transposed(db, function) && asked.insert(function) {
            pending.extend(infer::infer(db, function).resolutions.values().filter_map(|resolution| match resolution {
                Resolution::Call(call) if !call.no_diff => match &call.callee {
                    Callable::Function(callee) => Some(callee.item),
                    _ => None,
                },
                _ => None,
            }));
        }
    }
    asked
}

/// The function whose backward derivative a callable is.
fn backward_of(callable: &Callable) -> Option<ItemId> {
    match callable {
        Callable::Derivative { operator: DerivativeOperator::Backward, of } => primal(of),
        _ => None,
    }
}

fn primal(callable: &Callable) -> Option<ItemId> {
    match callable {
        Callable::Function(function) => Some(function.item),
        Callable::Derivative { of, .. } => primal(of),
        Callable::Make(_) | Callable::Value(_) | Callable::Synthesized { .. } => None,
    }
}
