//! 30118: a differentiable function gives out a value of an `IDifferentiablePtrType`. Such types stand for places; their
//! derivatives come in with the arguments and cannot be made.

use base_db::Db;
use hir_def::item::ItemId;
use hir_ty::{
    differential::{Differentiability, differentiability, rules::derivative_rules},
    display::display,
    env::Env,
    signature,
    ty::ParamDirection,
};

use crate::{
    Finding,
    finding::{name_location, param_location},
};

pub(super) fn check(db: &dyn Db, item: ItemId, findings: &mut Vec<Finding>) {
    let rules = derivative_rules(db, item);
    // With a derivative written by the user nothing has to be made.
    if !rules.is_differentiable() || rules.forward_derivative.is_some() || rules.backward_derivative.is_some() {
        return;
    }
    let env = Env::of(db, item);
    let signature = signature::signature(db, item);
    let is_place = |ty| matches!(differentiability(db, env, ty), Differentiability::Pointer(_));
    for (index, param) in signature.params.iter().enumerate() {
        let goes_out = matches!(param.direction, ParamDirection::Out | ParamDirection::InOut);
        if goes_out
            && !param.no_diff
            && is_place(param.ty)
            && let Some(location) = param_location(db, item, index)
        {
            let message = format!(
                "`{}` is of type `{}`, which stands for a place: a differentiable function can only take it as `in`",
                param.name,
                display(db, param.ty)
            );
            findings.push(Finding::error(30118, location, message));
        }
    }
    if !signature.ret_no_diff
        && is_place(signature.ret)
        && let Some(location) = name_location(db, item)
    {
        let message = format!(
            "a differentiable function cannot return a value of type `{}`, which stands for a place",
            display(db, signature.ret)
        );
        findings.push(Finding::error(30118, location, message));
    }
}
