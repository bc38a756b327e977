use super::{float, int, run, vector};

#[test]
fn arithmetic_converts_as_slang_does() {
    assert_eq!(run("float f(float x, int n) { return x * n + 7 / 2; }", "f", &[float(1.5), int(2)]), [6.0]);
}

#[test]
fn literals_take_the_type_of_their_context() {
    assert_eq!(run("double f() { double a = 1; float b = 2; return a / 4 + b; }", "f", &[]), [2.25]);
}

/// As slangc emits it: what is written without suffix is a `float`.
#[test]
fn literals_have_the_digits_of_their_own_type() {
    let tenth = f64::from(0.1f32);
    assert_eq!(run("double f(double x) { return x * 0.1; }", "f", &[float(1.0)]), [tenth]);
    assert_eq!(run("double g(double x) { return x; } double f() { return g(0.1); }", "f", &[]), [tenth]);
    assert_eq!(run("static const double K = 0.1; double f() { return K; }", "f", &[]), [tenth]);
    assert_eq!(run("double f() { double2 v = double2(0.1, 0.2); return v.x; }", "f", &[]), [tenth]);
    assert_eq!(run("double f() { return 0.1L; }", "f", &[]), [0.1]);
}

#[test]
fn vectors_are_made_from_parts_and_swizzled() {
    let text = "float4 f(float2 a, float b) { float4 v = float4(a.yx, b, 1); v.xz = v.zx; return v; }";
    assert_eq!(run(text, "f", &[vector(&[1.0, 2.0]), float(3.0)]), [3.0, 1.0, 2.0, 1.0]);
}

#[test]
fn components_are_assigned_by_name_and_by_index() {
    let text = "float3 f(float3 v, int i) { v.y = 5; v[i] += 2; v[2] = v[0]; return v; }";
    assert_eq!(run(text, "f", &[vector(&[1.0, 2.0, 3.0]), int(0)]), [3.0, 5.0, 3.0]);
}

#[test]
fn a_scalar_is_spread_over_a_vector() {
    assert_eq!(run("float2 f(float2 v) { return 2 * v + 1; }", "f", &[vector(&[1.0, 3.0])]), [3.0, 7.0]);
}

#[test]
fn structs_nest_and_initialise_from_lists() {
    let text = "
struct Inner { float a; float2 b; }
struct Outer { Inner inner; float c; }
float f(float x) {
    Outer o = { { x, { 2, 3 } }, 4 };
    o.inner.b.y = o.c;
    return o.inner.a + o.inner.b.x * 10 + o.inner.b.y * 100;
}";
    assert_eq!(run(text, "f", &[float(1.0)]), [421.0]);
}

#[test]
fn arrays_are_values() {
    let text = "
float f(int i) {
    float a[3] = { 1, 2, 3 };
    float b[3] = a;
    b[i] = 10;
    return a[i] + b[i] * 100 + b[2] * 10000;
}";
    assert_eq!(run(text, "f", &[int(1)]), [31002.0]);
}

#[test]
fn increments_give_the_value_before_or_after() {
    assert_eq!(run("int f(int i) { int a = i++; int b = ++i; return a * 100 + b * 10 + i; }", "f", &[int(3)]), [355.0]);
}

#[test]
fn compound_assignment_evaluates_its_target_once() {
    let text = "
int next(inout int i) { i += 1; return i; }
int f() { int a[3] = { 0, 0, 0 }; int i = 0; a[next(i)] += 5; return a[1] * 10 + i; }";
    assert_eq!(run(text, "f", &[]), [51.0]);
}

#[test]
fn builtin_functions_are_operations() {
    let text = "float f(float x, float3 v) { return max(x, 2.0) + dot(v, v) + sqrt(x) + abs(-x); }";
    assert_eq!(run(text, "f", &[float(1.0), vector(&[1.0, 2.0, 2.0])]), [13.0]);
}

