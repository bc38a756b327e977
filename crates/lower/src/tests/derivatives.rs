use hir_def::body::DerivativeOperator::{Backward, Forward};

use test_support::modules::verified;

use super::{float, int, lower, run, run_derivative, vector};

#[test]
fn calls_of_derivatives_pack_and_unpack_pairs() {
    let text = "
[Differentiable] float cube(float x) { return x * x * x; }
float f(float x) { return fwd_diff(cube)(diffPair(x, 1.0)).d; }
float b(float x) { var p = diffPair(x); bwd_diff(cube)(p, 1.0); return p.d + p.p * 1000; }";
    assert_eq!(run(text, "f", &[float(2.0)]), [12.0]);
    assert_eq!(run(text, "b", &[float(2.0)]), [2012.0]);
}

#[test]
fn a_derivative_is_a_function_with_its_source_signature() {
    let text = "
[Differentiable] void f(float a, no_diff float k, out float b, inout float c, int n) { b = a * k; c = c * a * n; }";
    let lowered = lower(text, "f", &[Backward]);
    let func = &lowered.module.funcs[lowered.roots[0].unwrap()];
    assert_eq!(func.name, "bwd_diff(f)");
    let inputs: Vec<&str> = func.inputs.iter().map(|input| input.name.as_str()).collect();
    assert_eq!(inputs, ["a", "k", "b", "c", "n"]);
    let results: Vec<&str> = func.results.iter().map(|slot| slot.name.as_str()).collect();
    assert_eq!(results, ["a", "c"]);
    // da = k * db + c * n * dc; dc_in = a * n * dc.
    let args = [vector(&[2.0, 0.0]), float(3.0), float(10.0), vector(&[5.0, 100.0]), int(7)];
    assert_eq!(run_derivative(text, "f", &[Backward], &args), [2.0, 3530.0, 5.0, 1400.0]);
}

#[test]
fn derivatives_nest() {
    let text = "[Differentiable] float cube(float x) { return x * x * x; }";
    let pair = |a: f64, b: f64, c: f64, d: f64| interp::Value::Aggregate(vec![vector(&[a, b]), vector(&[c, d])]);
    // d/dx of (x^3, 3 x^2 dx) in direction 1.
    assert_eq!(run_derivative(text, "cube", &[Forward, Forward], &[pair(2.0, 1.0, 1.0, 0.0)]), [8.0, 12.0, 12.0, 12.0]);
}

#[test]
fn derivatives_of_the_user_are_called() {
    let text = "
[BackwardDerivative(g_bwd)] [ForwardDerivative(g_fwd)] float g(float x) { return x * x; }
void g_bwd(inout DifferentialPair<float> x, float d) { x = diffPair(x.p, d * 1000); }
DifferentialPair<float> g_fwd(DifferentialPair<float> x) { return diffPair(x.p, x.d * 500); }
[Differentiable] float h(float x) { return g(x) + x; }
float f(float x) { return fwd_diff(h)(diffPair(x, 1.0)).d; }
float b(float x) { var p = diffPair(x); bwd_diff(h)(p, 2.0); return p.d; }";
    assert_eq!(run(text, "f", &[float(3.0)]), [501.0]);
    assert_eq!(run(text, "b", &[float(3.0)]), [2002.0]);
}

#[test]
fn generic_derivatives_of_the_user_get_the_arguments_that_fit() {
    let text = "
interface IScale { float scale(); }
struct Two : IScale { int unused; float scale() { return 2.0; } }
[BackwardDerivative(g_bwd)] float g<S : IScale, T : IDifferentiable>(S s, T x, float y) { return y * s.scale(); }
void g_bwd<A : IDifferentiable, B : IScale>(B s, inout DifferentialPair<A> x, inout DifferentialPair<float> y, float d)
{ y = diffPair(y.p, d * s.scale() * 100); }
float b(float x) {
    Two two = { 0 };
    var q = diffPair(float2(1, 1));
    var p = diffPair(x);
    bwd_diff(g)(two, q, p, 3.0);
    return p.d;
}";
    assert_eq!(run(text, "b", &[float(5.0)]), [600.0]);
}

#[test]
fn structs_have_the_differential_of_their_fields() {
    let text = "
struct Ray : IDifferentiable { float3 origin; float t; int id; }
[Differentiable] float g(Ray r) { return r.origin.x * r.t * r.id; }
float f() {
    Ray r = { float3(2, 0, 0), 3, 5 };
    var p = diffPair(r);
    bwd_diff(g)(p, 1.0);
    return p.d.origin.x + p.d.t * 100;
}";
    assert_eq!(run(text, "f", &[]), [1015.0]);
}

#[test]
fn a_written_differential_maps_its_fields() {
    let text = "
struct D : IDifferentiable { float dv; }
struct S : IDifferentiable { typealias Differential = D; [DerivativeMember(D.dv)] float v; }
[Differentiable] float g(S s) { return s.v * s.v; }
float f() { S s = { 3 }; var p = diffPair(s); bwd_diff(g)(p, 1.0); return p.d.dv; }";
    assert_eq!(run(text, "f", &[]), [6.0]);
}

#[test]
fn no_diff_and_detach_cut_derivatives() {
    let text = "
float k(float x) { return x * 100; }
[Differentiable] float g(float x) { return x * (no_diff k(x)) + x * detach(x) * 1000; }
float f(float x) { return fwd_diff(g)(diffPair(x, 1.0)).d; }";
    assert_eq!(run(text, "f", &[float(2.0)]), [2200.0]);
}

