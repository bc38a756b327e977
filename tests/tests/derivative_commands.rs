//! `slang-analyzer residuals` and `slang-analyzer gradcheck`: what they say, for people and as JSON.

use std::process::Command;

use serde_json::Value;
use whole_program_tests::{root, server};

/// Runs a command on a program; its status and the lines of its output.
fn run(name: &str, program: &str, arguments: &[&str]) -> (Option<i32>, Vec<String>) {
    let file = std::env::temp_dir().join(format!("slang-analyzer-{name}-{}.slang", std::process::id()));
    std::fs::write(&file, program).expect("the scratch folder can be written");
    let output =
        Command::new(server()).args(&arguments[..1]).arg(&file).args(&arguments[1..]).current_dir(root()).output();
    std::fs::remove_file(&file).expect("the file is there");
    let output = output.expect("the analyzer runs");
    let text = String::from_utf8(output.stdout).expect("reports are text");
    (output.status.code(), text.lines().map(str::to_owned).collect())
}

const POWERS: &str = "[Differentiable]
float powers(float x, float scale)
{
    float power = 1.0;
    [MaxIters(10)]
    for (int i = 0; i < 10; i++)
        power = sin(power) * x + cos(scale) * float(i);
    return power;
}
";

/// Of the loop only what is carried is kept: ten floats. The counter follows from the iteration, the cosine is lifted out.
#[test]
fn residuals_are_listed_with_reasons() {
    let (status, lines) = run("residuals", POWERS, &["residuals", "--format", "json"]);
    assert_eq!((status, lines.len()), (Some(0), 1), "{lines:?}");
    let report: Value = serde_json::from_str(&lines[0]).expect("a line is a JSON object");
    assert_eq!(report["function"], "powers");
    assert_eq!(report["bytes"], 40, "{report:#}");
    let items = report["items"].as_array().expect("the items");
    let stored: Vec<&Value> = items.iter().filter(|item| item["decision"] == "stored").collect();
    let [power] = stored[..] else { panic!("{report:#}") };
    assert_eq!((&power["name"], &power["type"], &power["line"]), (&"power".into(), &"f32".into(), &5.into()));
    assert_eq!((&power["iterations"], &power["total_bytes"]), (&10.into(), &40.into()));
    assert!(items.iter().any(|item| item["name"] == "i" && item["decision"] == "inverted"), "{report:#}");

    let (_, lines) = run("residuals-text", POWERS, &["residuals", "--function", "powers"]);
    assert_eq!(lines[0], "powers: 40 bytes");
    let stored = "`power`: f32 is stored, 40 bytes for 10 iterations: it goes from one iteration to the next";
    assert!(lines.iter().any(|line| line.ends_with(stored)), "{lines:?}");
}

const RULES: &str = "
[BackwardDerivative(cube_bwd)]
float cube(float x) { return x * x * x; }
void cube_bwd(inout DifferentialPair<float> p, float d) { p = diffPair(p.p, 2.0 * p.p * p.p * d); }

struct Pair : IDifferentiable { float a; float2 b; }
[Differentiable]
float mixed(Pair pair) { return pair.a + cube(pair.b.y) * abs(pair.b.x); }

[Differentiable]
float dropped(float x) { return x * detach(sin(x)); }
";

#[test]
fn a_wrong_rule_is_told_by_the_place_where_it_shows() {
    let (status, lines) = run("gradcheck", RULES, &["gradcheck", "--format", "json"]);
    assert_eq!((status, lines.len()), (Some(1), 3), "{lines:?}");
    let reports: Vec<Value> =
        lines.iter().map(|line| serde_json::from_str(line).expect("a line is a JSON object")).collect();
    let of = |name: &str| reports.iter().find(|report| report["function"] == name).expect("it is checked");
    let cube = &of("cube")["findings"][0];
    assert_eq!((&cube["kind"], &cube["input"]), (&"backward".into(), &"x".into()));
    // Two thirds of what is right.
    let (found, expected) = (cube["found"].as_f64().expect("a number"), cube["expected"].as_f64().expect("a number"));
    assert!((found * 1.5 - expected).abs() < 1e-9, "{cube}");
    assert_eq!(of("mixed")["findings"][0]["input"], "pair.b.y");
    // What is dropped on purpose is held fixed.
    assert_eq!(of("dropped")["good"], true);
}

