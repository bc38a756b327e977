//! Types. Aliases are resolved on the way in, so that equality of types is equality of values.

use hir_def::item::ItemId;

use crate::types::closure::{Capture, ClosureCode};

/// A type; generic arguments are interned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Ty {
    /// Unknown because of an error that is already reported.
    Error,
    Void,
    Scalar(Scalar),
    /// A type that the compiler knows, with its arguments: `vector<float, 3>`, `DifferentialPair<T>`, buffers, ….
    Builtin(BuiltinType, GenericArgs),
    /// A struct, enum or interface of the program or the prelude (an interface as a type is an interface value).
    Adt(ItemId, GenericArgs),
    /// The differential of a struct that does not write one: a struct whose fields are the differentiable fields of
    /// `Adt(item, args)`, under their own ids, with their differential types
    /// (see `differential`). Its own differential is itself.
    SynthesizedDifferential(ItemId, GenericArgs),
    /// A generic parameter: number `index` of `owner`'s own generic parameters.
    Param(TypeParam),
    /// `This` inside an interface: the type that conforms.
    This(ItemId),
    /// `base.Name` where the associated type (an [`hir_def::item::ItemKind::AssociatedType`]) is not known yet because
    /// `base` is a parameter or `This`.
    Associated(AssociatedTy),
    /// `functype (…) -> …`: any function or lambda without copies of variables that is called like this.
    Function(FunctionTy),
    /// One lambda, or one function by its name, as a value.
    Closure(ClosureTy),
    /// `each T`/`expand …` over a parameter pack that is not known yet.
    Expand(ExpandTy),
    /// `__first(T)` and its like of a pack that is not known yet (see `packs`).
    PackQuery(PackQueryTy),
    String,
    /// The type of `none`/`nullptr` before it is converted.
    NoneLiteral,
    NullLiteral,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scalar {
    Bool,
    Int8,
    Int16,
    Int,
    Int64,
    UInt8,
    UInt16,
    UInt,
    UInt64,
    Half,
    Float,
    Double,
    IntPtr,
    UIntPtr,
}

/// Types with a meaning of their own. Arguments in parentheses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum BuiltinType {
    /// (element, length)
    Vector,
    /// (element, rows, columns)
    Matrix,
    /// (element, length); `T[]` has [`Const::Unsized`].
    Array,
    /// (elements as one pack)
    Tuple,
    /// (T)
    Optional,
    Ptr,
    DifferentialPair,
    DifferentialPtrPair,
    /// (T) buffers and blocks
    StructuredBuffer,
    RWStructuredBuffer,
    AppendStructuredBuffer,
    ConsumeStructuredBuffer,
    RasterizerOrderedStructuredBuffer,
    Buffer,
    RWBuffer,
    RasterizerOrderedBuffer,
    ConstantBuffer,
    ParameterBlock,
    TextureBuffer,
    /// ()
    ByteAddressBuffer,
    RWByteAddressBuffer,
    RasterizerOrderedByteAddressBuffer,
    SamplerState,
    SamplerComparisonState,
    RaytracingAccelerationStructure,
    /// (element); the shape is in the kind.
    Texture(TextureShape),
    /// (T) `Atomic<T>`
    Atomic,
    /// (T) a resource by number
    DescriptorHandle,
}

/// What kind of thing a builtin type is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BuiltinClass {
    /// A vector or matrix.
    Numeric,
    /// Values that are made of others: arrays, tuples, optionals, pairs.
    Composite,
    Pointer,
    Atomic,
    /// What stands for a resource by its number.
    Descriptor,
    /// What the host provides.
    Resource(ResourceClass),
}

/// What kind of resource a builtin type is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ResourceClass {
    /// A buffer of elements of any type.
    StructuredBuffer,
    /// A buffer of texels.
    TexelBuffer,
    ByteAddressBuffer,
    /// One value of a type: `ConstantBuffer`, `ParameterBlock`, `TextureBuffer`.
    Block,
    Texture,
    /// A sampler or an acceleration structure.
    Opaque,
}

