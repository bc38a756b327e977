//! Functions of the core library that are ordinary code, or whose arguments convert in ways of their own.

use super::{float, int, run, vector};

#[test]
fn the_smaller_and_larger_of_any_ordered_type() {
    let text = "
struct Number : IComparable {
    int value;
    bool equals(This other) { return value == other.value; }
    bool lessThan(This other) { return value < other.value; }
    bool lessThanOrEquals(This other) { return value <= other.value; }
}
T between<T : IComparable>(T value, T low, T high) { return min(max(value, low), high); }
float f(int a, float b) {
    Number low = { 2 };
    Number high = { 5 };
    Number mine = { a };
    return between(mine, low, high).value + 10 * between(b, 1.0, 3.0);
}";
    assert_eq!(run(text, "f", &[int(9), float(0.5)]), [15.0]);
}

#[test]
fn vectors_keep_their_own_minimum() {
    let text = "float2 f(float2 a, float2 b) { return min(a, b); }";
    assert_eq!(run(text, "f", &[vector(&[1.0, 4.0]), vector(&[2.0, 3.0])]), [1.0, 3.0]);
}

#[test]
fn a_matrix_becomes_a_vector_row_by_row() {
    let text = "float4 f(float4 v) { float2x2 m = (float2x2)v; m[1] *= 10; return (float4)m; }";
    assert_eq!(run(text, "f", &[vector(&[1.0, 2.0, 3.0, 4.0])]), [1.0, 2.0, 30.0, 40.0]);
}

#[test]
fn whatever_has_elements_is_read_and_written_by_index() {
    let text = "
void put<U, T : IRWArray<U>>(inout T array, int index, U value) { array[index] = value; }
U take<U, T : IArray<U>>(T array, int index) { return array[index]; }
float f(float4 v, int i) {
    float list[2] = { 5, 6 };
    float2x2 m = { 1, 2, 3, 4 };
    put(v, i, 7.0);
    put(list, 0, 8.0);
    put(m, 1, float2(9, 10));
    return take(v, i) + 10 * take(list, 0) + 100 * take(m, 1).y;
}";
    assert_eq!(run(text, "f", &[vector(&[0.0; 4]), int(2)]), [1087.0]);
}

#[test]
fn powers_of_two_scale_by_integers_too() {
    let text = "float f(float x, int n) { return ldexp(x, n); }";
    assert_eq!(run(text, "f", &[float(0.75), int(3)]), [6.0]);
}

#[test]
fn half_precision_numbers_convert_by_name() {
    let text = "float f(float x) { half h = f32tof16_(x); return f16tof32(h); }";
    assert_eq!(run(text, "f", &[float(0.333251953125)]), [0.333251953125]);
}

#[test]
fn functions_given_as_text_of_the_target_forward_to_the_core_library() {
    let text = "
[ForwardDerivative(power_forward)]
float power(float exponent, float base) {
    __target_switch {
    case hlsl: __intrinsic_asm \"pow($1, $0)\";
    case cpp: __intrinsic_asm \"$P_pow($1, $0)\";
    }
}
DifferentialPair<float> power_forward(DifferentialPair<float> exponent, DifferentialPair<float> base) {
    return diffPair(power(exponent.p, base.p), exponent.p * power(exponent.p - 1, base.p) * base.d);
}
float f(float x) { return power(3, x) + 100 * fwd_diff(power)(diffPair(3.0), diffPair(x, 1.0)).d; }";
    assert_eq!(run(text, "f", &[float(2.0)]), [1208.0]);
}

