//! What is offered where.

use ide::completion::{CompletionKind, completion, resolve};
use test_support::database::TestDatabase;

use crate::check::{check_completed, check_completion, check_first, check_offers, completed, cursor};

#[test]
fn what_the_function_declares_in_front_is_offered() {
    check_offers(
        "void f() { struct Early { float x; } int early() { return 1; } $0 struct Late { float x; } }",
        &["Early", "early"],
        &["Late"],
    );
}

#[test]
fn what_another_function_declares_is_not_offered() {
    check_offers("void g() { struct Other { float x; } } void f() { $0 }", &["g"], &["Other"]);
}

#[test]
fn functions_inside_functions_see_what_is_around_them() {
    check_offers("void f() { struct Around { float x; } int inner() { $0 return 1; } }", &["Around"], &[]);
}

const TYPES: &str = "\
enum Mode { Fast, Exact }
namespace ns { int count; struct Inner {} float scaled(float x) { return x; } }
struct Light { float power; static int total; internal float spare; static Light make(); float at(float x) { return x; } }
[Differentiable] float soft(float distance, float radius) { return distance * radius; }
";

fn members(text: &str, labels: &[&str], others: &[&str]) {
    check_offers(&format!("{TYPES}{text}"), labels, others);
}

/// `l.⏎u = 2;` reads as the declaration of `u`.
#[test]
fn members_of_values_in_front_of_another_statement() {
    let inside = ["struct Room { Light lamp; float3 at; }", "Room room;"].join("\n");
    for typed in ["l.$0", "l.po$0", "room.lamp.$0", "room.lamp.po$0", "own.$0", "r[0].lamp.po$0"] {
        for next in ["u = 2;", "u.x = 1;", "f(u);", "float w;", "return;", "u++;"] {
            let text = format!(
                "{inside}\nvoid f(Light l, Room r[2]) {{ float2 u; Light own; float k = 1;\n    {typed}\n    {next}\n}}"
            );
            members(&text, &["power", "at"], &["total", "make"]);
        }
    }
}

#[test]
fn members_of_values() {
    check_completion("float f() { struct Own { float weight; } Own own; return own.$0; }", &["weight", "detach"]);
    for declared in ["Light l", "ParameterBlock<Light> l", "ConstantBuffer<Light> l", "uniform Light* l"] {
        members(
            &format!("{declared};\nfloat f() {{ return l.$0; }}"),
            &["power", "at"],
            &["total", "make", "Handle", "kind"],
        );
    }
    members("float f(Light* l) { return l->$0; }", &["power", "at"], &["total"]);
    members("float f(Light l) { string s = \"http://x\"; return l.$0; }", &["power"], &[]);
    members(
        "float f(Light l)\n{\n    if (l.power > 1)\n        return l.$0\n\nfloat g() { return 1; }",
        &["power"],
        &[],
    );
    members("void f(float3 v) { v.$0; }", &["x", "r", "xy", "xyz"], &["add", "neg", "Differential", "elementCount"]);
    members("void f(float2 v) { v.$0; }", &["y"], &["z", "b"]);
    members("void f(DifferentialPair<float> v) { v.$0; }", &["p", "d", "getPrimal"], &["Differential", "dzero"]);
    members("void f(RWStructuredBuffer<float> v) { v.$0; }", &["Load", "GetDimensions"], &["Handle", "kind"]);
    members("T f<T : IFloat>(T v) { v.$0; }", &["add", "mul"], &["dzero"]);
}

#[test]
fn members_of_types_and_namespaces() {
    for separator in [".", "::"] {
        members(&format!("void f() {{ Mode m = Mode{separator}$0; }}"), &["Fast", "Exact"], &[]);
        members(&format!("void f() {{ Light{separator}$0; }}"), &["total", "make"], &["power", "at"]);
        members(&format!("void f() {{ ns{separator}$0; }}"), &["count", "Inner", "scaled"], &["soft"]);
        members(&format!("void f() {{ ns{separator}Inn$0 }}"), &["Inner"], &["soft"]);
    }
    members("ns::$0", &["Inner", "scaled"], &["soft"]);
    members("void f() { bwd_diff(Light.$0) }", &[], &["power", "total", "at"]);
    members(
        "struct T { [Differentiable] float g(float x) { return x; } } void f() { bwd_diff(T.$0) }",
        &["g"],
        &["at"],
    );
    let own =
        "struct T { Light l; float power; [Differentiable] float g(float x) { return x; } float h() { return 1; } }";
    for operand in ["T t) { bwd_diff(t.$0) }", "T t[2]) { fwd_diff(t[0].$0) }"] {
        members(&format!("{own} void f({operand}"), &["g", "l"], &["h", "power", "detach"]);
    }
    let differential = "struct D : IDifferentiable { float q; float r() { return 1; } static int s; }";
    for name in ["D", "Differential", "S.Differential"] {
        let owner = "struct S : IDifferentiable { typealias Differential = D;";
        members(&format!("{differential} {owner} [DerivativeMember({name}.$0)] float q; }}"), &["q"], &["r", "s"]);
    }
    members("struct S { [DerivativeMember($0)] float q; }", &["Light"], &["soft"]);
    members("void f() { soft.$0 }", &["fwd_diff", "bwd_diff", "bwd"], &["power"]);
}