impl BuiltinType {
    pub fn class(self) -> BuiltinClass {
        BuiltinClass::Resource(match self {
            BuiltinType::Vector | BuiltinType::Matrix => return BuiltinClass::Numeric,
            BuiltinType::Array
            | BuiltinType::Tuple
            | BuiltinType::Optional
            | BuiltinType::DifferentialPair
            | BuiltinType::DifferentialPtrPair => return BuiltinClass::Composite,
            BuiltinType::Ptr => return BuiltinClass::Pointer,
            BuiltinType::Atomic => return BuiltinClass::Atomic,
            BuiltinType::DescriptorHandle => return BuiltinClass::Descriptor,
            BuiltinType::StructuredBuffer
            | BuiltinType::RWStructuredBuffer
            | BuiltinType::AppendStructuredBuffer
            | BuiltinType::ConsumeStructuredBuffer
            | BuiltinType::RasterizerOrderedStructuredBuffer => ResourceClass::StructuredBuffer,
            BuiltinType::Buffer | BuiltinType::RWBuffer | BuiltinType::RasterizerOrderedBuffer => {
                ResourceClass::TexelBuffer
            }
            BuiltinType::ByteAddressBuffer
            | BuiltinType::RWByteAddressBuffer
            | BuiltinType::RasterizerOrderedByteAddressBuffer => ResourceClass::ByteAddressBuffer,
            BuiltinType::ConstantBuffer | BuiltinType::ParameterBlock | BuiltinType::TextureBuffer => {
                ResourceClass::Block
            }
            BuiltinType::Texture(_) => ResourceClass::Texture,
            BuiltinType::SamplerState
            | BuiltinType::SamplerComparisonState
            | BuiltinType::RaytracingAccelerationStructure => ResourceClass::Opaque,
        })
    }

