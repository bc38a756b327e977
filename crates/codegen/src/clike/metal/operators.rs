//! Operators: those of vectors of truth values, of integers where the language leaves open what they give, and conversions.

use ir::{BinaryOp, Constant, Scalar, SpanId, Type, UnaryOp, intrinsic::IntegerOp};
use smol_str::SmolStr;

use super::Metal;
use crate::clike::{Dialect, Form, PRIMARY, Precedence, Printer};
use crate::tree::{Expr, ExprKind, Function};

/// `a & b` binds as in C.
const AND: Precedence = 8;
const OR: Precedence = 6;

pub(crate) fn unary(
    p: &mut Printer<'_>,
    f: &Function,
    op: UnaryOp,
    a: &Expr,
    expr: &Expr,
    span: SpanId,
) -> Option<(String, Precedence)> {
    let scalar = p.scalar_of(expr.ty)?;
    let wraps = op == UnaryOp::Neg && p.shape(expr.ty) == Form::Vector && scalar.is_integer() && scalar.is_signed();
    if !wraps {
        return None;
    }
    let name = function_of(p, IntegerOp::WrappingNeg, expr, span)?;
    Some((format!("{name}({})", p.expr(f, a, span)), PRIMARY))
}

pub(crate) fn binary(
    p: &mut Printer<'_>,
    f: &Function,
    op: BinaryOp,
    a: &Expr,
    b: &Expr,
    span: SpanId,
) -> Option<(String, Precedence)> {
    let scalar = p.scalar_of(a.ty)?;
    if op == BinaryOp::Rem && scalar == Scalar::F32 {
        return Some((format!("precise::fmod({}, {})", p.expr(f, a, span), p.expr(f, b, span)), PRIMARY));
    }
    if p.shape(a.ty) != Form::Vector {
        return None;
    }
    if scalar == Scalar::Bool {
        let (symbol, precedence) = match op {
            BinaryOp::And => ("&", AND),
            BinaryOp::Or => ("|", OR),
            _ => return None,
        };
        let (a, b) = (p.operand(f, a, PRIMARY, span), p.operand(f, b, PRIMARY, span));
        return Some((format!("{a} {symbol} {b}"), precedence));
    }
    if !scalar.is_integer() {
        return None;
    }
    let call = match op {
        BinaryOp::Add if scalar.is_signed() => IntegerOp::WrappingAdd,
        BinaryOp::Sub if scalar.is_signed() => IntegerOp::WrappingSub,
        BinaryOp::Mul if scalar.is_signed() => IntegerOp::WrappingMul,
        BinaryOp::Div if !all_between(b, 1, i64::MAX) => IntegerOp::Quotient,
        BinaryOp::Rem if !all_between(b, 1, i64::MAX) => IntegerOp::Remainder,
        BinaryOp::Shl if scalar.is_signed() || !all_between(b, 0, width(scalar) - 1) => IntegerOp::ShiftLeft,
        BinaryOp::Shr if !all_between(b, 0, width(scalar) - 1) => IntegerOp::ShiftRight,
        _ => return None,
    };
    let name = function_of(p, call, a, span)?;
    Some((format!("{name}({}, {})", p.expr(f, a, span), p.expr(f, b, span)), PRIMARY))
}

fn width(scalar: Scalar) -> i64 {
    i64::from(scalar.bits())
}

/// Whether each component is a constant in a range.
fn all_between(expr: &Expr, low: i64, high: i64) -> bool {
    match &expr.kind {
        ExprKind::Const(Constant::Int(value)) => (low..=high).contains(value),
        ExprKind::Splat(a) => all_between(a, low, high),
        ExprKind::Make(parts) => parts.iter().all(|part| all_between(part, low, high)),
        _ => false,
    }
}

/// An operation on integers that means what the IR says for all operands.
pub(crate) fn integer(p: &mut Printer<'_>, f: &Function, op: IntegerOp, args: &[Expr], span: SpanId) -> Option<String> {
    let name = function_of(p, op, args.first()?, span)?;
    Some(format!("{name}({})", p.list(f, args, span)))
}

