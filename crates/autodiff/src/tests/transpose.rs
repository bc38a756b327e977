//! The linear program backwards: the pullback of a residual record.

use expect_test::{Expect, expect};
use ir::DerivativeKind;

use super::derivative;

fn check(text: &str, expected: Expect) {
    expected.assert_eq(&derivative(DerivativeKind::Pullback, text));
}

/// A value that is used twice gets the sum of two cotangents.
#[test]
fn uses_add_up() {
    check(
        "func @f(%x: f32 diff, %y: f32 diff) -> (return: f32 diff) backward_differentiable {
           %a: f32 = mul %x, %y
           %b: f32 = add %a, %x
           return %b
         }",
        expect![[r#"
            func @f.pullback(%x: f32 diff, %y: f32 diff, %return_cotangent: f32 diff at last) -> (cotangent 0 x_cotangent: f32 diff at 0, cotangent 1 y_cotangent: f32 diff at 1) forward_differentiable backward_differentiable {
              %y_cotangent: f32 = mul %x, %return_cotangent
              %0: f32 = mul %y, %return_cotangent
              %x_cotangent: f32 = add %return_cotangent, %0
              return %x_cotangent, %y_cotangent
            }
        "#]],
    );
}

/// The cotangent of a field goes to that field; the others are zero and made only when the whole is given.
#[test]
fn fields_accumulate_in_place() {
    check(
        "struct $S { a: f32, v: f32x3 } differential $S (0, 1)
         func @f(%s: $S diff) -> (return: f32 diff) backward_differentiable {
           %y: f32 = extract %s[1][2]
           return %y
         }",
        expect![[r#"
            func @f.pullback(%return_cotangent: f32 diff at last) -> (cotangent 0 s_cotangent: $S diff at 0) forward_differentiable backward_differentiable {
              %0: f32 = const 0.0
              %1: f32x3 = make(%0, %0, %return_cotangent)
              %s_cotangent: $S = make(%0, %1)
              return %s_cotangent
            }
        "#]],
    );
}

/// A constant and a dynamic index into one array meet in one accumulator.
#[test]
fn constant_and_dynamic_index_meet() {
    check(
        "func @f(%w: [f32; 3] diff, %i: i32) -> (return: f32 diff) backward_differentiable {
           %a: f32 = extract %w[0]
           %b: f32 = extract %w[%i]
           %c: f32 = add %a, %b
           return %c
         }",
        expect![[r#"
            func @f.pullback(%i: i32 at 1, %w_cotangent: [f32; 3] diff at 0, %return_cotangent: f32 diff at last) -> (inout %w_cotangent: [f32; 3] diff) forward_differentiable backward_differentiable {
              %0: f32 = extract %w_cotangent[%i]
              %1: f32 = add %0, %return_cotangent
              %2: [f32; 3] = insert %w_cotangent[%i], %1
              %3: f32 = extract %2[0]
              %4: f32 = add %3, %return_cotangent
              %w_cotangent.2: [f32; 3] = insert %2[0], %4
              return %w_cotangent.2
            }
        "#]],
    );
}

/// A callee that reaches elements by computed indices adds to what the caller has: no iteration makes an array of zeros.
#[test]
fn callees_add_to_arrays() {
    check(
        "func @at(%w: [f32; 3] diff, %i: i32) -> (return: f32 diff) backward_differentiable {
           %a: f32 = extract %w[%i]
           return %a
         }
         func @f(%w: [f32; 3] diff) -> (return: f32 diff) backward_differentiable {
           %0: i32 = const 0
           %1: i32 = const 1
           %3: i32 = const 3
           %zero: f32 = const 0.0
           %i: i32, %s: f32 = loop (%0, %zero) max_iters 3 cond (%i1: i32, %s1: f32) {
             %c: bool = lt %i1, %3
             yield %c
           } body (%i2: i32, %s2: f32) {
             %a: f32 = call @at(%w, %i2)
             %s3: f32 = add %s2, %a
             %i3: i32 = add %i2, %1
             yield %i3, %s3
           }
           return %s
         }",
        expect![[r#"
            func @f.pullback(%w_cotangent: [f32; 3] diff, %return_cotangent: f32 diff at last) -> (inout %w_cotangent: [f32; 3] diff) forward_differentiable backward_differentiable {
              %0: i32 = const 2
              %1: i32, %w_cotangent.2: [f32; 3] = loop (%0, %w_cotangent) inferred 3 cond (%2: i32, %3: [f32; 3]) {
                %4: i32 = const 0
                %5: bool = ge %2, %4
                yield %5
              } body (%iteration: i32, %w_cotangent.3: [f32; 3]) {
                %6: i32 = const 1
                %7: [f32; 3] = call @at.pullback(%iteration, %w_cotangent.3, %return_cotangent)
                %8: i32 = sub %iteration, %6
                yield %8, %7
              }
              return %w_cotangent.2
            }
        "#]],
    );
}

/// Both operands of a quotient share one division.
#[test]
fn quotients() {
    check(
        "func @f(%x: f32 diff, %y: f32 diff) -> (return: f32 diff) backward_differentiable {
           %q: f32 = div %x, %y
           return %q
         }",
        expect![[r#"
            func @f.pullback(%x: f32 diff, %y: f32 diff, %return_cotangent: f32 diff at last) -> (cotangent 0 x_cotangent: f32 diff at 0, cotangent 1 y_cotangent: f32 diff at 1) forward_differentiable backward_differentiable {
              %x_cotangent: f32 = div %return_cotangent, %y
              %q: f32 = div %x, %y
              %0: f32 = mul %q, %x_cotangent
              %y_cotangent: f32 = neg %0
              return %x_cotangent, %y_cotangent
            }
        "#]],
    );
}

/// A scalar that scales a vector gets a dot product; half of what meets a bound at the bound itself.
#[test]
fn factors_of_vectors_and_bounds() {
    check(
        "func @f(%x: f32 diff, %v: f32x2) -> (return: f32x2 diff) backward_differentiable {
           %zero: f32 = const 0.0
           %a: f32 = max(%x, %zero)
           %s: f32x2 = splat %a
           %r: f32x2 = mul %s, %v
           return %r
         }",
        expect![[r#"
            func @f.pullback(%x: f32 diff, %v: f32x2, %return_cotangent: f32x2 diff at last) -> (cotangent 0 x_cotangent: f32 diff at 0) forward_differentiable backward_differentiable {
              %a_cotangent: f32 = dot(%v, %return_cotangent)
              %zero: f32 = const 0.0
              %0: bool = ge %x, %zero
              %1: f32 = select %0, %a_cotangent, %zero
              %2: f32 = const 1.0
              %3: f32 = const 0.5
              %4: bool = eq %x, %zero
              %5: f32 = select %4, %3, %2
              %x_cotangent: f32 = mul %5, %1
              return %x_cotangent
            }
        "#]],
    );
}

/// What is overwritten gets nothing: the cotangent at the path is read, then zero.
#[test]
fn insert_reads_and_clears() {
    check(
        "func @f(%w: [f32; 2] diff, %x: f32 diff) -> (return: [f32; 2] diff) backward_differentiable {
           %v: [f32; 2] = insert %w[1], %x
           return %v
         }",
        expect![[r#"
            func @f.pullback(%return_cotangent: [f32; 2] diff at last) -> (cotangent 0 w_cotangent: [f32; 2] diff at 0, cotangent 1 x_cotangent: f32 diff at 1) forward_differentiable backward_differentiable {
              %0: f32 = extract %return_cotangent[0]
              %x_cotangent: f32 = extract %return_cotangent[1]
              %1: f32 = const 0.0
              %w_cotangent: [f32; 2] = make(%0, %1)
              return %w_cotangent, %x_cotangent
            }
        "#]],
    );
}

/// Each arm gives the cotangents of what it reads; the condition is computed again.
#[test]
fn branches() {
    check(
        "func @f(%x: f32 diff, %y: f32 diff) -> (return: f32 diff) backward_differentiable {
           %c: bool = lt %x, %y
           %m: f32 = if %c {
             %a: f32 = mul %x, %x
             yield %a
           } else {
             yield %y
           }
           return %m
         }",
        expect![[r#"
            func @f.pullback(%x: f32 diff, %y: f32 diff, %return_cotangent: f32 diff at last) -> (cotangent 0 x_cotangent: f32 diff at 0, cotangent 1 y_cotangent: f32 diff at 1) forward_differentiable backward_differentiable {
              %c: bool = lt %x, %y
              %x_cotangent: f32, %y_cotangent: f32 = if %c {
                %0: f32 = mul %x, %return_cotangent
                %1: f32 = add %0, %0
                %2: f32 = const 0.0
                yield %1, %2
              } else {
                %3: f32 = const 0.0
                yield %3, %return_cotangent
              }
              return %x_cotangent, %y_cotangent
            }
        "#]],
    );
}

/// The loop runs from the last iteration to the first and reads what each one stored.
#[test]
fn loops_run_backwards() {
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
            func @f.pullback(%n: i32 at 1, %residuals: $f.Residuals diff at 0, %return_cotangent: f32 diff at last) -> (cotangent 0 x_cotangent: f32 diff at 0) forward_differentiable backward_differentiable {
              %0: i32 = const 0
              %1: bool = lt %0, %n
              %2: i32 = select %1, %n, %0
              %3: i32 = const 1
              %4: i32 = sub %2, %3
              %5: i32, %x_cotangent: f32 = loop (%4, %return_cotangent) inferred 5 cond (%6: i32, %7: f32) {
                %8: bool = ge %6, %0
                yield %8
              } body (%iteration: i32, %s2_cotangent: f32) {
                %9: f32 = extract %residuals[0][%iteration]
                %10: f32 = mul %9, %s2_cotangent
                %s2_cotangent.2: f32 = add %10, %10
                %11: i32 = sub %iteration, %3
                yield %11, %s2_cotangent.2
              }
              return %x_cotangent
            }
        "#]],
    );
}

/// The other side of a matrix product is transposed.
#[test]
fn matrix_products() {
    check(
        "func @f(%m: f32x2x3, %v: f32x3 diff) -> (return: f32x2 diff) backward_differentiable {
           %y: f32x2 = mat_mul(%m, %v)
           return %y
         }",
        expect![[r#"
            func @f.pullback(%m: f32x2x3, %return_cotangent: f32x2 diff at last) -> (cotangent 1 v_cotangent: f32x3 diff at 1) forward_differentiable backward_differentiable {
              %v_cotangent: f32x3 = mat_mul(%return_cotangent, %m)
              return %v_cotangent
            }
        "#]],
    );
}
