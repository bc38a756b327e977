//! What C++ and CUDA have in common. The code stands in `namespace shader`, with the parts of a small library
//! ([`super::runtime`]) in front that it needs.
//!
//! - `float3`, `float4x4` are vectors and matrices with operators, `v.xy()` is a swizzle, `Array<T, N>` an array that is a
//!   value, `half` a float of 16 bits.
//! - Memory has the layout of the types, which is that of the types that slangc writes: `float3` takes 12 bytes, a `bool`
//!   one; CUDA aligns vectors of two and four to their size, up to 16. A buffer in a parameter block is a pointer and the
//!   number of its elements, a block in it a pointer.
//! - Functions that use no shader parameters and variables are plain functions; the others are members of `Thread`, what
//!   one thread sees. `static` variables are members with a first value: each thread has its own.
//! - Integers wrap around. Where it is asked for, reads out of bounds give zero and writes are dropped.

mod textures;

use ir::types::AS_MANY_AS_BOUND;
use ir::{
    AtomicOp, Builtin, Constant, GlobalKind, HandleType, Intrinsic, MathFn, Scalar, SpanId, Type,
    intrinsic::{
        Capability, GridOp, HintOp, IntegerOp, NumberOp, PointerOp, SystemOp, TextureOp, WaveOp, WaveSubsetOp,
    },
};

use super::c_printf::{self, Printed};
use super::{
    Dialect, Exported, Form, GlobalText, Kernel, PRIMARY, Precedence, Printer, Spelling, UNARY, runtime, slang::Slang,
};
use crate::Target;
use crate::legalise::Capabilities;
use crate::tree::names::is_vector_type;
use crate::tree::{Direction, Expr, ExprKind, Function, Start, Stmt, StmtKind};

/// One of the languages.
pub trait Flavour {
    /// The target that it writes.
    fn target(&self) -> Target;

    /// What the language can say.
    fn capabilities(&self) -> Capabilities;

    /// The sections of [`runtime`] that are its own.
    fn runtime(&self) -> &'static str;

    /// Declarations of the integer types that the language does not have by itself.
    fn types(&self) -> &'static str;

    /// The top of the text, up to the definition of `FN`, how functions are declared, and `LIBM`, where C's are.
    fn top(&self) -> &'static str;

    /// What stands after the program.
    fn bottom(&self) -> String {
        String::new()
    }

    /// In front of functions that are not entry points.
    fn function_prefix(&self) -> &'static str;

    /// An expression that is written in a way of its own: see [`Dialect::expression`].
    fn expression(
        &self,
        _p: &mut Printer<'_>,
        _f: &Function,
        _expr: &Expr,
        _span: SpanId,
    ) -> Option<(String, Precedence)> {
        None
    }

    /// The name by which the host finds an entry point.
    fn entry_name(&self, name: &str) -> String;

    /// The function that the host starts for a kernel.
    fn kernel(&self, kernel: &Kernel<'_>) -> String;

    /// See [`Dialect::exported`].
    fn exported(&self, _exported: &Exported<'_>) -> Option<String> {
        None
    }

    /// Where in its grid a thread runs, if everything may ask that.
    fn grid(&self, _op: GridOp) -> Option<&'static str> {
        None
    }

    /// The function for an operation between the threads that run together, and what it takes beside the operands.
    fn wave(&self, _op: WaveOp) -> Option<(&'static str, &'static str)> {
        None
    }

    /// The function for an operation between some of the threads that run together. The mask comes last where
    /// [`WaveSubsetOp::without_mask`] has an operation, a partition is one word.
    fn wave_subset(&self, _op: WaveSubsetOp) -> Option<&'static str> {
        None
    }

    /// What is asked of the machine, as a call.
    fn system(&self, _op: SystemOp) -> Option<&'static str> {
        None
    }

    /// The call that waits for the other threads of a group, or, without `control`, only for what they have written
    /// (`None` where that is in order anyway).
    fn barrier(&self, control: bool) -> Option<&'static str>;
}

