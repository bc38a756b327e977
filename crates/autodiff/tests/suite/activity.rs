//! Findings of the derivative data-flow analysis, with their chains.

use autodiff::activity::{Activity, Finding, FindingKind, StepKind, analyze};
use autodiff::dependence::NothingElse;
use expect_test::{Expect, expect};
use ir::{Func, Op, verify::VerifiedModule};

fn analyzed(text: &str) -> (VerifiedModule, Activity) {
    let module = test_support::modules::module(text);
    let f = module.func_named("f").expect("a function `f`");
    let activity = analyze(&module, f, &NothingElse);
    (module, activity)
}

/// Shows each finding as its kind and the names of the values on its way.
fn check(text: &str, expected: Expect) {
    let (module, activity) = analyzed(text);
    let f = module.func_named("f").expect("a function `f`");
    let shown: Vec<String> = activity.findings.iter().map(|finding| show(&module.funcs[f], finding)).collect();
    expected.assert_eq(&shown.join("\n"));
}

fn show(func: &Func, finding: &Finding) -> String {
    let chain = |steps: &[autodiff::activity::ChainStep]| {
        let step = |step: &autodiff::activity::ChainStep| {
            let name = func.values[step.value].name.as_deref().unwrap_or("?").to_owned();
            match step.what {
                StepKind::Result(index) => format!("{name} as {}", func.results[index].name),
                StepKind::Argument(_) => format!("{name} as argument"),
                StepKind::Input(_) | StepKind::Operation(_) | StepKind::Call(_) | StepKind::Flow => name,
            }
        };
        steps.iter().map(step).collect::<Vec<_>>().join(" -> ")
    };
    let kind = match finding.kind {
        FindingKind::Lost(loss) => format!("{loss:?}").split('(').next().unwrap_or_default().to_owned(),
        kind => format!("{kind:?}"),
    };
    format!("{kind}: {} | {}", chain(&finding.chain_from_source), chain(&finding.chain_to_result))
}

#[test]
fn lost_in_a_call() {
    check(
        "
func @g(%x: f32 diff) -> (return: f32 diff) {
  return %x
}
func @f(%x: f32 diff) -> (return: f32 diff) forward_differentiable backward_differentiable {
  %a: f32 = mul %x, %x
  %b: f32 = call @g(%a)
  %c: f32 = add %b, %x
  return %c
}",
        expect!["Call: x -> a | b -> c -> c as return"],
    );
}

/// None of these loses a derivative that anybody wants.
#[test]
fn excused_calls() {
    check(
        "
func @g(%x: f32 diff) -> (return: f32 diff) {
  return %x
}
func @no_inputs(%x: f32) -> (return: f32 diff) {
  return %x
}
func @f(%x: f32 diff, %k: f32) -> (return: f32 diff) forward_differentiable backward_differentiable {
  %a: f32 = call no_diff @g(%x)
  %b: f32 = call @no_inputs(%x)
  %c: f32 = call @g(%k)
  %d: f32 = call @g(%x)
  %zero: f32 = const 0.0
  %positive: bool = gt %d, %zero
  %e: f32 = select %positive, %a, %b
  %h: f32 = mul %e, %c
  %i: f32 = mul %h, %x
  return %i
}",
        expect![""],
    );
}

