//! What the editor says about the core library: every function has a hover, and a declaration to go to.

use base_db::{Db, Project, RootDatabase, SourceFile};
use ide::{
    FilePosition,
    definition::definition,
    hover::hover,
    references::references,
    symbols::{Symbol, SymbolKind, document_symbols},
};
use test_support::database::with_core_library;

fn text(db: &RootDatabase, file: SourceFile) -> String {
    db.text(file).expect("the file is there").rope().to_string()
}

/// All functions and methods of the core library, each with the names of what it is in.
fn functions(db: &RootDatabase) -> Vec<(Vec<String>, Symbol)> {
    fn collect(symbol: Symbol, path: &[String], found: &mut Vec<(Vec<String>, Symbol)>) {
        let inner = [path, std::slice::from_ref(&symbol.name)].concat();
        symbol.children.iter().for_each(|child| collect(child.clone(), &inner, found));
        if matches!(symbol.kind, SymbolKind::Function | SymbolKind::Method | SymbolKind::Operator) {
            found.push((path.to_vec(), symbol));
        }
    }
    let mut found = Vec::new();
    for &file in Project::get(db).prelude(db).iter() {
        document_symbols(db, file).into_iter().for_each(|symbol| collect(symbol, &[], &mut found));
    }
    found
}

/// The last line of the comment above the declaration that an offset is in.
fn comment_above(text: &str, offset: usize) -> &str {
    let before = text[..offset].lines().rev();
    let comment = before.map(str::trim).find(|line| line.starts_with("///")).expect("all is documented");
    comment.trim_start_matches('/').trim()
}

#[test]
fn hover_on_every_declaration_shows_signature_comment_and_differentiability() {
    let (db, _documents) = with_core_library();
    let functions = functions(&db);
    assert!(functions.len() > 500, "{} functions", functions.len());
    for (_, function) in &functions {
        let at = function.name_range;
        let text = text(&db, at.file);
        let here = FilePosition { file: at.file, offset: at.range.start().into() };
        let markdown = hover(&db, here).unwrap_or_else(|| panic!("no hover on {}", function.name)).markdown;
        let first = markdown.lines().nth(1).unwrap_or_default();
        assert!(first.contains(&function.name) && first.contains('('), "no signature of {}: {markdown}", function.name);
        let comment = comment_above(&text, at.range.start().into());
        assert!(markdown.contains(comment), "{comment} is missing: {markdown}");
        let is_marked = markdown.contains("\n\nnot differentiable") || markdown.contains("\n\ndifferentiable: ");
        assert!(is_marked || markdown.contains("differentiated code calls"), "nothing on derivatives: {markdown}");
        assert_eq!(definition(&db, here), [at], "the declaration of {} is itself", function.name);
    }
}

#[test]
fn every_function_that_is_named_leads_to_its_declaration() {
    let (mut db, mut documents) = with_core_library();
    let mut names: Vec<String> = functions(&db)
        .into_iter()
        .filter(|(path, symbol)| path.is_empty() && symbol.kind == SymbolKind::Function)
        .map(|(_, symbol)| symbol.name)
        .collect();
    names.sort();
    names.dedup();
    assert!(names.len() > 150, "{} names", names.len());
    let uses: String =
        names.iter().enumerate().map(|(index, name)| format!("void use{index}() {{ {name}; }}\n")).collect();
    let file = documents.open(&mut db, "/main.slang", &uses);
    for name in names {
        let offset = uses.find(&format!("{{ {name};")).expect("it is used") + 2;
        let here = FilePosition { file, offset: offset as u32 };
        assert!(hover(&db, here).is_some_and(|hover| hover.markdown.contains(&name)), "no hover on {name}");
        let targets = definition(&db, here);
        assert!(!targets.is_empty(), "{name} leads nowhere");
        for target in targets {
            assert!(target.file.path(&db).starts_with("prelude:/"), "{name}");
            let range = std::ops::Range::<usize>::from(target.range);
            assert_eq!(&text(&db, target.file)[range], name);
        }
    }
}

#[test]
fn methods_of_library_types_lead_to_their_declarations() {
    let (mut db, mut documents) = with_core_library();
    for (receiver, method) in [
        ("Texture2D", "SampleLevel"),
        ("RWTexture2D<float4>", "Store"),
        ("StructuredBuffer<float>", "Load"),
        ("RWByteAddressBuffer", "InterlockedAdd"),
        ("Atomic<int>", "add"),
        ("float3[2]", "getCount"),
    ] {
        let text = format!("void f({receiver} x) {{ x.{method}; }}\n");
        let file = documents.open(&mut db, "/main.slang", &text);
        let here = FilePosition { file, offset: text.find(&format!(".{method}")).expect("it is there") as u32 + 1 };
        let targets = definition(&db, here);
        assert!(!targets.is_empty(), "{receiver}.{method} leads nowhere");
        assert!(targets.iter().all(|target| target.file.path(&db).starts_with("prelude:/")), "{method}");
        assert!(hover(&db, here).is_some_and(|hover| hover.markdown.contains(method)), "no hover on {method}");
    }
}

#[test]
fn inside_the_library_uses_lead_to_declarations_and_back() {
    let (mut db, mut documents) = with_core_library();
    let main = documents.open(&mut db, "/main.slang", "float f(float x) { return saturate(x); }\n");
    let here = FilePosition { file: main, offset: 28 };
    let [declared] = definition(&db, here)[..] else { panic!("one declaration") };
    // From inside the library's own document the use in the program is found.
    let inside = FilePosition { file: declared.file, offset: declared.range.start().into() };
    let found = references(&db, inside).expect("a name");
    assert!(found.iter().any(|reference| reference.at.file == main), "{found:?}");
    assert!(found.iter().any(|reference| reference.is_declaration && reference.at == declared));
}
