//! What follows from the outcome of a condition for the values that it compares, and for what those are made of.

use super::{Analysis, interval::Interval, known::Known};
use crate::{BinaryOp, Op, Terminator, UnaryOp, ValueDef, ValueId};

/// How far back conditions and operands are followed.
const DEEPEST: u32 = 8;

impl Analysis<'_> {
    /// Takes a condition for true or false; `false` if it cannot be. What is narrowed is undone with the scope.
    pub(super) fn assume(&mut self, cond: ValueId, truth: bool) -> bool {
        self.assume_within(cond, truth, DEEPEST)
    }

    fn assume_within(&mut self, cond: ValueId, truth: bool, depth: u32) -> bool {
        if !self.narrow_within(cond, Interval::only(truth.into()), 0) {
            return false;
        }
        let ValueDef::Result { op, index } = self.func.values[cond].def else { return true };
        let Some(depth) = depth.checked_sub(1) else { return true };
        match &self.func.ops[op].op {
            Op::Unary(UnaryOp::Not, a) => self.assume_within(*a, !truth, depth),
            Op::Binary(BinaryOp::And, a, b) if truth => {
                self.assume_within(*a, true, depth) && self.assume_within(*b, true, depth)
            }
            Op::Binary(BinaryOp::Or, a, b) if !truth => {
                self.assume_within(*a, false, depth) && self.assume_within(*b, false, depth)
            }
            Op::Binary(op, a, b) if op.is_comparison() => {
                let op = if truth { *op } else { op.negated() };
                self.compare(op, *a, *b, depth)
            }
            // Numbers are true unless they are zero.
            Op::Convert(a) | Op::Bitcast(a) => self.compare_with_zero(*a, truth, depth),
            Op::Detach(a) => self.assume_within(*a, truth, depth),
            Op::Select { cond, then, otherwise } => {
                let (then, otherwise) = (*then, *otherwise);
                self.assume_one_of(*cond, then, otherwise, truth, depth)
            }
            Op::If { cond, then, otherwise } => {
                let cond = *cond;
                let yields = [*then, *otherwise].map(|arm| match &self.func.regions[arm].terminator {
                    Terminator::Yield(values) => values.get(index as usize).copied(),
                    _ => None,
                });
                match yields {
                    [Some(then), Some(otherwise)] => self.assume_one_of(cond, then, otherwise, truth, depth),
                    [Some(then), None] => self.assume_within(then, truth, depth),
                    [None, Some(otherwise)] => self.assume_within(otherwise, truth, depth),
                    [None, None] => true,
                }
            }
            _ => true,
        }
    }

    /// `cond ? then : otherwise` is as told: if one of them cannot be so, it is the other.
    fn assume_one_of(&mut self, cond: ValueId, then: ValueId, otherwise: ValueId, truth: bool, depth: u32) -> bool {
        let can_be = |this: &Self, value| this.known(value).range().is_none_or(|range| range.has(truth.into()));
        match (can_be(self, then), can_be(self, otherwise)) {
            (false, false) => false,
            (true, false) => self.assume_within(cond, true, depth) && self.assume_within(then, truth, depth),
            (false, true) => self.assume_within(cond, false, depth) && self.assume_within(otherwise, truth, depth),
            (true, true) => true,
        }
    }

    fn compare_with_zero(&mut self, a: ValueId, differs: bool, depth: u32) -> bool {
        match self.known(a).range() {
            Some(range) if differs => match without(range, 0) {
                Some(range) => self.narrow_within(a, range, depth),
                None => false,
            },
            Some(_) => self.narrow_within(a, Interval::ZERO, depth),
            None => true,
        }
    }

    fn compare(&mut self, op: BinaryOp, a: ValueId, b: ValueId, depth: u32) -> bool {
        let (Some(x), Some(y)) = (self.known(a).range(), self.known(b).range()) else { return true };
        let (new_x, new_y) = match op {
            BinaryOp::Less => (x.meet(Interval::new(x.low, y.high - 1)), y.meet(Interval::new(x.low + 1, y.high))),
            BinaryOp::LessEqual => (x.meet(Interval::new(x.low, y.high)), y.meet(Interval::new(x.low, y.high))),
            BinaryOp::Greater => (x.meet(Interval::new(y.low + 1, x.high)), y.meet(Interval::new(y.low, x.high - 1))),
            BinaryOp::GreaterEqual => (x.meet(Interval::new(y.low, x.high)), y.meet(Interval::new(y.low, x.high))),
            BinaryOp::Equal => (x.meet(y), x.meet(y)),
            BinaryOp::NotEqual => (
                y.single().map_or(Some(x), |value| without(x, value)),
                x.single().map_or(Some(y), |value| without(y, value)),
            ),
            _ => return true,
        };
        match (new_x, new_y) {
            (Some(x), Some(y)) => self.narrow_within(a, x, depth) && self.narrow_within(b, y, depth),
            _ => false,
        }
    }

    /// Takes a value for one of a range; `false` if it cannot be.
    pub(super) fn narrow(&mut self, value: ValueId, to: Interval) -> bool {
        self.narrow_within(value, to, DEEPEST)
    }

    fn narrow_within(&mut self, value: ValueId, to: Interval, depth: u32) -> bool {
        let Known::Number(mut number) = self.known(value) else { return true };
        let Some(range) = number.range.meet(to) else { return false };
        if range == number.range {
            return true;
        }
        number.range = range;
        self.set(value, Known::Number(number));
        let (Some(depth), Some(data)) = (depth.checked_sub(1), self.func.defining_op(value)) else { return true };
        let of = |this: &Self, value: ValueId| this.known(value).range();
        match &data.op {
            Op::Detach(a) => self.narrow_within(*a, range, depth),
            Op::Convert(a) | Op::Bitcast(a) => match of(self, *a) {
                // Only what keeps its value can be told from it.
                Some(from) if self.whole(value).range().is_some_and(|whole| whole.contains(from)) => {
                    self.narrow_within(*a, range, depth)
                }
                _ => true,
            },
            Op::Binary(op @ (BinaryOp::Add | BinaryOp::Sub), a, b) => {
                let (Some(x), Some(y)) = (of(self, *a), of(self, *b)) else { return true };
                let is_sum = *op == BinaryOp::Add;
                let exact = if is_sum { x.plus(y) } else { x.minus(y) };
                if !self.whole(value).range().is_some_and(|whole| whole.contains(exact)) {
                    return true;
                }
                let (new_x, new_y) =
                    if is_sum { (range.minus(y), range.minus(x)) } else { (range.plus(y), x.minus(range)) };
                self.narrow_within(*a, new_x, depth) && self.narrow_within(*b, new_y, depth)
            }
            Op::Binary(op, a, b) => {
                let (a, b) = (*a, *b);
                let (Some(x), Some(y)) = (of(self, a), of(self, b)) else { return true };
                match operands(*op, (a, x), (b, y), range, self.whole(value).range()) {
                    Some((new_x, new_y)) => self.narrow_within(a, new_x, depth) && self.narrow_within(b, new_y, depth),
                    None => true,
                }
            }
            Op::Unary(UnaryOp::Neg, a) => match (of(self, *a), self.whole(value).range()) {
                (Some(x), Some(whole)) if whole.contains(Interval::ZERO.minus(x)) => {
                    self.narrow_within(*a, Interval::ZERO.minus(range), depth)
                }
                _ => true,
            },
            Op::Extract { aggregate, path } => {
                let steps = self.steps(path, &|value| self.known(value));
                let whole = self.known(*aggregate);
                if steps.contains(&None) || whole.part(&steps).number().is_none() {
                    return true;
                }
                let new = whole.with_part(&steps, &Known::Number(number));
                self.set(*aggregate, new);
                true
            }
            _ => true,
        }
    }
}

