//! Globals, and how they are read and written.

use ir::{FuncId, GlobalId, GlobalKind, HandleType, Op, Scalar, SpanId, Type, TypeId};
use naga::{AddressSpace, Expression, Handle, StorageAccess, TypeInner};

use super::ModuleWriter;
use super::function::FunctionWriter;
use super::types::{MatrixForm, matrix_form};
use crate::legalise;
use crate::tree::{Expr, ExprKind, Step};
use crate::{Binding, BindingKind, EmitError, Interface};
use ir::layout::{element_stride, field_offset_in, layout, layout_in, stride_in};
use ir::provision::{DataLayout, ParameterRole};

/// The most words that are read or written as one value of memory with a foreign layout.
const MAX_WORDS: u32 = 1024;

/// A global in naga.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Memory {
    pub variable: Handle<naga::GlobalVariable>,
    pub form: Form,
    pub handle: HandleType,
    pub rules: DataLayout,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Form {
    /// Of the type that the content has as a value.
    Typed,
    /// An array of 32-bit words, atomic ones if they are used so.
    Words { scalar: Scalar, atomic: bool },
    /// An array of four words each, as uniform buffers must have them.
    Quads,
}

impl ModuleWriter<'_> {
    pub(super) fn declare_globals(&mut self, functions: &[FuncId]) -> Result<Vec<Binding>, Vec<EmitError>> {
        // The globals in use, each with the scalar that atomic operations on it work on.
        let mut used: Vec<(GlobalId, SpanId, Option<Scalar>)> = Vec::new();
        for &id in functions {
            let func = &self.module.funcs[id];
            legalise::for_each_op(func, |op| {
                let data = &func.ops[op];
                let (value, atomic) = match &data.op {
                    Op::Global(_) => (data.results[0], None),
                    Op::Atomic { handle, .. } | Op::ByteAtomic { handle, .. } => {
                        let scalar = match self.module.types.get(func.ty(data.results[0])) {
                            Type::Scalar(scalar) => scalar,
                            _ => Scalar::U32,
                        };
                        (*handle, Some(if scalar == Scalar::I32 { Scalar::I32 } else { Scalar::U32 }))
                    }
                    _ => return,
                };
                let Some(&Op::Global(global)) = func.defining_op(value).map(|data| &data.op) else { return };
                match used.iter_mut().find(|(other, ..)| *other == global) {
                    Some((_, _, scalar)) => *scalar = scalar.or(atomic),
                    None => used.push((global, data.span, atomic)),
                }
            });
        }
        used.sort_by_key(|(global, ..)| global.into_raw());
        let mut namer = crate::tree::names::Namer::default();
        let mut bindings = Vec::new();
        for (global, span, atomic) in used {
            let place = self.legal.places.of(global);
            let name = namer.unique(&self.module.globals[global].name).to_string();
            match self.declare_global(global, name, place, atomic) {
                Ok(Some(binding)) => bindings.push(binding),
                Ok(None) => {}
                Err(message) => {
                    let name = &self.module.globals[global].name;
                    return Err(vec![EmitError::new(span, format!("`{name}`: {message}"))]);
                }
            }
        }
        Ok(bindings)
    }

    fn declare_global(
        &mut self,
        global: GlobalId,
        name: String,
        place: Option<(u32, u32)>,
        atomic: Option<Scalar>,
    ) -> Result<Option<Binding>, String> {
        let data = self.module.globals[global].clone();
        let Type::Handle(handle) = self.module.types.get(data.ty) else { return Err("it is not a handle".into()) };
        if let (ParameterRole::Specialization(number), Interface::Host) = (data.provision.role, self.interface) {
            self.declare_override(global, name, number)?;
            return Ok(None);
        }
        let rules = self.legal.layout_of(global);
        if data.provision.role == ParameterRole::PushConstant && self.interface == Interface::Host {
            return Err("push constants are not supported for target `wgsl`".into());
        }
        if data.provision.role == ParameterRole::ShaderRecord && self.interface == Interface::Host {
            return Err("shader records are not supported for target `wgsl`".into());
        }
        let words = Form::Words { scalar: atomic.unwrap_or(Scalar::U32), atomic: atomic.is_some() };
        let read = StorageAccess::LOAD;
        let access = |writable: bool| if writable { read | StorageAccess::STORE } else { read };
        let (form, space, ty) = match handle {
            HandleType::StructuredBuffer { element, writable } => {
                let stride = layout_in(&self.module.types, element, rules).map(|layout| element_stride(layout, rules));
                let natural = self.has_layout(element, rules)? && stride == Some(self.stride(element)?);
                let space = AddressSpace::Storage { access: access(writable) };
                if natural && atomic.is_none() {
                    let element = self.value_type(element)?;
                    (Form::Typed, space, self.runtime_array(element)?)
                } else {
                    (words, space, self.word_array(words, None)?)
                }
            }
            HandleType::ByteAddressBuffer { writable } => {
                (words, AddressSpace::Storage { access: access(writable) }, self.word_array(words, None)?)
            }
            HandleType::ConstantBuffer { content } => {
                let is_typed = self.has_layout(content, rules)?;
                if is_typed && (rules == DataLayout::Std140 || self.fits_uniform(content, true)?) {
                    (Form::Typed, AddressSpace::Uniform, self.value_type(content)?)
                } else if self.interface == Interface::Host {
                    let len = self.words_of(content, rules)?.div_ceil(4);
                    (Form::Quads, AddressSpace::Uniform, self.word_array(Form::Quads, Some(len))?)
                } else {
                    (words, AddressSpace::Storage { access: read }, self.word_array(words, None)?)
                }
            }
            HandleType::Variable { content } => {
                let space = match data.kind {
                    GlobalKind::GroupShared => AddressSpace::WorkGroup,
                    GlobalKind::Static { .. } | GlobalKind::Parameter => AddressSpace::Private,
                };
                if atomic.is_some() {
                    let size = layout(&self.module.types, content).ok_or("it cannot be in memory")?.size;
                    (words, space, self.word_array(words, Some(size.div_ceil(4)))?)
                } else {
                    (Form::Typed, space, self.value_type(content)?)
                }
            }
            HandleType::Texture { .. } | HandleType::Sampler { .. } | HandleType::AccelerationStructure => {
                (Form::Typed, AddressSpace::Handle, self.opaque_type(global, handle)?)
            }
            HandleType::RayQuery { .. } => {
                return Err(format!("rays are not supported for target `{}`", self.reader.name()));
            }
            HandleType::TexelBuffer { .. } | HandleType::Pointer { .. } | HandleType::Address { .. } => {
                return Err(format!("this kind of parameter is not supported yet for target `{}`", self.reader.name()));
            }
        };
        let bound = place.map(|(group, binding)| naga::ResourceBinding { group, binding });
        let variable = self.out.global_variables.append(
            naga::GlobalVariable {
                name: Some(name),
                space,
                binding: bound,
                ty,
                init: None,
                memory_decorations: naga::MemoryDecorations::empty(),
            },
            naga::Span::UNDEFINED,
        );
        self.globals.insert(global, Memory { variable, form, handle, rules });
        let kind = match space {
            AddressSpace::Uniform => BindingKind::Uniform,
            AddressSpace::Handle => match handle {
                HandleType::Sampler { .. } => BindingKind::Sampler,
                _ => BindingKind::Texture,
            },
            AddressSpace::Storage { access } if access.contains(StorageAccess::STORE) => BindingKind::Storage,
            _ => BindingKind::ReadOnlyStorage,
        };
        Ok(place.map(|(set, binding)| Binding { name: data.name.clone(), set, binding, kind }))
    }

    fn word_array(&mut self, form: Form, len: Option<u32>) -> Result<Handle<naga::Type>, String> {
        let (scalar, atomic) = match form {
            Form::Words { scalar, atomic } => (self.scalar(scalar)?, atomic),
            Form::Typed | Form::Quads => (naga::Scalar::U32, false),
        };
        let (inner, stride) = match form {
            Form::Quads => (TypeInner::Vector { size: naga::VectorSize::Quad, scalar }, 16),
            _ if atomic => (TypeInner::Atomic(scalar), 4),
            _ => (TypeInner::Scalar(scalar), 4),
        };
        let word = self.add_type(None, inner)?;
        let size = match len {
            Some(len) => naga::ArraySize::Constant(len.try_into().map_err(|_| "it is empty")?),
            None => naga::ArraySize::Dynamic,
        };
        self.add_type(None, TypeInner::Array { base: word, size, stride })
    }

    /// How many words a value takes in memory.
    fn words_of(&self, ty: TypeId, rules: DataLayout) -> Result<u32, String> {
        let layout = layout_in(&self.module.types, ty, rules).ok_or("it cannot be in memory")?;
        Ok(layout.size.div_ceil(4).max(1))
    }

    /// A constant that the host may fix.
    fn declare_override(&mut self, global: GlobalId, name: String, number: Option<u32>) -> Result<(), String> {
        let unsupported = || "a specialization constant is a number or a truth value".to_owned();
        let data = &self.module.globals[global];
        let Type::Handle(HandleType::Variable { content }) = self.module.types.get(data.ty) else {
            return Err(unsupported());
        };
        let value = match data.kind {
            GlobalKind::Static { init: Some(init) } => legalise::constant_result(&self.module.funcs[init]),
            _ => legalise::zero_constant(self.module.types.get(content)),
        };
        let (Some(value), Type::Scalar(scalar)) = (value, self.module.types.get(content)) else {
            return Err("a specialization constant without a constant value".into());
        };
        let literal = super::expressions::literal(value, scalar).ok_or_else(unsupported)?;
        let number = number.unwrap_or_else(|| legalise::constant_number(self.module, global));
        let id = Some(u16::try_from(number).map_err(|_| "the number of the constant is too large")?);
        let ty = self.value_type(content)?;
        let init = self.out.global_expressions.append(Expression::Literal(literal), naga::Span::UNDEFINED);
        let constant = naga::Override { name: Some(name), id, ty, init: Some(init) };
        let constant = self.out.overrides.append(constant, naga::Span::UNDEFINED);
        self.overrides.insert(global, constant);
        Ok(())
    }

    /// Whether naga's layout of the type meets the stricter rules for uniforms: arrays and structs in multiples of 16.
    fn fits_uniform(&mut self, ty: TypeId, outermost: bool) -> Result<bool, String> {
        let stride = self.stride(ty)?;
        Ok(match self.module.types.get(ty) {
            Type::Struct(id) => {
                let fields = self.module.types.structs[id].fields.clone();
                let mut fits = outermost;
                for field in fields {
                    fits &= self.fits_uniform(field.ty, false)?;
                }
                fits
            }
            Type::Array { element, .. } => self.stride(element)? % 16 == 0 && self.fits_uniform(element, false)?,
            Type::Matrix { scalar, rows, cols } => {
                matches!(matrix_form(scalar, rows, cols), MatrixForm::Native) && stride % 16 == 0
            }
            _ => true,
        })
    }
}

