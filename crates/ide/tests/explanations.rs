//! The explanation of each diagnostic: its examples give exactly the diagnostics that they name, and the last one, which
//! shows what to do, none.

use std::{collections::BTreeMap, fmt::Write as _, ops::Range};

use base_db::{Db as _, RootDatabase, SourceFile, documents::Documents};
use test_support::database::with_core_library;

use diagnostics::{Code, Diagnostic, Entry, Severity, codes, entries};
use ide::{
    FilePosition, FileRange, TextEdit,
    diagnostics::{Fix, diagnostics},
    import_failures::import_failures,
    missing_members::missing_members,
};
use test_support::fixture::{Annotation, Fixture, line_column};

/// Diagnostics that no block can show: of bytes that are not text, and of the very end of a file.
const CANNOT_BE_SHOWN: [Code; 4] =
    [codes::END_OF_FILE_IN_LITERAL, codes::INVALID_UTF8, codes::BACKSLASH_AT_END, codes::UNTERMINATED_CONDITIONAL];

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

/// How often each kind of error is found in the files of a block.
fn errors(db: &RootDatabase, files: &[SourceFile]) -> BTreeMap<Code, usize> {
    let mut errors = BTreeMap::new();
    for &file in files {
        let found = diagnostics(db, file);
        for found in found.iter().filter(|found| found.severity == Severity::Error) {
            *errors.entry(found.code).or_default() += 1;
        }
    }
    errors
}

/// The text after the edits, which must not overlap.
fn edited(text: &str, edits: &[&TextEdit]) -> String {
    let mut edits = edits.to_vec();
    edits.sort_by_key(|edit| edit.at.range.start());
    let mut text = text.to_owned();
    for edit in edits.into_iter().rev() {
        text.replace_range(Range::<usize>::from(edit.at.range), &edit.text);
    }
    text
}

/// Applies each fix of each diagnostic of a block by itself, and says which do not cure what they are offered for, or
/// break something else.
fn check_fixes(db: &mut RootDatabase, documents: &mut Documents, block: &str, problems: &mut String) -> usize {
    let fixture = Fixture::parse(block);
    let files: Vec<_> = fixture.files.iter().map(|file| documents.open(db, &file.path, &file.text)).collect();
    let before = errors(db, &files);
    let mut fixes: Vec<(Diagnostic<FileRange>, Fix)> = Vec::new();
    for &file in &files {
        for found in diagnostics(db, file) {
            let mut offered = found.fixes.clone();
            if found.code == codes::MISSING_REQUIREMENT {
                let at = FilePosition { file, offset: found.at.range.start().into() };
                offered.extend(missing_members(db, at));
            }
            fixes.extend(offered.into_iter().map(|fix| (found.clone(), fix)));
        }
    }
    for (found, fix) in &fixes {
        let same = |other: &Diagnostic<FileRange>| other.code == found.code;
        let count = |db: &RootDatabase| diagnostics(db, found.at.file).iter().filter(|other| same(other)).count();
        let was = count(db);
        for (&file, parts) in files.iter().zip(&fixture.files) {
            let edits: Vec<&TextEdit> = fix.edits.iter().filter(|edit| edit.at.file == file).collect();
            documents.open(db, &parts.path, &edited(&parts.text, &edits));
        }
        let after = errors(db, &files);
        let worse = after.iter().find(|(code, count)| before.get(code).copied().unwrap_or_default() < **count);
        if worse.is_some() || count(db) >= was {
            writeln!(problems, "{} `{}`: {worse:?}\n{}", found.code, fix.title, text(db, files[0])).expect("a string");
        }
        for parts in &fixture.files {
            documents.open(db, &parts.path, &parts.text);
        }
    }
    for file in &fixture.files {
        documents.close(db, &file.path, None);
    }
    fixes.len()
}

fn text(db: &RootDatabase, file: SourceFile) -> String {
    db.text(file).map(|text| text.rope().to_string()).unwrap_or_default()
}

#[test]
fn every_fix_cures_what_it_is_offered_for_and_breaks_nothing() {
    let (mut db, mut documents) = with_core_library();
    let mut problems = String::new();
    let mut count = 0;
    for Entry { explanation, .. } in entries() {
        for block in blocks(explanation) {
            count += check_fixes(&mut db, &mut documents, &block, &mut problems);
        }
    }
    assert!(count > 20, "{count} fixes");
    assert!(problems.is_empty(), "{problems}");
}

#[test]
fn entries_are_in_the_order_of_their_numbers() {
    let numbers: Vec<u32> = entries().iter().map(|entry| entry.code.0).collect();
    assert!(numbers.is_sorted_by(|a, b| a < b), "{numbers:?}");
}