#[test]
fn members_that_cannot_be_seen_are_not_offered() {
    let module = "//- /lib.slang\nmodule lib;\npublic struct Shown { public float open; internal float spare; private float own; }\n";
    let user = "//- /main.slang\nimport lib;\nfloat f(Shown s) { return s.$0; }\n";
    check_offers(&format!("{module}{user}"), &["open"], &["spare", "own"]);
}

#[test]
fn files_and_directives() {
    let files = "//- /lib.slang\nmodule lib;\n//- /math/noise-2d.slang\nmodule noise;\n//- /shared.slangh\n#define A 1\n//- /main.slang\n";
    check_completion(&format!("{files}import $0"), &["lib", "math.noise_2d"]);
    check_completion(&format!("{files}int x;\n__exported import math.$0"), &["noise_2d"]);
    check_completion(&format!("{files}#include \"$0"), &["lib.slang", "math/noise-2d.slang", "shared.slangh"]);
    check_completion(&format!("{files}#include \"math/n$0"), &["noise-2d.slang"]);
    check_offers(&format!("{files}#$0"), &["include", "ifdef", "pragma"], &["main"]);
    check_completion(&format!("{files}#include \"shared.slangh\"\n#define B(x) x\n#ifdef $0"), &["A", "B"]);
    check_offers(&format!("{files}#define LIMIT 3\nint f() {{ return $0; }}\n#define LATE 1"), &["LIMIT"], &["LATE"]);
}

#[test]
fn attributes_semantics_and_types() {
    check_offers("void f(int a[2]) { a[$0]; }", &["f"], &["MaxIters"]);
    for place in ["struct V { float4 p : $0; }", "float4 main(float4 p : SV_$0) {}", "float4 main() : $0"] {
        check_offers(place, &["SV_Position", "SV_Target"], &["abs", "float4"]);
    }
    check_offers("interface I {} float g(); struct S : $0 {}", &["I", "IDifferentiable"], &["g", "abs", "MaxIters"]);
    members("[BackwardDerivative($0)] float g(float x) { return x; }", &["soft"], &["Light", "abs", "Mode"]);
    members("void g() { bwd_diff($0) }", &["soft", "sin", "Light"], &["g", "Mode", "asuint"]);
}

