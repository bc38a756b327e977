//! What an edit runs again.

use base_db::RootDatabase;
use hir_def::scope;
use test_support::database::with_event_log;

#[test]
fn an_edit_in_a_body_infers_that_body_alone() {
    let (mut db, mut documents, log) = with_event_log();
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

/// Who reads a global asks all bodies whether they assign to it. An edit in one of them asks that one and its chunk again.
#[test]
fn what_is_assigned_to_globals_is_asked_of_the_edited_body_alone() {
    let (mut db, mut documents, log) = with_event_log();
    let others: String =
        (0..200).map(|index| format!("float other{index}(float x) {{ return x + {index}; }}\n")).collect();
    let text = format!(
        "static float read;\n\
         float reader() {{ return read; }}\n\
         float edited(float x) {{ return x + 1; }}\n\
         {others}\
         void writer() {{ read = 1; }}\n"
    );
    let file = documents.open(&mut db, "/main.slang", &text);
    let check_all = |db: &RootDatabase| -> usize {
        scope::all_file_items(db, file).iter().map(|item| crate::diagnostics(db, *item).count()).sum()
    };
    assert_eq!(check_all(&db), 0);
    // The first edit says that this text changes more often than others, which counts as a change of all that read it.
    let at = text.find("+ 1;").expect("the edited place");
    documents.edit(&mut db, "/main.slang", at..at + 3, "* 3");
    assert_eq!(check_all(&db), 0);
    log.take(&db);
    documents.edit(&mut db, "/main.slang", at..at + 3, "* 2.5");
    assert_eq!(check_all(&db), 0);
    let ran: Vec<String> = log.take(&db);
    let of = |name: &str| ran.iter().filter(|query| query.starts_with(name)).count();
    assert_eq!((of("uses"), of("chunk_assigned"), of("body_rules")), (1, 1, 1), "{ran:#?}");

    let at = text.find("read = 1").expect("the assignment") + 2;
    documents.edit(&mut db, "/main.slang", at..at + "read = 1".len(), "");
    assert_eq!(check_all(&db), 1, "nothing is assigned to `read` any more");
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
