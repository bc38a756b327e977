//! Renaming, as the text that it makes.

use ide::{
    FilePosition,
    diagnostics::{Severity, diagnostics},
    rename::rename,
};
use syntax::KEYWORDS;
use test_support::database::TestDatabase;

use crate::check::{check_rename, check_rename_refused, edited};

#[test]
fn every_use_is_renamed_and_nothing_else() {
    // The cursor stands in front of the `number`th place of `needle`; of the words, those in `changed` change.
    let text = "\
struct Lamp { float power; }
float glow(Lamp lamp)
{
    float power = 2.0;
    return lamp.power * power;
}
float both(Lamp a) { return glow(a) + a.power; }
";
    let at = |needle: &str| text.replacen(needle, &format!("$0{needle}"), 1);
    check_rename(
        &at("power; }"),
        "strength",
        &text.replace("float power; }", "float strength; }").replace(".power", ".strength"),
    );
    check_rename(
        &at("power = 2.0"),
        "factor",
        &text.replace("float power = 2.0", "float factor = 2.0").replace("* power", "* factor"),
    );
    check_rename(&at("Lamp lamp"), "Light", &text.replace("Lamp", "Light"));
}

#[test]
fn a_requirement_is_renamed_with_what_fulfils_it() {
    check_rename(
        "\
interface IShape { float area(); }
struct Square : IShape { float side; float ar$0ea() { return side * side; } }
struct Other { float area() { return 0; } }
float use<T : IShape>(T t, Square s) { return t.area() + s.area(); }
",
        "extent",
        "\
interface IShape { float extent(); }
struct Square : IShape { float side; float extent() { return side * side; } }
struct Other { float area() { return 0; } }
float use<T : IShape>(T t, Square s) { return t.extent() + s.extent(); }
",
    );
}

#[test]
fn attributes_of_derivatives_are_renamed() {
    check_rename(
        "\
[BackwardDerivative(mine_bwd)]
float mine(float x) { return x; }
void mine_$0bwd(inout DifferentialPair<float> x, float d) { x = diffPair(x.p, d); }
",
        "mine_vjp",
        "\
[BackwardDerivative(mine_vjp)]
float mine(float x) { return x; }
void mine_vjp(inout DifferentialPair<float> x, float d) { x = diffPair(x.p, d); }
",
    );
}

#[test]
fn what_cannot_be_renamed_is_refused_with_the_reason() {
    let text = "\
#define CALL(x) helper(x)
float helper(float x) { return sin(x); }
float other(float y) { float z = y; return z + CALL(y); }
";
    for (needle, new_name, reason) in [
        ("helper(float", "assist", "macro"),
        ("sin(x)", "cosinus", "core library"),
        ("z = y", "y", "already"),
        ("other", "9lives", "not a name"),
        ("return sin", "x", "no name"),
    ] {
        check_rename_refused(&text.replacen(needle, &format!("$0{needle}"), 1), new_name, reason);
    }
}

#[test]
fn a_lambda_is_renamed_where_it_is_called() {
    check_rename(
        "float f() { let l$0am = (float z) => z * 2.0; return lam(2.0); }",
        "twice",
        "float f() { let twice = (float z) => z * 2.0; return twice(2.0); }",
    );
}

#[test]
fn the_field_that_an_attribute_names_is_renamed_there() {
    check_rename(
        "struct D : IDifferentiable { float d$0x; typealias Differential = D; }\nstruct S : IDifferentiable { [DerivativeMember(D.dx)] float x; typealias Differential = D; }\n",
        "slope",
        "struct D : IDifferentiable { float slope; typealias Differential = D; }\nstruct S : IDifferentiable { [DerivativeMember(D.slope)] float x; typealias Differential = D; }\n",
    );
}

#[test]
fn a_function_is_renamed_where_it_is_declared_again() {
    for text in [
        "float h$0(float x);\nfloat f() { return h(1.0); }\nfloat h(float x) { return x; }\nfloat h(int x) { return x; }\n",
        "float h(float x);\nfloat f() { return h$0(1.0); }\nfloat h(float x) { return x; }\nfloat h(int x) { return x; }\n",
        "float h(float x);\nfloat f() { return h(1.0); }\nfloat h$0(float x) { return x; }\nfloat h(int x) { return x; }\n",
    ] {
        check_rename(
            text,
            "g",
            "float g(float x);\nfloat f() { return g(1.0); }\nfloat g(float x) { return x; }\nfloat h(int x) { return x; }\n",
        );
    }
}

