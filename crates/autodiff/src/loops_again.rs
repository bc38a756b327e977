//! Which loops may run again in the backward sweep, so that what is stored inside them is stored for one iteration of the loop
//! around them at a time: a checkpoint per outer iteration in place of all values of the inner ones.
//!
//! ```text
//! for n in 0..4 { p = 0; for k in 0..8 { p = p * x + c[k] }; x = g(x, p) }
//!
//! all:  x and p at each place: 4 + 4 * 8 words
//! again: x at each n, and while going back through iteration n, p at each k: 4 + 8 words
//! ```

use ir::{Module, Op, OpId, RegionId, func::CheckpointPreference, ranges::Ranges};
use rustc_hash::FxHashMap;

use crate::{
    cost::Costs,
    linear::Linearized,
    plan::{BYTE, Inputs, Plan, plan},
};

/// The most loops of a function that are looked at: each means a plan of its own.
const MOST_CANDIDATES: usize = 16;

/// The plan for a function, in which those loops run again that pay for it with the bytes that are not stored.
pub(crate) fn best_plan(module: &mut Module, linearized: &Linearized, inputs: Inputs) -> Plan {
    let mut best = plan(module, linearized, inputs, FxHashMap::default());
    if linearized.func.rules.checkpoint != CheckpointPreference::Recompute {
        return best;
    }
    for LoopAgain { op, cost, runs } in candidates(module, linearized) {
        if !best.slots.contains_key(&op) {
            continue;
        }
        let mut again = best.again.clone();
        again.insert(op, cost);
        let other = plan(module, linearized, inputs, again);
        let saved = best.residuals.bytes().saturating_sub(other.residuals.bytes());
        if saved.saturating_mul(BYTE) > cost.saturating_mul(runs) {
            best = other;
        }
    }
    best
}

/// A loop directly inside of another.
struct LoopAgain {
    op: OpId,
    /// Of one run, in additions.
    cost: u64,
    /// How often the loop begins at most.
    runs: u64,
}

/// The loops that may run again, outer ones first.
fn candidates(module: &Module, linearized: &Linearized) -> Vec<LoopAgain> {
    if linearized.loops.len() < 2 {
        return Vec::new();
    }
    let func = &linearized.func;
    let costs = Costs::new(module);
    let mut ranges = None;
    let mut found = Vec::new();
    let mut pending: Vec<(RegionId, u64, bool)> = vec![(linearized.body.region, 1, false)];
    while let Some((region, runs, in_loop)) = pending.pop() {
        for &id in &func.regions[region].ops {
            let (Op::Loop { body, .. }, Some(info)) = (&func.ops[id].op, linearized.loops.get(&id)) else {
                pending.extend(func.ops[id].op.regions().into_iter().map(|nested| (nested, runs, false)));
                continue;
            };
            let ranges = ranges.get_or_insert_with(|| Ranges::new(&module.types, &module.funcs, func));
            if in_loop && let Ok(cost) = costs.whole_loop(func, ranges, id) {
                found.push(LoopAgain { op: id, cost, runs });
            }
            pending.push((*body, runs.saturating_mul(info.bound.unwrap_or(1).into()), true));
        }
    }
    found.truncate(MOST_CANDIDATES);
    found
}
