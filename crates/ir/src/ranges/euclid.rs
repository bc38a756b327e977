//! Euclid's loop: `while (b != 0) { t = a % b; a = b; b = t; }`.
//!
//! Each remainder is less than what it is divided by, and with the next one not more than the remainder before (in
//! magnitude: the sign is that of the dividend). So `k` iterations need a first `b` of at least the Fibonacci number
//! `F(k + 1)`, and the loop ends after some 46 of them even if nothing is known of its numbers.

use super::{Analysis, interval::Interval, loops::Carried};
use crate::{BinaryOp, Op, OpId, RegionId, ValueId};

impl Analysis<'_> {
    /// The most iterations that a condition allows, if the loop divides what it compares with zero.
    pub(super) fn by_euclid(&self, op: OpId, start: &Carried, condition: ValueId) -> Option<u32> {
        let Op::Loop { cond, body, .. } = self.func.ops[op].op else { return None };
        let divisor = self.compared_with_zero(cond, condition)?;
        let params = &self.func.regions[body].params;
        let mut edges = Vec::new();
        self.edges(body, &mut edges);
        let mut dividend = None;
        for values in edges {
            let Op::Binary(BinaryOp::Rem, a, b) = self.func.defining_op(*values.get(divisor)?)?.op else { return None };
            let index = params.iter().position(|&param| param == a)?;
            let is_step = b == params[divisor] && index != divisor && values.get(index) == Some(&params[divisor]);
            if !is_step || *dividend.get_or_insert(index) != index {
                return None;
            }
        }
        dividend?;
        let first = start.tested.get(divisor)?.range()?;
        Some(most_remainders(first.low.abs().max(first.high.abs())))
    }

    /// The carried number that the condition wants to differ from zero.
    pub(super) fn compared_with_zero(&self, cond: RegionId, condition: ValueId) -> Option<usize> {
        let carried = |value: ValueId| self.func.regions[cond].params.iter().position(|&param| param == value);
        let is_zero = |value: ValueId| self.known(value).range().and_then(Interval::single) == Some(0);
        match self.func.defining_op(condition)?.op {
            Op::Binary(BinaryOp::NotEqual | BinaryOp::Greater, a, b) if is_zero(b) => carried(a),
            Op::Binary(BinaryOp::NotEqual | BinaryOp::Less, a, b) if is_zero(a) => carried(b),
            Op::Convert(a) => carried(a),
            _ => None,
        }
    }
}

/// How many remainders are not zero if the first divisor is at most `most`.
fn most_remainders(most: i128) -> u32 {
    let (mut count, mut this, mut next) = (0, 1, 2);
    while this <= most {
        (this, next) = (next, this + next);
        count += 1;
    }
    count
}
