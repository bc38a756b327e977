//! Mathematical functions: those of `GLSL.std.450`, and what is made of others.

use ir::{BinaryOp, Intrinsic, MathFn, Scalar, Type, TypeId, UnaryOp, intrinsic::NumberOp};
use spirv::{GlslStd450Op as G, Op};

use super::arithmetic::{Kind, kind};
use super::function::{FunctionWriter, Slot};
use super::words::Id;
use crate::EmitError;
use crate::double::has_double;
use crate::tree::{Expr, ExprKind};

/// How a component-wise function is written.
enum Rule {
    /// Of floats, signed and unsigned integers.
    Set(G, Option<G>, Option<G>),
    Operation(Op),
    Reciprocal,
    Log10,
    Saturate,
    Copysign,
    IsFinite,
    Fmod,
    F16ToF32,
    F32ToF16,
    /// Not component-wise: see `whole`.
    Whole,
}

fn rule(function: MathFn) -> Rule {
    let float = |op| Rule::Set(op, None, None);
    match function {
        MathFn::Abs => Rule::Set(G::FAbs, Some(G::SAbs), None),
        MathFn::Acos => float(G::Acos),
        MathFn::Acosh => float(G::Acosh),
        MathFn::Asin => float(G::Asin),
        MathFn::Asinh => float(G::Asinh),
        MathFn::Atan => float(G::Atan),
        MathFn::Atanh => float(G::Atanh),
        MathFn::Ceil => float(G::Ceil),
        MathFn::Cos => float(G::Cos),
        MathFn::Cosh => float(G::Cosh),
        MathFn::Exp => float(G::Exp),
        MathFn::Exp2 => float(G::Exp2),
        MathFn::Floor => float(G::Floor),
        MathFn::Frac => float(G::Fract),
        MathFn::Log => float(G::Log),
        MathFn::Log10 => Rule::Log10,
        MathFn::Log2 => float(G::Log2),
        MathFn::Rcp => Rule::Reciprocal,
        MathFn::Round => float(G::RoundEven),
        MathFn::Rsqrt => float(G::InverseSqrt),
        MathFn::Saturate => Rule::Saturate,
        MathFn::Sign => Rule::Set(G::FSign, Some(G::SSign), None),
        MathFn::Sin => float(G::Sin),
        MathFn::Sinh => float(G::Sinh),
        MathFn::Sqrt => float(G::Sqrt),
        MathFn::Tan => float(G::Tan),
        MathFn::Tanh => float(G::Tanh),
        MathFn::Trunc => float(G::Trunc),
        MathFn::Degrees => float(G::Degrees),
        MathFn::Radians => float(G::Radians),
        MathFn::Atan2 => float(G::Atan2),
        MathFn::Copysign => Rule::Copysign,
        MathFn::Fmod => Rule::Fmod,
        MathFn::Max => Rule::Set(G::FMax, Some(G::SMax), Some(G::UMax)),
        MathFn::Min => Rule::Set(G::FMin, Some(G::SMin), Some(G::UMin)),
        MathFn::Pow => float(G::Pow),
        MathFn::Step => float(G::Step),
        MathFn::Clamp => Rule::Set(G::FClamp, Some(G::SClamp), Some(G::UClamp)),
        MathFn::Fma => float(G::Fma),
        MathFn::Lerp => float(G::FMix),
        MathFn::Smoothstep => float(G::SmoothStep),
        MathFn::IsNan => Rule::Operation(Op::IsNan),
        MathFn::IsInf => Rule::Operation(Op::IsInf),
        MathFn::IsFinite => Rule::IsFinite,
        MathFn::CountBits => Rule::Operation(Op::BitCount),
        MathFn::FirstBitHigh => Rule::Set(G::FindUMsb, Some(G::FindSMsb), Some(G::FindUMsb)),
        MathFn::FirstBitLow => Rule::Set(G::FindILsb, Some(G::FindILsb), Some(G::FindILsb)),
        MathFn::ReverseBits => Rule::Operation(Op::BitReverse),
        MathFn::F16ToF32 => Rule::F16ToF32,
        MathFn::F32ToF16 => Rule::F32ToF16,
        MathFn::Dot
        | MathFn::Length
        | MathFn::Distance
        | MathFn::Cross
        | MathFn::Normalize
        | MathFn::Reflect
        | MathFn::Refract
        | MathFn::Faceforward
        | MathFn::MatMul
        | MathFn::Transpose
        | MathFn::Determinant
        | MathFn::All
        | MathFn::Any => Rule::Whole,
    }
}

