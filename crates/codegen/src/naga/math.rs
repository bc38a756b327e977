//! The functions of the IR in naga's terms.

use ir::{Intrinsic, MathFn, Scalar, Type, TypeId, intrinsic::NumberOp};
use naga::{BinaryOperator, Expression, Literal, MathFunction, RelationalFunction};

use super::expressions::Value;
use super::function::{FunctionWriter, Slot};
use crate::EmitError;
use crate::double::has_double;
use crate::tree::{Expr, ExprKind};

/// How a component-wise function is written.
enum Rule {
    Direct(MathFunction),
    Binary(BinaryOperator),
    /// `1 / x`
    Reciprocal,
    /// The logarithm to base 10 from the natural one.
    Log10,
    Copysign,
    IsNan,
    IsInf,
    IsFinite,
    F16ToF32,
    F32ToF16,
    /// Not component-wise: see `math`.
    Whole,
}

fn rule(function: MathFn) -> Rule {
    use MathFunction as M;
    match function {
        MathFn::Abs => Rule::Direct(M::Abs),
        MathFn::Acos => Rule::Direct(M::Acos),
        MathFn::Acosh => Rule::Direct(M::Acosh),
        MathFn::Asin => Rule::Direct(M::Asin),
        MathFn::Asinh => Rule::Direct(M::Asinh),
        MathFn::Atan => Rule::Direct(M::Atan),
        MathFn::Atanh => Rule::Direct(M::Atanh),
        MathFn::Ceil => Rule::Direct(M::Ceil),
        MathFn::Cos => Rule::Direct(M::Cos),
        MathFn::Cosh => Rule::Direct(M::Cosh),
        MathFn::Exp => Rule::Direct(M::Exp),
        MathFn::Exp2 => Rule::Direct(M::Exp2),
        MathFn::Floor => Rule::Direct(M::Floor),
        MathFn::Frac => Rule::Direct(M::Fract),
        MathFn::Log => Rule::Direct(M::Log),
        MathFn::Log10 => Rule::Log10,
        MathFn::Log2 => Rule::Direct(M::Log2),
        MathFn::Rcp => Rule::Reciprocal,
        MathFn::Round => Rule::Direct(M::Round),
        MathFn::Rsqrt => Rule::Direct(M::InverseSqrt),
        MathFn::Saturate => Rule::Direct(M::Saturate),
        MathFn::Sign => Rule::Direct(M::Sign),
        MathFn::Sin => Rule::Direct(M::Sin),
        MathFn::Sinh => Rule::Direct(M::Sinh),
        MathFn::Sqrt => Rule::Direct(M::Sqrt),
        MathFn::Tan => Rule::Direct(M::Tan),
        MathFn::Tanh => Rule::Direct(M::Tanh),
        MathFn::Trunc => Rule::Direct(M::Trunc),
        MathFn::Degrees => Rule::Direct(M::Degrees),
        MathFn::Radians => Rule::Direct(M::Radians),
        MathFn::Atan2 => Rule::Direct(M::Atan2),
        MathFn::Copysign => Rule::Copysign,
        MathFn::Fmod => Rule::Binary(BinaryOperator::Modulo),
        MathFn::Max => Rule::Direct(M::Max),
        MathFn::Min => Rule::Direct(M::Min),
        MathFn::Pow => Rule::Direct(M::Pow),
        MathFn::Step => Rule::Direct(M::Step),
        MathFn::Clamp => Rule::Direct(M::Clamp),
        MathFn::Fma => Rule::Direct(M::Fma),
        MathFn::Lerp => Rule::Direct(M::Mix),
        MathFn::Smoothstep => Rule::Direct(M::SmoothStep),
        MathFn::IsNan => Rule::IsNan,
        MathFn::IsInf => Rule::IsInf,
        MathFn::IsFinite => Rule::IsFinite,
        MathFn::CountBits => Rule::Direct(M::CountOneBits),
        MathFn::FirstBitHigh => Rule::Direct(M::FirstLeadingBit),
        MathFn::FirstBitLow => Rule::Direct(M::FirstTrailingBit),
        MathFn::ReverseBits => Rule::Direct(M::ReverseBits),
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

/// Floats seen as unsigned integers.
struct Words {
    /// The floats as they are.
    of: Scalar,
    /// Floats of which there are integers of the same width, and that have all values of the others.
    float: Scalar,
    /// All bits but that of the sign.
    magnitude: Literal,
    sign: Literal,
    /// The magnitude of infinities; those of numbers are smaller, the others larger.
    infinity: Literal,
}

impl Words {
    /// Not all devices that have halves have integers of 16 bits, so that halves are seen as floats of 32 bits.
    fn of(scalar: Scalar) -> Words {
        match scalar {
            Scalar::F64 => Words {
                of: scalar,
                float: Scalar::F64,
                magnitude: Literal::U64(u64::MAX >> 1),
                sign: Literal::U64(1 << 63),
                infinity: Literal::U64(f64::INFINITY.to_bits()),
            },
            _ => Words {
                of: scalar,
                float: Scalar::F32,
                magnitude: Literal::U32(u32::MAX >> 1),
                sign: Literal::U32(1 << 31),
                infinity: Literal::U32(f32::INFINITY.to_bits()),
            },
        }
    }
}

impl FunctionWriter<'_, '_> {
    /// The fraction; the exponent goes to a variable.
    pub(super) fn frexp(&mut self, args: &[Expr]) -> Result<Value, EmitError> {
        let [x, Expr { kind: ExprKind::Reference(exponent), ty: whole, .. }] = args else {
            return Err(self.error("the exponent is not a variable"));
        };
        let (size, scalar) = match self.type_of(x.ty) {
            Type::Scalar(scalar) => (None, scalar),
            Type::Vector { scalar, len } => (super::types::vector_size(len), scalar),
            _ => return Err(self.refused(Intrinsic::Number(NumberOp::Frexp))),
        };
        let is_known = matches!(scalar, Scalar::F32 | Scalar::F16);
        if !is_known
            || !matches!(self.type_of(*whole), Type::Scalar(Scalar::I32) | Type::Vector { scalar: Scalar::I32, .. })
        {
            return Err(self.refused(Intrinsic::Number(NumberOp::Frexp)));
        }
        let Slot::Pointer(pointer) = self.slot(*exponent)? else {
            return Err(self.error("the exponent is not a variable"));
        };
        // naga's exponent is as wide as the number.
        let x = self.expr(x)?;
        let x = self.convert(x, scalar, Scalar::F32)?;
        let mantissa = scalar;
        let scalar = self.naga_scalar(Scalar::F32)?;
        self.module.out.generate_predeclared_type(naga::PredeclaredType::FrexpResult { size, scalar });
        let both = self.math1(MathFunction::Frexp, x);
        let value = self.add(Expression::AccessIndex { base: both, index: 1 });
        self.push(naga::Statement::Store { pointer, value });
        let value = self.add(Expression::AccessIndex { base: both, index: 0 });
        self.convert(value, Scalar::F32, mantissa)
    }

    pub(super) fn math(&mut self, function: MathFn, args: &[Expr], ty: TypeId) -> Result<Value, EmitError> {
        let values = self.math_operands(function, args)?;
        let rule = rule(function);
        if let Rule::Whole = rule {
            return self.whole(function, args, &values);
        }
        if !has_double(function) && args.iter().any(|arg| self.scalar_of(arg.ty) == Scalar::F64) {
            return Err(
                self.error(format!("`{function:?}` of `double` is not supported for this target").to_lowercase())
            );
        }
        let operand = args.first().map_or(ty, |arg| arg.ty);
        let scalar = self.scalar_of(operand);
        self.component_wise(&rule, &values, scalar, ty)
    }

    fn component_wise(&mut self, rule: &Rule, parts: &[Value], scalar: Scalar, ty: TypeId) -> Result<Value, EmitError> {
        Ok(match rule {
            Rule::Direct(MathFunction::Fma) if !scalar.is_float() => {
                let product = self.binary(BinaryOperator::Multiply, parts[0], parts[1]);
                self.binary(BinaryOperator::Add, product, parts[2])
            }
            Rule::Direct(fun) => match parts {
                [a] => self.math1(*fun, *a),
                [a, b] => self.math2(*fun, *a, *b),
                [a, b, c] => self.math3(*fun, *a, *b, *c),
                _ => return Err(self.error("a function with a strange number of arguments")),
            },
            Rule::Binary(op) => self.binary(*op, parts[0], parts[1]),
            Rule::Reciprocal => {
                let one = self.constant_like(1.0, scalar, ty)?;
                self.binary(BinaryOperator::Divide, one, parts[0])
            }
            Rule::Log10 => {
                let natural = self.math1(MathFunction::Log, parts[0]);
                let factor = self.constant_like(std::f64::consts::LOG10_E, scalar, ty)?;
                self.binary(BinaryOperator::Multiply, natural, factor)
            }
            Rule::Copysign => {
                let words = Words::of(scalar);
                let (magnitude, sign) = (self.bits(parts[0], &words)?, self.bits(parts[1], &words)?);
                let (low, high) = (self.word_like(words.magnitude, ty), self.word_like(words.sign, ty));
                let magnitude = self.binary(BinaryOperator::And, magnitude, low);
                let sign = self.binary(BinaryOperator::And, sign, high);
                let bits = self.binary(BinaryOperator::InclusiveOr, magnitude, sign);
                let float = self.add(Expression::As { expr: bits, kind: naga::ScalarKind::Float, convert: None });
                self.convert(float, words.float, scalar)?
            }
            Rule::IsNan => self.classify(BinaryOperator::Greater, parts[0], scalar, ty)?,
            Rule::IsInf => self.classify(BinaryOperator::Equal, parts[0], scalar, ty)?,
            Rule::IsFinite => self.classify(BinaryOperator::Less, parts[0], scalar, ty)?,
            Rule::F16ToF32 => self.by_components(parts[0], ty, &mut |f, bits| {
                let pair = f.math1(MathFunction::Unpack2x16float, bits);
                Ok(f.add(Expression::AccessIndex { base: pair, index: 0 }))
            })?,
            Rule::F32ToF16 => {
                let inner = naga::TypeInner::Vector { size: naga::VectorSize::Bi, scalar: naga::Scalar::F32 };
                let pair_type = self.naga_type(inner)?;
                self.by_components(parts[0], ty, &mut |f, number| {
                    let zero = f.literal(Literal::F32(0.0));
                    let pair = f.add(Expression::Compose { ty: pair_type, components: vec![number, zero] });
                    Ok(f.math1(MathFunction::Pack2x16float, pair))
                })?
            }
            Rule::Whole => return Err(self.error("a function that is not component-wise")),
        })
    }

    /// What naga has for scalars only. `ty` is the type of the result.
    fn by_components(
        &mut self,
        operand: Value,
        ty: TypeId,
        apply: &mut dyn FnMut(&mut Self, Value) -> Result<Value, EmitError>,
    ) -> Result<Value, EmitError> {
        let Type::Vector { len: len @ 2.., .. } = self.type_of(ty) else { return apply(self, operand) };
        let mut components = Vec::new();
        for index in 0..u32::from(len) {
            let component = self.add(Expression::AccessIndex { base: operand, index });
            components.push(apply(self, component)?);
        }
        self.compose(ty, components)
    }

    /// By the bits: targets may assume that there are no infinities, and then their own tests are always false.
    fn classify(&mut self, op: BinaryOperator, x: Value, scalar: Scalar, ty: TypeId) -> Result<Value, EmitError> {
        let words = Words::of(scalar);
        let bits = self.bits(x, &words)?;
        let (mask, infinity) = (self.word_like(words.magnitude, ty), self.word_like(words.infinity, ty));
        let magnitude = self.binary(BinaryOperator::And, bits, mask);
        Ok(self.binary(op, magnitude, infinity))
    }

    fn bits(&mut self, x: Value, words: &Words) -> Result<Value, EmitError> {
        let x = self.convert(x, words.of, words.float)?;
        Ok(self.add(Expression::As { expr: x, kind: naga::ScalarKind::Uint, convert: None }))
    }

    fn like(&mut self, value: Value, ty: TypeId) -> Value {
        match self.type_of(ty) {
            Type::Vector { len, .. } => match super::types::vector_size(len) {
                Some(size) => self.add(Expression::Splat { size, value }),
                None => value,
            },
            _ => value,
        }
    }

    fn word_like(&mut self, word: Literal, ty: TypeId) -> Value {
        let word = self.literal(word);
        self.like(word, ty)
    }

    fn constant_like(&mut self, value: f64, scalar: Scalar, ty: TypeId) -> Result<Value, EmitError> {
        let literal = match scalar {
            Scalar::F16 => Literal::F16(ir::number::half(value)),
            Scalar::F64 => Literal::F64(value),
            Scalar::F32 => Literal::F32(value as f32),
            _ => return Err(self.error("this function works on floats only")),
        };
        let value = self.literal(literal);
        Ok(self.like(value, ty))
    }

    /// Functions of vectors and matrices.
    fn whole(&mut self, function: MathFn, args: &[Expr], values: &[Value]) -> Result<Value, EmitError> {
        let is_scalar =
            |f: &Self, arg: &Expr| matches!(f.type_of(arg.ty), Type::Scalar(_) | Type::Vector { len: 1, .. });
        let single = args.first().is_some_and(|arg| is_scalar(self, arg));
        Ok(match function {
            MathFn::Dot if single => self.binary(BinaryOperator::Multiply, values[0], values[1]),
            MathFn::Dot => self.math2(MathFunction::Dot, values[0], values[1]),
            MathFn::Length if single => self.math1(MathFunction::Abs, values[0]),
            MathFn::Length => self.math1(MathFunction::Length, values[0]),
            MathFn::Distance if single => {
                let difference = self.binary(BinaryOperator::Subtract, values[0], values[1]);
                self.math1(MathFunction::Abs, difference)
            }
            MathFn::Distance => self.math2(MathFunction::Distance, values[0], values[1]),
            MathFn::Cross => self.math2(MathFunction::Cross, values[0], values[1]),
            MathFn::Normalize if single => self.math1(MathFunction::Sign, values[0]),
            MathFn::Normalize => self.math1(MathFunction::Normalize, values[0]),
            MathFn::Reflect if single => {
                let twice = self.reflected(values, args[0].ty)?;
                self.binary(BinaryOperator::Subtract, values[0], twice)
            }
            MathFn::Reflect => self.math2(MathFunction::Reflect, values[0], values[1]),
            MathFn::Refract if single => self.refract_scalar(values, args[0].ty)?,
            MathFn::Refract => self.math3(MathFunction::Refract, values[0], values[1], values[2]),
            MathFn::Faceforward if single => {
                let towards = self.binary(BinaryOperator::Multiply, values[1], values[2]);
                let zero = self.constant_like(0.0, self.scalar_of(args[0].ty), args[0].ty)?;
                let condition = self.binary(BinaryOperator::Less, towards, zero);
                let reject = self.add(Expression::Unary { op: naga::UnaryOperator::Negate, expr: values[0] });
                self.add(Expression::Select { condition, accept: values[0], reject })
            }
            MathFn::Faceforward => self.math3(MathFunction::FaceForward, values[0], values[1], values[2]),
            MathFn::MatMul => {
                let matrices_are_native = args.iter().all(|arg| match self.type_of(arg.ty) {
                    Type::Matrix { .. } => self.is_native_matrix(arg.ty),
                    _ => true,
                });
                if !matrices_are_native {
                    return Err(self.error("products of matrices of this shape are not supported yet on this target"));
                }
                // Rows are naga's columns, so the product is that of the transposed matrices, the other way round.
                self.binary(BinaryOperator::Multiply, values[1], values[0])
            }
            MathFn::Transpose | MathFn::Determinant => {
                if !self.is_native_matrix(args[0].ty) {
                    return Err(self.error("matrices of this shape are not supported here yet on this target"));
                }
                let fun =
                    if function == MathFn::Transpose { MathFunction::Transpose } else { MathFunction::Determinant };
                self.math1(fun, values[0])
            }
            MathFn::All | MathFn::Any => self.all_or_any(function, &args[0], values[0])?,
            _ => return Err(self.error("this function is not supported yet on this target")),
        })
    }

    /// `2 * (i * n) * n`
    fn reflected(&mut self, values: &[Value], ty: TypeId) -> Result<Value, EmitError> {
        let two = self.constant_like(2.0, self.scalar_of(ty), ty)?;
        let product = self.binary(BinaryOperator::Multiply, values[0], values[1]);
        let twice = self.binary(BinaryOperator::Multiply, two, product);
        Ok(self.binary(BinaryOperator::Multiply, twice, values[1]))
    }

    /// Of scalars: with `d = i * n` and `k = 1 - eta * eta * (1 - d * d)`, zero where `k < 0`, else
    /// `eta * i - (eta * d + sqrt(k)) * n`.
    fn refract_scalar(&mut self, values: &[Value], ty: TypeId) -> Result<Value, EmitError> {
        use BinaryOperator::{Add, Less, Multiply, Subtract};
        let &[i, n, eta] = values else { return Err(self.error("a function with a strange number of arguments")) };
        let scalar = self.scalar_of(ty);
        let (zero, one) = (self.constant_like(0.0, scalar, ty)?, self.constant_like(1.0, scalar, ty)?);
        let d = self.binary(Multiply, i, n);
        let square = self.binary(Multiply, d, d);
        let rest = self.binary(Subtract, one, square);
        let bent = self.binary(Multiply, eta, eta);
        let bent = self.binary(Multiply, bent, rest);
        let k = self.binary(Subtract, one, bent);
        let total = self.binary(Less, k, zero);
        // The root of a negative number is not selected, but some devices complain of it.
        let inside = self.math2(MathFunction::Max, k, zero);
        let root = self.math1(MathFunction::Sqrt, inside);
        let along = self.binary(Multiply, eta, d);
        let along = self.binary(Add, along, root);
        let along = self.binary(Multiply, along, n);
        let straight = self.binary(Multiply, eta, i);
        let refracted = self.binary(Subtract, straight, along);
        Ok(self.add(Expression::Select { condition: total, accept: zero, reject: refracted }))
    }

    fn all_or_any(&mut self, function: MathFn, arg: &Expr, value: Value) -> Result<Value, EmitError> {
        let fun = if function == MathFn::All { RelationalFunction::All } else { RelationalFunction::Any };
        match self.type_of(arg.ty) {
            Type::Vector { scalar: Scalar::Bool, len } if len > 1 => {
                Ok(self.add(Expression::Relational { fun, argument: value }))
            }
            Type::Scalar(scalar) | Type::Vector { scalar, len: 1 } => self.convert(value, scalar, Scalar::Bool),
            Type::Vector { scalar, .. } => {
                let argument = self.convert(value, scalar, Scalar::Bool)?;
                Ok(self.add(Expression::Relational { fun, argument }))
            }
            Type::Matrix { scalar, rows, cols } => {
                let op = match fun {
                    RelationalFunction::All => BinaryOperator::LogicalAnd,
                    _ => BinaryOperator::LogicalOr,
                };
                let mut whole: Option<Value> = None;
                for index in 0..u32::from(rows) {
                    let row = self.add(Expression::AccessIndex { base: value, index });
                    let mut row = self.convert(row, scalar, Scalar::Bool)?;
                    if cols > 1 {
                        row = self.add(Expression::Relational { fun, argument: row });
                    }
                    whole = Some(match whole {
                        Some(before) => self.binary(op, before, row),
                        None => row,
                    });
                }
                whole.ok_or_else(|| self.error("a matrix without rows"))
            }
            _ => Err(self.error("`all` and `any` of this type are not supported on this target")),
        }
    }
}
