//! How memory is reached, read and written.
//!
//! Memory that hosts see has types of its own, with explicit places and words for truth values: what is read there becomes a
//! value by a copy of the parts, or part by part where truth values are in it.

use ir::layout::layout_in;
use ir::provision::DataLayout;
use ir::{HandleType, Scalar, Type, TypeId};
use spirv::{Capability, Decoration, Op, StorageClass};

use super::function::{FunctionWriter, Slot};
use super::globals::{Memory, Shape};
use super::types::in_memory;
use super::words::Id;
use crate::EmitError;
use crate::tree::{Expr, ExprKind, Place as LocalPlace, Step};

/// The most parts that are read or written one by one.
const MAX_PARTS: u32 = 1024;

/// A resource or variable, on the way to a part of it.
#[derive(Debug, Clone)]
pub(super) struct Chain {
    pub(super) memory: Memory,
    /// The indices so far, from the variable on.
    pub(super) indices: Vec<Id>,
    /// Whether a resource is chosen that differs between threads.
    pub(super) is_non_uniform: bool,
}

/// Where a value is in memory.
#[derive(Debug, Clone)]
pub(super) struct Place {
    base: Id,
    indices: Vec<Id>,
    class: StorageClass,
    rules: Option<DataLayout>,
    ty: TypeId,
    is_non_uniform: bool,
    /// Whether it is read and written in parts, since the memory has another type.
    is_in_parts: bool,
}

impl FunctionWriter<'_, '_> {
    /// The resource that a handle is.
    pub(super) fn chain(&mut self, handle: &Expr) -> Result<Chain, EmitError> {
        const CHOSEN: &str = "a buffer that is chosen at run time is not supported for this target";
        match &handle.kind {
            ExprKind::Global(global) => {
                let Some(&memory) = self.module.globals.get(*global) else {
                    return Err(self.error("an unknown global"));
                };
                self.uses.insert(memory.variable);
                Ok(Chain { memory, indices: Vec::new(), is_non_uniform: false })
            }
            ExprKind::Load { handle: array, path } => {
                let chain = self.chain(array)?;
                let [step] = &path[..] else { return Err(self.error(CHOSEN)) };
                let index = self.index(step)?;
                let is_constant = self.module.out.is_constant(index);
                let is_non_uniform = match step {
                    Step::Const(_) => false,
                    Step::Dynamic(index) | Step::Tested(index) => !is_constant && !self.is_uniform(index),
                };
                if !is_constant {
                    self.require_indexing(chain.memory, is_non_uniform);
                }
                Ok(Chain { indices: vec![index], is_non_uniform, ..chain })
            }
            _ => Err(self.error(CHOSEN)),
        }
    }

    /// Whether a value is the same in all threads, as far as its expression shows: an index that differs between threads
    /// needs a word, whether or not the source has one.
    fn is_uniform(&self, expr: &Expr) -> bool {
        let are_uniform = |path: &[Step]| {
            path.iter().all(|step| match step {
                Step::Const(_) => true,
                Step::Dynamic(index) | Step::Tested(index) => self.is_uniform(index),
            })
        };
        match &expr.kind {
            ExprKind::Const(_) | ExprKind::Zero => true,
            ExprKind::Unary(_, a) | ExprKind::Convert(a) | ExprKind::Bitcast(a) | ExprKind::Splat(a) => {
                self.is_uniform(a)
            }
            ExprKind::Swizzle { vector, .. } => self.is_uniform(vector),
            ExprKind::Binary(_, a, b) => self.is_uniform(a) && self.is_uniform(b),
            ExprKind::Select { cond, then, otherwise } => {
                self.is_uniform(cond) && self.is_uniform(then) && self.is_uniform(otherwise)
            }
            ExprKind::Math(_, args) | ExprKind::Make(args) => args.iter().all(|arg| self.is_uniform(arg)),
            ExprKind::Extract { aggregate, path } => self.is_uniform(aggregate) && are_uniform(path),
            ExprKind::Builtin(builtin) => *builtin == ir::Builtin::GroupId,
            ExprKind::Load { handle, path } => {
                let is_fixed = match handle.kind {
                    ExprKind::Global(global) => {
                        self.module.specializations.get(global).is_some()
                            || matches!(self.type_of(handle.ty), Type::Handle(HandleType::ConstantBuffer { .. }))
                    }
                    _ => false,
                };
                is_fixed && are_uniform(path)
            }
            ExprKind::Local(_)
            | ExprKind::Reference(_)
            | ExprKind::Call { .. }
            | ExprKind::Global(_)
            | ExprKind::ByteLoad { .. }
            | ExprKind::BufferLength(_)
            | ExprKind::Atomic { .. }
            | ExprKind::ByteAtomic { .. }
            | ExprKind::Intrinsic { .. }
            | ExprKind::AddressOf(_) => false,
        }
    }

