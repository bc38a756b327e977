use super::*;
use crate::words::{stride_in_memory, value_from_words, value_to_words};

/// The type of the one input of `@f`.
fn with_type(items: &str, ty: &str) -> (ir::verify::VerifiedModule, ir::TypeId) {
    let module = module(&format!("{items} func @f(%a: {ty}) -> () {{ return }}"));
    let ty = module.funcs[module.func_named("f").unwrap()].inputs[0].ty;
    (module, ty)
}

fn check(items: &str, ty: &str, value: Value, words: &[u32]) {
    let (module, ty) = with_type(items, ty);
    assert_eq!(value_to_words(&module, ty, &value).unwrap(), words);
    assert_eq!(value_from_words(&module, ty, words), value);
}

#[test]
fn layout_is_natural_without_padding() {
    let one = 0x3f80_0000;
    check("", "f32x3", floats(&[1.0, -2.0, 0.5]), &[one, 0xc000_0000, 0x3f00_0000]);
    check("", "[f32x3; 2]", Value::Aggregate(vec![floats(&[1.0; 3]), floats(&[0.0; 3])]), &[one, one, one, 0, 0, 0]);
    check("", "f64", Value::Float(1.5), &[0, 0x3ff8_0000]);
    check("", "u16x2", ints(&[0x5678, 0x1234]), &[0x1234_5678]);
    check("", "i8", Value::Int(-2), &[0xfe]);
    check("", "bool", Value::Bool(true), &[1]);
    check("", "f16x2", floats(&[1.0, -2.0]), &[0xc000_3c00]);
    let s = "struct $S { a: u8, b: u16, c: f64, d: bool }";
    let value = Value::Aggregate(vec![Value::Int(1), Value::Int(2), Value::Float(1.5), Value::Bool(true)]);
    check(s, "$S", value, &[0x0002_0001, 0, 0, 0x3ff8_0000, 1]);
}

/// Only from one element to the next, alignment asks for more than the fields take.
#[test]
fn what_follows_a_struct_stands_in_its_padding() {
    let one = 0x3f80_0000;
    let items =
        "struct $Inner { wide: f64, narrow: f32 } struct $Outer { inner: $Inner, list: [$Inner; 2], after: f32 }";
    let inner = || floats(&[1.5, 1.0]);
    check(items, "$Inner", inner(), &[0, 0x3ff8_0000, one]);
    let outer = Value::Aggregate(vec![inner(), Value::Aggregate(vec![inner(), inner()]), Value::Float(1.0)]);
    let element = [0, 0x3ff8_0000, one, 0];
    let words = [&element[..], &element, &element[..3], &[one]].concat();
    check(items, "$Outer", outer, &words);
    for (ty, stride) in [("$Inner", 16), ("$Outer", 48)] {
        let (module, ty) = with_type(items, ty);
        assert_eq!(stride_in_memory(&module, ty), stride);
    }
}

#[test]
fn interface_values_carry_the_id_of_their_type() {
    let items = "struct $A { x: f32 } struct $B { x: f32, y: f32x2 } sum !I { 4: $A, 9: $B }";
    let a = Value::Sum(Some((0, Box::new(floats(&[1.0])))));
    check(items, "!I", a, &[0, 0, 4, 0, 0x3f80_0000, 0, 0]);
    let (module, ty) = with_type(items, "!I");
    assert_eq!(stride_in_memory(&module, ty), 28);
    let b = value_from_words(&module, ty, &[7, 7, 9, 0, 0x3f80_0000, 0, 0x3f80_0000]);
    let payload = Value::Aggregate(vec![Value::Float(1.0), floats(&[0.0, 1.0])]);
    assert_eq!(b, Value::Sum(Some((1, Box::new(payload)))));
}

#[test]
fn an_interface_says_how_large_its_payload_is() {
    let items = "struct $A { x: f32 } sum !I { 0: $A } payload 10 sum !J { 0: $A } payload 0";
    let (module, ty) = with_type(items, "!I");
    // 16 bytes of header and 10 of payload, in whole words.
    assert_eq!(stride_in_memory(&module, ty), 28);
    let (module, ty) = with_type(items, "!J");
    assert_eq!(stride_in_memory(&module, ty), 20);
}

#[test]
fn missing_words_are_zero_and_wrong_values_have_none() {
    let (module, ty) = with_type("", "u32x2");
    assert_eq!(value_from_words(&module, ty, &[7]), ints(&[7, 0]));
    assert_eq!(value_to_words(&module, ty, &ints(&[7])), None);
    let (module, ty) = with_type("", "[[f32; 65536]; 65536]");
    let too_large = value_from_words(&module, ty, &[7]);
    assert_eq!(value_to_words(&module, ty, &too_large), None);
}
