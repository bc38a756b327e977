//! Every intrinsic in every target: code, or a refusal that says what is not supported.

use ir::{
    Intrinsic,
    intrinsic::{Derivative, TextureOp},
};

use test_support::modules::module;

use super::emit_text;
use crate::{EmitError, EmitOptions, Emitted, Target, emit};

/// An entry point that uses an intrinsic with so many operands and results. Operations on textures get what one samples
/// with, others numbers: floats where a derivative may be lost.
fn text(intrinsic: Intrinsic, operands: u8, results: u8) -> String {
    let ty = if intrinsic.derivative() == Derivative::Lost { "f32" } else { "i32" };
    let first: &[&str] = match intrinsic {
        Intrinsic::Texture(TextureOp::SampleGrad) => &["%t", "%s", "%at", "%at", "%at"],
        Intrinsic::Texture(_) => &["%t", "%s", "%at"],
        _ => &[],
    };
    let operands = (0..usize::from(operands)).map(|index| first.get(index).copied().unwrap_or("%x"));
    let operands = operands.collect::<Vec<_>>().join(", ");
    let (stored, results) = match results {
        0 => ("%x", String::new()),
        results => {
            let results: Vec<String> = (0..results).map(|index| format!("%r{index}: {ty}")).collect();
            ("%r0", format!("{} = ", results.join(", ")))
        }
    };
    format!(
        "global @t: texture<f32, 2> parameter
         global @s: sampler parameter
         global @out: rwbuffer<{ty}> parameter
         func @f() -> () {{
             %t: texture<f32, 2> = global @t
             %s: sampler = global @s
             %out: rwbuffer<{ty}> = global @out
             %0: u32 = const 0
             %x: {ty} = load %out[%0]
             %at: {ty}x2 = splat %x
             {results}intrinsic {intrinsic}({operands})
             store %out[%0], {stored}
             return
         }}
         entry main @f compute 1, 1, 1"
    )
}

/// Whether a target says what it does, or that it does not.
fn is_answer(intrinsic: Intrinsic, is_text: bool, answer: &Result<Emitted, Vec<EmitError>>) -> bool {
    match answer {
        Ok(emitted) => !is_text || !emitted.text().contains(intrinsic.word()) || !intrinsic.word().contains('.'),
        Err(errors) => errors.iter().all(|error| error.message.contains("support") || error.message.contains("needs")),
    }
}

#[test]
fn each_intrinsic_has_an_answer_from_each_target() {
    let mut wrong = Vec::new();
    for intrinsic in Intrinsic::all() {
        let facts = intrinsic.facts();
        let most = (*facts.operands.end()).min(facts.operands.start() + 3);
        for operands in *facts.operands.start()..=most {
            for results in facts.results.clone() {
                let module = module(&text(intrinsic, operands, results));
                for target in Target::ALL {
                    let answer = emit(&module, target, &EmitOptions::default());
                    if !is_answer(intrinsic, target.is_text(), &answer) {
                        wrong.push(format!("{intrinsic} of {operands} operands: {}: {answer:?}", target.name()));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Those that Slang has besides textures and waves are called there what the source called them.
#[test]
fn slang_gets_its_own_names() {
    for (word, call) in [
        ("nextafter", "nextafter("),
        ("clock_low", "getRealtimeClockLow("),
        ("clock", "getRealtimeClock("),
        ("clock64", "clockARB("),
        ("non_uniform", "NonUniformResourceIndex("),
        ("clip", "clip("),
    ] {
        let intrinsic = Intrinsic::from_word(word).expect("a word");
        let facts = intrinsic.facts();
        let text = emit_text(&text(intrinsic, *facts.operands.start(), *facts.results.start()), Target::Slang);
        assert!(text.contains(call), "{text}");
    }
}
