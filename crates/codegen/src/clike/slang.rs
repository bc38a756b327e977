//! The Slang dialect: what the preview shows. It compiles again in slangc.

use ir::{
    GlobalKind, HandleType, Intrinsic, MathFn, Scalar, SpanId,
    intrinsic::{HintOp, NumberOp, SystemOp},
    source_names::scalar_name,
};

use super::{Dialect, Form, GlobalText, PRIMARY, Precedence, Printer, Spelling, intrinsics, template_argument};
use crate::legalise::Capabilities;
use crate::tree::{Expr, Function, Start};
use ir::provision::ParameterRole;

/// Slang.
pub struct Slang;

impl Dialect for Slang {
    fn target(&self) -> crate::Target {
        crate::Target::Slang
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities { entry_wrappers: false, ..Capabilities::ALL }
    }

    fn intrinsic(
        &self,
        p: &mut Printer<'_>,
        f: &Function,
        intrinsic: Intrinsic,
        args: &[Expr],
        span: SpanId,
    ) -> Option<(String, Precedence)> {
        let function = match intrinsic {
            Intrinsic::Texture(op) => return intrinsics::texture(p, f, op, args, span),
            Intrinsic::Wave(op) => return intrinsics::wave(p, f, op, args, span),
            Intrinsic::Number(op) => match op {
                NumberOp::Frexp => Some("frexp"),
                NumberOp::Nextafter => Some("nextafter"),
                NumberOp::SmallCast
                | NumberOp::SmallDot
                | NumberOp::SmallFrom
                | NumberOp::SmallTo
                | NumberOp::StringHash
                | NumberOp::StringLength => None,
            },
            Intrinsic::Fragment(op) => return intrinsics::fragment(p, f, op, args, span),
            Intrinsic::System(op) => match op {
                SystemOp::Clock => Some("getRealtimeClock"),
                SystemOp::Clock64 => Some("clockARB"),
                SystemOp::ClockLow => Some("getRealtimeClockLow"),
                SystemOp::Abort | SystemOp::DebugBreak => None,
            },
            Intrinsic::Hint(op) => match op {
                HintOp::NonUniform => Some("NonUniformResourceIndex"),
                HintOp::Nonuniform => Some("nonuniform"),
                HintOp::DynamicUniform => Some("asDynamicUniform"),
                HintOp::Unmodified => None,
            },
            Intrinsic::Integer(_)
            | Intrinsic::Pointer(_)
            | Intrinsic::Buffer(_)
            | Intrinsic::WaveSubset(_)
            | Intrinsic::Stage(_)
            | Intrinsic::Ray(_)
            | Intrinsic::RayQuery(_)
            | Intrinsic::RayExtension(_)
            | Intrinsic::HitObject(_)
            | Intrinsic::Footprint(_)
            | Intrinsic::Cooperative(_)
            | Intrinsic::Tensor(_)
            | Intrinsic::Descriptor(_)
            | Intrinsic::Grid(_) => None,
        };
        Some((format!("{}({})", function?, p.list(f, args, span)), PRIMARY))
    }

    fn address_of(&self, place: &str) -> Option<(String, Precedence)> {
        Some((format!("__getAddress({place})"), PRIMARY))
    }

