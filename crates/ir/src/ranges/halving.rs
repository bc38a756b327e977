//! Loops that halve a distance: binary search and bisection over integers.
//!
//! `low` and `high` are carried, the loop runs while `low < high`, `low <= high` or `high - low > 1`, and each iteration
//! puts one of them at the middle, or beyond it. With `s` numbers still to be looked at (those from `low` up to `high`, the
//! latter counted for `<=`), no more than `s / 2` are left after an iteration, `(s + 1) / 2` for `high - low > 1`, so that
//! the loop ends after as many iterations as `s` has binary digits.
//!
//! - `<`: `low` must go beyond the middle, `high` may stay on it.
//! - `<=`: both must go beyond it.
//! - `high - low > 1`: both may stay on it.
//!
//! No number may be negative, so that halves round down, and no sum may wrap.

use super::{Analysis, interval::Interval, loops::Carried};
use crate::{BinaryOp, Op, OpId, RegionId, Terminator, ValueDef, ValueId};

/// Ways through the choices of a body that are told apart.
pub(super) const MOST_WAYS: usize = 64;

/// What the loop runs under.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Test {
    Below,
    NotAbove,
    Between,
}

/// The carried values that are compared.
pub(super) struct Search {
    pub test: Test,
    pub low: usize,
    pub high: usize,
}

/// What an iteration may do with the ends that it finds.
struct Rule {
    test: Test,
    ends: [ValueId; 2],
    /// There is a number below all that the search begins with: an unsigned zero has none.
    has_below: bool,
}

