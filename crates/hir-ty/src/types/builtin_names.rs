//! The names of types that the compiler knows: `float3`, `uint16_t4x4`, `RWTexture2DArray`, ….
//!
//! They are looked up after everything that the program and the prelude declare, so that a program may use such a name
//! for something of its own.

use crate::types::ty::{BuiltinType, Scalar, TextureAccess, TextureKind, TextureSampling, TextureShape};

/// What a built-in name stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BuiltinName {
    /// `void`
    Void,
    /// `String`
    String,
    /// The type of `none`.
    None,
    /// The type of `nullptr`.
    Null,
    /// `float`
    Scalar(Scalar),
    /// `float3`.
    Vector(Scalar, u8),
    /// `float3x4`.
    Matrix(Scalar, u8, u8),
    /// A generic type; what its arguments are is its own matter.
    Generic(BuiltinType),
}

const SCALARS: &[(&str, Scalar)] = &[
    ("bool", Scalar::Bool),
    ("int8_t", Scalar::Int8),
    ("int16_t", Scalar::Int16),
    ("int32_t", Scalar::Int),
    ("int64_t", Scalar::Int64),
    ("uint8_t", Scalar::UInt8),
    ("uint16_t", Scalar::UInt16),
    ("uint32_t", Scalar::UInt),
    ("uint64_t", Scalar::UInt64),
    ("float16_t", Scalar::Half),
    ("float32_t", Scalar::Float),
    ("float64_t", Scalar::Double),
    ("int", Scalar::Int),
    ("uint", Scalar::UInt),
    ("half", Scalar::Half),
    ("float", Scalar::Float),
    ("double", Scalar::Double),
    ("dword", Scalar::UInt),
    ("intptr_t", Scalar::IntPtr),
    ("uintptr_t", Scalar::UIntPtr),
    ("size_t", Scalar::UInt64),
    ("usize_t", Scalar::UInt64),
    ("ssize_t", Scalar::Int64),
];

const GENERICS: &[(&str, BuiltinType)] = &[
    ("vector", BuiltinType::Vector),
    ("matrix", BuiltinType::Matrix),
    ("Array", BuiltinType::Array),
    ("Tuple", BuiltinType::Tuple),
    ("Optional", BuiltinType::Optional),
    ("Ptr", BuiltinType::Ptr),
    ("DifferentialPair", BuiltinType::DifferentialPair),
    ("DifferentialPtrPair", BuiltinType::DifferentialPtrPair),
    ("StructuredBuffer", BuiltinType::StructuredBuffer),
    ("RWStructuredBuffer", BuiltinType::RWStructuredBuffer),
    ("AppendStructuredBuffer", BuiltinType::AppendStructuredBuffer),
    ("ConsumeStructuredBuffer", BuiltinType::ConsumeStructuredBuffer),
    ("RasterizerOrderedStructuredBuffer", BuiltinType::RasterizerOrderedStructuredBuffer),
    ("Buffer", BuiltinType::Buffer),
    ("RWBuffer", BuiltinType::RWBuffer),
    ("RasterizerOrderedBuffer", BuiltinType::RasterizerOrderedBuffer),
    ("ConstantBuffer", BuiltinType::ConstantBuffer),
    ("ParameterBlock", BuiltinType::ParameterBlock),
    ("TextureBuffer", BuiltinType::TextureBuffer),
    ("ByteAddressBuffer", BuiltinType::ByteAddressBuffer),
    ("RWByteAddressBuffer", BuiltinType::RWByteAddressBuffer),
    ("RasterizerOrderedByteAddressBuffer", BuiltinType::RasterizerOrderedByteAddressBuffer),
    ("SamplerState", BuiltinType::SamplerState),
    ("SamplerComparisonState", BuiltinType::SamplerComparisonState),
    ("RaytracingAccelerationStructure", BuiltinType::RaytracingAccelerationStructure),
    ("Atomic", BuiltinType::Atomic),
    ("DescriptorHandle", BuiltinType::DescriptorHandle),
];

/// The type that `name` stands for.
pub fn builtin_name(name: &str) -> Option<BuiltinName> {
    match name {
        "void" => return Some(BuiltinName::Void),
        "String" | "NativeString" => return Some(BuiltinName::String),
        "__none_t" => return Some(BuiltinName::None),
        "NullPtr" => return Some(BuiltinName::Null),
        _ => {}
    }
    if let Some((_, scalar)) = SCALARS.iter().find(|(spelling, _)| *spelling == name) {
        return Some(BuiltinName::Scalar(*scalar));
    }
    if let Some((_, kind)) = GENERICS.iter().find(|(spelling, _)| *spelling == name) {
        return Some(BuiltinName::Generic(*kind));
    }
    texture_name(name).map(|shape| BuiltinName::Generic(BuiltinType::Texture(shape))).or_else(|| shaped_name(name))
}

/// `float3`, `int16_t2x3`.
fn shaped_name(name: &str) -> Option<BuiltinName> {
    let digit = |byte: u8| (b'1'..=b'4').contains(&byte).then(|| byte - b'0');
    let scalar = |prefix: &str| {
        SCALARS.iter().find(|(spelling, _)| *spelling == prefix && !prefix.contains("ptr")).map(|(_, scalar)| *scalar)
    };
    let bytes = name.as_bytes();
    if let [.., rows, b'x', columns] = bytes
        && let (Some(rows), Some(columns)) = (digit(*rows), digit(*columns))
        && let Some(scalar) = scalar(&name[..name.len() - 3])
    {
        return Some(BuiltinName::Matrix(scalar, rows, columns));
    }
    let len = digit(*bytes.last()?)?;
    Some(BuiltinName::Vector(scalar(&name[..name.len() - 1])?, len))
}

