//! Types of IR values, interned per module.

use std::sync::{Mutex, MutexGuard, PoisonError};

use la_arena::Idx;
use rustc_hash::{FxHashMap, FxHashSet};
use smol_str::SmolStr;

use crate::{FuncId, definitions::Definitions};

/// A scalar type. Floats and integers have the widths of the GPU languages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scalar {
    /// A truth value.
    Bool,
    /// A signed integer of 8 bits.
    I8,
    /// A signed integer of 16 bits.
    I16,
    /// A signed integer of 32 bits.
    I32,
    /// A signed integer of 64 bits.
    I64,
    /// An unsigned integer of 8 bits.
    U8,
    /// An unsigned integer of 16 bits.
    U16,
    /// An unsigned integer of 32 bits.
    U32,
    /// An unsigned integer of 64 bits.
    U64,
    /// A float of 16 bits.
    F16,
    /// A float of 32 bits.
    F32,
    /// A float of 64 bits.
    F64,
}

impl Scalar {
    /// Whether it is a float of any width.
    pub fn is_float(self) -> bool {
        matches!(self, Scalar::F16 | Scalar::F32 | Scalar::F64)
    }

    /// Whether it is an integer of any width; `bool` is none.
    pub fn is_integer(self) -> bool {
        !self.is_float() && self != Scalar::Bool
    }

    /// Whether it has negative values.
    pub fn is_signed(self) -> bool {
        matches!(self, Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64) || self.is_float()
    }

    /// Width in bits; a `bool` counts as 32, as it does in memory on every target.
    pub fn bits(self) -> u32 {
        match self {
            Scalar::I8 | Scalar::U8 => 8,
            Scalar::I16 | Scalar::U16 | Scalar::F16 => 16,
            Scalar::Bool | Scalar::I32 | Scalar::U32 | Scalar::F32 => 32,
            Scalar::I64 | Scalar::U64 | Scalar::F64 => 64,
        }
    }
}

/// A struct of a [`TypeTable`].
pub type StructId = Idx<StructDef>;
/// A sum of a [`TypeTable`].
pub type SumId = Idx<SumDef>;

/// An interned [`Type`]; equal ids are equal types within one module.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TypeId(u32);

/// What a value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Type {
    /// One number or truth value.
    Scalar(Scalar),
    /// 1 to 4 elements.
    Vector {
        /// Of each element.
        scalar: Scalar,
        /// How many elements.
        len: u8,
    },
    /// `rows` x `cols`; element access is row first, as in Slang: `m[row][col]`.
    Matrix {
        /// Of each element.
        scalar: Scalar,
        /// 1 to 4.
        rows: u8,
        /// 1 to 4.
        cols: u8,
    },
    /// Elements of one type.
    Array {
        /// Of each element.
        element: TypeId,
        /// How many; [`AS_MANY_AS_BOUND`] for resources that only the host counts.
        len: u32,
    },
    /// Structs, tuples, pairs and residual records. A struct without fields is the unit type.
    Struct(StructId),
    /// An interface value: one of the conforming types of the program.
    Sum(SumId),
    /// A reference to memory or to a resource; never differentiable by itself.
    Handle(HandleType),
    /// A type parameter or another type without representation; only in the editor's analysis of generic bodies.
    Opaque(OpaqueType),
}

/// The length of an array of resources that is as long as the host's.
pub const AS_MANY_AS_BOUND: u32 = u32::MAX;

