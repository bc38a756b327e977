//! Several assignments that happen at one time, as a sequence of single ones.

use ir::TypeId;

use super::{Expr, ExprKind, LocalId, Step};

/// Orders `moves` so that each expression is read before the locals in it are written; `fresh` makes a local to save
/// a value in where there is no such order.
pub(crate) fn sequence(
    mut moves: Vec<(LocalId, Expr)>,
    mut fresh: impl FnMut(LocalId, TypeId) -> LocalId,
) -> Vec<(LocalId, Expr)> {
    moves.retain(|(target, value)| value.kind != ExprKind::Local(*target));
    let mut sequence = Vec::new();
    while !moves.is_empty() {
        let is_read = |target: LocalId, but: usize| {
            moves.iter().enumerate().any(|(index, (_, value))| index != but && value.mentions(target))
        };
        match (0..moves.len()).find(|&index| !is_read(moves[index].0, index)) {
            Some(index) => sequence.push(moves.remove(index)),
            None => {
                let (target, value) = moves.remove(0);
                let saved = fresh(target, value.ty);
                sequence.push((saved, Expr::local(target, value.ty)));
                sequence.push((target, value));
                for (_, value) in &mut moves {
                    replace(value, target, saved);
                }
            }
        }
    }
    sequence
}

/// Replaces reads of `from` by reads of `to`.
fn replace(expr: &mut Expr, from: LocalId, to: LocalId) {
    let path = |path: &mut Vec<Step>| {
        for step in path {
            if let Step::Dynamic(index) | Step::Tested(index) = step {
                replace(index, from, to);
            }
        }
    };
    match &mut expr.kind {
        ExprKind::Local(local) => {
            if *local == from {
                *local = to;
            }
        }
        ExprKind::Reference(_) | ExprKind::Const(_) | ExprKind::Zero | ExprKind::Global(_) | ExprKind::Builtin(_) => {}
        ExprKind::Unary(_, a)
        | ExprKind::Convert(a)
        | ExprKind::Bitcast(a)
        | ExprKind::Splat(a)
        | ExprKind::AddressOf(a)
        | ExprKind::BufferLength(a)
        | ExprKind::Swizzle { vector: a, .. } => replace(a, from, to),
        ExprKind::Binary(_, a, b) | ExprKind::ByteLoad { handle: a, offset: b } => {
            replace(a, from, to);
            replace(b, from, to);
        }
        ExprKind::Select { cond, then, otherwise } => {
            replace(cond, from, to);
            replace(then, from, to);
            replace(otherwise, from, to);
        }
        ExprKind::Math(_, parts)
        | ExprKind::Make(parts)
        | ExprKind::Call { args: parts, .. }
        | ExprKind::Intrinsic { args: parts, .. } => parts.iter_mut().for_each(|part| replace(part, from, to)),
        ExprKind::Extract { aggregate, path: steps } | ExprKind::Load { handle: aggregate, path: steps } => {
            replace(aggregate, from, to);
            path(steps);
        }
        ExprKind::Atomic { handle, path: steps, operands, .. } => {
            replace(handle, from, to);
            path(steps);
            operands.iter_mut().for_each(|operand| replace(operand, from, to));
        }
        ExprKind::ByteAtomic { handle, offset, operands, .. } => {
            replace(handle, from, to);
            replace(offset, from, to);
            operands.iter_mut().for_each(|operand| replace(operand, from, to));
        }
    }
}
