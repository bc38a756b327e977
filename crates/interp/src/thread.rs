//! A thread of execution with an explicit stack, so that it can stop at a barrier and go on later, and so that neither
//! deep recursion nor deep nesting of the program takes stack of ours.

use std::{ops::Range, rc::Rc};

use ir::{Callee, FuncId, Module, Op, OpId, RegionId, Scalar, Terminator, Type, ValueId, number::wrap};

use crate::{
    InterpError, Memory, coverage,
    machine::{Machine, Variables},
    math::element,
    non_finite,
    ops::Exec,
    plan::FramePlan,
    rounding, tape, waves,
};

/// Values that the GPU gives to an invocation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Builtins {
    pub dispatch_thread_id: [u32; 3],
    pub group_thread_id: [u32; 3],
    pub group_id: [u32; 3],
    pub group_index: u32,
    pub group_size: [u32; 3],
    /// How many groups there are.
    pub group_count: [u32; 3],
}

impl Builtins {
    pub(crate) fn new(group: [u32; 3], thread: [u32; 3], size: [u32; 3], count: [u32; 3]) -> Builtins {
        let global = |axis: usize| group[axis].wrapping_mul(size[axis]).wrapping_add(thread[axis]);
        let index = thread[2].wrapping_mul(size[1]).wrapping_add(thread[1]).wrapping_mul(size[0]);
        Builtins {
            dispatch_thread_id: [global(0), global(1), global(2)],
            group_thread_id: thread,
            group_id: group,
            group_index: index.wrapping_add(thread[0]),
            group_size: size,
            group_count: count,
        }
    }

    /// Which wave of its group it is in.
    pub(crate) fn wave(&self) -> u32 {
        self.group_index / waves::LANES
    }

    /// Its number in its wave.
    pub(crate) fn lane(&self) -> u32 {
        self.group_index % waves::LANES
    }
}

/// Why a thread does not run on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stop {
    /// The outermost call has returned; its results are in [`Thread::results`].
    Finished,
    Barrier,
    /// It waits for the others of its wave at an operation of theirs.
    Wave,
}

pub(crate) struct Thread {
    pub builtins: Builtins,
    pub statics: Variables,
    pub results: Vec<u64>,
    /// The frames of all calls, one after the other.
    slots: Vec<u64>,
    calls: Vec<Call>,
    controls: Vec<Control>,
    scratch: Vec<u64>,
}

/// A call that has not returned.
struct Call {
    func: FuncId,
    plan: Rc<FramePlan>,
    base: usize,
    /// How many controls there were when it began.
    controls: usize,
    /// The op of the caller, `None` for the outermost call.
    op: Option<OpId>,
}

impl Call {
    /// Where a value is among the slots of the thread.
    fn place(&self, value: ValueId) -> Range<usize> {
        let place = self.plan.range(value);
        self.base + place.start..self.base + place.end
    }
}

/// A region that is being run.
#[derive(Clone, Copy)]
struct Control {
    region: RegionId,
    next: usize,
    place: RegionUse,
}

#[derive(Clone, Copy)]
enum RegionUse {
    Body,
    Arm(OpId),
    /// With the number of iterations that are done.
    LoopCond(OpId, u32),
    LoopBody(OpId, u32),
}

impl Thread {
    pub(crate) fn new(builtins: Builtins, statics: Variables) -> Thread {
        Thread {
            builtins,
            statics,
            results: Vec::new(),
            slots: Vec::new(),
            calls: Vec::new(),
            controls: Vec::new(),
            scratch: Vec::new(),
        }
    }

    /// The operation that the thread has come to last.
    pub(crate) fn pending(&self, module: &Module) -> Option<(FuncId, OpId)> {
        let (call, control) = (self.calls.last()?, self.controls.last()?);
        let ops = &module.funcs[call.func].regions[control.region].ops;
        Some((call.func, *ops.get(control.next.checked_sub(1)?)?))
    }

    /// How far the thread has come, in all calls and loops that it is in: it compares as less if it is behind.
    pub(crate) fn position(&self) -> Vec<(u32, bool, RegionId, usize)> {
        let place = |control: &Control| match control.place {
            RegionUse::Body | RegionUse::Arm(_) => (0, false, control.region, control.next),
            RegionUse::LoopCond(_, done) => (done, false, control.region, control.next),
            RegionUse::LoopBody(_, done) => (done, true, control.region, control.next),
        };
        self.controls.iter().map(place).collect()
    }

