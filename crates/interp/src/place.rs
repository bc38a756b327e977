//! Places in memory and parts of aggregates: following a path with indices that are known only now.

use ir::{GlobalId, HandleType, PathStep, Type, ValueId, number::wrap};

use crate::{
    InterpError,
    memory::{BufferId, Handle, pointee},
    ops::Exec,
    words,
};

/// Where a load or store goes. What is nowhere reads as zero.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Place {
    Bytes {
        buffer: BufferId,
        offset: u64,
    },
    /// From this slot on in a constant buffer or a variable.
    Slots {
        handle: Handle,
        start: usize,
    },
    Nowhere,
    /// In a variable, where something of another type is.
    Mistyped,
    /// Behind a pointer that is made of this number.
    Unknown(u64),
}

impl Exec<'_, '_> {
    /// A dynamic index as a number.
    fn index(&self, step: PathStep) -> i64 {
        match step {
            PathStep::Const(index) => index.into(),
            PathStep::Dynamic(value) => {
                let slot = self.slot(value);
                // Only a 64-bit unsigned index can be out of the range of `i64`; then it is out of any bounds.
                match self.type_of(value) {
                    Type::Scalar(scalar) if !scalar.is_signed() => i64::try_from(slot).unwrap_or(i64::MAX),
                    Type::Scalar(scalar) => wrap(scalar, slot) as i64,
                    _ => slot as i64,
                }
            }
        }
    }

    /// Follows a path inside an aggregate: the slots and bytes to skip, `None` out of bounds.
    pub(crate) fn part(&self, mut ty: Type, path: &[PathStep]) -> Option<(Type, usize, u64)> {
        let (mut slots, mut bytes) = (0, 0);
        for &step in path {
            let (part, offset) = self.machine.layouts.part(ty, self.index(step))?;
            ty = part;
            slots += offset.slots as usize;
            bytes += offset.bytes;
        }
        Some((ty, slots, bytes))
    }

    /// Where a path leads; an error if something of another type is there, because variables are not bytes.
    pub(crate) fn place(&self, handle_value: ValueId, path: &[PathStep]) -> Result<Place, InterpError> {
        match self.any_place(handle_value, path) {
            Place::Mistyped => Err(InterpError::MistypedPointer),
            Place::Unknown(number) => Err(InterpError::NumberAsPointer(number)),
            place => Ok(place),
        }
    }

    fn any_place(&self, handle_value: ValueId, path: &[PathStep]) -> Place {
        let Type::Handle(handle_type) = self.type_of(handle_value) else { return Place::Nowhere };
        let slot = self.slot(handle_value);
        let handle = Handle::from_slot(slot);
        if matches!((handle_type, handle), (HandleType::Pointer { .. }, Handle::Null)) && slot != 0 {
            return Place::Unknown(slot);
        }
        let Some(ty) = pointee(handle_type, self.machine.layouts.types) else { return Place::Nowhere };
        let (element, path) = match (handle_type, path) {
            (HandleType::ConstantBuffer { .. } | HandleType::Variable { .. }, path) => (0, path),
            (_, [element, path @ ..]) => (self.index(*element), path),
            (_, []) => return Place::Nowhere,
        };
        let Some((part, slots, bytes)) = self.part(ty, path) else { return Place::Nowhere };
        match handle {
            Handle::Null | Handle::Texture(_) => Place::Nowhere,
            Handle::Variable { global, offset } if matches!(handle_type, HandleType::Pointer { .. }) => {
                let stride = self.machine.layouts.size(ty).stride() as i128;
                let start = i128::from(element) * stride + i128::from(offset) + i128::from(bytes);
                match u64::try_from(start) {
                    Ok(start) => self.in_variable(global, start, part),
                    Err(_) => Place::Nowhere,
                }
            }
            Handle::Constant(_) | Handle::Variable { .. } => Place::Slots { handle, start: slots },
            Handle::Buffer { buffer, offset } => {
                let stride = self.machine.layouts.size(ty).stride() as i128;
                let start = i128::from(element) * stride + i128::from(offset) + i128::from(bytes);
                let end = start + i128::from(self.machine.layouts.size(part).bytes);
                let length = self.memory.bytes(buffer).len() as i128;
                match u64::try_from(start) {
                    Ok(offset) if end <= length => Place::Bytes { buffer, offset },
                    _ => Place::Nowhere,
                }
            }
        }
    }