#[test]
fn what_cannot_be_renamed_says_why() {
    check_rename_refused("struct S { float x; __in$0it() { x = 1; } }", "B", "the name of its type");
    check_rename_refused(
        "struct S { float a; property float p { get { return a; } set { a = new$0Value; } } }",
        "B",
        "`set(name)`",
    );
}

#[test]
fn an_attribute_keeps_its_ending_where_it_is_declared() {
    let text = "[__AttributeUsage(_AttributeTargets.Var)] struct MyAttribute { int v; }\n[My(3)] uniform int q;\n[MyAttribute(4)] uniform int r;\n";
    let changed = text.replace("My", "Range");
    check_rename(&text.replace("MyAttribute {", "My$0Attribute {"), "RangeAttribute", &changed);
    check_rename(&text.replace("[My(", "[M$0y("), "Range", &changed);
}

#[test]
fn the_parameter_of_a_subscript_is_renamed_in_its_accessors() {
    check_rename(
        "struct S { float a[3]; __subscript(int i$0) -> float { get { return a[i]; } set { a[i] = newValue; } } }",
        "at",
        "struct S { float a[3]; __subscript(int at) -> float { get { return a[at]; } set { a[at] = newValue; } } }",
    );
}

#[test]
fn no_name_is_taken_that_means_something_to_a_use() {
    for (text, new_name) in [
        // Functions of one name are overloads, and calls could come to mean another.
        ("int $0f(int a) { return 1; }\nint g(float a) { return 2; }\nint h() { return f(1) + g(1); }", "g"),
        ("int $0f(int a) { return 1; }\nint g(float a) { return 2; }\n", "g"),
        ("struct S { int $0f(int a) { return 1; } int g(float a) { return 2; } }", "g"),
        ("struct S { int $0f(int a) { return 1; } }\nextension S { int g(float a) { return 2; } }", "g"),
        (
            "extension float { float $0tw() { return 1; } float th() { return 2; } }\nfloat f(float x) { return x.tw() + x.th(); }",
            "th",
        ),
        ("interface I { int $0f(); }\nstruct S : I { int f() { return 1; } int g; }", "g"),
        ("float $0f(float a) { return 1; }\nfloat h() { return f(1); }", "lerp"),
        (
            "namespace N { int $0f(int a) { return 1; } }\nint g(float a) { return 2; }\nint h() { return N::f(1) + g(1); }\nnamespace N { int k() { return g(1); } }",
            "g",
        ),
        ("struct S { int $0f(int a) { return 1; } int h() { return g(1); } }\nint g(float a) { return 2; }", "g"),
        (
            "struct S { }\nextension S { int $0f(int a) { return 1; } }\nextension S { int h() { return g(1); } }\nint g(float a) { return 2; }",
            "g",
        ),
        ("int $0f(int a) { return 1; }\nstruct S { int g; int h() { return f(1); } }", "g"),
        ("int $0f(int a) { return 1; }\nint h<let g : int>() { return f(g); }", "g"),
        // Generic parameters.
        ("struct T {}\nstruct G<U$0> { U a; T b; }", "T"),
        ("struct T {}\nstruct G<U$0> { U a; T f() { return {}; } }", "T"),
        ("struct G<U$0> { U a; U f(int T) { U b; return b; } }", "T"),
        ("struct G<U$0> { U f<T>(T a) { U b; return b; } }", "T"),
        ("struct G<U$0> { U a; float T; }", "T"),
        ("float f<let N : int>(float $0x) { return x * N; }", "N"),
    ] {
        check_rename_refused(text, new_name, &format!("`{new_name}`"));
    }
    // What means something elsewhere alone is free.
    check_rename(
        "struct S { int $0f() { return 1; } }\nint g() { return 2; }\nint h(S s) { return s.f() + g(); }",
        "g",
        "struct S { int g() { return 1; } }\nint g() { return 2; }\nint h(S s) { return s.g() + g(); }",
    );
    check_rename(
        "namespace N { int $0f() { return 1; } }\nint h(int g) { return N::f() + g; }",
        "g",
        "namespace N { int g() { return 1; } }\nint h(int g) { return N::g() + g; }",
    );
    check_rename("struct T {}\nstruct G<U$0> { U a; }\nT t;", "T", "struct T {}\nstruct G<T> { T a; }\nT t;");
}

