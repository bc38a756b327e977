//! Which calls keep a context, and not the arguments that their way back reads.
//!
//! The pullback of a callee reads some of its inputs, which the caller hands in again. That costs nothing where the caller
//! has them anyway or computes them again for little: its own inputs, what follows from these, the numbers of iterations.
//! But what goes from one iteration to the next, or came from memory that may change, must be kept for each iteration, all
//! of it, even if the callee reads one element of an array. The callee's context is then the better bargain: made for
//! somebody who has nothing, it holds just what the way back needs.

use ir::{Callee, FuncId, Module, Op, OpId, RegionId, ValueId, abi::Kept};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::{
    cost::Costs,
    linearize::WayBack,
    normalise::Normalised,
    plan::{BYTE, external_operands},
    sizes::size_of,
};

/// A call whose arguments are not all at hand.
pub(crate) struct DearCall {
    pub op: OpId,
    pub callee: FuncId,
    /// The bytes that what its pullback needs takes for all iterations, if nothing else in the caller needs it.
    pub bytes: u64,
    /// How often it runs at most.
    pub iterations: u64,
}

/// The calls of a function for which something must be kept that the pullback of the callee reads.
pub(crate) fn dear_calls(
    module: &Module,
    normalised: &Normalised,
    ways_back: &FxHashMap<FuncId, WayBack>,
) -> Vec<DearCall> {
    let Some(body) = normalised.func.body else { return Vec::new() };
    let mut walk = HandoverWalk {
        module,
        normalised,
        ways_back,
        at_hand: normalised.func.input_values().iter().copied().collect(),
        iterations: FxHashMap::default(),
        found: Vec::new(),
    };
    walk.region(body, 1);
    walk.found
}

struct HandoverWalk<'a> {
    module: &'a Module,
    normalised: &'a Normalised,
    ways_back: &'a FxHashMap<FuncId, WayBack>,
    /// Values that follow from the inputs for little.
    at_hand: FxHashSet<ValueId>,
    /// How often each value is made at most.
    iterations: FxHashMap<ValueId, u64>,
    found: Vec<DearCall>,
}

impl HandoverWalk<'_> {
    fn region(&mut self, region: RegionId, iterations: u64) {
        let func = &self.normalised.func;
        self.iterations.extend(func.regions[region].params.iter().map(|&param| (param, iterations)));
        for &id in &func.regions[region].ops {
            let data = &func.ops[id];
            self.iterations.extend(data.results.iter().map(|&result| (result, iterations)));
            match &data.op {
                Op::Loop { init, body, .. } => {
                    let facts = self.normalised.loops.get(&id);
                    for &(index, _) in facts.map_or(&[][..], |facts| &facts.inductions) {
                        if self.at_hand.contains(&init[index]) {
                            self.at_hand.insert(func.regions[*body].params[index]);
                        }
                    }
                    let bound = facts.and_then(|facts| facts.bound).unwrap_or(1);
                    self.region(*body, iterations.saturating_mul(bound.into()));
                }
                Op::SumMatch { sum, .. } => {
                    for region in data.op.regions() {
                        if self.at_hand.contains(sum) {
                            self.at_hand.extend(&func.regions[region].params);
                        }
                        self.region(region, iterations);
                    }
                }
                op => op.regions().into_iter().for_each(|region| self.region(region, iterations)),
            }
            self.call(id, iterations);
            if self.follows(id) {
                self.at_hand.extend(&data.results);
            }
        }
    }

    /// Whether the results of an operation follow from what is at hand, for less than keeping them costs.
    fn follows(&self, id: OpId) -> bool {
        let func = &self.normalised.func;
        let bytes =
            func.ops[id].results.iter().map(|&result| size_of(&self.module.types, func.ty(result))).sum::<u64>();
        external_operands(func, id).iter().all(|operand| self.at_hand.contains(operand))
            && Costs::new(self.module).again(func, id).is_ok_and(|cost| cost <= bytes.saturating_mul(BYTE))
    }

    fn call(&mut self, op: OpId, iterations: u64) {
        let func = &self.normalised.func;
        let Op::Call { callee: Callee::Func(callee), args, no_diff: false } = &func.ops[op].op else { return };
        let Some(WayBack::Pullback(Kept { inputs, record, .. })) = self.ways_back.get(callee) else { return };
        let size = |ty| size_of(&self.module.types, ty);
        let read: FxHashSet<ValueId> = inputs.iter().filter_map(|&input| args.get(input as usize)).copied().collect();
        let dear = read.iter().filter(|&arg| !self.at_hand.contains(arg));
        let bytes = dear.map(|arg| {
            let iterations = self.iterations.get(arg).copied().unwrap_or(1);
            size(func.ty(*arg)).saturating_mul(iterations)
        });
        let bytes = bytes.fold(0, u64::saturating_add);
        if bytes > 0 {
            let bytes = bytes.saturating_add(record.map_or(0, size).saturating_mul(iterations));
            self.found.push(DearCall { op, callee: *callee, bytes, iterations });
        }
    }
}
