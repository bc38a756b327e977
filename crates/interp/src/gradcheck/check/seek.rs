//! Inputs for a side of a branch that none takes by chance: from inputs at which its condition is evaluated, one number after
//! the other is moved to where the operands of a comparison meet, and beyond.

use ir::{Scalar, number};

use super::{
    Checker, Spot, Stopped,
    conditions::{Border, borders},
};
use crate::{
    coverage,
    coverage::Side,
    gradcheck::{
        buffers::Buffers,
        point::Point,
        sample::{Range, Search},
    },
};

/// Most numbers that are moved.
pub(super) const MOST_MOVED: usize = 24;

/// Times that all sides are sought: some can only be taken from where another one is.
const ROUNDS: usize = 3;

/// Inputs that a side is sought from.
const STARTS: usize = 3;

/// Random inputs that are tried for a condition to be evaluated, beside those that took other branches.
const RANDOM_STARTS: usize = 4;

/// Steps along a secant, and halvings between two sides.
const SECANTS: usize = 6;
const HALVINGS: usize = 24;

/// The largest float that is sought where nothing says a range: farther out differences say little of functions that
/// oscillate, and random inputs of all sizes have been there.
const FARTHEST: f64 = 100.0;

/// How far beyond the border inputs are tried, in distances to it.
const BEYOND: [f64; 6] = [0.0, 1e-6, 1e-3, 0.05, 0.5, 2.0];

/// A number of an input that can be moved.
#[derive(Clone, Copy)]
struct Moved {
    spot: Spot,
    scalar: Scalar,
    told: Option<Range>,
}

impl Moved {
    fn get(self, point: &Point) -> f64 {
        match self.spot {
            Spot::Slot(slot) => coverage::number(self.scalar, point.slots.get(slot).copied().unwrap_or(0)),
            Spot::Element { .. } => point.get(self.spot),
        }
    }

    /// The point with another number there, as near to it as may be.
    fn set(self, point: &Point, value: f64) -> (f64, Point) {
        let mut moved = point.clone();
        let farthest = if self.scalar.is_float() { FARTHEST } else { f64::MAX };
        let (low, high) = self.told.unwrap_or((-farthest, farthest));
        let value = value.clamp(low, high);
        match self.spot {
            Spot::Slot(slot) if !self.scalar.is_float() => {
                let bits = number::wrap(self.scalar, value.round() as i64 as u64);
                if let Some(place) = moved.slots.get_mut(slot) {
                    *place = bits;
                }
                (coverage::number(self.scalar, bits), moved)
            }
            spot => {
                moved.set(spot, value);
                (value, moved)
            }
        }
    }
}

/// A way to a border: numbers that were tried, each with the gap there.
struct Way<'a> {
    start: &'a (Point, Buffers),
    moved: Moved,
    border: Border,
}

impl Checker<'_, '_> {
    /// Seeks inputs for all sides that are left.
    pub(super) fn seek_branches(&mut self) -> Result<(), Stopped> {
        self.sought_steps = 0;
        for _ in 0..ROUNDS {
            let left = self.sides_left();
            for &side in &left {
                self.seek(side)?;
            }
            if self.sides_left() == left {
                break;
            }
        }
        Ok(())
    }

    fn is_sought(&self, side: Side) -> bool {
        let is_taken = self.machine.coverage.as_ref().is_none_or(|coverage| coverage.sides.contains(&side));
        !is_taken && self.sought_steps < self.options.sought_steps
    }

    fn seek(&mut self, side: Side) -> Result<(), Stopped> {
        for border in borders(self.module, side) {
            let mut starts = self.starts.clone();
            for number in 0..RANDOM_STARTS {
                let mut random = self.random.fork();
                starts.push(self.sampler().random(&mut random, Search::of_try(number as u32, 0)));
            }
            let mut used = 0;
            for start in starts.into_iter().rev() {
                if !self.is_sought(side) || used == STARTS {
                    break;
                }
                let Some(gap) = self.try_point(start.0.clone(), start.1.clone(), Some(border))? else { continue };
                used += 1;
                for moved in self.movable(&start.0) {
                    if !self.is_sought(side) {
                        break;
                    }
                    self.walk(side, &Way { start: &start, moved, border }, gap)?;
                }
            }
        }
        Ok(())
    }

    /// What can be moved at a point: numbers of inputs, and elements of buffers that the function reads.
    fn movable(&mut self, point: &Point) -> Vec<Moved> {
        let numbers = self.sampler().numbers(point).into_iter();
        let slots = numbers.map(|(slot, scalar, told)| Moved { spot: Spot::Slot(slot), scalar, told });
        let mut all: Vec<Moved> = slots.collect();
        self.random.shuffle(&mut all);
        all.truncate(MOST_MOVED);
        let mut end = point.clone();
        let _ = self.machine.call_slots(self.functions.primal, &point.slots, &mut end.memory);
        let read = end.memory.exact_floats.iter().flat_map(|floats| floats.read.iter().copied());
        let elements = read.map(|address| Moved {
            spot: Spot::Element { address, scalar: Scalar::F32 },
            scalar: Scalar::F32,
            told: None,
        });
        all.extend(elements.take(MOST_MOVED));
        all
    }

    fn gap_at(&mut self, way: &Way<'_>, value: f64) -> Result<(f64, Option<f64>), Stopped> {
        let (value, point) = way.moved.set(&way.start.0, value);
        Ok((value, self.try_point(point, way.start.1.clone(), Some(way.border))?))
    }

    /// Moves one number to where the gap is zero, and beyond.
    fn walk(&mut self, side: Side, way: &Way<'_>, gap: f64) -> Result<(), Stopped> {
        let value = way.moved.get(&way.start.0);
        let step = if way.moved.scalar.is_float() { 1e-3 * value.abs().max(1.0) } else { 1.0 };
        let mut last = (value, gap);
        let (next, Some(gap_there)) = self.gap_at(way, value + step)? else { return Ok(()) };
        let mut here = (next, gap_there);
        let mut apart = None;
        for _ in 0..SECANTS {
            if here.1 * last.1 < 0.0 {
                apart = Some((last, here));
            }
            if here.1 == 0.0 || here.1 == last.1 || !self.is_sought(side) {
                break;
            }
            let target = here.0 - here.1 * (here.0 - last.0) / (here.1 - last.1);
            let (next, Some(gap)) = self.gap_at(way, target)? else { break };
            (last, here) = (here, (next, gap));
        }
        if let Some((mut low, mut high)) = apart {
            for _ in 0..HALVINGS {
                if !self.is_sought(side) {
                    return Ok(());
                }
                let (middle, Some(gap)) = self.gap_at(way, (low.0 + high.0) / 2.0)? else { break };
                let half = if gap * low.1 < 0.0 { &mut high } else { &mut low };
                *half = (middle, gap);
            }
            here = low;
        }
        let distance = (here.0 - value).abs().max(step);
        if here.0 == next && here.1 == gap {
            // It does not depend on this number.
            return Ok(());
        }
        for factor in BEYOND {
            for sign in [1.0, -1.0] {
                if self.is_sought(side) {
                    self.gap_at(way, here.0 + sign * factor * distance)?;
                }
            }
        }
        Ok(())
    }
}
