//! Memory outside of functions: buffers as bytes, contents of constant buffers as slots, textures, and what shader
//! parameters are bound to.

use ir::{GlobalId, GlobalKind, HandleType, Module, Type, number::Precision};
use rustc_hash::FxHashMap;

use crate::{InterpError, Value, exact_floats::ExactFloats, layout::Layouts, texture::Texture, value::to_slots};

/// A buffer of a [`Memory`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BufferId(u32);

/// What a value of handle type refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Handle {
    /// Nothing: reads give zero, writes are dropped. Samplers are of this kind.
    Null,
    /// A place in a buffer: buffers of all kinds start at byte 0, pointers anywhere.
    Buffer {
        /// The buffer.
        buffer: BufferId,
        /// Bytes from its begin.
        offset: u32,
    },
    /// The content of a constant buffer.
    Constant(u32),
    /// A `static` or `groupshared` variable; pointers into it anywhere, counted in bytes.
    Variable {
        /// The variable.
        global: GlobalId,
        /// Bytes from its begin.
        offset: u32,
    },
    /// A texture of a [`Memory`].
    Texture(u32),
}

impl Handle {
    /// The start of a buffer.
    pub fn buffer(buffer: BufferId) -> Handle {
        Handle::Buffer { buffer, offset: 0 }
    }

    /// In a slot, as in 8 bytes of memory: a kind (3 bits), a number (29 bits), an offset (32 bits).
    pub(crate) fn to_slot(self) -> u64 {
        let pack = |kind: u64, number: u32, offset: u32| kind << 61 | u64::from(number) << 32 | u64::from(offset);
        match self {
            Handle::Null => 0,
            Handle::Buffer { buffer, offset } => pack(1, buffer.0, offset),
            Handle::Constant(index) => pack(2, index, 0),
            Handle::Variable { global, offset } => pack(3, global.into_raw().into_u32(), offset),
            Handle::Texture(index) => pack(4, index, 0),
        }
    }

    pub(crate) fn from_slot(slot: u64) -> Handle {
        let number = (slot >> 32) as u32 & 0x1fff_ffff;
        match slot >> 61 {
            1 => Handle::Buffer { buffer: BufferId(number), offset: slot as u32 },
            2 => Handle::Constant(number),
            3 => Handle::Variable { global: GlobalId::from_raw(number.into()), offset: slot as u32 },
            4 => Handle::Texture(number),
            _ => Handle::Null,
        }
    }
}

/// Buffers, and what the shader parameters of a module are bound to. Unbound parameters are null.
#[derive(Debug, Clone, Default)]
pub struct Memory {
    buffers: Vec<Vec<u8>>,
    constants: Vec<Vec<u64>>,
    pub(crate) textures: Vec<Texture>,
    bindings: FxHashMap<GlobalId, u64>,
    /// What gradient checks remember of floats; nobody else does.
    pub(crate) exact_floats: Option<ExactFloats>,
    /// What the program printed, one entry per `printf`.
    pub printed: Vec<String>,
}

impl Memory {
    /// A new buffer of 32-bit words, little endian.
    pub fn add_buffer(&mut self, words: &[u32]) -> BufferId {
        self.buffers.push(words.iter().flat_map(|word| word.to_le_bytes()).collect());
        BufferId(self.buffers.len() as u32 - 1)
    }

    /// The words of a buffer.
    pub fn words(&self, buffer: BufferId) -> Vec<u32> {
        let bytes = self.bytes(buffer);
        bytes.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect()
    }

    /// Replaces the first words of a buffer.
    pub fn set_words(&mut self, buffer: BufferId, words: &[u32]) {
        let bytes = words.iter().flat_map(|word| word.to_le_bytes());
        for (place, byte) in self.bytes_mut(buffer).iter_mut().zip(bytes) {
            *place = byte;
        }
    }

    /// Binds a shader parameter: to a [`Value::Handle`], or for a constant buffer to its content.
    pub fn bind(&mut self, module: &Module, global: GlobalId, value: &Value) -> Result<(), InterpError> {
        let mut slots = Vec::new();
        let layouts = Layouts::new(&module.types);
        let ty = module.types.get(module.globals[global].ty);
        if !to_slots(&layouts, Precision::F64, self, ty, value, &mut slots) {
            return Err(InterpError::ArgumentMismatch(module.globals[global].name.clone()));
        }
        self.bindings.insert(global, slots.first().copied().unwrap_or(0));
        Ok(())
    }

    /// Binds a shader parameter to what a slot says.
    pub(crate) fn bind_slot(&mut self, global: GlobalId, slot: u64) {
        self.bindings.insert(global, slot);
    }

    /// What the handle of a global is.
    pub(crate) fn global_handle(&self, module: &Module, global: GlobalId) -> u64 {
        match module.globals[global].kind {
            GlobalKind::Static { .. } | GlobalKind::GroupShared => Handle::Variable { global, offset: 0 }.to_slot(),
            GlobalKind::Parameter => self.bindings.get(&global).copied().unwrap_or(0),
        }
    }

    pub(crate) fn add_constant(&mut self, slots: Vec<u64>) -> Handle {
        self.constants.push(slots);
        Handle::Constant(self.constants.len() as u32 - 1)
    }

    pub(crate) fn constant(&self, index: u32) -> &[u64] {
        self.constants.get(index as usize).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn bytes(&self, buffer: BufferId) -> &[u8] {
        self.buffers.get(buffer.0 as usize).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn bytes_mut(&mut self, buffer: BufferId) -> &mut [u8] {
        self.buffers.get_mut(buffer.0 as usize).map_or(&mut [], Vec::as_mut_slice)
    }
}

/// The type of the elements of an indexed handle, or of the content of one that is not.
pub(crate) fn pointee(handle: HandleType, types: &ir::types::TypeTable) -> Option<Type> {
    match handle {
        HandleType::StructuredBuffer { element, .. } | HandleType::TexelBuffer { element, .. } => {
            Some(types.get(element))
        }
        HandleType::Pointer { pointee } | HandleType::Address { pointee } => Some(types.get(pointee)),
        HandleType::ConstantBuffer { content } | HandleType::Variable { content } => Some(types.get(content)),
        HandleType::ByteAddressBuffer { .. }
        | HandleType::Texture { .. }
        | HandleType::Sampler { .. }
        | HandleType::AccelerationStructure
        | HandleType::RayQuery { .. } => None,
    }
}