impl FunctionWriter<'_, '_> {
    /// An instruction of `GLSL.std.450`.
    pub(super) fn glsl(&mut self, op: G, ty: Id, operands: &[Id]) -> Id {
        let set = self.module.out.import("GLSL.std.450");
        let words = operands.iter().map(|id| id.0);
        let words: Vec<u32> = [set.0, op as u32].into_iter().chain(words).collect();
        self.value_with(Op::ExtInst, ty, &words)
    }

    pub(super) fn math(&mut self, function: MathFn, args: &[Expr], ty: TypeId) -> Result<Id, EmitError> {
        let values = args.iter().map(|arg| self.expr(arg)).collect::<Result<Vec<_>, _>>()?;
        if !has_double(function) && args.iter().any(|arg| self.scalar_of(arg.ty) == Scalar::F64) {
            let message = format!("`{function:?}` of `double` is not supported for this target");
            return Err(self.error(message.to_lowercase()));
        }
        let operand = args.first().map_or(ty, |arg| arg.ty);
        let (scalar, result) = (self.scalar_of(operand), self.value_type(ty)?);
        Ok(match rule(function) {
            Rule::Whole => return self.whole(function, args, &values, ty),
            Rule::Set(op, signed, unsigned) => match (kind(scalar), function, &values[..]) {
                (Kind::Float, ..) => self.glsl(op, result, &values),
                (Kind::Unsigned, MathFn::Abs, [value]) => *value,
                (Kind::Signed | Kind::Unsigned, MathFn::Fma, &[a, b, c]) => {
                    let product = self.value(Op::IMul, result, &[a, b]);
                    self.value(Op::IAdd, result, &[product, c])
                }
                (Kind::Signed, ..) if signed.is_some() => self.glsl(signed.unwrap_or(op), result, &values),
                (Kind::Unsigned, ..) if unsigned.is_some() => self.glsl(unsigned.unwrap_or(op), result, &values),
                (Kind::Unsigned, MathFn::Sign, [value]) => {
                    let one = self.integer(1, operand)?;
                    self.glsl(G::UMin, result, &[*value, one])
                }
                _ => return Err(self.error("this function of integers is not supported for target `spirv`")),
            },
            Rule::Operation(op) => self.value(op, result, &values),
            Rule::Reciprocal => {
                let one = self.number(1.0, operand)?;
                self.arithmetic(Op::FDiv, result, &[one, values[0]])
            }
            Rule::Log10 => {
                let natural = self.glsl(G::Log, result, &values);
                let factor = self.number(std::f64::consts::LOG10_E, operand)?;
                self.arithmetic(Op::FMul, result, &[natural, factor])
            }
            Rule::Saturate => {
                let (zero, one) = (self.number(0.0, operand)?, self.number(1.0, operand)?);
                self.glsl(G::FClamp, result, &[values[0], zero, one])
            }
            Rule::Fmod => self.binary(BinaryOp::Rem, values[0], values[1], operand, ty)?,
            Rule::IsFinite => {
                let nan = self.value(Op::IsNan, result, &values);
                let infinite = self.value(Op::IsInf, result, &values);
                let either = self.value(Op::LogicalOr, result, &[nan, infinite]);
                self.value(Op::LogicalNot, result, &[either])
            }
            Rule::Copysign => self.copysign(values[0], values[1], ty)?,
            Rule::F16ToF32 => self.by_components(values[0], operand, ty, &mut |f, bits| {
                let (pair, float) = (f.module.vector_type(Scalar::F32, 2), f.module.scalar_type(Scalar::F32));
                let unpacked = f.glsl(G::UnpackHalf2x16, pair, &[bits]);
                f.extract(float, unpacked, &[0])
            })?,
            Rule::F32ToF16 => self.by_components(values[0], operand, ty, &mut |f, number| {
                let (pair, word) = (f.module.vector_type(Scalar::F32, 2), f.module.scalar_type(Scalar::U32));
                let zero = f.module.scalar_constant(ir::Constant::Float(0.0), Scalar::F32);
                let both = f.construct(pair, &[number, zero]);
                f.glsl(G::PackHalf2x16, word, &[both])
            })?,
        })
    }

