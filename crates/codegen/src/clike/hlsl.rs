//! The HLSL dialect, for shader model 6.6 with 16-bit types and HLSL 2021.
//!
//! Decisions:
//! - Structured buffers have the natural layout by themselves; `ConstantBuffer` follows HLSL's own packing, as what
//!   slangc writes does. Matrices are `row_major` in memory.
//! - A register's number is the binding, its space the set.
//! - Indices are not tested: buffers give zero out of bounds by D3D's rules, arrays are the program's business, as in
//!   what slangc writes.
//! - Barriers are for all memory, since the IR does not say less.

mod assembly;
mod rays;
mod words;

use ir::{
    BinaryOp, GlobalId, GlobalKind, HandleType, Intrinsic, MathFn, Scalar, SpanId, Type,
    intrinsic::{BufferOp, HintOp, NumberOp, TextureOp, WaveOp, WaveSubsetOp},
    module::Stage,
    provision::ParameterRole,
};

use super::expressions::Initialised;
use super::intrinsics;
use super::slang::Slang;
use super::{Braces, Dialect, Form, GlobalText, PRIMARY, Precedence, Printer, Spelling, Stages, UNARY};
use crate::Target;
use crate::legalise::{Capabilities, EmptyStructs, class_of};
use crate::lookups::Lookup;
use crate::memory::Rules;
use crate::tree::{Expr, ExprKind, Function, Start, Step, Stmt, StmtKind};

/// HLSL.
pub struct Hlsl;

/// The name of a table of resources.
fn heap(p: &Printer<'_>, handle: &Expr) -> Option<String> {
    match handle.kind {
        ExprKind::Global(global) if p.module.globals[global].provision.role == ParameterRole::Heap => {
            Some(p.global_names[global].to_string())
        }
        _ => None,
    }
}

