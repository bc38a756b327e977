//! Why values carry a derivative, or do not.

use autodiff::{
    activity::{ChainStep, StepKind},
    explain::{Arrival, Explainer},
};
use expect_test::{Expect, expect};
use ir::Func;

/// One line for each value of `f` that has a name.
fn check(text: &str, expected: Expect) {
    let module = test_support::modules::module(text);
    let f = module.func_named("f").expect("a function `f`");
    let (func, explainer) = (&module.funcs[f], Explainer::new(&module, f));
    let mut lines = Vec::new();
    for (id, value) in func.values.iter() {
        let Some(name) = &value.name else { continue };
        let explained = explainer.explain(id);
        let arrival = match &explained.arrival {
            Arrival::Carries(chain) => show(func, chain),
            Arrival::Ended { end, to_end, .. } => format!("{} ends: {end:?}", show(func, to_end)),
            Arrival::Independent => "independent".to_owned(),
        };
        let on = explained.to_result.map_or("not expected".to_owned(), |chain| show(func, &chain));
        lines.push(format!("{name}: {arrival} | {on}"));
    }
    expected.assert_eq(&lines.join("\n"));
}

fn show(func: &Func, chain: &[ChainStep]) -> String {
    let step = |step: &ChainStep| match step.what {
        StepKind::Result(index) => format!("result {}", func.results[index].name),
        _ => func.values[step.value].name.as_deref().unwrap_or("?").to_owned(),
    };
    chain.iter().map(step).collect::<Vec<_>>().join(" -> ")
}

#[test]
fn straight_ways() {
    check(
        "
func @f(%x: f32 diff, %k: f32) -> (return: f32 diff) forward_differentiable backward_differentiable {
  %a: f32 = mul %x, %x
  %b: f32 = mul %k, %k
  %unused: f32 = sin(%a)
  %c: f32 = mul %a, %b
  return %c
}",
        expect![[r#"
            x: x | x -> a -> c -> result return
            k: independent | k -> b -> c -> result return
            a: x -> a | a -> c -> result return
            b: independent | b -> c -> result return
            unused: x -> a -> unused | not expected
            c: x -> a -> c | c -> result return"#]],
    );
}

/// The nearest end after the value is told, not the first that the derivative met.
#[test]
fn ended_ways() {
    check(
        "
func @g(%x: f32 diff) -> (return: f32 diff) {
  return %x
}
func @f(%x: f32 diff) -> (return: f32 diff) forward_differentiable backward_differentiable {
  %square: f32 = mul %x, %x
  %kept: f32 = detach %square
  %scaled: f32 = mul %kept, %kept
  %called: f32 = call no_diff @g(%x)
  %rounded: f32 = floor(%x)
  %lost: f32 = call @g(%x)
  %zero: f32 = const 0.0
  %positive: bool = gt %x, %zero
  %chosen: f32 = select %positive, %zero, %scaled
  return %chosen
}",
        expect![[r#"
            x: x | not expected
            square: x -> square | not expected
            kept: x -> square ends: Dropped | kept -> scaled -> chosen -> result return
            scaled: x -> square ends: Dropped | scaled -> chosen -> result return
            called: x ends: Dropped | not expected
            rounded: x ends: Lost(Rounding(Floor)) | not expected
            lost: x ends: Lost(Call(Idx::<Func>(0))) | not expected
            zero: independent | zero -> chosen -> result return
            positive: x ends: Number | not expected
            chosen: x ends: Number | chosen -> result return"#]],
    );
}

/// From one iteration to the next, and through a branch.
#[test]
fn ways_through_control_flow() {
    check(
        "
func @f(%x: f32 diff, %more: bool) -> (return: f32 diff) forward_differentiable backward_differentiable {
  %one: f32 = const 1.0
  %0: i32 = const 0
  %step: i32 = const 1
  %n: i32 = const 3
  %i: i32, %s: f32 = loop (%0, %one) max_iters 3 cond (%i1: i32, %s1: f32) {
    %go: bool = lt %i1, %n
    yield %go
  } body (%i2: i32, %s2: f32) {
    %t: f32 = mul %s2, %x
    %i3: i32 = add %i2, %step
    yield %i3, %t
  }
  %y: f32 = if %more {
    yield %s
  } else {
    yield %one
  }
  return %y
}",
        expect![[r#"
            x: x | x -> t -> s -> y -> result return
            more: independent | not expected
            one: independent | one -> y -> result return
            step: independent | not expected
            n: independent | not expected
            i1: independent | not expected
            s1: x -> t -> s1 | not expected
            go: independent | not expected
            i2: independent | not expected
            s2: x -> t -> s2 | s2 -> t -> s -> y -> result return
            t: x -> t | t -> s -> y -> result return
            i3: independent | not expected
            i: independent | not expected
            s: x -> t -> s | s -> y -> result return
            y: x -> t -> s -> y | y -> result return"#]],
    );
}