/// A word that a path leads to: `base` words (a `u32` expression, if the path is dynamic) plus `offset` bytes.
#[derive(Clone, Copy)]
pub(crate) struct WordPlace {
    pub memory: Memory,
    pub base: Option<Handle<Expression>>,
    pub offset: u32,
}

impl FunctionWriter<'_, '_> {
    pub(super) fn memory(&mut self, handle: &Expr) -> Result<Memory, EmitError> {
        match &handle.kind {
            ExprKind::Global(global) => {
                self.module.globals.get(*global).copied().ok_or_else(|| self.error("an unknown global"))
            }
            _ => Err(self.error("a buffer that is chosen at run time is not supported for this target")),
        }
    }

    /// What names the memory: a pointer, or the texture or sampler itself.
    pub(super) fn name_of(&mut self, memory: Memory) -> Handle<Expression> {
        self.add(Expression::GlobalVariable(memory.variable))
    }

    pub(super) fn load(&mut self, handle: &Expr, path: &[Step], ty: TypeId) -> Result<Handle<Expression>, EmitError> {
        if let ExprKind::Global(global) = handle.kind
            && let Some(&constant) = self.module.overrides.get(global)
        {
            return Ok(self.add(Expression::Override(constant)));
        }
        let memory = self.memory(handle)?;
        match memory.form {
            Form::Typed => {
                let pointer = self.global_pointer(memory, path)?;
                Ok(self.add(Expression::Load { pointer }))
            }
            Form::Words { .. } | Form::Quads => {
                let place = self.word_place(memory, path)?;
                self.load_words(place, ty)
            }
        }
    }

