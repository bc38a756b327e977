//! What may excuse a derivative that is not the slope: rounding, kinks that moving one input alone does not show, and
//! numbers that are too large.
//!
//! Where inputs tie, as at `clamp(x, lo, hi)` with three equal inputs, the slopes in each of them may exist although the
//! function has no derivative. What a rule gives there is a mean of the slopes nearby, so those are looked at: at random
//! points close by, and at others much closer, so that it is no curvature.

use ir::{DerivativeKind, FuncId, Module};

use super::{Checker, Derivation, Sample, Spot};
use crate::gradcheck::{point::Point, written_rules};

/// How many times one looks at what is around a point. What is wrong everywhere is known long before.
pub(super) const MOST_NEIGHBOURHOODS: u32 = 128;

/// Points that are looked at: of three equal inputs, each is in the middle with the others in a given order at a sixth of
/// them.
const POINTS: u32 = 64;

/// How far points are, relative to each input or to 1, and the steps for the slopes there.
const DISTANCES: [(f64, f64); 2] = [(1e-4, 1e-6), (1e-6, 1e-8)];

/// Runs that are rounded otherwise.
const ROUNDINGS: u64 = 3;

/// By how much less a derivative is started with to see whether it is too large for `f64` otherwise, in powers of two.
const LESS: i32 = 1000;

/// What is more than that is too large: on the way to it there may be numbers that are larger by some digits.
const TOO_LARGE: i32 = f64::MAX_EXP - 30;

/// What the slopes around a point say of a derivative that is not the slope at it.
pub(super) enum Around {
    /// They exclude it.
    Slopes,
    /// It lies between them: there is a kink.
    Bent,
    /// Too many were looked at before.
    NotLooked,
}

/// Whether both derivatives of a function come from the same rules, so that they are equal even where rules choose: none
/// is written for backward alone.
pub(super) fn has_same_rules(module: &Module, func: FuncId) -> bool {
    let is_backward = |mode: DerivativeKind| mode != DerivativeKind::Jvp;
    module.funcs[func].rules.backward.is_none()
        && !written_rules(module, func).iter().any(|rule| is_backward(rule.mode))
}

impl Checker<'_, '_> {
    /// Whether a number is one of those between two others.
    pub(super) fn is_between(&self, found: f64, (a, b): (f64, f64)) -> bool {
        (a.min(b)..=a.max(b)).contains(&found) || self.agree(found, a, 0.0) || self.agree(found, b, 0.0)
    }

    /// By how much rounding may change each result: that of its last digit, and what comes of the digits before.
    pub(super) fn noise(&mut self, sample: &Sample, steps_left: u64) -> Vec<f64> {
        let values = |point: &Point| sample.results.iter().map(|result| result.value(point)).collect::<Vec<f64>>();
        let at = values(&sample.end);
        let mut noise: Vec<f64> = at.iter().map(|value| value.abs() * f64::EPSILON).collect();
        for seed in 0..ROUNDINGS {
            let mut run = sample.start.clone();
            let how = (seed, steps_left);
            let func = self.functions.primal;
            let slots = self.machine.call_rounded(func, &run.slots, &mut run.memory, how, Some(&mut self.tape));
            let Some(slots) = slots else { continue };
            let there = values(&Point { slots, memory: run.memory });
            for (noise, (here, there)) in noise.iter_mut().zip(at.iter().zip(there)) {
                *noise = noise.max(2.0 * (here - there).abs());
            }
        }
        noise
    }

    /// Whether a disagreement is one of rounding: rounded otherwise, the derivative moves by as much. Loops that stretch make
    /// cotangents of 1e16 that cancel; what is left of them then is noise.
    pub(super) fn is_rounding(&mut self, run: &Derivation<'_>, found: f64, expected: f64) -> bool {
        let mut again = run.start.clone();
        if self.machine.call_slots(run.func, &again.slots, &mut again.memory).is_err() {
            return false;
        }
        let steps_left = self.machine.steps_left;
        let mut others = Vec::new();
        for seed in 0..ROUNDINGS {
            let mut again = run.start.clone();
            let how = (seed, steps_left);
            let slots = self.machine.call_rounded(run.func, &again.slots, &mut again.memory, how, None);
            others.extend(slots.map(|slots| Point { slots, memory: again.memory }.get(run.place) / run.weight));
        }
        let moves = others.iter().any(|there| (there - found).abs() >= 0.1 * (found - expected).abs());
        // What is right as soon as it is rounded otherwise is wrong at this point alone: a rule that compares for equality.
        let is_either = |there: f64| self.agree(there, expected, 0.0) || self.agree(there, found, 0.0);
        moves && !others.into_iter().all(is_either)
    }

    /// Whether a derivative is not finite because it is too large for `f64`. It is linear in what it starts with, so that
    /// much less of that shows how large it is; rules that are not finite for another reason stay so.
    pub(super) fn is_too_large(&mut self, run: &Derivation<'_>) -> bool {
        let Some(seed) = run.seed else { return false };
        let mut again = run.start.clone();
        again.set(seed, run.weight * 2f64.powi(-LESS));
        match self.machine.call_slots(run.func, &again.slots, &mut again.memory) {
            Ok(slots) => {
                let found = Point { slots, memory: again.memory }.get(run.place);
                found.is_finite() && found.abs() >= 2f64.powi(TOO_LARGE - LESS)
            }
            Err(_) => false,
        }
    }

    /// What the slopes around a sample say of the derivative `found` of a result by an input.
    pub(super) fn around(&mut self, sample: &Sample, at: (usize, usize), found: f64) -> Around {
        let Some(left) = self.neighbourhoods_left.checked_sub(1) else { return Around::NotLooked };
        self.neighbourhoods_left = left;
        match DISTANCES.into_iter().all(|distances| self.is_among_slopes(sample, at, found, distances)) {
            true => Around::Bent,
            false => Around::Slopes,
        }
    }

    /// Whether `found` lies between the slopes at points that are `distance` away.
    fn is_among_slopes(
        &mut self,
        sample: &Sample,
        (result, input): (usize, usize),
        found: f64,
        (distance, step): (f64, f64),
    ) -> bool {
        let func = self.functions.primal;
        let (result, input) = (&sample.results[result], sample.inputs[input].at);
        let mut moved: Vec<Spot> =
            self.sampler().floats(&sample.start).iter().map(|(slot, _)| Spot::Slot(*slot)).collect();
        let elements = sample.inputs.iter().map(|input| input.at);
        moved.extend(elements.filter(|spot| matches!(spot, Spot::Element { .. })));
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for _ in 0..POINTS {
            let mut point = sample.start.clone();
            for &spot in &moved {
                let value = point.get(spot);
                point.set(spot, value + distance * (2.0 * self.random.f64() - 1.0) * value.abs().max(1.0));
            }
            let value = point.get(input);
            let (below, above) = {
                let step = step * value.abs().max(1.0);
                (value - step, value + step)
            };
            let mut run = |value: f64| {
                let mut start = point.clone();
                start.set(input, value);
                let slots = self.machine.call_frozen(func, &start.slots, &mut start.memory, &mut self.tape)?;
                Some(result.value(&Point { slots, memory: start.memory }))
            };
            let (Some(left), Some(right)) = (run(below), run(above)) else { continue };
            let slope = (right - left) / (above - below);
            if slope.is_finite() {
                (low, high) = (low.min(slope), high.max(slope));
            }
            if (low..=high).contains(&found) {
                return true;
            }
        }
        low <= high && self.is_between(found, (low, high))
    }
}