impl Dialect for Hlsl {
    fn target(&self) -> Target {
        Target::Hlsl
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            recursion: false,
            entry_wrappers: false,
            vertex_attributes: true,
            pointers: false,
            array_results: false,
            aggregate_selects: false,
            empty_structs: EmptyStructs::InMemory,
            empty_arrays: false,
            float_atomics: false,
            specialization_constants: false,
            shared_places: false,
            plain_messages: false,
            impossible_indices: false,
            next_after: false,
            classes_of_doubles: false,
            missing_wave_ops: MISSING_WAVE_OPS,
            smallest_integer: 16,
            typed_bytes: Some(Rules::Elements),
            ..Capabilities::ALL
        }
    }

    fn own_structs(&self) -> &'static [&'static str] {
        &["BuiltInTriangleIntersectionAttributes", "RayDesc"]
    }

    fn reserved(&self) -> &'static [&'static str] {
        RESERVED
    }

    fn reserved_for_types(&self) -> Vec<&'static str> {
        words::FUNCTIONS.to_vec()
    }

    fn expression(&self, p: &mut Printer<'_>, f: &Function, expr: &Expr, span: SpanId) -> Option<(String, Precedence)> {
        let shape = p.shape(expr.ty);
        Some(match &expr.kind {
            ExprKind::Zero if shape != Form::Scalar => (format!("({})0", p.type_name(expr.ty, span)), UNARY),
            ExprKind::Make(parts) if shape == Form::Struct => {
                if parts.is_empty() {
                    return Some((format!("({})0", p.type_name(expr.ty, span)), UNARY));
                }
                let constructor = constructor(p, expr, span);
                (format!("{constructor}({})", p.list(f, parts, span)), PRIMARY)
            }
            // An array without a name is one that a declaration before the statement makes.
            ExprKind::Make(_) if shape == Form::Array => {
                let name = p.fresh_name("made");
                let declarator = p.declarator(expr.ty, &name, span);
                let parts = p.initialiser(f, expr, Initialised::Declaration, span);
                p.hoist(format!("{declarator} = {parts};"));
                (name.to_string(), PRIMARY)
            }
            ExprKind::Splat(a) if shape == Form::Array => {
                let Type::Array { len, .. } = p.module.types.get(expr.ty) else { return None };
                let name = p.fresh_name("made");
                let declarator = p.declarator(expr.ty, &name, span);
                let part = p.expr(f, a, span);
                p.hoist(format!("{declarator} = {{ {} }};", vec![part; len as usize].join(", ")));
                (name.to_string(), PRIMARY)
            }
            ExprKind::Splat(a) => {
                let a = p.operand(f, a, UNARY, span);
                (format!("({}){a}", p.type_name(expr.ty, span)), UNARY)
            }
            ExprKind::Binary(op @ (BinaryOp::And | BinaryOp::Or), a, b)
                if shape != Form::Scalar && p.scalar_of(expr.ty) == Some(Scalar::Bool) =>
            {
                let name = if *op == BinaryOp::And { "and" } else { "or" };
                let (a, b) = (p.expr(f, a, span), p.expr(f, b, span));
                (format!("{name}({a}, {b})"), PRIMARY)
            }
            // A literal alone has no size there, which matters to what is shifted; the type is not that of the distance.
            ExprKind::Binary(BinaryOp::Shl | BinaryOp::Shr, a, b) if is_untyped(p, a) => {
                let symbol = if matches!(expr.kind, ExprKind::Binary(BinaryOp::Shl, ..)) { "<<" } else { ">>" };
                let (ty, a) = (p.type_name(a.ty, span), p.expr(f, a, span));
                (format!("{ty}({a}) {symbol} {}", p.operand(f, b, UNARY, span)), SHIFT)
            }
            ExprKind::Bitcast(a) => return bitcast(p, f, a, expr, span),
            ExprKind::Load { handle, path } => {
                let heap = heap(p, handle)?;
                let index = match path.first()? {
                    Step::Const(index) => format!("{index}u"),
                    Step::Dynamic(index) | Step::Tested(index) => p.expr(f, index, span),
                };
                (format!("{heap}({index})"), PRIMARY)
            }
            ExprKind::Math(function, args) => return math(p, f, *function, args, expr, span),
            _ => return None,
        })
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
                NumberOp::Frexp => {
                    let [x, exponent] = args else { return None };
                    let function = frexp(p, x, exponent, span);
                    Some((format!("{function}({})", p.list(f, args, span)), PRIMARY))
                }
                NumberOp::Nextafter
                | NumberOp::SmallCast
                | NumberOp::SmallDot
                | NumberOp::SmallFrom
                | NumberOp::SmallTo
                | NumberOp::StringHash
                | NumberOp::StringLength => None,
            },
            Intrinsic::Buffer(op) => {
                let method = match op {
                    BufferOp::IncrementCounter => "IncrementCounter",
                    BufferOp::DecrementCounter => "DecrementCounter",
                    BufferOp::Append | BufferOp::Consume | BufferOp::LoadStatus | BufferOp::BytesLoadStatus => {
                        return None;
                    }
                };
                let [buffer] = args else { return None };
                Some((format!("{}.{method}()", p.operand(f, buffer, PRIMARY, span)), PRIMARY))
            }
            Intrinsic::Texture(TextureOp::SampleLevelZero) => {
                let [texture, sampler, location, offset @ ..] = args else { return None };
                let object = p.operand(f, texture, PRIMARY, span);
                let mut parts = vec![p.expr(f, sampler, span), p.expr(f, location, span), "0.0f".into()];
                parts.extend(offset.iter().map(|offset| p.expr(f, offset, span)));
                Some((format!("{object}.SampleLevel({})", parts.join(", ")), PRIMARY))
            }
            // Depths are not compared in three dimensions.
            Intrinsic::Texture(op)
                if Lookup::of(op).is_some_and(|lookup| lookup.compares)
                    && args.first().is_some_and(|texture| is_of_three_dimensions(p, texture)) =>
            {
                None
            }
            Intrinsic::Texture(op) => intrinsics::texture(p, f, op, args, span),
            Intrinsic::Wave(WaveOp::WaveCount) => {
                Some((format!("(({} + WaveGetLaneCount() - 1) / WaveGetLaneCount())", threads_of_a_group(p)?), PRIMARY))
            }
            Intrinsic::Wave(op) => intrinsics::wave(p, f, op, args, span),
            // The mask of 32 threads is the first word.
            Intrinsic::WaveSubset(WaveSubsetOp::MaskBallot) => {
                let (text, _) = intrinsics::wave(p, f, WaveOp::Ballot, args.get(1..)?, span)?;
                Some((format!("{text}.x"), PRIMARY))
            }
            Intrinsic::WaveSubset(op) if let Some(name) = of_partition(op) => {
                Some((format!("{name}({})", p.list(f, args, span)), PRIMARY))
            }
            Intrinsic::WaveSubset(op) => intrinsics::wave(p, f, op.without_mask()?, args.get(1..)?, span),
            Intrinsic::Fragment(op) => intrinsics::fragment(p, f, op, args, span),
            Intrinsic::Stage(op) => assembly::call(p, f, op, args, span),
            Intrinsic::Ray(op) => rays::call(p, f, op, args, span),
            Intrinsic::RayQuery(op) => rays::query(p, f, op, args, span),
            Intrinsic::Integer(_)
            | Intrinsic::Pointer(_)
            | Intrinsic::RayExtension(_)
            | Intrinsic::HitObject(_)
            | Intrinsic::Footprint(_)
            | Intrinsic::Cooperative(_)
            | Intrinsic::Tensor(_)
            | Intrinsic::Descriptor(_)
            | Intrinsic::Grid(_)
            | Intrinsic::System(_) => None,
            Intrinsic::Hint(op) => match (op, args) {
                (HintOp::NonUniform, [index]) => {
                    Some((format!("NonUniformResourceIndex({})", p.expr(f, index, span)), PRIMARY))
                }
                (HintOp::NonUniform | HintOp::Nonuniform | HintOp::DynamicUniform | HintOp::Unmodified, _) => None,
            },
        }
    }

    /// The table of all resources has no type: what it gives has that of a function's result.
    fn global_declaration(&self, p: &mut Printer<'_>, global: GlobalId) -> Option<String> {
        let data = &p.module.globals[global];
        let (element, _) = p.module.types.resource_array(data.ty)?;
        let (Type::Handle(handle), ParameterRole::Heap) = (p.module.types.get(element), data.provision.role) else {
            return None;
        };
        let content = handle.content().map_or(String::new(), |content| p.type_name(content, SpanId::NONE));
        let (name, ty) = (&p.global_names[global], Slang.handle(handle, &content)?);
        let heap = match handle {
            HandleType::Sampler { .. } => "SamplerDescriptorHeap",
            _ => "ResourceDescriptorHeap",
        };
        Some(format!("{ty} {name}(uint index)\n{{\n    return {heap}[index];\n}}"))
    }

    fn statement(&self, p: &mut Printer<'_>, _f: &Function, stmt: &Stmt) -> bool {
        if let StmtKind::Print { .. } = stmt.kind {
            p.error(stmt.span, "`printf` is not supported for target `hlsl`".into());
            return true;
        }
        false
    }

    fn required_for(&self, ty: Type) -> Option<&'static str> {
        matches!(ty, Type::Matrix { .. }).then_some("#pragma pack_matrix(row_major)")
    }

    fn scalar(&self, scalar: Scalar) -> Option<&'static str> {
        match scalar {
            // There are no integers of 8 bits.
            Scalar::I8 | Scalar::U8 => None,
            scalar => Slang.scalar(scalar),
        }
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
        Braces::Declarations
    }

    // DXC refuses what it takes for a read without a value, even where no run comes by.
    fn no_value(&self, start: Start, zero: &str) -> String {
        if start == Start::Undefined { String::new() } else { format!(" = {zero}") }
    }

    fn float(&self, value: f64, scalar: Scalar) -> String {
        match scalar {
            Scalar::F16 => format!("{:?}h", value as f32),
            Scalar::F64 => format!("{value:?}L"),
            _ => format!("{:?}f", value as f32),
        }
    }

    fn zero(&self, _shape: Form, ty: &str) -> String {
        format!("({ty})0")
    }

    fn math(&self, function: MathFn) -> Spelling {
        Spelling::Call(match function {
            MathFn::Acosh | MathFn::Asinh | MathFn::Atanh | MathFn::Copysign => return Spelling::None,
            MathFn::Fma => "mad",
            function => return Slang.math(function),
        })
    }

    fn vector_select(&self) -> &'static str {
        "select"
    }

    fn bitcast(&self, _from: Scalar, to: Scalar, _target: &str) -> String {
        match to {
            Scalar::F16 => "asfloat16",
            Scalar::I16 => "asint16",
            Scalar::U16 => "asuint16",
            Scalar::F32 => "asfloat",
            Scalar::I32 => "asint",
            _ => "asuint",
        }
        .into()
    }

    fn global(&self, global: &GlobalText<'_>) -> Option<String> {
        let GlobalText { name, declarator, content, .. } = global;
        Some(match (global.kind, global.handle) {
            (GlobalKind::GroupShared, _) => format!("groupshared {declarator}"),
            (GlobalKind::Static { .. }, handle @ HandleType::RayQuery { .. }) => {
                format!("static {} {name}", self.handle(handle, content)?)
            }
            (GlobalKind::Static { .. }, _) => match global.init {
                Some(init) => format!("static {declarator} = {init}"),
                None => format!("static {declarator} = ({content})0"),
            },
            (GlobalKind::Parameter, HandleType::Variable { .. }) => format!("static {declarator}"),
            (GlobalKind::Parameter, handle) => {
                let (set, binding) = global.place?;
                let class = class_of(handle).letter();
                let register = format!("register({class}{binding}, space{set})");
                match handle {
                    HandleType::ConstantBuffer { .. } if !global.content_is_struct && global.array.is_empty() => {
                        format!("cbuffer {} : {register}\n{{\n    {declarator};\n}}", global.block)
                    }
                    // Of such arrays only those of structs are there.
                    HandleType::ConstantBuffer { .. } if !global.content_is_struct => return None,
                    handle => {
                        let is_coherent = global.provision.is_coherent && handle.is_writable();
                        let coherent = if is_coherent { "globallycoherent " } else { "" };
                        let ty = super::slang::ordered(self.handle(handle, content)?, global.provision);
                        format!("{coherent}{ty} {name}{} : {register}", global.array)
                    }
                }
            }
        })
    }

    fn handle(&self, handle: HandleType, content: &str) -> Option<String> {
        match handle {
            HandleType::Pointer { .. } => None,
            handle => Slang.handle(handle, content),
        }
    }

    fn stages(&self) -> Stages {
        Stages::Signature
    }

    fn entry_point(&self, name: &str, entry: &ir::module::EntryPoint, patch_constants: Option<&str>) -> String {
        if entry.stage.traces_rays() {
            return format!("[shader(\"{}\")]\nvoid {name}", entry.stage.word());
        }
        let [x, y, z] = entry.group_size;
        let wave = entry.wave_size.map_or(String::new(), |size| format!("[WaveSize({size})]\n"));
        let assembly = assembly::attributes(entry, patch_constants);
        let is_in_groups = matches!(entry.stage, Stage::Compute | Stage::Amplification | Stage::Mesh);
        let threads = if is_in_groups { format!("[numthreads({x}, {y}, {z})]\n") } else { String::new() };
        format!("{wave}{threads}{assembly}void {name}")
    }

    fn barrier(&self, control: bool) -> Option<&'static str> {
        Some(if control { "AllMemoryBarrierWithGroupSync()" } else { "AllMemoryBarrier()" })
    }
}

