//! Where the values of a function lie in its frame.
//!
//! A value gets slots when its region is entered; what a nested region used is free again after it, since its values
//! are not visible outside. A loop's parameters and results are the same slots. Aggregates are updated in place where
//! nothing uses the old value afterwards: the result of an `insert` takes the slots of its source, a loop those of what
//! it starts with, and an `if` those that all its arms yield. So a loop that fills an array of N elements takes N steps
//! and not N², which is what makes arrays as values practical.

use std::ops::Range;

use ir::{Func, Op, OpId, RegionId, Terminator, ValueDef, ValueId, op::ControlOp};
use rustc_hash::FxHashMap;

use crate::layout::Layouts;

/// The frame of a function.
#[derive(Debug, Clone)]
pub(crate) struct FramePlan {
    /// First slot and number of slots of each value, by the value's index.
    places: Vec<(usize, usize)>,
    /// Slots of the whole frame.
    pub size: usize,
}

impl FramePlan {
    pub(crate) fn offset(&self, value: ValueId) -> usize {
        self.places[value_index(value)].0
    }

    pub(crate) fn range(&self, value: ValueId) -> Range<usize> {
        let (start, count) = self.places[value_index(value)];
        start..start + count
    }
}

/// `None` if the frame is larger than `limit` slots.
pub(crate) fn plan_frame(layouts: &Layouts<'_>, func: &Func, body: RegionId, limit: usize) -> Option<FramePlan> {
    let mut planner = Planner {
        layouts,
        func,
        limit,
        uses: Uses::of(func, body),
        offsets: vec![0; func.values.len()],
        taken_from: vec![None; func.values.len()],
        open: vec![false; func.regions.len()],
        size: 0,
    };
    let start = planner.allocate_all(&func.regions[body].params, 0)?;
    planner.region(body, start)?;
    let sizes = func.values.iter().map(|(_, value)| layouts.slots(value.ty));
    Some(FramePlan { places: planner.offsets.into_iter().zip(sizes).collect(), size: planner.size })
}

fn value_index(value: ValueId) -> usize {
    value.into_raw().into_u32() as usize
}

fn region_index(region: RegionId) -> usize {
    region.into_raw().into_u32() as usize
}

/// How a region is nested in an op.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Nesting {
    Arm,
    LoopCond,
    LoopBody,
}

#[derive(Debug, Clone, Copy)]
struct Parent {
    region: RegionId,
    /// Position of the op in the parent region.
    at: usize,
    nesting: Nesting,
}

/// Where values are defined and used.
struct Uses {
    /// The region in which a value is visible first.
    home: Vec<Option<RegionId>>,
    parents: FxHashMap<RegionId, Parent>,
    /// The last position in a region at which a value that is visible there is used, directly or in a nested region.
    /// The terminator's position is the number of ops.
    last: FxHashMap<(ValueId, RegionId), usize>,
}

impl Uses {
    fn of(func: &Func, body: RegionId) -> Uses {
        /// A region being walked: at op `at`, of which `entered - 1` regions are done; 0: its operands are not yet seen.
        struct FrameWalk {
            region: RegionId,
            at: usize,
            entered: usize,
        }
        let mut uses =
            Uses { home: vec![None; func.values.len()], parents: FxHashMap::default(), last: FxHashMap::default() };
        uses.define(&func.regions[body].params, body);
        let mut stack = vec![FrameWalk { region: body, at: 0, entered: 0 }];
        while let Some(top) = stack.last_mut() {
            let region = top.region;
            let data = &func.regions[region];
            let Some(&op) = data.ops.get(top.at) else {
                let chain: Vec<(RegionId, usize)> = stack.iter().map(|walk| (walk.region, walk.at)).collect();
                data.terminator.values().iter().for_each(|&value| uses.note(value, &chain));
                stack.pop();
                continue;
            };
            let op_data = &func.ops[op];
            let (at, entered) = (top.at, top.entered);
            let regions = op_data.op.regions();
            if entered < regions.len() {
                top.entered += 1;
            } else {
                (top.at, top.entered) = (at + 1, 0);
            }
            if entered == 0 {
                let mut chain: Vec<(RegionId, usize)> = stack.iter().map(|walk| (walk.region, walk.at)).collect();
                if let Some(last) = chain.last_mut() {
                    last.1 = at;
                }
                op_data.op.for_each_operand(|value| uses.note(value, &chain));
            }
            if let Some(&nested) = regions.get(entered) {
                let nesting = match &op_data.op {
                    Op::Loop { cond, .. } if nested == *cond => Nesting::LoopCond,
                    Op::Loop { .. } => Nesting::LoopBody,
                    _ => Nesting::Arm,
                };
                uses.parents.insert(nested, Parent { region, at, nesting });
                uses.define(&func.regions[nested].params, nested);
                stack.push(FrameWalk { region: nested, at: 0, entered: 0 });
            } else {
                uses.define(&op_data.results, region);
            }
        }
        uses
    }

    fn define(&mut self, values: &[ValueId], region: RegionId) {
        for &value in values {
            self.home[value_index(value)] = Some(region);
        }
    }

    /// Notes a use inside the regions of `chain`, outermost first, each with the position in it.
    fn note(&mut self, value: ValueId, chain: &[(RegionId, usize)]) {
        let home = self.home[value_index(value)];
        for &(region, at) in chain.iter().rev() {
            self.last.insert((value, region), at);
            if home == Some(region) {
                break;
            }
        }
    }

