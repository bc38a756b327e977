//! The gradient checker: does a derivative agree with the function that it is the derivative of?
//!
//! At sampled inputs, all in double precision:
//! - *JVP against differences*: one tangent direction per component of the differentiable inputs against the central
//!   difference of the primal function, over several step sizes;
//! - *VJP against JVP*: `<ȳ, J e> = <Jᵀ ȳ, e>` for random cotangents `ȳ` and the same directions `e` (against
//!   differences where there is no JVP);
//! - *primal results*: those that the JVP gives are those of the primal function, `out` and `inout` parameters included;
//! - *state*: derivatives leave `static` and `groupshared` variables as the primal function does.
//!
//! What is found is plain data: which result, which input, by how much, and the inputs to see it again.
//!
//! # Where differences say nothing
//! A sample counts as *outside the domain* if a result is not finite; other inputs are tried. At a *kink* (differences
//! from the left and from the right disagree, as for `abs` at 0) and where differences do not settle, the direction is
//! skipped and counted; so is a cotangent that the last digits of the inputs change by as much as it is off, and a
//! derivative that is not finite where a number in the function itself [overflowed](crate::overflow).
//!
//! # Blind spots
//! - Wrong derivatives on inputs that are not sampled: branches that are rare, special values, large numbers.
//! - Derivatives that are wrong by less than [`Options::tolerance`].
//! - Kinks themselves: sampled points hardly ever lie on one, so the value chosen there is not checked.
//! - Derivatives that are dropped by the user's word (`detach`, `no_diff`): differences are taken with these values as
//!   they are at the sample, so that a `no_diff` too many is not seen. Runs that take other branches, and so drop other
//!   values, are left out. A function that is itself zero by the user's word (`[TreatAsDifferentiable]`) is not sampled.
//! - Functions that are locally constant in steps (`floor`, conversions to integers): differences say zero, which is
//!   what the derivative should say, but a straight-through estimate on purpose would be reported.
//! - Values that pass through memory or bit casts are rounded to their declared width there, so differences see steps.
//! - Memory: buffers are empty here, so what is read is zero, and what is written is neither compared nor has a
//!   derivative.
//! - Inputs of interface type, and of structs whose differential is not field by field, are not moved; they are listed.
//! - State: each call starts in fresh memory, so that a second call would differ from the first is not seen.
//! - Of large aggregates only [`Options::directions`] components are moved.

mod components;
mod differences;
pub mod jacobian;
mod sample;

use std::fmt;

use ir::{DerivativeKind, FuncId, Module, number::Precision};
use smol_str::SmolStr;

use crate::{
    InterpError, Limits, MAX_SCALARS, Machine, Value, layout::Layouts, machine::Variables, tape::Tape,
    value::from_slots,
};
use autodiff::AutodiffError;
use components::{Component, components, float_slots};
use differences::{Center, Difference, Differences};

/// A function and its derivatives, which follow the calling convention of [`ir::Callee`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Functions {
    pub primal: FuncId,
    pub jvp: Option<FuncId>,
    pub vjp: Option<FuncId>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    pub seed: u64,
    /// Samples inside the domain.
    pub samples: u32,
    /// Tangent directions per sample.
    pub directions: usize,
    /// Largest error, relative to the derivative or to 1.
    pub tolerance: f64,
    /// Where the floats of inputs are sampled, by the inputs' names. The domain of the others is searched: between -2 and
    /// 2, positive, and after a few samples outside of the domain each input in a range of its own.
    pub ranges: Vec<(SmolStr, (f64, f64))>,
    /// A sample with a larger result counts as outside of the domain: differences of huge numbers say little.
    pub largest_result: f64,
    pub limits: Limits,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            seed: 1,
            samples: 8,
            directions: 32,
            tolerance: 1e-5,
            ranges: Vec::new(),
            largest_result: f64::MAX,
            limits: Limits { steps: 20_000_000, ..Limits::default() },
        }
    }
}

