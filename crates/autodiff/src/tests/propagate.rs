//! A function whose derivative is a user-written forward function: its linear form is read off that function.

use expect_test::{Expect, expect};
use ir::Module;

use super::{linear_text::linear_text, module};
use crate::{
    activity::active_values,
    emit::CustomArithmetic,
    flow::Mode,
    linearize::{Purpose, linearize},
    normalise::normalise,
    propagate::{self, ObstacleKind},
};

/// Unzips `@f_forward`, the forward derivative of `@f`.
fn unzipped(text: &str) -> String {
    let (module, f) = module(text);
    let mut module = module.into_module();
    let forward = module.func_named("f_forward").expect("a function `f_forward`");
    let of_tangents = propagate::of_tangents(&module.funcs[f], &module.funcs[forward]);
    let custom = CustomArithmetic::of(&module.types);
    let Module { types, funcs, .. } = &mut module;
    let normalised = normalise(types, funcs, &of_tangents).unwrap_or_else(|error| panic!("{error}"));
    let activity = active_values(types, funcs, &normalised.func, Mode::Reverse);
    let (ways_back, contexts) = Default::default();
    let purpose = Purpose::Reverse { ways_back: &ways_back, contexts: &contexts };
    let mut linearized =
        linearize(types, funcs, &custom, normalised, &activity, purpose).unwrap_or_else(|e| panic!("{e}"));
    match propagate::check(&linearized, &activity, &module.funcs) {
        Ok(()) => {
            propagate::unzip(&mut linearized, &module.funcs[f]);
            linear_text(&mut module, f, &linearized)
        }
        Err(error) => match error.kind {
            ObstacleKind::NotLinear { operation } => format!("not linear: {operation}\n"),
            ObstacleKind::LosesTangent { parameter, callee } => format!("lost: `{parameter}` of `{callee}`\n"),
        },
    }
}

fn check(text: &str, expected: Expect) {
    expected.assert_eq(&unzipped(text));
}

const PRIMAL: &str = "
func @f(%x: f32 diff) -> (return: f32 diff) forward @f_forward {
  %0: f32 = sin(%x)
  return %0
}";

