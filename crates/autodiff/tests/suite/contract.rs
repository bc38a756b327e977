//! The rule contract (see [`autodiff::rules`]) for every builtin function with a derivative: the value of the primal,
//! the derivative by differences, forward and backward and once more by nesting; and in the precision of each float type.

use autodiff::rules::{Class, math_rule};
use interp::{
    Limits, Machine, Precision, Value,
    gradcheck::{self, Functions, Options},
};
use ir::{DerivativeKind, FuncId, MathFn, verify::VerifiedModule};

use crate::common::derivative_of;

/// A function with the types of its operands and its result (`S` is the scalar type, `V` and `M` three of them and three
/// rows of three) and where each operand is sampled.
struct Row {
    function: MathFn,
    operands: &'static [char],
    result: char,
    ranges: &'static [(f64, f64)],
}

const fn row(function: MathFn, operands: &'static [char], result: char, ranges: &'static [(f64, f64)]) -> Row {
    Row { function, operands, result, ranges }
}

const REALS: (f64, f64) = (-3.0, 3.0);
const POSITIVE: (f64, f64) = (0.05, 3.0);
const NEGATIVE: (f64, f64) = (-3.0, -0.05);
const INSIDE_ONE: (f64, f64) = (-0.9, 0.9);

const ROWS: &[Row] = &[
    row(MathFn::Abs, &['S'], 'S', &[REALS]),
    row(MathFn::Acos, &['S'], 'S', &[INSIDE_ONE]),
    row(MathFn::Acosh, &['S'], 'S', &[(1.1, 4.0)]),
    row(MathFn::Asin, &['S'], 'S', &[INSIDE_ONE]),
    row(MathFn::Asinh, &['S'], 'S', &[REALS]),
    row(MathFn::Atan, &['S'], 'S', &[REALS]),
    row(MathFn::Atanh, &['S'], 'S', &[INSIDE_ONE]),
    row(MathFn::Cos, &['S'], 'S', &[REALS]),
    row(MathFn::Cosh, &['S'], 'S', &[REALS]),
    row(MathFn::Exp, &['S'], 'S', &[REALS]),
    row(MathFn::Exp2, &['S'], 'S', &[REALS]),
    row(MathFn::Frac, &['S'], 'S', &[REALS]),
    row(MathFn::Log, &['S'], 'S', &[POSITIVE]),
    row(MathFn::Log10, &['S'], 'S', &[POSITIVE]),
    row(MathFn::Log2, &['S'], 'S', &[POSITIVE]),
    row(MathFn::Rcp, &['S'], 'S', &[POSITIVE]),
    row(MathFn::Rsqrt, &['S'], 'S', &[POSITIVE]),
    row(MathFn::Saturate, &['S'], 'S', &[REALS]),
    row(MathFn::Sin, &['S'], 'S', &[REALS]),
    row(MathFn::Sinh, &['S'], 'S', &[REALS]),
    row(MathFn::Sqrt, &['S'], 'S', &[POSITIVE]),
    row(MathFn::Tan, &['S'], 'S', &[(-1.2, 1.2)]),
    row(MathFn::Tanh, &['S'], 'S', &[REALS]),
    row(MathFn::Degrees, &['S'], 'S', &[REALS]),
    row(MathFn::Radians, &['S'], 'S', &[REALS]),
    row(MathFn::Atan2, &['S', 'S'], 'S', &[REALS, POSITIVE]),
    // The sign jumps at 0, where the derivative is slangc's.
    row(MathFn::Copysign, &['S', 'S'], 'S', &[REALS, POSITIVE]),
    row(MathFn::Copysign, &['S', 'S'], 'S', &[REALS, NEGATIVE]),
    row(MathFn::Fmod, &['S', 'S'], 'S', &[REALS, POSITIVE]),
    row(MathFn::Max, &['S', 'S'], 'S', &[REALS, REALS]),
    row(MathFn::Min, &['S', 'S'], 'S', &[REALS, REALS]),
    row(MathFn::Pow, &['S', 'S'], 'S', &[POSITIVE, REALS]),
    row(MathFn::Clamp, &['S', 'S', 'S'], 'S', &[REALS, (-2.0, 0.0), (0.1, 2.0)]),
    row(MathFn::Fma, &['S', 'S', 'S'], 'S', &[REALS, REALS, REALS]),
    row(MathFn::Lerp, &['S', 'S', 'S'], 'S', &[REALS, REALS, REALS]),
    row(MathFn::Smoothstep, &['S', 'S', 'S'], 'S', &[(-2.0, 0.0), (0.5, 2.0), REALS]),
    row(MathFn::Dot, &['V', 'V'], 'S', &[REALS, REALS]),
    row(MathFn::Length, &['V'], 'S', &[POSITIVE]),
    row(MathFn::Distance, &['V', 'V'], 'S', &[POSITIVE, (-3.0, -0.05)]),
    row(MathFn::Cross, &['V', 'V'], 'V', &[REALS, REALS]),
    row(MathFn::Normalize, &['V'], 'V', &[POSITIVE]),
    row(MathFn::Reflect, &['V', 'V'], 'V', &[REALS, REALS]),
    row(MathFn::Refract, &['V', 'V', 'S'], 'V', &[(-0.6, -0.3), (0.5, 0.6), (0.5, 0.8)]),
    row(MathFn::Faceforward, &['V', 'V', 'V'], 'V', &[REALS, REALS, REALS]),
    row(MathFn::MatMul, &['M', 'V'], 'V', &[REALS, REALS]),
    row(MathFn::MatMul, &['V', 'M'], 'V', &[REALS, REALS]),
    row(MathFn::MatMul, &['M', 'M'], 'M', &[REALS, REALS]),
    row(MathFn::Transpose, &['M'], 'M', &[REALS]),
    row(MathFn::Determinant, &['M'], 'S', &[REALS]),
];

