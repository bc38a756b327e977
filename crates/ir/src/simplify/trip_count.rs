//! How often counted loops run: `for (i = a; i < b; i += c)` with constants, any comparison, up or down.
//!
//! The counter is a carried value that starts with a constant and to which every way into the next iteration adds one
//! constant. The condition compares it with a constant, or is a conjunction (`and`) with such a comparison: then the
//! count is the most that there can be. So it is with loops that have a `break`. A counter that would leave the range of
//! its type before the condition fails is left alone.

use super::loops::{all_regions, early_exits, leaves_early};
use crate::{
    BinaryOp, Constant, Func, FuncId, Module, Op, OpData, OpId, RegionId, Scalar, Terminator, Type, ValueId,
    types::TypeTable,
};

/// What is known of a loop's trip count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TripCount {
    pub at_most: u32,
    /// The loop runs exactly so often.
    pub exact: bool,
}

/// How deep conjunctions are looked into.
const MAX_CONJUNCTIONS: usize = 32;

/// Fills in [`crate::op::LoopBound::inferred`] in a function; whether anything changed.
pub fn infer(module: &mut Module, func: FuncId) -> bool {
    let Some(body) = module.funcs[func].body else { return false };
    let mut changed = false;
    for region in all_regions(&module.funcs[func], body) {
        for op in module.funcs[func].regions[region].ops.clone() {
            let Some(count) = trip_count(&module.types, &module.funcs[func], op) else { continue };
            if let Op::Loop { bound, .. } = &mut module.funcs[func].ops[op].op {
                changed |= bound.inferred.replace(count.at_most) != Some(count.at_most);
            }
        }
    }
    changed
}

/// The trip count of a loop, `None` if it is not counted (or no loop).
pub fn trip_count(types: &TypeTable, func: &Func, op: OpId) -> Option<TripCount> {
    let OpData { op: Op::Loop { init, cond, body, .. }, .. } = &func.ops[op] else { return None };
    let [condition] = func.regions[*cond].terminator.values() else { return None };
    let counted = CountedLoop { types, func, init, cond: *cond, body: *body };
    // A body that always leaves the loop runs once at most.
    if counted.goes_on().next().is_none() {
        return Some(TripCount { at_most: 1, exact: false });
    }
    let mut conditions = vec![*condition];
    let mut at_most: Option<u32> = None;
    let mut comparisons = 0;
    while let Some(condition) = conditions.pop() {
        comparisons += 1;
        if comparisons > MAX_CONJUNCTIONS {
            break;
        }
        if let Some(&Op::Binary(BinaryOp::And, a, b)) = func.defining_op(condition).map(|data| &data.op) {
            conditions.extend([a, b]);
        } else if let Some(count) = counted.comparison(condition) {
            at_most = Some(at_most.map_or(count, |least| least.min(count)));
        }
    }
    let exact = comparisons == 1 && !leaves_early(func, *body) && !leaves_early(func, *cond);
    at_most.map(|at_most| TripCount { at_most, exact })
}

struct CountedLoop<'a> {
    types: &'a TypeTable,
    func: &'a Func,
    init: &'a [ValueId],
    cond: RegionId,
    body: RegionId,
}

