//! Mistakes that people make: what is said of each, where, and that slangc gives the same verdict.
//!
//! A file of `mistakes/` is a family of them. A heading and a Slang block begin a case; the list under it has a line for each
//! error and warning, `LINE:COLUMN SEVERITY NUMBER: words of the message`, and what slangc 2026.14.1 says, as
//! `slangc: LINE SEVERITY NUMBER, …` or `slangc: nothing`. Where slangc places its first error elsewhere, or says
//! something else, a line `differs: …` says why; where only the number of our first error is another one, since no mistake of that
//! number is at hand or slangc stumbles over something else, a line `number: …` does.

use std::fmt::Write as _;

use base_db::{RootDatabase, documents::Documents};
use ide::{
    diagnostics::{Diagnostic, Severity, diagnostics},
    import_failures::import_failures,
};
use test_support::{database::with_core_library, fixture::line_column};

/// The families, so that a file that is forgotten is noticed.
const FAMILIES: &[(&str, &str)] = &[
    ("calls", include_str!("mistakes/calls.md")),
    ("declarations", include_str!("mistakes/declarations.md")),
    ("derivatives", include_str!("mistakes/derivatives.md")),
    ("entry_points", include_str!("mistakes/entry_points.md")),
    ("flow", include_str!("mistakes/flow.md")),
    ("generics", include_str!("mistakes/generics.md")),
    ("punctuation", include_str!("mistakes/punctuation.md")),
    ("text", include_str!("mistakes/text.md")),
    ("types", include_str!("mistakes/types.md")),
];

/// A program with what is said of it.
#[derive(Default)]
struct Case<'a> {
    title: &'a str,
    text: String,
    /// The lines of the list.
    expected: Vec<&'a str>,
}

/// What a compiler says of a line.
#[derive(Debug, PartialEq, Eq)]
struct Verdict<'a> {
    line: usize,
    severity: &'a str,
    number: u32,
}

fn cases(markdown: &str) -> Vec<Case<'_>> {
    let mut cases: Vec<Case<'_>> = Vec::new();
    let mut in_block = false;
    for line in markdown.lines() {
        if let Some(title) = line.strip_prefix("## ").filter(|_| !in_block) {
            cases.push(Case { title, ..Case::default() });
        }
        let Some(case) = cases.last_mut() else { continue };
        match line {
            "```slang" => in_block = true,
            "```" => in_block = false,
            _ if in_block => {
                case.text.push_str(line);
                case.text.push('\n');
            }
            _ => case.expected.extend(line.strip_prefix("- ")),
        }
    }
    cases
}

/// `4 error 20001`.
fn verdict(words: &str) -> Verdict<'_> {
    let mut words = words.split_whitespace();
    let line = words.next().and_then(|line| line.parse().ok()).expect("a line");
    let severity = words.next().expect("a severity");
    let number = words.next().and_then(|number| number.parse().ok()).expect("a number");
    Verdict { line, severity, number }
}

fn found(db: &mut RootDatabase, documents: &mut Documents, text: &str) -> Vec<Diagnostic> {
    let file = documents.open(db, "/main.slang", text);
    let mut found = diagnostics(db, file);
    found.extend(import_failures(db, file));
    found.retain(|found| matches!(found.severity, Severity::Error | Severity::Warning));
    found
}

/// What is wrong with a case, for people.
fn check(db: &mut RootDatabase, documents: &mut Documents, case: &Case<'_>, problems: &mut String) {
    let mut problem = |text: String| writeln!(problems, "{}: {text}", case.title).expect("a string");
    let mut found = found(db, documents, &case.text);
    let place = |found: &Diagnostic| {
        let (line, column) = line_column(&case.text, found.at.range.start().into());
        (line + 1, column + 1)
    };
    let is_error = |found: &&Diagnostic| found.severity == Severity::Error;
    let first_error = found.iter().find(is_error).map(|found| (place(found).0, found.code.0));
    let mut slangc = None;
    let mut differs = false;
    let mut has_another_number = false;
    for expected in &case.expected {
        if let Some(said) = expected.strip_prefix("slangc: ") {
            let said = said.split(", ").filter(|said| *said != "nothing");
            slangc = Some(said.map(verdict).collect::<Vec<_>>());
            continue;
        }
        if expected.starts_with("differs: ") {
            differs = true;
            continue;
        }
        if expected.starts_with("number: ") {
            has_another_number = true;
            continue;
        }
        let (start, message) = expected.split_once(": ").expect("a place and a message");
        let (line, rest) = start.split_once(':').expect("a line and a column");
        let (column, rest) = rest.split_once(' ').expect("a column and a number");
        let wanted = format!("{line} {rest}");
        let wanted = verdict(&wanted);
        let matching = |found: &Diagnostic| {
            place(found) == (wanted.line, column.parse().expect("a column"))
                && found.severity.word() == wanted.severity
                && found.code.0 == wanted.number
                && found.message.contains(message)
        };
        match found.iter().position(matching) {
            Some(index) => drop(found.remove(index)),
            None => problem(format!("nothing like `{expected}`")),
        }
    }
    for found in &found {
        let (line, column) = place(found);
        problem(format!("{line}:{column} {} {}: {}", found.severity.word(), found.code.0, found.message));
    }
    let Some(slangc) = slangc else { return problem("what does slangc say?".to_owned()) };
    let errors: Vec<_> = slangc.iter().filter(|said| said.severity == "error").collect();
    let agrees = match first_error {
        None => errors.is_empty(),
        Some((line, _)) => errors.iter().any(|error| error.line == line),
    };
    if agrees == differs {
        problem(format!("slangc's verdict {}", if agrees { "is the same" } else { "is another one" }));
    }
    if let Some((line, number)) = first_error.filter(|_| agrees) {
        let is_slangcs = errors.iter().any(|error| error.line == line && error.number == number);
        if is_slangcs == has_another_number {
            problem(format!("slangc's number {}", if is_slangcs { "is the same" } else { "is another one" }));
        }
    }
}

#[test]
fn mistakes_are_named_where_they_are() {
    let (mut db, mut documents) = with_core_library();
    let mut problems = String::new();
    let mut count = 0;
    for (family, markdown) in FAMILIES {
        let before = problems.len();
        for case in cases(markdown) {
            count += 1;
            check(&mut db, &mut documents, &case, &mut problems);
        }
        if problems.len() > before {
            writeln!(problems, "    in {family}.md\n").expect("a string");
        }
    }
    assert!(count >= 100, "{count} cases");
    assert!(problems.is_empty(), "{problems}");
}
