//! The GLSL dialect, version 4.60 for Vulkan, with the extensions that a program needs.
//!
//! Decisions:
//! - A matrix of R rows is a GLSL matrix of R columns, so that `m[row]` and memory come out as they are, and products
//!   are written the other way round. `legalise` has made arrays of rows of the matrices that GLSL does not have.
//! - Buffers have the natural layout through `GL_EXT_scalar_block_layout`, uniforms too.
//! - Byte-address buffers are arrays of `uint`.
//! - Indices are not tested: buffers give zero out of bounds where the device is asked to be robust, arrays are the
//!   program's business, as in what slangc writes.
//! - A text holds one entry point, which is called `main`.
//! - Remainders of signed integers and counts of shifts are made to mean what they mean elsewhere: GLSL leaves them
//!   undefined for negative operands and large counts.

mod assembly;
mod math;
mod memory;
mod rays;
mod subgroups;
mod textures;
mod words;

use ir::{
    AtomicOp, BinaryOp, Builtin, Constant, GlobalId, HandleType, Intrinsic, MathFn, Scalar, SpanId, Type, TypeId,
    UnaryOp,
    intrinsic::{FragmentOp, GridOp, HintOp, NumberOp, SystemOp, WaveOp, WaveSubsetOp},
    module::Stage,
};

pub(super) use assembly::indices;

use super::{Braces, Dialect, Form, GlobalText, MULTIPLICATIVE, PRIMARY, Precedence, Printer, Spelling, Stages};
use crate::Target;
use crate::legalise::{Capabilities, DERIVED_WAVE_OPS, EmptyStructs};
use crate::tree::{Expr, ExprKind, Function, Stmt, StmtKind};

/// GLSL.
pub struct Glsl;

/// Arrays with more elements are filled by a loop where all elements are the same.
const LONGEST_LIST: u32 = 16;

