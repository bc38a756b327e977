//! Built-in operators: arithmetic, comparison, logic, increments and compound assignment.

use hir_def::body::{BinaryOp as SourceOp, ExprId, PrefixOp};
use hir_ty::ty::Ty;
use ir::{BinaryOp, Constant, Op, PathStep, Type, TypeId, UnaryOp, ValueId};

use super::BodyLowering;
use crate::{
    error::{Lowering, Stop},
    fields::OPTIONAL_HAS_VALUE,
    intrinsic::bit_not,
};

impl BodyLowering<'_, '_> {
    pub(super) fn binary(&mut self, op: SourceOp, left: ExprId, right: ExprId, converted: Ty) -> Lowering<ValueId> {
        if converted.as_optional(self.program.db).is_some() {
            return self.compare_with_none(op, left, right);
        }
        let converted = self.ir_type(converted)?;
        let scalar_logic = matches!(self.b.types.get(converted), Type::Scalar(_));
        match op {
            SourceOp::LogicalAnd if scalar_logic => {
                let cond = self.truth(left)?;
                self.lazy_choice(cond, |this| this.truth(right), |this| Ok(this.b.bool(false)))
            }
            SourceOp::LogicalOr if scalar_logic => {
                let cond = self.truth(left)?;
                self.lazy_choice(cond, |this| Ok(this.b.bool(true)), |this| this.truth(right))
            }
            _ => {
                let left = self.value(left)?;
                let right = self.value(right)?;
                match self.b.types.get(converted) {
                    Type::Struct(_) => self.compare_tuples(op, left, right),
                    _ => self.apply_binary(op, left, right, converted),
                }
            }
        }
    }

    /// `o == none`, `none != o`: whether there is a value, whatever its type.
    fn compare_with_none(&mut self, op: SourceOp, left: ExprId, right: ExprId) -> Lowering<ValueId> {
        let none_is_left = self.scope.inference.expr_types.get(left) == Some(&Ty::NoneLiteral);
        let (left, right) = (self.value(left)?, self.value(right)?);
        let optional = if none_is_left { right } else { left };
        let has_value = self.b.extract(optional, [PathStep::Const(OPTIONAL_HAS_VALUE)]);
        match op {
            SourceOp::Equal => Ok(self.b.unary(UnaryOp::Not, has_value)),
            SourceOp::NotEqual => Ok(has_value),
            _ => Err(Stop::broken("an order of optionals")),
        }
    }

    /// Comparison of two tuples of one type: the first elements that differ decide.
    fn compare_tuples(&mut self, op: SourceOp, left: ValueId, right: ValueId) -> Lowering<ValueId> {
        let ty = self.b.ty(left);
        let Type::Struct(tuple) = self.b.types.get(ty) else {
            return self.apply_binary(op, left, right, ty);
        };
        let count = self.b.types.structs[tuple].fields.len() as u32;
        // Tuples without elements are equal.
        let mut result = self.b.bool(matches!(op, SourceOp::Equal | SourceOp::LessEqual | SourceOp::GreaterEqual));
        for index in (0..count).rev() {
            let (a, b) =
                (self.b.extract(left, [PathStep::Const(index)]), self.b.extract(right, [PathStep::Const(index)]));
            let equal = self.compare_tuples(SourceOp::Equal, a, b)?;
            result = match op {
                SourceOp::Equal => self.b.binary(BinaryOp::And, equal, result),
                SourceOp::NotEqual => {
                    let differ = self.b.unary(UnaryOp::Not, equal);
                    self.b.binary(BinaryOp::Or, differ, result)
                }
                _ => {
                    let strict = match op {
                        SourceOp::Less | SourceOp::LessEqual => SourceOp::Less,
                        _ => SourceOp::Greater,
                    };
                    let decided = self.compare_tuples(strict, a, b)?;
                    let goes_on = self.b.binary(BinaryOp::And, equal, result);
                    self.b.binary(BinaryOp::Or, decided, goes_on)
                }
            };
        }
        Ok(result)
    }

