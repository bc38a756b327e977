//! Requirements called on interface values. The numbers are those of the reference compiler's C++ output, or of calculus.

use hir_def::body::DerivativeOperator::{Backward, Forward};

use super::{float, int, run, run_derivative};
use interp::Value;

/// `f(0, …)` works on a value of `A`, `f(1, …)` on one of `B`.
fn both(text: &str, rest: &[Value]) -> [Vec<f64>; 2] {
    [0, 1].map(|which| {
        let args: Vec<Value> = std::iter::once(int(which)).chain(rest.iter().cloned()).collect();
        run(text, "f", &args)
    })
}

/// The derivative of `f` in its second parameter, forward and backward, for `A` and `B`.
fn slopes(text: &str, at: f64) -> [[f64; 2]; 2] {
    let pair = Value::Aggregate(vec![float(at), float(1.0)]);
    let zero = Value::Aggregate(vec![float(at), float(0.0)]);
    [0, 1].map(|which| {
        let forward = run_derivative(text, "f", &[Forward], &[int(which), pair.clone()]);
        let backward = run_derivative(text, "f", &[Backward], &[int(which), zero.clone(), float(1.0)]);
        // A pair comes out of each: the value (or the parameter) and the derivative.
        [forward[1], backward[1]]
    })
}

#[test]
fn a_static_requirement_is_called_on_a_value() {
    let text = "
interface I { static float k(); static int next(int a); }
struct A : I { static float k() { return 2; } static int next(int a) { return a + 1; } }
struct B : I { static float k() { return 3; } static int next(int a) { return a + 2; } }
I make(int which) { A a; B b; if (which == 0) return a; return b; }
float f(int which) { I value = make(which); return value.k() * 10 + value.next(3); }";
    assert_eq!(both(text, &[]), [[24.0], [35.0]]);
}

#[test]
fn a_call_takes_the_defaults_of_the_requirement() {
    let text = "
interface I { float v(float x, float y = 5); }
struct A : I { float v(float x, float y = 7) { return x + y; } }
struct B : I { float v(float x, float y) { return 2 * x + y; } }
I make(int which) { A a; B b; if (which == 0) return a; return b; }
float f(int which) { return make(which).v(1); }";
    assert_eq!(both(text, &[]), [[6.0], [7.0]]);
}

#[test]
fn an_implementation_takes_its_own_defaults_for_what_the_requirement_does_not_have() {
    let text = "
static const float SEVEN = 7;
interface I { float v(float x); }
struct A : I { float v(float x, float y = SEVEN, int z = 2 * 3) { return x + y * z; } }
struct B : I { float v(float x) { return 2 * x; } }
I make(int which) { A a; B b; if (which == 0) return a; return b; }
float f(int which) { return make(which).v(1); }";
    assert_eq!(both(text, &[]), [[43.0], [2.0]]);
}

#[test]
fn a_field_fulfils_a_required_property() {
    let text = "
interface I { property float k { get; set; } property int n { get; } }
struct A : I { float k; int n; }
struct B : I { float q; property float k { get { return q * 2; } set { q = newValue; } } property int n { get { return 9; } } }
I make(int which) { A a = { 1, 2 }; B b = { 3 }; if (which == 0) return a; return b; }
float f(int which) { I value = make(which); value.k = value.k + 4; return value.k * 10 + value.n; }";
    assert_eq!(both(text, &[]), [[52.0], [209.0]]);
}

#[test]
fn associated_types_and_this_travel_as_interface_values() {
    let text = "
interface IPart { float get(); }
interface I { associatedtype P : IPart; P part(float x); float use(P part); This twice(); float plus(This other); }
struct PA : IPart { float a; float get() { return a; } }
struct PB : IPart { float2 a; float get() { return a.x + a.y; } }
struct A : I {
    typedef PA P;
    float k;
    P part(float x) { PA p = { x }; return p; }
    float use(P p) { return p.a; }
    This twice() { A a = { k * 2 }; return a; }
    float plus(A other) { return k + other.k; }
}
struct B : I {
    typedef PB P;
    float k;
    P part(float x) { PB p = { float2(x, 10) }; return p; }
    float use(P p) { return p.a.y * 2; }
    This twice() { B b = { k * 3 }; return b; }
    float plus(B other) { return k + other.k * 2; }
}
I make(int which) { A a = { 1 }; B b = { 2 }; if (which == 0) return a; return b; }
float3 f(int which) {
    I value = make(which);
    let part = value.part(3);
    return float3(value.use(part), part.get(), value.plus(value.twice()));
}";
    assert_eq!(both(text, &[]), [[3.0, 3.0, 3.0], [20.0, 13.0, 14.0]]);
}

