//! Slopes by central differences, with an estimate of how good they are.
//!
//! Two steps that agree do not yet know the slope: where a function oscillates faster than both (`sin(1e6 * x)`, or small
//! waves far out), each gives the trend, about zero, and they agree on it. So a slope is believed only if all finer steps that
//! were made agree with it, as far as rounding lets them.

/// Step sizes, relative to the input or to 1. Large ones suffer from curvature, small ones from rounding. None is a round
/// multiple of another, lest many be multiples of one period.
const STEPS: [f64; 11] =
    [1e-2, 1.13e-3, 0.89e-4, 1.07e-5, 0.93e-6, 1.17e-7, 1.09e-8, 0.91e-9, 1.03e-10, 0.87e-11, 1.11e-12];

/// The steps that nearly always settle it, by position, the last one as the witness that nothing finer is there; the others
/// are only run if these do not.
const FIRST: [usize; 4] = [1, 2, 3, 6];

/// The steps at which slopes to the left and right are compared, by position.
const WIDE: usize = 1;
const NARROW: usize = 3;

/// Steps at which curvature does not count.
const CLOSE: f64 = 5e-6;

/// How many times a slope may be as wrong as successive steps differ.
const DOUBT: f64 = 4.0;

/// How many times the rounding of a difference is more than its estimate, at most.
const ROUNDING: f64 = 8.0;

/// How much two slopes may differ, relative to them or to the scale of the slopes, and still be called equal.
const SETTLED: f64 = 1e-3;

/// How many times what rounding does to a difference at the third step has to be in the scale of the slopes, lest it be nothing
/// but rounding.
const ABOVE_ROUNDING: f64 = 2.0 * DOUBT / SETTLED;

/// What differences say of one result in one direction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Difference {
    Slope {
        slope: f64,
        /// By how much it may be wrong.
        uncertainty: f64,
    },
    /// The slopes to the left and to the right differ.
    Kink { left: f64, right: f64 },
    /// The slopes at different steps differ, or are not finite.
    Unsettled,
}

/// The results of a function on both sides of a point.
struct Sides {
    step: f64,
    below: Vec<f64>,
    above: Vec<f64>,
}

/// The results of a function around a point.
pub(super) struct Differences {
    at: Vec<f64>,
    /// By how much rounding may change each result.
    noise: Vec<f64>,
    /// How large slopes of each result are about here, at most 1: what is much smaller is zero.
    scale: Vec<f64>,
    /// For each of [`STEPS`], if it was run and the function ran.
    around: [Option<Sides>; STEPS.len()],
}

impl Differences {
    /// Calls `run`, which gives the results for another value of the input that is moved, around `value`, where they are
    /// `at`, each with its noise and with the scale that its slopes are known to have; at further steps until the slopes of all
    /// are known up to `tolerance`. The input changes by much if it changes by `unit`.
    pub(crate) fn around(
        (value, unit): (f64, f64),
        (at, noise, known_scale): (Vec<f64>, Vec<f64>, Vec<f64>),
        tolerance: f64,
        mut run: impl FnMut(f64) -> Option<Vec<f64>>,
    ) -> Differences {
        let unit = value.abs().max(unit);
        let mut sides = |step: f64| {
            let step = step * unit;
            let (low, high) = (value - step, value + step);
            // The distance that was really gone, after rounding.
            Some(Sides { step: (high - low) / 2.0, below: run(low)?, above: run(high)? })
        };
        let mut differences = Differences { at, noise, scale: known_scale, around: [const { None }; STEPS.len()] };
        for at in FIRST {
            differences.around[at] = sides(STEPS[at]);
        }
        let rounding = |noise: f64| noise / (STEPS[FIRST[1]] * unit);
        for result in 0..differences.at.len() {
            let value = |values: &[f64]| values.get(result).copied().unwrap_or(f64::NAN);
            let (left, right) = match &differences.around[WIDE] {
                Some(sides) => differences.one_sided(sides, &value),
                None => (f64::NAN, f64::NAN),
            };
            let least = ABOVE_ROUNDING * rounding(value(&differences.noise));
            // Where the function does not run, nothing is known.
            let own = if left.is_finite() && right.is_finite() { left.abs().max(right.abs()) } else { 1.0 };
            differences.scale[result] = differences.scale[result].max(own).max(least).min(1.0);
        }
        let is_known = |result: usize, difference| match difference {
            Difference::Slope { slope, uncertainty } => {
                let least = rounding(differences.noise[result]);
                uncertainty <= DOUBT * (tolerance * f64::abs(slope).max(differences.scale[result])).max(least)
            }
            Difference::Kink { .. } | Difference::Unsettled => false,
        };
        if !(0..differences.at.len()).all(|result| is_known(result, differences.of(result))) {
            for (at, &step) in STEPS.iter().enumerate().filter(|(at, _)| !FIRST.contains(at)) {
                differences.around[at] = sides(step);
            }
        }
        differences
    }

