//! `Optional<T>` for every kind of type: asked in every way whether it has a value, and differentiated.

use super::{agreement::disagreements, float, run};

const TYPES: &str = "
struct Part : IDifferentiable { float a; float2 b; }
struct Nested : IDifferentiable { Part part; float3 c; int n; }
struct Generic<T : IDifferentiable> : IDifferentiable { T t; }
enum Colour { Red, Green }
interface IFoo : IDifferentiable { [Differentiable] float foo(); }
struct Foo : IFoo { float v; [Differentiable] float foo() { return v * v; } }
struct Other : IFoo { float2 v; [Differentiable] float foo() { return v.x * v.y; } }
[Differentiable] IFoo makeFoo(float x) { if (x > 1) return Foo(x); return Other(float2(x, x * x)); }
struct Holder : IDifferentiable { IFoo foo; float k; }
";

/// A type, a value of it that depends on `x`, and a number made of a value `v`.
const VALUES: &[(&str, &str, &str)] = &[
    ("bool", "x > 0.1", "v ? 1.0 : 0.0"),
    ("int", "int(detach(x) * 10 + 0.5)", "v"),
    ("uint3", "uint3(1, 2, 3)", "v.y"),
    ("float", "x * x", "v"),
    ("double", "double(x * x)", "float(v)"),
    ("half", "half(2.0)", "float(v)"),
    ("float1", "float1(x)", "v.x"),
    ("float2", "float2(x, x * x)", "v.x * v.y"),
    ("float4", "float4(x, 1, x * x, 2)", "dot(v, v)"),
    ("bool2", "bool2(true, x > 0.1)", "v.y ? 1.0 : 0.0"),
    ("float3x3", "float3x3(x, 2, 3, 4, x * x, 6, 7, 8, x)", "v[1][1] * v[2].z"),
    ("int2x2", "int2x2(1, 2, 3, 4)", "v[1][0]"),
    ("float[3]", "{ x, x * x, 1 }", "v[0] * v[1]"),
    ("float2[2]", "{ float2(x, 1), float2(2, x) }", "v[0].x * v[1].y"),
    ("Part", "Part(x, float2(x, 2))", "v.a * v.b.x"),
    ("Nested", "Nested(Part(x, float2(x, 2)), float3(x), 3)", "v.part.b.x * v.c.z * v.n"),
    ("Generic<float2>", "Generic<float2>(float2(x, 3 * x))", "v.t.x * v.t.y"),
    ("Colour", "Colour.Green", "v == Colour.Green ? 2.0 : 1.0"),
    ("Tuple<float, float2>", "makeTuple(x, float2(x, 1))", "v._0 * v._1.x"),
    ("IFoo", "makeFoo(x)", "v.foo()"),
    ("IFoo[2]", "{ makeFoo(x), makeFoo(x * 3) }", "v[0].foo() * v[1].foo()"),
    ("Tuple<IFoo, float>", "makeTuple(makeFoo(x), x)", "v._0.foo() * v._1"),
    ("Holder", "Holder(makeFoo(x), x)", "v.foo.foo() * v.k"),
    ("DifferentialPair<float>", "diffPair(x, x * x)", "v.p * v.d"),
    ("Optional<float>", "Optional<float>(x * x)", "v.value"),
    ("Optional<IFoo>", "Optional<IFoo>(makeFoo(x))", "v.value.foo()"),
];

/// How to find out whether `o` has a value.
const QUESTIONS: &[&str] =
    &["o != none", "none != o", "!(o == none)", "!(none == o)", "o.hasValue", "o.hasValue == true && o != none"];

#[test]
fn every_question_has_its_answer_for_every_type() {
    for (ty, value, _) in VALUES {
        let mut text = format!("{TYPES}\nfloat f(float x) {{ {ty} v = {value}; Optional<{ty}> o = none; float r = 0; ");
        for question in QUESTIONS {
            text += &format!("if ({question}) r += 1; ");
        }
        text += "r *= 10; o = v; ";
        for question in QUESTIONS {
            text += &format!("if ({question}) r += 1; ");
        }
        text += "if (let w = o) r += 1; o = none; if (let w = o) r += 100; return r; }";
        assert_eq!(run(&text, "f", &[float(0.75)]), [QUESTIONS.len() as f64 + 1.0], "{ty}");
    }
}

