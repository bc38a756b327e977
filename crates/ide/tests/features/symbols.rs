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

#[test]
fn a_symbol_holds_its_body_and_the_module_its_name() {
    let text = "module shapes;\nstruct S\n{\n    float x;\n    float at(float y)\n    {\n        return y;\n    }\n}\nenum E { A, B }\nfloat f()\n{\n    return 1;\n}\nnamespace n { int g() { return 1; } }\n";
    let test = TestDatabase::new(text);
    let symbols = document_symbols(&test.db, test.last_file());
    let shown: Vec<(&str, &str)> =
        symbols.iter().map(|symbol| (symbol.name.as_str(), &text[range(symbol.range)])).collect();
    assert_eq!(
        shown,
        [
            ("shapes", "module shapes;"),
            ("S", "struct S\n{\n    float x;\n    float at(float y)\n    {\n        return y;\n    }\n}"),
            ("E", "enum E { A, B }"),
            ("f", "float f()\n{\n    return 1;\n}"),
            ("n", "namespace n { int g() { return 1; } }"),
        ]
    );
    assert_eq!(&text[range(symbols[1].children[1].range)], "float at(float y)\n    {\n        return y;\n    }");
}
