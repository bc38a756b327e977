//! Sums, quotients and shifts of integers that C leaves undefined become calls of functions that do as the IR says:
//! sums wrap around, division by zero gives zero, counts of shifts are masked. What cannot go wrong stays an operator.

use ir::{BinaryOp, Constant, Effect, Func, FuncId, Module, Op, OpId, Scalar, Type, UnaryOp, ValueId};
use rustc_hash::FxHashSet;

use super::interval::Intervals;
use super::reachable::for_each_op;
use crate::loops::next_values;

/// Vectors and matrices are left alone: their operators are functions anyway.
pub fn define_all(module: &mut Module, functions: &[FuncId]) {
    for &id in functions {
        let func = &module.funcs[id];
        let intervals = Intervals::new(func, &module.types);
        let steps = steps_below_a_limit(func);
        let mut calls = Vec::new();
        for_each_op(func, |op| {
            let data = &func.ops[op];
            let Some(&result) = data.results.first() else { return };
            let Type::Scalar(scalar) = module.types.get(func.ty(result)) else { return };
            if scalar.is_integer()
                && !steps.contains(&op)
                && let Some(call) = call(func, &intervals, &data.op, scalar)
            {
                calls.push((op, call));
            }
        });
        for (op, call) in calls {
            module.funcs[id].ops[op].op = call;
        }
    }
}

/// The call that `op` must become.
fn call(func: &Func, intervals: &Intervals, op: &Op, scalar: Scalar) -> Option<Op> {
    let (name, args): (&str, &[ValueId]) = match op {
        Op::Unary(UnaryOp::Neg, a) if wraps(scalar) => {
            let fits = intervals.fits(func, *a, |(low, _)| low > least(scalar));
            if fits {
                return None;
            }
            ("wrapping_neg", &[*a])
        }
        Op::Binary(op, a, b) => (name_of(func, intervals, *op, *a, *b, scalar)?, &[*a, *b]),
        _ => return None,
    };
    Some(Op::Intrinsic { name: name.into(), args: args.iter().copied().collect(), effect: Effect::Pure })
}

fn name_of(
    func: &Func,
    intervals: &Intervals,
    op: BinaryOp,
    a: ValueId,
    b: ValueId,
    scalar: Scalar,
) -> Option<&'static str> {
    let in_range = || intervals.is_exact(func, op, a, b, scalar);
    let counts = i64::from(scalar.bits().max(32));
    match op {
        BinaryOp::Add => (wraps(scalar) && !in_range()).then_some("wrapping_add"),
        BinaryOp::Sub => (wraps(scalar) && !in_range()).then_some("wrapping_sub"),
        // Of 16 bits without sign too: C multiplies them as `int`.
        BinaryOp::Mul => ((wraps(scalar) || scalar == Scalar::U16) && !in_range()).then_some("wrapping_mul"),
        BinaryOp::Div | BinaryOp::Rem => {
            let positive = intervals.fits(func, b, |(low, _)| low > 0);
            let name = if op == BinaryOp::Div { "quotient" } else { "remainder" };
            (!positive).then_some(name)
        }
        BinaryOp::Shl | BinaryOp::Shr => {
            let counted = intervals.fits(func, b, |(low, high)| low >= 0 && high < counts);
            let left = op == BinaryOp::Shl;
            let defined = !left || matches!(scalar, Scalar::U32 | Scalar::U64);
            (!counted || !defined).then_some(if left { "shift_left" } else { "shift_right" })
        }
        BinaryOp::And
        | BinaryOp::Or
        | BinaryOp::Xor
        | BinaryOp::Equal
        | BinaryOp::NotEqual
        | BinaryOp::Less
        | BinaryOp::LessEqual
        | BinaryOp::Greater
        | BinaryOp::GreaterEqual => None,
    }
}

/// Whether C leaves overflow of the type undefined. Narrow integers are computed as `int`, in which they fit.
fn wraps(scalar: Scalar) -> bool {
    matches!(scalar, Scalar::I32 | Scalar::I64)
}

fn least(scalar: Scalar) -> i64 {
    if scalar == Scalar::I64 { i64::MIN } else { i32::MIN.into() }
}

/// The steps of loop variables that are tested to be less than something (or greater, if they count down): these
/// cannot overflow.
fn steps_below_a_limit(func: &Func) -> FxHashSet<OpId> {
    let mut steps = FxHashSet::default();
    for_each_op(func, |op| {
        let Op::Loop { cond, body, .. } = &func.ops[op].op else { return };
        let cond = &func.regions[*cond];
        let Some(Op::Binary(test, left, _)) =
            cond.terminator.values().first().and_then(|&test| func.defining_op(test)).map(|data| &data.op)
        else {
            return;
        };
        let step_op = match test {
            BinaryOp::Less => BinaryOp::Add,
            BinaryOp::Greater => BinaryOp::Sub,
            _ => return,
        };
        let Some(index) = cond.params.iter().position(|param| param == left) else { return };
        let Some(&param) = func.regions[*body].params.get(index) else { return };
        for values in next_values(func, *body) {
            let Some(&next) = values.get(index) else { continue };
            let ir::ValueDef::Result { op, .. } = func.values[next].def else { continue };
            let is_one =
                |value| matches!(func.defining_op(value), Some(data) if data.op == Op::Const(Constant::Int(1)));
            if matches!(func.ops[op].op, Op::Binary(op, a, b) if op == step_op && a == param && is_one(b)) {
                steps.insert(op);
            }
        }
    });
    steps
}