#[test]
fn parts_of_what_depends_on_the_receiver_travel_as_interface_values() {
    let text = "
interface IPart { float get(); }
interface I {
    associatedtype P : IPart;
    P[2] several();
    float sum(P[2] parts);
    Optional<P> maybe();
    Tuple<P, float> both();
    void change(inout P part);
}
struct PA : IPart { float a; float get() { return a; } }
struct PB : IPart { float2 a; float get() { return a.x + a.y; } }
struct A : I {
    typedef PA P;
    PA[2] several() { PA x = { 1 }; PA y = { 2 }; PA[2] r = { x, y }; return r; }
    float sum(PA[2] q) { return q[0].a + q[1].a * 10; }
    Optional<PA> maybe() { PA x = { 3 }; return x; }
    Tuple<PA, float> both() { PA x = { 4 }; return makeTuple(x, 5.0f); }
    void change(inout PA p) { p.a += 7; }
}
struct B : I {
    typedef PB P;
    PB[2] several() { PB x = { float2(1, 2) }; PB y = { float2(3, 4) }; PB[2] r = { x, y }; return r; }
    float sum(PB[2] q) { return q[0].a.y + q[1].a.y * 10; }
    Optional<PB> maybe() { return none; }
    Tuple<PB, float> both() { PB x = { float2(4, 8) }; return makeTuple(x, 9.0f); }
    void change(inout PB p) { p.a += 7; }
}
I make(int which) { A a; B b; if (which == 0) return a; return b; }
float4 f(int which) {
    I value = make(which);
    let parts = value.several();
    let maybe = value.maybe();
    let both = value.both();
    var part = both._0;
    value.change(part);
    return float4(value.sum(parts), parts[1].get(), maybe.hasValue ? maybe.value.get() : both._1, part.get());
}";
    assert_eq!(both(text, &[]), [[21.0, 2.0, 3.0, 11.0], [42.0, 7.0, 9.0, 26.0]]);
}

#[test]
fn an_associated_type_without_bounds_goes_back_to_where_it_comes_from() {
    let text = "
interface I { associatedtype P; P part(float x); float sum(P p, float x); [mutating] void keep(P p); float kept(); }
struct Pair { float x; float y; }
struct A : I
{
    typedef float P;
    float own;
    P part(float x) { return 2 * x; }
    float sum(P p, float x) { return p + x; }
    [mutating] void keep(P p) { own = p; }
    float kept() { return own; }
}
struct B : I
{
    typedef Pair P;
    float own;
    P part(float x) { return { x, 10 * x }; }
    float sum(P p, float x) { return p.x + p.y * x; }
    [mutating] void keep(P p) { own = p.y; }
    float kept() { return own; }
}
struct C : I
{
    typedef float P;
    P part(float x) { return -x; }
    float sum(P p, float x) { return p; }
    [mutating] void keep(P p) {}
    float kept() { return 0; }
}
I make(int which) { A a = { 1 }; B b = { 2 }; if (which == 0) return a; return b; }
float2 f(int which)
{
    I value = make(which);
    let part = value.part(3);
    value.keep(part);
    return float2(value.sum(part, 5), value.kept());
}";
    assert_eq!(both(text, &[]), [[11.0, 6.0], [153.0, 30.0]]);
}

#[test]
fn defaults_and_static_requirements_are_differentiated() {
    let text = "
interface I {
    [Differentiable] static float k(float x);
    [Differentiable] float v(float x, float y = 5);
}
struct A : I {
    [Differentiable] static float k(float x) { return 2 * x; }
    [Differentiable] float v(float x, float y, float z = 2) { return x * x * z + y; }
}
struct B : I {
    [Differentiable] static float k(float x) { return 3 * x * x; }
    [Differentiable] float v(float x, float y) { return 2 * x * y; }
}
I make(int which) { A a; B b; if (which == 0) return a; return b; }
[Differentiable] float f(int which, float x) { no_diff I value = make(which); return value.k(x) + value.v(x); }";
    // 2 + 4x and 6x + 10.
    assert_eq!(slopes(text, 3.0), [[14.0; 2], [28.0; 2]]);
}

#[test]
fn derivatives_go_through_fields_behind_properties() {
    let text = "
interface I : IDifferentiable { property float q { [Differentiable] get; [Differentiable] set; } }
struct A : I { float a; float q; }
struct B : I {
    float2 a;
    property float q { [Differentiable] get { return a.x * a.x; } [Differentiable] set { a.x = newValue; } }
}
[Differentiable] I make(int which, float x) {
    if (which == 0) { A a = { x, x * 2 }; return a; }
    B b = { float2(x, x * x) };
    return b;
}
[Differentiable] float f(int which, float x) {
    I value = make(which, x);
    float before = value.q;
    value.q = before * x;
    return before + value.q * value.q;
}";
    // A: 2x + (2x^2)^2, B: x^2 + ((x^3)^2)^2.
    let x = 1.5f64;
    let (a, b) = (2.0 + 16.0 * x.powi(3), 2.0 * x + 12.0 * x.powi(11));
    assert_eq!(slopes(text, x), [[a; 2], [b; 2]]);
}