/// Where something is written, what is offered there, and what is not.
type Row = (&'static str, &'static [&'static str], &'static [&'static str]);

/// Beside the declarations of [`PLACED`].
const PLACED: &str = "\
interface Shape { float area(); }
struct Round : Shape { float radius; float area() { return radius; } }
struct Box<T> { T held; }
enum Kind { Flat }
namespace inner { struct Deep { } }
typealias Alias = Round;
static const int limit = 4;
float plain(float x) { return x; }
T generic<T>(T x) { return x; }
";

/// By what a place takes: types, statements, values.
const KINDS_OF_PLACES: &[Row] = &[
    // Declarations begin with types, modifiers and the words of declarations.
    (
        "$0",
        &["Round", "float", "struct", "import", "static", "inner"],
        &["plain", "limit", "return", "property", "in", "this"],
    ),
    ("namespace n { $0 }", &["Round", "struct"], &["plain", "property", "return"]),
    (
        "struct S { $0 }",
        &["Round", "float", "property", "static", "no_diff", "This"],
        &["plain", "limit", "return", "import", "this", "in"],
    ),
    ("struct S { float a; $0 float b; }", &["Round", "property"], &["plain", "return"]),
    ("struct S { float a; } $0", &["Round", "import"], &["plain", "property"]),
    ("extension Round { $0 }", &["Kind", "__init", "This"], &["plain", "import"]),
    ("groupshared $0", &["float", "Round"], &["plain", "return"]),
    ("struct S { property float w { $0 } }", &["get", "set"], &["plain", "Round", "struct", "return"]),
    ("enum E { $0 }", &[], &["plain", "Round", "return", "struct"]),
    (
        "void f($0) { }",
        &["Round", "float", "in", "out", "inout", "no_diff"],
        &["plain", "limit", "return", "static", "struct"],
    ),
    ("void f(float a, $0) { }", &["Round", "inout"], &["plain", "return"]),
    ("struct S { float f<T>(inout $0) { } }", &["Round", "float"], &["plain", "return"]),
    // Places that take only a type.
    ("typealias X = $0;", &["Round", "float", "inner", "Box"], &["plain", "limit", "if"]),
    ("extension $0 { }", &["Round", "float"], &["plain", "if"]),
    ("void f(Shape s) { if (s is $0) { } }", &["Round"], &["plain", "s"]),
    ("void f(Shape s) { let r = s as $0; }", &["Round"], &["plain", "s"]),
    ("void f() { Box<$0> b; }", &["Round", "float", "Kind", "limit"], &["plain", "if", "return"]),
    ("void f() { Box<Ro$0> b; }", &["Round"], &["plain", "return"]),
    ("Box<$0> f() { }", &["Round"], &["plain"]),
    ("void f() { generic<$0>(1.0); }", &["Round", "float"], &["plain"]),
    ("void f(int a) { if (a < $0) { } }", &["plain", "a", "limit"], &["while"]),
    ("void f<T : $0>() { }", &["Shape", "IDifferentiable", "inner"], &["Round", "plain", "Kind", "if"]),
    ("void f<T>() where T : $0 { }", &["Shape"], &["Round", "plain"]),
    ("interface I : $0 { }", &["Shape"], &["Round", "plain"]),
    ("struct S : $0 { }", &["Shape"], &["plain", "if"]),
    ("struct S : Shape, $0 { }", &["Shape"], &["plain", "if"]),
    ("using $0;", &["inner"], &["Round", "plain"]),
    ("module $0;", &["main"], &["Round", "plain"]),
    // Values stand behind `=`, wherever that is.
    (
        "static const int k = $0;",
        &["plain", "limit", "Round", "true", "sizeof"],
        &["return", "struct", "import", "this"],
    ),
    ("struct S { int a = $0; }", &["limit"], &["property", "return"]),
    ("void f(int a = $0) { }", &["limit", "plain"], &["inout", "return"]),
    ("enum E { A = $0 }", &["limit"], &["return"]),
    ("float x[$0];", &["limit"], &["return"]),
    ("void f(float a) { float b = $0; }", &["a", "plain", "true", "fwd_diff"], &["return", "while", "struct", "break"]),
    ("void f(float a) { plain($0); }", &["a", "limit"], &["return", "in", "static"]),
    // Statements.
    (
        "void f(float a) { $0 }",
        &["a", "plain", "Round", "if", "return", "const", "let", "struct"],
        &["break", "continue", "case", "property", "import", "this", "in", "is", "namespace"],
    ),
    ("void f() { for (;;) { $0 } }", &["break", "continue"], &["case"]),
    ("void f(bool a) { while (a) if (a) $0 }", &["break", "continue"], &["case"]),
    ("void f() { do { $0 } while (true); }", &["break", "continue"], &[]),
    ("void f() { for (;;) { } $0 }", &["for"], &["break"]),
    ("void f(int a) { switch (a) { $0 } }", &["case", "default"], &["continue"]),
    ("void f(int a) { switch (a) { case 1: $0 } }", &["case", "break", "return"], &["continue"]),
    ("void f(int a) { switch (a) { case 1: if (a) { $0 } } }", &["break"], &["case", "continue"]),
    // What there is of `this`.
    ("struct S { float f() { $0 } }", &["this", "This"], &["property"]),
    ("struct S { static float f() { $0 } }", &["This"], &["this"]),
    ("struct S { __init() { $0 } }", &["this"], &[]),
    ("struct S { property float w { get { $0 } } }", &["this", "return"], &["get"]),
    ("float f() { return $0; }", &["plain"], &["this", "This"]),
    // Parameters of generics.
    ("void f<T, let N : int>(T a) { $0 }", &["T", "N", "a"], &[]),
    ("struct S<T> { $0 }", &["T"], &[]),
    ("struct S<T> { void f<U>() { Box<$0> b; } }", &["T", "U"], &[]),
    ("void f<T>($0) { }", &["T"], &[]),
];

/// Attributes by what they stand on.
const ATTRIBUTES_BY_PLACE: &[Row] = &[
    (
        "[$0] float g(float x) { return x; }",
        &["Differentiable", "BackwardDerivative", "numthreads", "shader"],
        &["MaxIters", "branch", "plain", "DerivativeMember"],
    ),
    ("[Differentiable, $0] void g() { }", &["ForceInline"], &["MaxIters"]),
    ("[Differentiable] [$0]\nvoid g() { }", &["numthreads"], &["MaxIters"]),
    ("[$0] [shader(\"compute\")] void g() { }", &["numthreads"], &["MaxIters"]),
    (
        "void f() { [$0] for (;;) { } }",
        &["MaxIters", "ForceUnroll", "unroll", "loop"],
        &["numthreads", "shader", "Differentiable", "branch"],
    ),
    ("void f(bool a) { [$0] if (a) { } }", &["branch", "flatten"], &["MaxIters", "shader"]),
    ("void f(int a) { [$0] switch (a) { } }", &["branch"], &["flatten", "MaxIters"]),
    ("void f(int a) { [$0] }", &["MaxIters", "branch"], &["shader"]),
    ("struct N { [$0] float q; }", &["DerivativeMember"], &["numthreads", "MaxIters"]),
    ("struct N { [$0] float q() { return 1; } }", &["Differentiable", "mutating"], &["MaxIters", "DerivativeMember"]),
    ("[$0] Texture2D t;", &["vk::binding"], &["numthreads", "Differentiable"]),
    ("[[$0]] Texture2D t;", &["vk::binding"], &["numthreads"]),
    ("void f([$0] float a) { }", &["vk::location"], &["numthreads", "MaxIters"]),
    ("[$0] struct N { }", &["PyExport"], &["numthreads", "MaxIters"]),
    ("[$0", &["numthreads", "vk::binding"], &["MaxIters"]),
];

#[test]
fn each_place_offers_what_may_stand_there() {
    let mut failures = Vec::new();
    for (place, labels, others) in KINDS_OF_PLACES.iter().chain(ATTRIBUTES_BY_PLACE) {
        let test = TestDatabase::new(&format!("{PLACED}{place}"));
        let found: Vec<String> = completion(&test.db, cursor(&test)).into_iter().map(|item| item.label).collect();
        let is_offered = |label: &&str| found.iter().any(|found| found == *label);
        let missing: Vec<_> = labels.iter().filter(|label| !is_offered(label)).collect();
        let wrong: Vec<_> = others.iter().filter(|label| is_offered(label)).collect();
        if !missing.is_empty() || !wrong.is_empty() {
            failures.push(format!("{place}: lacks {missing:?}, has {wrong:?}"));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn a_member_is_offered_in_the_middle_of_a_chain() {
    let types = "struct Inner { float x; } struct Outer { Inner first; Inner second; }\n";
    for place in [
        "float f(Outer o) { return o.$0.x; }",
        "float f(Outer o) { return o.fi$0.x; }",
        "void f(Outer o) { o.$0.x = 1; }",
        "float f(Outer o[2]) { return o[1].$0.x; }",
    ] {
        check_offers(&format!("{types}{place}"), &["first", "second"], &["x"]);
    }
}

#[test]
fn files_have_a_name_from_each_folder_that_is_searched() {
    for (line, labels) in [
        ("import $0", ["sub.deep", "deep"].as_slice()),
        ("import sub.$0", ["deep"].as_slice()),
        ("#include \"$0", ["sub/k.slangh", "k.slangh"].as_slice()),
        ("#include \"sub/$0", ["k.slangh"].as_slice()),
    ] {
        let files = "//- /w/sub/deep.slang\nmodule deep;\n//- /w/sub/k.slangh\n//- /w/main.slang\n";
        let mut test = TestDatabase::new(&format!("{files}{line}"));
        test.documents.set_search_roots(&mut test.db, ["/w", "/w/sub"].map(Into::into).to_vec());
        let found: Vec<String> = completion(&test.db, cursor(&test)).into_iter().map(|item| item.label).collect();
        assert!(labels.iter().all(|label| found.iter().any(|found| found == label)), "{line}: {found:?}");
    }
}

#[test]
fn what_the_place_asks_for_comes_first() {
    let first = |text: &str, labels: &[&str]| check_first(&format!("{TYPES}{text}"), labels);
    first("void f(Light spot, float x) { Light l = $0; }", &["Light", "spot"]);
    first("Light f(Light spot, float x) { return $0; }", &["Light", "f", "spot"]);
    first("void g(float x, Light l); void f(Light spot, float x) { g(x, $0); }", &["Light", "spot"]);
    first("void f(Mode mode) { if (mode == $0) {} }", &["Mode", "Mode.Exact", "Mode.Fast", "mode"]);
    first("void f(Mode mode) { switch (mode) { case $0: break; } }", &["Mode", "Mode.Exact", "Mode.Fast", "mode"]);
    first("void f(Mode mode) { mode = $0; }", &["Mode", "Mode.Exact", "Mode.Fast", "mode"]);
}

#[test]
fn calls_have_places_for_their_arguments() {
    let completed = |text: &str, label: &str, wanted: &str| {
        check_completed(&format!("{TYPES}{text}"), label, &format!("{TYPES}{wanted}"));
    };
    completed("void f() { so$0 }", "soft", "void f() { soft(${1:distance}, ${2:radius})$0 }");
    completed("void f(Light l) { l.$0 }", "at", "void f(Light l) { l.at(${1:x})$0 }");
    completed("void f(Light l) { l.a$0(1) }", "at", "void f(Light l) { l.at(1) }");
    completed("void f() { bwd_diff(so$0) }", "soft", "void f() { bwd_diff(soft) }");
}

#[test]
fn values_are_wrapped() {
    check_completed("float f(float x) { return x.de$0 }", "detach", "float f(float x) { return detach(x) }");
    check_completed(
        "[Differentiable] float f(float x) { sin(x).$0 }",
        "no_diff",
        "[Differentiable] float f(float x) { no_diff sin(x) }",
    );
    check_completed("float f(float x) { sin(x).$0 }", "let", "float f(float x) { let ${1:name} = sin(x);$0 }");
    check_completed(
        "[Differentiable] float s(float x) { return x; } void f() { s.$0 }",
        "bwd",
        "[Differentiable] float s(float x) { return x; } void f() { bwd_diff(s) }",
    );
}

#[test]
fn requirements_are_written() {
    check_completed(
        "interface INoise<T> { [Differentiable] T at(T x); }\nstruct White : INoise<float3>\n{\n    $0\n}\n",
        "at",
        "interface INoise<T> { [Differentiable] T at(T x); }\nstruct White : INoise<float3>\n{\n    [Differentiable]\nfloat3 at(float3 x)\n{\n    return {\\};\n\\}$0\n}\n",
    );
}

#[test]
fn statements_are_not_offered_outside_of_bodies() {
    check_offers("$0", &["struct", "import", "float3"], &["return", "while", "fwd_diff"]);
    check_offers("void f() { $0 }", &["return", "while", "fwd_diff", "struct"], &[]);
}

#[test]
fn the_signature_is_read_for_the_item_that_is_looked_at() {
    let test = TestDatabase::new("void f() { float scaled(float x) { return 2 * x; } $0 }");
    let detail = resolve(&test.db, cursor(&test), "scaled").and_then(|item| item.detail);
    assert_eq!(detail.as_deref(), Some("float scaled(float x)"));
}

#[test]
fn what_cannot_be_used_is_not_offered() {
    check_offers(
        "//- /lib.slang\nmodule lib;\nfloat hidden() { return 1; }\npublic float shown() { return 1; }\n//- /main.slang\nimport lib;\nvoid f() { $0 }\n",
        &["shown"],
        &["hidden"],
    );
    check_offers("void f(float first) { float second; { float ended; } $0 }", &["first", "second"], &["ended"]);
    check_offers("void f() { for (int i = 0; i < 3; i++) { float inner; $0 } }", &["i", "inner"], &[]);
    let type_ = "struct Q { float own; static float shared; float read() { return 1; } ";
    check_offers(&format!("{type_} static float g() {{ $0 }} }}"), &["shared"], &["own", "read"]);
    check_offers(&format!("{type_} float g() {{ $0 }} }}"), &["shared", "own", "read"], &[]);
    let functions = "[ForwardDifferentiable] float forward(float x) { return x; }\n[Differentiable] float both(float x) { return x; }\n";
    check_offers(&format!("{functions}void f() {{ bwd_diff($0"), &["both"], &["forward"]);
    check_offers(&format!("{functions}void f() {{ fwd_diff($0"), &["both", "forward"], &[]);
}

/// Where something is completed; with the name `x` instead of what is written of it, each text parses.
const PLACES: &[&str] = &[
    "float f(float a) { return a.$0; }",
    "float f(float a) { return (a + 1).$0; }",
    "float f(float a) { return ((a)).det$0; }",
    "float f(float a) { return a + (a * 2).$0; }",
    "float f(float3 a) { return (float3(a) * 2).x.$0; }",
    "float f(float3 a) { return float3(a).$0.x; }",
    "float f(float a) { return (float)a.$0; }",
    "float f(float a) { return /*c*/ a /*d*/ .$0; }",
    "float f(float a) { return a // why\n    .$0; }",
    "float f(float a) { return g(a,\n  1)\n  .$0; }\nfloat g(float a, float b) { return a; }",
    "#define M(q) q\nfloat f(float a) { return M(a).$0; }",
    "#define M(q) q\nfloat f(float a) { return M(a.$0); }",
    "#define M(q) (q) * 2\nfloat f(float a) { return M((a).$0); }",
    "void f(float a) { float b = a.$0; }",
    "void f(bool a) { a.$0; }",
    "void f(bool a) { (a && a).$0; }",
    "void f(bool a) { if (a) a.$0; }",
    "void f(bool a) { for (int i = 0; a.$0; i++) { } }",
    "[Differentiable] float g(float a) { return a; }\n[Differentiable] float f(float a) { return g(a).$0; }",
    "[Differentiable] float g(float a) { return a; }\n[Differentiable] float f(float a) { return (g(a)).$0; }",
    "[Differentiable] float g(float a) { return a; }\nvoid f() { let p = diffPair(1.0, 1.0); g.$0(p); }",
    "struct S { float a; float at(float x) { return x; } }\nfloat f(S* s) { return (s)->$0; }",
    "struct S { float a; float at(float x) { return x; } }\nfloat f(S s[2]) { return (s[1]).$0; }",
    "float g(float left, float right) { return left; }\nvoid f() { g(1.0, $0); }",
    "interface I { float g(float x); static int h(); [mutating] void m(); property float p { get; } __init(int a); __subscript(int i) -> float { get; } static const int kN; }\nstruct Q : I { $0; }",
    "interface I { float g(float x); float h() { return 1; } }\nstruct Q : I { float $0; }",
    "interface I { float g(float x); float h() { return 1; } }\nstruct Q : I\n{\n    float a;\n    [Differentiable] static Optional<float> $0;\n}",
    "interface I { float g(float x); float h() { return 1; } }\nstruct Q : I { override float h$0; }",
    "interface I { float g(float x); }\nstruct Q : I { float a; float k(float $0) { return 1; } }",
];

#[test]
fn what_parses_before_a_completion_parses_after_it() {
    let mut failures = Vec::new();
    for place in PLACES {
        let test = TestDatabase::new(place);
        for item in completion(&test.db, cursor(&test)) {
            // A keyword or type alone is not yet what it begins.
            let is_word = item.insert_text.is_none() && item.edits.is_empty();
            if is_word && !matches!(item.kind, CompletionKind::Local) {
                continue;
            }
            let text = filled_in(&completed(&test, &item));
            let parse = syntax::parse_file(&text);
            failures.extend(parse.errors.first().map(|error| format!("`{}`: {error:?} in\n{text}", item.label)));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// A text without the marks of a snippet: each place has the word that it proposes.
fn filled_in(snippet: &str) -> String {
    let mut text = String::new();
    let mut rest = snippet;
    while let Some((before, after)) = rest.split_once('$') {
        text.push_str(before);
        let after = after.trim_start_matches(|c: char| c.is_ascii_digit());
        rest = match after.strip_prefix('{').and_then(|inner| inner.split_once('}')) {
            Some((place, rest)) => {
                text.push_str(place.split_once(':').map_or("x", |(_, word)| word));
                rest
            }
            None => after,
        };
    }
    text.push_str(rest);
    text.replace("\\}", "}").replace("($1)", "(x)")
}

#[test]
fn a_stub_takes_the_place_of_what_is_written_of_it() {
    let interface = "interface I { float g(float x); float h() { return 1; } }\n";
    check_completed(
        &format!("{interface}struct Q : I {{ float $0 }}"),
        "g",
        &format!("{interface}struct Q : I {{ float g(float x)\n{{\n    return {{\\}};\n\\}}$0 }}"),
    );
    check_completed(
        &format!("{interface}struct Q : I {{ override h$0 }}"),
        "h",
        &format!("{interface}struct Q : I {{ override float h()\n{{\n    return {{\\}};\n\\}}$0 }}"),
    );
    // What has no default is overridden as well.
    check_completed(
        &format!("{interface}struct Q : I {{ override $0 }}"),
        "g",
        &format!("{interface}struct Q : I {{ override float g(float x)\n{{\n    return {{\\}};\n\\}}$0 }}"),
    );
}

#[test]
fn attributes_come_with_their_arguments() {
    check_completed(
        "void f() { [Max$0] for (int i = 0; i < 3; i++) { } }",
        "MaxIters",
        "void f() { [MaxIters(${1:count})$0] for (int i = 0; i < 3; i++) { } }",
    );
    check_completed(
        "void f() { [Max$0(3)] for (int i = 0; i < 3; i++) { } }",
        "MaxIters",
        "void f() { [MaxIters(3)] for (int i = 0; i < 3; i++) { } }",
    );
    check_completed(
        "[Diff$0] float f(float x) { return x; }",
        "Differentiable",
        "[Differentiable] float f(float x) { return x; }",
    );
    check_offers("[[vk::$0]] float x;", &["binding"], &["vk::binding", "Differentiable"]);
    check_completed("Texture2D t : reg$0;", "register", "Texture2D t : register(${1:t0})$0;");
}

#[test]
fn parentheses_go_along_with_what_stands_in_them() {
    for (before, after) in [
        ("(a + 1).$0", "detach(a + 1)"),
        ("((a)).$0", "detach(a)"),
        ("a + (a * 2).$0", "a + detach(a * 2)"),
        ("a /*d*/ .$0", "detach(a /*d*/)"),
    ] {
        let text = |value: &str| format!("float f(float a) {{ return {value}; }}");
        check_completed(&text(before), "detach", &text(after));
    }
    check_completed("void f(float a) { a.$0; }", "let", "void f(float a) { let ${1:name} = a; }");
    check_offers("void f(float a) { float b = a.$0; }", &["detach"], &["let", "no_diff"]);
}

#[test]
fn targets_and_stages_are_offered_where_they_choose() {
    check_offers("[shader(\"$0\")] void main() { }", &["compute", "vertex", "fragment"], &["hlsl", "main"]);
    check_offers("void f() { __target_switch { case $0 } }", &["hlsl", "spirv", "cuda"], &["compute", "f"]);
    check_offers("void f() { __stage_switch { case $0 } }", &["compute", "vertex"], &["hlsl", "f"]);
    check_offers("float fun(float x) { return x; }\n#define FOO(a) f$0", &["fun"], &[]);
}

#[test]
fn a_path_takes_the_place_of_the_piece_that_is_written() {
    let files = "//- /hdr.slangh\nfloat h;\n//- /deep/low.slangh\nfloat l;\n//- /deep/lib.slang\nmodule lib;\n//- /main.slang\n";
    for (text, label, changed) in [
        ("#include \"hdr.sl$0\"\n", "hdr.slangh", "#include \"hdr.slangh\"\n"),
        ("#include \"h$0dr.s\"\n", "hdr.slangh", "#include \"hdr.slangh\"\n"),
        ("#include \"deep/lo$0\"\n", "low.slangh", "#include \"deep/low.slangh\"\n"),
        ("import \"deep/li$0\";\n", "lib.slang", "import \"deep/lib.slang\";\n"),
        ("import deep.l$0i;\n", "lib", "import deep.lib;\n"),
        ("import de$0;\n", "deep.lib", "import deep.lib;\n"),
    ] {
        check_completed(&format!("{files}{text}"), label, changed);
    }
}

#[test]
fn members_come_without_this() {
    let types = "struct S { float alpha; float ev() { return 1; } static float once; }\n";
    check_offers(
        &format!("{types}extension S {{ float extra() {{ return $0; }} }}"),
        &["alpha", "ev", "once", "extra"],
        &[],
    );
    check_offers(&format!("{types}extension S {{ static float extra() {{ return $0; }} }}"), &["once"], &["alpha"]);
    check_offers("struct B { float bb; }\nstruct D : B { float k() { return $0; } }", &["bb", "k"], &[]);
    check_offers("struct B { float bb; }\nstruct D : B { float c; }\nfloat f(D d) { return d.$0; }", &["bb", "c"], &[]);
}

#[test]
fn differentials_have_fields() {
    let text = "struct P : IDifferentiable { float pq; no_diff float nd; }\n";
    for access in ["d.$0", "q.d.$0"] {
        check_offers(
            &format!("{text}void f(P.Differential d, DifferentialPair<P> q) {{ float x = {access}; }}"),
            &["pq"],
            &["nd"],
        );
    }
}

#[test]
fn types_stand_where_results_are_declared() {
    for text in [
        "struct Lamp {}\nfunc q() -> $0",
        "struct Lamp {}\nstruct S { __subscript(int i) -> $0",
        "struct Lamp {}\nstruct S { func f(int i) -> La$0 { } }",
    ] {
        check_offers(text, &["Lamp", "void", "float3"], &["sin", "return"]);
    }
    check_offers("$0", &["void"], &[]);
}

#[test]
fn a_new_name_is_the_users() {
    let types = "struct Lamp {}\n";
    for text in [
        "float $0",
        "float3 na$0",
        "static const Lamp $0",
        "void f() { Lamp $0 }",
        "void f() { int a = 1; float n$0 }",
        "void f(float $0",
        "void f(int a, inout Lamp l$0) {}",
        "void f(int a) { let $0 = a; }",
        "void f(int a) { if (let $0 = a) { } }",
        "struct $0",
        "interface $0 { }",
        "enum E$0",
        "typealias $0 = float;",
        "void f() { Optional<int> $0 = x; }",
        "Optional<Lamp> $0",
        "void f() { Lamp[2] $0 }",
        "void f() { Lamp* $0 }",
        "namespace n { struct In {} }\nvoid f() { n.In $0 }",
        "namespace n { struct In {} }\nvoid f() { n::In $0 }",
        "void f<T>(T t) { T $0 }",
        "void f(Optional<int> $0) { }",
    ] {
        check_completion(&format!("{types}{text}"), &[]);
    }
    for value in ["return $0", "x * $0", "x < y > $0", "int k = a[2] $0"] {
        check_offers(&format!("{types}void f(float x, float a[3]) {{ {value} }}"), &["x"], &[]);
    }
    check_offers(&format!("{types}void f(float x) {{ if (x > 1) $0 }}"), &["x"], &[]);
}

/// What is asked for in a loop's head stays there whatever is written of it.
#[test]
fn the_variable_of_a_loop_is_offered_in_its_head() {
    for head in [
        "$0 < 4; idx++",
        "id$0 < 4; idx++",
        "$0; idx++",
        "idx < $0; idx++",
        "idx < $0",
        "$0",
        "; $0 += 1",
        "idx < 4; $0",
        "idx < 4; idx += $0",
    ] {
        for around in ["for (int idx = 0; HEAD) { }", "for (int k = 0; k < 3; ++k) for (uint idx = 0; HEAD) { k++; }"] {
            check_offers(&format!("void f() {{ {} }}", around.replace("HEAD", head)), &["idx"], &[]);
        }
    }
    for unfinished in ["for (int idx = 0; $0", "for (int idx = 0; idx < 4; $0"] {
        check_offers(&format!("void f() {{\n    {unfinished}\n}}"), &["idx"], &[]);
    }
}

#[test]
fn members_are_offered_behind_others_whatever_their_lines_are() {
    let others = [
        "float f() {\n    return 1;\n  }",
        "float f(int a,\n  int b) { return 1; }",
        "float f()\n  {\n    if (true) {\n    } }",
        "float f() { return 1; }",
        "property float p {\n    get { return 1; }\n  }",
        "struct Q {\n    int a;\n  };",
        "__init() {\n  }",
        "int a[2] = {\n    1, 2 };",
    ];
    for other in others {
        for behind in ["\n  $0 uint c;", "\n  $0", "\n  ui$0", " $0 uint c;", "\n  $0 uint b() { return 1; }"] {
            let labels = ["property", "associatedtype"];
            check_offers(
                &format!("struct R {{\n  {other}{behind}\n}}"),
                &labels,
                &["cbuffer", "namespace", "extension"],
            );
        }
    }
    check_offers(
        "interface I { float distance(float x); }\nstruct S : I {\n  int b() {\n    return 1;\n  }\n  float dis$0\n}",
        &["distance"],
        &[],
    );
}

#[test]
fn words_stand_where_they_may() {
    for condition in ["if ($0", "if ($0) { }", "for (;;) if (le$0"] {
        check_offers(&format!("void f(bool b) {{ {condition} }}"), &["let", "b", "true"], &["is", "var"]);
    }
    for condition in ["if (b && $0) { }", "while ($0) { }"] {
        check_offers(&format!("void f(bool b) {{ {condition} }}"), &["b"], &["let"]);
    }
    for generic in
        ["struct L<$0", "struct L<$0 In : int> { }", "void f<T, $0>() { }", "struct S { float f<le$0>() {} }"]
    {
        check_completion(generic, &["let", "each"]);
    }
    check_completion("struct L<let $0 : int> { }", &[]);
    check_offers("namespace lib { }\nusing $0", &["lib", "namespace"], &["float3"]);
    check_offers("namespace lib { }\nstruct S { }\nnamespace $0", &["lib"], &["S", "float3"]);
    for declared in ["static $0 apply(float x);", "$0 apply(float x);", "static $0 apply(float x) { }"] {
        check_offers(&format!("interface A {{ {declared} }}"), &["float", "float3", "void"], &[]);
        check_offers(&format!("struct A {{ {declared} }}"), &["float", "float3", "void"], &[]);
    }
}

#[test]
fn namespaces_pragmas_and_conditions() {
    check_offers("namespace lib { float x; }\nstruct S {}\nusing namespace $0", &["lib"], &["S", "float3"]);
    check_completion("#pragma $0\n", &["once", "region", "warning"]);
    check_first(
        "bool on() { return true; }\nfloat off() { return 1; }\nvoid f(bool b, float c) { if ($0) {} }",
        &["b", "on"],
    );
}

#[test]
fn capabilities_are_offered_where_they_are_required() {
    for text in ["[require($0)] void f() { }", "[require(spirv, f$0)] void f() { }", "[Differentiable, require(fr$0"] {
        check_offers(text, &["spirv", "fragment", "sm_6_0"], &["float", "_sm_6_0", "f"]);
    }
}

#[test]
fn vectors_of_all_sizes_of_numbers_are_offered() {
    check_offers("void f() { $0 }", &["float3", "float16_t4", "uint64_t2", "float4x4"], &["float5"]);
}

#[test]
fn an_index_is_a_number() {
    check_first("float f(float a[3], int wanted, float other) { return a[$0]; }", &["wanted"]);
    check_first("float f(float a[3], int wanted, float other) { return a[wan$0]; }", &["wanted"]);
}

#[test]
fn labels_are_offered_where_a_break_names_one() {
    check_completion(
        "void f() { before: for (;;) { break before; } outer: for (;;) { inner: for (;;) { break $0; } } }",
        &["inner", "outer"],
    );
}

#[test]
fn a_variable_hides_the_functions_of_its_name() {
    check_completion(
        "struct Lamp { float power; } Lamp light() { Lamp l; return l; } float f() { Lamp light; return light.$0; }",
        &["power", "detach"],
    );
    check_completion(
        "struct Lamp { float power; } Lamp light() { Lamp l; return l; } float f(Lamp light) { return light.$0; }",
        &["power", "detach"],
    );
    check_offers(
        "struct Lamp { float power; } float light() { return 1; } struct S { Lamp light; float f() { return light.$0; } }",
        &["power"],
        &["apply_bwd"],
    );
}

#[test]
fn elements_of_a_matrix_are_offered() {
    check_offers("float f(float2x3 m) { return m.$0; }", &["_m00", "_m12"], &["_m20", "_m03"]);
}

#[test]
fn cases_are_offered_by_the_names_that_mean_them() {
    let kinds = "namespace geo { enum Kind { A, B }; int here(Kind k) { switch (k) { case $0inside } return 1; } }\nstruct H { enum M { X } }\n";
    let offered = |place: &str, function: &str, label: &str| {
        let (before, rest) = kinds.split_once("$0inside").expect("the place");
        let inside = if place == "inside" { "$0" } else { "Kind.A: break;" };
        check_offers(&format!("{before}{inside}{rest}{function}"), &[label], &[]);
    };
    offered("inside", "", "Kind.B");
    offered("outside", "void f(geo::Kind k) { switch (k) { case $0 } }", "geo::Kind.B");
    offered("outside", "void f() { geo::Kind q = $0; }", "geo::Kind.A");
    offered("outside", "void f(H.M m) { switch (m) { case $0 } }", "H.M.X");
    offered("outside", "using namespace geo;\nvoid f(geo::Kind k) { switch (k) { case $0 } }", "Kind.B");
}
