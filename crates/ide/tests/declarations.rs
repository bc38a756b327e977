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
    diagnostics(&db, file)
        .into_iter()
        .map(|found| (line(found.at.range.start().into()), found.code.to_string()))
        .collect()
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

#[test]
fn a_missing_file_is_one_diagnostic() {
    let text = "import nowhere;\nLight light;\nfloat f(Light l) { return shade(l, light) + l.power; }\nfloat g() { return 1 }\n";
    // What has nothing to do with it is still reported.
    assert_eq!(found(text), [(0, "E00001".to_owned()), (3, "E20001".to_owned())]);
    let text = "#include \"nowhere.h\"\nfloat f(float x) { return SCALE(x); }\n";
    assert_eq!(found(text), [(0, "E15300".to_owned())]);
}
