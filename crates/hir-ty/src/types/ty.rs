//! Types. Aliases are resolved on the way in, so that equality of types is equality of values.

#![expect(missing_docs, reason = "salsa makes constructors without documentation")]

use hir_def::item::ItemId;

use crate::types::closure::{Capture, ClosureCode};

/// A type; generic arguments are interned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Ty {
    /// Unknown because of an error that is already reported.
    Error,
    /// `void`
    Void,
    /// A number or truth value.
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
    /// `String`
    String,
    /// The type of `none`/`nullptr` before it is converted.
    NoneLiteral,
    /// The type of `nullptr` before it is converted.
    NullLiteral,
}

/// The types of numbers and truth values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scalar {
    /// `bool`
    Bool,
    /// `int8_t`
    Int8,
    /// `int16_t`
    Int16,
    /// `int`
    Int,
    /// `int64_t`
    Int64,
    /// `uint8_t`
    UInt8,
    /// `uint16_t`
    UInt16,
    /// `uint`
    UInt,
    /// `uint64_t`
    UInt64,
    /// `half`
    Half,
    /// `float`
    Float,
    /// `double`
    Double,
    /// `intptr_t`
    IntPtr,
    /// `uintptr_t`
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
    /// (T) `T*`
    Ptr,
    /// (T) `DifferentialPair<T>`
    DifferentialPair,
    /// (T) `DifferentialPtrPair<T>`
    DifferentialPtrPair,
    /// (T) buffers and blocks
    StructuredBuffer,
    /// (T) elements that may be written
    RWStructuredBuffer,
    /// (T) elements that are appended
    AppendStructuredBuffer,
    /// (T) elements that are taken from the end
    ConsumeStructuredBuffer,
    /// (T) elements that fragments write in order
    RasterizerOrderedStructuredBuffer,
    /// (T) texels
    Buffer,
    /// (T) texels that may be written
    RWBuffer,
    /// (T) texels that fragments write in order
    RasterizerOrderedBuffer,
    /// (T) one value
    ConstantBuffer,
    /// (T) one value with the resources in it
    ParameterBlock,
    /// (T) one value, read as a texture
    TextureBuffer,
    /// ()
    ByteAddressBuffer,
    /// () bytes that may be written
    RWByteAddressBuffer,
    /// () bytes that fragments write in order
    RasterizerOrderedByteAddressBuffer,
    /// () how a texture is filtered
    SamplerState,
    /// () how a texture is filtered that is compared
    SamplerComparisonState,
    /// () the scene that rays meet
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
    /// An address.
    Pointer,
    /// A value that threads change without losing what others did.
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
    /// A buffer of bytes.
    ByteAddressBuffer,
    /// One value of a type: `ConstantBuffer`, `ParameterBlock`, `TextureBuffer`.
    Block,
    /// A texture of any shape.
    Texture,
    /// A sampler or an acceleration structure.
    Opaque,
}

impl BuiltinType {
    /// What kind of thing the type is.
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

/// What tells the types of textures apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TextureShape {
    /// How many coordinates it has.
    pub kind: TextureKind,
    /// Whether it has layers.
    pub array: bool,
    /// Whether texels have several samples.
    pub multisampled: bool,
    /// Whether it is read, written or both.
    pub access: TextureAccess,
    /// What it is sampled with.
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

/// The coordinates of a texture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TextureKind {
    /// One.
    D1,
    /// Two.
    D2,
    /// Three.
    D3,
    /// A direction.
    Cube,
}

/// Who may do what with the texels of a texture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TextureAccess {
    /// Everybody reads: `Texture2D`.
    Read,
    /// Everybody reads and writes: `RWTexture2D`.
    ReadWrite,
    /// Everybody writes: `WTexture2D`.
    Write,
    /// Fragments read and write, in their order.
    RasterizerOrdered,
    /// What was sampled is recorded: `FeedbackTexture2D`.
    Feedback,
}

/// A list of generic arguments.
#[salsa::interned(unsafe(no_lifetime), revisions = usize::MAX)]
#[derive(Debug, PartialOrd, Ord)]
pub struct GenericArgs {
    /// One for each parameter.
    #[returns(deref)]
    pub args: Box<[GenericArg]>,
}

/// What stands for a generic parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum GenericArg {
    /// A type.
    Type(Ty),
    /// A value.
    Value(Const),
    /// What a parameter pack stands for.
    Pack(GenericArgs),
}

/// A value in a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Const {
    /// Unknown because of an error that is already reported.
    Error,
    /// A number; truth values are 0 and 1.
    Value(i64),
    /// A value parameter.
    Param(TypeParam),
    /// The length of an array that is as long as the host's.
    Unsized,
    /// Arithmetic over parameters.
    Operation(ConstOperation),
    /// `?:` on a condition over parameters.
    Choice(ConstChoice),
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

/// A constant that an interface of a type asks for, which is not known yet.
#[salsa::interned(unsafe(no_lifetime), revisions = usize::MAX)]
#[derive(Debug, PartialOrd, Ord)]
pub struct ConstMember {
    /// The type that is asked.
    #[returns(copy)]
    pub ty: Ty,
    /// What the interface declares.
    #[returns(copy)]
    pub requirement: ItemId,
}