/// How many threads a group has, if all entry points that are written have as many.
fn threads_of_a_group(p: &Printer<'_>) -> Option<u64> {
    let entries = p.module.entry_points.iter().filter(|entry| p.legal.functions.contains(&entry.func));
    let mut counts = entries.map(|entry| entry.group_size.iter().map(|size| u64::from(*size)).product::<u64>());
    let count = counts.next()?;
    counts.all(|other| other == count).then_some(count)
}

/// The function that returns the exponent as an integer: there it is a float.
fn frexp(p: &mut Printer<'_>, x: &Expr, exponent: &Expr, span: SpanId) -> smol_str::SmolStr {
    let (ty, int) = (p.type_name(x.ty, span), p.type_name(exponent.ty, span));
    p.helper(&format!("frexp_{ty}"), |_, name| {
        format!(
            "{ty} {name}({ty} x, out {int} exponent)\n{{\n    {ty} power;\n    {ty} mantissa = frexp(x, power);\n    \
             exponent = {int}(power);\n    return mantissa;\n}}"
        )
    })
}

/// How tightly shifts bind.
const SHIFT: Precedence = 11;

/// Whether an expression is made of `int` literals alone: of unsigned ones and those of other sizes the text says the type.
fn is_untyped(p: &Printer<'_>, expr: &Expr) -> bool {
    p.shape(expr.ty) == Form::Scalar
        && p.scalar_of(expr.ty) == Some(Scalar::I32)
        && match &expr.kind {
            ExprKind::Const(_) | ExprKind::Zero => true,
            ExprKind::Unary(_, a) => is_untyped(p, a),
            ExprKind::Binary(_, a, b) => is_untyped(p, a) && is_untyped(p, b),
            ExprKind::Select { then, otherwise, .. } => is_untyped(p, then) && is_untyped(p, otherwise),
            _ => false,
        }
}

