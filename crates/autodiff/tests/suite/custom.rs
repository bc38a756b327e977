//! Derivatives that the user writes or cuts off.

use crate::common::Program;
use autodiff::residuals::{Decision, Reason};

/// `f(x) = x * g(x)` where `g` is `x^2`, and its derivatives are written to be recognised: 10 instead of 2 x backward,
/// 20 forward.
const CUSTOM: &str = "
func @g(%x: f32 diff) -> (return: f32 diff) forward @g_forward backward @g_backward {
  %0: f32 = mul %x, %x
  return %0
}
func @g_forward(%x: f32 diff, %x_tangent: f32 diff) -> (return: f32 diff, return_tangent: f32 diff) {
  %0: f32 = mul %x, %x
  %c: f32 = const 20.0
  %1: f32 = mul %c, %x_tangent
  return %0, %1
}
func @g_backward(%x: f32 diff, %cotangent: f32 diff) -> (x: f32 diff) {
  %c: f32 = const 10.0
  %1: f32 = mul %c, %cotangent
  return %1
}
func @f(%x: f32 diff) -> (return: f32 diff) forward_differentiable backward_differentiable {
  %0: f32 = call @g(%x)
  %1: f32 = mul %x, %0
  return %1
}";

#[test]
fn written_derivatives_take_precedence() {
    let program = Program::new(CUSTOM);
    // x^2 + x * 10, and x^2 + x * 20.
    assert_eq!(program.backward(&[3.0.into()], &[1.0]), [39.0]);
    assert_eq!(program.forward(&[3.0.into()], &[1.0.into()]), [27.0, 69.0]);
}

/// A written backward derivative keeps its arguments and nothing else, here one float per iteration.
#[test]
fn written_backward_keeps_its_arguments() {
    let text = format!(
        "{}
func @f(%x: f32 diff) -> (return: f32 diff) backward_differentiable {{
  %0: i32 = const 0
  %1: i32 = const 1
  %n: i32 = const 5
  %i: i32, %s: f32 = loop (%0, %x) cond (%i1: i32, %s1: f32) {{
    %c: bool = lt %i1, %n
    yield %c
  }} body (%i2: i32, %s2: f32) {{
    %3: f32 = call @g(%s2)
    %half: f32 = const 0.25
    %4: f32 = mul %3, %half
    %5: i32 = add %i2, %1
    yield %5, %4
  }}
  return %s
}}",
        CUSTOM.split("func @f").next().unwrap_or_default()
    );
    let program = Program::new(&text);
    assert_eq!(program.backward(&[1.5.into()], &[1.0]), [2.5f64.powi(5)]);
    let plan = program.plan("f");
    let stored: Vec<_> = plan.items.iter().filter(|item| item.decision == Decision::Store).collect();
    assert_eq!(stored.len(), 1, "{plan:#?}");
    assert_eq!((stored[0].name.as_deref(), stored[0].bytes, stored[0].iterations), (Some("s2"), 4, 5));
}

#[test]
fn detach_and_no_diff_cut_off() {
    let program = Program::new(
        "
func @g(%x: f32 diff) -> (return: f32 diff) forward_differentiable backward_differentiable {
  %0: f32 = mul %x, %x
  return %0
}
func @f(%x: f32 diff) -> (return: f32 diff) forward_differentiable backward_differentiable {
  %0: f32 = detach %x
  %1: f32 = mul %0, %x
  %2: f32 = call no_diff @g(%x)
  %3: f32 = mul %2, %x
  %4: f32 = add %1, %3
  return %4
}",
    );
    // d(x_0 x + g_0 x) = x + x^2.
    assert_eq!(program.backward(&[3.0.into()], &[1.0]), [12.0]);
    assert_eq!(program.forward(&[3.0.into()], &[1.0.into()]), [36.0, 12.0]);
}

