//! Expressions of one function.

use ir::{BinaryOp, Constant, Intrinsic, Scalar, Type, TypeId, UnaryOp, intrinsic::PointerOp};
use naga::{BinaryOperator, Expression, Handle, Literal, MathFunction, Statement, UnaryOperator};

use super::function::{FunctionWriter, Slot};
use super::types::{self, MatrixForm, matrix_form};
use crate::EmitError;
use crate::tree::{Expr, ExprKind, Step};

pub(super) type Value = Handle<Expression>;

impl FunctionWriter<'_, '_> {
    pub(super) fn literal(&mut self, literal: Literal) -> Value {
        self.add(Expression::Literal(literal))
    }

    pub(super) fn u32(&mut self, value: u32) -> Value {
        self.literal(Literal::U32(value))
    }

    pub(super) fn binary(&mut self, op: BinaryOperator, left: Value, right: Value) -> Value {
        self.add(Expression::Binary { op, left, right })
    }

    pub(super) fn math1(&mut self, fun: MathFunction, arg: Value) -> Value {
        self.add(Expression::Math { fun, arg, arg1: None, arg2: None, arg3: None })
    }

    pub(super) fn math2(&mut self, fun: MathFunction, arg: Value, arg1: Value) -> Value {
        self.add(Expression::Math { fun, arg, arg1: Some(arg1), arg2: None, arg3: None })
    }

    pub(super) fn math3(&mut self, fun: MathFunction, arg: Value, arg1: Value, arg2: Value) -> Value {
        self.add(Expression::Math { fun, arg, arg1: Some(arg1), arg2: Some(arg2), arg3: None })
    }

    pub(super) fn type_of(&self, ty: TypeId) -> Type {
        self.module.module.types.get(ty)
    }

    pub(super) fn scalar_of(&self, ty: TypeId) -> Scalar {
        match self.type_of(ty) {
            Type::Scalar(scalar) | Type::Vector { scalar, .. } | Type::Matrix { scalar, .. } => scalar,
            _ => Scalar::F32,
        }
    }

    /// The type of an element (component, row) of an aggregate; of a struct its own.
    pub(super) fn element_type(&self, ty: TypeId) -> TypeId {
        let types = &self.module.module.types;
        let find = |wanted| types.find(wanted).unwrap_or(ty);
        match types.get(ty) {
            Type::Array { element, .. } => element,
            Type::Vector { scalar, .. } => find(Type::Scalar(scalar)),
            Type::Matrix { scalar, cols, .. } => find(Type::Vector { scalar, len: cols }),
            _ => ty,
        }
    }

    /// An index as a 32-bit integer.
    pub(super) fn index(&mut self, index: &Expr) -> Result<Value, EmitError> {
        if let ExprKind::Const(Constant::Int(value)) = index.kind {
            return Ok(self.u32(value as u32));
        }
        let value = self.expr(index)?;
        Ok(match self.scalar_of(index.ty) {
            Scalar::U32 => value,
            _ => self.add(Expression::As { expr: value, kind: naga::ScalarKind::Uint, convert: Some(4) }),
        })
    }

    /// One step from a pointer or value to an element of it.
    pub(super) fn step(&mut self, base: Value, step: &Step) -> Result<Value, EmitError> {
        match step {
            Step::Const(index) => Ok(self.add(Expression::AccessIndex { base, index: *index })),
            Step::Dynamic(Expr { kind: ExprKind::Const(Constant::Int(index)), .. }) if (0..1 << 30).contains(index) => {
                Ok(self.add(Expression::AccessIndex { base, index: *index as u32 }))
            }
            Step::Dynamic(index) | Step::Tested(index) => {
                let index = match self.scalar_of(index.ty) {
                    Scalar::I32 | Scalar::U32 => self.expr(index)?,
                    _ => self.index(index)?,
                };
                Ok(self.add(Expression::Access { base, index }))
            }
        }
    }

    /// The part of `base` (a pointer or a value of type `ty`) at `path`.
    pub(super) fn access(&mut self, base: Value, mut ty: TypeId, path: &[Step]) -> Result<Value, EmitError> {
        let mut place = base;
        for step in path {
            match self.type_of(ty) {
                Type::Struct(id) => {
                    let Step::Const(index) = step else { return Err(self.error("a field that is not constant")) };
                    place = self.add(Expression::AccessIndex { base: place, index: *index });
                    ty = self.module.module.types.structs[id].fields[*index as usize].ty;
                }
                // A vector of one element is that element.
                Type::Vector { len: 1, .. } => ty = self.element_type(ty),
                _ => {
                    place = self.step(place, step)?;
                    ty = self.element_type(ty);
                }
            }
        }
        Ok(place)
    }