/// `RWTexture2DMSArray`, `DepthTexture2D`, `Sampler2DShadow` and their relatives.
fn texture_name(name: &str) -> Option<TextureShape> {
    const FAMILIES: &[(&str, TextureAccess, TextureSampling)] = &[
        ("RasterizerOrderedTexture", TextureAccess::RasterizerOrdered, TextureSampling::Apart),
        ("FeedbackTexture", TextureAccess::Feedback, TextureSampling::Apart),
        ("DepthTexture", TextureAccess::Read, TextureSampling::Depth),
        ("RWTexture", TextureAccess::ReadWrite, TextureSampling::Apart),
        ("WTexture", TextureAccess::Write, TextureSampling::Apart),
        ("Texture", TextureAccess::Read, TextureSampling::Apart),
        ("Sampler", TextureAccess::Read, TextureSampling::Combined),
    ];
    let (mut sampling, access, rest) = FAMILIES
        .iter()
        .find_map(|(prefix, access, sampling)| Some((*sampling, *access, name.strip_prefix(prefix)?)))?;
    let rest = match rest.strip_suffix("Shadow") {
        Some(rest) if sampling == TextureSampling::Combined => {
            sampling = TextureSampling::CombinedDepth;
            rest
        }
        _ => rest,
    };
    let (kind, rest) =
        [("1D", TextureKind::D1), ("2D", TextureKind::D2), ("3D", TextureKind::D3), ("Cube", TextureKind::Cube)]
            .into_iter()
            .find_map(|(prefix, kind)| Some((kind, rest.strip_prefix(prefix)?)))?;
    let (multisampled, rest) = match rest.strip_prefix("MS") {
        Some(rest) if kind == TextureKind::D2 => (true, rest),
        _ => (false, rest),
    };
    let array = match rest {
        "" => false,
        "Array" if kind != TextureKind::D3 => true,
        _ => return None,
    };
    let only_read = access == TextureAccess::Read;
    let exists = match kind {
        TextureKind::Cube => only_read,
        TextureKind::D2 => access != TextureAccess::Feedback || !multisampled,
        TextureKind::D1 | TextureKind::D3 => access != TextureAccess::Feedback,
    };
    exists.then_some(TextureShape { kind, array, multisampled, access, sampling })
}

/// The name of a texture type.
pub fn texture_spelling(shape: TextureShape) -> String {
    let family = match (shape.sampling, shape.access) {
        (TextureSampling::Depth, _) => "DepthTexture",
        (TextureSampling::Combined | TextureSampling::CombinedDepth, _) => "Sampler",
        (TextureSampling::Apart, TextureAccess::Read) => "Texture",
        (TextureSampling::Apart, TextureAccess::ReadWrite) => "RWTexture",
        (TextureSampling::Apart, TextureAccess::Write) => "WTexture",
        (TextureSampling::Apart, TextureAccess::RasterizerOrdered) => "RasterizerOrderedTexture",
        (TextureSampling::Apart, TextureAccess::Feedback) => "FeedbackTexture",
    };
    let kind = match shape.kind {
        TextureKind::D1 => "1D",
        TextureKind::D2 => "2D",
        TextureKind::D3 => "3D",
        TextureKind::Cube => "Cube",
    };
    let multisampled = if shape.multisampled { "MS" } else { "" };
    let array = if shape.array { "Array" } else { "" };
    let shadow = if shape.sampling == TextureSampling::CombinedDepth { "Shadow" } else { "" };
    format!("{family}{kind}{multisampled}{array}{shadow}")
}

/// The name under which the prelude declares a built-in type's members: textures that differ only in what is done with
/// them share one declaration.
pub fn declared_spelling(kind: BuiltinType) -> String {
    let mut shape = match kind {
        BuiltinType::Texture(shape) => shape,
        BuiltinType::RasterizerOrderedBuffer => return builtin_spelling(BuiltinType::RWBuffer),
        kind => return builtin_spelling(kind),
    };
    shape.access = match shape.access {
        TextureAccess::Write | TextureAccess::RasterizerOrdered => TextureAccess::ReadWrite,
        access => access,
    };
    shape.sampling = match shape.sampling {
        TextureSampling::Depth => TextureSampling::Apart,
        TextureSampling::CombinedDepth => TextureSampling::Combined,
        sampling => sampling,
    };
    texture_spelling(shape)
}

/// The name of a built-in type without its arguments.
pub fn builtin_spelling(kind: BuiltinType) -> String {
    match kind {
        BuiltinType::Texture(shape) => texture_spelling(shape),
        _ => GENERICS
            .iter()
            .find(|(_, candidate)| *candidate == kind)
            .map_or_else(String::new, |(spelling, _)| (*spelling).to_owned()),
    }
}

/// The name of a scalar.
pub fn scalar_spelling(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::Bool => "bool",
        Scalar::Int8 => "int8_t",
        Scalar::Int16 => "int16_t",
        Scalar::Int => "int",
        Scalar::Int64 => "int64_t",
        Scalar::UInt8 => "uint8_t",
        Scalar::UInt16 => "uint16_t",
        Scalar::UInt => "uint",
        Scalar::UInt64 => "uint64_t",
        Scalar::Half => "half",
        Scalar::Float => "float",
        Scalar::Double => "double",
        Scalar::IntPtr => "intptr_t",
        Scalar::UIntPtr => "uintptr_t",
    }
}

/// Every built-in name that may be suggested for a misspelt one.
pub fn suggestions() -> impl Iterator<Item = &'static str> {
    SCALARS.iter().map(|(name, _)| *name).chain(GENERICS.iter().map(|(name, _)| *name))
}