    pub(super) fn store(&mut self, handle: &Expr, path: &[Step], value: &Expr) -> Result<(), EmitError> {
        let memory = self.memory(handle)?;
        let written = self.expr(value)?;
        match memory.form {
            Form::Typed => {
                let pointer = self.global_pointer(memory, path)?;
                self.push(naga::Statement::Store { pointer, value: written });
                Ok(())
            }
            Form::Words { .. } | Form::Quads => {
                let place = self.word_place(memory, path)?;
                self.store_words(place, written, value.ty)
            }
        }
    }

    fn global_pointer(&mut self, memory: Memory, path: &[Step]) -> Result<Handle<Expression>, EmitError> {
        let base = self.name_of(memory);
        match memory.handle {
            HandleType::StructuredBuffer { element, .. } => {
                let Some((first, rest)) = path.split_first() else {
                    return Err(self.error("a buffer cannot be read as a whole"));
                };
                let element_pointer = self.step(base, first)?;
                self.access(element_pointer, element, rest)
            }
            HandleType::ConstantBuffer { content } | HandleType::Variable { content } => {
                self.access(base, content, path)
            }
            _ => Err(self.error("this kind of memory is not supported yet")),
        }
    }

    pub(super) fn word_place(&mut self, memory: Memory, path: &[Step]) -> Result<WordPlace, EmitError> {
        let (mut ty, path, mut place) = match memory.handle {
            HandleType::StructuredBuffer { element, .. } => {
                let Some((first, rest)) = path.split_first() else {
                    return Err(self.error("a buffer cannot be read as a whole"));
                };
                let place = WordPlace { memory, base: None, offset: 0 };
                let types = &self.module.module.types;
                let stride = layout_in(types, element, memory.rules).map(|layout| element_stride(layout, memory.rules));
                (element, rest, self.advance(place, first, stride.unwrap_or(4))?)
            }
            HandleType::ConstantBuffer { content } | HandleType::Variable { content } => {
                (content, path, WordPlace { memory, base: None, offset: 0 })
            }
            _ => return Err(self.error("this kind of memory is not supported yet")),
        };
        for step in path {
            let module = self.module.module;
            (ty, place) = match (module.types.get(ty), step) {
                (Type::Struct(id), Step::Const(index)) => {
                    let offset = field_offset_in(&module.types, id, *index, memory.rules).unwrap_or(0);
                    let field = module.types.structs[id].fields[*index as usize].ty;
                    (field, WordPlace { offset: place.offset + offset, ..place })
                }
                _ => {
                    let stride = stride_in(&module.types, ty, memory.rules).unwrap_or(4);
                    (self.element_type(ty), self.advance(place, step, stride)?)
                }
            };
        }
        Ok(place)
    }

