//! The function that merges the derivatives of two uses of a value whose type writes its own `use` (SP #010): the backward
//! derivative of `use` gets the derivative so far in its pair, and that of one more use.
//!
//! There is no one value at hand where derivatives are summed up, so the pair's primal half is nothing; that the rule does
//! not read it is checked by `differentiability` (41806).

use hir_ty::{
    differential::{attribute::AssociationKind, reuse::MergingUse},
    ty::Ty,
};
use ir::{Callee, FuncId, TypeId, builder::FuncBuilder};

use super::associated;
use crate::{
    error::{Lowering, Stop},
    key::FunctionKey,
    program::Program,
};

/// The function `(D, D) -> D` for values of type `ty`.
pub(crate) fn function(program: &mut Program<'_>, ty: Ty, merging: MergingUse) -> Lowering<FuncId> {
    let rule = associated(program, AssociationKind::BackwardDerivative, merging.function, merging.rule)?;
    let rule = program.function(rule)?;
    program.request(FunctionKey::Merge { rule, ty })
}

/// Fills in its body.
pub(crate) fn build(program: &mut Program<'_>, b: &mut FuncBuilder<'_>, rule: FuncId, ty: Ty) -> Lowering<()> {
    let misfit = || Stop::unsupported("a derivative of `use` that does not take `this` and a derivative");
    let surface = program.surface(rule)?;
    let [this, _] = surface.params.as_slice() else { return Err(misfit()) };
    let primal = program.lower_type(ty)?;
    let (so_far, one_more) = (b.input(0), b.input(1));
    let primal = b.zero(primal);
    let pair = b.make(&[primal, so_far], this.ir_ty);
    let result_types: Vec<TypeId> = surface.results().iter().map(|slot| slot.ty).collect();
    let results = b.call(Callee::Func(rule), &[pair, one_more], &result_types);
    let merged = match results.as_slice() {
        [pair] if this.direction.comes_out() && surface.ret.is_none() => b.field(*pair, 1),
        // A rule that gives nothing back adds to something else.
        [] => so_far,
        _ => return Err(misfit()),
    };
    b.ret([merged]);
    Ok(())
}
