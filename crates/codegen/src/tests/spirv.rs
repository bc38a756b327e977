//! SPIR-V, whose instructions are looked at one by one: what validators do not ask for.

use test_support::modules::module;

use crate::{Code, EmitOptions, Interface, Target, emit};

fn words(text: &str, options: &EmitOptions) -> Vec<u32> {
    match emit(&module(text), Target::Spirv, options).expect("it can be written").code {
        Code::Words(words) => words,
        Code::Text(text) => panic!("it is text: {text}"),
    }
}

/// The instructions, each with its operands.
fn instructions(words: &[u32]) -> Vec<(u32, &[u32])> {
    let (mut at, mut found) = (5, Vec::new());
    while let Some(&first) = words.get(at) {
        let end = at + (first >> 16) as usize;
        found.push((first & 0xffff, &words[at + 1..end]));
        at = end;
    }
    found
}

const PROGRAM: &str = "struct $Inner { a: f32, b: f32x3 }
    struct $Data { flag: bool, inner: $Inner, many: [f32; 3], turned: f32x2x3 }
    global @data: constant<$Data> parameter
    global @same: constant<$Data> parameter
    global @out: rwbuffer<f32> parameter
    func @main() -> () {
        %data: constant<$Data> = global @data
        %same: constant<$Data> = global @same
        %out: rwbuffer<f32> = global @out
        %0: u32 = const 0
        %x: $Data = load %data
        %y: $Data = load %same
        %a: f32 = extract %x[1][1][1]
        %b: f32 = extract %y[1][1][1]
        %c: f32 = add %a, %b
        store %out[%0], %c
        return
    }
    entry main @main compute 1, 1, 1";

/// Numbers of instructions.
const TYPES: std::ops::RangeInclusive<u32> = 19..=33;
const CONSTANTS: std::ops::RangeInclusive<u32> = 41..=46;
const DECORATE: u32 = 71;
const MEMBER_DECORATE: u32 = 72;
const OFFSET: u32 = 35;
const ARRAY_STRIDE: u32 = 6;
const MATRIX_STRIDE: u32 = 7;

#[test]
fn output_is_the_same_each_time_and_declares_each_type_and_constant_once() {
    let all = words(PROGRAM, &EmitOptions::default());
    assert_eq!(all, words(PROGRAM, &EmitOptions::default()));
    let instructions = instructions(&all);
    let is_decorated = |id: u32| {
        instructions
            .iter()
            .any(|(op, operands)| matches!(*op, DECORATE | MEMBER_DECORATE) && operands.first() == Some(&id))
    };
    let mut seen = std::collections::HashSet::new();
    for (op, operands) in &instructions {
        let id = if TYPES.contains(op) { operands[0] } else { operands.get(1).copied().unwrap_or_default() };
        // Structs differ by their decorations and names.
        if (TYPES.contains(op) && *op != 30 && !is_decorated(id)) || CONSTANTS.contains(op) {
            let rest: Vec<u32> = operands.iter().copied().filter(|&operand| operand != id).collect();
            assert!(seen.insert((*op, rest.clone())), "{op} {rest:?} is there twice");
        }
    }
}

/// By the rules of `std140` for a host, and with nothing but scalars aligned without one.
#[test]
fn places_in_memory_are_those_of_the_layout() {
    let numbers = |interface| {
        let all = words(PROGRAM, &EmitOptions { interface, ..EmitOptions::default() });
        let (mut offsets, mut strides) = (Vec::new(), Vec::new());
        for (op, operands) in instructions(&all) {
            match (op, operands) {
                (MEMBER_DECORATE, &[_, _, OFFSET, offset]) => offsets.push(offset),
                (DECORATE, &[_, ARRAY_STRIDE, stride]) | (MEMBER_DECORATE, &[_, _, MATRIX_STRIDE, stride]) => {
                    strides.push(stride);
                }
                _ => {}
            }
        }
        offsets.sort_unstable();
        strides.sort_unstable();
        (offsets, strides)
    };
    // `Inner` at 0 and 16; `Data` at 0, 16, 48 and 96; blocks at 0.
    let (offsets, strides) = numbers(Interface::Host);
    assert_eq!(offsets, [0, 0, 0, 0, 16, 16, 48, 96]);
    assert_eq!(strides, [4, 16, 16]);
    // `Inner` at 0 and 4; `Data` at 0, 4, 20 and 32.
    let (offsets, strides) = numbers(Interface::Memory);
    assert_eq!(offsets, [0, 0, 0, 0, 4, 4, 20, 32]);
    assert_eq!(strides, [4, 4, 12]);
}
