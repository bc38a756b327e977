//! Branches that random inputs do not take: other inputs are tried until they are. What the source compares numbers with
//! says where to look, so inputs are put around those constants, and at numbers of all sizes.

use std::collections::BTreeSet;

use ir::{Callee, Constant, Func, FuncId, Module, Op, ValueId, number};

use super::{Checker, Stopped};
use crate::{
    coverage::Side,
    gradcheck::{UntakenBranch, components, point::Point, sample::Search},
};

/// Inputs that are tried.
const TRIES: u32 = 512;

/// Powers of ten between which numbers of all sizes are.
const SIZES: std::ops::Range<f64> = -2.0..3.0;

/// Most branches that are told.
const MOST_TOLD: usize = 16;

impl Checker<'_, '_> {
    /// Samples at which a branch is taken that none before took.
    pub(super) fn branches(&mut self) -> Result<(), Stopped> {
        let mut constants = None;
        for number in 0..TRIES {
            if self.sides_left().is_empty() {
                break;
            }
            let func = self.functions.primal;
            let (floats, integers) = constants.get_or_insert_with(|| self.constants()).clone();
            let mut random = self.random.fork();
            let (mut point, mut buffers) = self.sampler().random(&mut random, Search::of_try(number, 0));
            for (slot, scalar, told) in self.sampler().numbers() {
                let value = match scalar.is_float() {
                    true => pick_float(&mut random, &floats).map(|value| match told {
                        Some((low, high)) => value.clamp(low, high),
                        None => value,
                    }),
                    false if told.is_some() || integers.is_empty() => None,
                    false => Some(integers[random.usize(0..integers.len())] as f64),
                };
                let Some(value) = value.filter(|_| random.bool()) else { continue };
                point.slots[slot] = match scalar.is_float() {
                    true => value.to_bits(),
                    false => number::wrap(scalar, value as i64 as u64),
                };
            }
            buffers.pair_found(&self.pairs, &mut point);
            let before = self.machine.coverage.as_ref().map_or(0, |coverage| coverage.sides.len());
            let mut end = point.clone();
            if self.machine.call_slots(func, &point.slots, &mut end.memory).is_err() {
                continue;
            }
            self.try_derivatives(&point);
            let after = self.machine.coverage.as_ref().map_or(0, |coverage| coverage.sides.len());
            if after > before {
                let inside = self.sample(point, buffers, false)?;
                self.report.edges += u32::from(inside);
            }
        }
        Ok(())
    }

    /// Runs the derivatives, only to see which branches they take.
    fn try_derivatives(&mut self, point: &Point) {
        let func = self.functions.primal;
        let tangents = components::tangent_size(self.module, &self.layouts, func);
        let cotangents = components::cotangent_size(self.module, &self.layouts, func);
        for (derivative, size) in [(self.functions.jvp, tangents), (self.functions.vjp, cotangents)] {
            let mut start = point.with(&vec![1f64.to_bits(); size]);
            let Some(derivative) = derivative else { continue };
            let _ = self.machine.call_slots(derivative, &start.slots, &mut start.memory);
        }
    }

    /// The sides of branches that were not taken, of functions that were called and are not generated.
    fn sides_left(&self) -> BTreeSet<Side> {
        let Some(coverage) = &self.machine.coverage else { return BTreeSet::new() };
        let mut left = BTreeSet::new();
        for &id in coverage.funcs.iter().filter(|id| self.sources.contains(id)) {
            let func = &self.module.funcs[id];
            let regions = func.regions.iter().flat_map(|(_, region)| &region.ops);
            for &op in regions {
                let sides = match &func.ops[op].op {
                    Op::If { .. } => 2,
                    Op::Select { .. } => 2,
                    Op::Switch { cases, .. } => cases.len() + 1,
                    _ => 0,
                };
                left.extend((0..sides).map(|number| Side { func: id, op, number }));
            }
        }
        left.retain(|side| !coverage.sides.contains(side));
        left
    }

    /// The branches that were not taken, one for each operation.
    pub(super) fn untaken(&self) -> Vec<UntakenBranch> {
        let mut told: Vec<UntakenBranch> = Vec::new();
        for side in self.sides_left() {
            let func = &self.module.funcs[side.func];
            let branch = UntakenBranch { function: func.name.clone(), span: func.ops[side.op].span };
            if branch.span != ir::SpanId::NONE && !told.contains(&branch) && told.len() < MOST_TOLD {
                told.push(branch);
            }
        }
        told
    }

    /// What the source compares floats and integers with.
    fn constants(&self) -> (Vec<f64>, Vec<i64>) {
        let (mut floats, mut integers) = (Vec::new(), Vec::new());
        for &id in &self.sources {
            let func = &self.module.funcs[id];
            for (_, data) in func.ops.iter() {
                match &data.op {
                    Op::Binary(op, a, b) if op.is_comparison() => {
                        for value in [*a, *b] {
                            match constant(func, value) {
                                Some(Constant::Float(value)) => floats.push(value),
                                Some(Constant::Int(value)) => {
                                    integers.extend([value.saturating_sub(1), value, value.saturating_add(1)]);
                                }
                                _ => {}
                            }
                        }
                    }
                    Op::Switch { cases, .. } => {
                        for (values, _) in cases {
                            integers.extend(values);
                        }
                    }
                    _ => {}
                }
            }
        }
        (floats, integers)
    }
}

/// The functions that stand in the source: the function itself, what it calls, and the rules that are written for these.
pub(super) fn sources(module: &Module, primal: FuncId) -> BTreeSet<FuncId> {
    let mut pending = vec![primal];
    let mut found = BTreeSet::new();
    while let Some(id) = pending.pop() {
        if !found.insert(id) {
            continue;
        }
        let func = &module.funcs[id];
        pending.extend([func.rules.primal_substitute, func.rules.forward, func.rules.backward].into_iter().flatten());
        pending.extend(func.ops.iter().filter_map(|(_, data)| match data.op {
            Op::Call { callee: Callee::Func(callee), .. } => Some(callee),
            _ => None,
        }));
    }
    found
}

fn constant(func: &Func, value: ValueId) -> Option<Constant> {
    match func.defining_op(value)?.op {
        Op::Const(constant) => Some(constant),
        Op::Splat(value) => constant(func, value),
        _ => None,
    }
}

/// A number beside one of `constants`, or beside its root, or one of any size.
fn pick_float(random: &mut fastrand::Rng, constants: &[f64]) -> Option<f64> {
    let sign = if random.bool() { 1.0 } else { -1.0 };
    let size = 10f64.powf(SIZES.start + random.f64() * (SIZES.end - SIZES.start));
    if constants.is_empty() || random.u8(0..3) == 0 {
        return Some(sign * size);
    }
    let constant = constants[random.usize(0..constants.len())];
    let around = if random.u8(0..3) == 0 { constant.abs().sqrt() } else { constant };
    let beside = around * (1.0 + 0.3 * (random.f64() - 0.5)) + 0.5 * (random.f64() - 0.5);
    Some(if random.u8(0..4) == 0 { -beside } else { beside })
}