/// What a handle refers to. The path of a `load`/`store`/`atomic` starts at the handle: see each variant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum HandleType {
    /// `(RW)StructuredBuffer<T>`; the first path step is the element index.
    StructuredBuffer {
        /// Of each element.
        element: TypeId,
        /// Whether it may be written.
        writable: bool,
    },
    /// `(RW)ByteAddressBuffer`; used by `byte_load`/`byte_store` only.
    ByteAddressBuffer {
        /// Whether it may be written.
        writable: bool,
    },
    /// `(RW)Buffer<T>`, texel buffers; the first path step is the element index.
    TexelBuffer {
        /// Of each element.
        element: TypeId,
        /// Whether it may be written.
        writable: bool,
    },
    /// `ConstantBuffer<T>`, `ParameterBlock<T>`, and plain uniform globals of type `T`; the path starts inside `T`.
    ConstantBuffer {
        /// What it holds.
        content: TypeId,
    },
    /// A module-level variable of type `T` (`static`, `groupshared`); the path starts inside `T`.
    Variable {
        /// What it holds.
        content: TypeId,
    },
    /// `T*`; the first path step is the element offset.
    Pointer {
        /// What is at the address.
        pointee: TypeId,
    },
    /// What is at an address of 64 bits, of which the handle is a [`crate::Op::Bitcast`]; the first path step is the element offset.
    /// Only in code for targets that know memory by its address.
    Address {
        /// What is at the address.
        pointee: TypeId,
    },
    /// A texture; used by calls of texture builtins only. `element` is what a sample gives.
    Texture {
        /// What a sample gives.
        element: TypeId,
        /// 1 to 3; 2 for a cube.
        dims: u8,
        /// Whether it has layers.
        array: bool,
        /// Whether texels have several samples.
        multisampled: bool,
        /// Whether directions are looked up.
        cube: bool,
        /// Whether texels may be written.
        writable: bool,
    },
    /// How a texture is looked up.
    Sampler {
        /// Whether what is found is compared with a depth.
        comparison: bool,
    },
    /// The scene that rays meet.
    AccelerationStructure,
    /// A ray that a shader follows itself, hit by hit. Operations give it out again where they go on with it.
    RayQuery {
        /// Those of its flags that the type says.
        flags: u32,
    },
}

impl HandleType {
    /// Whether a program may write through it.
    pub fn is_writable(self) -> bool {
        match self {
            HandleType::StructuredBuffer { writable, .. }
            | HandleType::ByteAddressBuffer { writable }
            | HandleType::TexelBuffer { writable, .. }
            | HandleType::Texture { writable, .. } => writable,
            HandleType::Variable { .. }
            | HandleType::Pointer { .. }
            | HandleType::Address { .. }
            | HandleType::RayQuery { .. } => true,
            HandleType::ConstantBuffer { .. } | HandleType::Sampler { .. } | HandleType::AccelerationStructure => false,
        }
    }

    /// The type of what it leads to; memory of bytes and samplers have none.
    pub fn content(self) -> Option<TypeId> {
        match self {
            HandleType::StructuredBuffer { element, .. }
            | HandleType::TexelBuffer { element, .. }
            | HandleType::Texture { element, .. } => Some(element),
            HandleType::ConstantBuffer { content } | HandleType::Variable { content } => Some(content),
            HandleType::Pointer { pointee } | HandleType::Address { pointee } => Some(pointee),
            HandleType::ByteAddressBuffer { .. }
            | HandleType::Sampler { .. }
            | HandleType::AccelerationStructure
            | HandleType::RayQuery { .. } => None,
        }
    }
}

/// A type without representation. `id` tells parameters apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct OpaqueType {
    /// Tells it from others.
    pub id: u32,
    /// Whether values of it may carry derivatives (the parameter is constrained by `IDifferentiable`).
    pub differentiable: bool,
}

/// A field of a struct.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    /// As the user wrote it.
    pub name: SmolStr,
    /// What it holds.
    pub ty: TypeId,
    /// Marked `no_diff`: a derivative stored here is lost.
    pub no_diff: bool,
    /// Of a matrix.
    pub matrices: Matrices,
    /// Nobody wrote it: it keeps those behind it where the source puts them.
    pub is_gap: bool,
}

/// How the matrices of a field or a shader parameter lie in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Matrices {
    /// The source says nothing: as the program is compiled for.
    #[default]
    AsUsual,
    /// `row_major`
    ByRows,
    /// `column_major`
    ByColumns,
    /// The matrix is the transposed one of the source's, by rows: the source's, by columns ([`crate::columns`]).
    Transposed,
}

impl Matrices {
    /// Each order, for tables and tests.
    pub const ALL: [Matrices; 4] = [Matrices::AsUsual, Matrices::ByRows, Matrices::ByColumns, Matrices::Transposed];

    /// In the text form.
    pub fn word(self) -> &'static str {
        match self {
            Matrices::AsUsual => "",
            Matrices::ByRows => "by_rows",
            Matrices::ByColumns => "by_columns",
            Matrices::Transposed => "transposed",
        }
    }
}

/// A struct type.
#[derive(Debug, Clone, PartialEq)]
pub struct StructDef {
    /// As the user wrote it, with generic arguments spelled out; unique within the module.
    pub name: SmolStr,
    /// Its fields, in the order of the source.
    pub fields: Vec<Field>,
    /// How derivatives of this struct are represented, `None` if it has none.
    pub differential: Option<Differential>,
}