    /// How large slopes of a result are about here, at most 1.
    pub(crate) fn scale(&self, result: usize) -> f64 {
        self.scale.get(result).copied().unwrap_or(1.0)
    }

    /// The slope of a result: of the successive steps that agree best, the smaller.
    pub(crate) fn of(&self, result: usize) -> Difference {
        let value = |values: &[f64]| values.get(result).copied().unwrap_or(f64::NAN);
        let slope = |sides: &Sides| (value(&sides.above) - value(&sides.below)) / (2.0 * sides.step);
        let (noise, scale) = (value(&self.noise), self.scale(result));
        let sides: Vec<&Sides> = self.around.iter().flatten().collect();
        let witnesses = if sides.len() > FIRST.len() { 2 } else { 1 };
        let mut best: Option<(f64, f64)> = None;
        for (number, pair) in sides.windows(2).enumerate() {
            let (wide, narrow) = (slope(pair[0]), slope(pair[1]));
            // What is not a number stays so.
            let rounding = noise / pair[1].step;
            let difference = if (wide - narrow).abs() < rounding { rounding } else { (wide - narrow).abs() };
            let is_better = difference.is_finite() && best.is_none_or(|(_, least)| difference < least);
            let finer = &sides[number + 2..];
            let gap = |(left, right): (f64, f64)| (left - right).abs();
            // By how much curvature keeps the slopes to both sides apart; at finer steps that is less, at least with their root
            // (`pow(abs(x), 1.5)` at 0). A step at which nothing changes is too small for a function that moves in steps of its
            // own, through bits.
            let bent = gap(self.one_sided(pair[1], &value));
            let agrees = |finer: &&Sides| {
                let (left, right) = self.one_sided(finer, &value);
                let apart = (left - narrow).abs().max((right - narrow).abs());
                let is_flat = left == 0.0 && right == 0.0;
                let still_bent = bent * (finer.step / pair[1].step).sqrt();
                is_flat || apart <= difference + still_bent + ROUNDING * noise / finer.step
            };
            if is_better
                && finer.len() >= witnesses
                && finer.iter().all(agrees)
                && !self.is_apart(pair[1], &value, scale)
            {
                best = Some((narrow, difference));
            }
        }
        match (self.bend(&value, noise, scale), best) {
            (Bend::Kink { left, right }, _) => Difference::Kink { left, right },
            (Bend::None, Some((slope, difference))) if difference <= SETTLED * slope.abs().max(scale) => {
                Difference::Slope { slope, uncertainty: DOUBT * difference }
            }
            (Bend::None | Bend::Singular, _) => Difference::Unsettled,
        }
    }

    /// The slopes to the left and to the right.
    fn one_sided(&self, sides: &Sides, value: &impl Fn(&[f64]) -> f64) -> (f64, f64) {
        let at = value(&self.at);
        ((at - value(&sides.below)) / sides.step, (value(&sides.above) - at) / sides.step)
    }

    /// Whether the point itself lies apart from both sides although they are close: the function jumps there and back, and
    /// the slope is that of another branch.
    fn is_apart(&self, sides: &Sides, value: &impl Fn(&[f64]) -> f64, scale: f64) -> bool {
        let (left, right) = self.one_sided(sides, value);
        sides.step <= CLOSE && (left - right).abs() > SETTLED * left.abs().max(right.abs()).max(scale)
    }

