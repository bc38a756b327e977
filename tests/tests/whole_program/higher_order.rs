//! Derivatives to third order in every nesting of forward and reverse mode, through builtin functions, rules of the user
//! and methods of interfaces, with values from mathematics.

use std::{fmt::Write as _, process::Command};

use serde_json::{Value, json};
use whole_program_tests::process::Limited as _;
use whole_program_tests::{root, server};

/// The words for nestings of forward and reverse: `F`, `R`, `FF`, `FR`, …, `RRR`; the first letter is the outermost.
fn nestings() -> Vec<String> {
    let mut all = vec![String::new()];
    let mut last = all.clone();
    for _ in 0..3 {
        last = last.iter().flat_map(|inner| ["F", "R"].map(|outer| format!("{outer}{inner}"))).collect();
        all.extend(last.iter().cloned());
    }
    all.split_off(1)
}

/// A program that evaluates `f` and all its derivatives at `x`.
fn program(declarations: &str, x: f64) -> String {
    let mut text = format!("RWStructuredBuffer<float> result;\n{declarations}\n");
    let mut calls = format!("    result[0] = f({x:?});\n");
    for (index, nesting) in nestings().iter().enumerate() {
        let inner = if nesting.len() == 1 { "f".to_owned() } else { format!("d_{}", &nesting[1..]) };
        let body = match nesting.starts_with('F') {
            true => format!("return fwd_diff({inner})(diffPair(x, 1.0)).d;"),
            false => format!("var p = diffPair(x, 0.0); bwd_diff({inner})(p, 1.0); return p.d;"),
        };
        let _ = writeln!(text, "[Differentiable] float d_{nesting}(float x) {{ {body} }}");
        let _ = writeln!(calls, "    result[{}] = d_{nesting}({x:?});", index + 1);
    }
    format!("{text}[shader(\"compute\")] [numthreads(1, 1, 1)]\nvoid main()\n{{\n{calls}}}\n")
}

/// Checks the value of `f` at `x` and its first three derivatives.
fn check(name: &str, declarations: &str, x: f64, expected: [f64; 4]) {
    let scratch = std::env::temp_dir();
    let file = scratch.join(format!("slang-analyzer-{name}-{}.slang", std::process::id()));
    let spec = file.with_extension("json");
    std::fs::write(&file, program(declarations, x)).expect("the scratch folder can be written");
    let document = json!({"buffers": [{"name": "result", "stride": 4, "words": vec![0; 15], "out": true}]});
    std::fs::write(&spec, document.to_string()).expect("the scratch folder can be written");
    let output = Command::new(server())
        .arg("run")
        .arg(&file)
        .args(["--entry", "main", "--groups", "1,1,1", "--engine", "interp", "--io"])
        .arg(&spec)
        .current_dir(root())
        .finished()
        .expect("the analyzer runs");
    for file in [&file, &spec] {
        std::fs::remove_file(file).expect("the file is there");
    }
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{name}: {}{}", text(&output.stdout), text(&output.stderr));
    let answer: Value = serde_json::from_slice(&output.stdout).expect("`run` prints JSON");
    let words = answer["buffers"]["result"]["words"].as_array().expect("`run` gives the buffer");
    let names = std::iter::once(String::new()).chain(nestings());
    for (nesting, word) in names.zip(words) {
        let word = u32::try_from(word.as_u64().expect("words are numbers")).expect("words have 32 bits");
        let (found, expected) = (f64::from(f32::from_bits(word)), expected[nesting.len()]);
        // The buffer holds floats.
        assert!(
            (found - expected).abs() <= 2e-6 * expected.abs().max(1.0),
            "{name} {nesting}: {found}, not {expected}"
        );
    }
}

/// `(sin x)''' = -cos x`: third derivatives through `sin` crash slangc.
#[test]
fn through_builtin_functions() {
    let x = 0.7f64;
    let expected = [x.sin(), x.cos(), -x.sin(), -x.cos()];
    check("sine", "[Differentiable] float f(float x) { return sin(x); }", x, expected);
}

/// `x^6` by a loop with a branch.
#[test]
fn through_loops_and_branches() {
    let declarations = "[Differentiable]
float f(float x)
{
    float y = 1.0;
    [MaxIters(8)]
    for (int i = 0; i < 8; i++)
    {
        if (i % 4 == 3)
            continue;
        y *= x;
    }
    return y;
}";
    check(
        "power",
        declarations,
        0.9,
        [0.9f64.powi(6), 6.0 * 0.9f64.powi(5), 30.0 * 0.9f64.powi(4), 120.0 * 0.9f64.powi(3)],
    );
}

const FORWARD_RULE: &str = "
[Differentiable]
DifferentialPair<float> cube_fwd(DifferentialPair<float> p)
{
    return diffPair(p.p * p.p * p.p, 3.0 * p.p * p.p * p.d);
}";

const BACKWARD_RULE: &str = "
[Differentiable]
void cube_bwd(inout DifferentialPair<float> p, float d)
{
    p = diffPair(p.p, 3.0 * p.p * p.p * d);
}";

/// `x^5 = cube(x) x^2` at 1.25, where `cube` has a rule of its own.
fn check_cube(name: &str, cube: &str) {
    let f = "[Differentiable] float f(float x) { return cube(x) * x * x; }";
    let x = 1.25f64;
    check(name, &format!("{cube}\n{f}"), x, [x.powi(5), 5.0 * x.powi(4), 20.0 * x.powi(3), 60.0 * x * x]);
}

#[test]
fn through_rules_for_both_modes() {
    let cube = "[ForwardDerivative(cube_fwd)] [BackwardDerivative(cube_bwd)]
float cube(float x) { return x * x * x; }";
    check_cube("both-rules", &format!("{FORWARD_RULE}{BACKWARD_RULE}\n{cube}"));
}

/// Forward mode comes from the body, reverse mode from the rule.
#[test]
fn through_a_backward_rule_and_a_body() {
    let cube = "[Differentiable] [BackwardDerivative(cube_bwd)]
float cube(float x) { return x * x * x; }";
    check_cube("backward-rule", &format!("{BACKWARD_RULE}\n{cube}"));
}

/// Reverse mode by transposition of the forward rule.
#[test]
fn through_a_forward_rule_alone() {
    let cube = "[ForwardDerivative(cube_fwd)]
float cube(float x) { return x * x * x; }";
    check_cube("forward-rule", &format!("{FORWARD_RULE}\n{cube}"));
}

/// `2 x^4` at 0.75 by a method that is chosen statically, then at run time.
#[test]
fn through_methods_of_interfaces() {
    let shapes = "
interface IShape { [Differentiable] float at(float x); }
struct Power : IShape
{
    float k;
    [Differentiable] float at(float x) { return k * x * x * x * x; }
}
struct Wave : IShape
{
    [Differentiable] float at(float x) { return sin(x); }
}
[Differentiable] float apply<S : IShape>(S shape, float x) { return shape.at(x); }
IShape chosen(int which)
{
    Power power = { 2.0 };
    Wave wave;
    if (which == 0)
        return power;
    return wave;
}";
    let x = 0.75f64;
    let expected = [2.0 * x.powi(4), 8.0 * x.powi(3), 24.0 * x * x, 48.0 * x];
    let generic = "[Differentiable] float f(float x) { Power power = { 2.0 }; return apply(power, x); }";
    check("generic-method", &format!("{shapes}\n{generic}"), x, expected);
    let dynamic = "[Differentiable] float f(float x) { IShape shape = no_diff chosen(0); return shape.at(x); }";
    check("dynamic-method", &format!("{shapes}\n{dynamic}"), x, expected);
}