/// What was checked and what was wrong.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Report {
    pub findings: Vec<Finding>,
    /// Samples that were checked.
    pub samples: u32,
    /// Samples that were given up because a result was not finite, or too large.
    pub outside_domain: u32,
    /// Directions in which derivatives were compared, over all samples.
    pub directions: u32,
    /// Pairs of result and direction that were skipped at kinks, and because differences did not settle.
    pub kinks: u32,
    pub unsettled: u32,
    /// Derivatives that are not finite at samples for which numbers in the function itself are too large for `f64`.
    pub overflows: u32,
    /// The first kink of each pair of result and input, up to a few.
    pub kink_places: Vec<Kink>,
    /// Differentiable inputs that were not moved; see the blind spots.
    pub unmoved_inputs: Vec<SmolStr>,
}

impl Report {
    /// Whether nothing is wrong and something was compared.
    pub fn is_good(&self) -> bool {
        self.findings.is_empty() && self.samples > 0
    }
}

/// A disagreement, with the inputs at which it shows.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    pub kind: FindingKind,
    pub inputs: Vec<Value>,
}

/// A place in an input or result: its name, the number of the float inside it, and how that is spelled: `.v.x`, `[2]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    pub name: SmolStr,
    pub component: usize,
    pub path: String,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.name, self.path)
    }
}

/// A sample at which a result has no derivative in a direction, which is why none was compared.
#[derive(Debug, Clone, PartialEq)]
pub struct Kink {
    pub result: Place,
    pub input: Place,
    /// The slopes to both sides.
    pub left: f64,
    pub right: f64,
    /// What the derivative says.
    pub found: f64,
}

#[derive(Debug, Clone, PartialEq)]
pub enum FindingKind {
    /// The tangent of `result` in the direction of `input` is not the slope.
    Jvp { result: Place, input: Place, found: f64, expected: f64 },
    /// The cotangent of `input` does not pair with the tangents; `expected` is `<ȳ, J e>`.
    Vjp { input: Place, found: f64, expected: f64, cotangents: Vec<Value> },
    /// The derivative function changes the value of a primal result.
    PrimalChanged { result: Place, found: f64, expected: f64 },
    /// The derivative function leaves a `static` or `groupshared` variable with another value than the function does.
    StateChanged { kind: DerivativeKind, variable: SmolStr },
    /// The function does not run.
    Failed { kind: Option<DerivativeKind>, error: InterpError },
}

/// The outcome for a function whose derivatives are generated here.
#[derive(Debug, Clone, PartialEq)]
pub struct Checked {
    pub report: Report,
    /// Why there is no forward, backward derivative to check.
    pub jvp: Option<AutodiffError>,
    pub vjp: Option<AutodiffError>,
}

/// Generates the derivatives of a function and checks them.
pub fn check_function(module: &Module, func: FuncId, options: &Options) -> Checked {
    let mut module = module.clone();
    let mut derive = |kind| match autodiff::derivatives(&mut module, &[(kind, func)]) {
        Ok(made) => (made.first().copied(), None),
        Err(errors) => (None, errors.into_iter().next()),
    };
    let (jvp, jvp_error) = derive(DerivativeKind::Jvp);
    let (vjp, vjp_error) = derive(DerivativeKind::Vjp);
    let report = check(&module, Functions { primal: func, jvp, vjp }, options);
    Checked { report, jvp: jvp_error, vjp: vjp_error }
}

/// Checks given derivatives of a function.
pub fn check(module: &Module, functions: Functions, options: &Options) -> Report {
    // Zero by the user's word, whatever the function does.
    if module.funcs[functions.primal].rules.treat_as_differentiable {
        return Report::default();
    }
    if let Some(finding) = too_large(module, functions.primal) {
        return Report { findings: vec![finding], ..Report::default() };
    }
    let mut checker = Checker {
        module,
        machine: Machine::new(module, Precision::F64, options.limits),
        functions,
        options,
        components: components(module, functions.primal),
        random: fastrand::Rng::with_seed(options.seed),
        report: Report::default(),
    };
    checker.report.unmoved_inputs = components::unmoved_inputs(module, functions.primal);
    checker.run();
    checker.report
}