    fn reserved(&self) -> &'static [&'static str] {
        RESERVED
    }

    fn reserved_for_types(&self) -> Vec<&'static str> {
        TYPES.to_vec()
    }

    fn scalar(&self, scalar: Scalar) -> Option<&'static str> {
        Some(scalar_name(scalar))
    }

    fn array(&self, element: &str, len: u32) -> String {
        format!("{element}[{len}]")
    }

    // slangc warns of what it sees no value of on some way, even where nothing is done with it there.
    fn no_value(&self, start: Start, _zero: &str) -> String {
        if matches!(start, Start::Value | Start::Undefined) { " = {}".into() } else { String::new() }
    }

    fn inferred_local(&self, constant: bool) -> Option<&'static str> {
        Some(if constant { "let" } else { "var" })
    }

    fn float(&self, value: f64, scalar: Scalar) -> String {
        match scalar {
            // Sixteen bits have few digits: the shortest decimal of the single is right for them too.
            Scalar::F16 => format!("{:?}h", value as f32),
            Scalar::F64 => format!("{value:?}l"),
            _ => format!("{:?}", value as f32),
        }
    }

    fn zero(&self, _shape: Form, ty: &str) -> String {
        format!("({ty})0")
    }

    fn math(&self, function: MathFn) -> Spelling {
        Spelling::Call(match function {
            MathFn::Abs => "abs",
            MathFn::Acos => "acos",
            MathFn::Acosh => "acosh",
            MathFn::Asin => "asin",
            MathFn::Asinh => "asinh",
            MathFn::Atan => "atan",
            MathFn::Atanh => "atanh",
            MathFn::Ceil => "ceil",
            MathFn::Cos => "cos",
            MathFn::Cosh => "cosh",
            MathFn::Exp => "exp",
            MathFn::Exp2 => "exp2",
            MathFn::Floor => "floor",
            MathFn::Frac => "frac",
            MathFn::Log => "log",
            MathFn::Log10 => "log10",
            MathFn::Log2 => "log2",
            MathFn::Rcp => "rcp",
            MathFn::Round => "round",
            MathFn::Rsqrt => "rsqrt",
            MathFn::Saturate => "saturate",
            MathFn::Sign => "sign",
            MathFn::Sin => "sin",
            MathFn::Sinh => "sinh",
            MathFn::Sqrt => "sqrt",
            MathFn::Tan => "tan",
            MathFn::Tanh => "tanh",
            MathFn::Trunc => "trunc",
            MathFn::Degrees => "degrees",
            MathFn::Radians => "radians",
            MathFn::Atan2 => "atan2",
            MathFn::Copysign => "copysign",
            MathFn::Fmod => "fmod",
            MathFn::Max => "max",
            MathFn::Min => "min",
            MathFn::Pow => "pow",
            MathFn::Step => "step",
            MathFn::Clamp => "clamp",
            MathFn::Fma => "fma",
            MathFn::Lerp => "lerp",
            MathFn::Smoothstep => "smoothstep",
            MathFn::IsNan => "isnan",
            MathFn::IsInf => "isinf",
            MathFn::IsFinite => "isfinite",
            MathFn::Dot => "dot",
            MathFn::Length => "length",
            MathFn::Distance => "distance",
            MathFn::Cross => "cross",
            MathFn::Normalize => "normalize",
            MathFn::Reflect => "reflect",
            MathFn::Refract => "refract",
            MathFn::Faceforward => "faceforward",
            MathFn::MatMul => "mul",
            MathFn::Transpose => "transpose",
            MathFn::Determinant => "determinant",
            MathFn::All => "all",
            MathFn::Any => "any",
            MathFn::CountBits => "countbits",
            MathFn::FirstBitHigh => "firstbithigh",
            MathFn::FirstBitLow => "firstbitlow",
            MathFn::ReverseBits => "reversebits",
            MathFn::F16ToF32 => "f16tof32",
            MathFn::F32ToF16 => "f32tof16",
        })
    }

    fn vector_select(&self) -> &'static str {
        "select"
    }

    fn bitcast(&self, from: Scalar, to: Scalar, target: &str) -> String {
        match (from.bits(), to) {
            (32, Scalar::F32) => "asfloat".into(),
            (32, Scalar::U32) => "asuint".into(),
            (32, Scalar::I32) => "asint".into(),
            _ => format!("bit_cast<{target}>"),
        }
    }

    fn global(&self, global: &GlobalText<'_>) -> Option<String> {
        let GlobalText { name, content, declarator, .. } = global;
        let declaration = match (global.kind, global.handle) {
            (GlobalKind::GroupShared, _) => format!("groupshared {declarator}"),
            (GlobalKind::Static { .. }, _) => match global.init {
                Some(init) => format!("static {declarator} = {init}"),
                None => format!("static {declarator} = {{}}"),
            },
            (GlobalKind::Parameter, HandleType::ConstantBuffer { .. })
                if matches!(global.provision.role, ParameterRole::Uniform | ParameterRole::Entry(_)) =>
            {
                format!("uniform {declarator}")
            }
            (GlobalKind::Parameter, HandleType::ConstantBuffer { .. }) if global.provision.blocks.contains(&vec![]) => {
                format!("ParameterBlock<{}> {name}", template_argument(content))
            }
            (GlobalKind::Parameter, handle) => {
                let uniform = if let ParameterRole::EntryOwn(_) = global.provision.role { "uniform " } else { "" };
                format!("{uniform}{} {name}", ordered(self.handle(handle, content)?, global.provision))
            }
        };
        let provision = global.provision;
        let mut before = String::new();
        match provision.role {
            ParameterRole::PushConstant => before.push_str("[[vk::push_constant]] "),
            ParameterRole::ShaderRecord => before.push_str("[[vk::shader_record]] "),
            _ => {}
        }
        if let Some((binding, set)) = provision.binding {
            before.push_str(&format!("[[vk::binding({binding}, {set})]] "));
        }
        if let Some(format) = &provision.format {
            before.push_str(&format!("[format(\"{format}\")] "));
        }
        if provision.is_coherent {
            before.push_str("globallycoherent ");
        }
        let registers = provision.registers.iter().map(|register| {
            let (class, index, space) = (register.class.letter(), register.index, register.space);
            format!(" : register({class}{index}, space{space})")
        });
        let space = provision.space.map(|space| format!(" : register(space{space})"));
        let after: String = registers.chain(space).collect();
        Some(format!("{before}{declaration}{after}"))
    }

    fn is_compiled_again(&self) -> bool {
        true
    }

    fn specialization_constant(&self, number: u32, declarator: &str, value: &str) -> Option<String> {
        Some(format!("[[vk::constant_id({number})]] const {declarator} = {value}"))
    }

    fn handle(&self, handle: HandleType, content: &str) -> Option<String> {
        let rw = |writable: bool| if writable { "RW" } else { "" };
        let content = template_argument(content);
        Some(match handle {
            HandleType::StructuredBuffer { writable, .. } => format!("{}StructuredBuffer<{content}>", rw(writable)),
            HandleType::ByteAddressBuffer { writable } => format!("{}ByteAddressBuffer", rw(writable)),
            HandleType::TexelBuffer { writable, .. } => format!("{}Buffer<{content}>", rw(writable)),
            HandleType::ConstantBuffer { .. } => format!("ConstantBuffer<{content}>"),
            HandleType::Pointer { .. } => format!("{}*", content.trim_end()),
            HandleType::Sampler { comparison: false } => "SamplerState".into(),
            HandleType::Sampler { comparison: true } => "SamplerComparisonState".into(),
            HandleType::AccelerationStructure => "RaytracingAccelerationStructure".into(),
            HandleType::Texture { dims, array, multisampled, cube, writable, .. } => {
                let shape = if cube { "Cube".into() } else { format!("{dims}D") };
                let samples = if multisampled { "MS" } else { "" };
                let array = if array { "Array" } else { "" };
                format!("{}Texture{shape}{samples}{array}<{content}>", rw(writable))
            }
            HandleType::RayQuery { flags } => format!("RayQuery<{flags}>"),
            HandleType::Variable { .. } | HandleType::Address { .. } => return None,
        })
    }

    fn entry_point(&self, name: &str, entry: &ir::module::EntryPoint, _patch_constants: Option<&str>) -> String {
        let [x, y, z] = entry.group_size;
        let wave = entry.wave_size.map_or(String::new(), |size| format!("[WaveSize({size})]\n"));
        format!("[shader(\"compute\")]\n{wave}[numthreads({x}, {y}, {z})]\nvoid {name}")
    }

    fn barrier(&self, control: bool) -> Option<&'static str> {
        Some(if control { "GroupMemoryBarrierWithGroupSync()" } else { "GroupMemoryBarrier()" })
    }

    fn struct_end(&self) -> &'static str {
        "}"
    }
}