/// What C++ and CUDA have in common, with what is particular to one of them.
pub struct CppFamily<F>(pub F);

/// Arguments of a constructor that nobody takes for parameters: in front of an operator `(T(U(x), U(x)))` might be a cast to the
/// type of a function, and g++ complains of its second parameter `x` before it sees that it is none. `(U(x))` declares nothing.
fn no_parameters(mut texts: Vec<String>) -> Vec<String> {
    let mut declared: Vec<String> = Vec::new();
    for text in &mut texts {
        let is_name = |text: &str| text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        let name = text.strip_suffix(')').and_then(|text| text.split_once('('));
        let Some((_, name)) = name.filter(|(ty, name)| is_name(ty) && is_name(name)) else { continue };
        if declared.iter().any(|known| known == name) {
            *text = format!("({text})");
        } else {
            declared.push(name.to_owned());
        }
    }
    texts
}

impl<F: Flavour> Dialect for CppFamily<F> {
    fn target(&self) -> Target {
        self.0.target()
    }

    fn expression(&self, p: &mut Printer<'_>, f: &Function, expr: &Expr, span: SpanId) -> Option<(String, Precedence)> {
        if let Some(written) = self.0.expression(p, f, expr, span) {
            return Some(written);
        }
        let text = match &expr.kind {
            ExprKind::Const(Constant::Float(value)) => {
                let ty = p.type_name(expr.ty, span);
                not_finite(*value, p.scalar_of(expr.ty)?, &ty)?
            }
            // Vectors are converted by their constructors.
            ExprKind::Convert(value) if p.shape(expr.ty) == Form::Scalar => {
                let (from, to) = (p.scalar_of(value.ty)?, p.scalar_of(expr.ty)?);
                if !(from.is_float() && to.is_integer()) {
                    return None;
                }
                let ty = p.type_name(expr.ty, span);
                match &value.kind {
                    ExprKind::Math(MathFn::Floor, args) => format!("floor_to<{ty}>({})", p.list(f, args, span)),
                    _ => format!("convert<{ty}>({})", p.expr(f, value, span)),
                }
            }
            ExprKind::Make(parts) if matches!(p.shape(expr.ty), Form::Vector | Form::Matrix) => {
                let texts: Vec<String> = parts.iter().map(|part| p.expr(f, part, span)).collect();
                let arguments = no_parameters(texts).join(", ");
                self.make(p.shape(expr.ty), &p.type_name(expr.ty, span), &arguments)
            }
            // Of pointers; of numbers all languages have it.
            ExprKind::Bitcast(value) if p.scalar_of(value.ty).is_none() || p.scalar_of(expr.ty).is_none() => {
                format!("bit_cast<{}>({})", p.type_name(expr.ty, span), p.expr(f, value, span))
            }
            ExprKind::Swizzle { vector, components } if components.len() > 1 => {
                if p.shape(vector.ty) == Form::Scalar {
                    format!("{}({})", p.type_name(expr.ty, span), p.expr(f, vector, span))
                } else {
                    let letters: String = components.iter().filter_map(|&at| "xyzw".chars().nth(at.into())).collect();
                    format!("{}.{letters}()", p.operand(f, vector, PRIMARY, span))
                }
            }
            ExprKind::Atomic { op, handle, path, operands } => {
                let place = p.memory(f, handle, path, span);
                format!("{}({place}, {})", self.atomic(*op)?, p.list(f, operands, span))
            }
            ExprKind::ByteAtomic { op, handle, offset, operands } => {
                let (handle, offset) = (p.expr(f, handle, span), p.expr(f, offset, span));
                let (ty, operands) = (p.type_name(expr.ty, span), p.list(f, operands, span));
                format!("{}({handle}.at<{ty}>({offset}), {operands})", self.atomic(*op)?)
            }
            _ => return None,
        };
        Some((text, PRIMARY))
    }

