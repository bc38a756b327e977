//! Every program of `fixtures/derivatives`: accepted, and `main` writes the numbers that the comments promise; those of its
//! folder `refused` have the errors and warnings that the comments name, and no others.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::{Value, json};
use whole_program_tests::process::Limited as _;
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
    let output = Command::new(server()).args(arguments).finished().expect("the analyzer runs");
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

/// What is wrong with the diagnostics of one program, if anything is. `… //! E41022 text` names one of that line: its
/// severity (`E` or `W`), its code, and a part of its message.
fn problem_of_refusal(file: &Path) -> Option<String> {
    let text = std::fs::read_to_string(file).expect("the fixture can be read");
    let arguments = ["check".as_ref(), file.as_os_str(), "--format".as_ref(), "json".as_ref()];
    let output = Command::new(server()).args(arguments).finished().expect("the analyzer runs");
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut found: Vec<Value> =
        printed.lines().map(|line| serde_json::from_str(line).expect("`check` prints JSON")).collect();
    found.retain(|diagnostic| matches!(diagnostic["severity"].as_str(), Some("error" | "warning")));
    let mut problems = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let Some((_, comment)) = line.split_once("//! ") else { continue };
        let (code, part) = comment.split_once(' ').unwrap_or((comment, ""));
        let severity = if code.starts_with('W') { "warning" } else { "error" };
        let is_it = |diagnostic: &Value| {
            diagnostic["line"] == index + 1
                && diagnostic["severity"] == severity
                && diagnostic["code"].as_str().is_some_and(|found| found[1..] == code[1..])
                && diagnostic["message"].as_str().is_some_and(|message| message.contains(part))
        };
        match found.iter().position(is_it) {
            Some(position) => drop(found.remove(position)),
            None => problems.push(format!("line {}: no {comment}", index + 1)),
        }
    }
    problems.extend(found.iter().map(|extra| format!("unexpected {extra}")));
    (!problems.is_empty()).then(|| problems.join("\n"))
}

/// The programs of a folder, by name.
fn programs(folder: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(root().join(folder)).expect("the fixtures are there");
    let files = entries.map(|entry| entry.expect("the folder can be read").path());
    let mut files: Vec<_> =
        files.filter(|path| path.extension().is_some_and(|extension| extension == "slang")).collect();
    files.sort();
    files
}

#[test]
fn no_situation_has_a_diagnostic() {
    let files = programs("fixtures/derivatives");
    let output = Command::new(server())
        .arg("check")
        .args(files)
        .args(["--format", "json"])
        .finished()
        .expect("the analyzer runs");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "");
    assert!(output.status.success());
}

#[test]
fn what_is_refused_has_the_diagnostics_that_are_named() {
    let files = programs("fixtures/derivatives/refused");
    let problems: Vec<String> =
        files.iter().filter_map(|file| Some(format!("{}:\n{}", file.display(), problem_of_refusal(file)?))).collect();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn the_list_of_situations_names_every_file() {
    let list = std::fs::read_to_string(root().join("fixtures/derivatives/README.md")).expect("the list can be read");
    let named = |folder: &str, prefix: &str| {
        let stems = programs(folder).into_iter().filter_map(|file| Some(file.file_stem()?.to_str()?.to_owned()));
        stems.map(|stem| format!("`{prefix}{stem}`")).collect::<Vec<String>>()
    };
    let files = [named("fixtures/derivatives", ""), named("fixtures/derivatives/refused", "refused/")].concat();
    let missing: Vec<&String> = files.iter().filter(|name| !list.contains(name.as_str())).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn every_situation_gives_the_promised_numbers() {
    let files = programs("fixtures/derivatives");
    let scratch = std::env::temp_dir().join(format!("slang-analyzer-derivatives-{}", std::process::id()));
    std::fs::create_dir_all(&scratch).expect("the scratch folder can be made");
    let only = std::env::var("SITUATION").unwrap_or_default();
    let chosen = files.iter().filter(|file| file.to_string_lossy().contains(&only));
    let problems: Vec<String> =
        chosen.filter_map(|file| Some(format!("{}:\n{}", file.display(), problem(file, &scratch)?))).collect();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// `fixtures/README.md` says of each mistake that was once made which tests failed on it.
#[test]
fn the_list_of_mistakes_names_tests_that_are_there() {
    let list = std::fs::read_to_string(root().join("fixtures/README.md")).expect("the list can be read");
    let rows: Vec<&str> = list.lines().filter(|line| line.starts_with("| ") && line.contains('`')).collect();
    let mut count = 0;
    let mut missing = Vec::new();
    for row in &rows {
        let tests = row.rsplit(" | ").next().expect("a row has columns");
        let named: Vec<&str> = tests.split('`').skip(1).step_by(2).collect();
        assert!(!named.is_empty(), "{row}");
        for name in named {
            count += 1;
            let is_there = match name.split_once("::") {
                Some((file, test)) => {
                    let source = std::fs::read_to_string(root().join(file)).unwrap_or_default();
                    source.contains(&format!("#[test]\nfn {test}("))
                }
                None => root().join("fixtures").join(name).exists(),
            };
            if !is_there {
                missing.push(name);
            }
        }
    }
    assert!(missing.is_empty(), "{missing:?}");
    let numbered = |number: u32| rows.iter().any(|row| row.starts_with(&format!("| {number} |")));
    assert!((1..=16).all(numbered) && count > 60, "{count} tests");
}
