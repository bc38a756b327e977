//! Types of values, and those of memory that hosts share, whose places are explicit.

use ir::layout::{field_offset_in, layout_in, stride_in};
use ir::provision::DataLayout;
use ir::{HandleType, Scalar, StructId, Type, TypeId};
use la_arena::ArenaMap;
use rustc_hash::FxHashMap;
use smol_str::SmolStr;
use spirv::{Capability, Decoration, Op, StorageClass};

use super::ModuleWriter;
use super::words::Id;
use crate::tree::names::Namer;

/// The most bytes of an array.
const MAX_BYTES: u64 = 1 << 30;

/// The types that were declared.
#[derive(Default)]
pub(super) struct Types {
    values: FxHashMap<TypeId, Id>,
    memory: FxHashMap<(TypeId, DataLayout), Id>,
    names: Namer,
    /// What structs are called: as values and in memory alike, since there are drivers that take copies between them for copies
    /// between types that have nothing to do with each other.
    struct_names: ArenaMap<StructId, SmolStr>,
}

/// Whether a matrix is one of SPIR-V's, whose columns are the rows. Others are arrays of rows.
pub(super) fn is_native(scalar: Scalar, rows: u8, cols: u8) -> bool {
    scalar.is_float() && rows > 1 && cols > 1
}