    pub(super) fn expr(&mut self, expr: &Expr) -> Result<Value, EmitError> {
        let ty = expr.ty;
        Ok(match &expr.kind {
            ExprKind::Local(local) => match self.slot(*local)? {
                Slot::Value(value) => value,
                Slot::Pointer(pointer) => self.add(Expression::Load { pointer }),
            },
            ExprKind::Reference(_) => return Err(self.error("a variable is passed where a value is wanted")),
            ExprKind::Const(constant) => self.constant(*constant, ty)?,
            ExprKind::Zero => {
                let ty = self.value_type(ty)?;
                self.add(Expression::ZeroValue(ty))
            }
            ExprKind::Unary(op, a) => {
                let value = self.expr(a)?;
                let op = match op {
                    UnaryOp::Neg => UnaryOperator::Negate,
                    UnaryOp::Not => UnaryOperator::LogicalNot,
                    UnaryOp::BitNot => UnaryOperator::BitwiseNot,
                };
                self.add(Expression::Unary { op, expr: value })
            }
            ExprKind::Binary(op, a, b) => {
                let (left, mut right) = self.operands(*op, a, b)?;
                let (op, scalar) = (*op, self.scalar_of(a.ty));
                if matches!(op, BinaryOp::Shl | BinaryOp::Shr) {
                    right = self.shift_count(b, right, scalar)?;
                }
                self.binary_op(op, scalar, left, right, ty)
            }
            ExprKind::Math(function, args) => self.math(*function, args, ty)?,
            ExprKind::Convert(a) => {
                let (from, to) = (self.scalar_of(a.ty), self.scalar_of(ty));
                let value = self.converted_operand(a, to)?;
                self.convert(value, from, to)?
            }
            ExprKind::Bitcast(a) => {
                let value = self.expr(a)?;
                if self.scalar_of(a.ty).bits() != self.scalar_of(ty).bits() {
                    return Err(self.error("this reinterpretation is not supported for this target"));
                }
                let kind = self.naga_scalar(self.scalar_of(ty))?.kind;
                self.add(Expression::As { expr: value, kind, convert: None })
            }
            ExprKind::Select { cond, then, otherwise } => self.select(cond, then, otherwise, ty)?,
            ExprKind::Make(parts) => {
                let values = parts.iter().map(|part| self.expr(part)).collect::<Result<Vec<_>, _>>()?;
                self.compose(ty, values)?
            }
            ExprKind::Splat(a) => {
                let value = self.expr(a)?;
                self.splat(value, ty)?
            }
            ExprKind::Extract { aggregate, path } => {
                if let ExprKind::Local(local) = aggregate.kind
                    && let Slot::Pointer(pointer) = self.slot(local)?
                {
                    let pointer = self.access(pointer, aggregate.ty, path)?;
                    self.add(Expression::Load { pointer })
                } else {
                    let value = self.expr(aggregate)?;
                    if path.iter().all(|step| matches!(step, Step::Const(_))) {
                        self.access(value, aggregate.ty, path)?
                    } else {
                        // Only variables can be indexed at run time.
                        let value_type = self.value_type(aggregate.ty)?;
                        let pointer = self.add_local("indexed", value_type, None);
                        self.push(Statement::Store { pointer, value });
                        let pointer = self.access(pointer, aggregate.ty, path)?;
                        self.add(Expression::Load { pointer })
                    }
                }
            }
            ExprKind::Swizzle { vector, components } => {
                let value = self.expr(vector)?;
                self.swizzle(value, vector.ty, components)?
            }
            ExprKind::Call { callee, args } => match self.call(*callee, args)? {
                Some(value) => value,
                None => return Err(self.error("a function without result is used as a value")),
            },
            ExprKind::Global(_) => return Err(self.error("a buffer cannot be a value for this target")),
            ExprKind::Builtin(builtin) => self.builtin(*builtin, ty)?,
            ExprKind::Load { handle, path } => self.load(handle, path, ty)?,
            ExprKind::ByteLoad { handle, offset } => {
                let memory = self.memory(handle)?;
                let place = self.byte_place(memory, offset)?;
                self.load_words(place, ty)?
            }
            ExprKind::BufferLength(handle) => self.buffer_length(handle)?,
            ExprKind::Atomic { .. } | ExprKind::ByteAtomic { .. } => self.atomic(expr)?,
            ExprKind::Intrinsic { intrinsic, args } => self.intrinsic(*intrinsic, args, ty)?,
            ExprKind::AddressOf(_) => return Err(self.refused(Intrinsic::Pointer(PointerOp::AddressOf))),
        })
    }

