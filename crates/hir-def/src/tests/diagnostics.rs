use super::{file, files};
use crate::{diagnostics::file_diagnostics, position::absolute};

/// `line: message` of each finding of the first file.
fn findings(texts: &[(&str, &str)]) -> Vec<String> {
    let (db, _, files) = files(texts);
    let diagnostics = file_diagnostics(&db, files[0]);
    let line = |offset: usize| texts[0].1[..offset].matches('\n').count() + 1;
    diagnostics
        .iter()
        .map(|diagnostic| {
            let (_, range) = absolute(&db, diagnostic.at);
            format!("{}: {}", line(range.start().into()), diagnostic.message)
        })
        .collect()
}

#[test]
fn a_clean_file_has_none() {
    let (db, file) = file("float f(float x) { return x; }\nstruct S { int a; }\n");
    assert_eq!(file_diagnostics(&db, file), []);
}

#[test]
fn a_missing_import_is_reported_at_the_import() {
    let found = findings(&[
        ("/a/main.slang", "import there;\nimport missing;\nimport sub.dir_name;\n"),
        ("/a/there.slang", ""),
        ("/a/sub/dir-name.slang", ""),
    ]);
    assert_eq!(found, ["2: cannot open file 'missing.slang'"]);
}

#[test]
fn unsupported_constructs_are_named_once() {
    let found = findings(&[("/main.slang", "__associatedfunc int f;\nvoid f() {\n  __GPU_FOREACH(a, b);\n}\n")]);
    assert_eq!(found, ["1: `__associatedfunc` is not supported yet", "3: `__GPU_FOREACH` is not supported yet",]);
}

#[test]
fn deep_nesting_is_a_finding_instead_of_an_overflow() {
    let deep = format!("int f() {{ return {}1{}; }}", "-(".repeat(50_000), ")".repeat(50_000));
    let long = format!("int g() {{ return 1{}; }}", " + 1".repeat(50_000));
    let blocks = format!("void h() {{ {}{} }}", "{".repeat(50_000), "}".repeat(50_000));
    for text in [deep, long, blocks] {
        assert!(!findings(&[("/main.slang", &text)]).is_empty());
    }
}

#[test]
fn half_typed_code_has_ranges() {
    for text in
        ["int f() { return g(type[", "int f() { x.", "int f( { a[] = }", "struct { int", "int f() { for (;;", "[A( int"]
    {
        assert!(!findings(&[("/main.slang", text)]).is_empty(), "{text}");
    }
}

#[test]
fn modules_that_import_themselves() {
    let (db, _, files) =
        super::files(&[("/a.slang", "import b;\nimport c;\n"), ("/b.slang", "import a;\n"), ("/c.slang", "int x;\n")]);
    let found: Vec<String> =
        file_diagnostics(&db, files[0]).iter().map(|found| format!("{} {}", found.code.0, found.message)).collect();
    assert_eq!(found, ["38200 module 'b.slang' recursively imports itself"]);
}

#[test]
fn errors_of_the_preprocessor_in_included_files() {
    let (db, _, files) = super::files(&[
        ("/a.slang", "#include \"b.slang\"\nint x;\n"),
        ("/b.slang", "#include \"c.slang\"\n"),
        ("/c.slang", "#error \"not here\"\n"),
        ("/d.slang", "#include \"d.slang\"\n"),
    ]);
    let found = |file| -> Vec<u32> { file_diagnostics(&db, file).iter().map(|found| found.code.0).collect() };
    assert_eq!(found(files[0]), [15900]);
    assert_eq!(found(files[3]), [15302]);
}
