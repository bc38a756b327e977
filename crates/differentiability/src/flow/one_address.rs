//! 41842 (hint): a differentiable load whose index is the same in all threads: in reverse mode each of them adds to one
//! address, one after the other.

use autodiff::activity::Activity;
use diagnostics::codes;
use hir_def::item::{self, ItemId};
use ir::{Builtin, Callee, Func, Op, OpId, RegionId, ValueDef, ValueId};
use rustc_hash::FxHashSet;

use super::Flow;
use crate::Finding;

/// The type of tensors with derivatives, and its methods whose derivative is added by an atomic operation.
const TENSOR: &str = "DiffTensorView";
const LOADS: [&str; 1] = ["load"];

pub(super) fn check(flow: &Flow<'_>, activity: &Activity) -> Vec<Finding> {
    let func = flow.func();
    let found = func.ops.iter().filter_map(|(_, data)| {
        let Op::Call { callee: Callee::Func(callee), args, no_diff: false } = &data.op else { return None };
        let is_load = flow.declaration(*callee).is_some_and(|item| adds_atomically(flow, item));
        let is_wanted = data.results.iter().any(|result| activity.is_expected(*result));
        // The tensor itself comes first.
        let indices = args.get(1..).filter(|indices| !indices.is_empty())?;
        let mut uniform = Uniform { func, seen: FxHashSet::default() };
        if !is_load || !is_wanted || !indices.iter().all(|index| uniform.is_uniform(*index)) {
            return None;
        }
        let location = flow.location(data.span)?;
        let what = flow.text(location).unwrap_or("this load");
        let message = format!(
            "`{what}` reads one address in all threads: in reverse mode each adds its derivative there, one after the other; \
             in a custom derivative, `WaveActiveSum` adds them up first"
        );
        Some(Finding::new(codes::ONE_ADDRESS_FOR_ALL, location, message))
    });
    found.collect()
}

fn adds_atomically(flow: &Flow<'_>, load: ItemId) -> bool {
    let is_named = |item: ItemId, names: &[&str]| {
        item::item_data(flow.db, item).name.as_ref().is_some_and(|name| names.contains(&name.as_str()))
    };
    let of = item::container(flow.db, load);
    is_named(load, &LOADS) && of.is_some_and(|of| is_named(of, &[TENSOR]))
}

/// Which values of a function are the same in all threads of a group: made of constants and of the counters of loops.
struct Uniform<'f> {
    func: &'f Func,
    /// A counter is made of itself.
    seen: FxHashSet<ValueId>,
}

impl Uniform<'_> {
    fn is_uniform(&mut self, value: ValueId) -> bool {
        if !self.seen.insert(value) {
            return true;
        }
        match self.func.values[value].def {
            ValueDef::Result { op, index } => match &self.func.ops[op].op {
                Op::Const(_) | Op::Zero | Op::Builtin(Builtin::GroupId) => true,
                pure @ (Op::Unary(..)
                | Op::Binary(..)
                | Op::Math(..)
                | Op::Convert(_)
                | Op::Select { .. }
                | Op::Make(_)
                | Op::Splat(_)
                | Op::Extract { .. }
                | Op::Swizzle { .. }) => pure.operands().iter().all(|operand| self.is_uniform(*operand)),
                Op::Loop { .. } => self.is_carried_uniform(op, index as usize),
                // What a branch gives depends on which one is taken; what memory holds, parameters are, and calls give is not
                // known.
                _ => false,
            },
            ValueDef::Param { region, index } => match self.loop_of(region) {
                Some(of) => self.is_carried_uniform(of, index as usize),
                None => false,
            },
        }
    }

    fn loop_of(&self, region: RegionId) -> Option<OpId> {
        let mut loops = self.func.ops.iter();
        let found =
            loops.find(|(_, data)| matches!(data.op, Op::Loop { cond, body, .. } if cond == region || body == region));
        found.map(|(op, _)| op)
    }

    /// What a loop carries: the first value and each one that an iteration goes on with.
    fn is_carried_uniform(&mut self, of: OpId, index: usize) -> bool {
        let Op::Loop { init, body, .. } = &self.func.ops[of].op else { return false };
        let next = self.func.regions[*body].terminator.values().get(index).copied();
        let first = init.get(index).copied();
        first.is_some_and(|first| self.is_uniform(first)) && next.is_some_and(|next| self.is_uniform(next))
    }
}
