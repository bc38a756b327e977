//! Where infinities and NaN come from: runs a function and its derivatives as a device does, in the precision of the
//! types, at inputs that are given or sampled, and names the operation that makes the first number that is not finite, of
//! those that reach a result or a derivative.
//!
//! Where the value is not finite, derivatives mean nothing and are not looked at. Derivatives by elements of buffers are
//! not looked at either: buffers have random content, and what is computed from it is.

use std::cell::Cell;

use autodiff::AutodiffError;
use ir::{DerivativeKind, FuncId, Module, number::Precision, verify::VerifiedModule};
use rustc_hash::FxHashSet;

use super::{
    Coordinate, Options, Origin,
    check::values_of,
    components::{self, Component},
    origin,
    point::{Point, Spot},
    sample::{Sampler, Search, move_to_edge},
    too_large,
};
use crate::{InterpError, Machine, Memory, Value, layout::Layouts, value::to_slots};

/// Steps after which no further samples are taken: of functions that run long, fewer are looked at.
const MOST_STEPS: u64 = 40_000_000;

/// What is not finite.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// The value itself.
    Primal,
    /// Forward mode.
    Forward,
    /// Reverse mode.
    Backward,
}

/// A result, or the derivative of one by an input, that is not finite.
#[derive(Debug, Clone, PartialEq)]
pub struct NonFinite {
    /// Where the same operation does this: the value, or one or both derivatives.
    pub stages: Vec<Stage>,
    /// The result or derivative that is no number.
    pub result: Coordinate,
    /// `None` for a value.
    pub input: Option<Coordinate>,
    /// The infinity or NaN.
    pub found: f64,
    /// `None` where it comes in from outside: an input or a buffer that is not finite.
    pub origin: Option<Origin>,
    /// The inputs that lead to it.
    pub inputs: Vec<Value>,
}

/// What is known of infinities and NaN in a function and its derivatives.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct NonFiniteReport {
    /// One for each operation that is to blame, those of derivatives first.
    pub found: Vec<NonFinite>,
    /// Inputs at which the function ran.
    pub points: u32,
    /// Why it did not run at some, and why there are no derivatives.
    pub failure: Option<InterpError>,
    /// Why there is no forward mode, if there is none.
    pub jvp: Option<AutodiffError>,
    /// Why there is no reverse mode, if there is none.
    pub vjp: Option<AutodiffError>,
}

/// Looks for what is not finite at `at`, or at samples. `None` if `at` does not fit the inputs.
pub fn find_non_finite(
    module: &VerifiedModule,
    func: FuncId,
    at: Option<&[f64]>,
    options: &Options,
) -> Option<NonFiniteReport> {
    if too_large(module, func).is_some() {
        return Some(NonFiniteReport { failure: Some(InterpError::MemoryLimit), ..NonFiniteReport::default() });
    }
    let mut expanded = module.clone();
    let mut derive = |kind| match autodiff::derivatives(&mut expanded, &[(kind, func)]) {
        Ok(made) => (made.first().copied(), None),
        Err(errors) => (None, errors.into_iter().next()),
    };
    let (jvp, jvp_error) = derive(DerivativeKind::Jvp);
    let (vjp, vjp_error) = derive(DerivativeKind::Vjp);
    let mut search = Searcher {
        module: &expanded,
        machine: Machine::new(&expanded, Precision::Declared, options.limits),
        layouts: Layouts::new(&expanded.types),
        func,
        jvp,
        vjp,
        options,
        steps: 0,
        report: NonFiniteReport { jvp: jvp_error, vjp: vjp_error, ..NonFiniteReport::default() },
    };
    match at {
        Some(numbers) => search.given(numbers)?,
        None => search.samples(),
    }
    let mut report = search.report;
    report.found.sort_by_key(|found| found.stages.contains(&Stage::Primal));
    Some(report)
}

struct Searcher<'m, 'o> {
    module: &'m Module,
    machine: Machine<'m>,
    layouts: Layouts<'m>,
    func: FuncId,
    jvp: Option<FuncId>,
    vjp: Option<FuncId>,
    options: &'o Options,
    /// Those that were taken, without those in search of origins.
    steps: u64,
    report: NonFiniteReport,
}

impl Searcher<'_, '_> {
    fn given(&mut self, numbers: &[f64]) -> Option<()> {
        let mut rest = numbers.iter().copied();
        let inputs = self.module.funcs[self.func].inputs.iter();
        let values = inputs.map(|input| Value::from_numbers(&self.module.types, input.ty, &mut rest));
        let values: Vec<Value> = values.collect::<Option<_>>()?;
        if rest.next().is_some() {
            return None;
        }
        let turn = Cell::new(0);
        let (sampled, _) = self.sampler(&turn).random(&mut fastrand::Rng::with_seed(self.options.seed), Search::Around);
        let point = self.declared(&values, sampled.memory)?;
        self.look_at(&point);
        Some(())
    }

    fn samples(&mut self) {
        let mut all = fastrand::Rng::with_seed(self.options.seed);
        let turn = Cell::new(0);
        let mut seen = FxHashSet::default();
        let (samples, edges) = (self.options.samples, self.options.edges);
        for number in 0..samples.saturating_add(edges) {
            if self.steps >= MOST_STEPS {
                break;
            }
            let mut random = all.fork();
            let (mut point, _) = self.sampler(&turn).random(&mut random, Search::of_try(number, 0));
            if number >= samples {
                let floats = self.sampler(&turn).floats(&point);
                if move_to_edge((number - samples) as usize, &mut all, &floats, &mut point).is_none() {
                    break;
                }
            }
            let values = values_of(self.module, &self.layouts, self.func, &point.slots);
            let Some(point) = self.declared(&values, point.memory) else { continue };
            if seen.insert(point.slots.clone()) {
                self.look_at(&point);
            }
        }
    }

