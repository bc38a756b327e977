//! What the pointer shows.

use ide::hover::hover;
use test_support::database::TestDatabase;

use crate::check::{check_hover, check_no_hover, cursor};

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

#[test]
fn a_macro_shows_its_definition_and_what_becomes_of_it() {
    let text = "#define SCALE 3\n#define TWICE(x) ((x) * \\\n    2)\n";
    check_hover(&format!("{text}float f() {{ return SC$0ALE; }}"), &["#define SCALE 3", "here it is\n\n```slang\n3\n"]);
    check_hover(
        &format!("{text}float f() {{ return TW$0ICE(5) + 1; }}"),
        &["#define TWICE(x)", "    2)\n", "((5) *", "2)\n```"],
    );
    check_hover(&format!("{text}#ifdef SC$0ALE\n#endif\n"), &["#define SCALE 3"]);
    check_hover(&format!("{text}#undef SCALE\nfloat f(float SCALE) {{ return SC$0ALE; }}"), &["float SCALE"]);
}

#[test]
fn members_show_the_types_that_they_have_here() {
    let types = "struct Box<T> { T content; static const int size = 4; }\n";
    check_hover(
        &format!("{types}float f(Box<float3> b) {{ return b.con$0tent.x; }}"),
        &["float3 content", "in `Box<float3>`"],
    );
    check_hover(
        &format!("{types}int f() {{ return Box<int>::si$0ze; }}"),
        &["static const int size = 4", "in `Box<int>`"],
    );
}

#[test]
fn parts_of_values_and_attributes_of_statements_say_what_they_are() {
    check_hover("float f(DifferentialPair<float> x) { return x.$0p; }", &["float p", "the value of the pair"]);
    check_hover("float f(DifferentialPair<float> x) { return x.$0d; }", &["float d", "the derivative of the pair"]);
    check_hover("float2 f(float3 v) { return v.x$0z; }", &["float2 xz", "components of the vector"]);
    check_hover(
        "void f(float x) { [Max$0Iters(3)] for (int i = 0; i < 3; i++) x *= x; }",
        &["[MaxIters(count)]", "at most this often"],
    );
}

#[test]
fn a_derivative_without_pairs_is_not_shown() {
    let test = TestDatabase::new("float3 f(float3x3 m, float3 v) { return m$0ul(m, v); }");
    let markdown = hover(&test.db, cursor(&test)).expect("there is a hover").markdown;
    assert!(
        markdown.contains("differentiable: the compiler's table") && !markdown.contains("bwd_diff(mul)"),
        "{markdown}"
    );
}