    /// What a device must have for an array of which one is chosen at run time.
    fn require_indexing(&mut self, memory: Memory, is_non_uniform: bool) {
        let (uniform, differing) = match (memory.class, memory.handle) {
            (StorageClass::Uniform, _) => {
                (Some(Capability::UniformBufferArrayDynamicIndexing), Capability::UniformBufferArrayNonUniformIndexing)
            }
            (StorageClass::StorageBuffer, _) => {
                (Some(Capability::StorageBufferArrayDynamicIndexing), Capability::StorageBufferArrayNonUniformIndexing)
            }
            (_, HandleType::TexelBuffer { writable: true, .. }) => (
                Some(Capability::StorageTexelBufferArrayDynamicIndexing),
                Capability::StorageTexelBufferArrayNonUniformIndexing,
            ),
            (_, HandleType::TexelBuffer { .. }) => (
                Some(Capability::UniformTexelBufferArrayDynamicIndexing),
                Capability::UniformTexelBufferArrayNonUniformIndexing,
            ),
            (_, HandleType::Texture { writable: true, .. }) => {
                (Some(Capability::StorageImageArrayDynamicIndexing), Capability::StorageImageArrayNonUniformIndexing)
            }
            (_, HandleType::AccelerationStructure) => (None, Capability::ShaderNonUniform),
            _ => (Some(Capability::SampledImageArrayDynamicIndexing), Capability::SampledImageArrayNonUniformIndexing),
        };
        if let Some(uniform) = uniform {
            self.module.out.require(uniform);
        }
        if is_non_uniform {
            self.module.out.require(Capability::ShaderNonUniform);
            self.module.out.require(differing);
        }
    }

    /// A pointer to what a chain leads to, of type `pointee`.
    pub(super) fn pointer_of(&mut self, chain: &Chain, pointee: Id) -> Id {
        if chain.indices.is_empty() {
            return chain.memory.variable;
        }
        let ty = self.module.out.pointer(chain.memory.class, pointee);
        let pointer = self.access_chain(ty, chain.memory.variable, &chain.indices);
        self.mark(pointer, chain.is_non_uniform)
    }

    fn access_chain(&mut self, ty: Id, base: Id, indices: &[Id]) -> Id {
        let operands: Vec<Id> = [base].iter().chain(indices).copied().collect();
        self.value(Op::AccessChain, ty, &operands)
    }

    /// Says of what differs between threads that it does.
    pub(super) fn mark(&mut self, id: Id, is_non_uniform: bool) -> Id {
        if is_non_uniform {
            self.module.out.decorate(id, Decoration::NonUniform, &[]);
        }
        id
    }

    /// An image, a sampler or a scene.
    pub(super) fn opaque(&mut self, handle: &Expr) -> Result<Id, EmitError> {
        let chain = self.chain(handle)?;
        Ok(self.load_opaque(&chain))
    }

    pub(super) fn load_opaque(&mut self, chain: &Chain) -> Id {
        let ty = chain.memory.ty;
        let pointer = self.pointer_of(chain, ty);
        let value = self.value(Op::Load, ty, &[pointer]);
        self.mark(value, chain.is_non_uniform)
    }

