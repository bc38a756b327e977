//! Constants.

use ir::{Constant, Scalar};
use spirv::Op;

use super::ModuleWriter;
use super::words::Id;

/// The words of a number of a type.
pub(super) fn words(constant: Constant, scalar: Scalar) -> Vec<u32> {
    let wide = |bits: u64| vec![bits as u32, (bits >> 32) as u32];
    let integer = |value: i64| match scalar {
        Scalar::I64 | Scalar::U64 => wide(value as u64),
        // Narrow numbers are extended to a word by their sign.
        Scalar::I8 => vec![i32::from(value as i8) as u32],
        Scalar::I16 => vec![i32::from(value as i16) as u32],
        Scalar::U8 => vec![u32::from(value as u8)],
        Scalar::U16 => vec![u32::from(value as u16)],
        Scalar::Bool | Scalar::I32 | Scalar::U32 | Scalar::F16 | Scalar::F32 | Scalar::F64 => vec![value as u32],
    };
    match (constant, scalar) {
        (Constant::Float(value), Scalar::F16) => vec![ir::number::half(value).to_bits().into()],
        (Constant::Float(value), Scalar::F64) => wide(value.to_bits()),
        (Constant::Float(value), Scalar::F32) => vec![(value as f32).to_bits()],
        (Constant::Float(value), _) => integer(value as i64),
        (Constant::Int(value), Scalar::F16 | Scalar::F32 | Scalar::F64) => words(Constant::Float(value as f64), scalar),
        (Constant::Int(value), _) => integer(value),
        (Constant::Bool(value), _) => words(Constant::Int(value.into()), scalar),
    }
}

/// Whether a truth constant is true.
pub(super) fn is_true(constant: Constant) -> bool {
    match constant {
        Constant::Bool(value) => value,
        Constant::Int(value) => value != 0,
        Constant::Float(value) => value != 0.0,
    }
}

impl ModuleWriter<'_> {
    pub(super) fn scalar_constant(&mut self, constant: Constant, scalar: Scalar) -> Id {
        let ty = self.scalar_type(scalar);
        match scalar {
            Scalar::Bool => {
                let op = if is_true(constant) { Op::ConstantTrue } else { Op::ConstantFalse };
                self.out.constant(op, ty, &[])
            }
            _ => self.out.constant(Op::Constant, ty, &words(constant, scalar)),
        }
    }

    pub(super) fn out_u32(&mut self, value: u32) -> Id {
        self.scalar_constant(Constant::Int(value.into()), Scalar::U32)
    }

    pub(super) fn out_u64(&mut self, value: u64) -> Id {
        self.scalar_constant(Constant::Int(value.cast_signed()), Scalar::U64)
    }

    pub(super) fn out_i32(&mut self, value: i32) -> Id {
        self.scalar_constant(Constant::Int(value.into()), Scalar::I32)
    }

    pub(super) fn null(&mut self, ty: Id) -> Id {
        self.out.constant(Op::ConstantNull, ty, &[])
    }
}
