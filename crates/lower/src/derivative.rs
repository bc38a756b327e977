//! How functions are differentiated: the rules that attributes give, and derivatives as functions.

pub(crate) mod applied;
pub(crate) mod merge;
pub(crate) mod phases;
mod presence;
pub(crate) mod rule;
pub(crate) mod wrapper;

use base_db::Db;
use hir_def::{
    attribute::AttributeKind,
    body::DerivativeOperator,
    item::{self, ItemId},
    modules,
};
use hir_ty::{
    differential::{
        association::instantiate,
        attribute::AssociationKind,
        function_extension,
        rules::{Checkpoint, derivative_rules_in},
    },
    signature::FunctionRef,
};
use ir::{FuncId, FuncRules, func::CheckpointPreference};

use crate::{
    error::{Lowering, Stop},
    front,
    key::FunctionKey,
    program::Program,
};

/// The rules of `func`, which is made from `function`. The user's derivatives are requested with the generic arguments that
/// make them those of just this function; files that the root imports may add some.
pub(crate) fn rules_of(program: &mut Program<'_>, func: FuncId, function: FunctionRef) -> Lowering<FuncRules> {
    let rules = derivative_rules_in(program.db, function.item, item::file_of(program.db, program.root));
    let mut result = flags_of(program, function);
    if let Some(item) = rules.forward_derivative {
        let derivative = associated(program, AssociationKind::ForwardDerivative, function, item)?;
        result.forward = Some(rule(program, DerivativeOperator::Forward, func, derivative)?);
    }
    if let Some(item) = rules.backward_derivative {
        let derivative = associated(program, AssociationKind::BackwardDerivative, function, item)?;
        result.backward = Some(rule(program, DerivativeOperator::Backward, func, derivative)?);
    }
    let extended = function_extension::extended(program.db, program.env(), function);
    if let Some(derivative) = extended.forward {
        result.forward = Some(rule(program, DerivativeOperator::Forward, func, derivative)?);
    }
    if let Some(derivative) = extended.backward {
        result.backward = Some(rule(program, DerivativeOperator::Backward, func, derivative)?);
    } else if let Some(applied) = extended.apply {
        let apply = program.function(applied.apply)?;
        let propagate = program.function(applied.propagate)?;
        result.backward = Some(program.request(FunctionKey::Applied { of: func, apply, propagate })?);
    }
    // With a forward derivative alone, reverse mode transposes that one and leaves the body alone.
    result.forward_differentiable |= extended.forward.is_some();
    result.backward_differentiable |= extended.backward.is_some() || extended.apply.is_some();
    if let Some(item) = rules.primal_substitute {
        let substitute = associated(program, AssociationKind::PrimalSubstitute, function, item)?;
        result.primal_substitute = Some(program.function(substitute)?);
    }
    Ok(result)
}

/// The forward derivative that the user wrote for `function`.
pub(crate) fn written_forward(program: &Program<'_>, function: FunctionRef) -> Lowering<Option<FunctionRef>> {
    let rules = derivative_rules_in(program.db, function.item, item::file_of(program.db, program.root));
    let written = rules.forward_derivative;
    written.map(|item| associated(program, AssociationKind::ForwardDerivative, function, item)).transpose()
}

/// The part of the rules that no other function is needed for.
pub(crate) fn flags_of(program: &Program<'_>, function: FunctionRef) -> FuncRules {
    let rules = derivative_rules_in(program.db, function.item, item::file_of(program.db, program.root));
    let on_differentials = front::works_on_differentials(program, function);
    FuncRules {
        treat_as_differentiable: rules.treat_as_differentiable,
        forward_differentiable: rules.forward_differentiable || on_differentials,
        backward_differentiable: rules.backward_differentiable || on_differentials,
        read_none: is_read_none(program.db, function.item),
        checkpoint: match rules.checkpoint {
            Checkpoint::Unspecified => CheckpointPreference::None,
            Checkpoint::Recompute => CheckpointPreference::Recompute,
            Checkpoint::Checkpoint => CheckpointPreference::Checkpoint,
        },
        ..FuncRules::default()
    }
}

/// `[__readNone]`, as all functions of the core library are that have derivatives, but those of tensors: their derivatives go to
/// memory, and come from there.
fn is_read_none(db: &dyn Db, item: ItemId) -> bool {
    let data = item::item_data(db, item);
    let is_of_library = modules::is_prelude(db, item::file_of(db, item));
    (is_of_library && !data.has_attribute(AttributeKind::NoDiffThis)) || data.has_attribute(AttributeKind::ReadNone)
}

fn associated(
    program: &Program<'_>,
    kind: AssociationKind,
    function: FunctionRef,
    derivative: ItemId,
) -> Lowering<FunctionRef> {
    instantiate(program.db, program.env(), kind, function, derivative)
        .ok_or_else(|| Stop::unsupported("a derivative whose generic arguments do not follow from its function"))
}

fn rule(program: &mut Program<'_>, operator: DerivativeOperator, of: FuncId, rule: FunctionRef) -> Lowering<FuncId> {
    let rule = program.function(rule)?;
    program.request(FunctionKey::Rule { operator, of, rule })
}
