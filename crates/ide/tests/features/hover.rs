//! What the pointer shows.

use crate::check::{check_hover, check_no_hover};

#[test]
fn a_function_shows_its_signature_and_comment() {
    check_hover(
        "\
/// How bright it is.
[Differentiable]
float glow(float power) { return power * power; }
float f() { return gl$0ow(2.0); }
",
        &["float glow(float power)", "How bright it is.", "differentiable"],
    );
}

#[test]
fn a_local_shows_the_type_that_was_deduced() {
    check_hover("void f() { let su$0m = 1.0 + 2.0; }", &["float sum"]);
}

#[test]
fn blanks_show_nothing() {
    check_no_hover("void f() { $0 }");
}
