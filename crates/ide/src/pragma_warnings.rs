//! `#pragma warning (disable : 30081 41022)`: what a source says about warnings, from its line on.
//!
//! The words are slangc's: `disable`, `error`, `once`, `default` (as if nothing were said), `suppress` (on the next line alone),
//! `push` and `pop`. Words and numbers may be macros. Errors stay what they are.

use ::diagnostics::{Code, Severity};
use base_db::{Db, SourceFile, text::FileText};
use hir_def::{expansion, position};
use rustc_hash::{FxHashMap, FxHashSet};
use syntax::TextRange;

use crate::{
    FileRange,
    marks::{self, PRAGMA, WARNING},
};

/// A diagnostic at a range of a file.
type Diagnostic = ::diagnostics::Diagnostic<FileRange>;

/// Macros that stand for others: more are a cycle.
const MAX_EXPANSIONS: usize = 16;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Handling {
    Disable,
    Error,
    Once,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Action {
    /// `None`: as if nothing were said.
    Set(Option<Handling>, Vec<Code>),
    Suppress(Vec<Code>),
    Push,
    Pop,
}

/// What a file says about its warnings.
struct Pragmas<'db> {
    text: &'db FileText,
    /// With the lines on which they end.
    said: Vec<(usize, Action)>,
}

/// Changes diagnostics, which are in the order of their places, as the pragmas before them say.
pub(crate) fn apply(db: &dyn Db, diagnostics: &mut Vec<Diagnostic>) {
    let mut files: FxHashMap<SourceFile, Option<Pragmas<'_>>> = FxHashMap::default();
    let mut seen: FxHashSet<(SourceFile, Code)> = FxHashSet::default();
    diagnostics.retain_mut(|diagnostic| {
        let file = diagnostic.at.file;
        let known = files.entry(file).or_insert_with(|| {
            let text = db.text(file).filter(|_| marks::has_pragmas(db, file))?;
            Some(Pragmas { text, said: pragmas(db, file, text) })
        });
        let Some(Pragmas { text, said }) = known.as_ref().filter(|known| !known.said.is_empty()) else { return true };
        if diagnostic.severity == Severity::Error {
            return true;
        }
        let line = text.rope().try_byte_to_line(diagnostic.at.range.start().into()).unwrap_or_default();
        match handling(said, line, diagnostic.code) {
            None => true,
            Some(Handling::Disable) => false,
            Some(Handling::Once) => seen.insert((file, diagnostic.code)),
            Some(Handling::Error) => {
                diagnostic.severity = Severity::Error;
                true
            }
        }
    });
}

/// What is said about a code on a line.
fn handling(pragmas: &[(usize, Action)], line: usize, code: Code) -> Option<Handling> {
    let mut current = None;
    let mut saved = Vec::new();
    for (at, action) in pragmas.iter().take_while(|(at, _)| *at < line) {
        match action {
            Action::Set(handling, codes) if codes.contains(&code) => current = *handling,
            Action::Suppress(codes) if at + 1 == line && codes.contains(&code) => return Some(Handling::Disable),
            Action::Set(..) | Action::Suppress(_) => {}
            Action::Push => saved.push(current),
            Action::Pop => current = saved.pop().unwrap_or(current),
        }
    }
    current
}

/// The pragmas of a file that count, with the lines on which they end.
fn pragmas(db: &dyn Db, file: SourceFile, text: &FileText) -> Vec<(usize, Action)> {
    let rope = text.rope();
    let inactive: Vec<TextRange> = file
        .segments(db)
        .iter()
        .flat_map(|segment| expansion::inactive(db, *segment))
        .map(|location| position::absolute(db, location).1)
        .collect();
    let mut macros: FxHashMap<String, String> = FxHashMap::default();
    let mut found = Vec::new();
    let mut logical = String::new();
    for (number, line) in rope.lines().enumerate() {
        let line = line.to_string();
        let line = line.trim_end_matches(['\n', '\r']);
        if let Some(continued) = line.strip_suffix('\\') {
            logical.push_str(continued);
            logical.push(' ');
            continue;
        }
        logical.push_str(line);
        let whole = std::mem::take(&mut logical);
        let Some(directive) = whole.trim_start().strip_prefix('#').map(str::trim_start) else { continue };
        let start = rope.line_to_byte(number);
        if inactive.iter().any(|range| range.start() <= (start as u32).into() && range.end() > (start as u32).into()) {
            continue;
        }
        if let Some((name, value)) = directive.strip_prefix("define").and_then(object_macro) {
            macros.insert(name.to_owned(), value.to_owned());
        } else if let Some(said) = directive.strip_prefix(PRAGMA).map(str::trim_start).and_then(warning) {
            found.extend(actions(said, &macros).map(|action| (number, action)));
        }
    }
    found
}

/// The name and the text of a macro without parameters.
fn object_macro(rest: &str) -> Option<(&str, &str)> {
    let rest = rest.strip_prefix([' ', '\t'])?.trim_start();
    let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
    let (name, value) = rest.split_at(end);
    (!name.is_empty() && !value.starts_with('(')).then(|| (name, value.trim()))
}

/// What stands between the parentheses of `warning (…)`.
fn warning(rest: &str) -> Option<&str> {
    let said = rest.strip_prefix(WARNING)?.trim_start().strip_prefix('(')?;
    Some(said.split_once(')').map_or(said, |(said, _)| said))
}

fn actions<'a>(said: &'a str, macros: &'a FxHashMap<String, String>) -> impl Iterator<Item = Action> + 'a {
    said.split(';').filter_map(move |part| {
        let (word, codes) = part.split_once(':').unwrap_or((part, ""));
        let words = expanded(word, macros);
        let codes: Vec<Code> = expanded(codes, macros)
            .iter()
            .filter_map(|number| number.trim_start_matches(['E', 'e']).parse().ok().map(Code))
            .collect();
        Some(match words.first()?.as_str() {
            "disable" => Action::Set(Some(Handling::Disable), codes),
            "error" => Action::Set(Some(Handling::Error), codes),
            "once" => Action::Set(Some(Handling::Once), codes),
            "default" => Action::Set(None, codes),
            "suppress" => Action::Suppress(codes),
            "push" => Action::Push,
            "pop" => Action::Pop,
            _ => return None,
        })
    })
}

/// The words of a text, with macros in their places.
fn expanded(text: &str, macros: &FxHashMap<String, String>) -> Vec<String> {
    let mut words: Vec<String> = split(text);
    for _ in 0..MAX_EXPANSIONS {
        if !words.iter().any(|word| macros.contains_key(word)) {
            break;
        }
        words = words.into_iter().flat_map(|word| macros.get(&word).map_or(vec![word], |text| split(text))).collect();
    }
    words
}

fn split(text: &str) -> Vec<String> {
    text.split([' ', '\t', ',']).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}