fn word(op: IntegerOp) -> &'static str {
    match op {
        IntegerOp::WrappingAdd => "wrapping_add",
        IntegerOp::WrappingSub => "wrapping_sub",
        IntegerOp::WrappingMul => "wrapping_mul",
        IntegerOp::WrappingNeg => "wrapping_neg",
        IntegerOp::Quotient => "quotient",
        IntegerOp::Remainder => "remainder",
        IntegerOp::ShiftLeft => "shift_left",
        IntegerOp::ShiftRight => "shift_right",
    }
}

/// The name of the function that does `op` on values of the type that `operand` has.
pub(crate) fn function_of(p: &mut Printer<'_>, op: IntegerOp, operand: &Expr, span: SpanId) -> Option<SmolStr> {
    let scalar = p.scalar_of(operand.ty)?;
    let ty = p.type_name(operand.ty, span);
    let len = match p.module.types.get(operand.ty) {
        Type::Vector { len, .. } => Some(len),
        Type::Scalar(_) => None,
        _ => return None,
    };
    let params = if op == IntegerOp::WrappingNeg { format!("{ty} a") } else { format!("{ty} a, {ty} b") };
    // Division has a case for each component.
    if let (Some(len), IntegerOp::Quotient | IntegerOp::Remainder) = (len, op) {
        let part = scalar_function(p, op, scalar)?;
        return Some(p.helper(&format!("{}_{ty}", word(op)), |_, name| {
            format!(
                "{ty} {name}({params})\n{{\n    for (uint i = 0; i < {len}; i++)\n    {{\n        a[i] = {part}(a[i], b[i]);\n    \
                 }}\n    return a;\n}}"
            )
        }));
    }
    match len {
        None => scalar_function(p, op, scalar),
        Some(len) => {
            let unsigned = Metal.vector(unsigned(scalar), len)?;
            let mask = format!("{unsigned}({})", scalar.bits() - 1);
            Some(p.helper(&format!("{}_{ty}", word(op)), |_, name| {
                format!("{ty} {name}({params})\n{{\n    return {};\n}}", through_unsigned(op, &ty, &unsigned, &mask))
            }))
        }
    }
}

fn scalar_function(p: &mut Printer<'_>, op: IntegerOp, scalar: Scalar) -> Option<SmolStr> {
    let ty = Metal.scalar(scalar)?;
    // Narrow integers are computed as words, whose bits they are the low ones of.
    let wide = if scalar.bits() < 32 { Scalar::U32 } else { unsigned(scalar) };
    let unsigned = Metal.scalar(wide)?;
    let params = if op == IntegerOp::WrappingNeg { format!("{ty} a") } else { format!("{ty} a, {ty} b") };
    let is_signed = scalar.is_signed();
    let body = match op {
        IntegerOp::Quotient if is_signed => {
            let negated = scalar_function(p, IntegerOp::WrappingNeg, scalar)?;
            format!("b == 0 ? {ty}(0) : b == -1 ? {negated}(a) : {ty}(a / b)")
        }
        IntegerOp::Quotient => format!("b == 0 ? {ty}(0) : {ty}(a / b)"),
        IntegerOp::Remainder if is_signed => format!("b == 0 || b == -1 ? {ty}(0) : {ty}(a % b)"),
        IntegerOp::Remainder => format!("b == 0 ? {ty}(0) : {ty}(a % b)"),
        _ if wide.bits() == scalar.bits() => through_unsigned(op, ty, unsigned, &format!("{}", wide.bits() - 1)),
        IntegerOp::ShiftRight => format!("{ty}(a >> ({unsigned}(b) & {}))", wide.bits() - 1),
        _ => through_words(op, ty, unsigned, wide.bits() - 1),
    };
    Some(
        p.helper(&format!("{}_{ty}", word(op)), |_, name| format!("{ty} {name}({params})\n{{\n    return {body};\n}}")),
    )
}

/// What the operation gives by way of unsigned integers of the same width, which wrap around.
fn through_unsigned(op: IntegerOp, ty: &str, unsigned: &str, mask: &str) -> String {
    let [a, b] = ["a", "b"].map(|operand| format!("as_type<{unsigned}>({operand})"));
    match op {
        IntegerOp::WrappingAdd => format!("as_type<{ty}>({a} + {b})"),
        IntegerOp::WrappingSub => format!("as_type<{ty}>({a} - {b})"),
        IntegerOp::WrappingMul => format!("as_type<{ty}>({a} * {b})"),
        IntegerOp::WrappingNeg => format!("as_type<{ty}>({unsigned}(0) - {a})"),
        IntegerOp::ShiftLeft => format!("as_type<{ty}>({a} << ({b} & {mask}))"),
        IntegerOp::ShiftRight => format!("a >> as_type<{ty}>({b} & {mask})"),
        IntegerOp::Quotient | IntegerOp::Remainder => String::new(),
    }
}

