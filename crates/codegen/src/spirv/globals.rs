//! Variables of the module: parameters with their places, what groups and threads share, and constants that hosts fix.

use ir::layout::{element_stride, layout_in};
use ir::provision::{DataLayout, ParameterRole};
use ir::types::AS_MANY_AS_BOUND;
use ir::{GlobalId, GlobalKind, HandleType, Scalar, Type, TypeId};
use spirv::{Capability, Decoration, Op, StorageClass};

use super::words::Id;
use super::{ModuleWriter, constants};
use crate::legalise;
use crate::{Binding, BindingKind, EmitError, Interface};

/// How memory that the module has is reached.
#[derive(Debug, Clone, Copy)]
pub(super) struct Memory {
    pub(super) variable: Id,
    pub(super) class: StorageClass,
    pub(super) handle: HandleType,
    /// The rules by which it is laid out, where hosts or other stages see it.
    pub(super) rules: Option<DataLayout>,
    /// The type of one resource: a block, an image, a sampler. Of other variables what they hold.
    pub(super) ty: Id,
    pub(super) shape: Shape,
}

/// What is in a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// What the memory holds.
    Plain,
    /// A struct of which it is the only member.
    Block,
    /// What the memory holds, or more, by another type: it is read and written in parts.
    Parts,
    /// An array of which it is this element.
    Element(u32),
    /// Several such arrays, the elements of which it is.
    ElementOfEach(u32),
}

/// What tells one block type from another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct BlockKey {
    content: Id,
    is_read_only: bool,
    is_coherent: bool,
    class: u32,
}

