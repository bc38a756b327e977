//! What an operation without regions gives, from what is known of its operands.

use super::{
    Analysis,
    interval::{FAR, Interval},
    known::{Base, Known, Number, Relation},
};
use crate::{BinaryOp, Callee, Constant, MathFn, Op, OpId, PathStep, Scalar, Type, UnaryOp, ValueId, op::Path};

/// Lists of parts of a `min` or `max` and of shifts are short, and so is what is looked at again.
const MOST_AGAIN: u32 = 6;

impl Analysis<'_> {
    /// What is known of the result of an operation without regions.
    pub(super) fn transfer(&self, op: &Op, result: ValueId, of: &dyn Fn(ValueId) -> Known) -> Known {
        let whole = self.whole(result);
        let number = |value: ValueId| of(value).number();
        let found = match op {
            Op::Const(constant) => self.constant(*constant, result).map(Known::Number),
            Op::Zero => {
                let mut zero = whole.clone();
                zero.for_each_number(&mut |_, number| *number = Number::new(Interval::ZERO));
                Some(zero)
            }
            Op::Undef => Some(self.undefined(result)),
            Op::Unary(op, a) => number(*a).and_then(|a| self.unary(*op, a, result)).map(Known::Number),
            Op::Binary(op, a, b) => {
                let operands = number(*a).zip(number(*b));
                operands.and_then(|(x, y)| self.binary(*op, (*a, x), (*b, y), result)).map(Known::Number)
            }
            Op::Math(function, args) => {
                let args: Option<Vec<Number>> = args.iter().map(|&arg| number(arg)).collect();
                args.and_then(|args| self.math(*function, &args, result)).map(Known::Number)
            }
            Op::Convert(a) if self.is_bit_position(*a) => self.bit_position(result).map(Known::Number),
            Op::Convert(a) | Op::Bitcast(a) if number(*a).is_some() => {
                number(*a).and_then(|a| self.converted(a, result)).map(Known::Number)
            }
            Op::Convert(a) => self.integer_of(*a).and_then(|range| self.within_type(range, result)).map(Known::Number),
            Op::Detach(a) => Some(of(*a)),
            Op::Select { cond, then, otherwise } => match of(*cond).range().and_then(Interval::single) {
                Some(0) => Some(of(*otherwise)),
                Some(_) => Some(of(*then)),
                None => Some(of(*then).join(&of(*otherwise))),
            },
            Op::Make(parts) => match &whole {
                Known::Parts(_) => Some(Known::Parts(parts.iter().map(|&part| of(part)).collect())),
                Known::Number(_) | Known::Nothing => None,
            },
            Op::Splat(element) => match &whole {
                Known::Parts(parts) => Some(Known::Parts(vec![of(*element); parts.len()].into())),
                Known::Number(_) | Known::Nothing => None,
            },
            Op::Extract { aggregate, path } => {
                let steps = self.steps(path, of);
                let mut part = of(*aggregate).part(&steps);
                if steps.contains(&None) {
                    // After the end there is zero.
                    part.for_each_number(&mut |_, number| {
                        *number = Number::new(number.range.hull(Interval::ZERO));
                    });
                }
                Some(part)
            }
            Op::Insert { aggregate, path, value } => Some(of(*aggregate).with_part(&self.steps(path, of), &of(*value))),
            Op::Swizzle { vector, components } => match (of(*vector), &whole) {
                (Known::Parts(parts), Known::Parts(_)) => {
                    let part = |component: &u8| parts.get(usize::from(*component)).cloned().unwrap_or(Known::Nothing);
                    Some(Known::Parts(components.iter().map(part).collect()))
                }
                (Known::Parts(parts), _) => {
                    components.first().and_then(|&first| parts.get(usize::from(first)).cloned())
                }
                _ => None,
            },
            Op::Call { callee: Callee::Func(callee), args, .. } => self.called(*callee, args, of),
            _ => None,
        };
        found.and_then(|found| whole.meet(&found)).unwrap_or(whole)
    }

    /// [`Analysis::transfer`] with operands that are looked at again, because more is known of what they are made of.
    pub(super) fn again(&self, value: ValueId) -> Known {
        self.again_within(value, MOST_AGAIN)
    }

    /// [`Analysis::again`], of the operation itself alone.
    pub(super) fn once_more(&self, value: ValueId) -> Known {
        self.again_within(value, 1)
    }

    fn again_within(&self, value: ValueId, depth: u32) -> Known {
        let known = self.known(value);
        let Some(data) = self.func.defining_op(value) else { return known };
        if depth == 0 || matches!(known, Known::Nothing) || !data.op.regions().is_empty() {
            return known;
        }
        let found = self.transfer(&data.op, value, &|operand| self.again_within(operand, depth - 1));
        found.meet(&known).unwrap_or(known)
    }

    fn constant(&self, constant: Constant, result: ValueId) -> Option<Number> {
        let value = match constant {
            Constant::Bool(value) => i128::from(value),
            Constant::Int(value) if self.scalar(result)? == Scalar::U64 => (value as u64).into(),
            Constant::Int(value) => value.into(),
            Constant::Float(_) => return None,
        };
        Some(Number::new(Interval::only(value)))
    }

    /// The integer type of a number.
    pub(super) fn scalar(&self, value: ValueId) -> Option<Scalar> {
        match self.types.get(self.func.ty(value)) {
            Type::Scalar(scalar) => Some(scalar),
            _ => None,
        }
    }

    fn type_range(&self, value: ValueId) -> Option<Interval> {
        Interval::of_type(self.scalar(value)?)
    }

    /// A result in integers, or whatever the type holds if it may wrap.
    fn wrapped(&self, exact: Interval, result: ValueId) -> Option<(Interval, bool)> {
        let whole = self.type_range(result)?;
        if whole.contains(exact) {
            return Some((exact, true));
        }
        // Both ends wrap alike if they are whole turns away.
        let turn = whole.high - whole.low + 1;
        let turns = (exact.low - whole.low).div_euclid(turn);
        let turned = Interval::new(exact.low - turns * turn, exact.high - turns * turn);
        Some((if whole.contains(turned) { turned } else { whole }, false))
    }

    fn unary(&self, op: UnaryOp, a: Number, result: ValueId) -> Option<Number> {
        let exact = match op {
            UnaryOp::Neg => Interval::ZERO.minus(a.range),
            UnaryOp::Not => Interval::only(1).minus(a.range),
            UnaryOp::BitNot => match self.type_range(result)? {
                whole if whole.low == 0 => Interval::only(whole.high).minus(a.range),
                _ => Interval::only(-1).minus(a.range),
            },
        };
        self.wrapped(exact, result).map(|(range, _)| Number::new(range))
    }

    fn binary(
        &self,
        op: BinaryOp,
        (left, a): (ValueId, Number),
        (_, b): (ValueId, Number),
        result: ValueId,
    ) -> Option<Number> {
        let (x, y) = (a.range, b.range);
        let both_positive = x.low >= 0 && y.low >= 0;
        if op.is_comparison() {
            return Some(Number::new(compared(op, x, y)));
        }
        let bits = i128::from(self.scalar(left)?.bits());
        // Bits beyond the highest one of the greater operand are not set.
        let below = || Interval::new(0, ((x.high.max(y.high) + 1) as u128).next_power_of_two() as i128 - 1);
        let (exact, relation): (Interval, Option<Relation>) = match op {
            BinaryOp::Add => {
                let from_left = a.relation.map(|relation| moved(relation, y));
                let from_right = b.relation.map(|relation| moved(relation, x));
                // What is counted from is what changes least: the other one is a step.
                let relation = match (x.single(), y.single()) {
                    (Some(_), None) => from_right,
                    _ if is_carried(b.relation) && !is_carried(a.relation) => from_right,
                    _ => from_left,
                };
                (x.plus(y), relation)
            }
            BinaryOp::Sub => (x.minus(y), a.relation.map(|relation| moved(relation, Interval::ZERO.minus(y)))),
            BinaryOp::Mul => {
                let factor = y.single().map(|factor| (a, factor)).or_else(|| x.single().map(|factor| (b, factor)));
                let relation = factor.and_then(|(base, factor)| multiplied(base, factor));
                (x.times(y), relation)
            }
            BinaryOp::Div => {
                let relation = y.single().and_then(|divisor| divided(a, divisor));
                (x.divided_by(y)?, relation)
            }
            BinaryOp::Rem if both_positive => (x.remainder(y)?, at_most(a, a)),
            BinaryOp::Rem => (x.remainder(y)?, None),
            BinaryOp::And => match (x.single(), y.single()) {
                (Some(x), Some(y)) => (Interval::only(x & y), None),
                _ if both_positive => (Interval::new(0, x.high.min(y.high)), at_most(a, b)),
                _ if x.low >= 0 => (Interval::new(0, x.high), None),
                _ if y.low >= 0 => (Interval::new(0, y.high), None),
                _ => return None,
            },
            BinaryOp::Or if both_positive => (Interval::new(x.low.max(y.low), below().high), None),
            BinaryOp::Xor if both_positive => (below(), None),
            BinaryOp::Or | BinaryOp::Xor => return None,
            BinaryOp::Shl => {
                if !Interval::new(0, bits.min(63) - 1).contains(y) {
                    return None;
                }
                let factor = Interval::new(1 << y.low, 1 << y.high);
                (x.times(factor), factor.single().and_then(|factor| multiplied(a, factor)))
            }
            BinaryOp::Shr => {
                if !Interval::new(0, bits - 1).contains(y) {
                    return None;
                }
                (x.shifted_right(y), (y.low < 64).then(|| divided(a, 1 << y.low)).flatten())
            }
            BinaryOp::Equal
            | BinaryOp::NotEqual
            | BinaryOp::Less
            | BinaryOp::LessEqual
            | BinaryOp::Greater
            | BinaryOp::GreaterEqual => return None,
        };
        let (range, fits) = self.wrapped(exact, result)?;
        let relation = match (relation, fits) {
            (Some(relation), true) => Some(relation),
            // In the arithmetic of the type an offset is right even if the sum wraps; a factor is not.
            (Some(relation), false) if matches!(op, BinaryOp::Add | BinaryOp::Sub) => {
                Some(self.modular(relation, result)?)
            }
            _ => None,
        };
        Some(Number { range, relation: relation.filter(|_| self.scalar(result) != Some(Scalar::Bool)) })
    }

    /// The offset as the arithmetic of the type has it: that of the least size.
    fn modular(&self, relation: Relation, result: ValueId) -> Option<Relation> {
        let whole = self.type_range(result)?;
        let turn = whole.high - whole.low + 1;
        let near = |offset: i128| (offset + turn / 2).rem_euclid(turn) - turn / 2;
        let offset = match relation.offset.single() {
            Some(offset) => Interval::only(near(offset)),
            None => relation.offset,
        };
        Some(Relation { offset, exact: false, shrinks: 1, grows: 1, ..relation })
    }

    fn math(&self, function: MathFn, args: &[Number], result: ValueId) -> Option<Number> {
        let range = match (function, args) {
            (MathFn::Min, [a, b]) => {
                return Some(Number { range: least(a.range, b.range), relation: at_most(*a, *b) });
            }
            (MathFn::Max, [a, b]) => greatest(a.range, b.range),
            (MathFn::Clamp, [x, low, high]) => least(greatest(x.range, low.range), high.range),
            (MathFn::Abs, [a]) if a.range.low >= 0 => a.range,
            (MathFn::Abs, [a]) => {
                let negated = Interval::ZERO.minus(a.range);
                let hull = Interval::new(a.range.low.max(negated.low).max(0), a.range.high.max(negated.high));
                self.wrapped(hull, result)?.0
            }
            (MathFn::Sign, [_]) => Interval::new(-1, 1),
            (MathFn::CountBits, [_]) => Interval::new(0, 64),
            (MathFn::FirstBitHigh | MathFn::FirstBitLow, [_]) => return self.bit_position(result),
            _ => return None,
        };
        Some(Number::new(range))
    }

    /// Whether a value is a position that was looked for, and that may be none: all bits set.
    fn is_bit_position(&self, value: ValueId) -> bool {
        matches!(
            self.func.defining_op(value).map(|data| &data.op),
            Some(Op::Math(MathFn::FirstBitHigh | MathFn::FirstBitLow, _))
        )
    }

    fn bit_position(&self, result: ValueId) -> Option<Number> {
        let whole = self.type_range(result)?;
        (whole.low < 0).then(|| Number::new(Interval::new(-1, 63)))
    }

    /// An integer made from a float, if its type has all that it may be.
    fn within_type(&self, range: Interval, result: ValueId) -> Option<Number> {
        let whole = self.type_range(result)?;
        (self.scalar(result)? != Scalar::Bool && whole.contains(range)).then(|| Number::new(range))
    }

    /// A conversion between integers, which keeps what fits into the new type.
    fn converted(&self, a: Number, result: ValueId) -> Option<Number> {
        if self.scalar(result)? == Scalar::Bool {
            return Some(Number::new(compared(BinaryOp::NotEqual, a.range, Interval::ZERO)));
        }
        let (range, fits) = self.wrapped(a.range, result)?;
        let relation = a.relation.filter(|relation| fits && relation.exact);
        Some(Number { range, relation })
    }

    /// A path with its unknown steps.
    pub(super) fn steps(&self, path: &Path, of: &dyn Fn(ValueId) -> Known) -> Vec<Option<u32>> {
        let step = |step: &PathStep| match step {
            PathStep::Const(index) => Some(*index),
            PathStep::Dynamic(index) => {
                of(*index).range().and_then(Interval::single).and_then(|index| u32::try_from(index).ok())
            }
        };
        path.iter().map(step).collect()
    }

    /// The result of an operation, related to itself where it is to nothing else.
    pub(super) fn define(&mut self, value: ValueId, mut known: Known) {
        known.for_each_number(&mut |leaf, number| {
            number.relation.get_or_insert(Relation::same(Base::Value { value, leaf }));
        });
        self.known.insert(value, known);
    }

    /// Each of the two as it is where it is taken.
    fn selected(&mut self, cond: ValueId, then: ValueId, otherwise: ValueId, result: ValueId) -> Known {
        let whole = self.whole(result);
        if self.scalar(cond).is_none() || matches!(whole, Known::Nothing) {
            return self.known(then).join(&self.known(otherwise));
        }
        let taken = [(then, true), (otherwise, false)]
            .into_iter()
            .filter_map(|(value, truth)| self.scope(|this| this.assume(cond, truth).then(|| this.again(value))));
        taken.reduce(|a, b| a.join(&b)).unwrap_or(whole)
    }

    pub(super) fn plain_op(&mut self, op: OpId) {
        let data = &self.func.ops[op];
        if let [result] = data.results[..] {
            let known = match data.op {
                Op::Select { cond, then, otherwise } => self.selected(cond, then, otherwise, result),
                _ => self.transfer(&data.op, result, &|value| self.known(value)),
            };
            self.define(result, known);
        } else {
            for &result in &data.results {
                let known = self.whole(result);
                self.define(result, known);
            }
        }
    }
}