#[test]
fn derivatives_of_methods_take_the_receiver_first() {
    let text = "
struct S : IDifferentiable { float k; [Differentiable] float at(float x) { return k * x; } }
float f() {
    S s = { 3 };
    var ps = diffPair(s);
    var px = diffPair(5.0);
    bwd_diff(S.at)(ps, px, 1.0);
    return ps.d.k * 10 + px.d;
}";
    assert_eq!(run(text, "f", &[]), [53.0]);
}

#[test]
fn loops_keep_their_bounds() {
    let text = "
[Differentiable] float power(float x) { float r = 1; [MaxIters(4)] for (int i = 0; i < 4; i++) r *= x; return r; }
float b(float x) { var p = diffPair(x); bwd_diff(power)(p, 1.0); return p.d; }";
    assert_eq!(run(text, "b", &[float(2.0)]), [32.0]);
}

#[test]
fn interface_values_are_differentiated_through_their_dispatch() {
    let text = "
interface IF : IDifferentiable { [Differentiable] float at(float x); }
struct A : IF { float k; [Differentiable] float at(float x) { return k * x; } }
struct B : IF { float k; [Differentiable] float at(float x) { return x * x; } }
[Differentiable] float g(bool c, float x) { IF o; if (c) { A a = { 3 }; o = a; } else { B b = { 1 }; o = b; } return o.at(x); }
float f(bool c, float x) { return fwd_diff(g)(c, diffPair(x, 1.0)).d; }";
    assert_eq!(run(text, "f", &[interp::Value::Bool(true), float(5.0)]), [3.0]);
    assert_eq!(run(text, "f", &[interp::Value::Bool(false), float(5.0)]), [10.0]);
}

#[test]
fn reverse_mode_step_by_step() {
    let text = "
[Differentiable] float area(float a, inout float b) { b = b * b; return a * b; }
float4 f(float x, float y)
{
    let applied = area.apply_bwd(x, y);
    float dx;
    float dy = 1.0;
    applied._1(dx, dy, 10.0);
    return float4(applied._0, y, dx, dy);
}";
    // a b^2, b^2, then 10 b^2 and (1 + 10 a) 2 b.
    assert_eq!(run(text, "f", &[float(2.0), float(3.0)]), [18.0, 9.0, 90.0, 126.0]);
}

#[test]
fn what_fulfils_a_requirement_carries_derivatives_whatever_else_it_takes() {
    let text = "
interface I { [Differentiable] float e(float x); }
struct More : I { [Differentiable] float e(float x, float k = 2) { return x * x * k; } }
struct Static : I { [Differentiable] static float e(float x) { return x * x; } }
[Differentiable] float times<T : I>(T v, float x) { return v.e(x) * x; }
float f(float at) {
    More more; Static fixed;
    var a = diffPair(at); bwd_diff(times)(more, a, 1.0);
    var b = diffPair(at); bwd_diff(times)(fixed, b, 1.0);
    return a.d + b.d * 100;
}";
    // (2 x^3)' = 6 x^2 and (x^3)' = 3 x^2.
    assert_eq!(run(text, "f", &[float(3.0)]), [2754.0]);
}

#[test]
fn a_written_derivative_has_the_generic_arguments_of_its_function() {
    let text = "
[ForwardDerivative(fwd_g)]
float g<let M : int, let R : int>(vector<float, M> x) { return x[0] * R; }
DifferentialPair<float> fwd_g<let M : int, let R : int>(DifferentialPair<vector<float, M>> x) {
    return diffPair(x.p[0] * R, x.d[0] * R * 10);
}
[Differentiable] float f(float x) { return g<2, 7>(float2(x, x)); }";
    assert_eq!(run_derivative(text, "f", &[Forward], &[vector(&[3.0, 1.0])]), [21.0, 70.0]);
}

/// What differentiating a function says, and nothing if it can be differentiated.
fn refused(text: &str, name: &str, operators: &[hir_def::body::DerivativeOperator]) -> Vec<String> {
    let lowered = lower(text, name, operators);
    assert_eq!(lowered.errors, []);
    let (mut module, root) = (verified(lowered.module), lowered.roots[0].unwrap());
    let errors = autodiff::expand(&mut module, &[root]).err().unwrap_or_default();
    errors.iter().map(ToString::to_string).collect()
}

/// What the user writes for one derivative and does not mark as differentiable has no second one: zero would be wrong.
#[test]
fn written_derivatives_have_no_second_derivative_by_themselves() {
    let text = "
[BackwardDerivative(squareBackward)] float square(float x) { return x * x; }
void squareBackward(inout DifferentialPair<float> x, float d) { x = diffPair(x.p, 2.0 * x.p * d); }
[Differentiable] float f(float x) { return square(x) * x; }
[Differentiable] float slope(float x) { var p = diffPair(x); bwd_diff(f)(p, 1.0); return p.d; }";
    assert_eq!(run(text, "slope", &[float(3.0)]), [27.0]);
    let not_again = "cannot differentiate `f.vjp`: the custom derivative `bwd_diff(square).rule` is not differentiable";
    assert_eq!(refused(text, "slope", &[Backward]), [not_again]);
    assert_eq!(refused(text, "f", &[Forward]), ["`square` is not forward differentiable"]);
    // d/dx 3 x^2 = 6 x.
    let marked = text.replace("void squareBackward", "[Differentiable] void squareBackward");
    assert_eq!(run_derivative(&marked, "slope", &[Backward], &[vector(&[3.0, 0.0]), float(1.0)]), [3.0, 18.0]);
}
