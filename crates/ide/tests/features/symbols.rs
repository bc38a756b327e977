//! The outline of a file.

use ide::symbols::document_symbols;
use test_support::database::TestDatabase;

use crate::check::{check_outline, range};

const PROGRAM: &str = "float f() { struct Own { float weight; } float g() { return 1; } return g(); }";

#[test]
fn what_functions_declare_is_nested() {
    check_outline(PROGRAM, "f(Own(weight) g)");
}

#[test]
fn a_symbol_reaches_over_its_whole_declaration() {
    let test = TestDatabase::new(PROGRAM);
    let own = &document_symbols(&test.db, test.last_file())[0].children[0];
    assert_eq!(&PROGRAM[range(own.range)], "struct Own { float weight; }");
}
