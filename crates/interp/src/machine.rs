//! The machine: calls of functions and dispatches of entry points.

use std::rc::Rc;

use ir::{FuncId, GlobalId, GlobalKind, Module, Op, OpData, Scalar, SpanId, Type, ValueId, verify::VerifiedModule};
use rustc_hash::FxHashMap;

use crate::{
    InterpError, Memory, Precision, Value,
    coverage::Coverage,
    layout::Layouts,
    math::element,
    non_finite::{Birth, Decisions, Evaluation, Watch},
    plan::{FramePlan, plan_frame},
    probe::Probe,
    rounding::OtherRounding,
    tape::{OwnTangents, Tape},
    thread::{Builtins, Stop, Thread},
    value::{from_slots, to_slots},
    waves::{self, Lane, Subset},
};

/// Bounds on what a run may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Operations, all threads together; large values count for more than one.
    pub steps: u64,
    /// Bytes of frames and variables, all live threads together.
    pub memory: usize,
    /// Calls within calls.
    pub call_depth: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { steps: 200_000_000, memory: 256 << 20, call_depth: 1_000 }
    }
}

/// Contents of variables, by global.
pub(crate) type Variables = FxHashMap<GlobalId, Vec<u64>>;

/// An interpreter for one module.
pub struct Machine<'m> {
    pub(crate) module: &'m Module,
    pub(crate) layouts: Layouts<'m>,
    pub(crate) precision: Precision,
    pub(crate) limits: Limits,
    pub(crate) steps_left: u64,
    /// Steps that all calls of functions alone took before the last one.
    steps_before: u64,
    /// Slots of all live threads.
    pub(crate) live_slots: usize,
    /// Where values without derivative are kept, in runs for differences.
    pub(crate) tape: Option<Tape>,
    /// Which marks count in runs for differences.
    pub(crate) own_tangents: OwnTangents,
    /// Notes where numbers stop being finite.
    pub(crate) watch: Option<Watch>,
    /// Notes what operations make, or moves it.
    pub(crate) probe: Option<Probe>,
    /// Rounds otherwise, in runs that show what rounding does.
    pub(crate) rounding: Option<OtherRounding>,
    /// Whether a number became too large for `f64` in the last call of a function alone.
    pub(crate) has_overflowed: bool,
    /// Whether a loop went on beyond its `[MaxIters]` in the last call of a function alone.
    pub(crate) is_beyond_bound: bool,
    /// The branches that were taken, if that is wanted.
    pub(crate) coverage: Option<Coverage>,
    plans: FxHashMap<FuncId, Rc<FramePlan>>,
    /// What the last call of a function alone left in variables.
    state: Variables,
}

/// The threads of a group that wait for others.
#[derive(Default)]
struct Waiting {
    at_barriers: Vec<Thread>,
    at_waves: Vec<Thread>,
}