#[test]
fn bits_and_shifts() {
    assert_eq!(run("uint f(uint x) { return ((x << 4) | 3u) & ~1u ^ 8u; }", "f", &[int(2)]), [42.0]);
}

#[test]
fn static_constants_are_computed_where_they_are_used() {
    let text = "
static const float scale = 2.0 * 3.0;
struct S { static const int count = 4; }
float f(float x) { return x * scale + S.count; }";
    assert_eq!(run(text, "f", &[float(2.0)]), [16.0]);
}

#[test]
fn matrices_are_indexed_by_row() {
    let text = "
float f(float x) {
    float2x2 m = float2x2(1, 2, 3, x);
    m[0][1] = 5;
    float2 v = mul(m, float2(1, 10));
    return v.x + v.y * 1000 + m._m10;
}";
    assert_eq!(run(text, "f", &[float(4.0)]), [43054.0]);
}

#[test]
fn a_type_in_parentheses_casts_what_follows_a_sign_or_stands_in_parentheses() {
    let text = "
struct S { typedef int Whole; typedef float2 Pair; static float half(float x) { return x / 2; } }
float3 f(float x) {
    S.Whole a = (S::Whole) - x;
    S.Whole b = (S::Whole)(x);
    S.Pair c = (S::Pair)(1, x);
    return float3(a + b * 10, c.y, (S::half)(x));
}";
    assert_eq!(run(text, "f", &[float(2.75)]), [18.0, 2.75, 1.375]);
}

#[test]
fn a_conditional_value_is_an_optional_one() {
    let text = "
float or(Optional<float> a, float b) { if (let c = a) return c; return b; }
float f(float x) { Conditional<float, true> a = x; Conditional<float, false> b = x; return or(a, 5) + or(b, 7) * 10; }";
    assert_eq!(run(text, "f", &[float(2.0)]), [72.0]);
}

#[test]
fn integer_literals_take_the_first_type_that_holds_them() {
    // Decimal ones are `int` or `int64_t`; those of other bases may be unsigned.
    assert_eq!(run("double f() { int64_t v = 0x80000000; return double(v); }", "f", &[]), [2_147_483_648.0]);
    assert_eq!(run("double f() { uint64_t v = ~0x80000000; return double(v); }", "f", &[]), [2_147_483_647.0]);
    assert_eq!(run("double f() { return double(3000000000 + 3000000000); }", "f", &[]), [6e9]);
    assert_eq!(run("bool f() { return -9223372036854775808 < 0L && -2147483648 < 0; }", "f", &[]), [1.0]);
}

#[test]
fn constants_wrap_as_their_types_do() {
    assert_eq!(run("static const int c = (int8_t)255; int f() { return c; }", "f", &[]), [-1.0]);
    assert_eq!(run("static const uint8_t c = 300; int f() { int a[c] = {}; return a.getCount(); }", "f", &[]), [44.0]);
}

#[test]
fn a_leading_double_colon_means_what_the_file_declares() {
    let text = "
int value() { return 1; }
static const int size = 20;
struct Kind { static int get() { return 300; } }
struct Holder {
    static const int size = 50;
    struct Kind { static int get() { return 600; } }
    int value() { return 7; }
    int sum() { int array[::size] = {}; return ::value() + array.getCount() + ::Kind::get(); }
}
int f() { Holder holder = {}; return holder.sum(); }";
    assert_eq!(run(text, "f", &[]), [321.0]);
}

#[test]
fn vectors_in_the_list_of_a_vector_stand_for_their_components() {
    let text = "
float weigh(float3 v) { return dot(v, float3(100, 10, 1)); }
float f(float2 a, float b) { float3 v = { b, a }; float2 same = { a }; return weigh({ a, b }) * 1000 + weigh(v) + 0 * same.x; }";
    assert_eq!(run(text, "f", &[vector(&[1.0, 2.0]), float(3.0)]), [123_312.0]);
}