    fn intrinsic(
        &self,
        p: &mut Printer<'_>,
        f: &Function,
        intrinsic: Intrinsic,
        args: &[Expr],
        span: SpanId,
    ) -> Option<(String, Precedence)> {
        if let Intrinsic::Grid(op) = intrinsic {
            return Some((self.0.grid(op)?.to_owned(), PRIMARY));
        }
        if let Intrinsic::Texture(op) = intrinsic {
            return Some((textures::call(p, f, op, args, span, self.target())?, PRIMARY));
        }
        if let Intrinsic::Wave(op) = intrinsic {
            let (name, last) = self.0.wave(op)?;
            let args = [p.list(f, args, span), last.to_owned()];
            let args: Vec<&str> = args.iter().map(String::as_str).filter(|arg| !arg.is_empty()).collect();
            return Some((format!("{name}({})", args.join(", ")), PRIMARY));
        }
        // Threads choose resources as they choose other values.
        if let (Intrinsic::Hint(HintOp::NonUniform | HintOp::Nonuniform), [chosen]) = (intrinsic, args) {
            return Some((p.operand(f, chosen, PRIMARY, span), PRIMARY));
        }
        if let Intrinsic::System(op) = intrinsic {
            return Some((self.0.system(op)?.to_owned(), PRIMARY));
        }
        if let Intrinsic::WaveSubset(op) = intrinsic {
            let name = self.0.wave_subset(op)?;
            let mut texts: Vec<String> = args.iter().map(|arg| p.expr(f, arg, span)).collect();
            // Without a mask all threads that run take part, so that it is the last parameter.
            if op.without_mask().is_some() {
                texts.rotate_left(1);
            }
            // A partition is given in four words, of which a warp needs one.
            if let (Capability::WavePartitions, [.., partition]) = (intrinsic.capability(), args) {
                texts.pop();
                texts.push(format!("{}.x", p.operand(f, partition, PRIMARY, span)));
            }
            return Some((format!("{name}({})", texts.join(", ")), PRIMARY));
        }
        Some((format!("{}({})", function(intrinsic)?, p.list(f, args, span)), PRIMARY))
    }

    fn address_of(&self, place: &str) -> Option<(String, Precedence)> {
        Some((format!("&{place}"), UNARY))
    }

    /// Atomic operations are calls like others.
    fn statement(&self, p: &mut Printer<'_>, f: &Function, stmt: &Stmt) -> bool {
        let span = stmt.span;
        let is_atomic = |expr: &Expr| match &expr.kind {
            ExprKind::Atomic { .. } | ExprKind::ByteAtomic { .. } => true,
            ExprKind::Intrinsic { intrinsic: Intrinsic::Texture(op), .. } => op.atomic().is_some(),
            _ => false,
        };
        let text = match &stmt.kind {
            StmtKind::Declare { init: Some(value), .. }
            | StmtKind::Assign { value, .. }
            | StmtKind::Evaluate(value)
                if is_atomic(value) =>
            {
                p.simple(f, stmt)
            }
            StmtKind::Print { format, args } => {
                let printed = |arg: &Expr| match p.module.types.get(arg.ty) {
                    Type::Scalar(scalar) => Printed::Number(scalar),
                    Type::Handle(HandleType::Pointer { .. }) => Printed::Pointer,
                    _ => Printed::Other,
                };
                let types: Vec<Printed> = args.iter().map(printed).collect();
                match c_printf::checked(format, &types) {
                    Ok((literal, casts)) => {
                        let cast = |(arg, cast): (&Expr, &str)| match (p.expr(f, arg, span), cast) {
                            (arg, "") => arg,
                            (arg, cast) => format!("{cast}({arg})"),
                        };
                        let args: Vec<String> = args.iter().zip(casts).map(cast).collect();
                        [vec![format!("printf({literal}")], args].concat().join(", ") + ")"
                    }
                    Err(what) => {
                        p.error(
                            span,
                            format!("`printf` with {what} is not supported for target `{}`", self.target().name()),
                        );
                        return true;
                    }
                }
            }
            StmtKind::Evaluate(Expr {
                kind: ExprKind::Intrinsic { intrinsic: Intrinsic::Texture(TextureOp::Dimensions), args },
                ..
            }) => return textures::dimensions(p, f, args, span, self.target()).is_some(),
            StmtKind::Barrier { control: false } if self.0.barrier(false).is_none() => return true,
            StmtKind::Barrier { control: true } if self.0.barrier(true).is_none() => {
                p.error(span, format!("a barrier is not supported for target `{}`", self.target().name()));
                return true;
            }
            _ => return false,
        };
        p.out.line(span, &format!("{text};"));
        true
    }

