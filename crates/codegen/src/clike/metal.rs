//! The Metal dialect: the Metal Shading Language 2.4 and later.
//!
//! Decisions:
//! - There are no global resources: what a thread sees is a struct, of which the functions that use it are members
//!   ([`super::thread`]). It holds pointers, textures and samplers; the kernel that the host starts fills it.
//! - A matrix of R rows is a Metal matrix of R columns, so that `m[row]` and memory come out as they are, and products
//!   are written the other way round. `legalise` has made arrays of rows of the matrices that Metal does not have, and
//!   arithmetic of matrices is done row by row.
//! - Elements of structured buffers have the natural layout, with packed vectors; where the type of a value lies in another
//!   way, there is a struct for memory beside it ([`memory`]). Constant buffers have Metal's own layout, as in what slangc writes.
//! - Byte-address buffers are arrays of `uint`.
//! - Values between stages are members of the thread, too: the function that the host starts fills them from its parameters and
//!   returns what is in them in the end ([`stages`]).
//! - Kernels have the groups that the host starts: it has to ask for those of the source.
//! - Every pointer and reference says its address space, every conversion is written, and mathematical functions of `float` are
//!   those of `precise`, so that the text means the same however it is compiled.

mod kernel;
mod math;
mod memory;
mod operators;
mod stages;
mod textures;
mod waves;
mod words;

use ir::{
    AtomicOp, BinaryOp, Builtin, GlobalId, HandleType, Intrinsic, MathFn, Scalar, SpanId, Type,
    intrinsic::{GridOp, HintOp, NumberOp, TextureOp, WaveOp},
};

use super::{Braces, Dialect, Form, GlobalText, Kernel, PRIMARY, Precedence, Printer, Spelling, Stages, Told};
use crate::Target;
use crate::legalise::{Capabilities, DERIVED_WAVE_OPS, EmptyStructs};
use crate::tree::names::is_vector_type;
use crate::tree::{Direction, Expr, ExprKind, Function, Start, Stmt, StmtKind};

/// The Metal Shading Language.
pub struct Metal;

/// Arrays with more elements are filled by a loop where all elements are the same.
const LONGEST_LIST: u32 = 16;

