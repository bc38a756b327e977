//! Atomic operations: the first argument is a place in memory.

use ir::{AtomicOp, BinaryOp, Constant, Op, Type, UnaryOp, ValueId};
use smallvec::{SmallVec, smallvec};

use super::{BodyLowering, argument::Passed, place::Place};
use crate::{
    error::{Lowering, Stop},
    intrinsic::PlaceAtomic,
    surface::Surface,
};

impl BodyLowering<'_, '_> {
    /// `atomic.OP(place, operands…)`: gives the old value as the result or through the `out` parameter.
    pub(super) fn atomic_call(
        &mut self,
        atomic: PlaceAtomic,
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
        let Place::Memory { handle, path } = place else {
            return Err(Stop::unsupported("an atomic operation on a local variable"));
        };
        let (handle, path) = (*handle, path.clone());
        let operand = |this: &mut Self, index: usize| {
            let value = operands.get(index).map(|(value, _)| *value);
            let value = value.ok_or_else(|| Stop::broken("an atomic without operand"))?;
            this.coerce(value, ty)
        };
        let (op, values): (AtomicOp, SmallVec<[ValueId; 2]>) = match atomic {
            PlaceAtomic::Load => return Ok(Some(self.b.value(Op::Load { handle, path }, ty))),
            PlaceAtomic::Store => {
                let value = operand(self, 0)?;
                self.b.op(Op::Store { handle, path, value }, &[]);
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
        let old = self.b.value(Op::Atomic { op, handle, path, operands: values }, ty);
        if let Some(out) = out {
            self.write(&out, old)?;
        }
        Ok(surface.ret.as_ref().map(|_| old))
    }
}
