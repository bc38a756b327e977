//! What reverse mode keeps: how much, and that it stays so in deep chains of calls.

use autodiff::residuals::{Decision, Reason};
use interp::Value;
use ir::DerivativeKind;

use crate::common::{Program, verified};

/// Whether the angle turns is expensive to find out again, and one bit to keep: 40 of them fit into two words.
#[test]
fn conditions_are_stored_as_bits() {
    let program = Program::new(
        "
func @f(%x: f32 diff) -> (return: f32 diff) forward_differentiable backward_differentiable {
  %0: i32 = const 0
  %1: i32 = const 1
  %n: i32 = const 40
  %half: f32 = const 0.5
  %zero: f32 = const 0.0
  %i: i32, %s: f32 = loop (%0, %x) cond (%i1: i32, %s1: f32) {
    %c: bool = lt %i1, %n
    yield %c
  } body (%i2: i32, %s2: f32) {
    %t: f32 = convert %i2
    %angle: f32 = sin(%t)
    %turns: bool = gt %angle, %zero
    %s3: f32 = if %turns {
      %a: f32 = mul %s2, %half
      yield %a
    } else {
      %b: f32 = add %s2, %x
      yield %b
    }
    %i3: i32 = add %i2, %1
    yield %i3, %s3
  }
  return %s
}",
    );
    let plan = program.plan("f");
    let stored: Vec<_> = plan.items.iter().filter(|item| item.decision == Decision::Store).collect();
    assert_eq!(stored.len(), 1, "{plan:#?}");
    assert_eq!((stored[0].name.as_deref(), stored[0].iterations, stored[0].total_bytes), (Some("turns"), 40, 8));
    assert_eq!(plan.bytes(), 8);
    let (mut value, mut slope) = (0.7, 1.0);
    for step in 0..40 {
        if f64::from(step).sin() > 0.0 {
            (value, slope) = (value * 0.5, slope * 0.5);
        } else {
            (value, slope) = (value + 0.7, slope + 1.0);
        }
    }
    let [ours, tangent] = program.forward(&[0.7.into()], &[1.0.into()])[..] else { panic!("two numbers") };
    assert!((ours - value).abs() < 1e-12 && (tangent - slope).abs() < 1e-12, "{ours} {tangent}");
    let derivative = program.backward(&[0.7.into()], &[1.0]);
    assert!((derivative[0] - slope).abs() < 1e-12, "{derivative:?}, not {slope}");
}

/// A chain of functions, each of which calls the next one twice.
fn chain(depth: usize) -> ir::Module {
    let mut text = String::new();
    for level in (0..depth).rev() {
        let call = |argument: &str| match level + 1 == depth {
            true => format!("sin({argument})"),
            false => format!("call @g{}({argument})", level + 1),
        };
        let name = if level == 0 { "f".to_owned() } else { format!("g{level}") };
        text += &format!(
            "func @{name}(%x: f32 diff) -> (return: f32 diff) forward_differentiable backward_differentiable {{
  %half: f32 = const 0.5
  %a: f32 = mul %x, %half
  %b: f32 = {}
  %c: f32 = mul %b, %x
  %d: f32 = {}
  %e: f32 = add %d, %b
  return %e
}}
",
            call("%a"),
            call("%c")
        );
    }
    ir::parse::parse_module(&text).unwrap_or_else(|error| panic!("{error}"))
}

/// A chain with its reverse mode.
fn differentiated(depth: usize) -> (ir::Module, ir::FuncId) {
    let mut module = chain(depth);
    let f = module.func_named("f").expect("there is a function `f`");
    let made = autodiff::derivatives(&mut module, &[(DerivativeKind::Vjp, f)]).expect("it can be differentiated");
    verified(&module);
    (module, made[0])
}

/// How many operations there are.
fn size(depth: usize) -> usize {
    differentiated(depth).0.funcs.iter().map(|(_, func)| func.ops.len()).sum()
}

/// How many operations the interpreter runs for one gradient.
fn cost(depth: usize) -> u64 {
    let (module, vjp) = differentiated(depth);
    let args = [Value::Float(0.9), Value::Float(1.0)];
    // The fewest steps that are enough.
    let enough = |steps: u64| {
        let limits = interp::Limits { steps, ..interp::Limits::default() };
        interp::Machine::new(&module, interp::Precision::F64, limits).call(vjp, &args).is_ok()
    };
    let (mut low, mut high) = (0, 1 << 32);
    while low < high {
        let middle = (low + high) / 2;
        if enough(middle) { high = middle } else { low = middle + 1 }
    }
    low
}

/// Twice as deep is twice as much code, and what is run grows as the primal does, which calls 2^depth functions.
#[test]
fn nested_calls_are_not_run_again_at_each_level() {
    // Functions near the end of the chain are so small that their calls run again, which is less code.
    let (twelve, more) = (size(12), size(24));
    assert!(more <= twelve * 2 + twelve / 4, "{twelve} operations for depth 12, {more} for depth 24");
    let (shorter, long) = (cost(11), cost(12));
    assert!(long * 10 <= shorter * 22, "{shorter} steps for depth 11, {long} for depth 12");
}

/// A callee whose loop is cheap is run again where its record would be larger than its arguments.
#[test]
fn small_callees_with_loops_run_again() {
    let program = Program::new(
        "
func @g(%x: f32 diff) -> (return: f32 diff) forward_differentiable backward_differentiable {
  %0: i32 = const 0
  %1: i32 = const 1
  %n: i32 = const 3
  %k: i32, %p: f32 = loop (%0, %x) cond (%k1: i32, %p1: f32) {
    %c: bool = lt %k1, %n
    yield %c
  } body (%k2: i32, %p2: f32) {
    %p3: f32 = mul %p2, %p2
    %k3: i32 = add %k2, %1
    yield %k3, %p3
  }
  return %p
}
func @f(%x: f32 diff) -> (return: f32 diff) forward_differentiable backward_differentiable {
  %a: f32 = call @g(%x)
  %b: f32 = call @g(%a)
  return %b
}",
    );
    let plan = program.plan("f");
    let records: Vec<_> = plan.items.iter().filter(|item| item.type_name.contains("Residuals")).collect();
    assert!(
        records.iter().all(|item| (item.decision, item.reason) == (Decision::Recompute, Reason::Cheap)),
        "{plan:#?}"
    );
    // x^64
    let derivative = program.backward(&[1.01.into()], &[1.0]);
    let expected = 64.0 * 1.01f64.powi(63);
    assert!((derivative[0] - expected).abs() < 1e-12 * expected, "{derivative:?}, not {expected}");
}
