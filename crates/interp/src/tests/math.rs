use super::*;

fn math1(name: &str, x: f64) -> f64 {
    match eval(&format!("{name}(%a)"), "f64", "f64", &[Value::Float(x)]) {
        Value::Float(value) => value,
        other => panic!("{other:?}"),
    }
}

fn math(name: &str, args: &[f64]) -> f64 {
    let names = ["%a", "%b", "%c"][..args.len()].join(", ");
    let args: Vec<Value> = args.iter().map(|&arg| Value::Float(arg)).collect();
    match eval(&format!("{name}({names})"), "f64", "f64", &args) {
        Value::Float(value) => value,
        other => panic!("{other:?}"),
    }
}

fn near(left: f64, right: f64) -> bool {
    (left - right).abs() <= 1e-14 * right.abs().max(1.0)
}

/// Identities that tie the functions to each other, at a point where all are defined.
#[test]
fn identities() {
    let x = 0.37;
    assert!(near(math1("sin", x).powi(2) + math1("cos", x).powi(2), 1.0));
    assert!(near(math1("tan", x) * math1("cos", x), math1("sin", x)));
    assert!(near(math1("cosh", x).powi(2) - math1("sinh", x).powi(2), 1.0));
    assert!(near(math1("tanh", x) * math1("cosh", x), math1("sinh", x)));
    for (f, inverse) in [("sin", "asin"), ("cos", "acos"), ("tan", "atan"), ("sinh", "asinh"), ("tanh", "atanh")] {
        assert!(near(math1(inverse, math1(f, x)), x), "{inverse}({f}(x))");
    }
    assert!(near(math1("cosh", math1("acosh", 1.7)), 1.7));
    assert!(near(math1("log", math1("exp", x)), x));
    assert!(near(math1("log2", math1("exp2", x)), x));
    assert!(near(math1("log10", 1000.0), 3.0));
    assert!(near(math1("sqrt", x) * math1("rsqrt", x), 1.0));
    assert_eq!(math1("rcp", 4.0), 0.25);
    assert!(near(math1("degrees", math1("radians", x)), x));
    assert!(near(math("pow", &[2.0, 0.5]), 2.0f64.sqrt()));
    assert!(near(math("atan2", &[1.0, -1.0]), 0.75 * std::f64::consts::PI));
}

#[test]
fn steps_and_bounds() {
    for (x, floor, ceil, trunc, round) in [
        (2.5, 2.0, 3.0, 2.0, 2.0),
        (3.5, 3.0, 4.0, 3.0, 4.0),
        (-2.5, -3.0, -2.0, -2.0, -2.0),
        (-0.2, -1.0, 0.0, 0.0, 0.0),
    ] {
        let found = ["floor", "ceil", "trunc", "round"].map(|name| math1(name, x));
        assert_eq!(found, [floor, ceil, trunc, round]);
    }
    assert!(near(math1("frac", -0.25), 0.75));
    assert_eq!([math1("sign", -3.0), math1("sign", 0.0), math1("sign", f64::NAN)], [-1.0, 0.0, 0.0]);
    assert_eq!([math1("saturate", 2.0), math1("saturate", -1.0), math1("saturate", f64::NAN)], [1.0, 0.0, 0.0]);
    assert_eq!([math("step", &[1.0, 1.0]), math("step", &[1.0, 0.5])], [1.0, 0.0]);
    assert_eq!(math("clamp", &[5.0, 1.0, 3.0]), 3.0);
    assert_eq!(math("max", &[f64::NAN, 3.0]), 3.0);
    assert_eq!(math("fmod", &[-7.5, 2.0]), -1.5);
    assert_eq!(math("copysign", &[3.0, -0.0]), -3.0);
    assert_eq!(math("lerp", &[2.0, 4.0, 0.25]), 2.5);
    assert_eq!(math("smoothstep", &[0.0, 2.0, 1.0]), 0.5);
    assert_eq!(math("fma", &[2.0, 3.0, 4.0]), 10.0);
    assert_eq!(math1("abs", -2.0), 2.0);
}

#[test]
fn vectors() {
    let (a, b) = (floats(&[1.0, 2.0, 3.0]), floats(&[4.0, -5.0, 6.0]));
    let two = |op: &str, result: &str| eval(&format!("{op}(%a, %b)"), "f32x3", result, &[a.clone(), b.clone()]);
    assert_eq!(two("dot", "f32"), Value::Float(12.0));
    assert_eq!(two("cross", "f32x3"), floats(&[27.0, 6.0, -13.0]));
    assert_eq!(eval("length(%a)", "f32x2", "f32", &[floats(&[3.0, 4.0])]), Value::Float(5.0));
    let distance = eval("distance(%a, %b)", "f32x2", "f32", &[floats(&[1.0, 1.0]), floats(&[4.0, 5.0])]);
    assert_eq!(distance, Value::Float(5.0));
    let halves = eval("normalize(%a)", "f64x2", "f64x2", &[floats(&[3.0, 4.0])]);
    assert_eq!(halves, floats(&[0.6, 0.8]));
    // A ray that falls at 45 degrees goes up at 45 degrees.
    let reflected = eval("reflect(%a, %b)", "f32x2", "f32x2", &[floats(&[1.0, -1.0]), floats(&[0.0, 1.0])]);
    assert_eq!(reflected, floats(&[1.0, 1.0]));
    let facing = eval(
        "faceforward(%a, %b, %c)",
        "f32x2",
        "f32x2",
        &[floats(&[0.0, 1.0]), floats(&[0.0, 1.0]), floats(&[0.0, 1.0])],
    );
    assert_eq!(facing, floats(&[-0.0, -1.0]));
    let text = "func @f(%i: f64x2, %n: f64x2, %eta: f64) -> (return: f64x2) {
        %r: f64x2 = refract(%i, %n, %eta) return %r }";
    let ray = |eta| run(text, &[floats(&[0.6, -0.8]), floats(&[0.0, 1.0]), Value::Float(eta)]).remove(0).floats();
    // Snell: the sine is scaled by eta, and the direction stays a unit vector.
    let refracted = ray(0.5);
    assert!(near(refracted[0], 0.3) && near(refracted[1], -(1.0f64 - 0.09).sqrt()));
    assert_eq!(ray(2.0), [0.0, 0.0]);
}

