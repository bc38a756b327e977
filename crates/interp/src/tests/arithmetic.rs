use super::*;

fn int(op: &str, ty: &str, a: i64, b: i64) -> i64 {
    match eval(&format!("{op} %a, %b"), ty, ty, &[Value::Int(a), Value::Int(b)]) {
        Value::Int(value) => value,
        other => panic!("{other:?}"),
    }
}

#[test]
fn integers_wrap() {
    assert_eq!(int("add", "i32", i32::MAX.into(), 1), i64::from(i32::MIN));
    assert_eq!(int("sub", "u32", 0, 1), i64::from(u32::MAX));
    assert_eq!(int("mul", "i8", 100, 3), 44);
    assert_eq!(int("add", "i64", i64::MAX, 1), i64::MIN);
    assert_eq!(int("add", "u16", 65535, 2), 1);
}

#[test]
fn division_is_always_defined() {
    assert_eq!(int("div", "i32", -7, 2), -3);
    assert_eq!(int("rem", "i32", -7, 2), -1);
    assert_eq!(int("div", "u32", 7, 0), 0);
    assert_eq!(int("rem", "i32", 7, 0), 0);
    assert_eq!(int("div", "i32", 7, 0), 0);
    assert_eq!(int("div", "i32", i32::MIN.into(), -1), i64::from(i32::MIN));
    assert_eq!(int("div", "i64", i64::MIN, -1), i64::MIN);
    assert_eq!(int("div", "u64", -1, 2), i64::MAX);
}

#[test]
fn shift_counts_are_masked() {
    assert_eq!(int("shl", "i32", 1, 33), 2);
    assert_eq!(int("shr", "i32", -8, 1), -4);
    assert_eq!(int("shr", "u32", 0xffff_fff8, 1), 0x7fff_fffc);
    // As in C, what is narrower is shifted as 32 bits.
    assert_eq!(int("shl", "u8", 1, 9), 0);
}

#[test]
fn comparisons_know_signs() {
    let less = |ty: &str, a, b| eval("lt %a, %b", ty, "bool", &[Value::Int(a), Value::Int(b)]);
    assert_eq!(less("i32", -1, 1), Value::Bool(true));
    assert_eq!(less("u32", 0xffff_ffff, 1), Value::Bool(false));
    assert_eq!(less("u64", -1, 1), Value::Bool(false));
    let nan = [Value::Float(f64::NAN), Value::Float(0.0)];
    assert_eq!(eval("ge %a, %b", "f32", "bool", &nan), Value::Bool(false));
    assert_eq!(eval("ne %a, %b", "f32", "bool", &nan), Value::Bool(true));
}

#[test]
fn floats_round_to_their_width() {
    let args = [Value::Float(0.1), Value::Float(0.2)];
    let f32_sum = f64::from(0.1f32 + 0.2f32);
    assert_eq!(eval("add %a, %b", "f32", "f32", &args), Value::Float(f32_sum));
    assert_eq!(eval("add %a, %b", "f64", "f64", &args), Value::Float(0.1 + 0.2));
    let f16_sum = half::f16::from_f64(0.1) + half::f16::from_f64(0.2);
    assert_eq!(eval("add %a, %b", "f16", "f16", &args), Value::Float(f16_sum.to_f64()));
    let text = "func @f(%a: f32, %b: f32) -> (return: f32) { %r: f32 = add %a, %b return %r }";
    let in_double = run_with(text, Precision::F64, Limits::default(), &args).unwrap();
    assert_eq!(in_double, [Value::Float(0.1 + 0.2)]);
}

#[test]
fn halves_are_rounded_once() {
    let half = |value: f64| ir::number::half(value).to_f64();
    // 61456 lies between two halves; a little more is nearer to the upper one, even if only the last digits say so.
    assert_eq!(half(61_456.0), 61440.0);
    assert_eq!(half(61_456.000_1), 61472.0);
    assert_eq!(half(-61_456.000_1), -61472.0);
    assert_eq!(half(61_455.999_999), 61440.0);
    assert_eq!(half(1.0 + 2f64.powi(-11)), 1.0);
    assert_eq!(half(1.0 + 2f64.powi(-11) + 2f64.powi(-50)), 1.0 + 2f64.powi(-10));
    assert_eq!(half(1e30), f64::INFINITY);
    assert_eq!(half(2f64.powi(-25) + 2f64.powi(-60)), 2f64.powi(-24));
    assert!(half(f64::NAN).is_nan());
}