impl Dialect for Glsl {
    fn target(&self) -> Target {
        Target::Glsl
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            recursion: false,
            entry_wrappers: false,
            pointers: false,
            addresses: true,
            handle_parameters: false,
            all_shapes: false,
            empty_structs: EmptyStructs::Nowhere,
            empty_arrays: false,
            float_atomics: false,
            computed_offsets: false,
            vertex_attributes: true,
            interlocks_anywhere: false,
            ordered_resources: false,
            typed_bytes: None,
            next_after: false,
            bits_of_all_integers: false,
            missing_wave_ops: DERIVED_WAVE_OPS,
            ..Capabilities::ALL
        }
    }

    fn prologue(&self) -> &'static str {
        "#version 460"
    }

    fn reserved(&self) -> &'static [&'static str] {
        words::RESERVED
    }

    fn reserved_for_types(&self) -> Vec<&'static str> {
        [words::LAYOUT, words::FUNCTIONS].concat()
    }

    fn is_reserved(&self) -> fn(&str) -> bool {
        |word| word.starts_with("gl_") || words::is_sized_type(word)
    }

    fn expression(&self, p: &mut Printer<'_>, f: &Function, expr: &Expr, span: SpanId) -> Option<(String, Precedence)> {
        let shape = p.shape(expr.ty);
        let call = |text: String| Some((text, PRIMARY));
        match &expr.kind {
            ExprKind::Zero => call(zero(p, expr.ty, span)),
            ExprKind::Unary(UnaryOp::Not, a) if shape == Form::Vector => call(format!("not({})", p.expr(f, a, span))),
            ExprKind::Binary(op, a, b) => binary(p, f, *op, a, b, span),
            ExprKind::Math(function, args) => math::math(p, f, *function, args, expr, span),
            ExprKind::Bitcast(a) if let Some(text) = memory::at_address(p, f, a, expr.ty, span) => call(text),
            ExprKind::Bitcast(a) => bitcast(p, f, a, expr, span),
            ExprKind::Select { cond, then, otherwise } if p.shape(cond.ty) == Form::Vector => {
                let [cond, then, otherwise] = [cond, then, otherwise].map(|part| p.expr(f, part, span));
                call(format!("mix({otherwise}, {then}, {cond})"))
            }
            ExprKind::Splat(a) if shape == Form::Array => {
                let Type::Array { len, .. } = p.module.types.get(expr.ty) else { return None };
                if len <= LONGEST_LIST {
                    return None;
                }
                let value = p.expr(f, a, span);
                let fill = filled(p, expr.ty, span);
                call(format!("{fill}({value})"))
            }
            ExprKind::BufferLength(_) | ExprKind::ByteLoad { .. } => memory::read(p, f, expr, span),
            ExprKind::Load { handle, path } if shape == Form::Scalar && p.scalar_of(expr.ty).is_none() => {
                memory::resource(p, f, handle, path, expr.ty, span)
            }
            ExprKind::Load { handle, path } => memory::texel(p, f, handle, path, span),
            ExprKind::Atomic { .. } | ExprKind::ByteAtomic { .. } => memory::atomic(p, f, expr, span),
            _ => None,
        }
    }

    fn intrinsic(
        &self,
        p: &mut Printer<'_>,
        f: &Function,
        intrinsic: Intrinsic,
        args: &[Expr],
        span: SpanId,
    ) -> Option<(String, Precedence)> {
        match intrinsic {
            Intrinsic::Number(op) => match op {
                NumberOp::Frexp => Some((format!("frexp({})", p.list(f, args, span)), PRIMARY)),
                NumberOp::Nextafter
                | NumberOp::SmallCast
                | NumberOp::SmallDot
                | NumberOp::SmallFrom
                | NumberOp::SmallTo
                | NumberOp::StringHash
                | NumberOp::StringLength => None,
            },
            Intrinsic::Wave(op) => subgroups::call(p, f, op, args, span),
            // The mask of 32 threads is the first word.
            Intrinsic::WaveSubset(WaveSubsetOp::MaskBallot) => {
                let (text, _) = subgroups::call(p, f, WaveOp::Ballot, args.get(1..)?, span)?;
                Some((format!("{text}.x"), PRIMARY))
            }
            Intrinsic::WaveSubset(op) if op.fold_of_part().is_some() => subgroups::of_part(p, f, op, args, span),
            Intrinsic::WaveSubset(op) => subgroups::call(p, f, op.without_mask()?, args.get(1..)?, span),
            Intrinsic::Texture(op) => textures::call(p, f, op, args, span),
            Intrinsic::Fragment(op) => fragment(p, f, op, args, span),
            Intrinsic::Stage(op) => assembly::call(p, f, op, args, span),
            Intrinsic::Ray(op) => rays::call(p, f, op, args, span),
            Intrinsic::RayQuery(op) => rays::query(p, f, op, args, span),
            Intrinsic::Integer(_)
            | Intrinsic::Pointer(_)
            | Intrinsic::Buffer(_)
            | Intrinsic::RayExtension(_)
            | Intrinsic::HitObject(_)
            | Intrinsic::Footprint(_)
            | Intrinsic::Cooperative(_)
            | Intrinsic::Tensor(_)
            | Intrinsic::Descriptor(_) => None,
            Intrinsic::System(op) => clock(p, op),
            Intrinsic::Grid(op) => (op == GridOp::WorkGroupCount).then(|| ("gl_NumWorkGroups".into(), PRIMARY)),
            Intrinsic::Hint(op) => match (op, args) {
                (HintOp::NonUniform, [index]) => {
                    p.require(memory::NONUNIFORM);
                    Some((format!("nonuniformEXT({})", p.expr(f, index, span)), PRIMARY))
                }
                (HintOp::NonUniform | HintOp::Nonuniform | HintOp::DynamicUniform | HintOp::Unmodified, _) => None,
            },
        }
    }

    fn statement(&self, p: &mut Printer<'_>, f: &Function, stmt: &Stmt) -> bool {
        memory::statement(p, f, stmt)
    }

    fn global_declaration(&self, p: &mut Printer<'_>, global: GlobalId) -> Option<String> {
        memory::declaration(p, global)
    }

    fn required_for(&self, ty: Type) -> Option<&'static str> {
        let (Type::Scalar(scalar) | Type::Vector { scalar, .. } | Type::Matrix { scalar, .. }) = ty else {
            return None;
        };
        Some(match scalar {
            Scalar::I8 | Scalar::U8 => "#extension GL_EXT_shader_explicit_arithmetic_types_int8 : require",
            Scalar::I16 | Scalar::U16 => "#extension GL_EXT_shader_explicit_arithmetic_types_int16 : require",
            Scalar::I64 | Scalar::U64 => "#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require",
            Scalar::F16 => "#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require",
            Scalar::Bool | Scalar::I32 | Scalar::U32 | Scalar::F32 | Scalar::F64 => return None,
        })
    }

    fn scalar(&self, scalar: Scalar) -> Option<&'static str> {
        Some(match scalar {
            Scalar::F16 => "float16_t",
            scalar => ir::source_names::scalar_name(scalar),
        })
    }

    fn vector(&self, scalar: Scalar, len: u8) -> Option<String> {
        Some(format!("{}vec{len}", prefix(scalar)))
    }

    fn matrix(&self, scalar: Scalar, rows: u8, cols: u8) -> Option<String> {
        let prefix = prefix(scalar);
        Some(if rows == cols { format!("{prefix}mat{rows}") } else { format!("{prefix}mat{rows}x{cols}") })
    }

    fn array(&self, element: &str, len: u32) -> String {
        super::outer_array(element, len)
    }

    fn inferred_local(&self, _constant: bool) -> Option<&'static str> {
        None
    }

    fn scalar_operands(&self) -> bool {
        true
    }

    fn braces(&self) -> Braces {
        Braces::Nowhere
    }

    fn has_compound(&self, op: BinaryOp, ty: Type) -> bool {
        match op {
            // `*=` of matrices is their product; shifts need their counts masked.
            BinaryOp::Mul => !matches!(ty, Type::Matrix { .. }),
            BinaryOp::Shl | BinaryOp::Shr => false,
            _ => true,
        }
    }

    fn float(&self, value: f64, scalar: Scalar) -> String {
        match scalar {
            Scalar::F16 => format!("{:?}hf", value as f32),
            Scalar::F64 => format!("{value:?}lf"),
            _ => format!("{:?}", value as f32),
        }
    }

    fn integer(&self, value: u64, scalar: Scalar) -> String {
        match scalar {
            Scalar::U32 => format!("{value}u"),
            Scalar::I64 => format!("{value}l"),
            Scalar::U64 => format!("{value}ul"),
            _ => value.to_string(),
        }
    }

    fn zero(&self, _shape: Form, ty: &str) -> String {
        format!("{ty}(0)")
    }

    fn math(&self, function: MathFn) -> Spelling {
        math::spelling(function)
    }

    fn math_words(&self, function: MathFn) -> Vec<&'static str> {
        math::words(function)
    }

    fn vector_select(&self) -> &'static str {
        "mix"
    }

    fn bitcast(&self, _from: Scalar, _to: Scalar, _target: &str) -> String {
        // Only asked for the bits of infinities; `expression` writes all others.
        "uintBitsToFloat".into()
    }

    fn specialization_constant(&self, number: u32, declarator: &str, value: &str) -> Option<String> {
        Some(format!("layout(constant_id = {number}) const {declarator} = {value}"))
    }

    fn global(&self, _global: &GlobalText<'_>) -> Option<String> {
        None
    }

    fn handle(&self, _handle: HandleType, _content: &str) -> Option<String> {
        None
    }

    fn entry_name(&self, _name: &str) -> String {
        "main".into()
    }

    fn holds_one_entry(&self) -> bool {
        true
    }

    fn stages(&self) -> Stages {
        Stages::Variables
    }

    fn entry_point(&self, name: &str, entry: &ir::module::EntryPoint, _patch_constants: Option<&str>) -> String {
        let [x, y, z] = entry.group_size;
        let threads = match entry.stage {
            Stage::Compute | Stage::Amplification | Stage::Mesh => {
                format!("layout(local_size_x = {x}, local_size_y = {y}, local_size_z = {z}) in;\n")
            }
            Stage::Vertex
            | Stage::Hull
            | Stage::Domain
            | Stage::Geometry
            | Stage::Fragment
            | Stage::RayGeneration
            | Stage::Intersection
            | Stage::AnyHit
            | Stage::ClosestHit
            | Stage::Miss
            | Stage::Callable => String::new(),
        };
        format!("{threads}void {name}")
    }

    // Sizes of arrays follow from it.
    fn assembly(&self, module: &ir::Module, entry: &ir::module::EntryPoint) -> String {
        let order = match crate::legalise::has_interlocks(module, entry) {
            true => "layout(pixel_interlock_ordered) in;\n",
            false => "",
        };
        format!("{order}{}", assembly::layout(entry))
    }

    fn builtin_variable(&self, builtin: Builtin) -> Option<&'static str> {
        Some(match builtin {
            Builtin::DispatchThreadId => "gl_GlobalInvocationID",
            Builtin::GroupThreadId => "gl_LocalInvocationID",
            Builtin::GroupId => "gl_WorkGroupID",
            Builtin::GroupIndex => "gl_LocalInvocationIndex",
        })
    }

    fn builtin(&self, _builtin: Builtin, name: &str, ty: &str) -> String {
        format!("{ty} {name}")
    }

    fn atomic(&self, _op: AtomicOp) -> Option<&'static str> {
        None
    }

    fn buffer_length(&self, _buffer: &str, _count: &str, _has_stride: bool) -> Option<String> {
        None
    }

    fn barrier(&self, control: bool) -> Option<&'static str> {
        Some(if control { "memoryBarrier();\nbarrier()" } else { "memoryBarrier()" })
    }
}

