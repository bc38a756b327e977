//! Every program of `fixtures/gradchecks`: what the gradient checker says of each function is what its first lines promise.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::Value;
use whole_program_tests::process::Limited as _;
use whole_program_tests::{root, server};

fn programs() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(root().join("fixtures/gradchecks")).expect("the fixtures are there");
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.expect("the folder can be read").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "slang"))
        .collect();
    files.sort();
    assert!(files.len() >= 15, "fixtures are missing: {files:?}");
    files
}

/// The functions that a comment line lists after `title`. Commas in generic arguments separate nothing.
fn listed(source: &str, title: &str) -> BTreeSet<String> {
    let line = source.lines().find_map(|line| line.strip_prefix(&format!("// {title}: ")));
    line.into_iter().flat_map(|line| line.split(", ")).map(str::to_owned).collect()
}

/// What is checked otherwise than promised: empty if nothing is.
fn problem_of(file: &Path) -> Option<String> {
    let source = std::fs::read_to_string(file).expect("the fixture can be read");
    let arguments = ["gradcheck", "--format", "json"];
    let output = Command::new(server()).args(arguments).arg(file).finished().expect("the analyzer runs");
    let text = String::from_utf8(output.stdout).expect("reports are text");
    let (mut wrong, mut open, mut nothing) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for line in text.lines() {
        let report: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        let function = report["function"].as_str().unwrap_or(line).to_owned();
        match report["verdict"].as_str() {
            Some("ok" | "skipped") => false,
            Some("not settled") => open.insert(function),
            Some("nothing compared") => nothing.insert(function),
            _ => wrong.insert(function),
        };
    }
    let expected = (listed(&source, "Wrong"), listed(&source, "Not settled"), listed(&source, "Nothing compared"));
    let status = match (expected.0.is_empty(), expected.1.is_empty() && expected.2.is_empty()) {
        (false, _) => 1,
        (true, false) => 4,
        (true, true) => 0,
    };
    let is_right =
        (&wrong, &open, &nothing) == (&expected.0, &expected.1, &expected.2) && output.status.code() == Some(status);
    let told = (wrong, open, nothing);
    (!is_right).then(|| format!("{}: {told:?} instead of {expected:?}, {}", file.display(), output.status))
}

#[test]
fn what_is_right_is_never_called_wrong_and_what_is_wrong_is_found() {
    let problems: Vec<String> = programs().iter().filter_map(|file| problem_of(file)).collect();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn the_list_names_every_program() {
    let list = std::fs::read_to_string(root().join("fixtures/gradchecks/README.md")).expect("the list can be read");
    let names = programs().into_iter().filter_map(|file| Some(format!("`{}`", file.file_stem()?.to_str()?)));
    let missing: Vec<String> = names.filter(|name| !list.contains(name.as_str())).collect();
    assert!(missing.is_empty(), "{missing:?}");
}
