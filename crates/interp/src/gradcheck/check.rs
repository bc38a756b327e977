//! The check itself: samples, and at each of them the derivatives of all results by all inputs.

mod branches;
mod doubts;
mod sums;
mod written;

use std::collections::BTreeSet;

use ir::{DerivativeKind, FuncId, Module, Type, number::Precision};
use rustc_hash::FxHashSet;
use smol_str::SmolStr;

use doubts::{Around, has_same_rules};

use super::{
    Basis, Finding, FindingKind, Functions, Kink, Nothing, Options, Place, Report, Wrong,
    buffers::{Buffers, Pairs},
    components::{self, float_slots},
    differences::{Difference, Differences},
    findings::{self, Disagreement, NotFinite},
    origin,
    point::{Point, Spot},
    sample::{Sampler, Search, move_to_edge},
};
use crate::{
    InterpError, Machine, Value, coverage::Coverage, layout::Layouts, machine::Variables, tape::Tape, value::from_slots,
};

/// Samples outside the domain, per sample inside it, after which the checker gives up.
const MAX_TRIES: u32 = 16;

/// Kinks, and places that did not settle, that are told; the others are only counted.
const MAX_TOLD: usize = 4;

/// Disagreements after which the rest is more of the same.
const MAX_DISAGREEMENTS: usize = 1 << 12;

/// Derivatives that are not finite of which the origin is looked for.
const MAX_ORIGINS: usize = 32;

pub(super) fn run(module: &Module, functions: Functions, options: &Options) -> Report {
    let mut machine = Machine::new(module, Precision::F64, options.limits);
    machine.coverage = Some(Coverage::default());
    let mut checker = Checker {
        module,
        machine,
        layouts: Layouts::new(&module.types),
        functions,
        options,
        random: fastrand::Rng::with_seed(options.seed),
        pairs: Pairs::default(),
        tape: Tape::default(),
        sources: branches::sources(module, functions.primal),
        same_rules: has_same_rules(module, functions.primal),
        neighbourhoods_left: doubts::MOST_NEIGHBOURHOODS,
        agreed: FxHashSet::default(),
        report: Report::default(),
        disagreements: Vec::new(),
        not_finite: Vec::new(),
        nothing: None,
    };
    checker.report.unmoved_inputs = components::unmoved_inputs(module, functions.primal);
    checker.report.uncompared_results = components::uncompared_results(module, functions.primal);
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
    /// Buffers that belong together by how the backward derivative uses them.
    pairs: Pairs,
    /// The values that are held at the sample.
    tape: Tape,
    /// The functions that stand in the source, generated ones left out.
    sources: BTreeSet<FuncId>,
    /// Whether the forward and the backward derivative come from the same rules.
    same_rules: bool,
    /// How many times one may still look at what is around a point.
    neighbourhoods_left: u32,
    /// The derivatives, not zero, that are right at some sample: mode, result, input.
    agreed: FxHashSet<(DerivativeKind, Place, Place)>,
    report: Report,
    disagreements: Vec<Disagreement>,
    not_finite: Vec<NotFinite>,
    /// Why the last sample gave nothing to compare.
    nothing: Option<Nothing>,
}

/// The check cannot go on.
struct Stopped;

/// A float of an input or result, and where its derivative is.
struct Variable {
    at: Spot,
    /// Among the tangents of all inputs (cotangents of all results), or in a buffer.
    tangent: Spot,
    /// Whether there is a forward derivative, too.
    both_ways: bool,
    place: Place,
}

