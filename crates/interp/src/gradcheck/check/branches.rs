//! Branches that random inputs do not take: other inputs are tried until they are. What the source compares numbers with
//! says where to look, so inputs are put around those constants, and at numbers of all sizes; what is still not taken then
//! is sought from inputs at which its condition is evaluated (see `seek.rs`).

use std::collections::BTreeSet;

use ir::{Callee, Constant, Func, FuncId, GlobalId, GlobalKind, Module, Op, ValueId, number};
use rustc_hash::FxHashMap;
use smol_str::SmolStr;

use super::{Checker, Drawn, Stopped, conditions::Border, seek::MOST_MOVED};
use crate::{
    coverage::{self, Side},
    gradcheck::{Functions, UntakenBranch, buffers::Buffers, components, point::Point, sample::Search},
};

/// Inputs that are tried.
const TRIES: u32 = 512;

/// Powers of ten between which numbers of all sizes are.
const SIZES: std::ops::Range<f64> = -2.0..3.0;

/// Points that are kept because they took a branch that none before took.
const MOST_STARTS: usize = 32;

/// Most branches that are told.
const MOST_TOLD: usize = 16;

/// Cotangents with which backward derivatives are run to see which branches they take: rules may have ways out for those
/// that are nothing, or ask for their sign.
const COTANGENTS: [f64; 3] = [1.0, -1.0, 0.0];

impl Checker<'_, '_> {
    /// Samples at which a branch is taken that none before took.
    pub(super) fn branches(&mut self) -> Result<(), Stopped> {
        if self.options.sought_steps == 0 {
            return Ok(());
        }
        self.around_constants()?;
        self.seek_branches()?;
        self.beyond_numbers()
    }

    fn around_constants(&mut self) -> Result<(), Stopped> {
        let mut constants = None;
        for number in 0..TRIES {
            if self.sides_left().is_empty() || self.sought_steps >= self.options.sought_steps {
                break;
            }
            let (floats, integers) = constants.get_or_insert_with(|| self.constants()).clone();
            let mut random = self.random.fork();
            let (mut point, buffers) = self.sampler().random(&mut random, Search::of_try(number, 0));
            for (slot, scalar, told) in self.sampler().numbers(&point) {
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
            self.try_point(point, buffers, None)?;
        }
        Ok(())
    }

    /// Runs the function and its derivatives, and samples them if that takes a side that no sample took. With a border, by how
    /// much it is missed, if it is met at all.
    pub(super) fn try_point(
        &mut self,
        mut point: Point,
        mut buffers: Buffers,
        border: Option<Border>,
    ) -> Result<Option<f64>, Stopped> {
        self.go_on()?;
        buffers.pair_found(&self.pairs, &mut point);
        if let Some(coverage) = &mut self.machine.coverage {
            coverage.gaps = border.map(|_| FxHashMap::default());
        }
        self.run_all(&point);
        let Some(coverage) = &mut self.machine.coverage else { return Ok(None) };
        let gaps = coverage.gaps.take();
        if !coverage.fresh.is_empty() {
            if self.starts.len() < MOST_STARTS {
                self.starts.push((point.clone(), buffers.clone()));
            }
            self.report.edges += u32::from(self.sample(point, buffers, Drawn::ForAnEdge)?);
        }
        let gap = border.and_then(|border| Some(gaps?.get(&border.at)? - border.offset));
        Ok(gap.filter(|gap| gap.is_finite()))
    }

    /// Runs the function and its derivatives, only to see which branches they take.
    fn run_all(&mut self, point: &Point) {
        let func = self.functions.primal;
        let mut end = point.clone();
        let is_run = self.machine.call_slots(func, &point.slots, &mut end.memory).is_ok();
        self.sought_steps = self.sought_steps.saturating_add(self.options.limits.steps - self.machine.steps_left);
        if !is_run {
            return;
        }
        let tangents = components::tangent_size(self.module, &self.layouts, func);
        if let Some(derivative) = self.functions.jvp {
            let mut start = point.with(&vec![1f64.to_bits(); tangents]);
            let _ = self.machine.call_slots(derivative, &start.slots, &mut start.memory);
        }
        let cotangents = components::cotangent_size(self.module, &self.layouts, func);
        for cotangent in COTANGENTS {
            let Some(derivative) = self.functions.vjp else { break };
            let mut start = point.with(&vec![cotangent.to_bits(); cotangents]);
            let _ = self.machine.call_slots(derivative, &start.slots, &mut start.memory);
        }
    }

    /// Runs with what is not a number, which is outside of every domain: a way out for it is not a branch that a sample could take.
    fn beyond_numbers(&mut self) -> Result<(), Stopped> {
        for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            // All of them, then each alone.
            for alone in std::iter::once(None).chain((0..MOST_MOVED).map(Some)) {
                if self.sides_left().is_empty() {
                    return Ok(());
                }
                let mut random = self.random.fork();
                let (mut point, buffers) = self.sampler().random(&mut random, Search::Around);
                let floats = self.sampler().floats(&point).into_iter().filter(|(_, told)| told.is_none());
                let moved = floats.enumerate().filter(|(number, _)| alone.is_none_or(|alone| alone == *number));
                let moved: Vec<usize> = moved.map(|(_, (slot, _))| slot).collect();
                if moved.is_empty() {
                    break;
                }
                moved.iter().for_each(|&slot| point.slots[slot] = value.to_bits());
                self.try_point(point, buffers, None)?;
            }
        }
        Ok(())
    }

