//! One place given to a call twice.

use crate::tests::check_all_of;

#[test]
fn arguments_that_are_one_place() {
    check_all_of(
        &[30051],
        "struct S { float x; float y; [mutating] void both(inout float a, inout float b) { both(x, x); } } //! E30051 same
        [Differentiable] float product(float a, float b) { return a * b; }
        void two(inout float a, inout float b) {}
        void from(float a, out float b) { b = a; }
        void values(float a, float b) {}
        void use(S s, float v[3], int i) {
            var p = diffPair(2.0);
            var q = p;
            bwd_diff(product)(p, p, 1.0); //! E30051 the parameter 'inout a' and the parameter 'inout b' are given the same place
            bwd_diff(product)(p, q, 1.0);
            fwd_diff(product)(p, p);
            two(s.x, s.x); //! E30051 the same place
            two(s.x, s.y);
            two(v[0], v[0]); //! E30051 the same place
            two(v[0], v[1]);
            two(v[i], v[2]);
            from(s.x, s.x); //! E30051 the parameter 'out b' and the parameter 'a'
            values(s.x, s.x);
            s.x += s.x;
        }",
    );
}
