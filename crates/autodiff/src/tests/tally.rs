//! Counts that can be made by hand.

use ir::DerivativeKind;

use super::module;
use crate::tally::{Operations, tally};

fn operations(arithmetic: u64, transcendental: u64, memory: u64, atomics: u64) -> Operations {
    Operations { arithmetic, transcendental, memory, atomics }
}

#[test]
fn scalars_are_counted() {
    let text = "
        func @f(%a: f32x3, %b: f32x3, %m: f32x3x3) -> (y: f32x3) {
            %1: f32x3 = mul %a, %b
            %2: f32x3 = sin(%1)
            %3: f32 = dot(%2, %b)
            %4: f32x3 = splat %3
            %5: f32x3 = mat_mul(%m, %4)
            return %5
        }";
    let (module, f) = module(text);
    // Three products, three sines, three products and two sums, three such rows.
    assert_eq!(tally(&module, f).total, operations(3 + 5 + 15, 3, 0, 0));
}

#[test]
fn loops_count_as_often_as_they_run_and_calls_with_what_they_do() {
    let text = "
        func @g(%x: f32) -> (y: f32) { %1: f32 = exp(%x) %y: f32 = mul %1, %1 return %y }
        func @f(%x: f32) -> (y: f32) {
            %y: f32 = loop (%x) max_iters 7 cond (%s: f32) {
                %0: f32 = const 100.0
                %1: bool = lt %s, %0
                yield %1
            } body (%t: f32) {
                %2: f32 = call @g(%t)
                yield %2
            }
            return %y
        }";
    let (module, f) = module(text);
    let counted = tally(&module, f);
    assert_eq!((counted.total, counted.has_unknown_loops), (operations(7 * 2, 7, 0, 0), false));
    let endless = text.replace(" max_iters 7", "");
    let (module, f) = super::module(&endless);
    let counted = tally(&module, f);
    assert_eq!((counted.total, counted.has_unknown_loops), (operations(2, 1, 0, 0), true));
}

/// `sin'` is a cosine and a product.
#[test]
fn a_derivative_is_counted_as_what_it_is() {
    let text = "func @f(%x: f32 diff) -> (y: f32 diff) forward_differentiable backward_differentiable {
        %y: f32 = sin(%x) return %y
    }";
    let (mut module, f) = module(text);
    let vjp = crate::derivatives(&mut module, &[(DerivativeKind::Vjp, f)]).expect("there is one")[0];
    assert_eq!(tally(&module, vjp).total, operations(1, 1, 0, 0));
}
