//! Next to each active operation its tangent, with coefficients as primal values.

use expect_test::{Expect, expect};

use super::{linear_text::linear_text, linearized, module};

fn check(text: &str, expected: Expect) {
    let (module, f) = module(text);
    let mut module = module.into_module();
    let linearized = linearized(&mut module, f);
    expected.assert_eq(&linear_text(&mut module, f, &linearized));
}

/// The coefficient of `sin` is computed where `sin` is; a product has one term for each factor.
#[test]
fn products_and_functions() {
    check(
        "func @f(%x: f32 diff) -> (return: f32 diff) forward_differentiable {
           %y: f32 = sin(%x)
           %z: f32 = mul %y, %x
           return %z
         }",
        expect![[r#"
            func @f(%x: f32 diff) -> (return: f32 diff) forward_differentiable {
              %y: f32 = sin(%x)
              %0: f32 = cos(%x)
              %z: f32 = mul %y, %x
              return %z
            }
            linear (%x') {
              %y' = scale %x' by %0
              %2' = scale %y' by %x
              %3' = scale %x' by %y
              %z' = add %2', %3'
              return %z'
            }
        "#]],
    );
}

/// What depends on no differentiable input, and what no differentiable result depends on, has no tangent.
#[test]
fn inactive_values_have_no_tangent() {
    check(
        "func @f(%x: f32 diff, %k: f32) -> (return: f32 diff, scaled: f32) forward_differentiable {
           %a: f32 = sin(%k)
           %b: f32 = mul %a, %x
           %c: f32 = mul %x, %x
           return %b, %c
         }",
        expect![[r#"
            func @f(%x: f32 diff, %k: f32) -> (return: f32 diff, scaled: f32) forward_differentiable {
              %a: f32 = sin(%k)
              %b: f32 = mul %a, %x
              %c: f32 = mul %x, %x
              return %b, %c
            }
            linear (%x') {
              %b' = scale %x' by %a
              return %b'
            }
        "#]],
    );
}

/// A constant subtracted or added leaves the tangent as it is; `x - y` with one active side is a copy or a negation.
#[test]
fn zero_tangents_are_not_written() {
    check(
        "func @f(%x: f32 diff) -> (return: f32 diff) forward_differentiable {
           %1: f32 = const 1.0
           %a: f32 = add %x, %1
           %b: f32 = sub %1, %a
           return %b
         }",
        expect![[r#"
            func @f(%x: f32 diff) -> (return: f32 diff) forward_differentiable {
              %0: f32 = const 1.0
              %a: f32 = add %x, %0
              %b: f32 = sub %0, %a
              return %b
            }
            linear (%x') {
              %b' = neg %x'
              return %b'
            }
        "#]],
    );
}

/// A branch on the primal condition is a branch of the linear program; an arm without tangent gives zero.
#[test]
fn branches() {
    check(
        "func @f(%x: f32 diff) -> (return: f32 diff) forward_differentiable {
           %0: f32 = const 0.0
           %c: bool = gt %x, %0
           %y: f32 = if %c {
             %a: f32 = mul %x, %x
             yield %a
           } else {
             yield %0
           }
           return %y
         }",
        expect![[r#"
            func @f(%x: f32 diff) -> (return: f32 diff) forward_differentiable {
              %0: f32 = const 0.0
              %c: bool = gt %x, %0
              %y: f32 = if %c {
                %a: f32 = mul %x, %x
                yield %a
              } else {
                yield %0
              }
              return %y
            }
            linear (%x') {
              %y' = branch {
                %1' = scale %x' by %x
                %2' = scale %x' by %x
                %a' = add %1', %2'
                yield %a'
              } or {
                yield 0
              }
              return %y'
            }
        "#]],
    );
}

/// A loop carries the tangents of its active values; the counter has none.
#[test]
fn loops() {
    check(
        "func @f(%x: f32 diff, %n: i32) -> (return: f32 diff) forward_differentiable {
           %0: i32 = const 0
           %1: i32 = const 1
           %one: f32 = const 1.0
           %i: i32, %p: f32 = loop (%0, %one) cond (%i1: i32, %p1: f32) {
             %c: bool = lt %i1, %n
             yield %c
           } body (%i2: i32, %p2: f32) {
             %p3: f32 = mul %p2, %x
             %i3: i32 = add %i2, %1
             yield %i3, %p3
           }
           return %p
         }",
        expect![[r#"
            func @f(%x: f32 diff, %n: i32) -> (return: f32 diff) forward_differentiable {
              %0: i32 = const 0
              %1: i32 = const 1
              %one: f32 = const 1.0
              %i: i32, %p: f32 = loop (%0, %one) cond (%i1: i32, %p1: f32) {
                %c: bool = lt %i1, %n
                yield %c
              } body (%i2: i32, %p2: f32) {
                %p3: f32 = mul %p2, %x
                %i3: i32 = add %i2, %1
                yield %i3, %p3
              }
              return %p
            }
            linear (%x') {
              %p' = loop (%p2' from 0) {
                %3' = scale %p2' by %x
                %4' = scale %x' by %p2
                %p3' = add %3', %4'
                yield %p3'
              }
              return %p'
            }
        "#]],
    );
}

/// Parts of aggregates keep their paths; a field without derivative is not counted in the differential.
#[test]
fn parts_of_aggregates() {
    check(
        "struct $S { id: i32, w: [f32; 3] } differential $S.D (_, 0)
         struct $S.D { w: [f32; 3] } differential $S.D (0)
         func @f(%s: $S diff, %x: f32 diff, %i: i32) -> (return: f32 diff) forward_differentiable {
           %t: $S = insert %s[1][%i], %x
           %y: f32 = extract %t[1][0]
           return %y
         }",
        expect![[r#"
            func @f(%s: $S diff, %x: f32 diff, %i: i32) -> (return: f32 diff) forward_differentiable {
              %t: $S = insert %s[1][%i], %x
              %y: f32 = extract %t[1][0]
              return %y
            }
            linear (%s', %x') {
              %t' = insert %s'[0][%i], %x'
              %y' = extract %t'[0][0]
              return %y'
            }
        "#]],
    );
}

/// The derivative of a call is linear in the tangents of the arguments that have one.
#[test]
fn calls() {
    check(
        "func @g(%x: f32 diff, %k: f32 diff) -> (return: f32 diff) forward_differentiable {
           %0: f32 = mul %x, %k
           return %0
         }
         func @f(%x: f32 diff, %k: f32) -> (return: f32 diff) forward_differentiable {
           %0: f32 = call @g(%x, %k)
           return %0
         }",
        expect![[r#"
            func @f(%x: f32 diff, %k: f32) -> (return: f32 diff) forward_differentiable {
              %0: f32 = call @g(%x, %k)
              return %0
            }
            linear (%x') {
              %1' = derivative of call at (%x, %k) of (%x', 0)
              return %1'
            }
        "#]],
    );
}

/// `detach` and calls marked `no_diff` have no derivative.
#[test]
fn detached_values() {
    check(
        "func @g(%x: f32 diff) -> (return: f32 diff) forward_differentiable {
           %0: f32 = mul %x, %x
           return %0
         }
         func @f(%x: f32 diff) -> (return: f32 diff) forward_differentiable {
           %0: f32 = detach %x
           %1: f32 = call no_diff @g(%x)
           %2: f32 = mul %0, %1
           %3: f32 = mul %2, %x
           return %3
         }",
        expect![[r#"
            func @f(%x: f32 diff) -> (return: f32 diff) forward_differentiable {
              %0: f32 = detach %x
              %1: f32 = call no_diff @g(%x)
              %2: f32 = mul %0, %1
              %3: f32 = mul %2, %x
              return %3
            }
            linear (%x') {
              %1' = scale %x' by %2
              return %1'
            }
        "#]],
    );
}

/// Matrix products, dot and cross products stay what they are, with one primal side.
#[test]
fn products_of_vectors() {
    check(
        "func @f(%m: f32x3x3 diff, %v: f32x3 diff) -> (return: f32 diff) forward_differentiable {
           %a: f32x3 = mat_mul(%m, %v)
           %b: f32x3 = cross(%a, %v)
           %c: f32 = dot(%b, %a)
           return %c
         }",
        expect![[r#"
            func @f(%m: f32x3x3 diff, %v: f32x3 diff) -> (return: f32 diff) forward_differentiable {
              %a: f32x3 = mat_mul(%m, %v)
              %b: f32x3 = cross(%a, %v)
              %c: f32 = dot(%b, %a)
              return %c
            }
            linear (%m', %v') {
              %2' = mat_mul %m', %v
              %3' = mat_mul %m, %v'
              %a' = add %2', %3'
              %5' = cross %a', %v
              %6' = cross %a, %v'
              %b' = add %5', %6'
              %8' = dot %b', %a
              %9' = dot %a', %b
              %c' = add %8', %9'
              return %c'
            }
        "#]],
    );
}
