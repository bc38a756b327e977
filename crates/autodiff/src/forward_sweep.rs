//! The first half of pass 5: the extended primal, storing what the plan says.
//!
//! Input: a linearized function and its plan. Output: its operations at the cursor, in order; branches give what is
//! stored in them as further results, loops as arrays with one element per iteration. Inside a loop everything goes
//! straight to its place in the array of the outermost loop.
//!
//! ```text
//! j, saved = loop (0, undef) bound 2 { j < 2 } {
//!   k, p, saved' = loop (0, 1, saved) bound 8 { k < n } {
//!     yield k + 1, p * x, insert saved'[j][k], p
//!   }
//!   yield j + 1, saved'
//! }
//! ```

use ir::{Op, OpId, PathStep, RegionId, TypeId, ValueId};

use crate::{
    bits,
    copy::Copier,
    emit::Emitter,
    linear::Linearized,
    loops,
    plan::{Item, OpSlots, Plan, item_name, item_of_slot, item_ty},
};
use rustc_hash::FxHashMap;

pub(crate) struct ForwardSweep<'a, 'e, 'm> {
    pub e: &'e mut Emitter<'m>,
    pub copier: Copier<'a>,
    pub linearized: &'a Linearized,
    pub plan: &'a Plan,
    /// What branches and loops give for what is stored inside.
    pub slots: FxHashMap<(OpId, usize), ValueId>,
}

/// Where an item goes.
#[derive(Clone)]
enum Destination {
    /// It is given as a value.
    Value,
    /// Into this array, at this path; the array is given.
    Place { array: ValueId, path: Vec<PathStep> },
    /// Into this bit of the words at the path; the array is given.
    Bit { array: ValueId, path: Vec<PathStep>, number: ValueId },
}