    /// Whether the host provides what is of this type.
    pub fn is_resource(self) -> bool {
        matches!(self.class(), BuiltinClass::Resource(_))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TextureShape {
    pub kind: TextureKind,
    pub array: bool,
    pub multisampled: bool,
    pub access: TextureAccess,
    pub sampling: TextureSampling,
}

impl TextureShape {
    /// Whether what is sampled is a depth: always one `float`.
    pub fn is_depth(self) -> bool {
        matches!(self.sampling, TextureSampling::Depth | TextureSampling::CombinedDepth)
    }
}

/// What a texture is sampled with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TextureSampling {
    /// A sampler apart: `Texture2D`.
    Apart,
    /// A sampler apart that compares: `DepthTexture2D`.
    Depth,
    /// Its own sampler: `Sampler2D`.
    Combined,
    /// Its own sampler that compares: `Sampler2DShadow`.
    CombinedDepth,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TextureKind {
    D1,
    D2,
    D3,
    Cube,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TextureAccess {
    Read,
    ReadWrite,
    Write,
    RasterizerOrdered,
    Feedback,
}

/// A list of generic arguments.
#[salsa::interned(unsafe(no_lifetime), revisions = usize::MAX)]
#[derive(Debug, PartialOrd, Ord)]
pub struct GenericArgs {
    #[returns(deref)]
    pub args: Box<[GenericArg]>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum GenericArg {
    Type(Ty),
    Value(Const),
    /// What a parameter pack stands for.
    Pack(GenericArgs),
}

/// A value in a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Const {
    Error,
    Value(i64),
    Param(TypeParam),
    Unsized,
    /// Arithmetic over parameters.
    Operation(ConstOperation),
    /// `countof` of a pack that is not known yet.
    Count(TypeParam),
    /// `expand each N` over a pack of values that is not known yet.
    Expand(ConstExpansion),
    /// `__first(N)` and its like of such a pack.
    PackQuery(ConstPackQuery),
    /// `sizeof(T)`, `alignof(T)` of a type that is not known yet.
    Size(ConstSize),
    /// `T.K`: a constant that an interface of a type asks for, which is not known yet.
    Member(ConstMember),
}

#[salsa::interned(unsafe(no_lifetime), revisions = usize::MAX)]
#[derive(Debug, PartialOrd, Ord)]
pub struct ConstMember {
    #[returns(copy)]
    pub ty: Ty,
    /// What the interface declares.
    #[returns(copy)]
    pub requirement: ItemId,
}

#[salsa::interned(unsafe(no_lifetime), revisions = usize::MAX)]
#[derive(Debug, PartialOrd, Ord)]
pub struct ConstExpansion {
    #[returns(copy)]
    pub pattern: Const,
}

#[salsa::interned(unsafe(no_lifetime), revisions = usize::MAX)]
#[derive(Debug, PartialOrd, Ord)]
pub struct ConstPackQuery {
    #[returns(copy)]
    pub query: hir_def::body::PackQuery,
    #[returns(copy)]
    pub operands: GenericArgs,
}

#[salsa::interned(unsafe(no_lifetime), revisions = usize::MAX)]
#[derive(Debug, PartialOrd, Ord)]
pub struct ConstSize {
    /// Where the size was asked for: its extensions count for associated types.
    #[returns(copy)]
    pub env: crate::generics::env::Env,
    #[returns(copy)]
    pub ty: Ty,
    /// The alignment instead.
    #[returns(copy)]
    pub alignment: bool,
}

#[salsa::interned(unsafe(no_lifetime), revisions = usize::MAX)]
#[derive(Debug, PartialOrd, Ord)]
pub struct PackQueryTy {
    #[returns(copy)]
    pub query: hir_def::body::PackQuery,
    /// The pack, then what the query takes besides.
    #[returns(copy)]
    pub operands: GenericArgs,
}

#[salsa::interned(unsafe(no_lifetime), revisions = usize::MAX)]
#[derive(Debug, PartialOrd, Ord)]
pub struct ConstOperation {
    #[returns(copy)]
    pub op: hir_def::body::BinaryOp,
    #[returns(copy)]
    pub left: Const,
    #[returns(copy)]
    pub right: Const,
}

/// A generic parameter of a declaration.
#[salsa::interned(unsafe(no_lifetime), revisions = usize::MAX)]
#[derive(Debug, PartialOrd, Ord)]
pub struct TypeParam {
    #[returns(copy)]
    pub owner: ItemId,
    #[returns(copy)]
    pub index: u32,
}

#[salsa::interned(unsafe(no_lifetime), revisions = usize::MAX)]
#[derive(Debug, PartialOrd, Ord)]
pub struct AssociatedTy {
    #[returns(copy)]
    pub base: Ty,
    #[returns(copy)]
    pub item: ItemId,
    /// Arguments of the interface that declares it.
    #[returns(copy)]
    pub interface_args: GenericArgs,
}

#[salsa::interned(unsafe(no_lifetime), revisions = usize::MAX)]
#[derive(Debug, PartialOrd, Ord)]
pub struct FunctionTy {
    #[returns(deref)]
    pub params: Box<[(ParamDirection, Ty)]>,
    #[returns(copy)]
    pub ret: Ty,
}

/// See [`crate::types::closure`].
#[salsa::interned(unsafe(no_lifetime), revisions = usize::MAX)]
#[derive(Debug, PartialOrd, Ord)]
pub struct ClosureTy {
    #[returns(copy)]
    pub code: ClosureCode,
    /// What the value consists of: copies of variables, in the order of their first use.
    #[returns(deref)]
    pub captures: Box<[(Capture, Ty)]>,
    #[returns(deref)]
    pub params: Box<[(ParamDirection, Ty)]>,
    #[returns(copy)]
    pub ret: Ty,
}

#[salsa::interned(unsafe(no_lifetime), revisions = usize::MAX)]
#[derive(Debug, PartialOrd, Ord)]
pub struct ExpandTy {
    #[returns(copy)]
    pub pattern: Ty,
    /// The packs that the expansion walks besides those that the pattern mentions: `expand (each D) + 1` is an `int` for
    /// each element of `D`.
    #[returns(copy)]
    pub packs: GenericArgs,
}

/// How a parameter is passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ParamDirection {
    In,
    Out,
    InOut,
    /// `ref`: like `inout`, by reference.
    Ref,
    /// `constref`, `borrow in`: like `in`, by reference.
    ConstRef,
}
