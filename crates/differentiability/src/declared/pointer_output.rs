//! 30118: a differentiable function gives out a value of an `IDifferentiablePtrType`. Such types stand for places; their
//! derivatives come in with the arguments and cannot be made. It may return a place that came in, but not if it takes values
//! that carry derivatives as well. With derivatives written by the user it may give out any, but then differentiated code
//! cannot call it with values that carry derivatives.

use base_db::Db;
use diagnostics::codes;
use hir_def::{body::ExprId, item::ItemId, source_map};
use hir_ty::{
    differential::{Differentiability, differentiability, rules::derivative_rules, signature::function_signature},
    display::display,
    env::Env,
    infer::{
        self,
        result::{Callable, Resolution},
    },
    signature::{self, FunctionRef},
    ty::ParamDirection,
};

use crate::{
    Finding,
    finding::{name_location, param_location},
};

pub(super) fn check(db: &dyn Db, item: ItemId, findings: &mut Vec<Finding>) {
    let rules = derivative_rules(db, item);
    if rules.is_differentiable() {
        calls(db, item, findings);
    }
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
            findings.push(Finding::new(codes::POINTER_GIVEN_OUT, location, message));
        }
    }
    let carries = |ty| matches!(differentiability(db, env, ty), Differentiability::Value(_));
    if !signature.ret_no_diff
        && is_place(signature.ret)
        && signature.params.iter().any(|param| !param.no_diff && carries(param.ty))
        && let Some(location) = name_location(db, item)
    {
        let message = format!(
            "a differentiable function that takes values with derivatives cannot return a value of type `{}`, which stands \
             for a place",
            display(db, signature.ret)
        );
        findings.push(Finding::new(codes::POINTER_GIVEN_OUT, location, message));
    }
}

/// Calls of functions that give out places and take values.
fn calls(db: &dyn Db, item: ItemId, findings: &mut Vec<Finding>) {
    let env = Env::of(db, item);
    let mixes = |callee: FunctionRef| {
        let signature = function_signature(db, env, callee);
        let params = signature.params;
        let kind = |ty, no_diff: bool| if no_diff { Differentiability::None } else { differentiability(db, env, ty) };
        let goes_out = |direction| matches!(direction, ParamDirection::Out | ParamDirection::InOut);
        let is_place = |ty, no_diff| matches!(kind(ty, no_diff), Differentiability::Pointer(_));
        derivative_rules(db, callee.item).is_differentiable()
            && (is_place(signature.ret, signature.ret_no_diff)
                || params.iter().any(|param| goes_out(param.direction) && is_place(param.ty, param.no_diff)))
            && params.iter().any(|param| matches!(kind(param.ty, param.no_diff), Differentiability::Value(_)))
    };
    let mut wrong: Vec<ExprId> = Vec::new();
    for (expr, resolution) in infer::infer(db, item).resolutions.iter() {
        if let Resolution::Call(call) = resolution
            && let Callable::Function(callee) = &call.callee
            && !call.no_diff
            && mixes(*callee)
        {
            wrong.push(expr);
        }
    }
    wrong.sort();
    let map = source_map::body_source_map(db, item);
    for call in wrong {
        let message = "this call gives out a place and takes a value that carries a derivative: it has no derivative";
        findings.push(Finding::new(codes::POINTER_GIVEN_OUT, map.expr(call), message));
    }
}
