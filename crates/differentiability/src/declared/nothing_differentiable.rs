//! 41807 (warning): a function is marked as differentiable, and nothing that goes in or comes out, and nothing that it calls,
//! carries a derivative: its derivative is nothing, in silence.

use base_db::Db;
use diagnostics::codes;
use hir_def::item::{self, ItemId, ItemKind};
use hir_ty::{
    differential::{
        attribute::{DerivativeAttribute, own_attributes},
        of_type::{Differentiability, differentiability},
        rules::derivative_rules,
        signature::function_signature,
    },
    env::Env,
    generics,
    infer::{
        self,
        result::{Callable, Resolution},
    },
    signature::FunctionRef,
    ty::Ty,
};

use crate::{
    Finding,
    finding::{attribute_location, has_unsupported, name_of},
};

pub(super) fn check(db: &dyn Db, item: ItemId, findings: &mut Vec<Finding>) {
    let ItemKind::Function(function) = &item::item_data(db, item).kind else { return };
    let is_marked = |kind: DerivativeAttribute| {
        matches!(kind, DerivativeAttribute::Differentiable | DerivativeAttribute::ForwardDifferentiable)
    };
    let Some(mark) = own_attributes(db, item).into_iter().find(|written| is_marked(written.attribute)) else { return };
    // What a type parameter stands for may carry one, and an interface may ask for the mark.
    let is_generic = !generics::parameters(db, item).is_empty();
    if !function.has_body
        || is_generic
        || generics::enclosing_aggregate(db, item).is_some()
        || has_unsupported(db, item)
    {
        return;
    }
    let env = Env::of(db, item);
    let reference = FunctionRef { item, args: generics::identity_args(db, item), self_ty: None };
    let signature = function_signature(db, env, reference);
    let carries = |ty: Ty| ty.is_error() || differentiability(db, env, ty) != Differentiability::None;
    let goes_in = signature.params.iter().any(|param| !param.no_diff && carries(param.ty));
    if goes_in || (!signature.ret_no_diff && carries(signature.ret)) || calls_differentiable(db, item) {
        return;
    }
    if let Some(location) = attribute_location(db, item, mark.id) {
        let message =
            format!("neither parameters nor result of `{}` carry a derivative: it has none", name_of(db, item));
        findings.push(Finding::new(codes::NOTHING_DIFFERENTIABLE, location, message));
    }
}

/// Whether the body calls what may make or take derivatives of its own: a written derivative may add to memory.
fn calls_differentiable(db: &dyn Db, item: ItemId) -> bool {
    infer::infer(db, item).resolutions.values().any(|resolution| match resolution {
        Resolution::Call(call) => match &call.callee {
            Callable::Function(callee) => derivative_rules(db, callee.item).is_differentiable(),
            Callable::Derivative { .. } | Callable::Value(_) => true,
            Callable::Make(_) | Callable::Synthesized { .. } => false,
        },
        Resolution::Property { .. } | Resolution::Function(_) => true,
        _ => false,
    })
}
