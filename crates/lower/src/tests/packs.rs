//! Packs run: the numbers follow from arithmetic and calculus.

use hir_def::body::DerivativeOperator::{Backward, Forward};

use super::{float, int, run, run_derivative};
use interp::Value;

const ADD: &str = "void add(inout float sum, float x) { sum += x; }\n";

#[test]
fn a_pattern_is_evaluated_for_each_element_in_order() {
    let text = "
void append(inout int digits, int digit) { digits = digits * 10 + digit; }
int join<each T>(expand each T values) where T == int {
    int digits = 0;
    expand append(digits, each values);
    return digits;
}
int f(int x) { return join(x, 2, 3, 4); }";
    assert_eq!(run(text, "f", &[int(1)]), [1234.0]);
}

#[test]
fn an_expansion_over_nothing_does_nothing() {
    let text = "float sum<each T>(expand each T values) where T == float {
        float total = 7;
        expand add(total, each values);
        return total;
    }
    float f() { return sum(); }";
    assert_eq!(run(&format!("{ADD}{text}"), "f", &[]), [7.0]);
}

#[test]
fn elements_keep_their_own_types() {
    let text = "
interface IArea { float area(); }
struct Square : IArea { float side; float area() { return side * side; } }
struct Box : IArea { float2 sides; float area() { return sides.x * sides.y; } }
float total<each T : IArea>(expand each T shapes) {
    float sum = 0;
    expand add(sum, (each shapes).area());
    return sum;
}
float f(float x) { return total(Square(x), Box(float2(2, 5)), Square(1)); }";
    assert_eq!(run(&format!("{ADD}{text}"), "f", &[float(3.0)]), [20.0]);
}

#[test]
fn an_expansion_becomes_arguments() {
    let text = "
float weigh(float a, int b, float c) { return a + 10 * b + 100 * c; }
float pass<each T>(expand each T values) { return 1; }
float f(float x, int n) {
    let t = makeTuple(x, n);
    return weigh(expand each t, 3) + pass(expand each t, expand each t);
}";
    assert_eq!(run(text, "f", &[float(1.5), int(2)]), [322.5]);
}

#[test]
fn packs_are_passed_on_and_mapped() {
    let text = "
float sum<each T>(expand each T values) where T == float {
    float total = 0;
    expand add(total, each values);
    return total;
}
float squares<each T>(expand each T values) where T == float {
    let doubled = expand (each values) * 2.0;
    return sum(expand (each values) * (each values)) + sum(doubled) + sum(values);
}
float f(float x) { return squares(x, 10.0); }";
    // x² + 100, 2x + 20, x + 10
    assert_eq!(run(&format!("{ADD}{text}"), "f", &[float(3.0)]), [148.0]);
}

#[test]
fn two_packs_are_walked_side_by_side() {
    let text = "
float dot<each T, each U>(Tuple<T> a, Tuple<U> b) where T == float where U == float {
    float sum = 0;
    expand add(sum, (each a) * (each b));
    return sum;
}
float f(float x) { return dot(makeTuple(1.0, x, 2.0), makeTuple(4.0, 5.0, x)); }";
    assert_eq!(run(&format!("{ADD}{text}"), "f", &[float(3.0)]), [25.0]);
}

#[test]
fn packs_of_numbers_are_known_when_their_function_is_specialised() {
    let text = "
void add(inout int sum, int x) { sum += x; }
struct Twice<let N : int> { static int get() { return 2 * N; } }
int sum<let each D : int>(int scale) {
    int s = 0;
    expand add(s, (each D) * scale);
    expand add(s, Twice<each D>.get());
    return s;
}
int f(int x) { return sum<1, 2, 3>(x); }";
    assert_eq!(run(text, "f", &[int(10)]), [72.0]);
}