/// The function that makes a struct: the language has no constructors.
fn constructor(p: &mut Printer<'_>, expr: &Expr, span: SpanId) -> smol_str::SmolStr {
    let ty = p.type_name(expr.ty, span);
    let Type::Struct(id) = p.module.types.get(expr.ty) else { return ty.into() };
    p.helper(&format!("make_{ty}"), |p, name| {
        let fields = p.module.types.structs[id].fields.clone();
        let names: Vec<_> = (0..fields.len()).map(|index| p.field(id, index)).collect();
        let params: Vec<String> =
            fields.iter().zip(&names).map(|(field, name)| p.declarator(field.ty, name, span)).collect();
        // The one local must not hide a parameter.
        let local = match names.iter().any(|name| name == "made") {
            true => p.fresh_name("made"),
            false => "made".into(),
        };
        let sets: String = names.iter().map(|name| format!("    {local}.{name} = {name};\n")).collect();
        format!("{ty} {name}({})\n{{\n    {ty} {local};\n{sets}    return {local};\n}}", params.join(", "))
    })
}

fn bitcast(p: &mut Printer<'_>, f: &Function, a: &Expr, expr: &Expr, span: SpanId) -> Option<(String, Precedence)> {
    let (from, to) = (p.scalar_of(a.ty)?, p.scalar_of(expr.ty)?);
    let ty = p.type_name(expr.ty, span);
    let value = p.expr(f, a, span);
    if from.bits() == to.bits() && from.is_integer() && to.is_integer() {
        return Some((format!("{ty}({value})"), PRIMARY));
    }
    if from.bits() == to.bits() && from.bits() <= 32 {
        return None;
    }
    let is_scalar = p.shape(a.ty) == Form::Scalar && p.shape(expr.ty) == Form::Scalar;
    let name = match (from, to) {
        (Scalar::F64, Scalar::I64 | Scalar::U64) if is_scalar => p.helper("double_bits", |_, name| {
            format!(
                "uint64_t {name}(double x)\n{{\n    uint low;\n    uint high;\n    asuint(x, low, high);\n    \
                 return (uint64_t(high) << 32) | uint64_t(low);\n}}"
            )
        }),
        (Scalar::I64 | Scalar::U64, Scalar::F64) if is_scalar => p.helper("double_from_bits", |_, name| {
            format!("double {name}(uint64_t bits)\n{{\n    return asdouble(uint(bits), uint(bits >> 32));\n}}")
        }),
        _ => {
            p.error(span, "this reinterpretation is not supported for target `hlsl`".into());
            return Some((String::new(), PRIMARY));
        }
    };
    let text = format!("{name}({value})");
    Some((if to == Scalar::I64 { format!("int64_t({text})") } else { text }, PRIMARY))
}