#[test]
fn no_name_of_a_macro_is_taken() {
    let macros = "#define MAXV 3\n#define sq2(x) ((x)*(x))\n";
    for (text, new_name) in [
        ("float f(float $0p) { return p + MAXV; }", "MAXV"),
        ("float $0my(float x) { return x; }\nfloat k(float p) { return my(p) + sq2(p); }", "sq2"),
        ("struct S { float $0m; }", "MAXV"),
    ] {
        check_rename_refused(&format!("{macros}{text}"), new_name, "macro");
        let from_header = format!("//- /head.slangh\n{macros}//- /main.slang\n#include \"head.slangh\"\n{text}");
        check_rename_refused(&from_header, new_name, "macro");
    }
}

#[test]
fn a_name_that_a_macro_pastes_is_not_changed() {
    let function = "#define CAT(a,b) a##b\nint foobar$0(int a) { return 1; }\n";
    check_rename_refused(&format!("{function}int h() {{ return CAT(foo,bar)(2); }}"), "k", "macro");
    check_rename_refused(
        "#define GET(s, n) s.m_##n\nstruct S { float m_a$0; }\nfloat f(S s) { return GET(s, a); }",
        "q",
        "macro",
    );
    check_rename(
        &format!("{function}int h() {{ return CAT(foo,baz)(foobar(2)); }}\nint foobaz(int a) {{ return 1; }}"),
        "k",
        "#define CAT(a,b) a##b\nint k(int a) { return 1; }\nint h() { return CAT(foo,baz)(k(2)); }\nint foobaz(int a) { return 1; }",
    );
}

#[test]
fn macros_and_their_parameters_are_renamed() {
    let text = |limit: &str, twice: &str, x: &str| {
        format!(
            "//- /a.slangh\n#ifndef {limit}\n#define {limit} 4 // LIMIT of all\n#endif\n//- /main.slang\n#include \"a.slangh\"\n#define {twice}({x}) (({x}) + \\\n    {limit} * ({x}))\n#if {limit} > 3\nint f() {{ return {twice}({limit}); }}\n#endif\n"
        )
    };
    check_rename(
        &text("LIMIT", "TWICE", "x").replacen("#define LI", "#define LI$0", 1),
        "MOST",
        &text("MOST", "TWICE", "x"),
    );
    check_rename(
        &text("LIMIT", "TWICE", "x").replacen("return TW", "return TW$0", 1),
        "DOUBLED",
        &text("LIMIT", "DOUBLED", "x"),
    );
    check_rename(&text("LIMIT", "TWICE", "x").replacen("((x)", "(($0x)", 1), "value", &text("LIMIT", "TWICE", "value"));
    check_rename_refused(
        "#define L$0 4\nint f() { return L; }\n#if 0\nint g() { return L; }\n#endif\n",
        "M",
        "what `L` means at main.slang:4 is not known: it is not a use of the macro there, or a condition excludes it",
    );
    check_rename_refused(
        "#define L$0 4\nint f(int M) { return L + M; }\n",
        "M",
        "`M` is written at main.slang:2 already",
    );
    check_rename_refused("#define L(a$0, b) a + b\n", "b", "`b` means something in the definition of `L` already");
}

