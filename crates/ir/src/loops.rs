//! Questions about loops that several passes ask.

use crate::{Func, Op, RegionId, Terminator};

/// The regions inside a loop's body that end in a `break` or `continue` of that loop, in order.
pub fn early_exits(func: &Func, body: RegionId) -> Vec<RegionId> {
    regions_of_loop(func, body)
        .into_iter()
        .filter(|&region| match func.regions[region].terminator {
            Terminator::Break(_) | Terminator::Continue(_) => true,
            Terminator::Yield(_) | Terminator::Return(_) | Terminator::Unreachable => false,
        })
        .collect()
}

/// Whether something in a region leaves it other than by its end: `break`, `continue`, `return`, `unreachable`, in it or
/// nested in it. What leaves just an inner loop does not count.
pub fn leaves_early(func: &Func, region: RegionId) -> bool {
    let mut stack = vec![(region, false)];
    while let Some((region, in_inner_loop)) = stack.pop() {
        let leaves = match func.regions[region].terminator {
            Terminator::Yield(_) => false,
            Terminator::Break(_) | Terminator::Continue(_) => !in_inner_loop,
            Terminator::Return(_) | Terminator::Unreachable => true,
        };
        if leaves {
            return true;
        }
        for &op in &func.regions[region].ops {
            let op = &func.ops[op].op;
            let inner = in_inner_loop || matches!(op, Op::Loop { .. });
            stack.extend(op.regions().into_iter().map(|region| (region, inner)));
        }
    }
    false
}

/// `body` and the regions nested in it without those of inner loops.
fn regions_of_loop(func: &Func, body: RegionId) -> Vec<RegionId> {
    let mut regions = vec![body];
    let mut next = 0;
    while let Some(&region) = regions.get(next) {
        next += 1;
        for &op in &func.regions[region].ops {
            match &func.ops[op].op {
                Op::Loop { .. } => {}
                op => regions.extend(op.regions()),
            }
        }
    }
    regions
}

/// How many regions of a function's body stand one in the other at most.
pub fn nesting(func: &Func) -> u32 {
    let mut deepest = 0;
    let mut pending: Vec<(RegionId, u32)> = func.body.into_iter().map(|body| (body, 1)).collect();
    while let Some((region, depth)) = pending.pop() {
        deepest = deepest.max(depth);
        let ops = func.regions[region].ops.iter();
        pending.extend(ops.flat_map(|&op| func.ops[op].op.regions()).map(|region| (region, depth + 1)));
    }
    deepest
}

/// All regions of a body, outer ones first.
pub fn all_regions(func: &Func, body: RegionId) -> Vec<RegionId> {
    let mut regions = vec![body];
    let mut next = 0;
    while let Some(&region) = regions.get(next) {
        next += 1;
        for &op in &func.regions[region].ops {
            regions.extend(func.ops[op].op.regions());
        }
    }
    regions
}