#[test]
fn a_cast_to_void_does_what_its_operand_does() {
    assert_eq!(run("int f(int i) { (void)i++; (void)(i += 2); return i; }", "f", &[int(3)]), [6.0]);
}

#[test]
fn the_last_of_what_commas_divide_is_the_value() {
    let text = "
int count(inout int n) { n += 10; return n; }
float3 f(int n) {
    int x = (count(n), n + 1);
    float2 v = (float2(8, 9), float2(2, 3));
    return float3(x, v);
}";
    assert_eq!(run(text, "f", &[int(3)]), [14.0, 2.0, 3.0]);
}

/// Every chain of up to three selections (swizzles of all lengths, constant and computed indices) on a scalar and on vectors,
/// against the selection worked out on a list of numbers.
#[test]
fn selections_of_selections() {
    const COMPONENTS: [f64; 4] = [2.0, 3.0, 5.0, 7.0];
    /// What is written after a value with so many components, and which of them it selects.
    fn selections(len: usize) -> Vec<(String, Vec<usize>)> {
        let letter = |index: usize| char::from(b"xyzw"[index]);
        let last = len - 1;
        let lists = [vec![0], vec![last], vec![last, 0], vec![0, 0, last], vec![last, last, 0, 0]];
        let swizzles =
            lists.into_iter().map(|list| (format!(".{}", list.iter().map(|i| letter(*i)).collect::<String>()), list));
        let indices = [(format!("[{last}]"), vec![last]), (format!("[n + {last}]"), vec![last])];
        swizzles.chain(indices.into_iter().filter(|_| len > 1)).collect()
    }
    let mut source = String::new();
    let mut expected = Vec::new();
    for len in 1..=4 {
        let value = if len == 1 { "v.x".to_owned() } else { format!("v.{}", &"xyzw"[..len]) };
        let mut chains = vec![(value, (0..len).collect::<Vec<usize>>())];
        for _ in 0..3 {
            let longer = |(text, selected): &(String, Vec<usize>)| {
                let more = selections(selected.len()).into_iter();
                let more = more.map(|(next, of)| (format!("{text}{next}"), of.iter().map(|i| selected[*i]).collect()));
                more.collect::<Vec<_>>()
            };
            chains = chains.iter().flat_map(longer).collect();
            for (text, selected) in &chains {
                if let [only] = selected.as_slice() {
                    source.push_str(&format!(
                        "    if ({text} != {:?}) return {};\n",
                        COMPONENTS[*only],
                        expected.len() + 1
                    ));
                    expected.push(text.clone());
                }
            }
            chains.truncate(60);
        }
    }
    let text = format!("float f(float4 v, int n) {{\n{source}    return 0;\n}}");
    let wrong = run(&text, "f", &[vector(&COMPONENTS), int(0)])[0];
    assert_eq!(wrong, 0.0, "{:?} of {}", expected.get(wrong as usize - 1), expected.len());
}

/// `(S)0` is what `{}` is, as slangc has it: members with initialisers have these values, others are zero.
#[test]
fn a_cast_of_zero_initialises() {
    let declarations = "
struct Inner { float weight = 2.0; float other; }
struct S { int2 a = { 1, 2 }; int2 b; Inner inner; Inner several[2]; }";
    for made in ["(S)0", "{}"] {
        let text = format!(
            "{declarations}
float f(int part) {{
    S s = {made};
    switch (part) {{
    case 0: return s.a.x * 10 + s.a.y;
    case 1: return s.b.x + s.b.y;
    case 2: return s.inner.weight + 10 * s.inner.other;
    default: return s.several[1].weight;
    }}
}}"
        );
        for (part, expected) in [12.0, 0.0, 2.0, 2.0].into_iter().enumerate() {
            assert_eq!(run(&text, "f", &[int(part as i64)]), [expected], "{made}, part {part}");
        }
    }
}