    /// The slots of a value of the running call.
    pub(crate) fn slots_of(&self, value: ValueId) -> &[u64] {
        self.calls.last().map_or(&[], |call| &self.slots[call.place(value)])
    }

    /// The same, to be changed.
    pub(crate) fn slots_of_mut(&mut self, value: ValueId) -> &mut [u64] {
        match self.calls.last() {
            Some(call) => &mut self.slots[call.place(value)],
            None => &mut [],
        }
    }

    pub(crate) fn static_slots(&self) -> usize {
        self.statics.values().map(Vec::len).sum()
    }
}

impl<'m> Machine<'m> {
    /// Starts a call that [`Machine::run`] will run.
    pub(crate) fn enter(&mut self, thread: &mut Thread, func: FuncId, args: &[u64]) -> Result<(), InterpError> {
        self.push_call(thread, func, None)?;
        thread.slots[..args.len()].copy_from_slice(args);
        Ok(())
    }

    /// Pushes a frame; the inputs are its first slots.
    fn push_call(&mut self, thread: &mut Thread, func: FuncId, op: Option<OpId>) -> Result<(), InterpError> {
        if thread.calls.len() >= self.limits.call_depth {
            return Err(InterpError::CallDepth);
        }
        let plan = self.plan(func)?;
        self.reserve(plan.size)?;
        let base = thread.slots.len();
        thread.slots.resize(base + plan.size, 0);
        let data = &self.module.funcs[func];
        let region = data.body.ok_or_else(|| InterpError::NoBody(data.name.clone()))?;
        if let Some(coverage) = &mut self.coverage {
            coverage.funcs.insert(func);
        }
        thread.calls.push(Call { func, plan, base, controls: thread.controls.len(), op });
        thread.controls.push(Control { region, next: 0, place: RegionUse::Body });
        Ok(())
    }

    /// Runs until the outermost call returns, or the thread has to wait for others.
    pub(crate) fn run(
        &mut self,
        thread: &mut Thread,
        memory: &mut Memory,
        shared: &mut Variables,
    ) -> Result<Stop, InterpError> {
        let module = self.module;
        loop {
            let (Some(call), Some(control)) = (thread.calls.last(), thread.controls.last_mut()) else {
                return Ok(Stop::Finished);
            };
            let func = &module.funcs[call.func];
            let region = &func.regions[control.region];
            let Some(&op) = region.ops.get(control.next) else {
                self.step(0)?;
                self.terminate(thread, &region.terminator)?;
                continue;
            };
            control.next += 1;
            let data = &func.ops[op];
            match &data.op {
                Op::If { cond, then, otherwise } => {
                    self.step(0)?;
                    let is_true = thread.scalar(*cond) != 0;
                    if let Some(coverage) = &mut self.coverage {
                        coverage.take(call.func, op, is_true.into());
                    }
                    let region = if is_true { *then } else { *otherwise };
                    thread.controls.push(Control { region, next: 0, place: RegionUse::Arm(op) });
                }
                Op::Switch { selector, cases, default } => {
                    self.step(cases.len())?;
                    let value = thread.scalar(*selector);
                    let scalar = match module.types.get(func.ty(*selector)) {
                        Type::Scalar(scalar) => scalar,
                        _ => Scalar::I64,
                    };
                    let hit = |values: &[i64]| values.iter().any(|&case| wrap(scalar, case as u64) == value);
                    let case = cases.iter().position(|(values, _)| hit(values));
                    if let Some(coverage) = &mut self.coverage {
                        coverage.take(call.func, op, case.unwrap_or(cases.len()));
                        coverage.note_gap((call.func, op, 0), coverage::number(scalar, value));
                    }
                    let region = case.map_or(*default, |case| cases[case].1);
                    thread.controls.push(Control { region, next: 0, place: RegionUse::Arm(op) });
                }
                Op::SumMatch { sum, variants, null } => self.sum_match(thread, op, *sum, variants, *null)?,
                Op::Loop { init, cond, .. } => {
                    self.move_values(thread, init, &data.results)?;
                    thread.controls.push(Control { region: *cond, next: 0, place: RegionUse::LoopCond(op, 0) });
                }
                Op::Call { callee, args, .. } => match *callee {
                    Callee::Func(callee) => self.call_func(thread, op, callee, args)?,
                    Callee::Derivative(_, callee) => {
                        return Err(InterpError::UnexpandedDerivative(module.funcs[callee].name.clone()));
                    }
                },
                Op::Barrier { control: true } => {
                    self.step(0)?;
                    return Ok(Stop::Barrier);
                }
                Op::Intrinsic { intrinsic, .. } if waves::meets(*intrinsic) => {
                    self.step(0)?;
                    return Ok(Stop::Wave);
                }
                _ => {
                    let frame = &mut thread.slots[call.base..call.base + call.plan.size];
                    let mut exec = Exec {
                        machine: self,
                        func,
                        plan: &call.plan,
                        frame,
                        scratch: &mut thread.scratch,
                        builtins: thread.builtins,
                        statics: &mut thread.statics,
                        shared,
                        memory,
                    };
                    exec.op(data)?;
                    if let Some(coverage) = &mut self.coverage {
                        let scalar_of = |ty| element(module.types.get(ty));
                        let slots = |value| &thread.slots[call.place(value)];
                        coverage.look((call.func, func), (op, data), scalar_of, slots);
                    }
                    if self.probe.is_some() {
                        self.probe_results(thread, op);
                    }
                    if self.watch.is_some() {
                        self.note_non_finite(thread, op);
                        continue;
                    }
                    if self.rounding.is_some() {
                        self.round_otherwise(thread, op);
                    }
                    let Some(call) = thread.calls.last() else { continue };
                    if let Some(tape) = &mut self.tape
                        && let Some(&result) = data.results.first()
                        && tape::is_frozen(module, |value| func.ty(value), data, self.own_tangents)
                    {
                        let place = call.place(result);
                        tape.freeze(&mut thread.slots[place]);
                    }
                }
            }
        }
    }

