//! What the passes write: IR text in, IR text out, verified.

use expect_test::{Expect, expect};

/// Expands the derivatives that `@main` calls and shows the functions that were made.
fn check(text: &str, expected: Expect) {
    expected.assert_eq(&expanded(text));
}

fn expanded(text: &str) -> String {
    let mut module = test_support::modules::module(text);
    let before = module.funcs.len();
    let main = module.func_named("main").expect("a function `main`");
    if let Err(errors) = autodiff::expand(&mut module, &[main]) {
        return errors.iter().map(|error| format!("error: {error}\n")).collect();
    }
    let made: Vec<String> =
        module.funcs.iter().skip(before).map(|(id, _)| ir::print::print_func(&module, id)).collect();
    made.join("\n")
}

const EXAMPLE: &str = "
func @f(%a: f32 diff, %b: f32 diff) -> (return: f32 diff) forward_differentiable backward_differentiable {
  %0: f32 = const 0.0
  %c: bool = gt %a, %0
  %y: f32 = if %c {
    %1: f32 = add %a, %b
    %2: f32 = const 2.0
    %3: f32 = mul %2, %a
    %4: f32 = mul %3, %b
    %5: f32 = add %1, %4
    yield %5
  } else {
    %6: f32 = sqrt(%a)
    yield %6
  }
  return %y
}
";

#[test]
fn worked_example_backward() {
    let main = "
func @main(%a: f32, %b: f32, %y: f32) -> (a: f32, b: f32) {
  %0: f32, %1: f32 = call vjp @f(%a, %b, %y)
  return %0, %1
}";
    check(
        &format!("{EXAMPLE}{main}"),
        expect![[r#"
            func @f.vjp(%a: f32 diff, %b: f32 diff, %return_cotangent: f32 diff at last) -> (cotangent 0 a_cotangent: f32 diff at 0, cotangent 1 b_cotangent: f32 diff at 1) forward_differentiable backward_differentiable {
              %0: f32 = const 0.0
              %c: bool = gt %a, %0
              %a_cotangent: f32, %b_cotangent: f32 = if %c {
                %1: f32 = const 2.0
                %2: f32 = mul %1, %a
                %3: f32 = mul %2, %return_cotangent
                %4: f32 = mul %b, %return_cotangent
                %5: f32 = mul %1, %4
                %6: f32 = add %5, %return_cotangent
                %7: f32 = add %3, %return_cotangent
                yield %6, %7
              } else {
                %8: f32 = sqrt(%a)
                %9: f32 = const 0.00031622776601683794
                %10: bool = eq %a, %0
                %11: f32 = select %10, %9, %8
                %12: f32 = const 0.5
                %13: f32 = div %12, %11
                %14: f32 = mul %13, %return_cotangent
                yield %14, %0
              }
              return %a_cotangent, %b_cotangent
            }
        "#]],
    );
}

#[test]
fn worked_example_forward() {
    let main = "
func @main(%a: f32, %b: f32, %y: f32) -> (a: f32, b: f32) {
  %0: f32, %1: f32 = call jvp @f(%a, %b, %a, %y)
  return %0, %1
}";
    check(
        &format!("{EXAMPLE}{main}"),
        expect![[r#"
            func @f.jvp(%a: f32 diff, %b: f32 diff, %a_tangent: f32 diff at 0, %b_tangent: f32 diff at 1) -> (return: f32 diff, tangent 0 return_tangent: f32 diff) forward_differentiable backward_differentiable {
              %0: f32 = const 0.0
              %c: bool = gt %a, %0
              %y: f32, %y_tangent: f32 = if %c {
                %1: f32 = add %a, %b
                %2: f32 = add %a_tangent, %b_tangent
                %3: f32 = const 2.0
                %4: f32 = mul %3, %a
                %5: f32 = mul %3, %a_tangent
                %6: f32 = mul %4, %b
                %7: f32 = mul %b, %5
                %8: f32 = mul %4, %b_tangent
                %9: f32 = add %7, %8
                %10: f32 = add %1, %6
                %11: f32 = add %2, %9
                yield %10, %11
              } else {
                %12: f32 = sqrt(%a)
                %13: f32 = const 0.5
                %14: bool = eq %a, %0
                %15: f32 = const 0.00031622776601683794
                %16: f32 = select %14, %15, %12
                %17: f32 = div %13, %16
                %18: f32 = mul %17, %a_tangent
                yield %12, %18
              }
              return %y, %y_tangent
            }
        "#]],
    );
}
