//! Findings from declarations alone.

use expect_test::expect;

use super::{check, codes};

#[test]
fn derivatives_that_do_not_exist() {
    check(
        "[BackwardDerivative(nothing)] float f(float x) { return x; }
[ForwardDerivativeOf(nothing)] DifferentialPair<float> g(DifferentialPair<float> x) { return x; }
[PrimalSubstitute(nothing)] float h(float x) { return x; }",
        expect![[r#"
            error 31148 at 1: `BackwardDerivative(nothing)`: cannot find the derivative function
            error 31147 at 2: `ForwardDerivativeOf(nothing)`: cannot find the function that this is the derivative of
            error 31148 at 3: `PrimalSubstitute(nothing)`: cannot find the primal substitute
        "#]],
    );
}

#[test]
fn derivatives_that_do_not_fit() {
    check(
        "[ForwardDerivative(fwd_f)] float f(float x) { return x; }
DifferentialPair<float> fwd_f(int x) { return diffPair(0.0, 0.0); }
[BackwardDerivative(bwd_g)] float g(float x, float y) { return x; }
void bwd_g(float d) {}
[BackwardDerivative(bwd_h)] float h(float x) { return x; }
float bwd_h(inout DifferentialPair<float> x, float d) { return d; }
[BackwardDerivative(bwd_k)] float k(float x) { return x; }
void bwd_k<T : IDifferentiable>(inout DifferentialPair<float> x, float d) {}",
        expect![[r#"
            error 31149 at 1: `ForwardDerivative(fwd_f)`: parameter 1 of `fwd_f` is `int x`, but the forward derivative of `f` has `DifferentialPair<float> x` there: `DifferentialPair<float> fwd_f(DifferentialPair<float> x)`
                at 2: `fwd_f`: `fwd_f` is declared here
                fix: Give `fwd_f` the parameters that it must have => DifferentialPair<float> fwd_f(DifferentialPair<float> x) { return diffPair(0.0, 0.0); }
            error 31150 at 3: `BackwardDerivative(bwd_g)`: `bwd_g` takes 1 parameters, but the backward derivative of `g` takes 3: `void bwd_g(inout DifferentialPair<float> x, inout DifferentialPair<float> y, float dResult)`
                at 4: `bwd_g`: `bwd_g` is declared here
                fix: Give `bwd_g` the parameters that it must have => void bwd_g(inout DifferentialPair<float> x, inout DifferentialPair<float> y, float dResult) {}
            error 38106 at 5: `BackwardDerivative(bwd_h)`: `bwd_h` returns `float`, but the backward derivative of `h` returns `void`: `void bwd_h(inout DifferentialPair<float> x, float dResult)`
                at 6: `bwd_h`: `bwd_h` is declared here
            error 31151 at 7: `BackwardDerivative(bwd_k)`: generic parameter `T` of `bwd_k` does not follow from the signature of `k`
                at 8: `bwd_k`: `bwd_k` is declared here
        "#]],
    );
}

#[test]
fn a_function_has_one_derivative_of_each_kind() {
    let kinds = [
        ("ForwardDerivative", "DifferentialPair<float> NAME(DifferentialPair<float> x) { return x; }\n"),
        ("BackwardDerivative", "void NAME(inout DifferentialPair<float> x, float d) { x = diffPair(x.p, d); }\n"),
        ("PrimalSubstitute", "[Differentiable] float NAME(float x) { return x; }\n"),
    ];
    let f = "float f(float x) { return x; }\n";
    for (number, (kind, written)) in kinds.iter().enumerate() {
        let (first, second) = (written.replace("NAME", "first"), written.replace("NAME", "second"));
        let (other, others) = kinds[(number + 1) % kinds.len()];
        let third = others.replace("NAME", "third");
        let doubled = [
            format!("[{kind}(first)]\n[{kind}(second)] {f}{first}{second}"),
            format!("[{kind}(first)] {f}{first}[{kind}Of(f)] {second}"),
            format!("[{kind}Of(f)] {second}[{kind}(first)] {f}{first}"),
            format!("{f}[{kind}Of(f)] {first}[{kind}Of(f)] {second}"),
            format!("{f}[{kind}Of(f)] [{kind}Of(f)] {first}"),
            format!("[{kind}(first)] [{kind}(first)] {f}{first}"),
        ];
        for text in doubled {
            assert_eq!(codes(&text), [31146], "{text}");
        }
        let single = [
            format!("[{kind}(first)] {f}{first}{second}"),
            format!("[{kind}(first)] [{other}(third)] {f}{first}{third}"),
            format!("{f}[{kind}Of(f)] {first}[{other}Of(f)] {third}"),
            format!("{f}float g(float x) {{ return x; }} [{kind}Of(f)] [{kind}Of(g)] {first}"),
        ];
        for text in single {
            assert_eq!(codes(&text), [0; 0], "{text}");
        }
    }
}

/// The generic arguments of the function are found from those of the derivative that names it, which must be enough for it.
#[test]
fn a_derivative_that_names_its_function_promises_what_that_asks_for() {
    let types = "interface IWide { float v(); } interface INarrow : IWide { float w(); }\n";
    let program = |of_function: &str, of_derivative: &str, attribute: (&str, &str)| {
        format!(
            "{types}{} float f<T : {of_function}>(T t, float x) {{ return t.v() * x; }}
            {} DifferentialPair<float> fwd_f<U : {of_derivative}>(U t, DifferentialPair<float> x) {{ return x; }}",
            attribute.0, attribute.1
        )
    };
    let named = ("[ForwardDerivative(fwd_f)]", "");
    let naming = ("", "[ForwardDerivativeOf(f)]");
    assert_eq!(codes(&program("INarrow", "IWide", naming)), [31151]);
    assert_eq!(codes(&program("IWide", "INarrow", naming)), [31148]);
    assert_eq!(codes(&program("IWide", "IWide", naming)), [0; 0]);
    assert_eq!(codes(&program("INarrow", "IWide", named)), [0; 0]);
    assert_eq!(codes(&program("IWide", "INarrow", named)), [31148]);
}

#[test]
fn generic_parameters_that_the_types_leave_open_are_those_of_the_function() {
    check(
        "[ForwardDerivative(fwd_f)] float f<let M : int, let R : int>(vector<float, M> x) { return x[0] * R; }
DifferentialPair<float> fwd_f<let M : int, let R : int>(DifferentialPair<vector<float, M>> x) { return diffPair(0.0, 0.0); }
[ForwardDerivative(fwd_g)] float g<let M : int, T : IFloat>(vector<float, M> x, T y) { return x[0]; }
DifferentialPair<float> fwd_g<T : IFloat, let M : int>(DifferentialPair<vector<float, M>> x, DifferentialPair<T> y) { return diffPair(0.0, 0.0); }
[ForwardDerivative(fwd_h)] float h<let M : int, let R : int>(vector<float, M> x) { return x[0] * R; }
DifferentialPair<float> fwd_h<let R : int, let M : int>(DifferentialPair<vector<float, M>> x) { return diffPair(0.0, 0.0); }
float k<let M : int, let R : int>(vector<float, M> x) { return x[0] * R; }
[ForwardDerivativeOf(k)] DifferentialPair<float> fwd_k<let M : int, let R : int>(DifferentialPair<vector<float, M>> x) { return diffPair(0.0, 0.0); }",
        expect![[r#"
            error 31151 at 5: `ForwardDerivative(fwd_h)`: generic parameter `R` of `fwd_h` does not follow from the signature of `h`
                at 6: `fwd_h`: `fwd_h` is declared here
            error 31151 at 8: `ForwardDerivativeOf(k)`: generic parameter `R` of `fwd_k` does not follow from the signature of `k`
                at 7: `k`: `k` is declared here
        "#]],
    );
}

#[test]
fn derivatives_of_requirements() {
    check(
        "[Differentiable] float free(float x) { return x; }
interface IBar
{
    [Differentiable] float original(float x);
    [ForwardDerivativeOf(free)] static DifferentialPair<float> other(DifferentialPair<float> x);
}",
        expect![[r#"
            error 31153 at 5: `ForwardDerivativeOf(free)`: a requirement of an interface cannot be the derivative of a function
        "#]],
    );
}

#[test]
fn the_derivative_of_a_static_function_is_static() {
    check(
        "struct S
{
    [ForwardDerivative(fwd)] static float f() { return 1.0; }
    DifferentialPair<float> fwd() { return diffPair(0.0, 0.0); }
}",
        expect![[r#"
            error 31156 at 3: `ForwardDerivative(fwd)`: `fwd` must be static, as the function is whose derivative it is
                fix: Make `fwd` static => static DifferentialPair<float> fwd() { return diffPair(0.0, 0.0); }
        "#]],
    );
}

#[test]
fn substitutes_are_as_differentiable_as_their_originals() {
    check(
        "[Differentiable] float f(float x) { return x; }
[PrimalSubstituteOf(f)] float g(float x) { return x; }",
        expect![[r#"
            error 31158 at 2: `PrimalSubstituteOf(f)`: `f` is differentiable, so its substitute `g` must be, too
                fix: Mark `g` as [Differentiable] => [Differentiable] [PrimalSubstituteOf(f)] float g(float x) { return x; }
        "#]],
    );
}

#[test]
fn no_diff_in_the_wrong_place() {
    // slangc's tests/diagnostics/autodiff has these two situations.
    check(
        "float other(float x) { return x; }
[Differentiable] float m(float x) { float y = no_diff x; return no_diff other(x) + y + x; }
float n(float x) { return no_diff other(x); }",
        expect![[r#"
            error 38031 at 2: `no_diff x`: `no_diff` can only stand before a call or a subscript; `detach(…)` drops the derivative of a value
                fix: Use `detach(…)` => [Differentiable] float m(float x) { float y = detach(x); return no_diff other(x) + y + x; }
                fix: Remove `no_diff` => [Differentiable] float m(float x) { float y = x; return no_diff other(x) + y + x; }
            error 38033 at 3: `no_diff other(x)`: `no_diff` says nothing here: the function is not differentiable
                fix: Remove `no_diff` => float n(float x) { return other(x); }
        "#]],
    );
}

#[test]
fn places_cannot_be_given_out() {
    check(
        "struct P : IDifferentiablePtrType { typealias Differential = P; int i; }
[Differentiable] void f(inout P p, float x) {}
[Differentiable] P g(P p, float x) { return p; }
[Differentiable] P same(P p) { return p; }
[Differentiable] float h(P p, float x) { return x; }
[ForwardDerivative(fwd_k)] float k(inout P p, float x) { return x; }
DifferentialPair<float> fwd_k(inout DifferentialPtrPair<P> p, DifferentialPair<float> x) { return x; }
[Differentiable] float caller(P p, float x) { P q = p; return k(q, x) + h(p, x); }",
        expect![[r#"
            error 30118 at 2: `p`: `p` is of type `P`, which stands for a place: a differentiable function can only take it as `in`
            error 30118 at 3: `g`: a differentiable function that takes values with derivatives cannot return a value of type `P`, which stands for a place
            error 30118 at 8: `k(q, x)`: this call gives out a place and takes a value that carries a derivative: it has no derivative
        "#]],
    );
}

#[test]
fn values_and_places_exclude_each_other() {
    check(
        "struct Both : IDifferentiable, IDifferentiablePtrType { typealias Differential = Both; }
struct Value : IDifferentiable { float v; }",
        expect![[r#"
            error 30311 at 1: `Both`: `Both` conforms to both IDifferentiable and IDifferentiablePtrType: it can stand for values or for places, not for both
        "#]],
    );
}

#[test]
fn borrowed_parameters_have_no_derivative() {
    check(
        "[Differentiable] float f(__constref float3 v) { return v.x; }
struct S : IDifferentiable
{
    float v;
    [Differentiable] [constref] float g(float x) { return x; }
    [constref] float h(float x) { return x; }
}",
        expect![[r#"
            error 38034 at 1: `v`: `v` carries a derivative and cannot be borrowed: pass it as `in`
            error 38036 at 5: `constref`: [constref] cannot be on a differentiable method of a differentiable type
        "#]],
    );
}

#[test]
fn fields_and_their_derivative_members() {
    check(
        "struct D : IDifferentiable { float da; }
struct S : IDifferentiable
{
    typealias Differential = D;
    [DerivativeMember(D.da)] float a;
    [DerivativeMember(D.nothing)] float b;
    float c;
    no_diff float d;
    [DerivativeMember(D.da)] int e;
}
struct N { [DerivativeMember(D.da)] float a; }",
        expect![[r#"
            error 31130 at 6: `DerivativeMember(D.nothing)`: [DerivativeMember] must name a field of `D`
            error 30310 at 9: `DerivativeMember(D.da)`: the type of `e` is not differentiable
            error 30121 at 7: `c`: differentiable field `c` has no counterpart in `D`: name one with [DerivativeMember], or mark the field as `no_diff`
                at 1: `D`: the differential type is declared here
            error 31132 at 11: `DerivativeMember(D.da)`: `N` is not differentiable, so its fields have no derivative
        "#]],
    );
}

/// As slangc has it: what moves the value along its differential is still told from the fields, and a field without a
/// counterpart would lose its derivative in silence.
#[test]
fn fields_of_types_whose_arithmetic_is_written_by_hand_have_counterparts() {
    check(
        "struct D : IDifferentiable { float x; }
struct State : IDifferentiable
{
    typealias Differential = D;
    [DerivativeMember(D.x)] float pos;
    float weight;
    no_diff float held;
    int count;
    [Differentiable] static D dzero() { return { 0.0 }; }
    [Differentiable] static D dadd(D a, D b) { return { a.x + b.x }; }
}
struct Number : IDifferentiable { typealias Differential = float; float a; }
struct Spin : IDifferentiable { typealias Differential = float3; no_diff float4 q;
    [Differentiable] static float3 dzero() { return 0.0; }
    [Differentiable] static float3 dadd(float3 a, float3 b) { return a + b; } }",
        expect![[r#"
            error 30121 at 6: `weight`: differentiable field `weight` has no counterpart in `D`: name one with [DerivativeMember], or mark the field as `no_diff`
                at 1: `D`: the differential type is declared here
            error 30121 at 12: `a`: differentiable field `a` has no counterpart in `float`: name one with [DerivativeMember], or mark the field as `no_diff`
            warning 30123 at 12: `Number`: `dzero` and `dadd` cannot be made for `Number`: no field of its differential type `float` is differentiable
        "#]],
    );
}

#[test]
fn implementations_are_as_differentiable_as_their_requirements() {
    check(
        "interface IFoo { [Differentiable] float f(float x); [ForwardDifferentiable] float g(float x); }
struct A : IFoo { float f(float x) { return x; } [Differentiable] float g(float x) { return x; } }
struct B : IFoo { [TreatAsDifferentiable] float f(float x) { return x; } float g(float x) { return x; } }",
        expect![[r#"
            error 38105 at 2: `f`: `f` is not forward-differentiable, but the requirement of `IFoo` that it fulfils is
                at 1: `f`: the requirement is declared here
                fix: Mark `f` as [Differentiable] => struct A : IFoo { [Differentiable] float f(float x) { return x; } [Differentiable] float g(float x) { return x; } }
            error 38105 at 3: `g`: `g` is not forward-differentiable, but the requirement of `IFoo` that it fulfils is
                at 1: `g`: the requirement is declared here
                fix: Mark `g` as [Differentiable] => struct B : IFoo { [TreatAsDifferentiable] float f(float x) { return x; } [Differentiable] float g(float x) { return x; } }
        "#]],
    );
}

/// slangc's numbers.
#[test]
fn implementations_with_generic_parameters_or_a_receiver_that_carries_derivatives() {
    check(
        "interface IMap { [Differentiable] T at<T : IFloat>(T x); }
struct Same : IMap { T at<T : IFloat>(T x) { return x; } }
struct Right : IMap { [Differentiable] T at<T : IFloat>(T x) { return x; } }
interface ISdf : IDifferentiable { [Differentiable] float distance(float3 p); }
struct Ball : ISdf { float r; float distance(float3 p) { return length(p) - r; } }",
        expect![[r#"
            error 38105 at 2: `at`: `at` is not forward-differentiable, but the requirement of `IMap` that it fulfils is
                at 1: `at`: the requirement is declared here
                fix: Mark `at` as [Differentiable] => struct Same : IMap { [Differentiable] T at<T : IFloat>(T x) { return x; } }
            error 38110 at 5: `distance`: `distance` is not forward-differentiable, but the requirement of `ISdf` that it fulfils is
                at 4: `distance`: the requirement is declared here
                fix: Mark `distance` as [Differentiable] => struct Ball : ISdf { float r; [Differentiable] float distance(float3 p) { return length(p) - r; } }
        "#]],
    );
}

#[test]
fn treating_a_requirement_as_differentiable() {
    check(
        "interface IFoo { [TreatAsDifferentiable] float f(float x); }",
        expect![[r#"
        error 30313 at 1: `TreatAsDifferentiable`: [TreatAsDifferentiable] cannot be on a requirement of an interface: write [Differentiable] here and [TreatAsDifferentiable] on the methods whose derivative is zero
            fix: Change to [Differentiable] => interface IFoo { [Differentiable] float f(float x); }
    "#]],
    );
}

#[test]
fn fields_of_a_receiver_without_derivative() {
    check(
        "struct N
{
    float a;
    [Differentiable] float f(float x) { return x * a; }
    [Differentiable] [NoDiffThis] float g(float x) { return x * a; }
}",
        expect![[r#"
            warning 31159 at 4: `a`: `a` has no derivative here, because the type of `this` is not differentiable
                at 3: `a`: `a` is declared here
                fix: Say that this is meant: add [NoDiffThis] => [NoDiffThis] [Differentiable] float f(float x) { return x * a; }
        "#]],
    );
}

#[test]
fn derivatives_of_functions_without_one() {
    check(
        "float plain(float x) { return x; }
[ForwardDifferentiable] float forward(float x) { return x; }
[Differentiable] float both(float x) { return x; }
void main()
{
    DifferentialPair<float> p = diffPair(1.0, 1.0);
    fwd_diff(plain)(p);
    bwd_diff(forward)(p, 1.0);
    fwd_diff(forward)(p);
    bwd_diff(both)(p, 1.0);
    fwd_diff(floor)(p);
}",
        expect![[r#"
            error 30027 at 7: `fwd_diff(plain)`: `plain` is not forward-differentiable
                at 1: `plain`: `plain` is declared here
                fix: Mark `plain` as [Differentiable] => [Differentiable] float plain(float x) { return x; }
            error 30027 at 8: `bwd_diff(forward)`: `forward` is not backward-differentiable
                at 2: `forward`: `forward` is declared here
                fix: Mark `forward` as [Differentiable] => [Differentiable] [ForwardDifferentiable] float forward(float x) { return x; }
            error 30027 at 11: `fwd_diff(floor)`: `floor` is not forward-differentiable
        "#]],
    );
}

#[test]
fn nothing_follows_from_a_declaration_that_is_not_supported() {
    check(
        "float cube(float x) { return x * x * x; }
interface I { __associatedfunc F; }
[Differentiable] float f(float x) { return cube(x); }
void main() { DifferentialPair<float> p = diffPair(1.0, 1.0); fwd_diff(cube)(p); }",
        expect![[r#""#]],
    );
}

#[test]
fn outputs_into_places_without_derivative() {
    // slangc's tests/diagnostics/autodiff-data-flow-3 has such a place that is only written to.
    check(
        "struct N { float v; }
struct D : IDifferentiable { float v; no_diff float w; float3 c[2]; }
RWStructuredBuffer<float> buffer;
[Differentiable] void set(float x, out float y) { y = x; }
[Differentiable] void two(inout float x) { x = 2; }
[Differentiable]
float f(float x, no_diff out D other)
{
    N n;
    D d;
    set(x, n.v);
    two(n.v);
    set(x, d.v);
    set(x, d.w);
    set(x, d.c[1].y);
    set(x, buffer[0]);
    set(x, other.v);
    no_diff set(x, n.v);
    return d.v;
}",
        expect![[r#"
            error 41025 at 11: `n.v`: the derivative is lost here: this place cannot hold what comes out with a derivative; pass a temporary variable instead
                fix: Make `N` differentiable => struct N : IDifferentiable { float v; }
            error 41025 at 12: `n.v`: the derivative is lost here: this place cannot hold what comes out with a derivative; pass a temporary variable instead
                fix: Make `N` differentiable => struct N : IDifferentiable { float v; }
            error 41025 at 14: `d.w`: the derivative is lost here: this place cannot hold what comes out with a derivative; pass a temporary variable instead
            error 41025 at 16: `buffer[0]`: the derivative is lost here: this place cannot hold what comes out with a derivative; pass a temporary variable instead
            error 41025 at 17: `other.v`: the derivative is lost here: this place cannot hold what comes out with a derivative; pass a temporary variable instead
        "#]],
    );
}

#[test]
fn differentials_are_their_own_differentials() {
    check(
        "struct BadDiff : IDifferentiable { typealias Differential = float; }
struct MyType : IDifferentiable { float val; typealias Differential = BadDiff; }
struct D : IDifferentiable { float a; }
[DerivativeMember(D.a)] static float globalVar;",
        expect![[r#"
            warning 30123 at 1: `BadDiff`: `dzero` and `dadd` cannot be made for `BadDiff`: no field of its differential type `float` is differentiable
            error 30096 at 2: `MyType`: `BadDiff` cannot be a `Differential`: its own differential must be itself, but it is `float`
                at 1: `BadDiff`: the differential type is declared here
            error 31132 at 4: `DerivativeMember(D.a)`: [DerivativeMember] can only be on a field of a type
        "#]],
    );
}

#[test]
fn maybe_differentiable_is_for_requirements() {
    check(
        "interface I { [MaybeDifferentiable] float f(float x); }
[MaybeDifferentiable] float g(float x) { return x; }",
        expect![[r#"
            error 30314 at 2: `MaybeDifferentiable`: [MaybeDifferentiable] can only be on a requirement of an interface
        "#]],
    );
}

#[test]
fn abort_in_backward_code() {
    check(
        r#"[Differentiable] float f(float x) { if (x > 9.0) abort("too large: %f", x); return x; }
[ForwardDifferentiable] float g(float x) { if (x > 9.0) abort(); return x; }"#,
        expect![[r#"
            warning 55212 at 1: `abort("too large: %f", x)`: `abort` keeps this function from being differentiated backwards
        "#]],
    );
}

#[test]
fn abort_in_what_is_differentiated_backwards() {
    check(
        "[Differentiable] float f(float x) { if (x > 9.0) abort(); return x; }
[Differentiable] float forwardAlone(float x) { if (x > 9.0) abort(); return x; }
[Differentiable] float caller(float x) { return f(x) + no_diff forwardAlone(x); }
void g() { var x = diffPair(1.0); bwd_diff(caller)(x, 1.0); fwd_diff(forwardAlone)(x); }",
        expect![[r#"
            error 55212 at 1: `abort()`: `abort` is not supported in a function that is differentiated backwards
            warning 55212 at 2: `abort()`: `abort` keeps this function from being differentiated backwards
        "#]],
    );
}

#[test]
fn a_function_is_as_visible_as_its_derivative() {
    check(
        "struct S
{
    [BackwardDerivative(back)] public static float f(float x) { return x; }
    private static void back(inout DifferentialPair<float> x, float d) { x = diffPair(x.p, d); }
    static void inside() { var x = diffPair(1.0); bwd_diff(f)(x, 1.0); }
}
[Differentiable] float caller(float x) { return S.f(x); }
void outside() { var x = diffPair(1.0); bwd_diff(caller)(x, 1.0); bwd_diff(S.f)(x, 1.0); }",
        expect![[r#"
            error 30600 at 8: `bwd_diff(S.f)`: 'back' is not accessible from here
                at 4: `back`: this derivative would be called
        "#]],
    );
}

#[test]
fn fields_of_a_plain_receiver_with_derivatives_written_by_hand() {
    check(
        "struct S
{
    float scale;
    [ForwardDerivative(forward)] [BackwardDerivative(backward)]
    float f(float x) { return scale * x; }
    DifferentialPair<float> forward(DifferentialPair<float> x) { return diffPair(f(x.p), scale * x.d); }
    void backward(inout DifferentialPair<float> x, float d) { x = diffPair(x.p, scale * d); }
}",
        expect![[r#""#]],
    );
}

#[test]
fn function_extensions_that_do_not_fit() {
    check(
        "float cube(float x) { return x * x * x; }
struct Context { void operator()(out float dx) { dx = 1; } }
__func_extension fwd_diff(cube)(DifferentialPair<float> x, float y) -> DifferentialPair<float> { return x; }
__func_extension fwd_diff(cube)(DifferentialPair<float> x) -> DifferentialPair<float> { return x; }
__func_extension fwd_diff(cube)(DifferentialPair<float> x) -> DifferentialPair<float> { return x; }
__func_extension bwd_diff(nothing)(inout DifferentialPair<float> x, float d) -> void {}
__func_extension __apply(cube)(float x) -> float { return x; }
__func_extension __apply(cube)(float x) -> Tuple<float, Context> { return makeTuple(x, Context()); }
private __func_extension bwd_diff(cube)(inout DifferentialPair<float> x, float d) -> void {}",
        expect![[r#"
            error 31150 at 3: `fwd_diff(cube)`: `fwd_diff(cube)` takes 2 parameters, but the forward derivative of `cube` takes 1: `DifferentialPair<float> fwd_diff(cube)(DifferentialPair<float> x)`
            error 30200 at 5: `fwd_diff(cube)`: the function has this derivative already
                at 4: `fwd_diff(cube)`: it is given here
            error 30015 at 6: `bwd_diff(nothing)`: cannot find the function that is extended
            error 30127 at 7: `__apply(cube)`: __apply must return a tuple of the function's result and a context
            error 38105 at 8: `__apply(cube)`: the context `Context` must have the call operator `void operator()(out float x, float dResult)`
            error 31201 at 9: `bwd_diff(cube)`: modifier 'private' is not allowed here
        "#]],
    );
}

#[test]
fn a_function_with_an_extension_is_differentiable() {
    check(
        "float cube(float x) { return x * x * x; }
__func_extension fwd_diff(cube)(DifferentialPair<float> x) -> DifferentialPair<float> { return x; }
[ForwardDifferentiable] float f(float x) { return cube(x); }
void main() { DifferentialPair<float> p = diffPair(1.0, 1.0); fwd_diff(cube)(p); fwd_diff(f)(p); }",
        expect![[r#""#]],
    );
}

#[test]
fn the_steps_of_reverse_mode_carry_derivatives() {
    check(
        "float h(float x) { return x; }
[Differentiable] float g(float x) { return x * x; }
struct Plain { g.BwdCallable context; };
[Differentiable]
float f(float x)
{
    Plain plain;
    plain.context = g.apply_bwd(x)._1;
    float dx;
    g.apply_bwd(x)._1(dx, h(x));
    return dx;
}",
        expect![[r#"
            error 41031 at 8: `plain.context = g.apply_bwd(x)._1`: the derivative of `g.apply_bwd(x)._1` is lost here: this place cannot hold one
                at 5: `x`: `x` carries a derivative here
                at 8: `g.apply_bwd(x)`: …goes through the call of `apply_bwd(g)` here
                fix: Say that this is meant: wrap in `detach(…)` => plain.context = detach(g.apply_bwd(x)._1);
            error 41022 at 10: `h(x)`: the derivative of `x` is lost here: `h` is not differentiable
                at 5: `x`: `x` carries a derivative here
                at 10: `g.apply_bwd(x)._1(dx, h(x))`: …the call of `operator()(g)` would pass it on here
                at 5: `f`: …the result of `f` expects it here
                at 1: `h`: `h` is declared here
                fix: Say that this is meant: add `no_diff` => g.apply_bwd(x)._1(dx, no_diff h(x));
                fix: Mark `h` as [Differentiable] => [Differentiable] float h(float x) { return x; }
        "#]],
    );
}

/// slangc refuses `Own` and `A` at these fields.
#[test]
fn a_derivative_lies_in_a_field_of_its_type() {
    check(
        "struct Own<T : __BuiltinFloatingPointType> : IDifferentiable { typedef Own<T> Differential; T x; no_diff T n; }
struct Same<T : __BuiltinFloatingPointType> : IDifferentiable where T.Differential == T { typedef Same<T> Differential; T x; }
struct D : IDifferentiable { typealias Differential = D; float x; }
struct A : IDifferentiable { typealias Differential = D; [DerivativeMember(D.x)] float3 a; }
struct B : IDifferentiable { typealias Differential = D; [DerivativeMember(D.x)] float b; }
struct W : IDifferentiable {
    typealias Differential = D; [DerivativeMember(D.x)] float3 a;
    [Differentiable] static D dzero() { return { 0.0 }; } [Differentiable] static D dadd(D a, D b) { return { a.x + b.x }; }
}",
        expect![[r#"
            error 30019 at 1: `x`: the derivative of `x` is of type `T.Differential`, but `x` of `Own<T>`, which is to hold it, is of type `T`: give it that type, write `dzero` and `dadd`, or mark the field as `no_diff`
            error 30019 at 4: `a`: the derivative of `a` is of type `float3`, but `x` of `D`, which is to hold it, is of type `float`: give it that type, write `dzero` and `dadd`, or mark the field as `no_diff`
                at 3: `x`: the field is declared here
        "#]],
    );
}

#[test]
fn forward_derivatives_that_cannot_be_transposed() {
    let found = |rule: &str, body: &str| {
        codes(&format!(
            "[ForwardDerivative(g_fwd)] float g(float x) {{ return x * x; }}
DifferentialPair<float> g_fwd(DifferentialPair<float> x) {{ {rule} }}
{body}"
        ))
    };
    let whole = "[Differentiable] float f(float x) { return g(x) + x; }";
    let forward = "[ForwardDifferentiable] float f(float x) { return g(x) + x; }";
    let direct = "void f() { var p = diffPair(1.0, 0.0); bwd_diff(g)(p, 1.0); }";
    let bent = "return diffPair(x.p * x.p, sin(x.d));";
    let linear = "float t = 2 * x.d; return diffPair(x.p * x.p, x.p * t);";
    for (rule, body, count) in [
        (bent, whole, 1),
        (bent, direct, 1),
        // Forward mode asks for no transposition.
        (bent, forward, 0),
        (linear, whole, 0),
        (linear, direct, 0),
        ("float t = x.d; if (t > 0.5) t = t * 2; return diffPair(x.p * x.p, 2 * x.p * t);", whole, 1),
        ("return diffPair(x.p * x.p, 2 * x.p * x.d + 1);", whole, 1),
    ] {
        assert_eq!(found(rule, body), vec![41022; count], "{rule} {body}");
    }
}

/// What stands behind a requirement is known where the type is.
#[test]
fn rules_behind_requirements_cannot_be_differentiated() {
    check(
        "interface ICurve { [Differentiable] float at(float x); }
[ForwardDerivative(square_jvp)] float square(float x) { return x * x; }
DifferentialPair<float> square_jvp(DifferentialPair<float> p) { return diffPair(p.p * p.p, 2 * p.p * p.d); }
struct S : ICurve { float k; [Differentiable, NoDiffThis] float at(float x) { return k * square(x); } }
struct L : ICurve { float k; [Differentiable, NoDiffThis] float at(float x) { return k * x; } }
[Differentiable] float g<T : ICurve>(T t, float x) { return t.at(x) * x; }
[Differentiable] float slope<T : ICurve>(T t, float x) { return fwd_diff(g<T>)(t, diffPair(x, 1)).d; }
[Differentiable] float nested<T : ICurve>(T t, float x) { return slope(t, x); }
[Differentiable] float a(S s, float x) { return slope(s, x); }
[Differentiable] float b(S s, float x) { return nested(s, x); }
[Differentiable] float c(S s, float x) { return fwd_diff(g<S>)(s, diffPair(x, 1)).d; }
[Differentiable] float d(L s, float x) { return slope(s, x) + nested(s, x); }
[Differentiable] float e(S s, float x) { return no_diff slope(s, x) + g(s, x); }
float f(S s, float x) { return slope(s, x) + fwd_diff(fwd_diff(g<S>))(s, diffPair(diffPair(x, 1), diffPair(1, 0))).d.d; }",
        expect![[r#"
            error 41022 at 9: `slope(s, x)`: the derivative of `slope` cannot be differentiated: it calls `square`, whose derivative `square_jvp` is not differentiable
                at 7: `fwd_diff(g<T>)(t, diffPair(x, 1))`: `slope` calls `g` here
                at 6: `t.at(x)`: `g` calls `S.at` here
                at 4: `square(x)`: `S.at` calls `square` here
                at 3: `square_jvp`: `square_jvp` is declared here
                fix: Mark `square_jvp` as [Differentiable] => [Differentiable] DifferentialPair<float> square_jvp(DifferentialPair<float> p) { return diffPair(p.p * p.p, 2 * p.p * p.d); }
            error 41022 at 10: `nested(s, x)`: the derivative of `nested` cannot be differentiated: it calls `square`, whose derivative `square_jvp` is not differentiable
                at 8: `slope(t, x)`: `nested` calls `slope` here
                at 7: `fwd_diff(g<T>)(t, diffPair(x, 1))`: `slope` calls `g` here
                at 6: `t.at(x)`: `g` calls `S.at` here
                at 4: `square(x)`: `S.at` calls `square` here
                at 3: `square_jvp`: `square_jvp` is declared here
                fix: Mark `square_jvp` as [Differentiable] => [Differentiable] DifferentialPair<float> square_jvp(DifferentialPair<float> p) { return diffPair(p.p * p.p, 2 * p.p * p.d); }
            error 41022 at 11: `fwd_diff(g<S>)(s, diffPair(x, 1))`: the derivative of `g` cannot be differentiated: it calls `square`, whose derivative `square_jvp` is not differentiable
                at 6: `t.at(x)`: `g` calls `S.at` here
                at 4: `square(x)`: `S.at` calls `square` here
                at 3: `square_jvp`: `square_jvp` is declared here
                fix: Mark `square_jvp` as [Differentiable] => [Differentiable] DifferentialPair<float> square_jvp(DifferentialPair<float> p) { return diffPair(p.p * p.p, 2 * p.p * p.d); }
            error 41022 at 14: `fwd_diff(fwd_diff(g<S>))(s, diffPair(diffPair(x, 1), diffPair(1, 0)))`: the derivative of `g` cannot be differentiated: it calls `square`, whose derivative `square_jvp` is not differentiable
                at 6: `t.at(x)`: `g` calls `S.at` here
                at 4: `square(x)`: `S.at` calls `square` here
                at 3: `square_jvp`: `square_jvp` is declared here
                fix: Mark `square_jvp` as [Differentiable] => [Differentiable] DifferentialPair<float> square_jvp(DifferentialPair<float> p) { return diffPair(p.p * p.p, 2 * p.p * p.d); }
        "#]],
    );
}

/// A place has its place for derivatives beside it: in a struct that has none, what is added there is lost.
#[test]
fn places_in_structs_that_are_none() {
    check(
        "static float values[4] = { 1, 2, 3, 4 };
static float sums[4];
struct Grid : IDifferentiablePtrType { typealias Differential = Grid; uint slot; float unit; }
[BackwardDerivative(fetch_bwd)] float fetch(Grid g, uint i) { return values[i]; }
void fetch_bwd(DifferentialPtrPair<Grid> g, uint i, float d) { sums[i] += d; }
struct Encoding { Grid grid; [Differentiable] float eval(float x) { return fetch(grid, 1) * x; } }
struct Meant { Grid grid; [Differentiable, NoDiffThis] float eval(float x) { return fetch(grid, 1) * x; } }
struct Places : IDifferentiablePtrType { Grid grid; [Differentiable] float eval(float x) { return fetch(grid, 1) * x; } }
[Differentiable] float a(Grid g, float x) { Encoding e; e.grid = g; return fetch(e.grid, 1) * x; }
[Differentiable] float b(Grid g, float x) { return fetch(g, g.slot) * x; }
[Differentiable] float c(Encoding e, float x) { return float(e.grid.slot) * x; }
float d(Encoding e, float x) { return fetch(e.grid, 1) * x; }",
        expect![[r#"
            warning 31159 at 6: `grid`: `grid` has no derivative here, because the type of `this` is not differentiable
                at 6: `grid`: `grid` is declared here
                fix: Say that this is meant: add [NoDiffThis] => struct Encoding { Grid grid; [NoDiffThis] [Differentiable] float eval(float x) { return fetch(grid, 1) * x; } }
            warning 31159 at 9: `e.grid`: `grid` has no place for its derivative here, because `Encoding` that holds it does not conform to `IDifferentiablePtrType`
                at 6: `grid`: `grid` is declared here
        "#]],
    );
}
