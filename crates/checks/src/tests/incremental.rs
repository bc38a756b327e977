//! What an edit runs again.

use base_db::{RootDatabase, documents::Documents};
use hir_def::scope;

#[test]
fn an_edit_in_a_body_infers_that_body_alone() {
    let (mut db, log) = RootDatabase::with_event_log();
    let mut documents = Documents::new(&mut db);
    documents.load_prelude(&mut db, prelude::FILES.iter().copied());
    let text = "struct S { float a; float get() { return a; } }\n\
                float helper(float x) { return sin(x); }\n\
                float edited(S s) { return helper(s.get()) + 1; }\n\
                float other(S s) { return helper(s.a) + edited(s); }\n";
    let file = documents.open(&mut db, "/main.slang", text);
    let check_all = |db: &RootDatabase| {
        for &item in scope::all_file_items(db, file).iter() {
            assert_eq!(crate::diagnostics(db, item).count(), 0);
        }
    };
    check_all(&db);
    log.take(&db);
    let at = text.find("+ 1").expect("the edited place");
    documents.edit(&mut db, "/main.slang", at..at + 3, "* 2.5");
    check_all(&db);
    let ran: Vec<String> = log.take(&db).into_iter().filter(|query| is_of_types(query)).collect();
    assert_eq!(ran.len(), 1, "{ran:#?}");
    assert!(ran[0].starts_with("infer_body"), "{ran:#?}");
}

/// Queries about one declaration or type.
fn is_of_types(query: &str) -> bool {
    [
        "infer",
        "signature",
        "bounds",
        "parameters",
        "interfaces",
        "extension",
        "bases",
        "declaration_diagnostics",
        "apply",
    ]
    .iter()
    .any(|name| query.starts_with(name))
}
