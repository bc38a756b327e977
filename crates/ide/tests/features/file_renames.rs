//! Files that move, and what is said of them elsewhere.

use ide::file_renames::{Move, file_renames};
use test_support::database::TestDatabase;

use crate::check::check_edits;

fn check(fixture: &str, from: &str, to: &str, changed: &str) {
    let test = TestDatabase::new(fixture);
    let edits = file_renames(&test.db, &[Move { from: from.to_owned(), to: to.to_owned() }]);
    check_edits(&test, &edits, changed);
}

#[test]
fn imports_and_includes_follow_a_renamed_file() {
    let text = |import: &str, include: &str| {
        format!(
            "//- /m.slang\nmodule m;\n//- /h.slangh\n//- /main.slang\nimport {import};\n#include \"{include}\"\nfloat m;\n"
        )
    };
    check(&text("m", "h.slangh"), "/m.slang", "/two-words.slang", &text("two_words", "h.slangh"));
    check(&text("m", "h.slangh"), "/h.slangh", "/k.slangh", &text("m", "k.slangh"));
    check(&text("\"m\"", "h.slangh"), "/m.slang", "/n.slang", &text("\"n\"", "h.slangh"));
    check(&text("\"m.slang\"", "h.slangh"), "/m.slang", "/n.slang", &text("\"n.slang\"", "h.slangh"));
    check(&text("m", "h.slangh"), "/m.slang", "/9.slang", &text("\"9.slang\"", "h.slangh"));
    check(&text("m", "h.slangh"), "/other.slang", "/n.slang", &text("m", "h.slangh"));
}

#[test]
fn imports_follow_a_folder() {
    let text = |import: &str, include: &str| {
        format!(
            "//- /lib/m.slang\nimport k;\n//- /lib/k.slang\n//- /lib/h.slangh\n//- /main.slang\nimport {import};\n#include \"{include}\"\n"
        )
    };
    check(&text("lib.m", "lib/h.slangh"), "/lib", "/deep/lib2", &text("deep.lib2.m", "deep/lib2/h.slangh"));
}

#[test]
fn a_file_that_moves_finds_what_it_imports() {
    let text = |import: &str, include: &str| {
        format!(
            "//- /a/m.slang\n//- /a/h.slangh\n//- /a/main.slang\nimport {import};\n#include \"{include}\"\n//- /a/part.slang\nimplementing m;\n"
        )
    };
    check(&text("m", "h.slangh"), "/a/main.slang", "/b/main.slang", &text("\"../a/m.slang\"", "../a/h.slangh"));
    check(&text("m", "h.slangh"), "/a/main.slang", "/main.slang", &text("a.m", "a/h.slangh"));
    // Those that go together stay as they are to each other.
    check(&text("m", "h.slangh"), "/a", "/b", &text("m", "h.slangh"));
    check(&text("m", "h.slangh"), "/a/m.slang", "/a/n.slang", &text("n", "h.slangh"));
}