/// The differential of a struct.
#[derive(Debug, Clone, PartialEq)]
pub struct Differential {
    /// A struct type; may be the struct itself.
    pub ty: TypeId,
    /// For each field of the primal struct, the field of `ty` that holds its derivative.
    pub fields: Vec<Option<u32>>,
    /// The user's `dadd : (D, D) -> D`; `None` adds field by field.
    pub dadd: Option<FuncId>,
    /// The user's `dzero : () -> D`; `None` is zero in every field.
    pub dzero: Option<FuncId>,
}

/// The types that an interface value can hold, in the order of their run-time ids.
#[derive(Debug, Clone, PartialEq)]
pub struct SumDef {
    /// The name of the interface, with its generic arguments.
    pub name: SmolStr,
    /// The types, in the order of their numbers.
    pub variants: Vec<SumVariant>,
    /// Bytes that the payload takes in memory; `None` for as many as the largest variant needs.
    pub payload_bytes: Option<u32>,
    /// The sum of the variants' differentials plus "null", `None` if the interface is not differentiable.
    pub differential: Option<TypeId>,
}

/// A type that an interface value can hold.
#[derive(Debug, Clone, PartialEq)]
pub struct SumVariant {
    /// The type of the payload.
    pub ty: TypeId,
    /// The id by which host code and `createDynamicObject` name the variant.
    pub id: u32,
}

/// The types of a module.
///
/// Types are interned, and structs and sums added and revised, through a shared reference, so that whoever builds a function
/// can look at types and make new ones at the same time. Ids count in the order in which types are made: who wants the
/// same ids again makes the types of one table on one thread.
#[derive(Debug, Default)]
pub struct TypeTable {
    types: boxcar::Vec<Type>,
    ids: Mutex<FxHashMap<Type, TypeId>>,
    /// The struct types, by id.
    pub structs: Definitions<StructDef>,
    /// The sum types, by id.
    pub sums: Definitions<SumDef>,
    declared_without_differential: Mutex<FxHashSet<StructId>>,
    /// The structs of a texture and its own sampler.
    combined_textures: Mutex<FxHashSet<StructId>>,
}

impl Clone for TypeTable {
    fn clone(&self) -> TypeTable {
        TypeTable {
            types: self.types.clone(),
            ids: Mutex::new(locked(&self.ids).clone()),
            structs: self.structs.clone(),
            sums: self.sums.clone(),
            declared_without_differential: Mutex::new(locked(&self.declared_without_differential).clone()),
            combined_textures: Mutex::new(locked(&self.combined_textures).clone()),
        }
    }
}

