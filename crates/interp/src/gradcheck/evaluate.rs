//! A function at one point: its value, its derivatives in both modes and by differences, the same along one input or over
//! two, and what its operations make on the way. For people who look; the checker is for those who want to know.

use std::cell::Cell;

use autodiff::AutodiffError;
use ir::{DerivativeKind, FuncId, Scalar, SpanId, Type, number::Precision, verify::VerifiedModule};

use super::{
    Coordinate, Options,
    components::{self, Component},
    differences::{Difference, Differences},
    point::{Point, Spot},
    sample::{Sampler, Search},
    too_large,
};
use crate::{
    InterpError, Machine, Value,
    layout::Layouts,
    probe::{Made, Nudge, Probe},
    tape::Tape,
    value::to_slots,
};

/// How good differences have to be to say more than that they do not settle.
const TOLERANCE: f64 = 1e-6;

/// Inputs that are tried in search of one at which the value is finite.
const MOST_TRIES: u32 = 64;

/// Places of which the cotangents are looked for; each takes two runs for each of its numbers.
const MOST_PLACES: usize = 256;

/// Steps of differences whose errors are shown: powers of ten.
const STEPS: std::ops::RangeInclusive<i32> = 1..=12;

/// A function and its derivatives, in double precision.
pub struct Derived {
    module: VerifiedModule,
    func: FuncId,
    jvp: Option<FuncId>,
    vjp: Option<FuncId>,
    /// Why there is no forward, no backward derivative.
    pub problems: [Option<AutodiffError>; 2],
}

/// A number of the inputs.
#[derive(Debug, Clone, PartialEq)]
pub struct Number {
    /// Which number.
    pub place: Coordinate,
    /// Its type.
    pub scalar: Scalar,
    /// Whether it carries a derivative.
    pub is_differentiable: bool,
}

/// What differences say of a derivative.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Slope {
    /// The difference quotients agree on this number.
    Is(f64),
    /// To the left and to the right.
    Kink(f64, f64),
    /// They do not agree on any.
    Unsettled,
}

/// The derivative of a result by a number of the inputs, by their positions.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// The number of the result among all results.
    pub result: usize,
    /// The number of the input among all inputs.
    pub number: usize,
    /// The derivative of forward mode.
    pub forward: Option<f64>,
    /// The derivative of reverse mode.
    pub backward: Option<f64>,
    /// The derivative of differences.
    pub slope: Slope,
}

/// What is known of a function at one point.
#[derive(Debug, Clone, PartialEq)]
pub struct AtPoint {
    /// The floats of the results.
    pub results: Vec<(Coordinate, f64)>,
    /// The derivatives, by result and input.
    pub entries: Vec<Entry>,
}

/// What an operation of the source made.
#[derive(Debug, Clone, PartialEq)]
pub struct OnTheWay {
    /// The place of the operation.
    pub span: SpanId,
    /// How often it ran, and which of them this is, from 0.
    pub count: u32,
    /// When it ran: what ran later has a greater number.
    pub time: u32,
    /// Its results, scalar by scalar.
    pub value: Vec<f64>,
    /// By how much the sum of the floats of all results changes with each number; none where that cannot be told.
    pub cotangent: Option<Vec<f64>>,
}

impl Derived {
    /// `None` for inputs that are too large to look at.
    pub fn new(module: &VerifiedModule, func: FuncId) -> Option<Derived> {
        if too_large(module, func).is_some() {
            return None;
        }
        let mut module = module.clone();
        module.set_precision(Precision::F64);
        let mut derive = |kind| match autodiff::derivatives(&mut module, &[(kind, func)]) {
            Ok(made) => (made.first().copied(), None),
            Err(errors) => (None, errors.into_iter().next()),
        };
        let (jvp, forward) = derive(DerivativeKind::Jvp);
        let (vjp, backward) = derive(DerivativeKind::Vjp);
        Some(Derived { module, func, jvp, vjp, problems: [forward, backward] })
    }

    /// Prepares the function to be run with options.
    pub fn evaluator<'a>(&'a self, options: &'a Options) -> Evaluator<'a> {
        Evaluator {
            derived: self,
            machine: Machine::new(&self.module, Precision::F64, options.limits),
            layouts: Layouts::new(&self.module.types),
            options,
        }
    }
}

/// A function that may be run at any number of points.
pub struct Evaluator<'a> {
    derived: &'a Derived,
    machine: Machine<'a>,
    layouts: Layouts<'a>,
    options: &'a Options,
}

