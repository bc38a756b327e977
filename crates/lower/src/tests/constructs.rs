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
    let text = "enum E { A } int f() throws E { throw E.A; }";
    assert!(unsupported(text, "f").contains("`throw`"));
    let text = "float f(float x) { __target_switch { case cpp: __intrinsic_asm \"cbrt($0)\"; } }";
    assert!(unsupported(text, "f").contains("`__intrinsic_asm`"));
}
