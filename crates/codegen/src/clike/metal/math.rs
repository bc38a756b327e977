//! The functions of the IR in Metal.

use ir::{MathFn, Scalar, SpanId, Type, intrinsic::IntegerOp};
use smol_str::SmolStr;

use super::{Metal, operators};
use crate::clike::{ADDITIVE, Dialect, Form, MULTIPLICATIVE, PRIMARY, Precedence, Printer, Spelling, UNARY};
use crate::tree::{Expr, Function};

/// The functions that Metal has under a name.
pub(crate) fn spelling(function: MathFn) -> Spelling {
    Spelling::Call(match function {
        MathFn::Abs => "abs",
        MathFn::Acos => "acos",
        MathFn::Acosh => "acosh",
        MathFn::Asin => "asin",
        MathFn::Asinh => "asinh",
        MathFn::Atan => "atan",
        MathFn::Atan2 => "atan2",
        MathFn::Atanh => "atanh",
        MathFn::Ceil => "ceil",
        MathFn::Copysign => "copysign",
        MathFn::Cos => "cos",
        MathFn::Cosh => "cosh",
        MathFn::Exp => "exp",
        MathFn::Exp2 => "exp2",
        MathFn::Floor => "floor",
        MathFn::Fmod => "fmod",
        MathFn::Frac => "fract",
        MathFn::Log => "log",
        MathFn::Log10 => "log10",
        MathFn::Log2 => "log2",
        // To even; `round` goes away from zero.
        MathFn::Round => "rint",
        MathFn::Rsqrt => "rsqrt",
        MathFn::Saturate => "saturate",
        MathFn::Sign => "sign",
        MathFn::Sin => "sin",
        MathFn::Sinh => "sinh",
        MathFn::Sqrt => "sqrt",
        MathFn::Tan => "tan",
        MathFn::Tanh => "tanh",
        MathFn::Trunc => "trunc",
        MathFn::Max => "max",
        MathFn::Min => "min",
        MathFn::Pow => "pow",
        MathFn::Step => "step",
        MathFn::Clamp => "clamp",
        MathFn::Fma => "fma",
        MathFn::Lerp => "mix",
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
        MathFn::Transpose => "transpose",
        MathFn::Determinant => "determinant",
        MathFn::All => "all",
        MathFn::Any => "any",
        MathFn::CountBits => "popcount",
        MathFn::FirstBitHigh => "clz",
        MathFn::FirstBitLow => "ctz",
        MathFn::ReverseBits => "reverse_bits",
        MathFn::Rcp | MathFn::Degrees | MathFn::Radians | MathFn::MatMul | MathFn::F16ToF32 | MathFn::F32ToF16 => {
            return Spelling::None;
        }
    })
}

/// The functions of Metal that `function` is written with.
pub(crate) fn words(function: MathFn) -> Vec<&'static str> {
    match (function, spelling(function)) {
        (MathFn::Distance | MathFn::Length | MathFn::Normalize, Spelling::Call(name)) => vec![name, "abs"],
        (_, Spelling::Call(name)) => vec![name],
        (_, Spelling::None) => Vec::new(),
    }
}

/// Of `float` there is one that is exact, however the text is compiled.
fn is_precise(function: MathFn) -> bool {
    matches!(
        function,
        MathFn::Acos
            | MathFn::Acosh
            | MathFn::Asin
            | MathFn::Asinh
            | MathFn::Atan
            | MathFn::Atan2
            | MathFn::Atanh
            | MathFn::Clamp
            | MathFn::Cos
            | MathFn::Cosh
            | MathFn::Exp
            | MathFn::Exp2
            | MathFn::Fmod
            | MathFn::Log
            | MathFn::Log10
            | MathFn::Log2
            | MathFn::Max
            | MathFn::Min
            | MathFn::Pow
            | MathFn::Rsqrt
            | MathFn::Sin
            | MathFn::Sinh
            | MathFn::Sqrt
            | MathFn::Tan
            | MathFn::Tanh
    )
}

