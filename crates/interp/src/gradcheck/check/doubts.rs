//! What may excuse a derivative that is not the slope: rounding, kinks that moving one input alone does not show, and
//! numbers that are too large.
//!
//! Where inputs tie, as at `clamp(x, lo, hi)` with three equal inputs, the slopes in each of them may exist although the
//! function has no derivative. What a rule gives there is a mean of the slopes nearby, so those are looked at: at random
//! points close by, and at others much closer, so that it is no curvature.
//!
//! What is computed with derivatives takes the values that rules choose at ties, at the tie alone: of `max(abs(x), x * y)`
//! the derivative by `y` is half of `x` at `x = 0` and zero around it, so that it is a smooth function, whose derivative is
//! what its formula at the tie says all the same. Such a function's derivative is looked at beside the point.
//!
//! At a kink of the function itself a derivative may be anything between the slopes to both sides. One that is made of several
//! choices may lie beyond them although each choice is right: of `max(0, 3 * x) * (x > 0 ? 1 : -1)` it says -1.5, where the slopes
//! are 0 and 3. One that is written by hand is a single choice, and is wrong beyond the slopes, unless it computes with other
//! derivatives.

use ir::{Callee, DerivativeKind, FuncId, Module, Op, Role};
use rustc_hash::FxHashSet;

use super::{Checker, Derivation, Sample, Spot};
use crate::gradcheck::{Provenance, point::Point, provenance, sample, written_rules};

/// How many times one looks at what is around a point. What is wrong everywhere is known long before.
pub(super) const MOST_NEIGHBOURHOODS: u32 = 128;

/// Points that are looked at: of three equal inputs, each is in the middle with the others in a given order at a sixth of
/// them.
const POINTS: u32 = 64;

/// How far points are, relative to each input or to its unit, and the steps for the slopes there.
const DISTANCES: [(f64, f64); 2] = [(1e-4, 1e-6), (1e-6, 1e-8)];

/// Points beside one at which a derivative has to be right if it is wrong there alone.
const BESIDE: u32 = 8;

/// Runs that are rounded otherwise.
const ROUNDINGS: u64 = 8;

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

/// Whether the derivative of a function itself is written by hand, so that what it says at a point is said of this function.
pub(super) fn is_written(module: &Module, func: FuncId, mode: DerivativeKind) -> bool {
    match provenance(module, func, mode) {
        Provenance::Written | Provenance::Transposed => true,
        Provenance::Body | Provenance::Substitute => false,
    }
}

/// Whether a function, or its derivative `mode` that is written by hand, computes with derivatives that were made from other
/// functions.
fn computes_with_derivatives(module: &Module, func: FuncId, mode: DerivativeKind) -> bool {
    let rules = &module.funcs[func].rules;
    let rule = match mode {
        DerivativeKind::Jvp => rules.forward,
        DerivativeKind::Vjp
        | DerivativeKind::Primal
        | DerivativeKind::Pullback
        | DerivativeKind::Apply
        | DerivativeKind::Propagate => rules.backward.or(rules.forward.filter(|_| !rules.backward_differentiable)),
    };
    let mut seen: FxHashSet<FuncId> = std::iter::once(func).chain(rule).collect();
    let mut pending: Vec<FuncId> = seen.iter().copied().collect();
    while let Some(id) = pending.pop() {
        let func = &module.funcs[id];
        let is_derivative = |role: Role| matches!(role, Role::Cotangent(_) | Role::Tangent(_));
        if Some(id) != rule && func.results.iter().any(|result| is_derivative(result.role)) {
            return true;
        }
        for (_, data) in func.ops.iter() {
            match data.op {
                Op::Call { callee: Callee::Func(callee), .. } if seen.insert(callee) => pending.push(callee),
                _ => {}
            }
        }
    }
    false
}