    fn capabilities(&self) -> Capabilities {
        self.0.capabilities()
    }

    fn reserved(&self) -> &'static [&'static str] {
        RESERVED
    }

    fn is_reserved(&self) -> fn(&str) -> bool {
        |word| is_vector_type(word) || is_limit(word)
    }

    fn reserved_for_types(&self) -> Vec<&'static str> {
        runtime::names(self.0.runtime())
    }

    fn frame(&self, declarations: &str) -> (String, String) {
        let library = runtime::needed(declarations, self.0.runtime());
        let (library, aliases): (Vec<&str>, Vec<&str>) = library.lines().partition(|line| {
            !(line.starts_with("using ") && line.contains(" = vec<")
                || line.starts_with("using ") && line.contains(" = mat<"))
        });
        let mut before = format!("{}\nnamespace shader\n{{\n", self.0.top());
        before.push_str("namespace rt\n{\n");
        before.push_str(self.0.types());
        before.push_str(FORWARD);
        before.push_str(&library.join("\n"));
        before.push_str("\n} // namespace rt\n\nusing namespace rt;\n");
        for alias in aliases {
            before.push_str(alias);
            before.push('\n');
        }
        before.push('\n');
        (before, format!("\n}} // namespace shader\n{}", self.0.bottom()))
    }

    fn scalar(&self, scalar: Scalar) -> Option<&'static str> {
        Slang.scalar(scalar)
    }

    fn vector(&self, scalar: Scalar, len: u8) -> Option<String> {
        Some(format!("{}{len}", self.scalar(scalar)?))
    }

    fn matrix(&self, scalar: Scalar, rows: u8, cols: u8) -> Option<String> {
        Some(format!("{}{rows}x{cols}", self.scalar(scalar)?))
    }

    fn array(&self, element: &str, len: u32) -> String {
        match len {
            AS_MANY_AS_BOUND => format!("ResourceArray<{element}>"),
            len => format!("Array<{element}, {len}>"),
        }
    }

    fn declarator(&self, element: &str, name: &str, dims: &[u32]) -> String {
        let ty = dims.iter().rev().fold(element.to_owned(), |element, &len| self.array(&element, len));
        format!("{ty} {name}")
    }

    fn parameter(&self, direction: Direction, declare: &dyn Fn(&str) -> String, name: &str) -> String {
        match direction {
            Direction::In => declare(name),
            Direction::Out | Direction::InOut => declare(&format!("& {name}")).replacen(" & ", "& ", 1),
        }
    }

    fn inferred_local(&self, _constant: bool) -> Option<&'static str> {
        None
    }

    fn no_value(&self, start: Start, _zero: &str) -> String {
        if matches!(start, Start::Value | Start::Undefined) { " = {}".into() } else { String::new() }
    }

    fn float(&self, value: f64, scalar: Scalar) -> String {
        match scalar {
            Scalar::F16 => format!("half({:?}f)", value as f32),
            Scalar::F64 => format!("{value:?}"),
            _ => format!("{:?}f", value as f32),
        }
    }

    fn integer(&self, value: u64, scalar: Scalar) -> String {
        match scalar {
            Scalar::U32 => format!("{value}u"),
            Scalar::I64 => format!("int64_t({value}ll)"),
            Scalar::U64 => format!("uint64_t({value}ull)"),
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
        if ty.ends_with('*') { format!("({ty})nullptr") } else { format!("{ty}{{}}") }
    }

    fn promotes_integers(&self) -> bool {
        true
    }

    fn math(&self, function: MathFn) -> Spelling {
        Slang.math(function)
    }

    fn vector_select(&self) -> &'static str {
        "select"
    }

    fn bitcast(&self, _from: Scalar, _to: Scalar, target: &str) -> String {
        format!("bit_cast<{target}>")
    }

    fn global(&self, global: &GlobalText<'_>) -> Option<String> {
        let GlobalText { name, content, declarator, .. } = global;
        Some(match (global.kind, global.handle) {
            (GlobalKind::GroupShared, _) => {
                let ty = declarator.strip_suffix(name)?.trim_end();
                format!("{ty}& {name}")
            }
            (GlobalKind::Static { .. }, _) => format!("{declarator} = {}", global.init.unwrap_or("{}")),
            (GlobalKind::Parameter, HandleType::ConstantBuffer { .. }) => declarator.to_string(),
            (GlobalKind::Parameter, handle) => format!("{} {name}", self.handle(handle, content)?),
        })
    }

    fn handle(&self, handle: HandleType, content: &str) -> Option<String> {
        match handle {
            HandleType::StructuredBuffer { writable, .. } | HandleType::TexelBuffer { writable, .. } => {
                Some(format!("{}StructuredBuffer<{content}>", if writable { "RW" } else { "" }))
            }
            HandleType::ByteAddressBuffer { .. } | HandleType::Pointer { .. } => Slang.handle(handle, content),
            HandleType::Texture { .. } if textures::has(handle, self.target()) => Slang.handle(handle, content),
            HandleType::Sampler { .. } | HandleType::AccelerationStructure | HandleType::RayQuery { .. } => {
                Slang.handle(handle, content)
            }
            HandleType::ConstantBuffer { .. } => Slang.handle(handle, content),
            HandleType::Variable { .. } | HandleType::Address { .. } | HandleType::Texture { .. } => None,
        }
    }

    fn content_of_block(&self, block: String) -> String {
        format!("{block}.get()")
    }

    fn has_thread_struct(&self) -> bool {
        true
    }

    fn runs_plain_stages(&self) -> bool {
        true
    }

    fn entry_name(&self, name: &str) -> String {
        self.0.entry_name(name)
    }

    fn kernel(&self, kernel: &Kernel<'_>) -> String {
        self.0.kernel(kernel)
    }

    fn exported(&self, exported: &Exported<'_>) -> Option<String> {
        self.0.exported(exported)
    }

    fn function(&self, head: String) -> String {
        format!("{}{head}", self.0.function_prefix())
    }

    fn entry_point(&self, name: &str, _entry: &ir::module::EntryPoint, _patch_constants: Option<&str>) -> String {
        format!("{}void {name}", self.0.function_prefix())
    }

    fn builtin(&self, _builtin: Builtin, name: &str, ty: &str) -> String {
        format!("{ty} {name}")
    }

    fn atomic(&self, op: AtomicOp) -> Option<&'static str> {
        Some(match op {
            AtomicOp::Add => "atomic_add",
            AtomicOp::And => "atomic_and",
            AtomicOp::Or => "atomic_or",
            AtomicOp::Xor => "atomic_xor",
            AtomicOp::Min => "atomic_min",
            AtomicOp::Max => "atomic_max",
            AtomicOp::Exchange => "atomic_exchange",
            AtomicOp::CompareExchange => "atomic_compare_exchange",
        })
    }

    fn buffer_length(&self, buffer: &str, count: &str, _has_stride: bool) -> Option<String> {
        Some(format!("uint {count} = {buffer}.count;"))
    }

    fn barrier(&self, control: bool) -> Option<&'static str> {
        self.0.barrier(control)
    }
}