    fn sampler<'a>(&'a self, turn: &'a Cell<usize>) -> Sampler<'a, 'a> {
        let (module, layouts, ranges) = (self.module, &self.layouts, self.options.ranges.as_slice());
        Sampler { module, layouts, func: self.func, ranges, turn }
    }

    /// The inputs in the precision of their types.
    fn declared(&self, values: &[Value], mut memory: Memory) -> Option<Point> {
        memory.exact_floats = None;
        let mut slots = Vec::new();
        for (input, value) in self.module.funcs[self.func].inputs.iter().zip(values) {
            let ty = self.module.types.get(input.ty);
            let fits = to_slots(&self.layouts, Precision::Declared, &mut memory, ty, value, &mut slots);
            fits.then_some(())?;
        }
        Some(Point { slots, memory })
    }

    fn look_at(&mut self, start: &Point) {
        let Some(end) = self.run(self.func, start) else { return };
        self.report.points += 1;
        let func = &self.module.funcs[self.func];
        let results = func.results.iter().map(|result| (&result.name, result.ty));
        let mut is_finite = true;
        for (slot, place) in components::float_slots(&self.layouts, results) {
            let found = f64::from_bits(end[slot]);
            if !found.is_finite() {
                is_finite = false;
                let origin = origin::find(&mut self.machine, self.func, start, Spot::Slot(slot));
                self.add(Stage::Primal, (place, None), found, origin, start);
            }
        }
        if is_finite {
            let inputs = components::components(self.module, &self.layouts, self.func, &start.slots);
            let results = components::result_components(self.module, &self.layouts, self.func, &end);
            self.look_forward(start, end.len(), &inputs, &results);
            self.look_backward(start, &inputs, &results);
        }
    }

    fn look_forward(&mut self, start: &Point, primal: usize, inputs: &[Component], results: &[Component]) {
        let Some(jvp) = self.jvp else { return };
        let blank = start.with(&vec![0; components::tangent_size(self.module, &self.layouts, self.func)]);
        for input in inputs.iter().take(self.options.directions) {
            let mut seeded = blank.clone();
            seed(&mut seeded, start.slots.len(), input);
            let Some(end) = self.run(jvp, &seeded) else { return };
            for result in results {
                let slot = primal + result.tangent_slot;
                let held = result.tangent_tags.iter().all(|(slot, tag)| end.get(primal + slot) == Some(tag));
                let found = f64::from_bits(end[slot]);
                if held && !found.is_finite() {
                    self.blame(Stage::Forward, (jvp, &seeded), slot, (result, input), found, start);
                }
            }
        }
    }

    fn look_backward(&mut self, start: &Point, inputs: &[Component], results: &[Component]) {
        let Some(vjp) = self.vjp else { return };
        let blank = start.with(&vec![0; components::cotangent_size(self.module, &self.layouts, self.func)]);
        for result in results.iter().take(self.options.directions) {
            let mut seeded = blank.clone();
            seed(&mut seeded, start.slots.len(), result);
            let Some(end) = self.run(vjp, &seeded) else { return };
            for input in inputs {
                let held = input.tangent_tags.iter().all(|(slot, tag)| end.get(*slot) == Some(tag));
                let found = f64::from_bits(end[input.tangent_slot]);
                if held && !found.is_finite() {
                    self.blame(Stage::Backward, (vjp, &seeded), input.tangent_slot, (result, input), found, start);
                }
            }
        }
    }

    fn run(&mut self, func: FuncId, start: &Point) -> Option<Vec<u64>> {
        let ended = self.machine.call_slots(func, &start.slots, &mut start.memory.clone());
        self.steps += self.options.limits.steps - self.machine.steps_left;
        match ended {
            Ok(end) => Some(end),
            Err(error) => {
                self.report.failure = self.report.failure.take().or(Some(error));
                None
            }
        }
    }

    fn blame(
        &mut self,
        stage: Stage,
        (func, seeded): (FuncId, &Point),
        slot: usize,
        (result, input): (&Component, &Component),
        found: f64,
        start: &Point,
    ) {
        let origin =
            origin::find_in_derivative(&mut self.machine, (func, seeded), Spot::Slot(slot), (self.func, start));
        self.add(stage, (result.place.clone(), Some(input.place.clone())), found, origin, start);
    }

    /// Adds what was found, unless the same operation was to blame before.
    fn add(
        &mut self,
        stage: Stage,
        (result, input): (Coordinate, Option<Coordinate>),
        found: f64,
        origin: Option<Origin>,
        start: &Point,
    ) {
        let spans = |origin: &Option<Origin>| origin.as_ref().map(|origin| origin.spans.last().copied());
        let what = |origin: &Option<Origin>| Some(origin.as_ref()?.cause.as_ref()?.pole?.what);
        let is_value = stage == Stage::Primal;
        let known = self.report.found.iter_mut().find(|known| {
            known.input.is_none() == is_value
                && spans(&known.origin) == spans(&origin)
                && what(&known.origin) == what(&origin)
                && (origin.is_some() || (&known.result, &known.input) == (&result, &input))
        });
        match known {
            Some(known) if known.stages.contains(&stage) => {}
            Some(known) => known.stages.push(stage),
            None => {
                let inputs = values_of(self.module, &self.layouts, self.func, &start.slots);
                self.report.found.push(NonFinite { stages: vec![stage], result, input, found, origin, inputs });
            }
        }
    }
}

/// Makes 1 the tangent of a component; the tangents start at `first`.
fn seed(point: &mut Point, first: usize, component: &Component) {
    for &(slot, tag) in &component.tangent_tags {
        point.slots[first + slot] = tag;
    }
    point.slots[first + component.tangent_slot] = 1f64.to_bits();
}
