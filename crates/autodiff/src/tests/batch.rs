//! Several directions at once: one primal, arrays of tangents.

use expect_test::expect;
use ir::print::print_func;

use super::module;
use crate::batch::batched_jvp;

/// `cos` is computed once for both directions.
#[test]
fn coefficients_are_shared() {
    let (mut module, f) = module(
        "func @f(%x: f32 diff) -> (return: f32 diff) forward_differentiable {
           %y: f32 = sin(%x)
           return %y
         }",
    );
    let batched = batched_jvp(&mut module, f, 2).unwrap_or_else(|errors| panic!("{errors:?}"));
    expect![[r#"
        func @f.jvp_2(%x: f32 diff, %x_tangent: [f32; 2] diff at 0) -> (return: f32 diff, tangent 0 return_tangent: [f32; 2] diff) forward_differentiable backward_differentiable {
          %x_tangent.2: f32 = extract %x_tangent[0]
          %x_tangent.3: f32 = extract %x_tangent[1]
          %y: f32 = sin(%x)
          %0: f32 = cos(%x)
          %y_tangent: f32 = mul %0, %x_tangent.2
          %y_tangent.2: f32 = mul %0, %x_tangent.3
          %1: [f32; 2] = make(%y_tangent, %y_tangent.2)
          return %y, %1
        }
    "#]].assert_eq(&print_func(&module, batched));
}
