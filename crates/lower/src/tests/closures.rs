use super::{float, int, run, unsupported};

#[test]
fn a_lambda_has_copies_of_the_variables_around_it() {
    let text = "
float f(float x) {
    float c = 2;
    let g = (float y) => y * c + x;
    c = 100;
    let h = (float y) => g(y) + c;
    return h(3);
}";
    assert_eq!(run(text, "f", &[float(1.0)]), [107.0]);
}

#[test]
fn a_lambda_in_a_method_has_a_copy_of_this() {
    let text = "
struct S {
    float k;
    float twice() { return k * 2; }
    float m(float x) { let g = (float y) => y * k + this.k + twice(); return g(x); }
}
float f(float x) { S s = { 10 }; return s.m(x); }";
    assert_eq!(run(text, "f", &[float(1.0)]), [40.0]);
}

#[test]
fn lambdas_have_statements_and_parameters_of_all_directions() {
    let text = "
float f(int n) {
    let sum = (int n) => { if (n < 0) return -1.0; float s = 0; for (int i = 1; i <= n; i++) s += i; return s; };
    let both = (inout float a, out float b) => { a += n; b = a * 10; };
    float a = 1; float b;
    both(a, b);
    return sum(n) + sum(-n) + a * 100 + b * 1000;
}";
    assert_eq!(run(text, "f", &[int(4)]), [10.0 - 1.0 + 500.0 + 50000.0]);
}

#[test]
fn static_variables_are_not_copied() {
    let text = "
int f() { static int s = 1; let g = () => s; s = 7; return g(); }";
    assert_eq!(run(text, "f", &[]), [7.0]);
}

#[test]
fn generic_functions_are_specialised_for_lambdas() {
    let text = "
R apply<R, F : IFunc<R, float>>(F g, float x) { return g(x); }
float change<F : IMutatingFunc<float, float>>(inout F g, float x) { return g(x); }
T generic<T : IFloat>(T x) { let g = (T y) => y * x; return g(x); }
float f(float c) {
    var g = (float y) => y - c;
    return apply(g, 5) + change(g, 50) * 10 + apply((float y) => float2(y, c), 7).y * 1000 + generic(c) * 10000;
}";
    assert_eq!(run(text, "f", &[float(2.0)]), [3.0 + 480.0 + 2000.0 + 40000.0]);
}

#[test]
fn lambdas_become_interface_values() {
    let text = "
struct Scale : IFunc<float, float> { float s; float operator()(float x) { return x * s; } }
IFunc<float, float> choose(int i, float c) {
    Scale s = { c };
    if (i == 0) return s;
    if (i == 1) return (float x) => x + c;
    return (float x) => x - c;
}
float change(IMutatingFunc<float, float> g) { return g(1); }
float f(int i) { return choose(i, 10)(4) + change((float x) => x * 100); }";
    assert_eq!(run(text, "f", &[int(0)]), [140.0]);
    assert_eq!(run(text, "f", &[int(1)]), [114.0]);
    assert_eq!(run(text, "f", &[int(2)]), [94.0]);
}

#[test]
fn functions_are_values() {
    let text = "
struct Add : IFunc<float, float> { float k; float operator()(float x) { return x + k; } }
float square(float x) { return x * x; }
float apply(functype(float) -> float g, float x) { return g(x); }
float again(functype(float) -> float g, float x) { return apply(g, apply(g, x)); }
float named<F : IFunc<float, float>>(F g, float x) { return g(x); }
float f(float x) {
    Add add = { 1 };
    let g = square;
    return again(square, x) + g(x) * 100 + apply((float y) => y + 1, x) * 1000 + named(square, x) * 10000
        + apply(add, x) * 100000;
}";
    assert_eq!(run(text, "f", &[float(3.0)]), [81.0 + 900.0 + 4000.0 + 90000.0 + 400000.0]);
}

#[test]
fn the_result_of_a_function_value_is_converted() {
    let text = "
float apply(functype(int) -> float g) { return g(3) / 2; }
float2 two(functype() -> float2 g) { return g(); }
float f() { return apply((int x) => x) + two(() => 2).y * 10; }";
    assert_eq!(run(text, "f", &[]), [21.5]);
}

#[test]
fn what_has_no_value_yet_is_said_by_name() {
    assert_eq!(
        unsupported("float f(IFunc<float> g = () => 1.0) { return g(); } float h() { return f(); }", "h"),
        "a lambda as a default argument is not supported yet"
    );
}

#[test]
fn a_derivative_is_not_lost_on_the_way_of_a_lambda() {
    let program = |rest: &str| {
        format!(
            "struct Box<F : IDifferentiableFunc<float, float>> {{ F f; }}
            struct Any {{ IDifferentiableFunc<float, float> f; }}
            {rest}
            float f(float x) {{ return fwd_diff(g)(diffPair(x, 1.0), diffPair(x, 1.0)).d; }}"
        )
    };
    let field = "a lambda with derivatives as a field of a struct that has none is not supported yet";
    let generic = "[Differentiable] float h<F : IDifferentiableFunc<float, float>>(F f, float x) { Box<F> b = { f }; return b.f(x); }
        [Differentiable] float g(float x, float c) { return h((float y) => y * c, x); }";
    assert_eq!(unsupported(&program(generic), "f"), field);
    let interface = "[Differentiable] float g(float x, float c) { Any a = { (float y) => y * c }; return a.f(x); }";
    assert_eq!(unsupported(&program(interface), "f"), field);
    let returned = "[Differentiable] IDifferentiableFunc<float, float> h(float c) { return (float y) => y * c; }
        [Differentiable] float g(float x, float c) { return h(c)(x); }";
    assert_eq!(
        unsupported(&program(returned), "f"),
        "a lambda with derivatives as the result of a differentiable function is not supported yet"
    );
    let by_hand = "[BackwardDerivative(b)] float h(IDifferentiableFunc<float, float> f, float x) { return f(x); }
        void b(IDifferentiableFunc<float, float> f, inout DifferentialPair<float> x, float d) { x = diffPair(x.p, d); }
        [Differentiable] float g(float x, float c) { return h((float y) => y * c, x); }";
    assert_eq!(
        unsupported(&program(by_hand), "f"),
        "a lambda with derivatives that goes into a function with a derivative of its own is not supported yet"
    );
    // Without copies there is nothing to lose.
    let nothing = "[Differentiable] float h<F : IDifferentiableFunc<float, float>>(F f, float x) { Box<F> b = { f }; return b.f(x); }
        [Differentiable] float g(float x, float c) { return h((float y) => y * y, x) * c; }";
    assert_eq!(run(&program(nothing), "f", &[float(2.0)]), [3.0 * 4.0]);
}
