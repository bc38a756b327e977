//! Types and their layouts.

use ir::{Scalar, Type, TypeId, types::TypeTable};
use la_arena::ArenaMap;
use naga::{Handle, Span, TypeInner, VectorSize};
use rustc_hash::FxHashMap;

use super::ModuleWriter;
use ir::layout::{field_offset_in, layout_in, stride_in};
use ir::provision::DataLayout;

#[derive(Default)]
pub(crate) struct Types {
    values: FxHashMap<TypeId, Handle<naga::Type>>,
    structs: ArenaMap<ir::StructId, Handle<naga::Type>>,
    names: crate::tree::names::Namer,
    layouter: naga::proc::Layouter,
}

/// Adds the types of rows and components, which the writer then finds.
pub(crate) fn add_parts(types: &TypeTable) {
    let all: Vec<Type> = types.iter().map(|(_, ty)| ty).collect();
    for ty in all {
        if let Type::Matrix { scalar, cols, .. } = ty {
            types.vector(scalar, cols);
        }
        if let Type::Matrix { scalar, .. } | Type::Vector { scalar, .. } = ty {
            types.scalar(scalar);
        }
    }
}

/// What a matrix type is in naga.
pub(crate) enum MatrixForm {
    /// A matrix whose columns are the rows.
    Native,
    /// An array of rows.
    Rows,
}

pub(crate) fn matrix_form(scalar: Scalar, rows: u8, cols: u8) -> MatrixForm {
    if scalar.is_float() && rows > 1 && cols > 1 { MatrixForm::Native } else { MatrixForm::Rows }
}

pub(crate) fn vector_size(len: u8) -> Option<VectorSize> {
    match len {
        2 => Some(VectorSize::Bi),
        3 => Some(VectorSize::Tri),
        4 => Some(VectorSize::Quad),
        _ => None,
    }
}

pub(crate) fn scalar(scalar: Scalar) -> Option<naga::Scalar> {
    Some(match scalar {
        Scalar::Bool => naga::Scalar::BOOL,
        Scalar::I32 => naga::Scalar::I32,
        Scalar::U32 => naga::Scalar::U32,
        Scalar::I64 => naga::Scalar::I64,
        Scalar::U64 => naga::Scalar::U64,
        Scalar::F16 => naga::Scalar::F16,
        Scalar::F32 => naga::Scalar::F32,
        Scalar::F64 => naga::Scalar::F64,
        Scalar::I16 => naga::Scalar { kind: naga::ScalarKind::Sint, width: 2 },
        Scalar::U16 => naga::Scalar { kind: naga::ScalarKind::Uint, width: 2 },
        Scalar::I8 | Scalar::U8 => return None,
    })
}

