//! The first half of pass 5: the extended primal, storing what the plan says.
//!
//! Input: a linearized function and its plan. Output: its operations at the cursor, in order; branches give what is
//! stored in them as further results, loops as arrays with one element per iteration.
//!
//! ```text
//! p, i, p_saved = loop (1, 0, undef) bound 8 { i < n } {
//!   yield p * x, i + 1, insert p_saved[i], p
//! }
//! ```

use ir::{Op, OpId, PathStep, RegionId, TypeId, ValueId};

use crate::{
    copy::{Copier, for_each_region_mut},
    emit::Emitter,
    linear::Linearized,
    loops,
    plan::{Item, Plan},
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

impl ForwardSweep<'_, '_, '_> {
    /// The operations of a region at the cursor; gives the values of its items.
    pub(crate) fn region(&mut self, region: RegionId) -> Vec<ValueId> {
        let source = self.copier.source;
        for &id in &source.regions[region].ops {
            self.e.span = source.ops[id].span;
            match (&source.ops[id].op, self.plan.slots.contains_key(&id)) {
                (Op::Loop { .. }, true) => self.loop_(id),
                (_, true) => self.branch(id),
                (_, false) => {
                    self.copier.op(self.e, id);
                }
            }
        }
        let items = self.plan.layouts.get(&region).map_or(&[][..], |items| items);
        items
            .iter()
            .map(|item| match item {
                Item::Value(value) => self.copier.get(*value),
                Item::Slot { op, index } => self.slots[&(*op, *index)],
            })
            .collect()
    }

    fn yields(&self, region: RegionId) -> Vec<ValueId> {
        let values = self.copier.source.regions[region].terminator.values();
        values.iter().map(|&value| self.copier.get(value)).collect()
    }

    fn branch(&mut self, id: OpId) {
        let source = self.copier.source;
        let plan = self.plan;
        let slots = &plan.slots[&id];
        let data = &source.ops[id];
        let mut op = data.op.clone();
        op.for_each_operand_mut(|value| *value = self.copier.get(*value));
        let mut regions = Vec::new();
        for (arm, region) in data.op.regions().into_iter().enumerate() {
            let new = self.copier.empty_region(self.e, region);
            let before = self.e.switch_to(new);
            let items = self.region(region);
            let mut values = self.yields(region);
            for (slot, &ty) in slots.types.iter().enumerate() {
                let item = slots.arms[arm].iter().position(|&taken| taken == slot);
                values.push(match item {
                    Some(item) => items[item],
                    None => self.e.undef(ty),
                });
            }
            self.e.yield_(values);
            self.e.switch_to(before);
            regions.push(new);
        }
        let mut regions = regions.into_iter();
        for_each_region_mut(&mut op, |region| {
            if let Some(new) = regions.next() {
                *region = new;
            }
        });
        let mut types: Vec<TypeId> = data.results.iter().map(|&result| source.ty(result)).collect();
        types.extend(&slots.types);
        let new = self.e.op(op, &types);
        self.bind_results(id, new);
    }

    fn bind_results(&mut self, id: OpId, new: OpId) {
        let old = &self.copier.source.ops[id].results;
        let results = self.e.func.ops[new].results.clone();
        for (&from, &to) in old.iter().zip(&results) {
            self.copier.bind(self.e, from, to);
        }
        for (index, &value) in results[old.len()..].iter().enumerate() {
            self.slots.insert((id, index), value);
        }
    }

    fn loop_(&mut self, id: OpId) {
        let source = self.copier.source;
        let plan = self.plan;
        let slots = &plan.slots[&id];
        let data = &source.ops[id];
        let Op::Loop { init, cond, body, bound } = &data.op else {
            return;
        };
        let mut start: Vec<ValueId> = init.iter().map(|&value| self.copier.get(value)).collect();
        for &ty in &slots.types {
            let array = self.e.undef(ty);
            start.push(array);
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
        for (item, &array) in plan.layouts[body].iter().zip(&arrays) {
            if let Item::Value(value) = item
                && let Some(name) = &source.values[*value].name
            {
                let name = smol_str::format_smolstr!("{name}_saved");
                self.e.func.values[array].name = Some(name);
            }
        }
        let index = self.iteration(id, *body);
        let items = self.region(*body);
        let mut values = self.yields(*body);
        for (slot, &array) in arrays.iter().enumerate() {
            let stored = match slots.arms[0].iter().position(|&taken| taken == slot) {
                Some(item) => self.e.with_part(array, &[PathStep::Dynamic(index)], items[item]),
                None => array,
            };
            values.push(stored);
        }
        self.e.yield_(values);
        self.e.switch_to(before);

        self.e.span = data.span;
        let op = Op::Loop { init: start.into_iter().collect(), cond: new_cond, body: new_body, bound: *bound };
        let new = self.e.op(op, &types);
        self.bind_results(id, new);
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
        let counts = |&&(index, step): &&(usize, i64)| step == 1 && loops::integer(source, init[index], 0) == Some(0);
        // Linearize gave the loop a counter if it had no induction.
        let (index, step) = info.inductions.iter().find(counts).or(info.inductions.first()).copied().unwrap_or((0, 1));
        let param = self.copier.get(source.regions[body].params[index]);
        let start = self.copier.get(init[index]);
        let distance = self.e.sub(param, start);
        if step == 1 {
            return distance;
        }
        let ty = self.e.ty(param);
        if step == -1 {
            return self.e.sub(start, param);
        }
        let (distance, stride) =
            if step < 0 { (self.e.sub(start, param), step.unsigned_abs()) } else { (distance, step.unsigned_abs()) };
        let stride = self.e.integer(stride as i64, ty);
        self.e.div(distance, stride)
    }
}
