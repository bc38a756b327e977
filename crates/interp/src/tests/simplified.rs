//! Rewrite rules of `ir::simplify`, exhaustively at the values where they could go wrong: the simplified function gives
//! what the function gave.

use ir::{BinaryOp, Scalar, UnaryOp, print::print_module, simplify};

use super::*;

/// The values at which rules could go wrong.
fn special_values(scalar: Scalar) -> Vec<Value> {
    let (low, high) = match scalar {
        Scalar::Bool => return vec![Value::Bool(false), Value::Bool(true)],
        Scalar::F16 | Scalar::F32 | Scalar::F64 => {
            let values = [0.0, -0.0, 1.0, -1.0, 2.5, f64::INFINITY, f64::NEG_INFINITY, f64::NAN];
            return values.map(Value::Float).to_vec();
        }
        Scalar::I8 => (-128, 127),
        Scalar::U8 => (0, 255),
        Scalar::I32 => (i32::MIN.into(), i32::MAX.into()),
        Scalar::U32 => (0, u32::MAX.into()),
        _ => (0, 1),
    };
    [0, 1, 2, 3, -1, low, high].into_iter().filter(|value| (low..=high).contains(value)).map(Value::Int).collect()
}

fn constant(value: &Value) -> String {
    match value {
        Value::Bool(value) => value.to_string(),
        Value::Int(value) => value.to_string(),
        Value::Float(value) if value.is_nan() => "nan".into(),
        Value::Float(value) => format!("{value:?}"),
        other => panic!("{other:?}"),
    }
}

/// NaNs are equal, zeros of different sign are not.
fn same(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Float(left), Value::Float(right)) => {
            (left.is_nan() && right.is_nan()) || left.to_bits() == right.to_bits()
        }
        (left, right) => left == right,
    }
}

/// Compares `@f` before and after simplification.
fn check(text: &str, inputs: &[Vec<Value>]) {
    let before = module(text);
    let mut after = before.clone();
    after.change(simplify::simplify_module).unwrap();
    let func = before.func_named("f").unwrap();
    for args in inputs {
        let run = |module: &VerifiedModule| {
            Machine::new(module, Precision::Declared, Limits::default()).call(func, args).unwrap()
        };
        let (expected, found) = (run(&before), run(&after));
        let equal = expected.iter().zip(&found).all(|(expected, found)| same(expected, found));
        assert!(equal, "{args:?}: {expected:?}, then {found:?}\n{text}\n{}", print_module(&after));
    }
}

fn fits(op: BinaryOp, scalar: Scalar) -> bool {
    match op {
        BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem => scalar != Scalar::Bool,
        BinaryOp::Less | BinaryOp::LessEqual | BinaryOp::Greater | BinaryOp::GreaterEqual => scalar != Scalar::Bool,
        BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => !scalar.is_float(),
        BinaryOp::Shl | BinaryOp::Shr => scalar.is_integer(),
        BinaryOp::Equal | BinaryOp::NotEqual => true,
    }
}

#[test]
fn binary_operators_with_special_constants() {
    for scalar in [Scalar::F32, Scalar::F16, Scalar::I32, Scalar::U32, Scalar::I8, Scalar::U8, Scalar::Bool] {
        let values = special_values(scalar);
        let inputs: Vec<Vec<Value>> = values.iter().map(|value| vec![value.clone()]).collect();
        for &op in BinaryOp::ALL.iter().filter(|&&op| fits(op, scalar)) {
            let (ty, op_word) = (scalar.word(), op.word());
            let result = if op.is_comparison() { "bool" } else { ty };
            let constants: String = values
                .iter()
                .enumerate()
                .map(|(index, value)| format!("%c{index}: {ty} = const {}\n", constant(value)))
                .collect();
            let mut ops = format!("%same: {result} = {op_word} %x, %x\n");
            let mut names = vec!["%same".to_owned()];
            let mut add = |name: String, operands: String| {
                ops.push_str(&format!("{name}: {result} = {op_word} {operands}\n"));
                names.push(name);
            };
            for left in 0..values.len() {
                add(format!("%l{left}"), format!("%c{left}, %x"));
                add(format!("%r{left}"), format!("%x, %c{left}"));
                for right in 0..values.len() {
                    add(format!("%k{left}_{right}"), format!("%c{left}, %c{right}"));
                }
            }
            let results: Vec<String> = (0..names.len()).map(|index| format!("r{index}: {result}")).collect();
            let text = format!(
                "func @f(%x: {ty}) -> ({}) {{ {constants} {ops} return {} }}",
                results.join(", "),
                names.join(", ")
            );
            check(&text, &inputs);
        }
    }
}

#[test]
fn unary_operators_and_conversions_of_special_constants() {
    let scalars =
        [Scalar::F32, Scalar::F16, Scalar::F64, Scalar::I32, Scalar::U32, Scalar::I8, Scalar::U8, Scalar::Bool];
    for from in scalars {
        for value in special_values(from) {
            for to in scalars {
                let text = format!(
                    "func @f() -> (r: {1}) {{ %c: {0} = const {2} %r: {1} = convert %c return %r }}",
                    from.word(),
                    to.word(),
                    constant(&value)
                );
                check(&text, &[vec![]]);
            }
            for &op in UnaryOp::ALL {
                let fits = match op {
                    UnaryOp::Neg => from != Scalar::Bool,
                    UnaryOp::Not => from == Scalar::Bool,
                    UnaryOp::BitNot => from.is_integer(),
                };
                if fits {
                    let text = format!(
                        "func @f(%x: {0}) -> (a: {0}, b: {0}) {{
                            %c: {0} = const {2} %a: {0} = {1} %c %y: {0} = {1} %x %b: {0} = {1} %y return %a, %b }}",
                        from.word(),
                        op.word(),
                        constant(&value)
                    );
                    check(&text, &[vec![value.clone()]]);
                }
            }
        }
    }
}

/// Every way to write into a matrix and to read from it, with indices in and out of bounds.
#[test]
fn parts_that_are_written_and_read() {
    let paths = ["[0]", "[1]", "[%i]", "[%j]", "[0][1]", "[0][%i]", "[1][0]", "[%i][1]", "[%j][%i]"];
    let part = |path: &str| if path.matches('[').count() == 1 { ("f32x2", "%v") } else { ("f32", "%x") };
    let mut inputs = Vec::new();
    for i in -1..3 {
        for j in -1..3 {
            inputs.push(vec![Value::Int(i), Value::Int(j)]);
        }
    }
    for first in paths {
        for second in paths {
            for read in paths {
                let text = format!(
                    "func @f(%i: i32, %j: i32) -> (a: {2}, b: {2}, c: f32x2x2) {{
                        %1: f32 = const 1 %2: f32 = const 2 %3: f32 = const 3 %4: f32 = const 4 %x: f32 = const 5
                        %p: f32x2 = make(%1, %2) %q: f32x2 = make(%3, %4) %v: f32x2 = make(%x, %x)
                        %m: f32x2x2 = make(%p, %q)
                        %n: f32x2x2 = insert %m{first}, {0}
                        %a: {2} = extract %n{read}
                        %o: f32x2x2 = insert %n{second}, {1}
                        %b: {2} = extract %o{read}
                        %c: f32x2x2 = insert %o{read}, %a
                        return %a, %b, %c }}",
                    part(first).1,
                    part(second).1,
                    part(read).0
                );
                check(&text, &inputs);
            }
        }
    }
}
