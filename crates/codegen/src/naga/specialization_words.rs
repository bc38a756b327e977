//! Specialisation constants in SPIR-V, for which naga's writer has no words: in its module variables of a thread stand for
//! them, whose initial values are the defaults. They are found by their names, and begin with the constants in the end.

use rustc_hash::FxHashMap;

use super::spirv_words::{BOUND, HEADER, OP_NAME, OP_VARIABLE, instructions, literal, push, text};

/// How the names of the variables begin, before the number of the constant and its name.
pub(super) const STAND_IN: &str = "specialization.";

const OP_CONSTANT_TRUE: u32 = 41;
const OP_CONSTANT_FALSE: u32 = 42;
const OP_CONSTANT: u32 = 43;
const OP_DECORATE: u32 = 71;

/// By how much the number of an operation for a specialisation constant is larger.
const SPECIALIZED: u32 = 7;

const DECORATION_NUMBER: u32 = 1;

/// The operations that declare types: annotations stand before them.
const TYPES: std::ops::RangeInclusive<u32> = 19..=39;

/// A variable that stands for a constant.
struct Constant {
    id: u32,
    number: u32,
    name: String,
}

/// Puts the constants into the places of the variables' initial values.
pub(super) fn complete(words: &mut Vec<u32>) {
    let mut stand_ins = FxHashMap::default();
    let mut defaults = FxHashMap::default();
    for (_, op, operands) in instructions(words) {
        match (op, operands) {
            (OP_NAME, &[variable, ref name @ ..]) => {
                let name = text(name);
                if let Some((number, name)) = name.strip_prefix(STAND_IN).and_then(|name| name.split_once('.'))
                    && let Ok(number) = number.parse()
                {
                    let id = words[BOUND] + stand_ins.len() as u32;
                    stand_ins.insert(variable, Constant { id, number, name: name.to_owned() });
                }
            }
            (OP_CONSTANT_TRUE | OP_CONSTANT_FALSE | OP_CONSTANT, &[ty, id, ref value @ ..]) => {
                defaults.insert(id, (op, ty, value.to_vec()));
            }
            _ => {}
        }
    }
    if stand_ins.is_empty() {
        return;
    }
    let old = std::mem::take(words);
    words.extend(&old[..old.len().min(HEADER)]);
    words[BOUND] += stand_ins.len() as u32;
    let mut is_annotated = false;
    for (_, op, operands) in instructions(&old) {
        if !is_annotated && (op == OP_DECORATE || TYPES.contains(&op)) {
            is_annotated = true;
            let mut numbers: Vec<&Constant> = stand_ins.values().collect();
            numbers.sort_unstable_by_key(|constant| constant.id);
            for constant in numbers {
                push(words, OP_DECORATE, &[constant.id, DECORATION_NUMBER, constant.number]);
            }
        }
        match (op, operands) {
            (OP_NAME, &[id, ..]) if stand_ins.contains_key(&id) => {
                let Constant { id, name, .. } = &stand_ins[&id];
                push(words, OP_NAME, &[&[*id], literal(name).as_slice()].concat());
            }
            (OP_VARIABLE, &[pointer, id, class, initial]) if stand_ins.contains_key(&id) => {
                let constant = stand_ins[&id].id;
                let Some((op, ty, value)) = defaults.get(&initial) else {
                    push(words, OP_VARIABLE, operands);
                    continue;
                };
                push(words, op + SPECIALIZED, &[&[*ty, constant], value.as_slice()].concat());
                push(words, OP_VARIABLE, &[pointer, id, class, constant]);
            }
            _ => push(words, op, operands),
        }
    }
}
