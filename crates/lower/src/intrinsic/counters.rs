//! Buffers that are appended to and consumed. Direct3D counts their elements beside the buffer itself; elsewhere the count is
//! the one element of a second buffer, as slangc has it.

use ir::{AtomicOp, BinaryOp, Constant, HandleType, Intrinsic, Op, PathStep, Scalar, Type, ValueId};
use ir::{builder::FuncBuilder, intrinsic::BufferOp, op::Path};
use smallvec::smallvec;

use super::Asked;
use crate::error::{Lowering, Stop};

/// The elements, and the buffer that counts them if it is another.
pub(super) fn parts(b: &mut FuncBuilder<'_>, buffer: ValueId) -> (ValueId, Option<ValueId>) {
    match b.type_of(buffer) {
        Type::Struct(_) => (b.field(buffer, 0), Some(b.field(buffer, 1))),
        _ => (buffer, None),
    }
}

/// Adds an element at the end.
pub(super) fn append(b: &mut FuncBuilder<'_>, asked: &Asked<'_>) -> Lowering<Vec<ValueId>> {
    let (elements, counter) = parts(b, asked.arg(0)?);
    let value = asked.arg(1)?;
    let index = match counter {
        Some(counter) => add(b, counter, 1),
        None => count(b, BufferOp::IncrementCounter, elements),
    };
    b.op(Op::Store { handle: elements, path: at(index), value }, &[]);
    Ok(Vec::new())
}

/// Takes the last element away: zero if there is none, but for Direct3D, which does not say.
pub(super) fn consume(b: &mut FuncBuilder<'_>, asked: &Asked<'_>) -> Lowering<Vec<ValueId>> {
    let ty = asked.result()?;
    let (elements, counter) = parts(b, asked.arg(0)?);
    let Type::Handle(HandleType::StructuredBuffer { element, .. }) = b.type_of(elements) else {
        return Err(Stop::broken("elements of no buffer"));
    };
    let load = |b: &mut FuncBuilder<'_>, index| b.value(Op::Load { handle: elements, path: at(index) }, element);
    let value = match counter {
        None => {
            let index = count(b, BufferOp::DecrementCounter, elements);
            load(b, index)
        }
        Some(counter) => {
            let before = add(b, counter, -1);
            let (zero, one) = (b.i32(0), b.i32(1));
            let is_there = b.binary(BinaryOp::Greater, before, zero);
            let index = b.binary(BinaryOp::Sub, before, one);
            let values = b.if_(is_there, |b| vec![load(b, index)], |b| vec![b.zero(element)]);
            *values.first().ok_or_else(|| Stop::broken("a branch without a value"))?
        }
    };
    Ok(vec![b.convert(value, ty)])
}

fn at(index: ValueId) -> Path {
    [PathStep::Dynamic(index)].into_iter().collect()
}

/// Changes the count; gives what it was.
fn add(b: &mut FuncBuilder<'_>, counter: ValueId, change: i64) -> ValueId {
    let ty = b.types.scalar(Scalar::I32);
    let change = b.constant(Constant::Int(change), ty);
    let path = [PathStep::Const(0)].into_iter().collect();
    b.value(Op::Atomic { op: AtomicOp::Add, handle: counter, path, operands: smallvec![change] }, ty)
}

/// Changes the count beside a buffer; gives the place of the element that was added or taken away.
fn count(b: &mut FuncBuilder<'_>, op: BufferOp, buffer: ValueId) -> ValueId {
    let ty = b.types.scalar(Scalar::U32);
    b.value(Op::Intrinsic { intrinsic: Intrinsic::Buffer(op), args: smallvec![buffer] }, ty)
}