    /// `left op right` on operands converted to `converted`.
    pub(super) fn apply_binary(
        &mut self,
        op: SourceOp,
        left: ValueId,
        right: ValueId,
        converted: TypeId,
    ) -> Lowering<ValueId> {
        if self.is_pointer(left) || self.is_pointer(right) {
            return self.pointer_binary(op, left, right);
        }
        let logical = |this: &mut Self| this.b.bool_like(converted);
        let (op, ty) = match op {
            SourceOp::Add => (BinaryOp::Add, converted),
            SourceOp::Sub => (BinaryOp::Sub, converted),
            SourceOp::Mul => (BinaryOp::Mul, converted),
            SourceOp::Div => (BinaryOp::Div, converted),
            SourceOp::Rem => (BinaryOp::Rem, converted),
            SourceOp::BitAnd => (BinaryOp::And, converted),
            SourceOp::BitOr => (BinaryOp::Or, converted),
            SourceOp::BitXor => (BinaryOp::Xor, converted),
            SourceOp::Shl => (BinaryOp::Shl, converted),
            SourceOp::Shr => (BinaryOp::Shr, converted),
            SourceOp::LogicalAnd => (BinaryOp::And, logical(self)),
            SourceOp::LogicalOr => (BinaryOp::Or, logical(self)),
            SourceOp::Equal => (BinaryOp::Equal, converted),
            SourceOp::NotEqual => (BinaryOp::NotEqual, converted),
            SourceOp::Less => (BinaryOp::Less, converted),
            SourceOp::LessEqual => (BinaryOp::LessEqual, converted),
            SourceOp::Greater => (BinaryOp::Greater, converted),
            SourceOp::GreaterEqual => (BinaryOp::GreaterEqual, converted),
        };
        let left = self.coerce(left, ty)?;
        let right = self.coerce(right, ty)?;
        Ok(self.b.binary(op, left, right))
    }

    pub(super) fn prefix(&mut self, op: PrefixOp, operand: ExprId, converted: Ty) -> Lowering<ValueId> {
        let ty = self.ir_type(converted)?;
        match op {
            PrefixOp::Neg => {
                let value = self.value(operand)?;
                let value = self.coerce(value, ty)?;
                match self.constant_of(value) {
                    Some(Constant::Int(int)) => {
                        let negated = int.wrapping_neg();
                        self.constant_value(Constant::Int(negated), ty)
                    }
                    Some(Constant::Float(float)) => self.constant_value(Constant::Float(-float), ty),
                    Some(Constant::Bool(_)) | None => Ok(self.b.unary(UnaryOp::Neg, value)),
                }
            }
            PrefixOp::Plus => {
                let value = self.value(operand)?;
                self.coerce(value, ty)
            }
            PrefixOp::Not => {
                let value = self.value(operand)?;
                let bool = self.b.bool_like(ty);
                let value = self.coerce(value, bool)?;
                Ok(self.b.unary(UnaryOp::Not, value))
            }
            PrefixOp::BitNot => {
                let value = self.value(operand)?;
                let value = self.coerce(value, ty)?;
                Ok(bit_not(&mut self.b, value))
            }
            PrefixOp::Increment => self.increment(operand, SourceOp::Add).map(|(_, new)| new),
            PrefixOp::Decrement => self.increment(operand, SourceOp::Sub).map(|(_, new)| new),
            PrefixOp::AddressOf => {
                let place = self.place(operand)?;
                self.address_of(&place, ty)
            }
            PrefixOp::Deref => {
                let handle = self.value(operand)?;
                let place = self.dereference(handle);
                self.read(&place)
            }
        }
    }

    /// Adds or subtracts one; the value before and after.
    pub(super) fn increment(&mut self, operand: ExprId, op: SourceOp) -> Lowering<(ValueId, ValueId)> {
        let place = self.place(operand)?;
        let old = self.read(&place)?;
        let ty = self.b.ty(old);
        let new = if self.is_pointer(old) {
            let number = self.b.types.scalar(ir::Scalar::I32);
            let one = self.one(number)?;
            self.pointer_binary(op, old, one)?
        } else {
            let one = self.one(ty)?;
            self.apply_binary(op, old, one, ty)?
        };
        self.write(&place, new)?;
        self.note_assigned(operand, &place);
        Ok((old, new))
    }

    fn one(&mut self, ty: TypeId) -> Lowering<ValueId> {
        match self.b.types.get(ty) {
            Type::Scalar(_) => self.constant_value(Constant::Int(1), ty),
            Type::Vector { scalar, .. } | Type::Matrix { scalar, .. } => {
                let scalar = self.b.types.scalar(scalar);
                let one = self.constant_value(Constant::Int(1), scalar)?;
                Ok(self.b.value(Op::Splat(one), ty))
            }
            // In the editor's analysis: some constant.
            Type::Opaque(_) => Ok(self.b.zero(ty)),
            _ => Err(Stop::broken("an increment of no number")),
        }
    }

    /// `target op= value`; the new value.
    pub(super) fn compound_assignment(
        &mut self,
        op: SourceOp,
        target: ExprId,
        value: ExprId,
        converted: Ty,
    ) -> Lowering<ValueId> {
        let converted = self.ir_type(converted)?;
        let place = self.place(target)?;
        let value = self.value(value)?;
        let old = self.read(&place)?;
        let new = self.apply_binary(op, old, value, converted)?;
        let ty = self.place_type(&place)?;
        let new = self.coerce(new, ty)?;
        self.write(&place, new)?;
        self.note_assigned(target, &place);
        Ok(new)
    }
}
