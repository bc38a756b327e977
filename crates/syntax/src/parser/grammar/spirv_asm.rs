//! `spirv_asm { … }`: a group without structure, of which the ids alone are looked at.

use diagnostics::codes;

use super::modifiers;
use crate::SyntaxKind::*;
use crate::T;
use crate::parser::Parser;

/// The block in braces. The caller has checked that it begins with one.
pub(super) fn block(p: &mut Parser<'_>) {
    let Some(end) = p.input.matching(p.position).filter(|end| *end > p.position) else {
        modifiers::token_tree(p);
        return;
    };
    let marker = p.start();
    let mut known: Vec<&str> = Vec::new();
    let mut instruction = Instruction::default();
    while p.position <= end && !p.at_end() {
        if p.at(T![;]) {
            instruction = Instruction::default();
        } else if p.at(T![=]) {
            // What was before it is the result, and there is no other.
            instruction.has_result = true;
        } else if p.at(T![%]) && p.input.is_joint(p.position) && p.nth(1) == IDENT {
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
        } else if p.at(IDENT) && p.input.text(p.position) == "result" {
            instruction.has_result = true;
        }
        p.bump_any();
    }
    marker.complete(p, TOKEN_TREE);
}

/// What is known of an instruction so far. It has one result: which operand that is, its code would say. So the first
/// id that is new is taken for it.
#[derive(Default)]
struct Instruction {
    has_result: bool,
}
