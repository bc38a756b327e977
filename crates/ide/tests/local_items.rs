//! Types and functions that a function declares are offered and outlined like others.

use base_db::{RootDatabase, SourceFile, documents::Documents};
use ide::{
    FilePosition,
    completion::{completion, resolve},
    symbols::{Symbol, document_symbols},
};

/// The text up to `|` and after it, as one file; the position of `|`.
fn open(text: &str) -> (RootDatabase, SourceFile, FilePosition) {
    let offset = text.find('|').unwrap_or(text.len());
    let text = text.replacen('|', "", 1);
    let mut db = RootDatabase::default();
    let mut documents = Documents::new(&mut db);
    documents.load_prelude(&mut db, prelude::FILES.iter().copied());
    let file = documents.open(&mut db, "/main.slang", &text);
    (db, file, FilePosition { file, offset: offset as u32 })
}

fn offered(text: &str) -> Vec<String> {
    let (db, _, at) = open(text);
    completion(&db, at).into_iter().map(|item| item.label).collect()
}

#[test]
fn what_the_function_declares_in_front_is_offered() {
    let labels = offered("void f() { struct Early { float x; } int early() { return 1; } | struct Late { float x; } }");
    let has = |name: &str| labels.iter().any(|label| label == name);
    assert!(has("Early") && has("early") && !has("Late"));
}

#[test]
fn what_another_function_declares_is_not_offered() {
    let labels = offered("void g() { struct Other { float x; } } void f() { | }");
    assert!(!labels.iter().any(|label| label == "Other"));
}

#[test]
fn functions_inside_functions_see_what_is_around_them() {
    let labels = offered("void f() { struct Around { float x; } int inner() { | return 1; } }");
    assert!(labels.iter().any(|label| label == "Around"));
}

#[test]
fn members_of_a_type_of_the_function_are_offered() {
    let labels = offered("float f() { struct Own { float weight; } Own own; return own.|; }");
    assert_eq!(labels, ["weight"]);
}

#[test]
fn the_signature_is_read_for_the_item_that_is_looked_at() {
    let (db, _, at) = open("void f() { float scaled(float x) { return 2 * x; } | }");
    assert_eq!(resolve(&db, at, "scaled").and_then(|item| item.detail), Some("float scaled(float x)".to_owned()));
}

#[test]
fn the_outline_nests_what_functions_declare() {
    let text = "float f() { struct Own { float weight; } float g() { return 1; } return g(); }";
    let (db, file, _) = open(text);
    fn shown(symbols: &[Symbol]) -> String {
        let one = |symbol: &Symbol| format!("{}({})", symbol.name, shown(&symbol.children));
        symbols.iter().map(one).collect::<Vec<_>>().join(" ")
    }
    let symbols = document_symbols(&db, file);
    assert_eq!(shown(&symbols), "f(Own(weight()) g())");
    let own = &symbols[0].children[0];
    let range = own.range.range;
    assert_eq!(&text[usize::from(range.start())..usize::from(range.end())], "struct Own { float weight; }");
}
