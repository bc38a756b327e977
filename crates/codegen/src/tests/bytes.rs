//! Values in byte-address buffers: wherever a language would have their parts, they are where the natural layout has them,
//! as slangc does.

use expect_test::{Expect, expect};

use super::emit_text;
use crate::Target;

/// The lines that read or write the buffer, for a value of type `$S`.
fn check(items: &str, expected: Expect) {
    let program = format!(
        "{items}
         global @raw: rwbytes parameter
         func @f(%at: u32, %to: u32) -> () {{
             %raw: rwbytes = global @raw
             %0: $S = byte_load %raw, %at
             byte_store %raw, %to, %0
             return
         }}"
    );
    let mut text = String::new();
    for target in [Target::Hlsl, Target::Cpp, Target::Cuda] {
        text += &format!("{target:?}\n");
        let emitted = emit_text(&program, target);
        let function = emitted.rsplit_once("f(uint at, uint to)").map_or(&emitted[..], |(_, function)| function);
        for line in function.lines().filter(|line| line.contains("Load<") || line.contains("Store(")) {
            text += &format!("{line}\n");
        }
    }
    expected.assert_eq(&text);
}

#[test]
fn what_lies_the_same_is_read_and_written_as_a_whole() {
    check(
        "struct $S { a: f32x3, b: u32, c: [f32; 3] }",
        expect![[r#"
        Hlsl
            raw.Store<S>(to, raw.Load<S>(at));
        Cpp
                raw.Store<S>(to, raw.Load<S>(at));
        Cuda
                raw.Store<S>(to, raw.Load<S>(at));
    "#]],
    );
}

#[test]
fn structs_that_end_in_padding_are_taken_apart() {
    check(
        "struct $Inner { wide: f64, narrow: f32 } struct $S { inner: $Inner, after: f32 }",
        expect![[r#"
        Hlsl
            S value = { raw.Load<Inner>(at), raw.Load<float>(at + 12u) };
        Cpp
                S value = S{raw.Load<Inner>(at), raw.Load<float>(at + 12u)};
        Cuda
                S value = S{raw.Load<Inner>(at), raw.Load<float>(at + 12u)};
    "#]],
    );
}

#[test]
fn vectors_of_which_a_language_aligns_the_whole_are_taken_apart() {
    check(
        "struct $S { a: f32, b: f32x2, c: f32x4 }",
        expect![[r#"
        Hlsl
            raw.Store<S>(to, raw.Load<S>(at));
        Cpp
                raw.Store<S>(to, raw.Load<S>(at));
        Cuda
                S value = S{raw.Load<float>(at), raw.Load<float2>(at + 4u), raw.Load<float4>(at + 12u)};
    "#]],
    );
}

#[test]
fn truth_values_take_a_word() {
    check(
        "struct $S { a: bool, b: boolx2 }",
        expect![[r#"
        Hlsl
            raw.Store<S>(to, raw.Load<S>(at));
        Cpp
                S value = S{bool(raw.Load<uint>(at)), bool2(bool(raw.Load<uint>(at + 4u)), bool(raw.Load<uint>(at + 8u)))};
        Cuda
                S value = S{bool(raw.Load<uint>(at)), bool2(bool(raw.Load<uint>(at + 4u)), bool(raw.Load<uint>(at + 8u)))};
    "#]],
    );
}