/// At 0 the slopes of `abs` differ, and that is said.
#[test]
fn a_kink_explains_itself() {
    let program = "[Differentiable] float bent(float x) { return 3.0 * abs(x); }";
    let arguments = ["gradcheck", "--domain", "x=0..0", "--samples", "1"];
    let (status, lines) = run("kink", program, &arguments);
    assert_eq!(status, Some(0), "{lines:?}");
    assert_eq!(
        lines[1].trim(),
        "`return` has a kink in `x`: the slope is -3 to the left and 3 to the right, the derivative says 0"
    );
}

/// `(x y, x^2 v.y)` at `x = 3`, `y = 2`, `v = (5, 7)`.
#[test]
fn jacobians_have_a_row_per_result() {
    let program = "[Differentiable] float2 both(float x, float y, float2 v) { return float2(x * y, x * x * v.y); }";
    let arguments = ["jacobian", "--function", "both", "--at", "3,2,5,7", "--format", "json"];
    let (status, lines) = run("jacobian", program, &arguments);
    assert_eq!((status, lines.len()), (Some(0), 2), "{lines:?}");
    let rows: Vec<Value> = lines.iter().map(|line| serde_json::from_str(line).expect("a JSON object")).collect();
    assert_eq!(rows[0]["inputs"], serde_json::json!(["x", "y", "v.x", "v.y"]));
    assert_eq!((&rows[0]["result"], &rows[0]["value"]), (&"return.x".into(), &6.0.into()));
    assert_eq!(rows[0]["derivatives"], serde_json::json!([2.0, 3.0, 0.0, 0.0]));
    assert_eq!((&rows[1]["result"], &rows[1]["value"]), (&"return.y".into(), &63.0.into()));
    assert_eq!(rows[1]["derivatives"], serde_json::json!([42.0, 0.0, 0.0, 9.0]));
    let (status, _) = run("jacobian-few", program, &["jacobian", "--function", "both", "--at", "3,2"]);
    assert_eq!(status, Some(2));
}

#[test]
fn a_domain_that_is_none_is_wrong_use() {
    for domain in ["x", "x=1", "x=2..1", "x=a..b"] {
        assert_eq!(run("domain", POWERS, &["gradcheck", "--domain", domain]).0, Some(2), "{domain}");
    }
}

/// A function with a small domain, which is hardly hit by chance: the comment above the function tells it, and the
/// command line overrules that.
#[test]
fn domains_are_annotated_in_the_source() {
    let program = "/// Half a circle.
/// @domain x = 3..5
[Differentiable]
float half_circle(float x) { return sqrt(x - 3.0) * sqrt(5.0 - x); }
";
    let (status, lines) = run("annotated", program, &["gradcheck"]);
    assert_eq!(status, Some(0), "{lines:?}");
    assert!(lines[0].contains("0 outside of the domain"), "{lines:?}");
    let (_, lines) = run("overruled", program, &["gradcheck", "--domain", "x=6..7", "--samples", "1"]);
    assert!(lines[0].starts_with("half_circle: not checked (0 samples"), "{lines:?}");
}

#[test]
fn an_annotated_domain_must_be_one_of_a_parameter() {
    for annotation in ["@domain y = 0..1", "@domain x = 1..0"] {
        let program = format!("/// {annotation}\n[Differentiable] float f(float x) {{ return x; }}\n");
        assert_eq!(run("annotation", &program, &["gradcheck"]).0, Some(2), "{annotation}");
    }
}

/// A rule that forgets to count is told by the counter.
#[test]
fn a_rule_that_leaves_another_state_is_told() {
    let program = "static int count = 0;
[ForwardDerivative(counted_fwd)]
float counted(float x) { count += 1; return x * x; }
DifferentialPair<float> counted_fwd(DifferentialPair<float> x) { return diffPair(x.p * x.p, 2.0 * x.p * x.d); }
";
    let (status, lines) = run("state", program, &["gradcheck", "--function", "counted"]);
    assert_eq!(status, Some(1), "{lines:?}");
    assert!(lines[1].contains("leaves another value in `count` than the function"), "{lines:?}");
}
