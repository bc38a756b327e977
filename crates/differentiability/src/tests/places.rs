//! Findings about places (`IDifferentiablePtrType`) in the data flow.

use expect_test::expect;

use super::check;

/// As slangc, but for `detach` and `no_diff` parameters, which it does not look at.
#[test]
fn derivatives_of_places_are_lost_in_calls_of_what_is_not_differentiable() {
    check(
        "struct P : IDifferentiablePtrType { typealias Differential = P; RWStructuredBuffer<float> b; uint count;
float get(int i) { return b[i]; } property float first { get { return b[0]; } } int size() { return 3; } }
float plain(P p, int i) { return p.b[i]; }
void give(P p, out float r) { r = p.b[0]; }
P same(P p) { return p; }
[Differentiable] float a(P p, float x) { return p.get(1) * x; }
[Differentiable] float b(P p, float x) { return p.first * x; }
[Differentiable] float c(P p, float x) { float r; give(p, r); return r * x; }
[Differentiable] float d(P p, float x) { let q = same(p); return x; }
[Differentiable] float e(P p[2], float x) { return plain(p[0], 1) * x; }
[Differentiable] float f(P p, float x) { return no_diff plain(p, 1) * x + detach(p.get(2)) + p.size() * p.count; }
[Differentiable] float g(no_diff P p, float x) { if (plain(p, 1) > 0) return x; return plain(p, 2) * x; }
[Differentiable] float h(P p, float x) { if (plain(p, 1) > 0) return x; return x * p.b[0]; }
extension P { P operator+(uint n) { return this; } }
[BackwardDerivative(readBackward)] float read(P p) { return p.b[0]; }
void readBackward(DifferentialPtrPair<P> p, float d) {}
[Differentiable] float i(P p, float x) { return read(p + 1u) * x; }",
        expect![[r#"
            error 41022 at 6: `p.get(1)`: the derivative of what `p` stands for is lost here: `get` is not differentiable
                at 2: `get`: `get` is declared here
                fix: Say that this is meant: add `no_diff` => [Differentiable] float a(P p, float x) { return no_diff p.get(1) * x; }
                fix: Mark `get` as [Differentiable] => [Differentiable] float get(int i) { return b[i]; } property float first { get { return b[0]; } } int size() { return 3; } }
            error 41022 at 7: `p.first`: the derivative of what `p` stands for is lost here: `first` is not differentiable
                at 2: `get`: `first` is declared here
                fix: Say that this is meant: wrap in `detach(…)` => [Differentiable] float b(P p, float x) { return detach(p.first) * x; }
                fix: Mark `first` as [Differentiable] => float get(int i) { return b[i]; } property float first { [Differentiable] get { return b[0]; } } int size() { return 3; } }
            error 41022 at 8: `give(p, r)`: the derivative of what `p` stands for is lost here: `give` is not differentiable
                at 4: `give`: `give` is declared here
                fix: Say that this is meant: add `no_diff` => [Differentiable] float c(P p, float x) { float r; no_diff give(p, r); return r * x; }
                fix: Mark `give` as [Differentiable] => [Differentiable] void give(P p, out float r) { r = p.b[0]; }
            error 41022 at 9: `same(p)`: the derivative of what `p` stands for is lost here: `same` is not differentiable
                at 5: `same`: `same` is declared here
                fix: Say that this is meant: add `no_diff` => [Differentiable] float d(P p, float x) { let q = no_diff same(p); return x; }
                fix: Mark `same` as [Differentiable] => [Differentiable] P same(P p) { return p; }
            error 41022 at 10: `plain(p[0], 1)`: the derivative of what `p[0]` stands for is lost here: `plain` is not differentiable
                at 3: `plain`: `plain` is declared here
                fix: Say that this is meant: add `no_diff` => [Differentiable] float e(P p[2], float x) { return no_diff plain(p[0], 1) * x; }
                fix: Mark `plain` as [Differentiable] => [Differentiable] float plain(P p, int i) { return p.b[i]; }
        "#]],
    );
}