/// An operation of fragments. `clip` is a call of a function, since `discard` is a statement.
fn fragment(
    p: &mut Printer<'_>,
    f: &Function,
    op: FragmentOp,
    args: &[Expr],
    span: SpanId,
) -> Option<(String, Precedence)> {
    let name: smol_str::SmolStr = match op {
        FragmentOp::Clip => {
            let [value] = args else { return None };
            let ty = p.type_name(value.ty, span);
            let test = match p.shape(value.ty) {
                Form::Vector => format!("any(lessThan(x, {ty}(0)))"),
                _ => "x < 0".into(),
            };
            p.helper(&format!("clip_{ty}"), |_, name| {
                format!("void {name}({ty} x)\n{{\n    if ({test})\n    {{\n        discard;\n    }}\n}}")
            })
        }
        // A statement, not a call.
        FragmentOp::Discard => return Some(("discard".into(), PRIMARY)),
        FragmentOp::IsHelper if is_for_fragments(p) => return Some(("gl_HelperInvocation".into(), PRIMARY)),
        FragmentOp::Ddx => "dFdx".into(),
        FragmentOp::DdxCoarse => "dFdxCoarse".into(),
        FragmentOp::DdxFine => "dFdxFine".into(),
        FragmentOp::Ddy => "dFdy".into(),
        FragmentOp::DdyCoarse => "dFdyCoarse".into(),
        FragmentOp::DdyFine => "dFdyFine".into(),
        FragmentOp::Fwidth => "fwidth".into(),
        FragmentOp::BeginInterlock | FragmentOp::EndInterlock if !is_for_fragments(p) => return None,
        FragmentOp::BeginInterlock => {
            p.require("#extension GL_ARB_fragment_shader_interlock : require");
            "beginInvocationInterlockARB".into()
        }
        FragmentOp::EndInterlock => "endInvocationInterlockARB".into(),
        FragmentOp::AttributeAtCentroid
        | FragmentOp::AttributeAtSample
        | FragmentOp::AttributeAtVertex
        | FragmentOp::AttributeSnapped
        | FragmentOp::IsHelper
        | FragmentOp::SampleCount
        | FragmentOp::SamplePosition
        | FragmentOp::ShadingRate
        | FragmentOp::SubpassLoad => return None,
    };
    Some((format!("{name}({})", p.list(f, args, span)), PRIMARY))
}