/// The type of a resource that fragments of one pixel reach one after the other.
pub(super) fn ordered(ty: String, provision: &ir::provision::Provision) -> String {
    match ty.strip_prefix("RW") {
        Some(rest) if provision.is_ordered => format!("RasterizerOrdered{rest}"),
        _ => ty,
    }
}

/// Types and functions that are written with their names, which a type of the program's would hide.
const TYPES: &[&str] = &[
    "Buffer",
    "ByteAddressBuffer",
    "ConstantBuffer",
    "GroupMemoryBarrier",
    "GroupMemoryBarrierWithGroupSync",
    "InterlockedAdd",
    "InterlockedAnd",
    "InterlockedCompareExchange",
    "InterlockedExchange",
    "InterlockedMax",
    "InterlockedMin",
    "InterlockedOr",
    "InterlockedXor",
    "RWBuffer",
    "RWByteAddressBuffer",
    "RWStructuredBuffer",
    "RWTexture1D",
    "RWTexture1DArray",
    "RWTexture2D",
    "RWTexture2DArray",
    "RWTexture2DMS",
    "RWTexture2DMSArray",
    "RWTexture3D",
    "RWTextureCube",
    "RWTextureCubeArray",
    "SamplerComparisonState",
    "SamplerState",
    "StructuredBuffer",
    "Texture1D",
    "Texture1DArray",
    "Texture2D",
    "Texture2DArray",
    "Texture2DMS",
    "Texture2DMSArray",
    "Texture3D",
    "TextureCube",
    "TextureCubeArray",
];

/// Slang's keywords, and names of the core library that any function may need.
const RESERVED: &[&str] = &[
    "asfloat",
    "asint",
    "associatedtype",
    "asuint",
    "bit_cast",
    "bool",
    "break",
    "case",
    "cbuffer",
    "class",
    "const",
    "continue",
    "default",
    "defer",
    "discard",
    "do",
    "double",
    "each",
    "else",
    "enum",
    "expand",
    "export",
    "extension",
    "extern",
    "false",
    "float",
    "fmod",
    "for",
    "func",
    "groupshared",
    "half",
    "if",
    "import",
    "in",
    "inline",
    "inout",
    "int",
    "interface",
    "internal",
    "is",
    "let",
    "matrix",
    "module",
    "namespace",
    "no_diff",
    "none",
    "nullptr",
    "operator",
    "optional",
    "out",
    "precise",
    "printf",
    "private",
    "property",
    "public",
    "ref",
    "register",
    "return",
    "sampler",
    "select",
    "shared",
    "sizeof",
    "static",
    "string",
    "struct",
    "super",
    "switch",
    "this",
    "throw",
    "true",
    "try",
    "typealias",
    "typedef",
    "uint",
    "uniform",
    "unorm",
    "using",
    "var",
    "vector",
    "void",
    "volatile",
    "where",
    "while",
];