fn is_carried(relation: Option<Relation>) -> bool {
    matches!(relation, Some(Relation { base: Base::Carried { .. }, .. }))
}

/// The relation of a number `by` further on.
fn moved(relation: Relation, by: Interval) -> Relation {
    Relation {
        offset: relation.offset.plus(by),
        shrinks: if by.high <= 0 { relation.shrinks } else { 1 },
        grows: if by.low >= 0 { relation.grows } else { 1 },
        ..relation
    }
}

fn multiplied(a: Number, factor: i128) -> Option<Relation> {
    let relation = a.relation.filter(|relation| relation.exact && factor >= 1 && a.range.low >= 0)?;
    let is_base = relation.offset == Interval::ZERO;
    let more = a.range.times(Interval::only(factor - 1));
    let grows = if is_base || relation.grows > 1 { relation.grows.saturating_mul(factor) } else { 1 };
    Some(Relation { offset: relation.offset.plus(more), shrinks: 1, grows, ..relation })
}

fn divided(a: Number, divisor: i128) -> Option<Relation> {
    let relation = a.relation.filter(|relation| relation.exact && divisor >= 1 && a.range.low >= 0)?;
    let is_base = relation.offset == Interval::ZERO;
    let less = |x: i128| x / divisor - x;
    let offset = relation.offset.plus(Interval::new(less(a.range.high), less(a.range.low)));
    let shrinks = if is_base || relation.shrinks > 1 { relation.shrinks.saturating_mul(divisor) } else { 1 };
    Some(Relation { offset, shrinks, grows: 1, ..relation })
}