impl Variable {
    /// Where its derivative is in a list of slots in which derivatives start at `first`.
    fn tangent_behind(&self, first: usize) -> Spot {
        match self.tangent {
            Spot::Slot(slot) => Spot::Slot(first + slot),
            element @ Spot::Element { .. } => element,
        }
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
    /// By input: the forward derivatives of the results, if there are any.
    forward: Vec<Option<Vec<f64>>>,
}

/// Whether two slots are equal; floats up to the rounding of constants, which are folded in the precision of their type.
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
            match self.sample(point, buffers, true) {
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
            let floats = self.sampler().floats();
            if move_to_edge(number, &mut self.random, &floats, &mut point).is_none() {
                break;
            }
            if seen.insert(point.slots.clone()) {
                self.report.edges += u32::from(self.sample(point, buffers, false)?);
            }
        }
        Ok(())
    }

    fn into_report(self) -> Report {
        let untaken = self.untaken();
        let mut report = self.report;
        let values = |slots: &[u64]| values_of(self.module, &self.layouts, self.functions.primal, slots);
        report.untaken = untaken;
        report.findings.extend(findings::not_finite(self.not_finite, values));
        report.findings.extend(findings::grouped(self.disagreements, &self.agreed, values));
        let failed = report.findings.iter().any(|finding| matches!(finding.kind, FindingKind::Failed { .. }));
        if report.compared() == 0 && (failed || report.findings.is_empty()) {
            let samples = report.samples + report.edges;
            report.nothing = Some(match self.nothing {
                _ if failed => Nothing::Failed,
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
        }
    }

    fn find(&mut self, start: &Point, kind: FindingKind) {
        let inputs = values_of(self.module, &self.layouts, self.functions.primal, &start.slots);
        self.report.findings.push(Finding { kind, inputs });
    }

    /// Runs the backward derivative once, to see which buffers it adds derivatives to.
    fn find_pairs(&mut self, point: &Point, buffers: &Buffers) {
        let Some(vjp) = self.functions.vjp.filter(|_| !buffers.all.is_empty()) else { return };
        let mut end = point.clone();
        if self.machine.call_slots(self.functions.primal, &point.slots, &mut end.memory).is_err() {
            return;
        }
        let size = components::cotangent_size(self.module, &self.layouts, self.functions.primal);
        let mut start = point.with(&vec![1f64.to_bits(); size]);
        if self.machine.call_slots(vjp, &start.slots, &mut start.memory).is_err() {
            return;
        }
        let (Some(of_function), Some(of_derivative)) = (end.memory.exact_floats, start.memory.exact_floats) else {
            return;
        };
        let touched: BTreeSet<_> = of_function.read.union(&of_function.written).copied().collect();
        let made = of_derivative.written.difference(&touched).copied().collect();
        self.pairs = buffers.pairs_by_use(&of_function.read, &made);
    }

    /// Checks everything at one sample; whether it was inside the domain. What fails at an edge was not meant to be there.
    fn sample(&mut self, mut start: Point, mut buffers: Buffers, is_random: bool) -> Result<bool, Stopped> {
        buffers.pair_found(&self.pairs, &mut start);
        let mut end = start.clone();
        let (slots, tape) = match self.machine.call_recording(self.functions.primal, &start.slots, &mut end.memory) {
            Ok(recorded) => recorded,
            Err(_) if !is_random => return Ok(false),
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
        let (inputs, results) = self.variables(&end, &buffers);
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
            (false, true) if self.report.uncompared_results.is_empty() => self.nothing = Some(Nothing::NoResult),
            (false, true) => self.nothing = Some(Nothing::InterfaceResult),
            (false, false) => self.nothing = None,
        }
        let (slopes, forward) = (Vec::new(), inputs.iter().map(|_| None).collect());
        let noise = Vec::new();
        self.tape = tape;
        let mut sample = Sample { start, end, state, has_overflowed, noise, inputs, results, slopes, forward };
        self.report.directions += sample.inputs.len() as u32;
        sample.noise = self.noise(&sample, steps_left);
        self.slopes(&mut sample);
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
    fn variables(&mut self, end: &Point, buffers: &Buffers) -> (Vec<Variable>, Vec<Variable>) {
        let func = self.functions.primal;
        let slot =
            |at, tangent, place| Variable { at: Spot::Slot(at), tangent: Spot::Slot(tangent), both_ways: true, place };
        let inputs = components::components(self.module, func).into_iter();
        let mut inputs: Vec<Variable> =
            inputs.map(|input| slot(input.input_slot, input.tangent_slot, input.place)).collect();
        let results = components::result_derivatives(self.module, &self.layouts, func).into_iter();
        let mut results: Vec<Variable> =
            results.map(|result| slot(result.result_slot, result.tangent_slot, result.place)).collect();
        if let Some(floats) = &end.memory.exact_floats {
            let element = |address| {
                let element = buffers.derivative_of(address)?;
                let place =
                    Place { name: element.buffer.name.clone(), component: element.component, path: element.path() };
                let (at, tangent, both_ways) = (element.at, element.tangent, element.both_ways);
                Some(Variable { at, tangent, both_ways, place })
            };
            for name in buffers.without_derivatives(&floats.read) {
                if !self.report.uncompared_buffers.contains(name) {
                    self.report.uncompared_buffers.push(name.clone());
                }
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
        (inputs, results)
    }

    /// The floats of all results, by slot.
    fn result_floats(&self) -> Vec<(usize, Place)> {
        let func = &self.module.funcs[self.functions.primal];
        float_slots(&self.layouts, func.results.iter().map(|result| (&result.name, result.ty)))
    }

    fn slopes(&mut self, sample: &mut Sample) {
        // Much better than what is asked for.
        let tolerance = self.options.tolerance / 10.0;
        let func = self.functions.primal;
        let values = |point: &Point| sample.results.iter().map(|result| point.get(result.at)).collect::<Vec<f64>>();
        for input in &sample.inputs {
            let (value, at) = (sample.start.get(input.at), (values(&sample.end), sample.noise.clone()));
            let differences = Differences::around(value, at, tolerance, |value| {
                let mut moved = sample.start.clone();
                moved.set(input.at, value);
                let slots = self.machine.call_frozen(func, &moved.slots, &mut moved.memory, &mut self.tape)?;
                Some(values(&Point { slots, memory: moved.memory }))
            });
            sample.slopes.push((0..sample.results.len()).map(|result| differences.of(result)).collect());
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

    /// The first variable that the last call left otherwise than `state`.
    fn changed_variable(&mut self, state: &Variables) -> Option<SmolStr> {
        let left = self.machine.take_state();
        let mut globals = self.module.globals.iter();
        let changed = globals.find(|(id, _)| match (state.get(id), left.get(id)) {
            (Some(expected), Some(found)) => expected.iter().zip(found).any(|(a, b)| !same_slot(*a, *b)),
            _ => false,
        });
        changed.map(|(_, global)| global.name.clone())
    }

    /// Whether two numbers agree, beyond an uncertainty of one of them.
    fn agree(&self, found: f64, expected: f64, uncertainty: f64) -> bool {
        let scale = found.abs().max(expected.abs()).max(1.0);
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
            sample.results.iter().map(|result| end.get(result.tangent_behind(first_result))).collect()
        };
        let moved: Vec<usize> = (0..sample.inputs.len()).filter(|&input| sample.inputs[input].both_ways).collect();
        let (mut together, mut sums) = (blank.clone(), vec![(0.0, 0.0); sample.results.len()]);
        let mut forward: Vec<Option<Vec<f64>>> = sample.inputs.iter().map(|_| None).collect();
        for &input in &moved {
            let (mut start, weight) = (blank.clone(), self.weight());
            let tangent = sample.inputs[input].tangent_behind(first);
            start.set(tangent, weight);
            together.set(tangent, weight);
            let end = self.call(DerivativeKind::Jvp, jvp, sample, start.clone(), size)?;
            self.check_values(sample, &end)?;
            let found = found_at(&end);
            for (result, &found) in found.iter().enumerate() {
                add(&mut sums[result], found);
                let place = sample.results[result].tangent_behind(first_result);
                let run = Derivation { mode: DerivativeKind::Jvp, func: jvp, start: &start, weight, place };
                self.judge(sample, (result, input), found / weight, None, &run);
            }
            forward[input] = Some(found.iter().map(|found| found / weight).collect());
        }
        if moved.len() > 1 {
            let end = self.call(DerivativeKind::Jvp, jvp, sample, together.clone(), size)?;
            for (result, found) in found_at(&end).into_iter().enumerate() {
                let place = sample.results[result].tangent_behind(first_result);
                let run = Derivation { mode: DerivativeKind::Jvp, func: jvp, start: &together, weight: 1.0, place };
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
            if !self.agree(found, expected, 0.0) {
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
            let cotangent = sample.results[result].tangent_behind(first);
            start.set(cotangent, weight);
            together.set(cotangent, weight);
            let end = self.call(DerivativeKind::Vjp, vjp, sample, start.clone(), size)?;
            for (number, input) in sample.inputs.iter().enumerate() {
                let found = end.get(input.tangent_behind(0));
                add(&mut sums[number], found);
                let forward = sample.forward[number].as_ref().map(|forward| forward[result]);
                let place = input.tangent_behind(0);
                let run = Derivation { mode: DerivativeKind::Vjp, func: vjp, start: &start, weight, place };
                self.judge(sample, (result, number), found / weight, forward, &run);
            }
        }
        if sample.results.len() > 1 {
            let end = self.call(DerivativeKind::Vjp, vjp, sample, together.clone(), size)?;
            for (input, sum) in sample.inputs.iter().zip(sums) {
                let place = input.tangent_behind(0);
                let run = Derivation { mode: DerivativeKind::Vjp, func: vjp, start: &together, weight: 1.0, place };
                self.check_sum(sample, &input.place, end.get(place), sum, &run);
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
        let forward = forward.filter(|forward| forward.is_finite());
        let difference = sample.slopes[input][result];
        // What the other derivative has counted already.
        let is_new = run.mode == DerivativeKind::Jvp || self.functions.jvp.is_none() || forward.is_none();
        if is_new {
            self.note(&places, difference, found);
        }
        if !found.is_finite() {
            return self.not_finite(sample, places, found, run);
        }
        let (basis, expected, uncertainty) = match (difference, forward) {
            (Difference::Slope { slope, uncertainty }, Some(forward)) if self.agree(forward, slope, uncertainty) => {
                (Basis::Differences, forward, 0.0)
            }
            (Difference::Slope { slope, uncertainty }, _) => (Basis::Differences, slope, uncertainty),
            (Difference::Kink { left, right }, _) if self.is_between(found, (left, right)) => {
                self.report.agreement(run.mode).compared += 1;
                return;
            }
            // Rules that differ may choose differently where there is no one slope.
            (Difference::Kink { .. } | Difference::Unsettled, Some(forward)) if self.same_rules => {
                (Basis::Forward, forward, 0.0)
            }
            (Difference::Kink { .. } | Difference::Unsettled, _) => return,
        };
        let wrong = Wrong { result: places.0, input: places.1, found, expected };
        if self.agree(found, expected, uncertainty) {
            self.report.agreement(run.mode).compared += 1;
            if expected.abs() > self.options.tolerance {
                self.agreed.insert((run.mode, wrong.result, wrong.input));
            }
            return;
        }
        if self.is_rounding(run, found, expected) {
            self.report.unsettled += 1;
            return;
        }
        match self.around(sample, (result, input), found) {
            Around::Slopes => {}
            Around::Bent => {
                self.report.kinks += u32::from(is_new);
                return;
            }
            Around::NotLooked => {
                self.report.unsettled += u32::from(is_new);
                return;
            }
        }
        let agreement = self.report.agreement(run.mode);
        agreement.compared += 1;
        agreement.wrong += 1;
        if self.disagreements.len() < MAX_DISAGREEMENTS {
            let inputs = sample.start.slots.clone();
            self.disagreements.push(Disagreement { mode: run.mode, basis, wrong, inputs });
        }
    }

    /// Counts what differences do not say.
    fn note(&mut self, (result, input): &(Place, Place), difference: Difference, found: f64) {
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

    fn not_finite(&mut self, sample: &Sample, (result, input): (Place, Place), found: f64, run: &Derivation<'_>) {
        if sample.has_overflowed {
            self.report.overflows += 1;
            return;
        }
        let agreement = self.report.agreement(run.mode);
        agreement.compared += 1;
        agreement.not_finite += 1;
        let same = |known: &NotFinite| (known.mode, &known.result, &known.input) == (run.mode, &result, &input);
        if self.not_finite.iter().any(same) {
            return;
        }
        let origin = match self.not_finite.len() < MAX_ORIGINS {
            true => origin::find(&mut self.machine, run.func, run.start, run.place),
            false => None,
        };
        let inputs = sample.start.slots.clone();
        self.not_finite.push(NotFinite { mode: run.mode, result, input, found, origin, inputs });
    }

    /// Whether derivatives in all directions together are the sum of those in each alone, given with their size.
    fn check_sum(&mut self, sample: &Sample, place: &Place, found: f64, (sum, size): (f64, f64), run: &Derivation<'_>) {
        let is_finite = found.is_finite() && size.is_finite();
        let tolerance = self.options.tolerance * size.max(1.0);
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
    /// The tangent or cotangent that it starts with.
    weight: f64,
    /// Where the derivative in question is at its end.
    place: Spot,
}

/// Slots of the inputs as values.
fn values_of(module: &Module, layouts: &Layouts<'_>, func: FuncId, mut slots: &[u64]) -> Vec<Value> {
    let types = module.funcs[func].inputs.iter().map(|input| -> Type { module.types.get(input.ty) });
    types.map(|ty| from_slots(layouts, ty, &mut slots)).collect()
}
