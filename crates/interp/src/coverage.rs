//! Which branches have been taken, over all runs of a machine.

use ir::{FuncId, OpId};
use rustc_hash::FxHashSet;

/// A side of a branch: of an `if` and a `select` 1 and 0, of others the region's number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Side {
    pub func: FuncId,
    pub op: OpId,
    pub number: usize,
}

/// The functions that were called and the sides that were taken.
#[derive(Debug, Default)]
pub(crate) struct Coverage {
    pub funcs: FxHashSet<FuncId>,
    pub sides: FxHashSet<Side>,
}

impl Coverage {
    pub fn take(&mut self, func: FuncId, op: OpId, number: usize) {
        self.sides.insert(Side { func, op, number });
    }
}