#[test]
fn a_name_is_whole_where_the_end_of_a_line_cuts_it() {
    for (text, changed) in [
        ("static float foo$0; float f() { return fo\\\no; }", "static float bar; float f() { return bar; }"),
        ("float f(float foo) { return f\\\r\no$0o; }", "float f(float bar) { return bar; }"),
        (
            "struct S { float fo\\\no; };\nfloat f(S s) { return s.foo + s.f$0\\\noo; }",
            "struct S { float bar; };\nfloat f(S s) { return s.bar + s.bar; }",
        ),
        (
            "#define ID(x) x\nint f(int foo$0) { return ID(fo\\\no) + foo; }",
            "#define ID(x) x\nint f(int bar) { return ID(bar) + bar; }",
        ),
    ] {
        check_rename(text, "bar", changed);
    }
}

#[test]
fn a_label_is_renamed_with_the_exits_that_name_it() {
    let text = "int f(int outer) { outer: for (;;) { inner: for (;;) { if (outer > 1) break outer; break inner; } } return outer; }\nvoid g() { outer: for (;;) { break outer; } }";
    let changed = text.replacen(" outer: for", " all: for", 1).replacen("break outer", "break all", 1);
    check_rename(&text.replacen("outer: for", "out$0er: for", 1), "all", &changed);
    check_rename(&text.replacen("break outer", "break $0outer", 1), "all", &changed);
    check_rename_refused(&text.replacen("break outer", "break $0outer", 1), "inner", "another `inner`");
}

#[test]
fn an_overload_is_renamed_in_the_attribute_that_means_it() {
    let of = |ty: &str, name: &str| {
        format!(
            "[ForwardDerivative({name})]\n{ty} f({ty} v) {{ return v; }}\nDifferentialPair<{ty}> {name}(DifferentialPair<{ty}> v) {{ return v; }}\n"
        )
    };
    let text = format!("{}{}", of("float", "slope"), of("float2", "slope"));
    let changed = format!("{}{}", of("float", "slope"), of("float2", "rate"));
    let at = text.rfind("slope(Diff").expect("the last");
    check_rename(&format!("{}$0{}", &text[..at], &text[at..]), "rate", &changed);
}

#[test]
fn names_in_macros_and_texts_are_not_missed() {
    check_rename_refused("#define SET b[tid] = 1\nvoid f(int tid$0, inout int b[4]) { SET; }", "i", "macro");
    check_rename(
        "#define SET b[tid] = 1\nvoid f(int tid, inout int b[4]) { SET; }\nvoid g(int tid$0) { int a = tid; }",
        "i",
        "#define SET b[tid] = 1\nvoid f(int tid, inout int b[4]) { SET; }\nvoid g(int i) { int a = i; }",
    );
    check_rename_refused(
        "struct P { float edges[3] : SV_TessFactor; float inside : SV_InsideTessFactor; }\nP con$0stants() { P p = {}; return p; }\n[patchconstantfunc(\"constants\")] void hull() {}\n",
        "other",
        "named in a text",
    );
}

#[test]
fn associated_types_are_renamed_in_constraints_that_say_what_they_equal() {
    check_rename(
        "\
interface IHolds { associatedtype It$0em; Item first(); }
struct Box : IHolds { typealias Item = float; Item first() { return 1; } }
float total<T : IHolds>(T t) where T.Item == float { return t.first(); }
",
        "Element",
        "\
interface IHolds { associatedtype Element; Element first(); }
struct Box : IHolds { typealias Element = float; Element first() { return 1; } }
float total<T : IHolds>(T t) where T.Element == float { return t.first(); }
",
    );
}

#[test]
fn words_of_the_language_are_not_renamed() {
    let word = "is a word of the language";
    check_rename_refused(
        "struct S { float a; property float p { g$0et { return a; } set { a = newValue; } } }",
        "read",
        word,
    );
    check_rename_refused(
        "struct S { float a; property float p { get { return a; } s$0et { a = newValue; } } }",
        "read",
        word,
    );
    check_rename_refused("struct S { float a; __subs$0cript(int i) -> float { get { return a; } } }", "at", word);
    // A method may be called as an accessor is.
    check_rename(
        "\
interface IGet { float g$0et(); property float p { get; } }
struct S : IGet { float a; float get() { return a; } property float p { get { return a; } } }
float use<T : IGet>(T t) { return t.get() + t.p; }
",
        "read",
        "\
interface IGet { float read(); property float p { get; } }
struct S : IGet { float a; float read() { return a; } property float p { get { return a; } } }
float use<T : IGet>(T t) { return t.read() + t.p; }
",
    );
}

