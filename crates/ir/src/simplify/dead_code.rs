//! Removes operations that nothing needs, and of regions that stay the results, carried values and yields that nothing
//! needs.
//!
//! ```text
//! %a: f32, %b: f32 = if %c {        →   %b: f32 = if %c {
//!   %1: f32 = sin(%x)                     yield %x
//!   yield %1, %x                        } else {
//! } else {                                yield %y
//!   yield %y, %y                        }
//! }
//! return %b                             return %b
//! ```
//!
//! Needed are: writes (and calls that write), whatever leaves the function, and what these depend on. A loop that only
//! computes is removed even if it would not end. An `unreachable` is kept, with the branches that lead to it.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::loops::{all_regions, early_exits};
use crate::{Effect, Func, FuncId, Module, Op, OpId, RegionId, Terminator, ValueDef, ValueId, op::ControlOp};

/// Removes dead code of a function; whether anything changed.
pub fn remove(module: &mut Module, func: FuncId) -> bool {
    let Some(body) = module.funcs[func].body else { return false };
    let live = Liveness::of(module, func, body);
    let Live { values, ops } = live.live;
    let data = &mut module.funcs[func];
    let mut changed = false;
    // Outer regions first: what is in a dead op is not looked at.
    let mut regions = vec![body];
    while let Some(region) = regions.pop() {
        let count = data.regions[region].ops.len();
        data.regions[region].ops.retain(|op| ops[op_index(*op)]);
        changed |= data.regions[region].ops.len() != count;
        for at in 0..data.regions[region].ops.len() {
            let op = data.regions[region].ops[at];
            changed |= prune(data, op, &values);
            regions.extend(data.ops[op].op.regions());
        }
    }
    changed
}

fn value_index(value: ValueId) -> usize {
    value.into_raw().into_u32() as usize
}

fn op_index(op: OpId) -> usize {
    op.into_raw().into_u32() as usize
}

/// What is needed, by the numbers of values and operations.
struct Live {
    values: Vec<bool>,
    ops: Vec<bool>,
}

struct Liveness<'a> {
    func: &'a Func,
    live: Live,
    /// The region that each op is in, and the op that each region is in.
    home: Vec<Option<RegionId>>,
    owner: Vec<Option<OpId>>,
    /// The [`early_exits`] of each loop that was asked for.
    exits: FxHashMap<OpId, Rc<[RegionId]>>,
    pending_values: Vec<ValueId>,
    pending_ops: Vec<OpId>,
}

