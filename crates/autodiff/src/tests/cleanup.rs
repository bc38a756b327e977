//! What nothing needs goes away.

use expect_test::expect;
use ir::print::print_func;

use test_support::modules::verified;

use super::module;
use crate::cleanup::cleanup;

/// The primal half of a function whose record is not needed is the function itself.
#[test]
fn primal_halves_without_record_are_the_function() {
    let (module, f) = module(
        "struct $R { x: f32 } differential $R (0)
         func @g(%x: f32 diff) -> (return: f32 diff) backward_differentiable {
           %0: f32 = mul %x, %x
           return %0
         }
         func @f(%x: f32) -> (return: f32) {
           %0: f32, %r: $R = call primal @g(%x)
           return %0
         }",
    );
    let mut module = module.into_module();
    cleanup(&mut module, f);
    let module = verified(module);
    expect![[r#"
        func @f(%x: f32) -> (return: f32) {
          %0: f32 = call @g(%x)
          return %0
        }
    "#]]
    .assert_eq(&print_func(&module, f));
}

/// Coefficients that are computed and not used go, also what a loop carries for them.
#[test]
fn unused_coefficients_go() {
    let (module, f) = module(
        "func @f(%x: f32, %n: i32) -> (return: i32) {
           %0: i32 = const 0
           %1: i32 = const 1
           %c: f32 = cos(%x)
           %i: i32, %s: f32 = loop (%0, %c) cond (%i1: i32, %s1: f32) {
             %t: bool = lt %i1, %n
             yield %t
           } body (%i2: i32, %s2: f32) {
             %i3: i32 = add %i2, %1
             %s3: f32 = mul %s2, %c
             yield %i3, %s3
           }
           return %i
         }",
    );
    let mut module = module.into_module();
    cleanup(&mut module, f);
    let module = verified(module);
    expect![[r#"
        func @f(%x: f32, %n: i32) -> (return: i32) {
          %0: i32 = const 0
          %1: i32 = const 1
          %i: i32 = loop (%0) cond (%i1: i32) {
            %t: bool = lt %i1, %n
            yield %t
          } body (%i2: i32) {
            %i3: i32 = add %i2, %1
            yield %i3
          }
          return %i
        }
    "#]]
    .assert_eq(&print_func(&module, f));
}
