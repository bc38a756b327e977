//! `spirv_asm { … }`: instructions, whose operands may be values, variables and types of the program around them.
//!
//! Which operands an opcode takes is not looked at; what is not of the program is kept as tokens.

use diagnostics::codes;

use super::{expressions, modifiers, types};
use crate::SyntaxKind::*;
use crate::T;
use crate::parser::Parser;

/// What takes one operand of the program in parentheses.
const FUNCTIONS_OF_VALUES: &[&str] = &[
    "__convertTexel",
    "__imageType",
    "__sampledImageType",
    "__rayPayloadFromLocation",
    "__rayAttributeFromLocation",
    "__rayCallableFromLocation",
];

/// What takes one type of the program in parentheses.
const FUNCTIONS_OF_TYPES: &[&str] = &["__sampledType"];

/// The block in braces. The caller has checked that it begins with one.
pub(super) fn block(p: &mut Parser<'_>) {
    let Some(end) = p.input.matching(p.position).filter(|end| *end > p.position) else {
        modifiers::token_tree(p);
        return;
    };
    let marker = p.start();
    let mut known: Vec<&str> = Vec::new();
    let mut instruction = Instruction::default();
    p.bump_any();
    while p.position < end && !p.at_end() {
        match p.current() {
            T![;] => instruction = Instruction::default(),
            // What was before it is the result, and there is no other.
            T![=] => instruction.has_result = true,
            T![%] if p.input.is_joint(p.position) && p.nth(1) == IDENT => {
                let name = p.input.text(p.position + 1);
                if !known.contains(&name) {
                    if std::mem::replace(&mut instruction.has_result, true) {
                        p.coded_error(
                            codes::UNDEFINED_SPIRV_ID,
                            "no instruction before this one has this id as its result",
                        );
                    }
                    known.push(name);
                }
            }
            DOLLAR | DOLLAR_DOLLAR | T![&] | T![!] => {
                operand(p);
                continue;
            }
            IDENT => {
                let word = p.input.text(p.position);
                if word == "result" {
                    instruction.has_result = true;
                    if p.nth(1) == T![:] && p.nth(2) == DOLLAR_DOLLAR {
                        result(p);
                        continue;
                    }
                } else if p.nth(1) == T!['('] && FUNCTIONS_OF_VALUES.contains(&word) {
                    p.bump_any();
                    p.bump_as(T!['(']);
                    let marker = p.start();
                    expressions::expression(p);
                    marker.complete(p, SPIRV_OPERAND);
                    continue;
                } else if p.nth(1) == T!['('] && FUNCTIONS_OF_TYPES.contains(&word) {
                    p.bump_any();
                    p.bump_as(T!['(']);
                    let marker = p.start();
                    type_operand(p);
                    marker.complete(p, SPIRV_OPERAND);
                    continue;
                }
            }
            _ => {}
        }
        p.bump_any();
    }
    if p.position == end {
        p.bump_any();
    }
    marker.complete(p, SPIRV_ASM_BLOCK);
}

/// `$value`, `&variable`, `!constant`, `$$type`.
fn operand(p: &mut Parser<'_>) {
    let marker = p.start();
    let sign = p.current();
    p.bump_any();
    match sign {
        DOLLAR_DOLLAR => type_operand(p),
        T![!] => _ = expressions::primary(p),
        _ => _ = expressions::postfix(p),
    }
    marker.complete(p, SPIRV_OPERAND);
}

fn type_operand(p: &mut Parser<'_>) {
    let marker = p.start();
    types::postfix_type(p);
    marker.complete(p, TYPE_EXPR);
}

/// `result : $$type`.
fn result(p: &mut Parser<'_>) {
    let marker = p.start();
    p.bump_any();
    p.bump_as(T![:]);
    operand(p);
    marker.complete(p, SPIRV_RESULT);
}

/// What is known of an instruction so far. It has one result: which operand that is, its code would say. So the first
/// id that is new is taken for it.
#[derive(Default)]
struct Instruction {
    has_result: bool,
}
