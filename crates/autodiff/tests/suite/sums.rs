//! Interface values: the derivative of a sum is the sum of the derivatives, or null.

use crate::common::{Arg, Program, check_derivatives, derivative_of};
use interp::Value;
use ir::DerivativeKind;

/// The area of a circle or a rectangle, chosen at run time, scaled; `Tag` has no derivative.
const SHAPES: &str = "
struct $Circle { radius: f32 } differential $Circle (0)
struct $Box { id: i32, width: f32, height: f32 } differential $Box.D (_, 0, 1)
struct $Box.D { width: f32, height: f32 } differential $Box.D (0, 1)
struct $Tag { id: i32 }
sum !Shape { 0: $Circle, 1: $Box, 2: $Tag } differential !Shape.D
sum !Shape.D { 0: $Circle, 1: $Box.D } differential !Shape.D
func @area(%shape: !Shape diff, %scale: f32 diff) -> (return: f32 diff) forward_differentiable backward_differentiable {
  %area: f32 = sum_match %shape variant (%circle: $Circle) {
    %r: f32 = extract %circle[0]
    %0: f32 = mul %r, %r
    %1: f32 = mul %0, %scale
    yield %1
  } variant (%box: $Box) {
    %w: f32 = extract %box[1]
    %h: f32 = extract %box[2]
    %2: f32 = mul %w, %h
    yield %2
  } variant (%tag: $Tag) {
    yield %scale
  }
  %sine: f32 = sin(%area)
  return %sine
}
func @f(%x: f32 diff, %y: f32 diff, %kind: i32) -> (return: f32 diff) forward_differentiable backward_differentiable {
  %shape: !Shape = switch %kind case 0 {
    %0: $Circle = make(%x)
    %1: !Shape = sum_make 0, %0
    yield %1
  } case 1 {
    %xy: f32 = mul %x, %y
    %2: $Box = make(%kind, %xy, %y)
    %3: !Shape = sum_make 1, %2
    yield %3
  } default {
    %4: $Tag = make(%kind)
    %5: !Shape = sum_make 2, %4
    yield %5
  }
  %a: f32 = call @area(%shape, %y)
  %b: f32 = call @area(%shape, %x)
  %c: f32 = add %a, %b
  return %c
}";

#[test]
fn dispatch_at_run_time() {
    let program = Program::new(SHAPES);
    let (x, y) = (0.8f64, 1.1f64);
    let args = |kind: i64| -> [Arg; 3] { [x.into(), y.into(), kind.into()] };
    let circle = |s: f64| (x * x * s).cos();
    let rectangle = 2.0 * (x * y * y).cos();
    let expected = [
        [circle(y) * 2.0 * x * y + circle(x) * 3.0 * x * x, circle(y) * x * x],
        [rectangle * y * y, rectangle * 2.0 * x * y],
        [x.cos(), y.cos()],
    ];
    for (kind, expected) in expected.iter().enumerate() {
        let backward = program.backward(&args(kind as i64), &[1.0]);
        let along_x = program.forward(&args(kind as i64), &[1.0.into(), 0.0.into()])[1];
        let along_y = program.forward(&args(kind as i64), &[0.0.into(), 1.0.into()])[1];
        for (ours, expected) in backward.iter().chain(&[along_x, along_y]).zip(expected.iter().chain(expected)) {
            assert!((ours - expected).abs() < 1e-12, "kind {kind}: {backward:?}, {along_x}, {along_y}, not {expected}");
        }
    }
}

#[test]
fn second_derivatives_of_sums() {
    let mut module = test_support::modules::module(SHAPES);
    let f = module.func_named("f").expect("f");
    for kind in [DerivativeKind::Jvp, DerivativeKind::Vjp] {
        let derivative = derivative_of(&mut module, kind, f, 0);
        check_derivatives(&mut module, derivative, 0);
    }
}

/// A sum that nobody reads has the null differential.
#[test]
fn null_differentials() {
    let text = SHAPES.replace("func @f(", "func @unused(");
    let program = Program::new(&format!(
        "{text}
func @f(%shape: !Shape diff, %x: f32 diff) -> (return: f32 diff) forward_differentiable backward_differentiable {{
  return %x
}}"
    ));
    let vjp = program.module.func_named("f.vjp").expect("made");
    let mut machine = interp::Machine::new(&program.module, interp::Precision::F64, interp::Limits::default());
    let circle = Value::Sum(Some((0, Box::new(Value::Aggregate(vec![Value::Float(2.0)])))));
    let cotangents = machine.call(vjp, &[circle, Value::Float(1.0), Value::Float(3.0)]).expect("it runs");
    assert_eq!(cotangents, [Value::Sum(None), Value::Float(3.0)]);
}

/// A match with one arm: what the arm makes is not visible after it.
#[test]
fn single_conforming_type() {
    let program = Program::new(
        "
struct $A { a: f32 } differential $A (0)
sum !I { 0: $A } differential !I.D
sum !I.D { 0: $A } differential !I.D
func @calc(%this: $A diff, %x: f32 diff) -> (return: f32 diff) forward_differentiable backward_differentiable {
  %a: f32 = extract %this[0]
  %0: f32 = mul %a, %x
  %1: f32 = mul %0, %x
  return %1
}
func @run(%obj: !I diff, %x: f32 diff) -> (return: f32 diff) forward_differentiable backward_differentiable {
  %r: f32 = sum_match %obj variant (%a: $A) {
    %0: f32 = call @calc(%a, %x)
    yield %0
  }
  return %r
}
func @f(%p: f32 diff, %x: f32 diff) -> (return: f32 diff) forward_differentiable backward_differentiable {
  %a: $A = make(%p)
  %o: !I = sum_make 0, %a
  %r: f32 = call @run(%o, %x)
  return %r
}
",
    );
    // p x^2
    assert_eq!(program.backward(&[2.0.into(), 3.0.into()], &[1.0]), [9.0, 12.0]);
    assert_eq!(program.forward(&[2.0.into(), 3.0.into()], &[1.0.into(), 0.0.into()]), [18.0, 9.0]);
}
