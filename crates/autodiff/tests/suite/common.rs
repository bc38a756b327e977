//! Numerical checks of derivatives.
//!
//! Blind spots: an error smaller than the tolerance, and whatever random inputs do not reach.

use std::cell::RefCell;

use fastrand::Rng;
use interp::{Limits, Machine, Precision, Value};
use ir::{DerivativeKind, FuncId, Module, Type, TypeId, verify::VerifiedModule};

/// Differences agree with derivatives up to this, relative to the largest component.
const DIFFERENCE_TOLERANCE: f64 = 2e-5;

/// Two ways to compute the same sum agree up to this, relative to the largest term.
const EXACT_TOLERANCE: f64 = 1e-9;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    Checked,
    /// No input was found at which differences converge.
    Skipped,
}

pub(crate) fn derivative_of(module: &mut VerifiedModule, kind: DerivativeKind, f: FuncId, seed: u64) -> FuncId {
    derivatives_of(module, &[kind], f, seed)[0]
}

fn derivatives_of(module: &mut VerifiedModule, kinds: &[DerivativeKind], f: FuncId, seed: u64) -> Vec<FuncId> {
    let wanted: Vec<_> = kinds.iter().map(|&kind| (kind, f)).collect();
    autodiff::derivatives(module, &wanted).unwrap_or_else(|errors| {
        panic!("seed {seed}: {errors:?}\n{}", ir::print::print_module(module));
    })
}

/// Checks `f.jvp` against differences of `f`, and `f.vjp` and `f.pullback` against `f.jvp`.
pub(crate) fn check_derivatives(module: &mut VerifiedModule, f: FuncId, seed: u64) -> Outcome {
    let kinds = [DerivativeKind::Jvp, DerivativeKind::Vjp, DerivativeKind::Apply, DerivativeKind::Propagate];
    let made = derivatives_of(module, &kinds, f, seed);
    let [jvp, vjp, primal, pullback] = made[..] else {
        panic!("one function for each kind");
    };
    let mut rng = Rng::with_seed(seed ^ 0x5eed);
    let mut outcome = Outcome::Skipped;
    let limits = Limits { steps: 20_000_000, ..Limits::default() };
    let machine = RefCell::new(Machine::new(module, Precision::F64, limits));
    let check = Check { module, machine, f, jvp, vjp, primal, pullback, seed };
    for _ in 0..3 {
        let checked = check.sample(&mut rng);
        if checked == Outcome::Checked {
            outcome = Outcome::Checked;
        }
    }
    outcome
}

struct Check<'a> {
    module: &'a Module,
    machine: RefCell<Machine<'a>>,
    f: FuncId,
    jvp: FuncId,
    vjp: FuncId,
    primal: FuncId,
    pullback: FuncId,
    seed: u64,
}