/// What the language has of operations between the lanes of a partition.
fn of_partition(op: WaveSubsetOp) -> Option<&'static str> {
    const NAMES: [(WaveSubsetOp, &str); 6] = [
        (WaveSubsetOp::MultiPrefixBitAnd, "WaveMultiPrefixBitAnd"),
        (WaveSubsetOp::MultiPrefixBitOr, "WaveMultiPrefixBitOr"),
        (WaveSubsetOp::MultiPrefixBitXor, "WaveMultiPrefixBitXor"),
        (WaveSubsetOp::MultiPrefixCountBits, "WaveMultiPrefixCountBits"),
        (WaveSubsetOp::MultiPrefixProduct, "WaveMultiPrefixProduct"),
        (WaveSubsetOp::MultiPrefixSum, "WaveMultiPrefixSum"),
    ];
    NAMES.iter().find(|(known, _)| *known == op).map(|(_, name)| *name)
}

fn is_of_three_dimensions(p: &Printer<'_>, texture: &Expr) -> bool {
    matches!(p.module.types.get(texture.ty), Type::Handle(HandleType::Texture { dims: 3, cube: false, .. }))
}

/// What is made of other operations between the invocations of a wave.
const MISSING_WAVE_OPS: &[WaveOp] = &[
    WaveOp::ActiveMask,
    WaveOp::ActiveMulti,
    WaveOp::ConvergedMask,
    WaveOp::ConvergedMulti,
    WaveOp::LaneEqMask,
    WaveOp::LaneGeMask,
    WaveOp::LaneGtMask,
    WaveOp::LaneLeMask,
    WaveOp::LaneLtMask,
    WaveOp::Rotate,
    WaveOp::ClusteredRotate,
    WaveOp::QuadAll,
    WaveOp::QuadAny,
];

