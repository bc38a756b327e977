//! Several directions at once: as one direction after the other, and with one primal for all.

use autodiff::batch::batched_jvp;
use fastrand::Rng;
use interp::{Limits, Machine, Precision, Value};
use ir::{Callee, DerivativeKind, FuncId, MathFn, Op, verify::VerifiedModule};
use test_support::modules::module;
use test_support::random_program::{Size, random_program};

use crate::common::{derivative_of, random_value, tangent_types};

const DIRECTIONS: u32 = 3;

fn run(module: &VerifiedModule, func: FuncId, args: &[Value]) -> Option<Vec<Value>> {
    Machine::new(module, Precision::F64, Limits { steps: 20_000_000, ..Limits::default() }).call(func, args).ok()
}

/// Whether the batched derivative of `f` gives bit for bit what the forward derivative does in each direction.
fn agrees(module: &mut VerifiedModule, f: FuncId, seed: u64) {
    let jvp = derivative_of(module, DerivativeKind::Jvp, f, seed);
    let batched = batched_jvp(module, f, DIRECTIONS)
        .unwrap_or_else(|errors| panic!("seed {seed}: {errors:?}\n{}", ir::print::print_module(module)));
    let mut rng = Rng::with_seed(seed);
    let inputs: Vec<_> = module.funcs[f].inputs.iter().map(|input| (input.ty, input.differentiable)).collect();
    let args: Vec<Value> = inputs.iter().map(|&(ty, _)| random_value(module, ty, &mut rng)).collect();
    let types = tangent_types(module, inputs.into_iter());
    let mut tangents: Vec<Vec<Value>> = Vec::new();
    for &ty in &types {
        tangents.push((0..DIRECTIONS).map(|_| random_value(module, ty, &mut rng)).collect());
    }
    let mut all = args.clone();
    all.extend(tangents.iter().map(|directions| Value::Aggregate(directions.clone())));
    let together = run(module, batched, &all).expect("the batched derivative runs");
    let primal = module.funcs[f].results.len();
    for direction in 0..DIRECTIONS as usize {
        let mut one = args.clone();
        one.extend(tangents.iter().map(|directions| directions[direction].clone()));
        let alone = run(module, jvp, &one).expect("the derivative runs");
        let of_direction: Vec<Value> = together[primal..]
            .iter()
            .map(|value| match value {
                Value::Aggregate(directions) => directions[direction].clone(),
                other => panic!("not an array: {other:?}"),
            })
            .collect();
        let bits = |values: &[Value]| -> Vec<u64> {
            let floats = values.iter().flat_map(Value::floats);
            floats.map(|x| if x.is_nan() { f64::NAN } else { x + 0.0 }.to_bits()).collect()
        };
        assert_eq!(bits(&together[..primal]), bits(&alone[..primal]), "seed {seed}");
        assert_eq!(bits(&of_direction), bits(&alone[primal..]), "seed {seed}, direction {direction}");
    }
}

#[test]
fn directions_together_are_directions_one_by_one() {
    for seed in 0..150 {
        let (mut module, f) = random_program(seed, Size::default());
        agrees(&mut module, f, seed);
    }
}

/// A rule of the user's takes one direction and is called for each.
#[test]
fn rules_are_called_for_each_direction() {
    let mut module = module(
        "
func @g(%x: f32 diff) -> (return: f32 diff) forward @g_fwd {
  %y: f32 = mul %x, %x
  return %y
}
func @g_fwd(%x: f32 diff, %x': f32 diff) -> (return: f32 diff, return': f32 diff) forward_differentiable {
  %y: f32 = mul %x, %x
  %two: f32 = const 2.0
  %a: f32 = mul %two, %x
  %y': f32 = mul %a, %x'
  return %y, %y'
}
func @f(%x: f32 diff) -> (return: f32 diff) forward_differentiable {
  %a: f32 = call @g(%x)
  %b: f32 = mul %a, %x
  return %b
}",
    );
    let f = module.func_named("f").expect("there is a function `f`");
    agrees(&mut module, f, 0);
    let batched = module.func_named("f.jvp_3").expect("it was made");
    let tangents = Value::Aggregate([1.0, -2.0, 0.5].map(Value::Float).to_vec());
    let results = run(&module, batched, &[Value::Float(2.0), tangents]).expect("it runs");
    // x^3 has slope 12 at 2.
    assert_eq!(results.iter().flat_map(Value::floats).collect::<Vec<f64>>(), [8.0, 12.0, -24.0, 6.0]);
}

/// What does not depend on the direction is there once: one exponential and one call for three directions.
#[test]
fn the_primal_is_shared() {
    let mut module = module(
        "
func @g(%x: f32 diff) -> (return: f32 diff) forward_differentiable {
  %y: f32 = exp(%x)
  return %y
}
func @f(%x: f32 diff) -> (return: f32 diff) forward_differentiable {
  %a: f32 = call @g(%x)
  %b: f32 = mul %a, %a
  return %b
}",
    );
    let f = module.func_named("f").expect("there is a function `f`");
    batched_jvp(&mut module, f, DIRECTIONS).expect("it can be differentiated");
    let count = |name: &str, wanted: &dyn Fn(&Op) -> bool| {
        let func = module.func_named(name).expect("it was made");
        module.funcs[func].ops.iter().filter(|(_, data)| wanted(&data.op)).count()
    };
    assert_eq!(count("g.jvp_3", &|op| matches!(op, Op::Math(MathFn::Exp, _))), 1);
    assert_eq!(count("f.jvp_3", &|op| matches!(op, Op::Call { callee: Callee::Func(_), .. })), 1);
}
