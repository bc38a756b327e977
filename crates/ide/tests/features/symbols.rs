//! The outline of a file.

use ide::{
    folding::{FoldKind, folding_ranges},
    symbols::{document_symbols, workspace_symbols},
};
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

#[test]
fn operators_and_extensions_say_of_what() {
    check_outline(
        "struct S { float a; float operator()(float x) { return x; } }\nS operator+(S l, S r) { return l; }\nextension S { float v() { return a; } }",
        "S(a operator()) operator+ extension S(v)",
    );
}

#[test]
fn conditional_code_and_regions_fold() {
    let text = "#pragma region one\n#if A\nint a;\n#elif B\nint b;\n#else\nint c;\n#endif\n#pragma endregion\n// a\n// b\n/* c\n */\n";
    let test = TestDatabase::new(text);
    let mut folds: Vec<(&str, FoldKind)> = folding_ranges(&test.db, test.last_file())
        .into_iter()
        .map(|fold| (&text[std::ops::Range::<usize>::from(fold.range)], fold.kind))
        .collect();
    folds.sort_by_key(|(text, _)| (text.len(), *text));
    assert_eq!(
        folds,
        [
            ("/* c\n */", FoldKind::Comment),
            ("// a\n// b", FoldKind::Comment),
            ("#else\nint c;\n", FoldKind::Conditional),
            ("#if A\nint a;\n", FoldKind::Conditional),
            ("#elif B\nint b;\n", FoldKind::Conditional),
            ("#pragma region one\n#if A\nint a;\n#elif B\nint b;\n#else\nint c;\n#endif\n", FoldKind::Region),
        ]
    );
}

#[test]
fn the_outline_is_what_is_written_in_the_file() {
    let header = "//- /head.slangh\n\n\n\nstruct Head { float a; };\n#define DECLARE(n) float n() { return 1; }\n//- /main.slang\n";
    check_outline(
        &format!("{header}#include \"head.slangh\"\nfloat one()\n{{\n    return 1;\n}}\nDECLARE(two)\n"),
        "one two",
    );
    check_outline(
        "//- /part.slangh\nfloat a;\n//- /main.slang\nstruct S\n{\n#include \"part.slangh\"\n    float b;\n};\n",
        "S(b)",
    );
    check_outline("#define SCALE 3\nfloat f() { return SCALE; }\n#define TWICE(x) (2 * (x))\n", "SCALE f TWICE");
}

#[test]
fn imports_fold_from_the_first_on() {
    let text = "#if 1\nfloat a;\n#endif\n/* c\n c */\n// x\n// y\nimport q;\nimport r;\nimport s;\n";
    let test = TestDatabase::new(text);
    let folds = folding_ranges(&test.db, test.last_file());
    let imports: Vec<&str> = folds
        .iter()
        .filter(|fold| fold.kind == FoldKind::Imports)
        .map(|fold| &text[std::ops::Range::<usize>::from(fold.range)])
        .collect();
    assert_eq!(imports, ["import q;\nimport r;\nimport s;"]);
}

#[test]
fn macros_are_found_in_the_workspace() {
    let test = TestDatabase::new(
        "//- /a.slangh\n#define FULL_LENGTH 3\n//- /main.slang\n#include \"a.slangh\"\nfloat full_length() { return FULL_LENGTH; }\n",
    );
    let found = workspace_symbols(&test.db, "fulllen", 10);
    let names: Vec<&str> = found.iter().map(|symbol| symbol.name.as_str()).collect();
    assert_eq!(names, ["full_length", "FULL_LENGTH"]);
    assert_eq!(workspace_symbols(&test.db, "fulllen", 1).len(), 1);
}