/// The same of integers that are narrower than words.
fn through_words(op: IntegerOp, ty: &str, unsigned: &str, mask: u32) -> String {
    let [a, b] = ["a", "b"].map(|operand| format!("{unsigned}({operand})"));
    match op {
        IntegerOp::WrappingAdd => format!("{ty}({a} + {b})"),
        IntegerOp::WrappingSub => format!("{ty}({a} - {b})"),
        IntegerOp::WrappingMul => format!("{ty}({a} * {b})"),
        IntegerOp::WrappingNeg => format!("{ty}({unsigned}(0) - {a})"),
        IntegerOp::ShiftLeft => format!("{ty}({a} << ({b} & {mask}))"),
        IntegerOp::ShiftRight | IntegerOp::Quotient | IntegerOp::Remainder => String::new(),
    }
}

pub(crate) fn unsigned(scalar: Scalar) -> Scalar {
    match scalar {
        Scalar::I8 => Scalar::U8,
        Scalar::I16 => Scalar::U16,
        Scalar::I32 => Scalar::U32,
        Scalar::I64 => Scalar::U64,
        other => other,
    }
}

/// A float as an integer: what is out of range becomes the next integer of the type, and what is no number zero.
pub(crate) fn convert(
    p: &mut Printer<'_>,
    f: &Function,
    value: &Expr,
    expr: &Expr,
    span: SpanId,
) -> Option<(String, Precedence)> {
    let (from, to) = (p.scalar_of(value.ty)?, p.scalar_of(expr.ty)?);
    let is_written_out = from.is_float() && to.is_integer() && p.shape(expr.ty) != Form::Matrix;
    if !is_written_out {
        return None;
    }
    let scalar = scalar_conversion(p, to)?;
    let name = match p.module.types.get(expr.ty) {
        Type::Vector { len, .. } => {
            let (source, ty) = (Metal.vector(Scalar::F32, len)?, p.type_name(expr.ty, span));
            p.helper(&format!("to_{ty}"), |_, name| {
                format!(
                    "{ty} {name}({source} x)\n{{\n    {ty} result;\n    for (uint i = 0; i < {len}; i++)\n    {{\n        result[i] \
                     = {scalar}(x[i]);\n    }}\n    return result;\n}}"
                )
            })
        }
        _ => scalar,
    };
    let text = p.expr(f, value, span);
    let text = match (from, p.module.types.get(value.ty)) {
        (Scalar::F32, _) => text,
        (_, Type::Vector { len, .. }) => format!("{}({text})", Metal.vector(Scalar::F32, len)?),
        _ => format!("float({text})"),
    };
    Some((format!("{name}({text})"), PRIMARY))
}

fn scalar_conversion(p: &mut Printer<'_>, to: Scalar) -> Option<SmolStr> {
    let ty = Metal.scalar(to)?;
    let bits = to.bits() - u32::from(to.is_signed());
    // The first float that is too large, and the largest that is too small.
    let above = format!("{}.0f", 1u128 << bits);
    let last = u64::MAX >> (64 - bits);
    let (below, first) = match to.is_signed() {
        true => (format!("x >= -{above}"), format!("{ty}(-{} - 1)", digits(last, to))),
        false => ("x > -1.0f".to_owned(), format!("{ty}(0)")),
    };
    let last = format!("{ty}({})", digits(last, to));
    Some(p.helper(&format!("to_{ty}"), |_, name| {
        format!(
            "{ty} {name}(float x)\n{{\n    if (x < {above})\n    {{\n        return {below} ? {ty}(x) : {first};\n    }}\n    return \
             x >= {above} ? {last} : {ty}(0);\n}}"
        )
    }))
}

fn digits(value: u64, scalar: Scalar) -> String {
    Metal.integer(value, scalar)
}