impl Analysis<'_> {
    /// The most iterations that a condition allows, if the loop halves what it compares.
    pub(super) fn by_halving(&self, op: OpId, start: &Carried, condition: ValueId) -> Option<u32> {
        let Op::Loop { cond, body, .. } = self.func.ops[op].op else { return None };
        let search = self.search(cond, condition)?;
        let first = |index: usize| start.tested.get(index)?.range();
        let (low, high) = (first(search.low)?, first(search.high)?);
        let params = &self.func.regions[body].params;
        let whole = self.whole(*params.get(search.low)?).range()?;
        // Ends only come closer, so that their sums are in range if the first ones are.
        let sums = low.hull(high);
        if sums.low < 0 || !whole.contains(sums.plus(sums)) {
            return None;
        }
        let mut edges = Vec::new();
        self.edges(body, &mut edges);
        let ends = [*params.get(search.low)?, *params.get(search.high)?];
        let rule = Rule { test: search.test, ends, has_below: whole.has(sums.low - 1) };
        for values in edges {
            let moved = [*values.get(search.low)?, *values.get(search.high)?];
            if !self.on_every_way(moved, &mut { MOST_WAYS }, &|moved| self.comes_closer(&rule, moved)) {
                return None;
            }
        }
        let numbers = high.high - low.low + i128::from(search.test == Test::NotAbove);
        Some(128 - u128::try_from(numbers).unwrap_or(0).leading_zeros())
    }

    pub(super) fn search(&self, cond: RegionId, condition: ValueId) -> Option<Search> {
        let params = &self.func.regions[cond].params;
        let carried = |value: ValueId| params.iter().position(|&param| param == value);
        let Op::Binary(op, left, right) = self.func.defining_op(condition)?.op else { return None };
        // As `smaller op greater`.
        let (op, smaller, greater) = match op {
            BinaryOp::Less | BinaryOp::LessEqual => (op, left, right),
            BinaryOp::Greater => (BinaryOp::Less, right, left),
            BinaryOp::GreaterEqual => (BinaryOp::LessEqual, right, left),
            _ => return None,
        };
        if let (Some(low), Some(high)) = (carried(smaller), carried(greater)) {
            let test = if op == BinaryOp::Less { Test::Below } else { Test::NotAbove };
            return Some(Search { test, low, high });
        }
        if op != BinaryOp::Less {
            return None;
        }
        // `1 < high - low`, `low + 1 < high`.
        match (self.is_constant(smaller, 1), self.binary_of(greater), self.binary_of(smaller)) {
            (true, Some((BinaryOp::Sub, high, low)), _) => {
                Some(Search { test: Test::Between, low: carried(low)?, high: carried(high)? })
            }
            (_, _, Some((BinaryOp::Add, low, one))) if self.is_constant(one, 1) => {
                Some(Search { test: Test::Between, low: carried(low)?, high: carried(greater)? })
            }
            _ => None,
        }
    }

    /// The values with which a loop goes on.
    pub(super) fn edges<'a>(&'a self, region: RegionId, edges: &mut Vec<&'a [ValueId]>) {
        let data = &self.func.regions[region];
        for &op in &data.ops {
            let op = &self.func.ops[op].op;
            if !matches!(op, Op::Loop { .. }) {
                op.regions().into_iter().for_each(|region| self.nested_edges(region, edges));
            }
        }
        if let Terminator::Yield(values) | Terminator::Continue(values) = &data.terminator {
            edges.push(values);
        }
    }

    /// Those inside of a choice, whose own end only goes back to what is around it.
    fn nested_edges<'a>(&'a self, region: RegionId, edges: &mut Vec<&'a [ValueId]>) {
        let before = edges.len();
        self.edges(region, edges);
        if edges.len() > before && matches!(self.func.regions[region].terminator, Terminator::Yield(_)) {
            edges.pop();
        }
    }

    /// Whether something holds for two values on every way through the choices that made them.
    pub(super) fn on_every_way(
        &self,
        moved: [ValueId; 2],
        ways: &mut usize,
        holds: &dyn Fn([ValueId; 2]) -> bool,
    ) -> bool {
        if *ways == 0 {
            return false;
        }
        *ways -= 1;
        for way in moved {
            let Some(choices) = self.choices(way) else { continue };
            let chosen = |arm: &dyn Fn(ValueId) -> Option<ValueId>| moved.map(|value| arm(value).unwrap_or(value));
            return choices.iter().all(|arm| {
                let arm = |value: ValueId| self.choices_of(value, way).and_then(|values| values.get(*arm).copied());
                self.on_every_way(chosen(&arm), ways, holds)
            });
        }
        holds(moved)
    }

    /// Whether one of the ends is moved to the middle, the other not away.
    fn comes_closer(&self, rule: &Rule, moved: [ValueId; 2]) -> bool {
        let [low, high] = rule.ends;
        let (is_low, is_high) = (moved[0] == low, moved[1] == high);
        let past_middle = |value: ValueId| self.past_middle(value, low, high);
        let beyond_low = i128::from(rule.test != Test::Between);
        let beyond_high = i128::from(rule.test == Test::NotAbove);
        let low_moves = || past_middle(moved[0]).is_some_and(|by| (beyond_low..=1).contains(&by));
        let lowest = -i128::from(rule.has_below);
        let high_moves = || past_middle(moved[1]).is_some_and(|by| (lowest..=-beyond_high).contains(&by));
        match (is_low, is_high) {
            (true, true) => false,
            (false, true) => low_moves(),
            (true, false) => high_moves(),
            (false, false) => low_moves() && high_moves(),
        }
    }

    /// The numbers of the ways by which a value is chosen; `None` if it is not.
    fn choices(&self, value: ValueId) -> Option<Vec<usize>> {
        let count = match &self.func.defining_op(value)?.op {
            Op::Select { .. } | Op::If { .. } => 2,
            _ => return None,
        };
        Some((0..count).collect())
    }

    /// What `value` is on each of the ways by which `like` is chosen, if both are chosen by the same.
    fn choices_of(&self, value: ValueId, like: ValueId) -> Option<[ValueId; 2]> {
        let op_of = |value: ValueId| match self.func.values[value].def {
            ValueDef::Result { op, index } => Some((op, index)),
            ValueDef::Param { .. } => None,
        };
        let ((op, index), (other, _)) = (op_of(value)?, op_of(like)?);
        match (&self.func.ops[op].op, &self.func.ops[other].op) {
            (Op::If { then, otherwise, .. }, Op::If { .. }) if op == other => {
                let yielded = |region: RegionId| match &self.func.regions[region].terminator {
                    Terminator::Yield(values) => values.get(index as usize).copied(),
                    _ => None,
                };
                // An arm that leaves the loop makes no difference to how it goes on.
                match (yielded(*then), yielded(*otherwise)) {
                    (Some(then), Some(otherwise)) => Some([then, otherwise]),
                    (Some(only), None) | (None, Some(only)) => Some([only, only]),
                    (None, None) => None,
                }
            }
            (Op::Select { cond, then, otherwise }, Op::Select { cond: like, .. }) if cond == like => {
                Some([*then, *otherwise])
            }
            _ => None,
        }
    }

    /// How far a value is past the middle of the ends.
    fn past_middle(&self, value: ValueId, low: ValueId, high: ValueId) -> Option<i128> {
        let is_middle = |value: ValueId| self.is_middle(value, low, high);
        if is_middle(value) {
            return Some(0);
        }
        let constant = |value: ValueId| self.known(value).range().and_then(Interval::single);
        match self.binary_of(value)? {
            (BinaryOp::Add, a, b) if is_middle(a) => constant(b),
            (BinaryOp::Add, a, b) if is_middle(b) => constant(a),
            (BinaryOp::Sub, a, b) if is_middle(a) => constant(b).map(|b| -b),
            _ => None,
        }
    }

    /// `(low + high) / 2`, `low + (high - low) / 2`, with `>> 1` for the half, too.
    fn is_middle(&self, value: ValueId, low: ValueId, high: ValueId) -> bool {
        let is_sum = |a: ValueId, b: ValueId| (a, b) == (low, high) || (a, b) == (high, low);
        let is_half_distance = |value: ValueId| {
            let whole = self.half_of(value).and_then(|whole| self.binary_of(whole));
            matches!(whole, Some((BinaryOp::Sub, a, b)) if (a, b) == (high, low))
        };
        if let Some((BinaryOp::Add, a, b)) = self.half_of(value).and_then(|whole| self.binary_of(whole)) {
            return is_sum(a, b);
        }
        match self.binary_of(value) {
            Some((BinaryOp::Add, a, b)) => (a == low && is_half_distance(b)) || (b == low && is_half_distance(a)),
            _ => false,
        }
    }

    fn half_of(&self, value: ValueId) -> Option<ValueId> {
        match self.binary_of(value)? {
            (BinaryOp::Div, whole, by) if self.is_constant(by, 2) => Some(whole),
            (BinaryOp::Shr, whole, by) if self.is_constant(by, 1) => Some(whole),
            _ => None,
        }
    }

    pub(super) fn binary_of(&self, value: ValueId) -> Option<(BinaryOp, ValueId, ValueId)> {
        match self.func.defining_op(value)?.op {
            Op::Binary(op, a, b) => Some((op, a, b)),
            _ => None,
        }
    }

    pub(super) fn is_constant(&self, value: ValueId, wanted: i128) -> bool {
        self.known(value).range().and_then(Interval::single) == Some(wanted)
    }
}