/// The functions that the language has for `double`.
const FOR_DOUBLES: &[MathFn] =
    &[MathFn::Abs, MathFn::Max, MathFn::Min, MathFn::Clamp, MathFn::Fma, MathFn::Saturate, MathFn::Sign, MathFn::Rcp];

fn math(
    p: &mut Printer<'_>,
    f: &Function,
    function: MathFn,
    args: &[Expr],
    expr: &Expr,
    span: SpanId,
) -> Option<(String, Precedence)> {
    let operand = args.first()?;
    let scalar = p.scalar_of(operand.ty)?;
    let is_shape_only =
        matches!(function, MathFn::MatMul | MathFn::Transpose | MathFn::All | MathFn::Any | MathFn::Dot);
    if scalar == Scalar::F64 && !is_shape_only && !FOR_DOUBLES.contains(&function) {
        p.error(span, format!("`{}` of `double` is not supported for target `hlsl`", function.word()));
        return Some((String::new(), PRIMARY));
    }
    let ty = p.type_name(operand.ty, span);
    let one = Hlsl.float(1.0, scalar);
    let body = match function {
        MathFn::Asinh => {
            format!("return sign(x) * log(abs(x) + sqrt(x * x + {one}));")
        }
        MathFn::Acosh => format!("return log(x + sqrt(x * x - {one}));"),
        MathFn::Atanh => format!("return {} * log(({one} + x) / ({one} - x));", Hlsl.float(0.5, scalar)),
        MathFn::Copysign => match scalar {
            Scalar::F32 => "return asfloat((asuint(x) & 0x7fffffffu) | (asuint(y) & 0x80000000u));".into(),
            _ => "return asfloat16((asuint16(x) & uint16_t(0x7fff)) | (asuint16(y) & uint16_t(0x8000)));".into(),
        },
        // Fused, as the language has it for doubles alone.
        MathFn::Fma if scalar == Scalar::F64 => {
            return Some((format!("fma({})", p.list(f, args, span)), PRIMARY));
        }
        // These give `uint` whatever they are asked of, and signs are `int`.
        MathFn::CountBits | MathFn::FirstBitHigh | MathFn::FirstBitLow | MathFn::Sign => {
            let result = p.type_name(expr.ty, span);
            let call = format!("{}({})", word(function), p.list(f, args, span));
            return Some((format!("{result}({call})"), PRIMARY));
        }
        _ => return None,
    };
    let name = format!("{}_{}", function.word(), ty.replace(|c: char| !c.is_ascii_alphanumeric(), "_"));
    let params = if args.len() == 2 { format!("{ty} x, {ty} y") } else { format!("{ty} x") };
    let name = p.helper(&name, |_, name| format!("{ty} {name}({params})\n{{\n    {body}\n}}"));
    Some((format!("{name}({})", p.list(f, args, span)), PRIMARY))
}

fn word(function: MathFn) -> &'static str {
    match Slang.math(function) {
        Spelling::Call(name) => name,
        Spelling::None => "",
    }
}

