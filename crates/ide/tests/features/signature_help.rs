//! The signature of the call that is being written.

use crate::check::check_signature;

#[test]
fn the_parameter_at_the_cursor_is_active() {
    let label = "float mix2(float first, float second)";
    check_signature(
        "float mix2(float first, float second) { return first; }\nfloat f() { return mix2(1.0, $0); }",
        label,
        "float second",
    );
}

#[test]
fn a_derivative_shows_its_own_signature_whatever_the_arguments() {
    for call in ["bwd_diff(soft)($0a);", "bwd_diff(soft)($0a, a, 1.0, 2.0, 3.0);", "bwd_diff(soft)($0"] {
        check_signature(
            &format!(
                "[Differentiable] float soft(float distance, float radius) {{ return distance * radius; }}\n\
                 void f()\n{{\n    var a = diffPair(1.0);\n    {call}\n}}\n"
            ),
            "void bwd_diff(soft)(inout DifferentialPair<float> distance, inout DifferentialPair<float> radius, float dResult)",
            "inout DifferentialPair<float> distance",
        );
    }
}