pub(crate) fn math(
    p: &mut Printer<'_>,
    f: &Function,
    function: MathFn,
    args: &[Expr],
    expr: &Expr,
    span: SpanId,
) -> Option<(String, Precedence)> {
    let operand = args.first()?;
    let scalar = p.scalar_of(operand.ty)?;
    let shape = p.shape(operand.ty);
    let ty = p.type_name(operand.ty, span);
    let result = p.type_name(expr.ty, span);
    let call = |text: String| Some((text, PRIMARY));
    match function {
        _ if scalar == Scalar::F32 && is_precise(function) => {
            let Spelling::Call(name) = spelling(function) else { return None };
            call(format!("precise::{name}({})", p.list(f, args, span)))
        }
        MathFn::Abs if scalar.is_integer() && !scalar.is_signed() => {
            Some((p.operand(f, operand, PRIMARY, span), PRIMARY))
        }
        // Of integers the language gives another type for the smallest.
        MathFn::Abs if scalar.is_integer() => {
            let zero = zero_of(scalar, &ty);
            let body = match shape {
                Form::Vector => {
                    let Type::Vector { len, .. } = p.module.types.get(operand.ty) else { return None };
                    let unsigned = Metal.vector(operators::unsigned(scalar), len)?;
                    format!("select(x, as_type<{ty}>({unsigned}(0) - as_type<{unsigned}>(x)), x < {zero})")
                }
                _ if scalar.bits() < 32 => format!("x < 0 ? {ty}(-x) : x"),
                _ => {
                    let unsigned = Metal.scalar(operators::unsigned(scalar))?;
                    format!("x < 0 ? as_type<{ty}>({unsigned}(0) - as_type<{unsigned}>(x)) : x")
                }
            };
            one(p, f, "absolute", &ty, &ty, &body, args, span)
        }
        MathFn::Sign if scalar.is_integer() => {
            let body = match p.module.types.get(operand.ty) {
                Type::Vector { .. } => {
                    let zero = zero_of(scalar, &ty);
                    format!("{ty}(x > {zero}) - {ty}(x < {zero})")
                }
                _ => format!("{ty}((x > 0 ? 1 : 0) - (x < 0 ? 1 : 0))"),
            };
            one(p, f, "sign_of", &ty, &ty, &body, args, span)
        }
        MathFn::Rcp => {
            let one = if scalar.is_float() { Metal.float(1.0, scalar) } else { "1".into() };
            Some((format!("{one} / {}", p.operand(f, operand, UNARY, span)), MULTIPLICATIVE))
        }
        MathFn::Degrees | MathFn::Radians => {
            let factor: f64 =
                if function == MathFn::Degrees { 180.0 / std::f64::consts::PI } else { std::f64::consts::PI / 180.0 };
            let factor = Metal.float(rounded(factor, scalar), scalar);
            Some((format!("{} * {factor}", p.operand(f, operand, MULTIPLICATIVE, span)), MULTIPLICATIVE))
        }
        MathFn::Fma if !scalar.is_float() => {
            let [a, b, c] = args else { return None };
            let product = operators::function_of(p, IntegerOp::WrappingMul, a, span)?;
            let sum = operators::function_of(p, IntegerOp::WrappingAdd, a, span)?;
            let [a, b, c] = [a, b, c].map(|part| p.expr(f, part, span));
            call(format!("{sum}({product}({a}, {b}), {c})"))
        }
        MathFn::MatMul => {
            // Rows are columns here, so the product is that of the transposed matrices, the other way round.
            let [a, b] = args else { return None };
            let (left, right) = (p.operand(f, b, MULTIPLICATIVE, span), p.operand(f, a, MULTIPLICATIVE + 1, span));
            Some((format!("{left} * {right}"), MULTIPLICATIVE))
        }
        MathFn::Dot | MathFn::Length | MathFn::Distance | MathFn::Normalize if shape == Form::Scalar => {
            of_scalar(p, f, function, args, &ty, span)
        }
        MathFn::Dot if scalar.is_integer() => integer_dot(p, f, args, &result, scalar, span),
        MathFn::All | MathFn::Any if shape == Form::Scalar => {
            if scalar == Scalar::Bool {
                return Some((p.operand(f, operand, PRIMARY, span), PRIMARY));
            }
            call(format!("bool({})", p.expr(f, operand, span)))
        }
        MathFn::All | MathFn::Any if scalar != Scalar::Bool => {
            let Spelling::Call(name) = spelling(function) else { return None };
            let zero = zero_of(scalar, &ty);
            call(format!("{name}({} != {zero})", p.operand(f, operand, ADDITIVE, span)))
        }
        MathFn::FirstBitHigh => first_bit_high(p, f, args, &ty, scalar, span),
        MathFn::FirstBitLow => {
            let body = match shape {
                Form::Vector => format!("select({ty}(ctz(x)), {ty}(-1), x == {ty}(0))"),
                _ => format!("x == 0 ? {ty}(-1) : {ty}(ctz(x))"),
            };
            one(p, f, "first_bit_low", &ty, &ty, &body, args, span)
        }
        MathFn::F16ToF32 => {
            let (bits, half) = match p.module.types.get(operand.ty) {
                Type::Vector { len, .. } => (Metal.vector(Scalar::U16, len)?, Metal.vector(Scalar::F16, len)?),
                _ => ("ushort".to_owned(), "half".to_owned()),
            };
            call(format!("{result}(as_type<{half}>({bits}({})))", p.expr(f, operand, span)))
        }
        MathFn::F32ToF16 => {
            let (bits, half) = match p.module.types.get(operand.ty) {
                Type::Vector { len, .. } => (Metal.vector(Scalar::U16, len)?, Metal.vector(Scalar::F16, len)?),
                _ => ("ushort".to_owned(), "half".to_owned()),
            };
            call(format!("{result}(as_type<{bits}>({half}({})))", p.expr(f, operand, span)))
        }
        _ => None,
    }
}

