//! Findings on small programs. The conditions are those of the user guide and of slangc 2026.14; the wording is ours.

mod declared;
mod flow;
mod incremental;
mod lints;
mod loops;
mod memory;
mod parameters;
mod places;
mod value_flow;

use std::fmt::Write as _;

use base_db::{RootDatabase, SourceFile, documents::Documents};
use expect_test::Expect;
use hir_def::{
    item::ItemId,
    position::{self, Location},
    scope,
};
use hir_ty::diagnostics::Severity;
use test_support::database::with_core_library;

use crate::{Edit, Finding, diagnostics};

/// A database with the prelude and one file.
pub(super) fn program(text: &str) -> (RootDatabase, Documents, SourceFile) {
    let (mut db, mut documents) = with_core_library();
    let file = documents.open(&mut db, "/main.slang", text);
    (db, documents, file)
}

/// All findings of a file: what is wrong and where, the chain of causes, and each fix as the line that it gives.
pub(super) fn check(text: &str, expected: Expect) {
    let (db, _, file) = program(text);
    let mut out = String::new();
    for item in scope::all_file_items(&db, file) {
        assert_eq!(errors(&db, *item), Vec::<String>::new(), "the program itself is right");
        for finding in diagnostics(&db, *item) {
            show(&db, text, finding, &mut out);
        }
    }
    expected.assert_eq(&out);
}

/// The numbers of all findings of a file.
pub(super) fn codes(text: &str) -> Vec<u32> {
    let (db, _, file) = program(text);
    let items = scope::all_file_items(&db, file).iter();
    items.flat_map(|item| diagnostics(&db, *item).iter().map(|finding| finding.code.0)).collect()
}

/// Errors of the type checker, which would keep a body from being analysed.
fn errors(db: &RootDatabase, item: ItemId) -> Vec<String> {
    let found = hir_ty::infer::diagnostics(db, item).iter();
    found.filter(|found| found.severity == Severity::Error).map(|found| found.message.clone()).collect()
}

fn show(db: &RootDatabase, text: &str, finding: &Finding, out: &mut String) {
    let severity = finding.severity.word();
    let place = spelled(db, text, finding.at);
    writeln!(out, "{severity} {} at {place}: {}", finding.code.0, finding.message).expect("a string");
    for cause in &finding.related {
        writeln!(out, "    at {}: {}", spelled(db, text, cause.at), cause.message).expect("a string");
    }
    for fix in &finding.fixes {
        writeln!(out, "    fix: {} => {}", fix.title, fixed_line(db, text, &fix.edits)).expect("a string");
    }
}

/// `line: text` of a place.
fn spelled(db: &RootDatabase, text: &str, location: Location) -> String {
    let (_, range) = position::absolute(db, location);
    let line = text[..usize::from(range.start())].matches('\n').count() + 1;
    format!("{line}: `{}`", &text[usize::from(range.start())..usize::from(range.end())])
}

/// The line of the first edit after all edits.
fn fixed_line(db: &RootDatabase, text: &str, edits: &[Edit]) -> String {
    let mut placed: Vec<(usize, usize, &str)> = edits
        .iter()
        .map(|edit| {
            let (_, range) = position::absolute(db, edit.at);
            (usize::from(range.start()), usize::from(range.end()), edit.text.as_str())
        })
        .collect();
    placed.sort();
    let first = placed.first().map_or(0, |edit| edit.0);
    let mut fixed = text.to_owned();
    for (start, end, replacement) in placed.into_iter().rev() {
        fixed.replace_range(start..end, replacement);
    }
    let line_start = fixed[..first].rfind('\n').map_or(0, |newline| newline + 1);
    fixed[line_start..].lines().next().unwrap_or_default().trim().to_owned()
}
