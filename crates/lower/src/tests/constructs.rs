use super::{float, int, run, unsupported};

#[test]
fn types_and_functions_inside_functions_run() {
    let text = "
int f(int x) {
    struct Counter { int n; [mutating] void add(int by) { n += by; } }
    int twice(int y) { return y * 2; }
    struct { int a; int b; } pair;
    Counter c = { x };
    c.add(twice(5));
    pair.a = c.n;
    pair.b = 100;
    return pair.a + pair.b;
}";
    assert_eq!(run(text, "f", &[int(3)]), [113.0]);
}

#[test]
fn the_arm_for_cpp_or_the_default_is_taken() {
    let text = "
int f(int x) {
    __target_switch {
    case hlsl: return 1;
    case cpp:
    case cuda: x += 10; break;
    default: return 2;
    }
    __target_switch { case glsl: return 3; default: x += 100; }
    return x;
}";
    assert_eq!(run(text, "f", &[int(5)]), [115.0]);
}

#[test]
fn tuples_compare_element_by_element_and_swizzle() {
    let text = "
int f(int a, float b) {
    Tuple<int, float> t = makeTuple(a, b);
    Tuple<int, float> u = makeTuple(0, 0.0);
    u._1_0 = t._1_0;
    Tuple<int, float> w = makeTuple(2, 3.0);
    return (t == u ? 1 : 0) + (t < w ? 10 : 0) + (t >= w ? 100 : 0) + (t != w ? 1000 : 0);
}";
    assert_eq!(run(text, "f", &[int(2), float(2.5)]), [1011.0]);
    assert_eq!(run(text, "f", &[int(2), float(3.0)]), [101.0]);
    assert_eq!(run(text, "f", &[int(3), float(0.0)]), [1101.0]);
}

#[test]
fn what_does_not_run_yet_is_named() {
    let text = "float f(float x) { __target_switch { case cpp: __intrinsic_asm \"cbrt($0)\"; } }";
    assert!(unsupported(text, "f").contains("`__intrinsic_asm`"));
}

#[test]
fn what_a_pointer_points_to_is_read() {
    let text = "
float at(Ptr<float> p, float otherwise) { if (p != nullptr) { return *p + 1; } return otherwise; }
float f(float x) { return at(nullptr, x); }";
    assert_eq!(run(text, "f", &[float(3.0)]), [3.0]);
}

#[test]
fn a_pointer_as_a_number_is_its_address() {
    let text =
        "int f(int x) { Ptr<int> p = Ptr<int>(x); return int(uintptr_t(p)) + int(uint64_t((int*)uint64_t(1000))); }";
    assert_eq!(run(text, "f", &[int(42)]), [1042.0]);
}

#[test]
fn bits_are_taken_for_as_many_bits_only() {
    let text = "uint f(uint64_t x) { return bit_cast<uint>(x); }";
    assert!(unsupported(text, "f").contains("`bit_cast` between types of different size"));
}

#[test]
fn a_type_may_not_hold_the_interface_that_it_conforms_to() {
    let text = "
interface IShape { float area(); }
struct Pair : IShape { IShape first; float area() { return first.area(); } }
float f(IShape shape) { return shape.area(); }";
    assert!(unsupported(text, "f").contains("conforms to `IShape`"));
}

#[test]
fn constructors_start_from_the_initial_values_of_the_fields() {
    let text = "
struct S { int a = 3; int b = 4; int c; __init(int x) { b += x; c = a; } }
int f(int x) { S s = S(x); return s.a * 100 + s.b * 10 + s.c; }";
    assert_eq!(run(text, "f", &[int(1)]), [353.0]);
}

#[test]
fn a_constructor_may_return_the_whole_value() {
    let text = "
struct S {
    int a;
    __init(int x) { if (x > 0) { this.a = 2 * x; return this; } this.a = 1; return; }
    __init() { return S(5); }
}
int f(int x) { return S(x).a * 100 + S().a; }";
    assert_eq!(run(text, "f", &[int(3)]), [610.0]);
    assert_eq!(run(text, "f", &[int(-3)]), [110.0]);
}

#[test]
fn cases_of_a_flags_enum_are_powers_of_two() {
    let text = "
[Flags] enum F { None = 0, A, B, C, Other = 5, D }
[Flags] enum G { A, B }
int f() { return ((int)F.A) + 10 * (int)F.B + 100 * (int)F.C + 1000 * (int)F.D + 100000 * (int)(G.A | G.B); }";
    assert_eq!(run(text, "f", &[]), [1.0 + 20.0 + 400.0 + 10_000.0 + 300_000.0]);
}

#[test]
fn what_a_deferred_statement_defers_runs_last() {
    let text = "
int f(int x) { int r = x; { defer defer r = r * 10; defer r = r + 2; r = r + 1; } return r; }";
    assert_eq!(run(text, "f", &[int(4)]), [70.0]);
}

#[test]
fn a_static_variable_in_a_function_has_its_first_value_once() {
    let text = "
int next(int by) { static int total = 3 + 4; total += by; return total; }
int f(int x) { next(x); return next(x); }";
    assert_eq!(run(text, "f", &[int(10)]), [27.0]);
}