impl<'a> Liveness<'a> {
    fn of(module: &'a Module, id: FuncId, body: RegionId) -> Liveness<'a> {
        let func = &module.funcs[id];
        let mut live = Liveness {
            func,
            live: Live { values: vec![false; func.values.len()], ops: vec![false; func.ops.len()] },
            home: vec![None; func.ops.len()],
            owner: vec![None; func.regions.len()],
            exits: FxHashMap::default(),
            pending_values: Vec::new(),
            pending_ops: Vec::new(),
        };
        let regions = all_regions(func, body);
        for &region in &regions {
            for &op in &func.regions[region].ops {
                live.home[op_index(op)] = Some(region);
                for nested in func.ops[op].op.regions() {
                    live.owner[nested.into_raw().into_u32() as usize] = Some(op);
                }
            }
        }
        for &region in &regions {
            for &op in &func.regions[region].ops {
                let effect = match &func.ops[op].op {
                    call @ Op::Call { .. } => module.effect_of(id, call),
                    op => op.own_effect(),
                };
                if effect == Effect::Write {
                    live.op(op);
                }
            }
            match &func.regions[region].terminator {
                Terminator::Return(values) => {
                    values.iter().for_each(|&value| live.value(value));
                    live.enclosing_op(region);
                }
                Terminator::Unreachable => live.enclosing_op(region),
                Terminator::Yield(_) | Terminator::Break(_) | Terminator::Continue(_) => {}
            }
        }
        live.propagate();
        live
    }

    fn value(&mut self, value: ValueId) {
        if !std::mem::replace(&mut self.live.values[value_index(value)], true) {
            self.pending_values.push(value);
        }
    }

    fn op(&mut self, op: OpId) {
        if !std::mem::replace(&mut self.live.ops[op_index(op)], true) {
            self.pending_ops.push(op);
        }
    }

    /// The op that a region is in, if it is not the body.
    fn enclosing_op(&mut self, region: RegionId) {
        if let Some(owner) = self.owner[region.into_raw().into_u32() as usize] {
            self.op(owner);
        }
    }

    fn exits(&mut self, op: OpId, body: RegionId) -> Rc<[RegionId]> {
        let func = self.func;
        Rc::clone(self.exits.entry(op).or_insert_with(|| early_exits(func, body).into()))
    }

    fn propagate(&mut self) {
        loop {
            if let Some(op) = self.pending_ops.pop() {
                self.propagate_op(op);
            } else if let Some(value) = self.pending_values.pop() {
                self.propagate_value(value);
            } else {
                return;
            }
        }
    }

    fn propagate_op(&mut self, id: OpId) {
        if let Some(home) = self.home[op_index(id)] {
            self.enclosing_op(home);
        }
        let func = self.func;
        match &func.ops[id].op {
            // What it starts with is needed value by value; whether it goes on always matters.
            Op::Loop { cond, body, .. } => {
                func.regions[*cond].terminator.values().iter().for_each(|&value| self.value(value));
                for &exit in self.exits(id, *body).iter() {
                    self.enclosing_op(exit);
                }
            }
            op => op.for_each_operand(|operand| self.value(operand)),
        }
    }

    fn propagate_value(&mut self, value: ValueId) {
        let func = self.func;
        let (op, index) = match func.values[value].def {
            ValueDef::Result { op, index } => (op, index),
            ValueDef::Param { region, index } => match self.owner[region.into_raw().into_u32() as usize] {
                Some(owner) => (owner, index),
                None => return,
            },
        };
        self.op(op);
        let index = index as usize;
        match func.ops[op].op.control() {
            Some(ControlOp::Loop { init, cond, body, .. }) => {
                let exits = self.exits(op, body);
                let nexts = exits.iter().chain([&body]).filter_map(|&region| carried(func, region));
                let values = nexts.chain([init]).chain([func.ops[op].results.as_slice()]);
                let params = [cond, body].map(|region| func.regions[region].params.as_slice());
                for values in values.chain(params) {
                    if let Some(&value) = values.get(index) {
                        self.value(value);
                    }
                }
            }
            Some(ControlOp::Match { .. }) if matches!(func.values[value].def, ValueDef::Param { .. }) => {}
            Some(ControlOp::If { .. } | ControlOp::Switch { .. } | ControlOp::Match { .. }) => {
                for arm in func.ops[op].op.regions() {
                    if let Terminator::Yield(values) = &func.regions[arm].terminator
                        && let Some(&value) = values.get(index)
                    {
                        self.value(value);
                    }
                }
            }
            None => {}
        }
    }
}

/// The carried values that a region of a loop ends with.
fn carried(func: &Func, region: RegionId) -> Option<&[ValueId]> {
    match &func.regions[region].terminator {
        Terminator::Yield(values) | Terminator::Break(values) | Terminator::Continue(values) => Some(values),
        Terminator::Return(_) | Terminator::Unreachable => None,
    }
}

/// Removes the dead results of an op with regions, and what the regions give for them.
fn prune(func: &mut Func, id: OpId, live: &[bool]) -> bool {
    if func.ops[id].results.iter().all(|&result| live[value_index(result)]) {
        return false;
    }
    let keep: Vec<bool> = func.ops[id].results.iter().map(|&result| live[value_index(result)]).collect();
    let mut regions: Vec<RegionId> = Vec::new();
    match func.ops[id].op.control() {
        Some(ControlOp::Loop { cond, body, .. }) => {
            regions = early_exits(func, body);
            if !regions.contains(&body) {
                regions.push(body);
            }
            for region in [cond, body] {
                let mut params = std::mem::take(&mut func.regions[region].params);
                retain(&mut params, &keep);
                for (index, &param) in params.iter().enumerate() {
                    func.values[param].def = ValueDef::Param { region, index: index as u32 };
                }
                func.regions[region].params = params;
            }
            if let Op::Loop { init, .. } = &mut func.ops[id].op {
                let mut kept = init.to_vec();
                retain(&mut kept, &keep);
                *init = kept.into_iter().collect();
            }
        }
        Some(ControlOp::If { .. } | ControlOp::Switch { .. } | ControlOp::Match { .. }) => {
            let arms = func.ops[id].op.regions();
            regions
                .extend(arms.into_iter().filter(|&arm| matches!(func.regions[arm].terminator, Terminator::Yield(_))));
        }
        // Calls and intrinsics keep their results.
        None => return false,
    }
    for region in regions {
        match &mut func.regions[region].terminator {
            Terminator::Yield(values) | Terminator::Break(values) | Terminator::Continue(values) => {
                let mut kept = values.to_vec();
                retain(&mut kept, &keep);
                *values = kept.into_iter().collect();
            }
            Terminator::Return(_) | Terminator::Unreachable => {}
        }
    }
    let mut results = func.ops[id].results.to_vec();
    retain(&mut results, &keep);
    for (index, &result) in results.iter().enumerate() {
        func.values[result].def = ValueDef::Result { op: id, index: index as u32 };
    }
    func.ops[id].results = results.into_iter().collect();
    true
}

fn retain(values: &mut Vec<ValueId>, keep: &[bool]) {
    let mut keep = keep.iter();
    values.retain(|_| keep.next().copied().unwrap_or(true));
}
