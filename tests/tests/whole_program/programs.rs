//! Programs as users write them (`fixtures/programs`): nothing to say about them, and the numbers of an independent
//! implementation on the interpreter and the device.

use std::{fs, path::Path, process::Command};

use serde_json::Value;
use whole_program_tests::process::{Limited as _, Scratch};
use whole_program_tests::{programs::slang_files, server};

const TARGETS: [&str; 8] = ["slang", "hlsl", "glsl", "wgsl", "spirv", "metal", "cpp", "cuda"];

/// What the analyzer says, and whether it is content.
fn analyzer(arguments: &[&str]) -> (bool, String, String) {
    let output = Command::new(server()).args(arguments).finished().expect("the analyzer runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.success(), text(&output.stdout), text(&output.stderr))
}

/// The words after which a person knows what to change: refusals name what is not supported.
fn is_refusal_by_name(message: &str) -> bool {
    ["cannot", "not supported", "does not"].iter().any(|words| message.contains(words))
}

/// What is wrong with the numbers that an engine gives.
fn run(file: &str, engine: &str, document: &Value, scratch: &Scratch) -> Option<String> {
    let io = scratch.write("io.json", &document["io"].to_string());
    let groups = document["groups"].as_str().expect("`groups` is text");
    let io = io.to_str().expect("paths are text");
    let (is_done, output, errors) =
        analyzer(&["run", file, "--entry", "main", "--groups", groups, "--engine", engine, "--io", io]);
    if let Some(words) = document["refused"][engine].as_str() {
        return (is_done || !errors.contains(words)).then(|| format!("not refused with `{words}`: {errors}"));
    }
    if !is_done {
        return Some(errors);
    }
    let answer: Value = serde_json::from_str(&output).expect("`run` prints JSON");
    let result = document["result"].as_str().expect("`result` is a name");
    let words = answer["buffers"][result]["words"].as_array().expect("`run` gives the buffer");
    let expected = document["expected"].as_array().expect("`expected` are numbers");
    if words.len() != expected.len() {
        return Some(format!("{} numbers instead of {}", words.len(), expected.len()));
    }
    let tolerance = document["tolerance"].as_f64().expect("`tolerance` is a number");
    let mut wrong = words.iter().zip(expected).enumerate().filter_map(|(index, (word, expected))| {
        let word = u32::try_from(word.as_u64()?).ok()?;
        let (got, expected) = (f64::from(f32::from_bits(word)), expected.as_f64()?);
        let is_close = (got - expected).abs() <= tolerance * expected.abs().max(1.0);
        (!is_close).then(|| format!("{result}[{index}] is {got}, expected {expected}"))
    });
    wrong.next()
}

/// What is wrong with a program, by engines and targets.
fn failures(path: &Path, scratch: &Scratch) -> Vec<String> {
    let file = path.to_str().expect("fixture paths are text");
    let text = fs::read_to_string(path.with_extension("json")).expect("each program has its numbers");
    let document: Value = serde_json::from_str(&text).expect("the numbers are JSON");
    let mut failures = Vec::new();
    let (is_clean, findings, _) = analyzer(&["check", file]);
    let is_expected = match document["warned"].as_str() {
        Some(code) => {
            let mut headings = findings.lines().filter(|line| line.starts_with("warning") || line.starts_with("error"));
            headings.clone().count() > 0 && headings.all(|heading| heading.starts_with(&format!("warning[{code}]")))
        }
        None => findings.is_empty(),
    };
    if !is_clean || !is_expected {
        failures.push(format!("check: {findings}"));
    }
    for engine in ["interp", "gpu"] {
        if document["without"][engine].is_null()
            && let Some(what) = run(file, engine, &document, scratch)
        {
            failures.push(format!("{engine}: {what}"));
        }
    }
    for target in TARGETS {
        let output = scratch.file(target);
        let output = output.to_str().expect("paths are text");
        let (is_emitted, _, errors) = analyzer(&["emit", file, "--target", target, "--entry", "main", "-o", output]);
        if !is_emitted && !is_refusal_by_name(&errors) {
            failures.push(format!("{target}: {errors}"));
        }
    }
    failures
}

#[test]
fn programs_give_the_numbers_of_another_implementation() {
    let files = slang_files("fixtures/programs");
    assert!(files.len() >= 49, "programs are missing");
    let scratch = Scratch::new("programs");
    let failed: Vec<String> = files
        .iter()
        .flat_map(|file| failures(file, &scratch).into_iter().map(|what| format!("{}: {what}", file.display())))
        .collect();
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}
