//! Go to definition leads from the name of a file to the file.

use base_db::{RootDatabase, documents::Documents};
use ide::{FilePosition, definition::definition};

const FILES: &[(&str, &str)] = &[
    ("/lib.slang", "module lib;\npublic float square(float x) { return x * x; }\n"),
    ("/part.slang", "implementing main;\nfloat twice(float x) { return 2 * x; }\n"),
    ("/common.h", "#define SCALE 2.0\n"),
    ("/nested/deep.slang", "module deep;\n"),
    (
        "/main.slang",
        "module main;\nimport lib;\nimport nested.deep;\nimport nowhere;\n__include part;\n#include \"common.h\"\n\
         #if 0\n#include <lib.slang>\n#endif\nfloat f(float x)\n{\n    #include \"common.h\"\n    return square(x);\n}\n",
    ),
];

/// The file, and the text from the target on, to which the `number`th place of `needle` leads.
fn target(path: &str, needle: &str, number: usize) -> Option<(String, &'static str)> {
    let mut db = RootDatabase::default();
    let mut documents = Documents::new(&mut db);
    documents.load_prelude(&mut db, prelude::FILES.iter().copied());
    for (path, text) in FILES {
        documents.open(&mut db, path, text);
    }
    let text = |path: &str| FILES.iter().find(|(known, _)| *known == path).map_or("", |(_, text)| *text);
    let offset = text(path).match_indices(needle).nth(number).expect("the file holds it").0 as u32;
    let file = documents.file(path).expect("it was opened");
    let found = definition(&db, FilePosition { file, offset });
    let found = found.first()?;
    let path = found.file.path(&db).to_string();
    let target = &text(&path)[found.range.start().into()..];
    Some((path, target.lines().next().unwrap_or_default()))
}

#[test]
fn names_of_files_lead_to_their_beginnings() {
    for (path, needle, number, expected) in [
        ("/main.slang", "lib", 0, "/lib.slang"),
        ("/main.slang", "deep", 0, "/nested/deep.slang"),
        ("/main.slang", "part", 0, "/part.slang"),
        ("/main.slang", "common", 0, "/common.h"),
        // Whether its condition holds or not, and inside of a body as well.
        ("/main.slang", "lib.slang", 0, "/lib.slang"),
        ("/main.slang", "common", 1, "/common.h"),
        ("/part.slang", "main", 0, "/main.slang"),
    ] {
        let (file, line) = target(path, needle, number).unwrap_or_else(|| panic!("{path}: {needle} leads nowhere"));
        assert_eq!(file, expected, "{needle}");
        let text = FILES.iter().find(|(known, _)| *known == expected).map_or("", |(_, text)| *text);
        assert_eq!(line, text.lines().next().unwrap_or_default(), "{needle}");
    }
}

#[test]
fn a_module_declares_its_name_and_what_is_missing_leads_nowhere_else() {
    assert_eq!(
        target("/lib.slang", "lib", 0).map(|(file, line)| (file, line.to_owned())),
        Some(("/lib.slang".to_owned(), "lib;".to_owned()))
    );
    let missing = target("/main.slang", "nowhere", 0);
    assert!(missing.as_ref().is_none_or(|(file, _)| file == "/main.slang"), "{missing:?}");
    let function = target("/main.slang", "square", 0).expect("it is declared");
    assert_eq!(function.1, "square(float x) { return x * x; }");
}