/// Inputs of more scalars than a [`Value`] has are not sampled.
fn too_large(module: &Module, func: FuncId) -> Option<Finding> {
    let layouts = Layouts::new(&module.types);
    let sizes = module.funcs[func].inputs.iter().map(|input| layouts.size(module.types.get(input.ty)).slots);
    let is_too_large = sizes.fold(0, u64::saturating_add) > MAX_SCALARS;
    let kind = FindingKind::Failed { kind: None, error: InterpError::MemoryLimit };
    is_too_large.then_some(Finding { kind, inputs: Vec::new() })
}

/// Samples outside the domain, per sample inside it, after which the checker gives up.
const MAX_TRIES: u32 = 16;

/// Kinks that are told; the others are only counted.
const MAX_KINKS: usize = 4;

/// Findings after which the rest is more of the same.
const MAX_FINDINGS: usize = 20;

struct Checker<'m, 'o> {
    module: &'m Module,
    machine: Machine<'m>,
    functions: Functions,
    options: &'o Options,
    /// The floats of the inputs that can be moved.
    components: Vec<Component>,
    random: fastrand::Rng,
    report: Report,
}

/// Whether two slots are equal; floats up to the rounding of constants, which are folded in the precision of their type.
fn same_slot(a: u64, b: u64) -> bool {
    let (x, y) = (f64::from_bits(a), f64::from_bits(b));
    a == b || (x - y).abs() <= f64::from(f32::EPSILON) * x.abs().max(y.abs()) && x.is_normal() && y.is_normal()
}

/// What is known at one sample.
struct Sample {
    inputs: Vec<u64>,
    results: Vec<u64>,
    /// What later runs must not change.
    tape: Tape,
    /// What the function leaves in variables.
    state: Variables,
    /// Whether a number in the function was too large for `f64`.
    has_overflowed: bool,
    directions: Vec<Component>,
    /// The Jacobian by JVP: for each direction the tangents of the results, as slots.
    tangents: Vec<Vec<u64>>,
}

impl Checker<'_, '_> {
    fn run(&mut self) {
        let tries = self.options.samples.saturating_mul(MAX_TRIES);
        for number in 0..tries {
            if self.report.samples >= self.options.samples || self.report.findings.len() >= MAX_FINDINGS {
                return;
            }
            let search = sample::Search::of_try(number, self.report.outside_domain);
            let inputs =
                sample::inputs(self.module, self.functions.primal, &mut self.random, search, &self.options.ranges);
            let (results, tape) = match self.machine.call_recording(self.functions.primal, &inputs) {
                Ok(recorded) => recorded,
                Err(error) => {
                    self.find(&inputs, FindingKind::Failed { kind: None, error });
                    return;
                }
            };
            let largest = self.options.largest_result;
            if !self.result_floats().iter().all(|&(slot, _)| f64::from_bits(results[slot]).abs() <= largest) {
                self.report.outside_domain += 1;
                continue;
            }
            let state = self.machine.take_state();
            let has_overflowed = self.machine.has_overflowed;
            self.report.samples += 1;
            let mut directions = self.components.clone();
            self.random.shuffle(&mut directions);
            directions.truncate(self.options.directions);
            directions.sort_by_key(|component| component.input_slot);
            let mut sample = Sample { inputs, results, tape, state, has_overflowed, directions, tangents: Vec::new() };
            if self.check_jvp(&mut sample).is_none() || self.check_vjp(&mut sample).is_none() {
                return;
            }
        }
    }

    fn find(&mut self, inputs: &[u64], kind: FindingKind) {
        let func = &self.module.funcs[self.functions.primal];
        let mut slots = inputs;
        let types = func.inputs.iter().map(|input| self.module.types.get(input.ty));
        let inputs = types.map(|ty| from_slots(&self.machine.layouts, ty, &mut slots)).collect();
        if self.report.findings.len() < MAX_FINDINGS {
            self.report.findings.push(Finding { kind, inputs });
        }
    }

    fn kink(&mut self, kink: Kink) {
        self.report.kinks += 1;
        let places = &mut self.report.kink_places;
        let is_new = places.iter().all(|known| (&known.result, &known.input) != (&kink.result, &kink.input));
        if is_new && places.len() < MAX_KINKS {
            places.push(kink);
        }
    }

