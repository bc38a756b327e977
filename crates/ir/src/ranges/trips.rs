//! How often a loop runs.
//!
//! Seven ways, of which the least count is taken:
//! - by the comparison: a number that moves by the same step in each iteration is compared with another one that stays
//!   at a known distance from where the first started. This way may say how often the loop runs exactly;
//! - by the range: a number that stays within a range while the body runs, and moves on by at least one in one
//!   direction (or is halved, or doubled) without wrapping, has run through it after so many iterations;
//! - by halving ([`super::halving`]): binary search;
//! - by two ends that come closer ([`super::closing`]);
//! - by bits that are cleared one by one ([`super::bits`]);
//! - by division ([`super::euclid`]): the greatest common divisor;
//! - by running it ([`super::simulate`]): floats that count from a constant, tests that are carried (`do … while`), and
//!   whatever else starts from constants. The count is exact where no rounding changes it.

use super::{
    Analysis,
    interval::Interval,
    known::{Base, Known, Number, Relation},
    loops::Carried,
    simulate,
};
use crate::{BinaryOp, Op, OpId, ValueId};

/// What is known of a loop's trip count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TripCount {
    /// No run of the loop has more iterations.
    pub at_most: u32,
    /// The loop runs exactly so often.
    pub exact: bool,
}

/// Bounds above this are none, unless the loop runs exactly so often: no one can store so many iterations.
pub(super) const MOST_BY_RANGE: i128 = 1 << 16;

/// A loop whose carried ranges are known.
pub(super) struct WalkedLoop<'w> {
    pub op: OpId,
    pub start: &'w Carried,
    pub edges: Option<&'w Carried>,
    /// The carried values when an iteration starts; `None` if none does.
    pub in_body: Option<&'w [Known]>,
    pub leaves_early: bool,
}

/// A number that a loop carries.
struct Counter {
    /// Where it starts.
    start: Number,
    /// What an iteration makes of it.
    step: Relation,
    /// What its type holds.
    whole: Interval,
}

impl WalkedLoop<'_> {
    /// What each iteration adds to the integer carried at an index.
    pub(crate) fn step(&self, index: usize) -> Option<i64> {
        let next = self.edges?.entering.as_ref()?.get(index)?.number()?;
        let step = self.own(next, index as u32, 0)?.offset.single()?;
        i64::try_from(step).ok().filter(|&step| step != 0)
    }

    /// How a number lies to what the iteration started with.
    fn own(&self, next: Number, index: u32, leaf: u32) -> Option<Relation> {
        next.relation.filter(|relation| relation.base == Base::Carried { of: self.op, index, leaf })
    }
}

impl Analysis<'_> {
    pub(super) fn trip_count(&self, walked: &WalkedLoop<'_>) -> Option<TripCount> {
        let Some(in_body) = walked.in_body else { return Some(TripCount { at_most: 0, exact: true }) };
        let Some(entering) = walked.edges.and_then(|edges| edges.entering.as_ref()) else {
            return Some(TripCount { at_most: 1, exact: false });
        };
        let Op::Loop { cond, body, .. } = self.func.ops[walked.op].op else { return None };
        let conjuncts = self.conjuncts(cond);
        let is_alone = conjuncts.len() == 1 && !walked.leaves_early;
        let mut least: Option<TripCount> = None;
        let take = |least: &mut Option<TripCount>, count: TripCount| {
            let is_better = |least: TripCount| (count.at_most, !count.exact) < (least.at_most, !least.exact);
            if least.is_none_or(is_better) {
                *least = Some(count);
            }
        };
        for &conjunct in &conjuncts {
            if let Some(count) = self.by_comparison(walked, conjunct, is_alone) {
                take(&mut least, count);
            }
            let ways = [Self::by_halving, Self::by_closing, Self::by_euclid, Self::by_bits];
            for at_most in ways.iter().filter_map(|way| way(self, walked.op, walked.start, conjunct)) {
                take(&mut least, TripCount { at_most, exact: false });
            }
        }
        let first = walked.start.entering.as_ref();
        for (index, known) in in_body.iter().enumerate() {
            let numbers = |values: Option<&Vec<Known>>| {
                values.and_then(|values| values.get(index)).map_or(Vec::new(), Known::numbers)
            };
            let (starts, nexts) = (numbers(first), numbers(Some(entering)));
            for (leaf, number) in known.numbers().into_iter().enumerate() {
                let (Some(start), Some(&next)) = (starts.get(leaf), nexts.get(leaf)) else { continue };
                let Some(step) = walked.own(next, index as u32, leaf as u32) else { continue };
                let count = by_range(start.range, number.range, step).filter(|&count| count <= MOST_BY_RANGE);
                if let Some(at_most) = count.and_then(|count| u32::try_from(count).ok()) {
                    take(&mut least, TripCount { at_most, exact: false });
                }
            }
        }
        if least.is_none_or(|least| !least.exact)
            && let Some(count) = simulate::count(self.types, self.func, cond, body, walked.op)
        {
            take(&mut least, TripCount { exact: count.exact && is_alone, ..count });
        }
        least
    }

    /// The most iterations that a condition allows, if it compares a counter with what stays the same.
    fn by_comparison(&self, walked: &WalkedLoop<'_>, condition: ValueId, is_alone: bool) -> Option<TripCount> {
        let Op::Binary(op, left, right) = self.func.defining_op(condition)?.op else { return None };
        self.by_order(walked, op, left, right, is_alone)
            .or_else(|| self.by_order(walked, op.mirrored()?, right, left, is_alone))
    }

    /// `counter op limit`.
    fn by_order(
        &self,
        walked: &WalkedLoop<'_>,
        op: BinaryOp,
        tested: ValueId,
        limit: ValueId,
        is_alone: bool,
    ) -> Option<TripCount> {
        let relation = self.known(tested).number()?.relation.filter(|relation| relation.exact)?;
        let counter = self.counter(walked, relation.base)?;
        let (shift, step) = (relation.offset.single()?, counter.step.offset.single()?);
        let limit_number = self.known(limit).number()?;
        let start = counter.start;
        let count = |count: i128, exact: bool| Some(TripCount { at_most: u32::try_from(count).ok()?, exact });
        if let (Some(start), Some(limit)) = (start.range.single(), limit_number.range.single()) {
            // A counter that is converted for the comparison must have the same value in both types.
            let range = counter.whole.plus(Interval::only(shift)).meet(self.whole(tested).range()?)?;
            if !range.has(start + shift) {
                return None;
            }
            return count(iterations(op, start + shift, limit, step, range)?, is_alone);
        }
        // Both are counted from the same value, and the limit stays where it is.
        let (from, to) = (start.relation?, limit_number.relation?);
        if from.base != to.base || matches!(to.base, Base::Carried { of, .. } if of == walked.op) {
            return None;
        }
        let (start, limit) = (from.offset.single()? + shift, to.offset.single()?);
        let all = Interval::new(i128::from(i64::MIN), i128::from(i64::MAX));
        let found = iterations(op, start, limit, step, all)?;
        if from.exact && to.exact && counter.step.exact {
            return count(found, is_alone);
        }
        // If one of them has wrapped, the order is the other one and nothing runs; the last step reaches a strict
        // limit exactly, without wrapping. A limit that is included might be the last number of the type: then the
        // loop does not end, unless elsewhere.
        let is_safe = match op {
            BinaryOp::Less => step == 1,
            BinaryOp::Greater => step == -1,
            BinaryOp::LessEqual => step == 1 && is_alone,
            BinaryOp::GreaterEqual => step == -1 && is_alone,
            BinaryOp::NotEqual => true,
            _ => false,
        };
        (is_safe && found > 0).then(|| count(found, false)).flatten()
    }

    fn counter(&self, walked: &WalkedLoop<'_>, base: Base) -> Option<Counter> {
        let Base::Carried { of, index, leaf } = base else { return None };
        if of != walked.op {
            return None;
        }
        let number = |values: &[Known]| values.get(index as usize)?.numbers().get(leaf as usize).copied();
        let step = walked.own(number(walked.edges?.entering.as_ref()?)?, index, leaf)?;
        let result = *self.func.ops[walked.op].results.get(index as usize)?;
        let whole = self.whole(result).numbers().get(leaf as usize)?.range;
        Some(Counter { start: number(&walked.start.tested)?, step, whole })
    }
}