/// What the library's parts may name before it is defined.
const FORWARD: &str = "\
typedef unsigned int uint;
struct half;
template <class T, int N> struct Array;
template <class T, int N> struct vec;
template <class T, int R, int C> struct mat;

";

/// Infinity and "not a number", which have no literals.
fn not_finite(value: f64, scalar: Scalar, ty: &str) -> Option<String> {
    let rounded = match scalar {
        Scalar::F16 => ir::number::half(value).to_f64(),
        Scalar::F32 => f64::from(value as f32),
        _ => value,
    };
    match (rounded.is_finite(), rounded.is_nan(), rounded > 0.0) {
        (true, ..) => None,
        (_, true, _) => Some(format!("not_a_number<{ty}>()")),
        (_, _, true) => Some(format!("infinity<{ty}>()")),
        (_, _, false) => Some(format!("(-infinity<{ty}>())")),
    }
}

/// The function of the library that an intrinsic is.
fn function(intrinsic: Intrinsic) -> Option<&'static str> {
    match intrinsic {
        Intrinsic::Integer(op) => Some(match op {
            IntegerOp::WrappingAdd => "wrapping_add",
            IntegerOp::WrappingSub => "wrapping_sub",
            IntegerOp::WrappingMul => "wrapping_mul",
            IntegerOp::WrappingNeg => "wrapping_neg",
            IntegerOp::Quotient => "quotient",
            IntegerOp::Remainder => "remainder",
            IntegerOp::ShiftLeft => "shift_left",
            IntegerOp::ShiftRight => "shift_right",
        }),
        Intrinsic::Number(op) => match op {
            NumberOp::Nextafter => Some("nextafter"),
            NumberOp::Frexp => Some("frexp"),
            NumberOp::SmallCast
            | NumberOp::SmallDot
            | NumberOp::SmallFrom
            | NumberOp::SmallTo
            | NumberOp::StringHash
            | NumberOp::StringLength => None,
        },
        Intrinsic::Pointer(op) => match op {
            PointerOp::AtByte => Some("at_byte"),
            PointerOp::AddressOf
            | PointerOp::LoadAligned
            | PointerOp::LoadCoherent
            | PointerOp::OfBuffer
            | PointerOp::OfElement
            | PointerOp::StoreAligned
            | PointerOp::StoreCoherent => None,
        },
        Intrinsic::Buffer(_)
        | Intrinsic::Texture(_)
        | Intrinsic::Wave(_)
        | Intrinsic::WaveSubset(_)
        | Intrinsic::Fragment(_)
        | Intrinsic::Stage(_)
        | Intrinsic::Ray(_)
        | Intrinsic::RayQuery(_)
        | Intrinsic::RayExtension(_)
        | Intrinsic::HitObject(_)
        | Intrinsic::Footprint(_)
        | Intrinsic::Cooperative(_)
        | Intrinsic::Tensor(_)
        | Intrinsic::Descriptor(_)
        | Intrinsic::Grid(_)
        | Intrinsic::System(_)
        | Intrinsic::Hint(_) => None,
    }
}