fn rounded(value: f64, scalar: Scalar) -> f64 {
    if scalar == Scalar::F16 { ir::number::half(value).to_f64() } else { value }
}

fn zero_of(scalar: Scalar, ty: &str) -> String {
    let zero = if scalar.is_float() { Metal.float(0.0, scalar) } else { Metal.integer(0, scalar) };
    format!("{ty}({zero})")
}

/// A call of a function of `x` that gives `body`.
#[expect(clippy::too_many_arguments, reason = "what a function is made of, and what it is called with")]
fn one(
    p: &mut Printer<'_>,
    f: &Function,
    name: &str,
    ty: &str,
    result: &str,
    body: &str,
    args: &[Expr],
    span: SpanId,
) -> Option<(String, Precedence)> {
    let name = p.helper(&format!("{name}_{ty}"), |_, function| {
        format!("{result} {function}({ty} x)\n{{\n    return {body};\n}}")
    });
    Some((format!("{name}({})", p.list(f, args, span)), PRIMARY))
}

/// The first bit that differs from the sign, -1 if there is none.
fn first_bit_high(
    p: &mut Printer<'_>,
    f: &Function,
    args: &[Expr],
    ty: &str,
    scalar: Scalar,
    span: SpanId,
) -> Option<(String, Precedence)> {
    let is_vector = p.shape(args.first()?.ty) == Form::Vector;
    let bits = match (scalar.is_signed(), is_vector) {
        (false, _) => "x".to_owned(),
        (true, true) => format!("select(x, ~x, x < {ty}(0))"),
        (true, false) => "x < 0 ? ~x : x".to_owned(),
    };
    let last = scalar.bits() - 1;
    // Of zero all bits are counted, so that this is -1 for it.
    let body = format!("{ty}({last}) - {ty}(clz({bits}))");
    one(p, f, "first_bit_high", ty, ty, &body, args, span)
}

/// What is there for vectors alone.
fn of_scalar(
    p: &mut Printer<'_>,
    f: &Function,
    function: MathFn,
    args: &[Expr],
    ty: &str,
    span: SpanId,
) -> Option<(String, Precedence)> {
    match (function, args) {
        (MathFn::Dot, [a, _]) if p.scalar_of(a.ty)?.is_integer() => {
            Some((operators::integer(p, f, IntegerOp::WrappingMul, args, span)?, PRIMARY))
        }
        (MathFn::Dot, [a, b]) => {
            let (a, b) = (p.operand(f, a, MULTIPLICATIVE, span), p.operand(f, b, MULTIPLICATIVE + 1, span));
            Some((format!("{a} * {b}"), MULTIPLICATIVE))
        }
        (MathFn::Length, [a]) => Some((format!("abs({})", p.expr(f, a, span)), PRIMARY)),
        (MathFn::Distance, [a, b]) => {
            let (a, b) = (p.operand(f, a, ADDITIVE, span), p.operand(f, b, ADDITIVE + 1, span));
            Some((format!("abs({a} - {b})"), PRIMARY))
        }
        (MathFn::Normalize, [_]) => one(p, f, "normalized", ty, ty, "x / abs(x)", args, span),
        _ => None,
    }
}

/// Metal has it for floats alone.
fn integer_dot(
    p: &mut Printer<'_>,
    f: &Function,
    args: &[Expr],
    result: &str,
    scalar: Scalar,
    span: SpanId,
) -> Option<(String, Precedence)> {
    let [a, _] = args else { return None };
    let ty = p.type_name(a.ty, span);
    let Type::Vector { len, .. } = p.module.types.get(a.ty) else { return None };
    let wide = Metal.scalar(if scalar.bits() < 32 { Scalar::U32 } else { operators::unsigned(scalar) })?;
    let name: SmolStr = p.helper(&format!("dot_{ty}"), |_, name| {
        format!(
            "{result} {name}({ty} x, {ty} y)\n{{\n    {wide} sum = 0;\n    for (uint i = 0; i < {len}; i++)\n    {{\n        sum += \
             {wide}(x[i]) * {wide}(y[i]);\n    }}\n    return {result}(sum);\n}}"
        )
    });
    Some((format!("{name}({})", p.list(f, args, span)), PRIMARY))
}
