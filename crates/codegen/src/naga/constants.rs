//! What WGSL computes while it compiles, and refuses then: constant expressions that overflow, are not finite, or are
//! outside of a function's domain are errors, although the same operations on values of run time are not. Their operands
//! come out of a variable, which no compiler of WGSL takes for a constant.

use ir::number::{self, Precision, to_f64};
use ir::{BinaryOp, Constant, MathFn, Scalar, Type, TypeId};
use naga::{Expression, Statement};

use super::expressions::Value;
use super::function::FunctionWriter;
use crate::EmitError;
use crate::tree::{Expr, ExprKind};

/// The scalars of a value, as [`number`] has them.
type Slots = Vec<u64>;

impl FunctionWriter<'_, '_> {
    /// A value that is known only at run time.
    pub(super) fn at_run_time(&mut self, value: Value, ty: TypeId) -> Result<Value, EmitError> {
        let value_type = self.value_type(ty)?;
        let pointer = self.add_local("operand", value_type, None);
        self.push(Statement::Store { pointer, value });
        Ok(self.add(Expression::Load { pointer }))
    }

    /// The operands of an operation, such that it is no constant expression that is an error.
    pub(super) fn operands(&mut self, op: BinaryOp, a: &Expr, b: &Expr) -> Result<(Value, Value), EmitError> {
        let (left, right) = (self.expr(a)?, self.expr(b)?);
        let (known_left, known_right) = (self.known(a), self.known(b));
        let scalar = self.scalar_of(a.ty);
        let divides = matches!(op, BinaryOp::Div | BinaryOp::Rem) && scalar.is_integer();
        if divides && known_right.as_ref().is_some_and(|slots| slots.contains(&0)) {
            return Ok((left, self.at_run_time(right, b.ty)?));
        }
        let is_error = match (self.is_constant(a) && self.is_constant(b), known_left, known_right) {
            (false, ..) => false,
            (true, Some(left), Some(right)) => {
                let count = left.len().max(right.len());
                let mut pairs = left.iter().cycle().zip(right.iter().cycle()).take(count);
                pairs.any(|(&a, &b)| leaves_range(op, scalar, a, b))
            }
            (true, ..) => true,
        };
        Ok((if is_error { self.at_run_time(left, a.ty)? } else { left }, right))
    }

    /// The operands of a function, such that its call is no constant expression that may be an error.
    pub(super) fn math_operands(&mut self, function: MathFn, args: &[Expr]) -> Result<Vec<Value>, EmitError> {
        let mut values = args.iter().map(|arg| self.expr(arg)).collect::<Result<Vec<_>, _>>()?;
        // Limits are compared whatever lies between them.
        let limits = match function {
            MathFn::Clamp => args.get(1..3).map(|limits| (1, limits)),
            MathFn::Smoothstep => args.get(0..2).map(|limits| (0, limits)),
            _ => None,
        };
        let position = match limits {
            Some((position, limits)) => limits.iter().all(|limit| self.is_constant(limit)).then_some(position),
            None => (!is_total(function) && args.iter().all(|arg| self.is_constant(arg))).then_some(0),
        };
        if let Some(position) = position
            && let (Some(value), Some(arg)) = (values.get(position).copied(), args.get(position))
        {
            values[position] = self.at_run_time(value, arg.ty)?;
        }
        Ok(values)
    }

    /// The operand of a conversion, which must not be a constant that the other type does not hold.
    pub(super) fn converted_operand(&mut self, from: &Expr, to: Scalar) -> Result<Value, EmitError> {
        let value = self.expr(from)?;
        let scalar = self.scalar_of(from.ty);
        let is_error = match self.known(from) {
            Some(slots) => slots.iter().any(|&slot| {
                let converted = number::convert(scalar, to, Precision::Declared, slot);
                match (scalar.is_float(), to.is_integer()) {
                    (true, true) => {
                        to_f64(number::convert(to, Scalar::F64, Precision::F64, converted)) != to_f64(slot).trunc()
                    }
                    _ => to.is_float() && !to_f64(converted).is_finite(),
                }
            }),
            None => self.is_constant(from),
        };
        if is_error { self.at_run_time(value, from.ty) } else { Ok(value) }
    }

    /// The number of bits that something is shifted by: unsigned, and smaller than the width where it is constant.
    pub(super) fn shift_count(&mut self, count: &Expr, value: Value, shifted: Scalar) -> Result<Value, EmitError> {
        let mask = u64::from(shifted.bits().max(32) - 1);
        let value = match (self.known(count), self.type_of(count.ty)) {
            (Some(slots), Type::Scalar(_)) => {
                return Ok(self.u32((slots.first().map_or(0, |bits| bits & mask)) as u32));
            }
            (Some(slots), _) if slots.iter().any(|&bits| bits > mask) => self.at_run_time(value, count.ty)?,
            _ => value,
        };
        Ok(match self.scalar_of(count.ty) {
            Scalar::U32 => value,
            _ => self.add(Expression::As { expr: value, kind: naga::ScalarKind::Uint, convert: Some(4) }),
        })
    }

