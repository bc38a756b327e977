//! What the workspace depends on: every dependency is used by the crate that names it, and every licence is one that we can
//! ship.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde_json::Value as Json;

use crate::process::{cargo, root};

/// The licences that a binary may be made of. An expression must allow one of them, or several together.
const LICENCES: [&str; 10] = [
    "Apache-2.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "ISC",
    "LLVM-exception",
    "MIT",
    "MIT-0",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

pub(crate) fn check() -> Result<()> {
    let output = cargo(["metadata", "--format-version", "1", "--locked"]).output().context("cannot start cargo")?;
    ensure!(output.status.success(), "cargo metadata failed: {}", String::from_utf8_lossy(&output.stderr));
    let metadata: Json = serde_json::from_slice(&output.stdout)?;
    let mut wrong = Vec::new();
    for package in list(&metadata["packages"]) {
        let name = text(&package["name"]);
        if !is_allowed(text(&package["license"])) {
            wrong.push(format!("{name} has the licence `{}`", text(&package["license"])));
        }
        if list(&metadata["workspace_members"]).contains(&package["id"]) {
            let folder = Path::new(text(&package["manifest_path"])).parent().map_or_else(root, Path::to_owned);
            let unused = unused(&folder, list(&package["dependencies"]))?;
            wrong.extend(unused.into_iter().map(|unused| format!("{name} does not use its dependency `{unused}`")));
        }
    }
    ensure!(wrong.is_empty(), "{}", wrong.join("\n"));
    Ok(())
}

fn list(json: &Json) -> &[Json] {
    json.as_array().map_or(&[], Vec::as_slice)
}

fn text(json: &Json) -> &str {
    json.as_str().unwrap_or_default()
}

/// Whether all licences that are joined by `AND` are on the list, in one of the alternatives.
fn is_allowed(expression: &str) -> bool {
    let is_known = |licence: &str| LICENCES.contains(&licence.trim_matches(|c: char| c == '(' || c == ')' || c == ' '));
    // `A/B` is how crates once wrote `A OR B`. `(A OR B) AND C` needs C whichever of A and B it is.
    let mut parts = expression.split(" AND ");
    parts.all(|part| part.replace('/', " OR ").split(" OR ").any(|choice| choice.split(" WITH ").all(is_known)))
}

/// The dependencies whose names are nowhere in the sources that may use them.
fn unused(folder: &Path, dependencies: &[Json]) -> Result<Vec<String>> {
    let library = sources(&[folder.join("src"), folder.join("build.rs")])?;
    let tests = sources(&[folder.join("tests")])?;
    let is_used = |dependency: &Json| {
        let name = dependency["rename"].as_str().unwrap_or(text(&dependency["name"])).replace('-', "_");
        let is_for_tests = dependency["kind"] == "dev";
        mentions(&library, &name) || (is_for_tests && mentions(&tests, &name))
    };
    let unused = dependencies.iter().filter(|dependency| !is_used(dependency));
    Ok(unused.map(|dependency| text(&dependency["name"]).to_owned()).collect())
}

/// Whether a name stands somewhere as a word.
fn mentions(sources: &str, name: &str) -> bool {
    let is_part_of_word = |c: char| c.is_alphanumeric() || c == '_';
    sources.match_indices(name).any(|(at, _)| {
        !sources[..at].ends_with(is_part_of_word) && !sources[at + name.len()..].starts_with(is_part_of_word)
    })
}

/// The text of all Rust files below.
fn sources(places: &[PathBuf]) -> Result<String> {
    let mut found = String::new();
    let mut pending: Vec<PathBuf> = places.iter().filter(|place| place.exists()).cloned().collect();
    while let Some(place) = pending.pop() {
        if place.is_dir() {
            for entry in std::fs::read_dir(&place)? {
                pending.push(entry?.path());
            }
        } else if place.extension().is_some_and(|extension| extension == "rs") {
            found.push_str(&std::fs::read_to_string(&place)?);
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_of_licences_are_read() {
        for good in ["MIT", "Apache-2.0/MIT", "(MIT OR Apache-2.0) AND Unicode-3.0", "GPL-3.0 OR MIT"] {
            assert!(is_allowed(good), "{good}");
        }
        for bad in ["GPL-3.0", "(MIT OR Apache-2.0) AND GPL-3.0", "", "Apache-2.0 WITH Classpath-exception-2.0"] {
            assert!(!is_allowed(bad), "{bad}");
        }
    }

    #[test]
    fn only_whole_words_are_mentions() {
        assert!(mentions("use smol_str::SmolStr;", "smol_str"));
        assert!(!mentions("let my_smol_str = smol_strings;", "smol_str"));
    }

    #[test]
    fn dependencies_are_used_and_may_be_shipped() {
        if let Err(wrong) = check() {
            panic!("{wrong}");
        }
    }
}
