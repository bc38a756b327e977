//! What is wrong with declarations is shown, not only what is wrong in bodies.

use base_db::{RootDatabase, documents::Documents};
use ide::diagnostics::diagnostics;

/// Line (from 0) and code of each diagnostic.
fn found(text: &str) -> Vec<(usize, String)> {
    let mut db = RootDatabase::default();
    let mut documents = Documents::new(&mut db);
    documents.load_prelude(&mut db, prelude::FILES.iter().copied());
    let file = documents.open(&mut db, "/main.slang", text);
    let line = |offset: usize| text[..offset].matches('\n').count();
    diagnostics(&db, file).into_iter().map(|found| (line(found.at.range.start().into()), found.code)).collect()
}

#[test]
fn unknown_types_in_signatures_and_fields() {
    let undefined = |line| (line, "E30015".to_owned());
    assert_eq!(found("struct S { Unknown f; }\n"), [undefined(0)]);
    assert_eq!(found("void g(Wrong x) {}\n"), [undefined(0)]);
    assert_eq!(found("struct S : IMissing { float f; }\n"), [undefined(0)]);
}

#[test]
fn a_requirement_that_is_not_met() {
    let text = "interface I\n{\n    float need();\n}\nstruct T : I\n{\n}\n";
    assert_eq!(found(text), [(4, "E38100".to_owned())]);
}