/// What a thread is told, from the numbers of its group and of itself in it.
pub fn builtin_value(builtin: Builtin, [group, thread, size, _]: &[String; 4]) -> String {
    match builtin {
        Builtin::DispatchThreadId => format!("{group} * {size} + {thread}"),
        Builtin::GroupThreadId => thread.clone(),
        Builtin::GroupId => group.clone(),
        Builtin::GroupIndex => format!("({thread}.z * {size}.y + {thread}.y) * {size}.x + {thread}.x"),
    }
}

/// Keywords, macros of the headers, and what the library uses.
/// Whether a word is a macro of C's for the limits or constants of a type, as `UINT32_MAX` and `INT_FAST8_C`.
fn is_limit(word: &str) -> bool {
    let ends = ["_MIN", "_MAX", "_C", "_WIDTH"].iter().any(|end| word.ends_with(end));
    ends && word.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_')
}

const RESERVED: &[&str] = &[
    "Array",
    "ByteAddressBuffer",
    "ConstantBuffer",
    "EOF",
    "FLOAT1",
    "FLOAT2",
    "FLOAT3",
    "FLOAT_TEST",
    "FN",
    "HUGE_VAL",
    "HUGE_VALF",
    "HUGE_VALL",
    "INFINITY",
    "INT_MAX",
    "INT_MIN",
    "LIBM",
    "LIFT1",
    "LIFT2",
    "LIFT3",
    "MAXFLOAT",
    "M_1_PI",
    "M_2_PI",
    "M_2_SQRTPI",
    "M_E",
    "M_LN10",
    "M_LN2",
    "M_LOG10E",
    "M_LOG2E",
    "M_PI",
    "M_PI_2",
    "M_PI_4",
    "M_SQRT1_2",
    "M_SQRT2",
    "NAN",
    "NULL",
    "OPERATOR",
    "RWByteAddressBuffer",
    "RWStructuredBuffer",
    "ResourceArray",
    "StructuredBuffer",
    "UINT_MAX",
    "UNROLL",
    "alignas",
    "alignof",
    "and",
    "and_eq",
    "asm",
    "assert",
    "atomic_add",
    "atomic_and",
    "atomic_compare_exchange",
    "atomic_exchange",
    "atomic_max",
    "atomic_min",
    "atomic_or",
    "atomic_update",
    "atomic_xor",
    "auto",
    "bit_cast",
    "bitand",
    "bitor",
    "blockDim",
    "blockIdx",
    "bool",
    "break",
    "case",
    "catch",
    "char",
    "char16_t",
    "char32_t",
    "char8_t",
    "class",
    "clock",
    "clock64",
    "clock_t",
    "co_await",
    "co_return",
    "co_yield",
    "compl",
    "concept",
    "const",
    "const_cast",
    "consteval",
    "constexpr",
    "constinit",
    "continue",
    "convert",
    "decltype",
    "default",
    "delete",
    "do",
    "double",
    "dynamic_cast",
    "else",
    "enum",
    "errno",
    "explicit",
    "export",
    "extern",
    "false",
    "float",
    "for",
    "floor_to",
    "for_each",
    "friend",
    "goto",
    "greatest",
    "gridDim",
    "grid_place",
    "half",
    "half_bits",
    "half_value",
    "if",
    "in_bounds",
    "infinity",
    "inline",
    "int",
    "int16_t",
    "int32_t",
    "int64_t",
    "int8_t",
    "integer_traits",
    "lanes",
    "least",
    "linux",
    "long",
    "mat",
    "mutable",
    "namespace",
    "new",
    "nextafter",
    "noexcept",
    "not",
    "not_a_number",
    "not_eq",
    "nullptr",
    "operator",
    "or",
    "or_eq",
    "outside",
    "printf",
    "private",
    "protected",
    "public",
    "quotient",
    "read_t",
    "reading",
    "register",
    "reinterpret_cast",
    "remainder",
    "requires",
    "return",
    "rt",
    "select",
    "shader",
    "shift_left",
    "shift_right",
    "short",
    "signed",
    "sizeof",
    "smooth_ramp",
    "static",
    "static_assert",
    "static_cast",
    "stderr",
    "stdin",
    "stdout",
    "struct",
    "switch",
    "template",
    "this",
    "threadIdx",
    "thread_local",
    "throw",
    "timespec",
    "tm",
    "traits",
    "true",
    "try",
    "typedef",
    "typeid",
    "typename",
    "uint",
    "uint16_t",
    "uint32_t",
    "uint64_t",
    "uint8_t",
    "union",
    "unix",
    "unsigned",
    "unsigned_t",
    "using",
    "vec",
    "virtual",
    "void",
    "volatile",
    "warpSize",
    "wchar_t",
    "while",
    "wide_dot",
    "wide_t",
    "word_of",
    "wrapping_add",
    "wrapping_mul",
    "wrapping_neg",
    "wrapping_sub",
    "xor",
    "xor_eq",
];
