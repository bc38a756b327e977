//! Conditions that a loop stores: one bit for each iteration, in words of 32.
//!
//! The words are zero at the start and each bit is written once, so that a write only ever sets its bit.

use ir::{BinaryOp, Op, PathStep, Scalar, TypeId, ValueId, types::TypeTable};

use crate::emit::Emitter;

const WORD: u32 = 32;

/// Whether values of the type are stored as bits.
pub(crate) fn is_condition(types: &TypeTable, ty: TypeId) -> bool {
    types.get(ty) == ir::Type::Scalar(Scalar::Bool)
}

/// Bytes for the conditions of `iterations` iterations.
pub(crate) fn bytes(iterations: u32) -> u64 {
    u64::from(iterations.div_ceil(WORD)) * 4
}

/// What holds the conditions of `iterations` iterations.
pub(crate) fn array(types: &TypeTable, iterations: u32) -> TypeId {
    let word = types.scalar(Scalar::U32);
    types.array(word, iterations.div_ceil(WORD).max(1))
}

/// `array` with bit `number` of the words at `path`, which is zero, set to `flag`.
pub(crate) fn with_bit(
    e: &mut Emitter<'_>,
    array: ValueId,
    path: &[PathStep],
    number: ValueId,
    flag: ValueId,
) -> ValueId {
    let (path, shift) = place(e, array, path, number);
    let word = e.part(array, &path);
    let ty = e.ty(word);
    let bit = e.convert(flag, ty);
    let mask = e.pure(Op::Binary(BinaryOp::Shl, bit, shift), ty);
    let word = e.pure(Op::Binary(BinaryOp::Or, word, mask), ty);
    e.with_part(array, &path, word)
}

/// Bit `number` of the words of `array`.
pub(crate) fn bit(e: &mut Emitter<'_>, array: ValueId, number: ValueId) -> ValueId {
    let (path, shift) = place(e, array, &[], number);
    let word = e.part(array, &path);
    let ty = e.ty(word);
    let shifted = e.pure(Op::Binary(BinaryOp::Shr, word, shift), ty);
    let one = e.integer(1, ty);
    let bit = e.pure(Op::Binary(BinaryOp::And, shifted, one), ty);
    let zero = e.integer(0, ty);
    let flag = e.builder.types.bool();
    e.pure(Op::Binary(BinaryOp::NotEqual, bit, zero), flag)
}

/// The word of those at `path` that bit `number` is in, and how far to shift it.
fn place(e: &mut Emitter<'_>, array: ValueId, path: &[PathStep], number: ValueId) -> (Vec<PathStep>, ValueId) {
    let ty = e.builder.types.scalar(Scalar::U32);
    let number = e.convert(number, ty);
    let mut path = path.to_vec();
    if let Some(ir::Type::Array { len: 1, .. }) = e.builder.types.part_type(e.ty(array), &path) {
        path.push(PathStep::Const(0));
        return (path, number);
    }
    let width = e.integer(WORD.into(), ty);
    let word = e.pure(Op::Binary(BinaryOp::Div, number, width), ty);
    let shift = e.pure(Op::Binary(BinaryOp::Rem, number, width), ty);
    path.push(PathStep::Dynamic(word));
    (path, shift)
}
