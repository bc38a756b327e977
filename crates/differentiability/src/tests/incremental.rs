//! An edit in one body runs that function's chain again and nothing else.

use base_db::RootDatabase;
use hir_def::scope;
use test_support::database::with_event_log;

use crate::diagnostics;

const TEXT: &str = "float g(float x) { return x; }
[Differentiable] float f(float x) { return g(x); }
[Differentiable] float h(float x) { return x * x; }
";

#[test]
fn an_edit_in_one_body_leaves_the_others_alone() {
    let (mut db, mut documents, log) = with_event_log();
    let file = documents.open(&mut db, "/main.slang", TEXT);
    let count = |db: &RootDatabase| -> usize {
        scope::all_file_items(db, file).iter().map(|item| diagnostics(db, *item).len()).sum()
    };
    assert_eq!(count(&db), 1);
    log.take(&db);
    let at = TEXT.find("x * x").expect("the body of h");
    documents.edit(&mut db, "/main.slang", at..at + 5, "g(x)");
    assert_eq!(count(&db), 2);
    let ran = log.take(&db);
    let times = |query: &str| ran.iter().filter(|name| name.starts_with(query)).count();
    assert_eq!(times("diagnostics("), 1, "{ran:?}");
    assert_eq!(times("lower_for_analysis("), 1, "{ran:?}");
    assert_eq!(times("derivative_rules("), 0, "{ran:?}");
}