/// What a lock protects here is never left half changed.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl TypeTable {
    /// The id of a type, which is added where it is new.
    pub fn intern(&self, ty: Type) -> TypeId {
        let mut ids = locked(&self.ids);
        *ids.entry(ty).or_insert_with(|| TypeId(u32::try_from(self.types.push(ty)).expect("fewer than 2^32 types")))
    }

    /// The type with this id.
    pub fn get(&self, id: TypeId) -> Type {
        self.types[id.0 as usize]
    }

    /// Whether `id` is a type of this table.
    pub fn contains(&self, id: TypeId) -> bool {
        (id.0 as usize) < self.types.count()
    }

    /// The id of a type that is already there.
    pub fn find(&self, ty: Type) -> Option<TypeId> {
        locked(&self.ids).get(&ty).copied()
    }

    /// Notes that the source itself declares the struct without a differential. Front ends say so for programs; the text
    /// form does not.
    pub fn declare_without_differential(&self, id: StructId) {
        locked(&self.declared_without_differential).insert(id);
    }

    /// Whether the source says that the struct has no differential, whatever its fields.
    pub fn is_declared_without_differential(&self, id: StructId) -> bool {
        locked(&self.declared_without_differential).contains(&id)
    }

    /// Forgets which structs the source declares without a differential, as the text form does.
    pub fn forget_declarations_without_differential(&self) {
        locked(&self.declared_without_differential).clear();
    }

    /// Notes that a struct is a texture and its own sampler (`Sampler2D`), which Vulkan binds as one.
    pub fn declare_combined_texture(&self, id: StructId) {
        locked(&self.combined_textures).insert(id);
    }

    /// Whether values are a texture and its own sampler.
    pub fn is_combined_texture(&self, ty: TypeId) -> bool {
        let Type::Struct(id) = self.get(ty) else { return false };
        locked(&self.combined_textures).contains(&id)
    }

    /// A scalar type.
    pub fn scalar(&self, scalar: Scalar) -> TypeId {
        self.intern(Type::Scalar(scalar))
    }

    /// The type of truth values.
    pub fn bool(&self) -> TypeId {
        self.scalar(Scalar::Bool)
    }

    /// The type of signed integers of 32 bits.
    pub fn i32(&self) -> TypeId {
        self.scalar(Scalar::I32)
    }

    /// The type of floats of 32 bits.
    pub fn f32(&self) -> TypeId {
        self.scalar(Scalar::F32)
    }

    /// A vector of `len` elements.
    pub fn vector(&self, scalar: Scalar, len: u8) -> TypeId {
        self.intern(Type::Vector { scalar, len })
    }

    /// An array of `len` elements.
    pub fn array(&self, element: TypeId, len: u32) -> TypeId {
        self.intern(Type::Array { element, len })
    }

    /// Adds a struct; names must be unique, so ask for an existing one first.
    pub fn add_struct(&self, def: StructDef) -> TypeId {
        let id = self.structs.add(def);
        self.intern(Type::Struct(id))
    }

    /// All interned types in the order in which they were made.
    pub fn iter(&self) -> impl Iterator<Item = (TypeId, Type)> + '_ {
        self.types.iter().map(|(index, &ty)| (TypeId(index as u32), ty))
    }

    /// The type that derivatives of `ty` have, `None` if there are none. Floats, vectors and matrices of floats are
    /// their own differential (user guide, "Builtin Differentiable Value Types").
    pub fn differential_of(&self, ty: TypeId) -> Option<TypeId> {
        match self.get(ty) {
            Type::Scalar(scalar) | Type::Vector { scalar, .. } | Type::Matrix { scalar, .. } => {
                scalar.is_float().then_some(ty)
            }
            Type::Array { element, len } => {
                let element = self.differential_of(element)?;
                Some(self.array(element, len))
            }
            Type::Struct(id) => self.structs[id].differential.as_ref().map(|differential| differential.ty),
            Type::Sum(id) => self.sums[id].differential,
            Type::Handle(_) => None,
            Type::Opaque(opaque) => opaque.differentiable.then_some(ty),
        }
    }

    /// Of a parameter that is an array of resources (`Texture2D t[4]`) the type of one and how many there are,
    /// [`AS_MANY_AS_BOUND`] where the source does not say. It is constant data whose content is an array of handles.
    pub fn resource_array(&self, parameter: TypeId) -> Option<(TypeId, u32)> {
        let Type::Handle(HandleType::ConstantBuffer { content }) = self.get(parameter) else { return None };
        let Type::Array { element, len } = self.get(content) else { return None };
        match self.get(element) {
            Type::Handle(HandleType::Pointer { .. } | HandleType::Variable { .. }) => None,
            Type::Handle(_) => Some((element, len)),
            _ => None,
        }
    }

    /// Whether a value refers to memory or to a resource, or a part of it does.
    pub fn holds_handles(&self, ty: TypeId) -> bool {
        match self.get(ty) {
            // An address is a number.
            Type::Handle(HandleType::Address { .. }) => false,
            Type::Handle(_) => true,
            Type::Array { element, .. } => self.holds_handles(element),
            Type::Struct(id) => self.structs[id].fields.iter().any(|field| self.holds_handles(field.ty)),
            Type::Sum(id) => self.sums[id].variants.iter().any(|variant| self.holds_handles(variant.ty)),
            Type::Scalar(_) | Type::Vector { .. } | Type::Matrix { .. } | Type::Opaque(_) => false,
        }
    }

    /// Whether values of `ty` can carry a derivative.
    pub fn is_differentiable(&self, ty: TypeId) -> bool {
        match self.get(ty) {
            Type::Scalar(scalar) | Type::Vector { scalar, .. } | Type::Matrix { scalar, .. } => scalar.is_float(),
            Type::Array { element, .. } => self.is_differentiable(element),
            Type::Struct(id) => self.structs[id].differential.is_some(),
            Type::Sum(id) => self.sums[id].differential.is_some(),
            Type::Handle(_) => false,
            Type::Opaque(opaque) => opaque.differentiable,
        }
    }
}
