use super::{float, int, run};

#[test]
fn functions_are_specialised() {
    let text = "
T twice<T : __BuiltinArithmeticType>(T x) { return x + x; }
float f(float x, int n) { return twice(x) + twice(n) * 10; }";
    assert_eq!(run(text, "f", &[float(1.5), int(2)]), [43.0]);
}

#[test]
fn requirements_become_the_implementation() {
    let text = "
interface IScale { float scale(float x); static float unit(); }
struct Twice : IScale { float k; float scale(float x) { return x * 2 * k; } static float unit() { return 1; } }
struct Ten : IScale { float scale(float x) { return x * 10; } static float unit() { return 100; } }
float apply<S : IScale>(S s, float x) { return s.scale(x) + S.unit(); }
float f(float x) { Twice a = { 1 }; Ten b; return apply(a, x) + apply(b, x); }";
    assert_eq!(run(text, "f", &[float(1.0)]), [113.0]);
}

#[test]
fn values_are_generic_arguments() {
    let text = "
float sum<let N : int>(float a[N]) { float s = 0; for (int i = 0; i < N; i++) s += a[i]; return s + N * 100; }
float f() { float a[3] = { 1, 2, 3 }; return sum(a); }";
    assert_eq!(run(text, "f", &[]), [306.0]);
}

#[test]
fn generic_structs_with_associated_types() {
    let text = "
interface IHolder { associatedtype Item; Item get(); }
struct Holder : IHolder { typealias Item = float; float v; Item get() { return v; } }
struct Pair<A, B> { A a; B b; }
T.Item take<T : IHolder>(T h) { return h.get(); }
float f() { Holder h = { 4 }; Pair<float, int> p = { take(h), 2 }; return p.a * 10 + p.b; }";
    assert_eq!(run(text, "f", &[]), [42.0]);
}

#[test]
fn default_implementations_of_requirements() {
    let text = "
interface INamed { int id(); int doubled() { return id() * 2; } }
struct A : INamed { int id() { return 4; } }
int ask<T : INamed>(T t) { return t.doubled(); }
int f() { A a; return ask(a); }";
    assert_eq!(run(text, "f", &[]), [8.0]);
}

#[test]
fn an_implementation_takes_more_than_its_requirement_by_defaults() {
    let text = "
interface I { float scaled(float x); }
struct A : I { float c; float scaled(float x, float by = 3, float plus = 4) { return x * by + plus + c; } }
struct B : I { static float scaled(float x, float by = 5) { return x * by; } }
float of<T : I>(T t, float x) { return t.scaled(x); }
float f(float x) { A a = { 100 }; B b = {}; return of(a, x) + of(b, x) * 1000; }";
    assert_eq!(run(text, "f", &[float(2.0)]), [10110.0]);
}

#[test]
fn default_arguments_have_the_types_of_their_function() {
    let text = "
interface IValue { __init(); This plus(This other); }
struct Simple : IValue { int v; __init() { v = 7; } __init(int v) { this.v = v; } Simple plus(Simple other) { return Simple(v + other.v); } }
T sum<T : IValue, let N : int>(T value, T other = T(), int extra[N] = {}) { return value.plus(other); }
int many<let N : int>(float a[N], int count = N * 10) { return count; }
int f() { float a[3] = {}; return sum<Simple, 2>(Simple(5)).v * 100 + many(a); }";
    assert_eq!(run(text, "f", &[]), [1230.0]);
}

/// A constant that one value or another decides, each as long as the condition depends on parameters.
#[test]
fn constants_by_choice() {
    let text = "
        interface IStep { static const int by; }
        struct Two : IStep { static const int by = 2; }
        struct None : IStep { static const int by = 0; }
        struct Next<let v : int> { static const int value = v > 0 ? v + 1 : v - 1; }
        struct Part<S : IStep, let n : int> {
            static const int size = S.by != 0 ? n / S.by : Next<n>.value;
            float a[size];
            int count() { return a.getCount(); }
        }
        int sizes<let n : int>() { float a[(n > 2 ? n : 2) * 2]; return a.getCount(); }
        float f(float x) {
            Part<Two, 7> two; Part<None, 7> rest; float a[Next<-3>.value + 10];
            return two.count() + 10 * rest.count() + 100 * a.getCount() + 1000 * sizes<1>() + 10000 * sizes<3>();
        }";
    assert_eq!(run(text, "f", &[float(0.0)]), [3.0 + 10.0 * 8.0 + 100.0 * 6.0 + 1000.0 * 4.0 + 10000.0 * 6.0]);
}
