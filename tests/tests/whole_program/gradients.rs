//! Every program of `fixtures/gradients`: accepted, right by finite differences, and the same in Slang as emitted.

use std::{
    path::{Path, PathBuf},
    process::{Command, Output},
};

use serde_json::{Value, json};
use whole_program_tests::process::Limited as _;
use whole_program_tests::{root, server};

fn fixtures() -> Vec<PathBuf> {
    let folder = root().join("fixtures/gradients");
    let entries = std::fs::read_dir(folder).expect("the fixtures are there");
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.expect("the folder can be read").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "slang"))
        .collect();
    files.sort();
    assert!(files.len() >= 10, "fixtures are missing: {files:?}");
    files
}

fn analyzer(arguments: &[&str]) -> Output {
    Command::new(server()).args(arguments).current_dir(root()).finished().expect("the analyzer runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn path_text(path: &Path) -> &str {
    path.to_str().expect("fixture paths are text")
}

/// Runs `main` of a file on the interpreter and returns the words of `result`.
fn run(file: &Path, scratch: &Path) -> Vec<u64> {
    let spec = scratch.join("spec.json");
    let words = vec![0; 256];
    let document = json!({"buffers": [{"name": "result", "stride": 4, "words": words, "out": true}]});
    std::fs::write(&spec, document.to_string()).expect("the scratch folder can be written");
    let arguments = [
        "run",
        path_text(file),
        "--entry",
        "main",
        "--groups",
        "1,1,1",
        "--engine",
        "interp",
        "--io",
        path_text(&spec),
    ];
    let output = analyzer(&arguments);
    assert!(output.status.success(), "{}: {}{}", file.display(), text(&output.stdout), text(&output.stderr));
    let answer: Value = serde_json::from_slice(&output.stdout).expect("`run` prints JSON");
    let words = answer["buffers"]["result"]["words"].as_array().expect("`run` gives the buffer");
    words.iter().map(|word| word.as_u64().expect("words are numbers")).collect()
}

fn scratch(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("slang-analyzer-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("the scratch folder can be made");
    folder
}

#[test]
fn no_fixture_has_a_diagnostic() {
    for file in fixtures() {
        let output = analyzer(&["check", path_text(&file), "--format", "json"]);
        // What an earlier iteration wrote may look like what nobody wrote (E41035).
        let output_text = text(&output.stdout);
        let found: Vec<&str> = output_text.lines().filter(|line| !line.contains("E41035")).collect();
        assert!(found.is_empty(), "{}: {found:?}", file.display());
        assert_eq!(output.status.code(), Some(0), "{}", file.display());
    }
}

#[test]
fn gradients_agree_with_central_differences() {
    for file in fixtures() {
        let output = analyzer(&["gradcheck", path_text(&file)]);
        assert!(output.status.success(), "{}:\n{}{}", file.display(), text(&output.stdout), text(&output.stderr));
    }
}

/// What it reads of arrays has been written, by an earlier iteration, which slangc does not see in the source either.
const WARNED_AS_WRITTEN: &str = "values_over_iterations.slang";

#[test]
fn emitted_slang_means_the_same() {
    let scratch = scratch("emitted");
    for file in fixtures() {
        let emitted = scratch.join(file.file_name().expect("fixtures have names"));
        let arguments = ["emit", path_text(&file), "--target", "slang", "--entry", "main", "-o", path_text(&emitted)];
        let output = analyzer(&arguments);
        assert!(output.status.success(), "{}: {}{}", file.display(), text(&output.stdout), text(&output.stderr));
        let checked = analyzer(&["check", path_text(&emitted)]);
        assert!(checked.status.success(), "{}:\n{}", file.display(), text(&checked.stdout));
        // Evaluation order is the same, so are the numbers.
        assert_eq!(run(&emitted, &scratch), run(&file, &scratch), "{}", file.display());
        if let Some(slangc) = std::env::var_os("SLANGC").filter(|slangc| Path::new(slangc).exists()) {
            let output = Command::new(slangc)
                .args([path_text(&emitted), "-target", "hlsl", "-entry", "main", "-stage", "compute", "-o"])
                .arg(scratch.join("emitted.hlsl"))
                .finished()
                .expect("slangc runs");
            let messages = format!("{}{}", text(&output.stdout), text(&output.stderr));
            let is_clean = !messages.contains("warning") || file.ends_with(WARNED_AS_WRITTEN);
            assert!(output.status.success() && is_clean, "{}:\n{messages}", file.display());
        }
    }
    std::fs::remove_dir_all(scratch).expect("the scratch folder can be removed");
}
