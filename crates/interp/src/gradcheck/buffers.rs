//! Buffers that inputs and shader parameters refer to, and the places for the derivatives of their elements.
//!
//! A place for derivatives is known where a type says so: the fields `primal` and `diff` of the core library's
//! `DiffTensorView`, the halves of a `DifferentialPtrPair`. For other buffers it is looked for: a backward derivative that
//! is written by hand adds the derivatives of a buffer to another one, which the function itself does not touch. If just
//! one buffer may be meant for just one other of the same elements, or the name of one has that of the other in it, the two
//! belong together.

use std::collections::BTreeSet;

use ir::{HandleType, Scalar, Type};
use smol_str::SmolStr;

use super::point::{Point, Spot};
use crate::{BufferId, Handle, exact_floats::Address, layout::Layouts, memory::pointee, words};

/// Elements of a buffer, and one more than the largest integer that is tried for an index.
pub(super) const LENGTH: u64 = 8;

/// Dimensions of a tensor.
pub(super) const DIMENSIONS: usize = 3;

/// The largest buffer, in bytes: elements may be of any size.
const MOST_BYTES: u64 = 1 << 16;

/// Bytes of a buffer that has no elements.
const RAW_BYTES: u64 = 64 * LENGTH;

#[derive(Debug, Clone)]
pub(super) struct Buffer {
    pub id: BufferId,
    pub name: SmolStr,
    /// The floats in it: where they are, and their types.
    floats: Vec<(u64, Scalar)>,
    /// The bytes of an element.
    stride: u64,
    /// Whether its elements are vectors.
    is_vector: bool,
    /// The dimensions of the tensor that it is seen as, 1 for other buffers.
    dimensions: u32,
    /// The buffer of its derivatives.
    pub derivative: Option<Derivative>,
    /// Whether it is the buffer of the derivatives of another one.
    pub is_derivative: bool,
}

/// Where the derivatives of a buffer are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Derivative {
    pub id: BufferId,
    /// Whether forward derivatives are there, too: only if a type says so.
    pub both_ways: bool,
}

/// The buffers of a sample, which are the same at all samples but for their contents.
#[derive(Debug, Clone, Default)]
pub(super) struct Buffers {
    pub all: Vec<Buffer>,
}

impl Buffers {
    /// A buffer for a handle, as a slot. Textures and samplers are nothing.
    pub(crate) fn allocate(
        &mut self,
        layouts: &Layouts<'_>,
        handle: HandleType,
        name: &str,
        point: &mut Point,
        number: &mut dyn FnMut() -> f64,
    ) -> u64 {
        self.of_dimensions(layouts, handle, 1, (name, point), number)
    }

    pub(crate) fn allocate_tensor(
        &mut self,
        layouts: &Layouts<'_>,
        handle: HandleType,
        name: &str,
        point: &mut Point,
        number: &mut dyn FnMut() -> f64,
    ) -> u64 {
        self.of_dimensions(layouts, handle, DIMENSIONS as u32, (name, point), number)
    }

    fn of_dimensions(
        &mut self,
        layouts: &Layouts<'_>,
        handle: HandleType,
        dimensions: u32,
        (name, point): (&str, &mut Point),
        number: &mut dyn FnMut() -> f64,
    ) -> u64 {
        let length = LENGTH.pow(dimensions);
        let mut floats = Vec::new();
        let (stride, bytes) = match (handle, pointee(handle, layouts.types)) {
            (HandleType::ByteAddressBuffer { .. }, _) => {
                floats.extend((0..RAW_BYTES).step_by(4).map(|byte| (byte, Scalar::F32)));
                (4, RAW_BYTES)
            }
            (
                HandleType::StructuredBuffer { .. } | HandleType::TexelBuffer { .. } | HandleType::Pointer { .. },
                Some(element),
            ) => {
                let stride = layouts.size(element).stride();
                let bytes = stride.saturating_mul(length);
                if bytes > MOST_BYTES {
                    return 0;
                }
                for start in (0..length).map(|index| index * stride) {
                    words::for_each_scalar(layouts, element, &mut |scalar, _, byte| {
                        if scalar.is_float() {
                            floats.push((start + byte, scalar));
                        }
                    });
                }
                (stride, bytes)
            }
            _ => return 0,
        };
        let id = point.memory.add_buffer(&vec![0; bytes.div_ceil(4) as usize]);
        let is_vector = matches!(pointee(handle, layouts.types), Some(Type::Vector { .. }));
        let (derivative, is_derivative) = (None, false);
        let buffer = Buffer { id, name: name.into(), floats, stride, is_vector, dimensions, derivative, is_derivative };
        for spot in buffer.spots() {
            point.set(spot, number());
        }
        self.all.push(buffer);
        Handle::buffer(id).to_slot()
    }

    /// Pairs the buffers in the fields of a struct, of which each starts at one of `starts`.
    pub(crate) fn pair_fields(&mut self, names: &[&str], starts: &[usize], point: &mut Point) {
        let within = |name: &str| {
            let field = names.iter().position(|field| *field == name)?;
            let start = *starts.get(field)?;
            Some(start..starts.get(field + 1).copied().unwrap_or(self.all.len()))
        };
        for (primal, differential) in [("primal", "diff"), ("p", "d")] {
            if let (Some(primal), Some(differential)) = (within(primal), within(differential)) {
                let pairs: Vec<(usize, usize)> = primal.zip(differential).collect();
                for (primal, differential) in pairs {
                    self.pair(primal, differential, true, point);
                }
                return;
            }
        }
    }

