//! The core library as the type checker sees it.

use base_db::Project;
use hir_def::scope;

use crate::check;

use super::database;

/// Declarations and bodies of the whole library are free of errors.
#[test]
fn the_core_library_has_no_errors() {
    let (db, ..) = database("");
    let mut found = Vec::new();
    for file in Project::get(&db).prelude(&db).iter() {
        found.extend(hir_def::diagnostics::file_diagnostics(&db, *file).into_iter().map(|found| found.message));
        for item in scope::all_file_items(&db, *file).iter() {
            for diagnostic in check::diagnostics(&db, *item) {
                let name = crate::display::item_name(&db, *item);
                found.push(format!("{}: {name}: {}", file.path(&db), diagnostic.message));
            }
        }
    }
    found.dedup();
    assert!(found.is_empty(), "{}", found.join("\n"));
}