#[test]
fn zero_by_the_users_word_and_substitutes() {
    let program = Program::new(
        "
func @zero(%x: f32 diff) -> (return: f32 diff) treat_as_differentiable {
  %0: f32 = mul %x, %x
  return %0
}
func @slow(%x: f32 diff) -> (return: f32 diff) primal_substitute @fast {
  return %x
}
func @fast(%x: f32 diff) -> (return: f32 diff) forward_differentiable backward_differentiable {
  %0: f32 = const 7.0
  %1: f32 = mul %x, %0
  return %1
}
func @f(%x: f32 diff) -> (return: f32 diff) forward_differentiable backward_differentiable {
  %0: f32 = call @zero(%x)
  %1: f32 = call @slow(%x)
  %2: f32 = add %0, %1
  return %2
}",
    );
    assert_eq!(program.backward(&[3.0.into()], &[1.0]), [7.0]);
    assert_eq!(program.forward(&[3.0.into()], &[1.0.into()]), [30.0, 7.0]);
}

/// The differential of `$Angle` counts in half turns: its addition wraps at 2, its zero is 0.
const WRAPPING: &str = "
struct $Angle { turns: f32 } differential $Angle.D (0) dadd @add dzero @zero
struct $Angle.D { turns: f32 }
func @add(%a: $Angle.D, %b: $Angle.D) -> (return: $Angle.D) {
  %0: f32 = extract %a[0]
  %1: f32 = extract %b[0]
  %2: f32 = add %0, %1
  %two: f32 = const 2.0
  %3: f32 = rem %2, %two
  %4: $Angle.D = make(%3)
  return %4
}
func @zero() -> (return: $Angle.D) {
  %0: f32 = const 0.0
  %1: $Angle.D = make(%0)
  return %1
}
func @f(%a: $Angle diff) -> (return: f32 diff) forward_differentiable backward_differentiable {
  %0: f32 = extract %a[0]
  %1: f32 = extract %a[0]
  %c: f32 = const 1.5
  %2: f32 = mul %0, %c
  %3: f32 = mul %1, %c
  %4: f32 = add %2, %3
  return %4
}";

#[test]
fn written_addition_of_differentials() {
    let program = Program::new(WRAPPING);
    // 1.5 and 1.5, added by the user's rule.
    assert_eq!(program.backward(&[[0.3].into()], &[1.0]), [1.0]);
}

/// `f` is `g` four times, and `g` is a power by multiplication; what `g` keeps is kept by `f`, or not, as the attribute
/// says.
fn chained(attribute: &str) -> Program {
    Program::new(&format!(
        "
func @g(%x: f32 diff) -> (return: f32 diff) forward_differentiable backward_differentiable {attribute} {{
  %0: i32 = const 0
  %1: i32 = const 1
  %n: i32 = const 2
  %k: i32, %p: f32 = loop (%0, %x) cond (%k1: i32, %p1: f32) {{
    %c: bool = lt %k1, %n
    yield %c
  }} body (%k2: i32, %p2: f32) {{
    %p3: f32 = mul %p2, %x
    %k3: i32 = add %k2, %1
    yield %k3, %p3
  }}
  return %p
}}
func @f(%x: f32 diff) -> (return: f32 diff) forward_differentiable backward_differentiable {{
  %0: i32 = const 0
  %1: i32 = const 1
  %n: i32 = const 4
  %i: i32, %s: f32 = loop (%0, %x) cond (%i1: i32, %s1: f32) {{
    %c: bool = lt %i1, %n
    yield %c
  }} body (%i2: i32, %s2: f32) {{
    %3: f32 = call @g(%s2)
    %5: i32 = add %i2, %1
    yield %5, %3
  }}
  return %s
}}"
    ))
}

