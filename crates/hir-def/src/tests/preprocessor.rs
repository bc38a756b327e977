use super::{files, find, outline};
use crate::{
    body::{Expr, queries::body},
    diagnostics::file_diagnostics,
    item,
    name::Name,
    position::absolute,
    scope::lookup_in_file,
    source_map::{body_source_map, item_source},
};

fn declared(texts: &[(&str, &str)]) -> String {
    let (db, _, files) = files(texts);
    outline(&db, item::file_items(&db, files[0]))
}

fn messages(texts: &[(&str, &str)]) -> Vec<String> {
    let (db, _, files) = files(texts);
    let line = |offset: usize| texts[0].1[..offset].matches('\n').count() + 1;
    let diagnostics = file_diagnostics(&db, files[0]);
    let show = |diagnostic: &crate::diagnostics::Diagnostic| {
        let (file, range) = absolute(&db, diagnostic.at);
        assert_eq!(file, files[0]);
        format!("{} {}: {}", diagnostic.code.0, line(range.start().into()), diagnostic.message)
    };
    diagnostics.iter().map(show).collect()
}

#[test]
fn conditions_choose_declarations_members_and_statements() {
    let text = "
#define ON 1
#if ON
int a() {
#ifdef ON
    return first;
#else
    return second;
#endif
}
#else
int b() { return 1; }
struct C { int d; };
#endif
struct E {
#ifndef ON
    int no;
#endif
    int yes;
};
#undef ON
#ifdef ON
int after;
#endif
";
    assert_eq!(declared(&[("/main.slang", text)]), "Function a\nStruct E\n  Variable yes\n");
    assert_eq!(messages(&[("/main.slang", text)]), [""; 0]);
    let (db, _, files) = files(&[("/main.slang", text)]);
    let body = body(&db, find(&db, files[0], "a"));
    let names: Vec<String> = body
        .store
        .exprs
        .iter()
        .filter_map(|(_, expr)| match expr {
            Expr::Path(path) => Some(path.segments[0].name.to_string()),
            _ => None,
        })
        .collect();
    assert_eq!(names, ["first"]);
}

#[test]
fn macros_make_declarations_and_bodies_with_places() {
    let text = "#define DECLARE(name) int name(int x) { return x; }\n#define TWICE(x) ((x) * 2)\nDECLARE(made)\nint user(int y) { return TWICE(y + 1); }\n";
    let (db, _, files) = files(&[("/main.slang", text)]);
    assert_eq!(outline(&db, item::file_items(&db, files[0])), "Function made\nFunction user\n");
    let at = |location| {
        let (_, range) = absolute(&db, location);
        &text[usize::from(range.start())..usize::from(range.end())]
    };
    let made = item_source(&db, find(&db, files[0], "made")).as_ref().expect("made is there");
    assert_eq!(made.name.map(at), Some("made"), "an argument keeps its place");
    let user = find(&db, files[0], "user");
    let map = body_source_map(&db, user);
    let exprs: Vec<&str> = body(&db, user).store.exprs.iter().map(|(expr, _)| at(map.expr(expr))).collect();
    assert_eq!(exprs, ["y", "1", "y + 1", "TWICE(y + 1)", "TWICE(y + 1)"]);
}

#[test]
fn definitions_from_outside_count() {
    let (mut db, mut documents, files) =
        files(&[("/main.slang", "#if LEVEL > 2\nint high;\n#else\nint low;\n#endif\n")]);
    assert_eq!(outline(&db, item::file_items(&db, files[0])), "Variable low\n");
    documents.set_macro_definitions(&mut db, vec![("LEVEL".into(), "3".into())]);
    assert_eq!(outline(&db, item::file_items(&db, files[0])), "Variable high\n");
}

#[test]
fn macros_may_ask_what_is_defined() {
    let text = "#define ON\n#define HAS(x) defined(x)\n#define ASK defined(ON)\n#define WIDE 4\n#if ASK && HAS(WIDE) && !HAS(NARROW)\nint yes;\n#else\nint no;\n#endif\n";
    let (db, _, files) = files(&[("/main.slang", text)]);
    assert_eq!(outline(&db, item::file_items(&db, files[0])), "Variable yes\n");
}

#[test]
fn included_texts_are_part_of_the_file() {
    let texts = [
        (
            "/main.slang",
            "#define WIDE\n#include \"lib/types.slangh\"\n#include \"lib/types.slangh\"\nColor tint; int n = COUNT;\n",
        ),
        (
            "/lib/types.slangh",
            "#pragma once\n#include \"more.slangh\"\n// The color.\n#ifdef WIDE\nstruct Color { float4 value; };\n#endif\n",
        ),
        ("/lib/more.slangh", "#ifndef MORE\n#define MORE\n#define COUNT 7\nint more() { return 1; }\n#endif\n"),
    ];
    assert_eq!(declared(&texts), "Function more\nStruct Color\n  Variable value\nVariable tint\nVariable n\n");
    assert_eq!(messages(&texts), [""; 0]);

    let (db, _, files) = files(&texts);
    let color = lookup_in_file(&db, files[0], &Name::new("Color"));
    let source = item_source(&db, color[0]).as_ref().expect("Color is there");
    let (file, range) = absolute(&db, source.name.expect("a name"));
    assert_eq!((file, &texts[1].1[usize::from(range.start())..usize::from(range.end())]), (files[1], "Color"));
}

