//! Floats in buffers as they were stored, before they were rounded to the width that they have there, and which of them a
//! run reads and writes. Differences over memory need this: the rounding of a `float` is larger than most steps.

use ir::{Type, number};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

use crate::{layout::Layouts, memory::BufferId, words};

/// Where a scalar is in memory.
pub(crate) type Address = (BufferId, u64);

/// What is remembered of the floats in a memory.
#[derive(Debug, Clone, Default)]
pub(crate) struct ExactFloats {
    values: FxHashMap<Address, f64>,
    /// The floats that were read and written, in order of their addresses.
    pub read: BTreeSet<Address>,
    pub written: BTreeSet<Address>,
    /// The integers that were written: a derivative that is written by hand may add in fixed point.
    pub written_integers: BTreeSet<Address>,
}

impl ExactFloats {
    pub(crate) fn get(&self, address: Address) -> Option<f64> {
        self.values.get(&address).copied()
    }

    pub(crate) fn set(&mut self, address: Address, value: f64) {
        self.values.insert(address, value);
    }

    /// Notes that a value of type `ty` is read, and puts what is remembered in the place of the rounded floats in `slots`.
    pub(crate) fn note_read(&mut self, layouts: &Layouts<'_>, ty: Type, (buffer, offset): Address, slots: &mut [u64]) {
        words::for_each_scalar(layouts, ty, &mut |scalar, slot, byte| {
            let address = (buffer, offset.saturating_add(byte));
            if !scalar.is_float() {
                return;
            }
            self.read.insert(address);
            let (Some(exact), Some(slot)) = (self.get(address), slots.get_mut(slot as usize)) else { return };
            // Someone may have written the same bytes as something else.
            if number::to_memory(scalar, exact.to_bits()) == number::to_memory(scalar, *slot) {
                *slot = exact.to_bits();
            }
        });
    }

    /// Notes that a value of type `ty` is written.
    pub(crate) fn note_write(&mut self, layouts: &Layouts<'_>, ty: Type, (buffer, offset): Address, slots: &[u64]) {
        words::for_each_scalar(layouts, ty, &mut |scalar, slot, byte| {
            let address = (buffer, offset.saturating_add(byte));
            if !scalar.is_float() {
                self.written_integers.insert(address);
            } else if let Some(slot) = slots.get(slot as usize) {
                self.written.insert(address);
                self.set(address, f64::from_bits(*slot));
            }
        });
    }
}
