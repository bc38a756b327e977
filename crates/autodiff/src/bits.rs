//! Conditions that a loop stores: one bit for each iteration, in words of 32.
//!
//! A word is read before its first bit is written, and each write sets just its own bit to what it should be, so that
//! the words need not be cleared first.

use ir::{BinaryOp, Op, PathStep, Scalar, TypeId, UnaryOp, ValueId, types::TypeTable};

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

/// `array` with bit `number` of the words at `path` set to `flag`.
pub(crate) fn with_bit(
    e: &mut Emitter<'_>,
    array: ValueId,
    path: &[PathStep],
    number: ValueId,
    flag: ValueId,
) -> ValueId {
    let (path, shift) = place(e, path, number);
    let word = e.part(array, &path);
    let ty = e.ty(word);
    let one = e.integer(1, ty);
    let mask = e.pure(Op::Binary(BinaryOp::Shl, one, shift), ty);
    let others = e.pure(Op::Unary(UnaryOp::BitNot, mask), ty);
    let cleared = e.pure(Op::Binary(BinaryOp::And, word, others), ty);
    let zero = e.integer(0, ty);
    let bit = e.choose(flag, mask, zero);
    let word = e.pure(Op::Binary(BinaryOp::Or, cleared, bit), ty);
    e.with_part(array, &path, word)
}

/// Bit `number` of the words of `array`.
pub(crate) fn bit(e: &mut Emitter<'_>, array: ValueId, number: ValueId) -> ValueId {
    let (path, shift) = place(e, &[], number);
    let word = e.part(array, &path);
    let ty = e.ty(word);
    let shifted = e.pure(Op::Binary(BinaryOp::Shr, word, shift), ty);
    let one = e.integer(1, ty);
    let bit = e.pure(Op::Binary(BinaryOp::And, shifted, one), ty);
    let zero = e.integer(0, ty);
    let flag = e.builder.types.bool();
    e.pure(Op::Binary(BinaryOp::NotEqual, bit, zero), flag)
}

/// The word that bit `number` is in, and how far to shift it.
fn place(e: &mut Emitter<'_>, path: &[PathStep], number: ValueId) -> (Vec<PathStep>, ValueId) {
    let ty = e.builder.types.scalar(Scalar::U32);
    let number = e.convert(number, ty);
    let width = e.integer(WORD.into(), ty);
    let word = e.pure(Op::Binary(BinaryOp::Div, number, width), ty);
    let shift = e.pure(Op::Binary(BinaryOp::Rem, number, width), ty);
    let mut path = path.to_vec();
    path.push(PathStep::Dynamic(word));
    (path, shift)
}
