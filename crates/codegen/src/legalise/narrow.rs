//! Integers that are narrower than a language's own become integers of 32 bits, which hold the same numbers: what an
//! operation makes of them is cut off to the width that the source says.

use ir::{
    BinaryOp, Constant, FuncId, GlobalKind, HandleType, MathFn, Module, Op, OpId, Scalar, Type, TypeId, UnaryOp,
    ValueId,
};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::bytes;
use super::reachable::for_each_op;
use super::retype;
use super::rewrite::{Rewriter, rewrite};
use crate::EmitError;

/// `smallest` is the width in bits of the narrowest integers that the language has.
pub(crate) fn to_words(module: &mut Module, functions: &[FuncId], smallest: u32) -> Result<(), Vec<EmitError>> {
    let values = functions.iter().flat_map(|&id| module.funcs[id].values.iter());
    let types: FxHashSet<TypeId> = values.map(|(_, value)| value.ty).collect();
    if !types.into_iter().any(|ty| holds(module, ty, smallest)) {
        return Ok(());
    }
    check_memory(module, functions, smallest)?;
    let mut errors = Vec::new();
    let mut results: FxHashMap<(FuncId, OpId), (Scalar, Option<Scalar>)> = FxHashMap::default();
    for &id in functions {
        rewrite(module, id, &mut |w, op| {
            if let Err(message) = without_narrow_memory(w, op, smallest) {
                errors.push(EmitError::new(w.span, message));
            }
        });
        let func = &module.funcs[id];
        for_each_op(func, |op| {
            let data = &func.ops[op];
            let narrow = |value: ValueId| {
                numbers(module.types.get(func.ty(value))).filter(|&scalar| is_narrow(scalar, smallest))
            };
            let is_cut = |result: &ValueId| cuts(&data.op).then(|| narrow(*result)).flatten();
            let from = match &data.op {
                Op::Convert(from) => numbers(module.types.get(func.ty(*from))),
                _ => None,
            };
            if let Some(scalar) = data.results.first().and_then(is_cut) {
                results.insert((id, op), (scalar, from));
            }
        });
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    retype::retype(module, functions, &|module, ty| {
        let scalar = numbers(ty).filter(|&scalar| is_narrow(scalar, smallest))?;
        let scalar = word_of(scalar);
        Some(match ty {
            Type::Vector { len, .. } => module.types.vector(scalar, len),
            Type::Matrix { rows, cols, .. } => module.types.intern(Type::Matrix { scalar, rows, cols }),
            _ => module.types.scalar(scalar),
        })
    });
    for &id in functions {
        rewrite(module, id, &mut |w, op| {
            let Some(&(scalar, from)) = results.get(&(id, op)) else { return w.keep(op) };
            let Some(&result) = w.func.ops[op].results.first() else { return w.keep(op) };
            let ty = w.ty(result);
            let wide = w.add(w.func.ops[op].op.clone(), ty);
            let cut = match from {
                // Conversions of floats end where the type ends.
                Some(from) if from.is_float() => clamped(w, wide, scalar, ty),
                _ => cut_off(w, wide, scalar, ty),
            };
            w.replace(op, cut);
        });
    }
    Ok(())
}

fn is_narrow(scalar: Scalar, smallest: u32) -> bool {
    scalar.is_integer() && scalar.bits() < smallest
}

fn word_of(scalar: Scalar) -> Scalar {
    if scalar.is_signed() { Scalar::I32 } else { Scalar::U32 }
}

/// What a scalar, vector or matrix is made of.
fn numbers(ty: Type) -> Option<Scalar> {
    match ty {
        Type::Scalar(scalar) | Type::Vector { scalar, .. } | Type::Matrix { scalar, .. } => Some(scalar),
        _ => None,
    }
}

/// Whether values of a type have narrow integers in them.
fn holds(module: &Module, ty: TypeId, smallest: u32) -> bool {
    match module.types.get(ty) {
        Type::Array { element, .. } => holds(module, element, smallest),
        Type::Struct(id) => module.types.structs[id].fields.iter().any(|field| holds(module, field.ty, smallest)),
        ty => numbers(ty).is_some_and(|scalar| is_narrow(scalar, smallest)),
    }
}

/// What the host provides has the widths that the source says.
fn check_memory(module: &Module, functions: &[FuncId], smallest: u32) -> Result<(), Vec<EmitError>> {
    let mut errors = Vec::new();
    for global in super::used_globals(module, functions) {
        let data = &module.globals[global];
        let element = module.types.resource_array(data.ty).map_or(data.ty, |(element, _)| element);
        let Type::Handle(handle) = module.types.get(element) else { continue };
        let is_own = matches!(handle, HandleType::Variable { .. }) && data.provision.varying.is_none();
        if data.kind == GlobalKind::Parameter
            && !is_own
            && handle.content().is_some_and(|content| holds(module, content, smallest))
        {
            let message = format!("`{}`: integers of less than {smallest} bits in memory are not supported", data.name);
            errors.push(EmitError::new(super::first_use(module, global), format!("{message} for this target")));
        }
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

/// Reads parts of words, and refuses what has no equivalent.
fn without_narrow_memory(w: &mut Rewriter<'_>, op: OpId, smallest: u32) -> Result<(), String> {
    let data = &w.func.ops[op];
    let result = data.results.first().map(|&result| w.func.ty(result));
    let operand = match &data.op {
        Op::ByteStore { value, .. } | Op::Bitcast(value) => Some(w.func.ty(*value)),
        _ => None,
    };
    let is_narrow = [result, operand].into_iter().flatten().any(|ty| holds(w.module, ty, smallest));
    let what = match &data.op {
        Op::ByteLoad { .. } | Op::ByteStore { .. } if is_narrow => {
            return bytes::by_words(w, op, bytes::Narrow::Refused, &|_, _| true).map_err(String::from);
        }
        Op::Atomic { .. } | Op::ByteAtomic { .. } if is_narrow => Some("an atomic operation on integers"),
        Op::Bitcast(_) if is_narrow => {
            let parts = [result, operand].map(|ty| numbers(w.module.types.get(ty?)));
            let is_same = matches!(parts, [Some(to), Some(from)] if to.is_integer() && from.is_integer()
                && to.bits() == from.bits());
            (!is_same).then_some("reinterpreting numbers")
        }
        _ => None,
    };
    w.keep(op);
    match what {
        Some(what) => Err(format!("{what} of less than {smallest} bits is not supported for this target")),
        None => Ok(()),
    }
}

/// Whether a result may be another number than those of its type. What is put together of numbers of the type, chosen
/// among them or read from where they were put is one of them.
fn cuts(op: &Op) -> bool {
    match op {
        Op::Binary(op, ..) => {
            !matches!(op, BinaryOp::And | BinaryOp::Or | BinaryOp::Xor | BinaryOp::Rem | BinaryOp::Shr)
        }
        Op::Unary(op, _) => matches!(op, UnaryOp::Neg | UnaryOp::BitNot),
        Op::Math(function, _) => {
            !matches!(function, MathFn::Min | MathFn::Max | MathFn::Clamp | MathFn::Sign | MathFn::Transpose)
        }
        Op::Convert(_) | Op::Bitcast(_) | Op::Intrinsic { .. } => true,
        _ => false,
    }
}

fn splat(w: &mut Rewriter<'_>, value: i64, ty: TypeId) -> ValueId {
    let part = match w.module.types.get(ty) {
        Type::Vector { scalar, .. } | Type::Matrix { scalar, .. } => w.module.types.scalar(scalar),
        _ => return w.add(Op::Const(Constant::Int(value)), ty),
    };
    let value = w.add(Op::Const(Constant::Int(value)), part);
    w.add(Op::Splat(value), ty)
}

/// The number that the low bits stand for.
fn cut_off(w: &mut Rewriter<'_>, value: ValueId, scalar: Scalar, ty: TypeId) -> Op {
    if !scalar.is_signed() {
        let mask = splat(w, (1 << scalar.bits()) - 1, ty);
        return Op::Binary(BinaryOp::And, value, mask);
    }
    let count = splat(w, i64::from(32 - scalar.bits()), ty);
    let shifted = w.add(Op::Binary(BinaryOp::Shl, value, count), ty);
    Op::Binary(BinaryOp::Shr, shifted, count)
}

fn clamped(w: &mut Rewriter<'_>, value: ValueId, scalar: Scalar, ty: TypeId) -> Op {
    let (low, high) = match scalar.is_signed() {
        true => (-(1 << (scalar.bits() - 1)), (1 << (scalar.bits() - 1)) - 1),
        false => (0, (1 << scalar.bits()) - 1),
    };
    let (low, high) = (splat(w, low, ty), splat(w, high, ty));
    Op::Math(MathFn::Clamp, SmallVec::from_iter([value, low, high]))
}