    /// Whether nothing uses `value` after position `at` of `region`, so that its slots may be overwritten there.
    fn dies_at(&self, func: &Func, value: ValueId, mut region: RegionId, mut at: usize) -> bool {
        if let ValueDef::Param { region, .. } = func.values[value].def
            && self.parents.get(&region).is_some_and(|parent| parent.nesting == Nesting::LoopCond)
        {
            // The loop's body reads the same slots.
            return false;
        }
        loop {
            if self.last.get(&(value, region)).is_some_and(|&last| last > at) {
                return false;
            }
            if self.home[value_index(value)] == Some(region) {
                return true;
            }
            match self.parents.get(&region) {
                Some(parent) if parent.nesting == Nesting::Arm => (region, at) = (parent.region, parent.at),
                // The next iteration uses it again.
                _ => return false,
            }
        }
    }

    fn is_used_in(&self, value: ValueId, region: RegionId) -> bool {
        self.last.contains_key(&(value, region))
    }
}

struct Planner<'a, 'm> {
    layouts: &'a Layouts<'m>,
    func: &'a Func,
    limit: usize,
    uses: Uses,
    offsets: Vec<usize>,
    /// The value whose slots a value took over.
    taken_from: Vec<Option<ValueId>>,
    /// The regions around the op that is being planned.
    open: Vec<bool>,
    size: usize,
}

impl Planner<'_, '_> {
    /// Gives `value` slots from `start`; the first slot after them.
    fn allocate(&mut self, value: ValueId, start: usize) -> Option<usize> {
        let end = start.checked_add(self.layouts.slots(self.func.ty(value))).filter(|&end| end <= self.limit)?;
        self.offsets[value_index(value)] = start;
        self.size = self.size.max(end);
        Some(end)
    }

    fn allocate_all(&mut self, values: &[ValueId], start: usize) -> Option<usize> {
        values.iter().try_fold(start, |start, &value| self.allocate(value, start))
    }

    fn take_over(&mut self, value: ValueId, from: ValueId) {
        self.offsets[value_index(value)] = self.offsets[value_index(from)];
        self.taken_from[value_index(value)] = Some(from);
    }

    /// Plans a region whose parameters have their slots; `free` is the first slot that is free.
    fn region(&mut self, region: RegionId, mut free: usize) -> Option<()> {
        let func = self.func;
        self.open[region_index(region)] = true;
        for (at, &op) in func.regions[region].ops.iter().enumerate() {
            free = self.op(op, region, at, free)?;
        }
        self.open[region_index(region)] = false;
        Some(())
    }

    fn op(&mut self, op: OpId, region: RegionId, at: usize, mut free: usize) -> Option<usize> {
        let func = self.func;
        let data = &func.ops[op];
        if let Op::Insert { aggregate, .. } = &data.op {
            let uses = data.op.operands().iter().filter(|&operand| operand == aggregate).count();
            if uses == 1 && self.uses.dies_at(func, *aggregate, region, at) {
                self.take_over(data.results[0], *aggregate);
                return Some(free);
            }
        }
        match data.op.control() {
            Some(ControlOp::Loop { init, cond, body, .. }) => {
                for (position, (&result, &start)) in data.results.iter().zip(init).enumerate() {
                    let once = init.iter().filter(|&&other| other == start).count() == 1;
                    let inside = self.uses.is_used_in(start, cond) || self.uses.is_used_in(start, body);
                    if once && !inside && self.uses.dies_at(func, start, region, at) {
                        self.take_over(result, start);
                    } else {
                        free = self.allocate(result, free)?;
                    }
                    for nested in [cond, body] {
                        let param = func.regions[nested].params[position];
                        self.offsets[value_index(param)] = self.offsets[value_index(result)];
                    }
                }
                self.region(cond, free)?;
                self.region(body, free)?;
                Some(free)
            }
            Some(ControlOp::If { .. } | ControlOp::Switch { .. } | ControlOp::Match { .. }) => {
                let arms = data.op.regions();
                for &arm in &arms {
                    let start = self.allocate_all(&func.regions[arm].params, free)?;
                    self.region(arm, start)?;
                }
                let mut taken: Vec<ValueId> = Vec::new();
                for (position, &result) in data.results.iter().enumerate() {
                    match self.common_owner(&arms, position) {
                        Some(owner) if !taken.contains(&owner) && self.uses.dies_at(func, owner, region, at) => {
                            taken.push(owner);
                            self.take_over(result, owner);
                        }
                        // Results may lie over what an arm used: they are written when the arm is done.
                        _ => free = self.allocate(result, free)?,
                    }
                }
                Some(free)
            }
            None => self.allocate_all(&data.results, free),
        }
    }

    /// The value from around the arms whose slots all arms yield as result number `position`.
    fn common_owner(&self, arms: &[RegionId], position: usize) -> Option<ValueId> {
        let mut owners = arms.iter().filter_map(|&arm| match &self.func.regions[arm].terminator {
            Terminator::Yield(values) => Some(values.get(position).and_then(|&value| self.owner_outside(value))),
            Terminator::Return(_) | Terminator::Break(_) | Terminator::Continue(_) | Terminator::Unreachable => None,
        });
        let first = owners.next()??;
        owners.all(|owner| owner == Some(first)).then_some(first)
    }

    /// The value of an open region whose slots `value` has.
    fn owner_outside(&self, mut value: ValueId) -> Option<ValueId> {
        loop {
            let home = self.uses.home[value_index(value)]?;
            if self.open[region_index(home)] {
                return Some(value);
            }
            value = self.taken_from[value_index(value)]?;
        }
    }
}
