//! What reverse mode keeps: how much, and that it stays so in deep chains of calls.

use autodiff::residuals::{Decision, Reason};
use interp::Value;
use ir::{DerivativeKind, verify::VerifiedModule};

use test_support::modules::module;

use crate::common::Program;

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
fn chain(depth: usize) -> VerifiedModule {
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
    module(&text)
}

/// A chain with its reverse mode.
fn differentiated(depth: usize) -> (VerifiedModule, ir::FuncId) {
    let mut module = chain(depth);
    let f = module.func_named("f").expect("there is a function `f`");
    let made = autodiff::derivatives(&mut module, &[(DerivativeKind::Vjp, f)]).expect("it can be differentiated");
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

/// A callee with a loop whose state must be stored, called in a loop with an array that stays the same.
const INVARIANT: &str = "
func @g(%w: [f32; 16] diff, %x: f32 diff) -> (return: f32 diff) forward_differentiable backward_differentiable prefer_checkpoint {
  %0: i32 = const 0
  %1: i32 = const 1
  %n: i32 = const 16
  %k: i32, %p: f32 = loop (%0, %x) cond (%k1: i32, %p1: f32) {
    %c: bool = lt %k1, %n
    yield %c
  } body (%k2: i32, %p2: f32) {
    %e: f32 = extract %w[%k2]
    %s: f32 = sin(%p2)
    %p3: f32 = mul %s, %e
    %k3: i32 = add %k2, %1
    yield %k3, %p3
  }
  return %p
}
func @f(%w: [f32; 16] diff, %x: f32 diff) -> (return: f32 diff) forward_differentiable backward_differentiable {
  %0: i32 = const 0
  %1: i32 = const 1
  %n: i32 = const 5
  %k: i32, %p: f32 = loop (%0, %x) cond (%k1: i32, %p1: f32) {
    %c: bool = lt %k1, %n
    yield %c
  } body (%k2: i32, %p2: f32) {
    %p3: f32 = call @g(%w, %p2)
    %p4: f32 = add %p3, %x
    %k3: i32 = add %k2, %1
    yield %k3, %p4
  }
  return %p
}";

/// The array is handed in again: what is stored per call are the 16 states of the callee's loop.
#[test]
fn arguments_are_not_stored_with_the_callee() {
    let program = Program::new(INVARIANT);
    assert_eq!(program.plan("g").bytes(), 16 * 4);
    let plan = program.plan("f");
    assert_eq!(plan.bytes(), 5 * 16 * 4, "{plan:#?}");
    let weights: [f64; 16] = std::array::from_fn(|index| 1.0 + 0.01 * index as f64);
    let value =
        |x: f64| (0..5).fold(x, |state, _| weights.iter().fold(state, |state, weight| state.sin() * weight) + x);
    let slope = (value(0.3 + 1e-6) - value(0.3 - 1e-6)) / 2e-6;
    let derivative = program.backward(&[weights.into(), 0.3.into()], &[1.0]);
    let ours = derivative.last().expect("a derivative");
    assert!((ours - slope).abs() < 1e-7 * slope.abs().max(1.0), "{ours}, not {slope}");
}

/// A user who holds a context has nothing to hand in: the array is in it, once.
#[test]
fn contexts_hold_what_is_read() {
    let mut module = module(INVARIANT);
    let f = module.func_named("f").expect("there is a function `f`");
    let made = autodiff::derivatives(&mut module, &[(DerivativeKind::Apply, f)]).expect("it can be differentiated");
    let context = module.funcs[made[0]].results.last().expect("a context").ty;
    assert_eq!(autodiff::sizes::size_of(&module.types, context), 5 * 16 * 4 + 16 * 4);
}

/// The array is another one in each iteration, and the callee reads one element: the element is stored, not the array.
#[test]
fn one_element_is_stored_instead_of_an_array_that_changes() {
    let program = Program::new(
        "
func @pick(%t: [f32; 64] diff, %at: i32) -> (return: f32 diff) forward_differentiable backward_differentiable {
  %y: f32 = extract %t[%at]
  %z: f32 = mul %y, %y
  return %z
}
func @f(%t: [f32; 64] diff) -> (return: f32 diff) forward_differentiable backward_differentiable {
  %0: i32 = const 0
  %1: i32 = const 1
  %n: i32 = const 6
  %zero: f32 = const 0.0
  %half: f32 = const 0.5
  %k: i32, %s: f32, %u: [f32; 64] = loop (%0, %zero, %t) cond (%k1: i32, %s1: f32, %t1: [f32; 64]) {
    %c: bool = lt %k1, %n
    yield %c
  } body (%k2: i32, %s2: f32, %t2: [f32; 64]) {
    %y: f32 = call @pick(%t2, %k2)
    %s3: f32 = add %s2, %y
    %k3: i32 = add %k2, %1
    %scaled: f32 = mul %y, %half
    %t3: [f32; 64] = insert %t2[%k3], %scaled
    yield %k3, %s3, %t3
  }
  return %s
}",
    );
    let plan = program.plan("f");
    assert!(plan.bytes() <= 6 * 8, "{plan:#?}");
    // With t[0] = x, the values are x^2, x^4 / 4, …: each is the square of half of the one before.
    let value = |x: f64| (0..5).fold((x * x, x * x), |(sum, last), _| (sum + last * last / 4.0, last * last / 4.0)).0;
    let slope = (value(1.3 + 1e-6) - value(1.3 - 1e-6)) / 2e-6;
    let mut table = [0.25; 64];
    table[0] = 1.3;
    let derivative = program.backward(&[table.into()], &[1.0]);
    assert!((derivative[0] - slope).abs() < 1e-7 * slope, "{}, not {slope}", derivative[0]);
}

/// Small functions run again whatever they call; nothing of a chain of them is stored.
#[test]
fn small_calls_run_again_however_deep() {
    let program = Program::new(
        "
func @inner(%a: f32 diff) -> (return: f32 diff) forward_differentiable backward_differentiable {
  %b: f32 = mul %a, %a
  return %b
}
func @middle(%a: f32 diff) -> (return: f32 diff) forward_differentiable backward_differentiable {
  %b: f32 = call @inner(%a)
  %c: f32 = mul %b, %a
  return %c
}
func @outer(%a: f32 diff) -> (return: f32 diff) forward_differentiable backward_differentiable {
  %b: f32 = call @middle(%a)
  %c: f32 = div %b, %a
  return %c
}
func @f(%x: f32 diff) -> (return: f32 diff) forward_differentiable backward_differentiable {
  %a: f32 = call @outer(%x)
  %b: f32 = call @outer(%a)
  %c: f32 = mul %b, %a
  return %c
}",
    );
    let plan = program.plan("f");
    assert_eq!(plan.bytes(), 0, "{plan:#?}");
    // x^6
    let derivative = program.backward(&[1.1.into()], &[1.0]);
    assert!((derivative[0] - 6.0 * 1.1f64.powi(5)).abs() < 1e-12, "{derivative:?}");
}

/// Functions that call each other keep the same whichever is asked for first.
#[test]
fn numbers_of_recursion_do_not_depend_on_the_order() {
    let text = |first: &str, second: &str| {
        format!(
            "
func @{first}(%x: f32 diff, %n: i32) -> (return: f32 diff) forward_differentiable backward_differentiable {{
  %1: i32 = const 1
  %c: bool = lt %n, %1
  %y: f32 = if %c {{
    yield %x
  }} else {{
    %m: i32 = sub %n, %1
    %b: f32 = call @{second}(%x, %m)
    %s: f32 = sin(%b)
    %d: f32 = mul %s, %b
    yield %d
  }}
  return %y
}}"
        )
    };
    let record = |order: [&str; 2]| {
        let mut module = module(&(text("f", "g") + &text("g", "f")));
        let wanted = order.map(|name| (DerivativeKind::Primal, module.func_named(name).expect("the function")));
        let made = autodiff::derivatives(&mut module, &wanted).expect("it can be differentiated");
        let bytes = |half: &ir::FuncId| {
            let record = module.funcs[*half].results.last().expect("a residual record").ty;
            autodiff::sizes::size_of(&module.types, record)
        };
        made.iter().map(bytes).collect::<Vec<u64>>()
    };
    // The branch's call, for its own sine and product.
    assert_eq!(record(["f", "g"]), [4, 4]);
    assert_eq!(record(["g", "f"]), [4, 4]);
}