    /// Whether compilers take an expression for a constant one.
    fn is_constant(&self, expr: &Expr) -> bool {
        let all = |exprs: &[Expr]| exprs.iter().all(|expr| self.is_constant(expr));
        match &expr.kind {
            ExprKind::Const(_) | ExprKind::Zero => true,
            ExprKind::Unary(_, a) | ExprKind::Convert(a) | ExprKind::Bitcast(a) | ExprKind::Splat(a) => {
                self.is_constant(a)
            }
            ExprKind::Swizzle { vector, .. } => self.is_constant(vector),
            ExprKind::Binary(_, a, b) => self.is_constant(a) && self.is_constant(b),
            ExprKind::Select { cond, then, otherwise } => {
                self.is_constant(cond) && self.is_constant(then) && self.is_constant(otherwise)
            }
            ExprKind::Math(_, args) | ExprKind::Make(args) => all(args),
            ExprKind::Extract { aggregate, .. } => self.is_constant(aggregate),
            ExprKind::Local(_)
            | ExprKind::Reference(_)
            | ExprKind::Call { .. }
            | ExprKind::Global(_)
            | ExprKind::Builtin(_)
            | ExprKind::Load { .. }
            | ExprKind::ByteLoad { .. }
            | ExprKind::BufferLength(_)
            | ExprKind::Atomic { .. }
            | ExprKind::ByteAtomic { .. }
            | ExprKind::Intrinsic { .. }
            | ExprKind::AddressOf(_) => false,
        }
    }

    /// The scalars of a constant, if they are simple to compute.
    fn known(&self, expr: &Expr) -> Option<Slots> {
        let scalar = match self.type_of(expr.ty) {
            Type::Scalar(scalar) | Type::Vector { scalar, .. } | Type::Matrix { scalar, .. } => scalar,
            _ => return None,
        };
        let count = match self.type_of(expr.ty) {
            Type::Vector { len, .. } => usize::from(len),
            Type::Matrix { rows, cols, .. } => usize::from(rows) * usize::from(cols),
            _ => 1,
        };
        let precision = Precision::Declared;
        let slots: Slots = match &expr.kind {
            ExprKind::Const(constant) => vec![number::from_constant(*constant, scalar, precision)],
            ExprKind::Zero => vec![number::from_constant(Constant::Int(0), scalar, precision)],
            ExprKind::Unary(op, a) => self.known(a)?.into_iter().map(|a| number::unary(*op, scalar, a)).collect(),
            ExprKind::Binary(op, a, b) => {
                let from = self.scalar_of(a.ty);
                let (a, b) = (self.known(a)?, self.known(b)?);
                let pairs = a.iter().cycle().zip(b.iter().cycle()).take(a.len().max(b.len()));
                pairs.map(|(&a, &b)| number::binary(*op, from, precision, a, b)).collect()
            }
            ExprKind::Convert(a) => {
                let from = self.scalar_of(a.ty);
                self.known(a)?.into_iter().map(|slot| number::convert(from, scalar, precision, slot)).collect()
            }
            ExprKind::Splat(a) => self.known(a)?,
            ExprKind::Make(parts) => {
                let parts: Vec<Slots> = parts.iter().map(|part| self.known(part)).collect::<Option<_>>()?;
                parts.concat()
            }
            _ => return None,
        };
        // A scalar stands for each component.
        Some(if slots.len() == 1 { slots.repeat(count) } else { slots })
    }
}

/// Whether an operation on constants has a result that its type does not hold.
fn leaves_range(op: BinaryOp, scalar: Scalar, a: u64, b: u64) -> bool {
    let result = number::binary(op, scalar, Precision::Declared, a, b);
    let is_arithmetic = matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem);
    if scalar.is_float() {
        return is_arithmetic && !to_f64(result).is_finite();
    }
    let wide = |slot: u64| if scalar.is_signed() { i128::from(slot as i64) } else { i128::from(slot) };
    let (x, y) = (wide(a), wide(b));
    let exact = match op {
        BinaryOp::Add => x + y,
        BinaryOp::Sub => x - y,
        BinaryOp::Mul => x * y,
        BinaryOp::Shl => x << (b & u64::from(scalar.bits().max(32) - 1)),
        BinaryOp::Div if y != 0 => x / y,
        _ => return false,
    };
    exact != wide(result)
}

/// Functions that have a finite value for each number, and are no error for any.
fn is_total(function: MathFn) -> bool {
    matches!(
        function,
        MathFn::Abs
            | MathFn::Ceil
            | MathFn::Floor
            | MathFn::Frac
            | MathFn::Round
            | MathFn::Saturate
            | MathFn::Sign
            | MathFn::Trunc
            | MathFn::Max
            | MathFn::Min
            | MathFn::Step
            | MathFn::Cos
            | MathFn::Sin
            | MathFn::Atan
            | MathFn::Tanh
            | MathFn::All
            | MathFn::Any
    )
}
