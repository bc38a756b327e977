//! Typing a declaration into a finished file, character by character: what is said is about that declaration, and about
//! those that use it.
//!
//! `TYPING_STEP=1` in the environment types every declaration of the files and not only some.

use std::path::Path;

use base_db::{RootDatabase, SourceFile, documents::Documents};
use ide::{
    diagnostics::{Diagnostic, Severity, diagnostics},
    symbols::document_symbols,
};
use test_support::database::with_core_library;

/// Programs of one file, of different kinds.
const FILES: [&str; 10] = [
    "programs/bits",
    "programs/color",
    "programs/control_flow",
    "programs/existentials",
    "programs/generics",
    "programs/lambda_derivatives",
    "programs/members",
    "programs/methods_properties",
    "samples/soft_shadow",
    "programs/kalman_filter",
];

/// Declarations are typed up to here, and then pasted: a long body says nothing new.
const TYPED: usize = 160;

/// Errors elsewhere in ten keystrokes, at most. Those that there are: an unclosed `{` of a type is missed where the type
/// ends for the reader, some lines further down, and a word in capitals may be a macro that belongs to the next line.
const MOST_IN_TEN: usize = 3;

struct Session {
    db: RootDatabase,
    documents: Documents,
    file: SourceFile,
}

impl Session {
    const PATH: &str = "/typed.slang";

    fn open(text: &str) -> Session {
        let (mut db, mut documents) = with_core_library();
        let file = documents.open(&mut db, Self::PATH, text);
        Session { db, documents, file }
    }

    fn errors(&self) -> Vec<Diagnostic> {
        let mut found = diagnostics(&self.db, self.file);
        found.retain(|diagnostic| diagnostic.severity == Severity::Error);
        found
    }
}

/// The declarations at the top level of a text: name and range.
fn declarations(text: &str) -> Vec<(String, std::ops::Range<usize>)> {
    let session = Session::open(text);
    let symbols = document_symbols(&session.db, session.file);
    symbols.into_iter().map(|symbol| (symbol.name, symbol.range.range.into())).collect()
}

fn is_word_in(text: &str, word: &str) -> bool {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|part| part == word)
}

/// What is said of others while a declaration is typed: a line each.
fn stray_errors(
    text: &str,
    name: &str,
    range: std::ops::Range<usize>,
    others: &[std::ops::Range<usize>],
) -> Vec<String> {
    let declaration = &text[range.clone()];
    let mut rest = text.to_owned();
    rest.replace_range(range.clone(), "");
    let mut session = Session::open(&rest);
    let before = session.errors();
    let mut strays: Vec<String> = Vec::new();
    for (at, character) in declaration.char_indices().take(TYPED) {
        let offset = range.start + at;
        let Session { db, documents, .. } = &mut session;
        documents.edit(db, Session::PATH, offset..offset, character.encode_utf8(&mut [0; 4]));
        let typed = range.start..offset + character.len_utf8();
        let left = range.end - typed.end;
        for error in session.errors() {
            // What is shown at the end of the file is about the last token of it.
            let behind = error.related.iter().find(|related| related.message.contains("where the file ends"));
            let place = std::ops::Range::<usize>::from(behind.map_or(error.at, |related| related.at).range);
            // The end of what is typed is where the next token is missing.
            let next = rest[range.start..].find(|c: char| !c.is_whitespace()).map_or(0, |blank| blank + 1);
            if place.start <= typed.end + next && typed.start <= place.end {
                continue;
            }
            let is_same = |other: &Diagnostic| other.code == error.code && other.message == error.message;
            if before.iter().any(is_same) {
                continue;
            }
            // Where it would be if all were typed.
            let finished = if place.start >= typed.end { place.start + left } else { place.start };
            // Types of what uses it, and of what uses that, are unknown as long as it is: nothing else is.
            let next = others.iter().filter(|other| other.start >= range.end).min_by_key(|other| other.start);
            let in_next = next.filter(|next| next.contains(&finished));
            let in_stranger = in_next.is_some_and(|next| !is_word_in(&text[next.clone()], name));
            let is_syntax = (20_000..21_000).contains(&error.code.0);
            if is_syntax || in_stranger {
                let typed_text = &declaration[..at + character.len_utf8()];
                let line = typed_text.lines().last().unwrap_or_default();
                strays.push(format!("{name}, behind `{line}`: {} {}", error.code, error.message));
            }
        }
    }
    strays
}

#[test]
fn what_is_typed_is_nobody_elses_fault() {
    let step = std::env::var("TYPING_STEP").ok().and_then(|step| step.parse().ok()).unwrap_or(4);
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    let (mut strays, mut keystrokes) = (Vec::new(), 0);
    for file in FILES {
        let text = std::fs::read_to_string(fixtures.join(file).with_extension("slang")).expect("a fixture can be read");
        let declared = declarations(&text);
        for index in (0..declared.len()).step_by(step) {
            let (name, range) = declared[index].clone();
            let others: Vec<_> =
                declared.iter().map(|(_, range)| range.clone()).filter(|other| *other != range).collect();
            keystrokes += range.len().min(TYPED);
            let found = stray_errors(&text, &name, range, &others);
            strays.extend(found.into_iter().map(|stray| format!("{file}: {stray}")));
        }
    }
    let in_ten = 10 * strays.len() / keystrokes;
    assert!(in_ten <= MOST_IN_TEN, "{} in {keystrokes}:\n{}", strays.len(), strays.join("\n"));
}
