//! Lets the arms of a last `if` or `switch` return by themselves: `if (c) return a; else return b;` instead of a
//! variable that both arms assign.

use ir::{Func, Op, RegionId, ResultSlot, Terminator, ValueId};

/// Rewrites `func` in place; what it computes stays the same.
pub(crate) fn return_from_arms(func: &mut Func) {
    let has_return = func.results.first().is_some_and(ResultSlot::is_return);
    if let (true, Some(body)) = (has_return, func.body) {
        return_from_region(func, body);
    }
}

fn return_from_region(func: &mut Func, region: RegionId) {
    let Terminator::Return(returned) = func.regions[region].terminator.clone() else { return };
    let Some(&op) = func.regions[region].ops.last() else { return };
    let results = func.ops[op].results.clone();
    let arms = match &func.ops[op].op {
        Op::If { .. } | Op::Switch { .. } => func.ops[op].op.regions(),
        _ => return,
    };
    if !returned.first().is_some_and(|value| results.contains(value)) {
        return;
    }
    for arm in arms {
        if let Terminator::Yield(yielded) = func.regions[arm].terminator.clone() {
            let replace = |value: &ValueId| {
                results.iter().position(|result| result == value).map_or(*value, |index| yielded[index])
            };
            func.regions[arm].terminator = Terminator::Return(returned.iter().map(replace).collect());
        }
        return_from_region(func, arm);
    }
    func.ops[op].results.clear();
    func.regions[region].terminator = Terminator::Unreachable;
}