/// HLSL's keywords, and functions that any function may need.
const RESERVED: &[&str] = &[
    "AllMemoryBarrier",
    "AllMemoryBarrierWithGroupSync",
    "AppendStructuredBuffer",
    "Buffer",
    "BuiltInTriangleIntersectionAttributes",
    "ByteAddressBuffer",
    "ConstantBuffer",
    "ConsumeStructuredBuffer",
    "DispatchNodeInputRecord",
    "FeedbackTexture2D",
    "FeedbackTexture2DArray",
    "InputPatch",
    "InterlockedAdd",
    "InterlockedAnd",
    "InterlockedCompareExchange",
    "InterlockedExchange",
    "InterlockedMax",
    "InterlockedMin",
    "InterlockedOr",
    "InterlockedXor",
    "LineStream",
    "OutputPatch",
    "PointStream",
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
    "RasterizerOrderedBuffer",
    "RasterizerOrderedByteAddressBuffer",
    "RasterizerOrderedStructuredBuffer",
    "RasterizerOrderedTexture1D",
    "RasterizerOrderedTexture1DArray",
    "RasterizerOrderedTexture2D",
    "RasterizerOrderedTexture2DArray",
    "RasterizerOrderedTexture2DMS",
    "RasterizerOrderedTexture2DMSArray",
    "RasterizerOrderedTexture3D",
    "RasterizerOrderedTextureCube",
    "RasterizerOrderedTextureCubeArray",
    "RayDesc",
    "RayQuery",
    "RaytracingAccelerationStructure",
    "ResourceDescriptorHeap",
    "SamplerComparisonState",
    "SamplerDescriptorHeap",
    "SamplerState",
    "StructuredBuffer",
    "SubobjectToExportsAssociation",
    "Texture",
    "Texture1D",
    "Texture1DArray",
    "Texture2D",
    "Texture2DArray",
    "Texture2DMS",
    "Texture2DMSArray",
    "Texture3D",
    "TextureBuffer",
    "TextureCube",
    "TextureCubeArray",
    "TriangleStream",
    "abs",
    "alignas",
    "alignof",
    "and",
    "asdouble",
    "asfloat",
    "asfloat16",
    "asint",
    "asint16",
    "asm",
    "asuint",
    "asuint16",
    "auto",
    "bool",
    "break",
    "case",
    "catch",
    "cbuffer",
    "centroid",
    "char",
    "char16_t",
    "char32_t",
    "class",
    "column_major",
    "compile",
    "const",
    "const_cast",
    "constexpr",
    "continue",
    "decltype",
    "default",
    "delete",
    "discard",
    "do",
    "double",
    "dword",
    "dynamic_cast",
    "else",
    "enum",
    "explicit",
    "export",
    "extern",
    "false",
    "float",
    "float16_t",
    "float32_t",
    "float64_t",
    "fma",
    "fmod",
    "for",
    "frexp",
    "friend",
    "geometryshader",
    "globallycoherent",
    "goto",
    "groupshared",
    "half",
    "hlsl",
    "if",
    "import",
    "in",
    "indices",
    "inline",
    "inout",
    "int",
    "int16_t",
    "int32_t",
    "int64_t",
    "int8_t4_packed",
    "interface",
    "line",
    "lineadj",
    "linear",
    "log",
    "long",
    "matrix",
    "min10float",
    "min12int",
    "min16float",
    "min16int",
    "min16uint",
    "modf",
    "msad4",
    "mutable",
    "namespace",
    "new",
    "noexcept",
    "nointerpolation",
    "noperspective",
    "nullptr",
    "operator",
    "or",
    "out",
    "packoffset",
    "pass",
    "payload",
    "pixelfragment",
    "pixelshader",
    "point",
    "precise",
    "primitives",
    "private",
    "protected",
    "public",
    "register",
    "reinterpret_cast",
    "return",
    "row_major",
    "sample",
    "sampler",
    "sampler1D",
    "sampler2D",
    "sampler3D",
    "samplerCUBE",
    "sampler_state",
    "select",
    "shared",
    "short",
    "sign",
    "signed",
    "sincos",
    "sizeof",
    "snorm",
    "sqrt",
    "stateblock",
    "stateblock_state",
    "static",
    "static_assert",
    "static_cast",
    "std",
    "string",
    "struct",
    "switch",
    "tbuffer",
    "technique",
    "technique10",
    "technique11",
    "template",
    "texture",
    "this",
    "thread_local",
    "throw",
    "triangle",
    "triangleadj",
    "true",
    "try",
    "typedef",
    "typeid",
    "typename",
    "uint",
    "uint16_t",
    "uint32_t",
    "uint64_t",
    "uint8_t4_packed",
    "uniform",
    "union",
    "unorm",
    "unsigned",
    "using",
    "vector",
    "vertexshader",
    "vertices",
    "virtual",
    "vk",
    "void",
    "volatile",
    "wchar_t",
    "while",
];