    /// Has the watch look at the result of an op that has just run.
    fn note_non_finite(&mut self, thread: &mut Thread, op: OpId) {
        let (Some(call), Some(watch)) = (thread.calls.last(), &mut self.watch) else { return };
        let func = &self.module.funcs[call.func];
        let data = &func.ops[op];
        let &[result] = data.results.as_slice() else { return };
        let types = &self.module.types;
        let is_number = |value: ValueId| element(types.get(func.ty(value))).is_float();
        if !non_finite::may_begin(&data.op) {
            return;
        }
        if !is_number(result) {
            if data.op.operands().iter().any(|&operand| is_number(operand)) {
                let place = call.place(result);
                watch.decide(&mut thread.slots[place]);
            }
            return;
        }
        let mut operands: Vec<Vec<f64>> = Vec::new();
        data.op.for_each_operand(|value| {
            if is_number(value) {
                let slots = &thread.slots[call.place(value)];
                operands.push(slots.iter().map(|&slot| f64::from_bits(slot)).collect());
            }
        });
        let around = thread.calls.iter().zip(thread.calls.iter().skip(1));
        let calls = around.filter_map(|(caller, call)| Some(self.module.funcs[caller.func].ops[call.op?].span));
        let place = call.place(result);
        watch.look(data, calls, &operands, &mut thread.slots[place]);
    }

    /// Has the probe look at what an op has just made, if that are floats.
    fn probe_results(&mut self, thread: &mut Thread, op: OpId) {
        let (Some(call), Some(probe)) = (thread.calls.last(), &mut self.probe) else { return };
        let func = &self.module.funcs[call.func];
        let &[result] = func.ops[op].results.as_slice() else { return };
        let is_number = matches!(
            self.module.types.get(func.ty(result)),
            Type::Scalar(scalar) | Type::Vector { scalar, .. } | Type::Matrix { scalar, .. } if scalar.is_float()
        );
        if is_number {
            let place = call.place(result);
            probe.look((call.func, op), &mut thread.slots[place]);
        }
    }