#[test]
fn queries_of_packs_run() {
    let text = "
int sum<each T>(expand each T values) where T == int {
    int s = 0;
    expand add(s, each values);
    return s;
}
void add(inout int sum, int x) { sum += x; }
int ends<each T>(expand each T values) where T == int where nonempty(T) {
    return __first(values) * 1000 + __last(values) * 100 + sum(__trimFirst(values)) * 10 + sum(__trimLast(values));
}
T last<T, each U>(T a, expand each U rest) where U == T {
    T m = a;
    expand m = each rest;
    return m;
}
int h(int x) { return last(1, 2, x); }
int offset<let each D : int>(int x) where nonempty(D) { return __first(expand (each D) + x) + countof(__trimLast(D)); }
int f(int x) { return ends(x, 2, 3); }
int g(int x) { return offset<10, 20, 30>(x); }";
    assert_eq!(run(text, "f", &[int(1)]), [1000.0 + 300.0 + 50.0 + 3.0]);
    assert_eq!(run(text, "g", &[int(5)]), [17.0]);
    assert_eq!(run(text, "h", &[int(5)]), [5.0]);
}

#[test]
fn a_nested_expansion_walks_its_own_packs() {
    let text = "
float sum<each T>(expand each T values) where T == float {
    float total = 0;
    expand add(total, each values);
    return total;
}
float products<each T, each U>(Tuple<T> a, Tuple<U> b) where T == float where U == float {
    float total = 0;
    expand add(total, (each a) * sum(expand each b));
    return total;
}
float f(float x) { return products(makeTuple(x, 2.0), makeTuple(3.0, 4.0, 5.0)); }";
    assert_eq!(run(&format!("{ADD}{text}"), "f", &[float(1.0)]), [36.0]);
}

#[test]
fn a_tuple_of_a_pack_is_a_field() {
    let text = "
struct Several<each T> {
    Tuple<expand each T> all;
    __init(expand each T values) { all = makeTuple(values); }
}
float f(float x) { let s = Several<float, int, float>(x, 2, 3); return s.all._0 + s.all._1 + s.all._2; }";
    assert_eq!(run(text, "f", &[float(1.5)]), [6.5]);
}

const PRODUCT: &str = "
[Differentiable] void times(inout float product, float x) { product *= x; }
[Differentiable] float product<each T : IDifferentiable>(expand each T values) where T == float {
    float p = 1;
    expand times(p, each values);
    return p;
}
";

#[test]
fn the_forward_derivative_of_a_pack_takes_a_pair_for_each_element() {
    let text = "float f(float x) {
        return fwd_diff(product<float, float, float>)(diffPair(x, 1.0), diffPair(2.0, 0.0), diffPair(5.0, 3.0)).d;
    }";
    // d(xyz) = yz dx + xz dy + xy dz
    assert_eq!(run(&format!("{PRODUCT}{text}"), "f", &[float(7.0)]), [10.0 + 42.0]);
}

#[test]
fn the_backward_derivative_of_a_pack_gives_each_element_its_own() {
    let text = "float3 f(float x) {
        var a = diffPair(x); var b = diffPair(2.0); var c = diffPair(5.0);
        bwd_diff(product<float, float, float>)(a, b, c, 1.0);
        return float3(a.d, b.d, c.d);
    }";
    assert_eq!(run(&format!("{PRODUCT}{text}"), "f", &[float(7.0)]), [10.0, 35.0, 14.0]);
}

#[test]
fn calls_of_functions_with_packs_are_differentiated() {
    let text = "[Differentiable] float f(float x) { return product(x, x, x) + product(x, 4.0); }";
    let text = format!("{PRODUCT}{text}");
    let pair = |p: f64, d: f64| Value::Aggregate([p, d].map(Value::Float).into());
    // x³ + 4x at 2: 16, 3x² + 4 = 16
    assert_eq!(run_derivative(&text, "f", &[Forward], &[pair(2.0, 1.0)]), [16.0, 16.0]);
    assert_eq!(run_derivative(&text, "f", &[Backward], &[pair(2.0, 0.0), float(1.0)]), [2.0, 16.0]);
}

#[test]
fn strings_are_no_elements_of_a_call() {
    let text = "int f(int x) { printf(\"%d %d\\n\", x, 2); return x; }";
    assert_eq!(run(text, "f", &[int(3)]), [3.0]);
}
