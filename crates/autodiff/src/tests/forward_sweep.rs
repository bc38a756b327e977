//! The primal half of reverse mode: the function itself, which also gives its residual record.

use expect_test::{Expect, expect};
use ir::DerivativeKind;

use super::derivative;

fn check(text: &str, expected: Expect) {
    expected.assert_eq(&derivative(DerivativeKind::Primal, text));
}

/// Each iteration stores in its own place of an array with as many places as the bound says.
#[test]
fn a_loop_stores_one_element_per_iteration() {
    check(
        "func @f(%x: f32 diff, %n: i32) -> (return: f32 diff) backward_differentiable {
           %0: i32 = const 0
           %1: i32 = const 1
           %i: i32, %s: f32 = loop (%0, %x) max_iters 5 cond (%i1: i32, %s1: f32) {
             %c: bool = lt %i1, %n
             yield %c
           } body (%i2: i32, %s2: f32) {
             %s3: f32 = mul %s2, %s2
             %i3: i32 = add %i2, %1
             yield %i3, %s3
           }
           return %s
         }",
        expect![[r#"
            func @f.primal(%x: f32 diff, %n: i32) -> (return: f32 diff, residuals residuals: $f.Residuals diff) forward_differentiable backward_differentiable {
              %0: i32 = const 0
              %1: i32 = const 1
              %2: [f32; 5] = undef
              %i: i32, %s: f32, %s2_saved: [f32; 5] = loop (%0, %x, %2) max_iters 5 inferred 5 cond (%i1: i32, %s1: f32, %3: [f32; 5]) {
                %c: bool = lt %i1, %n
                yield %c
              } body (%i2: i32, %s2: f32, %s2_saved.2: [f32; 5]) {
                %s3: f32 = mul %s2, %s2
                %i3: i32 = add %i2, %1
                %4: [f32; 5] = insert %s2_saved.2[%i2], %s2
                yield %i3, %s3, %4
              }
              %5: $f.Residuals = make(%s2_saved)
              return %s, %5
            }
        "#]],
    );
}

/// With nothing to store the record has the inputs that the backward sweep reads.
#[test]
fn the_record_of_straight_code_is_its_inputs() {
    check(
        "func @f(%x: f32 diff, %k: f32) -> (return: f32 diff) backward_differentiable {
           %y: f32 = mul %x, %k
           return %y
         }",
        expect![[r#"
            func @f(%x: f32 diff, %k: f32) -> (return: f32 diff) backward_differentiable {
              %y: f32 = mul %x, %k
              return %y
            }
        "#]],
    );
}