#[test]
fn conversions() {
    let convert = |from: &str, to: &str, value| eval("convert %a", from, to, &[value]);
    assert_eq!(convert("f32", "i32", Value::Float(-2.7)), Value::Int(-2));
    assert_eq!(convert("f32", "i32", Value::Float(1e20)), Value::Int(i32::MAX.into()));
    assert_eq!(convert("f32", "u32", Value::Float(f64::NAN)), Value::Int(0));
    assert_eq!(convert("i32", "u32", Value::Int(-1)), Value::Int(u32::MAX.into()));
    assert_eq!(convert("u32", "i8", Value::Int(200)), Value::Int(-56));
    assert_eq!(convert("i32", "f32", Value::Int(16_777_217)), Value::Float(16_777_216.0));
    assert_eq!(convert("i32", "bool", Value::Int(-3)), Value::Bool(true));
    assert_eq!(convert("bool", "f32", Value::Bool(true)), Value::Float(1.0));
    // Just above the middle of two `f32`s; rounding to `f64` first would land on the middle, then go to even.
    let value = (1i64 << 60) + (1 << 36) + 1;
    assert_eq!(convert("i64", "f32", Value::Int(value)), Value::Float(f64::from(value as f32)));
}

#[test]
fn bitcasts_keep_bits() {
    let cast = |from: &str, to: &str, value| eval("bitcast %a", from, to, &[value]);
    assert_eq!(cast("f32", "u32", Value::Float(1.0)), Value::Int(0x3f80_0000));
    assert_eq!(cast("i32", "u32", Value::Int(-1)), Value::Int(u32::MAX.into()));
    assert_eq!(cast("u32x2", "f64", ints(&[0, 0x3ff8_0000])), Value::Float(1.5));
    assert_eq!(cast("f64", "u32x2", Value::Float(1.5)), ints(&[0, 0x3ff8_0000]));
    assert_eq!(cast("u32", "u16x2", Value::Int(0x1234_5678)), ints(&[0x5678, 0x1234]));
}

#[test]
fn aggregates() {
    let text = "
        struct $S { v: f32x3, n: i32 }
        func @f(%i: i32) -> (a: f32, b: f32, c: $S, d: f32x2) {
            %1: f32 = const 1
            %2: f32 = const 2
            %3: f32 = const 3
            %v: f32x3 = make(%1, %2, %3)
            %s: $S = make(%v, %i)
            %a: f32 = extract %v[%i]
            %m: f32x2x3 = make(%v, %v)
            %b: f32 = extract %m[%i][2]
            %c: $S = insert %s[0][%i], %3
            %d: f32x2 = swizzle %v[2, 0]
            return %a, %b, %c, %d
        }";
    let s = |v: &[f64], n| Value::Aggregate(vec![floats(v), Value::Int(n)]);
    let expected = |a: f64, b: f64, c| vec![Value::Float(a), Value::Float(b), c, floats(&[3.0, 1.0])];
    assert_eq!(run(text, &[Value::Int(1)]), expected(2.0, 3.0, s(&[1.0, 3.0, 3.0], 1)));
    // Out of bounds: reads give zero, writes are dropped.
    assert_eq!(run(text, &[Value::Int(2)]), expected(3.0, 0.0, s(&[1.0, 2.0, 3.0], 2)));
    assert_eq!(run(text, &[Value::Int(-1)]), expected(0.0, 0.0, s(&[1.0, 2.0, 3.0], -1)));
}

#[test]
fn wrong_arguments_are_told() {
    let text = "func @f(%a: f32x2) -> () { return }";
    let error = run_with(text, Precision::Declared, Limits::default(), &[Value::Float(1.0)]);
    assert_eq!(error, Err(InterpError::ArgumentMismatch("a".into())));
}