impl Check<'_> {
    fn fail(&self, what: &str) -> ! {
        panic!("seed {}: {what}\n{}", self.seed, ir::print::print_module(self.module));
    }

    fn run(&self, f: FuncId, args: &[Value]) -> Vec<Value> {
        self.machine.borrow_mut().call(f, args).unwrap_or_else(|error| self.fail(&format!("{error:?}")))
    }

    fn sample(&self, rng: &mut Rng) -> Outcome {
        let func = &self.module.funcs[self.f];
        let args: Vec<Value> = func.inputs.iter().map(|input| random_value(self.module, input.ty, rng)).collect();
        self.at(&args, rng)
    }

    fn at(&self, args: &[Value], rng: &mut Rng) -> Outcome {
        let func = &self.module.funcs[self.f];
        let active: Vec<usize> = (0..args.len()).filter(|&index| func.inputs[index].differentiable).collect();
        let types = tangent_types(self.module, func.inputs.iter().map(|input| (input.ty, input.differentiable)));
        let tangents: Vec<Value> = types.iter().map(|&ty| random_value(self.module, ty, rng)).collect();
        let results = self.run(self.f, args);

        let mut jvp_args = args.to_vec();
        jvp_args.extend(tangents.iter().cloned());
        let with_tangents = self.run(self.jvp, &jvp_args);
        let (primal, result_tangents) = with_tangents.split_at(results.len());
        if !same(primal, &results) {
            self.fail("the forward derivative changes the primal results");
        }
        let forward = all_floats(result_tangents);

        let result_slots: Vec<usize> = (0..results.len()).filter(|&index| func.results[index].differentiable).collect();
        let difference = |step: f64| {
            let moved = |sign: f64| {
                let mut moved = args.to_vec();
                for (&index, tangent) in active.iter().zip(&tangents) {
                    moved[index] = add(self.module, func.inputs[index].ty, &args[index], tangent, sign * step);
                }
                let results = self.run(self.f, &moved);
                let of_slot =
                    |&index: &usize| differential_floats(self.module, func.results[index].ty, &results[index]);
                result_slots.iter().flat_map(of_slot).collect::<Vec<f64>>()
            };
            let (right, left) = (moved(1.0), moved(-1.0));
            right.iter().zip(&left).map(|(right, left)| (right - left) / (2.0 * step)).collect::<Vec<f64>>()
        };
        let (coarse, fine) = (difference(1e-4), difference(1e-5));
        // Discontinuities and kinks between the samples, overflow: differences say nothing.
        let converged =
            close(&coarse, &fine, DIFFERENCE_TOLERANCE * 4.0) && all_floats(&results).iter().all(|x| x.abs() < 1e4);
        if converged && !close(&fine, &forward, DIFFERENCE_TOLERANCE) {
            self.fail(&format!("forward {forward:?}\ndifferences {fine:?}\nat {args:?}\ntangents {tangents:?}"));
        }

        let types = tangent_types(self.module, func.results.iter().map(|slot| (slot.ty, slot.differentiable)));
        let cotangents: Vec<Value> = types.iter().map(|&ty| random_value(self.module, ty, rng)).collect();
        let mut vjp_args = args.to_vec();
        vjp_args.extend(cotangents.iter().cloned());
        let backward = self.run(self.vjp, &vjp_args);
        let (ours, theirs) = (all_floats(&backward), all_floats(&tangents));
        let terms: Vec<f64> = ours.iter().zip(&theirs).map(|(a, b)| a * b).collect();
        let other_terms: Vec<f64> = all_floats(&cotangents).iter().zip(&forward).map(|(a, b)| a * b).collect();
        let scale = terms.iter().chain(&other_terms).fold(1.0f64, |scale, term| scale.max(term.abs()));
        let (left, right) = (terms.iter().sum::<f64>(), other_terms.iter().sum::<f64>());
        if scale < 1e8 && (left - right).abs() > EXACT_TOLERANCE * scale {
            self.fail(&format!(
                "<x_, x'> = {left} and <y_, y'> = {right}\nat {args:?}\ncotangents {cotangents:?}\ngave {backward:?}"
            ));
        }

        let with_record = self.run(self.primal, args);
        let Some((record, primal)) = with_record.split_last() else {
            self.fail("there is no context");
        };
        if !same(primal, &results) {
            self.fail("the primal half changes the results");
        }
        let mut pullback_args = vec![record.clone()];
        pullback_args.extend(cotangents);
        let halves = all_floats(&self.run(self.pullback, &pullback_args));
        if scale < 1e8 && !close(&halves, &ours, EXACT_TOLERANCE) {
            self.fail(&format!("the pullback gives {halves:?}\nand the whole {ours:?}"));
        }
        if converged { Outcome::Checked } else { Outcome::Skipped }
    }
}

pub(crate) fn tangent_types(module: &Module, slots: impl Iterator<Item = (TypeId, bool)>) -> Vec<TypeId> {
    let types = module.types.clone();
    slots.filter(|(_, differentiable)| *differentiable).filter_map(|(ty, _)| types.differential_of(ty)).collect()
}

/// Equal but for the rounding of constants: simplification folds them in the precision of their type, `f32`, while the
/// machine computes in `f64` to take differences.
fn same(a: &[Value], b: &[Value]) -> bool {
    let rounding = f64::from(f32::EPSILON);
    all_floats(a)
        .iter()
        .zip(&all_floats(b))
        .all(|(a, b)| a == b || (a.is_nan() && b.is_nan()) || (a - b).abs() <= rounding * a.abs().max(b.abs()))
}

fn close(a: &[f64], b: &[f64], tolerance: f64) -> bool {
    let scale = a.iter().chain(b).fold(1.0f64, |scale, x| scale.max(x.abs()));
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() <= tolerance * scale)
}

fn all_floats(values: &[Value]) -> Vec<f64> {
    values.iter().flat_map(Value::floats).collect()
}

pub(crate) fn random_value(module: &Module, ty: TypeId, rng: &mut Rng) -> Value {
    let types = &module.types;
    let mut many =
        |count: u32, ty: TypeId| Value::Aggregate((0..count).map(|_| random_value(module, ty, rng)).collect());
    match types.get(ty) {
        Type::Scalar(ir::Scalar::Bool) => Value::Bool(rng.bool()),
        Type::Scalar(scalar) if scalar.is_float() => Value::Float(rng.f64() * 3.0 - 1.5),
        Type::Scalar(_) => Value::Int(rng.i64(0..6)),
        Type::Vector { scalar, len } => match types.find(Type::Scalar(scalar)) {
            Some(scalar) => many(len.into(), scalar),
            None => Value::Aggregate((0..len).map(|_| Value::Float(rng.f64() * 3.0 - 1.5)).collect()),
        },
        Type::Matrix { rows, cols, .. } => {
            let row =
                |rng: &mut Rng| Value::Aggregate((0..cols).map(|_| Value::Float(rng.f64() * 3.0 - 1.5)).collect());
            Value::Aggregate((0..rows).map(|_| row(rng)).collect())
        }
        Type::Array { element, len } => many(len, element),
        Type::Struct(id) => {
            let fields: Vec<TypeId> = types.structs[id].fields.iter().map(|field| field.ty).collect();
            Value::Aggregate(fields.into_iter().map(|field| random_value(module, field, rng)).collect())
        }
        Type::Sum(_) | Type::Handle(_) | Type::Opaque(_) => panic!("not a type of random programs"),
    }
}

