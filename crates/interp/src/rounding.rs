//! Runs in which whatever is rounded is rounded the other way, at random: what they change of a result is its rounding
//! error, and no difference that is smaller says anything.
//!
//! Only what is rounded is moved, so that whole numbers stay whole: a result that `f32` can hold counts as exact. Bits of a
//! float that is narrower than `f64` are those of the rounded number, and move by one.

use ir::{BinaryOp, MathFn, Op, Scalar, Type, number};

/// How to round otherwise.
#[derive(Debug)]
pub(crate) struct OtherRounding {
    random: fastrand::Rng,
}

impl OtherRounding {
    pub(crate) fn new(seed: u64) -> OtherRounding {
        OtherRounding { random: fastrand::Rng::with_seed(seed) }
    }

    /// Moves the result of `op`, of scalars `to`, to neighbours of what it is. `operand` is that of an operation that gives
    /// bits of floats of type `from`.
    pub(crate) fn apply(&mut self, op: &Op, (from, to): (Scalar, Scalar), operand: &[u64], result: &mut [u64]) {
        if to.is_float() {
            for slot in result.iter_mut() {
                let value = f64::from_bits(*slot);
                if value.is_finite() && value != f64::from(value as f32) {
                    let moved = if self.random.bool() { value.next_up() } else { value.next_down() };
                    *slot = moved.to_bits();
                }
            }
            return;
        }
        let bits = match op {
            Op::Math(MathFn::F32ToF16, _) => Scalar::F16,
            _ => from,
        };
        for (&value, slot) in operand.iter().zip(result) {
            let rounded = number::from_memory(bits, number::to_memory(bits, value));
            if rounded != value {
                let moved = if self.random.bool() { slot.wrapping_add(1) } else { slot.wrapping_sub(1) };
                *slot = number::wrap(to, moved);
            }
        }
    }
}

/// Whether an operation may round.
pub(crate) fn rounds(op: &Op, from: Type, to: Type) -> bool {
    let scalar = |ty: Type| match ty {
        Type::Scalar(scalar) | Type::Vector { scalar, .. } | Type::Matrix { scalar, .. } => Some(scalar),
        _ => None,
    };
    let (Some(from), Some(to)) = (scalar(from), scalar(to)) else { return false };
    match op {
        Op::Binary(op, ..) => {
            to.is_float() && matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div)
        }
        Op::Math(MathFn::F32ToF16, _) => true,
        Op::Math(..) => to.is_float(),
        Op::Bitcast(_) => from.is_float() && to.is_integer() && from.bits() == to.bits() && from.bits() < 64,
        Op::Const(..)
        | Op::Zero
        | Op::Undef
        | Op::Unary(..)
        | Op::Convert(..)
        | Op::Select { .. }
        | Op::Detach(..)
        | Op::Forget(..)
        | Op::Make(..)
        | Op::Splat(..)
        | Op::Extract { .. }
        | Op::Insert { .. }
        | Op::Swizzle { .. }
        | Op::Call { .. }
        | Op::If { .. }
        | Op::Switch { .. }
        | Op::Loop { .. }
        | Op::Global(..)
        | Op::Builtin(..)
        | Op::Load { .. }
        | Op::Store { .. }
        | Op::Atomic { .. }
        | Op::ByteLoad { .. }
        | Op::ByteStore { .. }
        | Op::ByteAtomic { .. }
        | Op::BufferLength { .. }
        | Op::Intrinsic { .. }
        | Op::Barrier { .. }
        | Op::Print { .. }
        | Op::SumMake { .. }
        | Op::SumMatch { .. }
        | Op::SumTag(..) => false,
    }
}
