//! The functions of the IR in GLSL.

use ir::{MathFn, Scalar, SpanId, Type};

use super::{Glsl, quotient};
use crate::clike::{Dialect, Form, MULTIPLICATIVE, PRIMARY, Precedence, Printer, Spelling, UNARY};
use crate::double::has_double;
use crate::tree::{Expr, Function};
use smol_str::SmolStr;

/// The functions that GLSL has under a name.
pub(crate) fn spelling(function: MathFn) -> Spelling {
    Spelling::Call(match function {
        MathFn::Abs => "abs",
        MathFn::Acos => "acos",
        MathFn::Acosh => "acosh",
        MathFn::Asin => "asin",
        MathFn::Asinh => "asinh",
        MathFn::Atan | MathFn::Atan2 => "atan",
        MathFn::Atanh => "atanh",
        MathFn::Ceil => "ceil",
        MathFn::Cos => "cos",
        MathFn::Cosh => "cosh",
        MathFn::Exp => "exp",
        MathFn::Exp2 => "exp2",
        MathFn::Floor => "floor",
        MathFn::Frac => "fract",
        MathFn::Log => "log",
        MathFn::Log2 => "log2",
        MathFn::Round => "roundEven",
        MathFn::Rsqrt => "inversesqrt",
        MathFn::Sign => "sign",
        MathFn::Sin => "sin",
        MathFn::Sinh => "sinh",
        MathFn::Sqrt => "sqrt",
        MathFn::Tan => "tan",
        MathFn::Tanh => "tanh",
        MathFn::Trunc => "trunc",
        MathFn::Degrees => "degrees",
        MathFn::Radians => "radians",
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
        MathFn::CountBits => "bitCount",
        MathFn::FirstBitHigh => "findMSB",
        MathFn::FirstBitLow => "findLSB",
        MathFn::ReverseBits => "bitfieldReverse",
        MathFn::F16ToF32 => "unpackHalf2x16",
        MathFn::F32ToF16 => "packHalf2x16",
        MathFn::Rcp
        | MathFn::Log10
        | MathFn::Saturate
        | MathFn::Copysign
        | MathFn::Fmod
        | MathFn::IsFinite
        | MathFn::MatMul => return Spelling::None,
    })
}

/// The functions of GLSL that `function` is written with.
pub(crate) fn words(function: MathFn) -> Vec<&'static str> {
    match (function, spelling(function)) {
        (_, Spelling::Call(name)) => vec![name],
        (MathFn::Log10, _) => vec!["log"],
        (MathFn::Saturate, _) => vec!["clamp"],
        (MathFn::Fmod, _) => vec!["trunc"],
        (MathFn::IsFinite, _) => vec!["isnan", "isinf"],
        _ => Vec::new(),
    }
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
    let ty = p.type_name(operand.ty, span);
    let result = p.type_name(expr.ty, span);
    let call = |text: String| Some((text, PRIMARY));
    if scalar == Scalar::F64 && !has_double(function) {
        p.error(span, format!("`{}` of `double` is not supported for target `glsl`", function.word()));
        return call(String::new());
    }
    match function {
        MathFn::Abs if scalar.is_integer() && !scalar.is_signed() => {
            Some((p.operand(f, operand, PRIMARY, span), PRIMARY))
        }
        MathFn::Rcp => Some(quotient(&one(scalar), p.operand(f, operand, UNARY, span))),
        MathFn::Saturate => {
            let (low, high) = (Glsl.float(0.0, scalar), Glsl.float(1.0, scalar));
            call(format!("clamp({}, {low}, {high})", p.expr(f, operand, span)))
        }
        MathFn::Log10 => {
            let scale = Glsl.float(std::f64::consts::LN_10, scalar);
            Some(quotient(&format!("log({})", p.expr(f, operand, span)), scale))
        }
        MathFn::Fma if !scalar.is_float() => {
            let [a, b, c] = args else { return None };
            let (a, b) = (p.operand(f, a, UNARY, span), p.operand(f, b, UNARY, span));
            Some((format!("{a} * {b} + {}", p.operand(f, c, MULTIPLICATIVE, span)), MULTIPLICATIVE - 1))
        }
        MathFn::Fmod => {
            let name = helper(p, "fmod", args.len(), &ty, &ty, "x - y * trunc(x / y)");
            call(format!("{name}({})", p.list(f, args, span)))
        }
        MathFn::Copysign => call(copysign(p, f, args, operand, span)?),
        MathFn::IsFinite => {
            let body = match p.shape(operand.ty) {
                Form::Scalar => "!(isnan(x) || isinf(x))".to_string(),
                _ => {
                    let Type::Vector { len, .. } = p.module.types.get(operand.ty) else { return None };
                    format!("not(bvec{len}(uvec{len}(isnan(x)) | uvec{len}(isinf(x))))")
                }
            };
            {
                let name = helper(p, "isfinite", args.len(), &ty, &result, &body);
                call(format!("{name}({})", p.list(f, args, span)))
            }
        }
        MathFn::MatMul => {
            // Rows are columns here, so the product is that of the transposed matrices, the other way round.
            let [a, b] = args else { return None };
            let (left, right) = (p.operand(f, b, MULTIPLICATIVE, span), p.operand(f, a, MULTIPLICATIVE + 1, span));
            Some((format!("{left} * {right}"), MULTIPLICATIVE))
        }
        MathFn::Dot if scalar.is_integer() => integer_dot(p, f, args, &result, span),
        MathFn::All | MathFn::Any if p.shape(operand.ty) == Form::Scalar => {
            if scalar == Scalar::Bool {
                return Some((p.operand(f, operand, PRIMARY, span), PRIMARY));
            }
            call(format!("bool({})", p.expr(f, operand, span)))
        }
        MathFn::All | MathFn::Any if scalar != Scalar::Bool => {
            let Type::Vector { len, .. } = p.module.types.get(operand.ty) else { return None };
            let Spelling::Call(name) = spelling(function) else { return None };
            call(format!("{name}(bvec{len}({}))", p.expr(f, operand, span)))
        }
        // These give `int` whatever they are asked of.
        MathFn::CountBits | MathFn::FirstBitHigh | MathFn::FirstBitLow if !scalar.is_signed() => {
            let Spelling::Call(name) = spelling(function) else { return None };
            call(format!("{result}({name}({}))", p.expr(f, operand, span)))
        }
        MathFn::F16ToF32 => match p.module.types.get(operand.ty) {
            Type::Vector { len, .. } => {
                let parts = by_component(len, |c| format!("unpackHalf2x16(x.{c}).x"));
                {
                    let name = helper(p, "f16tof32", args.len(), &ty, &result, &format!("{result}({parts})"));
                    call(format!("{name}({})", p.list(f, args, span)))
                }
            }
            _ => call(format!("unpackHalf2x16({}).x", p.expr(f, operand, span))),
        },
        MathFn::F32ToF16 => match p.module.types.get(operand.ty) {
            Type::Vector { len, .. } => {
                let parts = by_component(len, |c| format!("packHalf2x16(vec2(x.{c}, 0.0))"));
                {
                    let name = helper(p, "f32tof16", args.len(), &ty, &result, &format!("{result}({parts})"));
                    call(format!("{name}({})", p.list(f, args, span)))
                }
            }
            _ => call(format!("packHalf2x16(vec2({}, 0.0))", p.expr(f, operand, span))),
        },
        _ => None,
    }
}

