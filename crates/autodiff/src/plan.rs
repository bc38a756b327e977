//! Pass 4: what to store, recompute or invert.
//!
//! Input: a linearized function. Output: a [`Plan`]: which primal values the forward sweep stores, and in which shape
//! they leave the regions they are defined in; everything else that the backward sweep needs is computed again from
//! these, from the inputs and from iteration numbers. The function is not changed.
//!
//! The choice is a minimum cut. Each primal value `v` that matters is two nodes; cutting between them means storing it:
//!
//! ```text
//! source --(cost to recompute v)--> v_in --(bytes of v)--> v_out --> sink    if the linear program reads v
//!                                            operand_out --> v_in            (recomputing needs the operands)
//! ```
//!
//! Bytes and costs are weighted by the iterations of the loops around ([`cost`]). The results of one operation come from
//! one node, so that running it again for all of them is paid once. A value that goes from one iteration to the next
//! cannot be recomputed, an induction is a function of the iteration number. What an input costs is for the caller to
//! say ([`Inputs`]).
//!
//! A loop inside of another may *run again* ([`crate::loops_again`]): each iteration of the backward sweep through the
//! outer loop begins with the inner one, from what the outer one carried, and only then goes back through it. What is
//! stored inside is then there for one iteration of the outer loop at a time.

use ir::{Callee, Func, FuncId, Module, Op, OpId, RegionId, TypeId, ValueDef, ValueId, func::CheckpointPreference};
use la_arena::ArenaMap;
use rustc_hash::{FxHashMap, FxHashSet};
use smol_str::SmolStr;

use crate::{
    bits,
    cost::Costs,
    linear::{LinearOp, LinearRegion, Linearized},
    mincut::{Network, UNLIMITED},
    residuals::{Decision, Reason, ResidualItem, ResidualPlan},
    sizes::size_of,
};

/// Moving one byte to memory and back, in the unit of one arithmetic operation. A word then costs as much as a chain of
/// sixty-four additions, which is what measurements on GPUs suggest for memory that spills.
pub(crate) const BYTE: u64 = 16;

/// Where the inputs of a function are when its way back reads them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Inputs {
    /// With the caller, who hands them in again. Reading them is free: whether that is so for a call, the plan of the
    /// caller decides, to which they are values like others.
    HandedIn,
    /// Among what is stored, like all that must not be lost.
    Stored,
}

/// The decisions for one function, in the form that the sweeps follow.
#[derive(Debug, Default)]
pub struct Plan {
    /// The region that defines each value of the extended primal.
    pub(crate) homes: ArenaMap<ValueId, RegionId>,
    pub(crate) stored: FxHashSet<ValueId>,
    /// What leaves each region for the backward sweep, in order.
    pub(crate) layouts: FxHashMap<RegionId, Vec<Item>>,
    /// The results that a branch or loop gets for what leaves its regions.
    pub(crate) slots: FxHashMap<OpId, OpSlots>,
    /// The loops that run again in the backward sweep, and what one run costs.
    pub(crate) again: FxHashMap<OpId, u64>,
    /// The numbers of the inputs that must be handed in again.
    pub(crate) inputs: Vec<u32>,
    /// The decisions, for people.
    pub residuals: ResidualPlan,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Item {
    Value(ValueId),
    /// A result that `op` gets for what is stored inside it.
    Slot {
        op: OpId,
        index: usize,
    },
}

#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct OpSlots {
    pub types: Vec<TypeId>,
    /// For each region (loop: the body alone), the slot of each of its items.
    pub arms: Vec<Vec<usize>>,
}

/// The best plan in which these loops run again; with what one run of each costs.
pub(crate) fn plan(module: &mut Module, linearized: &Linearized, inputs: Inputs, again: FxHashMap<OpId, u64>) -> Plan {
    let mut planner = Planner {
        module,
        linearized,
        inputs,
        func: &linearized.func,
        plan: Plan { again, ..Plan::default() },
        iterations: FxHashMap::default(),
        required: Vec::new(),
        network: Network::default(),
        nodes: FxHashMap::default(),
        makers: FxHashMap::default(),
    };
    planner.find_homes(linearized.body.region, Iterations::ONCE);
    planner.require(&linearized.body);
    planner.decide();
    planner.layout(linearized.body.region);
    planner.plan
}

