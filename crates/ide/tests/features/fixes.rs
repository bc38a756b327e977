//! Quick fixes, as the text that they make.

use ide::{
    diagnostics::{Severity, diagnostics},
    fix_all::{fix_all, fix_file},
};
use test_support::database::TestDatabase;

use crate::check::{check_edits, check_fix, cursor, edited};

#[test]
fn missing_members_are_written() {
    check_fix(
        "\
interface INoise { [Differentiable] float at(float x, no_diff int octave); static int count(); }
struct Wh$0ite : INoise
{
    float seed;
}
",
        "Add the missing members",
        "\
interface INoise { [Differentiable] float at(float x, no_diff int octave); static int count(); }
struct White : INoise
{
    float seed;
    [Differentiable]
    float at(float x, no_diff int octave)
    {
        return {};
    }
    static int count()
    {
        return {};
    }
}
",
    );
}

#[test]
fn missing_members_have_the_types_that_they_are_asked_for_with() {
    check_fix(
        "\
interface IMap<T> { associatedtype Key; T at(T x); property T scale { get; set; } }
struct Own$0 : IMap<float3>
{
}
",
        "Add the missing members",
        "\
interface IMap<T> { associatedtype Key; T at(T x); property T scale { get; set; } }
struct Own : IMap<float3>
{
    typealias Key = float;
    float3 at(float3 x)
    {
        return {};
    }
    property float3 scale
    {
        get { return {}; }
        set { }
    }
}
",
    );
}

/// An interface, and the members that are written for a type that conforms to it. The type is then complete.
const STUBS: &[(&str, &str)] = &[
    (
        "interface I { associatedtype E; E first(); void take(E e, E[3] more); }",
        "typealias E = float; E first() { return {}; } void take(E e, E[3] more) { }",
    ),
    (
        "interface I { associatedtype E; Optional<E> maybe(); property E val { get; } __subscript(int i) -> E { get; } }",
        "typealias E = float; Optional<E> maybe() { return {}; } property E val { get { return {}; } } __subscript(int i) -> E { get { return {}; } }",
    ),
    (
        "interface I { static const int N; float sum(float a[N], float b[N * 2]); }",
        "static const int N = 1; float sum(float[N] a, float[2 * N] b) { return {}; }",
    ),
    (
        "interface I { bool operator<(This other); This operator+(This other); int operator()(int a); }",
        "bool operator<(My other) { return {}; } My operator+(My other) { return {}; } int operator()(int a) { return {}; }",
    ),
    (
        "interface I { __init(float seed, int count); static This make(); This again(); property This own { get; } }",
        "__init(float seed, int count) { } static My make() { return My({}, {}); } My again() { return My({}, {}); } property My own { get { return My({}, {}); } }",
    ),
    (
        "struct P { float a; __init(float b) { a = b; } }\nstruct Q { P p; __init(P q, float r = 1) { p = q; } __init(Q q) { p = q.p; } }\ninterface I { P p(); Q q(); }",
        "P p() { return P({}); } Q q() { return Q(P({})); }",
    ),
    ("interface I : IFunc<float, int, float3> { }", "float operator()(int args0, float3 args1) { return {}; }"),
    (
        "struct P { float a; __init(float b) { a = b; } __init() { a = 1; } }\ninterface I { P p(); }",
        "P p() { return {}; }",
    ),
    (
        "namespace n { struct P { int a; enum Kind { One } } interface I { P f(P p, P.Kind k); void g<T : I>(T t); } }",
        "n::P f(n::P p, n::P.Kind k) { return {}; } void g<T : n::I>(T t) { }",
    ),
    ("namespace n { struct P { int a; } interface I { P f(P p); } }\nusing namespace n;", "P f(P p) { return {}; }"),
];

#[test]
fn members_are_written_behind_a_comment_and_for_the_core_library() {
    check_fix(
        "interface I { float g(); }\nstruct My$0 : I { float z; /* more */ };\n",
        "Add the missing member",
        "interface I { float g(); }\nstruct My : I { float z; /* more */\n    float g()\n    {\n        return {};\n    }\n};\n",
    );
    check_fix(
        "struct My$0 : I\n{\n    float z;\n    // More.\n}\ninterface I { float g(); }\n",
        "Add the missing member",
        "struct My : I\n{\n    float z;\n    // More.\n    float g()\n    {\n        return {};\n    }\n}\ninterface I { float g(); }\n",
    );
    check_fix(
        "struct My$0 : IFunc<float, int>\n{\n}\n",
        "Add the missing member",
        "struct My : IFunc<float, int>\n{\n    float operator()(int args)\n    {\n        return {};\n    }\n}\n",
    );
    let whole = TestDatabase::new(
        "struct My$0 : IDifferentiable, IArray<float> { float z; __subscript(int i) -> float { get { return z; } } int getCount() { return 1; } }\n",
    );
    assert_eq!(ide::missing_members::missing_members(&whole.db, cursor(&whole)), None);
}