impl CountedLoop<'_> {
    fn constant(&self, value: ValueId) -> Option<i128> {
        let scalar = self.scalar(value)?;
        match self.func.defining_op(value)?.op {
            Op::Const(Constant::Int(value)) if scalar == Scalar::U64 => Some((value as u64).into()),
            Op::Const(Constant::Int(value)) => Some(value.into()),
            Op::Zero => Some(0),
            _ => None,
        }
    }

    fn scalar(&self, value: ValueId) -> Option<Scalar> {
        match self.types.get(self.func.ty(value)) {
            Type::Scalar(scalar) if scalar.is_integer() => Some(scalar),
            _ => None,
        }
    }

    /// The most iterations that a condition allows, if it compares a counter with a constant.
    fn comparison(&self, condition: ValueId) -> Option<u32> {
        let Op::Binary(op, left, right) = self.func.defining_op(condition)?.op else { return None };
        let params = &self.func.regions[self.cond].params;
        let position = |value| params.iter().position(|&param| param == self.unconverted(value));
        let (op, index, limit) = match (position(left), position(right)) {
            (Some(index), None) => (op, index, right),
            (None, Some(index)) => (mirrored(op)?, index, left),
            _ => return None,
        };
        // A counter that is converted for the comparison must have the same value in both types.
        let (low, high) = range(self.scalar(limit)?);
        let (counter_low, counter_high) = range(self.scalar(*params.get(index)?)?);
        let (low, high) = (low.max(counter_low), high.min(counter_high));
        let (start, limit) = (self.constant(*self.init.get(index)?)?, self.constant(limit)?);
        if !(low..=high).contains(&start) {
            return None;
        }
        iterations(op, start, limit, self.step(index)?, (low, high))
    }

    /// What is carried into the next iteration, for each way into it.
    fn goes_on(&self) -> impl Iterator<Item = &[ValueId]> {
        let ends = early_exits(self.func, self.body).into_iter().chain([self.body]);
        ends.filter_map(|end| match &self.func.regions[end].terminator {
            Terminator::Yield(values) | Terminator::Continue(values) => Some(values.as_slice()),
            Terminator::Break(_) | Terminator::Return(_) | Terminator::Unreachable => None,
        })
    }

    /// `value` or what it is converted from, if both are integers.
    fn unconverted(&self, value: ValueId) -> ValueId {
        match self.func.defining_op(value).map(|data| &data.op) {
            Some(Op::Convert(operand)) if self.scalar(value).is_some() && self.scalar(*operand).is_some() => *operand,
            _ => value,
        }
    }

    /// What each iteration adds to the carried value number `index`.
    fn step(&self, index: usize) -> Option<i128> {
        let counter = *self.func.regions[self.body].params.get(index)?;
        let mut steps = self.goes_on().map(|values| match self.func.defining_op(*values.get(index)?)?.op {
            Op::Binary(BinaryOp::Add, a, b) if a == counter => self.constant(b),
            Op::Binary(BinaryOp::Add, a, b) if b == counter => self.constant(a),
            Op::Binary(BinaryOp::Sub, a, b) if a == counter => self.constant(b).map(|step| -step),
            _ => None,
        });
        let first = steps.next()??;
        steps.all(|step| step == Some(first)).then_some(first)
    }
}

/// The same comparison with its operands exchanged.
fn mirrored(op: BinaryOp) -> Option<BinaryOp> {
    match op {
        BinaryOp::Equal | BinaryOp::NotEqual => Some(op),
        BinaryOp::Less => Some(BinaryOp::Greater),
        BinaryOp::LessEqual => Some(BinaryOp::GreaterEqual),
        BinaryOp::Greater => Some(BinaryOp::Less),
        BinaryOp::GreaterEqual => Some(BinaryOp::LessEqual),
        BinaryOp::Add
        | BinaryOp::Sub
        | BinaryOp::Mul
        | BinaryOp::Div
        | BinaryOp::Rem
        | BinaryOp::And
        | BinaryOp::Or
        | BinaryOp::Xor
        | BinaryOp::Shl
        | BinaryOp::Shr => None,
    }
}

/// The smallest and largest value of an integer type.
fn range(scalar: Scalar) -> (i128, i128) {
    let bits = scalar.bits();
    if scalar.is_signed() { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) }
}

/// The first `k` for which `start + k * step` fails the comparison with `limit`, if the counter is in range until then.
fn iterations(op: BinaryOp, start: i128, limit: i128, step: i128, (low, high): (i128, i128)) -> Option<u32> {
    // How far the counter has to go, in its direction: `<` and `<=` upwards, `>` and `>=` downwards.
    let (distance, step) = match op {
        BinaryOp::Less => (limit - start, step),
        BinaryOp::LessEqual => (limit - start + 1, step),
        BinaryOp::Greater => (start - limit, -step),
        BinaryOp::GreaterEqual => (start - limit + 1, -step),
        BinaryOp::NotEqual => {
            let distance = limit - start;
            let hits = distance == 0 || (step != 0 && distance % step == 0 && distance / step > 0);
            if !hits {
                return None;
            }
            (distance.abs(), step.abs())
        }
        BinaryOp::Equal => {
            // Runs once, if the counter moves at all.
            return if start != limit { Some(0) } else { (step != 0).then_some(1) };
        }
        _ => return None,
    };
    if distance <= 0 {
        return Some(0);
    }
    if step <= 0 {
        return None;
    }
    let count = (distance + step - 1) / step;
    // The value that ends the loop must be reached without wrapping.
    let upwards = matches!(op, BinaryOp::Less | BinaryOp::LessEqual) || (op == BinaryOp::NotEqual && limit > start);
    let last = if upwards { start + count * step } else { start - count * step };
    if last < low || last > high {
        return None;
    }
    u32::try_from(count).ok()
}
