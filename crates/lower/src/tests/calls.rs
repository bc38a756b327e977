use super::{float, int, run, unsupported};

#[test]
fn parameters_go_in_and_come_out() {
    let text = "
float g(float a, out float b, inout float c) { b = a * 2; c += a; return a; }
float f(float x) { float b; float c = 100; float r = g(x, b, c); return r + b * 10 + c * 1000; }";
    assert_eq!(run(text, "f", &[float(1.0)]), [101021.0]);
}

#[test]
fn what_comes_out_is_stored_in_parts() {
    let text = "
void set(out float v) { v = 7; }
float f(int i) { float3 v = float3(1, 2, 3); set(v.y); float a[2] = { 0, 0 }; set(a[i]); return v.y * 10 + a[1]; }";
    assert_eq!(run(text, "f", &[int(1)]), [77.0]);
}

#[test]
fn methods_read_and_change_their_receiver() {
    let text = "
struct Counter {
    int n;
    int twice() { return n * 2; }
    [mutating] void add(int k) { n += k; this.n += 1; }
    static int zero() { return 0; }
}
int f() { Counter c = { 5 }; c.add(3); return c.twice() + Counter.zero(); }";
    assert_eq!(run(text, "f", &[]), [18.0]);
}

#[test]
fn constructors_make_values() {
    let text = "
struct P { float x; float y; __init(float v) { x = v; y = v + 1; } }
float f(float v) { P p = P(v); return p.x + p.y * 10; }";
    assert_eq!(run(text, "f", &[float(2.0)]), [32.0]);
}

#[test]
fn properties_and_subscripts_call_their_accessors() {
    let text = "
struct Box {
    float a[2];
    property float first { get { return a[0]; } set { a[0] = newValue * 2; } }
    __subscript(int i) -> float { get { return a[i]; } set { a[i] = newValue + 1; } }
}
float f() { Box b; b.first = 3; b[1] = 4; b[1] += 10; return b.first + b[1] * 100; }";
    assert_eq!(run(text, "f", &[]), [1606.0]);
}

#[test]
fn operators_of_the_user() {
    let text = "
struct C { float re; float im; }
C operator+(C a, C b) { return { a.re + b.re, a.im + b.im }; }
float f() { C a = { 1, 2 }; C b = { 3, 4 }; C c = a + b; return c.re + c.im * 10; }";
    assert_eq!(run(text, "f", &[]), [64.0]);
}

#[test]
fn default_arguments() {
    assert_eq!(
        run("int g(int a, int b = 2 + 3) { return a * 10 + b; } int f() { return g(1) + g(1, 1); }", "f", &[]),
        [26.0]
    );
}

#[test]
fn interface_values_dispatch_on_their_type() {
    let text = "
interface IShape { float area(); }
struct Square : IShape { float side; float area() { return side * side; } }
struct Rect : IShape { float a; float b; float area() { return a * b; } }
float f(bool c) {
    IShape s;
    if (c) { Square q = { 3 }; s = q; } else { Rect r = { 2, 5 }; s = r; }
    return s.area();
}";
    assert_eq!(run(text, "f", &[interp::Value::Bool(true)]), [9.0]);
    assert_eq!(run(text, "f", &[interp::Value::Bool(false)]), [10.0]);
}

#[test]
fn what_is_not_supported_is_said_by_name() {
    let message = unsupported("float g(float x);\nfloat f(float x) { return g(x); }", "f");
    assert_eq!(message, "`g`, which has no body, is not supported yet");
}

#[test]
fn what_fulfils_a_requirement_may_leave_an_inout_parameter_alone() {
    let interface = "
interface IStep { [mutating] int step(inout int y); }
struct Reader : IStep { int x; int step(int y) { return x + y; } }
struct Writer : IStep { int x; [mutating] int step(inout int y) { x += y; y = 1000; return x; } }";
    let known = format!(
        "{interface}
int both<T : IStep>(T f, inout int y) {{ return f.step(y) + y; }}
int f() {{ int y = 10; return both(Reader(1), y) + 100 * both(Writer(2), y); }}"
    );
    // 11 + 10, then 100 * (12 + 1000).
    assert_eq!(run(&known, "f", &[]), [101_221.0]);
    let dynamic = format!(
        "{interface}
int f(int writes) {{ int y = 10; IStep either = Reader(1); if (writes != 0) either = Writer(2); return either.step(y); }}"
    );
    assert!(unsupported(&dynamic, "f").contains("another signature than its requirement"));
}
