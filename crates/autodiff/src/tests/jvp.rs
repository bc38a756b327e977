//! The forward derivative: tangents right after their primal values.

use expect_test::{Expect, expect};
use ir::DerivativeKind;

use super::derivative;

fn check(text: &str, expected: Expect) {
    expected.assert_eq(&derivative(DerivativeKind::Jvp, text));
}

/// A loop carries value and tangent side by side; forward mode stores nothing and needs no bound.
#[test]
fn loops_carry_tangents() {
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
            func @f.jvp(%x: f32 diff, %n: i32, %x_tangent: f32 diff at 0) -> (return: f32 diff, tangent 0 return_tangent: f32 diff) forward_differentiable backward_differentiable {
              %0: i32 = const 0
              %1: i32 = const 1
              %one: f32 = const 1.0
              %2: f32 = const 0.0
              %i: i32, %p: f32, %p_tangent: f32 = loop (%0, %one, %2) cond (%i1: i32, %p1: f32, %3: f32) {
                %c: bool = lt %i1, %n
                yield %c
              } body (%i2: i32, %p2: f32, %p2_tangent: f32) {
                %p3: f32 = mul %p2, %x
                %4: f32 = mul %x, %p2_tangent
                %5: f32 = mul %p2, %x_tangent
                %p3_tangent: f32 = add %4, %5
                %i3: i32 = add %i2, %1
                yield %i3, %p3, %p3_tangent
              }
              return %p, %p_tangent
            }
        "#]],
    );
}

/// A call becomes one of the callee's forward derivative, which gives value and tangent.
#[test]
fn calls_give_value_and_tangent() {
    check(
        "func @g(%x: f32 diff) -> (return: f32 diff) forward_differentiable {
           %0: f32 = sin(%x)
           return %0
         }
         func @f(%x: f32 diff) -> (return: f32 diff) forward_differentiable {
           %0: f32 = call @g(%x)
           return %0
         }",
        expect![[r#"
            func @f.jvp(%x: f32 diff, %x_tangent: f32 diff at 0) -> (return: f32 diff, tangent 0 return_tangent: f32 diff) forward_differentiable backward_differentiable {
              %0: f32, %1: f32 = call @g.jvp(%x, %x_tangent)
              return %0, %1
            }
        "#]],
    );
}

/// Effects happen once and in their order.
#[test]
fn effects_happen_once() {
    check(
        "func @f(%x: f32 diff) -> (return: f32 diff) forward_differentiable {
           print \"%f\\n\"(%x)
           %y: f32 = mul %x, %x
           print \"%f\\n\"(%y)
           return %y
         }",
        expect![[r#"
            func @f.jvp(%x: f32 diff, %x_tangent: f32 diff at 0) -> (return: f32 diff, tangent 0 return_tangent: f32 diff) forward_differentiable backward_differentiable {
              print "%f\n"(%x)
              %y: f32 = mul %x, %x
              %0: f32 = mul %x, %x_tangent
              %y_tangent: f32 = add %0, %0
              print "%f\n"(%y)
              return %y, %y_tangent
            }
        "#]],
    );
}
