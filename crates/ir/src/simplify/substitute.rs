//! Replacing values by other values.

use rustc_hash::FxHashMap;

use crate::{Op, ValueId};

/// What takes the place of a value. Chains are followed, so a replacement may be replaced later.
#[derive(Debug, Default)]
pub(super) struct Substitution {
    replaced: FxHashMap<ValueId, ValueId>,
}

impl Substitution {
    pub(crate) fn replace(&mut self, value: ValueId, by: ValueId) {
        let by = self.resolve(by);
        if by != value {
            self.replaced.insert(value, by);
        }
    }

    pub(crate) fn resolve(&self, mut value: ValueId) -> ValueId {
        while let Some(&by) = self.replaced.get(&value) {
            value = by;
        }
        value
    }

    /// Whether an operand changed.
    pub(crate) fn operands(&self, op: &mut Op) -> bool {
        let mut changed = false;
        op.for_each_operand_mut(|value| changed |= self.value(value));
        changed
    }

    pub(crate) fn values(&self, values: &mut [ValueId]) -> bool {
        values.iter_mut().fold(false, |changed, value| self.value(value) | changed)
    }

    fn value(&self, value: &mut ValueId) -> bool {
        let resolved = self.resolve(*value);
        std::mem::replace(value, resolved) != resolved
    }
}