#[test]
fn checkpoint_preferences_are_honoured() {
    for attribute in ["", "prefer_recompute", "prefer_checkpoint"] {
        let program = chained(attribute);
        let derivative = program.backward(&[1.01.into()], &[1.0]);
        let expected = 81.0 * 1.01f64.powi(80);
        assert!((derivative[0] - expected).abs() < 1e-9, "{attribute}: {derivative:?}, not {expected}");
        let plan = program.plan("f");
        let record = plan
            .items
            .iter()
            .find(|item| item.type_name.contains("keeps") || item.type_name.contains("Residuals"))
            .expect("a record");
        let expected = match attribute {
            "prefer_checkpoint" => (Decision::Store, Reason::PreferCheckpoint),
            "prefer_recompute" => (Decision::Recompute, Reason::PreferRecompute),
            // Three products are cheaper than twelve bytes.
            _ => (Decision::Recompute, Reason::Cheap),
        };
        assert_eq!((record.decision, record.reason), expected, "{attribute}");
    }
}

/// A write in the primal happens once, in order, and not again in the backward sweep.
#[test]
fn effects_stay_in_the_primal() {
    let text = "
global @log: rwbuffer<f32> parameter binding 0, 0
func @f(%x: f32 diff) -> (return: f32 diff) forward_differentiable backward_differentiable {
  %log: rwbuffer<f32> = global @log
  %0: u32 = const 0
  %y: f32 = mul %x, %x
  %z: f32 = detach %y
  store %log[%0], %z
  %old: f32 = load %log[%0]
  %1: f32 = mul %old, %x
  return %1
}
func @main(%x: f32) -> (x: f32) {
  %1: f32 = const 1.0
  %0: f32 = call vjp @f(%x, %1)
  return %0
}";
    let mut module = test_support::modules::module(text);
    let main = module.func_named("main").expect("main");
    autodiff::expand(&mut module, &[main]).expect("differentiable");
    let vjp = module.func_named("f.vjp").expect("made");
    let printed = ir::print::print_func(&module, vjp);
    assert_eq!(printed.matches("store").count(), 1, "{printed}");
    assert_eq!(printed.matches("load").count(), 1, "{printed}");
}

/// `f(x, y) = sin(x) y`, with a forward derivative that has a loop and a branch in its tangents.
const FORWARD_ONLY: &str = "
func @g(%x: f32 diff, %y: f32 diff) -> (return: f32 diff) forward @g_forward {
  %0: f32 = sin(%x)
  %1: f32 = mul %0, %y
  return %1
}
func @g_forward(%x: f32 diff, %y: f32 diff, %x_tangent: f32 diff, %y_tangent: f32 diff) -> (return: f32 diff, return_tangent: f32 diff) {
  %s: f32 = sin(%x)
  %value: f32 = mul %s, %y
  %c: f32 = cos(%x)
  %cy: f32 = mul %c, %y
  %zero: f32 = const 0.0
  %positive: bool = gt %x, %zero
  %by_x: f32 = if %positive {
    %0: f32 = mul %x_tangent, %cy
    yield %0
  } else {
    %1: f32 = mul %cy, %x_tangent
    yield %1
  }
  %i0: i32 = const 0
  %i1: i32 = const 1
  %n: i32 = const 4
  %quarter: f32 = const 0.25
  %part: f32 = mul %s, %quarter
  %i: i32, %sum: f32 = loop (%i0, %by_x) cond (%ia: i32, %sa: f32) {
    %more: bool = lt %ia, %n
    yield %more
  } body (%ib: i32, %sb: f32) {
    %2: f32 = mul %part, %y_tangent
    %sc: f32 = add %sb, %2
    %ic: i32 = add %ib, %i1
    yield %ic, %sc
  }
  return %value, %sum
}
func @f(%x: f32 diff, %y: f32 diff) -> (return: f32 diff) forward_differentiable backward_differentiable {
  %0: f32 = call @g(%x, %y)
  %1: f32 = mul %0, %0
  return %1
}";