    /// The place behind a handle at `path`.
    pub(super) fn place(&mut self, handle: &Expr, path: &[Step]) -> Result<Place, EmitError> {
        if let Type::Handle(HandleType::Address { pointee }) = self.type_of(handle.ty) {
            return self.place_at_address(handle, pointee, path);
        }
        let chain = self.chain(handle)?;
        let Memory { variable, class, rules, shape, .. } = chain.memory;
        let mut indices = chain.indices;
        match shape {
            Shape::Plain | Shape::Parts | Shape::ElementOfEach(_) => {}
            Shape::Block => indices.push(self.u32(0)),
            Shape::Element(index) => indices.push(self.u32(index)),
        }
        let is_non_uniform = chain.is_non_uniform;
        let (ty, path) = match (chain.memory.handle, shape) {
            (HandleType::StructuredBuffer { element, .. }, _) => {
                let Some((first, rest)) = path.split_first() else {
                    return Err(self.error("a buffer cannot be read as a whole"));
                };
                indices.push(self.index(first)?);
                (element, rest)
            }
            (HandleType::Variable { content }, Shape::ElementOfEach(number)) => {
                let Some((first, rest)) = path.split_first() else {
                    return Err(self.error("what each vertex has cannot be read as a whole"));
                };
                indices.push(self.index(first)?);
                indices.push(self.u32(number));
                (self.element_type(content), rest)
            }
            (HandleType::ConstantBuffer { content } | HandleType::Variable { content }, _) => (content, path),
            _ => return Err(self.error("this kind of memory is not supported yet for target `spirv`")),
        };
        let is_in_parts = shape == Shape::Parts;
        let place = Place { base: variable, indices, class, rules, ty, is_non_uniform, is_in_parts };
        self.walk(place, path)
    }

    /// The place at `path` from an address, by the natural layout.
    fn place_at_address(&mut self, address: &Expr, pointee: TypeId, path: &[Step]) -> Result<Place, EmitError> {
        let rules = DataLayout::Scalar;
        let Some((first, rest)) = path.split_first() else {
            return Err(self.error("what is at an address cannot be read as a whole"));
        };
        let mut number = self.expr(address)?;
        if !matches!(first, Step::Const(0)) {
            let stride = layout_in(&self.module.module.types, pointee, rules).map_or(0, |layout| layout.stride());
            let offset = self.bytes_of(first, stride)?;
            let ty = self.module.scalar_type(Scalar::U64);
            number = self.value(Op::IAdd, ty, &[number, offset]);
        }
        let class = StorageClass::PhysicalStorageBuffer;
        let block = match self.module.memory_type(pointee, rules) {
            Ok(inner) => self.module.block(inner, pointee, rules, (false, false), class),
            Err(message) => Err(message),
        };
        let block = block.map_err(|message| self.error(message))?;
        self.module.require_storage(pointee, StorageClass::StorageBuffer);
        self.module.out.require_addresses();
        let pointer = self.module.out.pointer(class, block);
        let base = self.value(Op::ConvertUToPtr, pointer, &[number]);
        let (indices, is_non_uniform, is_in_parts) = (vec![self.u32(0)], false, false);
        let place = Place { base, indices, class, rules: Some(rules), ty: pointee, is_non_uniform, is_in_parts };
        self.walk(place, rest)
    }

    /// How many bytes a number of elements takes, negative ones included.
    fn bytes_of(&mut self, elements: &Step, stride: u32) -> Result<Id, EmitError> {
        let ty = self.module.scalar_type(Scalar::U64);
        let count = match elements {
            Step::Const(count) => return Ok(self.module.out_u64(u64::from(*count) * u64::from(stride))),
            Step::Dynamic(count) | Step::Tested(count) => count,
        };
        let value = self.expr(count)?;
        let wide = match self.type_of(count.ty) {
            Type::Scalar(Scalar::U64) => value,
            Type::Scalar(Scalar::I64) => self.value(Op::Bitcast, ty, &[value]),
            Type::Scalar(scalar) if scalar.is_signed() => {
                let signed = self.module.scalar_type(Scalar::I64);
                let wide = self.value(Op::SConvert, signed, &[value]);
                self.value(Op::Bitcast, ty, &[wide])
            }
            _ => self.value(Op::UConvert, ty, &[value]),
        };
        let stride = self.module.out_u64(stride.into());
        Ok(self.value(Op::IMul, ty, &[wide, stride]))
    }

    /// What is said of an access to memory that the host aligns: that this is done by the natural layout.
    fn alignment(&self, place: &Place) -> Vec<u32> {
        match place.class {
            StorageClass::PhysicalStorageBuffer => {
                let layout = layout_in(&self.module.module.types, place.ty, DataLayout::Scalar);
                vec![spirv::MemoryAccess::ALIGNED.bits(), layout.map_or(4, |layout| layout.align)]
            }
            _ => Vec::new(),
        }
    }

    /// The part of a local that is assigned to.
    pub(super) fn local_place(&mut self, place: &LocalPlace) -> Result<Place, EmitError> {
        let Slot::Pointer(base) = self.slot(place.local)? else {
            return Err(self.error("a value that is not a variable is assigned"));
        };
        let ty = self.tree.locals[place.local].ty;
        self.part_of_variable(base, ty, &place.path)
    }

