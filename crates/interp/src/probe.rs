//! What operations make in a run, and what follows if one of them makes a little more: the values, and by differences the
//! cotangents, of everything on the way.

use ir::{FuncId, OpId};
use rustc_hash::FxHashMap;

/// Numbers of one value that are kept.
const MOST_NUMBERS: usize = 16;

/// What an operation made, of the times that it ran.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Made {
    /// How often it ran.
    pub count: u32,
    /// Which of them is kept, from 0, and what it made.
    pub kept: u32,
    pub value: Vec<f64>,
}

/// A number that is moved: of which operation, which time that it ran, which of the value, and by how much.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Nudge {
    pub op: (FuncId, OpId),
    pub time: u32,
    pub number: usize,
    pub by: f64,
}

#[derive(Debug, Default)]
pub(crate) struct Probe {
    /// The time that is kept of each operation, from 0, or its last if it does not run as often; the last without one.
    pub time: Option<u32>,
    pub made: FxHashMap<(FuncId, OpId), Made>,
    pub nudge: Option<Nudge>,
    /// How often the operation that is moved has run.
    nudged: u32,
}

impl Probe {
    pub(crate) fn keeping(time: Option<u32>) -> Probe {
        Probe { time, ..Probe::default() }
    }

    /// One that moves a number, and keeps nothing.
    pub(crate) fn nudging(nudge: Nudge) -> Probe {
        Probe { nudge: Some(nudge), ..Probe::default() }
    }

    /// Looks at the floats that an operation has just made.
    pub(crate) fn look(&mut self, op: (FuncId, OpId), slots: &mut [u64]) {
        if let Some(nudge) = self.nudge {
            if nudge.op == op {
                if nudge.time == self.nudged
                    && let Some(slot) = slots.get_mut(nudge.number)
                {
                    *slot = (f64::from_bits(*slot) + nudge.by).to_bits();
                }
                self.nudged = self.nudged.saturating_add(1);
            }
            return;
        }
        if slots.len() > MOST_NUMBERS {
            return;
        }
        let made = self.made.entry(op).or_default();
        if self.time.is_none_or(|time| made.count <= time) {
            made.kept = made.count;
            made.value = slots.iter().map(|&slot| f64::from_bits(slot)).collect();
        }
        made.count = made.count.saturating_add(1);
    }
}
