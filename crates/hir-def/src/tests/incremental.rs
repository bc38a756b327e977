//! What an edit runs again, and that the outcome is the same as from scratch.

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use base_db::{EventLog, RootDatabase, SourceFile, documents::Documents};
use expect_test::{Expect, expect};

use crate::{
    body::queries::body,
    diagnostics::file_diagnostics,
    item::{self, ItemId},
    local_scope::local_scopes,
    name::Name,
    position::absolute,
    scope,
    source_map::{body_source_map, item_source},
};

const PATH: &str = "/main.slang";

/// Functions, and types with methods, 15 lines for each.
fn program(count: usize) -> String {
    let mut text = String::new();
    for index in 0..count {
        text.push_str(&format!(
            "
/// Number {index}.
[Differentiable]
float f{index}(float x, no_diff float y)
{{
    float sum = 0;
    for (int i = 0; i < 4; ++i)
        sum += x * y + {index};
    return sum;
}}

struct S{index}
{{
    float a;
    float b() {{ return a * {index}; }}
}}
"
        ));
    }
    text
}

struct Session {
    db: RootDatabase,
    documents: Documents,
    log: EventLog,
    file: SourceFile,
}

impl Session {
    fn new(text: &str) -> Session {
        let (mut db, log) = RootDatabase::with_event_log();
        let mut documents = Documents::new(&mut db);
        let file = documents.open(&mut db, PATH, text);
        Session { db, documents, log, file }
    }

    /// Replaces the first `from` after `after`.
    fn replace(&mut self, after: &str, from: &str, to: &str) {
        let text = base_db::Db::text(&self.db, self.file).map(|text| text.slice(0..usize::MAX)).unwrap_or_default();
        let start = text.find(after).expect("the anchor") + after.len();
        let start = start + text[start..].find(from).expect("the text to replace");
        self.documents.edit(&mut self.db, PATH, start..start + from.len(), to);
    }

    /// Everything that this layer computes about a file, as text without ids.
    fn everything(&self) -> String {
        let db = &self.db;
        let mut out = String::new();
        for &item in scope::all_file_items(db, self.file) {
            out.push_str(&format!("{:?}\n{:?}\n", item::item_data(db, item), body(db, item)));
            out.push_str(&format!("{:?}\n{:?}\n", crate::visibility::visibility(db, item), local_scopes(db, item)));
            let ranges = item_source(db, item).as_ref().map(|source| {
                let params = source.params.iter().map(|param| param.map(|param| absolute(db, param).1));
                (absolute(db, source.range).1, params.collect::<Vec<_>>())
            });
            let map = body_source_map(db, item);
            let exprs = body(db, item).store.exprs.iter().map(|(expr, _)| absolute(db, map.expr(expr)).1);
            out.push_str(&format!("{ranges:?} {:?}\n", exprs.collect::<Vec<_>>()));
        }
        for diagnostic in file_diagnostics(db, self.file) {
            out.push_str(&format!("{:?} {}\n", absolute(db, diagnostic.at).1, diagnostic.message));
        }
        let names = scope::file_names(db, self.file);
        let mut names: Vec<_> = names.iter().map(|(name, items)| format!("{name} {}", items.len())).collect();
        names.sort();
        out.push_str(&names.join("\n"));
        out
    }

    /// How often each query ran since the last time.
    #[track_caller]
    fn ran(&self, expected: &Expect) {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for event in self.log.take(&self.db) {
            let name = event.split('(').next().unwrap_or_default();
            *counts.entry(name.to_owned()).or_default() += 1;
        }
        let lines: String = counts.iter().map(|(name, count)| format!("{name}: {count}\n")).collect();
        expected.assert_eq(&lines);
    }

    fn item(&self, name: &str) -> ItemId {
        super::find(&self.db, self.file, name)
    }
}