    /// What there is for scalars only.
    fn by_components(
        &mut self,
        value: Id,
        operand: TypeId,
        ty: TypeId,
        apply: &mut dyn FnMut(&mut Self, Id) -> Id,
    ) -> Result<Id, EmitError> {
        let len = self.len_of(operand);
        if len == 1 {
            return Ok(apply(self, value));
        }
        let component_type = self.module.scalar_type(self.scalar_of(operand));
        let mut components = Vec::new();
        for index in 0..len.into() {
            let component = self.extract(component_type, value, &[index]);
            components.push(apply(self, component));
        }
        self.make(ty, &components)
    }

    /// The bits of one number but for that of the sign, which is the other's.
    fn copysign(&mut self, magnitude: Id, sign: Id, ty: TypeId) -> Result<Id, EmitError> {
        // Not all devices that have halves have integers of 16 bits, so that halves are seen as floats of 32 bits.
        let (scalar, len) = (self.scalar_of(ty), self.len_of(ty));
        let float = if scalar == Scalar::F64 { Scalar::F64 } else { Scalar::F32 };
        let words = if scalar == Scalar::F64 { Scalar::U64 } else { Scalar::U32 };
        let (floats, words) = (self.with_scalar(ty, float), self.with_scalar(ty, words));
        let bits = |this: &mut Self, value: Id, mask: i64| {
            let value = this.convert_scalar(value, scalar, float, len);
            let value = this.bitcast(value, floats, words)?;
            let mask = this.integer(mask, words)?;
            this.binary(BinaryOp::And, value, mask, words, words)
        };
        let (low, high) = match scalar {
            Scalar::F64 => (i64::MAX, i64::MIN),
            _ => (i64::from(i32::MAX), 1 << 31),
        };
        let (magnitude, sign) = (bits(self, magnitude, low)?, bits(self, sign, high)?);
        let both = self.binary(BinaryOp::Or, magnitude, sign, words, words)?;
        let both = self.bitcast(both, words, floats)?;
        Ok(self.convert_scalar(both, float, scalar, len))
    }

    /// The fraction; the exponent goes to a variable.
    pub(super) fn frexp(&mut self, args: &[Expr]) -> Result<Id, EmitError> {
        let refused = |this: &Self| this.refused(Intrinsic::Number(NumberOp::Frexp));
        let [x, Expr { kind: ExprKind::Reference(exponent), ty: whole, .. }] = args else { return Err(refused(self)) };
        let (scalar, len) = (self.scalar_of(x.ty), self.len_of(x.ty));
        let is_shape = matches!(self.type_of(x.ty), Type::Scalar(_) | Type::Vector { .. });
        if !is_shape || !matches!(scalar, Scalar::F16 | Scalar::F32) || self.scalar_of(*whole) != Scalar::I32 {
            return Err(refused(self));
        }
        let Slot::Pointer(pointer) = self.slot(*exponent)? else { return Err(refused(self)) };
        let x = self.expr(x)?;
        let x = self.convert_scalar(x, scalar, Scalar::F32, len);
        let (float, int) = (self.module.vector_type(Scalar::F32, len), self.module.vector_type(Scalar::I32, len));
        let pair = self.module.out.ty(Op::TypeStruct, &[float.0, int.0]);
        let both = self.glsl(G::FrexpStruct, pair, &[x]);
        let value = self.extract(int, both, &[1]);
        self.store_pointer(pointer, value);
        let value = self.extract(float, both, &[0]);
        Ok(self.convert_scalar(value, Scalar::F32, scalar, len))
    }

