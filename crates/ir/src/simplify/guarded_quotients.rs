//! Guards quotients once where both operands are guarded.
//!
//! Derivatives choose both operands of a quotient before they divide: where the quotient is not used, its own derivative must
//! be finite too, since zero times infinity is not a number. Where nothing is differentiated any more, the choice can be
//! made after the division, which is then one that other code may share (`1 / length(v)` with `normalize(v)`):
//!
//! ```text
//! %n: f32 = select %c, %zero, %a       %0: f32 = div %a, %b
//! %d: f32 = select %c, %one, %b    →   %q: f32 = select %c, %zero, %0
//! %q: f32 = div %n, %d
//! ```
//!
//! Only asked for by `codegen`, as a last step; [`super::dead_code`] then removes what is left of the old choices.

use crate::loops::all_regions;
use crate::{
    BinaryOp, Constant, Func, FuncId, Module, Op, OpData, OpId, Type, Value, ValueDef, ValueId, types::TypeTable,
};

/// Moves the guards of quotients behind them in a function; whether anything changed.
pub fn merge(module: &mut Module, func: FuncId) -> bool {
    let (types, func) = (&module.types, &mut module.funcs[func]);
    let Some(body) = func.body else { return false };
    let mut changed = false;
    for region in all_regions(func, body) {
        let mut at = 0;
        while let Some(&op) = func.regions[region].ops.get(at) {
            if let Some(quotient) = guarded_twice(types, func, op) {
                let unguarded = divide(func, op, &quotient);
                func.regions[region].ops.insert(at, unguarded);
                at += 1;
                changed = true;
            }
            at += 1;
        }
    }
    changed
}

/// `(cond ? zero : a) / (cond ? positive : b)`
struct Guarded {
    cond: ValueId,
    zero: ValueId,
    a: ValueId,
    b: ValueId,
}

fn guarded_twice(types: &TypeTable, func: &Func, op: OpId) -> Option<Guarded> {
    let Op::Binary(BinaryOp::Div, above, below) = func.ops[op].op else { return None };
    // Integers may have been made to mean what they mean by guards of their own.
    let is_float =
        matches!(types.get(func.ty(above)), Type::Scalar(scalar) | Type::Vector { scalar, .. } if scalar.is_float());
    let choice = |value| match func.defining_op(value)?.op {
        Op::Select { cond, then, otherwise } => Some((cond, then, otherwise)),
        _ => None,
    };
    let ((cond, zero, a), (other, positive, b)) = (choice(above)?, choice(below)?);
    (is_float && cond == other && is_zero(func, zero) && is_positive(func, positive)).then_some(Guarded {
        cond,
        zero,
        a,
        b,
    })
}

/// Puts the choice in the place of the quotient, and returns the operation that divides.
fn divide(func: &mut Func, op: OpId, &Guarded { cond, zero, a, b }: &Guarded) -> OpId {
    let ty = func.ty(a);
    let unguarded = func.ops.alloc(OpData::new(Op::Binary(BinaryOp::Div, a, b), func.ops[op].span));
    let def = ValueDef::Result { op: unguarded, index: 0 };
    let quotient = func.values.alloc(Value { ty, def, name: None });
    func.ops[unguarded].results.push(quotient);
    func.ops[op].op = Op::Select { cond, then: zero, otherwise: quotient };
    unguarded
}

fn is_zero(func: &Func, value: ValueId) -> bool {
    match func.defining_op(value).map(|data| &data.op) {
        Some(Op::Const(Constant::Float(value))) => value.to_bits() == 0,
        Some(Op::Zero) => true,
        _ => false,
    }
}

fn is_positive(func: &Func, value: ValueId) -> bool {
    match func.defining_op(value).map(|data| &data.op) {
        Some(Op::Const(Constant::Float(value))) => *value > 0.0 && value.is_finite(),
        Some(&Op::Splat(element)) => is_positive(func, element),
        _ => false,
    }
}