/// The relation of a number that is neither greater than `a` nor than `b`.
fn at_most(a: Number, b: Number) -> Option<Relation> {
    let relations = [a, b].map(|number| number.relation.filter(|relation| relation.exact));
    let carried = relations.into_iter().flatten().filter(|relation| is_carried(Some(*relation)));
    let relation = carried.min_by_key(|relation| relation.offset.high)?;
    Some(Relation { offset: Interval::new(-FAR, relation.offset.high), grows: 1, ..relation })
}

fn least(a: Interval, b: Interval) -> Interval {
    Interval::new(a.low.min(b.low), a.high.min(b.high))
}

fn greatest(a: Interval, b: Interval) -> Interval {
    Interval::new(a.low.max(b.low), a.high.max(b.high))
}

/// The outcomes of a comparison.
fn compared(op: BinaryOp, x: Interval, y: Interval) -> Interval {
    let (always, never) = match op {
        BinaryOp::Less => (x.high < y.low, x.low >= y.high),
        BinaryOp::LessEqual => (x.high <= y.low, x.low > y.high),
        BinaryOp::Greater => (x.low > y.high, x.high <= y.low),
        BinaryOp::GreaterEqual => (x.low >= y.high, x.high < y.low),
        BinaryOp::Equal => (x.single().is_some() && x == y, x.meet(y).is_none()),
        BinaryOp::NotEqual => (x.meet(y).is_none(), x.single().is_some() && x == y),
        _ => (false, false),
    };
    Interval::new(i128::from(always), i128::from(!never))
}
