//! Loops, branches and early exits in reverse mode: values, and what is stored.

use crate::common::Program;
use autodiff::residuals::{Decision, Reason};

/// `for (j < 2) for (k < inner) p = p * y + 1`
const NESTED: &str = "
func @f(%y: f32 diff, %inner: i32) -> (return: f32 diff) forward_differentiable backward_differentiable {
  %0: i32 = const 0
  %1: i32 = const 1
  %2: i32 = const 2
  %one: f32 = const 1.0
  %j: i32, %p: f32 = loop (%0, %one) cond (%j1: i32, %p1: f32) {
    %3: bool = lt %j1, %2
    yield %3
  } body (%j2: i32, %p2: f32) {
    %k: i32, %q: f32 = loop (%0, %p2) max_iters 8 cond (%k1: i32, %q1: f32) {
      %4: bool = lt %k1, %inner
      yield %4
    } body (%k2: i32, %q2: f32) {
      %5: f32 = mul %q2, %y
      %6: f32 = add %5, %one
      %7: i32 = add %k2, %1
      yield %7, %6
    }
    %8: i32 = add %j2, %1
    yield %8, %q
  }
  return %p
}";

/// The value and derivative of `p = p * y + 1`, `count` times from 1.
fn geometric(y: f64, count: i64) -> (f64, f64) {
    (0..count).fold((1.0, 0.0), |(p, p_tangent), _| (p * y + 1.0, p_tangent * y + p))
}

#[test]
fn inner_loop_longer_than_outer() {
    let program = Program::new(NESTED);
    for inner in [0, 1, 3, 8] {
        let (_, expected) = geometric(0.9, 2 * inner);
        let derivative = program.backward(&[0.9.into(), inner.into()], &[1.0]);
        assert!((derivative[0] - expected).abs() < 1e-9, "{inner}: {derivative:?}, not {expected}");
    }
}

#[test]
fn nested_loops_store_exactly_their_iterations() {
    let plan = Program::new(NESTED).plan("f");
    let stored: Vec<_> = plan.items.iter().filter(|item| item.decision == Decision::Store).collect();
    let [item] = stored[..] else {
        panic!("{plan:#?}");
    };
    // 2 x 8 values of `q`; the trip counts and counters are functions of inputs and iteration numbers.
    assert_eq!((item.name.as_deref(), item.bytes, item.iterations), (Some("q2"), 4, 16));
    assert_eq!(item.reason, Reason::CarriedByLoop);
    assert_eq!(plan.bytes(), 64);
}

/// `for (i < n) { if (x > limit) break; x = x * x + c }`, bounded by 4.
const BREAKING: &str = "
func @f(%c: f32 diff, %limit: f32, %n: i32) -> (return: f32 diff) forward_differentiable backward_differentiable {
  %0: i32 = const 0
  %1: i32 = const 1
  %i: i32, %x: f32 = loop (%0, %c) max_iters 4 cond (%i1: i32, %x1: f32) {
    %2: bool = lt %i1, %n
    yield %2
  } body (%i2: i32, %x2: f32) {
    %3: bool = gt %x2, %limit
    if %3 {
      break %i2, %x2
    } else {
      yield
    }
    %4: f32 = mul %x2, %x2
    %5: f32 = add %4, %c
    %6: i32 = add %i2, %1
    yield %6, %5
  }
  return %x
}";

#[test]
fn break_at_every_point() {
    let program = Program::new(BREAKING);
    for n in [0, 1, 3, 4] {
        for limit in [0.1, 0.9, 1.2, 2.5, 100.0] {
            let (mut x, mut slope) = (0.8f64, 1.0f64);
            for _ in 0..n {
                if x > limit {
                    break;
                }
                (x, slope) = (x * x + 0.8, 2.0 * x * slope + 1.0);
            }
            let derivative = program.backward(&[0.8.into(), limit.into(), n.into()], &[1.0]);
            assert!((derivative[0] - slope).abs() < 1e-9 * slope, "n {n}, limit {limit}: {derivative:?}, not {slope}");
        }
    }
    // One slot per iteration, and no iteration more than the bound.
    assert!(program.plan("f").items.iter().all(|item| item.iterations <= 4), "{:#?}", program.plan("f"));
}

