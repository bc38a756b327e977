//! Requirements of the core interfaces (`IArithmetic.add`, `IFloat.scale`, …) on the types that the compiler builds in.

use ir::{BinaryOp, Constant, Op, Type, UnaryOp, ValueId, builder::FuncBuilder};

use super::Asked;
use crate::error::{Lowering, Stop};

pub(super) fn emit(b: &mut FuncBuilder<'_>, name: &str, asked: &Asked<'_>) -> Lowering<Vec<ValueId>> {
    let op = match name {
        "add" => Some(BinaryOp::Add),
        "sub" => Some(BinaryOp::Sub),
        "mul" => Some(BinaryOp::Mul),
        "div" => Some(BinaryOp::Div),
        "mod" => Some(BinaryOp::Rem),
        "equals" => Some(BinaryOp::Equal),
        "lessThan" => Some(BinaryOp::Less),
        "lessThanOrEquals" => Some(BinaryOp::LessEqual),
        "shl" => Some(BinaryOp::Shl),
        "shr" => Some(BinaryOp::Shr),
        "bitAnd" | "and" => Some(BinaryOp::And),
        "bitOr" | "or" => Some(BinaryOp::Or),
        "bitXor" => Some(BinaryOp::Xor),
        _ => None,
    };
    if let Some(op) = op {
        let (left, right) = (asked.arg(0)?, asked.arg(1)?);
        let right = spread(b, right, b.ty(left));
        let mut value = b.binary(op, left, right);
        if op.is_comparison() && !matches!(b.type_of(value), Type::Scalar(_)) {
            // Of vectors: all components.
            let bool = b.types.bool();
            value = b.math(ir::MathFn::All, &[value], bool);
        }
        return Ok(vec![value]);
    }
    let value = match name {
        "neg" => {
            let value = asked.arg(0)?;
            b.unary(UnaryOp::Neg, value)
        }
        "not" => {
            let value = asked.arg(0)?;
            b.unary(UnaryOp::Not, value)
        }
        "bitNot" => {
            let value = asked.arg(0)?;
            b.unary(UnaryOp::BitNot, value)
        }
        "toInt" | "toInt64" | "toUInt" | "toUInt64" | "toFloat" => {
            let (value, ty) = (asked.arg(0)?, asked.result()?);
            let value = match b.type_of(value) {
                Type::Vector { .. } => b.field(value, 0),
                _ => value,
            };
            b.convert(value, ty)
        }
        "__init" => {
            let ty = asked.result()?;
            match asked.args {
                [] => b.zero(ty),
                &[value, ..] => spread(b, value, ty),
            }
        }
        "scale" => {
            let (value, factor) = (asked.arg(0)?, asked.arg(1)?);
            let factor = spread(b, factor, b.ty(value));
            b.binary(BinaryOp::Mul, value, factor)
        }
        "maxValue" | "minValue" => {
            let ty = asked.result()?;
            let Type::Scalar(scalar) = b.types.get(ty) else { return Err(Stop::unsupported(format!("`{name}`"))) };
            let limit = limit(scalar, name == "maxValue");
            b.constant(limit, ty)
        }
        name => return Err(Stop::unsupported(format!("`{name}` of a builtin type"))),
    };
    Ok(vec![value])
}

/// `value` converted to `ty`, a scalar in every element.
fn spread(b: &mut FuncBuilder<'_>, value: ValueId, ty: ir::TypeId) -> ValueId {
    match (b.type_of(value), b.types.get(ty)) {
        (Type::Scalar(_), Type::Vector { scalar, .. } | Type::Matrix { scalar, .. }) => {
            let scalar = b.types.scalar(scalar);
            let value = b.convert(value, scalar);
            b.value(Op::Splat(value), ty)
        }
        _ => b.convert(value, ty),
    }
}

fn limit(scalar: ir::Scalar, max: bool) -> Constant {
    use ir::Scalar;
    let pair = |low: i64, high: i64| Constant::Int(if max { high } else { low });
    match scalar {
        Scalar::Bool => Constant::Bool(max),
        Scalar::I8 => pair(i8::MIN.into(), i8::MAX.into()),
        Scalar::I16 => pair(i16::MIN.into(), i16::MAX.into()),
        Scalar::I32 => pair(i32::MIN.into(), i32::MAX.into()),
        Scalar::I64 => pair(i64::MIN, i64::MAX),
        Scalar::U8 => pair(0, u8::MAX.into()),
        Scalar::U16 => pair(0, u16::MAX.into()),
        Scalar::U32 => pair(0, u32::MAX.into()),
        // The bits of the largest value.
        Scalar::U64 => pair(0, -1),
        Scalar::F16 => Constant::Float(if max { 65504.0 } else { -65504.0 }),
        Scalar::F32 => Constant::Float(f64::from(if max { f32::MAX } else { f32::MIN })),
        Scalar::F64 => Constant::Float(if max { f64::MAX } else { f64::MIN }),
    }
}
