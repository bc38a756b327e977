//! Operators and conversions of numbers.

use ir::{BinaryOp, Constant, Scalar, Type, TypeId, UnaryOp};
use spirv::Op;

use super::function::FunctionWriter;
use super::types::is_native;
use super::words::Id;
use crate::EmitError;
use crate::tree::{Expr, ExprKind};

/// What numbers are told apart by.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Bool,
    Signed,
    Unsigned,
    Float,
}

pub(super) fn kind(scalar: Scalar) -> Kind {
    match scalar {
        Scalar::Bool => Kind::Bool,
        Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64 => Kind::Signed,
        Scalar::U8 | Scalar::U16 | Scalar::U32 | Scalar::U64 => Kind::Unsigned,
        Scalar::F16 | Scalar::F32 | Scalar::F64 => Kind::Float,
    }
}

/// The operation for an operator; `None` for truth values that it does not work on.
fn operation(op: BinaryOp, kind: Kind) -> Option<Op> {
    let pick = |truth: Option<Op>, signed: Op, unsigned: Op, float: Option<Op>| match kind {
        Kind::Bool => truth,
        Kind::Signed => Some(signed),
        Kind::Unsigned => Some(unsigned),
        Kind::Float => float,
    };
    match op {
        BinaryOp::Add => pick(None, Op::IAdd, Op::IAdd, Some(Op::FAdd)),
        BinaryOp::Sub => pick(None, Op::ISub, Op::ISub, Some(Op::FSub)),
        BinaryOp::Mul => pick(None, Op::IMul, Op::IMul, Some(Op::FMul)),
        BinaryOp::Div => pick(None, Op::SDiv, Op::UDiv, Some(Op::FDiv)),
        BinaryOp::Rem => pick(None, Op::SRem, Op::UMod, Some(Op::FRem)),
        BinaryOp::And => pick(Some(Op::LogicalAnd), Op::BitwiseAnd, Op::BitwiseAnd, None),
        BinaryOp::Or => pick(Some(Op::LogicalOr), Op::BitwiseOr, Op::BitwiseOr, None),
        BinaryOp::Xor => pick(Some(Op::LogicalNotEqual), Op::BitwiseXor, Op::BitwiseXor, None),
        BinaryOp::Shl => pick(None, Op::ShiftLeftLogical, Op::ShiftLeftLogical, None),
        BinaryOp::Shr => pick(None, Op::ShiftRightArithmetic, Op::ShiftRightLogical, None),
        BinaryOp::Equal => pick(Some(Op::LogicalEqual), Op::IEqual, Op::IEqual, Some(Op::FOrdEqual)),
        // Of what is not a number this is true.
        BinaryOp::NotEqual => pick(Some(Op::LogicalNotEqual), Op::INotEqual, Op::INotEqual, Some(Op::FUnordNotEqual)),
        BinaryOp::Less => pick(None, Op::SLessThan, Op::ULessThan, Some(Op::FOrdLessThan)),
        BinaryOp::LessEqual => pick(None, Op::SLessThanEqual, Op::ULessThanEqual, Some(Op::FOrdLessThanEqual)),
        BinaryOp::Greater => pick(None, Op::SGreaterThan, Op::UGreaterThan, Some(Op::FOrdGreaterThan)),
        BinaryOp::GreaterEqual => {
            pick(None, Op::SGreaterThanEqual, Op::UGreaterThanEqual, Some(Op::FOrdGreaterThanEqual))
        }
    }
}

impl FunctionWriter<'_, '_> {
    /// The types of a matrix's rows, if it is one of SPIR-V's.
    pub(super) fn rows_of(&mut self, ty: TypeId) -> Option<(TypeId, u32)> {
        match self.type_of(ty) {
            Type::Matrix { scalar, rows, cols } if is_native(scalar, rows, cols) => {
                Some((self.element_type(ty), rows.into()))
            }
            _ => None,
        }
    }