    /// Rounds the result of an op that has just run the other way.
    fn round_otherwise(&mut self, thread: &mut Thread, op: OpId) {
        let (Some(call), Some(rounding)) = (thread.calls.last(), &mut self.rounding) else { return };
        let func = &self.module.funcs[call.func];
        let data = &func.ops[op];
        let &[result] = data.results.as_slice() else { return };
        let mut first = None;
        data.op.for_each_operand(|value| first = first.or(Some(value)));
        let Some(operand) = first else { return };
        let (from, to) = (self.module.types.get(func.ty(operand)), self.module.types.get(func.ty(result)));
        if rounding::rounds(&data.op, from, to) {
            let operand = thread.slots[call.place(operand)].to_vec();
            let place = call.place(result);
            rounding.apply(&data.op, (element(from), element(to)), &operand, &mut thread.slots[place]);
        }
    }

    fn sum_match(
        &mut self,
        thread: &mut Thread,
        op: OpId,
        sum: ValueId,
        variants: &[RegionId],
        null: Option<RegionId>,
    ) -> Result<(), InterpError> {
        self.step(0)?;
        let Some(call) = thread.calls.last() else { return Ok(()) };
        let func = &self.module.funcs[call.func];
        let at = call.base + call.plan.offset(sum);
        let tag = thread.slots[at];
        let variant = match self.module.types.get(func.ty(sum)) {
            Type::Sum(id) => self.layouts.sum_variant(id, tag),
            _ => None,
        };
        let region = match variant {
            Some(number) => variants.get(number as usize).copied(),
            None => null,
        };
        let region = region.ok_or_else(|| InterpError::Unreachable(func.name.clone()))?;
        if let Some(&param) = func.regions[region].params.first() {
            let to = call.place(param);
            let size = to.len();
            thread.slots.copy_within(at + 1..at + 1 + size, to.start);
            self.step(size)?;
        }
        thread.controls.push(Control { region, next: 0, place: RegionUse::Arm(op) });
        Ok(())
    }

    fn call_func(
        &mut self,
        thread: &mut Thread,
        op: OpId,
        callee: FuncId,
        args: &[ValueId],
    ) -> Result<(), InterpError> {
        let mut scratch = std::mem::take(&mut thread.scratch);
        thread.gather(args, &mut scratch);
        self.step(scratch.len())?;
        if let Some(tape) = &mut self.tape {
            let mut rest = scratch.as_mut_slice();
            for (input, frozen) in self.module.funcs[callee].inputs.iter().zip(tape::frozen_inputs(self.module, callee))
            {
                let (value, after) = rest.split_at_mut(self.layouts.slots(input.ty));
                rest = after;
                if frozen {
                    tape.freeze(value);
                }
            }
        }
        self.push_call(thread, callee, Some(op))?;
        let base = thread.slots.len() - self.plan(callee)?.size;
        thread.slots[base..base + scratch.len()].copy_from_slice(&scratch);
        thread.scratch = scratch;
        Ok(())
    }

    /// Copies values all at once. Values that lie where they should go cost nothing.
    fn move_values(&mut self, thread: &mut Thread, from: &[ValueId], to: &[ValueId]) -> Result<(), InterpError> {
        let mut scratch = std::mem::take(&mut thread.scratch);
        scratch.clear();
        let Some(call) = thread.calls.last() else { return Ok(()) };
        for (&from, &to) in from.iter().zip(to) {
            if call.place(from) != call.place(to) {
                scratch.extend_from_slice(&thread.slots[call.place(from)]);
            }
        }
        let mut rest = scratch.as_slice();
        for (&from, &to) in from.iter().zip(to) {
            let target = call.place(to);
            if call.place(from) != target {
                let (values, after) = rest.split_at(target.len());
                rest = after;
                thread.slots[target].copy_from_slice(values);
            }
        }
        self.step(scratch.len())?;
        thread.scratch = scratch;
        Ok(())
    }