    /// Whether the slopes to the left and to the right stay apart while the step gets smaller; by curvature alone they
    /// would come together as it does. At a jump, and where the slope is infinite, they grow without end.
    fn bend(&self, value: &impl Fn(&[f64]) -> f64, noise: f64, scale: f64) -> Bend {
        let (Some(wide), Some(narrow)) = (&self.around[WIDE], &self.around[NARROW]) else { return Bend::None };
        let least = 4.0 * noise / narrow.step;
        let (wide, (left, right)) = (self.one_sided(wide, value), self.one_sided(narrow, value));
        let (wide, narrow) = ((wide.0 - wide.1).abs(), (left - right).abs());
        let scale = left.abs().max(right.abs()).max(scale);
        match narrow / wide {
            _ if narrow <= (SETTLED * scale).max(least) => Bend::None,
            growth if growth >= 2.0 => Bend::Singular,
            growth if growth >= 0.5 => Bend::Kink { left, right },
            _ => Bend::None,
        }
    }
}

/// What the slopes to both sides do as the step gets smaller.
enum Bend {
    None,
    Kink {
        left: f64,
        right: f64,
    },
    /// They grow apart.
    Singular,
}

#[cfg(test)]
mod tests {
    use super::{Difference, Differences};

    const TOLERANCE: f64 = 1e-6;

    /// Differences of a function with one result, whose roundings add up to `noise`.
    fn difference(at: f64, noise: f64, function: impl Fn(f64) -> f64) -> Difference {
        let known = (vec![function(at)], vec![noise], vec![0.0]);
        Differences::around((at, 1.0), known, TOLERANCE, |x| Some(vec![function(x)])).of(0)
    }

    /// A trend with waves on it, which may be shorter than any step: `slope * x + height * sin(frequency * x)`. Either
    /// differences know its derivative or they say that they do not. Frequencies are powers of two, so that the
    /// derivative is known.
    #[test]
    fn differences_never_take_the_trend_for_the_slope() {
        let (mut known, mut unknown, mut deceived) = (0, 0, 0);
        for power in 0..44 {
            let frequency = 2f64.powi(power);
            for height in [1.0, 1e-2, 1e-4, 1e-6, 1e-9, 1e-12] {
                for slope in [0.0, 1.0, -300.0] {
                    for x in [0.3, 1.0, 7.73, 41.39, 144.364, 738.582, 2.4e6, 7e9] {
                        let wave = |x: f64| slope * x + height * (frequency * x).sin();
                        let expected = slope + height * frequency * (frequency * x).cos();
                        let noise = f64::EPSILON * ((slope * x).abs() + wave(x).abs() + height);
                        if height < 100.0 * noise {
                            // Little tells it from rounding.
                            continue;
                        }
                        match difference(x, noise, wave) {
                            Difference::Slope { slope: found, uncertainty } => {
                                known += 1;
                                let close = 10.0 * TOLERANCE * expected.abs().max(1.0);
                                deceived += u32::from((found - expected).abs() > uncertainty + close);
                            }
                            Difference::Kink { .. } | Difference::Unsettled => unknown += 1,
                        }
                    }
                }
            }
        }
        assert!(known > 1000, "{known} are known, {unknown} are not");
        assert!(deceived * 1000 < known, "{deceived} of {known} are wrong");
    }

    #[test]
    fn fine_steps_refute_nothing_of_smooth_functions() {
        type Function = fn(f64) -> f64;
        let functions: [[Function; 2]; 6] = [
            [|x| x * x * x, |x| 3.0 * x * x],
            [f64::exp, f64::exp],
            [f64::tanh, |x| 1.0 - x.tanh() * x.tanh()],
            [|x| (3.0 * x).sin(), |x| 3.0 * (3.0 * x).cos()],
            [|x| 1e3 + x, |_| 1.0],
            [|x| x.abs().powf(1.5), |x| 1.5 * x.signum() * x.abs().sqrt()],
        ];
        for [function, derivative] in functions {
            for x in [-2.0, -0.7, 0.0, 0.05, 0.4, 1.0, 1.9, 30.0] {
                let expected: f64 = derivative(x);
                match difference(x, f64::EPSILON * function(x).abs(), function) {
                    Difference::Slope { slope, .. } => {
                        assert!((slope - expected).abs() <= 1e-5 * expected.abs().max(1.0), "{slope}, not {expected}");
                    }
                    other => panic!("{other:?} at {x}, the derivative is {expected}"),
                }
            }
        }
    }
}