#[test]
fn members_are_written_by_the_names_that_mean_their_types() {
    for (before, members) in STUBS {
        let interface = if before.ends_with("} }") && before.starts_with("namespace") { "n::I" } else { "I" };
        let mut test = TestDatabase::new(&format!("{before}\nstruct My : {interface} {{ float z; $0}}\n"));
        let at = cursor(&test);
        let fix = ide::missing_members::missing_members(&test.db, at).expect("members are missing");
        let changed = edited(&test.text(at.file), &fix.edits, at.file);
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(words(&changed), words(&format!("{before} struct My : {interface} {{ float z; {members} }}")));
        let again = test.documents.open(&mut test.db, "/changed.slang", &changed);
        let errors = diagnostics(&test.db, again).into_iter().filter(|found| found.severity == Severity::Error);
        assert_eq!(errors.collect::<Vec<_>>(), [], "{changed}");
    }
}

#[test]
fn no_diff_goes_with_its_parentheses() {
    let wrong = "[Differentiable] float f(float x) { return x * no_$0diff (x + 1); }";
    check_fix(wrong, "Use `detach(…)`", "[Differentiable] float f(float x) { return x * detach(x + 1); }");
    check_fix(wrong, "Remove `no_diff`", "[Differentiable] float f(float x) { return x * (x + 1); }");
    check_fix(
        "[Differentiable] float f(float x) { return no_$0diff (x + 1) * 2; }",
        "Remove `no_diff`",
        "[Differentiable] float f(float x) { return (x + 1) * 2; }",
    );
    check_fix(
        "[Differentiable] float f(float3 x) { return no_$0diff x.y; }",
        "Use `detach(…)`",
        "[Differentiable] float f(float3 x) { return detach(x.y); }",
    );
}

#[test]
fn custom_derivatives_get_the_name_and_the_parameters_that_were_meant() {
    check_fix(
        "float light(float x) { return x; }\n[ForwardDerivativeOf(l$0igth)] DifferentialPair<float> d(DifferentialPair<float> x) { return x; }",
        "Replace by 'light'",
        "float light(float x) { return x; }\n[ForwardDerivativeOf(light)] DifferentialPair<float> d(DifferentialPair<float> x) { return x; }",
    );
    check_fix(
        "[BackwardDerivative(b$0ack)] float f(float x, no_diff float y) { return x; }\nvoid back(inout DifferentialPair<float> x, float dResult) { }",
        "Give `back` the parameters that it must have",
        "[BackwardDerivative(back)] float f(float x, no_diff float y) { return x; }\nvoid back(inout DifferentialPair<float> x, no_diff float y, float dResult) { }",
    );
    check_fix(
        "[BackwardDerivative(b$0ack)] float f(float x) { return x; }\nvoid back(DifferentialPair<float> own, float dOut) { own.p; }",
        "Give `back` the parameters that it must have",
        "[BackwardDerivative(back)] float f(float x) { return x; }\nvoid back(inout DifferentialPair<float> own, float dOut) { own.p; }",
    );
}

#[test]
fn a_loss_that_is_meant_is_said() {
    check_fix(
        "[Differentiable] float f(float x) { int level = i$0nt(8.0 * x); return level / 8.0; }",
        "Say that this is meant: wrap in `detach(…)`",
        "[Differentiable] float f(float x) { int level = int(detach(8.0 * x)); return level / 8.0; }",
    );
    check_fix(
        "[Differentiable] float f(float x) { return s$0ign(x) * 2; }",
        "Say that this is meant: wrap in `detach(…)`",
        "[Differentiable] float f(float x) { return sign(detach(x)) * 2; }",
    );
}

