//! The check itself: samples, and at each of them the derivatives of all results by all inputs.

mod branches;
mod conditions;
mod doubts;
mod seek;
mod sums;
mod written;

use std::{cell::Cell, collections::BTreeSet};

use ir::{DerivativeKind, FuncId, Module, Type, number::Precision, verify::VerifiedModule};
use rustc_hash::{FxHashMap, FxHashSet};
use smol_str::SmolStr;

use branches::Sources;
use doubts::{Around, has_same_rules, is_written};

use super::{
    Basis, Coordinate, Finding, FindingKind, Functions, Kink, Nothing, Options, Report, Wrong,
    buffers::{Buffers, Pairs},
    components::{self, Component, Tag, float_slots, optional_slots},
    differences::{Difference, Differences},
    findings::{self, Disagreement, NotFinite},
    origin,
    point::{Point, Spot},
    sample::{Sampler, Search, move_to_edge},
};
use crate::{
    InterpError, Machine, Value,
    coverage::{Coverage, Side},
    layout::Layouts,
    machine::Variables,
    memory::{BufferId, Memory},
    tape::{OwnTangents, Tape, has_own_tangents},
    value::from_slots,
};

/// Samples outside the domain, per sample inside it, after which the checker gives up.
const MAX_TRIES: u32 = 16;

/// Kinks, and places that did not settle, that are told; the others are only counted.
const MAX_TOLD: usize = 4;

/// Disagreements after which the rest is more of the same.
const MAX_DISAGREEMENTS: usize = 1 << 12;

/// What a slope is beside others that are larger by as much.
const NEGLIGIBLE: f64 = 1e-9;

/// Derivatives that are not finite of which the origin is looked for.
const MAX_ORIGINS: usize = 32;

pub(super) fn run(module: &VerifiedModule, functions: Functions, options: &Options) -> Report {
    let mut machine = Machine::new(module, Precision::F64, options.limits);
    let sources = Sources::of(module, functions);
    // Derivatives that are made are right on both sides of a kink; a rule that is written by hand may have forgotten one.
    let with_borders = sources.by_hand.iter().copied().collect();
    machine.coverage = Some(Coverage { with_borders, ..Coverage::default() });
    let mut checker = Checker {
        module,
        machine,
        layouts: Layouts::new(&module.types),
        functions,
        options,
        random: fastrand::Rng::with_seed(options.seed),
        turn: Cell::new(0),
        pairs: Pairs::default(),
        tape: Tape::default(),
        sources,
        outside: BTreeSet::new(),
        starts: Vec::new(),
        sought_steps: 0,
        has_own_tangents: module.types.structs.iter().any(|(id, _)| has_own_tangents(&module.types, id)),
        met: FxHashMap::default(),
        steepest: FxHashMap::default(),
        steepest_of_all: 0.0,
        same_rules: has_same_rules(module, functions.primal),
        neighbourhoods_left: doubts::MOST_NEIGHBOURHOODS,
        agreed: FxHashSet::default(),
        report: Report::default(),
        disagreements: Vec::new(),
        not_finite: Vec::new(),
        nothing: None,
    };
    checker.report.unmoved_inputs = components::unmoved_inputs(module, &checker.layouts, functions.primal);
    checker.report.own_tangents = components::own_tangents(module, functions.primal);
    checker.run();
    checker.into_report()
}

struct Checker<'m, 'o> {
    module: &'m Module,
    machine: Machine<'m>,
    layouts: Layouts<'m>,
    functions: Functions,
    options: &'o Options,
    random: fastrand::Rng,
    /// How many inputs were made.
    turn: Cell<usize>,
    /// Buffers that belong together by how the backward derivative uses them.
    pairs: Pairs,
    /// The values that are held at the sample.
    tape: Tape,
    sources: Sources,
    /// The sides of branches that were taken outside of the domain only.
    outside: BTreeSet<Side>,
    /// Points at which branches were taken that were not before.
    starts: Vec<(Point, Buffers)>,
    /// Steps that were taken on the way to branches.
    sought_steps: u64,
    /// Whether types have tangents that are those of no field.
    has_own_tangents: bool,
    /// The results and inputs whose derivatives were asked for, and whether they were compared at some sample.
    met: FxHashMap<(Coordinate, Coordinate), Met>,
    /// The largest slope that differences gave for a result and an input, and of all of them.
    steepest: FxHashMap<(Coordinate, Coordinate), f64>,
    steepest_of_all: f64,
    /// Whether the forward and the backward derivative come from the same rules.
    same_rules: bool,
    /// How many times one may still look at what is around a point.
    neighbourhoods_left: u32,
    /// The derivatives, not zero, that are right at some sample: mode, result, input.
    agreed: FxHashSet<(DerivativeKind, Coordinate, Coordinate)>,
    report: Report,
    disagreements: Vec<Disagreement>,
    not_finite: Vec<NotFinite>,
    /// Why the last sample gave nothing to compare.
    nothing: Option<Nothing>,
}

/// The check cannot go on.
struct Stopped;

/// Where a sample comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Drawn {
    /// From the domain, by chance.
    AtRandom,
    /// From an edge, or from where another branch is taken.
    ForAnEdge,
}