#[test]
fn derivatives_go_through_values_of_associated_types() {
    let text = "
interface IPart : IDifferentiable { [Differentiable] float get(); }
interface I {
    associatedtype P : IPart;
    [Differentiable] P part(float x);
    [Differentiable] float use(P part);
}
struct PA : IPart { float a; [Differentiable] float get() { return a * a; } }
struct PB : IPart { float2 a; [Differentiable] float get() { return a.x * a.y; } }
struct A : I {
    typedef PA P;
    [Differentiable] P part(float x) { PA p = { x }; return p; }
    [Differentiable] float use(P p) { return p.a * 3; }
}
struct B : I {
    typedef PB P;
    [Differentiable] P part(float x) { PB p = { float2(x, x * x) }; return p; }
    [Differentiable] float use(P p) { return p.a.y * 2; }
}
I make(int which) { A a; B b; if (which == 0) return a; return b; }
[Differentiable] float f(int which, float x) {
    no_diff I value = make(which);
    let part = value.part(x);
    return value.use(part) + part.get();
}";
    // A: 3x + x^2, B: 2x^2 + x^3.
    assert_eq!(slopes(text, 3.0), [[9.0; 2], [39.0; 2]]);
}

#[test]
fn a_generic_function_asks_the_type_that_an_interface_value_holds() {
    let text = "
interface I { static const int n; static int next(int x); float v(); }
struct A : I { static const int n = 3; static int next(int x) { return x * n; } float v() { return 5; } }
struct B : I { static const int n = 4; static int next(int x) { return x + n; } float v() { return 6; } }
struct Holder<T : I> { T t; int count() { return T.n; } }
int inside<T : I>(T t) { Holder<T> holder = { t }; return holder.count(); }
T same<T : I>(int before, T t) { return T.n > 3 ? t : t; }
int two<T : I>(T t) { return T.n * 10 + T.next(1); }
I make(int which) { A a; B b; if (which == 0) return a; return b; }
float3 f(int which) {
    I value = make(which);
    return float3(two(value), inside(value), same(1, value).v());
}";
    assert_eq!(both(text, &[]), [[33.0, 3.0, 5.0], [45.0, 4.0, 6.0]]);
}

#[test]
fn derivatives_go_through_generic_functions_that_ask_for_the_type() {
    let text = "
interface I { [Differentiable] static float k(float x); [Differentiable] float v(float x); }
struct A : I {
    [Differentiable] static float k(float x) { return 2 * x * x; }
    [Differentiable] float v(float x) { return x; }
}
struct B : I {
    [Differentiable] static float k(float x) { return 3 * x * x * x; }
    [Differentiable] float v(float x) { return 2 * x * x; }
}
struct Holder<T : I> { T t; [Differentiable] float both(float x) { return T.k(x) + t.v(x); } }
[Differentiable] float times<T : I>(T t, float x) { Holder<T> holder = { t }; return holder.both(x) * x; }
I make(int which) { A a; B b; if (which == 0) return a; return b; }
[Differentiable] float f(int which, float x) { no_diff I value = make(which); return times(value, x); }";
    // A: 2x^3 + x^2, B: 3x^4 + 2x^3.
    assert_eq!(slopes(text, 3.0), [[60.0; 2], [378.0; 2]]);
}

#[test]
fn a_type_that_no_value_tells_is_refused() {
    let text = "
interface I { static int n(); }
struct A : I { static int n() { return 3; } }
int count<T : I>() { return T.n(); }
int f() { return count<I>(); }";
    let refused = "a static requirement of an interface without a value that says of which type is not supported yet";
    assert_eq!(super::unsupported(text, "f"), refused);
}

#[test]
fn a_derivative_of_a_static_requirement_is_called_on_a_value() {
    let text = "
interface I { [Differentiable] static float k(float x); }
struct A : I { [Differentiable] static float k(float x) { return 2 * x * x; } }
struct B : I { [Differentiable] static float k(float x) { return 3 * x * x * x; } }
I make(int which) { A a; B b; if (which == 0) return a; return b; }
float3 f(int which) {
    I value = make(which);
    var p = diffPair(3.0f);
    bwd_diff(value.k)(p, 1.0f);
    return float3(fwd_diff(value.k)(diffPair(3.0f, 1.0f)).d, value.k.fwd_diff(diffPair(3.0f, 1.0f)).d, p.d);
}";
    // 4x and 9x^2.
    assert_eq!(both(text, &[]), [[12.0; 3], [81.0; 3]]);
}
