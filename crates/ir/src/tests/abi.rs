use expect_test::expect;

use super::*;
use crate::{Func, Module, print::print_module, verify::verify};

/// Parameters of all directions in mixed order, with names that mean something elsewhere.
const PRIMAL: &str = "
    func @f(%x: f32 diff, %on: bool at 2, %error: f32 diff at 3, %k: f32 at 4)
        -> (return: f32 diff, x_tangent: f32 diff at 1, inout %error: f32 diff, n: i32 at 5, failed failed: bool, error error: i32)";

/// The derivative of `f` as a declaration after it, printed and verified.
fn check(kind: DerivativeKind, expected: expect_test::Expect) {
    let mut module = crate::parse::parse_module(PRIMAL).unwrap();
    let f = module.func_named("f").unwrap();
    let Module { types, funcs, .. } = &mut module;
    let kept = Kept { inputs: vec![0, 2], record: Some(types.i32()), accumulated: vec![0] };
    let of = (&funcs[f].inputs[..], &funcs[f].results[..]);
    let (inputs, results) = derivative(types, kind, of, &kept, SpanId::NONE);
    module.funcs.alloc(Func::declaration("derived", inputs, results, SpanId::NONE));
    if let Err(errors) = verify(&module) {
        panic!("{}", crate::verify::describe(&module, &errors));
    }
    let text = print_module(&module);
    assert_eq!(print_module(&crate::parse::parse_module(&text).unwrap()), text);
    expected.assert_eq(text.lines().last().unwrap());
}

#[test]
fn tangents_stand_behind_what_they_belong_to() {
    check(
        DerivativeKind::Jvp,
        expect![
            "func @derived(%x: f32 diff, %on: bool at 2, %error: f32 diff at 3, %k: f32 at 4, %x_tangent: f32 diff at 0, %error_tangent: f32 diff at 3) -> (return: f32 diff, x_tangent: f32 diff at 1, inout %error: f32 diff, n: i32 at 5, failed failed: bool, error error: i32, tangent 0 return_tangent: f32 diff, tangent 1 x_tangent_tangent: f32 diff at 1, inout %error_tangent: f32 diff)"
        ],
    );
}

#[test]
fn cotangents_stand_where_what_they_belong_to_does() {
    check(
        DerivativeKind::Vjp,
        expect![
            "func @derived(%x: f32 diff, %on: bool at 2, %error: f32 diff at 3, %k: f32 at 4, %return_cotangent: f32 diff at last, %x_tangent_cotangent: f32 diff at 1, %error_cotangent: f32 diff at 3) -> (cotangent 0 x_cotangent: f32 diff at 0, inout %error_cotangent: f32 diff)"
        ],
    );
}

/// Inputs that the way back reads are handed in again, in front of the record of the rest, and sums that it adds to.
#[test]
fn residuals_come_last_and_go_in_behind_inputs() {
    check(
        DerivativeKind::Primal,
        expect![
            "func @derived(%x: f32 diff, %on: bool at 2, %error: f32 diff at 3, %k: f32 at 4) -> (return: f32 diff, x_tangent: f32 diff at 1, inout %error: f32 diff, n: i32 at 5, failed failed: bool, error error: i32, residuals residuals: i32)"
        ],
    );
    check(
        DerivativeKind::Pullback,
        expect![
            "func @derived(%x: f32 diff, %error: f32 diff at 3, %residuals: i32 at 0, %x_cotangent: f32 diff at 0, %return_cotangent: f32 diff at last, %x_tangent_cotangent: f32 diff at 1, %error_cotangent: f32 diff at 3) -> (inout %x_cotangent: f32 diff, inout %error_cotangent: f32 diff)"
        ],
    );
}

/// A context holds everything.
#[test]
fn contexts_go_in_alone() {
    check(
        DerivativeKind::Apply,
        expect![
            "func @derived(%x: f32 diff, %on: bool at 2, %error: f32 diff at 3, %k: f32 at 4) -> (return: f32 diff, x_tangent: f32 diff at 1, inout %error: f32 diff, n: i32 at 5, failed failed: bool, error error: i32, residuals residuals: i32)"
        ],
    );
    check(
        DerivativeKind::Propagate,
        expect![
            "func @derived(%residuals: i32, %return_cotangent: f32 diff at last, %x_tangent_cotangent: f32 diff at 1, %error_cotangent: f32 diff) -> (cotangent 0 x_cotangent: f32 diff at 0, inout %error_cotangent: f32 diff)"
        ],
    );
}

#[test]
fn a_result_that_is_no_input_at_the_end_is_refused() {
    for results in ["inout %x: i32", "inout %x: f32, inout %x: f32", "a: f32, return: f32"] {
        let module = crate::parse::parse_module(&format!("func @f(%x: f32) -> ({results})")).unwrap();
        assert!(verify(&module).is_err(), "{results}");
    }
    assert!(crate::parse::parse_module("func @f(%x: f32) -> (inout %y: f32)").is_err());
}