    /// `place` plus `step` elements, each so many bytes after the other.
    fn advance(&mut self, place: WordPlace, step: &Step, stride: u32) -> Result<WordPlace, EmitError> {
        match step {
            Step::Const(index) => Ok(WordPlace { offset: place.offset + index * stride, ..place }),
            Step::Dynamic(index) | Step::Tested(index) => {
                if !stride.is_multiple_of(4) {
                    return Err(self.error("values of less than 32 bits cannot be in this buffer yet"));
                }
                let index = self.index(index)?;
                let stride = self.u32(stride / 4);
                let words = self.binary(naga::BinaryOperator::Multiply, index, stride);
                let base = match place.base {
                    Some(base) => self.binary(naga::BinaryOperator::Add, base, words),
                    None => words,
                };
                Ok(WordPlace { base: Some(base), ..place })
            }
        }
    }

    /// The place `offset` bytes into a byte-address buffer.
    pub(super) fn byte_place(&mut self, memory: Memory, offset: &Expr) -> Result<WordPlace, EmitError> {
        if let ExprKind::Const(ir::Constant::Int(offset)) = offset.kind {
            return Ok(WordPlace { memory, base: None, offset: offset as u32 });
        }
        let offset = self.index(offset)?;
        let two = self.u32(2);
        let base = self.binary(naga::BinaryOperator::ShiftRight, offset, two);
        Ok(WordPlace { memory, base: Some(base), offset: 0 })
    }

