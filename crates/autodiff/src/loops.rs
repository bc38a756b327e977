//! What can be read off a loop: which carried values are affine in the iteration, what it tests, how often it runs.

use ir::{
    BinaryOp, Constant, Func, Op, OpId, RegionId, Scalar, Terminator, ValueId,
    op::LoopBound,
    ranges::{Ranges, TripCount},
};

#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct LoopShape {
    /// Carried values that grow by a constant in each iteration: index and step.
    pub inductions: Vec<(usize, i64)>,
    /// The loop may end otherwise than by its condition.
    pub early_exit: bool,
    /// The condition, if it compares an induction with a value.
    pub test: Option<LoopTest>,
    /// The iterations, if they can be told.
    pub count: Option<TripCount>,
}

/// `param op limit`
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct LoopTest {
    pub param: usize,
    pub op: BinaryOp,
    pub limit: ValueId,
}

impl LoopShape {
    /// Whether the number of iterations depends on an input of the function, or the loop runs away from its limit.
    pub(crate) fn never_unrolls(&self, func: &Func) -> bool {
        let (None, Some(test)) = (self.count, self.test) else { return false };
        let step = self.inductions.iter().find(|(index, _)| *index == test.param).map_or(0, |(_, step)| *step);
        let runs_away = match test.op {
            BinaryOp::Less | BinaryOp::LessEqual => step < 0,
            BinaryOp::Greater | BinaryOp::GreaterEqual => step > 0,
            _ => false,
        };
        let mut limit = test.limit;
        while let Some(Op::Convert(operand)) = func.defining_op(limit).map(|data| &data.op) {
            limit = *operand;
        }
        runs_away || func.input_values().contains(&limit)
    }
}

pub(crate) fn shape(ranges: &Ranges, func: &Func, id: OpId) -> LoopShape {
    let Op::Loop { init, cond, body, .. } = &func.ops[id].op else {
        return LoopShape::default();
    };
    let (tested, is_guarded) = tested(func, *cond);
    let inductions: Vec<(usize, i64)> =
        (0..init.len()).filter_map(|index| Some((index, ranges.step(id, index)?))).collect();
    LoopShape {
        early_exit: is_guarded || leaves(func, *body),
        test: tested.and_then(|value| test(func, *cond, value, &inductions)),
        count: ranges.trip_count(id),
        inductions,
    }
}

/// The most iterations that the loop makes, by the user's declaration or by analysis.
pub(crate) fn bound(declared: LoopBound, count: Option<TripCount>) -> Option<u32> {
    let count = count.map(|count| count.at_most);
    let unrolled = declared.force_unroll.filter(|&count| count > 0);
    [declared.iterations(), unrolled, count].into_iter().flatten().min()
}

/// The integers in which two values of a counter are as far apart as they are: a counter of signed ones that runs from one end
/// to the other goes further than they reach.
pub(crate) fn distances(counter: Scalar, step: i64, bound: Option<u32>) -> Scalar {
    let unsigned = match counter {
        Scalar::I8 => Scalar::U8,
        Scalar::I16 => Scalar::U16,
        Scalar::I32 => Scalar::U32,
        Scalar::I64 => Scalar::U64,
        other => return other,
    };
    if travel(step, bound).is_some_and(|furthest| furthest <= reach(counter)) { counter } else { unsigned }
}

/// How far a counter goes in `bound` iterations.
pub(crate) fn travel(step: i64, bound: Option<u32>) -> Option<u128> {
    bound.map(|bound| u128::from(step.unsigned_abs()) * u128::from(bound))
}

/// The largest integer of a type.
pub(crate) fn reach(scalar: Scalar) -> u128 {
    (1u128 << (scalar.bits() - u32::from(scalar.is_signed()))) - 1
}

/// Whether a counter has another value in each of `bound` iterations: one that wraps may come back to where it was.
pub(crate) fn never_repeats(counter: Scalar, step: i64, bound: Option<u32>) -> bool {
    travel(step, bound).is_some_and(|furthest| furthest < 1u128 << counter.bits())
}

/// The value that the condition tests, seen through the guard that `normalise` puts around it
/// (`if running { test } else { false }`), and whether there is one.
fn tested(func: &Func, cond: RegionId) -> (Option<ValueId>, bool) {
    let region = &func.regions[cond];
    let Some(&value) = region.terminator.values().first() else {
        return (None, false);
    };
    if let Some(Op::If { cond: running, then, otherwise }) = func.defining_op(value).map(|data| &data.op)
        && region.params.contains(running)
        && func.regions[*otherwise].terminator.values().first().is_some_and(|&value| is_false(func, value))
    {
        return (func.regions[*then].terminator.values().first().copied(), true);
    }
    (Some(value), false)
}

/// Whether a value is written as the number 0.
pub(crate) fn is_zero(func: &Func, value: ValueId) -> bool {
    matches!(func.defining_op(value).map(|data| &data.op), Some(Op::Zero | Op::Const(Constant::Int(0))))
}

fn is_false(func: &Func, value: ValueId) -> bool {
    matches!(func.defining_op(value).map(|data| &data.op), Some(Op::Const(Constant::Bool(false))))
}

fn test(func: &Func, cond: RegionId, value: ValueId, inductions: &[(usize, i64)]) -> Option<LoopTest> {
    let &Op::Binary(op, left, right) = &func.defining_op(value)?.op else {
        return None;
    };
    let params = &func.regions[cond].params;
    let induction = |value: ValueId| {
        let index = params.iter().position(|&param| param == value)?;
        inductions.iter().any(|(induction, _)| *induction == index).then_some(index)
    };
    let mirrored = op.mirrored().filter(|_| op != BinaryOp::Equal)?;
    if let Some(param) = induction(left) {
        return Some(LoopTest { param, op, limit: right });
    }
    induction(right).map(|param| LoopTest { param, op: mirrored, limit: left })
}

/// Whether something in the body of a loop ends it: `break` or `return`.
fn leaves(func: &Func, region: RegionId) -> bool {
    let data = &func.regions[region];
    let nested = |op: &Op| match op {
        Op::Loop { body, .. } => returns(func, *body),
        other => other.regions().into_iter().any(|nested| leaves(func, nested)),
    };
    matches!(data.terminator, Terminator::Break(_) | Terminator::Return(_))
        || data.ops.iter().any(|&op| nested(&func.ops[op].op))
}

fn returns(func: &Func, region: RegionId) -> bool {
    let data = &func.regions[region];
    matches!(data.terminator, Terminator::Return(_))
        || data.ops.iter().any(|&op| func.ops[op].op.regions().into_iter().any(|nested| returns(func, nested)))
}

/// The integer type that counts iterations.
pub(crate) const COUNTER: Scalar = Scalar::I32;