    fn constant(&mut self, constant: Constant, ty: TypeId) -> Result<Value, EmitError> {
        let scalar = self.scalar_of(ty);
        self.naga_scalar(scalar)?;
        match (literal(constant, scalar), constant) {
            (Some(literal), _) => Ok(self.literal(literal)),
            (None, Constant::Float(value)) => self.not_finite(value as f32, scalar),
            (None, Constant::Bool(_) | Constant::Int(_)) => Err(self.error("a constant of this type")),
        }
    }

    /// Infinities and "not a number" have no literals and must not be computed from constants: their bits come out of a
    /// variable.
    fn not_finite(&mut self, value: f32, scalar: Scalar) -> Result<Value, EmitError> {
        let bits = if value.is_nan() { 0x7fc0_0000 } else { value.to_bits() };
        let ty = self.naga_type(naga::TypeInner::Scalar(naga::Scalar::U32))?;
        let init = self.u32(bits);
        let pointer = self.add_local("bits", ty, Some(init));
        let bits = self.add(Expression::Load { pointer });
        let single = self.add(Expression::As { expr: bits, kind: naga::ScalarKind::Float, convert: None });
        self.convert(single, Scalar::F32, scalar)
    }

    pub(super) fn convert(&mut self, value: Value, from: Scalar, to: Scalar) -> Result<Value, EmitError> {
        let scalar = self.naga_scalar(to)?;
        if from == to {
            return Ok(value);
        }
        let is_wider = from.is_integer() && to.is_integer() && from.bits() < to.bits();
        let value = match is_wider && from.is_signed() != to.is_signed() {
            // What naga writes takes the sign of the result, not that of the number, for how to fill the bits.
            true => {
                let kind = self.naga_scalar(from)?.kind;
                self.add(Expression::As { expr: value, kind, convert: Some(scalar.width) })
            }
            false => value,
        };
        Ok(self.add(Expression::As { expr: value, kind: scalar.kind, convert: Some(scalar.width) }))
    }

    fn binary_op(&mut self, op: BinaryOp, scalar: Scalar, left: Value, right: Value, ty: TypeId) -> Value {
        let is_bool = scalar == Scalar::Bool;
        let is_scalar = matches!(self.type_of(ty), Type::Scalar(_) | Type::Vector { len: 1, .. });
        if op == BinaryOp::NotEqual && scalar.is_float() {
            // naga's `!=` is false for NaN, and `x != x` is how people ask for it. Its `==` is false, too.
            let equal = self.binary(BinaryOperator::Equal, left, right);
            return self.add(Expression::Unary { op: UnaryOperator::LogicalNot, expr: equal });
        }
        let op = match op {
            BinaryOp::Add => BinaryOperator::Add,
            BinaryOp::Sub => BinaryOperator::Subtract,
            BinaryOp::Mul => BinaryOperator::Multiply,
            BinaryOp::Div => BinaryOperator::Divide,
            BinaryOp::Rem => BinaryOperator::Modulo,
            BinaryOp::And if is_bool && is_scalar => BinaryOperator::LogicalAnd,
            BinaryOp::Or if is_bool && is_scalar => BinaryOperator::LogicalOr,
            BinaryOp::Xor if is_bool => BinaryOperator::NotEqual,
            BinaryOp::And => BinaryOperator::And,
            BinaryOp::Or => BinaryOperator::InclusiveOr,
            BinaryOp::Xor => BinaryOperator::ExclusiveOr,
            BinaryOp::Shl => BinaryOperator::ShiftLeft,
            BinaryOp::Shr => BinaryOperator::ShiftRight,
            BinaryOp::Equal => BinaryOperator::Equal,
            BinaryOp::NotEqual => BinaryOperator::NotEqual,
            BinaryOp::Less => BinaryOperator::Less,
            BinaryOp::LessEqual => BinaryOperator::LessEqual,
            BinaryOp::Greater => BinaryOperator::Greater,
            BinaryOp::GreaterEqual => BinaryOperator::GreaterEqual,
        };
        self.binary(op, left, right)
    }

    fn select(&mut self, cond: &Expr, then: &Expr, otherwise: &Expr, ty: TypeId) -> Result<Value, EmitError> {
        let condition = self.expr(cond)?;
        let (accept, reject) = (self.expr(then)?, self.expr(otherwise)?);
        match self.type_of(ty) {
            Type::Scalar(_) | Type::Vector { .. } => Ok(self.add(Expression::Select { condition, accept, reject })),
            // Other types are selected by control flow.
            _ => {
                let value_type = self.value_type(ty)?;
                let pointer = self.add_local("selected", value_type, None);
                let mut store = |value| {
                    self.block(|f| {
                        f.push(Statement::Store { pointer, value });
                        Ok(())
                    })
                };
                let (accept, reject) = (store(accept)?, store(reject)?);
                self.push(Statement::If { condition, accept, reject });
                Ok(self.add(Expression::Load { pointer }))
            }
        }
    }