/// Functions of `x` that put a value into an optional `o` and take it out again.
const ROUTES: &[(&str, &str)] = &[
    ("assigned", "Optional<TYPE> o = none; if (x > 0.5) o = v; if (o == none) return x; return NUMBER(o.value);"),
    ("initialised", "Optional<TYPE> o = v; if (none != o) return NUMBER(o.value) * x; return 0;"),
    ("unwrapped", "Optional<TYPE> o = none; if (x > 0.5) o = v; if (let w = o) return NUMBER(w); return x * x;"),
    ("passed", "return x * taken(given(v, x > 0.5), x);"),
    (
        "in_a_struct",
        "Box b = { none, x }; if (x > 0.5) b.o = v; if (b.o != none) return NUMBER(b.o.value) * b.k; return b.k;",
    ),
    (
        "in_a_loop",
        "Optional<TYPE> o = none; float r = 0;
        for (int i = 0; i < 3; i++) { if (o != none) r += NUMBER(o.value) * x; if (i > 0) o = v; } return r;",
    ),
    (
        "in_an_array",
        "Optional<TYPE> a[3] = { none, none, none }; float r = x;
        for (int i = 0; i < 3; i++) { if (i != 1) a[i] = v; }
        for (int j = 0; j < 3; j++) { if (a[j] != none) r *= NUMBER(a[j].value); } return r;",
    ),
    ("changed", "Optional<TYPE> o = none; set(o, v); float r = NUMBER(o.value); clear(o); return o == none ? r : 0;"),
];

#[test]
fn derivatives_pass_through_optionals_of_every_type() {
    let mut found = Vec::new();
    for (ty, value, number) in VALUES {
        let mut text = format!(
            "{TYPES}
struct Box : IDifferentiable {{ Optional<{ty}> o; float k; }}
[Differentiable] float number({ty} v) {{ return {number}; }}
[Differentiable] Optional<{ty}> given({ty} v, bool some) {{ if (some) return v; return none; }}
[Differentiable] float taken(Optional<{ty}> o, float x) {{ if (o == none) return x; return number(o.value); }}
[Differentiable] void set(inout Optional<{ty}> o, {ty} v) {{ o = v; }}
[Differentiable] void clear(inout Optional<{ty}> o) {{ o = none; }}
"
        );
        for (name, body) in ROUTES {
            let body = body.replace("TYPE", ty).replace("NUMBER", "number");
            text += &format!("[Differentiable] float {name}(float x) {{ {ty} v = {value}; {body} }}\n");
        }
        let names: Vec<String> = ROUTES.iter().map(|(name, _)| (*name).to_owned()).collect();
        let wrong = disagreements(&text, &names, &[0.3, 0.8, 1.7]);
        found.extend(wrong.into_iter().map(|wrong| format!("Optional<{ty}>: {wrong}")));
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// Functions of `x` with a parameter and a result that are optionals or hold some, and what is to be asked of a value `@`
/// of that type: whether each optional in it has a value.
const HOLDERS: &[(&str, &str, &str, &[&str])] = &[
    ("Optional<float>", "x", "none", &["@.hasValue"]),
    ("Optional<float2>", "float2(x, 2)", "none", &["@ != none"]),
    ("Optional<float>[2]", "{ x, x }", "{ none, x }", &["@[0].hasValue", "@[1].hasValue"]),
    ("Tuple<float, Optional<float>>", "makeTuple(x, o)", "makeTuple(x, no)", &["@._1.hasValue"]),
    ("Both", "{ 1, x, 3, x }", "{ 1, none, 3, x }", &["@.a.hasValue", "@.b.hasValue"]),
];

/// The flag of an optional's derivative is that of the optional, in both directions: it is how users ask for it.
#[test]
fn derivatives_of_optionals_are_there_where_these_have_values() {
    for (ty, some, other, questions) in HOLDERS {
        for (value, is_some) in [(some, true), (other, false)] {
            let answers = |v: &str, questions: &[&str]| {
                let one = |question: &&str| format!("r = r * 2 + (({}) ? 1 : 0);", question.replace('@', v));
                questions.iter().map(one).collect::<String>()
            };
            let text = format!(
                "struct Both : IDifferentiable {{ int n; Optional<float> a; float k; Optional<float> b; }}
                 [Differentiable] {ty} same({ty} v) {{ {ty} w = v; return w; }}
                 float f(float x) {{
                     Optional<float> o = x; Optional<float> no = none; {ty} given = {value}; {ty}.Differential unset = {{}};
                     float r = 0;
                     {}
                     float there = r;
                     r = 0;
                     var forward = fwd_diff(same)(diffPair(given, unset)).d;
                     {}
                     float ahead = r;
                     r = 0;
                     var pair = diffPair(given, unset);
                     bwd_diff(same)(pair, unset);
                     var back = pair.d;
                     {}
                     return there * 100 + ahead * 10 + r;
                 }}",
                answers("given", questions),
                answers("forward", questions),
                answers("back", questions),
            );
            let all = (1 << questions.len()) - 1;
            let flags = f64::from(if is_some { all } else { all >> 1 });
            assert_eq!(run(&text, "f", &[float(0.75)]), [flags * 111.0], "{ty} {is_some}\n{text}");
        }
    }
}
