//! Pointers as the numbers that addresses are: null, comparison, casts, and arithmetic in steps of what is pointed to.

use hir_def::body::BinaryOp as SourceOp;
use ir::{BinaryOp, HandleType, Op, PathStep, Scalar, Type, TypeId, UnaryOp, ValueId};

use super::{BodyLowering, place::Place};
use crate::error::{Lowering, Stop};

impl BodyLowering<'_, '_> {
    pub(super) fn is_pointer(&self, value: ValueId) -> bool {
        matches!(self.b.type_of(value), Type::Handle(HandleType::Pointer { .. }))
    }

    /// A pointer as a number.
    fn address(&mut self, pointer: ValueId) -> ValueId {
        let number = self.b.types.scalar(Scalar::U64);
        self.b.value(Op::Bitcast(pointer), number)
    }

    /// A pointer as a number or another pointer, or a number as a pointer; `None` if neither side is a pointer.
    pub(super) fn convert_address(&mut self, value: ValueId, ty: TypeId) -> Lowering<Option<ValueId>> {
        let to_pointer = matches!(self.b.types.get(ty), Type::Handle(HandleType::Pointer { .. }));
        if self.b.ty(value) == ty {
            return Ok(Some(value));
        }
        if !self.is_pointer(value) && !to_pointer {
            return Ok(None);
        }
        let number = if self.is_pointer(value) { self.address(value) } else { value };
        if !to_pointer {
            return self.coerce(number, ty).map(Some);
        }
        let wide = self.b.types.scalar(Scalar::U64);
        let number = self.coerce(number, wide)?;
        Ok(Some(self.b.value(Op::Bitcast(number), ty)))
    }

    pub(super) fn pointer_binary(&mut self, op: SourceOp, left: ValueId, right: ValueId) -> Lowering<ValueId> {
        let both = self.is_pointer(left) && self.is_pointer(right);
        match op {
            SourceOp::Equal
            | SourceOp::NotEqual
            | SourceOp::Less
            | SourceOp::LessEqual
            | SourceOp::Greater
            | SourceOp::GreaterEqual
                if both =>
            {
                let (left, right) = (self.address(left), self.address(right));
                let number = self.b.ty(left);
                self.apply_binary(op, left, right, number)
            }
            SourceOp::Add if !both => match self.is_pointer(left) {
                true => self.moved_pointer(BinaryOp::Add, left, right),
                false => self.moved_pointer(BinaryOp::Add, right, left),
            },
            SourceOp::Sub if !both && self.is_pointer(left) => self.moved_pointer(BinaryOp::Sub, left, right),
            _ => Err(Stop::unsupported("this operator on pointers")),
        }
    }

    /// `pointer + index`, `pointer - index`: the address of another element.
    pub(super) fn moved_pointer(&mut self, op: BinaryOp, pointer: ValueId, index: ValueId) -> Lowering<ValueId> {
        let index = match op {
            BinaryOp::Sub => {
                // Unsigned distances are subtracted as well.
                let wide = self.b.types.scalar(Scalar::I64);
                let index = self.coerce(index, wide)?;
                self.b.unary(UnaryOp::Neg, index)
            }
            _ => index,
        };
        let path = [PathStep::Dynamic(index)].into_iter().collect();
        let ty = self.b.ty(pointer);
        self.address_of(&Place::Memory { handle: pointer, path }, ty)
    }
}