#[test]
fn an_edit_in_a_body_runs_only_that_body_again() {
    let mut session = Session::new(&program(80));
    session.everything();
    session.log.take(&session.db);

    session.replace("float f50(", "sum += x", "sum -= x");
    session.everything();
    let one_body = expect![[r#"
        body: 1
        body_diagnostics: 1
        body_source_map: 1
        expanded_body: 1
        local_scopes: 1
        lowered_body: 1
    "#]];
    session.ran(&one_body);

    // The same holds for a method, and for a body that has been edited before.
    session.replace("struct S50\n", "return a", "return 2 * a");
    session.everything();
    session.ran(&one_body);
    session.replace("float f50(", "sum -= x", "sum *= x");
    session.everything();
    session.ran(&one_body);
}

#[test]
fn an_edit_in_a_signature_runs_only_that_item_again() {
    let mut session = Session::new(&program(80));
    session.everything();
    session.log.take(&session.db);
    session.replace("float f50(", "float y", "float2 z");
    session.everything();
    session.ran(&expect![[r#"
        body: 1
        body_diagnostics: 1
        body_source_map: 1
        chunk_mentions_visibility: 1
        expanded_header: 1
        header_diagnostics: 1
        item_data: 1
        item_source: 1
        local_scopes: 1
        lowered_body: 1
        segment_clauses: 1
        segment_declarations: 1
        segment_items: 1
        segment_names: 1
        segment_shape: 1
        visibility: 1
    "#]]);
}

#[test]
fn an_edit_beside_directives_runs_only_that_body_again() {
    let text = format!(
        "#define N 4\n#include \"missing.h\"\nfloat g(float x) {{\n#if N > 3\n    return x * N;\n#endif\n}}\n{}",
        program(80)
    );
    let mut session = Session::new(&text);
    session.everything();
    session.log.take(&session.db);
    session.replace("float g", "x * N", "x + N");
    session.everything();
    session.ran(&expect![[r#"
        body: 1
        body_diagnostics: 1
        body_source_map: 1
        expanded_body: 1
        local_scopes: 1
        lowered_body: 1
    "#]]);

    // A macro's new value reaches those that use it; the rest is compared and stays.
    session.replace("#define N", "4", "5");
    session.everything();
    let ran = session.log.take(&session.db);
    let count = |query: &str| ran.iter().filter(|event| event.starts_with(&format!("{query}("))).count();
    assert_eq!((count("lowered_body"), count("segment_declarations")), (1, 0), "{ran:?}");
}

#[test]
fn a_line_between_macros_runs_as_much_in_a_long_file_as_in_a_short_one() {
    let ran = |count: usize| {
        let macros: String = (0..count).map(|index| format!("#define M{index}(x) ((x) + {index})\n")).collect();
        let mut session = Session::new(&format!("{macros}int f() {{ return M5(2); }}\n"));
        session.everything();
        session.log.take(&session.db);
        session.replace("", &format!("#define M{}", count / 2), &format!("\n#define M{}", count / 2));
        session.everything();
        session.log.take(&session.db)
    };
    let (short, long) = (ran(40), ran(400));
    assert_eq!(short.len(), long.len(), "{long:?}");
}

#[test]
fn a_new_function_keeps_the_ids_of_the_others() {
    let mut session = Session::new(&program(80));
    let before = (session.item("f49"), session.item("f50"), session.item("S50"));
    session.everything();
    session.log.take(&session.db);
    session.replace("struct S49\n", "\n}\n", "\n}\nfloat added(float x) { return x; }\n");
    assert_eq!((session.item("f49"), session.item("f50"), session.item("S50")), before);
    assert_eq!(scope::lookup_in_file(&session.db, session.file, &Name::new("added")).len(), 1);
}

#[test]
fn edited_files_are_as_from_scratch() {
    const TEXTS: [&str; 3] = [
        "
/// A shape.
interface IShape { float area(); property float size { get; } associatedtype T : IFoo; }
struct Circle : IShape { float r; float area() { return 3 * r * r; } property float size { get { return r; } }
    typealias T = float; __init(float x) { r = x; } __subscript(int i) -> float { get { return r; } set { r = newValue; } } }
enum Kind : int { A, B = 4, C } kinds;
float f<T : IShape, let N : int>(T shape, inout float x[N], no_diff float y = 1) where T : IFoo
{
    let a = shape.area(); var b = a, c = 2;
    switch (N) { case 0: break; case 1: default: b += 1; }
    if (let z = g(a)) { return z; } else while (b < c) { ++b; }
    return b ? x[0] : fwd_diff(f)(diffPair(y, 1.0)).d;
}
",
        "
namespace n { namespace m { static const float v[] = { 1, 2 }; float g(float x) { return x; } }
extension Circle { float h() { return r; } } cbuffer C { float4 tint; } }
import missing.file; using n::m; typedef float V[4];
extension<T : IFoo> T : IBar { static float k() { return (float)1; } }
struct Late { float a; } late, later;
",
        "
#define N 4
#if N > 3
float a(float x) { return x; }
#else
float b(float x) { return x; }
#endif
float c(float x) {
#ifdef N
    return x;
#endif
    x += N;
}
",
    ];
    const INSERTIONS: [&str; 18] = [
        "x",
        " ",
        "\n",
        ";",
        "{",
        "}",
        "(",
        ")",
        "//",
        "\"",
        "#if 0\n",
        "#endif\n",
        "float q;",
        " + 2",
        "<",
        ":",
        ",",
        "float added(float q) { return q; }",
    ];
    let mut random = fastrand::Rng::with_seed(3);
    for text in TEXTS {
        for _ in 0..4 {
            let mut text = text.to_owned();
            let mut session = Session::new(&text);
            for _ in 0..25 {
                let start = random.usize(..text.len());
                let end = (start + random.usize(..4)).min(text.len());
                let with = if random.u8(..3) == 0 { "" } else { INSERTIONS[random.usize(..INSERTIONS.len())] };
                text.replace_range(start..end, with);
                session.documents.edit(&mut session.db, PATH, start..end, with);
                assert_eq!(session.everything(), Session::new(&text).everything(), "in\n{text}");
            }
        }
    }
}

#[test]
fn an_edit_in_a_large_file_costs_a_small_part_of_a_whole_check() {
    let start = Instant::now();
    let mut session = Session::new(&program(700));
    file_diagnostics(&session.db, session.file);
    let whole = start.elapsed();
    let mut times: Vec<Duration> = Vec::new();
    for round in 0..20 {
        let (from, to) = if round % 2 == 0 { ("sum += x", "sum -= x") } else { ("sum -= x", "sum += x") };
        let start = Instant::now();
        session.replace("float f50(", from, to);
        file_diagnostics(&session.db, session.file);
        times.push(start.elapsed());
    }
    times.sort();
    assert!(10 * times[10] < whole, "{:?} for an edit, {whole:?} for the whole", times[10]);
}
