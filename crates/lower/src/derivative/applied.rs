//! The backward derivative that `__apply(f)` gives (see [`hir_ty::differential::function_extension`]): `f` with a context is
//! run, and the context's `operator()` turns the derivatives of what came out into those of what went in.

use ir::{Callee, FuncId, TypeId, ValueId, builder::FuncBuilder};

use super::rule::{Given, zero_differential};
use crate::{
    error::{Lowering, Stop},
    program::Program,
    surface::Direction,
};
use hir_def::body::DerivativeOperator;

/// Fills in the body of the rule.
pub(crate) fn build(
    program: &mut Program<'_>,
    b: &mut FuncBuilder<'_>,
    of: FuncId,
    apply: FuncId,
    propagate: FuncId,
) -> Lowering<()> {
    let broken = || Stop::unsupported("a context whose parameters are not those of its function");
    let primal = program.surface(of)?;
    let apply_surface = program.surface(apply)?;
    let given = Given::of(b, DerivativeOperator::Backward, &primal);
    if apply_surface.params.len() != primal.params.len() {
        return Err(broken());
    }
    let args: Vec<ValueId> = given.primal.iter().flatten().copied().collect();
    let result_types: Vec<TypeId> = apply_surface.results().iter().map(|slot| slot.ty).collect();
    let results = b.call(Callee::Func(apply), &args, &result_types);
    let tuple = *results.first().ok_or_else(broken)?;
    let context = b.field(tuple, 1);

    let surface = program.surface(propagate)?;
    let (receiver, params) = match surface.params.split_first() {
        Some((receiver, params)) if receiver.is_this => (Some(receiver), params),
        Some(_) | None => (None, surface.params.as_slice()),
    };
    let mut args: Vec<ValueId> = receiver.map(|_| context).into_iter().collect();
    let mut declared = params.iter();
    // What each parameter of the primal function that carries a derivative gets back.
    let mut outputs: Vec<usize> = Vec::new();
    for (index, param) in primal.params.iter().enumerate() {
        let declared = declared.next().ok_or_else(broken)?;
        if !param.differentiable {
            args.push(b.zero(declared.ir_ty));
            continue;
        }
        if declared.direction.goes_in() {
            args.push(match given.companion[index] {
                Some(value) => value,
                None => zero_differential(b, param.ir_ty)?,
            });
        }
        if declared.direction.comes_out() {
            outputs.push(index);
        }
    }
    if declared.next().is_some() {
        args.extend(given.result);
    }
    let result_types: Vec<TypeId> = surface.results().iter().map(|slot| slot.ty).collect();
    let results = b.call(Callee::Func(propagate), &args, &result_types);
    let receiver_comes_out = receiver.is_some_and(|receiver| receiver.direction.comes_out());
    let results = &results[usize::from(receiver_comes_out)..];
    let mut cotangents = Vec::new();
    let gets_back = primal.params.iter().enumerate();
    for (index, param) in gets_back.filter(|(_, param)| param.differentiable && param.direction != Direction::Out) {
        let position = outputs.iter().position(|output| *output == index);
        cotangents.push(match position.and_then(|position| results.get(position)) {
            Some(value) => *value,
            None => zero_differential(b, param.ir_ty)?,
        });
    }
    let fits = cotangents.len() == b.func.results.len()
        && cotangents.iter().zip(&b.func.results).all(|(&value, slot)| b.ty(value) == slot.ty);
    if !fits {
        return Err(broken());
    }
    b.ret(cotangents);
    Ok(())
}
