//! Requirements of the core interfaces (`IArithmetic.add`, `IFloat.scale`, …) on the types that the compiler builds in.

use ir::{BinaryOp, Constant, Op, Type, UnaryOp, ValueId, builder::FuncBuilder};

use super::Asked;
use crate::{
    core_function::Requirement,
    error::{Lowering, Stop},
};

pub(super) fn emit(b: &mut FuncBuilder<'_>, requirement: Requirement, asked: &Asked<'_>) -> Lowering<Vec<ValueId>> {
    let value = match requirement {
        Requirement::Binary(op) => {
            let (left, right) = (asked.arg(0)?, asked.arg(1)?);
            let right = spread(b, right, b.ty(left));
            let (left, right) =
                if op.is_comparison() && is_truth(b, left) && !matches!(op, BinaryOp::Equal | BinaryOp::NotEqual) {
                    // Truth values are ordered as the numbers 0 and 1.
                    let int = b.types.scalar(ir::Scalar::I32);
                    (b.convert(left, int), b.convert(right, int))
                } else {
                    (left, right)
                };
            let value = b.binary(op, left, right);
            if op.is_comparison() && !matches!(b.type_of(value), Type::Scalar(_)) {
                let bool = b.types.bool();
                b.math(ir::MathFn::All, &[value], bool)
            } else {
                value
            }
        }
        Requirement::Unary(op) => {
            let value = asked.arg(0)?;
            match op {
                UnaryOp::BitNot => bit_not(b, value),
                UnaryOp::Neg | UnaryOp::Not => b.unary(op, value),
            }
        }
        Requirement::ToScalar => {
            let (value, ty) = (asked.arg(0)?, asked.result()?);
            let value = match b.type_of(value) {
                Type::Vector { .. } => b.field(value, 0),
                _ => value,
            };
            b.convert(value, ty)
        }
        Requirement::Init => {
            let ty = asked.result()?;
            match asked.args {
                [] => b.zero(ty),
                &[value, ..] => spread(b, value, ty),
            }
        }
        Requirement::Scale => {
            let (value, factor) = (asked.arg(0)?, asked.arg(1)?);
            let factor = spread(b, factor, b.ty(value));
            b.binary(BinaryOp::Mul, value, factor)
        }
        Requirement::Limit { max } => {
            let ty = asked.result()?;
            let Type::Scalar(scalar) = b.types.get(ty) else {
                let name = if max { "maxValue" } else { "minValue" };
                return Err(Stop::unsupported(format!("`{name}`")));
            };
            b.constant(limit(scalar, max), ty)
        }
        // Where the index is a place, the access to the element is lowered as one.
        Requirement::Element => return Err(Stop::unsupported("`get` of a builtin type")),
    };
    Ok(vec![value])
}

/// `~value`. Of truth values, it is the opposite.
pub(crate) fn bit_not(b: &mut FuncBuilder<'_>, value: ValueId) -> ValueId {
    let scalar = match b.type_of(value) {
        Type::Scalar(scalar) | Type::Vector { scalar, .. } | Type::Matrix { scalar, .. } => Some(scalar),
        _ => None,
    };
    b.unary(if scalar == Some(ir::Scalar::Bool) { UnaryOp::Not } else { UnaryOp::BitNot }, value)
}

fn is_truth(b: &FuncBuilder<'_>, value: ValueId) -> bool {
    b.type_of(value) == Type::Scalar(ir::Scalar::Bool)
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
