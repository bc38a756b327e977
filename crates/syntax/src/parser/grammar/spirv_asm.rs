//! `spirv_asm { … }`: instructions, whose operands may be values, variables and types of the program around them.
//!
//! Which operands an opcode takes is not looked at, but for whether it has a result; what is not of the program is kept as
//! tokens.

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

/// The instructions of SPIR-V, in alphabetical order.
const OPCODES: &str = include_str!("spirv_opcodes.txt");

/// Those that code of functions has and that give no result.
const WITHOUT_RESULT: &[&str] = &[
    "OpAtomicStore",
    "OpBranch",
    "OpBranchConditional",
    "OpCapability",
    "OpControlBarrier",
    "OpCopyMemory",
    "OpCopyMemorySized",
    "OpDecorate",
    "OpDecorateId",
    "OpEmitMeshTasksEXT",
    "OpEmitStreamVertex",
    "OpEmitVertex",
    "OpEndPrimitive",
    "OpEndStreamPrimitive",
    "OpExecuteCallableKHR",
    "OpExecutionMode",
    "OpExecutionModeId",
    "OpExtension",
    "OpImageWrite",
    "OpKill",
    "OpLine",
    "OpLoopMerge",
    "OpMemberDecorate",
    "OpMemberName",
    "OpMemoryBarrier",
    "OpName",
    "OpNoLine",
    "OpNop",
    "OpReturn",
    "OpReturnValue",
    "OpSelectionMerge",
    "OpSetMeshOutputsEXT",
    "OpStore",
    "OpSwitch",
    "OpTerminateInvocation",
    "OpTraceRayKHR",
    "OpUnreachable",
];

/// What Slang makes one or several instructions of, by the types of the operands.
const OWN_INSTRUCTIONS: &[&str] = &["__truncate"];

fn is_opcode(word: &str) -> bool {
    static ALL: std::sync::LazyLock<Vec<&str>> = std::sync::LazyLock::new(|| OPCODES.lines().collect());
    ALL.binary_search(&word).is_ok() || OWN_INSTRUCTIONS.contains(&word)
}

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
            T![=] => instruction = Instruction { has_result: true, has_opcode: false, is_assigned: true },
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
                p.bump_any();
            }
            DOLLAR | DOLLAR_DOLLAR | T![&] | T![!] => {
                operand(p);
                continue;
            }
            IDENT => {
                let word = p.input.text(p.position);
                if word == "result" {
                    instruction.has_result = true;
                    if is_before_another(p, end) {
                        p.coded_error(
                            codes::MISPLACED_SPIRV_RESULT,
                            "only the last instruction of the block gives its result",
                        );
                    }
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
                } else if !std::mem::replace(&mut instruction.has_opcode, true) {
                    opcode(p, word, &instruction);
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

/// E29100, E29117: the word that says what an instruction does.
fn opcode(p: &mut Parser<'_>, word: &str, instruction: &Instruction) {
    if !is_opcode(word) {
        p.coded_error(codes::UNKNOWN_SPIRV_OPCODE, "this is not an instruction of SPIR-V");
    } else if instruction.is_assigned && WITHOUT_RESULT.contains(&word) {
        p.coded_error(codes::SPIRV_WITHOUT_RESULT, "this instruction has no result");
    }
}

/// Whether another instruction follows the one that is read.
fn is_before_another(p: &Parser<'_>, end: usize) -> bool {
    let semicolon = (p.position..end).find(|position| p.input.kind(*position) == T![;]);
    semicolon.is_some_and(|semicolon| semicolon + 1 < end)
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
    has_opcode: bool,
    /// The result stands in front of a `=`.
    is_assigned: bool,
}
