//! The bits of a value read as another type: `reinterpret`, and interface values made from a type's number and its bits.

use ir::{
    BinaryOp, Constant, HandleType, MathFn, Op, Scalar, Type, TypeId, ValueId, builder::FuncBuilder, layout,
    provision::DataLayout,
};

use super::Asked;
use crate::error::{Lowering, Stop};

/// `value` read as a `ty`: both lie in words by the natural layout. Words that `value` does not have are zero.
pub(super) fn reinterpret(b: &mut FuncBuilder<'_>, value: ValueId, ty: TypeId) -> Lowering<ValueId> {
    if b.ty(value) == ty {
        return Ok(value);
    }
    let mut words = Vec::new();
    to_words(b, value, 0, &mut words)?;
    from_words(b, ty, 0, &words)
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

/// Puts the bits of `value` into the words from the byte `offset` on.
fn to_words(b: &mut FuncBuilder<'_>, value: ValueId, offset: u32, words: &mut Vec<ValueId>) -> Lowering<()> {
    let ty = b.ty(value);
    if is_pointer(b, ty) {
        let address = b.types.scalar(Scalar::U64);
        let address = b.value(Op::Bitcast(value), address);
        return to_words(b, address, offset, words);
    }
    let Type::Scalar(scalar) = b.types.get(ty) else {
        for (index, part) in (0..).zip(part_offsets(b, ty)?) {
            let value = b.field(value, index);
            to_words(b, value, offset + part, words)?;
        }
        return Ok(());
    };
    let word = b.types.scalar(Scalar::U32);
    let first = (offset / 4) as usize;
    while words.len() <= first + usize::from(scalar.bits() == 64) {
        words.push(b.zero(word));
    }
    match scalar.bits() {
        64 => {
            let pair = b.types.vector(Scalar::U32, 2);
            let pair = halves(b, value, pair).ok_or_else(|| Stop::broken("a number without halves"))?;
            for half in 0..2 {
                words[first + half as usize] = b.field(pair, half);
            }
        }
        32 => {
            words[first] = match scalar {
                Scalar::U32 => value,
                Scalar::Bool => b.convert(value, word),
                _ => b.value(Op::Bitcast(value), word),
            }
        }
        width => {
            let bits = match scalar {
                Scalar::F16 => {
                    let single = b.types.scalar(Scalar::F32);
                    let single = b.convert(value, single);
                    b.math(MathFn::F32ToF16, &[single], word)
                }
                _ => {
                    let wide = b.convert(value, word);
                    let mask = b.constant(Constant::Int((1 << width) - 1), word);
                    b.binary(BinaryOp::And, wide, mask)
                }
            };
            let distance = b.constant(Constant::Int(i64::from(offset % 4 * 8)), word);
            let bits = b.binary(BinaryOp::Shl, bits, distance);
            words[first] = b.binary(BinaryOp::Or, words[first], bits);
        }
    }
    Ok(())
}

/// A value made of the bits in the words from the byte `offset` on.
fn from_words(b: &mut FuncBuilder<'_>, ty: TypeId, offset: u32, words: &[ValueId]) -> Lowering<ValueId> {
    if is_pointer(b, ty) {
        let address = b.types.scalar(Scalar::U64);
        let address = from_words(b, address, offset, words)?;
        return Ok(b.value(Op::Bitcast(address), ty));
    }
    let Type::Scalar(scalar) = b.types.get(ty) else {
        let mut values = Vec::new();
        for (index, at) in (0..).zip(part_offsets(b, ty)?) {
            let part = b
                .types
                .path_type(ty, &[ir::PathStep::Const(index)])
                .ok_or_else(|| Stop::broken("a part that its type does not have"))?;
            values.push(from_words(b, part, offset + at, words)?);
        }
        return Ok(b.make(&values, ty));
    };
    let word = b.types.scalar(Scalar::U32);
    let first = (offset / 4) as usize;
    let Some(&bits) = words.get(first) else { return Ok(b.zero(ty)) };
    Ok(match scalar.bits() {
        64 => {
            let high = words.get(first + 1).copied().unwrap_or_else(|| b.zero(word));
            let pair = b.types.vector(Scalar::U32, 2);
            let pair = b.make(&[bits, high], pair);
            halves(b, pair, ty).ok_or_else(|| Stop::broken("a number without halves"))?
        }
        32 => match scalar {
            Scalar::U32 => bits,
            Scalar::Bool => b.convert(bits, ty),
            _ => b.value(Op::Bitcast(bits), ty),
        },
        width => {
            let distance = b.constant(Constant::Int(i64::from(offset % 4 * 8)), word);
            let bits = b.binary(BinaryOp::Shr, bits, distance);
            let mask = b.constant(Constant::Int((1 << width) - 1), word);
            let bits = b.binary(BinaryOp::And, bits, mask);
            match scalar {
                Scalar::F16 => {
                    let single = b.types.scalar(Scalar::F32);
                    let single = b.math(MathFn::F16ToF32, &[bits], single);
                    b.convert(single, ty)
                }
                _ => b.convert(bits, ty),
            }
        }
    })
}

/// The bits of a pointer are those of its address, a number.
fn is_pointer(b: &FuncBuilder<'_>, ty: TypeId) -> bool {
    matches!(b.types.get(ty), Type::Handle(HandleType::Pointer { .. }))
}

/// The natural offsets of the direct parts of an aggregate.
fn part_offsets(b: &FuncBuilder<'_>, ty: TypeId) -> Lowering<Vec<u32>> {
    let unsupported = || Stop::unsupported("the bits of a value of this type");
    let count = match b.types.get(ty) {
        Type::Struct(id) => {
            let fields = 0..b.types.structs[id].fields.len() as u32;
            let offsets = fields.map(|field| layout::field_offset(b.types, id, field));
            return offsets.collect::<Option<Vec<u32>>>().ok_or_else(unsupported);
        }
        Type::Vector { len, .. } => len.into(),
        Type::Matrix { rows, .. } => rows.into(),
        Type::Array { len, .. } => len,
        Type::Scalar(_) | Type::Sum(_) | Type::Handle(_) | Type::Opaque(_) => return Err(unsupported()),
    };
    let stride = layout::stride_in(b.types, ty, DataLayout::Scalar).ok_or_else(unsupported)?;
    Ok((0..count).map(|index| index * stride).collect())
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
