//! Resolves choices that are known, and drops choices that make no difference.
//!
//! - `if`, `switch` on a constant and `sum_match` on a `sum_make`: the chosen region takes the op's place. If it leaves
//!   (`return`, `break`, `continue`, `unreachable`), the region around ends there.
//! - A result that all arms yield alike is that value.
//! - A carried value that no iteration changes is what the loop starts with.
//!
//! ```text
//! %true: bool = const true            %y: f32 = sin(%x)
//! %r: f32 = if %true {            →   uses of %r become %y
//!   %y: f32 = sin(%x)
//!   yield %y
//! } else { … }
//! ```

use std::collections::VecDeque;

use super::substitute::Substitution;
use crate::loops::early_exits;
use crate::{
    Constant, Func, FuncId, Module, Op, OpId, Region, RegionId, Terminator, Type, ValueId, number::wrap, op::ControlOp,
    types::TypeTable,
};

/// Resolves choices in a function; whether anything changed.
pub fn resolve(module: &mut Module, func: FuncId) -> bool {
    let (types, func) = (&module.types, &mut module.funcs[func]);
    let Some(body) = func.body else { return false };
    let mut resolver = Resolver { types, func, substitution: Substitution::default(), changed: false };
    resolver.region(body);
    resolver.changed
}

struct Resolver<'a> {
    types: &'a TypeTable,
    func: &'a mut Func,
    substitution: Substitution,
    changed: bool,
}

impl Resolver<'_> {
    fn region(&mut self, region: RegionId) {
        let mut ops = VecDeque::from(std::mem::take(&mut self.func.regions[region].ops));
        let mut kept = Vec::with_capacity(ops.len());
        while let Some(op) = ops.pop_front() {
            self.changed |= self.substitution.operands(&mut self.func.ops[op].op);
            let Some(chosen) = self.chosen(op) else {
                self.unchanged_carried(op);
                self.func.ops[op].op.regions().into_iter().for_each(|nested| self.region(nested));
                self.common_results(op);
                kept.push(op);
                continue;
            };
            self.changed = true;
            let chosen_region = std::mem::replace(
                &mut self.func.regions[chosen],
                Region { params: Vec::new(), ops: Vec::new(), terminator: Terminator::Unreachable },
            );
            if let Op::SumMatch { sum, .. } = self.func.ops[op].op
                && let Some(&Op::SumMake { value, .. }) = self.func.defining_op(sum).map(|data| &data.op)
                && let Some(&param) = chosen_region.params.first()
            {
                self.substitution.replace(param, value);
            }
            match chosen_region.terminator {
                Terminator::Yield(values) => {
                    let results = self.func.ops[op].results.clone();
                    for (result, value) in results.into_iter().zip(values) {
                        self.substitution.replace(result, value);
                    }
                }
                leaving => {
                    self.func.regions[region].terminator = leaving;
                    ops.clear();
                }
            }
            for op in chosen_region.ops.into_iter().rev() {
                ops.push_front(op);
            }
        }
        self.func.regions[region].ops = kept;
        self.changed |= self.substitution.values(self.func.regions[region].terminator.values_mut());
    }

    fn constant(&self, value: ValueId) -> Option<Constant> {
        match self.func.defining_op(value)?.op {
            Op::Const(constant) => Some(constant),
            _ => None,
        }
    }

    /// The region of an op that is the only one to run.
    fn chosen(&self, op: OpId) -> Option<RegionId> {
        match self.func.ops[op].op.control() {
            Some(ControlOp::If { cond, then, otherwise }) => match self.constant(cond)? {
                Constant::Bool(true) => Some(then),
                Constant::Bool(false) => Some(otherwise),
                Constant::Int(_) | Constant::Float(_) => None,
            },
            Some(ControlOp::Switch { selector, cases, default }) => {
                if cases.is_empty() {
                    return Some(default);
                }
                let Type::Scalar(scalar) = self.types.get(self.func.ty(selector)) else { return None };
                let Constant::Int(selector) = self.constant(selector)? else { return None };
                let equal = |case: &i64| wrap(scalar, *case as u64) == wrap(scalar, selector as u64);
                let case = cases.iter().find(|(values, _)| values.iter().any(equal));
                Some(case.map_or(default, |(_, region)| *region))
            }
            Some(ControlOp::Match { sum, variants, .. }) => match self.func.defining_op(sum)?.op {
                Op::SumMake { variant, .. } => variants.get(variant as usize).copied(),
                _ => None,
            },
            Some(ControlOp::Loop { .. }) | None => None,
        }
    }

    /// Results that all arms yield alike. With two arms or more such a value is from outside.
    fn common_results(&mut self, op: OpId) {
        let arms = match &self.func.ops[op].op {
            op @ (Op::If { .. } | Op::Switch { .. } | Op::SumMatch { .. }) => op.regions(),
            _ => return,
        };
        let yields: Vec<Vec<ValueId>> = arms
            .iter()
            .filter_map(|&arm| match &self.func.regions[arm].terminator {
                Terminator::Yield(values) => Some(values.to_vec()),
                _ => None,
            })
            .collect();
        let [first, others @ ..] = &yields[..] else { return };
        if others.is_empty() {
            return;
        }
        let results = self.func.ops[op].results.clone();
        for (index, (&result, &value)) in results.iter().zip(first).enumerate() {
            if others.iter().all(|values| values.get(index) == Some(&value)) {
                self.substitution.replace(result, value);
            }
        }
    }

    fn unchanged_carried(&mut self, op: OpId) {
        let Op::Loop { init, cond, body, .. } = &self.func.ops[op].op else { return };
        let (init, cond, body) = (init.clone(), *cond, *body);
        let mut ends = early_exits(self.func, body);
        ends.push(body);
        let mut replacements = Vec::new();
        for (index, &start) in init.iter().enumerate() {
            let (in_cond, in_body) = (self.func.regions[cond].params[index], self.func.regions[body].params[index]);
            let unchanged = ends.iter().all(|&end| match &self.func.regions[end].terminator {
                Terminator::Yield(values) | Terminator::Break(values) | Terminator::Continue(values) => {
                    values.get(index).is_none_or(|&value| value == in_body || value == start)
                }
                Terminator::Return(_) | Terminator::Unreachable => true,
            });
            if unchanged {
                replacements.extend([in_cond, in_body, self.func.ops[op].results[index]].map(|value| (value, start)));
            }
        }
        for (value, by) in replacements {
            self.substitution.replace(value, by);
        }
    }
}
