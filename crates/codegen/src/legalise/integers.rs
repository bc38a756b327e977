//! Sums, quotients and shifts of integers that C leaves undefined become calls of functions that do as the IR says:
//! sums wrap around, division by zero gives zero, counts of shifts are masked. What cannot go wrong stays an operator.

use ir::{
    BinaryOp, FuncId, Intrinsic, Module, Op, Scalar, Type, UnaryOp, ValueId,
    intrinsic::IntegerOp,
    ranges::{Interval, Ranges},
};

use super::reachable::for_each_op;

/// Vectors and matrices are left alone: their operators are functions anyway.
pub(crate) fn define_all(module: &mut Module, functions: &[FuncId]) {
    for &id in functions {
        let func = &module.funcs[id];
        let ranges = Ranges::new(&module.types, &module.funcs, func);
        let mut calls = Vec::new();
        for_each_op(func, |op| {
            let data = &func.ops[op];
            let Some(&result) = data.results.first() else { return };
            let Type::Scalar(scalar) = module.types.get(func.ty(result)) else { return };
            if scalar.is_integer()
                && let Some(call) = call(&ranges, &data.op, scalar)
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
fn call(ranges: &Ranges, op: &Op, scalar: Scalar) -> Option<Op> {
    let (call, args): (IntegerOp, &[ValueId]) = match op {
        Op::Unary(UnaryOp::Neg, a) if wraps(scalar) => {
            if fits(ranges.of(*a).map(|range| Interval::ZERO.minus(range)), scalar) {
                return None;
            }
            (IntegerOp::WrappingNeg, &[*a])
        }
        Op::Binary(op, a, b) => (call_for(ranges, *op, *a, *b, scalar)?, &[*a, *b]),
        _ => return None,
    };
    Some(Op::Intrinsic { intrinsic: Intrinsic::Integer(call), args: args.iter().copied().collect() })
}

fn call_for(ranges: &Ranges, op: BinaryOp, a: ValueId, b: ValueId, scalar: Scalar) -> Option<IntegerOp> {
    let both = ranges.of(a).zip(ranges.of(b));
    let in_range = |exact: fn(Interval, Interval) -> Interval| fits(both.map(|(a, b)| exact(a, b)), scalar);
    let counts = Interval::new(0, i128::from(scalar.bits().max(32)) - 1);
    match op {
        BinaryOp::Add => (wraps(scalar) && !in_range(Interval::plus)).then_some(IntegerOp::WrappingAdd),
        BinaryOp::Sub => (wraps(scalar) && !in_range(Interval::minus)).then_some(IntegerOp::WrappingSub),
        // Of 16 bits without sign too: C multiplies them as `int`.
        BinaryOp::Mul => {
            ((wraps(scalar) || scalar == Scalar::U16) && !in_range(Interval::times)).then_some(IntegerOp::WrappingMul)
        }
        BinaryOp::Div | BinaryOp::Rem => {
            let positive = ranges.of(b).is_some_and(|range| range.low > 0);
            let call = if op == BinaryOp::Div { IntegerOp::Quotient } else { IntegerOp::Remainder };
            (!positive).then_some(call)
        }
        BinaryOp::Shl | BinaryOp::Shr => {
            let counted = ranges.of(b).is_some_and(|range| counts.contains(range));
            let left = op == BinaryOp::Shl;
            let defined = !left || matches!(scalar, Scalar::U32 | Scalar::U64);
            (!counted || !defined).then_some(if left { IntegerOp::ShiftLeft } else { IntegerOp::ShiftRight })
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

/// Whether what is computed in integers is known to be of the type.
fn fits(exact: Option<Interval>, scalar: Scalar) -> bool {
    exact.zip(Interval::of_type(scalar)).is_some_and(|(exact, whole)| whole.contains(exact))
}