#[test]
fn matrices() {
    let rows = |rows: &[&[f64]]| Value::Aggregate(rows.iter().map(|row| floats(row)).collect());
    let text = "
        func @f(%m: f32x2x3, %v: f32x3, %w: f32x2) -> (a: f32x2, b: f32x3, c: f32x3x2, d: f32x2x2, e: f32) {
            %a: f32x2 = mat_mul(%m, %v)
            %b: f32x3 = mat_mul(%w, %m)
            %c: f32x3x2 = transpose(%m)
            %d: f32x2x2 = mat_mul(%m, %c)
            %e: f32 = determinant(%d)
            return %a, %b, %c, %d, %e
        }";
    let m = rows(&[&[1.0, 2.0, 3.0], &[4.0, 5.0, 6.0]]);
    let results = run(text, &[m, floats(&[1.0, 0.0, -1.0]), floats(&[2.0, 1.0])]);
    assert_eq!(results[0], floats(&[-2.0, -2.0]));
    assert_eq!(results[1], floats(&[6.0, 9.0, 12.0]));
    assert_eq!(results[2], rows(&[&[1.0, 4.0], &[2.0, 5.0], &[3.0, 6.0]]));
    assert_eq!(results[3], rows(&[&[14.0, 32.0], &[32.0, 77.0]]));
    assert_eq!(results[4], Value::Float(14.0 * 77.0 - 32.0 * 32.0));
    let determinant = |m: Value| eval("determinant(%a)", "f64x3x3", "f64", &[m]);
    let permutation = rows(&[&[0.0, 1.0, 0.0], &[1.0, 0.0, 0.0], &[0.0, 0.0, 1.0]]);
    assert_eq!(determinant(permutation), Value::Float(-1.0));
    let singular = rows(&[&[1.0, 2.0, 3.0], &[2.0, 4.0, 6.0], &[0.0, 0.0, 1.0]]);
    assert_eq!(determinant(singular), Value::Float(0.0));
}

#[test]
fn bits() {
    let bit = |name: &str, ty: &str, value: i64| eval(&format!("{name}(%a)"), ty, ty, &[Value::Int(value)]);
    assert_eq!(bit("count_bits", "u32", 0xf0f0), Value::Int(8));
    assert_eq!(bit("count_bits", "i32", -1), Value::Int(32));
    assert_eq!(bit("first_bit_high", "u32", 0x10), Value::Int(4));
    assert_eq!(bit("first_bit_high", "i32", -1), Value::Int(-1));
    assert_eq!(bit("first_bit_high", "i32", -5), Value::Int(2));
    assert_eq!(bit("first_bit_low", "u32", 0x18), Value::Int(3));
    assert_eq!(bit("first_bit_low", "u32", 0), Value::Int(0xffff_ffff));
    assert_eq!(bit("reverse_bits", "u32", 1), Value::Int(0x8000_0000));
    assert_eq!(bit("reverse_bits", "u8", 0b1100_0000), Value::Int(0b11));
    assert_eq!(bit("abs", "i32", i32::MIN.into()), Value::Int(i32::MIN.into()));
    assert_eq!(eval("f16_to_f32(%a)", "u32", "f32", &[Value::Int(0x3c00)]), Value::Float(1.0));
    assert_eq!(eval("f32_to_f16(%a)", "f32", "u32", &[Value::Float(-2.0)]), Value::Int(0xc000));
}

#[test]
fn questions() {
    let bools = |values: &[bool]| Value::Aggregate(values.iter().map(|&value| Value::Bool(value)).collect());
    assert_eq!(eval("all(%a)", "boolx2", "bool", &[bools(&[true, false])]), Value::Bool(false));
    assert_eq!(eval("any(%a)", "boolx2", "bool", &[bools(&[true, false])]), Value::Bool(true));
    assert_eq!(eval("any(%a)", "f32x2", "bool", &[floats(&[0.0, -0.0])]), Value::Bool(false));
    let special = floats(&[f64::NAN, f64::INFINITY, 1.0]);
    for (name, expected) in
        [("is_nan", [true, false, false]), ("is_inf", [false, true, false]), ("is_finite", [false, false, true])]
    {
        assert_eq!(eval(&format!("{name}(%a)"), "f32x3", "boolx3", std::slice::from_ref(&special)), bools(&expected));
    }
}
