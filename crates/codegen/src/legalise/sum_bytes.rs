//! Interface values in buffers: such buffers become byte-address buffers. An interface value takes two words of run-time
//! type, which are not looked at, two words with the id of its type, and the payload (see [`ir::layout`]).

use ir::{
    BinaryOp, FuncId, GlobalId, GlobalKind, HandleType, MathFn, Module, Op, OpId, PathStep, Type, TypeId, ValueId,
    layout::{self, SUM_HEADER, SUM_ID_OFFSET},
    op::MemoryOp,
};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::rewrite::{Rewriter, rewrite};
use super::sums::holds_sum;
use crate::EmitError;

/// The most elements of an array of interface values that are read or written as a whole.
const MAX_ELEMENTS: u32 = 64;

/// The types of the elements of the buffers that are concerned.
type Elements = FxHashMap<GlobalId, TypeId>;

/// Handles must be globals (`handles`).
pub(crate) fn to_byte_buffers(module: &mut Module, functions: &[FuncId]) -> Result<(), Vec<EmitError>> {
    let mut elements = Elements::default();
    let globals: Vec<GlobalId> = module.globals.iter().map(|(id, _)| id).collect();
    for global in globals {
        let data = &module.globals[global];
        if data.kind == GlobalKind::Parameter
            && let Type::Handle(HandleType::StructuredBuffer { element, writable }) = module.types.get(data.ty)
            && holds_sum(module, element)
        {
            elements.insert(global, element);
            let bytes = module.types.intern(Type::Handle(HandleType::ByteAddressBuffer { writable }));
            module.globals[global].ty = bytes;
        }
    }
    if elements.is_empty() {
        return Ok(());
    }
    let mut errors = Vec::new();
    for &id in functions {
        rewrite(module, id, &mut |w, op| {
            if let Err(message) = by_bytes(w, op, &elements) {
                errors.push(EmitError::new(w.span, message));
            }
        });
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

fn by_bytes(w: &mut Rewriter<'_>, op: OpId, elements: &Elements) -> Result<(), &'static str> {
    let data = w.func.ops[op].clone();
    let handle = match &data.op {
        Op::Global(global) => {
            w.func.values[data.results[0]].ty = w.module.globals[*global].ty;
            None
        }
        Op::Load { handle, .. }
        | Op::Store { handle, .. }
        | Op::Atomic { handle, .. }
        | Op::BufferLength { handle } => Some(*handle),
        _ => None,
    };
    let element = handle.and_then(|handle| match w.func.defining_op(handle)?.op {
        Op::Global(global) => elements.get(&global).copied(),
        _ => None,
    });
    let Some(element) = element else {
        w.keep(op);
        return Ok(());
    };
    match data.op.memory() {
        Some(MemoryOp::Load { handle, path }) => {
            let start = start(w, element, path)?;
            let ty = w.ty(data.results[0]);
            let value = load(w, handle, start, 0, ty)?;
            w.replace(op, Op::Detach(value));
        }
        Some(MemoryOp::Store { handle, path, value }) => {
            let start = start(w, element, path)?;
            store(w, handle, start, 0, value)?;
        }
        Some(MemoryOp::Atomic { op: atomic, handle, path, operands }) => {
            let offset = start(w, element, path)?;
            w.replace(op, Op::ByteAtomic { op: atomic, handle, offset, operands: operands.clone() });
        }
        Some(MemoryOp::Length { handle }) => {
            let bytes = w.ty(data.results[0]);
            let bytes = w.add(Op::BufferLength { handle }, bytes);
            let stride = stride(w, element)?;
            let stride = w.u32(stride);
            w.replace(op, Op::Binary(BinaryOp::Div, bytes, stride));
        }
        Some(MemoryOp::ByteLoad { .. } | MemoryOp::ByteStore { .. } | MemoryOp::ByteAtomic { .. }) | None => w.keep(op),
    }
    Ok(())
}

const NO_LAYOUT: &str = "a value of this type cannot be in memory";

fn stride(w: &Rewriter<'_>, ty: TypeId) -> Result<u32, &'static str> {
    layout::layout(&w.module.types, ty).map(|layout| layout.stride()).filter(|&stride| stride > 0).ok_or(NO_LAYOUT)
}

/// The byte at which the part of the buffer starts.
fn start(w: &mut Rewriter<'_>, element: TypeId, path: &[PathStep]) -> Result<ValueId, &'static str> {
    let (&first, rest) = path.split_first().ok_or("a buffer cannot be read as a whole")?;
    let size = stride(w, element)?;
    let (mut ty, mut inside) = (element, 0);
    for &step in rest {
        let PathStep::Const(index) = step else {
            return Err("an element that is chosen at run time beside interface values in a buffer is not supported");
        };
        inside += match w.module.types.get(ty) {
            Type::Struct(id) => layout::field_offset(&w.module.types, id, index).ok_or(NO_LAYOUT)?,
            _ => {
                let part = w.module.types.path_type(ty, &[step]).ok_or(NO_LAYOUT)?;
                index * stride(w, part)?
            }
        };
        ty = w.module.types.path_type(ty, &[step]).ok_or(NO_LAYOUT)?;
    }
    Ok(match first {
        PathStep::Const(index) => w.u32(index.saturating_mul(size).saturating_add(inside)),
        PathStep::Dynamic(index) => {
            let last = w.u32((u32::MAX - inside) / size);
            let u32 = w.ty(last);
            let index = if w.ty(index) == u32 { index } else { w.add(Op::Convert(index), u32) };
            // What is far out of bounds must not come back in by wrapping around.
            let index = w.add(Op::Math(MathFn::Min, SmallVec::from_slice(&[index, last])), u32);
            let size = w.u32(size);
            let start = w.binary(BinaryOp::Mul, index, size);
            at(w, start, inside)
        }
    })
}

fn at(w: &mut Rewriter<'_>, start: ValueId, more: u32) -> ValueId {
    if more == 0 {
        return start;
    }
    let more = w.u32(more);
    w.binary(BinaryOp::Add, start, more)
}

/// The parts of an aggregate that holds interface values, and their offsets.
fn parts(w: &mut Rewriter<'_>, ty: TypeId) -> Result<Vec<(TypeId, u32)>, &'static str> {
    match w.module.types.get(ty) {
        Type::Struct(id) => {
            let fields = w.module.types.structs[id].fields.iter().enumerate();
            fields
                .map(|(index, field)| {
                    let offset = layout::field_offset(&w.module.types, id, index as u32);
                    Ok((field.ty, offset.ok_or(NO_LAYOUT)?))
                })
                .collect()
        }
        Type::Array { element, len } if len <= MAX_ELEMENTS => {
            let stride = stride(w, element)?;
            Ok((0..len).map(|index| (element, index * stride)).collect())
        }
        Type::Array { .. } => Err("a value is too large to be read or written as a whole"),
        _ => Err(NO_LAYOUT),
    }
}

fn load(w: &mut Rewriter<'_>, handle: ValueId, start: ValueId, more: u32, ty: TypeId) -> Result<ValueId, &'static str> {
    if !holds_sum(w.module, ty) {
        let offset = at(w, start, more);
        return Ok(w.add(Op::ByteLoad { handle, offset }, ty));
    }
    let Type::Sum(sum) = w.module.types.get(ty) else {
        let parts = parts(w, ty)?;
        let values = parts
            .into_iter()
            .map(|(part, offset)| load(w, handle, start, more + offset, part))
            .collect::<Result<SmallVec<[ValueId; 4]>, _>>()?;
        return Ok(w.add(Op::Make(values), ty));
    };
    let offset = at(w, start, more + SUM_ID_OFFSET);
    let u32 = w.module.types.scalar(ir::Scalar::U32);
    let id = w.add(Op::ByteLoad { handle, offset }, u32);
    let variants = w.module.types.sums[sum].variants.clone();
    let mut cases = Vec::new();
    let mut failed = Ok(());
    for (index, variant) in (0..).zip(&variants) {
        let region = w.region(&[], |w, _| match load(w, handle, start, more + SUM_HEADER, variant.ty) {
            Ok(value) => vec![w.add(Op::SumMake { variant: index, value }, ty)],
            Err(message) => {
                failed = Err(message);
                Vec::new()
            }
        });
        cases.push((SmallVec::from_iter([i64::from(variant.id)]), region));
    }
    failed?;
    // An id that no type has: null, or where there is none the first type with nothing in it.
    let first = variants.first().map(|variant| variant.ty);
    let default = w.region(&[], |w, _| match first {
        Some(first) if !w.module.types.sum_has_null(sum) => {
            let value = w.add(Op::Zero, first);
            vec![w.add(Op::SumMake { variant: 0, value }, ty)]
        }
        _ => vec![w.add(Op::Zero, ty)],
    });
    Ok(w.add(Op::Switch { selector: id, cases, default }, ty))
}

fn store(w: &mut Rewriter<'_>, handle: ValueId, start: ValueId, more: u32, value: ValueId) -> Result<(), &'static str> {
    let ty = w.ty(value);
    if !holds_sum(w.module, ty) {
        let offset = at(w, start, more);
        w.add_many(Op::ByteStore { handle, offset, value }, &[]);
        return Ok(());
    }
    let Type::Sum(sum) = w.module.types.get(ty) else {
        for (index, (part, offset)) in parts(w, ty)?.into_iter().enumerate() {
            let part = w.extract(value, index as u32, part);
            store(w, handle, start, more + offset, part)?;
        }
        return Ok(());
    };
    let variants = w.module.types.sums[sum].variants.clone();
    let mut failed = Ok(());
    let mut regions = Vec::new();
    for variant in variants {
        regions.push(w.region(&[(variant.ty, "payload")], |w, params| {
            for (offset, word) in [(SUM_ID_OFFSET, variant.id), (SUM_ID_OFFSET + 4, 0)] {
                let offset = at(w, start, more + offset);
                let value = w.u32(word);
                w.add_many(Op::ByteStore { handle, offset, value }, &[]);
            }
            if let Some(&payload) = params.first()
                && let Err(message) = store(w, handle, start, more + SUM_HEADER, payload)
            {
                failed = Err(message);
            }
            Vec::new()
        }));
    }
    failed?;
    let null = w.module.types.sum_has_null(sum).then(|| w.region(&[], |_, _| Vec::new()));
    w.add_many(Op::SumMatch { sum: value, variants: regions, null }, &[]);
    Ok(())
}