impl Checker<'_, '_> {
    /// Whether a number is one of those between two others, up to what is little beside a scale.
    pub(super) fn is_between(&self, found: f64, (a, b): (f64, f64), scale: f64) -> bool {
        let is_at = |end: f64| self.agree(found, end, scale, 0.0);
        (a.min(b)..=a.max(b)).contains(&found) || is_at(a) || is_at(b)
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
        let is_either =
            |there: f64| self.agree(there, expected, run.scale, 0.0) || self.agree(there, found, run.scale, 0.0);
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
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for _ in 0..POINTS {
            let point = self.beside(sample, distance);
            let Some(slope) = self.slope(sample, (result, input), &point, step) else { continue };
            if slope.is_finite() {
                (low, high) = (low.min(slope), high.max(slope));
            }
            if (low..=high).contains(&found) {
                return true;
            }
        }
        low <= high && self.is_between(found, (low, high), sample.scales[input][result])
    }

    /// Whether a derivative that is wrong at a point of a function that computes with derivatives, or whose derivative that is
    /// written by hand does, is right at all points beside it: then it is the formula of a tie that another derivative chose
    /// there.
    pub(super) fn is_wrong_at_tie(&mut self, sample: &Sample, at: (usize, usize), run: &Derivation<'_>) -> bool {
        computes_with_derivatives(self.module, self.functions.primal, run.mode)
            && DISTANCES.into_iter().all(|distances| self.is_right_beside(sample, at, run, distances))
    }

    fn is_right_beside(
        &mut self,
        sample: &Sample,
        at: (usize, usize),
        run: &Derivation<'_>,
        (distance, step): (f64, f64),
    ) -> bool {
        let mut seen = 0;
        for _ in 0..BESIDE {
            let point = self.beside(sample, distance);
            // What the source holds has another value there.
            let mut memory = point.memory.clone();
            let Ok((_, tape)) = self.machine.call_recording(self.functions.primal, &point.slots, &mut memory) else {
                continue;
            };
            let at_sample = std::mem::replace(&mut self.tape, tape);
            let slope = self.slope(sample, at, &point, step);
            self.tape = at_sample;
            let mut start = run.start.clone();
            for (spot, _) in self.floats(sample) {
                start.set(spot, point.get(spot));
            }
            let end = self.machine.call_slots(run.func, &start.slots, &mut start.memory);
            let (Some(slope), Ok(slots)) = (slope, end) else { continue };
            let found = Point { slots, memory: start.memory }.get(run.place) / run.weight;
            if !self.agree(found, slope, run.scale, 0.0) {
                return false;
            }
            seen += 1;
        }
        seen >= BESIDE / 2
    }

    /// The floats of a sample's inputs, each with what is a large change of it.
    fn floats(&self, sample: &Sample) -> Vec<(Spot, f64)> {
        let slots = self.sampler().floats(&sample.start).into_iter();
        let slots = slots.map(|(slot, told)| (Spot::Slot(slot), sample::unit(told))).collect::<Vec<_>>();
        let elements = sample.inputs.iter().map(|input| (input.at, input.unit));
        slots.into_iter().chain(elements.filter(|(spot, _)| matches!(spot, Spot::Element { .. }))).collect()
    }

    /// A point in whose every float a sample's differs by up to `distance`, relative to it or to its unit.
    fn beside(&mut self, sample: &Sample, distance: f64) -> Point {
        let mut point = sample.start.clone();
        for (spot, unit) in self.floats(sample) {
            let value = point.get(spot);
            point.set(spot, value + distance * (2.0 * self.random.f64() - 1.0) * value.abs().max(unit));
        }
        point
    }

    /// The slope of a result in an input at a point; none where the function does not run around it.
    fn slope(&mut self, sample: &Sample, (result, input): (usize, usize), point: &Point, step: f64) -> Option<f64> {
        let func = self.functions.primal;
        let (result, unit, input) = (&sample.results[result], sample.inputs[input].unit, sample.inputs[input].at);
        let value = point.get(input);
        let step = step * value.abs().max(unit);
        let (below, above) = (value - step, value + step);
        let mut run = |value: f64| {
            let mut start = point.clone();
            start.set(input, value);
            let slots = self.machine.call_frozen(func, &start.slots, &mut start.memory, &mut self.tape)?;
            Some(result.value(&Point { slots, memory: start.memory }))
        };
        Some((run(above)? - run(below)?) / (above - below))
    }
}