/// Whether and for how much a value can be computed again.
enum Recompute {
    /// The backward sweep has it anyway.
    Free,
    Cost(u64),
    Never(Reason),
}

/// How often a region runs at most.
#[derive(Debug, Clone, Copy)]
struct Iterations {
    total: u64,
    /// For how many of them there is what is stored: without those of loops around one that runs again.
    kept: u64,
    /// The bound of the innermost loop around, if there is one.
    innermost: Option<u32>,
}

impl Iterations {
    const ONCE: Iterations = Iterations { total: 1, kept: 1, innermost: None };
}

struct Planner<'a> {
    module: &'a mut Module,
    linearized: &'a Linearized,
    inputs: Inputs,
    func: &'a Func,
    plan: Plan,
    /// How often each region runs at most.
    iterations: FxHashMap<RegionId, Iterations>,
    /// What the linear program reads.
    required: Vec<ValueId>,
    network: Network,
    nodes: FxHashMap<ValueId, (usize, usize)>,
    /// The nodes of the operations with several results.
    makers: FxHashMap<OpId, usize>,
}

impl Planner<'_> {
    fn find_homes(&mut self, region: RegionId, iterations: Iterations) {
        self.iterations.insert(region, iterations);
        let func = self.func;
        for &param in &func.regions[region].params {
            self.plan.homes.insert(param, region);
        }
        for &id in &func.regions[region].ops {
            let data = &func.ops[id];
            for &result in &data.results {
                self.plan.homes.insert(result, region);
            }
            let inner = match self.linearized.loops.get(&id) {
                Some(info) => {
                    let bound = info.bound.unwrap_or(1);
                    let around = if self.plan.again.contains_key(&id) { 1 } else { iterations.kept };
                    Iterations {
                        total: iterations.total.saturating_mul(bound.into()),
                        kept: around.saturating_mul(bound.into()),
                        innermost: Some(bound),
                    }
                }
                None => iterations,
            };
            for nested in data.op.regions() {
                self.find_homes(nested, inner);
            }
        }
    }

    fn require(&mut self, region: &LinearRegion) {
        for node in &region.nodes {
            node.op.for_each_residual(|value| self.required.push(value));
            match &node.op {
                LinearOp::Branch(branch) => {
                    self.required.extend(self.func.ops[branch.op].op.operands());
                    for arm in &branch.arms {
                        self.require(arm);
                    }
                }
                LinearOp::Loop(linear_loop) => {
                    let info = self.linearized.loops.get(&linear_loop.op);
                    self.required.extend(info.and_then(|info| info.trip_count));
                    if self.plan.again.contains_key(&linear_loop.op) {
                        self.required.extend(external_operands(self.func, linear_loop.op));
                    }
                    self.require(&linear_loop.body);
                }
                _ => {}
            }
        }
    }

    fn iterations(&self, value: ValueId) -> Iterations {
        let home = self.plan.homes.get(value);
        let known = home.and_then(|home| self.iterations.get(home)).copied();
        known.unwrap_or(Iterations::ONCE)
    }

    fn iterations_of(&self, value: ValueId) -> u64 {
        self.iterations(value).total
    }

    fn bytes_of(&self, value: ValueId) -> u64 {
        size_of(&self.module.types, self.func.ty(value))
    }

    fn decide(&mut self) {
        let source = self.network.node();
        let sink = self.network.node();
        let mut pending: Vec<ValueId> = Vec::new();
        let mut seen = FxHashSet::default();
        for value in self.required.clone() {
            if seen.insert(value) {
                pending.push(value);
                let (_, out) = self.node(value);
                self.network.arc(out, sink, UNLIMITED);
            }
        }
        while let Some(value) = pending.pop() {
            let iterations = self.iterations_of(value);
            let (enter, out) = self.node(value);
            let recompute = match self.recompute(value) {
                Recompute::Free => 0,
                Recompute::Cost(cost) => cost.saturating_mul(iterations).min(UNLIMITED / 2),
                Recompute::Never(_) => UNLIMITED,
            };
            // What the user wants computed again is stored only if there is no other way.
            let store = if recompute < UNLIMITED && self.prefers_recompute(value) {
                UNLIMITED / 2
            } else {
                self.stored_bytes(value).saturating_mul(BYTE)
            };
            self.network.arc(enter, out, store.clamp(1, UNLIMITED / 2));
            let Some(maker) = self.maker(value, enter) else { continue };
            self.network.arc(source, maker, recompute);
            if recompute < UNLIMITED {
                for operand in self.operands(value) {
                    let (_, operand_out) = self.node(operand);
                    self.network.arc(operand_out, maker, UNLIMITED);
                    if seen.insert(operand) {
                        pending.push(operand);
                    }
                }
            }
        }
        let on_source_side = std::mem::take(&mut self.network).cut(source, sink);
        let stored = |value: &ValueId| {
            self.nodes.get(value).is_some_and(|&(enter, out)| on_source_side[enter] && !on_source_side[out])
        };
        let stored: FxHashSet<ValueId> = seen.iter().copied().filter(|value| stored(value)).collect();
        self.explain(&stored);
        self.plan.stored = stored;
    }

    fn node(&mut self, value: ValueId) -> (usize, usize) {
        let network = &mut self.network;
        *self.nodes.entry(value).or_insert_with(|| (network.node(), network.node()))
    }

    /// The node where what it takes to make a value comes in, unless another result of the same operation has seen to that.
    fn maker(&mut self, value: ValueId, enter: usize) -> Option<usize> {
        let op = match self.func.values[value].def {
            ValueDef::Result { op, .. } if self.func.ops[op].results.len() > 1 => op,
            ValueDef::Result { .. } | ValueDef::Param { .. } => return Some(enter),
        };
        let known = self.makers.get(&op).copied();
        let maker = known.unwrap_or_else(|| self.network.node());
        self.network.arc(maker, enter, UNLIMITED);
        self.makers.insert(op, maker);
        known.is_none().then_some(maker)
    }

    /// Follows what the backward sweep reads down to what is stored, and writes the decisions down.
    fn explain(&mut self, stored: &FxHashSet<ValueId>) {
        let directly: FxHashSet<ValueId> = self.required.iter().copied().collect();
        let mut pending = self.required.clone();
        let mut seen = FxHashSet::default();
        let mut items: Vec<(ValueId, ResidualItem)> = Vec::new();
        let mut inputs = Vec::new();
        while let Some(value) = pending.pop() {
            if !seen.insert(value) {
                continue;
            }
            let recompute = self.recompute(value);
            let is_stored = stored.contains(&value);
            if !is_stored {
                pending.extend(self.operands(value));
            }
            let induction = self.induction(value).is_some();
            let (decision, reason) = match recompute {
                _ if induction && !is_stored => (Decision::Invert, Reason::Induction),
                Recompute::Never(reason) => (Decision::Store, reason),
                Recompute::Cost(_) if is_stored => (Decision::Store, self.why_stored(value)),
                Recompute::Cost(cost) if cost > 0 && directly.contains(&value) => {
                    (Decision::Recompute, self.why_recomputed(value))
                }
                Recompute::Free => {
                    inputs.push(value);
                    continue;
                }
                Recompute::Cost(_) => continue,
            };
            items.push((value, self.item(value, decision, reason)));
        }
        items.sort_by_key(|(value, item)| (item.span, *value));
        let number = |input: &ValueId| self.func.input_values().iter().position(|value| value == input);
        let mut inputs: Vec<u32> = inputs.iter().filter_map(number).map(|number| number as u32).collect();
        inputs.sort_unstable();
        self.plan.inputs = inputs;
        self.plan.residuals = ResidualPlan { items: items.into_iter().map(|(_, item)| item).collect() };
    }

    fn item(&self, value: ValueId, decision: Decision, reason: Reason) -> ResidualItem {
        let func = self.func;
        let span = match func.values[value].def {
            ValueDef::Result { op, .. } => func.ops[op].span,
            ValueDef::Param { region, .. } => {
                let owner = func.ops.iter().find(|(_, data)| data.op.regions().contains(&region));
                owner.map_or(func.span, |(_, data)| data.span)
            }
        };
        ResidualItem {
            name: func.values[value].name.clone(),
            type_name: ir::source_names::source_name(&self.module.types, func.ty(value)).into(),
            span,
            decision,
            reason,
            bytes: self.bytes_of(value),
            iterations: self.iterations(value).kept,
            total_bytes: if decision == Decision::Store { self.stored_bytes(value) } else { 0 },
        }
    }

    /// The bytes that all instances of a value take between the sweeps.
    fn stored_bytes(&self, value: ValueId) -> u64 {
        let Iterations { kept, innermost, .. } = self.iterations(value);
        match innermost {
            Some(bound) if bound > 0 && bits::is_condition(&self.module.types, self.func.ty(value)) => {
                bits::bytes(bound).saturating_mul(kept / u64::from(bound))
            }
            _ => self.bytes_of(value).saturating_mul(kept),
        }
    }

    fn why_stored(&self, value: ValueId) -> Reason {
        match self.func.defining_op(value).map(|data| &data.op) {
            Some(Op::Call { .. }) if self.is_record(value) => Reason::CallRecord,
            Some(Op::Call { .. }) => Reason::CallResult,
            _ if self.operands(value).iter().any(|operand| self.plan.homes.get(*operand).is_some()) => Reason::Smaller,
            _ => Reason::Expensive,
        }
    }

    fn why_recomputed(&self, value: ValueId) -> Reason {
        if self.prefers_recompute(value) { Reason::PreferRecompute } else { Reason::Cheap }
    }

    fn prefers_recompute(&self, value: ValueId) -> bool {
        self.callee(value)
            .is_some_and(|callee| self.module.funcs[callee].rules.checkpoint == CheckpointPreference::Recompute)
    }

    fn callee(&self, value: ValueId) -> Option<FuncId> {
        match self.func.defining_op(value).map(|data| &data.op) {
            Some(Op::Call { callee: Callee::Func(callee) | Callee::Derivative(_, callee), .. }) => Some(*callee),
            _ => None,
        }
    }

    /// Whether the value is the residual record of a call.
    fn is_record(&self, value: ValueId) -> bool {
        self.func.defining_op(value).is_some_and(|data| {
            matches!(data.op, Op::Call { callee: Callee::Derivative(kind, _), .. } if kind.gives_record())
                && data.results.last() == Some(&value)
        })
    }

    fn induction(&self, value: ValueId) -> Option<(OpId, usize, i64)> {
        induction(self.linearized, value)
    }

    fn operands(&self, value: ValueId) -> Vec<ValueId> {
        if let Some((id, index, _)) = self.induction(value) {
            if let Op::Loop { init, .. } = &self.func.ops[id].op {
                return vec![init[index]];
            }
            return Vec::new();
        }
        match self.func.values[value].def {
            ValueDef::Result { op, .. } => external_operands(self.func, op),
            ValueDef::Param { .. } => Vec::new(),
        }
    }

    fn recompute(&self, value: ValueId) -> Recompute {
        match self.func.values[value].def {
            ValueDef::Param { region, .. } if region == self.linearized.body.region => match self.inputs {
                Inputs::HandedIn => Recompute::Free,
                Inputs::Stored => Recompute::Never(Reason::Input),
            },
            ValueDef::Param { .. } if self.induction(value).is_some() => Recompute::Cost(0),
            ValueDef::Param { .. } => Recompute::Never(Reason::CarriedByLoop),
            ValueDef::Result { op, .. } => match self.plan.again.get(&op) {
                // What the run costs was weighed when the loop was chosen, and it gives all results.
                Some(_) => Recompute::Cost(1),
                None => match Costs::new(self.module).again(self.func, op) {
                    Ok(cost) => Recompute::Cost(cost),
                    Err(reason) => Recompute::Never(reason),
                },
            },
        }
    }

    /// What leaves `region` and the regions in it.
    fn layout(&mut self, region: RegionId) {
        let func = self.func;
        let mut items: Vec<Item> = Vec::new();
        let params = func.regions[region].params.iter();
        items.extend(params.filter(|param| self.plan.stored.contains(param)).map(|&param| Item::Value(param)));
        for &id in &func.regions[region].ops {
            let data = &func.ops[id];
            let regions = match &data.op {
                Op::Loop { body, .. } => vec![*body],
                op => op.regions().to_vec(),
            };
            if !regions.is_empty() {
                let slots = self.slots(id, &regions);
                if !self.plan.again.contains_key(&id) {
                    items.extend((0..slots.types.len()).map(|index| Item::Slot { op: id, index }));
                }
                if !slots.types.is_empty() {
                    self.plan.slots.insert(id, slots);
                }
            }
            let results = data.results.iter().filter(|result| self.plan.stored.contains(result));
            items.extend(results.map(|&result| Item::Value(result)));
        }
        self.plan.layouts.insert(region, items);
    }

    fn slots(&mut self, id: OpId, regions: &[RegionId]) -> OpSlots {
        let bound = match &self.func.ops[id].op {
            Op::Loop { .. } => Some(self.linearized.loops.get(&id).and_then(|info| info.bound).unwrap_or(1).max(1)),
            _ => None,
        };
        let mut slots = OpSlots::default();
        for &region in regions {
            self.layout(region);
            let items = self.plan.layouts[&region].clone();
            let mut taken: Vec<usize> = Vec::new();
            for item in items {
                let mut ty = self.item_ty(item);
                if let Some(bound) = bound {
                    let types = &self.module.types;
                    ty = if bits::is_condition(types, ty) { bits::array(types, bound) } else { types.array(ty, bound) };
                }
                // Arms of a branch share slots of one type: only one of them runs.
                let free = (0..slots.types.len()).find(|&slot| slots.types[slot] == ty && !taken.contains(&slot));
                let slot = free.unwrap_or_else(|| {
                    slots.types.push(ty);
                    slots.types.len() - 1
                });
                taken.push(slot);
            }
            slots.arms.push(taken);
        }
        slots
    }

    fn item_ty(&self, item: Item) -> TypeId {
        item_ty(self.func, &self.plan, item)
    }
}

