//! Types of the source as types of the IR.
//!
//! Structs keep their names, with generic arguments spelled out. Pairs are structs of `p` and `d`, tuples of `_0`, `_1`,
//! …, optionals of `value` and `hasValue`; an enum is its integer; an interface is the sum of the types that conform to
//! it. In the editor's analysis a type parameter is a type without representation.

mod differential;
mod outputs;
mod parts;

use hir_def::{
    attribute::Modifiers,
    item::{self, ItemId, ItemKind},
};
use hir_ty::{
    bit_field::Stored,
    conversion,
    differential::signature::function_of_context,
    display,
    signature::FunctionRef,
    ty::{
        self, BuiltinType, Const, GenericArg, GenericArgs, TextureAccess, TextureKind, TextureSampling, TextureShape,
        Ty,
    },
};
use ir::types::{AS_MANY_AS_BOUND, Matrices};
use ir::{Field, HandleType, OpaqueType, Scalar, StructDef, Type, TypeId};
use rustc_hash::FxHashSet;
use smol_str::format_smolstr;

use crate::{
    derivative,
    error::{Lowering, Stop},
    fields, front,
    mode::Mode,
    packing,
    places::PlaceForm,
    program::Program,
    sums,
};

/// Types nested deeper than this grow for ever: the front end reports them.
const MAX_NESTING: usize = ::diagnostics::limits::LOWERED_TYPES as usize;

/// How many different types a value in memory is looked through for.
const MAX_STORED_TYPES: usize = 256;

/// Where a field of a struct is.
pub(crate) enum FieldPlace {
    /// The field of the IR's struct with this number.
    Whole(u32),
    /// Some bits of an integer.
    Bits(BitsOfField),
}

/// `width` bits from `offset` on of the field number `storage` of the IR's struct, which has none for a width of 0.
pub(crate) struct BitsOfField {
    pub storage: Option<u32>,
    pub offset: u32,
    pub width: u32,
    pub ty: Ty,
}

/// A member of an aggregate: the field's declaration, where it has one, and its type.
pub(crate) type Member = (Option<ItemId>, Ty);

