//! Writes down how often loops run, as [`crate::ranges`] finds it.

use crate::loops::all_regions;
use crate::{FuncId, Module, Op, ranges::Ranges};

/// Fills in [`crate::op::LoopBound::inferred`] in a function; whether anything changed.
pub fn infer(module: &mut Module, func: FuncId) -> bool {
    let Some(body) = module.funcs[func].body else { return false };
    let has_loops = module.funcs[func].ops.iter().any(|(_, data)| matches!(data.op, Op::Loop { .. }));
    if !has_loops {
        return false;
    }
    let ranges = Ranges::new(&module.types, &module.funcs, &module.funcs[func]);
    let mut changed = false;
    for region in all_regions(&module.funcs[func], body) {
        for op in module.funcs[func].regions[region].ops.clone() {
            let Some(count) = ranges.trip_count(op) else { continue };
            if let Op::Loop { bound, .. } = &mut module.funcs[func].ops[op].op {
                changed |= bound.inferred.replace(count.at_most) != Some(count.at_most);
            }
        }
    }
    changed
}