#[test]
fn forward_derivative_transposed() {
    let program = Program::new(FORWARD_ONLY);
    for (x, y) in [(0.7f64, 1.3f64), (-0.4, 2.0)] {
        let g = x.sin() * y;
        let expected = [2.0 * g * x.cos() * y, 2.0 * g * x.sin()];
        let derivative = program.backward(&[x.into(), y.into()], &[1.0]);
        for (ours, expected) in derivative.iter().zip(expected) {
            assert!((ours - expected).abs() < 1e-12, "{derivative:?}, not {expected:?}");
        }
        let both = program.forward(&[x.into(), y.into()], &[1.0.into(), 0.0.into()]);
        assert!((both[0] - g * g).abs() < 1e-12 && (both[1] - expected[0]).abs() < 1e-12, "{both:?}");
    }
}

/// Written backward derivatives run even where no derivative goes in (`source`) or comes out (`sink`), in branches and
/// loops too: gradients are written to and read from memory there.
#[test]
fn written_backward_runs_without_inputs_or_results() {
    let text = "
global @log: rwbuffer<f32> parameter
func @source() -> (return: f32 diff) backward @source_backward {
  %0: f32 = const 0.5
  return %0
}
func @source_backward(%c: f32 diff) -> () {
  %log: rwbuffer<f32> = global @log
  %0: u32 = const 0
  %old: f32 = load %log[%0]
  %new: f32 = add %old, %c
  store %log[%0], %new
  return
}
func @sink(%x: f32 diff) -> () backward @sink_backward {
  return
}
func @sink_backward(%x: f32 diff) -> (x: f32 diff) {
  %0: f32 = const 7.0
  return %0
}
func @wrapped(%x: f32 diff) -> () backward_differentiable {
  call @sink(%x)
  return
}
func @f(%x: f32 diff, %on: bool) -> (return: f32 diff) backward_differentiable {
  %i0: i32 = const 0
  %i1: i32 = const 1
  %n: i32 = const 3
  %one: f32 = const 1.0
  %i: i32, %p: f32 = loop (%i0, %one) cond (%ia: i32, %pa: f32) {
    %more: bool = lt %ia, %n
    yield %more
  } body (%ib: i32, %pb: f32) {
    %s: f32 = call @source()
    %pc: f32 = mul %pb, %s
    if %on {
      call @wrapped(%x)
      yield
    } else {
      yield
    }
    %ic: i32 = add %ib, %i1
    yield %ic, %pc
  }
  return %p
}";
    let program = Program::new(text);
    let vjp = program.module.func_named("f.vjp").expect("made");
    for (on, expected) in [(true, 21.0), (false, 0.0)] {
        let mut memory = interp::Memory::default();
        let buffer = memory.add_buffer(&[0]);
        let global = program.module.globals.iter().next().expect("the log").0;
        let handle = interp::Value::Handle(interp::Handle::buffer(buffer));
        memory.bind(&program.module, global, &handle).expect("it is a buffer");
        let mut machine = interp::Machine::new(&program.module, interp::Precision::F64, interp::Limits::default());
        let args = [interp::Value::Float(2.0), interp::Value::Bool(on), interp::Value::Float(1.0)];
        let results = machine.call_with(vjp, &args, &mut memory).expect("it runs");
        assert_eq!(results, [interp::Value::Float(expected)]);
        // d(s^3)/ds at 0.5, by three additions.
        assert_eq!(f32::from_bits(memory.words(buffer)[0]), 0.75);
    }
}

/// A written forward derivative of a function without inputs makes a tangent from nothing.
#[test]
fn written_forward_without_inputs() {
    let program = Program::new(
        "
func @source() -> (return: f32 diff) forward @source_forward {
  %0: f32 = const 0.5
  return %0
}
func @source_forward() -> (return: f32 diff, return_tangent: f32 diff) {
  %0: f32 = const 0.5
  %1: f32 = const 3.0
  return %0, %1
}
func @f(%x: f32 diff) -> (return: f32 diff) forward_differentiable backward_differentiable {
  %0: f32 = call @source()
  %1: f32 = mul %0, %0
  %2: f32 = add %1, %x
  return %2
}",
    );
    assert_eq!(program.forward(&[2.0.into()], &[1.0.into()]), [2.25, 4.0]);
}