impl<'m> Machine<'m> {
    /// A machine for the functions of a module, with empty memory.
    pub fn new(module: &'m VerifiedModule, precision: Precision, limits: Limits) -> Machine<'m> {
        let layouts = Layouts::new(&module.types);
        let plans = FxHashMap::default();
        Machine {
            module,
            layouts,
            precision,
            limits,
            steps_left: limits.steps,
            steps_before: 0,
            live_slots: 0,
            tape: None,
            own_tangents: OwnTangents::default(),
            watch: None,
            probe: None,
            rounding: None,
            has_overflowed: false,
            is_beyond_bound: false,
            coverage: None,
            plans,
            state: Variables::default(),
        }
    }

    /// Runs a function that needs no memory; each call may take all the steps of the limits.
    pub fn call(&mut self, func: FuncId, args: &[Value]) -> Result<Vec<Value>, InterpError> {
        self.call_with(func, args, &mut Memory::default())
    }

    /// Runs a function over bound memory, as the only thread.
    pub fn call_with(&mut self, func: FuncId, args: &[Value], memory: &mut Memory) -> Result<Vec<Value>, InterpError> {
        let data = &self.module.funcs[func];
        if args.len() != data.inputs.len() {
            return Err(InterpError::ArgumentMismatch(data.name.clone()));
        }
        let mut slots = Vec::new();
        for (input, arg) in data.inputs.iter().zip(args) {
            let ty = self.module.types.get(input.ty);
            if !to_slots(&self.layouts, self.precision, memory, ty, arg, &mut slots) {
                return Err(InterpError::ArgumentMismatch(input.name.clone()));
            }
        }
        let results = self.run_alone(func, &slots, memory)?;
        let mut results = results.as_slice();
        let types = data.results.iter().map(|result| self.module.types.get(result.ty));
        Ok(types.map(|ty| from_slots(&self.layouts, ty, &mut results)).collect())
    }

    /// [`Machine::call`] on slots that are known to be of the inputs' types.
    pub(crate) fn call_slots(
        &mut self,
        func: FuncId,
        args: &[u64],
        memory: &mut Memory,
    ) -> Result<Vec<u64>, InterpError> {
        self.run_alone(func, args, memory)
    }

    /// [`Machine::call_slots`] that records the values that are held.
    pub(crate) fn call_recording(
        &mut self,
        func: FuncId,
        args: &[u64],
        memory: &mut Memory,
    ) -> Result<(Vec<u64>, Tape), InterpError> {
        self.tape = Some(Tape::default());
        let results = self.call_slots(func, args, memory);
        let mut tape = self.tape.take().unwrap_or_default();
        tape.rewind();
        Ok((results?, tape))
    }

    /// [`Machine::call_slots`] with the values of `tape` in place of its own values that are held; `None` if the run made
    /// others, or does not end well.
    pub(crate) fn call_frozen(
        &mut self,
        func: FuncId,
        args: &[u64],
        memory: &mut Memory,
        tape: &mut Tape,
    ) -> Option<Vec<u64>> {
        self.tape = Some(std::mem::take(tape));
        let results = self.call_slots(func, args, memory).ok();
        *tape = self.tape.take().unwrap_or_default();
        let is_followed = tape.is_followed();
        tape.rewind();
        results.filter(|_| is_followed)
    }

    /// [`Machine::call_slots`] that notes where numbers stop being finite, and takes those of `suppressed` as zero, on the way of
    /// the run that made the decisions, if there was one.
    pub(crate) fn call_watched(
        &mut self,
        func: FuncId,
        args: &[u64],
        memory: &mut Memory,
        suppressed: &[usize],
        decisions: Option<Decisions>,
    ) -> Result<(Vec<u64>, Vec<Birth>, Decisions), InterpError> {
        self.watch = Some(Watch::new(suppressed, decisions));
        let results = self.call_slots(func, args, memory);
        let (births, decisions) = self.watch.take().map(Watch::ended).unwrap_or_default();
        Ok((results?, births, decisions))
    }

    /// [`Machine::call_slots`] for what it computes at a place in the source: at a pole, if it comes upon one there.
    pub(crate) fn call_looking_at(
        &mut self,
        func: FuncId,
        args: &[u64],
        memory: &mut Memory,
        span: SpanId,
    ) -> Option<Evaluation> {
        self.watch = Some(Watch::at(span));
        let ended = self.call_slots(func, args, memory);
        let watch = self.watch.take()?;
        ended.ok()?;
        watch.evaluation
    }

    /// [`Machine::call_frozen`] in which what is rounded is rounded otherwise, with a tape if values are held; `None` if it
    /// took another way than the run that left `steps`.
    pub(crate) fn call_rounded(
        &mut self,
        func: FuncId,
        args: &[u64],
        memory: &mut Memory,
        (seed, steps): (u64, u64),
        tape: Option<&mut Tape>,
    ) -> Option<Vec<u64>> {
        self.rounding = Some(OtherRounding::new(seed));
        let results = match tape {
            Some(tape) => self.call_frozen(func, args, memory, tape),
            None => self.call_slots(func, args, memory).ok(),
        };
        self.rounding = None;
        results.filter(|_| self.steps_left == steps)
    }

    /// Steps that all calls of functions alone took.
    pub(crate) fn all_steps(&self) -> u64 {
        self.steps_before.saturating_add(self.limits.steps - self.steps_left)
    }

    fn run_alone(&mut self, func: FuncId, args: &[u64], memory: &mut Memory) -> Result<Vec<u64>, InterpError> {
        let data = &self.module.funcs[func];
        let expected: usize = data.inputs.iter().map(|input| self.layouts.slots(input.ty)).sum();
        if args.len() != expected {
            return Err(InterpError::ArgumentMismatch(data.name.clone()));
        }
        self.steps_before = self.all_steps();
        self.steps_left = self.limits.steps;
        self.live_slots = 0;
        (self.has_overflowed, self.is_beyond_bound) = (false, false);
        let mut shared = self.variables(|kind| kind == GlobalKind::GroupShared)?;
        let mut thread = self.start_thread(Builtins::default(), memory, &mut shared)?;
        let results = self.run_to_end(&mut thread, func, args, memory, &mut shared)?;
        self.state = thread.statics;
        self.state.extend(shared);
        Ok(results)
    }

    /// What the last call of a function alone left in its variables.
    pub(crate) fn take_state(&mut self) -> Variables {
        std::mem::take(&mut self.state)
    }

    /// Runs an entry point: `groups` thread groups of the size that the entry point declares, one after the other.
    pub fn dispatch(&mut self, entry: &str, groups: [u32; 3], memory: &mut Memory) -> Result<(), InterpError> {
        self.steps_left = self.limits.steps;
        self.live_slots = 0;
        let module = self.module;
        let found = module.entry_points.iter().find(|point| point.name == entry);
        let entry = found.ok_or_else(|| InterpError::NoEntryPoint(entry.into()))?;
        for z in 0..groups[2] {
            for y in 0..groups[1] {
                for x in 0..groups[0] {
                    self.run_group(entry.func, (entry.group_size, groups), [x, y, z], memory)?;
                }
            }
        }
        Ok(())
    }

    fn run_group(
        &mut self,
        func: FuncId,
        (size, count): ([u32; 3], [u32; 3]),
        group: [u32; 3],
        memory: &mut Memory,
    ) -> Result<(), InterpError> {
        let mut shared = self.variables(|kind| kind == GlobalKind::GroupShared)?;
        let mut waiting = Waiting::default();
        for z in 0..size[2] {
            for y in 0..size[1] {
                for x in 0..size[0] {
                    let builtins = Builtins::new(group, [x, y, z], size, count);
                    let mut thread = self.start_thread(builtins, memory, &mut shared)?;
                    self.enter(&mut thread, func, &[])?;
                    self.run_until_it_waits(thread, &mut waiting, memory, &mut shared)?;
                }
            }
        }
        loop {
            // Whoever is behind others of its wave goes on first: a barrier is met by all.
            let released = if waiting.at_waves.is_empty() {
                let mut threads = std::mem::take(&mut waiting.at_barriers);
                threads.sort_by_key(|thread| thread.builtins.group_index);
                threads
            } else {
                self.exchange(&mut waiting.at_waves)?
            };
            if released.is_empty() {
                return Ok(());
            }
            for thread in released {
                self.run_until_it_waits(thread, &mut waiting, memory, &mut shared)?;
            }
        }
    }

    /// Carries out one operation in each wave that has threads waiting at one, and gives those that took part.
    fn exchange(&mut self, waiting: &mut Vec<Thread>) -> Result<Vec<Thread>, InterpError> {
        let mut threads: Vec<_> = std::mem::take(waiting)
            .into_iter()
            .map(|thread| ((thread.builtins.wave(), thread.position(), thread.builtins.lane()), thread))
            .collect();
        threads.sort_by(|(one, _), (other, _)| one.cmp(other));
        let mut released = Vec::new();
        let mut last_wave = None;
        while let Some((wave, position)) = threads.first().map(|((wave, position, _), _)| (*wave, position.clone())) {
            let count = threads.iter().take_while(|((of, at, _), _)| *of == wave && *at == position).count();
            let together: Vec<Thread> = threads.drain(..count).map(|(_, thread)| thread).collect();
            if last_wave == Some(wave) {
                waiting.extend(together);
                continue;
            }
            last_wave = Some(wave);
            released.extend(self.exchange_together(together)?);
        }
        Ok(released)
    }

    /// Carries out the operation that all these threads of a wave wait at.
    fn exchange_together(&mut self, mut threads: Vec<Thread>) -> Result<Vec<Thread>, InterpError> {
        let Some((func, op)) = threads.first().and_then(|thread| thread.pending(self.module)) else {
            return Ok(threads);
        };
        let module = self.module;
        let func = &module.funcs[func];
        let OpData { op: Op::Intrinsic { intrinsic, args }, results, .. } = &func.ops[op] else { return Ok(threads) };
        let (exchange, subset) = waves::exchange(*intrinsic).ok_or(InterpError::UnsupportedIntrinsic(*intrinsic))?;
        let (mask, operands): (Option<ValueId>, &[ValueId]) = match (subset, args.as_slice()) {
            (Subset::Mask, [mask, rest @ ..]) | (Subset::Partition, [rest @ .., mask]) => (Some(*mask), rest),
            (_, all) => (None, all),
        };
        let scalar = operands.first().map_or(Scalar::U32, |&value| element(module.types.get(func.ty(value))));
        let lanes: Vec<Lane> = threads
            .iter()
            .map(|thread| Lane {
                number: thread.builtins.lane(),
                operands: operands.iter().map(|&value| thread.slots_of(value).to_vec()).collect(),
                mask: mask.map(|mask| thread.slots_of(mask).first().map_or(0, |&word| word as u32)),
            })
            .collect();
        let Some(&result) = results.first() else { return Ok(threads) };
        for (index, thread) in threads.iter_mut().enumerate() {
            let lane = &lanes[index];
            let others: Vec<&Lane> = lanes.iter().filter(|other| lane.is_with(other)).collect();
            let target = thread.slots_of_mut(result);
            let given = waves::given(exchange, (scalar, self.precision), lane, &others, target.len());
            for (slot, value) in target.iter_mut().zip(given) {
                *slot = value;
            }
            self.step(lanes.len())?;
        }
        Ok(threads)
    }

    fn run_until_it_waits(
        &mut self,
        mut thread: Thread,
        waiting: &mut Waiting,
        memory: &mut Memory,
        shared: &mut Variables,
    ) -> Result<(), InterpError> {
        match self.run(&mut thread, memory, shared)? {
            Stop::Finished => self.live_slots = self.live_slots.saturating_sub(thread.static_slots()),
            Stop::Barrier => waiting.at_barriers.push(thread),
            Stop::Wave => waiting.at_waves.push(thread),
        }
        Ok(())
    }

    /// A thread with its static variables initialised.
    fn start_thread(
        &mut self,
        builtins: Builtins,
        memory: &mut Memory,
        shared: &mut Variables,
    ) -> Result<Thread, InterpError> {
        let statics = self.variables(|kind| matches!(kind, GlobalKind::Static { .. }))?;
        let mut thread = Thread::new(builtins, statics);
        self.reserve(thread.static_slots())?;
        for (id, global) in self.module.globals.iter() {
            if let GlobalKind::Static { init: Some(init) } = global.kind {
                let value = self.run_to_end(&mut thread, init, &[], memory, shared)?;
                thread.statics.insert(id, value);
            }
        }
        Ok(thread)
    }

    /// Zeroed variables of a kind.
    fn variables(&self, wanted: impl Fn(GlobalKind) -> bool) -> Result<Variables, InterpError> {
        let mut variables = Variables::default();
        for (id, global) in self.module.globals.iter().filter(|(_, global)| wanted(global.kind)) {
            if let Type::Handle(ir::HandleType::Variable { content }) = self.module.types.get(global.ty) {
                let slots = self.layouts.slots(content);
                if slots > self.limits.memory / 8 {
                    return Err(InterpError::MemoryLimit);
                }
                variables.insert(id, vec![0; slots]);
            }
        }
        Ok(variables)
    }

    /// Runs a call to its end; with a single thread there is nothing to wait for at barriers, and no wave to take part in.
    fn run_to_end(
        &mut self,
        thread: &mut Thread,
        func: FuncId,
        args: &[u64],
        memory: &mut Memory,
        shared: &mut Variables,
    ) -> Result<Vec<u64>, InterpError> {
        self.enter(thread, func, args)?;
        loop {
            match self.run(thread, memory, shared)? {
                Stop::Finished => return Ok(std::mem::take(&mut thread.results)),
                Stop::Barrier => {}
                Stop::Wave => return Err(self.no_wave(thread)),
            }
        }
    }

    fn no_wave(&self, thread: &Thread) -> InterpError {
        let op = thread.pending(self.module).map(|(func, op)| &self.module.funcs[func].ops[op].op);
        match op {
            Some(Op::Intrinsic { intrinsic, .. }) => InterpError::UnsupportedIntrinsic(*intrinsic),
            _ => InterpError::Unreachable(Default::default()),
        }
    }

    pub(crate) fn plan(&mut self, func: FuncId) -> Result<Rc<FramePlan>, InterpError> {
        if let Some(plan) = self.plans.get(&func) {
            return Ok(Rc::clone(plan));
        }
        let data = &self.module.funcs[func];
        let body = data.body.ok_or_else(|| InterpError::NoBody(data.name.clone()))?;
        let plan = plan_frame(&self.layouts, data, body, self.limits.memory / 8).ok_or(InterpError::MemoryLimit)?;
        let plan = Rc::new(plan);
        self.plans.insert(func, Rc::clone(&plan));
        Ok(plan)
    }

    pub(crate) fn step(&mut self, slots: usize) -> Result<(), InterpError> {
        let cost = 1 + slots as u64 / 8;
        self.steps_left = self.steps_left.checked_sub(cost).ok_or(InterpError::StepLimit)?;
        Ok(())
    }

    pub(crate) fn reserve(&mut self, slots: usize) -> Result<(), InterpError> {
        self.live_slots = self.live_slots.saturating_add(slots);
        if self.live_slots > self.limits.memory / 8 { Err(InterpError::MemoryLimit) } else { Ok(()) }
    }
}
