//! Tests of the whole layer on small programs.

mod diagnostics;
mod incremental;
mod items;
mod modules;
mod positions;
mod preprocessor;

use base_db::{RootDatabase, SourceFile, documents::Documents};

use crate::{
    body::{Body, BodyRoot},
    item::{self, ItemId},
    name::Name,
};

/// A database with one open file.
fn file(text: &str) -> (RootDatabase, SourceFile) {
    let (db, _, files) = files(&[("/main.slang", text)]);
    (db, files[0])
}

fn files(files: &[(&str, &str)]) -> (RootDatabase, Documents, Vec<SourceFile>) {
    let mut db = RootDatabase::default();
    let mut documents = Documents::new(&mut db);
    let files = files.iter().map(|(path, text)| documents.open(&mut db, path, text)).collect();
    (db, documents, files)
}

/// The item with a name, at the top level or inside.
fn find(db: &RootDatabase, file: SourceFile, name: &str) -> ItemId {
    let name = Name::new(name);
    let items = crate::scope::all_file_items(db, file);
    *items.iter().find(|item| item::item_data(db, **item).name.as_ref() == Some(&name)).expect("an item of this name")
}

/// The names of items, one line each, members indented.
fn outline(db: &RootDatabase, items: &[ItemId]) -> String {
    fn line(db: &RootDatabase, item: ItemId, depth: usize, out: &mut String) {
        let data = item::item_data(db, item);
        let kind = format!("{:?}", data.kind);
        let kind = kind.split([' ', '(', '{']).next().unwrap_or_default();
        let name = data.name.as_ref().map_or("-", |name| name.as_str());
        out.push_str(&format!("{}{kind} {name}\n", "  ".repeat(depth)));
        for member in item::members(db, item) {
            assert_eq!(item::container(db, *member), Some(item));
            line(db, *member, depth + 1, out);
        }
    }
    let mut out = String::new();
    for item in items {
        line(db, *item, 0, &mut out);
    }
    out
}

/// The statements or the expression of a body, as the debug form of its root.
fn body_shape(body: &Body) -> String {
    match body.root {
        BodyRoot::None => "none".into(),
        BodyRoot::Block(stmt) => format!("{:?}", body.store.stmts[stmt]),
        BodyRoot::Expr(expr) => format!("{:?}", body.store.exprs[expr]),
    }
}
