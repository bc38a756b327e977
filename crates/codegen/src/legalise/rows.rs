//! Matrices for languages that have those of floats with two to four rows and columns only, and few functions of them.
//! What works component by component is done row by row. Other matrices become arrays of rows, vectors of one element
//! the element, and swizzles of scalars are gone.

use ir::{BinaryOp, FuncId, MathFn, Module, Op, OpId, PathStep, Type, TypeId, UnaryOp, ValueId, op::Path};
use smallvec::SmallVec;

use super::retype;
use super::rewrite::{Rewriter, rewrite};
use crate::EmitError;

pub(crate) fn split_matrices(
    module: &mut Module,
    functions: &[FuncId],
    has_arithmetic: bool,
) -> Result<(), Vec<EmitError>> {
    let mut errors = Vec::new();
    for &id in functions {
        rewrite(module, id, &mut |w, op| by_rows(w, op, has_arithmetic, &mut errors));
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    for &id in functions {
        rewrite(module, id, &mut one_element);
    }
    retype::retype(module, functions, &|module, ty| match ty {
        Type::Vector { scalar, len: 1 } => Some(module.types.scalar(scalar)),
        Type::Matrix { scalar, rows, cols } if !is_native(ty) => {
            let row = match cols {
                1 => module.types.scalar(scalar),
                cols => module.types.vector(scalar, cols),
            };
            Some(module.types.array(row, rows.into()))
        }
        _ => None,
    });
    Ok(())
}

fn is_native(ty: Type) -> bool {
    matches!(ty, Type::Matrix { scalar, rows, cols } if scalar.is_float() && rows > 1 && cols > 1)
}

/// Whether the language has the operation for matrices that it has.
fn has(op: &Op, arithmetic: bool) -> bool {
    match op {
        Op::Unary(UnaryOp::Neg, _) => arithmetic,
        Op::Binary(BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div, ..) => arithmetic,
        Op::Math(function, _) => matches!(function, MathFn::MatMul | MathFn::Transpose | MathFn::Determinant),
        _ => false,
    }
}

fn by_rows(w: &mut Rewriter<'_>, op: OpId, has_arithmetic: bool, errors: &mut Vec<EmitError>) {
    let data = w.func.ops[op].clone();
    let is_matrix = |w: &Rewriter<'_>, value: ValueId| matches!(w.type_of(value), Type::Matrix { .. });
    let operands = data.op.operands();
    let [result] = data.results[..] else { return w.keep(op) };
    let has_matrix = is_matrix(w, result) || operands.iter().any(|&operand| is_matrix(w, operand));
    let all_native = operands.iter().chain([&result]).all(|&value| !is_matrix(w, value) || is_native(w.type_of(value)));
    if !has_matrix || (all_native && has(&data.op, has_arithmetic)) {
        return w.keep(op);
    }
    match &data.op {
        Op::Select { cond, .. } if !is_matrix(w, *cond) => w.keep(op),
        Op::Unary(..) | Op::Binary(..) | Op::Convert(_) | Op::Bitcast(_) | Op::Select { .. } => {
            component_wise(w, op, result);
        }
        Op::Splat(scalar) => {
            let Some((row, rows)) = row_type(w, result) else { return w.keep(op) };
            let row = w.add(Op::Splat(*scalar), row);
            w.replace(op, Op::Make(SmallVec::from_elem(row, rows as usize)));
        }
        Op::Math(MathFn::MatMul, args) => product(w, op, args[0], args[1], result),
        Op::Math(MathFn::Transpose, args) => transpose(w, op, args[0], result),
        Op::Math(function @ (MathFn::All | MathFn::Any), args) => {
            let Some((row, rows)) = row_type(w, args[0]) else { return w.keep(op) };
            let bool_ = w.module.types.bool();
            let join = if *function == MathFn::All { BinaryOp::And } else { BinaryOp::Or };
            let whole = (0..rows)
                .map(|index| {
                    let row = w.extract(args[0], index, row);
                    w.add(Op::Math(*function, SmallVec::from_iter([row])), bool_)
                })
                .collect::<Vec<_>>()
                .into_iter()
                .reduce(|a, b| w.binary(join, a, b));
            w.replace(op, whole.map_or(Op::Zero, Op::Detach));
        }
        Op::Math(MathFn::Determinant, args) if matches!(w.type_of(args[0]), Type::Matrix { rows: 1, cols: 1, .. }) => {
            let path = SmallVec::from_iter([PathStep::Const(0), PathStep::Const(0)]);
            w.replace(op, Op::Extract { aggregate: args[0], path });
        }
        Op::Math(function @ MathFn::Determinant, _) => {
            let message = format!("`{}` of this kind of matrix is not supported for this target", function.word());
            errors.push(EmitError::new(w.span, message));
            w.keep(op);
        }
        Op::Math(..) => component_wise(w, op, result),
        Op::Const(..)
        | Op::Zero
        | Op::Undef
        | Op::Detach(..)
        | Op::Forget(..)
        | Op::Make(..)
        | Op::Extract { .. }
        | Op::Insert { .. }
        | Op::Swizzle { .. }
        | Op::Call { .. }
        | Op::If { .. }
        | Op::Switch { .. }
        | Op::Loop { .. }
        | Op::Global(..)
        | Op::Builtin(..)
        | Op::Load { .. }
        | Op::Store { .. }
        | Op::Atomic { .. }
        | Op::ByteLoad { .. }
        | Op::ByteStore { .. }
        | Op::ByteAtomic { .. }
        | Op::BufferLength { .. }
        | Op::Intrinsic { .. }
        | Op::Barrier { .. }
        | Op::Print { .. }
        | Op::SumMake { .. }
        | Op::SumMatch { .. }
        | Op::SumTag(..) => w.keep(op),
    }
}

/// The type of the rows of a matrix, and how many it has.
fn row_type(w: &mut Rewriter<'_>, matrix: ValueId) -> Option<(TypeId, u32)> {
    let Type::Matrix { scalar, rows, cols } = w.type_of(matrix) else { return None };
    Some((w.module.types.vector(scalar, cols), rows.into()))
}

fn component_wise(w: &mut Rewriter<'_>, op: OpId, result: ValueId) {
    let Some((row, rows)) = row_type(w, result) else { return w.keep(op) };
    let mut parts: SmallVec<[ValueId; 4]> = SmallVec::new();
    for index in 0..rows {
        let mut part = w.func.ops[op].op.clone();
        part.for_each_operand_mut(|operand| {
            if let Some((row, _)) = row_type(w, *operand) {
                *operand = w.extract(*operand, index, row);
            }
        });
        parts.push(w.add(part, row));
    }
    w.replace(op, Op::Make(parts));
}

/// A row of a product is the sum of the right side's rows, each times an element of the left side's row.
fn product(w: &mut Rewriter<'_>, op: OpId, left: ValueId, right: ValueId, result: ValueId) {
    let left_rows = row_type(w, left);
    let (scalar, inner) = match w.type_of(left) {
        Type::Matrix { scalar, cols, .. } => (scalar, u32::from(cols)),
        Type::Vector { scalar, len } => (scalar, len.into()),
        _ => return w.keep(op),
    };
    let scalar = w.module.types.scalar(scalar);
    let mut rows: Vec<ValueId> = Vec::new();
    let count = left_rows.map_or(1, |(_, rows)| rows);
    for index in 0..count {
        let row = match left_rows {
            Some((ty, _)) => w.extract(left, index, ty),
            None => left,
        };
        let mut sum: Option<ValueId> = None;
        for k in 0..inner {
            let factor = w.extract(row, k, scalar);
            let term = match row_type(w, right) {
                Some((ty, _)) => {
                    let other = w.extract(right, k, ty);
                    let factor = w.add(Op::Splat(factor), ty);
                    w.binary(BinaryOp::Mul, factor, other)
                }
                None => {
                    let other = w.extract(right, k, scalar);
                    w.binary(BinaryOp::Mul, factor, other)
                }
            };
            sum = Some(match sum {
                Some(sum) => w.binary(BinaryOp::Add, sum, term),
                None => term,
            });
        }
        rows.extend(sum);
    }
    // A vector on the left gives one row; on the right each row gives one element.
    match (w.type_of(result), &rows[..]) {
        (Type::Vector { .. }, [row]) if w.ty(*row) == w.ty(result) => w.replace(op, Op::Detach(*row)),
        _ => w.replace(op, Op::Make(rows.into_iter().collect())),
    }
}

fn transpose(w: &mut Rewriter<'_>, op: OpId, matrix: ValueId, result: ValueId) {
    let (Some((row, rows)), Some((_, count))) = (row_type(w, result), row_type(w, matrix)) else { return w.keep(op) };
    let Type::Vector { scalar, .. } = w.module.types.get(row) else { return w.keep(op) };
    let scalar = w.module.types.scalar(scalar);
    let mut parts: SmallVec<[ValueId; 4]> = SmallVec::new();
    for column in 0..rows {
        let elements = (0..count)
            .map(|index| {
                let path = SmallVec::from_iter([PathStep::Const(index), PathStep::Const(column)]);
                w.add(Op::Extract { aggregate: matrix, path }, scalar)
            })
            .collect();
        parts.push(w.add(Op::Make(elements), row));
    }
    w.replace(op, Op::Make(parts));
}

/// Operations on vectors of one element, as those on the element.
fn one_element(w: &mut Rewriter<'_>, op: OpId) {
    let data = w.func.ops[op].clone();
    let is_one = |w: &Rewriter<'_>, value: ValueId| matches!(w.type_of(value), Type::Vector { len: 1, .. });
    match data.op {
        Op::Make(ref parts) if parts.len() == 1 && is_one(w, data.results[0]) => w.replace(op, Op::Detach(parts[0])),
        Op::Splat(value) if is_one(w, data.results[0]) => w.replace(op, Op::Detach(value)),
        Op::Swizzle { vector, ref components } if matches!(w.type_of(vector), Type::Scalar(_)) || is_one(w, vector) => {
            let is_scalar = components.len() == 1;
            w.replace(op, if is_scalar { Op::Detach(vector) } else { Op::Splat(vector) });
        }
        Op::Extract { aggregate, ref path } => match shorten(w, aggregate, path) {
            Some(path) if path.is_empty() => w.replace(op, Op::Detach(aggregate)),
            Some(path) => w.replace(op, Op::Extract { aggregate, path }),
            None => w.keep(op),
        },
        Op::Insert { aggregate, ref path, value } => match shorten(w, aggregate, path) {
            Some(path) if path.is_empty() => w.replace(op, Op::Detach(value)),
            Some(path) => w.replace(op, Op::Insert { aggregate, path, value }),
            None => w.keep(op),
        },
        Op::Load { handle, ref path } => match shorten(w, handle, path) {
            Some(path) => w.replace(op, Op::Load { handle, path }),
            None => w.keep(op),
        },
        Op::Store { handle, ref path, value } => match shorten(w, handle, path) {
            Some(path) => w.replace(op, Op::Store { handle, path, value }),
            None => w.keep(op),
        },
        Op::Atomic { op: atomic, handle, ref path, ref operands } => match shorten(w, handle, path) {
            Some(path) => w.replace(op, Op::Atomic { op: atomic, handle, path, operands: operands.clone() }),
            None => w.keep(op),
        },
        Op::Const(..)
        | Op::Zero
        | Op::Undef
        | Op::Unary(..)
        | Op::Binary(..)
        | Op::Math(..)
        | Op::Convert(..)
        | Op::Bitcast(..)
        | Op::Select { .. }
        | Op::Detach(..)
        | Op::Forget(..)
        | Op::Make(..)
        | Op::Splat(..)
        | Op::Swizzle { .. }
        | Op::Call { .. }
        | Op::If { .. }
        | Op::Switch { .. }
        | Op::Loop { .. }
        | Op::Global(..)
        | Op::Builtin(..)
        | Op::ByteLoad { .. }
        | Op::ByteStore { .. }
        | Op::ByteAtomic { .. }
        | Op::BufferLength { .. }
        | Op::Intrinsic { .. }
        | Op::Barrier { .. }
        | Op::Print { .. }
        | Op::SumMake { .. }
        | Op::SumMatch { .. }
        | Op::SumTag(..) => w.keep(op),
    }
}

/// The path without its last step, where that goes into a vector of one element.
fn shorten(w: &Rewriter<'_>, base: ValueId, path: &Path) -> Option<Path> {
    let (_, before) = path.split_last()?;
    let part = w.module.types.part_type(w.ty(base), before)?;
    matches!(part, Type::Vector { len: 1, .. }).then(|| before.iter().copied().collect())
}