    /// Functions of vectors and matrices.
    fn whole(&mut self, function: MathFn, args: &[Expr], values: &[Id], ty: TypeId) -> Result<Id, EmitError> {
        let operand = args.first().map_or(ty, |arg| arg.ty);
        let is_single = self.len_of(operand) == 1 && !matches!(self.type_of(operand), Type::Matrix { .. });
        let (scalar, result) = (self.scalar_of(operand), self.value_type(ty)?);
        Ok(match function {
            MathFn::Dot if is_single => self.binary(BinaryOp::Mul, values[0], values[1], operand, ty)?,
            MathFn::Dot if scalar.is_float() => self.arithmetic(Op::Dot, result, values),
            MathFn::Dot => {
                let products = self.binary(BinaryOp::Mul, values[0], values[1], operand, operand)?;
                let mut sum = self.extract(result, products, &[0]);
                for index in 1..self.len_of(operand).into() {
                    let product = self.extract(result, products, &[index]);
                    sum = self.value(Op::IAdd, result, &[sum, product]);
                }
                sum
            }
            MathFn::Length if is_single => self.glsl(G::FAbs, result, values),
            MathFn::Length => self.glsl(G::Length, result, values),
            MathFn::Distance if is_single => {
                let difference = self.binary(BinaryOp::Sub, values[0], values[1], operand, ty)?;
                self.glsl(G::FAbs, result, &[difference])
            }
            MathFn::Distance => self.glsl(G::Distance, result, values),
            MathFn::Cross => self.glsl(G::Cross, result, values),
            MathFn::Normalize if is_single => self.glsl(G::FSign, result, values),
            MathFn::Normalize => self.glsl(G::Normalize, result, values),
            MathFn::Reflect if is_single => {
                let two = self.number(2.0, operand)?;
                let product = self.arithmetic(Op::FMul, result, &[values[0], values[1]]);
                let twice = self.arithmetic(Op::FMul, result, &[two, product]);
                let along = self.arithmetic(Op::FMul, result, &[twice, values[1]]);
                self.arithmetic(Op::FSub, result, &[values[0], along])
            }
            MathFn::Reflect => self.glsl(G::Reflect, result, values),
            MathFn::Refract if is_single => self.refract_scalar(values, operand)?,
            MathFn::Refract => self.glsl(G::Refract, result, values),
            MathFn::Faceforward if is_single => {
                let towards = self.arithmetic(Op::FMul, result, &[values[1], values[2]]);
                let (zero, bool_) = (self.number(0.0, operand)?, self.module.scalar_type(Scalar::Bool));
                let is_against = self.value(Op::FOrdLessThan, bool_, &[towards, zero]);
                let turned = self.unary(UnaryOp::Neg, values[0], operand)?;
                self.value(Op::Select, result, &[is_against, values[0], turned])
            }
            MathFn::Faceforward => self.glsl(G::FaceForward, result, values),
            MathFn::MatMul => self.product(args, values, result)?,
            MathFn::Transpose | MathFn::Determinant if self.rows_of(operand).is_none() => {
                return Err(self.error("matrices of this shape are not supported here yet on this target"));
            }
            MathFn::Transpose => self.value(Op::Transpose, result, values),
            MathFn::Determinant => self.glsl(G::Determinant, result, values),
            MathFn::All | MathFn::Any => self.all_or_any(function, operand, values[0])?,
            _ => return Err(self.error("this function is not supported yet on this target")),
        })
    }

