//! Atomic operations on floats, which not every language has: the memory holds their bits, and a loop exchanges them
//! until nobody else did in between.

use ir::{AtomicOp, BinaryOp, FuncId, GlobalId, HandleType, MathFn, Module, Op, OpId, Scalar, Type, TypeId, ValueId};
use smallvec::SmallVec;

use super::for_each_op;
use super::rewrite::{Rewriter, rewrite};
use crate::EmitError;

pub fn to_loops(module: &mut Module, functions: &[FuncId]) -> Result<(), Vec<EmitError>> {
    let (mut globals, mut errors) = (Vec::new(), Vec::new());
    for &id in functions {
        find(module, id, &mut globals, &mut errors);
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    let u32 = module.types.scalar(Scalar::U32);
    for &global in &globals {
        if let Type::Handle(handle) = module.types.get(module.globals[global].ty)
            && let Some(handle) = of_bits(module, handle, u32)
        {
            module.globals[global].ty = module.types.intern(Type::Handle(handle));
        }
    }
    for &id in functions {
        rewrite(module, id, &mut |w, op| through_bits(w, op, &globals, u32));
    }
    Ok(())
}

/// The globals on whose floats atomic operations work.
fn find(module: &Module, id: FuncId, globals: &mut Vec<GlobalId>, errors: &mut Vec<EmitError>) {
    let func = &module.funcs[id];
    for_each_op(func, |op| {
        let data = &func.ops[op];
        let (Op::Atomic { handle, .. } | Op::ByteAtomic { handle, .. }) = &data.op else { return };
        if module.types.get(func.ty(data.results[0])) != Type::Scalar(Scalar::F32) {
            return;
        }
        if let Op::ByteAtomic { .. } = data.op {
            return;
        }
        let global = match func.defining_op(*handle).map(|data| &data.op) {
            Some(&Op::Global(global)) => global,
            _ => return errors.push(unsupported(data.span)),
        };
        match module.types.get(module.globals[global].ty) {
            Type::Handle(handle) if scalars(module, handle).is_some() => {
                if !globals.contains(&global) {
                    globals.push(global);
                }
            }
            _ => errors.push(unsupported(data.span)),
        }
    });
}

fn unsupported(span: ir::SpanId) -> EmitError {
    EmitError::new(span, "an atomic operation on a float inside of a struct or vector is not supported for this target")
}

/// Whether memory is of floats alone, or of arrays of them.
fn scalars(module: &Module, handle: HandleType) -> Option<()> {
    let mut content = match handle {
        HandleType::StructuredBuffer { element, .. } => element,
        HandleType::Variable { content } => content,
        _ => return None,
    };
    while let Type::Array { element, .. } = module.types.get(content) {
        content = element;
    }
    (module.types.get(content) == Type::Scalar(Scalar::F32)).then_some(())
}

fn of_bits(module: &mut Module, handle: HandleType, u32: TypeId) -> Option<HandleType> {
    Some(match handle {
        HandleType::StructuredBuffer { element, writable } => {
            HandleType::StructuredBuffer { element: bits_type(module, element, u32), writable }
        }
        HandleType::Variable { content } => HandleType::Variable { content: bits_type(module, content, u32) },
        _ => return None,
    })
}

fn bits_type(module: &mut Module, ty: TypeId, u32: TypeId) -> TypeId {
    match module.types.get(ty) {
        Type::Array { element, len } => {
            let element = bits_type(module, element, u32);
            module.types.array(element, len)
        }
        _ => u32,
    }
}

fn through_bits(w: &mut Rewriter<'_>, op: OpId, globals: &[GlobalId], u32: TypeId) {
    let data = w.func.ops[op].clone();
    let is_one = |w: &Rewriter<'_>, handle: ValueId| matches!(w.func.defining_op(handle).map(|data| &data.op), Some(Op::Global(global)) if globals.contains(global));
    match &data.op {
        Op::Global(global) if globals.contains(global) => {
            w.func.values[data.results[0]].ty = w.module.globals[*global].ty;
            w.keep(op);
        }
        Op::Load { handle, path } if is_one(w, *handle) => {
            let load = Op::Load { handle: *handle, path: path.clone() };
            let ty = bits_type(w.module, w.ty(data.results[0]), u32);
            let bits = w.add(load, ty);
            reinterpret(w, op, bits);
        }
        Op::Store { handle, path, value } if is_one(w, *handle) => {
            let value = convert(w, *value, u32);
            w.replace(op, Op::Store { handle: *handle, path: path.clone(), value });
        }
        Op::Atomic { op: atomic, operands, .. } | Op::ByteAtomic { op: atomic, operands, .. }
            if w.type_of(data.results[0]) == Type::Scalar(Scalar::F32) =>
        {
            let float = w.ty(data.results[0]);
            match atomic {
                AtomicOp::Exchange | AtomicOp::CompareExchange => {
                    let words: SmallVec<[ValueId; 2]> = operands.iter().map(|&value| w.bitcast(value, u32)).collect();
                    let old = w.add(with_operands(&data.op, *atomic, words), u32);
                    w.replace(op, Op::Bitcast(old));
                }
                _ => exchange_loop(w, op, &data.op, *atomic, operands[0], float, u32),
            }
        }
        _ => w.keep(op),
    }
}

/// The same place with another operation.
fn with_operands(place: &Op, op: AtomicOp, operands: SmallVec<[ValueId; 2]>) -> Op {
    match place {
        Op::Atomic { handle, path, .. } => Op::Atomic { op, handle: *handle, path: path.clone(), operands },
        Op::ByteAtomic { handle, offset, .. } => Op::ByteAtomic { op, handle: *handle, offset: *offset, operands },
        other => other.clone(),
    }
}

/// The result of `op` becomes the floats that `bits` are.
fn reinterpret(w: &mut Rewriter<'_>, op: OpId, bits: ValueId) {
    match w.type_of(bits) {
        Type::Array { .. } => {
            let float = w.module.types.f32();
            let value = convert(w, bits, float);
            w.replace(op, Op::Detach(value));
        }
        _ => w.replace(op, Op::Bitcast(bits)),
    }
}

/// A scalar or an array of scalars as one of `to`, with the same bits.
fn convert(w: &mut Rewriter<'_>, value: ValueId, to: TypeId) -> ValueId {
    let Type::Array { element, len } = w.type_of(value) else { return w.bitcast(value, to) };
    let parts: SmallVec<[ValueId; 4]> = (0..len)
        .map(|index| {
            let part = w.extract(value, index, element);
            convert(w, part, to)
        })
        .collect();
    let element = bits_type(w.module, element, to);
    let ty = w.module.types.array(element, len);
    w.add(Op::Make(parts), ty)
}

/// `old` is what is believed to be in memory; the exchange says what was there.
fn exchange_loop(
    w: &mut Rewriter<'_>,
    op: OpId,
    place: &Op,
    atomic: AtomicOp,
    operand: ValueId,
    float: TypeId,
    u32: TypeId,
) {
    let first = match place {
        Op::Atomic { handle, path, .. } => w.add(Op::Load { handle: *handle, path: path.clone() }, u32),
        Op::ByteAtomic { handle, offset, .. } => w.add(Op::ByteLoad { handle: *handle, offset: *offset }, u32),
        _ => return w.keep(op),
    };
    let bool_ = w.module.types.bool();
    let yes = w.add(Op::Const(ir::Constant::Bool(true)), bool_);
    let names = [(u32, "old"), (bool_, "again")];
    let cond = w.region(&names, |_, params| vec![params[1]]);
    let body = w.region(&names, |w, params| {
        let value = w.add(Op::Bitcast(params[0]), float);
        let new = match atomic {
            AtomicOp::Min => w.add(Op::Math(MathFn::Min, SmallVec::from_slice(&[value, operand])), float),
            AtomicOp::Max => w.add(Op::Math(MathFn::Max, SmallVec::from_slice(&[value, operand])), float),
            _ => w.binary(BinaryOp::Add, value, operand),
        };
        let new = w.add(Op::Bitcast(new), u32);
        let exchange = with_operands(place, AtomicOp::CompareExchange, SmallVec::from_slice(&[params[0], new]));
        let seen = w.add(exchange, u32);
        let again = w.binary(BinaryOp::NotEqual, seen, params[0]);
        vec![seen, again]
    });
    let bound = ir::op::LoopBound::default();
    let results = w.add_many(Op::Loop { init: SmallVec::from_slice(&[first, yes]), cond, body, bound }, &names);
    w.replace(op, Op::Bitcast(results[0]));
}
