//! Rules of algebra that hold for every value of the type. For floats those are few: `x * 1`, `x / 1`, `x - 0`,
//! `x + -0`, `-(-x)`; a sum with `+0` would lose the sign of `-0`.

use super::peephole::{Context, Rewrite, shape};
use crate::{BinaryOp, Constant, Op, Type, TypeId, UnaryOp, ValueId};

pub(super) fn identity(context: &mut Context<'_>, op: &Op, ty: TypeId) -> Option<Rewrite> {
    match *op {
        Op::Unary(op, a) => unary(context, op, a),
        Op::Binary(op, a, b) => binary(context, op, a, b, ty),
        Op::Select { cond, then, otherwise } => {
            if then == otherwise {
                return Some(Rewrite::Value(then));
            }
            match context.known_uniform(cond)? {
                Constant::Bool(true) => Some(Rewrite::Value(then)),
                Constant::Bool(false) => Some(Rewrite::Value(otherwise)),
                Constant::Int(_) | Constant::Float(_) => None,
            }
        }
        // There and back again.
        Op::Bitcast(a) => match context.def(a)? {
            Op::Bitcast(b) if context.func.ty(*b) == ty => Some(Rewrite::Value(*b)),
            _ => None,
        },
        _ => None,
    }
}

/// `-(-x)`, `!!x`, `~~x`.
fn unary(context: &Context<'_>, op: UnaryOp, a: ValueId) -> Option<Rewrite> {
    match *context.def(a)? {
        Op::Unary(inner, b) if inner == op => Some(Rewrite::Value(b)),
        _ => None,
    }
}

fn binary(context: &mut Context<'_>, op: BinaryOp, a: ValueId, b: ValueId, ty: TypeId) -> Option<Rewrite> {
    let (scalar, _) = shape(context.type_of(a))?;
    let (left, right) = (context.known_uniform(a), context.known_uniform(b));
    let is_float = scalar.is_float();
    let is = |constant: Option<Constant>, float: f64, int: i64| match constant {
        Some(Constant::Float(value)) => value.to_bits() == float.to_bits(),
        Some(Constant::Int(value)) => value == int,
        Some(Constant::Bool(_)) | None => false,
    };
    let is_true = |constant| constant == Some(Constant::Bool(true));
    let is_false = |constant| constant == Some(Constant::Bool(false));
    // Of integers; `x * 0` is not an identity of floats.
    let zero = |constant| constant == Some(Constant::Int(0));
    // All bits set; an unsigned one is zero-extended.
    let ones = |constant| match constant {
        Some(Constant::Int(value)) => {
            value as u64 & (u64::MAX >> (64 - scalar.bits())) == u64::MAX >> (64 - scalar.bits())
        }
        _ => false,
    };
    let value = |value| Some(Rewrite::Value(value));
    match op {
        BinaryOp::Add if is(right, -0.0, 0) => value(a),
        BinaryOp::Add if is(left, -0.0, 0) => value(b),
        BinaryOp::Sub if is(right, 0.0, 0) => value(a),
        BinaryOp::Sub if is(left, -0.0, 0) => Some(Rewrite::Op(Op::Unary(UnaryOp::Neg, b))),
        BinaryOp::Sub if a == b && !is_float => Some(Rewrite::Op(Op::Zero)),
        BinaryOp::Mul if is(right, 1.0, 1) => value(a),
        BinaryOp::Mul if is(left, 1.0, 1) => value(b),
        BinaryOp::Mul if is(right, -1.0, -1) => Some(Rewrite::Op(Op::Unary(UnaryOp::Neg, a))),
        BinaryOp::Mul if is(left, -1.0, -1) => Some(Rewrite::Op(Op::Unary(UnaryOp::Neg, b))),
        BinaryOp::Mul if zero(left) || zero(right) => Some(Rewrite::Op(Op::Zero)),
        BinaryOp::Div if is(right, 1.0, 1) => value(a),
        BinaryOp::And if a == b => value(a),
        BinaryOp::And if is_true(right) || ones(right) => value(a),
        BinaryOp::And if is_true(left) || ones(left) => value(b),
        BinaryOp::And if is_false(left) || zero(left) => value(a),
        BinaryOp::And if is_false(right) || zero(right) => value(b),
        BinaryOp::Or if a == b => value(a),
        BinaryOp::Or if is_false(right) || zero(right) => value(a),
        BinaryOp::Or if is_false(left) || zero(left) => value(b),
        BinaryOp::Or if is_true(left) || ones(left) => value(a),
        BinaryOp::Or if is_true(right) || ones(right) => value(b),
        BinaryOp::Xor if is_false(right) || zero(right) => value(a),
        BinaryOp::Xor if is_false(left) || zero(left) => value(b),
        BinaryOp::Shl | BinaryOp::Shr if zero(right) => value(a),
        BinaryOp::Equal | BinaryOp::LessEqual | BinaryOp::GreaterEqual if a == b && !is_float => {
            match context.types.get(ty) {
                Type::Scalar(_) => Some(Rewrite::Op(Op::Const(Constant::Bool(true)))),
                _ => None,
            }
        }
        BinaryOp::NotEqual | BinaryOp::Less | BinaryOp::Greater if a == b && !is_float => Some(Rewrite::Op(Op::Zero)),
        _ => None,
    }
}
