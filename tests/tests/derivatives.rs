//! Every program of `fixtures/derivatives`: accepted, and `main` writes the numbers that the comments promise.

use std::{path::Path, process::Command};

use serde_json::{Value, json};
use whole_program_tests::{root, server};

/// `result[3] = …; //= 2.5`: index and value.
fn promises(text: &str) -> Vec<(usize, f64)> {
    let promise = |line: &str| {
        let (code, value) = line.split_once("//=")?;
        let index = code.trim_start().strip_prefix("result[")?.split_once(']')?.0.parse().ok()?;
        Some((index, value.trim().parse().ok()?))
    };
    text.lines().filter_map(promise).collect()
}

/// What is wrong with one program, if anything is.
fn problem(file: &Path, scratch: &Path) -> Option<String> {
    let text = std::fs::read_to_string(file).expect("the fixture can be read");
    let promises = promises(&text);
    if promises.is_empty() || promises.len() != text.matches("//=").count() {
        return Some("a promise that cannot be read, or none".to_owned());
    }
    let path = file.to_str().expect("fixture paths are text");
    let length = promises.iter().map(|(index, _)| index + 1).max().unwrap_or(0);
    let spec = scratch.join("spec.json");
    let document = json!({"buffers": [{"name": "result", "stride": 4, "words": vec![0; length], "out": true}]});
    std::fs::write(&spec, document.to_string()).expect("the scratch folder can be written");
    let spec = spec.to_str().expect("scratch paths are text");
    let arguments = ["run", path, "--entry", "main", "--groups", "1,1,1", "--engine", "interp", "--io", spec];
    let output = Command::new(server()).args(arguments).output().expect("the analyzer runs");
    if !output.status.success() {
        return Some(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    let answer: Value = serde_json::from_slice(&output.stdout).expect("`run` prints JSON");
    let words = answer["buffers"]["result"]["words"].as_array().expect("`run` gives the buffer");
    let value = |index: usize| f32::from_bits(words[index].as_u64().unwrap_or_default() as u32);
    let close = |found: f64, wanted: f64| (found - wanted).abs() <= 2e-5 * wanted.abs().max(1.0);
    let wrong = promises.iter().filter(|(index, wanted)| !close(value(*index).into(), *wanted));
    let wrong: Vec<String> =
        wrong.map(|(index, wanted)| format!("result[{index}] is {}, not {wanted}", value(*index))).collect();
    (!wrong.is_empty()).then(|| wrong.join("\n"))
}

#[test]
fn no_situation_has_a_diagnostic() {
    let folder = root().join("fixtures/derivatives");
    let arguments = ["check".as_ref(), folder.as_os_str(), "--format".as_ref(), "json".as_ref()];
    let output = Command::new(server()).args(arguments).output().expect("the analyzer runs");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "");
    assert!(output.status.success());
}

#[test]
fn every_situation_gives_the_promised_numbers() {
    let entries = std::fs::read_dir(root().join("fixtures/derivatives")).expect("the fixtures are there");
    let files = entries.map(|entry| entry.expect("the folder can be read").path());
    let mut files: Vec<_> =
        files.filter(|path| path.extension().is_some_and(|extension| extension == "slang")).collect();
    files.sort();
    let scratch = std::env::temp_dir().join(format!("slang-analyzer-derivatives-{}", std::process::id()));
    std::fs::create_dir_all(&scratch).expect("the scratch folder can be made");
    let only = std::env::var("SITUATION").unwrap_or_default();
    let chosen = files.iter().filter(|file| file.to_string_lossy().contains(&only));
    let problems: Vec<String> =
        chosen.filter_map(|file| Some(format!("{}:\n{}", file.display(), problem(file, &scratch)?))).collect();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}