impl ModuleWriter<'_> {
    pub(super) fn add_type(&mut self, name: Option<String>, inner: TypeInner) -> Result<Handle<naga::Type>, String> {
        let handle = self.out.types.insert(naga::Type { name, inner }, Span::UNDEFINED);
        self.types.layouter.update(self.out.to_ctx()).map_err(|error| error.to_string())?;
        Ok(handle)
    }

    pub(super) fn scalar(&self, scalar: Scalar) -> Result<naga::Scalar, String> {
        let known = self::scalar(scalar).filter(|_| {
            self.reader != super::Reader::Wgsl || !matches!(scalar.bits(), 16 | 64) || scalar == Scalar::F16
        });
        known.ok_or_else(|| format!("the type `{scalar:?}` is not supported for target `{}`", self.reader.name()))
    }

    /// The type of values: what locals and expressions have.
    pub(super) fn value_type(&mut self, ty: TypeId) -> Result<Handle<naga::Type>, String> {
        if let Some(&handle) = self.types.values.get(&ty) {
            return Ok(handle);
        }
        let handle = match self.module.types.get(ty) {
            Type::Scalar(scalar) => {
                let scalar = self.scalar(scalar)?;
                self.add_type(None, TypeInner::Scalar(scalar))?
            }
            Type::Vector { scalar, len } => {
                let scalar = self.scalar(scalar)?;
                let inner = match vector_size(len) {
                    Some(size) => TypeInner::Vector { size, scalar },
                    None => TypeInner::Scalar(scalar),
                };
                self.add_type(None, inner)?
            }
            Type::Matrix { scalar, rows, cols } => match (matrix_form(scalar, rows, cols), vector_size(rows)) {
                (MatrixForm::Native, Some(columns)) => {
                    let scalar = self.scalar(scalar)?;
                    let rows = vector_size(cols).ok_or("a matrix without columns")?;
                    self.add_type(None, TypeInner::Matrix { columns, rows, scalar })?
                }
                _ => {
                    let scalar = self.scalar(scalar)?;
                    let row = match vector_size(cols) {
                        Some(size) => TypeInner::Vector { size, scalar },
                        None => TypeInner::Scalar(scalar),
                    };
                    let row = self.add_type(None, row)?;
                    self.array_of(row, rows.into())?
                }
            },
            Type::Array { element, len } => {
                let element = self.value_type(element)?;
                self.array_of(element, len)?
            }
            Type::Struct(id) => self.struct_type(id)?,
            Type::Sum(_) | Type::Handle(_) | Type::Opaque(_) => {
                return Err("a type that is used here is not supported yet for this target".into());
            }
        };
        self.types.values.insert(ty, handle);
        Ok(handle)
    }

    fn array_of(&mut self, base: Handle<naga::Type>, len: u32) -> Result<Handle<naga::Type>, String> {
        // An array without elements is never indexed; naga wants at least one.
        let size = std::num::NonZeroU32::new(len.max(1)).ok_or("an array without elements")?;
        let stride = self.types.layouter[base].to_stride();
        if u64::from(stride) * u64::from(len) > 1 << 30 {
            return Err("an array is too large".into());
        }
        self.add_type(None, TypeInner::Array { base, size: naga::ArraySize::Constant(size), stride })
    }

    pub(super) fn runtime_array(&mut self, base: Handle<naga::Type>) -> Result<Handle<naga::Type>, String> {
        let stride = self.types.layouter[base].to_stride();
        self.add_type(None, TypeInner::Array { base, size: naga::ArraySize::Dynamic, stride })
    }

    fn struct_type(&mut self, id: ir::StructId) -> Result<Handle<naga::Type>, String> {
        if let Some(&handle) = self.types.structs.get(id) {
            return Ok(handle);
        }
        let def = self.module.types.structs[id].clone();
        let mut members = Vec::new();
        let mut offset = 0;
        let mut align = naga::proc::Alignment::ONE;
        let mut names = crate::tree::names::Namer::default();
        for field in &def.fields {
            let ty = self.value_type(field.ty)?;
            let layout = self.types.layouter[ty];
            offset = layout.alignment.round_up(offset);
            align = align.max(layout.alignment);
            let name = Some(names.unique(&field.name).to_string());
            members.push(naga::StructMember { name, ty, binding: None, offset });
            offset = layout.size.checked_add(offset).ok_or("a struct is too large")?;
        }
        if members.is_empty() {
            // naga has no empty structs.
            let ty = self.add_type(None, TypeInner::Scalar(naga::Scalar::U32))?;
            members.push(naga::StructMember { name: Some("nothing".into()), ty, binding: None, offset: 0 });
            (offset, align) = (4, naga::proc::Alignment::FOUR);
        }
        let name = Some(self.types.names.unique(&def.name).to_string());
        let handle = self.add_type(name, TypeInner::Struct { members, span: align.round_up(offset) })?;
        self.types.structs.insert(id, handle);
        Ok(handle)
    }

    /// Whether a value in memory has the same bytes in naga's layout as by these rules.
    pub(super) fn has_layout(&mut self, ty: TypeId, rules: DataLayout) -> Result<bool, String> {
        let handle = self.value_type(ty)?;
        let Some(natural) = layout_in(&self.module.types, ty, rules) else { return Ok(false) };
        let size = self.types.layouter[handle].size;
        let inner = self.out.types[handle].inner.clone();
        Ok(match self.module.types.get(ty) {
            Type::Scalar(scalar) | Type::Vector { scalar, .. } => scalar != Scalar::Bool,
            Type::Matrix { scalar, .. } => scalar != Scalar::Bool && size == natural.size,
            Type::Array { element, .. } => match inner {
                TypeInner::Array { stride, .. } => {
                    self.has_layout(element, rules)? && stride_in(&self.module.types, ty, rules) == Some(stride)
                }
                _ => false,
            },
            Type::Struct(id) => {
                let TypeInner::Struct { members, span } = inner else { return Ok(false) };
                let fields = self.module.types.structs[id].fields.clone();
                let mut same = !fields.is_empty() && span == natural.size;
                for (index, field) in fields.iter().enumerate() {
                    same &= field_offset_in(&self.module.types, id, index as u32, rules) == Some(members[index].offset)
                        && self.has_layout(field.ty, rules)?;
                }
                same
            }
            Type::Sum(_) | Type::Handle(_) | Type::Opaque(_) => false,
        })
    }

    /// The bytes from one element of an array of `ty` to the next in naga's layout.
    pub(super) fn stride(&mut self, ty: TypeId) -> Result<u32, String> {
        let handle = self.value_type(ty)?;
        Ok(self.types.layouter[handle].to_stride())
    }
}