    /// A part of a variable of the function.
    pub(super) fn part_of_variable(&mut self, base: Id, ty: TypeId, path: &[Step]) -> Result<Place, EmitError> {
        let class = StorageClass::Function;
        let (is_non_uniform, is_in_parts) = (false, false);
        let place = Place { base, indices: Vec::new(), class, rules: None, ty, is_non_uniform, is_in_parts };
        self.walk(place, path)
    }

    fn walk(&mut self, mut place: Place, path: &[Step]) -> Result<Place, EmitError> {
        for step in path {
            place.is_in_parts = false;
            match self.type_of(place.ty) {
                Type::Struct(id) => {
                    let Step::Const(index) = step else { return Err(self.error("a field that is not constant")) };
                    place.indices.push(self.u32(*index));
                    place.ty = self.module.module.types.structs[id].fields[*index as usize].ty;
                }
                // A vector of one element is that element.
                Type::Vector { len: 1, .. } => place.ty = self.element_type(place.ty),
                _ => {
                    place.indices.push(self.index(step)?);
                    place.ty = self.element_type(place.ty);
                }
            }
        }
        Ok(place)
    }

    pub(super) fn pointer(&mut self, place: &Place) -> Result<Id, EmitError> {
        if place.indices.is_empty() {
            return Ok(place.base);
        }
        let pointee = self.stored_type(place)?;
        let ty = self.module.out.pointer(place.class, pointee);
        let pointer = self.access_chain(ty, place.base, &place.indices);
        Ok(self.mark(pointer, place.is_non_uniform))
    }

    /// The type that memory has at a place.
    fn stored_type(&mut self, place: &Place) -> Result<Id, EmitError> {
        match place.rules {
            Some(rules) => self.module.memory_type(place.ty, rules).map_err(|message| self.error(message)),
            None => self.value_type(place.ty),
        }
    }

    pub(super) fn class_of(&self, place: &Place) -> StorageClass {
        place.class
    }

    fn part(&mut self, place: &Place, index: u32, ty: TypeId) -> Place {
        let mut part = Place { is_in_parts: false, ..place.clone() };
        part.indices.push(self.u32(index));
        part.ty = ty;
        part
    }

    pub(super) fn load_place(&mut self, place: &Place) -> Result<Id, EmitError> {
        let value = self.value_type(place.ty)?;
        if self.is_in_parts(place) {
            let mut parts = Vec::new();
            for (index, part) in (0..).zip(self.parts(place.ty)?) {
                let part = self.part(place, index, part);
                parts.push(self.load_place(&part)?);
            }
            return Ok(self.construct(value, &parts));
        }
        let stored = self.stored_type(place)?;
        let loaded = self.load_stored(place, stored)?;
        if place.rules.is_some() && self.module.holds_truth_values(place.ty) {
            let zero = self.module.null(stored);
            return Ok(self.value(Op::INotEqual, value, &[loaded, zero]));
        }
        Ok(if stored == value { loaded } else { self.value(Op::CopyLogical, value, &[loaded]) })
    }

    /// Whether memory holds a value by a type from which it is not copied as a whole.
    fn is_in_parts(&self, place: &Place) -> bool {
        let holds_words = place.rules.is_some() && self.module.holds_truth_values(place.ty);
        let is_number = matches!(self.type_of(place.ty), Type::Scalar(_) | Type::Vector { .. });
        place.is_in_parts || (holds_words && !is_number)
    }

    fn load_stored(&mut self, place: &Place, stored: Id) -> Result<Id, EmitError> {
        let pointer = self.pointer(place)?;
        let operands: Vec<u32> = [pointer.0].into_iter().chain(self.alignment(place)).collect();
        let value = self.value_with(Op::Load, stored, &operands);
        Ok(self.mark(value, place.is_non_uniform))
    }

    pub(super) fn store_place(&mut self, place: &Place, value: Id) -> Result<(), EmitError> {
        if self.is_in_parts(place) {
            for (index, part) in (0..).zip(self.parts(place.ty)?) {
                let part_type = self.value_type(part)?;
                let part_value = self.extract(part_type, value, &[index]);
                let part = self.part(place, index, part);
                self.store_place(&part, part_value)?;
            }
            return Ok(());
        }
        let (stored, ty) = (self.stored_type(place)?, self.value_type(place.ty)?);
        let written = match place.rules.is_some() && self.module.holds_truth_values(place.ty) {
            true => self.words_of_truth(value, place.ty)?,
            false if stored == ty => value,
            false => self.value(Op::CopyLogical, stored, &[value]),
        };
        let pointer = self.pointer(place)?;
        let operands: Vec<u32> = [pointer.0, written.0].into_iter().chain(self.alignment(place)).collect();
        self.push(Op::Store, &operands);
        Ok(())
    }

