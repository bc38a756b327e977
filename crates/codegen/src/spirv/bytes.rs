//! Buffers of bytes, which are arrays of words.

use ir::layout::{field_offset, stride_in};
use ir::provision::DataLayout;
use ir::{Constant, Scalar, Type, TypeId};
use spirv::{Op, StorageClass};

use super::function::FunctionWriter;
use super::memory::Chain;
use super::words::Id;
use crate::EmitError;
use crate::tree::{Expr, ExprKind};

/// The most words that are read or written as one value.
const MAX_WORDS: u32 = 1024;

/// A place in a buffer: words from its start, and bytes from there.
#[derive(Clone)]
pub(super) struct WordPlace {
    chain: Chain,
    base: Option<Id>,
    offset: u32,
}

impl FunctionWriter<'_, '_> {
    pub(super) fn word_place(&mut self, handle: &Expr, offset: &Expr) -> Result<WordPlace, EmitError> {
        let chain = self.chain(handle)?;
        if let ExprKind::Const(Constant::Int(offset)) = offset.kind {
            return Ok(WordPlace { chain, base: None, offset: offset as u32 });
        }
        let (ty, scalar) = (self.module.scalar_type(Scalar::U32), self.scalar_of(offset.ty));
        let value = self.expr(offset)?;
        let value = self.convert_scalar(value, scalar, Scalar::U32, 1);
        let two = self.u32(2);
        let base = self.value(Op::ShiftRightLogical, ty, &[value, two]);
        Ok(WordPlace { chain, base: Some(base), offset: 0 })
    }

    pub(super) fn word_pointer(&mut self, place: &WordPlace) -> Result<Id, EmitError> {
        if !place.offset.is_multiple_of(4) {
            return Err(self.error("values of less than 32 bits cannot be in this buffer yet"));
        }
        let word = self.module.scalar_type(Scalar::U32);
        let index = match place.base {
            None => self.u32(place.offset / 4),
            Some(base) if place.offset == 0 => base,
            Some(base) => {
                let offset = self.u32(place.offset / 4);
                self.value(Op::IAdd, word, &[base, offset])
            }
        };
        let mut chain = place.chain.clone();
        let zero = self.u32(0);
        chain.indices.extend([zero, index]);
        Ok(self.pointer_of(&chain, word))
    }

    pub(super) fn load_bytes(&mut self, handle: &Expr, offset: &Expr, ty: TypeId) -> Result<Id, EmitError> {
        let place = self.word_place(handle, offset)?;
        self.check_words(ty)?;
        self.load_words(&place, ty)
    }

    fn load_words(&mut self, place: &WordPlace, ty: TypeId) -> Result<Id, EmitError> {
        let value_type = self.value_type(ty)?;
        let Some(scalar) = self.single(ty) else {
            let mut values = Vec::new();
            for (part, offset) in self.parts_in_bytes(ty)? {
                let place = WordPlace { offset: place.offset + offset, ..place.clone() };
                values.push(self.load_words(&place, part)?);
            }
            return Ok(self.construct(value_type, &values));
        };
        let word = self.module.scalar_type(Scalar::U32);
        let pointer = self.word_pointer(place)?;
        let low = self.value(Op::Load, word, &[pointer]);
        match (scalar, scalar.bits()) {
            (Scalar::Bool, _) => {
                let zero = self.u32(0);
                Ok(self.value(Op::INotEqual, value_type, &[low, zero]))
            }
            (Scalar::U32, _) => Ok(low),
            (_, 64) => {
                let pointer = self.word_pointer(&WordPlace { offset: place.offset + 4, ..place.clone() })?;
                let high = self.value(Op::Load, word, &[pointer]);
                let pair_type = self.module.vector_type(Scalar::U32, 2);
                let pair = self.construct(pair_type, &[low, high]);
                Ok(self.value(Op::Bitcast, value_type, &[pair]))
            }
            (_, 32) => Ok(self.value(Op::Bitcast, value_type, &[low])),
            _ => Err(self.error("values of less than 32 bits cannot be in this buffer yet")),
        }
    }

    pub(super) fn store_bytes(&mut self, handle: &Expr, offset: &Expr, value: &Expr) -> Result<(), EmitError> {
        let written = self.expr(value)?;
        let place = self.word_place(handle, offset)?;
        self.check_words(value.ty)?;
        self.store_words(&place, written, value.ty)
    }

    fn store_words(&mut self, place: &WordPlace, value: Id, ty: TypeId) -> Result<(), EmitError> {
        let Some(scalar) = self.single(ty) else {
            for (index, (part, offset)) in (0..).zip(self.parts_in_bytes(ty)?) {
                let part_type = self.value_type(part)?;
                let part_value = self.extract(part_type, value, &[index]);
                let place = WordPlace { offset: place.offset + offset, ..place.clone() };
                self.store_words(&place, part_value, part)?;
            }
            return Ok(());
        };
        let word = self.module.scalar_type(Scalar::U32);
        let words = match (scalar, scalar.bits()) {
            (Scalar::Bool, _) => {
                let (one, zero) = (self.u32(1), self.u32(0));
                vec![self.value(Op::Select, word, &[value, one, zero])]
            }
            (Scalar::U32, _) => vec![value],
            (_, 64) => {
                let pair_type = self.module.vector_type(Scalar::U32, 2);
                let pair = self.value(Op::Bitcast, pair_type, &[value]);
                vec![self.extract(word, pair, &[0]), self.extract(word, pair, &[1])]
            }
            (_, 32) => vec![self.value(Op::Bitcast, word, &[value])],
            _ => return Err(self.error("values of less than 32 bits cannot be in this buffer yet")),
        };
        for (index, word) in (0..).zip(words) {
            let pointer = self.word_pointer(&WordPlace { offset: place.offset + 4 * index, ..place.clone() })?;
            self.store_pointer(pointer, word);
        }
        Ok(())
    }

    /// The scalar that a value is, alone or as a vector of one.
    fn single(&self, ty: TypeId) -> Option<Scalar> {
        match self.type_of(ty) {
            Type::Scalar(scalar) | Type::Vector { scalar, len: 1 } => Some(scalar),
            _ => None,
        }
    }

    fn check_words(&self, ty: TypeId) -> Result<(), EmitError> {
        match ir::layout::layout(&self.module.module.types, ty) {
            Some(layout) if layout.size <= MAX_WORDS * 4 => Ok(()),
            _ => Err(self.error("a value is too large to be read or written as a whole")),
        }
    }

    /// The parts of an aggregate, with their types and offsets.
    fn parts_in_bytes(&mut self, ty: TypeId) -> Result<Vec<(TypeId, u32)>, EmitError> {
        let types = &self.module.module.types;
        let (element, count) = match types.get(ty) {
            Type::Struct(id) => {
                let fields = (0..).zip(&types.structs[id].fields);
                return Ok(fields
                    .map(|(index, field)| (field.ty, field_offset(types, id, index).unwrap_or(0)))
                    .collect());
            }
            Type::Vector { len, .. } => (self.element_type(ty), u32::from(len)),
            Type::Matrix { rows, .. } => (self.element_type(ty), rows.into()),
            Type::Array { element, len } => (element, len),
            _ => return Err(self.error("a value of this type cannot be in memory")),
        };
        let stride = stride_in(types, ty, DataLayout::Scalar).unwrap_or(4);
        Ok((0..count).map(|index| (element, index * stride)).collect())
    }

    pub(super) fn class_of_words(&self, place: &WordPlace) -> StorageClass {
        place.chain.memory.class
    }
}
