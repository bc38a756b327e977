//! Variants in other engines than the interpreter: those of programs whose entry point `main` writes to one buffer, `result`.

use std::{
    path::{Path, PathBuf},
    rc::Rc,
};

use super::{
    Original, Summary, Wrong,
    edit::{Edit, apply},
    reduce,
};
use crate::{
    engines::{Comparison, Depth, Engine, Program, compare},
    programs::WORDS,
};

/// Variants that are compared together: those of one file often become the same code.
const BATCH: usize = 64;

/// What the programs declare, and what stands in front of them where engines are compared.
const RESULT: &str = "RWStructuredBuffer<float> result;";

/// Variants that wait for their turn.
pub(crate) struct InEngines<'e> {
    engines: &'e [Engine],
    waiting: Vec<Variant>,
}

struct Variant {
    file: PathBuf,
    number: u64,
    original: Rc<Original>,
    edits: Vec<Edit>,
}

impl Variant {
    fn program(&self, edits: &[Edit]) -> Program {
        Program {
            name: format!("{}, variant {}", self.file.display(), self.number),
            text: apply(&self.original.text, edits).text.replacen(RESULT, "", 1),
            entry: "main".to_owned(),
            values: None,
            inputs: Vec::new(),
            results: WORDS,
            shares_unit: false,
        }
    }
}

/// Whether the one thing outside of a program is the buffer `result`.
fn has_one_buffer(text: &str) -> bool {
    let has_entry = text.contains("void main(");
    let others = ["Buffer<", "Texture", "import ", "cbuffer", "ParameterBlock<", "uniform ", "groupshared"];
    let rest = text.replacen(RESULT, "", 1);
    has_entry && rest.len() < text.len() && !others.iter().any(|other| rest.contains(other))
}

impl<'e> InEngines<'e> {
    pub(crate) fn new(engines: &'e [Engine]) -> InEngines<'e> {
        InEngines { engines, waiting: Vec::new() }
    }

    /// Takes a variant that does in the interpreter what it should.
    pub(crate) fn take(
        &mut self,
        file: &Path,
        number: u64,
        original: &Rc<Original>,
        edits: Vec<Edit>,
        summary: &mut Summary,
    ) {
        if self.engines.is_empty() || original.behaviour.results.is_err() || !has_one_buffer(&original.text) {
            return;
        }
        summary.for_engines += 1;
        self.waiting.push(Variant { file: file.to_owned(), number, original: Rc::clone(original), edits });
        if self.waiting.len() == BATCH {
            self.compare(summary);
        }
    }

    /// Runs what waits.
    pub(crate) fn compare(&mut self, summary: &mut Summary) {
        let waiting = std::mem::take(&mut self.waiting);
        let programs: Vec<Program> = waiting.iter().map(|variant| variant.program(&variant.edits)).collect();
        let Comparison { compared, disagreements, .. } = compare(&programs, self.engines, Depth::Turns);
        summary.in_engines += compared;
        for disagreement in disagreements {
            let variant = &waiting[disagreement.program];
            let fails = |edits: &[Edit]| {
                let alone = compare(&[variant.program(edits)], self.engines, Depth::All);
                alone.disagreements.iter().any(|other| other.place == disagreement.place)
            };
            // What the original does, too, no edit is to blame for.
            let edits = if fails(&[]) { Vec::new() } else { reduce::reduce(variant.edits.clone(), fails) };
            let text = apply(&variant.original.text, &edits).text;
            summary.wrong.push(Wrong {
                file: variant.file.clone(),
                number: variant.number,
                what: disagreement.to_string(),
                transformations: edits.iter().map(|edit| edit.transformation).collect(),
                diff: reduce::diff(&variant.original.text, &text),
                text,
            });
        }
    }
}