/// Returns from inside two loops.
const RETURNING: &str = "
func @f(%x: f32 diff, %limit: f32) -> (return: f32 diff) forward_differentiable backward_differentiable {
  %0: i32 = const 0
  %1: i32 = const 1
  %3: i32 = const 3
  %j: i32, %p: f32 = loop (%0, %x) cond (%j1: i32, %p1: f32) {
    %c: bool = lt %j1, %3
    yield %c
  } body (%j2: i32, %p2: f32) {
    %k: i32, %q: f32 = loop (%0, %p2) cond (%k1: i32, %q1: f32) {
      %c1: bool = lt %k1, %3
      yield %c1
    } body (%k2: i32, %q2: f32) {
      %far: bool = gt %q2, %limit
      if %far {
        %twice: f32 = add %q2, %q2
        return %twice
      } else {
        yield
      }
      %next: f32 = mul %q2, %x
      %k3: i32 = add %k2, %1
      yield %k3, %next
    }
    %j3: i32 = add %j2, %1
    yield %j3, %q
  }
  return %p
}";

#[test]
fn return_from_inside_loops() {
    let program = Program::new(RETURNING);
    let x: f64 = 1.1;
    for limit in [1.0, 1.15, 1.4, 1.9, 2.3, 2.5, 9.0] {
        // After m products the value is x^(m + 1).
        let stop = (0..9).find(|&m| x.powi(m + 1) > limit);
        let expected = match stop {
            Some(m) => 2.0 * f64::from(m + 1) * x.powi(m),
            None => 10.0 * x.powi(9),
        };
        let derivative = program.backward(&[x.into(), limit.into()], &[1.0]);
        assert!((derivative[0] - expected).abs() < 1e-9 * expected, "limit {limit}: {derivative:?}, not {expected}");
    }
}

#[test]
fn constant_and_dynamic_index_meet() {
    let program = Program::new(
        "
func @f(%a: [f32; 4] diff, %k: i32) -> (return: f32 diff) forward_differentiable backward_differentiable {
  %0: f32 = extract %a[0]
  %three: f32 = const 3.0
  %1: f32 = mul %0, %three
  %2: f32 = extract %a[%k]
  %five: f32 = const 5.0
  %3: f32 = mul %2, %five
  %4: f32 = add %1, %3
  return %4
}",
    );
    let array = || [1.0, 2.0, 3.0, 4.0].into();
    assert_eq!(program.backward(&[array(), 0.into()], &[1.0]), [8.0, 0.0, 0.0, 0.0]);
    assert_eq!(program.backward(&[array(), 2.into()], &[1.0]), [3.0, 0.0, 5.0, 0.0]);
    // Reads out of bounds are zero.
    assert_eq!(program.backward(&[array(), 7.into()], &[1.0]), [3.0, 0.0, 0.0, 0.0]);
}

/// An array that is updated in place by dynamic index, and read again.
#[test]
fn array_updated_in_a_loop() {
    let program = Program::new(
        "
func @f(%a: [f32; 4] diff) -> (return: f32 diff) forward_differentiable backward_differentiable {
  %0: i32 = const 0
  %1: i32 = const 1
  %3: i32 = const 3
  %i: i32, %b: [f32; 4] = loop (%0, %a) cond (%i1: i32, %b1: [f32; 4]) {
    %c: bool = lt %i1, %3
    yield %c
  } body (%i2: i32, %b2: [f32; 4]) {
    %i3: i32 = add %i2, %1
    %here: f32 = extract %b2[%i2]
    %there: f32 = extract %b2[%i3]
    %product: f32 = mul %here, %there
    %b3: [f32; 4] = insert %b2[%i3], %product
    yield %i3, %b3
  }
  %last: f32 = extract %b[3]
  return %last
}",
    );
    // The last element is the product of all.
    assert_eq!(program.backward(&[[2.0, 3.0, 5.0, 7.0].into()], &[1.0]), [105.0, 70.0, 42.0, 30.0]);
}