    /// A value of type `ty` from its fields, elements or rows.
    pub(super) fn compose(&mut self, ty: TypeId, components: Vec<Value>) -> Result<Value, EmitError> {
        if let (Type::Vector { len: 1, .. }, [value]) = (self.type_of(ty), &components[..]) {
            return Ok(*value);
        }
        let ty = self.value_type(ty)?;
        Ok(match components.is_empty() {
            true => self.add(Expression::ZeroValue(ty)),
            false => self.add(Expression::Compose { ty, components }),
        })
    }

    fn splat(&mut self, value: Value, ty: TypeId) -> Result<Value, EmitError> {
        match self.type_of(ty) {
            Type::Vector { len, .. } => Ok(match types::vector_size(len) {
                Some(size) => self.add(Expression::Splat { size, value }),
                None => value,
            }),
            Type::Matrix { rows, cols, .. } => {
                let row = match types::vector_size(cols) {
                    Some(size) => self.add(Expression::Splat { size, value }),
                    None => value,
                };
                self.compose(ty, vec![row; rows.into()])
            }
            Type::Array { len, .. } => self.compose(ty, vec![value; len as usize]),
            _ => Ok(value),
        }
    }

    fn swizzle(&mut self, vector: Value, ty: TypeId, components: &[u8]) -> Result<Value, EmitError> {
        let is_scalar = matches!(self.type_of(ty), Type::Scalar(_) | Type::Vector { len: 1, .. });
        match (types::vector_size(components.len() as u8), is_scalar) {
            (None, true) => Ok(vector),
            (None, false) => Ok(self.add(Expression::AccessIndex { base: vector, index: components[0].into() })),
            (Some(size), true) => Ok(self.add(Expression::Splat { size, value: vector })),
            (Some(size), false) => {
                let mut pattern = [naga::SwizzleComponent::X; 4];
                for (slot, &component) in pattern.iter_mut().zip(components) {
                    *slot = match component {
                        0 => naga::SwizzleComponent::X,
                        1 => naga::SwizzleComponent::Y,
                        2 => naga::SwizzleComponent::Z,
                        _ => naga::SwizzleComponent::W,
                    };
                }
                Ok(self.add(Expression::Swizzle { size, vector, pattern }))
            }
        }
    }

    pub(super) fn is_native_matrix(&self, ty: TypeId) -> bool {
        match self.type_of(ty) {
            Type::Matrix { scalar, rows, cols } => matches!(matrix_form(scalar, rows, cols), MatrixForm::Native),
            _ => false,
        }
    }

    fn buffer_length(&mut self, handle: &Expr) -> Result<Value, EmitError> {
        use ir::HandleType;
        let memory = self.memory(handle)?;
        let variable = self.name_of(memory);
        let length = self.add(Expression::ArrayLength(variable));
        let module = self.module.module;
        match (memory.handle, memory.form) {
            (HandleType::StructuredBuffer { .. }, super::memory::Form::Typed) => Ok(length),
            (HandleType::StructuredBuffer { element, .. }, _) => {
                let layout = ir::layout::layout_in(&module.types, element, memory.rules);
                let words = layout.map_or(1, |layout| (ir::layout::element_stride(layout, memory.rules) / 4).max(1));
                let words = self.u32(words);
                Ok(self.binary(BinaryOperator::Divide, length, words))
            }
            (HandleType::ByteAddressBuffer { .. }, _) => {
                let four = self.u32(4);
                Ok(self.binary(BinaryOperator::Multiply, length, four))
            }
            _ => Err(self.error("this kind of memory has no length")),
        }
    }
}

/// The literal of a constant; infinities have none.
pub(super) fn literal(constant: Constant, scalar: Scalar) -> Option<Literal> {
    Some(match (constant, scalar) {
        (Constant::Bool(value), _) => Literal::Bool(value),
        (Constant::Int(value), Scalar::I64) => Literal::I64(value),
        (Constant::Int(value), Scalar::U64) => Literal::U64(value as u64),
        (Constant::Int(value), Scalar::U32) => Literal::U32(value as u32),
        (Constant::Int(value), Scalar::I16) => Literal::I16(value as i16),
        (Constant::Int(value), Scalar::U16) => Literal::U16(value as u16),
        (Constant::Int(value), _) => Literal::I32(value as i32),
        (Constant::Float(value), Scalar::F16) if ir::number::half(value).is_finite() => {
            Literal::F16(ir::number::half(value))
        }
        (Constant::Float(_), Scalar::F16) => return None,
        (Constant::Float(value), Scalar::F64) if value.is_finite() => Literal::F64(value),
        (Constant::Float(_), Scalar::F64) => return None,
        (Constant::Float(value), _) if (value as f32).is_finite() => Literal::F32(value as f32),
        (Constant::Float(_), _) => return None,
    })
}