/// How many iterations start with a number in `within`, if the first starts in `start` and each makes such a step.
fn by_range(start: Interval, within: Interval, step: Relation) -> Option<i128> {
    if !step.exact {
        return None;
    }
    let Some(start) = start.meet(within) else { return Some(0) };
    let mut found: Option<i128> = None;
    let mut take = |count: i128| found = Some(found.map_or(count, |least| least.min(count)));
    let is_positive = start.low > 0 && within.low > 0;
    if step.offset.low >= 1 {
        take((within.high - start.low) / step.offset.low + 1);
        if step.grows > 1 && is_positive {
            take(powers(within.high / start.low, step.grows));
        }
    }
    if step.offset.high <= -1 {
        take((start.high - within.low) / -step.offset.high + 1);
        if step.shrinks > 1 && is_positive {
            take(powers(start.high / within.low, step.shrinks));
        }
    }
    found
}

/// The powers of `factor`, from the zeroth on, up to `most`.
fn powers(most: i128, factor: i128) -> i128 {
    let mut count = 0;
    let mut power: i128 = 1;
    while power <= most {
        count += 1;
        power = power.saturating_mul(factor);
    }
    count
}

/// The first `k` for which `start + k * step` fails the comparison with `limit`, if the counter is in range until then.
fn iterations(op: BinaryOp, start: i128, limit: i128, step: i128, range: Interval) -> Option<i128> {
    // How far the counter has to go, in its direction: `<` and `<=` upwards, `>` and `>=` downwards.
    let (distance, step) = match op {
        BinaryOp::Less => (limit - start, step),
        BinaryOp::LessEqual => (limit - start + 1, step),
        BinaryOp::Greater => (start - limit, -step),
        BinaryOp::GreaterEqual => (start - limit + 1, -step),
        BinaryOp::NotEqual => {
            let distance = limit - start;
            let hits = distance == 0 || (step != 0 && distance % step == 0 && distance / step > 0);
            if !hits {
                return None;
            }
            (distance.abs(), step.abs())
        }
        BinaryOp::Equal => {
            // Runs once, if the counter moves at all.
            return if start != limit { Some(0) } else { (step != 0).then_some(1) };
        }
        _ => return None,
    };
    if distance <= 0 {
        return Some(0);
    }
    if step <= 0 {
        return None;
    }
    let count = (distance + step - 1) / step;
    // The value that ends the loop must be reached without wrapping.
    let upwards = matches!(op, BinaryOp::Less | BinaryOp::LessEqual) || (op == BinaryOp::NotEqual && limit > start);
    let last = if upwards { start + count * step } else { start - count * step };
    range.has(last).then_some(count)
}
