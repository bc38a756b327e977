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
