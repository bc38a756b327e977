//! Rules for operations on constants. What a target may compute otherwise is not folded: divisions of integers by zero,
//! conversions out of range, results that are not finite, and functions that are not exactly rounded. Results are rounded as
//! the module is going to be run ([`Module::precision`](crate::Module)): to their type, or not at all.

use smallvec::SmallVec;

use super::peephole::{Context, Rewrite, shape};
use crate::{
    BinaryOp, Op, Scalar, Type, TypeId,
    number::{self, to_f64},
};

type Slots = SmallVec<[u64; 4]>;

pub(super) fn fold(context: &mut Context<'_>, op: &Op, ty: TypeId) -> Option<Rewrite> {
    let (to, _) = shape(context.types.get(ty))?;
    let slots: Slots = match op {
        // A scalar zero is written as the constant that it is.
        Op::Zero => match context.types.get(ty) {
            Type::Scalar(_) => SmallVec::from_elem(0, 1),
            _ => return None,
        },
        Op::Unary(op, a) => context.known(*a)?.into_iter().map(|a| number::unary(*op, to, a)).collect(),
        Op::Binary(op, a, b) => {
            let (from, _) = shape(context.type_of(*a))?;
            let (a, b) = (context.known(*a)?, context.known(*b)?);
            if matches!(op, BinaryOp::Div | BinaryOp::Rem) && !from.is_float() && b.contains(&0) {
                return None;
            }
            a.into_iter().zip(b).map(|(a, b)| number::binary(*op, from, context.precision, a, b)).collect()
        }
        Op::Convert(a) => {
            let (from, _) = shape(context.type_of(*a))?;
            let precision = context.precision;
            let convert = |slot: u64| {
                let converted = number::convert(from, to, precision, slot);
                let back = number::convert(to, Scalar::F64, precision, converted);
                let in_range = !from.is_float() || !to.is_integer() || to_f64(back) == to_f64(slot).trunc();
                in_range.then_some(converted)
            };
            context.known(*a)?.into_iter().map(convert).collect::<Option<Slots>>()?
        }
        Op::Select { cond, then, otherwise } => {
            let (cond, then, otherwise) = (context.known(*cond)?, context.known(*then)?, context.known(*otherwise)?);
            let cond = cond.iter().cycle();
            then.into_iter()
                .zip(otherwise)
                .zip(cond)
                .map(|((then, other), &c)| if c != 0 { then } else { other })
                .collect()
        }
        Op::Extract { aggregate, path } => {
            let [crate::PathStep::Const(index)] = path[..] else { return None };
            let slots = context.known(*aggregate)?;
            let (_, count) = shape(context.types.get(ty))?;
            slots.chunks_exact(count).nth(index as usize)?.iter().copied().collect()
        }
        Op::Swizzle { vector, components } => {
            let slots = context.known(*vector)?;
            components.iter().map(|&component| slots.get(usize::from(component)).copied()).collect::<Option<_>>()?
        }
        _ => return None,
    };
    if to.is_float() && slots.iter().any(|&slot| !to_f64(slot).is_finite()) {
        return None;
    }
    Some(Rewrite::Op(constant(context, &slots, to, ty)?))
}

/// The operation that makes a known value.
fn constant(context: &mut Context<'_>, slots: &[u64], scalar: Scalar, ty: TypeId) -> Option<Op> {
    let first = *slots.first()?;
    if let Type::Scalar(_) = context.types.get(ty) {
        return Some(Op::Const(number::to_constant(scalar, first)));
    }
    let element = context.types.scalar(scalar);
    if slots.iter().all(|&slot| slot == first) {
        let element = context.make(Op::Const(number::to_constant(scalar, first)), element);
        return Some(Op::Splat(element));
    }
    let part_type = match context.types.get(ty) {
        Type::Matrix { cols, .. } => context.types.vector(scalar, cols),
        _ => element,
    };
    let (_, part_size) = shape(context.types.get(part_type))?;
    let mut parts = SmallVec::new();
    for part in slots.chunks_exact(part_size) {
        let op = constant(context, part, scalar, part_type)?;
        parts.push(context.make(op, part_type));
    }
    Some(Op::Make(parts))
}
