//! Primal values in the backward sweep: where they are stored, or how they come back.

use ir::{BinaryOp, Func, Op, OpId, PathStep, RegionId, ValueDef, ValueId};
use rustc_hash::FxHashMap;

use crate::{
    bits,
    copy::Copier,
    emit::Emitter,
    forward_sweep::ForwardSweep,
    linear::Linearized,
    plan::{Item, Plan, external_operands, induction, item_ty},
};

/// A region of the extended primal whose linear operations are being walked, and where its values come from.
pub(crate) struct Frame {
    pub primal: RegionId,
    /// Where code that belongs to it goes. What is appended there is visible in all that is built inside.
    pub region: RegionId,
    pub source: Source,
    values: FxHashMap<ValueId, ValueId>,
    items: FxHashMap<usize, ValueId>,
    /// What loops that ran again give for what is stored inside them.
    slots: FxHashMap<(OpId, usize), ValueId>,
}

pub(crate) enum Source {
    /// The values of the items themselves.
    Values(Vec<ValueId>),
    /// The first fields of a residual record.
    Record(ValueId),
    /// What the operation of the frame outside gives for this arm.
    Arm { op: OpId, arm: usize },
    /// This element of the arrays that the loop of the frame outside gives.
    Iteration { op: OpId, number: ValueId },
}

impl Frame {
    pub(crate) fn new(primal: RegionId, region: RegionId, source: Source) -> Frame {
        Frame {
            primal,
            region,
            source,
            values: FxHashMap::default(),
            items: FxHashMap::default(),
            slots: FxHashMap::default(),
        }
    }

    pub(crate) fn bind(&mut self, value: ValueId, to: ValueId) {
        self.values.insert(value, to);
    }
}

pub(crate) struct Recall<'a> {
    pub linearized: &'a Linearized,
    pub plan: &'a Plan,
    /// From the body inwards.
    pub frames: Vec<Frame>,
}

impl<'a> Recall<'a> {
    /// The value of the extended primal, in the function that is being built.
    pub(crate) fn value(&mut self, e: &mut Emitter<'_>, value: ValueId) -> ValueId {
        // Chains of operations may be long, so that operands wait on a stack of their own.
        let mut pending = vec![value];
        let mut found = value;
        while let Some(&next) = pending.last() {
            let frame = self.frame_of(next);
            if let Some(&known) = self.frames[frame].values.get(&next) {
                found = known;
                pending.pop();
                continue;
            }
            if let Some(stored) = self.stored(e, frame, next) {
                self.frames[frame].bind(next, stored);
                continue;
            }
            let missing: Vec<ValueId> =
                self.operands(next).into_iter().filter(|&operand| self.known(operand).is_none()).collect();
            if missing.is_empty() {
                self.compute(e, frame, next);
            } else {
                pending.extend(missing);
            }
        }
        found
    }

    fn frame_of(&self, value: ValueId) -> usize {
        let home = self.plan.homes.get(value);
        // Values that the linear program reads are visible where it reads them.
        self.frames.iter().rposition(|frame| Some(&frame.primal) == home).unwrap_or(0)
    }

    fn known(&self, value: ValueId) -> Option<ValueId> {
        self.frames[self.frame_of(value)].values.get(&value).copied()
    }

    fn operands(&self, value: ValueId) -> Vec<ValueId> {
        let func = &self.linearized.func;
        if let Some((id, index, _)) = induction(self.linearized, value) {
            return match &func.ops[id].op {
                Op::Loop { init, .. } => vec![init[index]],
                _ => Vec::new(),
            };
        }
        match func.values[value].def {
            ValueDef::Result { op, .. } => external_operands(func, op),
            ValueDef::Param { .. } => Vec::new(),
        }
    }

    /// The value if the plan stored it.
    fn stored(&mut self, e: &mut Emitter<'_>, frame: usize, value: ValueId) -> Option<ValueId> {
        if !self.plan.stored.contains(&value) {
            return None;
        }
        let items = self.plan.layouts.get(&self.frames[frame].primal)?;
        let index = items.iter().position(|item| *item == Item::Value(value))?;
        self.item(e, frame, index)
    }

    fn item(&mut self, e: &mut Emitter<'_>, frame: usize, index: usize) -> Option<ValueId> {
        if let Some(&known) = self.frames[frame].items.get(&index) {
            return Some(known);
        }
        let region = self.frames[frame].region;
        let value = match &self.frames[frame].source {
            Source::Values(values) => *values.get(index)?,
            Source::Record(record) => {
                let record = *record;
                e.inside(region, |e| e.part(record, &[PathStep::Const(index as u32)]))
            }
            &Source::Arm { op, arm } => {
                let slot = self.plan.slots.get(&op)?.arms[arm][index];
                self.slot(e, frame, op, slot)?
            }
            &Source::Iteration { op, number } => {
                let slot = self.plan.slots.get(&op)?.arms[0][index];
                let array = self.slot(e, frame, op, slot)?;
                let item = self.plan.layouts.get(&self.frames[frame].primal)?.get(index).copied()?;
                if bits::is_condition(e.builder.types, item_ty(&self.linearized.func, self.plan, item)) {
                    e.inside(region, |e| bits::bit(e, array, number))
                } else {
                    e.inside(region, |e| e.part(array, &[PathStep::Dynamic(number)]))
                }
            }
        };
        self.frames[frame].items.insert(index, value);
        Some(value)
    }

