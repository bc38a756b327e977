//! Whether two engines' numbers are one: equal up to rounding, which is as large as the program makes it.

use interp::Precision;

use super::{Difference, Engine, rough::rough, unit::Unit, unit::interpret};

pub(super) enum Verdict {
    Same,
    /// Nearby inputs, or more digits, move the number as far.
    Explained,
    Different(Difference),
}

/// Relative differences that say nothing, where the program does not enlarge them.
fn tolerance(engine: Engine) -> f64 {
    match engine {
        Engine::Passes | Engine::Slang => 1e-5,
        Engine::Cpp | Engine::UncheckedCpp | Engine::Metal | Engine::Cuda | Engine::Slangc => 2e-5,
        Engine::Wgsl | Engine::Spirv | Engine::Glsl => 2e-4,
    }
}

/// Numbers below this part of a program's largest are compared as if they were as large: they are differences of larger ones.
const SMALL: f64 = 0.01;

/// Of the spread that small changes of the inputs cause, how many times it is allowed.
const SAFETY: f64 = 8.0;

/// Inputs around the given one at which the referee looks.
const NEIGHBOURS: usize = 8;

pub(super) fn difference(unit: &Unit<'_>, member: usize, engine: Engine, got: &[f32]) -> Verdict {
    let expected = &unit.expected[member];
    if got.len() != expected.len() {
        return Verdict::Different(Difference::Refused("it ends before all numbers are written".into()));
    }
    let relative = tolerance(engine);
    let scale = expected.iter().filter(|number| number.is_finite()).fold(1.0f64, |scale, &x| scale.max(x.abs().into()));
    let is_close = |got: f32, expected: f32, more: f64| {
        let (x, y) = (f64::from(got), f64::from(expected));
        let size = x.abs().max(y.abs()).max(SMALL * scale);
        got == expected || (got.is_nan() && expected.is_nan()) || (x - y).abs() <= relative * size + more
    };
    let wrong: Vec<usize> = (0..got.len()).filter(|&index| !is_close(got[index], expected[index], 0.0)).collect();
    if wrong.is_empty() {
        return Verdict::Same;
    }
    let referee = Referee::new(unit, member, engine);
    let unexplained = wrong.iter().copied().find(|&index| {
        let spread = referee.spread(index, expected[index]);
        !is_close(got[index], expected[index], SAFETY * spread) && !referee.left_its_range(index, expected[index])
    });
    match unexplained {
        None => Verdict::Explained,
        Some(index) => Verdict::Different(Difference::Number { index, got: got[index], expected: expected[index] }),
    }
}

/// The same program in double precision, at its inputs and beside them, and for devices with functions as inexact as theirs.
struct Referee {
    runs: Vec<Vec<f32>>,
    /// At the program's own inputs, in double precision.
    exact: Option<Vec<f32>>,
}

impl Referee {
    fn new(unit: &Unit<'_>, member: usize, engine: Engine) -> Referee {
        let program = unit.programs[member];
        let step = if unit.has(ir::Scalar::F16) { f32::powi(2.0, -11) } else { 4.0 * f32::EPSILON };
        let mut runs = Vec::new();
        for neighbour in 0..=NEIGHBOURS {
            let inputs: Vec<f32> = program
                .inputs
                .iter()
                .enumerate()
                .map(|(index, &input)| {
                    // Each input goes up in half of the runs and down in the others, in another order than its neighbours.
                    let sign = if (neighbour >> (index % 3)) & 1 == 0 { 1.0 } else { -1.0 };
                    if neighbour == NEIGHBOURS { input } else { input + sign * step * input.abs().max(0.1) }
                })
                .collect();
            for precision in [Precision::F64, Precision::Declared] {
                runs.extend(interpret(&unit.expanded, &program.entry, program, precision, &inputs));
            }
        }
        if matches!(engine, Engine::Wgsl | Engine::Spirv | Engine::Glsl) {
            for module in [1.0, -1.0].into_iter().filter_map(|sign| rough(&unit.expanded, sign)) {
                runs.extend(interpret(&module, &program.entry, program, Precision::F64, &program.inputs));
            }
        }
        let exact = interpret(&unit.expanded, &program.entry, program, Precision::F64, &program.inputs).ok();
        Referee { runs, exact }
    }

    /// Whether a number is finite in double precision, and not in the declared one: halves overflow at 65,504, and what
    /// `sin` of an infinity, `min` of a NaN or a wider register make of that is the engine's own.
    fn left_its_range(&self, index: usize, expected: f32) -> bool {
        !expected.is_finite() && self.exact.as_ref().is_some_and(|exact| exact[index].is_finite())
    }

    /// How far the runs of one number are from what is expected.
    fn spread(&self, index: usize, expected: f32) -> f64 {
        let distance = |run: &Vec<f32>| (f64::from(run[index]) - f64::from(expected)).abs();
        self.runs.iter().map(distance).filter(|distance| distance.is_finite()).fold(0.0, f64::max)
    }
}
