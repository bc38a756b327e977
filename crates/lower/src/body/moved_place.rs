//! Operators that move a place for derivatives (SP #010's `Place operator+(uint steps)`): where places travel with their
//! places for derivatives, both halves move. Other functions that make a place say nothing about where its derivatives go.

use hir_def::item::{self, ItemId};
use hir_ty::differential::of_type::{Differentiability, differentiability};
use ir::{FuncId, ValueId};

use super::{BodyLowering, argument::Passed};
use crate::{
    error::{Lowering, Stop},
    surface::Surface,
    types::{PAIR_DIFFERENTIAL, PAIR_PRIMAL},
};

/// The operators that move.
const MOVING: [&str; 2] = ["+", "-"];

impl BodyLowering<'_, '_> {
    /// Whether a call gives a place where places are pairs.
    pub(super) fn gives_place(&self, surface: &Surface) -> bool {
        self.program.places_are_pairs && surface.ret.as_ref().is_some_and(|ret| self.program.is_place(ret.ty))
    }

    /// A call that gives a place: its operator is applied to both halves of the pair.
    pub(super) fn moved_place(
        &mut self,
        func: FuncId,
        surface: &Surface,
        passed: Vec<Passed>,
        item: Option<ItemId>,
    ) -> Lowering<ValueId> {
        let unsupported = || Stop::unsupported("a place that a differentiated function makes");
        let db = self.program.db;
        let name = item.and_then(|item| item::item_data(db, item).name.as_ref());
        let ret = surface.ret.as_ref().ok_or_else(unsupported)?;
        // The operator is that of the place for derivatives, too.
        let is_own = differentiability(db, self.program.env(), ret.ty) == Differentiability::Pointer(ret.ty);
        if !is_own || !name.is_some_and(|name| MOVING.contains(&name.as_str())) {
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
            halves.push(self.call_function(func, &args, true)?.ok_or_else(unsupported)?);
        }
        Ok(self.b.make(&halves, pair_ty))
    }
}
