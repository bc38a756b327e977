//! One exit per function: `break`, `continue` and early `return` become values.

use expect_test::{Expect, expect};
use ir::print::print_func;

use test_support::modules::verified;

use super::module;
use crate::normalise::normalise;

fn check(text: &str, expected: Expect) {
    let (module, f) = module(text);
    let mut module = module.into_module();
    let normalised = {
        let ir::Module { types, funcs, .. } = &mut module;
        normalise(types, funcs, &funcs[f]).unwrap_or_else(|error| panic!("{error}"))
    };
    module.funcs[f] = normalised.func;
    let module = verified(module);
    expected.assert_eq(&print_func(&module, f));
}

/// What follows an `if` that returns in one arm moves into the other arm.
#[test]
fn the_rest_moves_into_the_arm_that_goes_on() {
    check(
        "func @f(%x: f32) -> (return: f32) {
           %0: f32 = const 0.0
           %c: bool = lt %x, %0
           if %c {
             return %0
           } else {
             yield
           }
           %y: f32 = sqrt(%x)
           return %y
         }",
        expect![[r#"
            func @f(%x: f32) -> (return: f32) {
              %0: f32 = const 0.0
              %c: bool = lt %x, %0
              %1: f32 = if %c {
                yield %0
              } else {
                %y: f32 = sqrt(%x)
                yield %y
              }
              return %1
            }
        "#]],
    );
}

/// A `break` becomes a carried flag that the condition asks first; the values at the `break` are the loop's results.
#[test]
fn break_becomes_a_flag() {
    check(
        "func @f(%x: f32, %n: i32) -> (return: f32) {
           %0: i32 = const 0
           %1: i32 = const 1
           %nine: f32 = const 9.0
           %i: i32, %s: f32 = loop (%0, %x) cond (%i1: i32, %s1: f32) {
             %c: bool = lt %i1, %n
             yield %c
           } body (%i2: i32, %s2: f32) {
             %d: bool = gt %s2, %nine
             if %d {
               break %i2, %s2
             } else {
               yield
             }
             %i3: i32 = add %i2, %1
             %s3: f32 = mul %s2, %s2
             yield %i3, %s3
           }
           return %s
         }",
        expect![[r#"
            func @f(%x: f32, %n: i32) -> (return: f32) {
              %0: i32 = const 0
              %1: i32 = const 1
              %nine: f32 = const 9.0
              %2: bool = const true
              %i: i32, %s: f32, %3: bool = loop (%0, %x, %2) cond (%i1: i32, %s1: f32, %4: bool) {
                %5: bool = if %4 {
                  %c: bool = lt %i1, %n
                  yield %c
                } else {
                  %6: bool = const false
                  yield %6
                }
                yield %5
              } body (%i2: i32, %s2: f32, %7: bool) {
                %d: bool = gt %s2, %nine
                %8: i32, %9: f32, %10: bool = if %d {
                  %11: bool = const false
                  yield %i2, %s2, %11
                } else {
                  %i3: i32 = add %i2, %1
                  %s3: f32 = mul %s2, %s2
                  %12: bool = const true
                  yield %i3, %s3, %12
                }
                yield %8, %9, %10
              }
              return %s
            }
        "#]],
    );
}

/// A `continue` needs no flag: it is the end of the iteration with other values.
#[test]
fn continue_is_the_end_of_the_iteration() {
    check(
        "func @f(%x: f32, %n: i32) -> (return: f32) {
           %0: i32 = const 0
           %1: i32 = const 1
           %i: i32, %s: f32 = loop (%0, %x) cond (%i1: i32, %s1: f32) {
             %c: bool = lt %i1, %n
             yield %c
           } body (%i2: i32, %s2: f32) {
             %i3: i32 = add %i2, %1
             %d: bool = eq %i2, %1
             if %d {
               continue %i3, %s2
             } else {
               yield
             }
             %s3: f32 = mul %s2, %x
             yield %i3, %s3
           }
           return %s
         }",
        expect![[r#"
            func @f(%x: f32, %n: i32) -> (return: f32) {
              %0: i32 = const 0
              %1: i32 = const 1
              %i: i32, %s: f32 = loop (%0, %x) cond (%i1: i32, %s1: f32) {
                %c: bool = lt %i1, %n
                yield %c
              } body (%i2: i32, %s2: f32) {
                %i3: i32 = add %i2, %1
                %d: bool = eq %i2, %1
                %2: i32, %3: f32 = if %d {
                  yield %i3, %s2
                } else {
                  %s3: f32 = mul %s2, %x
                  yield %i3, %s3
                }
                yield %2, %3
              }
              return %s
            }
        "#]],
    );
}

/// A `return` inside a loop ends the loop and carries what is returned out of it.
#[test]
fn return_inside_a_loop() {
    check(
        "func @f(%x: f32, %n: i32) -> (return: f32) {
           %0: i32 = const 0
           %1: i32 = const 1
           %i: i32 = loop (%0) cond (%i1: i32) {
             %c: bool = lt %i1, %n
             yield %c
           } body (%i2: i32) {
             %d: bool = eq %i2, %1
             if %d {
               return %x
             } else {
               yield
             }
             %i3: i32 = add %i2, %1
             yield %i3
           }
           %y: f32 = sin(%x)
           return %y
         }",
        expect![[r#"
            func @f(%x: f32, %n: i32) -> (return: f32) {
              %0: i32 = const 0
              %1: i32 = const 1
              %2: bool = const true
              %3: f32 = undef
              %i: i32, %4: bool, %5: f32 = loop (%0, %2, %3) inferred 2 cond (%i1: i32, %6: bool, %7: f32) {
                %8: bool = if %6 {
                  %c: bool = lt %i1, %n
                  yield %c
                } else {
                  %9: bool = const false
                  yield %9
                }
                yield %8
              } body (%i2: i32, %10: bool, %11: f32) {
                %d: bool = eq %i2, %1
                %12: i32, %13: bool, %14: f32 = if %d {
                  %15: bool = const false
                  yield %i2, %15, %x
                } else {
                  %i3: i32 = add %i2, %1
                  %16: bool = const true
                  yield %i3, %16, %11
                }
                yield %12, %13, %14
              }
              %17: bool = not %4
              %18: f32 = if %17 {
                yield %5
              } else {
                %y: f32 = sin(%x)
                yield %y
              }
              return %18
            }
        "#]],
    );
}

/// A function with a primal substitute is called by way of it.
#[test]
fn calls_go_to_the_primal_substitute() {
    check(
        "func @g(%x: f32) -> (return: f32) primal_substitute @h
         func @h(%x: f32) -> (return: f32) {
           %0: f32 = mul %x, %x
           return %0
         }
         func @f(%x: f32) -> (return: f32) {
           %0: f32 = call @g(%x)
           return %0
         }",
        expect![[r#"
            func @f(%x: f32) -> (return: f32) {
              %0: f32 = call @h(%x)
              return %0
            }
        "#]],
    );
}