impl Row {
    /// A module whose function `f` is this one.
    fn module(&self, scalar: &str) -> (VerifiedModule, FuncId) {
        let ty = |shape: char| match shape {
            'V' => format!("{scalar}x3"),
            'M' => format!("{scalar}x3x3"),
            _ => scalar.to_owned(),
        };
        let inputs: Vec<String> =
            (0..).zip(self.operands).map(|(at, &shape)| format!("%x{at}: {} diff", ty(shape))).collect();
        let args: Vec<String> = (0..self.operands.len()).map(|at| format!("%x{at}")).collect();
        let (word, result) = (self.function.word(), ty(self.result));
        let text = format!(
            "func @f({}) -> (r: {result} diff) forward_differentiable backward_differentiable {{
  %r: {result} = {word}({})
  return %r
}}",
            inputs.join(", "),
            args.join(", ")
        );
        let module = test_support::modules::module(&text);
        let f = module.func_named("f").expect("there is a function `f`");
        (module, f)
    }

    fn options(&self) -> Options {
        let names = (0..self.ranges.len()).map(|at| format!("x{at}").into());
        Options { samples: 6, ranges: names.zip(self.ranges.iter().copied()).collect(), ..Options::default() }
    }
}

fn keeps_the_contract(module: &mut VerifiedModule, func: FuncId, options: &Options) -> gradcheck::Report {
    let jvp = derivative_of(module, DerivativeKind::Jvp, func, 0);
    let vjp = derivative_of(module, DerivativeKind::Vjp, func, 0);
    gradcheck::check(module, Functions { primal: func, jvp: Some(jvp), vjp: Some(vjp) }, options)
}

#[test]
fn every_differentiable_function_has_a_row() {
    for &function in MathFn::ALL {
        let wanted = matches!(math_rule(function).class, Class::ComponentWise(_) | Class::Composite);
        assert_eq!(ROWS.iter().any(|row| row.function == function), wanted, "{function:?}");
    }
}

#[test]
fn every_rule_keeps_the_contract_to_second_order() {
    for row in ROWS {
        let (mut module, f) = row.module("f32");
        let report = keeps_the_contract(&mut module, f, &row.options());
        assert!(report.is_good(), "{:?}: {:?}", row.function, report.findings);
        for kind in [DerivativeKind::Jvp, DerivativeKind::Vjp] {
            let derivative = derivative_of(&mut module, kind, f, 0);
            let options = Options { samples: 3, directions: 8, tolerance: 1e-4, ..row.options() };
            let report = keeps_the_contract(&mut module, derivative, &options);
            assert!(report.is_good(), "{kind:?} of {:?}: {:?}", row.function, report.findings);
        }
    }
}

/// Functions of scalars take vectors and matrices too, component by component.
#[test]
fn component_wise_rules_keep_the_contract_on_vectors_and_matrices() {
    let component_wise = |row: &&Row| matches!(math_rule(row.function).class, Class::ComponentWise(_));
    for row in ROWS.iter().filter(component_wise) {
        for shape in ["f16x3", "f32x2", "f32x2x3", "f64x4"] {
            let (mut module, f) = row.module(shape);
            let options = Options { samples: 2, directions: 6, ..row.options() };
            let report = keeps_the_contract(&mut module, f, &options);
            assert!(report.is_good(), "{:?} of {shape}: {:?}", row.function, report.findings);
        }
    }
}