    fn pair(&mut self, primal: usize, differential: usize, both_ways: bool, point: &mut Point) {
        let (of, to) = (&self.all[primal], &self.all[differential]);
        if of.floats != to.floats {
            return;
        }
        to.spots().for_each(|spot| point.set(spot, 0.0));
        self.all[primal].derivative = Some(Derivative { id: self.all[differential].id, both_ways });
        self.all[differential].is_derivative = true;
    }

    /// Looks for the buffers in which a backward derivative leaves derivatives of those that the function reads: `made` is
    /// what the derivative writes and the function does not touch.
    pub(crate) fn pairs_by_use(&self, read: &BTreeSet<Address>, made: &BTreeSet<Address>) -> Pairs {
        let touched = |buffer: &Buffer, addresses: &BTreeSet<Address>| addresses.iter().any(|(id, _)| *id == buffer.id);
        let free = |buffer: &Buffer| buffer.derivative.is_none() && !buffer.is_derivative;
        let numbers = |addresses: &BTreeSet<Address>| -> Vec<usize> {
            let all = self.all.iter().enumerate();
            all.filter(|(_, buffer)| free(buffer) && touched(buffer, addresses)).map(|(number, _)| number).collect()
        };
        let (read, made) = (numbers(read), numbers(made));
        let mut pairs = Pairs::default();
        for &to in &made {
            let candidates = read.iter().copied().filter(|&of| self.all[of].floats == self.all[to].floats);
            let candidates: Vec<usize> = candidates.collect();
            let is_named = |of: &usize| {
                let (of, to) = (self.all[*of].name.to_lowercase(), self.all[to].name.to_lowercase());
                to.contains(&of) || of.contains(&to)
            };
            let named: Vec<usize> = candidates.iter().copied().filter(is_named).collect();
            match (candidates.as_slice(), named.as_slice()) {
                (_, &[of]) => pairs.found.push((of, to)),
                (&[of], _) if made.len() == 1 => pairs.found.push((of, to)),
                _ => pairs.alone.push(self.all[to].name.clone()),
            }
        }
        pairs
    }

    /// Puts together what [`Buffers::pairs_by_use`] has found.
    pub(crate) fn pair_found(&mut self, pairs: &Pairs, point: &mut Point) {
        for &(of, to) in &pairs.found {
            self.pair(of, to, false, point);
        }
    }

    /// The names of the buffers with one of some addresses that have no place for their derivatives.
    pub(crate) fn without_derivatives(&self, read: &BTreeSet<Address>) -> impl Iterator<Item = &SmolStr> {
        let ids: BTreeSet<BufferId> = read.iter().map(|(id, _)| *id).collect();
        let lone = |buffer: &&Buffer| buffer.derivative.is_none() && !buffer.is_derivative;
        self.all.iter().filter(lone).filter(move |buffer| ids.contains(&buffer.id)).map(|buffer| &buffer.name)
    }

    /// The buffer that an address is in, if there is a place for its derivatives; and that place.
    pub(crate) fn derivative_of(&self, (id, byte): Address) -> Option<Element<'_>> {
        let buffer = self.all.iter().find(|buffer| buffer.id == id && !buffer.is_derivative)?;
        let derivative = buffer.derivative?;
        let component = buffer.floats.iter().position(|(at, _)| *at == byte)?;
        let scalar = buffer.floats[component].1;
        let at = Spot::Element { address: (id, byte), scalar };
        let tangent = Spot::Element { address: (derivative.id, byte), scalar };
        Some(Element { buffer, component, at, tangent, both_ways: derivative.both_ways })
    }
}

/// Buffers that belong together by how a backward derivative uses them.
#[derive(Debug, Clone, Default)]
pub(super) struct Pairs {
    found: Vec<(usize, usize)>,
    /// The names of those that belong to none.
    pub alone: Vec<SmolStr>,
}

/// A float in a buffer with a place for its derivative.
pub(super) struct Element<'a> {
    pub buffer: &'a Buffer,
    /// Its number among the floats of the buffer.
    pub component: usize,
    pub at: Spot,
    pub tangent: Spot,
    /// Whether forward derivatives are there, too.
    pub both_ways: bool,
}

impl Element<'_> {
    /// How it is spelled after the name of the buffer: `[3]`.
    pub(crate) fn path(&self) -> String {
        let byte = self.buffer.floats[self.component].0;
        let (element, inside) = (byte / self.buffer.stride, byte % self.buffer.stride);
        // The last dimension is the one without gaps.
        let indices: Vec<String> = match self.buffer.dimensions {
            1 => vec![element.to_string()],
            many => (0..many).rev().map(|above| (element / LENGTH.pow(above) % LENGTH).to_string()).collect(),
        };
        let spelled = indices.join(", ");
        let first = element * self.buffer.stride;
        let within = self.buffer.floats.iter().filter(|(at, _)| (first..first + self.buffer.stride).contains(at));
        match within.count() {
            0 | 1 => format!("[{spelled}]"),
            _ => {
                let number = self.buffer.floats.iter().filter(|(at, _)| (first..first + inside).contains(at)).count();
                match self.buffer.is_vector {
                    true => format!("[{spelled}].{}", ["x", "y", "z", "w"].get(number).copied().unwrap_or("?")),
                    false => format!("[{spelled}].{number}"),
                }
            }
        }
    }
}

impl Buffer {
    fn spots(&self) -> impl Iterator<Item = Spot> + use<> {
        let id = self.id;
        let floats = self.floats.clone();
        floats.into_iter().map(move |(byte, scalar)| Spot::Element { address: (id, byte), scalar })
    }
}