    pub(super) fn store_pointer(&mut self, pointer: Id, value: Id) {
        self.push(Op::Store, &[pointer.0, value.0]);
    }

    /// One and zero for true and false.
    fn words_of_truth(&mut self, value: Id, ty: TypeId) -> Result<Id, EmitError> {
        let words = self.with_scalar(ty, in_memory(Scalar::Bool));
        let words_type = self.value_type(words)?;
        let (one, zero) = (self.number(1.0, words)?, self.module.null(words_type));
        Ok(self.value(Op::Select, words_type, &[value, one, zero]))
    }

    /// The types of the parts of an aggregate.
    fn parts(&mut self, ty: TypeId) -> Result<Vec<TypeId>, EmitError> {
        let (element, count) = match self.type_of(ty) {
            Type::Struct(id) => {
                return Ok(self.module.module.types.structs[id].fields.iter().map(|field| field.ty).collect());
            }
            Type::Matrix { rows, .. } => (self.element_type(ty), rows.into()),
            Type::Vector { len, .. } => (self.element_type(ty), len.into()),
            Type::Array { element, len } => (element, len),
            _ => return Err(self.error("a value of this type cannot be in memory")),
        };
        match count <= MAX_PARTS {
            true => Ok(vec![element; count as usize]),
            false => Err(self.error("a value is too large to be read or written as a whole")),
        }
    }

    pub(super) fn load(&mut self, handle: &Expr, path: &[Step], ty: TypeId) -> Result<Id, EmitError> {
        if let ExprKind::Global(global) = handle.kind {
            if let Some(&constant) = self.module.specializations.get(global) {
                return Ok(constant);
            }
            if let Some(first) = self.module.first_numbers.get(global).copied() {
                return self.counted_from(handle, first, ty);
            }
        }
        if let Type::Handle(HandleType::TexelBuffer { .. }) = self.type_of(handle.ty) {
            return self.buffer_texel(handle, path);
        }
        let place = self.place(handle, path)?;
        self.load_place(&place)
    }

    /// The number of a vertex or instance: Vulkan counts from the start of the buffers on.
    fn counted_from(&mut self, handle: &Expr, first: Id, ty: TypeId) -> Result<Id, EmitError> {
        let place = self.place(handle, &[])?;
        let (number, value_type) = (self.load_place(&place)?, self.value_type(ty)?);
        self.uses.insert(first);
        let first = self.value(Op::Load, value_type, &[first]);
        Ok(self.value(Op::ISub, value_type, &[number, first]))
    }

    pub(super) fn store(&mut self, handle: &Expr, path: &[Step], value: &Expr) -> Result<(), EmitError> {
        if let Type::Handle(HandleType::TexelBuffer { .. }) = self.type_of(handle.ty) {
            return self.store_buffer_texel(handle, path, value);
        }
        let written = self.expr(value)?;
        let place = self.place(handle, path)?;
        self.store_place(&place, written)
    }

    pub(super) fn buffer_length(&mut self, handle: &Expr, ty: TypeId) -> Result<Id, EmitError> {
        let value_type = self.value_type(ty)?;
        match self.type_of(handle.ty) {
            Type::Handle(HandleType::TexelBuffer { .. }) => {
                let image = self.opaque(handle)?;
                self.module.out.require(Capability::ImageQuery);
                Ok(self.value(Op::ImageQuerySize, value_type, &[image]))
            }
            Type::Handle(kind @ (HandleType::StructuredBuffer { .. } | HandleType::ByteAddressBuffer { .. })) => {
                let chain = self.chain(handle)?;
                let pointer = self.pointer_of(&chain, chain.memory.ty);
                let word = self.module.scalar_type(Scalar::U32);
                let length = self.value_with(Op::ArrayLength, word, &[pointer.0, 0]);
                match kind {
                    HandleType::ByteAddressBuffer { .. } => {
                        let four = self.u32(4);
                        Ok(self.value(Op::IMul, word, &[length, four]))
                    }
                    _ => Ok(length),
                }
            }
            _ => Err(self.error("this kind of memory has no length")),
        }
    }
}
