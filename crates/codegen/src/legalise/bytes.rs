//! Byte-address buffers for languages in which they are arrays of words, or in which values would lie in them otherwise
//! than in the natural layout: values are read and written part by part and word by word.

use ir::{BinaryOp, Constant, FuncId, MathFn, Module, Op, OpId, Scalar, Type, TypeId, ValueId, layout, op::MemoryOp};
use smallvec::SmallVec;

use super::rewrite::{Rewriter, rewrite};
use crate::EmitError;

/// The most words that are read or written as one value.
const MAX_WORDS: u32 = 1024;

/// What becomes of numbers that are written and narrower than a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Narrow {
    /// They are written one by one.
    Kept,
    /// Others may write what else is in the word.
    Refused,
}

/// Which types have no values that are read and written as wholes.
pub(crate) type Chosen<'a> = &'a dyn Fn(&Module, TypeId) -> bool;

/// Values of the types that are `chosen` are made of their parts, and those in the end of words.
pub(crate) fn to_words(
    module: &mut Module,
    functions: &[FuncId],
    narrow: Narrow,
    chosen: Chosen<'_>,
) -> Result<(), Vec<EmitError>> {
    let mut errors = Vec::new();
    for &id in functions {
        rewrite(module, id, &mut |w, op| {
            let ty = match &w.func.ops[op].op {
                Op::ByteLoad { .. } => w.func.ops[op].results.first().map(|&result| w.ty(result)),
                Op::ByteStore { value, .. } => Some(w.ty(*value)),
                _ => None,
            };
            if !ty.is_some_and(|ty| chosen(w.module, ty)) {
                return w.keep(op);
            }
            let supported = by_words(w, op, narrow, chosen);
            if let Err(message) = supported {
                errors.push(EmitError::new(w.span, message));
            }
        });
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

/// Whether numbers of less than 32 bits are in a value.
pub(crate) fn has_narrow_parts(module: &Module, ty: TypeId) -> bool {
    match module.types.get(ty) {
        Type::Array { element, .. } => has_narrow_parts(module, element),
        Type::Struct(id) => module.types.structs[id].fields.iter().any(|field| has_narrow_parts(module, field.ty)),
        Type::Scalar(scalar) | Type::Vector { scalar, .. } | Type::Matrix { scalar, .. } => scalar.bits() < 32,
        Type::Sum(_) | Type::Handle(_) | Type::Opaque(_) => false,
    }
}

pub(super) fn by_words(w: &mut Rewriter<'_>, op: OpId, narrow: Narrow, chosen: Chosen<'_>) -> Result<(), &'static str> {
    let data = w.func.ops[op].clone();
    match data.op.memory() {
        Some(MemoryOp::ByteLoad { handle, offset }) => {
            let ty = w.ty(data.results[0]);
            if w.module.types.get(ty) == Type::Scalar(Scalar::U32) {
                w.keep(op);
                return Ok(());
            }
            check_size(w, ty)?;
            let value = load(w, (handle, offset), 0, ty, chosen)?;
            w.replace(op, Op::Detach(value));
        }
        Some(MemoryOp::ByteStore { handle, offset, value }) => {
            if w.type_of(value) == Type::Scalar(Scalar::U32) {
                w.keep(op);
                return Ok(());
            }
            check_size(w, w.ty(value))?;
            store(w, (handle, offset), 0, value, (narrow, chosen))?;
        }
        Some(
            MemoryOp::Load { .. }
            | MemoryOp::Store { .. }
            | MemoryOp::Atomic { .. }
            | MemoryOp::ByteAtomic { .. }
            | MemoryOp::Length { .. },
        )
        | None => w.keep(op),
    }
    Ok(())
}

fn check_size(w: &Rewriter<'_>, ty: TypeId) -> Result<(), &'static str> {
    match layout::layout(&w.module.types, ty) {
        Some(layout) if layout.size <= MAX_WORDS * 4 => Ok(()),
        _ => Err("a value is too large to be read or written as a whole"),
    }
}

fn at(w: &mut Rewriter<'_>, offset: ValueId, more: u32) -> ValueId {
    if more == 0 {
        return offset;
    }
    if let Some(&Op::Const(Constant::Int(start))) = w.func.defining_op(offset).map(|data| &data.op) {
        return w.u32((start as u32).wrapping_add(more));
    }
    let more = w.u32(more);
    w.binary(BinaryOp::Add, offset, more)
}

/// The parts of an aggregate and their offsets; `None` for scalars.
fn parts(w: &mut Rewriter<'_>, ty: TypeId) -> Option<Vec<(TypeId, u32)>> {
    let (element, count) = match w.module.types.get(ty) {
        Type::Struct(id) => {
            let fields = w.module.types.structs[id].fields.iter().enumerate();
            let offset = |index: usize| layout::field_offset(&w.module.types, id, index as u32).unwrap_or(0);
            return Some(fields.map(|(index, field)| (field.ty, offset(index))).collect());
        }
        Type::Vector { scalar, len } => (w.module.types.scalar(scalar), u32::from(len)),
        Type::Matrix { scalar, rows, cols } => (w.module.types.vector(scalar, cols), rows.into()),
        Type::Array { element, len } => (element, len),
        _ => return None,
    };
    let stride = layout::layout(&w.module.types, element).map_or(4, |layout| layout.stride());
    Some((0..count).map(|index| (element, index * stride)).collect())
}

fn load(
    w: &mut Rewriter<'_>,
    (handle, start): (ValueId, ValueId),
    more: u32,
    ty: TypeId,
    chosen: Chosen<'_>,
) -> Result<ValueId, &'static str> {
    if !chosen(w.module, ty) {
        let offset = at(w, start, more);
        return Ok(w.add(Op::ByteLoad { handle, offset }, ty));
    }
    if let Some(parts) = parts(w, ty) {
        let values = parts
            .into_iter()
            .map(|(part, offset)| load(w, (handle, start), more + offset, part, chosen))
            .collect::<Result<SmallVec<[ValueId; 4]>, _>>()?;
        return Ok(w.add(Op::Make(values), ty));
    }
    let Type::Scalar(scalar) = w.module.types.get(ty) else { return Err("a value of this type cannot be in memory") };
    let u32 = w.module.types.scalar(Scalar::U32);
    let offset = at(w, start, more);
    if scalar.bits() < 32 {
        return Ok(load_part(w, handle, offset, scalar));
    }
    let word = w.add(Op::ByteLoad { handle, offset }, u32);
    match scalar {
        Scalar::U32 => Ok(word),
        Scalar::Bool => Ok(w.add(Op::Convert(word), ty)),
        Scalar::I32 | Scalar::F32 => Ok(w.add(Op::Bitcast(word), ty)),
        Scalar::U64 | Scalar::I64 | Scalar::F64 => {
            let u64 = w.module.types.scalar(Scalar::U64);
            let offset = at(w, start, more + 4);
            let high = w.add(Op::ByteLoad { handle, offset }, u32);
            let low = w.add(Op::Convert(word), u64);
            let high = w.add(Op::Convert(high), u64);
            let count = w.add(Op::Const(Constant::Int(32)), u64);
            let high = w.binary(BinaryOp::Shl, high, count);
            let bits = w.binary(BinaryOp::Or, high, low);
            Ok(w.bitcast(bits, ty))
        }
        Scalar::I8 | Scalar::U8 | Scalar::I16 | Scalar::U16 | Scalar::F16 => Err(NARROW),
    }
}

/// What is narrower than the word in which it is.
fn load_part(w: &mut Rewriter<'_>, handle: ValueId, offset: ValueId, scalar: Scalar) -> ValueId {
    let (u32, ty) = (w.module.types.scalar(Scalar::U32), w.module.types.scalar(scalar));
    let (offset, shift) = match w.func.defining_op(offset).map(|data| &data.op) {
        Some(&Op::Const(Constant::Int(start))) => {
            let start = start as u32;
            (w.u32(start & !3), w.u32(start % 4 * 8))
        }
        _ => {
            let (whole, within, three) = (w.u32(!3), w.u32(3), w.u32(3));
            let start = w.binary(BinaryOp::And, offset, whole);
            let within = w.binary(BinaryOp::And, offset, within);
            (start, w.binary(BinaryOp::Shl, within, three))
        }
    };
    let word = w.add(Op::ByteLoad { handle, offset }, u32);
    let shifted = w.binary(BinaryOp::Shr, word, shift);
    let mask = w.u32((1 << scalar.bits()) - 1);
    let part = w.binary(BinaryOp::And, shifted, mask);
    if scalar != Scalar::F16 {
        return w.add(Op::Convert(part), ty);
    }
    let single = w.module.types.scalar(Scalar::F32);
    let single = w.add(Op::Math(MathFn::F16ToF32, SmallVec::from_iter([part])), single);
    w.add(Op::Convert(single), ty)
}

const NARROW: &str = "writing values of less than 32 bits to a byte-address buffer is not supported for this target";

fn store(
    w: &mut Rewriter<'_>,
    (handle, start): (ValueId, ValueId),
    more: u32,
    value: ValueId,
    (narrow, chosen): (Narrow, Chosen<'_>),
) -> Result<(), &'static str> {
    if !chosen(w.module, w.ty(value)) {
        let offset = at(w, start, more);
        w.add_many(Op::ByteStore { handle, offset, value }, &[]);
        return Ok(());
    }
    if let Some(parts) = parts(w, w.ty(value)) {
        for (index, (part, offset)) in parts.into_iter().enumerate() {
            let part = w.extract(value, index as u32, part);
            store(w, (handle, start), more + offset, part, (narrow, chosen))?;
        }
        return Ok(());
    }
    let Type::Scalar(scalar) = w.type_of(value) else { return Err("a value of this type cannot be in memory") };
    let u32 = w.module.types.scalar(Scalar::U32);
    let words = match scalar {
        Scalar::U32 => vec![value],
        Scalar::Bool => vec![w.add(Op::Convert(value), u32)],
        Scalar::I32 | Scalar::F32 => vec![w.add(Op::Bitcast(value), u32)],
        Scalar::U64 | Scalar::I64 | Scalar::F64 => {
            let u64 = w.module.types.scalar(Scalar::U64);
            let bits = w.bitcast(value, u64);
            let count = w.add(Op::Const(Constant::Int(32)), u64);
            let high = w.binary(BinaryOp::Shr, bits, count);
            vec![w.add(Op::Convert(bits), u32), w.add(Op::Convert(high), u32)]
        }
        Scalar::I8 | Scalar::U8 | Scalar::I16 | Scalar::U16 | Scalar::F16 if narrow == Narrow::Kept => vec![value],
        Scalar::I8 | Scalar::U8 | Scalar::I16 | Scalar::U16 | Scalar::F16 => return Err(NARROW),
    };
    for (index, value) in words.into_iter().enumerate() {
        let offset = at(w, start, more + 4 * index as u32);
        w.add_many(Op::ByteStore { handle, offset, value }, &[]);
    }
    Ok(())
}