/// Numbers of C's library.
#[test]
fn what_only_c_has_near_zero_is_exact() {
    let text = "
float less(float x) { __target_switch { case cuda: return 0; case cpp: __intrinsic_asm \"expm1($0)\"; } }
float log_of(float x) { __target_switch { case cpp: __intrinsic_asm \"log1p(($0))\"; } }
float next(float x, float y) { __target_switch { default: __intrinsic_asm \"nextafterf($0, $1)\"; } }
float4 f(float x) { return float4(less(x), log_of(x), next(x, 1), bwd(x)); }
float bwd(float x) { return fwd_diff(both)(diffPair(x, 1.0)).d; }
[Differentiable] float both(float x) { return less(x) + 2 * log_of(x); }";
    let text = text
        .replace("float less", "[Differentiable] float less")
        .replace("float log_of", "[Differentiable] float log_of");
    for (x, expected) in [
        (0.0f32, [0.0, 0.0, 1e-45, 3.0]),
        (1e-6, [1.0000005e-6, 9.999995e-7, 1.0000001e-6, 2.999999]),
        (-0.25, [-0.22119922, -0.28768207, -0.24999999, 3.4454674]),
        (20.0, [4.851652e8, 3.0445225, 19.999998, 4.851652e8]),
    ] {
        let numbers = run(&text, "f", &[float(x.into())]);
        for (number, expected) in numbers.iter().zip(expected) {
            let close = (number - f64::from(expected as f32)).abs() <= 3e-7 * f64::from(expected as f32).abs();
            assert!(close, "{x}: {numbers:?}");
        }
    }
}

#[test]
fn operators_of_a_type_are_the_methods_of_its_interface() {
    let text = "
struct Number : IArithmetic {
    int value;
    bool equals(This other) { return value == other.value; }
    bool lessThan(This other) { return value < other.value; }
    bool lessThanOrEquals(This other) { return value <= other.value; }
    This add(This other) { return { value + other.value }; }
    This sub(This other) { return { value - other.value }; }
    This mul(This other) { return { value * other.value }; }
    This div(This other) { return { value / other.value }; }
    This mod(This other) { return { value % other.value }; }
    This neg() { return { -value }; }
    __init(int value) { this.value = value; }
    __init(This other) { value = other.value; }
}
int f(int x, int y) {
    Number a = Number(x), b = Number(y);
    Number c = -(a * b + a % b);
    return a < b && a != b ? c.value : 0;
}";
    assert_eq!(run(text, "f", &[int(3), int(5)]), [-18.0]);
}

#[test]
fn bits_are_cut_out_and_put_in() {
    let text = "int f(int x) { return bitfieldExtract(x, 4, 4) + 1000 * int(bitfieldExtract(uint(x), 4, 4)); }";
    // 0xd2 >> 4 is 13, as a signed number of 4 bits -3.
    assert_eq!(run(text, "f", &[int(0x7d2)]), [12997.0]);
    let text = "uint f(uint x) { return bitfieldInsert(x, 0xabu, 8, 8) + bitfieldInsert(x, 7u, 0, 32); }";
    assert_eq!(run(text, "f", &[int(0x1234_5678)]), [f64::from(0x1234_ab78 + 7)]);
}

#[test]
fn numbers_are_packed_into_one_integer() {
    let text = "float4 f(float4 v) { return unpackSnorm4x8ToFloat(packSnorm4x8(v)) * 127; }";
    assert_eq!(run(text, "f", &[vector(&[-1.0, 2.0, 0.5, 0.0])]), [-127.0, 127.0, 64.0, 0.0]);
    let text = "float2 f(float2 v) { return unpackUnorm2x16ToFloat(packUnorm2x16(v)) * 65535; }";
    assert_eq!(run(text, "f", &[vector(&[1.5, 0.2])]), [65535.0, 13107.0]);
    let text = "int4 f(int x) { return unpackInt4x8ToInt32(packInt4x8Clamp(int4(x, -x, 5, -6))); }";
    assert_eq!(run(text, "f", &[int(300)]), [127.0, -128.0, 5.0, -6.0]);
    let text = "float2 f(float2 v) { return unpackHalf2x16ToFloat(packHalf2x16(v)); }";
    assert_eq!(run(text, "f", &[vector(&[1.5, -0.25])]), [1.5, -0.25]);
}

#[test]
fn bytes_are_summed() {
    let text = "int f(uint x, uint y) { return dot4add_i8packed(x, y, 100); }";
    // Bytes 1, 2, 3, -1 and 5, 6, 7, 8: 5 + 12 + 21 - 8.
    assert_eq!(run(text, "f", &[int(0xff03_0201), int(0x0807_0605)]), [130.0]);
    let text = "uint4 f(uint reference, uint2 source) { return msad4(reference, source, uint4(1)); }";
    // The reference counts in its bytes 10 and 20; the source has the bytes 1, 2, 3, 4, 5, 6, 7, 8.
    let source = interp::Value::Aggregate(vec![int(0x0403_0201), int(0x0807_0605)]);
    assert_eq!(run(text, "f", &[int(0x0014_000a), source]), [27.0, 25.0, 23.0, 21.0]);
}

#[test]
fn doubles_come_apart_into_halves() {
    let text = "double f(double x) { uint low, high; asuint(x, low, high); return asdouble(low, high ^ 0x80000000u); }";
    assert_eq!(run(text, "f", &[float(0.1)]), [-0.1]);
}

/// As in slangc's test of structs that are read as others.
#[test]
fn bits_of_all_widths_are_read_as_others() {
    let types = "struct Parts { uint16_t a; uint16_t b; uint c; } struct Whole { uint64_t d; }
        struct Mixed { half h; int8_t s; uint8_t u; half2 pair; }";
    let text = format!(
        "{types} float4 f(uint low, uint high) {{
            Whole whole = {{ (uint64_t(high) << 32) | uint64_t(low) }};
            Parts parts = reinterpret<Parts>(whole);
            Whole back = reinterpret<Whole>(parts);
            return float4(parts.a, parts.b, parts.c >> 16, back.d == whole.d ? 1 : 0);
        }}"
    );
    assert_eq!(run(&text, "f", &[int(0x5566_7788), int(0x1122_3344)]), [30600.0, 21862.0, 4386.0, 1.0]);
    // 1.5, -2, 200, and 0.5 and -4.
    let text = format!(
        "{types} float4 f(uint low, uint high) {{
            Mixed mixed = reinterpret<Mixed>(uint2(low, high));
            uint2 back = reinterpret<uint2>(mixed);
            return float4(mixed.h, mixed.s * 1000 + mixed.u, mixed.pair.x * mixed.pair.y, back.x == low && back.y == high);
        }}"
    );
    assert_eq!(run(&text, "f", &[int(0xc8fe_3e00), int(0xc400_3800_u32 as i64)]), [1.5, -1800.0, -2.0, 1.0]);
}

#[test]
fn floats_come_apart_into_mantissa_and_exponent() {
    let text = "float f(float x) { int e; float m = frexp(x, e); return m + 10 * e; }";
    assert_eq!(run(text, "f", &[float(10.0)]), [40.625]);
    assert_eq!(run(text, "f", &[float(-0.375)]), [-10.75]);
    assert_eq!(run(text, "f", &[float(0.0)]), [0.0]);
}

#[test]
fn numbers_have_neighbours() {
    let text = "float3 f(float3 x, float3 y) { return nextafter(x, y); }";
    let args = [vector(&[1.0, 1.0, 0.0]), vector(&[2.0, 0.0, -1.0])];
    let up = 1.0 + f64::from(f32::EPSILON);
    let down = 1.0 - f64::from(f32::EPSILON) / 2.0;
    assert_eq!(run(text, "f", &args), [up, down, -f64::from(f32::from_bits(1))]);
}

#[test]
fn cooperative_vectors_compare_by_the_first_elements_that_differ() {
    let text = "
int f(float last) {
    CoopVec<float, 3> a = CoopVec<float, 3>(1, 2, 3);
    CoopVec<float, 3> b = CoopVec<float, 3>(1, last, 0);
    int result = 0;
    if (a == b) result += 1;
    if (a != b) result += 10;
    if (a < b) result += 100;
    if (a <= a) result += 1000;
    if (a > b) result += 10000;
    if (a >= b) result += 100000;
    return result;
}";
    assert_eq!(run(text, "f", &[float(5.0)]), [1_110.0]);
    assert_eq!(run(text, "f", &[float(2.0)]), [111_010.0]);
}

#[test]
fn cooperative_vectors_have_the_methods_of_arithmetic() {
    let text = "
T combined<T : IArithmetic>(T a, T b) { return a.mul(b).add(a).sub(b).neg(); }
float3 f(float3 x, float3 y) {
    CoopVec<float, 3> a = CoopVec<float, 3>(x.x, x.y, x.z);
    CoopVec<float, 3> b = CoopVec<float, 3>(y.x, y.y, y.z);
    let c = combined(a, b).div(b).mod(CoopVec<float, 3>(2));
    return float3(c[0], c[1], a.lessThan(b) ? 1 : a.equals(b) ? 2 : 3);
}";
    // -(a b + a - b) / b, and what is left when it is divided by 2.
    let args = [vector(&[1.0, 2.0, 3.0]), vector(&[2.0, 8.0, 4.0])];
    assert_eq!(run(text, "f", &args), [-0.5, -1.25, 1.0]);
}

#[test]
fn tuples_compare_by_the_first_elements_that_differ() {
    let text = "
T larger<T : IComparable>(T a, T b) { return a.lessThan(b) ? b : a; }
int f(int a, float b) {
    let t = makeTuple(a, b);
    let u = makeTuple(1, 3.5f);
    int result = 0;
    if (t.equals(u)) result += 1;
    if (t.lessThan(u)) result += 10;
    if (t.lessThanOrEquals(u)) result += 100;
    if (larger(t, u)._1 == b) result += 1000;
    return result;
}";
    assert_eq!(run(text, "f", &[int(1), float(3.5)]), [1_101.0]);
    assert_eq!(run(text, "f", &[int(1), float(2.5)]), [110.0]);
    assert_eq!(run(text, "f", &[int(0), float(9.5)]), [110.0]);
    assert_eq!(run(text, "f", &[int(2), float(0.0)]), [1_000.0]);
}

#[test]
fn the_sign_of_one_number_is_given_to_another() {
    let text = "float2 f(float2 x, float2 y) { return copysign_float(x, y); }";
    assert_eq!(run(text, "f", &[vector(&[3.0, -4.0]), vector(&[-0.0, 1.0])]), [-3.0, 4.0]);
}

#[test]
fn a_null_pointer_has_a_name() {
    let text = "bool f() { Ptr<int> p = NullPtr(); return p == nullptr; }";
    assert_eq!(run(text, "f", &[]), [1.0]);
}

#[test]
fn glsl_multiplies_columns() {
    let text = "
import glsl;
float4 f(float3 v) {
    mat3x2 m = mat3x2(1, 2, 3, 4, 5, 6);
    vec2 p = m * v;
    vec3 q = vec2(1, 2) * m;
    mat2 s = mat2(1, 2, 3, 4);
    s *= mat2(0, 1, 1, 0);
    return vec4(p, q.y, s[0][1]);
}";
    // The columns are (1, 2), (3, 4), (5, 6).
    assert_eq!(run(text, "f", &[vector(&[2.0, 2.5, 3.0])]), [24.5, 32.0, 11.0, 4.0]);
}

#[test]
fn glsl_compares_whole_vectors() {
    let text = "import glsl; float f(float3 a, float3 b) { return (a == b ? 1 : 0) + (a != b ? 10 : 0); }";
    assert_eq!(run(text, "f", &[vector(&[1.0, 2.0, 3.0]), vector(&[1.0, 2.0, 3.0])]), [1.0]);
    assert_eq!(run(text, "f", &[vector(&[1.0, 2.0, 3.0]), vector(&[1.0, 2.0, 4.0])]), [10.0]);
}

#[test]
fn glsl_inverts_matrices() {
    let product = |size: u32, elements: &str| {
        format!(
            "import glsl;
            mat{size} f() {{ mat{size} m = mat{size}({elements}); return matrixCompMult(m * inverse(m), mat{size}(1.0)); }}"
        )
    };
    let near_identity = |size: u32, found: &[f64]| {
        let elements = found.iter().enumerate();
        elements.for_each(|(index, element)| {
            let wanted = if (index as u32).is_multiple_of(size + 1) { 1.0 } else { 0.0 };
            assert!((element - wanted).abs() < 1e-5, "{size}: {found:?}");
        });
    };
    near_identity(2, &run(&product(2, "1, 2, 3, 5"), "f", &[]));
    near_identity(3, &run(&product(3, "1, 2, 3, 0, 4, 5, 1, 0, 6"), "f", &[]));
    near_identity(4, &run(&product(4, "2, 1, 3, 1, 0, 4, 5, 2, 1, 0, 6, 3, 2, 2, 1, 7"), "f", &[]));
}

#[test]
fn glsl_has_functions_of_its_own() {
    let text = "
import glsl;
float4 f(float x, float y) {
    uint high; uint low;
    umulExtended(0xdeadbeefu, 0xcafebabeu, high, low);
    int highest; int lowest;
    imulExtended(-5, 7, highest, lowest);
    return vec4(mod(x, y), high == 0xb092ab7bu && low == 0x88cf5b62u ? 1 : 0, highest * 100 + lowest, findMSB(40) + 10 * bitCount(7));
}";
    // 0xdeadbeef * 0xcafebabe = 0xb092ab7b88cf5b62.
    assert_eq!(run(text, "f", &[float(-1.0), float(3.0)]), [2.0, 1.0, -135.0, 35.0]);
}
