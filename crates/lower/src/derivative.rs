//! How functions are differentiated: the rules that attributes give, and derivatives as functions.

pub(crate) mod roles;
pub(crate) mod rule;
pub(crate) mod wrapper;

use hir_def::{body::DerivativeOperator, item::ItemId};
use hir_ty::{
    differential::rules::{Checkpoint, derivative_rules},
    signature::FunctionRef,
};
use ir::{FuncId, FuncRules, func::CheckpointPreference, types::TypeTable};

use crate::{error::Lowering, key::FunctionKey, program::Program};

/// The rules of `func`, which is made from `function`. The user's derivatives are requested with the same generic
/// arguments.
pub(crate) fn rules_of(
    program: &mut Program<'_>,
    types: &mut TypeTable,
    func: FuncId,
    function: FunctionRef,
) -> Lowering<FuncRules> {
    let rules = derivative_rules(program.db, function.item);
    let mut result = FuncRules {
        treat_as_differentiable: rules.treat_as_differentiable,
        forward_differentiable: rules.forward_differentiable,
        backward_differentiable: rules.backward_differentiable,
        checkpoint: match rules.checkpoint {
            Checkpoint::Unspecified => CheckpointPreference::None,
            Checkpoint::Recompute => CheckpointPreference::Recompute,
            Checkpoint::Checkpoint => CheckpointPreference::Checkpoint,
        },
        ..FuncRules::default()
    };
    let with_same_args = |item: ItemId| FunctionRef { item, ..function };
    if let Some(item) = rules.forward_derivative {
        result.forward = Some(rule(program, types, DerivativeOperator::Forward, func, with_same_args(item))?);
    }
    if let Some(item) = rules.backward_derivative {
        result.backward = Some(rule(program, types, DerivativeOperator::Backward, func, with_same_args(item))?);
    }
    if let Some(item) = rules.primal_substitute {
        result.primal_substitute = Some(program.function(types, with_same_args(item))?);
    }
    Ok(result)
}

fn rule(
    program: &mut Program<'_>,
    types: &mut TypeTable,
    operator: DerivativeOperator,
    of: FuncId,
    rule: FunctionRef,
) -> Lowering<FuncId> {
    let rule = program.function(types, rule)?;
    program.request(types, FunctionKey::Rule { operator, of, rule })
}