impl ModuleWriter<'_> {
    pub(super) fn scalar_type(&mut self, scalar: Scalar) -> Id {
        let (op, signed, capability) = match scalar {
            Scalar::Bool => return self.out.ty(Op::TypeBool, &[]),
            Scalar::I8 => (Op::TypeInt, Some(1), Some(Capability::Int8)),
            Scalar::I16 => (Op::TypeInt, Some(1), Some(Capability::Int16)),
            Scalar::I32 => (Op::TypeInt, Some(1), None),
            Scalar::I64 => (Op::TypeInt, Some(1), Some(Capability::Int64)),
            Scalar::U8 => (Op::TypeInt, Some(0), Some(Capability::Int8)),
            Scalar::U16 => (Op::TypeInt, Some(0), Some(Capability::Int16)),
            Scalar::U32 => (Op::TypeInt, Some(0), None),
            Scalar::U64 => (Op::TypeInt, Some(0), Some(Capability::Int64)),
            Scalar::F16 => (Op::TypeFloat, None, Some(Capability::Float16)),
            Scalar::F32 => (Op::TypeFloat, None, None),
            Scalar::F64 => (Op::TypeFloat, None, Some(Capability::Float64)),
        };
        if let Some(capability) = capability {
            self.out.require(capability);
        }
        let operands: Vec<u32> = [scalar.bits()].into_iter().chain(signed).collect();
        self.out.ty(op, &operands)
    }

    /// Of one component the scalar itself.
    pub(super) fn vector_type(&mut self, scalar: Scalar, len: u8) -> Id {
        let component = self.scalar_type(scalar);
        if len == 1 { component } else { self.out.ty(Op::TypeVector, &[component.0, len.into()]) }
    }

    pub(super) fn void(&mut self) -> Id {
        self.out.ty(Op::TypeVoid, &[])
    }

    /// The type of values: what locals and expressions have.
    pub(super) fn value_type(&mut self, ty: TypeId) -> Result<Id, String> {
        if let Some(&id) = self.types.values.get(&ty) {
            return Ok(id);
        }
        let id = match self.module.types.get(ty) {
            Type::Scalar(scalar) => self.scalar_type(scalar),
            Type::Vector { scalar, len } => self.vector_type(scalar, len),
            Type::Matrix { scalar, rows, cols } => {
                let row = self.vector_type(scalar, cols);
                match is_native(scalar, rows, cols) {
                    true => self.out.ty(Op::TypeMatrix, &[row.0, rows.into()]),
                    false => {
                        let len = self.out_u32(rows.into());
                        self.out.ty(Op::TypeArray, &[row.0, len.0])
                    }
                }
            }
            Type::Array { element, len } => {
                self.check_size(ty)?;
                let (element, len) = (self.value_type(element)?, self.out_u32(len.max(1)));
                self.out.ty(Op::TypeArray, &[element.0, len.0])
            }
            Type::Struct(of) => {
                let def = self.module.types.structs[of].clone();
                let members = def.fields.iter().map(|field| Ok(self.value_type(field.ty)?.0));
                let members = members.collect::<Result<Vec<u32>, String>>()?;
                let id = self.out.unique_type(Op::TypeStruct, &members);
                self.name_struct(id, of, &def);
                id
            }
            // It becomes a pointer where memory is read or written.
            Type::Handle(HandleType::Address { .. }) => self.scalar_type(Scalar::U64),
            Type::Sum(_) | Type::Handle(_) | Type::Opaque(_) => {
                return Err("a type that is used here is not supported yet for target `spirv`".into());
            }
        };
        self.types.values.insert(ty, id);
        Ok(id)
    }

    fn name_struct(&mut self, id: Id, of: StructId, def: &ir::types::StructDef) {
        if !self.types.struct_names.contains_idx(of) {
            let name = self.types.names.unique(&def.name);
            self.types.struct_names.insert(of, name);
        }
        let name = self.types.struct_names[of].clone();
        self.out.name(id, &name);
        let mut names = Namer::default();
        for (index, field) in def.fields.iter().enumerate() {
            self.out.member_name(id, index as u32, &names.unique(&field.name));
        }
    }

    /// Arrays as large as no device has them are refused.
    fn check_size(&self, ty: TypeId) -> Result<(), String> {
        let Type::Array { element, len } = self.module.types.get(ty) else { return Ok(()) };
        let element = layout_in(&self.module.types, element, DataLayout::Scalar).map_or(1, |layout| layout.size);
        if u64::from(element) * u64::from(len) > MAX_BYTES { Err("an array is too large".into()) } else { Ok(()) }
    }

    /// The type of a value in memory by the rules of a layout. Truth values are words there.
    pub(super) fn memory_type(&mut self, ty: TypeId, rules: DataLayout) -> Result<Id, String> {
        if let Some(&id) = self.types.memory.get(&(ty, rules)) {
            return Ok(id);
        }
        let stride = |this: &Self| stride_in(&this.module.types, ty, rules).ok_or("it cannot be in memory");
        let id = match self.module.types.get(ty) {
            Type::Scalar(scalar) => self.scalar_type(in_memory(scalar)),
            Type::Vector { scalar, len } => self.vector_type(in_memory(scalar), len),
            Type::Matrix { scalar, rows, cols } if is_native(scalar, rows, cols) => self.value_type(ty)?,
            Type::Matrix { scalar, rows, cols } => {
                let (row, len, stride) =
                    (self.vector_type(in_memory(scalar), cols), self.out_u32(rows.into()), stride(self)?);
                self.strided(Op::TypeArray, &[row.0, len.0], stride)
            }
            Type::Array { element, len } => {
                self.check_size(ty)?;
                let (element, len) = (self.memory_type(element, rules)?, self.out_u32(len.max(1)));
                let stride = stride(self)?.max(1);
                self.strided(Op::TypeArray, &[element.0, len.0], stride)
            }
            Type::Struct(of) => {
                let def = self.module.types.structs[of].clone();
                let members = def.fields.iter().map(|field| Ok(self.memory_type(field.ty, rules)?.0));
                let members = members.collect::<Result<Vec<u32>, String>>()?;
                let id = self.out.unique_type(Op::TypeStruct, &members);
                self.name_struct(id, of, &def);
                for (index, field) in (0..).zip(&def.fields) {
                    let offset =
                        field_offset_in(&self.module.types, of, index, rules).ok_or("it cannot be in memory")?;
                    self.place_member(id, index, field.ty, offset, rules)?;
                }
                id
            }
            Type::Sum(_) | Type::Handle(_) | Type::Opaque(_) => {
                return Err("a type that is used here is not supported yet for target `spirv`".into());
            }
        };
        self.types.memory.insert((ty, rules), id);
        Ok(id)
    }

    /// An array type whose elements are so many bytes apart. Two of them with one element type and different strides are two.
    pub(super) fn strided(&mut self, op: Op, operands: &[u32], stride: u32) -> Id {
        let id = self.out.unique_type(op, operands);
        self.out.decorate(id, Decoration::ArrayStride, &[stride]);
        id
    }

    /// Says where a member of a struct is, and how its matrices lie.
    pub(super) fn place_member(
        &mut self,
        id: Id,
        member: u32,
        ty: TypeId,
        offset: u32,
        rules: DataLayout,
    ) -> Result<(), String> {
        self.out.decorate_member(id, member, Decoration::Offset, &[offset]);
        let mut inner = ty;
        while let Type::Array { element, .. } = self.module.types.get(inner) {
            inner = element;
        }
        if let Type::Matrix { scalar, rows, cols } = self.module.types.get(inner)
            && is_native(scalar, rows, cols)
        {
            let stride = stride_in(&self.module.types, inner, rules).ok_or("it cannot be in memory")?;
            self.out.decorate_member(id, member, Decoration::ColMajor, &[]);
            self.out.decorate_member(id, member, Decoration::MatrixStride, &[stride]);
        }
        Ok(())
    }

    /// Whether values of a type are the same in memory: no truth value is in them.
    pub(super) fn holds_truth_values(&self, ty: TypeId) -> bool {
        match self.module.types.get(ty) {
            Type::Scalar(scalar) | Type::Vector { scalar, .. } | Type::Matrix { scalar, .. } => scalar == Scalar::Bool,
            Type::Array { element, .. } => self.holds_truth_values(element),
            Type::Struct(id) => {
                self.module.types.structs[id].fields.iter().any(|field| self.holds_truth_values(field.ty))
            }
            Type::Sum(_) | Type::Handle(_) | Type::Opaque(_) => false,
        }
    }

    /// Asks for what a device must have to keep narrow numbers in memory that hosts share.
    pub(super) fn require_storage(&mut self, ty: TypeId, class: StorageClass) {
        match self.module.types.get(ty) {
            Type::Scalar(scalar) | Type::Vector { scalar, .. } | Type::Matrix { scalar, .. } => {
                let capability = match (scalar.bits(), class) {
                    (8, StorageClass::Uniform) => Capability::UniformAndStorageBuffer8BitAccess,
                    (8, StorageClass::PushConstant) => Capability::StoragePushConstant8,
                    (8, _) => Capability::StorageBuffer8BitAccess,
                    (16, StorageClass::Uniform) => Capability::UniformAndStorageBuffer16BitAccess,
                    (16, StorageClass::PushConstant) => Capability::StoragePushConstant16,
                    (16, StorageClass::Input | StorageClass::Output) => Capability::StorageInputOutput16,
                    (16, _) => Capability::StorageBuffer16BitAccess,
                    _ => return,
                };
                self.out.require(capability);
            }
            Type::Array { element, .. } => self.require_storage(element, class),
            Type::Struct(id) => {
                for field in self.module.types.structs[id].fields.clone() {
                    self.require_storage(field.ty, class);
                }
            }
            Type::Sum(_) | Type::Handle(_) | Type::Opaque(_) => {}
        }
    }
}

/// What a scalar is in memory.
pub(super) fn in_memory(scalar: Scalar) -> Scalar {
    if scalar == Scalar::Bool { Scalar::U32 } else { scalar }
}
