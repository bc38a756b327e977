//! Where a function is run: the slots of its inputs and the memory that they, and the shader parameters, refer to. What
//! comes out has the same form.

use ir::{Scalar, number};

use crate::{
    Memory,
    exact_floats::{Address, ExactFloats},
};

/// Inputs or results, with memory.
#[derive(Debug, Clone, Default)]
pub(super) struct Point {
    pub slots: Vec<u64>,
    pub memory: Memory,
}

/// A float of a [`Point`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Spot {
    Slot(usize),
    /// A float in a buffer.
    Element {
        address: Address,
        scalar: Scalar,
    },
}

impl Point {
    pub(crate) fn new(slots: Vec<u64>) -> Point {
        let mut memory = Memory::default();
        memory.exact_floats = Some(ExactFloats::default());
        Point { slots, memory }
    }

    /// The same with further slots after those that there are.
    pub(crate) fn with(&self, more: &[u64]) -> Point {
        let mut point = self.clone();
        point.slots.extend_from_slice(more);
        point
    }

    pub(crate) fn get(&self, spot: Spot) -> f64 {
        match spot {
            Spot::Slot(slot) => self.slots.get(slot).map_or(f64::NAN, |&slot| f64::from_bits(slot)),
            Spot::Element { address, scalar } => {
                let exact = self.memory.exact_floats.as_ref().and_then(|floats| floats.get(address));
                exact.unwrap_or_else(|| {
                    let bytes = self.memory.bytes(address.0);
                    let start = address.1 as usize;
                    let bytes = bytes.get(start..start + scalar.bits() as usize / 8).unwrap_or(&[]);
                    let bits = bytes.iter().rev().fold(0, |bits, &byte| bits << 8 | u64::from(byte));
                    f64::from_bits(number::from_memory(scalar, bits))
                })
            }
        }
    }

    pub(crate) fn set(&mut self, spot: Spot, value: f64) {
        match spot {
            Spot::Slot(slot) => {
                if let Some(slot) = self.slots.get_mut(slot) {
                    *slot = value.to_bits();
                }
            }
            Spot::Element { address, scalar } => {
                let bits = number::to_memory(scalar, value.to_bits()).to_le_bytes();
                let (start, size) = (address.1 as usize, scalar.bits() as usize / 8);
                if let Some(place) = self.memory.bytes_mut(address.0).get_mut(start..start + size) {
                    place.copy_from_slice(&bits[..size]);
                }
                if let Some(floats) = &mut self.memory.exact_floats {
                    floats.set(address, value);
                }
            }
        }
    }
}
