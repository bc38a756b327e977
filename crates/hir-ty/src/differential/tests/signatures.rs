//! The signature table of the user guide ("Forward Derivative Propagation Function", "Backward Derivative Propagation
//! Function"), row by row.

use expect_test::{Expect, expect};
use hir_def::body::DerivativeOperator::{Backward, Forward};

use super::{derivatives, find, program};
use crate::{
    differential::{
        association::identity,
        display::signature_text,
        signature::{NoSignature, ParamRole, derivative_signature},
    },
    generics::env::Env,
    infer::result::Callable,
};

fn check(text: &str, expected: Expect) {
    expected.assert_eq(&derivatives(text, "f"));
}

#[test]
fn in_parameters_and_result() {
    check(
        "float f(float a, float3 x) { return a; }",
        expect![[r#"
            DifferentialPair<float> fwd_diff(f)(DifferentialPair<float> a, DifferentialPair<float3> x)
            void bwd_diff(f)(inout DifferentialPair<float> a, inout DifferentialPair<float3> x, float dResult)"#]],
    );
}

#[test]
fn out_and_inout_parameters() {
    check(
        "void f(out float y, inout float z) {}",
        expect![[r#"
            void fwd_diff(f)(out DifferentialPair<float> y, inout DifferentialPair<float> z)
            void bwd_diff(f)(float y, inout DifferentialPair<float> z)"#]],
    );
}

#[test]
fn parameters_without_derivative() {
    check(
        "int f(int a, out int b, inout int c, float x) { return 1; }",
        expect![[r#"
            int fwd_diff(f)(int a, out int b, inout int c, DifferentialPair<float> x)
            void bwd_diff(f)(int a, int c, inout DifferentialPair<float> x)"#]],
    );
}

#[test]
fn no_diff_parameters_and_result() {
    // The user guide, "Excluding Parameters from Differentiation".
    check(
        "no_diff float f(no_diff float a, float x, out float y) { return a; }",
        expect![[r#"
            no_diff float fwd_diff(f)(no_diff float a, DifferentialPair<float> x, out DifferentialPair<float> y)
            void bwd_diff(f)(no_diff float a, inout DifferentialPair<float> x, float y)"#]],
    );
}

#[test]
fn everything_at_once() {
    // The user guide's `original`.
    check(
        "struct T : IDifferentiable { float v; }
         struct R : IDifferentiable { float v; }
         struct ND {}
         struct P : IDifferentiablePtrType { typealias Differential = P; uint offset; }
         R f(T p0, out T p1, inout T p2, ND p3, out ND p4, inout ND p5, P p6) { return {}; }",
        expect![[r#"
            DifferentialPair<R> fwd_diff(f)(DifferentialPair<T> p0, out DifferentialPair<T> p1, inout DifferentialPair<T> p2, ND p3, out ND p4, inout ND p5, DifferentialPtrPair<P> p6)
            void bwd_diff(f)(inout DifferentialPair<T> p0, T p1, inout DifferentialPair<T> p2, ND p3, ND p5, DifferentialPtrPair<P> p6, R dResult)"#]],
    );
}

#[test]
fn methods_of_differentiable_types() {
    check(
        "struct S : IDifferentiable { float v; float f(float x) { return x; } }",
        expect![[r#"
            DifferentialPair<float> fwd_diff(f)(DifferentialPair<S> this, DifferentialPair<float> x)
            void bwd_diff(f)(inout DifferentialPair<S> this, inout DifferentialPair<float> x, float dResult)"#]],
    );
    check(
        "struct S : IDifferentiable { float v; [mutating] void f(float x) {} }",
        expect![[r#"
            void fwd_diff(f)(inout DifferentialPair<S> this, DifferentialPair<float> x)
            void bwd_diff(f)(inout DifferentialPair<S> this, inout DifferentialPair<float> x)"#]],
    );
}

#[test]
fn methods_of_other_types() {
    check(
        "struct N { float v; float f(float x) { return x; } }",
        expect![[r#"
            DifferentialPair<float> fwd_diff(f)(N this, DifferentialPair<float> x)
            void bwd_diff(f)(N this, inout DifferentialPair<float> x, float dResult)"#]],
    );
    check(
        "struct S : IDifferentiable { float v; [NoDiffThis] float f(float x) { return x; } }",
        expect![[r#"
            DifferentialPair<float> fwd_diff(f)(no_diff S this, DifferentialPair<float> x)
            void bwd_diff(f)(no_diff S this, inout DifferentialPair<float> x, float dResult)"#]],
    );
    check(
        "struct S : IDifferentiable { float v; static float f(float x) { return x; } }",
        expect![[r#"
            DifferentialPair<float> fwd_diff(f)(DifferentialPair<float> x)
            void bwd_diff(f)(inout DifferentialPair<float> x, float dResult)"#]],
    );
}

#[test]
fn generic_functions_keep_their_parameters() {
    check(
        "T f<T : IDifferentiable, U>(T x, U y) { return x; }",
        expect![[r#"
            DifferentialPair<T> fwd_diff(f)(DifferentialPair<T> x, U y)
            void bwd_diff(f)(inout DifferentialPair<T> x, U y, T.Differential dResult)"#]],
    );
}

#[test]
fn a_differential_that_is_another_type_is_named_by_its_primal() {
    check(
        "struct Ray : IDifferentiable { float3 origin; int id; }
         Ray f(out Ray r) { return r; }",
        expect![[r#"
            DifferentialPair<Ray> fwd_diff(f)(out DifferentialPair<Ray> r)
            void bwd_diff(f)(Ray.Differential r, Ray.Differential dResult)"#]],
    );
}

#[test]
fn the_result_cotangent_finds_a_free_name() {
    check(
        "float f(float dResult) { return dResult; }",
        expect![[r#"
            DifferentialPair<float> fwd_diff(f)(DifferentialPair<float> dResult)
            void bwd_diff(f)(inout DifferentialPair<float> dResult, float dResult_)"#]],
    );
}

fn nested(text: &str, operators: &[hir_def::body::DerivativeOperator]) -> Result<String, NoSignature> {
    let (db, file) = program(text);
    let item = find(&db, file, "f");
    let (last, inner) = operators.split_last().expect("an operator");
    let mut callable = Callable::Function(identity(&db, item));
    for operator in inner {
        callable = Callable::Derivative { operator: *operator, of: Box::new(callable) };
    }
    derivative_signature(&db, Env::of(&db, item), &callable, *last)
        .map(|signature| signature_text(&db, "d", &signature))
}

#[test]
fn derivatives_of_derivatives() {
    let text = "float f(float x) { return x; }";
    // The user guide, "Higher Order Differentiation".
    expect!["DifferentialPair<DifferentialPair<float>> d(DifferentialPair<DifferentialPair<float>> x)"]
        .assert_eq(&nested(text, &[Forward, Forward]).expect("a signature"));
    expect!["void d(inout DifferentialPair<DifferentialPair<float>> x, DifferentialPair<float> dResult)"]
        .assert_eq(&nested(text, &[Forward, Backward]).expect("a signature"));
    expect!["void d(inout DifferentialPair<DifferentialPair<float>> x, DifferentialPair<float> dResult)"]
        .assert_eq(&nested(text, &[Backward, Forward]).expect("a signature"));
    expect!["void d(inout DifferentialPair<DifferentialPair<float>> x, inout DifferentialPair<float> dResult)"]
        .assert_eq(&nested(text, &[Backward, Backward]).expect("a signature"));
    assert_eq!(nested(text, &[Forward; 12]), Err(NoSignature::TooDeep));
}

#[test]
fn roles_say_what_each_parameter_carries() {
    let (db, file) = program("float f(float a, out float y, int n, out int m) { return a; }");
    let item = find(&db, file, "f");
    let function = Callable::Function(identity(&db, item));
    let signature = derivative_signature(&db, Env::of(&db, item), &function, Backward).expect("a signature");
    let roles: Vec<ParamRole> = signature.params.iter().map(|param| param.role).collect();
    let expected = [ParamRole::Pair(0), ParamRole::Cotangent(1), ParamRole::Primal(2), ParamRole::ResultCotangent];
    assert_eq!(roles, expected);
}
