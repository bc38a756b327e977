//! Findings of the data flow.

use expect_test::expect;

use hir_def::scope;

use super::{check, codes, program};
use crate::diagnostics;

#[test]
fn a_call_of_a_function_that_is_not_differentiable() {
    // The user guide, "Calling Non-Differentiable Functions from a Differentiable Function".
    check(
        "float g(float x) { return 2*x; }
[ForwardDifferentiable]
float f(float x)
{
    return g(x) + x * x;
}",
        expect![[r#"
            error 41022 at 5: `g(x)`: the derivative of `x` is lost here: `g` is not differentiable
                at 3: `x`: `x` carries a derivative here
                at 3: `f`: …the result of `f` expects it here
                at 1: `g`: `g` is declared here
                fix: Say that this is meant: add `no_diff` => return no_diff g(x) + x * x;
                fix: Mark `g` as [Differentiable] => [Differentiable] float g(float x) { return 2*x; }
        "#]],
    );
}

#[test]
fn the_loss_may_be_far_from_input_and_result() {
    check(
        "float g(float x) { return x; }
[Differentiable] float square(float x) { return x * x; }
[Differentiable]
float f(float x)
{
    float y = square(x);
    float z = g(y);
    float w = square(z);
    return w;
}",
        expect![[r#"
            error 41022 at 7: `g(y)`: the derivative of `y` is lost here: `g` is not differentiable
                at 4: `x`: `x` carries a derivative here
                at 6: `square(x)`: …goes through the call of `square` here
                at 8: `square(z)`: …the call of `square` would pass it on here
                at 4: `f`: …the result of `f` expects it here
                at 1: `g`: `g` is declared here
                fix: Say that this is meant: add `no_diff` => float z = no_diff g(y);
                fix: Mark `g` as [Differentiable] => [Differentiable] float g(float x) { return x; }
        "#]],
    );
}

#[test]
fn calls_that_lose_nothing() {
    check(
        "float g(float x) { return x; }
float h(no_diff float x, int n) { return x; }
[Differentiable]
float f(float x)
{
    float a = no_diff g(x);
    float b = g(2.0);
    float c = g(detach(x));
    if (g(x) > 1.0)
        return a + b + c + x;
    return x;
}
[Differentiable] float k(no_diff float x) { return g(x); }",
        expect![[r#""#]],
    );
}

#[test]
fn backward_code_needs_backward_derivatives() {
    check(
        "[ForwardDifferentiable] float g(float x) { return x * x; }
[ForwardDifferentiable] float forward(float x) { return g(x); }
[BackwardDifferentiable] float backward(float x) { return g(x); }",
        expect![[r#"
            error 41022 at 3: `g(x)`: the derivative of `x` is lost here: `g` is only forward-differentiable
                at 3: `x`: `x` carries a derivative here
                at 3: `backward`: …the result of `backward` expects it here
                at 1: `g`: `g` is declared here
                fix: Say that this is meant: add `no_diff` => [BackwardDifferentiable] float backward(float x) { return no_diff g(x); }
                fix: Mark `g` as [Differentiable] => [Differentiable] [ForwardDifferentiable] float g(float x) { return x * x; }
        "#]],
    );
}

#[test]
fn rounding_loses_the_derivative() {
    check(
        "[Differentiable] float f(float x) { return floor(x) * x; }",
        expect![[r#"
        error 41022 at 1: `floor(x)`: the derivative of `x` is lost here: `floor` is constant between its jumps, so its derivative is zero
            at 1: `x`: `x` carries a derivative here
            at 1: `f`: …the result of `f` expects it here
            fix: Say that this is meant: add `no_diff` => [Differentiable] float f(float x) { return no_diff floor(x) * x; }
    "#]],
    );
}

#[test]
fn stored_into_a_no_diff_field() {
    // The user guide, "Assigning Differentiable Values into a Non-Differentiable Location".
    check(
        "struct MyType : IDifferentiable { no_diff float member; float other; }
[ForwardDifferentiable]
float f(float x)
{
    MyType t;
    t.other = x;
    t.member = x * x;
    return t.member;
}
[ForwardDifferentiable]
float g(float x)
{
    MyType t;
    t.other = x;
    t.member = detach(x * x);
    return t.member;
}",
        expect![[r#"
            error 41031 at 7: `t.member = x * x`: the derivative of `x * x` is lost here: this place cannot hold one
                at 3: `x`: `x` carries a derivative here
                fix: Say that this is meant: wrap in `detach(…)` => t.member = detach(x * x);
        "#]],
    );
}

#[test]
fn stored_into_a_type_without_derivative() {
    check(
        "struct DiffT : IDifferentiable { float f; }
struct NoDiffField { DiffT fp; }
[Differentiable]
float g(float x)
{
    NoDiffField obj;
    obj.fp.f = x * x;
    return obj.fp.f;
}",
        expect![[r#"
            error 41031 at 7: `obj.fp.f = x * x`: the derivative of `x * x` is lost here: this place cannot hold one
                at 4: `x`: `x` carries a derivative here
                fix: Say that this is meant: wrap in `detach(…)` => obj.fp.f = detach(x * x);
        "#]],
    );
}

/// A value that is only compared, or not read at all, needs no derivative, whatever it was put into before.
#[test]
fn parts_that_are_only_compared() {
    check(
        "struct V { float val; }
[Differentiable] float compared(float x) { if (makeTuple(x, 1)._0 > 0.5) return 2 * x; return x; }
[Differentiable] float chosen(float x) { V v = {x}; return v.val > 1 ? x : 3 * x; }
[Differentiable] float unread(float x) { let t = makeTuple(x * x, 2); return t._1 * x; }
[Differentiable] float read(float x) { let t = makeTuple(x * x, 2); return t._0; }
[Differentiable] float part(float3 x) { let t = makeTuple(x, 2); return t._0.y; }
[Differentiable] float partCompared(float3 x) { let t = makeTuple(x, 2); return t._0.y > 0 ? x.x : x.y; }",
        expect![[r#"
            warning 41801 at 5: `makeTuple(x * x, 2)`: the derivative of `x * x` is zero from here on: it becomes part of a value whose type is not differentiable
                at 5: `x`: `x` carries a derivative here
            warning 41801 at 6: `makeTuple(x, 2)`: the derivative of `x` is zero from here on: it becomes part of a value whose type is not differentiable
                at 6: `x`: `x` carries a derivative here
        "#]],
    );
}

#[test]
fn built_into_a_type_without_derivative() {
    check(
        "struct V { float val; }
V make(float x) { V v = {x}; return v; }
[Differentiable] float f(float x) { V v = {x}; return v.val; }
[Differentiable] float g(float x) { V v = make(x); return v.val; }",
        expect![[r#"
            warning 41801 at 3: `{x}`: the derivative of `x` is zero from here on: it becomes part of a value whose type is not differentiable
                at 3: `x`: `x` carries a derivative here
            warning 41801 at 4: `make(x)`: the derivative of `x` is zero from here on: `make` makes of it a value whose type is not differentiable; `detach(…)` says that this is meant
                at 4: `x`: `x` carries a derivative here
                at 4: `g`: …the result of `g` expects it here
                at 2: `make`: `make` is declared here
        "#]],
    );
}

#[test]
fn stored_into_memory() {
    check(
        "RWStructuredBuffer<float> buffer;
[Differentiable]
float f(float x)
{
    buffer[0] = x;
    buffer[1] = detach(x);
    return x;
}",
        expect![[r#"
            error 41031 at 5: `buffer[0] = x`: the derivative of `x` is lost here: this place cannot hold one
                at 3: `x`: `x` carries a derivative here
                fix: Say that this is meant: wrap in `detach(…)` => buffer[0] = detach(x);
        "#]],
    );
}

/// slangc counts the iterations of integer counters only; too few kept iterations are wrong of any loop.
#[test]
fn derivatives_that_become_numbers() {
    check(
        "[Differentiable] float f(float x) { return float(int(x)) * x; }
[Differentiable] float g(float x) { return asfloat(asuint(x)) + x; }
[Differentiable] float h(float x, float table[4]) { return table[int(x)] * x; }",
        expect![[r#"
            warning 41802 at 1: `int(x)`: the derivative of `x` is zero from here on: an integer has none; `detach(…)` says that this is meant
                at 1: `x`: `x` carries a derivative here
                at 1: `f`: …the result of `f` expects it here
                fix: Say that this is meant: wrap in `detach(…)` => [Differentiable] float f(float x) { return float(int(detach(x))) * x; }
            warning 41802 at 2: `asuint(x)`: the derivative of `x` is zero from here on: its bits as another type have none; `detach(…)` says that this is meant
                at 2: `x`: `x` carries a derivative here
                at 2: `g`: …the result of `g` expects it here
                fix: Say that this is meant: wrap in `detach(…)` => [Differentiable] float g(float x) { return asfloat(asuint(detach(x))) + x; }
        "#]],
    );
}

#[test]
fn effects_that_recomputing_repeats() {
    check(
        "groupshared float shared;
[Differentiable] [PreferRecompute] float f(float x) { shared = detach(x); return x; }
[Differentiable] [PreferRecompute(SideEffectBehavior.Allow)] float g(float x) { shared = detach(x); return x; }
[Differentiable] [PreferRecompute] float h(float x) { return x; }",
        expect![[r#"
            warning 42050 at 2: `f`: `f` writes to memory, and [PreferRecompute] may run it several times
                at 2: `shared = detach(x)`: it writes here
        "#]],
    );
}

#[test]
fn a_written_derivative_may_make_derivatives_from_what_it_reads() {
    check(
        "struct Plain { float value; }
void loadBackward(uint index, float d) {}
[BackwardDerivative(loadBackward)] float load(uint index) { return 0.0; }
[BackwardDerivative(loadBackward)] [__readNone] float table(uint index) { return 0.0; }
[Differentiable]
void f(no_diff uint index, no_diff out Plain plain)
{
    plain = {};
    plain.value = load(index);
    plain.value = table(index);
    plain.value = sqrt(2.0);
}",
        expect![[r#"
            error 41031 at 9: `plain.value = load(index)`: the derivative of `load(index)` is lost here: this place cannot hold one
                at 9: `load(index)`: …goes through the call of `load` here
                fix: Say that this is meant: wrap in `detach(…)` => plain.value = detach(load(index));
        "#]],
    );
}

#[test]
fn generic_fields_hold_derivatives() {
    check(
        "struct Holder<T : __BuiltinFloatingPointType, let N : int> : IDifferentiable
{
    T values[N];
    [Differentiable] __init(T x) { values[0] = x; }
}
struct Own<T : IDifferentiable> : IDifferentiable
{
    typealias Differential = Derivative<T.Differential>;
    [DerivativeMember(Differential.d)] T value;
    [Differentiable] __init(T x) { value = x; }
}
struct Derivative<T : IDifferentiable> : IDifferentiable
{
    typealias Differential = Derivative<T.Differential>;
    [DerivativeMember(Differential.d)] T d;
}",
        expect![[r#""#]],
    );
}

#[test]
fn sums_of_derivatives_are_differentiable() {
    check(
        "[Differentiable]
T.Differential twice<T : IDifferentiable>(T.Differential a) { return T.dadd(a, a); }",
        expect![[r#""#]],
    );
}

#[test]
fn each_loss_on_the_way_is_said() {
    check(
        "float g(float x) { return x; }
float h(float x) { return x; }
[Differentiable] float f(float x) { return g(h(x)); }",
        expect![[r#"
            error 41022 at 3: `g(h(x))`: the derivative of `h(x)` is lost here: `g` is not differentiable
                at 3: `x`: `x` carries a derivative here
                at 3: `h(x)`: …goes through the call of `h` here
                at 3: `f`: …the result of `f` expects it here
                at 1: `g`: `g` is declared here
                fix: Say that this is meant: add `no_diff` => [Differentiable] float f(float x) { return no_diff g(h(x)); }
                fix: Mark `g` as [Differentiable] => [Differentiable] float g(float x) { return x; }
            error 41022 at 3: `h(x)`: the derivative of `x` is lost here: `h` is not differentiable
                at 3: `x`: `x` carries a derivative here
                at 3: `g(h(x))`: …the call of `g` would pass it on here
                at 3: `f`: …the result of `f` expects it here
                at 2: `h`: `h` is declared here
                fix: Say that this is meant: add `no_diff` => [Differentiable] float f(float x) { return g(no_diff h(x)); }
                fix: Mark `h` as [Differentiable] => [Differentiable] float h(float x) { return x; }
        "#]],
    );
}

#[test]
fn what_comes_out_of_a_place_without_derivative_is_lost_there() {
    check(
        "float g(float x) { return x; }
struct P { float a; float b; };
[Differentiable]
float f(float x)
{
    P p;
    p.a = x;
    p.b = detach(x);
    return g(p.a) + g(p.b);
}",
        expect![[r#"
            error 41031 at 7: `p.a = x`: the derivative of `x` is lost here: this place cannot hold one
                at 4: `x`: `x` carries a derivative here
                fix: Say that this is meant: wrap in `detach(…)` => p.a = detach(x);
            error 41022 at 9: `g(p.a)`: the derivative of `p.a` is lost here: `g` is not differentiable
                at 4: `x`: `x` carries a derivative here
                at 4: `f`: …the result of `f` expects it here
                at 1: `g`: `g` is declared here
                fix: Say that this is meant: add `no_diff` => return no_diff g(p.a) + g(p.b);
                fix: Mark `g` as [Differentiable] => [Differentiable] float g(float x) { return x; }
        "#]],
    );
}

#[test]
fn behind_what_has_no_derivative_by_nature_nothing_is_lost() {
    check(
        "float g(float x) { return x; }
[Differentiable] float f(float x) { return g(float(int(x))) + g(no_diff g(x)) + g(detach(g(x))); }",
        expect![[r#"
            warning 41802 at 2: `int(x)`: the derivative of `x` is zero from here on: an integer has none; `detach(…)` says that this is meant
                at 2: `x`: `x` carries a derivative here
                at 2: `g(float(int(x)))`: …the call of `g` would pass it on here
                at 2: `f`: …the result of `f` expects it here
                fix: Say that this is meant: wrap in `detach(…)` => [Differentiable] float f(float x) { return g(float(int(detach(x)))) + g(no_diff g(x)) + g(detach(g(x))); }
        "#]],
    );
}

#[test]
fn generics_without_a_bound() {
    check(
        "[Differentiable] T same<T>(T x) { return x; }
T plain<T>(T x) { return x; }
[Differentiable] T dropped<T>(no_diff T x) { return x; }
[Differentiable] float f(float x) { return same(x); }
[Differentiable] float g(float x) { return plain(x); }
[Differentiable] float h(float x) { return dropped(x); }",
        expect![[r#"
            warning 41805 at 4: `same(x)`: the derivative of `x` is zero from here on: `same<float>` does not bound the type of its parameter by `IDifferentiable`
                at 4: `x`: `x` carries a derivative here
                at 4: `f`: …the result of `f` expects it here
                at 1: `same`: `same<float>` is declared here
            error 41022 at 5: `plain(x)`: the derivative of `x` is lost here: `plain<float>` is not differentiable
                at 5: `x`: `x` carries a derivative here
                at 5: `g`: …the result of `g` expects it here
                at 2: `plain`: `plain<float>` is declared here
                fix: Say that this is meant: add `no_diff` => [Differentiable] float g(float x) { return no_diff plain(x); }
                fix: Mark `plain<float>` as [Differentiable], with `T : IDifferentiable` => [Differentiable] T plain<T : IDifferentiable>(T x) { return x; }
        "#]],
    );
}

#[test]
fn what_is_stored_by_the_users_word_is_missing_where_it_is_read() {
    check(
        "RWStructuredBuffer<float> buffer;
[Differentiable] float f(float x) { buffer[0] = detach(x); return buffer[0]; }
[Differentiable] float g(float x) { return sign(x) * x; }",
        expect![[r#"
            warning 41804 at 2: `buffer[0]`: the derivative of `x` does not come back from memory: what is read here has none
                at 2: `x`: `x` carries a derivative here
                at 2: `f`: …the result of `f` expects it here
        "#]],
    );
}

#[test]
fn rounding_on_the_way_to_an_integer() {
    check("[Differentiable] float f(float x) { int cell = int(floor(x)); return x - float(cell); }", expect![[r#""#]]);
}

#[test]
fn stores_with_an_operator_lose_what_they_make() {
    check(
        "struct Plain { float a; }
[Differentiable] float f(float x)
{
    Plain p = { detach(x) };
    p.a += x;
    p.a *= x + 1.0;
    return x;
}
struct Part : IDifferentiable { no_diff float a; float b; }
[Differentiable] float g(Part p, float x) { p.a -= 2.0 * x; return p.b; }",
        expect![[r#"
            error 41031 at 5: `p.a += x`: the derivative of `p.a + x` is lost here: this place cannot hold one
                at 2: `x`: `x` carries a derivative here
                fix: Say that this is meant: wrap in `detach(…)` => p.a = detach(p.a + x);
            error 41031 at 6: `p.a *= x + 1.0`: the derivative of `p.a * (x + 1.0)` is lost here: this place cannot hold one
                at 2: `x`: `x` carries a derivative here
                fix: Say that this is meant: wrap in `detach(…)` => p.a = detach(p.a * (x + 1.0));
            error 41031 at 10: `p.a -= 2.0 * x`: the derivative of `p.a - (2.0 * x)` is lost here: this place cannot hold one
                at 10: `x`: `x` carries a derivative here
                at 10: `g`: …the result of `g` expects it here
                fix: Say that this is meant: wrap in `detach(…)` => [Differentiable] float g(Part p, float x) { p.a = detach(p.a - (2.0 * x)); return p.b; }
        "#]],
    );
}

#[test]
fn the_substitute_is_what_is_not_differentiable() {
    check(
        "[PrimalSubstituteOf(original)] float substitute(float x) { return x + 1; }
float original(float x) { return x; }
[Differentiable] float f(float x) { return original(x); }",
        expect![[r#"
            error 41022 at 3: `original(x)`: the derivative of `x` is lost here: `substitute`, the substitute of `original`, is not differentiable
                at 3: `x`: `x` carries a derivative here
                at 3: `f`: …the result of `f` expects it here
                at 1: `substitute`: `substitute` is declared here
                fix: Say that this is meant: add `no_diff` => [Differentiable] float f(float x) { return no_diff original(x); }
                fix: Mark `substitute` as [Differentiable] => [Differentiable] [PrimalSubstituteOf(original)] float substitute(float x) { return x + 1; }
        "#]],
    );
}

#[test]
fn requirements_are_named_by_their_interfaces() {
    check(
        "interface IBrdf : IDifferentiable { float eval(float x); }
[Differentiable] float generic<T : IBrdf>(T b, float x) { return b.eval(x); }
[Differentiable] float dynamic(IBrdf b, float x) { return b.eval(x); }",
        expect![[r#"
            error 41022 at 2: `b.eval(x)`: the derivative of `b` is lost here: `IBrdf.eval` is not differentiable
                at 2: `b`: `b` carries a derivative here
                at 2: `generic`: …the result of `generic` expects it here
                at 1: `eval`: `IBrdf.eval` is declared here
                fix: Say that this is meant: add `no_diff` => [Differentiable] float generic<T : IBrdf>(T b, float x) { return no_diff b.eval(x); }
                fix: Mark `IBrdf.eval` as [Differentiable] => interface IBrdf : IDifferentiable { [Differentiable] float eval(float x); }
            error 41022 at 3: `b.eval(x)`: the derivative of `b` is lost here: `IBrdf.eval` is not differentiable
                at 3: `b`: `b` carries a derivative here
                at 3: `dynamic`: …the result of `dynamic` expects it here
                at 1: `eval`: `IBrdf.eval` is declared here
                fix: Say that this is meant: add `no_diff` => [Differentiable] float dynamic(IBrdf b, float x) { return no_diff b.eval(x); }
                fix: Mark `IBrdf.eval` as [Differentiable] => interface IBrdf : IDifferentiable { [Differentiable] float eval(float x); }
        "#]],
    );
}

/// `float2` conforms; what the extension says of its type does not.
#[test]
fn receivers_of_extensions_of_all_that_fulfil_a_bound() {
    check(
        "interface INorm { [Differentiable] float norm(); }
extension float2 : INorm { [Differentiable] float norm() { return dot(this, this); } }
extension<T : INorm> T { [Differentiable] float twice() { return 2.0 * this.norm(); } }
[Differentiable] float f(float2 v) { return v.twice(); }",
        expect![[r#"
            warning 41805 at 4: `v.twice()`: the derivative of `v` is zero from here on: `float2.twice` does not bound the type of `this` by `IDifferentiable`
                at 4: `v`: `v` carries a derivative here
                at 4: `f`: …the result of `f` expects it here
                at 3: `twice`: `float2.twice` is declared here
        "#]],
    );
}

#[test]
fn receivers_of_interfaces_that_carry_nothing() {
    check(
        "interface IMat { [Differentiable] float albedo(float x); static float unit(); [Differentiable] [NoDiffThis] float plain(float x); }
struct Mat : IMat, IDifferentiable
{
    float a;
    [Differentiable] float albedo(float x) { return a * x; }
    static float unit() { return 1.0; }
    [Differentiable] [NoDiffThis] float plain(float x) { return a * x; }
}
[Differentiable] float upcast(float a, float x) { Mat m = { a }; IMat i = m; return i.albedo(x); }
[Differentiable] float unused(float a, float x) { Mat m = { a }; IMat i = m; if (i.albedo(1.0) > 1.0) return x; return m.a; }
[Differentiable] float argument<T : IMat>(T m, float x) { return m.albedo(x); }
[Differentiable] float passed(float a, float x) { Mat m = { a }; return argument(m, x); }
[Differentiable] float receiver<T : IMat & IDifferentiable>(T m, float x) { return m.albedo(x); }
[Differentiable] float marked<T : IMat & IDifferentiable>(T m, float x) { return m.plain(x) + x * T.unit(); }
[Differentiable] float direct(float a, float x) { Mat m = { a }; return m.albedo(x); }",
        expect![[r#"
            warning 41801 at 9: `m`: the derivative of `m` is zero from here on: it becomes `IMat`, which does not conform to `IDifferentiable`
                at 9: `a`: `a` carries a derivative here
                at 9: `{ a }`: …goes into `m` here
                at 9: `i.albedo(x)`: …the call of `IMat.albedo` would pass it on here
                at 9: `upcast`: …the result of `upcast` expects it here
            warning 41805 at 12: `argument(m, x)`: the derivative of `m` is zero from here on: `argument<Mat>` does not bound the type of its parameter by `IDifferentiable`
                at 12: `a`: `a` carries a derivative here
                at 12: `{ a }`: …goes into `m` here
                at 12: `passed`: …the result of `passed` expects it here
                at 11: `argument`: `argument<Mat>` is declared here
            warning 41805 at 13: `m.albedo(x)`: the derivative of `m` is zero from here on: `this` carries none in `IMat.albedo`, because `IMat` does not conform to `IDifferentiable`
                at 13: `m`: `m` carries a derivative here
                at 13: `receiver`: …the result of `receiver` expects it here
                at 1: `albedo`: `IMat.albedo` is declared here
        "#]],
    );
}

#[test]
fn integers_that_reach_a_result_through_calls() {
    check(
        "float table(int i) { return 2.0 * next(i); }
int next(int i) { return i + 1; }
[Differentiable] float scale(int i, float v) { return i * v; }
[Differentiable] float power(int i, float v) { if (i == 0) return float(i); return power(i - 1, v) * v; }
struct Cell { int i; }
[Differentiable] float of(Cell c, float v) { return c.i * v; }
[Differentiable] float plain(float x) { return scale(int(x * 4), 2.0); }
[Differentiable] float inAStruct(float x) { Cell c = { int(x) }; return of(c, 2.0); }
[Differentiable] float onward(float x) { return scale(next(int(x)), x); }
[Differentiable] float looked(float x) { return table(int(x)) * x; }
[Differentiable] float again(float x) { return power(int(x), x); }
[Differentiable] float ignored(no_diff float x, float y) { return scale(int(x), y); }
[Differentiable] float meant(float x) { return scale(int(floor(x)), x) + scale(int(detach(x)), x) + no_diff table(int(x)); }",
        expect![[r#"
            warning 41802 at 7: `int(x * 4)`: the derivative of `x * 4` is zero from here on: an integer has none; `detach(…)` says that this is meant
                at 7: `x`: `x` carries a derivative here
                at 7: `scale(int(x * 4), 2.0)`: …the call of `scale` would pass it on here
                at 7: `plain`: …the result of `plain` expects it here
                fix: Say that this is meant: wrap in `detach(…)` => [Differentiable] float plain(float x) { return scale(int(detach(x * 4)), 2.0); }
            warning 41802 at 8: `int(x)`: the derivative of `x` is zero from here on: an integer has none; `detach(…)` says that this is meant
                at 8: `x`: `x` carries a derivative here
                at 8: `{ int(x) }`: …`c` would carry it here
                at 8: `of(c, 2.0)`: …the call of `of` would pass it on here
                at 8: `inAStruct`: …the result of `inAStruct` expects it here
                fix: Say that this is meant: wrap in `detach(…)` => [Differentiable] float inAStruct(float x) { Cell c = { int(detach(x)) }; return of(c, 2.0); }
            warning 41802 at 9: `int(x)`: the derivative of `x` is zero from here on: an integer has none; `detach(…)` says that this is meant
                at 9: `x`: `x` carries a derivative here
                at 9: `next(int(x))`: …the call of `next` would pass it on here
                at 9: `scale(next(int(x)), x)`: …the call of `scale` would pass it on here
                at 9: `onward`: …the result of `onward` expects it here
                fix: Say that this is meant: wrap in `detach(…)` => [Differentiable] float onward(float x) { return scale(next(int(detach(x))), x); }
            warning 41802 at 10: `int(x)`: the derivative of `x` is zero from here on: an integer has none; `detach(…)` says that this is meant
                at 10: `x`: `x` carries a derivative here
                at 10: `table(int(x))`: …the call of `table` would pass it on here
                at 10: `looked`: …the result of `looked` expects it here
                fix: Say that this is meant: wrap in `detach(…)` => [Differentiable] float looked(float x) { return table(int(detach(x))) * x; }
            warning 41802 at 11: `int(x)`: the derivative of `x` is zero from here on: an integer has none; `detach(…)` says that this is meant
                at 11: `x`: `x` carries a derivative here
                at 11: `power(int(x), x)`: …the call of `power` would pass it on here
                at 11: `again`: …the result of `again` expects it here
                fix: Say that this is meant: wrap in `detach(…)` => [Differentiable] float again(float x) { return power(int(detach(x)), x); }
        "#]],
    );
}

#[test]
fn integers_that_only_choose_lose_nothing() {
    check(
        "[Differentiable] float pick(int i, float v) { return i > 1 ? v : 2.0 * v; }
float table(int i) { float values[3] = { 1.0, 2.0, 3.0 }; return values[i]; }
int next(int i) { return i + 1; }
[Differentiable] float repeated(int n, float v) { float y = v; [MaxIters(9)] for (int i = 0; i < n; i++) y = y * v; return y; }
[Differentiable] float power(int i, float v) { if (i == 0) return 1.0; return power(i - 1, v) * v; }
int side(float x) { if (x > 1.0) return 3; return 2; }
[Differentiable] float picked(float x) { return pick(int(x * 4), x) + pick(next(int(x)), x); }
[Differentiable] float looked(float x) { return table(int(x)) * x; }
[Differentiable] float often(float x) { return repeated(int(x), x) + power(int(x), x); }
[Differentiable] float sides(float x) { return side(x) * x; }
[Differentiable] float control(float x, float a[4]) { int i = int(x); for (int j = 0; j < 2; j++) if (i > j) return a[i] * x; return x; }",
        expect![""],
    );
}

#[test]
fn what_plain_calls_make_of_values_loses_their_derivatives() {
    check(
        "struct Plain { float held; }
struct Cell { int i; float w; }
Plain make(float x) { Plain p; p.held = x; return p; }
void fill(float x, out Plain p) { p.held = x; }
int to(float x) { return int(x * 8.0); }
int twice(float x) { return 2 * to(x); }
int again(float x, int n) { if (n == 0) return to(x); return again(x, n - 1); }
bool isLarge(float x) { return x > 1.0; }
[Differentiable] float returned(float x) { return make(x * x).held; }
[Differentiable] float filled(float x) { Plain p; fill(x, p); return p.held; }
[Differentiable] float counted(float x) { return to(x) / 8.0; }
[Differentiable] float deeper(float x) { return twice(x) / 8.0; }
[Differentiable] float deepest(float x) { return again(x, 3) / 8.0; }
[Differentiable] float branches(float x, bool c) { Plain p; if (c) p = make(x); else p.held = 2.0; return p.held; }
[Differentiable] float loops(float x) { Plain p[2]; for (int i = 0; i < 2; i++) p[i] = make(x); return p[1].held; }
[Differentiable] float number(float x) { Cell c = { int(x), 2.0 }; return c.i * x; }",
        expect![[r#"
            warning 41801 at 9: `make(x * x)`: the derivative of `x * x` is zero from here on: `make` makes of it a value whose type is not differentiable; `detach(…)` says that this is meant
                at 9: `x`: `x` carries a derivative here
                at 9: `returned`: …the result of `returned` expects it here
                at 3: `make`: `make` is declared here
            warning 41801 at 10: `fill(x, p)`: the derivative of `x` is zero from here on: `fill` makes of it a value whose type is not differentiable; `detach(…)` says that this is meant
                at 10: `x`: `x` carries a derivative here
                at 10: `filled`: …the result of `filled` expects it here
                at 4: `fill`: `fill` is declared here
            warning 41802 at 11: `to(x)`: the derivative of `x` is zero from here on: `to` makes an integer of it, which has none; `detach(…)` says that this is meant
                at 11: `x`: `x` carries a derivative here
                at 11: `counted`: …the result of `counted` expects it here
                at 5: `to`: `to` is declared here
            warning 41802 at 12: `twice(x)`: the derivative of `x` is zero from here on: `twice` makes an integer of it, which has none; `detach(…)` says that this is meant
                at 12: `x`: `x` carries a derivative here
                at 12: `deeper`: …the result of `deeper` expects it here
                at 6: `twice`: `twice` is declared here
            warning 41802 at 13: `again(x, 3)`: the derivative of `x` is zero from here on: `again` makes an integer of it, which has none; `detach(…)` says that this is meant
                at 13: `x`: `x` carries a derivative here
                at 13: `deepest`: …the result of `deepest` expects it here
                at 7: `again`: `again` is declared here
            warning 41801 at 14: `make(x)`: the derivative of `x` is zero from here on: `make` makes of it a value whose type is not differentiable; `detach(…)` says that this is meant
                at 14: `x`: `x` carries a derivative here
                at 14: `branches`: …the result of `branches` expects it here
                at 3: `make`: `make` is declared here
            warning 41801 at 15: `make(x)`: the derivative of `x` is zero from here on: `make` makes of it a value whose type is not differentiable; `detach(…)` says that this is meant
                at 15: `x`: `x` carries a derivative here
                at 15: `loops`: …the result of `loops` expects it here
                at 3: `make`: `make` is declared here
            warning 41802 at 16: `int(x)`: the derivative of `x` is zero from here on: an integer has none; `detach(…)` says that this is meant
                at 16: `x`: `x` carries a derivative here
                at 16: `number`: …the result of `number` expects it here
                fix: Say that this is meant: wrap in `detach(…)` => [Differentiable] float number(float x) { Cell c = { int(detach(x)), 2.0 }; return c.i * x; }
        "#]],
    );
}

#[test]
fn what_plain_calls_make_and_nobody_needs() {
    check(
        "struct Plain { float held; }
struct Cell { int i; float w; }
struct Part : IDifferentiable { no_diff float a; float b; }
float g(float x) { return x; }
Plain make(float x) { Plain p; p.held = x; return p; }
Part part(float x) { return { x, x }; }
int to(float x) { return int(x * 8.0); }
bool isLarge(float x) { return x > 1.0; }
[Differentiable] float compared(float x) { if (make(x).held > 1.0 || isLarge(x)) return x; return 2.0 * x; }
[Differentiable] float index(float x, float a[4]) { return a[to(x)] * x; }
[Differentiable] float marked(float x) { return make(detach(x)).held + (no_diff make(x)).held + no_diff to(x); }
[Differentiable] float beside(float x) { Cell c = { to(x), 2.0 }; return c.w * x; }
[Differentiable] float question(float x) { return isLarge(x) ? x : 2.0 * x; }
[Differentiable] float field(Part p) { return g(p.a) * p.b; }
[Differentiable] float fieldOfCall(float x) { Part p = no_diff part(x); return g(p.a) * x; }",
        expect![[r#""#]],
    );
}

#[test]
fn only_what_is_read_of_a_call_asks_for_derivatives() {
    check(
        "float rough(float x) { return floor(x); }
[Differentiable] float pass(float x) { return x; }
[Differentiable] float both(float x, out float half) { half = 0.5 * x; return x; }
void recordBackward(inout DifferentialPair<float> x, float d) {}
[BackwardDerivative(recordBackward)] float record(float x) { return x; }
[Differentiable] void onward(float x) { record(x); }
interface IShade { [Differentiable] float shade(float x); [Differentiable] void note(float x); }
[Differentiable] float through(float x) { if (pass(rough(x)) > 1.0) return x; return 2.0 * x; }
[Differentiable] float unread(float x) { pass(rough(x)); float h; both(rough(x), h); return x; }
[Differentiable] float shaded<S : IShade>(S s, float x) { if (s.shade(rough(x)) > 1.0) return x; return 2.0 * x; }
[Differentiable] float read(float x) { float h; both(rough(x), h); return h; }
[Differentiable] float recorded(float x) { record(rough(x)); return x; }
[Differentiable] float recordedDeeper(float x) { onward(rough(x)); return x; }
[Differentiable] float noted<S : IShade>(S s, float x) { s.note(rough(x)); return x; }",
        expect![[r#"
            error 41022 at 11: `rough(x)`: the derivative of `x` is lost here: `rough` is not differentiable
                at 11: `x`: `x` carries a derivative here
                at 11: `both(rough(x), h)`: …the call of `both` would pass it on here
                at 11: `read`: …the result of `read` expects it here
                at 1: `rough`: `rough` is declared here
                fix: Say that this is meant: add `no_diff` => [Differentiable] float read(float x) { float h; both(no_diff rough(x), h); return h; }
                fix: Mark `rough` as [Differentiable] => [Differentiable] float rough(float x) { return floor(x); }
            error 41022 at 12: `rough(x)`: the derivative of `x` is lost here: `rough` is not differentiable
                at 12: `x`: `x` carries a derivative here
                at 12: `record(rough(x))`: …the differentiable `record` expects it here
                at 1: `rough`: `rough` is declared here
                fix: Say that this is meant: add `no_diff` => [Differentiable] float recorded(float x) { record(no_diff rough(x)); return x; }
                fix: Mark `rough` as [Differentiable] => [Differentiable] float rough(float x) { return floor(x); }
            error 41022 at 13: `rough(x)`: the derivative of `x` is lost here: `rough` is not differentiable
                at 13: `x`: `x` carries a derivative here
                at 13: `onward(rough(x))`: …the differentiable `onward` expects it here
                at 1: `rough`: `rough` is declared here
                fix: Say that this is meant: add `no_diff` => [Differentiable] float recordedDeeper(float x) { onward(no_diff rough(x)); return x; }
                fix: Mark `rough` as [Differentiable] => [Differentiable] float rough(float x) { return floor(x); }
            error 41022 at 14: `rough(x)`: the derivative of `x` is lost here: `rough` is not differentiable
                at 14: `x`: `x` carries a derivative here
                at 14: `s.note(rough(x))`: …the differentiable `IShade.note` expects it here
                at 1: `rough`: `rough` is declared here
                fix: Say that this is meant: add `no_diff` => [Differentiable] float noted<S : IShade>(S s, float x) { s.note(no_diff rough(x)); return x; }
                fix: Mark `rough` as [Differentiable] => [Differentiable] float rough(float x) { return floor(x); }
        "#]],
    );
}

#[test]
fn forward_derivatives_that_were_never_made() {
    check(
        "float helper(float x) { return x * x; }
void fBackward(inout DifferentialPair<float> x, float d) { x = diffPair(x.p, (2.0 * x.p + 1.0) * d); }
[BackwardDerivative(fBackward)] float f(float x) { return helper(x) + x; }
float h(float x) { return helper(x); }
[BackwardDerivativeOf(h)] void hBackward(inout DifferentialPair<float> x, float d) { x = diffPair(x.p, d); }
[PrimalSubstitute(f)] float substituted(float x) { return x * x + x; }
struct S : IDifferentiable
{
    float a;
    [BackwardDerivative(mBackward)] float m(float x) { return a * helper(x); }
    static void mBackward(inout DifferentialPair<S> s, inout DifferentialPair<float> x, float d) { x = diffPair(x.p, d); }
}
[BackwardDerivative(genBackward)] T gen<T : __BuiltinFloatingPointType>(T x) { return x; }
void genBackward<T : __BuiltinFloatingPointType>(inout DifferentialPair<T> x, T.Differential d) { x = diffPair(x.p, d); }
[Differentiable] float g(float x) { return f(x); }
[Differentiable] float ofWritten(float x) { return h(x); }
[BackwardDifferentiable] float deeper(float x) { return x > 1.0 ? x : g(x); }
[Differentiable] float method(S s, float x) { return s.m(x); }
[Differentiable] float generic(float x) { return gen(x); }
[Differentiable] float again(float x, int n) { if (n == 0) return f(x); return again(x, n - 1); }
[Differentiable] float lambda(float x) { let l = (float y) => f(y); return l(x); }
[ForwardDifferentiable] float said(float x) { return f(x); }
[ForwardDifferentiable] float saidOfSubstitute(float x) { return substituted(x); }
float ask(S s)
{
    var p = diffPair(3.0, 1.0);
    return fwd_diff(g)(p).d + fwd_diff(ofWritten)(p).d + fwd_diff(deeper)(p).d + fwd_diff(generic)(p).d
        + fwd_diff(method)(diffPair(s, s), p).d + fwd_diff(again)(p, 2).d + fwd_diff(lambda)(p).d + fwd_diff(said)(p).d;
}",
        expect![[r#"
            error 41022 at 22: `f(x)`: the derivative of `x` is lost here: `f` is only backward-differentiable
                at 22: `x`: `x` carries a derivative here
                at 22: `said`: …the result of `said` expects it here
                at 3: `f`: `f` is declared here
                fix: Say that this is meant: add `no_diff` => [ForwardDifferentiable] float said(float x) { return no_diff f(x); }
                fix: Mark `f` as [Differentiable] => [Differentiable] [BackwardDerivative(fBackward)] float f(float x) { return helper(x) + x; }
            error 41022 at 23: `substituted(x)`: the derivative of `x` is lost here: `f`, the substitute of `substituted`, is only backward-differentiable
                at 23: `x`: `x` carries a derivative here
                at 23: `saidOfSubstitute`: …the result of `saidOfSubstitute` expects it here
                at 3: `f`: `f` is declared here
                fix: Say that this is meant: add `no_diff` => [ForwardDifferentiable] float saidOfSubstitute(float x) { return no_diff substituted(x); }
                fix: Mark `f` as [Differentiable] => [Differentiable] [BackwardDerivative(fBackward)] float f(float x) { return helper(x) + x; }
            error 41022 at 27: `fwd_diff(g)(p)`: `g` has no forward derivative: it calls `f`, which has only the backward derivative that is written for it
                at 15: `f(x)`: `g` calls `f` here
                at 3: `f`: `f` has only a backward derivative
                fix: Mark `f` as [Differentiable], for the derivative of its body => [Differentiable] [BackwardDerivative(fBackward)] float f(float x) { return helper(x) + x; }
            error 41022 at 27: `fwd_diff(ofWritten)(p)`: `ofWritten` has no forward derivative: it calls `h`, which has only the backward derivative that is written for it
                at 16: `h(x)`: `ofWritten` calls `h` here
                at 4: `h`: `h` has only a backward derivative
                fix: Mark `h` as [Differentiable], for the derivative of its body => [Differentiable] float h(float x) { return helper(x); }
            error 41022 at 27: `fwd_diff(deeper)(p)`: `deeper` has no forward derivative: it calls `f`, which has only the backward derivative that is written for it
                at 17: `g(x)`: `deeper` calls `g` here
                at 15: `f(x)`: `g` calls `f` here
                at 3: `f`: `f` has only a backward derivative
                fix: Mark `f` as [Differentiable], for the derivative of its body => [Differentiable] [BackwardDerivative(fBackward)] float f(float x) { return helper(x) + x; }
            error 41022 at 27: `fwd_diff(generic)(p)`: `generic` has no forward derivative: it calls `gen`, which has only the backward derivative that is written for it
                at 19: `gen(x)`: `generic` calls `gen` here
                at 13: `gen`: `gen` has only a backward derivative
                fix: Mark `gen` as [Differentiable], for the derivative of its body => [Differentiable] [BackwardDerivative(genBackward)] T gen<T : __BuiltinFloatingPointType>(T x) { return x; }
            error 41022 at 28: `fwd_diff(method)(diffPair(s, s), p)`: `method` has no forward derivative: it calls `S.m`, which has only the backward derivative that is written for it
                at 18: `s.m(x)`: `method` calls `S.m` here
                at 10: `m`: `S.m` has only a backward derivative
                fix: Mark `S.m` as [Differentiable], for the derivative of its body => [Differentiable] [BackwardDerivative(mBackward)] float m(float x) { return a * helper(x); }
            error 41022 at 28: `fwd_diff(again)(p, 2)`: `again` has no forward derivative: it calls `f`, which has only the backward derivative that is written for it
                at 20: `f(x)`: `again` calls `f` here
                at 3: `f`: `f` has only a backward derivative
                fix: Mark `f` as [Differentiable], for the derivative of its body => [Differentiable] [BackwardDerivative(fBackward)] float f(float x) { return helper(x) + x; }
            error 41022 at 28: `fwd_diff(lambda)(p)`: `lambda` has no forward derivative: it calls `f`, which has only the backward derivative that is written for it
                at 21: `f(y)`: `lambda` calls `f` here
                at 3: `f`: `f` has only a backward derivative
                fix: Mark `f` as [Differentiable], for the derivative of its body => [Differentiable] [BackwardDerivative(fBackward)] float f(float x) { return helper(x) + x; }
        "#]],
    );
}

#[test]
fn backward_derivatives_alone_are_enough_where_nobody_asks_for_more() {
    check(
        "float helper(float x) { return x * x; }
void fBackward(inout DifferentialPair<float> x, float d) { x = diffPair(x.p, (2.0 * x.p + 1.0) * d); }
[BackwardDerivative(fBackward)] float f(float x) { return helper(x) + x; }
[Differentiable] float g(float x) { return f(x); }
[Differentiable] float compared(float x) { if (f(x) > 1.0) return x; return 2.0 * x; }
[Differentiable] float marked(float x) { return x * no_diff f(x); }
DifferentialPair<float> ownForward(DifferentialPair<float> x) { return x; }
[ForwardDerivative(ownForward)] [Differentiable] float own(float x) { return f(x); }
[Differentiable] float again(float x, int n) { if (n == 0) return x * x; return again(x, n - 1); }
float ask()
{
    var p = diffPair(3.0, 1.0);
    bwd_diff(g)(p, 1.0);
    return p.d + fwd_diff(compared)(p).d + fwd_diff(marked)(p).d + fwd_diff(own)(p).d + fwd_diff(again)(p, 2).d;
}",
        expect![[r#""#]],
    );
}

#[test]
fn generic_sizes_carry_what_known_sizes_carry() {
    check(
        "[Differentiable] matrix<float, N, N> square<let N : int>(matrix<float, N, N> m) { return mul(m, m) * 2.0 + m; }
[Differentiable] matrix<float, C, R> flipped<let R : int, let C : int>(matrix<float, R, C> m) { return transpose(m); }
[Differentiable] vector<float, R> times<let R : int, let C : int>(matrix<float, R, C> m, vector<float, C> v) { return mul(m, v); }
[Differentiable] vector<T, N> both<T : __BuiltinFloatingPointType, let N : int>(matrix<T, N, N> m, vector<T, N> x) { return mul(m, x) + mul(x, m); }
[Differentiable] float norm<let N : int>(vector<float, N> v) { return mul(v, v) + dot(normalize(v), lerp(v, v, v)); }
[Differentiable] vector<float, N> chosen<let N : int>(vector<bool, N> c, vector<float, N> v) { return select(c, v, v * 2.0); }",
        expect![[r#""#]],
    );
}

#[test]
fn what_is_lost_before_is_not_lost_again() {
    check(
        "struct Plain { float a; float b; }
float rough(float x) { return x; }
[Differentiable] float of_call(float x) { Plain p; p.a = rough(x); return p.a * x; }
[Differentiable] float of_part(float x) { Plain p = { x, 1 }; Plain q; q.a = p.a; return q.a * x; }
[Differentiable] float of_parts(float x) { Plain p = { x, 1 }; Plain q; q.a = p.a * 2 + 1; return q.a * x; }
[Differentiable] float in_steps(float x) { Plain p = {}; p.a = x; p.b += p.a * 0.1; return p.b; }",
        expect![[r#"
            error 41022 at 3: `rough(x)`: the derivative of `x` is lost here: `rough` is not differentiable
                at 3: `x`: `x` carries a derivative here
                at 3: `of_call`: …the result of `of_call` expects it here
                at 2: `rough`: `rough` is declared here
                fix: Say that this is meant: add `no_diff` => [Differentiable] float of_call(float x) { Plain p; p.a = no_diff rough(x); return p.a * x; }
                fix: Mark `rough` as [Differentiable] => [Differentiable] float rough(float x) { return x; }
            warning 41801 at 4: `{ x, 1 }`: the derivative of `x` is zero from here on: it becomes part of a value whose type is not differentiable
                at 4: `x`: `x` carries a derivative here
            warning 41801 at 5: `{ x, 1 }`: the derivative of `x` is zero from here on: it becomes part of a value whose type is not differentiable
                at 5: `x`: `x` carries a derivative here
            error 41031 at 6: `p.a = x`: the derivative of `x` is lost here: this place cannot hold one
                at 6: `x`: `x` carries a derivative here
                fix: Say that this is meant: wrap in `detach(…)` => [Differentiable] float in_steps(float x) { Plain p = {}; p.a = detach(x); p.b += p.a * 0.1; return p.b; }
        "#]],
    );
}

#[test]
fn numbers_that_become_integers_twice_are_lost_the_first_time() {
    check(
        "[Differentiable] float stages(float x) { int q = int(x * 255.0); float y = float(q) / 255.0; int r = int(y * 15.0); return float(r); }
[Differentiable] float bits(float x) { return asfloat(asint(asfloat(asuint(x)))); }
[Differentiable] float whole(float x) { return float(int(floor(x))); }",
        expect![[r#"
            warning 41802 at 1: `int(x * 255.0)`: the derivative of `x * 255.0` is zero from here on: an integer has none; `detach(…)` says that this is meant
                at 1: `x`: `x` carries a derivative here
                at 1: `float(q) / 255.0`: …`y` would carry it here
                at 1: `int(y * 15.0)`: …`r` would carry it here
                at 1: `stages`: …the result of `stages` expects it here
                fix: Say that this is meant: wrap in `detach(…)` => [Differentiable] float stages(float x) { int q = int(detach(x * 255.0)); float y = float(q) / 255.0; int r = int(y * 15.0); return float(r); }
            warning 41802 at 2: `asuint(x)`: the derivative of `x` is zero from here on: its bits as another type have none; `detach(…)` says that this is meant
                at 2: `x`: `x` carries a derivative here
                at 2: `bits`: …the result of `bits` expects it here
                fix: Say that this is meant: wrap in `detach(…)` => [Differentiable] float bits(float x) { return asfloat(asint(asfloat(asuint(detach(x))))); }
        "#]],
    );
}

#[test]
fn what_says_where_or_on_which_side_is_no_loss() {
    check(
        "Texture2D<float4> picture; StructuredBuffer<float> table;
[Differentiable] float texel(float2 uv) { return picture.Load(int3(int2(uv * 16), 0)).x * uv.x; }
[Differentiable] float entry(float2 uv) { return table[int(uv.x * 16)] * uv.x; }
[Differentiable] float square(float x) { return sign(x) * x * x; }
[Differentiable] float side(float x) { return sign(x); }
[Differentiable] float sum(float x) { return sign(x) + x; }",
        expect![[r#"
            warning 41802 at 5: `sign(x)`: the derivative of `x` is zero from here on: its sign is constant on both sides of zero; `detach(…)` says that this is meant
                at 5: `x`: `x` carries a derivative here
                at 5: `side`: …the result of `side` expects it here
                fix: Say that this is meant: wrap in `detach(…)` => [Differentiable] float side(float x) { return sign(detach(x)); }
            warning 41802 at 6: `sign(x)`: the derivative of `x` is zero from here on: its sign is constant on both sides of zero; `detach(…)` says that this is meant
                at 6: `x`: `x` carries a derivative here
                at 6: `sum`: …the result of `sum` expects it here
                fix: Say that this is meant: wrap in `detach(…)` => [Differentiable] float sum(float x) { return sign(detach(x)) + x; }
        "#]],
    );
}

/// `[MaxIters]` is compared with the iterations of loops that test at their end, or whose test counts.
/// A sign is a factor only beside something that carries a derivative; with constants it is still a sign.
#[test]
fn a_sign_that_multiplies_constants_is_lost_and_one_that_multiplies_more_is_not() {
    let lost = ["sign(x) * 2.0", "x / 3.0 + 2.0 * sign(x) * k", "sign(x) / k", "(sign(x) * sign(x)) * k"];
    let kept = ["sign(x) * 2.0 * x", "x * (k * sign(x))", "2.0 * (sign(x) * k) / x", "sign(x) * sign(x) * x"];
    for (values, count) in [(lost, 1), (kept, 0)] {
        for value in values {
            let text = format!("[Differentiable] float f(float x, no_diff float k) {{ return {value}; }}");
            assert_eq!(codes(&text).iter().filter(|code| **code == 41802).count().min(1), count, "{value}");
        }
    }
}

#[test]
fn chains_of_calls_may_be_of_any_length() {
    let link = |number: u32| format!("float plain_{number}(float x) {{ return plain_{}(x); }}\n", number + 1);
    let chain: String = (0..5000).map(link).collect();
    let text = format!(
        "{chain}float plain_5000(float x) {{ return x; }}\n[Differentiable] float last(float x) {{ return plain_0(x); }}"
    );
    let (db, _, file) = program(&text);
    let found = scope::all_file_items(&db, file).iter().flat_map(|item| diagnostics(&db, *item));
    assert_eq!(found.map(|finding| finding.code.0).collect::<Vec<_>>(), [41022]);
}

#[test]
fn what_a_call_stores_is_shown_with_the_way_to_the_store_and_back() {
    check(
        "RWStructuredBuffer<float> buffer;
void put(float v) { buffer[0] = v; }
void twice(float v) { put(2.0 * v); }
[Differentiable] float f(float x) { float y = x * x; twice(y); float z = buffer[0]; return z; }",
        expect![[r#"
            warning 41804 at 4: `twice(y)`: the derivative of `y` is lost in memory: `twice` stores it, and what is read again has none
                at 4: `x`: `x` carries a derivative here
                at 4: `x * x`: …goes into `y` here
                at 3: `put(2.0 * v)`: …`twice` hands it on here
                at 2: `buffer[0] = v`: …`put` stores it here
                at 4: `buffer[0]`: …and it is read again here
                at 4: `f`: …the result of `f` expects it here
                fix: Say that this is meant: add `no_diff` => [Differentiable] float f(float x) { float y = x * x; no_diff twice(y); float z = buffer[0]; return z; }
        "#]],
    );
}

/// Constants and methods that are known once a type is linked or given are no reason not to look.
#[test]
fn what_a_type_gives_later_hides_no_loss() {
    let around = "interface IHas { static const int N; static const bool B; static const float S; }
interface IM : IDifferentiable { [Differentiable] float m(float x); }
float g(float x) { return x * x; }
extern struct LT : IM;
extern struct LN : IHas;
type_param TP : IHas;
";
    for body in [
        "[Differentiable] float f<A : IHas>(float x) { return A.N * g(x); }",
        "[Differentiable] float f<A : IHas>(float x) { if (A.N > 2) return x; return g(x); }",
        "[Differentiable] float f<A : IHas>(float x) { return A.B ? x : g(x); }",
        "[Differentiable] float f<A : IHas>(float x) { return A.S * g(x); }",
        "[Differentiable] float f<A : IHas>(float x) { int n = A.N; return n * g(x); }",
        "[Differentiable] float f<A : IHas>(float x) { float s = x; [MaxIters(4)] for (int i = 0; i < A.N; i++) s += g(x); return s; }",
        "[Differentiable] float f<A : IHas>(float x, float a[4]) { return a[A.N] + g(x); }",
        "struct S<A : IHas> { [Differentiable] float f(float x) { return A.N * g(x); } }",
        "interface ID { static const int K; [Differentiable] float f(float x) { return K * g(x); } }",
        "[Differentiable] float f(float x) { return LN.N * g(x); }",
        "[Differentiable] float f(float x) { return TP.N * g(x); }",
        "[Differentiable] float f(LT t, float x) { return t.m(g(x)); }",
    ] {
        assert_eq!(codes(&format!("{around}{body}")), [41022], "{body}");
    }
}

/// The field, not the type that it is in, where only the field has none.
#[test]
fn fields_marked_no_diff_are_named() {
    check(
        "struct S : IDifferentiable { no_diff float a; float b; }
[Differentiable] float f(float x) { S s = { x, x }; return s.b * s.a; }",
        expect![[r#"
            warning 41801 at 2: `{ x, x }`: the derivative of `x` is zero from here on: it becomes the field `a` of `S`, which is marked `no_diff`
                at 2: `x`: `x` carries a derivative here
                at 2: `f`: …the result of `f` expects it here
        "#]],
    );
}