    pub(super) fn unary(&mut self, op: UnaryOp, value: Id, ty: TypeId) -> Result<Id, EmitError> {
        if let Some((row, count)) = self.rows_of(ty) {
            let row_type = self.value_type(row)?;
            let mut rows = Vec::new();
            for index in 0..count {
                let part = self.extract(row_type, value, &[index]);
                rows.push(self.unary(op, part, row)?);
            }
            return self.make(ty, &rows);
        }
        let op = match (op, kind(self.scalar_of(ty))) {
            (UnaryOp::Neg, Kind::Float) => Op::FNegate,
            (UnaryOp::Neg, _) => Op::SNegate,
            (UnaryOp::Not, _) => Op::LogicalNot,
            (UnaryOp::BitNot, _) => Op::Not,
        };
        let ty = self.value_type(ty)?;
        Ok(self.arithmetic(op, ty, &[value]))
    }

    /// An operation on floats that stays as it is written where the program asks for it.
    pub(super) fn arithmetic(&mut self, op: Op, ty: Id, operands: &[Id]) -> Id {
        let value = self.value(op, ty, operands);
        let is_float = matches!(
            op,
            Op::FAdd
                | Op::FSub
                | Op::FMul
                | Op::FDiv
                | Op::FRem
                | Op::FNegate
                | Op::Dot
                | Op::MatrixTimesMatrix
                | Op::MatrixTimesVector
                | Op::VectorTimesMatrix
        );
        if is_float && self.module.module.funcs[self.tree.func].is_precise {
            self.module.out.decorate(value, spirv::Decoration::NoContraction, &[]);
        }
        value
    }

    pub(super) fn binary_expr(&mut self, op: BinaryOp, a: &Expr, b: &Expr, ty: TypeId) -> Result<Id, EmitError> {
        let (left, right) = (self.expr(a)?, self.expr(b)?);
        if matches!(op, BinaryOp::Shl | BinaryOp::Shr) {
            return self.shift(op, (left, a.ty), (right, b), ty);
        }
        self.binary(op, left, right, a.ty, ty)
    }

    /// `operand` is the type of both operands.
    pub(super) fn binary(&mut self, op: BinaryOp, a: Id, b: Id, operand: TypeId, ty: TypeId) -> Result<Id, EmitError> {
        if let Some((row, count)) = self.rows_of(operand) {
            let row_type = self.value_type(row)?;
            let mut rows = Vec::new();
            for index in 0..count {
                let (left, right) = (self.extract(row_type, a, &[index]), self.extract(row_type, b, &[index]));
                rows.push(self.binary(op, left, right, row, row)?);
            }
            return self.make(ty, &rows);
        }
        let op = operation(op, kind(self.scalar_of(operand)));
        let op = op.ok_or_else(|| self.error("an operator that does not work on truth values"))?;
        let ty = self.value_type(ty)?;
        Ok(self.arithmetic(op, ty, &[a, b]))
    }

    /// Counts are taken modulo the width of the type, or 32 if that is more.
    fn shift(&mut self, op: BinaryOp, a: (Id, TypeId), b: (Id, &Expr), ty: TypeId) -> Result<Id, EmitError> {
        let scalar = self.scalar_of(a.1);
        let count = match &b.1.kind {
            ExprKind::Const(Constant::Int(count)) => Some(*count),
            ExprKind::Splat(one) => match one.kind {
                ExprKind::Const(Constant::Int(count)) => Some(count),
                _ => None,
            },
            _ => None,
        };
        if count.is_some_and(|count| (0..i64::from(scalar.bits())).contains(&count)) {
            return self.binary(op, a.0, b.0, a.1, ty);
        }
        // A narrow number may be shifted by more than it is wide.
        let wide = match (scalar.bits() < 32, scalar.is_signed()) {
            (false, _) => scalar,
            (true, true) => Scalar::I32,
            (true, false) => Scalar::U32,
        };
        let (wide_type, len) = (self.with_scalar(a.1, wide), self.len_of(a.1));
        let left = self.convert_scalar(a.0, scalar, wide, len);
        let mask = self.integer(i64::from(wide.bits() - 1), b.1.ty)?;
        let right = self.binary(BinaryOp::And, b.0, mask, b.1.ty, b.1.ty)?;
        let shifted = self.binary(op, left, right, wide_type, wide_type)?;
        Ok(self.convert_scalar(shifted, wide, scalar, len))
    }

