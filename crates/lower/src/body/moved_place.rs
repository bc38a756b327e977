//! Functions that give places, where places travel with their places for derivatives: one whose forward derivative is
//! written gives the pair by that; one that is differentiable gives the pair that it has; an operator that moves a place (SP
//! #010's `Place operator+(uint steps)`) moves both halves. Other functions that make a place say nothing about where its
//! derivatives go.

use hir_def::item::ItemId;
use hir_ty::{
    differential::signature::function_signature,
    infer::result::CallResolution,
    signature::FunctionRef,
    ty::{BuiltinType, Ty},
};
use ir::{FuncId, ValueId};

use super::{BodyLowering, argument::Passed};
use crate::{
    derivative,
    error::{Lowering, Stop},
    fields::{PAIR_DIFFERENTIAL, PAIR_PRIMAL},
    places::moves_place,
    surface::{Direction, Surface, SurfaceReturn},
};

impl BodyLowering<'_, '_> {
    /// Where places are pairs: what gives the pair of the place that `function` gives, if the user wrote it.
    pub(super) fn derivative_of_place(&mut self, function: FunctionRef) -> Lowering<Option<FuncId>> {
        let db = self.program.db;
        if !self.program.places_are_pairs
            || !self.program.is_place(function_signature(db, self.program.env(), function).ret)
        {
            return Ok(None);
        }
        match derivative::written_forward(self.program, function)? {
            Some(derivative) => self.program.function(derivative).map(Some),
            None => Ok(None),
        }
    }

    /// A call of a function that returns a place, by its forward derivative.
    pub(super) fn derived_place(&mut self, derivative: FuncId, call: &CallResolution) -> Lowering<ValueId> {
        let surface = self.program.surface(derivative)?;
        if surface.params.iter().any(|param| matches!(param.ty, Ty::Builtin(BuiltinType::DifferentialPair, _))) {
            return Err(Stop::unsupported("a place that is made of values that carry derivatives"));
        }
        let params: Vec<(Direction, Ty)> = surface.params.iter().map(|param| (param.direction, param.ty)).collect();
        let mut passed = Vec::new();
        if let Some(base) = call.this {
            passed.push(self.pass_base(base, Direction::In)?);
        }
        let rest = params.get(passed.len()..).unwrap_or_default();
        passed.extend(self.pass_arguments(&call.args, rest, None)?);
        if passed.len() != surface.params.len() {
            return Err(Stop::unsupported("a place that a function with default arguments gives"));
        }
        let pair = self.call_function_marked(derivative, &passed, call.no_diff)?;
        pair.ok_or_else(|| Stop::broken("a derivative without result"))
    }

    /// Whether a call returns a place alone where places are pairs.
    pub(super) fn gives_place(&self, surface: &Surface) -> bool {
        let alone = |ret: &SurfaceReturn| self.program.is_place(ret.ty) && !self.program.is_place_pair(ret.ir_ty);
        self.program.places_are_pairs && surface.ret.as_ref().is_some_and(alone)
    }

    /// A call that returns a place: its operator is applied to both halves of the pair.
    pub(super) fn moved_place(
        &mut self,
        func: FuncId,
        surface: &Surface,
        passed: Vec<Passed>,
        item: Option<ItemId>,
    ) -> Lowering<ValueId> {
        let unsupported = || Stop::unsupported("a place that a differentiated function makes");
        let db = self.program.db;
        let ret = surface.ret.as_ref().ok_or_else(unsupported)?;
        if !item.is_some_and(|item| moves_place(db, self.program.env(), item, ret.ty)) {
            return Err(unsupported());
        }
        let Some((Passed::Value(pair), rest)) = passed.split_first() else { return Err(unsupported()) };
        if !self.program.is_place_pair(self.b.ty(*pair)) {
            return Err(unsupported());
        }
        let (pair, pair_ty) = (*pair, self.b.ty(*pair));
        let mut halves = Vec::new();
        for half in [PAIR_PRIMAL, PAIR_DIFFERENTIAL] {
            let mut args = vec![Passed::Value(self.b.field(pair, half))];
            args.extend(rest.iter().cloned());
            halves.push(self.call_function_marked(func, &args, true)?.ok_or_else(unsupported)?);
        }
        Ok(self.b.make(&halves, pair_ty))
    }
}
