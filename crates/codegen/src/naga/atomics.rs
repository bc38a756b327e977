//! Atomic operations on words. What the hardware cannot add or compare by itself (floats) goes through a
//! compare-exchange loop.

use ir::{AtomicOp, Scalar, Type};
use naga::{AtomicFunction, BinaryOperator, Expression, Handle, MathFunction, Statement};

use super::function::FunctionWriter;
use super::memory::{Form, WordPlace};
use crate::EmitError;
use crate::tree::{Expr, ExprKind};

impl FunctionWriter<'_, '_> {
    /// The old value.
    pub(super) fn atomic(&mut self, expr: &Expr) -> Result<Handle<Expression>, EmitError> {
        let (op, place, operands) = match &expr.kind {
            ExprKind::Atomic { op, handle, path, operands } => {
                let memory = self.memory(handle)?;
                (*op, self.word_place(memory, path)?, operands)
            }
            ExprKind::ByteAtomic { op, handle, offset, operands } => {
                let memory = self.memory(handle)?;
                (*op, self.byte_place(memory, offset)?, operands)
            }
            _ => return Err(self.error("no atomic operation")),
        };
        let scalar = match self.module.module.types.get(expr.ty) {
            Type::Scalar(scalar @ (Scalar::I32 | Scalar::U32 | Scalar::F32)) => scalar,
            _ => return Err(self.error("atomic operations on this type are not supported for this target")),
        };
        let values = operands.iter().map(|operand| self.expr(operand)).collect::<Result<Vec<_>, _>>()?;
        let Form::Words { scalar: word, .. } = place.memory.form else {
            return Err(self.error("atomic operations on this memory are not supported"));
        };
        let word_kind = if word == Scalar::I32 { naga::ScalarKind::Sint } else { naga::ScalarKind::Uint };
        let ordered = matches!(op, AtomicOp::Min | AtomicOp::Max);
        let old = if (scalar == Scalar::F32 && (ordered || op == AtomicOp::Add)) || (ordered && scalar != word) {
            self.compare_exchange_loop(op, place, scalar, word, values[0])?
        } else {
            let words: Vec<_> = values
                .into_iter()
                .map(|expr| self.add(Expression::As { expr, kind: word_kind, convert: None }))
                .collect();
            self.plain(op, place, word, &words)?
        };
        let kind = self.naga_scalar(scalar)?.kind;
        Ok(self.add(Expression::As { expr: old, kind, convert: None }))
    }

    fn plain(
        &mut self,
        op: AtomicOp,
        place: WordPlace,
        word: Scalar,
        words: &[Handle<Expression>],
    ) -> Result<Handle<Expression>, EmitError> {
        let fun = match op {
            AtomicOp::Add => AtomicFunction::Add,
            AtomicOp::And => AtomicFunction::And,
            AtomicOp::Or => AtomicFunction::InclusiveOr,
            AtomicOp::Xor => AtomicFunction::ExclusiveOr,
            AtomicOp::Min => AtomicFunction::Min,
            AtomicOp::Max => AtomicFunction::Max,
            AtomicOp::Exchange => AtomicFunction::Exchange { compare: None },
            AtomicOp::CompareExchange => return self.strong_compare_exchange(place, word, words[0], words[1]),
        };
        let pointer = self.word_pointer(place)?;
        let scalar = self.naga_scalar(word)?;
        let ty = self.naga_type(naga::TypeInner::Scalar(scalar))?;
        let result = self.add(Expression::AtomicResult { ty, comparison: false });
        self.push(Statement::Atomic { pointer, fun, value: words[0], result: Some(result) });
        Ok(result)
    }

    /// Again while the weak form fails although the word is the expected one.
    fn strong_compare_exchange(
        &mut self,
        place: WordPlace,
        word: Scalar,
        expected: Handle<Expression>,
        value: Handle<Expression>,
    ) -> Result<Handle<Expression>, EmitError> {
        let scalar = self.naga_scalar(word)?;
        let ty = self.naga_type(naga::TypeInner::Scalar(scalar))?;
        let seen = self.add_local("seen", ty, None);
        let body = self.block(|f| {
            let result = f.compare_exchange(place, word, expected, value)?;
            let now = f.add(Expression::AccessIndex { base: result, index: 0 });
            f.push(Statement::Store { pointer: seen, value: now });
            let exchanged = f.add(Expression::AccessIndex { base: result, index: 1 });
            let other = f.binary(BinaryOperator::NotEqual, now, expected);
            let condition = f.binary(BinaryOperator::LogicalOr, exchanged, other);
            let accept = f.block(|f| {
                f.push(Statement::Break);
                Ok(())
            })?;
            f.push(Statement::If { condition, accept, reject: naga::Block::new() });
            Ok(())
        })?;
        self.push(Statement::Loop { body, continuing: naga::Block::new(), break_if: None });
        Ok(self.add(Expression::Load { pointer: seen }))
    }

    /// A struct of the old word and whether it was exchanged.
    fn compare_exchange(
        &mut self,
        place: WordPlace,
        word: Scalar,
        expected: Handle<Expression>,
        value: Handle<Expression>,
    ) -> Result<Handle<Expression>, EmitError> {
        let pointer = self.word_pointer(place)?;
        let scalar = self.naga_scalar(word)?;
        let ty =
            self.module.out.generate_predeclared_type(naga::PredeclaredType::AtomicCompareExchangeWeakResult(scalar));
        let result = self.add(Expression::AtomicResult { ty, comparison: true });
        let fun = AtomicFunction::Exchange { compare: Some(expected) };
        self.push(Statement::Atomic { pointer, fun, value, result: Some(result) });
        Ok(result)
    }

    fn compare_exchange_loop(
        &mut self,
        op: AtomicOp,
        place: WordPlace,
        scalar: Scalar,
        word: Scalar,
        operand: Handle<Expression>,
    ) -> Result<Handle<Expression>, EmitError> {
        let (scalar, word_scalar) = (self.naga_scalar(scalar)?, self.naga_scalar(word)?);
        let word_type = self.naga_type(naga::TypeInner::Scalar(word_scalar))?;
        let seen = self.add_local("seen", word_type, None);
        let pointer = self.word_pointer(place)?;
        let first = self.add(Expression::Load { pointer });
        self.push(Statement::Store { pointer: seen, value: first });
        let body = self.block(|f| {
            let old = f.add(Expression::Load { pointer: seen });
            let value = f.add(Expression::As { expr: old, kind: scalar.kind, convert: None });
            let new = match op {
                AtomicOp::Min => f.math2(MathFunction::Min, value, operand),
                AtomicOp::Max => f.math2(MathFunction::Max, value, operand),
                _ => f.binary(BinaryOperator::Add, value, operand),
            };
            let new = f.add(Expression::As { expr: new, kind: word_scalar.kind, convert: None });
            let result = f.compare_exchange(place, word, old, new)?;
            let now = f.add(Expression::AccessIndex { base: result, index: 0 });
            f.push(Statement::Store { pointer: seen, value: now });
            let condition = f.add(Expression::AccessIndex { base: result, index: 1 });
            let accept = f.block(|f| {
                f.push(Statement::Break);
                Ok(())
            })?;
            f.push(Statement::If { condition, accept, reject: naga::Block::new() });
            Ok(())
        })?;
        self.push(Statement::Loop { body, continuing: naga::Block::new(), break_if: None });
        Ok(self.add(Expression::Load { pointer: seen }))
    }
}