    pub(super) fn convert(&mut self, value: Id, from: TypeId, to: TypeId) -> Result<Id, EmitError> {
        let (a, b) = (self.scalar_of(from), self.scalar_of(to));
        if let (Some((row, count)), true) = (self.rows_of(from), a != b) {
            let row_type = self.value_type(row)?;
            let to_row = self.with_scalar(row, b);
            let mut rows = Vec::new();
            for index in 0..count {
                let part = self.extract(row_type, value, &[index]);
                rows.push(self.convert(part, row, to_row)?);
            }
            return self.make(to, &rows);
        }
        Ok(self.convert_scalar(value, a, b, self.len_of(from)))
    }

    /// Converts a scalar or a vector of some components.
    pub(super) fn convert_scalar(&mut self, value: Id, from: Scalar, to: Scalar, len: u8) -> Id {
        if from == to {
            return value;
        }
        let ty = self.module.vector_type(to, len);
        let from_type = self.module.vector_type(from, len);
        let of = |this: &mut Self, scalar, number: i64| {
            let one = this.module.scalar_constant(Constant::Int(number), scalar);
            let ty = this.module.vector_type(scalar, len);
            if len == 1 { one } else { this.construct(ty, &vec![one; len.into()]) }
        };
        match (kind(from), kind(to)) {
            (Kind::Bool, _) => {
                let (one, zero) = (of(self, to, 1), self.module.null(ty));
                self.value(Op::Select, ty, &[value, one, zero])
            }
            (Kind::Float, Kind::Bool) => {
                let zero = self.module.null(from_type);
                self.value(Op::FUnordNotEqual, ty, &[value, zero])
            }
            (Kind::Signed | Kind::Unsigned, Kind::Bool) => {
                let zero = self.module.null(from_type);
                self.value(Op::INotEqual, ty, &[value, zero])
            }
            (Kind::Float, Kind::Float) => self.value(Op::FConvert, ty, &[value]),
            (Kind::Float, Kind::Signed) => self.value(Op::ConvertFToS, ty, &[value]),
            (Kind::Float, Kind::Unsigned) => self.value(Op::ConvertFToU, ty, &[value]),
            (Kind::Signed, Kind::Float) => self.value(Op::ConvertSToF, ty, &[value]),
            (Kind::Unsigned, Kind::Float) => self.value(Op::ConvertUToF, ty, &[value]),
            (Kind::Signed | Kind::Unsigned, Kind::Signed | Kind::Unsigned) if from.bits() == to.bits() => {
                self.value(Op::Bitcast, ty, &[value])
            }
            (Kind::Signed, Kind::Signed | Kind::Unsigned) => self.value(Op::SConvert, ty, &[value]),
            (Kind::Unsigned, Kind::Unsigned) => self.value(Op::UConvert, ty, &[value]),
            (Kind::Unsigned, Kind::Signed) => {
                let unsigned = unsigned(to);
                let wide_type = self.module.vector_type(unsigned, len);
                let wide = self.value(Op::UConvert, wide_type, &[value]);
                self.value(Op::Bitcast, ty, &[wide])
            }
        }
    }

    pub(super) fn bitcast(&mut self, value: Id, from: TypeId, to: TypeId) -> Result<Id, EmitError> {
        let (a, b) = (self.value_type(from)?, self.value_type(to)?);
        if a == b {
            return Ok(value);
        }
        let bits = |this: &Self, ty| match this.type_of(ty) {
            Type::Scalar(scalar) if scalar != Scalar::Bool => Some(scalar.bits()),
            Type::Vector { scalar, len } if scalar != Scalar::Bool => Some(scalar.bits() * u32::from(len)),
            _ => None,
        };
        match (bits(self, from), bits(self, to)) {
            (Some(from), Some(to)) if from == to => Ok(self.value(Op::Bitcast, b, &[value])),
            _ => Err(self.error("this reinterpretation is not supported for this target")),
        }
    }
}

/// The unsigned integer of the same width.
pub(super) fn unsigned(scalar: Scalar) -> Scalar {
    match scalar {
        Scalar::I8 | Scalar::U8 => Scalar::U8,
        Scalar::I16 | Scalar::U16 | Scalar::F16 => Scalar::U16,
        Scalar::Bool | Scalar::I32 | Scalar::U32 | Scalar::F32 => Scalar::U32,
        Scalar::I64 | Scalar::U64 | Scalar::F64 => Scalar::U64,
    }
}
