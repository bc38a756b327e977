//! Buffers of bytes, in languages in which they are arrays of words, seen as arrays of other numbers: by a second parameter at
//! the same place. A number of 16 bits is written so without a word around it, which others may write, and one of 64 bits is
//! changed in one step.

use ir::{
    BinaryOp, Constant, FuncId, Global, GlobalId, GlobalKind, HandleType, Module, Op, PathStep, Scalar, Type, ValueId,
    op::{MemoryOp, Path},
};
use rustc_hash::FxHashMap;

use super::rewrite::{Rewriter, rewrite};
use super::{Places, unused_global_name};

/// The second parameters: what each of them is a view of.
pub(crate) type Views = FxHashMap<GlobalId, GlobalId>;

/// Reaches by views what cannot be reached by words.
pub(crate) fn to_views(module: &mut Module, functions: &[FuncId], places: &mut Places) -> Views {
    let mut known: FxHashMap<(GlobalId, Scalar), GlobalId> = FxHashMap::default();
    for &id in functions {
        rewrite(module, id, &mut |w, op| {
            let data = &w.func.ops[op].op;
            let (handle, offset, ty) = match data.memory() {
                Some(MemoryOp::ByteStore { handle, offset, value }) => (handle, offset, w.type_of(value)),
                Some(MemoryOp::ByteAtomic { handle, offset, operands, .. }) => {
                    let Some(&value) = operands.first() else { return w.keep(op) };
                    (handle, offset, w.type_of(value))
                }
                _ => return w.keep(op),
            };
            let Type::Scalar(scalar) = ty else { return w.keep(op) };
            if !is_seen(data, scalar) {
                return w.keep(op);
            }
            let data = data.clone();
            let Some(view) = view_of(w, handle, scalar, &mut known, places) else { return w.keep(op) };
            let path: Path = [step(w, offset, scalar.bits() / 8)].into_iter().collect();
            match data {
                Op::ByteStore { value, .. } => w.replace(op, Op::Store { handle: view, path, value }),
                Op::ByteAtomic { op: atomic, operands, .. } => {
                    w.replace(op, Op::Atomic { op: atomic, handle: view, path, operands });
                }
                _ => w.keep(op),
            }
        });
    }
    known.into_iter().map(|((buffer, _), view)| (view, buffer)).collect()
}

/// Where the number at an offset in bytes is among those of its size.
fn step(w: &mut Rewriter<'_>, offset: ValueId, size: u32) -> PathStep {
    match w.func.defining_op(offset).map(|data| &data.op) {
        Some(&Op::Const(Constant::Int(offset))) => PathStep::Const(offset as u32 / size),
        _ if size == 1 => PathStep::Dynamic(offset),
        _ => {
            let size = w.u32(size);
            PathStep::Dynamic(w.binary(BinaryOp::Div, offset, size))
        }
    }
}

fn is_seen(op: &Op, scalar: Scalar) -> bool {
    match op {
        Op::ByteAtomic { .. } => matches!(scalar, Scalar::U64 | Scalar::I64),
        _ => scalar != Scalar::Bool && scalar.bits() < 32,
    }
}

/// The handle of the view where `handle` is that of the buffer, alone or as one of an array.
fn view_of(
    w: &mut Rewriter<'_>,
    handle: ValueId,
    scalar: Scalar,
    known: &mut FxHashMap<(GlobalId, Scalar), GlobalId>,
    places: &mut Places,
) -> Option<ValueId> {
    match w.func.defining_op(handle)?.op.clone() {
        Op::Global(buffer) => {
            let view = match known.get(&(buffer, scalar)) {
                Some(&view) => view,
                None => {
                    let view = declare(w.module, buffer, scalar, places)?;
                    known.insert((buffer, scalar), view);
                    view
                }
            };
            let ty = w.module.globals[view].ty;
            Some(w.add(Op::Global(view), ty))
        }
        Op::Load { handle: array, path } => {
            let array = view_of(w, array, scalar, known, places)?;
            let (element, _) = w.module.types.resource_array(w.ty(array))?;
            Some(w.add(Op::Load { handle: array, path }, element))
        }
        _ => None,
    }
}

fn declare(module: &mut Module, buffer: GlobalId, scalar: Scalar, places: &mut Places) -> Option<GlobalId> {
    let Global { name, ty, kind, provision, .. } = module.globals[buffer].clone();
    if kind != GlobalKind::Parameter {
        return None;
    }
    let element = module.types.scalar(scalar);
    let seen = module.types.intern(Type::Handle(HandleType::StructuredBuffer { element, writable: true }));
    let ty = match module.types.resource_array(ty) {
        Some((_, len)) => {
            let content = module.types.array(seen, len);
            module.types.intern(Type::Handle(HandleType::ConstantBuffer { content }))
        }
        None => seen,
    };
    let name = unused_global_name(module, &format!("{name}_{}", ir::source_names::scalar_name(scalar)));
    let place = places.of(buffer)?;
    let view = module.globals.alloc(Global { name, ty, kind, provision, by_descriptor: false });
    places.places.insert((view, Vec::new()), place);
    Some(view)
}