/// What the operands can be of a product, quotient or shift that lies in a range and does not wrap.
fn operands(
    op: BinaryOp,
    (a, x): (ValueId, Interval),
    (b, y): (ValueId, Interval),
    range: Interval,
    whole: Option<Interval>,
) -> Option<(Interval, Interval)> {
    let fits = |exact: Interval| whole.is_some_and(|whole| whole.contains(exact));
    // Of a count beyond the width of the type nothing is known.
    let power = |count: Interval| {
        let power = 1i128 << count.single().filter(|count| (0..64).contains(count))?;
        whole.is_some_and(|whole| power <= whole.high - whole.low).then_some(power)
    };
    match op {
        BinaryOp::Mul if a == b => {
            let root = range.high.max(0).unsigned_abs().isqrt() as i128;
            let square = x.times(x);
            fits(square).then(|| (Interval::new(-root, root), Interval::new(-root, root)))
        }
        BinaryOp::Mul => fits(x.times(y)).then(|| (range.factor(y).unwrap_or(x), range.factor(x).unwrap_or(y))),
        BinaryOp::Div => Some((range.dividend(y)?, y)),
        BinaryOp::Shl => {
            let factor = Interval::only(power(y)?);
            let new = range.factor(factor).filter(|_| fits(x.times(factor)))?;
            Some((new, y))
        }
        // What is shifted out is less than one, also below zero.
        BinaryOp::Shr => {
            let divisor = power(y)?;
            Some((Interval::new(range.low * divisor, range.high * divisor + (divisor - 1)), y))
        }
        _ => None,
    }
}

/// A range without one value, where that is at an end of it; `None` if it is the only one.
fn without(range: Interval, value: i128) -> Option<Interval> {
    if range.single() == Some(value) {
        return None;
    }
    let low = if range.low == value { value + 1 } else { range.low };
    let high = if range.high == value { value - 1 } else { range.high };
    Some(Interval { low, high })
}