    pub(super) fn word_pointer(&mut self, place: WordPlace) -> Result<Handle<Expression>, EmitError> {
        if !place.offset.is_multiple_of(4) {
            return Err(self.error("values of less than 32 bits cannot be in this buffer yet"));
        }
        let variable = self.name_of(place.memory);
        let offset = place.offset / 4;
        let index = match place.base {
            None => self.u32(offset),
            Some(base) if offset == 0 => base,
            Some(base) => {
                let offset = self.u32(offset);
                self.binary(naga::BinaryOperator::Add, base, offset)
            }
        };
        if place.memory.form != Form::Quads {
            return Ok(self.add(Expression::Access { base: variable, index }));
        }
        let (two, three) = (self.u32(2), self.u32(3));
        let quad = self.binary(naga::BinaryOperator::ShiftRight, index, two);
        let part = self.binary(naga::BinaryOperator::And, index, three);
        let base = self.add(Expression::Access { base: variable, index: quad });
        Ok(self.add(Expression::Access { base, index: part }))
    }

    pub(super) fn load_words(&mut self, place: WordPlace, ty: TypeId) -> Result<Handle<Expression>, EmitError> {
        self.check_size(ty)?;
        let module = self.module.module;
        if let Type::Scalar(scalar) = module.types.get(ty) {
            return self.load_word(place, scalar);
        }
        let parts = self.parts(ty, place)?;
        let mut values = Vec::new();
        for (part, place) in parts {
            values.push(self.load_words(place, part)?);
        }
        self.compose(ty, values)
    }

    fn load_word(&mut self, place: WordPlace, scalar: Scalar) -> Result<Handle<Expression>, EmitError> {
        let pointer = self.word_pointer(place)?;
        let word = self.add(Expression::Load { pointer });
        if scalar.bits() == 64 {
            let pointer = self.word_pointer(WordPlace { offset: place.offset + 4, ..place })?;
            let high = self.add(Expression::Load { pointer });
            let wide = |kind| move |expr| Expression::As { expr, kind, convert: Some(8) };
            let low = self.add(wide(naga::ScalarKind::Uint)(word));
            let high = self.add(wide(naga::ScalarKind::Uint)(high));
            let shift = self.u32(32);
            let high = self.binary(naga::BinaryOperator::ShiftLeft, high, shift);
            let both = self.binary(naga::BinaryOperator::InclusiveOr, low, high);
            let kind = self.naga_scalar(scalar)?.kind;
            return Ok(self.add(Expression::As { expr: both, kind, convert: None }));
        }
        match scalar {
            Scalar::Bool => {
                let zero = self.literal(match place.memory.form {
                    Form::Words { scalar: Scalar::I32, .. } => naga::Literal::I32(0),
                    _ => naga::Literal::U32(0),
                });
                Ok(self.binary(naga::BinaryOperator::NotEqual, word, zero))
            }
            Scalar::F32 | Scalar::I32 | Scalar::U32 => {
                let kind = self.naga_scalar(scalar)?.kind;
                Ok(self.add(Expression::As { expr: word, kind, convert: None }))
            }
            _ => Err(self.error("values of less than 32 bits cannot be in this buffer yet")),
        }
    }