impl Program<'_> {
    pub(crate) fn lower_type(&mut self, ty: Ty) -> Lowering<TypeId> {
        let ty = self.erased(ty);
        if let Some(place) = self.lower_place(ty) {
            return place;
        }
        if self.places_are_pairs {
            return self.with_places(PlaceForm::Plain, |program| program.lower_type(ty));
        }
        if let Some(&id) = self.lowered_types.get(&ty) {
            return Ok(id);
        }
        if let Some(address) = self.pointer_to_itself(ty) {
            return Ok(address);
        }
        if self.types_in_progress.len() >= MAX_NESTING {
            return Err(Stop::broken("a type that is nested too deeply"));
        }
        if !self.types_in_progress.insert(ty) {
            return Err(Stop::unsupported("a type that refers to itself"));
        }
        let result = self.lower_new_type(ty);
        self.types_in_progress.remove(&ty);
        let id = result?;
        self.lowered_types.insert(ty, id);
        Ok(id)
    }

    /// A pointer in a type that leads back to that type: there it is a number, its address, since the types of the IR
    /// contain no circles. Whoever reads or writes it makes a pointer of it: see [`crate::body`].
    fn pointer_to_itself(&self, ty: Ty) -> Option<TypeId> {
        let Ty::Builtin(kind @ (BuiltinType::Ptr | BuiltinType::Array), _) = ty else { return None };
        let inner = ty.first_type_arg(self.db)?;
        let is_open = self.types_in_progress.contains(&ty);
        match kind {
            BuiltinType::Ptr if is_open || self.types_in_progress.contains(&self.erased(inner)) => {
                Some(self.types.scalar(Scalar::U64))
            }
            BuiltinType::Array if is_open => {
                let element = self.pointer_to_itself(inner)?;
                let (_, len) = ty.as_array(self.db)?;
                Some(self.types.array(element, u32::try_from(len.value()?).ok()?))
            }
            _ => None,
        }
    }

    fn erased(&self, ty: Ty) -> Ty {
        if self.mode == Mode::Program { front::erase(self.db, ty) } else { ty }
    }

    /// The type of the source that an IR type stands for.
    pub(crate) fn source_type(&self, id: TypeId) -> Option<Ty> {
        self.lowered_types.iter().filter(|(_, known)| **known == id).map(|(ty, _)| *ty).min()
    }

    fn lower_new_type(&mut self, ty: Ty) -> Lowering<TypeId> {
        match ty {
            Ty::Error => Err(Stop::broken("a type with errors")),
            Ty::Void => self.add_struct(ty, Vec::new()),
            Ty::Scalar(scalar) => Ok(self.types.scalar(lower_scalar(scalar))),
            Ty::Builtin(kind, args) => self.lower_builtin(ty, kind, args),
            Ty::Adt(item, args) => match &item::item_data(self.db, item).kind {
                ItemKind::Enum { .. } => self.lower_type(conversion::enum_integer(self.db, ty).unwrap_or(Ty::INT)),
                ItemKind::Interface { .. } => match self.mode {
                    Mode::Program => sums::lower(self, ty),
                    Mode::Analysis => Ok(self.opaque(ty)),
                },
                ItemKind::Struct { .. } if let Some(flags) = self.ray_query_flags(item, args)? => {
                    Ok(self.types.intern(Type::Handle(HandleType::RayQuery { flags })))
                }
                ItemKind::Struct { .. } if let Some(lowered) = outputs::lower(self, item, args)? => Ok(lowered),
                ItemKind::Struct { .. } | ItemKind::ConstantBuffer { .. } => self.lower_aggregate(ty),
                ItemKind::Function(_) | ItemKind::Constructor { .. } | ItemKind::Accessor { .. } => match self.mode {
                    Mode::Program => derivative::phases::context(self, FunctionRef { item, args, self_ty: None }),
                    Mode::Analysis => Ok(self.opaque(ty)),
                },
                _ => Err(Stop::broken("a type that is not a type")),
            },
            Ty::SynthesizedDifferential(item, args) if function_of_context(self.db, Ty::Adt(item, args)).is_some() => {
                let context = self.lower_type(Ty::Adt(item, args))?;
                match self.mode {
                    Mode::Program => self.types.differential_of(context).ok_or_else(|| Stop::broken("no differential")),
                    Mode::Analysis => Ok(context),
                }
            }
            Ty::SynthesizedDifferential(..) => self.lower_aggregate(ty),
            Ty::Associated(associated) if self.mode == Mode::Program => sums::of_associated(self, ty, associated),
            Ty::Param(_) | Ty::This(_) | Ty::Associated(_) | Ty::Expand(_) | Ty::PackQuery(_) => match self.mode {
                Mode::Analysis => Ok(self.opaque(ty)),
                Mode::Program => Err(match ty {
                    Ty::Param(param) if front::is_global_parameter(self.db, param) => {
                        Stop::unsupported("a global generic parameter")
                    }
                    _ => Stop::broken("a generic parameter without argument"),
                }),
            },
            Ty::Closure(_) => self.lower_aggregate(ty),
            Ty::Function(_) => match self.mode {
                Mode::Analysis => Ok(self.opaque(ty)),
                Mode::Program => sums::lower(self, ty),
            },
            // All that a program can ask of it is its hash.
            Ty::String => Ok(self.types.scalar(Scalar::U32)),
            Ty::NoneLiteral => self.add_struct(ty, Vec::new()),
            Ty::NullLiteral => Err(Stop::unsupported("a null pointer")),
        }
    }

    /// The flags of a type of ray queries, if it is one.
    fn ray_query_flags(&self, item: ItemId, args: GenericArgs) -> Lowering<Option<u32>> {
        let data = item::item_data(self.db, item);
        let is_query = data.name.as_ref().is_some_and(|name| name.as_str() == "RayQuery");
        if self.mode == Mode::Analysis || !is_query || !front::is_of_core_library(self.db, item) {
            return Ok(None);
        }
        match const_arg(args.args(self.db), 0)? {
            Const::Value(flags) => Ok(Some(flags as u32)),
            _ => Err(Stop::unsupported("a ray query whose flags are not constants")),
        }
    }

    fn opaque(&mut self, ty: Ty) -> TypeId {
        let id = self.opaque.len() as u32;
        self.opaque.push(ty);
        // Derivatives go along with functions, too.
        let differentiable = front::is_differentiable(self, ty) || front::goes_along(self, ty);
        self.types.intern(Type::Opaque(OpaqueType { id, differentiable }))
    }

    fn lower_builtin(&mut self, ty: Ty, kind: BuiltinType, args: GenericArgs) -> Lowering<TypeId> {
        let args = args.args(self.db);
        let types = self.types;
        let handle = |handle: HandleType| Ok(types.intern(Type::Handle(handle)));
        match kind {
            BuiltinType::Vector => {
                let (element, len) = (type_arg(args, 0)?, const_arg(args, 1)?);
                match (self.numeric_element(element)?, size(len)) {
                    (Some(scalar), Some(len)) => Ok(self.types.vector(scalar, len)),
                    _ => self.generic_numeric(ty),
                }
            }
            BuiltinType::Matrix => {
                let (element, rows, cols) = (type_arg(args, 0)?, const_arg(args, 1)?, const_arg(args, 2)?);
                match (self.numeric_element(element)?, size(rows), size(cols)) {
                    (Some(scalar), Some(rows), Some(cols)) => {
                        Ok(self.types.intern(Type::Matrix { scalar, rows, cols }))
                    }
                    _ => self.generic_numeric(ty),
                }
            }
            BuiltinType::Array => self.array(args),
            BuiltinType::Tuple | BuiltinType::DifferentialPair | BuiltinType::DifferentialPtrPair => {
                self.lower_aggregate(ty)
            }
            BuiltinType::Optional => self.lower_aggregate(ty),
            BuiltinType::Ptr => {
                if let (Mode::Program, Some(layout)) = (self.mode, ty.layout_of_pointer(self.db)) {
                    front::check_data_layout(self.db, layout)?;
                }
                self.check_memory(type_arg(args, 0)?)?;
                let pointee = self.lower_type(type_arg(args, 0)?)?;
                handle(HandleType::Pointer { pointee })
            }
            BuiltinType::StructuredBuffer
            | BuiltinType::RWStructuredBuffer
            | BuiltinType::RasterizerOrderedStructuredBuffer => {
                self.check_memory(type_arg(args, 0)?)?;
                let element = self.lower_type(type_arg(args, 0)?)?;
                let writable = kind != BuiltinType::StructuredBuffer;
                handle(HandleType::StructuredBuffer { element, writable })
            }
            BuiltinType::AppendStructuredBuffer | BuiltinType::ConsumeStructuredBuffer => {
                self.check_memory(type_arg(args, 0)?)?;
                let element = self.lower_type(type_arg(args, 0)?)?;
                let elements = types.intern(Type::Handle(HandleType::StructuredBuffer { element, writable: true }));
                match self.target {
                    Some("hlsl") => Ok(elements),
                    Some("slang") => Err(Stop::unsupported("a buffer that is appended to or consumed")),
                    _ => self.add_struct(ty, fields::of_counted_buffer(elements, types)),
                }
            }
            BuiltinType::Buffer | BuiltinType::RWBuffer | BuiltinType::RasterizerOrderedBuffer => {
                let element = self.lower_type(type_arg(args, 0)?)?;
                handle(HandleType::TexelBuffer { element, writable: kind != BuiltinType::Buffer })
            }
            BuiltinType::ConstantBuffer | BuiltinType::ParameterBlock | BuiltinType::TextureBuffer => {
                self.check_memory(type_arg(args, 0)?)?;
                let content = self.lower_type(type_arg(args, 0)?)?;
                handle(HandleType::ConstantBuffer { content })
            }
            BuiltinType::ByteAddressBuffer => handle(HandleType::ByteAddressBuffer { writable: false }),
            BuiltinType::RWByteAddressBuffer | BuiltinType::RasterizerOrderedByteAddressBuffer => {
                handle(HandleType::ByteAddressBuffer { writable: true })
            }
            BuiltinType::SamplerState => handle(HandleType::Sampler { comparison: false }),
            BuiltinType::SamplerComparisonState => handle(HandleType::Sampler { comparison: true }),
            BuiltinType::RaytracingAccelerationStructure => handle(HandleType::AccelerationStructure),
            BuiltinType::Texture(shape) => self.texture(ty, shape, args),
            BuiltinType::DescriptorHandle => {
                let resource = self.lower_type(type_arg(args, 0)?)?;
                self.descriptor_type(resource)
            }
            // The same memory as its content; only atomic operations reach it.
            BuiltinType::Atomic => self.lower_type(type_arg(args, 0)?),
        }
    }

    fn texture(&mut self, ty: Ty, shape: TextureShape, args: &[GenericArg]) -> Lowering<TypeId> {
        let element = self.lower_type(type_arg(args, 0)?)?;
        let (dims, cube) = match shape.kind {
            TextureKind::D1 => (1, false),
            TextureKind::D2 => (2, false),
            TextureKind::D3 => (3, false),
            TextureKind::Cube => (2, true),
        };
        let writable = match shape.access {
            TextureAccess::ReadWrite | TextureAccess::Write | TextureAccess::RasterizerOrdered => true,
            TextureAccess::Read | TextureAccess::Feedback => false,
        };
        let (array, multisampled) = (shape.array, shape.multisampled);
        let texture =
            self.types.intern(Type::Handle(HandleType::Texture { element, dims, array, multisampled, cube, writable }));
        match shape.sampling {
            TextureSampling::Apart | TextureSampling::Depth => Ok(texture),
            TextureSampling::Combined => self.with_sampler(ty, texture, HandleType::Sampler { comparison: false }),
            TextureSampling::CombinedDepth => self.with_sampler(ty, texture, HandleType::Sampler { comparison: true }),
        }
    }

    fn array(&mut self, args: &[GenericArg]) -> Lowering<TypeId> {
        let element = self.lower_type(type_arg(args, 0)?)?;
        match const_arg(args, 1)? {
            Const::Value(len) => match u32::try_from(len) {
                Ok(len) if self.splits_textures(element) => self.textures_and_samplers(element, len),
                Ok(len) => Ok(self.types.array(element, len)),
                Err(_) => Err(Stop::broken("an array of negative length")),
            },
            Const::Unsized if self.splits_textures(element) => self.textures_and_samplers(element, AS_MANY_AS_BOUND),
            Const::Unsized => self.resources_without_length(element),
            Const::Error => Err(Stop::broken("an array of unknown length")),
            // In the editor's analysis: some number of elements.
            Const::Param(_)
            | Const::Operation(_)
            | Const::Choice(_)
            | Const::Count(_)
            | Const::Size(_)
            | Const::Member(_)
            | Const::Expand(_)
            | Const::PackQuery(_) => match self.mode {
                Mode::Analysis => Ok(self.types.array(element, front::UNKNOWN_LENGTH)),
                Mode::Program => Err(Stop::broken("an array of unknown length")),
            },
        }
    }

    /// `Sampler2D`: a texture and a sampler, where they can be the parts of one parameter.
    fn with_sampler(&mut self, ty: Ty, texture: TypeId, sampler: HandleType) -> Lowering<TypeId> {
        let sampler = self.types.intern(Type::Handle(sampler));
        match self.target {
            Some("hlsl" | "glsl" | "wgsl" | "spirv" | "cpp" | "cuda") => {
                let field = |name: &str, ty| Field {
                    name: name.into(),
                    ty,
                    no_diff: false,
                    matrices: Matrices::default(),
                    is_gap: false,
                };
                let both = self.add_struct(ty, vec![field("texture", texture), field("sampler", sampler)])?;
                if let Type::Struct(id) = self.types.get(both) {
                    self.types.declare_combined_texture(id);
                }
                Ok(both)
            }
            _ => Err(Stop::unsupported("a texture with its own sampler")),
        }
    }

    /// Whether an array of these is an array of textures and an array of samplers.
    fn splits_textures(&self, element: TypeId) -> bool {
        self.types.is_combined_texture(element) && matches!(self.target, Some("hlsl" | "glsl" | "spirv"))
    }

    /// `Sampler2D t[4]`, `Sampler2D t[]`: what the host binds is textures, and beside them their samplers.
    fn textures_and_samplers(&mut self, element: TypeId, len: u32) -> Lowering<TypeId> {
        if let Some((known, _)) = self.texture_arrays.iter().find(|(_, known)| **known == (element, len)) {
            return Ok(*known);
        }
        let Type::Struct(id) = self.types.get(element) else { return Err(Stop::broken("a texture of no type")) };
        let mut fields = self.types.structs[id].fields.to_vec();
        for field in &mut fields {
            field.ty = self.types.array(field.ty, len);
        }
        let name = self.unique_name("CombinedTextures");
        let array = self.types.add_struct(StructDef { name, fields, differential: None });
        if let Type::Struct(id) = self.types.get(array) {
            self.types.declare_combined_texture(id);
        }
        self.texture_arrays.insert(array, (element, len));
        Ok(array)
    }

    /// `Texture2D t[]`: as many resources as the host binds.
    fn resources_without_length(&mut self, element: TypeId) -> Lowering<TypeId> {
        let refused = Err(Stop::unsupported("an array without length as a value"));
        match self.types.get(element) {
            Type::Handle(HandleType::Pointer { .. } | HandleType::Variable { .. }) => refused,
            Type::Handle(_) => match self.target {
                Some("hlsl" | "glsl" | "spirv" | "cpp" | "cuda") => Ok(self.types.array(element, AS_MANY_AS_BOUND)),
                _ => refused,
            },
            _ => refused,
        }
    }

    /// The scalar that vectors of `element` are made of; `None` if it is not known.
    fn numeric_element(&mut self, element: Ty) -> Lowering<Option<Scalar>> {
        let id = self.lower_type(element)?;
        match self.types.get(id) {
            Type::Scalar(scalar) => Ok(Some(scalar)),
            Type::Opaque(_) => Ok(None),
            _ => Err(Stop::unsupported("a vector or matrix whose elements are not scalars")),
        }
    }

    /// Refuses what lies in memory that others see otherwise than as its members: an optional interface value has no flag
    /// there, being empty is a run-time type of its own; matrices are stored row by row; a base is as large as it is on its
    /// own, while its fields are among those of the struct here.
    pub(crate) fn check_memory(&mut self, ty: Ty) -> Lowering<()> {
        if self.mode == Mode::Analysis {
            return Ok(());
        }
        let mut seen = FxHashSet::default();
        let mut pending = vec![ty];
        while let Some(ty) = pending.pop() {
            if !seen.insert(ty) || seen.len() > MAX_STORED_TYPES {
                continue;
            }
            match ty {
                Ty::Builtin(BuiltinType::Optional, args) => {
                    let content = type_arg(args.args(self.db), 0)?;
                    if hir_ty::extension::is_interface(self.db, content) {
                        return Err(Stop::unsupported("an optional interface value in a buffer"));
                    }
                    pending.push(content);
                }
                // There it is the buffer, or a pair of numbers.
                Ty::Builtin(BuiltinType::DescriptorHandle, _)
                    if matches!(self.target, Some("cpp" | "cuda")) || self.descriptors_are_numbers() => {}
                Ty::Builtin(BuiltinType::DescriptorHandle, _) => {
                    return Err(Stop::unsupported("a descriptor handle in memory"));
                }
                Ty::String => return Err(Stop::unsupported("a string in memory")),
                Ty::Builtin(BuiltinType::Array, args) => pending.push(type_arg(args.args(self.db), 0)?),
                Ty::Builtin(BuiltinType::Tuple, _) => {
                    pending.extend(self.member_types(ty)?.into_iter().map(|(_, member)| member));
                }
                Ty::Adt(item, _) => match item::item_data(self.db, item).kind {
                    ItemKind::Struct { .. } | ItemKind::ConstantBuffer { .. } => {
                        if front::base_has_padding(self, ty) {
                            return Err(Stop::unsupported("a struct in a buffer whose base ends in padding"));
                        }
                        pending.extend(self.member_types(ty)?.into_iter().map(|(_, member)| member));
                    }
                    ItemKind::Interface { .. } => pending.extend(front::conforming_types(self, ty)),
                    _ => {}
                },
                _ => {}
            }
        }
        Ok(())
    }

    /// A vector or matrix of unknown element type or size.
    fn generic_numeric(&mut self, ty: Ty) -> Lowering<TypeId> {
        match self.mode {
            Mode::Analysis => Ok(self.opaque(ty)),
            Mode::Program => Err(Stop::broken("a vector of unknown size")),
        }
    }

    /// The members of a struct, tuple, pair or optional, in order.
    pub(crate) fn member_types(&self, ty: Ty) -> Lowering<Vec<Member>> {
        match ty {
            Ty::Adt(item, args) if matches!(item::item_data(self.db, item).kind, ItemKind::ConstantBuffer { .. }) => {
                let variables = front::variables_of(self.db, item);
                Ok(variables.map(|field| (Some(field), front::variable_type(self, field, args))).collect())
            }
            Ty::Adt(..) | Ty::SynthesizedDifferential(..) => {
                let member = |stored| match stored {
                    &Stored::Field(item, ty) => (Some(item), ty),
                    Stored::Bits(storage, _) => (None, Ty::Scalar(*storage)),
                };
                Ok(front::stored(self, ty).iter().map(member).collect())
            }
            Ty::Closure(closure) => Ok(closure.captures(self.db).iter().map(|(_, ty)| (None, *ty)).collect()),
            Ty::Builtin(kind, args) => {
                let args = args.args(self.db);
                match kind {
                    BuiltinType::Tuple => match args {
                        [GenericArg::Pack(pack)] => (0..pack.args(self.db).len())
                            .map(|index| Ok((None, type_arg(pack.args(self.db), index)?)))
                            .collect(),
                        _ => Err(Stop::broken("a broken tuple type")),
                    },
                    BuiltinType::Optional => Ok(vec![(None, type_arg(args, 0)?), (None, Ty::Scalar(ty::Scalar::Bool))]),
                    BuiltinType::DifferentialPair | BuiltinType::DifferentialPtrPair => {
                        let primal = type_arg(args, 0)?;
                        let differential = front::differential_of(self.db, self.root, primal)
                            .ok_or_else(|| Stop::broken("a pair of a type without differential"))?;
                        Ok(vec![(None, primal), (None, differential)])
                    }
                    _ => Err(Stop::broken("members of a type that has none")),
                }
            }
            _ => Err(Stop::broken("members of a type that has none")),
        }
    }

    fn lower_aggregate(&mut self, ty: Ty) -> Lowering<TypeId> {
        let members = self.member_types(ty)?;
        let mut fields = Vec::new();
        for (index, (item, member)) in members.iter().enumerate() {
            let field_ty = match self.primal_of_member(ty, *item, &members[..index]) {
                Some(primal) => self.lower_differential(primal, *member)?,
                None => self.lower_type(*member)?,
            };
            let (name, no_diff) = match (item, ty) {
                (Some(item), _) => {
                    let data = item::item_data(self.db, *item);
                    if self.mode == Mode::Program {
                        front::refused(data)?;
                    }
                    let name = data.name.as_ref().map_or_else(|| format_smolstr!("_{index}"), |name| name.0.clone());
                    (name, data.modifiers.contains(Modifiers::NO_DIFF))
                }
                (None, Ty::Closure(closure)) => (front::capture_name(self, closure, index), false),
                (None, Ty::Builtin(BuiltinType::Optional, _)) => (["value", "hasValue"][index.min(1)].into(), false),
                (None, Ty::Builtin(BuiltinType::DifferentialPair | BuiltinType::DifferentialPtrPair, _)) => {
                    (["p", "d"][index.min(1)].into(), false)
                }
                // The storage of bit fields has a name that no field has.
                (None, Ty::Adt(..)) => (format_smolstr!("bitFields{index}_"), false),
                (None, _) => (format_smolstr!("_{index}"), false),
            };
            let matrices = item.map_or(Matrices::AsUsual, |item| front::written_order(self.db, item));
            fields.push(Field { name, ty: field_ty, no_diff, matrices, is_gap: false });
        }
        if let Ty::Adt(buffer, _) = ty
            && matches!(item::item_data(self.db, buffer).kind, ItemKind::ConstantBuffer { .. })
            && self.mode == Mode::Program
        {
            fields = packing::in_memory(self, buffer, fields)?;
        }
        let types: Vec<TypeId> = fields.iter().map(|field| field.ty).collect();
        let id = self.add_struct(ty, fields)?;
        self.count_parts(id, types.into_iter())?;
        self.lowered_types.insert(ty, id);
        self.fill_in_differential(ty, id, &members)?;
        Ok(id)
    }

    fn add_struct(&mut self, ty: Ty, fields: Vec<Field>) -> Lowering<TypeId> {
        let name = match ty {
            Ty::Closure(closure) => self.unique_name(&format!("{}.Copies", front::closure_name(self, closure))),
            // The parameter itself has the name of the `cbuffer`.
            Ty::Adt(item, _) if matches!(item::item_data(self.db, item).kind, ItemKind::ConstantBuffer { .. }) => {
                self.unique_name(&format!("{}.Values", display::display(self.db, ty)))
            }
            ty => self.unique_name(&display::display(self.db, ty)),
        };
        let id = self.types.add_struct(StructDef { name, fields, differential: None });
        if let (Ty::Adt(..), Type::Struct(own)) = (ty, self.types.get(id))
            && !front::is_differentiable(self, ty)
        {
            self.types.declare_without_differential(own);
        }
        Ok(id)
    }

    /// Where a field of a struct is.
    pub(crate) fn field_place(&mut self, owner: Ty, field: ItemId) -> Lowering<FieldPlace> {
        let owner = self.content(owner)?;
        let Some((width, ty)) = front::bit_width(self, owner, field) else {
            return Ok(FieldPlace::Whole(self.field_index(owner, field)?));
        };
        let found = front::stored_place(self, owner, field);
        let (storage, offset) = found.map_or((None, 0), |(index, offset)| (Some(index), offset));
        Ok(FieldPlace::Bits(BitsOfField { storage, offset, width, ty }))
    }

    /// The struct that a block or a pointer refers to.
    fn content(&self, owner: Ty) -> Lowering<Ty> {
        match owner {
            Ty::Builtin(
                BuiltinType::ConstantBuffer
                | BuiltinType::ParameterBlock
                | BuiltinType::TextureBuffer
                | BuiltinType::Ptr,
                args,
            ) => type_arg(args.args(self.db), 0),
            owner => Ok(owner),
        }
    }

    /// The position of a field among the fields of its struct.
    pub(crate) fn field_index(&mut self, owner: Ty, field: ItemId) -> Lowering<u32> {
        let owner = self.content(owner)?;
        let position = match owner {
            Ty::Adt(item, _) if matches!(item::item_data(self.db, item).kind, ItemKind::ConstantBuffer { .. }) => {
                let packed = self.packed_positions.get(&field).copied();
                packed.or_else(|| front::variable_position(self.db, item, field))
            }
            _ => front::stored_place(self, owner, field).map(|(index, _)| index),
        };
        position.ok_or_else(|| Stop::broken("a field that its type does not have"))
    }
}

