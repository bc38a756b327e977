//! Replaces calls by the bodies of their callees.
//!
//! ```text
//! func @g(%a: f32) -> (return: f32) { %b: f32 = mul %a, %a return %b }
//! %y: f32 = call @g(%x)     →     %b: f32 = mul %x, %x     and uses of %y become %b
//! ```
//!
//! A callee can be inlined if it has a body that `return`s at its end only (so after `autodiff`'s normalisation) and
//! does not call itself, directly or through others. Calls marked `no_diff` stay: the mark says something to `autodiff`.

use std::collections::VecDeque;

use rustc_hash::{FxHashMap, FxHashSet};

use super::{
    clone::{ValueMap, clone_ops, mapped},
    substitute::Substitution,
};
use crate::loops::all_regions;
use crate::{Callee, Func, FuncId, Module, Op, RegionId, Terminator};

/// Copied ops in one function after which calls stay.
const MAX_COPIED_OPS: usize = 50_000;

/// Inlines the callees that `choose` wants, also in what has been inlined; whether anything changed.
pub fn inline_calls(module: &mut Module, func: FuncId, choose: impl Fn(FuncId) -> bool) -> bool {
    if module.funcs[func].body.is_none() {
        return false;
    }
    let mut candidates: FxHashMap<FuncId, Func> = FxHashMap::default();
    for (id, data) in module.funcs.iter() {
        if id != func && choose(id) && can_inline(module, id) {
            candidates.insert(id, data.clone());
        }
    }
    inline_bodies(&mut module.funcs[func], candidates)
}

/// Replaces the calls of `candidates`, also in what has been inlined, by the bodies that are given for them, which `return`
/// at their ends only and do not call each other in circles; whether anything changed.
pub fn inline_bodies(func: &mut Func, candidates: FxHashMap<FuncId, Func>) -> bool {
    let Some(body) = func.body else { return false };
    let mut inliner = Inliner { func, candidates, substitution: Substitution::default(), copied: 0, changed: false };
    inliner.region(body);
    inliner.changed
}

/// Whether calls of a function can be replaced by its body.
fn can_inline(module: &Module, id: FuncId) -> bool {
    let func = &module.funcs[id];
    let Some(body) = func.body else { return false };
    let returns = |region: RegionId| matches!(func.regions[region].terminator, Terminator::Return(_));
    let only_at_end = all_regions(func, body).into_iter().all(|region| returns(region) == (region == body));
    only_at_end && !reaches_itself(module, id)
}

/// The functions that `func` calls or differentiates.
pub fn callees(func: &Func) -> Vec<FuncId> {
    let Some(body) = func.body else { return Vec::new() };
    let mut callees = Vec::new();
    for region in all_regions(func, body) {
        for &op in &func.regions[region].ops {
            if let Op::Call { callee: Callee::Func(callee) | Callee::Derivative(_, callee), .. } = func.ops[op].op {
                callees.push(callee);
            }
        }
    }
    callees
}

/// Whether a function calls itself, directly or through others.
pub fn reaches_itself(module: &Module, id: FuncId) -> bool {
    reaches(module, id, id)
}

/// Whether a function calls another, directly or through others.
pub fn reaches(module: &Module, from: FuncId, to: FuncId) -> bool {
    let mut seen = FxHashSet::default();
    let mut stack = callees(&module.funcs[from]);
    while let Some(callee) = stack.pop() {
        if callee == to {
            return true;
        }
        if seen.insert(callee) {
            stack.extend(callees(&module.funcs[callee]));
        }
    }
    false
}

struct Inliner<'a> {
    func: &'a mut Func,
    candidates: FxHashMap<FuncId, Func>,
    substitution: Substitution,
    copied: usize,
    changed: bool,
}

impl Inliner<'_> {
    fn region(&mut self, region: RegionId) {
        let mut ops = VecDeque::from(std::mem::take(&mut self.func.regions[region].ops));
        let mut kept = Vec::with_capacity(ops.len());
        while let Some(op) = ops.pop_front() {
            self.substitution.operands(&mut self.func.ops[op].op);
            if let Op::Call { callee: Callee::Func(callee), args, no_diff: false } = &self.func.ops[op].op
                && let Some(source) = self.candidates.get(callee)
                && let Some(body) = source.body
                && self.copied <= MAX_COPIED_OPS
            {
                let mut map = ValueMap::default();
                map.extend(source.input_values().iter().copied().zip(args.iter().copied()));
                let copies = clone_ops(source, body, self.func, &mut map);
                self.func.is_precise |= source.is_precise;
                self.copied += source.ops.len();
                self.changed = true;
                let values = mapped(source.regions[body].terminator.values(), &map);
                for (result, value) in self.func.ops[op].results.clone().into_iter().zip(values) {
                    self.substitution.replace(result, value);
                }
                copies.into_iter().rev().for_each(|copy| ops.push_front(copy));
                continue;
            }
            self.func.ops[op].op.regions().into_iter().for_each(|nested| self.region(nested));
            kept.push(op);
        }
        self.func.regions[region].ops = kept;
        self.substitution.values(self.func.regions[region].terminator.values_mut());
    }
}