    /// The floats of all results, by slot.
    fn result_floats(&self) -> Vec<(usize, Place)> {
        let func = &self.module.funcs[self.functions.primal];
        float_slots(&self.machine.layouts, func.results.iter().map(|result| (&result.name, result.ty)))
    }

    /// Calls a derivative; `None` if it does not run, or gives another number of slots than `expected`.
    fn call(
        &mut self,
        kind: DerivativeKind,
        func: FuncId,
        sample: &Sample,
        args: &[u64],
        expected: usize,
    ) -> Option<Vec<u64>> {
        let error = match self.machine.call_slots(func, args) {
            Ok(results) if results.len() == expected => {
                let Some(variable) = self.changed_variable(&sample.state) else { return Some(results) };
                self.find(&sample.inputs, FindingKind::StateChanged { kind, variable });
                return None;
            }
            Ok(_) => InterpError::ArgumentMismatch(self.module.funcs[func].name.clone()),
            Err(error) => error,
        };
        self.find(&sample.inputs, FindingKind::Failed { kind: Some(kind), error });
        None
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

    fn differences(
        &mut self,
        sample: &mut Sample,
        direction: &Component,
        derivatives: &[components::ResultDerivative],
    ) -> Differences {
        let center = Center {
            func: self.functions.primal,
            inputs: &sample.inputs,
            results: &sample.results,
            moved: direction.input_slot,
        };
        let results: Vec<usize> = derivatives.iter().map(|derivative| derivative.result_slot).collect();
        // Much better than what is asked for.
        let tolerance = self.options.tolerance / 10.0;
        Differences::around(&mut self.machine, &center, &mut sample.tape, &results, tolerance)
    }

    fn check_jvp(&mut self, sample: &mut Sample) -> Option<()> {
        let Some(jvp) = self.functions.jvp else { return Some(()) };
        let result_floats = self.result_floats();
        let derivatives = components::result_derivatives(self.module, &self.machine.layouts, self.functions.primal);
        let layouts = &self.machine.layouts;
        let tangent_size = components::tangent_size(self.module, layouts, self.functions.primal);
        let result_size =
            sample.results.len() + components::cotangent_size(self.module, layouts, self.functions.primal);
        for direction in sample.directions.clone() {
            let mut args = sample.inputs.clone();
            args.resize(args.len() + tangent_size, 0);
            args[sample.inputs.len() + direction.tangent_slot] = 1f64.to_bits();
            let found = self.call(DerivativeKind::Jvp, jvp, sample, &args, result_size)?;
            let (primal, tangents) = found.split_at(sample.results.len());
            for (slot, place) in &result_floats {
                let (found, expected) = (f64::from_bits(primal[*slot]), f64::from_bits(sample.results[*slot]));
                if !self.agree(found, expected, 0.0) {
                    let result = place.clone();
                    self.find(&sample.inputs, FindingKind::PrimalChanged { result, found, expected });
                    // The same in every direction.
                    return None;
                }
            }
            self.report.directions += 1;
            let differences = self.differences(sample, &direction, &derivatives);
            for derivative in &derivatives {
                let found = f64::from_bits(tangents[derivative.tangent_slot]);
                match differences.of(derivative.result_slot) {
                    Difference::Kink { left, right } => {
                        let (result, input) = (derivative.place.clone(), direction.place.clone());
                        self.kink(Kink { result, input, left, right, found });
                    }
                    Difference::Unsettled => self.report.unsettled += 1,
                    Difference::Slope { slope, uncertainty } => {
                        if self.agree(found, slope, uncertainty) {
                            continue;
                        }
                        if sample.has_overflowed && !found.is_finite() {
                            self.report.overflows += 1;
                        } else {
                            let (result, input) = (derivative.place.clone(), direction.place.clone());
                            self.find(&sample.inputs, FindingKind::Jvp { result, input, found, expected: slope });
                        }
                    }
                }
            }
            sample.tangents.push(tangents.to_vec());
        }
        Some(())
    }

    fn check_vjp(&mut self, sample: &mut Sample) -> Option<()> {
        let Some(vjp) = self.functions.vjp else { return Some(()) };
        let layouts = &self.machine.layouts;
        let derivatives = components::result_derivatives(self.module, layouts, self.functions.primal);
        let tangent_size = components::tangent_size(self.module, layouts, self.functions.primal);
        let mut cotangents = vec![0; components::cotangent_size(self.module, layouts, self.functions.primal)];
        for derivative in &derivatives {
            cotangents[derivative.tangent_slot] = (self.random.f64() * 2.0 - 1.0).to_bits();
        }
        let mut args = sample.inputs.clone();
        args.extend_from_slice(&cotangents);
        let found = self.call(DerivativeKind::Vjp, vjp, sample, &args, tangent_size)?;
        for (number, direction) in sample.directions.clone().iter().enumerate() {
            let (expected, uncertainty) = match sample.tangents.get(number) {
                Some(tangents) => {
                    let pair = |slot: usize| f64::from_bits(cotangents[slot]) * f64::from_bits(tangents[slot]);
                    (derivatives.iter().map(|derivative| pair(derivative.tangent_slot)).sum(), 0.0)
                }
                None => {
                    self.report.directions += 1;
                    match self.slope_along(sample, direction, &derivatives, &cotangents) {
                        Some(slope) => slope,
                        None => continue,
                    }
                }
            };
            let found = f64::from_bits(found[direction.tangent_slot]);
            if !self.agree(found, expected, uncertainty) {
                // A JVP that is not finite was compared with differences; there is nothing more to be learned from it.
                let says_nothing = !expected.is_finite();
                if !found.is_finite() && (sample.has_overflowed || says_nothing) {
                    self.report.overflows += u32::from(sample.has_overflowed);
                    self.report.unsettled += u32::from(!sample.has_overflowed);
                    continue;
                }
                if self.is_rounding(vjp, &args, direction.tangent_slot, found, expected) {
                    self.report.unsettled += 1;
                    continue;
                }
                let kind = FindingKind::Vjp {
                    input: direction.place.clone(),
                    found,
                    expected,
                    cotangents: components::cotangent_values(
                        self.module,
                        &self.machine.layouts,
                        self.functions.primal,
                        &cotangents,
                    ),
                };
                self.find(&sample.inputs, kind);
            }
        }
        Some(())
    }

    /// Whether a disagreement is one of rounding: moving the inputs by their last digits moves the cotangent by as much.
    /// Loops that stretch make cotangents of 1e16 that cancel; what is left of them then is noise.
    fn is_rounding(&mut self, vjp: FuncId, args: &[u64], slot: usize, found: f64, expected: f64) -> bool {
        let mut moved = args.to_vec();
        for component in &self.components {
            let value = f64::from_bits(moved[component.input_slot]);
            moved[component.input_slot] = (value * (1.0 + 4.0 * f64::EPSILON)).to_bits();
        }
        let Ok(there) = self.machine.call_slots(vjp, &moved) else { return false };
        let difference = there.get(slot).map_or(0.0, |&there| (f64::from_bits(there) - found).abs());
        difference >= 0.1 * (found - expected).abs()
    }

    /// `<ȳ, J e>` by differences, `None` where they say nothing.
    fn slope_along(
        &mut self,
        sample: &mut Sample,
        direction: &Component,
        derivatives: &[components::ResultDerivative],
        cotangents: &[u64],
    ) -> Option<(f64, f64)> {
        let differences = self.differences(sample, direction, derivatives);
        let (mut sum, mut total) = (0.0, 0.0);
        for derivative in derivatives {
            let cotangent = f64::from_bits(cotangents[derivative.tangent_slot]);
            match differences.of(derivative.result_slot) {
                Difference::Slope { slope, uncertainty } => {
                    sum += cotangent * slope;
                    total += cotangent.abs() * uncertainty;
                }
                Difference::Kink { .. } => {
                    self.report.kinks += 1;
                    return None;
                }
                Difference::Unsettled => {
                    self.report.unsettled += 1;
                    return None;
                }
            }
        }
        Some((sum, total))
    }
}