/// Neither the invariant `w` nor the counter is stored, and what is cheap is computed again.
#[test]
fn invariants_and_inductions_are_not_stored() {
    let program = Program::new(
        "
func @f(%x: f32 diff, %y: f32 diff) -> (return: f32 diff) forward_differentiable backward_differentiable {
  %0: i32 = const 0
  %1: i32 = const 1
  %n: i32 = const 100
  %w: f32 = sin(%y)
  %zero: f32 = const 0.0
  %i: i32, %s: f32 = loop (%0, %zero) cond (%i1: i32, %s1: f32) {
    %c: bool = lt %i1, %n
    yield %c
  } body (%i2: i32, %s2: f32) {
    %t: f32 = convert %i2
    %a: f32 = mul %t, %x
    %b: f32 = cos(%a)
    %d: f32 = mul %b, %w
    %s3: f32 = add %s2, %d
    %i3: i32 = add %i2, %1
    yield %i3, %s3
  }
  return %s
}",
    );
    let plan = program.plan("f");
    let in_loop: u64 = plan
        .items
        .iter()
        .filter(|item| item.decision == Decision::Store && item.iterations > 1)
        .map(|item| item.bytes)
        .sum();
    assert_eq!(in_loop, 0, "{plan:#?}");
    assert!(plan.items.iter().any(|item| item.decision == Decision::Invert || item.decision == Decision::Recompute));
    let (x, y) = (0.3f64, 0.7f64);
    let sum = |f: &dyn Fn(f64) -> f64| (0..100).map(|i| f(f64::from(i))).sum::<f64>();
    let expected = [sum(&|t| -(t * x).sin() * t * y.sin()), sum(&|t| (t * x).cos() * y.cos())];
    let derivative = program.backward(&[x.into(), y.into()], &[1.0]);
    for (ours, expected) in derivative.iter().zip(expected) {
        assert!((ours - expected).abs() < 1e-9 * expected.abs().max(1.0), "{ours}, not {expected}");
    }
}

/// A loop that counts down by two and starts at an input.
#[test]
fn loop_with_any_stride() {
    let program = Program::new(
        "
func @f(%x: f32 diff, %start: i32) -> (return: f32 diff) forward_differentiable backward_differentiable {
  %0: i32 = const 0
  %2: i32 = const 2
  %one: f32 = const 1.0
  %i: i32, %p: f32 = loop (%start, %one) max_iters 6 cond (%i1: i32, %p1: f32) {
    %c: bool = gt %i1, %0
    yield %c
  } body (%i2: i32, %p2: f32) {
    %t: f32 = convert %i2
    %a: f32 = mul %t, %x
    %b: f32 = sin(%a)
    %p3: f32 = mul %p2, %b
    %i3: i32 = sub %i2, %2
    yield %i3, %p3
  }
  return %p
}",
    );
    let x = 0.4f64;
    for start in [-3, 0, 1, 2, 7, 11, 12] {
        let steps: Vec<f64> =
            (0..).map(|k| start - 2 * k).take_while(|&i| i > 0).map(|i| f64::from(i as i32)).collect();
        let product = |skip: usize| {
            steps.iter().enumerate().filter(|(at, _)| *at != skip).map(|(_, t)| (t * x).sin()).product::<f64>()
        };
        let expected: f64 = steps.iter().enumerate().map(|(at, t)| t * (t * x).cos() * product(at)).sum();
        let derivative = program.backward(&[x.into(), start.into()], &[1.0]);
        assert!((derivative[0] - expected).abs() < 1e-12, "{start}: {derivative:?}, not {expected}");
    }
}

/// `[ForceUnroll]` gives a loop whose count depends on an outer counter its bound.
#[test]
fn unrolled_triangle() {
    let program = Program::new(
        "
func @f(%x: f32 diff) -> (return: f32 diff) forward_differentiable backward_differentiable {
  %0: i32 = const 0
  %1: i32 = const 1
  %n: i32 = const 4
  %one: f32 = const 1.0
  %i: i32, %p: f32 = loop (%0, %one) force_unroll 0 cond (%i1: i32, %p1: f32) {
    %c: bool = lt %i1, %n
    yield %c
  } body (%i2: i32, %p2: f32) {
    %j: i32, %q: f32 = loop (%0, %p2) force_unroll 0 cond (%j1: i32, %q1: f32) {
      %c1: bool = lt %j1, %i2
      yield %c1
    } body (%j2: i32, %q2: f32) {
      %q3: f32 = mul %q2, %x
      %j3: i32 = add %j2, %1
      yield %j3, %q3
    }
    %i3: i32 = add %i2, %1
    yield %i3, %q
  }
  return %p
}",
    );
    // 0 + 1 + 2 + 3 products: x^6.
    assert_eq!(program.backward(&[2.0.into()], &[1.0]), [6.0 * 32.0]);
}