impl ModuleWriter<'_> {
    /// Declares what `functions` use.
    pub(super) fn declare_globals(&mut self) -> Result<Vec<Binding>, Vec<EmitError>> {
        let mut bindings = Vec::new();
        for global in legalise::used_globals(self.module, &self.legal.functions) {
            match self.declare_global(global) {
                // A parameter and those that see it are one to the host.
                Ok(Some(binding)) if bindings.iter().any(|known: &Binding| known.name == binding.name) => {}
                Ok(binding) => bindings.extend(binding),
                Err(message) => {
                    let (name, span) = (&self.module.globals[global].name, legalise::first_use(self.module, global));
                    return Err(vec![EmitError::new(span, format!("`{name}`: {message}"))]);
                }
            }
        }
        Ok(bindings)
    }

    fn declare_global(&mut self, global: GlobalId) -> Result<Option<Binding>, String> {
        let data = self.module.globals[global].clone();
        let array = self.module.types.resource_array(data.ty);
        let ty = array.map_or(data.ty, |(element, _)| element);
        let Type::Handle(handle) = self.module.types.get(ty) else { return Err("it is not a handle".into()) };
        if let (ParameterRole::Specialization(number), Interface::Host) = (data.provision.role, self.interface) {
            self.declare_specialization(global, number)?;
            return Ok(None);
        }
        let name = self.names.unique(&data.name);
        if let HandleType::Variable { content } = handle {
            let memory = match &data.provision.varying {
                Some(varying) => self.declare_varying(global, varying, content, &name)?,
                None => {
                    let value = self.value_type(content)?;
                    let (class, init) = match data.kind {
                        GlobalKind::GroupShared => (StorageClass::Workgroup, None),
                        GlobalKind::Static { init: Some(_) } => (StorageClass::Private, None),
                        GlobalKind::Static { init: None } | GlobalKind::Parameter => {
                            (StorageClass::Private, Some(self.null(value)))
                        }
                    };
                    let variable = self.out.variable(class, value, init);
                    self.out.name(variable, &name);
                    Memory { variable, class, handle, rules: None, ty: value, shape: Shape::Plain }
                }
            };
            self.globals.insert(global, memory);
            return Ok(None);
        }
        let rules = self.legal.layout_of(global);
        let is_pushed = data.provision.role == ParameterRole::PushConstant && self.interface == Interface::Host;
        let is_record = data.provision.role == ParameterRole::ShaderRecord && self.interface == Interface::Host;
        let is_coherent = data.provision.is_coherent;
        let (class, shape, one, kind) = match handle {
            HandleType::StructuredBuffer { element, writable } => {
                let content = self.elements(element, rules)?;
                self.require_storage(element, StorageClass::StorageBuffer);
                let block =
                    self.block(content, element, rules, (!writable, is_coherent), StorageClass::StorageBuffer)?;
                (StorageClass::StorageBuffer, Shape::Block, block, storage(writable))
            }
            HandleType::ByteAddressBuffer { writable } => {
                let word = self.module.types.scalar(Scalar::U32);
                let content = self.elements(word, DataLayout::Scalar)?;
                let access = (!writable, is_coherent);
                let block = self.block(content, word, DataLayout::Scalar, access, StorageClass::StorageBuffer)?;
                (StorageClass::StorageBuffer, Shape::Block, block, storage(writable))
            }
            HandleType::ConstantBuffer { content } => {
                let class = match () {
                    () if is_pushed => StorageClass::PushConstant,
                    () if is_record => StorageClass::ShaderRecordBufferKHR,
                    () => StorageClass::Uniform,
                };
                let inner = self.memory_type(content, rules)?;
                self.require_storage(content, class);
                let block = self.block(inner, content, rules, (false, false), class)?;
                (class, Shape::Block, block, BindingKind::Uniform)
            }
            HandleType::TexelBuffer { .. } | HandleType::Texture { .. } => {
                (StorageClass::UniformConstant, Shape::Plain, self.image_type(global, handle)?, BindingKind::Texture)
            }
            HandleType::Sampler { .. } => {
                let sampler = self.out.ty(Op::TypeSampler, &[]);
                (StorageClass::UniformConstant, Shape::Plain, sampler, BindingKind::Sampler)
            }
            HandleType::AccelerationStructure => {
                let scene = self.scene_type();
                (StorageClass::UniformConstant, Shape::Plain, scene, BindingKind::Texture)
            }
            HandleType::RayQuery { .. } => {
                let query = self.query_type();
                let variable = self.out.variable(StorageClass::Private, query, None);
                self.out.name(variable, &name);
                let (class, shape) = (StorageClass::Private, Shape::Plain);
                self.globals.insert(global, Memory { variable, class, handle, rules: None, ty: query, shape });
                return Ok(None);
            }
            HandleType::Pointer { .. } | HandleType::Address { .. } => {
                return Err("this kind of parameter is not supported yet for target `spirv`".into());
            }
            HandleType::Variable { .. } => return Err("it is not a parameter".into()),
        };
        let whole = match array {
            None => one,
            Some((_, AS_MANY_AS_BOUND)) => {
                self.out.require(Capability::RuntimeDescriptorArray);
                self.out.ty(Op::TypeRuntimeArray, &[one.0])
            }
            Some((_, count)) => {
                let count = self.out_u32(count.max(1));
                self.out.ty(Op::TypeArray, &[one.0, count.0])
            }
        };
        let variable = self.out.variable(class, whole, None);
        self.out.name(variable, &name);
        if is_coherent && matches!(handle, HandleType::Texture { .. } | HandleType::TexelBuffer { .. }) {
            self.out.decorate(variable, Decoration::Coherent, &[]);
        }
        let place = self.legal.places.of(global);
        if let Some((set, binding)) = place {
            self.out.decorate(variable, Decoration::DescriptorSet, &[set]);
            self.out.decorate(variable, Decoration::Binding, &[binding]);
        }
        let rules = match handle {
            HandleType::ByteAddressBuffer { .. } => DataLayout::Scalar,
            _ => rules,
        };
        self.globals.insert(global, Memory { variable, class, handle, rules: Some(rules), ty: one, shape });
        let is_view = self.legal.views.contains_key(&global);
        if is_view || self.legal.views.values().any(|&seen| seen == global) {
            // What is written by one of them is read by the other.
            self.out.decorate(variable, Decoration::Aliased, &[]);
        }
        let name = self.module.globals[self.legal.seen(global)].name.clone();
        Ok(place.map(|(set, binding)| Binding { name, set, binding, kind }))
    }

    /// As many elements as the host has bound.
    fn elements(&mut self, element: TypeId, rules: DataLayout) -> Result<Id, String> {
        let layout = layout_in(&self.module.types, element, rules).ok_or("it cannot be in memory")?;
        let stride = element_stride(layout, rules).max(1);
        let element = self.memory_type(element, rules)?;
        if let Some(&(_, _, known)) = self.element_arrays.iter().find(|(of, at, _)| (*of, *at) == (element, stride)) {
            return Ok(known);
        }
        let array = self.strided(Op::TypeRuntimeArray, &[element.0], stride);
        self.element_arrays.push((element, stride, array));
        Ok(array)
    }

    /// A struct around what a buffer holds; `ty` is that or, where it is an array, its elements.
    pub(super) fn block(
        &mut self,
        content: Id,
        ty: TypeId,
        rules: DataLayout,
        (is_read_only, is_coherent): (bool, bool),
        class: StorageClass,
    ) -> Result<Id, String> {
        let key = BlockKey { content, is_read_only, is_coherent, class: class as u32 };
        if let Some(&block) = self.blocks.get(&key) {
            return Ok(block);
        }
        let block = self.out.unique_type(Op::TypeStruct, &[content.0]);
        self.out.decorate(block, Decoration::Block, &[]);
        self.out.member_name(block, 0, "content");
        self.place_member(block, 0, ty, 0, rules)?;
        if is_read_only {
            self.out.decorate_member(block, 0, Decoration::NonWritable, &[]);
        }
        if is_coherent {
            self.out.decorate_member(block, 0, Decoration::Coherent, &[]);
        }
        self.blocks.insert(key, block);
        Ok(block)
    }

    /// A constant that the host may fix.
    fn declare_specialization(&mut self, global: GlobalId, number: Option<u32>) -> Result<(), String> {
        let unsupported = || "a specialization constant is a number or a truth value".to_owned();
        let data = &self.module.globals[global];
        let Type::Handle(HandleType::Variable { content }) = self.module.types.get(data.ty) else {
            return Err(unsupported());
        };
        let value = match data.kind {
            GlobalKind::Static { init: Some(init) } => legalise::constant_result(&self.module.funcs[init]),
            GlobalKind::Static { init: None } | GlobalKind::Parameter | GlobalKind::GroupShared => {
                legalise::zero_constant(self.module.types.get(content))
            }
        };
        let (Some(value), Type::Scalar(scalar)) = (value, self.module.types.get(content)) else {
            return Err("a specialization constant without a constant value".into());
        };
        let number = number.unwrap_or_else(|| legalise::constant_number(self.module, global));
        let ty = self.scalar_type(scalar);
        let constant = match scalar {
            Scalar::Bool => {
                let is_true = constants::is_true(value);
                let op = if is_true { Op::SpecConstantTrue } else { Op::SpecConstantFalse };
                self.out.specialization_constant(op, ty, &[], number)
            }
            _ => self.out.specialization_constant(Op::SpecConstant, ty, &constants::words(value, scalar), number),
        };
        let name = self.names.unique(&self.module.globals[global].name);
        self.out.name(constant, &name);
        self.specializations.insert(global, constant);
        Ok(())
    }
}

fn storage(writable: bool) -> BindingKind {
    if writable { BindingKind::Storage } else { BindingKind::ReadOnlyStorage }
}
