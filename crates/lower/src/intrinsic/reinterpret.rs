//! The bits of a value read as another type: `reinterpret`, and interface values made from a type's number and its bits.

use ir::{BinaryOp, Constant, Op, Scalar, Type, TypeId, ValueId, builder::FuncBuilder};

use super::Asked;
use crate::error::{Lowering, Stop};

/// `value` read as a `ty`. Words that `value` does not have are zero.
pub(super) fn reinterpret(b: &mut FuncBuilder<'_>, value: ValueId, ty: TypeId) -> Lowering<ValueId> {
    if b.ty(value) == ty {
        return Ok(value);
    }
    let mut words = Vec::new();
    to_words(b, value, &mut words)?;
    from_words(b, ty, &mut words.into_iter())
}

/// `createDynamicObject(number, payload)`: the variant whose number it is, made from the payload's bits. A number that no
/// variant has gives the first one.
pub(super) fn create(b: &mut FuncBuilder<'_>, asked: &Asked<'_>) -> Lowering<Vec<ValueId>> {
    let (number, payload, ty) = (asked.arg(0)?, asked.arg(1)?, asked.result()?);
    let Type::Sum(sum) = b.types.get(ty) else { return Err(Stop::broken("an object of no interface")) };
    let variants = b.types.sums[sum].variants.clone();
    let int = b.types.i32();
    let selector = b.convert(number, int);
    let mut cases = Vec::new();
    for (index, variant) in variants.iter().enumerate() {
        let region = b.new_region(&[]);
        let outer = b.switch_to(region);
        let made = reinterpret(b, payload, variant.ty).map(|value| {
            let value = b.value(Op::SumMake { variant: index as u32, value }, ty);
            b.yield_([value]);
        });
        b.switch_to(outer);
        made?;
        cases.push(([i64::from(variant.id)].into_iter().collect(), region));
    }
    let default = b.new_region(&[]);
    b.within(default, |b| {
        let value = b.zero(ty);
        b.yield_([value]);
    });
    Ok(vec![b.value(Op::Switch { selector, cases, default }, ty)])
}

fn to_words(b: &mut FuncBuilder<'_>, value: ValueId, words: &mut Vec<ValueId>) -> Lowering<()> {
    let ty = b.ty(value);
    match b.types.get(ty) {
        Type::Scalar(scalar) => {
            let word = b.types.scalar(Scalar::U32);
            words.push(match scalar {
                Scalar::U32 => value,
                Scalar::Bool => b.convert(value, word),
                scalar if scalar.bits() == 32 => b.value(Op::Bitcast(value), word),
                _ => return Err(Stop::unsupported("the bits of a type of this width")),
            });
            Ok(())
        }
        _ => {
            for index in 0..parts(b, ty)? {
                let part = b.field(value, index);
                to_words(b, part, words)?;
            }
            Ok(())
        }
    }
}

fn from_words(b: &mut FuncBuilder<'_>, ty: TypeId, words: &mut dyn Iterator<Item = ValueId>) -> Lowering<ValueId> {
    match b.types.get(ty) {
        Type::Scalar(scalar) => {
            let Some(word) = words.next() else { return Ok(b.zero(ty)) };
            match scalar {
                Scalar::U32 => Ok(word),
                Scalar::Bool => Ok(b.convert(word, ty)),
                scalar if scalar.bits() == 32 => Ok(b.value(Op::Bitcast(word), ty)),
                _ => Err(Stop::unsupported("the bits of a type of this width")),
            }
        }
        _ => {
            let mut values = Vec::new();
            for index in 0..parts(b, ty)? {
                let part = b
                    .types
                    .path_type(ty, &[ir::PathStep::Const(index)])
                    .ok_or_else(|| Stop::broken("a part that its type does not have"))?;
                values.push(from_words(b, part, words)?);
            }
            Ok(b.make(&values, ty))
        }
    }
}

/// The number of direct parts of an aggregate.
fn parts(b: &FuncBuilder<'_>, ty: TypeId) -> Lowering<u32> {
    match b.types.get(ty) {
        Type::Vector { len, .. } => Ok(len.into()),
        Type::Matrix { rows, .. } => Ok(rows.into()),
        Type::Array { len, .. } => Ok(len),
        Type::Struct(id) => Ok(b.types.structs[id].fields.len() as u32),
        Type::Scalar(_) | Type::Sum(_) | Type::Handle(_) | Type::Opaque(_) => {
            Err(Stop::unsupported("the bits of a value of this type"))
        }
    }
}

/// The bits of a 64-bit number as two of 32 bits, or the other way round, the low ones first: not all languages have an
/// operation for it.
pub(super) fn halves(b: &mut FuncBuilder<'_>, value: ValueId, ty: TypeId) -> Option<ValueId> {
    let (u32, u64) = (b.types.scalar(Scalar::U32), b.types.scalar(Scalar::U64));
    let bits = |b: &mut FuncBuilder<'_>| b.constant(Constant::Int(32), u64);
    match (b.type_of(value), b.types.get(ty)) {
        (Type::Scalar(from @ (Scalar::I64 | Scalar::U64 | Scalar::F64)), Type::Vector { scalar, len: 2 })
            if is_word(scalar) =>
        {
            let whole = match from {
                Scalar::F64 => b.value(Op::Bitcast(value), u64),
                _ => b.convert(value, u64),
            };
            let distance = bits(b);
            let high = b.binary(BinaryOp::Shr, whole, distance);
            let parts = [whole, high].map(|half| b.convert(half, u32));
            let pair = b.types.vector(Scalar::U32, 2);
            let pair = b.make(&parts, pair);
            Some(if b.ty(pair) == ty { pair } else { b.value(Op::Bitcast(pair), ty) })
        }
        (Type::Vector { scalar, len: 2 }, Type::Scalar(to @ (Scalar::I64 | Scalar::U64 | Scalar::F64)))
            if is_word(scalar) =>
        {
            let pair = b.types.vector(Scalar::U32, 2);
            let value = if b.ty(value) == pair { value } else { b.value(Op::Bitcast(value), pair) };
            let [low, high] = [0, 1].map(|index| {
                let half = b.field(value, index);
                b.convert(half, u64)
            });
            let distance = bits(b);
            let high = b.binary(BinaryOp::Shl, high, distance);
            let whole = b.binary(BinaryOp::Or, low, high);
            Some(match to {
                Scalar::F64 => b.value(Op::Bitcast(whole), ty),
                _ => b.convert(whole, ty),
            })
        }
        _ => None,
    }
}

fn is_word(scalar: Scalar) -> bool {
    scalar.bits() == 32 && scalar != Scalar::Bool
}
