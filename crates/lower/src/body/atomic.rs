//! Atomic operations: the first argument is a place in memory.

use ir::{AtomicOp, BinaryOp, Constant, Intrinsic, Op, Type, UnaryOp, ValueId, intrinsic::TextureOp, op::Path};
use smallvec::{SmallVec, smallvec};

use super::{BodyLowering, argument::Passed, place::Place};
use crate::{
    core_function::{PlaceAtomic, Told},
    error::{Lowering, Stop},
    surface::Surface,
};

/// What can be changed in one step.
enum Target {
    Memory { handle: ValueId, path: Path },
    Texel { texture: ValueId, location: ValueId },
}

impl BodyLowering<'_, '_> {
    /// `atomic.OP(place, operands…)`: gives the old value as the result or through the `out` parameter, or the new one.
    pub(super) fn atomic_call(
        &mut self,
        (atomic, told): (PlaceAtomic, Told),
        surface: &Surface,
        passed: &[Passed],
    ) -> Lowering<Option<ValueId>> {
        let Some((Passed::Place(place), rest)) = passed.split_first() else {
            return Err(Stop::broken("an atomic without place"));
        };
        let ty = self.place_type(place)?;
        let mut operands = Vec::new();
        let mut out = None;
        for (param, arg) in surface.params.iter().skip(1).zip(rest) {
            match arg {
                Passed::Place(place) if param.direction.comes_out() => out = Some(place.clone()),
                arg => {
                    let value = self.passed_value(arg)?;
                    operands.push((value, param.ir_ty));
                }
            }
        }
        let target = match place {
            Place::Memory { handle, path } => Target::Memory { handle: *handle, path: path.clone() },
            Place::Texel { texture, location } => match location[..] {
                [location] => Target::Texel { texture: *texture, location },
                _ => return Err(Stop::unsupported("an atomic operation on a sample of a texel")),
            },
            Place::Part { base, .. } | Place::Swizzle { base, .. } if matches!(**base, Place::Texel { .. }) => {
                return Err(Stop::unsupported("an atomic operation on a part of a texel"));
            }
            _ => return Err(Stop::unsupported("an atomic operation on a local variable")),
        };
        let operand = |this: &mut Self, index: usize| {
            let value = operands.get(index).map(|(value, _)| *value);
            let value = value.ok_or_else(|| Stop::broken("an atomic without operand"))?;
            this.coerce(value, ty)
        };
        let (op, values): (AtomicOp, SmallVec<[ValueId; 2]>) = match atomic {
            PlaceAtomic::Load => return self.read(place).map(Some),
            PlaceAtomic::Store => {
                let value = operand(self, 0)?;
                self.write(place, value)?;
                return Ok(None);
            }
            PlaceAtomic::Increment | PlaceAtomic::Decrement => {
                let one = if atomic == PlaceAtomic::Increment { 1 } else { -1 };
                let constant = match self.b.types.get(ty) {
                    Type::Scalar(scalar) if scalar.is_float() => Constant::Float(one as f64),
                    Type::Scalar(scalar) => Constant::Int(super::conversion::wrap(one, scalar)),
                    _ => return Err(Stop::unsupported("an atomic operation on this type")),
                };
                (AtomicOp::Add, smallvec![self.b.constant(constant, ty)])
            }
            PlaceAtomic::Sub => {
                let value = operand(self, 0)?;
                let negated = match self.b.types.get(ty) {
                    Type::Scalar(scalar) if scalar.is_signed() => self.b.unary(UnaryOp::Neg, value),
                    _ => {
                        let zero = self.b.zero(ty);
                        self.b.binary(BinaryOp::Sub, zero, value)
                    }
                };
                (AtomicOp::Add, smallvec![negated])
            }
            PlaceAtomic::Change(AtomicOp::CompareExchange) => {
                let (compared, value) = (operand(self, 0)?, operand(self, 1)?);
                (AtomicOp::CompareExchange, smallvec![compared, value])
            }
            PlaceAtomic::Change(op) => (op, smallvec![operand(self, 0)?]),
        };
        let operand = values.first().copied();
        let changed = match target {
            Target::Memory { handle, path } => Op::Atomic { op, handle, path, operands: values },
            Target::Texel { texture, location } => Op::Intrinsic {
                intrinsic: Intrinsic::Texture(TextureOp::of_atomic(op)),
                args: [texture, location].into_iter().chain(values).collect(),
            },
        };
        let old = self.b.value(changed, ty);
        if let Some(out) = out {
            self.write(&out, old)?;
        }
        match (&surface.ret, told, operand) {
            (None, _, _) => Ok(None),
            (Some(_), Told::Old, _) => Ok(Some(old)),
            (Some(_), Told::New, Some(operand)) => Ok(Some(self.b.binary(changing(op)?, old, operand))),
            (Some(_), Told::New, None) => Err(Stop::broken("an atomic without operand")),
        }
    }
}

/// What an operator of `Atomic<T>` does with the old value and the operand.
fn changing(op: AtomicOp) -> Lowering<BinaryOp> {
    match op {
        AtomicOp::Add => Ok(BinaryOp::Add),
        AtomicOp::And => Ok(BinaryOp::And),
        AtomicOp::Or => Ok(BinaryOp::Or),
        AtomicOp::Xor => Ok(BinaryOp::Xor),
        AtomicOp::Min | AtomicOp::Max | AtomicOp::Exchange | AtomicOp::CompareExchange => {
            Err(Stop::broken("no operator of an atomic does this"))
        }
    }
}