pub(crate) fn type_arg(args: &[GenericArg], index: usize) -> Lowering<Ty> {
    match args.get(index) {
        Some(GenericArg::Type(ty)) => Ok(*ty),
        Some(GenericArg::Value(_) | GenericArg::Pack(_)) | None => Err(Stop::broken("a broken generic argument")),
    }
}

pub(crate) fn const_arg(args: &[GenericArg], index: usize) -> Lowering<Const> {
    match args.get(index) {
        Some(GenericArg::Value(value)) => Ok(*value),
        Some(GenericArg::Type(_) | GenericArg::Pack(_)) | None => Err(Stop::broken("a broken generic argument")),
    }
}

/// A number of vector components or matrix rows.
fn size(value: Const) -> Option<u8> {
    match value {
        Const::Value(value @ 1..=4) => Some(value as u8),
        _ => None,
    }
}

/// The scalar of the IR that a scalar of the source is.
pub fn lower_scalar(scalar: ty::Scalar) -> Scalar {
    match scalar {
        ty::Scalar::Bool => Scalar::Bool,
        ty::Scalar::Int8 => Scalar::I8,
        ty::Scalar::Int16 => Scalar::I16,
        ty::Scalar::Int => Scalar::I32,
        ty::Scalar::Int64 | ty::Scalar::IntPtr => Scalar::I64,
        ty::Scalar::UInt8 => Scalar::U8,
        ty::Scalar::UInt16 => Scalar::U16,
        ty::Scalar::UInt => Scalar::U32,
        ty::Scalar::UInt64 | ty::Scalar::UIntPtr => Scalar::U64,
        ty::Scalar::Half => Scalar::F16,
        ty::Scalar::Float => Scalar::F32,
        ty::Scalar::Double => Scalar::F64,
    }
}