    /// The place at a byte offset of a variable.
    fn in_variable(&self, global: GlobalId, byte: u64, wanted: Type) -> Place {
        let layouts = &self.machine.layouts;
        let Type::Handle(HandleType::Variable { content }) = layouts.types.get(self.machine.module.globals[global].ty)
        else {
            return Place::Nowhere;
        };
        let content = layouts.types.get(content);
        if byte >= layouts.size(content).bytes {
            return Place::Nowhere;
        }
        match layouts.slot_at(content, byte, wanted) {
            Some(slot) => Place::Slots { handle: Handle::Variable { global, offset: 0 }, start: slot as usize },
            None => Place::Mistyped,
        }
    }

    /// The address, as a slot, of the place that `steps` lead to under a pointer or variable.
    pub(crate) fn address(&self, handle_value: ValueId, steps: &[ValueId]) -> Option<u64> {
        let Type::Handle(handle_type) = self.type_of(handle_value) else { return None };
        let path: Vec<PathStep> = steps.iter().map(|&step| PathStep::Dynamic(step)).collect();
        let ty = pointee(handle_type, self.machine.layouts.types)?;
        let (element, path) = match (handle_type, path.as_slice()) {
            (HandleType::Variable { .. }, path) => (0, path),
            (HandleType::Pointer { .. }, [element, path @ ..]) => (self.index(*element), path),
            _ => return None,
        };
        let Some((_, _, bytes)) = self.part(ty, path) else { return Some(Handle::Null.to_slot()) };
        let stride = self.machine.layouts.size(ty).stride();
        let distance = (element as u64).wrapping_mul(stride).wrapping_add(bytes);
        Some(self.slot(handle_value).wrapping_add(distance))
    }

    /// The place at a byte offset of a byte-address buffer.
    pub(crate) fn byte_place(&self, handle: ValueId, offset: ValueId) -> Place {
        match Handle::from_slot(self.slot(handle)) {
            Handle::Buffer { buffer, offset: base } => match u64::try_from(self.index(PathStep::Dynamic(offset))) {
                Ok(offset) => Place::Bytes { buffer, offset: offset.saturating_add(base.into()) },
                Err(_) => Place::Nowhere,
            },
            Handle::Null | Handle::Constant(_) | Handle::Variable { .. } | Handle::Texture(_) => Place::Nowhere,
        }
    }

    /// Appends the value at `place` to the scratch slots.
    pub(crate) fn read_place(&mut self, place: Place, ty: Type) {
        let count = self.machine.layouts.size(ty).slots as usize;
        let end = self.scratch.len() + count;
        match place {
            Place::Nowhere | Place::Mistyped | Place::Unknown(_) => {}
            Place::Bytes { buffer, offset } => {
                let start = self.scratch.len();
                words::read(&self.machine.layouts, ty, self.memory.bytes(buffer), offset, self.scratch);
                if let Some(floats) = &mut self.memory.exact_floats {
                    floats.note_read(&self.machine.layouts, ty, (buffer, offset), &mut self.scratch[start..]);
                }
            }
            Place::Slots { handle, start } => {
                let slots = match handle {
                    Handle::Constant(index) => self.memory.constant(index),
                    Handle::Variable { global, .. } => {
                        let variable = self.statics.get(&global).or_else(|| self.shared.get(&global));
                        variable.map_or(&[][..], Vec::as_slice)
                    }
                    Handle::Null | Handle::Buffer { .. } | Handle::Texture(_) => &[],
                };
                self.scratch.extend_from_slice(slots.get(start..start + count).unwrap_or(&[]));
            }
        }
        self.scratch.resize(end, 0);
    }

    /// Writes slots to `place`.
    pub(crate) fn write_place(&mut self, place: Place, ty: Type, slots: &[u64]) {
        match place {
            Place::Nowhere | Place::Mistyped | Place::Unknown(_) => {}
            Place::Bytes { buffer, offset } => {
                words::write(&self.machine.layouts, ty, slots, self.memory.bytes_mut(buffer), offset);
                if let Some(floats) = &mut self.memory.exact_floats {
                    floats.note_write(&self.machine.layouts, ty, (buffer, offset), slots);
                }
            }
            Place::Slots { handle, start } => {
                let Handle::Variable { global, .. } = handle else { return };
                let variable = match self.statics.get_mut(&global) {
                    Some(variable) => Some(variable),
                    None => self.shared.get_mut(&global),
                };
                if let Some(target) = variable.and_then(|slots_of| slots_of.get_mut(start..start + slots.len())) {
                    target.copy_from_slice(slots);
                }
            }
        }
    }
}
