//! Where values that have variables are still needed.
//!
//! Control flow is structured, so a value is live after a point if it is used later in the point's region or, going
//! outwards, after the op around it; inside a loop a value from outside that is used anywhere in the loop stays live.

use ir::{Func, Op, RegionId, Terminator, ValueDef, ValueId};
use rustc_hash::FxHashMap;

use super::inline::{Fate, Inlining};
use super::position::{Point, Positions, Role};

#[derive(Debug)]
pub(crate) struct Liveness<'a> {
    pub(super) func: &'a Func,
    pub(super) positions: &'a Positions,
    /// The last index in a region at which a value is used, there or in a region nested there.
    last_use: FxHashMap<(ValueId, RegionId), u32>,
    /// Where regions leave the loop around them for good, or for its next iteration.
    exits: FxHashMap<RegionId, Exits>,
}

/// The last index in a region, itself or nested there, with a `break` or `continue` of the loop around it; 0 if there is none.
#[derive(Debug, Clone, Copy, Default)]
struct Exits {
    breaks: u32,
    continues: u32,
}

impl<'a> Liveness<'a> {
    pub(crate) fn new(func: &'a Func, body: RegionId, positions: &'a Positions, inlining: &Inlining) -> Liveness<'a> {
        let mut liveness = Liveness { func, positions, last_use: FxHashMap::default(), exits: FxHashMap::default() };
        liveness.region(body, inlining);
        liveness
    }

    fn region(&mut self, region: RegionId, inlining: &Inlining) {
        let func = self.func;
        let mut exits = Exits::default();
        for &op in &func.regions[region].ops {
            let data = &func.ops[op];
            if inlining.fate(op) == Fate::Statement {
                data.op.for_each_operand(|operand| self.use_at(operand, self.positions.op(op), inlining));
            }
            for nested in data.op.regions() {
                self.region(nested, inlining);
                if !matches!(data.op, Op::Loop { .. }) {
                    exits.add(self.exits_of(nested), self.positions.op(op).index);
                }
            }
        }
        let end = self.positions.terminator(func, region);
        match func.regions[region].terminator {
            Terminator::Break(_) => exits.breaks = end.index,
            Terminator::Continue(_) => exits.continues = end.index,
            Terminator::Yield(_) | Terminator::Return(_) | Terminator::Unreachable => {}
        }
        if exits.breaks.max(exits.continues) > 0 {
            self.exits.insert(region, exits);
        }
        for &value in func.regions[region].terminator.values() {
            self.use_at(value, end, inlining);
        }
        // A loop's condition hands the carried values on to its body and to what follows.
        if let Role::LoopCond(_) = self.positions.role(region) {
            for &param in &func.regions[region].params {
                self.use_at(param, end, inlining);
            }
        }
    }

    /// Records the variables that the expression for `value` reads at `point`.
    fn use_at(&mut self, value: ValueId, mut point: Point, inlining: &Inlining) {
        if inlining.is_inlined(self.func, value) {
            if let Some(data) = self.func.defining_op(value) {
                data.op.for_each_operand(|operand| self.use_at(operand, point, inlining));
            }
            return;
        }
        let home = self.positions.definition(self.func, value).region;
        loop {
            let last = self.last_use.entry((value, point.region)).or_insert(0);
            *last = (*last).max(point.index);
            if point.region == home {
                return;
            }
            let Some(op) = self.positions.role(point.region).op() else { return };
            point = self.positions.op(op);
        }
    }

    fn exits_of(&self, region: RegionId) -> Exits {
        self.exits.get(&region).copied().unwrap_or_default()
    }

    /// Behind which place in the order of the function `value` is not needed, `None` if it never is.
    pub(super) fn end_of_use(&self, value: ValueId) -> Option<u32> {
        let home = self.positions.definition(self.func, value).region;
        let index = *self.last_use.get(&(value, home))?;
        let op = (index as usize).checked_sub(1).and_then(|index| self.func.regions[home].ops.get(index));
        Some(op.map_or(self.positions.region_end(home), |&op| self.positions.op_end(op)))
    }

    /// Whether anything reads the variable of `value`.
    pub(crate) fn is_used(&self, value: ValueId) -> bool {
        let home = self.positions.definition(self.func, value).region;
        self.last_use.contains_key(&(value, home))
    }

    /// Whether `value` is needed after `point`, where it must be visible.
    pub(crate) fn is_live_after(&self, value: ValueId, mut point: Point) -> bool {
        let home = self.positions.definition(self.func, value).region;
        let used_in = |region| self.last_use.contains_key(&(value, region));
        loop {
            if self.last_use.get(&(value, point.region)).is_some_and(|&last| last > point.index) {
                return true;
            }
            if point.region == home {
                return false;
            }
            let role = self.positions.role(point.region);
            let Some(op) = role.op() else { return false };
            match (&self.func.regions[point.region].terminator, role) {
                // The end of the region leads nowhere where the value is; what stands in it may.
                (
                    Terminator::Return(_) | Terminator::Unreachable | Terminator::Break(_) | Terminator::Continue(_),
                    _,
                ) => {
                    let exits = self.exits_of(point.region);
                    if exits.breaks.max(exits.continues) <= point.index {
                        return false;
                    }
                    let Some(around) = self.positions.enclosing_loop(point.region) else { return false };
                    let regions = self.func.ops[around].op.regions();
                    // A value from inside the loop ends with the iteration.
                    if self.positions.lift(Point { region: home, index: 0 }, regions[1]).is_some() {
                        return false;
                    }
                    if exits.continues > point.index && regions.iter().any(|&region| used_in(region)) {
                        return true;
                    }
                    point = self.positions.op(around);
                }
                (Terminator::Yield(_), Role::Arm(_) | Role::Body) => point = self.positions.op(op),
                (Terminator::Yield(_), Role::LoopCond(_) | Role::LoopBody(_)) => {
                    if let Op::Loop { cond, body, .. } = &self.func.ops[op].op
                        && (used_in(*cond) || used_in(*body))
                    {
                        return true;
                    }
                    point = self.positions.op(op);
                }
            }
        }
    }

    /// Whether `value` is visible at `point`: defined before it in the same or an enclosing region.
    fn is_visible(&self, value: ValueId, point: Point) -> bool {
        let definition = self.positions.definition(self.func, value);
        self.positions.lift(point, definition.region).is_some_and(|lifted| definition.index < lifted.index)
    }

    /// Whether the two values are needed at one time, so that they cannot share a variable.
    pub(crate) fn interfere(&self, a: ValueId, b: ValueId) -> bool {
        if a == b {
            return false;
        }
        let (point_a, point_b) = (self.positions.definition(self.func, a), self.positions.definition(self.func, b));
        if point_a == point_b {
            return self.defined_together(a, b);
        }
        (self.is_visible(a, point_b) && self.is_live_after(a, point_b))
            || (self.is_visible(b, point_a) && self.is_live_after(b, point_a))
    }

    fn defined_together(&self, a: ValueId, b: ValueId) -> bool {
        match (self.func.values[a].def, self.func.values[b].def) {
            (ValueDef::Result { op: a, .. }, ValueDef::Result { op: b, .. }) => a == b,
            (ValueDef::Param { region: a, .. }, ValueDef::Param { region: b, .. }) => a == b,
            _ => false,
        }
    }
}

impl Exits {
    /// What a region inside of the op at `index` leaves.
    fn add(&mut self, nested: Exits, index: u32) {
        if nested.breaks > 0 {
            self.breaks = index;
        }
        if nested.continues > 0 {
            self.continues = index;
        }
    }
}
