//! Atomic operations on floats, which not every language has: the memory holds their bits, and a loop exchanges them
//! until nobody else did in between.

use ir::{
    AtomicOp, BinaryOp, FuncId, GlobalId, HandleType, MathFn, Module, Op, OpId, Scalar, StructId, Type, TypeId,
    ValueId, op::MemoryOp,
};
use smallvec::SmallVec;

use super::for_each_op;
use super::rewrite::{Rewriter, rewrite};
use crate::EmitError;

pub(crate) fn to_loops(module: &mut Module, functions: &[FuncId]) -> Result<(), Vec<EmitError>> {
    let (mut globals, mut errors) = (Vec::new(), Vec::new());
    for &id in functions {
        find(module, id, &mut globals, &mut errors);
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    let mut bits = Bits { u32: module.types.scalar(Scalar::U32), structs: Vec::new() };
    for &global in &globals {
        if let Type::Handle(handle) = module.types.get(module.globals[global].ty)
            && let Some(handle) = bits.handle(module, handle)
        {
            module.globals[global].ty = module.types.intern(Type::Handle(handle));
        }
    }
    for &id in functions {
        rewrite(module, id, &mut |w, op| through_bits(w, op, &globals, &mut bits));
    }
    Ok(())
}

/// Whether there is an atomic operation on a float.
pub(crate) fn are_there(module: &Module, functions: &[FuncId]) -> bool {
    functions.iter().any(|&id| {
        let func = &module.funcs[id];
        let mut found = false;
        for_each_op(func, |op| {
            let data = &func.ops[op];
            found |= matches!(data.op, Op::Atomic { .. })
                && module.types.get(func.ty(data.results[0])) == Type::Scalar(Scalar::F32);
        });
        found
    })
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
        if let Op::Atomic { path, .. } = &data.op
            && let Some((_, before)) = path.split_last()
            && let Some((_, outer)) = before.split_last()
            && matches!(module.types.part_type(func.ty(*handle), outer), Some(Type::Matrix { .. }))
        {
            return errors.push(unsupported(data.span));
        }
        let global = match func.defining_op(*handle).map(|data| &data.op) {
            Some(&Op::Global(global)) => global,
            _ => return errors.push(unsupported(data.span)),
        };
        match module.types.get(module.globals[global].ty) {
            Type::Handle(HandleType::StructuredBuffer { .. } | HandleType::Variable { .. }) => {
                if !globals.contains(&global) {
                    globals.push(global);
                }
            }
            _ => errors.push(unsupported(data.span)),
        }
    });
}

fn unsupported(span: ir::SpanId) -> EmitError {
    EmitError::new(span, "an atomic operation on a float in this kind of memory is not supported for this target")
}

/// Types with integers in place of floats, as they were made.
struct Bits {
    u32: TypeId,
    structs: Vec<(StructId, TypeId)>,
}

impl Bits {
    fn handle(&mut self, module: &mut Module, handle: HandleType) -> Option<HandleType> {
        Some(match handle {
            HandleType::StructuredBuffer { element, writable } => {
                HandleType::StructuredBuffer { element: self.of(module, element), writable }
            }
            HandleType::Variable { content } => HandleType::Variable { content: self.of(module, content) },
            _ => return None,
        })
    }

    /// Matrices stay as they are.
    fn of(&mut self, module: &mut Module, ty: TypeId) -> TypeId {
        match module.types.get(ty) {
            Type::Scalar(Scalar::F32) => self.u32,
            Type::Vector { scalar: Scalar::F32, len } => module.types.vector(Scalar::U32, len),
            Type::Array { element, len } => {
                let element = self.of(module, element);
                module.types.array(element, len)
            }
            Type::Struct(id) => {
                if let Some(&(_, bits)) = self.structs.iter().find(|(other, _)| *other == id) {
                    return bits;
                }
                let mut def = module.types.structs[id].clone();
                for field in &mut def.fields {
                    field.ty = self.of(module, field.ty);
                }
                if def.fields == module.types.structs[id].fields {
                    return ty;
                }
                def.name = format!("{}_bits", def.name).into();
                def.differential = None;
                let bits = module.types.add_struct(def);
                self.structs.push((id, bits));
                bits
            }
            _ => ty,
        }
    }
}

fn through_bits(w: &mut Rewriter<'_>, op: OpId, globals: &[GlobalId], bits: &mut Bits) {
    let u32 = bits.u32;
    let data = w.func.ops[op].clone();
    let is_one = |w: &Rewriter<'_>, handle: ValueId| matches!(w.func.defining_op(handle).map(|data| &data.op), Some(Op::Global(global)) if globals.contains(global));
    if let Op::Global(global) = data.op
        && globals.contains(&global)
    {
        w.func.values[data.results[0]].ty = w.module.globals[global].ty;
        return w.keep(op);
    }
    match data.op.memory() {
        Some(MemoryOp::Load { handle, path }) if is_one(w, handle) => {
            let load = Op::Load { handle, path: path.clone() };
            let to = w.ty(data.results[0]);
            let from = bits.of(w.module, to);
            let loaded = w.add(load, from);
            let value = convert(w, loaded, to);
            w.replace(op, Op::Detach(value));
        }
        Some(MemoryOp::Store { handle, path, value }) if is_one(w, handle) => {
            let ty = bits.of(w.module, w.ty(value));
            let value = convert(w, value, ty);
            w.replace(op, Op::Store { handle, path: path.clone(), value });
        }
        Some(MemoryOp::Atomic { op: atomic, operands, .. } | MemoryOp::ByteAtomic { op: atomic, operands, .. })
            if w.type_of(data.results[0]) == Type::Scalar(Scalar::F32) =>
        {
            let float = w.ty(data.results[0]);
            match atomic {
                AtomicOp::Exchange | AtomicOp::CompareExchange => {
                    let words: SmallVec<[ValueId; 2]> = operands.iter().map(|&value| w.bitcast(value, u32)).collect();
                    let old = w.add(with_operands(&data.op, atomic, words), u32);
                    w.replace(op, Op::Bitcast(old));
                }
                _ => exchange_loop(w, op, &data.op, atomic, operands[0], float, u32),
            }
        }
        Some(
            MemoryOp::Load { .. }
            | MemoryOp::Store { .. }
            | MemoryOp::Atomic { .. }
            | MemoryOp::ByteLoad { .. }
            | MemoryOp::ByteStore { .. }
            | MemoryOp::ByteAtomic { .. }
            | MemoryOp::Length { .. },
        )
        | None => w.keep(op),
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

/// A value of a type that differs from its own in which scalars are floats and which hold the bits of floats.
fn convert(w: &mut Rewriter<'_>, value: ValueId, to: TypeId) -> ValueId {
    if w.ty(value) == to {
        return value;
    }
    let parts: Vec<(TypeId, TypeId)> = match (w.type_of(value), w.module.types.get(to)) {
        (Type::Array { element, len }, Type::Array { element: to, .. }) => vec![(element, to); len as usize],
        (Type::Struct(from), Type::Struct(to)) => {
            let fields = w.module.types.structs[from].fields.iter().zip(&w.module.types.structs[to].fields);
            fields.map(|(from, to)| (from.ty, to.ty)).collect()
        }
        _ => return w.bitcast(value, to),
    };
    let parts: SmallVec<[ValueId; 4]> = parts
        .into_iter()
        .enumerate()
        .map(|(index, (from, to))| {
            let part = w.extract(value, index as u32, from);
            convert(w, part, to)
        })
        .collect();
    w.add(Op::Make(parts), to)
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
