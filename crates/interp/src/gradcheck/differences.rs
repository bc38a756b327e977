//! Slopes by central differences, with an estimate of how good they are.

use ir::FuncId;

use super::components::Component;
use crate::{Machine, tape::Tape};

/// Step sizes, relative to the input or to 1. Large ones suffer from curvature, small ones from rounding.
const STEPS: [f64; 6] = [1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7];

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

/// The results of a function around a point.
pub(super) struct Differences {
    at: Option<Vec<u64>>,
    /// For each step: its size, the results below and above.
    around: Vec<(f64, Vec<u64>, Vec<u64>)>,
}

impl Differences {
    pub fn around(machine: &mut Machine<'_>, func: FuncId, inputs: &[u64], direction: &Component) -> Differences {
        let center = f64::from_bits(inputs[direction.input_slot]);
        let mut moved = inputs.to_vec();
        // The run at the center comes first: it records what later ones must not change.
        let mut tape = Tape::default();
        let mut call = |value: f64| {
            moved[direction.input_slot] = value.to_bits();
            machine.call_frozen(func, &moved, &mut tape).ok().flatten()
        };
        let at = call(center);
        let mut around = Vec::new();
        for step in STEPS {
            let step = step * center.abs().max(1.0);
            let (low, high) = (center - step, center + step);
            if let (Some(below), Some(above)) = (call(low), call(high)) {
                // The distance that was really gone, after rounding.
                around.push(((high - low) / 2.0, below, above));
            }
        }
        Differences { at, around }
    }

    /// The slope of a result: of the successive steps that agree best, the smaller.
    pub fn of(&self, result: usize) -> Difference {
        let Some(at) = &self.at else { return Difference::Unsettled };
        let value = |slots: &[u64]| slots.get(result).map_or(f64::NAN, |&slot| f64::from_bits(slot));
        let slopes: Vec<f64> =
            self.around.iter().map(|(step, below, above)| (value(above) - value(below)) / (2.0 * step)).collect();
        let mut best: Option<(f64, f64)> = None;
        for pair in slopes.windows(2) {
            let difference = (pair[0] - pair[1]).abs();
            if difference.is_finite() && best.is_none_or(|(_, least)| difference < least) {
                best = Some((pair[1], difference));
            }
        }
        if let Some((left, right)) = self.kink(at, &value) {
            return Difference::Kink { left, right };
        }
        match best {
            Some((slope, uncertainty)) if uncertainty <= SETTLED * slope.abs().max(1.0) => {
                Difference::Slope { slope, uncertainty }
            }
            _ => Difference::Unsettled,
        }
    }

    /// The slopes to the left and to the right if they stay apart while the step gets smaller; by curvature alone they
    /// would come together as it does.
    fn kink(&self, at: &[u64], value: &impl Fn(&[u64]) -> f64) -> Option<(f64, f64)> {
        let sides = |(step, below, above): &(f64, Vec<u64>, Vec<u64>)| {
            ((value(at) - value(below)) / step, (value(above) - value(at)) / step)
        };
        let [_, wide, .., narrow, _, _] = &self.around[..] else { return None };
        let (wide, (left, right)) = (sides(wide), sides(narrow));
        let (wide, narrow) = ((wide.0 - wide.1).abs(), (left - right).abs());
        let scale = left.abs().max(right.abs()).max(1.0);
        (narrow > SETTLED * scale && narrow > 0.5 * wide).then_some((left, right))
    }
}