/// A written forward derivative hands tangents to a function that is differentiable, by a parameter that carries nothing there:
/// to the one who wrote the rule they are values like others, and all of them come back. `d = (c t + c t) + c t`, `c = 2 x`.
#[test]
fn tangents_in_parameters_without_derivative_come_back() {
    let program = Program::new(
        "
func @square(%x: f32 diff) -> (return: f32 diff) forward @square_forward {
  %0: f32 = mul %x, %x
  return %0
}
func @sum(%a: f32 diff, %b: f32) -> (return: f32 diff) forward_differentiable backward_differentiable {
  %0: f32 = add %a, %b
  return %0
}
func @square_forward(%x: f32, %t: f32) -> (return: f32, return_tangent: f32) {
  %0: f32 = mul %x, %x
  %two: f32 = const 2.0
  %c: f32 = mul %two, %x
  %ct: f32 = mul %c, %t
  %1: f32 = call @sum(%ct, %ct)
  %2: f32 = call @sum(%1, %ct)
  return %0, %2
}
func @f(%x: f32 diff) -> (return: f32 diff) forward_differentiable backward_differentiable {
  %0: f32 = call @square(%x)
  return %0
}",
    );
    assert_eq!(program.forward(&[1.5.into()], &[1.0.into()]), [2.25, 9.0]);
    assert_eq!(program.backward(&[1.5.into()], &[1.0]), [9.0]);
}

/// The same in a loop that carries pairs: their values do not depend on their derivatives. `x^4` by `r = r * x`, three times, with
/// a product of pairs whose derivative leaves out a part of it.
#[test]
fn pairs_that_loops_carry_come_apart() {
    let program = Program::new(
        "
struct $Pair { p: f32, d: f32 } differential $Pair (0, 1)
func @power(%x: f32 diff) -> (return: f32 diff) forward @power_forward {
  %0: f32 = mul %x, %x
  %1: f32 = mul %0, %0
  return %1
}
func @held(%x: f32) -> (return: f32 diff) forward_differentiable backward_differentiable {
  return %x
}
func @product(%a: $Pair, %b: $Pair) -> (return: $Pair) forward_differentiable backward_differentiable {
  %ap: f32 = extract %a[0]
  %ad: f32 = extract %a[1]
  %bp: f32 = extract %b[0]
  %bd: f32 = extract %b[1]
  %p: f32 = mul %ap, %bp
  %0: f32 = mul %ap, %bd
  %1: f32 = mul %ad, %bp
  %2: f32 = call @held(%0)
  %d: f32 = add %2, %1
  %r: $Pair = make(%p, %d)
  return %r
}
func @power_forward(%x: f32, %t: f32) -> (return: f32, return_tangent: f32) {
  %pair: $Pair = make(%x, %t)
  %zero: i32 = const 0
  %one: i32 = const 1
  %three: i32 = const 3
  %i: i32, %r: $Pair = loop (%zero, %pair) cond (%ic: i32, %rc: $Pair) {
    %more: bool = lt %ic, %three
    yield %more
  } body (%ib: i32, %rb: $Pair) {
    %next: $Pair = call @product(%rb, %pair)
    %in: i32 = add %ib, %one
    yield %in, %next
  }
  %value: f32 = extract %r[0]
  %tangent: f32 = extract %r[1]
  return %value, %tangent
}
func @f(%x: f32 diff) -> (return: f32 diff) forward_differentiable backward_differentiable {
  %0: f32 = call @power(%x)
  return %0
}",
    );
    assert_eq!(program.forward(&[1.5.into()], &[1.0.into()]), [5.0625, 13.5]);
    assert_eq!(program.backward(&[1.5.into()], &[1.0]), [13.5]);
}