#[test]
fn broken_directives_are_reported_where_they_are() {
    assert_eq!(
        messages(&[("/main.slang", "#error stop here\n#include \"missing.h\"\n#endif\n#if 1\nint x;\n")]),
        [
            "15900 1: #error: stop here",
            "15300 2: failed to find include file 'missing.h'",
            "15001 3: `#endif` without `#if`",
            "15000 6: an `#if` is not closed by `#endif`",
        ]
    );
}

#[test]
fn files_that_include_themselves_end() {
    let found = messages(&[
        ("/main.slang", "#include \"a.h\"\nint x;\n"),
        ("/a.h", "#include \"b.h\"\nint a;\n"),
        ("/b.h", "#include \"a.h\"\nint b;\n"),
    ]);
    assert!(found.len() <= 1, "{found:?}");
}

#[test]
fn a_definition_reaches_only_what_follows() {
    let text =
        "int a = N;\n#define N 1\nint b = N;\nnamespace n {\nint c = N;\n#define N 2\nint d = N; }\nint e = N;\n";
    let (db, _, files) = files(&[("/main.slang", text)]);
    let value = |name: &str| {
        let body = body(&db, find(&db, files[0], name));
        format!("{:?}", body.store.exprs.iter().next().map(|(_, expr)| expr))
    };
    assert!(value("a").contains("Path"));
    for (name, expected) in [("b", "value: 1"), ("c", "value: 1"), ("d", "value: 2"), ("e", "value: 2")] {
        assert!(value(name).contains(expected), "{name} is {}", value(name));
    }
}

#[test]
fn a_file_that_begins_with_a_byte_order_mark_includes_what_it_names() {
    let (db, _, files) = super::files(&[
        ("/main.slang", "\u{feff}#include \"shared.h\"\nint f() { return LEVELS; }\n"),
        ("/shared.h", "#define LEVELS 3\n"),
    ]);
    assert_eq!(crate::expansion::paths_in_directives(&db, files[0]), ["shared.h"]);
    assert!(file_diagnostics(&db, files[0]).is_empty());
}

#[test]
fn macros_and_includes_carry_braces() {
    let text = "
#define BEGIN_CBUFFER(name) cbuffer name {
#define END_CBUFFER };
#define SPACE_BEGIN(name) namespace name {
#define SPACE_END }
#define STRUCT(name) struct name {
BEGIN_CBUFFER(Camera)
float4x4 view;
END_CBUFFER
SPACE_BEGIN(lib)
STRUCT(Params)
uint frame;
};
struct Holder { Params params; float get() { return 1; } };
SPACE_END
float after(float x) { return x; }
#include \"open.slangh\"
float included;
}
float last;
";
    let files = [("/main.slang", text), ("/open.slangh", "struct Opened {\n")];
    let expected = "ConstantBuffer Camera
  Variable view
Namespace lib
  Struct Params
    Variable frame
  Struct Holder
    Variable params
    Function get
Function after
Struct Opened
  Variable included
Variable last
";
    assert_eq!(declared(&files), expected);
    assert_eq!(messages(&files), [""; 0]);
}

#[test]
fn an_argument_may_hold_declarations() {
    let text = "
#define DECLARE(x) x
#define FUNCTION(name, body) float name(float x) body
DECLARE(float f(float x) { return x; } float g;)
FUNCTION(square, { let y = x; return y * x; })
struct S { DECLARE(float a; float b;) FUNCTION(m, { return 1; }) float c; }
float last;
";
    let expected = "Function f
Variable g
Function square
Struct S
  Variable a
  Variable b
  Function m
  Variable c
Variable last
";
    assert_eq!(declared(&[("/main.slang", text)]), expected);
    assert_eq!(messages(&[("/main.slang", text)]), [""; 0]);
}

#[test]
fn a_place_in_joined_segments_is_a_place_in_the_file() {
    let text = "#define BEGIN namespace n {\n#define END }\nBEGIN\nint a;\nint b(int c) { return missing @ 1; }\nEND\nint d;\n";
    let found = messages(&[("/main.slang", text)]);
    assert!(!found.is_empty() && found.iter().all(|message| message.split(' ').nth(1) == Some("5:")), "{found:?}");
    let (db, _, files) = files(&[("/main.slang", text)]);
    let place = |word: &str| syntax::TextSize::new(text.find(word).unwrap() as u32);
    for word in ["a;", "c)", "END\nint", "d;"] {
        let (segment, part, offset) = crate::source_map::segment_at(&db, files[0], place(word)).unwrap();
        let range = syntax::TextRange::empty(offset);
        let (_, back) = absolute(&db, crate::position::Location { segment, part, range });
        assert_eq!(back.start(), place(word), "{word}");
    }
    // Without an end there is no run: what follows stays as it is.
    let open = text.replace("END\nint", "int");
    assert!(declared(&[("/main.slang", &open)]).ends_with("Variable a\nFunction b\nVariable d\n"));
}

#[test]
fn a_macro_is_defined_once() {
    let text = "#define A 1\n#define B 1\n#define A 2\n#undef B\n#define B 2\n#ifndef A\n#define A 3\n#endif\nint x;\n";
    assert_eq!(messages(&[("/main.slang", text)]), ["15400 3: macro `A` is defined already"]);
}
