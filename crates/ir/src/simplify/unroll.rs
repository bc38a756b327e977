//! Unrolls `[ForceUnroll]` loops.
//!
//! ```text
//! %s: f32 = loop (%0, %x) force_unroll 0 …  →  the condition's and the body's operations, once per iteration, with the
//!                                              counter's values in place
//! ```
//!
//! The trip count must be exact (see [`crate::ranges`]); otherwise the loop stays as it is and an error says why. Outer
//! loops come first, so that the bounds of inner ones may depend on the outer counter, which is a constant in each copy.

use std::collections::VecDeque;

use super::{
    clone::{ValueMap, clone_ops, mapped},
    substitute::Substitution,
};
use crate::loops::leaves_early;
use crate::{Func, FuncId, Module, Op, OpId, RegionId, SpanId, ValueId, ranges::Ranges};

/// Operations that unrolling one function may add.
const MAX_COPIED_OPS: usize = 100_000;

/// Why a loop was not unrolled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnrollFailure {
    /// The count is not a constant that the compiler finds.
    UnknownTripCount,
    /// `break`, `continue` or `return` may end it early.
    LeavesEarly,
    /// The count is larger than that of `[ForceUnroll(n)]`.
    /// The count is larger than that of `[ForceUnroll(n)]`.
    MoreThanAllowed {
        /// How often the loop runs.
        trip_count: u32,
        /// The `n` of the attribute.
        allowed: u32,
    },
    /// The unrolled code would be too large.
    /// The unrolled code would be too large.
    TooLarge {
        /// How often the loop runs.
        trip_count: u32,
    },
}

/// A `[ForceUnroll]` loop that stays a loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnrollError {
    /// Where the loop is.
    pub span: SpanId,
    /// Why it stays.
    pub failure: UnrollFailure,
}

/// Unrolls what is marked in a function; returns the loops that stay, in order.
pub fn unroll(module: &mut Module, func: FuncId) -> Vec<UnrollError> {
    let Some(body) = module.funcs[func].body else { return Vec::new() };
    let mut copied = 0;
    loop {
        let ranges = Ranges::new(&module.types, &module.funcs, &module.funcs[func]);
        let func = &mut module.funcs[func];
        let mut unroller =
            Unroller { ranges, func, substitution: Substitution::default(), copied, found: false, errors: Vec::new() };
        unroller.region(body);
        copied = unroller.copied;
        if !unroller.found {
            return unroller.errors;
        }
    }
}

/// One round: the outermost of the loops that can be unrolled.
struct Unroller<'a> {
    ranges: Ranges,
    func: &'a mut Func,
    substitution: Substitution,
    copied: usize,
    found: bool,
    errors: Vec<UnrollError>,
}

impl Unroller<'_> {
    fn region(&mut self, region: RegionId) {
        let mut ops = VecDeque::from(std::mem::take(&mut self.func.regions[region].ops));
        let mut kept = Vec::with_capacity(ops.len());
        while let Some(op) = ops.pop_front() {
            self.substitution.operands(&mut self.func.ops[op].op);
            match self.count(op) {
                Some(Ok(count)) => {
                    self.found = true;
                    for copy in self.copies(op, count).into_iter().rev() {
                        ops.push_front(copy);
                    }
                    continue;
                }
                Some(Err(failure)) => self.errors.push(UnrollError { span: self.func.ops[op].span, failure }),
                None => {}
            }
            self.func.ops[op].op.regions().into_iter().for_each(|nested| self.region(nested));
            kept.push(op);
        }
        self.func.regions[region].ops = kept;
        self.substitution.values(self.func.regions[region].terminator.values_mut());
    }

    /// How often to copy the body of a marked loop.
    fn count(&self, op: OpId) -> Option<Result<u32, UnrollFailure>> {
        let Op::Loop { cond, body, bound, .. } = &self.func.ops[op].op else { return None };
        let allowed = bound.force_unroll?;
        if leaves_early(self.func, *body) || leaves_early(self.func, *cond) {
            return Some(Err(UnrollFailure::LeavesEarly));
        }
        let count = self.ranges.trip_count(op).filter(|count| count.exact).map(|count| count.at_most);
        Some(match count {
            None => Err(UnrollFailure::UnknownTripCount),
            Some(trip_count) if allowed != 0 && trip_count > allowed => {
                Err(UnrollFailure::MoreThanAllowed { trip_count, allowed })
            }
            Some(trip_count) => {
                let size = self.size(*cond) + self.size(*body);
                let total = (trip_count as usize).saturating_mul(size).saturating_add(self.copied);
                if total > MAX_COPIED_OPS { Err(UnrollFailure::TooLarge { trip_count }) } else { Ok(trip_count) }
            }
        })
    }

    fn size(&self, region: RegionId) -> usize {
        let regions = crate::loops::all_regions(self.func, region);
        regions.into_iter().map(|region| self.func.regions[region].ops.len() + 1).sum()
    }

    fn copies(&mut self, op: OpId, count: u32) -> Vec<OpId> {
        let Op::Loop { init, cond, body, .. } = self.func.ops[op].op.clone() else { return Vec::new() };
        // Copies come from the function as it was, while it grows.
        let source = self.func.clone();
        let mut carried: Vec<ValueId> = init.to_vec();
        let mut copies = Vec::new();
        for iteration in 0..=count {
            // The condition may have effects, and runs once more than the body.
            let regions = if iteration < count { &[cond, body][..] } else { &[cond] };
            let mut next = Vec::new();
            for &region in regions {
                let mut map = ValueMap::default();
                map.extend(source.regions[region].params.iter().copied().zip(carried.iter().copied()));
                copies.append(&mut clone_ops(&source, region, self.func, &mut map));
                next = mapped(source.regions[region].terminator.values(), &map);
            }
            if iteration < count {
                carried = next;
            }
        }
        self.copied += copies.len();
        let results = self.func.ops[op].results.clone();
        for (result, value) in results.into_iter().zip(carried) {
            self.substitution.replace(result, value);
        }
        copies
    }
}