    fn slot(&mut self, e: &mut Emitter<'_>, frame: usize, op: OpId, slot: usize) -> Option<ValueId> {
        let outside = frame.checked_sub(1)?;
        if self.plan.again.contains_key(&op) {
            if !self.frames[outside].slots.contains_key(&(op, slot)) {
                for operand in external_operands(&self.linearized.func, op) {
                    self.value(e, operand);
                }
                self.run_again(e, outside, op);
            }
            return self.frames[outside].slots.get(&(op, slot)).copied();
        }
        let items = self.plan.layouts.get(&self.frames[outside].primal)?;
        let index = items.iter().position(|item| *item == Item::Slot { op, index: slot })?;
        self.item(e, outside, index)
    }

    /// Runs a loop whose operands are known once more, at the end of its frame's region, for its results and for what is
    /// stored inside it.
    fn run_again(&mut self, e: &mut Emitter<'_>, frame: usize, id: OpId) {
        let (linearized, plan, region) = (self.linearized, self.plan, self.frames[frame].region);
        let Some(slots) = plan.slots.get(&id) else { return };
        let copier = self.copier_for(id);
        let (copier, slots) = e.inside(region, |e| {
            let mut sweep = ForwardSweep { e, copier, linearized, plan, slots: FxHashMap::default() };
            sweep.again(id, slots);
            (sweep.copier, sweep.slots)
        });
        let frame = &mut self.frames[frame];
        for &result in &linearized.func.ops[id].results {
            frame.bind(result, copier.get(result));
        }
        frame.slots.extend(slots);
    }

    /// Copies an operation whose operands are known.
    fn copier_for(&self, id: OpId) -> Copier<'a> {
        let func: &'a Func = &self.linearized.func;
        let mut copier = Copier::new(func);
        for operand in external_operands(func, id) {
            if let Some(known) = self.known(operand) {
                copier.map.insert(operand, known);
            }
        }
        copier
    }

    /// Computes a value whose operands are known, at the end of its frame's region.
    fn compute(&mut self, e: &mut Emitter<'_>, frame: usize, value: ValueId) {
        let func = &self.linearized.func;
        let region = self.frames[frame].region;
        if let Some((id, index, step)) = induction(self.linearized, value) {
            let start = match &func.ops[id].op {
                Op::Loop { init, .. } => self.known(init[index]),
                _ => None,
            };
            if let (Some(start), &Source::Iteration { number, .. }) = (start, &self.frames[frame].source) {
                let inverted = e.inside(region, |e| affine(e, start, step, number));
                let name = &mut e.func.values[inverted].name;
                if name.is_none() {
                    name.clone_from(&func.values[value].name);
                }
                self.frames[frame].bind(value, inverted);
                return;
            }
        }
        let ValueDef::Result { op: id, .. } = func.values[value].def else {
            // The plan stores all other parameters; the verifier of a test would find a use of this one.
            let ty = func.ty(value);
            let undefined = e.inside(region, |e| e.undef(ty));
            self.frames[frame].bind(value, undefined);
            return;
        };
        if self.plan.again.contains_key(&id) && self.plan.slots.contains_key(&id) {
            return self.run_again(e, frame, id);
        }
        let data = &func.ops[id];
        let mut copier = self.copier_for(id);
        let results: Vec<ValueId> = e.inside(region, |e| {
            let span = std::mem::replace(&mut e.span, data.span);
            let results = match &data.op {
                op if op.regions().is_empty() && data.results.len() == 1 => {
                    let mut op = op.clone();
                    op.for_each_operand_mut(|operand| *operand = copier.get(*operand));
                    let result = e.pure(op, func.ty(value));
                    copier.bind(e, value, result);
                    vec![result]
                }
                _ => {
                    let new = copier.op(e, id);
                    e.func.ops[new].results.to_vec()
                }
            };
            e.span = span;
            results
        });
        for (&from, &to) in data.results.iter().zip(&results) {
            if !self.plan.stored.contains(&from) {
                self.frames[frame].bind(from, to);
            }
        }
    }
}

/// `start + step * number` in the type of `start`.
fn affine(e: &mut Emitter<'_>, start: ValueId, step: i64, number: ValueId) -> ValueId {
    let ty = e.ty(start);
    let number = e.convert(number, ty);
    if step == -1 {
        return e.sub(start, number);
    }
    let factor = e.integer(step, ty);
    let distance = if step == 1 { number } else { e.pure(Op::Binary(BinaryOp::Mul, number, factor), ty) };
    e.add(start, distance)
}
