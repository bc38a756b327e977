//! The explanation of each diagnostic: its examples give exactly the diagnostics that they name, and the last one, which
//! shows what to do, none.

use std::fmt::Write as _;

use base_db::{Db as _, RootDatabase, documents::Documents};
use test_support::database::with_core_library;

use diagnostics::{Code, Diagnostic, Entry, codes, entries};
use ide::{FileRange, diagnostics::diagnostics, import_failures::import_failures};
use test_support::fixture::{Annotation, Fixture, line_column};

/// Diagnostics that no block can show: of bytes that are not text, and of the very end of a file.
const CANNOT_BE_SHOWN: [Code; 3] = [codes::INVALID_UTF8, codes::BACKSLASH_AT_END, codes::UNTERMINATED_CONDITIONAL];

/// The Slang blocks of a Markdown text.
fn blocks(markdown: &str) -> Vec<String> {
    let mut blocks = Vec::new();
    let mut open: Option<String> = None;
    for line in markdown.lines() {
        match (&mut open, line) {
            (None, "```slang") => open = Some(String::new()),
            (Some(_), "```") => blocks.extend(open.take()),
            (Some(block), line) => {
                block.push_str(line);
                block.push('\n');
            }
            (None, _) => {}
        }
    }
    assert_eq!(open, None, "a block is not closed");
    blocks
}

/// Whether an annotation means a diagnostic of its file.
fn means(annotation: &Annotation, text: &str, found: &Diagnostic<FileRange>) -> bool {
    annotation.covers(text, found.at.range.into())
        && annotation.severity == found.severity.word()
        && annotation.code.as_deref().and_then(|code| code.parse().ok()) == Some(found.code.0)
        && found.message.contains(&annotation.message)
}

/// What is wrong with a block, for people.
fn check(db: &mut RootDatabase, documents: &mut Documents, block: &str, problems: &mut String) -> usize {
    let fixture = Fixture::parse(block);
    let files: Vec<_> = fixture.files.iter().map(|file| documents.open(db, &file.path, &file.text)).collect();
    let mut expected = 0;
    for (&file, parts) in files.iter().zip(&fixture.files) {
        let is_main = parts.path == "/main.slang";
        expected += parts.annotations.len();
        if !is_main && parts.annotations.is_empty() {
            continue;
        }
        let mut found = diagnostics(db, file);
        found.extend(import_failures(db, file));
        for annotation in &parts.annotations {
            match found.iter().position(|found| means(annotation, &parts.text, found)) {
                Some(index) => drop(found.remove(index)),
                None => writeln!(problems, "{}: nothing like {annotation:?}", parts.path).expect("a string"),
            }
        }
        for found in found {
            let at = line_column(&parts.text, found.at.range.start().into());
            writeln!(
                problems,
                "{} {at:?}: {} {}",
                db.text(file).map_or("", |_| &parts.path),
                found.code,
                found.message
            )
            .expect("a string");
        }
    }
    for file in &fixture.files {
        documents.close(db, &file.path, None);
    }
    expected
}

#[test]
fn examples_give_what_they_say() {
    let (mut db, mut documents) = with_core_library();
    let mut problems = String::new();
    for Entry { code, severity, title, explanation, .. } in entries() {
        let before = problems.len();
        let heading = format!("# {code}: {title}");
        if explanation.lines().next() != Some(heading.as_str()) {
            writeln!(problems, "the heading is not `{heading}`").expect("a string");
        }
        let blocks = blocks(explanation);
        let counts: Vec<usize> =
            blocks.iter().map(|block| check(&mut db, &mut documents, block, &mut problems)).collect();
        let is_shown = !CANNOT_BE_SHOWN.contains(code);
        if counts.last() != Some(&0) || (counts.iter().all(|count| *count == 0) && is_shown) {
            writeln!(problems, "it needs examples with this diagnostic, and at the end one without").expect("a string");
        }
        let named = format!("{} {}: ", severity.word(), code.0);
        if !explanation.contains(&named) && is_shown {
            writeln!(problems, "no example has `{named}`").expect("a string");
        }
        if problems.len() > before {
            writeln!(problems, "    in the explanation of {code}\n").expect("a string");
        }
    }
    assert!(problems.is_empty(), "{problems}");
}

#[test]
fn entries_are_in_the_order_of_their_numbers() {
    let numbers: Vec<u32> = entries().iter().map(|entry| entry.code.0).collect();
    assert!(numbers.is_sorted_by(|a, b| a < b), "{numbers:?}");
}
