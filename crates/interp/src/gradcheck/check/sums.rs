//! `dadd` and `dzero` of a differentiable type: whatever a differential means, adding is adding its numbers, and zero is the
//! one that changes no sum. Reverse mode relies on it wherever a value is used twice.

use super::Checker;
use crate::{
    Machine,
    gradcheck::{Coordinate, FindingKind, Sum, components::float_slots, point::Point, sample::Search},
};

/// Sums that are tried.
const SUMS: u32 = 4;

impl Checker<'_, '_> {
    /// Checks the function itself if it adds differentials.
    pub(super) fn check_sum_rule(&mut self) {
        let Some(sum) = self.options.sum else { return };
        let func = &self.module.funcs[self.functions.primal];
        let expected_inputs = match sum {
            Sum::Add => 2,
            Sum::Zero => 0,
        };
        let [result] = func.results.as_slice() else { return };
        if func.inputs.len() != expected_inputs || func.inputs.iter().any(|input| input.ty != result.ty) {
            return;
        }
        let floats = float_slots(&self.layouts, std::iter::once((&result.name, result.ty)));
        let size = self.layouts.slots(result.ty);
        for _ in 0..SUMS {
            let mut random = self.random.fork();
            let (mut start, _) = self.sampler().random(&mut random, Search::Around);
            let begin = start.clone();
            let run = |machine: &mut Machine<'_>, start: &mut Point| {
                machine.call_slots(self.functions.primal, &start.slots, &mut start.memory).ok()
            };
            let Some(slots) = run(&mut self.machine, &mut start) else { return };
            let number = |slots: &[u64], slot: usize| slots.get(slot).map_or(0.0, |&slot| f64::from_bits(slot));
            for (slot, place) in &floats {
                let found = number(&slots, *slot);
                let expected = match sum {
                    Sum::Add => number(&begin.slots, *slot) + number(&begin.slots, size + *slot),
                    Sum::Zero => 0.0,
                };
                self.report.sums += 1;
                if !self.agree(found, expected, 1.0, 0.0) {
                    let place: Coordinate = place.clone();
                    return self.find(&begin, FindingKind::NoSum { sum, place, found, expected });
                }
            }
        }
    }
}
