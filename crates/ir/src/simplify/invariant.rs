//! Which operations of a loop compute the same in each iteration.

use rustc_hash::FxHashSet;

use super::loops::all_regions;
use crate::{Effect, FuncId, Module, Op, OpId, ValueId};

/// The operations in a loop's condition and body, nested regions included, that are pure, have no regions of their own,
/// and depend on nothing that the loop changes; in an order in which they can be moved in front of the loop. Calls count
/// if the callee is pure.
pub fn invariant_ops(module: &Module, func: FuncId, loop_op: OpId) -> Vec<OpId> {
    let data = &module.funcs[func];
    let Op::Loop { cond, body, .. } = data.ops[loop_op].op else { return Vec::new() };
    let regions: Vec<_> = [cond, body].into_iter().flat_map(|region| all_regions(data, region)).collect();
    let mut inside: FxHashSet<ValueId> = FxHashSet::default();
    for &region in &regions {
        inside.extend(&data.regions[region].params);
        for &op in &data.regions[region].ops {
            inside.extend(&data.ops[op].results);
        }
    }
    let mut invariant = Vec::new();
    // Outer regions come first, so the operands of an op are decided before it.
    for &region in &regions {
        for &op in &data.regions[region].ops {
            let OpFacts { pure, operands } = OpFacts::of(module, func, op);
            if pure && operands.iter().all(|value| !inside.contains(value)) {
                for result in &data.ops[op].results {
                    inside.remove(result);
                }
                invariant.push(op);
            }
        }
    }
    invariant
}

struct OpFacts {
    pure: bool,
    operands: smallvec::SmallVec<[ValueId; 4]>,
}

impl OpFacts {
    fn of(module: &Module, func: FuncId, id: OpId) -> OpFacts {
        let op = &module.funcs[func].ops[id].op;
        let pure = op.regions().is_empty() && module.effect_of(func, op) == Effect::Pure;
        OpFacts { pure, operands: op.operands() }
    }
}