/// A running clock: that of the device, or that of the wave.
fn clock(p: &mut Printer<'_>, op: SystemOp) -> Option<(String, Precedence)> {
    const DEVICE: &str = "#extension GL_EXT_shader_realtime_clock : require";
    const WAVE: &str = "#extension GL_ARB_shader_clock : require";
    let (extension, text) = match op {
        SystemOp::Clock => (DEVICE, "clockRealtime2x32EXT()"),
        SystemOp::ClockLow => (DEVICE, "clockRealtime2x32EXT().x"),
        SystemOp::Clock64 => (WAVE, "clockARB()"),
        SystemOp::Abort | SystemOp::DebugBreak => return None,
    };
    p.require(extension);
    Some((text.into(), PRIMARY))
}

fn is_for_fragments(p: &Printer<'_>) -> bool {
    let mut entries = p.module.entry_points.iter().filter(|entry| p.legal.functions.contains(&entry.func));
    entries.all(|entry| entry.stage == Stage::Fragment)
}

/// What the names of vectors and matrices start with.
fn prefix(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::Bool => "b",
        Scalar::I8 => "i8",
        Scalar::I16 => "i16",
        Scalar::I32 => "i",
        Scalar::I64 => "i64",
        Scalar::U8 => "u8",
        Scalar::U16 => "u16",
        Scalar::U32 => "u",
        Scalar::U64 => "u64",
        Scalar::F16 => "f16",
        Scalar::F32 => "",
        Scalar::F64 => "d",
    }
}

