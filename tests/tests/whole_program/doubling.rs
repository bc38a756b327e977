//! Programs in which each step holds the one before twice, or is looked at twice: what goes through them without remembering
//! where it was takes 2 to the power of the steps. Each command ends at once: with an answer, or with a refusal by name.

use std::fmt::Write as _;
use std::process::{Command, Output};

use whole_program_tests::process::{Limited as _, Scratch};
use whole_program_tests::server;

/// More steps than any computer could double its work.
const STEPS: usize = 40;

/// Steps around steps: what stands in front of all, what begins a step, the innermost, what ends a step, what follows.
const NESTED: [[&str; 5]; 15] = [
    ["void f(float x) { ", "", "(x)", "--", "-- ; }"],
    ["void f(int a[4]) { ", "a[", "0", "++]++", " }"],
    ["void f() { ", "Tuple<int, ", "int", ">", " x; }"],
    ["void f() { ", "Optional<", "int", ">", " x = none; }"],
    ["[Differentiable] float f(", "DifferentialPair<", "float", ">", " x) { return 1.0; }"],
    ["void f() { ", "vector<", "float", ", 2>", " x; }"],
    ["float f(float x) { return ", "f(", "x", ")", "; }"],
    ["float h(float x) { return x; } int h(int x) { return x; } void g() { ", "h(", "1", ")", "; }"],
    ["bool f(bool a) { return ", "(a && (a || ", "a", "))", "; }"],
    ["struct S { float a; float b; } void f(float x) { S a = ", "{x, ", "x", "}", "; }"],
    ["int f() { return ", "sizeof(", "int", ")", "; }"],
    ["[Differentiable] float f(float x) { return x; } void g() { ", "fwd_diff(", "f", ")", "(1.0); }"],
    ["[Differentiable] float f(float x) { return x; } void g() { ", "bwd_diff(", "f", ")", "(1.0); }"],
    ["void f() { let g = ", "(float x) => ", "1", "", "; }"],
    ["void f(float x) { ", "(", "x", " += 1.0)", "; }"],
];

/// Uses of a type `Top`.
const USES: [&str; 12] = [
    "void f() { Top unset; }",
    "void f() { int k = sizeof(Top); }",
    "Top f(bool b, Top x, Top y) { Top z = x; z.m0 = y.m1; return b ? z : y; }",
    "[Differentiable] float f(float x) { Top q = {}; return x; }",
    "[Differentiable] Top f(Top x) { Top q = x; q.m0 = x.m1; return q; }",
    "void f(Top u) { Optional<Top> o = u; Tuple<Top, Top> t = makeTuple(u, u); }",
    "void f(Top u, int i) { Top a[4]; a[0] = u; u = a[i]; }",
    "RWStructuredBuffer<Top> buffer; [shader(\"compute\")] [numthreads(1, 1, 1)] void main() { buffer[0] = buffer[1]; }",
    "uniform Top parameter; groupshared Top shared; static Top variable; ConstantBuffer<Top> constants;",
    "[shader(\"compute\")] [numthreads(1, 1, 1)] void main(uniform Top t, uniform RWStructuredBuffer<float> r) { r[0] = 1.0; }",
    "interface I { Top make(); } struct S : I { Top t; Top make() { return t; } } Top f(I i) { return i.make(); }",
    "struct H<T> { T a; T b; } H<H<Top>> f() { H<H<Top>> v = {}; return v; }",
];

fn ends(arguments: &[&str], text: &str) -> Output {
    let scratch = Scratch::new("doubling");
    let path = scratch.write("program.slang", text);
    let output = Command::new(server()).arg(arguments[0]).arg(&path).args(&arguments[1..]).finished();
    let output = output.unwrap_or_else(|error| panic!("{arguments:?}: {error}\n{text}"));
    assert!(matches!(output.status.code(), Some(0..=3)), "{arguments:?}: {:?}\n{text}", output.status);
    output
}

#[test]
fn what_nests_is_looked_at_once() {
    for [before, open, inner, close, after] in NESTED {
        let _ = ends(&["check"], &format!("{before}{}{inner}{}{after}\n", open.repeat(STEPS), close.repeat(STEPS)));
    }
}

#[test]
fn types_that_hold_each_other_twice_are_walked_once() {
    for leaf in ["float x;", "", "Texture2D x;", "int* x;"] {
        let mut types = format!("struct T0 : IDifferentiable {{ {leaf} }}\n");
        for step in 1..=STEPS {
            let _ = writeln!(types, "struct T{step} : IDifferentiable {{ T{0} m0; T{0} m1; }}", step - 1);
        }
        let _ = writeln!(types, "typealias Top = T{STEPS};");
        let uses: Vec<String> = USES.iter().map(|text| format!("{types}{text}\n")).collect();
        for text in &uses {
            let _ = ends(&["check"], text);
            let _ = ends(&["emit", "--target", "hlsl"], text);
        }
    }
}

#[test]
fn types_that_hold_themselves_are_walked_once() {
    for text in USES {
        let _ = ends(&["check"], &format!("struct Top {{ Top m0; Top m1; Top m2; }}\n{text}\n"));
    }
}

#[test]
fn a_type_without_end_in_memory_is_refused_by_name() {
    let mut text = "struct T0 { float x; }\n".to_owned();
    for step in 1..=STEPS {
        let _ = writeln!(text, "struct T{step} {{ T{0} m0; T{0} m1; }}", step - 1);
    }
    let _ = writeln!(text, "T{STEPS} f(T{STEPS} x) {{ return x; }}");
    let output = ends(&["emit", "--target", "hlsl"], &text);
    let said = String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout);
    assert!(said.contains("more than 65536 members"), "{said}");
}