/// GLSL has it for floats alone.
fn integer_dot(
    p: &mut Printer<'_>,
    f: &Function,
    args: &[Expr],
    result: &str,
    span: SpanId,
) -> Option<(String, Precedence)> {
    let [a, b] = args else { return None };
    let ty = p.type_name(a.ty, span);
    let Type::Vector { len, .. } = p.module.types.get(a.ty) else {
        let (a, b) = (p.operand(f, a, UNARY, span), p.operand(f, b, UNARY, span));
        return Some((format!("{a} * {b}"), MULTIPLICATIVE));
    };
    let terms: Vec<String> = ["x", "y", "z", "w"][..usize::from(len)]
        .iter()
        .map(|component| format!("x.{component} * y.{component}"))
        .collect();
    let name = helper(p, "dot", args.len(), &ty, result, &terms.join(" + "));
    Some((format!("{name}({})", p.list(f, args, span)), PRIMARY))
}

/// The sign of one number put on another, bit by bit.
fn copysign(p: &mut Printer<'_>, f: &Function, args: &[Expr], operand: &Expr, span: SpanId) -> Option<String> {
    let scalar = p.scalar_of(operand.ty)?;
    let ty = p.type_name(operand.ty, span);
    let body = match (scalar, p.module.types.get(operand.ty)) {
        (Scalar::F64, Type::Vector { len, .. }) => {
            let parts = by_component(len, |c| double_copysign(&format!("x.{c}"), &format!("y.{c}")));
            format!("{ty}({parts})")
        }
        (Scalar::F64, _) => double_copysign("x", "y"),
        (_, shape) => {
            // Halves are seen as the floats of 32 bits that they are.
            let single = match shape {
                Type::Vector { len, .. } => format!("vec{len}"),
                _ => "float".to_owned(),
            };
            let bits = |name: &str| match scalar {
                Scalar::F32 => format!("floatBitsToUint({name})"),
                _ => format!("floatBitsToUint({single}({name}))"),
            };
            let (x, y) = (bits("x"), bits("y"));
            let body = format!("uintBitsToFloat(({x} & 0x7fffffffu) | ({y} & 0x80000000u))");
            if scalar == Scalar::F32 { body } else { format!("{ty}({body})") }
        }
    };
    let name = helper(p, "copysign", args.len(), &ty, &ty, &body);
    Some(format!("{name}({})", p.list(f, args, span)))
}

/// The upper of the two words of a `double` has its sign.
fn double_copysign(x: &str, y: &str) -> String {
    let (low, high) = (format!("unpackDouble2x32({x}).x"), format!("unpackDouble2x32({x}).y"));
    let sign = format!("unpackDouble2x32({y}).y & 0x80000000u");
    format!("packDouble2x32(uvec2({low}, ({high} & 0x7fffffffu) | ({sign})))")
}

fn one(scalar: Scalar) -> String {
    if scalar.is_float() { Glsl.float(1.0, scalar) } else { Glsl.integer(1, scalar) }
}

fn by_component(len: u8, write: impl Fn(&str) -> String) -> String {
    let parts: Vec<String> = ["x", "y", "z", "w"][..usize::from(len)].iter().map(|c| write(c)).collect();
    parts.join(", ")
}

/// The name of a function of `x` (and `y`) that gives `body`.
fn helper(p: &mut Printer<'_>, name: &str, count: usize, ty: &str, result: &str, body: &str) -> SmolStr {
    let params = if count == 2 { format!("{ty} x, {ty} y") } else { format!("{ty} x") };
    p.helper(&format!("{name}_{ty}"), |_, function| {
        format!("{result} {function}({params})\n{{\n    return {body};\n}}")
    })
}
