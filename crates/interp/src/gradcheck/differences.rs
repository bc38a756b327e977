//! Slopes by central differences, with an estimate of how good they are.

/// Step sizes, relative to the input or to 1. Large ones suffer from curvature, small ones from rounding.
const STEPS: [f64; 6] = [1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7];

/// The steps that nearly always settle it, by position; the others are only run if these do not.
const FIRST: std::ops::RangeInclusive<usize> = 1..=3;

/// The steps at which slopes to the left and right are compared, by position.
const WIDE: usize = 1;
const NARROW: usize = 3;

/// Steps at which curvature does not count.
const CLOSE: f64 = 5e-6;

/// How much two numbers may differ, relative to them or to 1, and still be called equal.
const SETTLED: f64 = 1e-3;

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
    /// For each of [`STEPS`], if it was run and the function ran.
    around: [Option<Sides>; STEPS.len()],
}

impl Differences {
    /// Calls `run`, which gives the results for another value of the input that is moved, around `value`, where they are
    /// `at`, each with its noise; at further steps until the slopes of all are known up to `tolerance`.
    pub fn around(
        value: f64,
        (at, noise): (Vec<f64>, Vec<f64>),
        tolerance: f64,
        mut run: impl FnMut(f64) -> Option<Vec<f64>>,
    ) -> Differences {
        let mut sides = |step: f64| {
            let step = step * value.abs().max(1.0);
            let (low, high) = (value - step, value + step);
            // The distance that was really gone, after rounding.
            Some(Sides { step: (high - low) / 2.0, below: run(low)?, above: run(high)? })
        };
        let mut differences = Differences { at, noise, around: [const { None }; STEPS.len()] };
        for at in FIRST {
            differences.around[at] = sides(STEPS[at]);
        }
        let is_known = |difference| match difference {
            Difference::Slope { slope, uncertainty } => uncertainty <= tolerance * f64::abs(slope).max(1.0),
            Difference::Kink { .. } | Difference::Unsettled => false,
        };
        if !(0..differences.at.len()).all(|result| is_known(differences.of(result))) {
            for (at, &step) in STEPS.iter().enumerate().filter(|(at, _)| !FIRST.contains(at)) {
                differences.around[at] = sides(step);
            }
        }
        differences
    }

    /// The slope of a result: of the successive steps that agree best, the smaller.
    pub fn of(&self, result: usize) -> Difference {
        let value = |values: &[f64]| values.get(result).copied().unwrap_or(f64::NAN);
        let slope = |sides: &Sides| (value(&sides.above) - value(&sides.below)) / (2.0 * sides.step);
        let noise = value(&self.noise);
        let mut best: Option<(f64, f64)> = None;
        let mut last: Option<f64> = None;
        for sides in self.around.iter().flatten() {
            let slope = slope(sides);
            let rounding = noise / sides.step;
            // What is not a number stays so.
            let apart = |last: f64| if (last - slope).abs() < rounding { rounding } else { (last - slope).abs() };
            let difference = last.map_or(f64::NAN, apart);
            let is_better = difference.is_finite() && best.is_none_or(|(_, least)| difference < least);
            if is_better && !self.is_apart(sides, &value) {
                best = Some((slope, difference));
            }
            last = Some(slope);
        }
        match (self.bend(&value, noise), best) {
            (Bend::Kink { left, right }, _) => Difference::Kink { left, right },
            (Bend::None, Some((slope, uncertainty))) if uncertainty <= SETTLED * slope.abs().max(1.0) => {
                Difference::Slope { slope, uncertainty }
            }
            (Bend::None | Bend::Singular, _) => Difference::Unsettled,
        }
    }

    /// Whether the point itself lies apart from both sides although they are close: the function jumps there and back, and
    /// the slope is that of another branch.
    fn is_apart(&self, sides: &Sides, value: &impl Fn(&[f64]) -> f64) -> bool {
        let at = value(&self.at);
        let (left, right) = ((at - value(&sides.below)) / sides.step, (value(&sides.above) - at) / sides.step);
        sides.step <= CLOSE && (left - right).abs() > SETTLED * left.abs().max(right.abs()).max(1.0)
    }

    /// Whether the slopes to the left and to the right stay apart while the step gets smaller; by curvature alone they
    /// would come together as it does. At a jump, and where the slope is infinite, they grow without end.
    fn bend(&self, value: &impl Fn(&[f64]) -> f64, noise: f64) -> Bend {
        let at = value(&self.at);
        let slopes = |sides: &Sides| ((at - value(&sides.below)) / sides.step, (value(&sides.above) - at) / sides.step);
        let (Some(wide), Some(narrow)) = (&self.around[WIDE], &self.around[NARROW]) else { return Bend::None };
        let least = 4.0 * noise / narrow.step;
        let (wide, (left, right)) = (slopes(wide), slopes(narrow));
        let (wide, narrow) = ((wide.0 - wide.1).abs(), (left - right).abs());
        let scale = left.abs().max(right.abs()).max(1.0);
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