/// Names of every kind, each used wherever such a name may stand; what is asked about has `$0` in front of it.
const NAMES: &str = "\
namespace $0around { struct Inner { float depth; }; }
struct $0Lamp { float $0power; static const int $0size = 2; float $0scaled(float by) { return power * by + this.power; } static Lamp make() { return {}; } }
enum $0Mode { $0Soft, Hard }
interface $0ILit { float lit(); associatedtype $0Glow; }
struct Bulb : ILit { Lamp inside; typealias Glow = Lamp; float lit() { return inside.power; } property float $0watt { get { return inside.power; } } }
typealias $0Lit = Lamp;
groupshared Lamp shelf[Lamp.size];
static float $0total = 1;
void $0change(inout float $0by) { by = by + 1; by++; by += by; (by) = -by; }
Lamp both<$0T : ILit, let $0count : int>(T given, Lamp[2] lamps, around::Inner inner)
{
    T other = given;
    Lamp made = Lamp.make();
    Lamp again = (Lamp)made;
    Lit more[2] = { lamps[0], { 1 } };
    float $0sum = made.power * Lamp::size + more[1].scaled(2);
    sum = sum + count;
    sum++;
    (sum) *= -sum;
    change(sum);
    if (sum > 1) change(sum);
    for (int $0step = 0; step < 4; step++) { sum += float(step); total += sum; }
    Mode mode = Mode.Soft;
    Optional<Lamp> maybe = none;
    switch (mode) { case Mode.Soft: sum = 1; break; case Mode::Hard: break; }
    let twice = (float x) => x + sum;
    again.power = twice(sum) < sum ? sum : total + given.lit() + inner.depth;
    $0outer: while (sum < 3) { break outer; }
    return again;
}
Lamp use(Bulb bulb, around.Inner inner) { Lamp lamps[2]; lamps[0].power = bulb.watt; return both<Bulb, 2>(bulb, lamps, inner); }
";

#[test]
fn a_word_of_the_language_is_no_new_name_where_it_is_read_as_such() {
    let pieces: Vec<&str> = NAMES.split("$0").collect();
    let text = pieces.concat();
    let starts = pieces.iter().scan(0, |offset, piece| {
        *offset += piece.len();
        Some(*offset)
    });
    let mut test = TestDatabase::new(&text);
    let file = test.last_file();
    let first_error = |test: &TestDatabase, file| {
        diagnostics(&test.db, file).into_iter().find(|found| found.severity == Severity::Error)
    };
    assert_eq!(first_error(&test, file), None);
    let mut tried: Vec<String> = Vec::new();
    let mut wrong = Vec::new();
    let words = KEYWORDS.iter().map(|(word, _)| *word).chain(["This", "void", "float", "precision", "Lamp"]);
    let words: Vec<&str> = words.collect();
    for start in starts.take(pieces.len() - 1) {
        for word in &words {
            let at = FilePosition { file, offset: start as u32 };
            let Ok(edits) = rename(&test.db, at, word) else { continue };
            let changed = edited(&text, &edits, file);
            // Several names of one program are the same change.
            if tried.contains(&changed) {
                continue;
            }
            let again = test.documents.open(&mut test.db, "/changed.slang", &changed);
            let said = first_error(&test, again);
            wrong.extend(said.map(|said| format!("{word} for {:?}: {}", &text[start..start + 6], said.message)));
            tried.push(changed);
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
    // Words that say something in few places stay names.
    assert!(tried.len() > 200, "{}", tried.len());
    check_rename_refused("struct S { int $0a; }", "enum", "`enum` is a word of the language, not a name");
    check_rename_refused("float f(float $0a) { return a; }", "return", "a word of the language, not a name");
    check_rename_refused("struct S$0 { int a; } S f(S s) { return s; }", "sample", "which is not read as a name");
    check_rename_refused("namespace n$0 { struct S { } }", "point", "not the name of a namespace");
    check_rename(
        "float f(float $0a) { float b = a; return b; }",
        "sample",
        "float f(float sample) { float b = sample; return b; }",
    );
}
