//! Tests of the type checker on small programs whose comments say what must be found.
//!
//! `//: EXPR : TYPE` at the end of a line: the expression spelled `EXPR` on that line has that type. Several are separated
//! by `;`. `//! CODE TEXT`: an error or warning with that number, whose message contains the text, is placed on that line.
//! Every error needs such a comment.

mod calls;
mod conformances;
mod constructs;
mod conversions;
mod core_library;
mod derivatives;
mod generics;
mod incremental;
mod members;
mod names;
mod packs;
mod robustness;
mod rules;
mod statements;
mod tables;

use base_db::{Db, RootDatabase, SourceFile, documents::Documents};
use hir_def::{
    item::{self, ItemId},
    name::Name,
    position, scope, source_map,
};
use hir_ty::{
    diagnostics::{Severity, location},
    display::display,
    infer,
};
use test_support::database::with_core_library;

/// A database with the core library and one open file.
pub(crate) fn database(text: &str) -> (RootDatabase, Documents, SourceFile) {
    let (mut db, mut documents) = with_core_library();
    let file = documents.open(&mut db, "/main.slang", text);
    if hir_def::modules::asks_for_glsl(&db, file) {
        documents.load_glsl(&mut db);
    }
    (db, documents, file)
}

/// The item with a name, at the top level or inside.
pub(crate) fn find(db: &RootDatabase, file: SourceFile, name: &str) -> ItemId {
    let name = Name::new(name);
    let items = scope::all_file_items(db, file);
    *items.iter().find(|item| item::item_data(db, **item).name.as_ref() == Some(&name)).expect("an item of this name")
}

/// A finding, with its line counted from zero.
#[derive(Debug)]
struct Found {
    line: usize,
    code: u32,
    severity: Severity,
    message: String,
}

fn all_diagnostics(db: &RootDatabase, file: SourceFile, text: &str) -> Vec<Found> {
    let line_of = |location| {
        let (at, range) = position::absolute(db, location);
        assert_eq!(at, file, "a finding is placed in another file");
        text[..usize::from(range.start())].matches('\n').count()
    };
    let mut found = Vec::new();
    for diagnostic in hir_def::diagnostics::file_diagnostics(db, file) {
        let line = line_of(diagnostic.at);
        found.push(Found { line, code: diagnostic.code.0, severity: diagnostic.severity, message: diagnostic.message });
    }
    let mut items = scope::all_file_items(db, file).to_vec();
    let declared_in_bodies: Vec<ItemId> = items.iter().flat_map(|item| item::local_items(db, *item)).copied().collect();
    items.extend(declared_in_bodies);
    for item in items {
        for diagnostic in crate::diagnostics(db, item) {
            let location = location(db, diagnostic.at).expect("the item is there");
            found.push(Found {
                line: line_of(location),
                code: diagnostic.code.0,
                severity: diagnostic.severity,
                message: diagnostic.message.clone(),
            });
        }
    }
    found
}

/// The types of all expressions in bodies: (line, text, type).
fn all_types(db: &RootDatabase, file: SourceFile, text: &str) -> Vec<(usize, String, String)> {
    let mut types = Vec::new();
    for &item in scope::all_file_items(db, file).iter() {
        let result = infer::infer(db, item);
        let map = source_map::body_source_map(db, item);
        for (expr, ty) in result.expr_types.iter() {
            let (at, range) = position::absolute(db, map.expr(expr));
            if at == file {
                let line = text[..usize::from(range.start())].matches('\n').count();
                types.push((line, text[range].to_owned(), display(db, *ty)));
            }
        }
    }
    types
}

/// Checks a program against its comments.
#[track_caller]
pub(crate) fn check(text: &str) {
    check_with(&[], text);
}

/// Checks a program that may import other files, which are not checked themselves.
#[track_caller]
pub(crate) fn check_with(others: &[(&str, &str)], text: &str) {
    check_found(others, text, |found| found.severity == Severity::Error);
}

/// Like [`check`]: besides errors, findings with these numbers must all be named in the program.
#[track_caller]
pub(crate) fn check_all_of(codes: &[u32], text: &str) {
    check_found(&[], text, |found| found.severity == Severity::Error || codes.contains(&found.code));
}

#[track_caller]
fn check_found(others: &[(&str, &str)], text: &str, must_be_named: impl Fn(&Found) -> bool) {
    let (mut db, mut documents, file) = database(text);
    for (path, text) in others {
        documents.open(&mut db, path, text);
    }
    assert_eq!(db.text(file).map(|known| known.len()), Some(text.len()));
    let mut found = all_diagnostics(&db, file, text);
    let types = all_types(&db, file, text);
    let mut problems = Vec::new();
    for (line, content) in text.lines().enumerate() {
        if let Some((_, expected)) = content.split_once("//! ") {
            let (code, message) = expected.split_once(' ').expect("a code and a text");
            let code: u32 = code.trim_start_matches('E').parse().expect("a number");
            let matching = |found: &Found| found.line == line && found.code == code && found.message.contains(message);
            match found.iter().position(matching) {
                Some(index) => {
                    found.remove(index);
                }
                None => problems.push(format!("line {line}: nothing like `{expected}`")),
            }
        }
        if let Some((_, expected)) = content.split_once("//: ") {
            for expected in expected.split(';') {
                let (expr, ty) = expected.rsplit_once(" : ").expect("an expression and a type");
                let (expr, ty) = (expr.trim(), ty.trim());
                let got: Vec<&str> = types
                    .iter()
                    .filter(|(at, spelled, _)| *at == line && spelled == expr)
                    .map(|(_, _, got)| got.as_str())
                    .collect();
                if !got.contains(&ty) {
                    problems.push(format!("line {line}: `{expr}` should be `{ty}`, got {got:?}"));
                }
            }
        }
    }
    for unexpected in found.iter().filter(|found| must_be_named(found)) {
        problems.push(format!("line {}: unexpected E{} {}", unexpected.line, unexpected.code, unexpected.message));
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}