/// In half and float the derivatives are those in double, up to roundings.
#[test]
fn derivatives_are_right_in_every_precision() {
    for (scalar, epsilon) in [("f16", 1.0 / 1024.0), ("f32", 1.0 / 8_388_608.0), ("f64", 0.0)] {
        let mut rng = fastrand::Rng::with_seed(7);
        for row in ROWS {
            let (mut module, f) = row.module(scalar);
            let vjp = derivative_of(&mut module, DerivativeKind::Vjp, f, 0);
            let jvp = derivative_of(&mut module, DerivativeKind::Jvp, f, 0);
            for _ in 0..12 {
                // Numbers that a half has exactly.
                let mut number = |(low, high): (f64, f64)| ((low + rng.f64() * (high - low)) * 64.0).round() / 64.0;
                let many = |shape: char, range: (f64, f64), number: &mut dyn FnMut((f64, f64)) -> f64| -> Value {
                    let mut vector = || Value::Aggregate((0..3).map(|_| Value::Float(number(range))).collect());
                    match shape {
                        'V' => vector(),
                        'M' => Value::Aggregate((0..3).map(|_| vector()).collect()),
                        _ => Value::Float(number(range)),
                    }
                };
                let operands: Vec<Value> = row
                    .operands
                    .iter()
                    .zip(row.ranges)
                    .map(|(&shape, &range)| many(shape, range, &mut number))
                    .collect();
                let mut args = operands.clone();
                args.push(many(row.result, (-1.0, 1.0), &mut number));
                let mut with_tangents = operands;
                with_tangents.extend(row.operands.iter().map(|&shape| many(shape, (-1.0, 1.0), &mut number)));
                for (func, args) in [(vjp, &args), (jvp, &with_tangents)] {
                    let run = |precision| {
                        let results = Machine::new(&module, precision, Limits::default()).call(func, args);
                        results.expect("it runs").iter().flat_map(Value::floats).collect::<Vec<f64>>()
                    };
                    let (ours, exact) = (run(Precision::Declared), run(Precision::F64));
                    let scale = exact.iter().fold(1.0f64, |scale, x| scale.max(x.abs()));
                    for (ours, exact) in ours.iter().zip(&exact) {
                        let error = (ours - exact).abs();
                        assert!(
                            error <= 40.0 * epsilon * scale,
                            "{:?} in {scalar} at {args:?}: {ours}, not {exact}",
                            row.function
                        );
                    }
                }
            }
        }
    }
}

/// Places in float where derivatives are easily lost: slangc clamps, or gives zero.
#[test]
fn derivatives_in_float_near_the_edges_of_domains() {
    let cases: &[(MathFn, &[f64], &[f64])] = &[
        (MathFn::Sqrt, &[1e-12], &[5e5]),
        (MathFn::Rsqrt, &[1e-6], &[-5e8]),
        (MathFn::Rcp, &[1e-4], &[-1e8]),
        (MathFn::Rcp, &[-2e-5], &[-2.5e9]),
        (MathFn::Pow, &[1e-8, 2.0], &[2e-8, -1.842_068_1e-15]),
        (MathFn::Fmod, &[7.5, 2.0], &[1.0, -3.0]),
        (MathFn::Log, &[1e-30], &[1e30]),
        (MathFn::Atan2, &[1e-3, -2.0], &[-2.0 / 4.000_001, -1e-3 / 4.000_001]),
        // 1 / sqrt(1 - x^2) where 1 - x is 2^-20.
        (MathFn::Asin, &[1.0 - 1.0 / 1_048_576.0], &[724.077_3]),
        (MathFn::Acos, &[1.0 - 1.0 / 1_048_576.0], &[-724.077_3]),
        (MathFn::Atanh, &[1.0 - 1.0 / 1_048_576.0], &[524_288.25]),
        (MathFn::Acosh, &[1.0 + 1.0 / 1_048_576.0], &[724.077_2]),
    ];
    for &(function, args, expected) in cases {
        let row = ROWS.iter().find(|row| row.function == function).expect("it has a row");
        let (mut module, f) = row.module("f32");
        let vjp = derivative_of(&mut module, DerivativeKind::Vjp, f, 0);
        let args: Vec<Value> = args.iter().chain(&[1.0]).map(|&x| Value::Float(x)).collect();
        let found = Machine::new(&module, Precision::Declared, Limits::default()).call(vjp, &args).expect("it runs");
        for (found, expected) in found.iter().flat_map(Value::floats).zip(expected) {
            assert!((found - expected).abs() <= 2e-6 * expected.abs(), "{function:?}: {found}, not {expected}");
        }
    }
}