/// The zero value, written out: there is no short form.
fn zero(p: &mut Printer<'_>, ty: TypeId, span: SpanId) -> String {
    match p.module.types.get(ty) {
        Type::Struct(id) => {
            let fields: Vec<TypeId> = p.module.types.structs[id].fields.iter().map(|field| field.ty).collect();
            let name = p.type_name(ty, span);
            let parts: Vec<String> = fields.into_iter().map(|field| zero(p, field, span)).collect();
            format!("{name}({})", parts.join(", "))
        }
        Type::Array { element, len } => {
            let part = zero(p, element, span);
            if len > LONGEST_LIST {
                let fill = filled(p, ty, span);
                return format!("{fill}({part})");
            }
            let name = p.type_name(ty, span);
            format!("{name}({})", vec![part; len as usize].join(", "))
        }
        _ => p.zero(ty, span),
    }
}

/// The function that makes an array of equal elements.
fn filled(p: &mut Printer<'_>, ty: TypeId, span: SpanId) -> smol_str::SmolStr {
    let Type::Array { element, len } = p.module.types.get(ty) else { return "".into() };
    let name = p.type_name(ty, span);
    let words: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    let key = format!("filled_{}", words.trim_end_matches('_').replace("__", "_"));
    p.helper(&key, |p, function| {
        let parameter = p.declarator(element, "element", span);
        format!(
            "{name} {function}({parameter})\n{{\n    {name} filled;\n    for (int i = 0; i < {len}; i++)\n    {{\n        \
             filled[i] = element;\n    }}\n    return filled;\n}}"
        )
    })
}

fn binary(
    p: &mut Printer<'_>,
    f: &Function,
    op: BinaryOp,
    a: &Expr,
    b: &Expr,
    span: SpanId,
) -> Option<(String, Precedence)> {
    let scalar = p.scalar_of(a.ty)?;
    let shape = p.shape(a.ty);
    let function = match op {
        BinaryOp::Rem if scalar.is_float() => {
            return math::math(p, f, MathFn::Fmod, &[a.clone(), b.clone()], a, span);
        }
        BinaryOp::Rem if scalar.is_signed() => {
            let ty = p.type_name(a.ty, span);
            p.helper(&format!("remainder_{ty}"), |_, name| {
                format!("{ty} {name}({ty} a, {ty} b)\n{{\n    return a - b * (a / b);\n}}")
            })
        }
        BinaryOp::Mul if shape == Form::Matrix => "matrixCompMult".into(),
        BinaryOp::Shl | BinaryOp::Shr => return shift(p, f, op, a, b, span),
        BinaryOp::And | BinaryOp::Or if scalar == Scalar::Bool && shape == Form::Vector => {
            // There is no `&&` of vectors.
            let Type::Vector { len, .. } = p.module.types.get(a.ty) else { return None };
            let symbol = if op == BinaryOp::And { '&' } else { '|' };
            let (a, b) = (p.expr(f, a, span), p.expr(f, b, span));
            return Some((format!("bvec{len}(uvec{len}({a}) {symbol} uvec{len}({b}))"), PRIMARY));
        }
        BinaryOp::Xor if scalar == Scalar::Bool && shape == Form::Vector => "notEqual".into(),
        _ if shape != Form::Vector => return None,
        BinaryOp::Less => "lessThan".into(),
        BinaryOp::LessEqual => "lessThanEqual".into(),
        BinaryOp::Greater => "greaterThan".into(),
        BinaryOp::GreaterEqual => "greaterThanEqual".into(),
        BinaryOp::Equal => "equal".into(),
        BinaryOp::NotEqual => "notEqual".into(),
        _ => return None,
    };
    Some((format!("{function}({}, {})", p.expr(f, a, span), p.expr(f, b, span)), PRIMARY))
}