/// `value + factor * tangent`, by the fields of the differential.
fn add(module: &Module, ty: TypeId, value: &Value, tangent: &Value, factor: f64) -> Value {
    match (value, tangent, module.types.get(ty)) {
        (Value::Float(value), Value::Float(tangent), _) => Value::Float(value + factor * tangent),
        (Value::Aggregate(parts), Value::Aggregate(tangents), Type::Struct(id)) => {
            let def = &module.types.structs[id];
            let map = def.differential.as_ref().map_or(&[][..], |differential| &differential.fields);
            let moved = parts.iter().zip(&def.fields).enumerate().map(|(index, (part, field))| match map.get(index) {
                Some(Some(at)) => add(module, field.ty, part, &tangents[*at as usize], factor),
                _ => part.clone(),
            });
            Value::Aggregate(moved.collect())
        }
        (Value::Aggregate(parts), Value::Aggregate(tangents), Type::Array { element, .. }) => {
            let moved = parts.iter().zip(tangents).map(|(part, tangent)| add(module, element, part, tangent, factor));
            Value::Aggregate(moved.collect())
        }
        (Value::Aggregate(parts), Value::Aggregate(tangents), _) => {
            let moved = parts.iter().zip(tangents).map(|(part, tangent)| add(module, ty, part, tangent, factor));
            Value::Aggregate(moved.collect())
        }
        _ => value.clone(),
    }
}

/// The floats of the parts that have a derivative, in the order of the differential's fields.
fn differential_floats(module: &Module, ty: TypeId, value: &Value) -> Vec<f64> {
    match (value, module.types.get(ty)) {
        (Value::Aggregate(parts), Type::Struct(id)) => {
            let def = &module.types.structs[id];
            let map = def.differential.as_ref().map_or(&[][..], |differential| &differential.fields);
            let mut fields: Vec<(u32, Vec<f64>)> = Vec::new();
            for (index, (part, field)) in parts.iter().zip(&def.fields).enumerate() {
                if let Some(Some(at)) = map.get(index) {
                    fields.push((*at, differential_floats(module, field.ty, part)));
                }
            }
            fields.sort_by_key(|(at, _)| *at);
            fields.into_iter().flat_map(|(_, floats)| floats).collect()
        }
        (Value::Aggregate(parts), Type::Array { element, .. }) => {
            parts.iter().flat_map(|part| differential_floats(module, element, part)).collect()
        }
        (value, _) => value.floats(),
    }
}

/// A module in IR text whose function `f` is differentiated.
pub(crate) struct Program {
    pub module: VerifiedModule,
    vjp: FuncId,
    jvp: Option<FuncId>,
}

/// An argument of a [`Program`].
pub(crate) struct Arg(pub Value);

impl From<f64> for Arg {
    fn from(value: f64) -> Arg {
        Arg(Value::Float(value))
    }
}

impl From<i64> for Arg {
    fn from(value: i64) -> Arg {
        Arg(Value::Int(value))
    }
}

impl From<&[f64]> for Arg {
    fn from(values: &[f64]) -> Arg {
        Arg(Value::Aggregate(values.iter().map(|&value| Value::Float(value)).collect()))
    }
}

impl<const N: usize> From<[f64; N]> for Arg {
    fn from(values: [f64; N]) -> Arg {
        values.as_slice().into()
    }
}

impl Program {
    pub(crate) fn new(text: &str) -> Program {
        let mut module = test_support::modules::module(text);
        let f = module.func_named("f").expect("a function `f`");
        let vjp = derivative_of(&mut module, DerivativeKind::Vjp, f, 0);
        let jvp = autodiff::derivatives(&mut module, &[(DerivativeKind::Jvp, f)]).ok().map(|made| made[0]);
        Program { module, vjp, jvp }
    }

    fn run(&self, f: FuncId, args: Vec<Value>) -> Vec<Value> {
        let mut machine = Machine::new(&self.module, Precision::F64, Limits::default());
        machine.call(f, &args).unwrap_or_else(|error| panic!("{error:?}\n{}", ir::print::print_module(&self.module)))
    }

    /// The cotangents of the inputs from those of the results, which are scalars.
    pub(crate) fn backward(&self, args: &[Arg], cotangents: &[f64]) -> Vec<f64> {
        let mut all: Vec<Value> = args.iter().map(|arg| arg.0.clone()).collect();
        all.extend(cotangents.iter().map(|&cotangent| Value::Float(cotangent)));
        all_floats(&self.run(self.vjp, all))
    }

    /// The results and their tangents.
    pub(crate) fn forward(&self, args: &[Arg], tangents: &[Arg]) -> Vec<f64> {
        let jvp = self.jvp.expect("a forward derivative");
        all_floats(&self.run(jvp, args.iter().chain(tangents).map(|arg| arg.0.clone()).collect()))
    }

    pub(crate) fn plan(&self, function: &str) -> autodiff::residuals::ResidualPlan {
        let f = self.module.func_named(function).expect("the function");
        autodiff::residual_plan(&self.module, f).expect("it can be differentiated backward")
    }
}
