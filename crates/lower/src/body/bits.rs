//! Bit fields: reading and writing some of the bits of an integer.

use hir_def::item::ItemId;
use hir_ty::ty::Ty;
use ir::{BinaryOp, Constant, PathStep, Scalar, Type, TypeId, ValueId};

use super::{BodyLowering, place::Place};
use crate::{
    error::{Lowering, Stop},
    types::FieldPlace,
};

/// Bits `offset..offset + width` of an integer, read as a value of type `ty`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bits {
    pub offset: u32,
    pub width: u32,
    pub ty: TypeId,
}

impl BodyLowering<'_, '_> {
    /// The field `item` of the struct `owner` that is at `place`.
    pub(super) fn field(&mut self, place: Place, owner: Ty, item: ItemId) -> Lowering<Place> {
        let field = match self.program.field_place(owner, item)? {
            FieldPlace::Whole(index) => return self.part(place, PathStep::Const(index)),
            FieldPlace::Bits(field) => field,
        };
        let ty = self.ir_type(field.ty)?;
        let base = match field.storage {
            Some(storage) => self.part(place, PathStep::Const(storage))?,
            None => Place::Value(self.b.zero(ty)),
        };
        let bits = Bits { offset: field.offset, width: field.width, ty };
        Ok(Place::Bits { base: Box::new(base), bits })
    }

    pub(super) fn read_bits(&mut self, base: &Place, bits: Bits) -> Lowering<ValueId> {
        if bits.width == 0 {
            return Ok(self.b.zero(bits.ty));
        }
        let whole = self.read(base)?;
        let storage = self.scalar_of(self.b.ty(whole))?;
        let field = self.scalar_of(bits.ty)?;
        // Up to the top and down again: the second shift brings copies of the sign, or zeros.
        let scalar = if field.is_signed() { signed(storage) } else { storage };
        let ty = self.b.types.scalar(scalar);
        let whole = self.coerce(whole, ty)?;
        let up = self.bits_constant(ty, u64::from(storage.bits() - bits.offset - bits.width))?;
        let down = self.bits_constant(ty, u64::from(storage.bits() - bits.width))?;
        let raised = self.b.binary(BinaryOp::Shl, whole, up);
        let value = self.b.binary(BinaryOp::Shr, raised, down);
        self.coerce(value, bits.ty)
    }

    /// Puts the low bits of `value` in place; the other bits of the storage stay.
    pub(super) fn write_bits(&mut self, base: &Place, bits: Bits, value: ValueId) -> Lowering<()> {
        if bits.width == 0 {
            return Ok(());
        }
        let whole = self.read(base)?;
        let ty = self.b.ty(whole);
        let storage = self.scalar_of(ty)?;
        let all = u64::MAX >> (64 - storage.bits());
        let mask = (u64::MAX >> (64 - bits.width)) << bits.offset;
        let (kept, replaced) = (self.bits_constant(ty, all & !mask)?, self.bits_constant(ty, mask)?);
        let offset = self.bits_constant(ty, u64::from(bits.offset))?;
        let value = self.coerce(value, ty)?;
        let value = self.b.binary(BinaryOp::Shl, value, offset);
        let value = self.b.binary(BinaryOp::And, value, replaced);
        let others = self.b.binary(BinaryOp::And, whole, kept);
        let whole = self.b.binary(BinaryOp::Or, others, value);
        self.write(base, whole)
    }

    fn bits_constant(&mut self, ty: TypeId, value: u64) -> Lowering<ValueId> {
        match self.b.types.get(ty) {
            Type::Scalar(_) => self.constant_value(Constant::Int(value as i64), ty),
            _ => Err(Stop::broken("bits of no integer")),
        }
    }
}

/// The signed integer of the same width.
fn signed(scalar: Scalar) -> Scalar {
    match scalar.bits() {
        8 => Scalar::I8,
        16 => Scalar::I16,
        32 => Scalar::I32,
        _ => Scalar::I64,
    }
}