    /// The sides of branches that no sample took, of functions that were called and are not generated.
    pub(super) fn sides_left(&self) -> BTreeSet<Side> {
        let Some(coverage) = &self.machine.coverage else { return BTreeSet::new() };
        let mut left = BTreeSet::new();
        for &id in coverage.funcs.iter().filter(|id| self.sources.all.contains(id)) {
            let func = &self.module.funcs[id];
            let regions = func.regions.iter().flat_map(|(_, region)| &region.ops);
            for &op in regions {
                let sides = match &func.ops[op].op {
                    Op::If { .. } => 2,
                    Op::Select { .. } => 2,
                    Op::Switch { cases, .. } => cases.len() + 1,
                    op if coverage.with_borders.contains(&id) => 2 * coverage::borders(op).len(),
                    _ => 0,
                };
                left.extend((0..sides).map(|number| Side { func: id, op, number }));
            }
        }
        left.retain(|side| !coverage.sides.contains(side));
        left
    }

    /// The branches that were not taken inside of the domain nor outside, one for each operation.
    pub(super) fn untaken(&self) -> Vec<UntakenBranch> {
        let mut told: Vec<UntakenBranch> = Vec::new();
        for side in self.sides_left().into_iter().filter(|side| !self.outside.contains(side)) {
            let func = &self.module.funcs[side.func];
            // Nothing says that both sides of a kink can be reached (`max(x * x, 0)`).
            if !coverage::borders(&func.ops[side.op].op).is_empty() {
                continue;
            }
            let is_of_rule = self.sources.by_hand.contains(&side.func);
            let branch = UntakenBranch { function: func.name.clone(), span: func.ops[side.op].span, is_of_rule };
            if branch.span != ir::SpanId::NONE && !told.contains(&branch) && told.len() < MOST_TOLD {
                told.push(branch);
            }
        }
        told
    }

