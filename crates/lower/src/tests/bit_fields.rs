//! The numbers and layouts are those of the reference compiler's C++ output.

use super::{int, run, unsupported};

const S: &str = "struct S { int foo : 8; uint bar : 24; }\n";

#[test]
fn a_signed_field_wraps_and_extends_its_sign() {
    let text = format!("{S} int f(int x) {{ S s = {{}}; s.foo = x; s.foo *= 2; return s.foo; }}");
    assert_eq!(run(&text, "f", &[int(123)]), [-10.0]);
}

#[test]
fn an_unsigned_field_wraps_and_leaves_its_neighbour() {
    let text = format!(
        "{S} int2 f(int x) {{ S s = {{}}; s.foo = -3; s.bar = x; s.bar *= 0xffffff; return int2(s.foo, int(s.bar)); }}"
    );
    assert_eq!(run(&text, "f", &[int(4567)]), [-3.0, 16772649.0]);
}

#[test]
fn the_first_field_has_the_lowest_bits() {
    let text = "
struct S { uint a : 4; uint b : 8; uint c : 4; uint d : 16; }
uint f() { S s; s.a = 0x5; s.b = 0xAB; s.c = 0xC; s.d = 0xDEF0; return bit_cast<uint>(s); }";
    assert_eq!(run(text, "f", &[]), [f64::from(0xDEF0_CAB5_u32)]);
}

#[test]
fn fields_share_storage_as_wide_as_their_widest_type() {
    let text = "
struct A { uint8_t a : 4; uint8_t b : 4; uint16_t c : 8; uint16_t d : 8; }
struct B { int8_t a : 7; int8_t b : 7; int c : 10; }
struct C { int64_t foo : 33; int bar : 24; }
struct D { int foo : 24; int bar : 24; }
struct E { int8_t foo : 1; int64_t bar : 63; }
struct F { int8_t foo : 1; int64_t bar : 64; }
int f(int which) {
    switch (which) {
    case 0: return sizeof(A) * 100 + alignof(A);
    case 1: return sizeof(B) * 100 + alignof(B);
    case 2: return sizeof(C) * 100 + alignof(C);
    case 3: return sizeof(D) * 100 + alignof(D);
    case 4: return sizeof(E) * 100 + alignof(E);
    default: return sizeof(F) * 100 + alignof(F);
    }
}";
    let sizes: Vec<f64> = (0..6).flat_map(|which| run(text, "f", &[int(which)])).collect();
    assert_eq!(sizes, [402.0, 804.0, 808.0, 804.0, 808.0, 1608.0]);
}

#[test]
fn a_field_without_bits_ends_the_storage_and_is_zero() {
    let text = "
struct S { int foo : 8; int breaker : 0; int bar : 24; }
int3 f() { S s; s.foo = 123; s.bar = 4567; s.breaker = 9999; return int3(s.foo + s.bar, s.breaker, sizeof(S)); }";
    assert_eq!(run(text, "f", &[]), [4690.0, 0.0, 8.0]);
}

#[test]
fn lists_pass_bit_fields_by() {
    let text = "
struct M { uint a : 10; uint b : 22; uint c; }
uint3 f() { M m = { 7 }; return uint3(m.a, m.b, m.c); }
uint3 g() { M m = M(9); return uint3(m.a, m.b, m.c); }";
    assert_eq!(run(text, "f", &[]), [0.0, 0.0, 7.0]);
    assert_eq!(run(text, "g", &[]), [0.0, 0.0, 9.0]);
}

#[test]
fn bit_fields_are_passed_inout_and_counted_up_in_methods() {
    let text = "
struct S { uint a : 4; int b : 4; [mutating] void next() { a++; this.b--; } }
void add(inout uint x) { x += 14; }
int2 f() { S s = {}; s.next(); add(s.a); s.next(); return int2(int(s.a), s.b); }";
    assert_eq!(run(text, "f", &[]), [0.0, -2.0]);
}

#[test]
fn a_bit_field_fulfils_a_required_property() {
    let text = "
interface I { property int value { get; set; } }
struct S : I { uint other : 4; int value : 5; }
int change<T : I>(inout T t) { t.value = t.value + 17; return t.value; }
int f() { S s = {}; return change(s); }";
    assert_eq!(run(text, "f", &[]), [-15.0]);
}

#[test]
fn a_generic_struct_has_bit_fields() {
    let text = "
struct S<T> { int foo : 8; uint bar : 24; T baz; }
int f() { S<int> s; s.foo = 200; s.bar = 1; s.baz = 5; return s.foo * 10 + s.baz; }";
    assert_eq!(run(text, "f", &[]), [-555.0]);
}

#[test]
fn too_wide_is_an_error_of_the_front_end_only() {
    assert_eq!(unsupported("struct S { int a : 33; } int f() { S s; s.a = 1; return s.a; }", "f"), "");
}