pub(crate) fn item_ty(func: &Func, plan: &Plan, item: Item) -> TypeId {
    match item {
        Item::Value(value) => func.ty(value),
        Item::Slot { op, index } => plan.slots[&op].types[index],
    }
}

/// The user's name of the value that an item holds; of several that share a slot, the first.
pub(crate) fn item_name(func: &Func, plan: &Plan, item: Item) -> Option<SmolStr> {
    match item {
        Item::Value(value) => func.values[value].name.clone(),
        Item::Slot { op, index } => item_name(func, plan, item_of_slot(func, plan, op, index)?),
    }
}

/// What a slot of a branch or loop holds; of several items that share it, the first.
pub(crate) fn item_of_slot(func: &Func, plan: &Plan, id: OpId, slot: usize) -> Option<Item> {
    let regions = match &func.ops[id].op {
        Op::Loop { body, .. } => vec![*body],
        op => op.regions().to_vec(),
    };
    regions.iter().zip(&plan.slots.get(&id)?.arms).find_map(|(region, taken)| {
        let at = taken.iter().position(|&taken| taken == slot)?;
        plan.layouts.get(region)?.get(at).copied()
    })
}

/// The loop, the index and the step of a value that is affine in the iteration number.
pub(crate) fn induction(linearized: &Linearized, value: ValueId) -> Option<(OpId, usize, i64)> {
    let func = &linearized.func;
    let ValueDef::Param { region, index } = func.values[value].def else {
        return None;
    };
    let index = index as usize;
    linearized.loops.iter().find_map(|(&id, info)| match &func.ops[id].op {
        Op::Loop { body, .. } if *body == region => {
            info.inductions.iter().find(|(param, _)| *param == index).map(|&(_, step)| (id, index, step))
        }
        _ => None,
    })
}

/// The values from outside that an operation and its regions read.
pub(crate) fn external_operands(func: &Func, id: OpId) -> Vec<ValueId> {
    fn collect(func: &Func, id: OpId, inside: &mut FxHashSet<ValueId>, found: &mut Vec<ValueId>) {
        let op = &func.ops[id].op;
        op.for_each_operand(|value| {
            if !inside.contains(&value) {
                found.push(value);
            }
        });
        for region in op.regions() {
            let region = &func.regions[region];
            inside.extend(&region.params);
            for &nested in &region.ops {
                collect(func, nested, inside, found);
                inside.extend(&func.ops[nested].results);
            }
            found.extend(region.terminator.values().iter().filter(|value| !inside.contains(value)));
        }
    }
    let mut found = Vec::new();
    collect(func, id, &mut FxHashSet::default(), &mut found);
    found
}