/// What does not depend on the tangent is primal, the rest is the linear program; the tangent itself is zero in the primal
/// part, where nothing reads it.
#[test]
fn primal_and_differential_come_apart() {
    check(
        &format!(
            "{PRIMAL}
func @f_forward(%x: f32, %d: f32) -> (return: f32, tangent: f32) {{
  %y: f32 = sin(%x)
  %c: f32 = cos(%x)
  %t: f32 = mul %c, %d
  return %y, %t
}}"
        ),
        expect![[r#"
            func @f(%x: f32 diff) -> (return: f32 diff) forward @f_forward {
              %d: f32 = zero
              %y: f32 = sin(%x)
              %c: f32 = cos(%x)
              %t: f32 = mul %c, %d
              return %y
            }
            linear (%d') {
              %t' = scale %d' by %c
              return %t'
            }
        "#]],
    );
}

/// A branch on a primal condition is in both parts.
#[test]
fn control_flow_is_replicated() {
    check(
        &format!(
            "{PRIMAL}
func @f_forward(%x: f32, %d: f32) -> (return: f32, tangent: f32) {{
  %y: f32 = sin(%x)
  %zero: f32 = const 0.0
  %b: bool = gt %x, %zero
  %t: f32 = if %b {{
    %c: f32 = cos(%x)
    %1: f32 = mul %c, %d
    yield %1
  }} else {{
    yield %d
  }}
  return %y, %t
}}"
        ),
        expect![[r#"
            func @f(%x: f32 diff) -> (return: f32 diff) forward @f_forward {
              %d: f32 = zero
              %y: f32 = sin(%x)
              %zero: f32 = const 0.0
              %b: bool = gt %x, %zero
              %t: f32 = if %b {
                %c: f32 = cos(%x)
                %0: f32 = mul %c, %d
                yield %0
              } else {
                yield %d
              }
              return %y
            }
            linear (%d') {
              %t' = branch {
                %1' = scale %d' by %c
                yield %1'
              } or {
                yield %d'
              }
              return %t'
            }
        "#]],
    );
}

/// A product of tangents has no transpose.
#[test]
fn a_square_of_a_tangent_is_not_linear() {
    check(
        &format!(
            "{PRIMAL}
func @f_forward(%x: f32, %d: f32) -> (return: f32, tangent: f32) {{
  %y: f32 = sin(%x)
  %t: f32 = mul %d, %d
  return %y, %t
}}"
        ),
        expect![[r#"
            not linear: `mul` of tangents
        "#]],
    );
}

/// Which arm is taken must be known before the tangents are.
#[test]
fn a_condition_on_a_tangent_is_not_linear() {
    check(
        &format!(
            "{PRIMAL}
func @f_forward(%x: f32, %d: f32) -> (return: f32, tangent: f32) {{
  %y: f32 = sin(%x)
  %zero: f32 = const 0.0
  %b: bool = gt %d, %zero
  %t: f32 = if %b {{
    yield %d
  }} else {{
    yield %zero
  }}
  return %y, %t
}}"
        ),
        expect![[r#"
            not linear: a branch that depends on a tangent
        "#]],
    );
}

/// A result that no tangent goes into has no transpose, unless it is zero.
#[test]
fn a_constant_is_linear_if_it_is_zero() {
    let with_result = |result: &str| {
        format!(
            "{PRIMAL}
func @f_forward(%x: f32, %d: f32) -> (return: f32, tangent: f32) {{
  %y: f32 = sin(%x)
{result}
  return %y, %t
}}"
        )
    };
    for result in [
        "  %t: f32 = cos(%x)",
        "  %t: f32 = const 1.0",
        "  %b: bool = gt %x, %y
  %0: f32 = zero
  %t: f32 = if %b {
    yield %0
  } else {
    yield %y
  }",
    ] {
        let expected = "not linear: a result that no tangent goes into\n";
        assert_eq!(unzipped(&with_result(result)), expected, "{result}");
    }
    let zero = expect![[r#"
        func @f(%x: f32 diff) -> (return: f32 diff) forward @f_forward {
          %d: f32 = zero
          %y: f32 = sin(%x)
          %0: f32 = zero
          %t: f32 = mul %x, %0
          return %y
        }
        linear (%d') {
          return 0
        }
    "#]];
    check(&with_result("  %0: f32 = zero\n  %t: f32 = mul %x, %0"), zero);
}

/// Where tangents are zero their results have to be: no number may be added to a tangent or stand in its place.
#[test]
fn what_is_affine_in_the_tangent_is_not_linear() {
    let with_result = |result: &str| {
        format!(
            "{PRIMAL}
func @f_forward(%x: f32, %d: f32) -> (return: f32, tangent: f32) {{
  %y: f32 = sin(%x)
  %zero: f32 = zero
  %one: f32 = const 1.0
  %b: bool = gt %x, %zero
{result}
  return %y, %t
}}"
        )
    };
    for result in [
        "  %t: f32 = add %d, %one",
        "  %t: f32 = sub %x, %d",
        "  %0: f32 = mul %x, %d\n  %1: f32 = add %0, %y\n  %t: f32 = mul %1, %x",
        "  %t: f32 = select %b, %d, %one",
        "  %t: f32 = if %b {\n    yield %d\n  } else {\n    yield %one\n  }",
    ] {
        let expected = "not linear: a number where a tangent is expected\n";
        assert_eq!(unzipped(&with_result(result)), expected, "{result}");
    }
    for result in [
        "  %t: f32 = add %d, %zero",
        "  %t: f32 = select %b, %d, %zero",
        "  %t: f32 = if %b {\n    yield %d\n  } else {\n    yield %zero\n  }",
        // The number is a coefficient.
        "  %0: f32 = add %x, %one\n  %t: f32 = mul %0, %d",
    ] {
        let unzipped = unzipped(&with_result(result));
        assert!(unzipped.contains("linear (%d')"), "{result}: {unzipped}");
    }
}

/// What is written to memory comes back as a number without tangent.
#[test]
fn a_tangent_in_memory_is_not_linear() {
    check(
        "
global @scratch: rwbuffer<f32> parameter
func @f(%x: f32 diff) -> (return: f32 diff) forward @f_forward {
  %0: f32 = sin(%x)
  return %0
}
func @f_forward(%x: f32, %d: f32) -> (return: f32, tangent: f32) {
  %y: f32 = sin(%x)
  %h: rwbuffer<f32> = global @scratch
  store %h[0], %d
  %t: f32 = load %h[0]
  return %y, %t
}",
        expect![[r#"
            not linear: a tangent that is written to memory, from where none comes back
        "#]],
    );
}

/// What a callee has no derivative for would be lost on the way back, beside what it has one for, on a branch, and as a part of
/// what is handed over.
#[test]
fn a_tangent_for_a_parameter_without_derivative_is_lost() {
    let callee = "
func @g(%a: f32 diff, %b: f32) -> (return: f32 diff) backward_differentiable {
  %0: f32 = add %a, %b
  return %0
}";
    let rule = |argument: &str| {
        unzipped(&format!(
            "{PRIMAL}{callee}
func @f_forward(%x: f32, %d: f32) -> (return: f32, tangent: f32) {{
  %y: f32 = sin(%x)
  %c: f32 = cos(%x)
  %t: f32 = mul %c, %d
  %r: f32 = call @g(%t, {argument})
  return %y, %r
}}"
        ))
    };
    for argument in ["%d", "%t"] {
        assert_eq!(rule(argument), "lost: `b` of `g`\n", "{argument}");
    }
    assert!(rule("%c").starts_with("func @f("), "{}", rule("%c"));
}