/// A float of an input or result, and where its derivative is.
struct Variable {
    at: Spot,
    /// Among the tangents of all inputs (cotangents of all results), or in a buffer.
    tangent: Spot,
    /// What the interface values around it, and around its derivative, hold.
    tags: Vec<Tag>,
    tangent_tags: Vec<Tag>,
    /// Whether there is a forward derivative, too.
    both_ways: bool,
    place: Coordinate,
    /// A change by as much is a large one: the width of the range that is told for it, at most 1.
    unit: f64,
}

impl Variable {
    /// Where its derivative is in a list of slots in which derivatives start at `first`.
    fn tangent_behind(&self, first: usize) -> Spot {
        match self.tangent {
            Spot::Slot(slot) => Spot::Slot(first + slot),
            element @ Spot::Element { .. } => element,
        }
    }

    /// Its value; none where the interface values around it hold something else.
    fn value(&self, point: &Point) -> f64 {
        let holds = |(slot, tag): &Tag| point.slots.get(*slot) == Some(tag);
        if self.tags.iter().all(holds) { point.get(self.at) } else { f64::NAN }
    }

    /// Makes `value` its derivative in a list of slots in which derivatives start at `first`.
    fn set_tangent(&self, point: &mut Point, first: usize, value: f64) {
        for &(slot, tag) in &self.tangent_tags {
            point.slots[first + slot] = tag;
        }
        point.set(self.tangent_behind(first), value);
    }

    /// Its derivative: zero where interface values hold none.
    fn tangent_in(&self, point: &Point, first: usize) -> f64 {
        let holds = |(slot, tag): &Tag| point.slots.get(first + slot) == Some(tag);
        if self.tangent_tags.iter().all(holds) { point.get(self.tangent_behind(first)) } else { 0.0 }
    }
}

/// What is known at one sample.
struct Sample {
    start: Point,
    end: Point,
    /// What the function leaves in variables.
    state: Variables,
    /// Whether a number in the function was too large for `f64`.
    has_overflowed: bool,
    /// By result: by how much rounding may change it.
    noise: Vec<f64>,
    inputs: Vec<Variable>,
    results: Vec<Variable>,
    /// By input: the slopes of the results.
    slopes: Vec<Vec<Difference>>,
    /// By input: how large the slopes of the results are at this sample and at those before, at most 1. What is much smaller
    /// counts as zero.
    scales: Vec<Vec<f64>>,
    /// The same with what types with tangents of their own hold held, if there are such types.
    held: Vec<Vec<Difference>>,
    /// By input: the forward derivatives of the results, if there are any.
    forward: Vec<Option<Vec<f64>>>,
}

/// Whether a derivative of a result by an input was compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Met {
    /// Nothing was said of it.
    Only,
    /// It goes through a type with tangents of its own, so that differences do not tell.
    ThroughOwnTangents,
    /// Differences say nothing; the derivative of the other mode agrees.
    WithOtherMode,
    Compared,
}

/// Whether two slots are equal; floats up to rounding, as rules may compute them in other ways.
fn same_slot(a: u64, b: u64) -> bool {
    let (x, y) = (f64::from_bits(a), f64::from_bits(b));
    a == b || (x - y).abs() <= f64::from(f32::EPSILON) * x.abs().max(y.abs()) && x.is_normal() && y.is_normal()
}

