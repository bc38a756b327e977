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

#[test]
fn the_receiver_of_a_method_is_no_parameter() {
    let method = "struct S { float ev(float alpha, float beta) { return alpha; } }\n";
    for (call, parameter) in [("s.ev($0", "float alpha"), ("s.ev(1, $0)", "float beta")] {
        check_signature(
            &format!("{method}float f(S s) {{ return {call}; }}"),
            "float S.ev(float alpha, float beta)",
            parameter,
        );
    }
}

#[test]
fn constructors_show_what_they_take() {
    let types = "struct Plain { float first; int second; }\nstruct Own { float x; __init(float start, int count) { x = start; } }\n";
    check_signature(
        &format!("{types}void f() {{ let p = Plain(1.0, $0); }}"),
        "Plain(float first, int second)",
        "int second",
    );
    check_signature(
        &format!("{types}void f() {{ let p = Own(1.0, $0); }}"),
        "Own(float start, int count)",
        "int count",
    );
}

#[test]
fn generic_arguments_go_to_generic_parameters() {
    let function = "float sized<T : IFloat, let N : int>(T x) { return N; }\n";
    let method = "struct P<V> { static void test<T, int size>(vector<T, size> v) {} }\n";
    for call in ["sized<$0", "sized<$0float, 3>(1.0)"] {
        check_signature(
            &format!("{function}void f() {{ {call}; }}"),
            "float sized<T : IFloat, let N : int>(T x)",
            "T : IFloat",
        );
    }
    check_signature(
        &format!("{function}void f() {{ sized<float, $03>(1.0); }}"),
        "float sized<T : IFloat, let N : int>(T x)",
        "let N : int",
    );
    check_signature(
        &format!("{method}void f() {{ P<int>.test<$0float> }}"),
        "static void P<V>.test<T, let size : int>(vector<T, size> v)",
        "T",
    );
}

#[test]
fn attributes_show_their_parameters() {
    let signature = "numthreads(x: int, y: int = 1, z: int = 1)";
    check_signature("[shader(\"compute\")] [numthreads(8, $0)] void f() { }", signature, "y: int = 1");
    check_signature("[vk::binding($0)] float x;", "vk::binding(binding: int, set: int = 0)", "binding: int");
    check_signature("void f() { [MaxIters($0)] for (int i = 0; i < 3; i++) { } }", "MaxIters(count)", "count");
}

#[test]
fn macros_show_their_parameters() {
    check_signature("#define MIX(a, b) ((a) + (b))\nfloat f() { return MIX(1, $0); }", "MIX(a, b)", "b");
    check_signature("#define MIX(a, b) ((a) + (b))\nfloat f() { return MIX((1, 2), $0", "MIX(a, b)", "b");
}

#[test]
fn subscripts_show_what_they_take() {
    check_signature(
        "struct Grid { __subscript(int row, int column) -> float { get { return 1; } } }\nfloat f(Grid g) { return g[1, $0]; }",
        "float Grid[int row, int column]",
        "int column",
    );
    check_signature(
        "struct Table<T> { __subscript(int row) -> T { get { return {}; } } }\nhalf f(Table<half> t) { return t[$01]; }",
        "half Table<half>[int row]",
        "int row",
    );
}

#[test]
fn lambdas_show_their_parameters() {
    check_signature(
        "float f() { let shade = (float x, int n) => x * n; return shade(1, $0); }",
        "float shade(float x, int n)",
        "int n",
    );
}

#[test]
fn generic_types_show_their_parameters() {
    let types = "struct Grid<T : IFloat, let N : int> { T first; }\n";
    check_signature(&format!("{types}Grid<float, $0> g;"), "Grid<T : IFloat, let N : int>", "let N : int");
    check_signature(&format!("{types}void f(Grid<$0float, 3> g) {{ }}"), "Grid<T : IFloat, let N : int>", "T : IFloat");
    check_signature(
        &format!("{types}void f() {{ Grid<vector<float, 2>, $03> g; }}"),
        "Grid<T : IFloat, let N : int>",
        "let N : int",
    );
}

#[test]
fn default_values_are_shown() {
    check_signature(
        "float fade(float x, float from = 0.5, int n = 2) { return x; }\nfloat f() { return fade(1, $0); }",
        "float fade(float x, float from = 0.5, int n = 2)",
        "float from = 0.5",
    );
}

#[test]
fn call_operators_and_members_of_generic_types_show_what_they_are_here() {
    check_signature(
        "struct F { float operator()(float x, int n) { return x; } }\nfloat f(F g) { return g(1, $0); }",
        "float F.operator()(float x, int n)",
        "int n",
    );
    check_signature(
        "struct Box<T> { T v; T pick(T other, int n) { return v; } }\nfloat f(Box<float> b) { return b.pick(1, $02); }",
        "float Box<float>.pick(float other, int n)",
        "int n",
    );
}

#[test]
fn what_no_declaration_says_is_shown() {
    for (call, label, parameter) in [
        ("float a[3]; a[$00];", "float float[3][int index]", "int index"),
        ("float2 a; a[$00];", "float float2[int index]", "int index"),
        ("float2(0, $01);", "float2(float x, float y)", "float y"),
        ("float3($01, 2, 3);", "float3(float x, float y, float z)", "float x"),
        ("vector<float, 3>($01);", "float3(float x, float y, float z)", "float x"),
        ("float2x2($01);", "float2x2(float2 row0, float2 row1)", "float2 row0"),
        (
            "DifferentialPair<float>(1, $02);",
            "DifferentialPair<float>(float primal, float.Differential differential)",
            "float.Differential differential",
        ),
        ("Optional<int>($01);", "Optional<int>(int value)", "int value"),
        (
            "df.fwd_diff($0);",
            "DifferentialPair<float> fwd_diff(df)(DifferentialPair<float> x, int n)",
            "DifferentialPair<float> x",
        ),
        (
            "df.bwd_diff($0);",
            "void bwd_diff(df)(inout DifferentialPair<float> x, int n, float dResult)",
            "inout DifferentialPair<float> x",
        ),
    ] {
        let text = format!("[Differentiable] float df(float x, int n) {{ return x; }}\nvoid t() {{ {call} }}");
        check_signature(&text, label, parameter);
    }
}

#[test]
fn vectors_and_numbers_show_what_they_are_made_of() {
    check_signature("void f() { float3 v = float3(1, $0); }", "float3(float x, float y, float z)", "float y");
    check_signature("void f(float x) { int i = int($0x); }", "int(value)", "value");
}