impl Evaluator<'_> {
    /// The numbers of the inputs, in the order in which they are given.
    pub fn numbers(&self) -> Vec<Number> {
        let func = &self.derived.module.funcs[self.derived.func];
        let inputs = func.inputs.iter().map(|input| (&input.name, input.ty));
        let differentiable = components::components(&self.derived.module, &self.layouts, self.derived.func, &[]);
        let all = components::scalar_slots(&self.layouts, inputs, &[]).into_iter();
        all.map(|(slot, scalar, place)| {
            let is_differentiable = differentiable.iter().any(|component| component.slot == slot);
            Number { place, scalar, is_differentiable }
        })
        .collect()
    }

    /// Numbers at which the value is finite, in the ranges that are told, with few digits; the first that were tried if
    /// there are none.
    pub fn start(&mut self) -> Vec<f64> {
        let mut random = fastrand::Rng::with_seed(self.options.seed);
        let mut first = None;
        for number in 0..MOST_TRIES {
            let turn = Cell::new(0);
            let sampler = Sampler {
                module: &self.derived.module,
                layouts: &self.layouts,
                func: self.derived.func,
                ranges: &self.options.ranges,
                turn: &turn,
            };
            let (point, _) = sampler.random(&mut random.fork(), Search::of_try(number, number));
            let func = &self.derived.module.funcs[self.derived.func];
            let inputs = func.inputs.iter().map(|input| (&input.name, input.ty));
            let slots = components::scalar_slots(&self.layouts, inputs, &point.slots).into_iter();
            let numbers: Vec<f64> = slots
                .map(|(slot, scalar, _)| match scalar {
                    scalar if scalar.is_float() => (point.get(Spot::Slot(slot)) * 100.0).round() / 100.0,
                    _ => point.slots[slot] as i64 as f64,
                })
                .collect();
            let is_finite = self.point(&numbers).is_some_and(|point| {
                self.values(&point).is_ok_and(|values| values.iter().all(|(_, value)| value.is_finite()))
            });
            if is_finite {
                return numbers;
            }
            first = first.or(Some(numbers));
        }
        first.unwrap_or_default()
    }

    fn point(&self, numbers: &[f64]) -> Option<Point> {
        let mut rest = numbers.iter().copied();
        let mut point = Point::new(Vec::new());
        for input in &self.derived.module.funcs[self.derived.func].inputs {
            let types = &self.derived.module.types;
            let value = Value::from_numbers(types, input.ty, &mut rest)?;
            let ty: Type = types.get(input.ty);
            let Point { slots, memory } = &mut point;
            to_slots(&self.layouts, Precision::F64, memory, ty, &value, slots).then_some(())?;
        }
        rest.next().is_none().then_some(point)
    }

    /// The value alone.
    fn values(&mut self, point: &Point) -> Result<Vec<(Coordinate, f64)>, InterpError> {
        let end = self.machine.call_slots(self.derived.func, &point.slots, &mut point.memory.clone())?;
        Ok(self.floats_of(&end))
    }

    fn floats_of(&self, end: &[u64]) -> Vec<(Coordinate, f64)> {
        let func = &self.derived.module.funcs[self.derived.func];
        let results = func.results.iter().map(|result| (&result.name, result.ty));
        let floats = components::float_slots(&self.layouts, results).into_iter();
        floats.map(|(slot, place)| (place, f64::from_bits(end[slot]))).collect()
    }

    /// The value and all derivatives at some numbers; `None` if these do not fit the inputs.
    pub fn at(&mut self, numbers: &[f64]) -> Option<Result<AtPoint, InterpError>> {
        let start = self.point(numbers)?;
        Some(self.at_point(&start))
    }

    fn at_point(&mut self, start: &Point) -> Result<AtPoint, InterpError> {
        let (module, func) = (&self.derived.module, self.derived.func);
        let recorded = self.machine.call_recording(func, &start.slots, &mut start.memory.clone());
        let (end, mut tape) = recorded?;
        let results = self.floats_of(&end);
        let inputs = components::components(module, &self.layouts, func, &start.slots);
        let of_results = components::result_components(module, &self.layouts, func, &end);
        let numbers = self.numbers();
        let number_of = |input: &Component| numbers.iter().position(|number| number.place == input.place).unwrap_or(0);
        let result_of = |result: &Component| results.iter().position(|(place, _)| *place == result.place).unwrap_or(0);
        let backward: Vec<Option<Vec<f64>>> =
            of_results.iter().map(|result| self.backward(start, result, &inputs)).collect();
        let mut entries = Vec::new();
        for (index, input) in inputs.iter().enumerate().take(self.options.directions) {
            let forward = self.forward(start, end.len(), input, &of_results);
            let slopes = self.slopes(start, (&end, &mut tape), input, &of_results);
            for (number, result) in of_results.iter().enumerate().take(self.options.directions) {
                entries.push(Entry {
                    result: result_of(result),
                    number: number_of(input),
                    forward: forward.as_ref().map(|forward| forward[number]),
                    backward: backward[number].as_ref().map(|backward| backward[index]),
                    slope: slopes[number],
                });
            }
        }
        Ok(AtPoint { results, entries })
    }

    fn forward(&mut self, start: &Point, primal: usize, input: &Component, results: &[Component]) -> Option<Vec<f64>> {
        let jvp = self.derived.jvp?;
        let size = components::tangent_size(&self.derived.module, &self.layouts, self.derived.func);
        let mut seeded = start.with(&vec![0; size]);
        seeded.slots[start.slots.len() + input.tangent_slot] = 1f64.to_bits();
        let end = self.machine.call_slots(jvp, &seeded.slots, &mut seeded.memory).ok()?;
        Some(results.iter().map(|result| f64::from_bits(end[primal + result.tangent_slot])).collect())
    }

    fn backward(&mut self, start: &Point, result: &Component, inputs: &[Component]) -> Option<Vec<f64>> {
        let vjp = self.derived.vjp?;
        let size = components::cotangent_size(&self.derived.module, &self.layouts, self.derived.func);
        let mut seeded = start.with(&vec![0; size]);
        seeded.slots[start.slots.len() + result.tangent_slot] = 1f64.to_bits();
        let end = self.machine.call_slots(vjp, &seeded.slots, &mut seeded.memory).ok()?;
        Some(inputs.iter().map(|input| f64::from_bits(end[input.tangent_slot])).collect())
    }

    fn slopes(
        &mut self,
        start: &Point,
        (end, tape): (&[u64], &mut Tape),
        input: &Component,
        results: &[Component],
    ) -> Vec<Slope> {
        let func = self.derived.func;
        let values =
            |slots: &[u64]| results.iter().map(|result| f64::from_bits(slots[result.slot])).collect::<Vec<_>>();
        let value = start.get(Spot::Slot(input.slot));
        // A few roundings of each result.
        let noise = values(end).iter().map(|value| 4.0 * f64::EPSILON * value.abs()).collect();
        let unknown = vec![0.0; results.len()];
        let differences = Differences::around((value, 1.0), (values(end), noise, unknown), TOLERANCE, |value| {
            let mut moved = start.clone();
            moved.set(Spot::Slot(input.slot), value);
            let slots = self.machine.call_frozen(func, &moved.slots, &mut moved.memory, tape)?;
            Some(values(&slots))
        });
        let slope = |result| match differences.of(result) {
            Difference::Slope { slope, .. } => Slope::Is(slope),
            Difference::Kink { left, right } => Slope::Kink(left, right),
            Difference::Unsettled => Slope::Unsettled,
        };
        (0..results.len()).map(slope).collect()
    }

    /// How far central differences of several steps, with everything held that the source holds, are from the derivative of a result by a number, which is given.
    pub fn errors_by_step(
        &mut self,
        numbers: &[f64],
        (result, number): (usize, usize),
        derivative: f64,
    ) -> Vec<(f64, f64)> {
        let func = self.derived.func;
        let Some(start) = self.point(numbers) else { return Vec::new() };
        let recorded = self.machine.call_recording(func, &start.slots, &mut start.memory.clone());
        let Ok((_, mut tape)) = recorded else { return Vec::new() };
        let mut value = |step: f64| -> Option<f64> {
            let mut moved = numbers.to_vec();
            *moved.get_mut(number)? += step;
            let mut point = self.point(&moved)?;
            let end = self.machine.call_frozen(func, &point.slots, &mut point.memory, &mut tape)?;
            Some(self.floats_of(&end).get(result)?.1)
        };
        let error = |exponent: i32| {
            let step = 10f64.powi(-exponent);
            let slope = (value(step)? - value(-step)?) / (2.0 * step);
            Some((step, (slope - derivative).abs()))
        };
        STEPS.filter_map(error).collect()
    }

    /// A result and its derivative by a number of the inputs, for some values of that number.
    pub fn along(
        &mut self,
        numbers: &[f64],
        (result, number): (usize, usize),
        values: &[f64],
    ) -> Vec<(f64, Option<f64>)> {
        let all = self.numbers();
        let mut one = |value: f64| -> Option<(f64, Option<f64>)> {
            let mut moved = numbers.to_vec();
            *moved.get_mut(number)? = value;
            let point = self.point(&moved)?;
            let (module, func) = (&self.derived.module, self.derived.func);
            let end = self.machine.call_slots(func, &point.slots, &mut point.memory.clone()).ok()?;
            let (place, value) = self.floats_of(&end).into_iter().nth(result)?;
            let of_results = components::result_components(module, &self.layouts, func, &end);
            let inputs = components::components(module, &self.layouts, func, &point.slots);
            let derivative = || -> Option<f64> {
                let input = inputs.iter().find(|input| all.get(number).is_some_and(|all| all.place == input.place))?;
                let result = of_results.into_iter().find(|result| result.place == place)?;
                let inputs = std::slice::from_ref(input);
                let backward = self.backward(&point, &result, inputs);
                backward.or_else(|| self.forward(&point, end.len(), input, &[result]))?.first().copied()
            };
            Some((value, derivative()))
        };
        values.iter().map(|&value| one(value).unwrap_or((f64::NAN, None))).collect()
    }

    /// A result over two numbers of the inputs: for each value of the second a row of those of the first.
    pub fn over(
        &mut self,
        numbers: &[f64],
        result: usize,
        (x, xs): (usize, &[f64]),
        (y, ys): (usize, &[f64]),
    ) -> Vec<Vec<f64>> {
        let mut one = |x_value: f64, y_value: f64| -> Option<f64> {
            let mut moved = numbers.to_vec();
            *moved.get_mut(x)? = x_value;
            *moved.get_mut(y)? = y_value;
            let point = self.point(&moved)?;
            Some(self.values(&point).ok()?.get(result)?.1)
        };
        ys.iter().map(|&y| xs.iter().map(|&x| one(x, y).unwrap_or(f64::NAN)).collect()).collect()
    }

    /// What each operation makes that has a place in the source, and the cotangent of it, where `wanted` takes its place;
    /// of operations that run several times the one of number `time`, from 0, or the last. `None` if the numbers do not
    /// fit the inputs.
    pub fn on_the_way(
        &mut self,
        numbers: &[f64],
        time: Option<u32>,
        wanted: impl Fn(&[SpanId]) -> Vec<SpanId>,
    ) -> Option<Result<Vec<OnTheWay>, InterpError>> {
        let start = self.point(numbers)?;
        self.machine.probe = Some(Probe::keeping(time));
        let recorded = self.machine.call_recording(self.derived.func, &start.slots, &mut start.memory.clone());
        let made = self.machine.probe.take().map(|probe| probe.made).unwrap_or_default();
        let mut tape = match recorded {
            Ok((_, tape)) => tape,
            Err(error) => return Some(Err(error)),
        };
        let module = &self.derived.module;
        let span_of = |(func, op): (FuncId, ir::OpId)| module.funcs[func].ops[op].span;
        let spans: Vec<SpanId> = made.keys().map(|&op| span_of(op)).collect();
        let wanted = wanted(&spans);
        let mut found: Vec<OnTheWay> = Vec::new();
        for span in wanted.into_iter().take(MOST_PLACES) {
            // Of several with one place the last is the whole.
            let op = made.keys().copied().filter(|&op| span_of(op) == span).max_by_key(|(_, op)| op.into_raw());
            let Some((op, Made { count, kept, value })) = op.and_then(|op| Some((op, made.get(&op)?))) else {
                continue;
            };
            let cotangent = (0..value.len())
                .map(|number| self.cotangent(&start, &mut tape, (op, *kept, number), value[number]))
                .collect();
            found.push(OnTheWay { span, count: *count, time: *kept, value: value.clone(), cotangent });
        }
        Some(Ok(found))
    }

    /// By how much the sum of the results changes with a number that an operation makes.
    fn cotangent(
        &mut self,
        start: &Point,
        tape: &mut Tape,
        (op, time, number): ((FuncId, ir::OpId), u32, usize),
        value: f64,
    ) -> Option<f64> {
        let step = 1e-5 * value.abs().max(1.0);
        let mut sum = |by: f64| -> Option<f64> {
            self.machine.probe = Some(Probe::nudging(Nudge { op, time, number, by }));
            let mut memory = start.memory.clone();
            let end = self.machine.call_frozen(self.derived.func, &start.slots, &mut memory, tape);
            self.machine.probe = None;
            let end = end?;
            Some(self.floats_of(&end).iter().map(|(_, value)| value).sum())
        };
        let slope = (sum(step)? - sum(-step)?) / (2.0 * step);
        slope.is_finite().then_some(slope)
    }
}