impl<'m> Checker<'m, '_> {
    fn run(&mut self) {
        let tries = self.options.samples.saturating_mul(MAX_TRIES);
        for number in 0..tries {
            if self.report.samples >= self.options.samples {
                break;
            }
            let search = Search::of_try(number, self.report.outside_domain);
            let mut random = self.random.fork();
            let (point, buffers) = self.sampler().random(&mut random, search);
            if number == 0 {
                self.find_pairs(&point, &buffers);
            }
            match self.sample(point, buffers, Drawn::AtRandom) {
                Ok(true) => self.report.samples += 1,
                Ok(false) => self.report.outside_domain += 1,
                Err(Stopped) => return,
            }
        }
        if self.edges().is_err() || self.branches().is_err() {
            return;
        }
        self.check_sum_rule();
        self.check_written_rule();
    }

    /// Samples at edges.
    fn edges(&mut self) -> Result<(), Stopped> {
        let mut seen = FxHashSet::default();
        for number in 0..self.options.edges as usize {
            let mut random = self.random.fork();
            let search = Search::of_try(number as u32, 0);
            let (mut point, buffers) = self.sampler().random(&mut random, search);
            let floats = self.sampler().floats(&point);
            if move_to_edge(number, &mut self.random, &floats, &mut point).is_none() {
                break;
            }
            if seen.insert(point.slots.clone()) {
                self.report.edges += u32::from(self.sample(point, buffers, Drawn::ForAnEdge)?);
            }
        }
        Ok(())
    }

    fn into_report(self) -> Report {
        let untaken = self.untaken();
        let mut report = self.report;
        let values = |slots: &[u64]| values_of(self.module, &self.layouts, self.functions.primal, slots);
        report.untaken = untaken;
        let mut never: Vec<(Coordinate, Coordinate, Met)> =
            self.met.into_iter().map(|((result, input), met)| (result, input, met)).collect();
        never.retain(|(.., met)| *met != Met::Compared);
        never.sort_by_key(|(result, input, _)| (result.to_string(), input.to_string()));
        for (result, input, met) in never {
            match met {
                Met::ThroughOwnTangents => report.through_own_tangents.push((result, input)),
                Met::WithOtherMode => report.with_other_mode.push((result, input)),
                Met::Only | Met::Compared => report.never_compared.push((result, input)),
            }
        }
        report.findings.extend(findings::not_finite(self.not_finite, values));
        report.findings.extend(findings::grouped(self.disagreements, &self.agreed, values));
        let failed = report.findings.iter().any(|finding| matches!(finding.kind, FindingKind::Failed { .. }));
        if report.compared() == 0 && (failed || report.findings.is_empty()) {
            let samples = report.samples + report.edges;
            report.nothing = Some(match self.nothing {
                _ if failed => Nothing::Failed,
                _ if report.ended_after.is_some() => Nothing::TooManySteps,
                _ if samples == 0 && report.discarded > 0 && report.discarded == report.outside_domain => {
                    Nothing::Discarded
                }
                _ if samples == 0 && report.beyond_bounds > 0 => Nothing::BeyondBounds,
                _ if samples == 0 => Nothing::OutsideDomain,
                Some(nothing) => nothing,
                None => Nothing::Unsettled,
            });
        }
        report
    }

    fn sampler(&self) -> Sampler<'_, 'm> {
        Sampler {
            module: self.module,
            layouts: &self.layouts,
            func: self.functions.primal,
            ranges: &self.options.ranges,
            turn: &self.turn,
        }
    }

    fn find(&mut self, start: &Point, kind: FindingKind) {
        let inputs = values_of(self.module, &self.layouts, self.functions.primal, &start.slots);
        self.report.findings.push(Finding { kind, inputs });
    }

    /// Runs the backward derivative, to see which buffers and variables it adds derivatives to: those hold something else if it
    /// is asked for twice as much.
    fn find_pairs(&mut self, point: &Point, buffers: &Buffers) {
        let Some(vjp) = self.functions.vjp else { return };
        if buffers.all.is_empty() && self.sources.variables_of_rules.is_empty() {
            return;
        }
        let mut end = point.clone();
        if self.machine.call_slots(self.functions.primal, &point.slots, &mut end.memory).is_err() {
            return;
        }
        let size = components::cotangent_size(self.module, &self.layouts, self.functions.primal);
        let mut derive = |cotangent: f64| {
            let mut start = point.with(&vec![cotangent.to_bits(); size]);
            self.machine.call_slots(vjp, &start.slots, &mut start.memory).ok()?;
            Some((start.memory, self.machine.take_state()))
        };
        let (Some((once, left)), Some((twice, left_twice))) = (derive(1.0), derive(2.0)) else { return };
        if self.sources.variables_of_rules.iter().any(|variable| left.get(variable) != left_twice.get(variable)) {
            self.pairs.alone.extend(self.sources.variables_read.iter().cloned());
        }
        let (Some(of_function), Some(of_derivative)) = (end.memory.exact_floats, &once.exact_floats) else {
            return;
        };
        let touched: BTreeSet<_> = of_function.read.union(&of_function.written).copied().collect();
        let made = of_derivative.written.difference(&touched).copied().collect();
        let variables = std::mem::take(&mut self.pairs.alone);
        self.pairs = buffers.pairs_by_use(&of_function.read, &made);
        self.pairs.alone.extend(variables);
        // A counter is no derivative.
        let is_derivative = |(buffer, byte): &(BufferId, u64)| {
            let there = |memory: &Memory| {
                memory.bytes(*buffer).iter().skip(*byte as usize).take(8).copied().collect::<Vec<_>>()
            };
            there(&once) != there(&twice)
        };
        let integers = of_derivative.written_integers.difference(&of_function.written_integers);
        let integers: BTreeSet<_> = integers.copied().filter(is_derivative).collect();
        self.pairs.alone.extend(buffers.without_derivatives(&integers).cloned());
    }

    /// Checks everything at one sample; whether it was inside the domain. What fails at an edge was not meant to be there,
    /// and what is not a number is outside of every domain, whatever the function makes of it.
    fn sample(&mut self, start: Point, buffers: Buffers, drawn: Drawn) -> Result<bool, Stopped> {
        self.go_on()?;
        let floats = self.sampler().floats(&start);
        let is_finite = floats.iter().all(|(slot, _)| start.get(Spot::Slot(*slot)).is_finite());
        let is_inside = is_finite && self.compare_at(start, buffers, drawn)?;
        let Some(coverage) = &mut self.machine.coverage else { return Ok(is_inside) };
        for side in std::mem::take(&mut coverage.fresh) {
            if !is_inside {
                coverage.sides.remove(&side);
                self.outside.insert(side);
            }
        }
        Ok(is_inside)
    }

    /// Whether calls have taken all the steps that they may take together.
    fn is_at_end(&self) -> bool {
        self.machine.all_steps() >= self.options.all_steps
    }

    /// Ends the check if it has taken too many steps. It is not asked for the time, so that a check does the same everywhere.
    fn go_on(&mut self) -> Result<(), Stopped> {
        if !self.is_at_end() {
            return Ok(());
        }
        self.report.ended_after = Some(self.options.all_steps);
        Err(Stopped)
    }

    /// Runs around the sample take branches that it does not.
    fn uncovered<T>(&mut self, run: impl FnOnce(&mut Self) -> T) -> T {
        let coverage = self.machine.coverage.take();
        let result = run(self);
        self.machine.coverage = coverage;
        result
    }

    fn compare_at(&mut self, mut start: Point, mut buffers: Buffers, drawn: Drawn) -> Result<bool, Stopped> {
        buffers.pair_found(&self.pairs, &mut start);
        let mut end = start.clone();
        let (slots, tape) = match self.machine.call_recording(self.functions.primal, &start.slots, &mut end.memory) {
            Ok(recorded) => recorded,
            Err(InterpError::Discarded) => {
                self.report.discarded += u32::from(drawn == Drawn::AtRandom);
                return Ok(false);
            }
            Err(_) if drawn == Drawn::ForAnEdge => return Ok(false),
            Err(error) => {
                self.find(&start, FindingKind::Failed { kind: None, error });
                return Err(Stopped);
            }
        };
        end.slots = slots;
        if self.machine.is_beyond_bound {
            self.report.beyond_bounds += 1;
            return Ok(false);
        }
        let steps_left = self.machine.steps_left;
        let (inputs, results) = self.variables(&start, &end, &buffers);
        let largest = self.options.largest_result;
        let floats = self.result_floats();
        let of_slots = floats.iter().map(|(slot, _)| Spot::Slot(*slot));
        let mut all = of_slots.chain(results.iter().map(|result| result.at));
        if !all.all(|spot| end.get(spot).abs() <= largest) {
            return Ok(false);
        }
        let state = self.machine.take_state();
        let has_overflowed = self.machine.has_overflowed;
        match (inputs.is_empty(), results.is_empty()) {
            (true, _) if self.is_constant(&end) => self.nothing = Some(Nothing::Constant),
            (true, _) => self.nothing = Some(Nothing::NoInput),
            (false, true) => self.nothing = Some(Nothing::NoResult),
            (false, false) => self.nothing = None,
        }
        let (slopes, scales, held) = (Vec::new(), Vec::new(), Vec::new());
        let (noise, forward) = (Vec::new(), inputs.iter().map(|_| None).collect());
        self.tape = tape;
        let mut sample =
            Sample { start, end, state, has_overflowed, noise, inputs, results, slopes, scales, held, forward };
        self.report.directions += sample.inputs.len() as u32;
        self.uncovered(|checker| {
            sample.noise = checker.noise(&sample, steps_left);
            (sample.slopes, sample.scales) = checker.slopes(&sample);
            checker.note_slopes(&sample);
            if checker.has_own_tangents {
                sample.held = checker.held_slopes(&sample);
            }
        });
        // Slopes may be missing.
        self.go_on()?;
        self.check_forward(&mut sample)?;
        self.check_backward(&sample)?;
        Ok(true)
    }

    /// Whether the function takes nothing, and has read nothing.
    fn is_constant(&self, end: &Point) -> bool {
        let has_read = end.memory.exact_floats.as_ref().is_some_and(|floats| !floats.read.is_empty());
        self.module.funcs[self.functions.primal].inputs.is_empty() && !has_read
    }

    /// The inputs to move and the results to look at: of too many, some.
    fn variables(&mut self, start: &Point, end: &Point, buffers: &Buffers) -> (Vec<Variable>, Vec<Variable>) {
        let func = self.functions.primal;
        let variable = |component: Component| {
            let Component { slot, tangent_slot, tags, tangent_tags, place } = component;
            let (at, tangent) = (Spot::Slot(slot), Spot::Slot(tangent_slot));
            Variable { at, tangent, tags, tangent_tags, both_ways: true, place, unit: 1.0 }
        };
        let inputs = components::components(self.module, &self.layouts, func, &start.slots);
        let mut inputs: Vec<Variable> = inputs.into_iter().map(variable).collect();
        let results = components::result_components(self.module, &self.layouts, func, &end.slots);
        let mut results: Vec<Variable> = results.into_iter().map(variable).collect();
        if let Some(floats) = &end.memory.exact_floats {
            let element = |address| {
                let element = buffers.derivative_of(address)?;
                let place = Coordinate {
                    name: element.buffer.name.clone(),
                    component: element.component,
                    path: element.path(),
                };
                let (at, tangent) = (element.at, element.tangent);
                let both_ways = element.both_ways && self.sources.forward_is_written;
                let (tags, tangent_tags) = (Vec::new(), Vec::new());
                Some(Variable { at, tangent, tags, tangent_tags, both_ways, place, unit: 1.0 })
            };
            // What no rule makes derivatives of is data.
            let told = match self.pairs.alone.is_empty() {
                true => &mut self.report.data_buffers,
                false => &mut self.report.uncompared_buffers,
            };
            for name in buffers.without_derivatives(&floats.read) {
                if !told.contains(name) {
                    told.push(name.clone());
                }
            }
            // Of a texture, say: what its derivatives are left in is all that has a name.
            if self.report.uncompared_buffers.is_empty() {
                self.report.uncompared_buffers.extend(self.pairs.alone.iter().cloned());
            }
            // What is written is a result, whether or not it was read before.
            let only_read = floats.read.difference(&floats.written);
            inputs.extend(only_read.filter_map(|address| element(*address)));
            results.extend(floats.written.iter().filter_map(|address| element(*address)));
        }
        for variables in [&mut inputs, &mut results] {
            while variables.len() > self.options.directions {
                let one = self.random.usize(0..variables.len());
                variables.swap_remove(one);
            }
        }
        for input in &mut inputs {
            input.unit = self.sampler().unit(&input.place.name);
        }
        (inputs, results)
    }

    /// The floats of all results, by slot.
    fn result_floats(&self) -> Vec<(usize, Coordinate)> {
        let func = &self.module.funcs[self.functions.primal];
        float_slots(&self.layouts, func.results.iter().map(|result| (&result.name, result.ty)))
    }

    /// The slopes with everything held that the source marks, also in types with tangents of their own.
    fn held_slopes(&mut self, sample: &Sample) -> Vec<Vec<Difference>> {
        self.machine.own_tangents = OwnTangents::Hold;
        let (func, mut end) = (self.functions.primal, sample.start.clone());
        let recorded = self.machine.call_recording(func, &sample.start.slots, &mut end.memory);
        let slopes = recorded.map_or_else(
            |_| Vec::new(),
            |(_, tape)| {
                let moving = std::mem::replace(&mut self.tape, tape);
                let (slopes, _) = self.slopes(sample);
                self.tape = moving;
                slopes
            },
        );
        self.machine.own_tangents = OwnTangents::Move;
        slopes
    }

    /// By input: the slopes of the results, and their scales.
    fn slopes(&mut self, sample: &Sample) -> (Vec<Vec<Difference>>, Vec<Vec<f64>>) {
        // Much better than what is asked for.
        let tolerance = self.options.tolerance / 10.0;
        let func = self.functions.primal;
        let results = self.module.funcs[func].results.iter().map(|result| result.ty);
        let optionals = optional_slots(&self.layouts, results);
        // What an optional value holds has no meaning where it holds nothing: between the two the function jumps.
        let is_other_choice = |point: &Point, at: Spot| match at {
            Spot::Slot(slot) => optionals
                .iter()
                .any(|(held, flag)| held.contains(&slot) && point.slots.get(*flag) != sample.end.slots.get(*flag)),
            Spot::Element { .. } => false,
        };
        let value = |point: &Point, result: &Variable| match is_other_choice(point, result.at) {
            true => f64::NAN,
            false => result.value(point),
        };
        let values = |point: &Point| sample.results.iter().map(|result| value(point, result)).collect::<Vec<f64>>();
        let (mut slopes, mut scales) = (Vec::new(), Vec::new());
        for input in &sample.inputs {
            if self.is_at_end() {
                break;
            }
            let known = sample.results.iter().map(|result| self.known_scale(result, input)).collect();
            let at = (values(&sample.end), sample.noise.clone(), known);
            let differences = Differences::around((sample.start.get(input.at), input.unit), at, tolerance, |value| {
                let mut moved = sample.start.clone();
                moved.set(input.at, value);
                let slots = self.machine.call_frozen(func, &moved.slots, &mut moved.memory, &mut self.tape)?;
                Some(values(&Point { slots, memory: moved.memory }))
            });
            let of_results = || 0..sample.results.len();
            slopes.push(of_results().map(|result| differences.of(result)).collect());
            scales.push(of_results().map(|result| differences.scale(result)).collect());
        }
        (slopes, scales)
    }

    /// How large the slopes of a result in an input were so far, at most 1. Beside much larger ones of others, small ones may be
    /// rounding.
    fn known_scale(&self, result: &Variable, input: &Variable) -> f64 {
        let known = self.steepest.get(&(result.place.clone(), input.place.clone()));
        known.copied().unwrap_or(0.0).max(NEGLIGIBLE * self.steepest_of_all).min(1.0)
    }

    /// Takes note of how steep the function is.
    fn note_slopes(&mut self, sample: &Sample) {
        for (input, slopes) in sample.inputs.iter().zip(&sample.slopes) {
            for (result, slope) in sample.results.iter().zip(slopes) {
                if let Difference::Slope { slope, .. } = slope {
                    let known = self.steepest.entry((result.place.clone(), input.place.clone())).or_default();
                    *known = known.max(slope.abs());
                    self.steepest_of_all = self.steepest_of_all.max(slope.abs());
                }
            }
        }
    }

    /// Calls a derivative from `start`; it gives `expected` slots.
    fn call(
        &mut self,
        kind: DerivativeKind,
        func: FuncId,
        sample: &Sample,
        mut start: Point,
        expected: usize,
    ) -> Result<Point, Stopped> {
        self.go_on()?;
        let error = match self.machine.call_slots(func, &start.slots, &mut start.memory) {
            Ok(slots) if slots.len() == expected => match self.changed_variable(&sample.state) {
                None => return Ok(Point { slots, memory: start.memory }),
                Some(variable) => {
                    self.find(&sample.start, FindingKind::StateChanged { kind, variable });
                    return Err(Stopped);
                }
            },
            Ok(_) => InterpError::ArgumentMismatch(self.module.funcs[func].name.clone()),
            Err(error) => error,
        };
        self.find(&sample.start, FindingKind::Failed { kind: Some(kind), error });
        Err(Stopped)
    }

    /// The first variable that the last call left otherwise than `state`. What rules that are written by hand do with variables
    /// is their business: derivatives may be added up there.
    fn changed_variable(&mut self, state: &Variables) -> Option<SmolStr> {
        let left = self.machine.take_state();
        let of_rules = &self.sources.variables_of_rules;
        let mut globals = self.module.globals.iter().filter(|(id, _)| !of_rules.contains(id));
        let changed = globals.find(|(id, _)| match (state.get(id), left.get(id)) {
            (Some(expected), Some(found)) => expected.iter().zip(found).any(|(a, b)| !same_slot(*a, *b)),
            _ => false,
        });
        changed.map(|(_, global)| global.name.clone())
    }

    /// Whether two numbers agree, relative to them or to a scale, beyond an uncertainty of one of them.
    fn agree(&self, found: f64, expected: f64, scale: f64, uncertainty: f64) -> bool {
        let scale = found.abs().max(expected.abs()).max(scale);
        (found - expected).abs() <= self.options.tolerance * scale + uncertainty
    }

    /// A tangent or cotangent: of either sign and not 1, so that what is squared or forgotten is seen.
    fn weight(&mut self) -> f64 {
        let size = 0.5 + 1.5 * self.random.f64();
        if self.random.bool() { size } else { -size }
    }

    fn check_forward(&mut self, sample: &mut Sample) -> Result<(), Stopped> {
        let Some(jvp) = self.functions.jvp else { return Ok(()) };
        let func = self.functions.primal;
        let (first, first_result) = (sample.start.slots.len(), sample.end.slots.len());
        let blank = sample.start.with(&vec![0; components::tangent_size(self.module, &self.layouts, func)]);
        let size = first_result + components::cotangent_size(self.module, &self.layouts, func);
        let found_at = |end: &Point| -> Vec<f64> {
            sample.results.iter().map(|result| result.tangent_in(end, first_result)).collect()
        };
        let moved: Vec<usize> = (0..sample.inputs.len()).filter(|&input| sample.inputs[input].both_ways).collect();
        let (mut together, mut sums) = (blank.clone(), vec![(0.0, 0.0); sample.results.len()]);
        let mut forward: Vec<Option<Vec<f64>>> = sample.inputs.iter().map(|_| None).collect();
        for &input in &moved {
            let (mut start, weight) = (blank.clone(), self.weight());
            sample.inputs[input].set_tangent(&mut start, first, weight);
            sample.inputs[input].set_tangent(&mut together, first, weight);
            let end = self.call(DerivativeKind::Jvp, jvp, sample, start.clone(), size)?;
            self.check_values(sample, &end)?;
            let found = found_at(&end);
            for (result, &found) in found.iter().enumerate() {
                add(&mut sums[result], found);
                let place = sample.results[result].tangent_behind(first_result);
                let seed = Some(sample.inputs[input].tangent_behind(first));
                let scale = sample.scales[input][result];
                let run =
                    Derivation { mode: DerivativeKind::Jvp, func: jvp, start: &start, weight, seed, place, scale };
                self.judge(sample, (result, input), found / weight, None, &run);
            }
            forward[input] = Some(found.iter().map(|found| found / weight).collect());
        }
        if moved.len() > 1 {
            let end = self.call(DerivativeKind::Jvp, jvp, sample, together.clone(), size)?;
            for (result, found) in found_at(&end).into_iter().enumerate() {
                let place = sample.results[result].tangent_behind(first_result);
                let (mode, weight, seed) = (DerivativeKind::Jvp, 1.0, None);
                let scale = moved.iter().map(|&input| sample.scales[input][result]).fold(0.0, f64::max);
                let run = Derivation { mode, func: jvp, start: &together, weight, seed, place, scale };
                self.check_sum(sample, &sample.results[result].place, found, sums[result], &run);
            }
        }
        sample.forward = forward;
        Ok(())
    }

    /// The primal results of a forward derivative are those of the function.
    fn check_values(&mut self, sample: &Sample, end: &Point) -> Result<(), Stopped> {
        for (slot, result) in self.result_floats() {
            let (found, expected) = (end.get(Spot::Slot(slot)), sample.end.get(Spot::Slot(slot)));
            if !self.agree(found, expected, 1.0, 0.0) {
                self.find(&sample.start, FindingKind::PrimalChanged { result, found, expected });
                // The same in every direction.
                return Err(Stopped);
            }
        }
        Ok(())
    }

    fn check_backward(&mut self, sample: &Sample) -> Result<(), Stopped> {
        let Some(vjp) = self.functions.vjp else { return Ok(()) };
        let func = self.functions.primal;
        let first = sample.start.slots.len();
        let blank = sample.start.with(&vec![0; components::cotangent_size(self.module, &self.layouts, func)]);
        let size = components::tangent_size(self.module, &self.layouts, func);
        let (mut together, mut sums) = (blank.clone(), vec![(0.0, 0.0); sample.inputs.len()]);
        for result in 0..sample.results.len() {
            let (mut start, weight) = (blank.clone(), self.weight());
            sample.results[result].set_tangent(&mut start, first, weight);
            sample.results[result].set_tangent(&mut together, first, weight);
            let end = self.call(DerivativeKind::Vjp, vjp, sample, start.clone(), size)?;
            for (number, input) in sample.inputs.iter().enumerate() {
                let found = input.tangent_in(&end, 0);
                add(&mut sums[number], found);
                let forward = sample.forward[number].as_ref().map(|forward| forward[result]);
                let place = input.tangent_behind(0);
                let seed = Some(sample.results[result].tangent_behind(first));
                let scale = sample.scales[number][result];
                let run =
                    Derivation { mode: DerivativeKind::Vjp, func: vjp, start: &start, weight, seed, place, scale };
                self.judge(sample, (result, number), found / weight, forward, &run);
            }
        }
        if sample.results.len() > 1 {
            let end = self.call(DerivativeKind::Vjp, vjp, sample, together.clone(), size)?;
            for ((input, sum), scales) in sample.inputs.iter().zip(sums).zip(&sample.scales) {
                let place = input.tangent_behind(0);
                let (mode, weight, seed) = (DerivativeKind::Vjp, 1.0, None);
                let scale = scales.iter().copied().fold(0.0, f64::max);
                let run = Derivation { mode, func: vjp, start: &together, weight, seed, place, scale };
                self.check_sum(sample, &input.place, input.tangent_in(&end, 0), sum, &run);
            }
        }
        Ok(())
    }

    /// Compares the derivative of one result by one input with its slope, or else with the forward derivative.
    fn judge(
        &mut self,
        sample: &Sample,
        (result, input): (usize, usize),
        found: f64,
        forward: Option<f64>,
        run: &Derivation<'_>,
    ) {
        let places = (sample.results[result].place.clone(), sample.inputs[input].place.clone());
        self.meet(&places, Met::Only);
        let forward = forward.filter(|forward| forward.is_finite());
        let (difference, scale) = (sample.slopes[input][result], sample.scales[input][result]);
        // What the other derivative has counted already.
        let is_new = run.mode == DerivativeKind::Jvp || self.functions.jvp.is_none() || forward.is_none();
        if is_new {
            self.note(&places, difference, found);
        }
        if !found.is_finite() {
            return self.not_finite(sample, places, found, run);
        }
        let (basis, expected, uncertainty) = match (difference, forward) {
            (Difference::Slope { slope, uncertainty }, Some(forward))
                if self.agree(forward, slope, scale, uncertainty) =>
            {
                (Basis::Differences, forward, 0.0)
            }
            (Difference::Slope { slope, uncertainty }, _) => (Basis::Differences, slope, uncertainty),
            (Difference::Kink { left, right }, _) if self.is_between(found, (left, right), scale) => {
                self.meet(&places, Met::Compared);
                self.report.agreement(run.mode).compared += 1;
                return;
            }
            // What is written for the function itself chooses once; what is made of several choices may lie beyond.
            (Difference::Kink { left, right }, _) if is_written(self.module, self.functions.primal, run.mode) => {
                let nearer = if (found - left).abs() < (found - right).abs() { left } else { right };
                (Basis::Kink { left, right }, nearer, 0.0)
            }
            // Rules that differ may choose differently where there is no one slope.
            (Difference::Kink { .. } | Difference::Unsettled, Some(forward)) if self.same_rules => {
                (Basis::Forward, forward, 0.0)
            }
            (Difference::Kink { .. } | Difference::Unsettled, _) => return,
        };
        if self.agree(found, expected, scale, uncertainty) {
            let met = match basis {
                Basis::Differences | Basis::Kink { .. } => Met::Compared,
                Basis::Forward => Met::WithOtherMode,
            };
            self.meet(&places, met);
        } else if self.is_by_own_tangents(sample, (result, input)) {
            return self.meet(&places, Met::ThroughOwnTangents);
        }
        let wrong = Wrong { result: places.0, input: places.1, found, expected };
        if self.agree(found, expected, scale, uncertainty) {
            self.report.agreement(run.mode).compared += 1;
            if expected.abs() > self.options.tolerance * scale {
                self.agreed.insert((run.mode, wrong.result, wrong.input));
            }
            return;
        }
        if self.uncovered(|checker| checker.is_rounding(run, found, expected)) {
            self.report.unsettled += 1;
            return;
        }
        let is_new_kink = is_new && !matches!(basis, Basis::Kink { .. });
        match self.uncovered(|checker| checker.around(sample, (result, input), found)) {
            Around::Slopes
                if basis != Basis::Forward
                    && self.uncovered(|checker| checker.is_wrong_at_tie(sample, (result, input), run)) =>
            {
                self.report.kinks += u32::from(is_new_kink);
                return;
            }
            Around::Slopes => {}
            Around::Bent => {
                self.report.kinks += u32::from(is_new_kink);
                return;
            }
            Around::NotLooked => {
                self.report.unsettled += u32::from(is_new);
                return;
            }
        }
        self.meet(&(wrong.result.clone(), wrong.input.clone()), Met::Compared);
        let agreement = self.report.agreement(run.mode);
        agreement.compared += 1;
        agreement.wrong += 1;
        if self.disagreements.len() < MAX_DISAGREEMENTS {
            let inputs = sample.start.slots.clone();
            self.disagreements.push(Disagreement { mode: run.mode, basis, wrong, inputs });
        }
    }

    fn meet(&mut self, places: &(Coordinate, Coordinate), met: Met) {
        match self.met.get_mut(places) {
            Some(known) => *known = met.max(*known),
            None => drop(self.met.insert(places.clone(), met)),
        }
    }

    /// Whether a slope comes by way of a type with tangents of its own: it is another if what such types hold is held. How
    /// they move is known to the rules that are written for them alone.
    fn is_by_own_tangents(&self, sample: &Sample, (result, input): (usize, usize)) -> bool {
        let held = sample.held.get(input).and_then(|held| held.get(result));
        let scale = sample.scales[input][result];
        match (held, sample.slopes[input][result]) {
            (None, _) => false,
            (Some(Difference::Slope { slope: held, uncertainty: a }), Difference::Slope { slope, uncertainty: b }) => {
                !self.agree(*held, slope, scale, a + b)
            }
            (Some(_), _) => true,
        }
    }

    /// Counts what differences do not say.
    fn note(&mut self, (result, input): &(Coordinate, Coordinate), difference: Difference, found: f64) {
        match difference {
            Difference::Slope { .. } => {}
            Difference::Kink { left, right } => {
                self.report.kinks += 1;
                let places = &mut self.report.kink_places;
                let is_new = places.iter().all(|known| (&known.result, &known.input) != (result, input));
                if is_new && places.len() < MAX_TOLD {
                    places.push(Kink { result: result.clone(), input: input.clone(), left, right, found });
                }
            }
            Difference::Unsettled => {
                self.report.unsettled += 1;
                let (places, place) = (&mut self.report.unsettled_places, (result.clone(), input.clone()));
                if !places.contains(&place) && places.len() < MAX_TOLD {
                    places.push(place);
                }
            }
        }
    }

    fn not_finite(
        &mut self,
        sample: &Sample,
        (result, input): (Coordinate, Coordinate),
        found: f64,
        run: &Derivation<'_>,
    ) {
        if sample.has_overflowed || self.is_too_large(run) {
            self.report.overflows += 1;
            return;
        }
        self.meet(&(result.clone(), input.clone()), Met::Compared);
        let agreement = self.report.agreement(run.mode);
        agreement.compared += 1;
        agreement.not_finite += 1;
        let same = |known: &NotFinite| (known.mode, &known.result, &known.input) == (run.mode, &result, &input);
        if self.not_finite.iter().any(same) {
            return;
        }
        let origin = match self.not_finite.len() < MAX_ORIGINS {
            true => origin::find_in_derivative(
                &mut self.machine,
                (run.func, run.start),
                run.place,
                (self.functions.primal, &sample.start),
            ),
            false => None,
        };
        let inputs = sample.start.slots.clone();
        self.not_finite.push(NotFinite { mode: run.mode, result, input, found, origin, inputs });
    }

    /// Whether derivatives in all directions together are the sum of those in each alone, given with their size.
    fn check_sum(
        &mut self,
        sample: &Sample,
        place: &Coordinate,
        found: f64,
        (sum, size): (f64, f64),
        run: &Derivation<'_>,
    ) {
        let is_finite = found.is_finite() && size.is_finite();
        let tolerance = self.options.tolerance * size.max(run.scale);
        if !is_finite || (found - sum).abs() <= tolerance || self.is_rounding(run, found, sum) {
            return;
        }
        let known = |finding: &Finding| matches!(finding.kind, FindingKind::NotLinear { mode, .. } if mode == run.mode);
        if !self.report.findings.iter().any(known) {
            let (mode, place) = (run.mode, place.clone());
            self.find(&sample.start, FindingKind::NotLinear { mode, place, found, expected: sum });
        }
    }
}

/// Adds a number to a sum and its size to that of the sum.
fn add((sum, size): &mut (f64, f64), number: f64) {
    *sum += number;
    *size += number.abs();
}

/// A run of a derivative, to be done again.
struct Derivation<'a> {
    mode: DerivativeKind,
    func: FuncId,
    start: &'a Point,
    /// The tangent or cotangent that it starts with, and where it is, if there is one alone.
    weight: f64,
    seed: Option<Spot>,
    /// Where the derivative in question is at its end.
    place: Spot,
    /// How large such derivatives are, at most 1.
    scale: f64,
}

/// Slots of the inputs as values.
pub(super) fn values_of(module: &Module, layouts: &Layouts<'_>, func: FuncId, mut slots: &[u64]) -> Vec<Value> {
    let types = module.funcs[func].inputs.iter().map(|input| -> Type { module.types.get(input.ty) });
    types.map(|ty| from_slots(layouts, ty, &mut slots)).collect()
}
