//! Links of the manual: to files that are there, and chapters that are all listed.

use std::path::Path;

use anyhow::{Context, Result};

use super::readable;

/// Links to files that are not there, pages that are in no list of chapters, and code paths that do not exist.
pub(crate) fn broken(root: &Path) -> Result<Vec<String>> {
    let mut broken = Vec::new();
    let pages = root.join("docs/src");
    let summary = std::fs::read_to_string(pages.join("SUMMARY.md")).context("the manual has no list of chapters")?;
    for file in readable(root)? {
        let text = std::fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
        let name = file.strip_prefix(root).unwrap_or(&file).display();
        let folder = file.parent().unwrap_or(root);
        for target in targets(&text) {
            if !folder.join(target).exists() {
                broken.push(format!("{name}: {target}"));
            }
        }
        for path in code_paths(&text) {
            if !root.join(path).exists() {
                broken.push(format!("{name}: `{path}`"));
            }
        }
        if let Ok(page) = file.strip_prefix(&pages)
            && page != Path::new("SUMMARY.md")
            && !targets(&summary).any(|target| Path::new(target) == page)
        {
            broken.push(format!("{name} is not in the list of chapters"));
        }
    }
    Ok(broken)
}

/// The relative targets of links and of included files, without anchors.
fn targets(text: &str) -> impl Iterator<Item = &str> {
    // What stands between backticks is code, such as `float[](1, 2)`.
    let is_text = |line: &str, at: usize| line[..at].matches('`').count().is_multiple_of(2);
    let links = text.lines().flat_map(move |line| {
        let places = line.match_indices("](").filter(move |(at, _)| is_text(line, *at));
        places.filter_map(|(at, bracket)| Some(line[at + bracket.len()..].split_once(')')?.0))
    });
    let included = text.split("{{#include ").skip(1).filter_map(|rest| Some(rest.split_once("}}")?.0));
    let is_relative = |target: &&str| !target.contains("://") && !target.starts_with('#') && !target.contains(' ');
    links.chain(included).filter(is_relative).filter_map(|target| target.split('#').next())
}

/// Paths of files and folders of the repository that stand as code: `crates/ir/src/op.rs`. `NAME` is for a name of the
/// reader's.
fn code_paths(text: &str) -> impl Iterator<Item = &str> {
    const FOLDERS: [&str; 4] = ["crates/", "tests/", "editors/", "fixtures/"];
    let is_path = |word: &&str| {
        FOLDERS.iter().any(|folder| word.starts_with(folder))
            && !word.contains(['*', '<', ' ', '{', '…', '\n'])
            && !word.contains("NAME")
    };
    text.split('`').skip(1).step_by(2).filter(is_path)
}

#[cfg(test)]
mod tests {
    use super::{code_paths, targets};

    #[test]
    fn links_and_paths_are_found() {
        let text = "[a](b.md#c), [d](https://e.org), [f](#g), [`i`](j.md), `float[](k)`, {{#include ../h.md}} `crates/ir/src/op.rs` and `crates/<name>`";
        assert_eq!(targets(text).collect::<Vec<_>>(), ["b.md", "j.md", "../h.md"]);
        assert_eq!(code_paths(text).collect::<Vec<_>>(), ["crates/ir/src/op.rs"]);
    }
}
