use super::{float, int, run, unsupported};

#[test]
fn a_local_whose_address_is_taken_lives_in_memory() {
    let text = "
void set(float* p, float v) { *p = v; }
float twice(float x) { let p = &x; *p *= 2; return x; }
float f(float x) {
    float y = x;
    float* p = &y;
    *p += 1;
    float before = y;
    y = 20;
    set(p, *p + 3);
    return before + y * 10 + twice(x) * 1000;
}";
    assert_eq!(run(text, "f", &[float(2.0)]), [3.0 + 230.0 + 4000.0]);
}

#[test]
fn addresses_lead_into_structs_arrays_and_vectors() {
    let text = "
struct S { float a; float2 b[2]; int n; }
void change(S* s) { s->a += 1; s->b[1].y += 2; s->n++; }
float f(int i) {
    S s = { 1, { float2(2, 3), float2(4, 5) }, 6 };
    change(&s);
    float2* b = __getAddress(s.b[0]);
    b[i].x = 7;
    let y = &s.b[0].y;
    *y *= 10;
    return s.a + s.b[1].x * 10 + s.b[1].y * 100 + s.n * 1000 + s.b[0].y * 10000;
}";
    assert_eq!(run(text, "f", &[int(1)]), [2.0 + 70.0 + 700.0 + 7000.0 + 300000.0]);
}

#[test]
fn addresses_of_globals_and_elements_are_walked() {
    let text = "
static float numbers[4];
float f(int n) {
    for (int i = 0; i < 4; i++) { let p = &numbers[i]; *p = i + 1; }
    let first = &numbers[0];
    let second = __getElementPtr(first, 1);
    float sum = 0;
    for (int i = 0; i < n; i++) sum += second[i];
    return sum + ((first + 2) == __getOffsetPtr(second, 1) ? 100 : 0);
}";
    // Past the end there is nothing.
    assert_eq!(run(text, "f", &[int(5)]), [109.0]);
}

#[test]
fn each_turn_of_a_loop_starts_with_the_first_value() {
    let text = "
float f() {
    float sum = 0;
    for (int i = 0; i < 3; i++) { float x = i; let p = &x; *p += 10; let g = () => x; sum += g(); }
    return sum;
}";
    assert_eq!(run(text, "f", &[]), [33.0]);
}

#[test]
fn what_has_no_address_is_said_by_name() {
    assert_eq!(
        unsupported("float f(inout float x) { let p = &x; return *p; }", "f"),
        "the address of this place is not supported yet"
    );
}