/// `expand pattern`, of values over a pack that is not known yet.
#[salsa::interned(unsafe(no_lifetime), revisions = usize::MAX)]
#[derive(Debug, PartialOrd, Ord)]
pub struct ConstExpansion {
    /// What stands for each element.
    #[returns(copy)]
    pub pattern: Const,
}

/// `__first(N)` and its like of a pack of values that is not known yet.
#[salsa::interned(unsafe(no_lifetime), revisions = usize::MAX)]
#[derive(Debug, PartialOrd, Ord)]
pub struct ConstPackQuery {
    /// What is asked.
    #[returns(copy)]
    pub query: hir_def::body::PackQuery,
    /// The pack, then what the query takes besides.
    #[returns(copy)]
    pub operands: GenericArgs,
}

/// `sizeof(T)`, `alignof(T)` of a type that is not known yet.
#[salsa::interned(unsafe(no_lifetime), revisions = usize::MAX)]
#[derive(Debug, PartialOrd, Ord)]
pub struct ConstSize {
    /// Where the size was asked for: its extensions count for associated types.
    #[returns(copy)]
    pub env: crate::generics::env::Env,
    /// The type.
    #[returns(copy)]
    pub ty: Ty,
    /// The alignment instead.
    #[returns(copy)]
    pub alignment: bool,
}

/// `__first(T)` and its like of a pack of types that is not known yet.
#[salsa::interned(unsafe(no_lifetime), revisions = usize::MAX)]
#[derive(Debug, PartialOrd, Ord)]
pub struct PackQueryTy {
    /// What is asked.
    #[returns(copy)]
    pub query: hir_def::body::PackQuery,
    /// The pack, then what the query takes besides.
    #[returns(copy)]
    pub operands: GenericArgs,
}

/// Arithmetic over parameters.
#[salsa::interned(unsafe(no_lifetime), revisions = usize::MAX)]
#[derive(Debug, PartialOrd, Ord)]
pub struct ConstOperation {
    /// The operator.
    #[returns(copy)]
    pub op: hir_def::body::BinaryOp,
    /// The first operand.
    #[returns(copy)]
    pub left: Const,
    /// The second operand.
    #[returns(copy)]
    pub right: Const,
}

/// One of two values, by a condition over parameters.
#[salsa::interned(unsafe(no_lifetime), revisions = usize::MAX)]
#[derive(Debug, PartialOrd, Ord)]
pub struct ConstChoice {
    /// What decides.
    #[returns(copy)]
    pub condition: Const,
    /// The value where the condition is not zero.
    #[returns(copy)]
    pub then: Const,
    /// The value where it is.
    #[returns(copy)]
    pub otherwise: Const,
}

/// A generic parameter of a declaration.
#[salsa::interned(unsafe(no_lifetime), revisions = usize::MAX)]
#[derive(Debug, PartialOrd, Ord)]
pub struct TypeParam {
    /// The declaration.
    #[returns(copy)]
    pub owner: ItemId,
    /// Its number among those of the declaration.
    #[returns(copy)]
    pub index: u32,
}

/// An associated type of a parameter or of `This`.
#[salsa::interned(unsafe(no_lifetime), revisions = usize::MAX)]
#[derive(Debug, PartialOrd, Ord)]
pub struct AssociatedTy {
    /// The type that is asked.
    #[returns(copy)]
    pub base: Ty,
    /// What the interface declares.
    #[returns(copy)]
    pub item: ItemId,
    /// Arguments of the interface that declares it.
    #[returns(copy)]
    pub interface_args: GenericArgs,
}

/// `functype (params) -> ret`.
#[salsa::interned(unsafe(no_lifetime), revisions = usize::MAX)]
#[derive(Debug, PartialOrd, Ord)]
pub struct FunctionTy {
    /// How each parameter is passed, and its type.
    #[returns(deref)]
    pub params: Box<[(ParamDirection, Ty)]>,
    /// The type of the result.
    #[returns(copy)]
    pub ret: Ty,
}

/// See [`crate::types::closure`].
#[salsa::interned(unsafe(no_lifetime), revisions = usize::MAX)]
#[derive(Debug, PartialOrd, Ord)]
pub struct ClosureTy {
    /// What runs when the value is called.
    #[returns(copy)]
    pub code: ClosureCode,
    /// What the value consists of: copies of variables, in the order of their first use.
    #[returns(deref)]
    pub captures: Box<[(Capture, Ty)]>,
    /// How each parameter is passed, and its type.
    #[returns(deref)]
    pub params: Box<[(ParamDirection, Ty)]>,
    /// The type of the result.
    #[returns(copy)]
    pub ret: Ty,
}

/// `expand pattern`, over a pack that is not known yet.
#[salsa::interned(unsafe(no_lifetime), revisions = usize::MAX)]
#[derive(Debug, PartialOrd, Ord)]
pub struct ExpandTy {
    /// What stands for each element.
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
    /// Handed in.
    In,
    /// Given back.
    Out,
    /// Handed in and given back.
    InOut,
    /// `ref`: like `inout`, by reference.
    Ref,
    /// `constref`, `borrow in`: like `in`, by reference.
    ConstRef,
}
