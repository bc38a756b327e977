//! What a user wants to hear of: severities from settings and the command line, `allow` comments in the source.
//!
//! Errors stay what they are: a program that has one does not mean anything.
//!
//! ```text
//! // slang-analyzer: allow(E41804)
//! buffer[i] = x * x;
//! float unused = 1.0; // slang-analyzer: allow(E41810, E41000)
//! ```

use std::collections::BTreeMap;

use ::diagnostics::{Code, Severity};
use base_db::{Db, SourceFile, text::FileText};
use rustc_hash::FxHashMap;

use crate::{
    FileRange,
    marks::{self, ALLOW},
};

/// A diagnostic at a range of a file.
type Diagnostic = ::diagnostics::Diagnostic<FileRange>;

/// For a code the severity that it is shown with; `None` for one that is not shown.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Severities(pub BTreeMap<Code, Option<Severity>>);

impl Severities {
    /// Gives diagnostics the severities that are set, and takes those away that are off.
    pub fn apply(&self, diagnostics: &mut Vec<Diagnostic>) {
        if self.0.is_empty() {
            return;
        }
        diagnostics.retain_mut(|diagnostic| {
            let wanted = self.wanted(diagnostic.code, diagnostic.severity);
            diagnostic.severity = wanted.unwrap_or(diagnostic.severity);
            wanted.is_some()
        });
    }

    /// The severity that a diagnostic is shown with; `None` for one that is not shown.
    pub fn wanted(&self, code: Code, severity: Severity) -> Option<Severity> {
        match self.0.get(&code) {
            Some(wanted) if severity != Severity::Error => *wanted,
            _ => Some(severity),
        }
    }
}

/// A code of the registry (`E41804`, `41804`).
///
/// # Errors
/// If it is not a number, or none of a diagnostic.
pub fn code(text: &str) -> Result<Code, String> {
    let text = text.trim();
    let number = text.strip_prefix(['E', 'e']).unwrap_or(text).parse().ok().map(Code);
    let known = number.filter(|code| ::diagnostics::entry(*code).is_some());
    known.ok_or_else(|| format!("there is no diagnostic `{text}`; `slang-analyzer explain` lists all"))
}

/// The word of a severity, or `off`.
///
/// # Errors
/// If it is another word.
pub fn level(word: &str) -> Result<Option<Severity>, String> {
    let all = [Severity::Error, Severity::Warning, Severity::Info, Severity::Hint];
    match all.into_iter().find(|severity| severity.word() == word) {
        Some(severity) => Ok(Some(severity)),
        None if word == "off" => Ok(None),
        None => Err(format!("`{word}` is not a severity: use error, warning, info, hint or off")),
    }
}

/// Takes out what comments allow.
pub(crate) fn take_allowed_out(db: &dyn Db, diagnostics: &mut Vec<Diagnostic>) {
    let mut texts: FxHashMap<SourceFile, Option<&FileText>> = FxHashMap::default();
    let mut allowing = |file| {
        let text = texts.entry(file).or_insert_with(|| db.text(file).filter(|_| marks::has_allowances(db, file)));
        *text
    };
    diagnostics.retain(|diagnostic| !allowing(diagnostic.at.file).is_some_and(|text| is_allowed(text, diagnostic)));
}

/// Whether a comment on the line where the diagnostic starts, or right above it, allows it.
fn is_allowed(text: &FileText, diagnostic: &Diagnostic) -> bool {
    if diagnostic.severity == Severity::Error {
        return false;
    }
    let rope = text.rope();
    let line_of = |line: usize| rope.get_line(line).map(|line| line.to_string()).unwrap_or_default();
    let start = rope.try_byte_to_line(diagnostic.at.range.start().into()).unwrap_or_default();
    if allows(&line_of(start), diagnostic.code) {
        return true;
    }
    let above = (0..start).rev().map(line_of).take_while(|line| line.trim_start().starts_with("//"));
    above.into_iter().any(|line| allows(&line, diagnostic.code))
}

fn allows(line: &str, code_of: Code) -> bool {
    let Some((_, comment)) = line.split_once("//") else { return false };
    let Some((_, listed)) = comment.split_once(ALLOW) else { return false };
    let listed = listed.split_once(')').map_or("", |(listed, _)| listed);
    listed.split(',').any(|listed| code(listed) == Ok(code_of))
}