/// Counts are taken modulo the width of the type.
fn shift(
    p: &mut Printer<'_>,
    f: &Function,
    op: BinaryOp,
    a: &Expr,
    b: &Expr,
    span: SpanId,
) -> Option<(String, Precedence)> {
    let width = p.scalar_of(a.ty)?.bits().max(32);
    let in_range = match &b.kind {
        ExprKind::Const(Constant::Int(count)) => (0..i64::from(width)).contains(count),
        ExprKind::Splat(a) => {
            matches!(a.kind, ExprKind::Const(Constant::Int(count)) if (0..i64::from(width)).contains(&count))
        }
        _ => false,
    };
    if in_range {
        return None;
    }
    let symbol = if op == BinaryOp::Shl { "<<" } else { ">>" };
    let (mask, scalar) = (u64::from(width - 1), p.scalar_of(b.ty)?);
    let mask = match scalar.bits() < 32 {
        true => format!("{}({mask})", ir::source_names::scalar_name(scalar)),
        false => Glsl.integer(mask, scalar),
    };
    let (a, b) = (p.operand(f, a, super::UNARY, span), p.operand(f, b, super::UNARY, span));
    Some((format!("{a} {symbol} ({b} & {mask})"), super::ADDITIVE - 1))
}

fn bitcast(p: &mut Printer<'_>, f: &Function, a: &Expr, expr: &Expr, span: SpanId) -> Option<(String, Precedence)> {
    let (from, to) = (p.scalar_of(a.ty)?, p.scalar_of(expr.ty)?);
    let ty = p.type_name(expr.ty, span);
    let value = p.expr(f, a, span);
    use Scalar::*;
    let name: &str = match (from, to) {
        _ if from.bits() == to.bits() && from.is_integer() && to.is_integer() => &ty,
        _ if from == to => &ty,
        (F32, I32) => "floatBitsToInt",
        (F32, U32) => "floatBitsToUint",
        (I32, F32) => "intBitsToFloat",
        (U32, F32) => "uintBitsToFloat",
        (F64, I64) => "doubleBitsToInt64",
        (F64, U64) => "doubleBitsToUint64",
        (I64, F64) => "int64BitsToDouble",
        (U64, F64) => "uint64BitsToDouble",
        (F16, I16) => "float16BitsToInt16",
        (F16, U16) => "float16BitsToUint16",
        (I16, F16) => "int16BitsToFloat16",
        (U16, F16) => "uint16BitsToFloat16",
        _ => {
            p.error(span, "this reinterpretation is not supported for target `glsl`".into());
            ""
        }
    };
    Some((format!("{name}({value})"), PRIMARY))
}

/// `a / b` with as few parentheses as needed.
fn quotient(left: &str, right: String) -> (String, Precedence) {
    (format!("{left} / {right}"), MULTIPLICATIVE)
}

/// Whether a statement is the only place where its value can stand.
fn is_effect(stmt: &Stmt) -> bool {
    let is = |expr: &Expr| match &expr.kind {
        ExprKind::Atomic { .. } | ExprKind::ByteAtomic { .. } | ExprKind::BufferLength(_) => true,
        ExprKind::Intrinsic { intrinsic: Intrinsic::Texture(op), .. } => op.atomic().is_some(),
        _ => false,
    };
    match &stmt.kind {
        StmtKind::Declare { init: Some(value), .. } | StmtKind::Assign { value, .. } | StmtKind::Evaluate(value) => {
            is(value)
        }
        _ => false,
    }
}
