//! Atomic operations. Floats in buffers of bytes are exchanged in a loop until nobody else changed them in between.

use ir::{AtomicOp, Scalar, Type};
use spirv::{GlslStd450Op, LoopControl, Op, StorageClass};

use super::function::FunctionWriter;
use super::statements::{DEVICE, GROUP};
use super::words::Id;
use crate::EmitError;
use crate::tree::{Expr, ExprKind};

/// The operation on integers.
pub(super) fn operation(op: AtomicOp, is_signed: bool) -> Op {
    match op {
        AtomicOp::Add => Op::AtomicIAdd,
        AtomicOp::And => Op::AtomicAnd,
        AtomicOp::Or => Op::AtomicOr,
        AtomicOp::Xor => Op::AtomicXor,
        AtomicOp::Min if is_signed => Op::AtomicSMin,
        AtomicOp::Min => Op::AtomicUMin,
        AtomicOp::Max if is_signed => Op::AtomicSMax,
        AtomicOp::Max => Op::AtomicUMax,
        AtomicOp::Exchange => Op::AtomicExchange,
        AtomicOp::CompareExchange => Op::AtomicCompareExchange,
    }
}

impl FunctionWriter<'_, '_> {
    /// The old value.
    pub(super) fn atomic(&mut self, expr: &Expr) -> Result<Id, EmitError> {
        let Type::Scalar(scalar) = self.type_of(expr.ty) else {
            return Err(self.error("atomic operations on this type are not supported for this target"));
        };
        match &expr.kind {
            ExprKind::Atomic { op, handle, path, operands } => {
                if let Type::Handle(ir::HandleType::TexelBuffer { .. }) = self.type_of(handle.ty) {
                    return self.buffer_texel_atomic(*op, handle, path, operands);
                }
                let values = operands.iter().map(|operand| self.expr(operand)).collect::<Result<Vec<_>, _>>()?;
                let place = self.place(handle, path)?;
                let (pointer, class) = (self.pointer(&place)?, self.class_of(&place));
                match scalar {
                    Scalar::I32 | Scalar::U32 => {}
                    Scalar::I64 | Scalar::U64 => self.module.out.require(spirv::Capability::Int64Atomics),
                    Scalar::F32 if *op == AtomicOp::Exchange => {}
                    _ => return Err(self.error("atomic operations on this type are not supported for this target")),
                }
                Ok(self.atomic_at(*op, pointer, class, scalar, scalar, &values))
            }
            ExprKind::ByteAtomic { op, handle, offset, operands } => {
                if scalar.bits() != 32 || scalar == Scalar::Bool {
                    return Err(self.error("atomic operations on this type are not supported for this target"));
                }
                let mut values = Vec::new();
                for operand in operands {
                    values.push(self.expr(operand)?);
                }
                let place = self.word_place(handle, offset)?;
                let (pointer, class) = (self.word_pointer(&place)?, self.class_of_words(&place));
                if scalar == Scalar::F32 && matches!(op, AtomicOp::Add | AtomicOp::Min | AtomicOp::Max) {
                    return self.exchange_loop(*op, pointer, class, values[0]);
                }
                let (word, ty) = (self.module.scalar_type(Scalar::U32), self.module.scalar_type(scalar));
                if scalar != Scalar::U32 {
                    values = values.into_iter().map(|value| self.value(Op::Bitcast, word, &[value])).collect();
                }
                let old = self.atomic_at(*op, pointer, class, Scalar::U32, scalar, &values);
                Ok(if scalar == Scalar::U32 { old } else { self.value(Op::Bitcast, ty, &[old]) })
            }
            _ => Err(self.error("no atomic operation")),
        }
    }

    /// An operation on memory that holds numbers of type `stored`, and sees them as `scalar`.
    pub(super) fn atomic_at(
        &mut self,
        op: AtomicOp,
        pointer: Id,
        class: StorageClass,
        stored: Scalar,
        scalar: Scalar,
        values: &[Id],
    ) -> Id {
        let ty = self.module.scalar_type(stored);
        let scope = if class == StorageClass::Workgroup { GROUP } else { DEVICE };
        let (scope, relaxed) = (self.u32(scope), self.u32(0));
        let operands = match (op, values) {
            (AtomicOp::CompareExchange, &[comparand, value, ..]) => {
                vec![pointer, scope, relaxed, relaxed, value, comparand]
            }
            _ => [&[pointer, scope, relaxed], values].concat(),
        };
        self.value(operation(op, scalar.is_signed()), ty, &operands)
    }

    fn exchange_loop(&mut self, op: AtomicOp, pointer: Id, class: StorageClass, operand: Id) -> Result<Id, EmitError> {
        let (word, float) = (self.module.scalar_type(Scalar::U32), self.module.scalar_type(Scalar::F32));
        let bool_ = self.module.scalar_type(Scalar::Bool);
        let seen = self.add_local("seen", word);
        let first = self.value(Op::Load, word, &[pointer]);
        self.store_pointer(seen, first);
        self.repeat(
            LoopControl::NONE,
            true,
            |f, merge| {
                let old_bits = f.value(Op::Load, word, &[seen]);
                let old = f.value(Op::Bitcast, float, &[old_bits]);
                let new = match op {
                    AtomicOp::Min => f.glsl(GlslStd450Op::FMin, float, &[old, operand]),
                    AtomicOp::Max => f.glsl(GlslStd450Op::FMax, float, &[old, operand]),
                    _ => f.value(Op::FAdd, float, &[old, operand]),
                };
                let new_bits = f.value(Op::Bitcast, word, &[new]);
                let values = [old_bits, new_bits];
                let exchange = AtomicOp::CompareExchange;
                let now = f.atomic_at(exchange, pointer, class, Scalar::U32, Scalar::U32, &values);
                f.store_pointer(seen, now);
                let is_done = f.value(Op::IEqual, bool_, &[now, old_bits]);
                let again = f.module.out.fresh();
                f.terminate(Op::BranchConditional, &[is_done.0, merge.0, again.0]);
                f.label(again);
                Ok(())
            },
            |_| Ok(()),
        )?;
        let bits = self.value(Op::Load, word, &[seen]);
        Ok(self.value(Op::Bitcast, float, &[bits]))
    }
}