#[test]
fn lost_in_conversions() {
    check(
        "
func @f(%x: f32 diff) -> (return: f32 diff) forward_differentiable backward_differentiable {
  %i: i32 = convert %x
  %j: i32 = add %i, %i
  %a: f32 = convert %j
  %bits: u32 = bitcast %x
  %b: f32 = bitcast %bits
  %s: f32 = sign(%x)
  %c: f32 = add %a, %b
  %d: f32 = add %c, %s
  return %d
}",
        expect![[r#"
            ToInteger: x | i -> j -> a -> c -> d -> d as return
            Bitcast: x | bits -> b -> c -> d -> d as return
            Rounding: x | s -> d -> d as return"#]],
    );
}

/// An index made from a float chooses, it does not carry.
#[test]
fn indices_are_not_losses() {
    check(
        "
func @f(%x: f32 diff, %a: [f32; 4] diff) -> (return: f32 diff) forward_differentiable backward_differentiable {
  %i: i32 = convert %x
  %b: f32 = extract %a[%i]
  return %b
}",
        expect![""],
    );
}

#[test]
fn lost_in_a_field() {
    check(
        "
struct $S { a: f32, b: f32 no_diff } differential $S.D (0, _)
struct $S.D { a: f32 }
func @f(%x: f32 diff) -> (return: f32 diff) forward_differentiable backward_differentiable {
  %y: f32 = mul %x, %x
  %s: $S = make(%x, %y)
  %a: f32 = extract %s[0]
  return %a
}",
        expect!["NoDiffField: x -> y | s -> a -> a as return"],
    );
}

#[test]
fn lost_in_memory() {
    check(
        "
global @out: rwbuffer<f32> parameter
func @f(%x: f32 diff) -> (return: f32 diff) forward_differentiable backward_differentiable {
  %out: rwbuffer<f32> = global @out
  %0: u32 = const 0
  store %out[%0], %x
  %y: f32 = load %out[%0]
  return %y
}",
        expect![[r#"
            StoredWithoutDetach: x | 
            Memory: x | y -> y as return"#]],
    );
    check(
        "
global @out: rwbuffer<f32> parameter
func @f(%x: f32 diff) -> (return: f32 diff) forward_differentiable backward_differentiable {
  %out: rwbuffer<f32> = global @out
  %0: u32 = const 0
  %y: f32 = detach %x
  store %out[%0], %y
  return %x
}",
        expect![""],
    );
}

/// Through a loop the derivative comes back to the first call in the second iteration.
#[test]
fn lost_in_a_loop() {
    check(
        "
func @g(%x: f32 diff) -> (return: f32 diff) {
  return %x
}
func @f(%x: f32 diff, %n: i32) -> (return: f32 diff) forward_differentiable backward_differentiable {
  %zero: f32 = const 0.0
  %0: i32 = const 0
  %1: i32 = const 1
  %i: i32, %s: f32 = loop (%0, %zero) cond (%i1: i32, %s1: f32) {
    %c: bool = lt %i1, %n
    yield %c
  } body (%i2: i32, %s2: f32) {
    %a: f32 = call @g(%s2)
    %b: f32 = add %a, %x
    %i3: i32 = add %i2, %1
    yield %i3, %b
  }
  return %s
}",
        expect![[r#"
            Call: x -> b -> s2 | a -> b -> s -> s as return
            UnboundedLoop: x -> b -> s | s -> s as return"#]],
    );
}

#[test]
fn bounds_of_loops() {
    let text = |declared: u32| {
        format!(
            "
func @f(%x: f32 diff) -> (return: f32 diff) forward_differentiable backward_differentiable {{
  %0: i32 = const 0
  %1: i32 = const 1
  %n: i32 = const 6
  %i: i32, %s: f32 = loop (%0, %x) max_iters {declared} cond (%i1: i32, %s1: f32) {{
    %c: bool = lt %i1, %n
    yield %c
  }} body (%i2: i32, %s2: f32) {{
    %b: f32 = mul %s2, %x
    %i3: i32 = add %i2, %1
    yield %i3, %b
  }}
  return %s
}}"
        )
    };
    check(&text(5), expect!["BoundTooSmall { declared: 5, iterations: 6 }:  | "]);
    check(&text(6), expect![""]);
    check(&text(7), expect!["BoundTooLarge { declared: 7, iterations: 6, exact: true }:  | "]);
}

/// The analysis stands on generic bodies, declarations and unfinished control flow.
#[test]
fn opaque_types_and_declarations() {
    let (module, activity) = analyzed(
        "
func @h(%x: opaque<0, differentiable> diff) -> (return: opaque<0, differentiable> diff) forward_differentiable backward_differentiable
func @f(%x: opaque<0, differentiable> diff, %c: bool) -> (return: opaque<0, differentiable> diff) backward_differentiable {
  if %c {
    return %x
  } else {
    yield
  }
  %y: opaque<0, differentiable> = call @h(%x)
  return %y
}",
    );
    let f = &module.funcs[module.func_named("f").expect("f")];
    assert!(activity.findings.is_empty());
    let call = f.ops.iter().find(|(_, data)| matches!(data.op, Op::Call { .. })).expect("the call").1;
    assert!(activity.carries(call.results[0]) && activity.is_expected(call.results[0]));
    assert!(activity.is_active(f.input_values()[0]) && !activity.carries(f.input_values()[1]));
}
