//! Every program of `fixtures/whole_programs`: its function `f` has the value and the derivatives, forward and in reverse, that the
//! first line says, or the loss is reported.

use std::{fmt::Write as _, path::Path, process::Command};

use serde_json::Value;
use whole_program_tests::process::Limited as _;
use whole_program_tests::{root, server};

/// How far a number may be from what mathematics says, against 1 and the largest of them: constants are `float`s in the programs.
const TOLERANCE: f64 = 1e-4;

struct Expected {
    point: Vec<f64>,
    value: f64,
    derivatives: Vec<f64>,
}

fn numbers(list: &str) -> Vec<f64> {
    list.split(", ").map(|number| number.parse().expect("a number")).collect()
}

/// `// f(0.4, 0.7) = 0.5; derivatives 3.6, 1.3`
fn expected(program: &str) -> Expected {
    let line =
        program.lines().next().and_then(|line| line.strip_prefix("// f(")).expect("the first line says what `f` is");
    let (point, rest) = line.split_once(") = ").expect("a point");
    let (value, derivatives) = rest.split_once("; derivatives ").expect("derivatives");
    Expected { point: numbers(point), value: value.parse().expect("a value"), derivatives: numbers(derivatives) }
}

/// A function of the same value that has a backward derivative alone, which is that of `f`.
fn in_reverse(count: usize) -> String {
    format!(
        "
[BackwardDerivative(in_reverse_bwd)] float in_reverse(float xs[{count}]) {{ return f(xs); }}
void in_reverse_bwd(inout DifferentialPair<float[{count}]> xs, float d) {{ bwd_diff(f)(xs, d); }}
"
    )
}

/// What is wrong with the value and derivatives of a function of a file.
fn problems(file: &Path, function: &str, expected: &Expected) -> String {
    let mut command = Command::new(server());
    command.arg("jacobian").arg(file).args(["--format", "json", "--function", function]).current_dir(root());
    for number in &expected.point {
        command.arg("--at").arg(number.to_string());
    }
    let output = command.finished().expect("the analyzer runs");
    let text = String::from_utf8_lossy(&output.stdout);
    let Some(found) = text.lines().next().and_then(|line| serde_json::from_str::<Value>(line).ok()) else {
        return format!("{text}{}", String::from_utf8_lossy(&output.stderr));
    };
    let derivatives: Vec<f64> =
        found["derivatives"].as_array().into_iter().flatten().filter_map(Value::as_f64).collect();
    let scale = expected.derivatives.iter().fold(1.0_f64, |scale, number| scale.max(number.abs()));
    let is_near = |found: f64, wanted: f64, scale: f64| (found - wanted).abs() <= TOLERANCE * scale;
    let value = found["value"].as_f64().unwrap_or(f64::NAN);
    if !is_near(value, expected.value, expected.value.abs().max(1.0)) {
        return format!("the value is {value}, not {}", expected.value);
    }
    let all_near = derivatives.iter().zip(&expected.derivatives).all(|(found, wanted)| is_near(*found, *wanted, scale));
    if derivatives.len() != expected.derivatives.len() || !all_near {
        return format!("the derivatives are {derivatives:?}, not {:?}", expected.derivatives);
    }
    String::new()
}

#[test]
fn derivatives_are_those_of_mathematics() {
    let folder = root().join("fixtures/whole_programs");
    let mut files: Vec<_> =
        std::fs::read_dir(folder).expect("the fixtures are there").flatten().map(|entry| entry.path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "slang"));
    files.sort();
    assert!(files.len() >= 80, "{} programs", files.len());
    let mut wrong = String::new();
    for file in &files {
        let name = file.file_stem().and_then(|name| name.to_str()).expect("a name");
        let program = std::fs::read_to_string(file).expect("the program can be read");
        let check =
            Command::new(server()).arg("check").arg(file).current_dir(root()).finished().expect("the analyzer runs");
        let said = String::from_utf8_lossy(&check.stdout).into_owned();
        if !check.status.success() {
            writeln!(wrong, "{name}: {said}").expect("a string");
        }
        if program.lines().nth(1).is_some_and(|line| line.starts_with("// loses its derivatives")) {
            if !said.contains("E41805") {
                writeln!(wrong, "{name}: its loss is not reported").expect("a string");
            }
            continue;
        }
        let expected = expected(&program);
        let reversed = std::env::temp_dir().join(format!("slang-analyzer-whole-{name}-{}.slang", std::process::id()));
        std::fs::write(&reversed, program + &in_reverse(expected.point.len()))
            .expect("the scratch folder can be written");
        for (mode, file, function) in [("forward", file, "f"), ("reverse", &reversed, "in_reverse")] {
            let problem = problems(file, function, &expected);
            if !problem.is_empty() {
                writeln!(wrong, "{name}, {mode}: {problem}").expect("a string");
            }
        }
        std::fs::remove_file(&reversed).expect("the file is there");
    }
    assert!(wrong.is_empty(), "{wrong}");
}