#[test]
fn what_is_the_same_everywhere_is_mended_at_once() {
    let test = TestDatabase::new(
        "[Differentiable] float f(float x) { return sign(x) * 2 + sign(2 * x); }\nfloat g(float x) { return no_diff sin(x); }\n",
    );
    let found = diagnostics(&test.db, test.last_file());
    let first = found.first().expect("a diagnostic");
    let all = fix_all(&found, first, "Say that this is meant: wrap in `detach(…)`").expect("there are two");
    assert_eq!(all.title, "Say that this is meant: wrap in `detach(…)` (all 2 in this file)");
    check_edits(
        &test,
        &all.edits,
        "[Differentiable] float f(float x) { return sign(detach(x)) * 2 + sign(detach(2 * x)); }\nfloat g(float x) { return no_diff sin(x); }\n",
    );
    let alone = found.last().expect("another");
    assert_eq!(fix_all(&found, alone, "Remove `no_diff`"), None);
}

#[test]
fn constants_constructors_and_subscripts_are_written_in_the_style_of_the_file() {
    check_fix(
        "\
interface I { static const int kN; __init(float x, int y); __subscript(int i) -> float { get; set; } static const float3 kV; }
namespace n
{
\tstruct Own$0 : I
\t{
\t\tfloat a;
\t}
}
",
        "Add the missing members",
        "\
interface I { static const int kN; __init(float x, int y); __subscript(int i) -> float { get; set; } static const float3 kV; }
namespace n
{
\tstruct Own : I
\t{
\t\tfloat a;
\t\tstatic const int kN = 1;
\t\t__init(float x, int y)
\t\t{
\t\t}
\t\t__subscript(int i) -> float
\t\t{
\t\t\tget { return {}; }
\t\t\tset { }
\t\t}
\t\tstatic const float3 kV = {};
\t}
}
",
    );
    check_fix(
        "interface I { float g(); }\nstruct Own$0 : I { float q; }\n",
        "Add the missing member",
        "interface I { float g(); }\nstruct Own : I { float q;\n    float g()\n    {\n        return {};\n    }\n}\n",
    );
}

#[test]
fn what_has_one_answer_is_fixed_at_once() {
    let text = "[Differentiable] float f(float x) { return no_diff (x + 1); }\n[Diferentiable] float g(float x) { return x; }\n[Differentiabel] float h(float x) { return x; }\n";
    let test = TestDatabase::new(text);
    let file = test.last_file();
    let fix = fix_file(&diagnostics(&test.db, file), file);
    let edits: Vec<_> = fix.into_iter().flat_map(|fix| fix.edits).map(|edit| edit.text).collect();
    assert_eq!(edits, ["Differentiable", "Differentiable"], "what has several answers is the user's to choose");
}