    pub(super) fn store_words(
        &mut self,
        place: WordPlace,
        value: Handle<Expression>,
        ty: TypeId,
    ) -> Result<(), EmitError> {
        self.check_size(ty)?;
        if let Type::Scalar(scalar) = self.module.module.types.get(ty) {
            return self.store_word(place, value, scalar);
        }
        let is_scalar = matches!(self.module.module.types.get(ty), Type::Vector { len: 1, .. });
        for (index, (part, place)) in self.parts(ty, place)?.into_iter().enumerate() {
            let value = match is_scalar {
                true => value,
                false => self.add(Expression::AccessIndex { base: value, index: index as u32 }),
            };
            self.store_words(place, value, part)?;
        }
        Ok(())
    }

    fn store_word(&mut self, place: WordPlace, value: Handle<Expression>, scalar: Scalar) -> Result<(), EmitError> {
        let kind = match place.memory.form {
            Form::Words { scalar: Scalar::I32, .. } => naga::ScalarKind::Sint,
            _ => naga::ScalarKind::Uint,
        };
        if scalar.bits() == 64 {
            let bits = self.add(Expression::As { expr: value, kind: naga::ScalarKind::Uint, convert: None });
            let low = self.add(Expression::As { expr: bits, kind, convert: Some(4) });
            let shift = self.u32(32);
            let high = self.binary(naga::BinaryOperator::ShiftRight, bits, shift);
            let high = self.add(Expression::As { expr: high, kind, convert: Some(4) });
            for (half, word) in [low, high].into_iter().enumerate() {
                let pointer = self.word_pointer(WordPlace { offset: place.offset + 4 * half as u32, ..place })?;
                self.push(naga::Statement::Store { pointer, value: word });
            }
            return Ok(());
        }
        let convert = match scalar {
            Scalar::Bool => Some(4),
            Scalar::F32 | Scalar::I32 | Scalar::U32 => None,
            _ => return Err(self.error("values of less than 32 bits cannot be in this buffer yet")),
        };
        let word = self.add(Expression::As { expr: value, kind, convert });
        let pointer = self.word_pointer(place)?;
        self.push(naga::Statement::Store { pointer, value: word });
        Ok(())
    }

    fn check_size(&self, ty: TypeId) -> Result<(), EmitError> {
        match layout(&self.module.module.types, ty) {
            Some(layout) if layout.size <= MAX_WORDS * 4 => Ok(()),
            _ => Err(self.error("a value is too large to be read or written as a whole")),
        }
    }

    /// The parts of an aggregate in memory, with their types.
    fn parts(&mut self, ty: TypeId, place: WordPlace) -> Result<Vec<(TypeId, WordPlace)>, EmitError> {
        let module = self.module.module;
        let (element, count) = match module.types.get(ty) {
            Type::Struct(id) => {
                let fields = module.types.structs[id].fields.iter().enumerate();
                return Ok(fields
                    .map(|(index, field)| {
                        let rules = place.memory.rules;
                        let offset = field_offset_in(&module.types, id, index as u32, rules).unwrap_or(0);
                        (field.ty, WordPlace { offset: place.offset + offset, ..place })
                    })
                    .collect());
            }
            Type::Vector { len, .. } => (self.element_type(ty), u32::from(len)),
            Type::Matrix { rows, .. } => (self.element_type(ty), rows.into()),
            Type::Array { element, len } => (element, len),
            _ => return Err(self.error("a value of this type cannot be in memory")),
        };
        let stride = stride_in(&module.types, ty, place.memory.rules).unwrap_or(4);
        Ok((0..count).map(|index| (element, WordPlace { offset: place.offset + index * stride, ..place })).collect())
    }
}