impl Dialect for Metal {
    fn target(&self) -> Target {
        Target::Metal
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            recursion: false,
            entry_wrappers: false,
            pointers: false,
            handle_parameters: false,
            resource_arrays: false,
            impossible_indices: false,
            all_shapes: false,
            matrix_arithmetic: false,
            empty_structs: EmptyStructs::Nowhere,
            empty_arrays: false,
            float_atomics: false,
            computed_offsets: false,
            typed_bytes: None,
            byte_views: false,
            shared_places: false,
            defined_integers: false,
            next_after: false,
            bits_of_all_integers: false,
            missing_wave_ops: DERIVED_WAVE_OPS,
            ..Capabilities::ALL
        }
    }

    fn prologue(&self) -> &'static str {
        "#include <metal_stdlib>\nusing namespace metal;"
    }

    fn reserved(&self) -> &'static [&'static str] {
        words::RESERVED
    }

    fn reserved_for_types(&self) -> Vec<&'static str> {
        words::FUNCTIONS.to_vec()
    }

    fn is_reserved(&self) -> fn(&str) -> bool {
        |word| is_vector_type(word) || words::is_reserved(word)
    }

    fn expression(&self, p: &mut Printer<'_>, f: &Function, expr: &Expr, span: SpanId) -> Option<(String, Precedence)> {
        let shape = p.shape(expr.ty);
        let call = |text: String| Some((text, PRIMARY));
        match &expr.kind {
            ExprKind::Unary(op, a) => operators::unary(p, f, *op, a, expr, span),
            ExprKind::Binary(op, a, b) => operators::binary(p, f, *op, a, b, span),
            ExprKind::Math(function, args) => math::math(p, f, *function, args, expr, span),
            ExprKind::Convert(a) => operators::convert(p, f, a, expr, span),
            ExprKind::Select { cond, then, otherwise } if p.shape(cond.ty) == Form::Vector => {
                let is_bool = p.scalar_of(expr.ty) == Some(Scalar::Bool);
                let [cond, then, otherwise] = [cond, then, otherwise].map(|part| p.expr(f, part, span));
                call(match is_bool {
                    // It chooses between numbers.
                    true => {
                        let ty = p.type_name(expr.ty, span);
                        let name = p.helper(&format!("select_{ty}"), |_, name| {
                            format!(
                                "{ty} {name}({ty} cond, {ty} then, {ty} otherwise)\n{{\n    return (cond & then) | ((!cond) & \
                                 otherwise);\n}}"
                            )
                        });
                        format!("{name}({cond}, {then}, {otherwise})")
                    }
                    false => format!("select({otherwise}, {then}, {cond})"),
                })
            }
            ExprKind::Swizzle { vector, components } if components.len() > 1 && p.shape(vector.ty) == Form::Scalar => {
                call(format!("{}({})", p.type_name(expr.ty, span), p.expr(f, vector, span)))
            }
            ExprKind::Splat(a) if shape == Form::Array => {
                let Type::Array { len, .. } = p.module.types.get(expr.ty) else { return None };
                if len <= LONGEST_LIST {
                    return None;
                }
                let value = p.expr(f, a, span);
                let (ty, part) = (p.type_name(expr.ty, span), p.type_name(a.ty, span));
                let fill = p.helper(&format!("filled_{}", key(&ty)), |_, name| {
                    format!(
                        "{ty} {name}({part} value)\n{{\n    {ty} filled;\n    for (uint i = 0; i < {len}; i++)\n    {{\n        \
                         filled[i] = value;\n    }}\n    return filled;\n}}"
                    )
                });
                call(format!("{fill}({value})"))
            }
            ExprKind::ByteLoad { .. } | ExprKind::Load { .. } => memory::read(p, f, expr, span),
            ExprKind::Atomic { .. } | ExprKind::ByteAtomic { .. } => memory::atomic(p, f, expr, span),
            ExprKind::BufferLength(_) => {
                p.error(span, "the length of a buffer is not supported for target `metal`".into());
                call(String::new())
            }
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
            Intrinsic::Integer(op) => Some((operators::integer(p, f, op, args, span)?, PRIMARY)),
            Intrinsic::Number(NumberOp::Frexp) => Some((format!("frexp({})", p.list(f, args, span)), PRIMARY)),
            Intrinsic::Wave(op) => waves::call(p, f, op, args, span),
            Intrinsic::Texture(op) => textures::call(p, f, op, args, span),
            Intrinsic::Fragment(op) => stages::fragment(p, f, op, args, span),
            Intrinsic::Grid(GridOp::WorkGroupCount) => Some((GROUP_COUNT.name.into(), PRIMARY)),
            // Threads choose as they choose other values.
            Intrinsic::Hint(HintOp::NonUniform | HintOp::Nonuniform) => match args {
                [chosen] => Some((p.operand(f, chosen, PRIMARY, span), PRIMARY)),
                _ => None,
            },
            Intrinsic::Number(_)
            | Intrinsic::WaveSubset(_)
            | Intrinsic::Pointer(_)
            | Intrinsic::Buffer(_)
            | Intrinsic::Stage(_)
            | Intrinsic::Ray(_)
            | Intrinsic::RayQuery(_)
            | Intrinsic::RayExtension(_)
            | Intrinsic::HitObject(_)
            | Intrinsic::Footprint(_)
            | Intrinsic::Cooperative(_)
            | Intrinsic::Tensor(_)
            | Intrinsic::Descriptor(_)
            | Intrinsic::System(_)
            | Intrinsic::Grid(_)
            | Intrinsic::Hint(_) => None,
        }
    }

    fn statement(&self, p: &mut Printer<'_>, f: &Function, stmt: &Stmt) -> bool {
        let span = stmt.span;
        match &stmt.kind {
            StmtKind::Print { .. } => {
                p.error(span, "`printf` is not supported for target `metal`".into());
                true
            }
            StmtKind::Evaluate(Expr {
                kind: ExprKind::Intrinsic { intrinsic: Intrinsic::Texture(TextureOp::Dimensions), args },
                ..
            }) => textures::dimensions(p, f, args, span).is_some(),
            StmtKind::Declare { init: Some(Expr { kind: ExprKind::BufferLength(_), .. }), .. }
            | StmtKind::Assign { value: Expr { kind: ExprKind::BufferLength(_), .. }, .. } => {
                p.simple(f, stmt);
                true
            }
            StmtKind::Declare { init: Some(value), .. }
            | StmtKind::Assign { value, .. }
            | StmtKind::Evaluate(value)
                if is_atomic(value) =>
            {
                let text = p.simple(f, stmt);
                p.line(span, &format!("{text};"));
                true
            }
            StmtKind::Store { .. } | StmtKind::ByteStore { .. } => memory::write(p, f, stmt),
            StmtKind::Barrier { control: false } => {
                let message =
                    "a barrier for memory that does not wait for the group is not supported for target `metal`";
                p.error(span, message.into());
                true
            }
            _ => false,
        }
    }

    fn specialization_constant(&self, number: u32, declarator: &str, value: &str) -> Option<String> {
        let (ty, name) = declarator.rsplit_once(' ')?;
        Some(format!(
            "constant {ty} {name}_given [[function_constant({number})]];\nconstant {declarator} = \
             is_function_constant_defined({name}_given) ? {name}_given : {value}"
        ))
    }

    fn global_declaration(&self, p: &mut Printer<'_>, global: GlobalId) -> Option<String> {
        let name = p.global_names[global].clone();
        Some(format!("{};", kernel::member(p, global, &name)?))
    }

    fn kernel_parameter(&self, p: &mut Printer<'_>, global: GlobalId) -> Option<String> {
        kernel::parameter(p, global)
    }

    fn told_for(&self, intrinsic: Intrinsic) -> Option<Told> {
        match intrinsic {
            Intrinsic::Grid(GridOp::WorkGroupCount) => Some(GROUP_COUNT),
            Intrinsic::Wave(WaveOp::LaneIndex) => Some(waves::LANE_INDEX),
            Intrinsic::Wave(WaveOp::LaneCount) => Some(waves::LANE_COUNT),
            _ => None,
        }
    }

    fn scalar(&self, scalar: Scalar) -> Option<&'static str> {
        Some(match scalar {
            Scalar::Bool => "bool",
            Scalar::I8 => "char",
            Scalar::I16 => "short",
            Scalar::I32 => "int",
            Scalar::I64 => "long",
            Scalar::U8 => "uchar",
            Scalar::U16 => "ushort",
            Scalar::U32 => "uint",
            Scalar::U64 => "ulong",
            Scalar::F16 => "half",
            Scalar::F32 => "float",
            Scalar::F64 => return None,
        })
    }

    fn vector(&self, scalar: Scalar, len: u8) -> Option<String> {
        Some(format!("{}{len}", self.scalar(scalar)?))
    }

    fn matrix(&self, scalar: Scalar, rows: u8, cols: u8) -> Option<String> {
        Some(format!("{}{rows}x{cols}", self.scalar(scalar)?))
    }

    fn array(&self, element: &str, len: u32) -> String {
        format!("array<{element}, {len}>")
    }

    fn declarator(&self, element: &str, name: &str, dims: &[u32]) -> String {
        let ty = dims.iter().rev().fold(element.to_owned(), |element, &len| self.array(&element, len));
        format!("{ty} {name}")
    }

    fn parameter(&self, direction: Direction, declare: &dyn Fn(&str) -> String, name: &str) -> String {
        match direction {
            Direction::In => declare(name),
            Direction::Out | Direction::InOut => {
                format!("thread {}", declare(&format!("& {name}")).replacen(" & ", "& ", 1))
            }
        }
    }

    fn inferred_local(&self, _constant: bool) -> Option<&'static str> {
        None
    }

    fn braces(&self) -> Braces {
        Braces::Nowhere
    }

    fn scalar_operands(&self) -> bool {
        true
    }

    fn has_compound(&self, op: BinaryOp, ty: Type) -> bool {
        // Of integers a function does what operators leave open.
        match ty {
            Type::Vector { scalar, .. } if scalar.is_integer() => {
                matches!(op, BinaryOp::And | BinaryOp::Or | BinaryOp::Xor)
            }
            Type::Matrix { .. } => false,
            _ => true,
        }
    }

    fn no_value(&self, start: Start, zero: &str) -> String {
        if matches!(start, Start::Value | Start::Undefined) { format!(" = {zero}") } else { String::new() }
    }

    fn float(&self, value: f64, scalar: Scalar) -> String {
        match scalar {
            Scalar::F16 => format!("half({:?}f)", value as f32),
            _ => format!("{:?}f", value as f32),
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

    fn make(&self, shape: Form, ty: &str, parts: &str) -> String {
        match shape {
            Form::Array | Form::Struct => format!("{ty}{{{parts}}}"),
            Form::Scalar | Form::Vector | Form::Matrix => format!("{ty}({parts})"),
        }
    }

    fn zero(&self, _shape: Form, ty: &str) -> String {
        format!("{ty}{{}}")
    }

    fn promotes_integers(&self) -> bool {
        true
    }

    fn math(&self, function: MathFn) -> Spelling {
        math::spelling(function)
    }

    fn math_words(&self, function: MathFn) -> Vec<&'static str> {
        math::words(function)
    }

    fn vector_select(&self) -> &'static str {
        "select"
    }

    fn bitcast(&self, _from: Scalar, _to: Scalar, target: &str) -> String {
        format!("as_type<{target}>")
    }

    fn global(&self, _global: &GlobalText<'_>) -> Option<String> {
        None
    }

    fn handle(&self, _handle: HandleType, _content: &str) -> Option<String> {
        None
    }

    fn has_thread_struct(&self) -> bool {
        true
    }

    fn stages(&self) -> Stages {
        Stages::Members
    }

    fn kernel(&self, kernel: &Kernel<'_>) -> String {
        kernel::text(kernel)
    }

    /// No function of Metal is called `main`; slangc gives it this name.
    fn entry_name(&self, name: &str) -> String {
        if name == "main" { "main_0".into() } else { name.into() }
    }

    fn entry_point(&self, name: &str, _entry: &ir::module::EntryPoint, _patch_constants: Option<&str>) -> String {
        format!("void {name}")
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
        control.then_some(
            "threadgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup | mem_flags::mem_texture)",
        )
    }
}

const GROUP_COUNT: Told = Told { name: "group_count", ty: "uint3", attribute: "threadgroups_per_grid" };

fn is_atomic(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Atomic { .. } | ExprKind::ByteAtomic { .. })
}

/// A type's word as a part of a name.
fn key(ty: &str) -> String {
    let key: String = ty.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    key.replace("__", "_").trim_matches('_').to_owned()
}