    /// Leaves the region that has come to its end.
    fn terminate(&mut self, thread: &mut Thread, terminator: &Terminator) -> Result<(), InterpError> {
        let (Some(call), Some(&control)) = (thread.calls.last(), thread.controls.last()) else { return Ok(()) };
        let func = &self.module.funcs[call.func];
        match (terminator, control.place) {
            (Terminator::Yield(values), RegionUse::Arm(op)) => {
                self.move_values(thread, values, &func.ops[op].results)?;
                thread.controls.pop();
            }
            (Terminator::Yield(values), RegionUse::LoopCond(op, done)) => {
                let go_on = values.first().is_some_and(|&value| thread.scalar(value) != 0);
                thread.controls.pop();
                if let (true, Op::Loop { body, bound, .. }) = (go_on, &func.ops[op].op) {
                    self.is_beyond_bound |= bound.max_iters.is_some_and(|most| done >= most);
                    thread.controls.push(Control { region: *body, next: 0, place: RegionUse::LoopBody(op, done) });
                }
            }
            (Terminator::Yield(values) | Terminator::Continue(values), RegionUse::LoopBody(op, done)) => {
                self.move_values(thread, values, &func.ops[op].results)?;
                thread.controls.pop();
                if let Op::Loop { cond, .. } = func.ops[op].op {
                    let place = RegionUse::LoopCond(op, done.saturating_add(1));
                    thread.controls.push(Control { region: cond, next: 0, place });
                }
            }
            (Terminator::Break(values), RegionUse::LoopBody(op, _)) => {
                self.move_values(thread, values, &func.ops[op].results)?;
                thread.controls.pop();
            }
            // Leaves this region, and the next one gets to decide.
            (Terminator::Break(_) | Terminator::Continue(_), RegionUse::Arm(_) | RegionUse::LoopCond(..)) => {
                thread.controls.pop();
                self.terminate_outer(thread, terminator)?;
            }
            (Terminator::Return(values), _) => self.return_from(thread, values)?,
            (Terminator::Unreachable, _)
            | (Terminator::Yield(_) | Terminator::Break(_) | Terminator::Continue(_), RegionUse::Body) => {
                return Err(InterpError::Unreachable(func.name.clone()));
            }
        }
        Ok(())
    }

    /// `break` and `continue` from nested arms: the regions in between are left one by one.
    fn terminate_outer(&mut self, thread: &mut Thread, terminator: &Terminator) -> Result<(), InterpError> {
        while matches!(thread.controls.last(), Some(Control { place: RegionUse::Arm(_), .. })) {
            thread.controls.pop();
        }
        match thread.controls.last() {
            Some(Control { place: RegionUse::LoopBody(..), .. }) => self.terminate(thread, terminator),
            _ => {
                let name = thread.calls.last().map(|call| self.module.funcs[call.func].name.clone());
                Err(InterpError::Unreachable(name.unwrap_or_default()))
            }
        }
    }

    fn return_from(&mut self, thread: &mut Thread, values: &[ValueId]) -> Result<(), InterpError> {
        let mut scratch = std::mem::take(&mut thread.scratch);
        thread.gather(values, &mut scratch);
        self.step(scratch.len())?;
        let Some(call) = thread.calls.pop() else { return Ok(()) };
        thread.controls.truncate(call.controls);
        thread.slots.truncate(call.base);
        self.live_slots = self.live_slots.saturating_sub(call.plan.size);
        let (Some(op), Some(caller)) = (call.op, thread.calls.last()) else {
            thread.results.clear();
            thread.results.append(&mut scratch);
            thread.scratch = scratch;
            return Ok(());
        };
        let func = &self.module.funcs[caller.func];
        let mut rest = scratch.as_slice();
        for &result in &func.ops[op].results {
            let target = caller.place(result);
            let (values, after) = rest.split_at(target.len());
            rest = after;
            thread.slots[target].copy_from_slice(values);
        }
        if let Some(tape) = &mut self.tape {
            let data = &func.ops[op];
            for (&result, frozen) in data.results.iter().zip(tape::frozen_results(self.module, call.func, &data.op)) {
                if frozen {
                    tape.freeze(&mut thread.slots[caller.place(result)]);
                }
            }
        }
        thread.scratch = scratch;
        if self.probe.is_some() {
            self.probe_results(thread, op);
        }
        Ok(())
    }
}

impl Thread {
    /// The slots of values of the running call, one after the other.
    fn gather(&self, values: &[ValueId], into: &mut Vec<u64>) {
        into.clear();
        let Some(call) = self.calls.last() else { return };
        for &value in values {
            into.extend_from_slice(&self.slots[call.place(value)]);
        }
    }

    /// The slot of a scalar of the running call.
    fn scalar(&self, value: ValueId) -> u64 {
        self.calls.last().map_or(0, |call| self.slots[call.base + call.plan.offset(value)])
    }
}