impl ForwardSweep<'_, '_, '_> {
    /// The operations of the body at the cursor; returns the values of its items.
    pub(crate) fn body(&mut self) -> Vec<ValueId> {
        let body = self.linearized.body.region;
        let items = self.plan.layouts.get(&body).map_or(0, Vec::len);
        self.region(body, &vec![Destination::Value; items])
    }

    /// A loop at the cursor that runs again for what is stored inside it, which `slots` has then.
    pub(crate) fn again(&mut self, id: OpId, slots: &OpSlots) {
        self.loop_(id, slots, &vec![Destination::Value; slots.types.len()]);
    }

    /// The operations of a region at the cursor; returns each item as its destination says.
    fn region(&mut self, region: RegionId, destinations: &[Destination]) -> Vec<ValueId> {
        let source = self.copier.source;
        let plan = self.plan;
        let items = plan.layouts.get(&region).map_or(&[][..], |items| items);
        for &id in &source.regions[region].ops {
            self.e.span = source.ops[id].span;
            let Some(slots) = plan.slots.get(&id).filter(|_| !plan.again.contains_key(&id)) else {
                self.copier.op(self.e, id);
                continue;
            };
            let mut of_slots = vec![Destination::Value; slots.types.len()];
            for (item, destination) in items.iter().zip(destinations) {
                if let Item::Slot { op, index } = item
                    && *op == id
                {
                    of_slots[*index] = destination.clone();
                }
            }
            match &source.ops[id].op {
                Op::Loop { .. } => self.loop_(id, slots, &of_slots),
                _ => self.branch(id, slots, &of_slots),
            }
        }
        items
            .iter()
            .zip(destinations)
            .map(|(item, destination)| match (item, destination) {
                (Item::Slot { op, index }, _) => self.slots[&(*op, *index)],
                (Item::Value(value), Destination::Value) => self.copier.get(*value),
                (Item::Value(value), Destination::Place { array, path }) => {
                    let value = self.copier.get(*value);
                    self.e.with_part(*array, path, value)
                }
                (Item::Value(value), Destination::Bit { array, path, number }) => {
                    let flag = self.copier.get(*value);
                    bits::with_bit(self.e, *array, path, *number, flag)
                }
            })
            .collect()
    }

    fn yields(&self, region: RegionId) -> Vec<ValueId> {
        let values = self.copier.source.regions[region].terminator.values();
        values.iter().map(|&value| self.copier.get(value)).collect()
    }

    fn branch(&mut self, id: OpId, slots: &OpSlots, destinations: &[Destination]) {
        let source = self.copier.source;
        let data = &source.ops[id];
        let mut op = data.op.clone();
        op.for_each_operand_mut(|value| *value = self.copier.get(*value));
        let mut regions = Vec::new();
        let mut types: Vec<TypeId> = Vec::new();
        for (arm, region) in data.op.regions().into_iter().enumerate() {
            let new = self.copier.empty_region(self.e, region);
            let before = self.e.switch_to(new);
            let taken = &slots.arms[arm];
            let of_items: Vec<Destination> = taken.iter().map(|&slot| destinations[slot].clone()).collect();
            let items = self.region(region, &of_items);
            let mut values = self.yields(region);
            for (slot, destination) in destinations.iter().enumerate() {
                let item = taken.iter().position(|&taken| taken == slot);
                values.push(match (item, destination) {
                    (Some(item), _) => items[item],
                    (None, Destination::Value) => self.e.undef(slots.types[slot]),
                    (None, Destination::Place { array, .. } | Destination::Bit { array, .. }) => *array,
                });
            }
            types = values.iter().map(|&value| self.e.ty(value)).collect();
            self.e.yield_(values);
            self.e.switch_to(before);
            regions.push(new);
        }
        let mut regions = regions.into_iter();
        op.for_each_region_mut(|region| {
            if let Some(new) = regions.next() {
                *region = new;
            }
        });
        let new = self.e.op(op, &types);
        self.bind_results(id, new);
    }

    /// Whether a slot is words of which iterations of a loop set a bit.
    fn holds_bits(&self, id: OpId, slot: usize) -> bool {
        let source = self.copier.source;
        match item_of_slot(source, self.plan, id, slot) {
            Some(item) if bits::is_condition(self.e.builder.types, item_ty(source, self.plan, item)) => true,
            Some(Item::Slot { op, index }) => self.holds_bits(op, index),
            Some(Item::Value(_)) | None => false,
        }
    }

    fn bind_results(&mut self, id: OpId, new: OpId) {
        let old = &self.copier.source.ops[id].results;
        let results = self.e.func.ops[new].results.clone();
        for (&from, &to) in old.iter().zip(&results) {
            self.copier.bind(self.e, from, to);
        }
        let holders = &results[old.len()..];
        self.name_slots(id, holders);
        self.slots.extend(holders.iter().enumerate().map(|(index, &value)| ((id, index), value)));
    }

    fn loop_(&mut self, id: OpId, slots: &OpSlots, destinations: &[Destination]) {
        let source = self.copier.source;
        let data = &source.ops[id];
        let Op::Loop { init, cond, body, bound } = &data.op else {
            return;
        };
        let mut start: Vec<ValueId> = init.iter().map(|&value| self.copier.get(value)).collect();
        for (slot, (&ty, destination)) in slots.types.iter().zip(destinations).enumerate() {
            start.push(match destination {
                // A bit is set among others of its word, which is read for that.
                Destination::Value if self.holds_bits(id, slot) => self.e.zero(ty),
                Destination::Value => self.e.undef(ty),
                Destination::Place { array, .. } | Destination::Bit { array, .. } => *array,
            });
        }
        let types: Vec<TypeId> = start.iter().map(|&value| self.e.ty(value)).collect();

        let new_cond = self.e.new_region(&types);
        let before = self.e.switch_to(new_cond);
        self.bind_params(*cond, new_cond);
        for &op in &source.regions[*cond].ops {
            self.copier.op(self.e, op);
        }
        let values = self.yields(*cond);
        self.e.yield_(values);

        let new_body = self.e.new_region(&types);
        self.e.switch_to(new_body);
        self.bind_params(*body, new_body);
        let arrays = self.e.params(new_body)[init.len()..].to_vec();
        self.name_slots(id, &arrays);
        let number = self.iteration(id, *body);
        let items = self.plan.layouts.get(body).map_or(&[][..], |items| items);
        let inside: Vec<Destination> = slots.arms[0]
            .iter()
            .zip(items)
            .map(|(&slot, &item)| {
                let mut path = match &destinations[slot] {
                    Destination::Place { path, .. } => path.clone(),
                    Destination::Value | Destination::Bit { .. } => Vec::new(),
                };
                let array = arrays[slot];
                if bits::is_condition(self.e.builder.types, item_ty(source, self.plan, item)) {
                    return Destination::Bit { array, path, number };
                }
                path.push(PathStep::Dynamic(number));
                Destination::Place { array, path }
            })
            .collect();
        let items = self.region(*body, &inside);
        let mut values = self.yields(*body);
        for (slot, &array) in arrays.iter().enumerate() {
            values.push(slots.arms[0].iter().position(|&taken| taken == slot).map_or(array, |item| items[item]));
        }
        self.e.yield_(values);
        self.e.switch_to(before);

        self.e.span = data.span;
        let op = Op::Loop { init: start.into_iter().collect(), cond: new_cond, body: new_body, bound: *bound };
        let new = self.e.op(op, &types);
        self.bind_results(id, new);
    }

    /// Names what holds the saved values of an operation.
    fn name_slots(&mut self, id: OpId, holders: &[ValueId]) {
        for (index, &holder) in holders.iter().enumerate() {
            let item = Item::Slot { op: id, index };
            let name = match item_name(self.copier.source, self.plan, item) {
                Some(name) => smol_str::format_smolstr!("{name}_saved"),
                None if self.holds_bits(id, index) => "conditions_saved".into(),
                None => continue,
            };
            self.e.func.values[holder].name = Some(name);
        }
    }

    fn bind_params(&mut self, old: RegionId, new: RegionId) {
        let source = self.copier.source;
        for (index, &param) in source.regions[old].params.iter().enumerate() {
            let value = self.e.func.regions[new].params[index];
            self.copier.bind(self.e, param, value);
        }
    }

    /// The number of the iteration, from 0, inside the loop's body.
    fn iteration(&mut self, id: OpId, body: RegionId) -> ValueId {
        let source = self.copier.source;
        let info = &self.linearized.loops[&id];
        let Op::Loop { init, .. } = &source.ops[id].op else {
            return self.copier.get(source.regions[body].params[0]);
        };
        let params = &source.regions[body].params;
        let tells = |&&(index, step): &&(usize, i64)| {
            let counter = self.e.scalar_of(source.ty(params[index]));
            info.tested == Some(index) || counter.is_some_and(|counter| loops::never_repeats(counter, step, info.bound))
        };
        let counts = |&(index, step): &(usize, i64)| step == 1 && loops::is_zero(source, init[index]);
        // Linearize gave the loop a counter if it tests no induction.
        let mut telling = info.inductions.iter().filter(tells).copied();
        let (index, step) = telling.clone().find(counts).or(telling.next()).unwrap_or((0, 1));
        let param = self.copier.get(source.regions[body].params[index]);
        let start = self.copier.get(init[index]);
        let (from, to) = if step < 0 { (param, start) } else { (start, param) };
        let ty = self.e.distances(param, step, info.bound);
        let [from, to] = [from, to].map(|end| self.e.convert(end, ty));
        let distance = self.e.sub(to, from);
        if step.abs() == 1 {
            return distance;
        }
        let stride = self.e.integer(step.unsigned_abs() as i64, ty);
        self.e.div(distance, stride)
    }
}