    /// Rows are columns here, so the product is that of the transposed matrices, the other way round.
    fn product(&mut self, args: &[Expr], values: &[Id], result: Id) -> Result<Id, EmitError> {
        let is_matrix = |this: &mut Self, index: usize| match args.get(index).map(|arg| this.type_of(arg.ty)) {
            Some(Type::Matrix { .. }) => this.rows_of(args[index].ty).map(|_| true),
            Some(_) => Some(false),
            None => None,
        };
        let op = match (is_matrix(self, 0), is_matrix(self, 1)) {
            (Some(true), Some(true)) => Op::MatrixTimesMatrix,
            (Some(true), Some(false)) => Op::VectorTimesMatrix,
            (Some(false), Some(true)) => Op::MatrixTimesVector,
            _ => return Err(self.error("products of matrices of this shape are not supported yet on this target")),
        };
        Ok(self.arithmetic(op, result, &[values[1], values[0]]))
    }

    /// Of scalars: with `d = i * n` and `k = 1 - eta * eta * (1 - d * d)`, zero where `k < 0`, else
    /// `eta * i - (eta * d + sqrt(k)) * n`.
    fn refract_scalar(&mut self, values: &[Id], ty: TypeId) -> Result<Id, EmitError> {
        let &[i, n, eta] = values else { return Err(self.error("a function with a strange number of arguments")) };
        let (zero, one, result) = (self.number(0.0, ty)?, self.number(1.0, ty)?, self.value_type(ty)?);
        let bool_ = self.module.scalar_type(Scalar::Bool);
        let mut of = |op, a, b| self.arithmetic(op, result, &[a, b]);
        let d = of(Op::FMul, i, n);
        let square = of(Op::FMul, d, d);
        let rest = of(Op::FSub, one, square);
        let bent = of(Op::FMul, eta, eta);
        let bent = of(Op::FMul, bent, rest);
        let k = of(Op::FSub, one, bent);
        let along = of(Op::FMul, eta, d);
        let straight = of(Op::FMul, eta, i);
        let is_total = self.value(Op::FOrdLessThan, bool_, &[k, zero]);
        // The root of a negative number is not selected, but some devices complain of it.
        let inside = self.glsl(G::FMax, result, &[k, zero]);
        let root = self.glsl(G::Sqrt, result, &[inside]);
        let along = self.arithmetic(Op::FAdd, result, &[along, root]);
        let along = self.arithmetic(Op::FMul, result, &[along, n]);
        let refracted = self.arithmetic(Op::FSub, result, &[straight, along]);
        Ok(self.value(Op::Select, result, &[is_total, zero, refracted]))
    }

    fn all_or_any(&mut self, function: MathFn, ty: TypeId, value: Id) -> Result<Id, EmitError> {
        let (op, join) = match function {
            MathFn::All => (Op::All, Op::LogicalAnd),
            _ => (Op::Any, Op::LogicalOr),
        };
        let (scalar, bool_) = (self.scalar_of(ty), self.module.scalar_type(Scalar::Bool));
        match self.type_of(ty) {
            Type::Scalar(_) | Type::Vector { len: 1, .. } => Ok(self.convert_scalar(value, scalar, Scalar::Bool, 1)),
            Type::Vector { len, .. } => {
                let truths = self.convert_scalar(value, scalar, Scalar::Bool, len);
                Ok(self.value(op, bool_, &[truths]))
            }
            Type::Matrix { rows, .. } => {
                let row = self.element_type(ty);
                let row_type = self.value_type(row)?;
                let mut whole: Option<Id> = None;
                for index in 0..u32::from(rows) {
                    let part = self.extract(row_type, value, &[index]);
                    let part = self.all_or_any(function, row, part)?;
                    whole = Some(match whole {
                        Some(before) => self.value(join, bool_, &[before, part]),
                        None => part,
                    });
                }
                whole.ok_or_else(|| self.error("a matrix without rows"))
            }
            _ => Err(self.error("`all` and `any` of this type are not supported on this target")),
        }
    }
}