/// Where a message says the cure, a fix makes it: a mistake at the cursor, the fix, and the text after it.
const CURES: &[(&str, &str, &str)] = &[
    (
        "[$0Differentable] float f(float x) { return x; }",
        "Replace by 'Differentiable'",
        "[Differentiable] float f(float x) { return x; }",
    ),
    ("[$0numthread(1, 1, 1)] void f() { }", "Replace by 'numthreads'", "[numthreads(1, 1, 1)] void f() { }"),
    (
        "struct A { float x; } float f(A a) { return a->$0x; }",
        "Replace by '.'",
        "struct A { float x; } float f(A a) { return a.x; }",
    ),
    (
        "struct A { float x; } float f(A a) { return a /* why */ -> $0x; }",
        "Replace by '.'",
        "struct A { float x; } float f(A a) { return a /* why */ . x; }",
    ),
    (
        "interface I { float v() { return 1; } } struct S : I { int n; float $0v() { return 2; } }",
        "Mark as 'override'",
        "interface I { float v() { return 1; } } struct S : I { int n; override float v() { return 2; } }",
    ),
    (
        "interface I { [Differentiable] float[2] v() { return {}; } } struct S : I { [Differentiable] static float[2] $0v() { return {}; } }",
        "Mark as 'override'",
        "interface I { [Differentiable] float[2] v() { return {}; } } struct S : I { [Differentiable] override static float[2] v() { return {}; } }",
    ),
    ("void f(bool a, bool b) { if (a $0= b) { } }", "Compare by `==`", "void f(bool a, bool b) { if (a == b) { } }"),
    (
        "void f(bool a, bool b) { if (a $0= g(b)) { } } bool g(bool b) { return b; }",
        "Say that this is meant: wrap in parentheses",
        "void f(bool a, bool b) { if ((a = g(b))) { } } bool g(bool b) { return b; }",
    ),
    (
        "void f(bool a, bool b) { for (; a $0= b; ) { } }",
        "Say that this is meant: wrap in parentheses",
        "void f(bool a, bool b) { for (; (a = b); ) { } }",
    ),
    (
        "struct A { float q; void s(float v) { q $0= v; } }",
        "Mark the method as [mutating]",
        "struct A { float q; [mutating] void s(float v) { q = v; } }",
    ),
    (
        "struct A { float q; [ForceInline] [Differentiable] void s(float v) { this.q $0= v; } }",
        "Mark the method as [mutating]",
        "struct A { float q; [ForceInline] [Differentiable] [mutating] void s(float v) { this.q = v; } }",
    ),
    (
        "struct A { int q; void s() { $0q++; } }",
        "Mark the method as [mutating]",
        "struct A { int q; [mutating] void s() { q++; } }",
    ),
    (
        "float f(float x) { float y = x // why\n $0return y; }",
        "Insert `;`",
        "float f(float x) { float y = x; // why\n return y; }",
    ),
    ("float f(float x) { return (x + 1$0; }", "Insert `)`", "float f(float x) { return (x + 1); }"),
    ("float f(float x[2]) { return x[0 $0; }", "Insert `]`", "float f(float x[2]) { return x[0] ; }"),
    (
        "float f(float x) { float $0y = x; return x; }",
        "Say that this is meant: begin the name with `_`",
        "float f(float x) { float _y = x; return x; }",
    ),
    (
        "[$0ForwardDerivative(b)] float f(float x, float y) { return x; }\nfloat b(float x) { return x; }",
        "Give `b` the signature that it must have",
        "[ForwardDerivative(b)] float f(float x, float y) { return x; }\nDifferentialPair<float> b(DifferentialPair<float> x, DifferentialPair<float> y) { return x; }",
    ),
];

#[test]
fn what_a_message_says_is_done_by_a_fix() {
    for (text, title, wanted) in CURES {
        check_fix(text, title, wanted);
    }
}

#[test]
fn what_changes_is_a_variable_and_what_loses_is_converted() {
    check_fix("void f() { let x = 1; x $0= 2; }", "Declare it with `var`", "void f() { var x = 1; x = 2; }");
    check_fix(
        "int f(float d) { int x = $0d; return x; }",
        "Convert by `int(…)`",
        "int f(float d) { int x = int(d); return x; }",
    );
}

#[test]
fn only_types_are_suggested_for_types() {
    let test = TestDatabase::new("LibT g() { LibT z; return z; }\nstruct Lamp { }\nLampp h() { return {}; }\n");
    let titles: Vec<String> = diagnostics(&test.db, test.last_file())
        .into_iter()
        .flat_map(|found| found.fixes)
        .map(|fix| fix.title)
        .collect();
    assert_eq!(titles, ["Replace by 'Lamp'"]);
}

#[test]
fn what_is_hidden_is_declared_so_that_it_can_be_used() {
    let library = |word: &str| {
        format!(
            "//- /lib.slang\nmodule lib;\npublic struct Lamp {{ [Differentiable] {word}float power() {{ return 1; }} }}\n//- /main.slang\nimport lib;\n"
        )
    };
    let user = |cursor: &str| format!("float f(Lamp lamp) {{ return lamp.po{cursor}wer(); }}\n");
    check_fix(
        &format!("{}{}", library(""), user("$0")),
        "Declare `power` as 'public'",
        &format!("{}{}", library("public "), user("")),
    );
    check_fix(
        &format!("{}{}", library("internal "), user("$0")),
        "Declare `power` as 'public'",
        &format!("{}{}", library("public "), user("")),
    );
    check_fix(
        "struct Lamp { private float power; }\nfloat f(Lamp lamp) { return lamp.po$0wer; }\n",
        "Declare `power` as 'internal'",
        "struct Lamp { internal float power; }\nfloat f(Lamp lamp) { return lamp.power; }\n",
    );
}

#[test]
fn what_is_used_is_required() {
    check_fix(
        "[require(hlsl, sm_6_0)] void newer() {}\n[require(hlsl)]\npublic void $0f() { newer(); }\n",
        "Require 'sm_6_0'",
        "[require(hlsl, sm_6_0)] void newer() {}\n[require(hlsl, sm_6_0)]\npublic void f() { newer(); }\n",
    );
}
