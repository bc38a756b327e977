use super::{files, find};
use crate::{
    loading::load_dependencies,
    modules::module_view,
    name::Name,
    scope::lookup_in_file,
    visibility::{Visibility, is_accessible, visibility},
};

#[test]
fn imports_are_not_transitive_unless_exported() {
    let (db, _, files) = files(&[
        ("/main.slang", "import a;"),
        ("/a.slang", "import b; __exported import c; int in_a;"),
        ("/b.slang", "int in_b;"),
        ("/c.slang", "int in_c;"),
    ]);
    let sees = |name| !lookup_in_file(&db, files[0], &Name::new(name)).is_empty();
    assert!(sees("in_a") && sees("in_c"));
    assert!(!sees("in_b"));
}

#[test]
fn files_of_a_module_share_their_scope() {
    let (db, _, files) = files(&[
        ("/m/core.slang", "module core; __include \"part.slang\"; int in_core;"),
        ("/m/part.slang", "implementing core; int in_part; private int hidden;"),
        ("/main.slang", "import m.core; int in_main;"),
    ]);
    let sees = |file: usize, name| !lookup_in_file(&db, files[file], &Name::new(name)).is_empty();
    assert!(sees(0, "in_part") && sees(1, "in_core") && sees(2, "in_part"));
    assert!(!sees(1, "in_main"));
    assert_eq!(module_view(&db, files[1]).root, files[0]);

    let (core, part, main) =
        (find(&db, files[0], "in_core"), find(&db, files[1], "in_part"), find(&db, files[2], "in_main"));
    assert_eq!(visibility(&db, part), Visibility::Internal);
    assert_eq!(visibility(&db, main), Visibility::Public);
    assert!(is_accessible(&db, part, core) && !is_accessible(&db, part, main));
}

#[test]
fn files_that_include_each_other_end() {
    let (db, _, files) = files(&[
        ("/a.slang", "implementing b; __include b; import a; int x;"),
        ("/b.slang", "implementing a; __include a; import b; int y;"),
    ]);
    for file in files {
        assert!(!lookup_in_file(&db, file, &Name::new("x")).is_empty());
        assert!(!lookup_in_file(&db, file, &Name::new("y")).is_empty());
    }
}

#[test]
fn a_module_may_be_called_otherwise_than_its_file() {
    let (db, _, files) = files(&[
        ("/p/main.slang", "module m; __include part; __include \"sub/other\"; int x;"),
        ("/p/part.slang", "implementing m; int y;"),
        ("/p/sub/part.slang", "implementing m; int z;"),
    ]);
    assert_eq!(lookup_in_file(&db, files[1], &Name::new("x")).len(), 1);
    assert!(lookup_in_file(&db, files[2], &Name::new("x")).is_empty());
}

#[test]
fn used_namespaces_give_their_names() {
    let (db, _, files) = files(&[(
        "/main.slang",
        "namespace a { namespace b { int x; } } using namespace a; using a::b; int y; namespace c { using a.b; int z() { } }",
    )]);
    assert_eq!(lookup_in_file(&db, files[0], &Name::new("x")).len(), 1);
    assert_eq!(crate::scope::lookup(&db, find(&db, files[0], "z"), &Name::new("x")).len(), 1);
}

#[test]
fn what_a_file_needs_is_loaded() {
    let (mut db, mut documents, files) = files(&[("/p/main.slang", "import lib.tool;")]);
    documents.set_search_roots(&mut db, vec!["/roots".into()]);
    let mut asked = Vec::new();
    load_dependencies(&mut db, &mut documents, files[0], |path| {
        asked.push(path.to_owned());
        match path {
            "/roots/lib/tool.slang" => Some(b"import \"other\"; int tool;".to_vec()),
            "/roots/lib/other.slang" => Some(b"int other;".to_vec()),
            _ => None,
        }
    });
    assert_eq!(asked, ["/p/lib/tool.slang", "/roots/lib/tool.slang", "/roots/lib/other.slang"]);
    assert_eq!(lookup_in_file(&db, files[0], &Name::new("tool")).len(), 1);
}

#[test]
fn headers_of_other_languages_are_not_looked_into() {
    let spells = crate::modules::may_spell_a_clause;
    for text in [
        "import a;",
        "__exported import a;",
        "__import \"a\";",
        "__include part;",
        "// first\nimplementing m;",
        "import\na;",
    ] {
        assert!(spells(text), "{text}");
    }
    for text in
        ["#include <vector>\n#include \"important.h\"\nnamespace n {", "#pragma once", "void importer(int reimport);"]
    {
        assert!(!spells(text), "{text}");
    }
}