    /// What the source compares floats and integers with.
    fn constants(&self) -> (Vec<f64>, Vec<i64>) {
        let (mut floats, mut integers) = (Vec::new(), Vec::new());
        for &id in &self.sources.all {
            let func = &self.module.funcs[id];
            for (_, data) in func.ops.iter() {
                match &data.op {
                    op if !coverage::borders(op).is_empty() => {
                        for value in coverage::compared(op) {
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
#[derive(Debug, Default)]
pub(super) struct Sources {
    pub all: BTreeSet<FuncId>,
    /// Those on whose branches a rule that is written by hand depends: what the rule is for, the rule, and what these call.
    pub by_hand: BTreeSet<FuncId>,
    /// Whether each rule that is written by hand has a forward derivative. Forward derivatives see nothing of what one without
    /// reads from memory.
    pub forward_is_written: bool,
    /// The `static` and `groupshared` variables that rules that are written by hand deal with.
    pub variables_of_rules: BTreeSet<GlobalId>,
    /// The names of those that functions deal with, and rules do not.
    pub variables_read: Vec<SmolStr>,
}

impl Sources {
    pub(crate) fn of(module: &Module, functions: Functions) -> Sources {
        // Derivatives that are made stand after all that was there before; those that are written are not made.
        let own: Vec<FuncId> = rules(module, functions.primal).collect();
        let made = [functions.jvp, functions.vjp].into_iter().flatten().filter(|id| !own.contains(id)).min();
        let is_source = |id: &FuncId| made.is_none_or(|made| *id < made || *id == functions.primal);
        let mut all = BTreeSet::new();
        reach(module, vec![functions.primal], &is_source, &mut all);
        let with_rule = all.iter().copied().filter(|&id| rules(module, id).next().is_some()).collect();
        let mut by_hand = BTreeSet::new();
        reach(module, with_rule, &is_source, &mut by_hand);
        let forward = |id: &&FuncId| module.funcs[**id].rules.forward.is_some();
        let backward_only = |id: &FuncId| module.funcs[*id].rules.backward.is_some() && !forward(&id);
        let forward_is_written = !all.iter().any(backward_only);
        let mut of_rules = BTreeSet::new();
        reach(module, all.iter().flat_map(|&id| rules(module, id)).collect(), &is_source, &mut of_rules);
        let variables_of_rules = variables(module, of_rules.iter().copied());
        let others = variables(module, all.difference(&of_rules).copied());
        let variables_read =
            others.difference(&variables_of_rules).map(|&id| module.globals[id].name.clone()).collect();
        Sources { all, by_hand, forward_is_written, variables_of_rules, variables_read }
    }
}

/// The `static` and `groupshared` variables that functions name.
fn variables(module: &Module, functions: impl Iterator<Item = FuncId>) -> BTreeSet<GlobalId> {
    let named = functions.flat_map(|id| module.funcs[id].ops.iter()).filter_map(|(_, data)| match data.op {
        Op::Global(global) => Some(global),
        _ => None,
    });
    named.filter(|&global| module.globals[global].kind != GlobalKind::Parameter).collect()
}

fn rules(module: &Module, id: FuncId) -> impl Iterator<Item = FuncId> {
    let rules = &module.funcs[id].rules;
    [rules.primal_substitute, rules.forward, rules.backward].into_iter().flatten()
}

fn reach(
    module: &Module,
    mut pending: Vec<FuncId>,
    is_source: &impl Fn(&FuncId) -> bool,
    found: &mut BTreeSet<FuncId>,
) {
    while let Some(id) = pending.pop() {
        if !is_source(&id) || !found.insert(id) {
            continue;
        }
        pending.extend(rules(module, id));
        pending.extend(module.funcs[id].ops.iter().filter_map(|(_, data)| match data.op {
            Op::Call { callee: Callee::Func(callee), .. } => Some(callee),
            _ => None,
        }));
    }
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
    // At the constant itself, too: it may be compared for equality.
    if random.u8(0..6) == 0 {
        return Some(constant);
    }
    let around = if random.u8(0..3) == 0 { constant.abs().sqrt() } else { constant };
    let beside = around * (1.0 + 0.3 * (random.f64() - 0.5)) + 0.5 * (random.f64() - 0.5);
    Some(if random.u8(0..4) == 0 { -beside } else { beside })
}