#[test]
fn an_enum_of_bools_is_switched_on() {
    let text = "
enum E : bool { No = false, Yes = true }
int pick(E e) { switch (e) { case E::No: return 10; case E::Yes: return 20; } return -1; }
int f(int x) { return pick(x > 0 ? E::Yes : E::No); }";
    assert_eq!(run(text, "f", &[int(1)]), [20.0]);
    assert_eq!(run(text, "f", &[int(-1)]), [10.0]);
}

#[test]
fn the_bits_of_a_struct_are_read_as_another() {
    let text = "
struct A { int n; float x; }
struct B { uint2 words; }
int f() { A a = { 7, 1.0 }; B b = bit_cast<B>(a); return b.words.x + (b.words.y == 0x3f800000u ? 100 : 0); }";
    assert_eq!(run(text, "f", &[]), [107.0]);
}

#[test]
fn sizes_follow_natural_layout() {
    let text = "
struct A { float a; double b; }
int f() { return sizeof(A) + 100 * alignof(A) + 1000 * sizeof(A[3]) + 1000000 * sizeof(float3); }";
    assert_eq!(run(text, "f", &[]), [16.0 + 800.0 + 48_000.0 + 12_000_000.0]);
}

#[test]
fn what_is_done_with_another_type_need_not_make_sense_with_this_one() {
    let text = "
interface IArea { int area(); }
struct Square : IArea { int side; int area() { return side * side; } }
int measure<T>(T x) where optional T : IArea { if (T is IArea) { return x.area(); } return T is float ? 1 : 2; }
int f(int x) { return measure(Square(x)) * 100 + measure(1.0) * 10 + measure(x); }";
    assert_eq!(run(text, "f", &[int(3)]), [912.0]);
}

#[test]
fn a_compile_time_loop_is_its_body_for_each_number() {
    let text = "
int f(int x) { int r = 0; $for (i in Range(2, 5)) { r = r * 10 + i; } $for (i in Range(0, 0)) r = -1; return r + x; }";
    assert_eq!(run(text, "f", &[int(1000)]), [1234.0]);
}

#[test]
fn jumps_in_a_compile_time_loop_are_about_the_loop_around_it() {
    let text = "
int f() { int s = 0; for (int k = 0; k < 3; k++) { $for (i in Range(0, 4)) { if (i > k) break; s += 1; } s += 100; } return s; }
int g() { int s = 0; for (int k = 0; k < 3; k++) { $for (i in Range(0, 4)) { if (i > k) continue; s += 1; } s += 100; } return s; }
int h(int n) { int s = 0; $for (i in Range(0, 5)) { if (i == n) return s; s += i + 1; } return -1; }";
    // As slangc computes them.
    assert_eq!(run(text, "f", &[]), [1.0]);
    assert_eq!(run(text, "g", &[]), [6.0]);
    assert_eq!(run(text, "h", &[int(2)]), [3.0]);
    assert_eq!(run(text, "h", &[int(9)]), [-1.0]);
}

#[test]
fn pointers_are_compared_with_null() {
    let text = "
struct S { int* p; }
int g(int* p) { return p == nullptr ? 1 : 2; }
int f() { S s = {}; s.p = nullptr; return g(nullptr) * 10 + (s.p != nullptr ? 1 : 2); }";
    assert_eq!(run(text, "f", &[]), [12.0]);
}

#[test]
fn pointers_move_in_steps_of_what_they_point_to() {
    let text = "
struct S { float x; double y; uint8_t z; }
int f(int n) {
    uint64_t a = 1000;
    S* p = (S*)a;
    S* q = p + n;
    S* r = q - 1;
    return int((uint64_t)q) - 1000 + (r < q ? 10000 : 0) + (p == nullptr ? 1 : 0);
}";
    assert_eq!(run(text, "f", &[int(3)]), [10_072.0]);
    assert_eq!(run(text, "f", &[int(-3)]), [9928.0]);
}

#[test]
fn what_an_interface_value_is_can_be_asked_and_taken() {
    let text = "
interface IShape { float area(); }
struct Square : IShape { float side; float area() { return side * side; } }
struct Disc : IShape { float radius; float area() { return 3 * radius * radius; } }
struct Box<T : IShape> { T shape; float side() { if (let square = shape as Square) { return square.side; } return -1; } }
float f(float x, int round) {
    IShape shape = Square(x);
    if (round != 0) shape = Disc(x);
    float result = 0;
    if (let square = shape as Square) { result += square.side; }
    if (let disc = shape as Disc) { result += 10 * disc.radius; }
    if (shape is Disc) { result += 100; }
    Box<Square> known = { { 7 } };
    Box<Disc> other = { { 7 } };
    return result + 1000 * known.side() + 10000 * other.side();
}";
    assert_eq!(run(text, "f", &[float(2.0), int(0)]), [-2998.0]);
    assert_eq!(run(text, "f", &[float(2.0), int(1)]), [-2880.0]);
}
