//! `cargo xtask figures [REVISION]…`: how hard the source is to carry on, in numbers, beside those of other revisions.
//!
//! The numbers are read from the text, without tests: rustfmt lays code out so that a function or a match ends with a
//! brace that stands where its first line begins.

use std::{fs, path::Path, process::Stdio};

use anyhow::{Context, Result, ensure};
use lexopt::prelude::*;

use crate::{
    cycles,
    process::{command, root},
};

/// The figures of one state of the source, in the order in which they are shown.
type Figures = Vec<(&'static str, usize)>;

const LONG_FILE: usize = 600;
const LONG_FUNCTION: usize = 80;
const LONG_MATCH: usize = 100;

pub(crate) fn run(mut arguments: lexopt::Parser) -> Result<()> {
    let mut columns: Vec<(String, Figures)> = Vec::new();
    while let Some(argument) = arguments.next()? {
        match argument {
            Value(revision) => {
                let revision = revision.to_string_lossy().into_owned();
                columns.push((revision.clone(), of_revision(&revision)?));
            }
            other => return Err(other.unexpected().into()),
        }
    }
    columns.push(("now".to_owned(), of_folder(&root().join("crates"))?));
    let headings: Vec<&str> = columns.iter().map(|(name, _)| name.as_str()).collect();
    println!("| | {} |\n|---|{}", headings.join(" | "), "---:|".repeat(columns.len()));
    for (row, (name, _)) in columns[0].1.iter().enumerate() {
        let cells: Vec<String> = columns.iter().map(|(_, figures)| figures[row].1.to_string()).collect();
        println!("| {name} | {} |", cells.join(" | "));
    }
    Ok(())
}

fn of_revision(revision: &str) -> Result<Figures> {
    let folder = std::env::temp_dir().join(format!("slang-analyzer-figures-{}", std::process::id()));
    fs::create_dir_all(&folder)?;
    let mut archive = command("git", ["archive", "--format=tar", revision, "crates"]);
    let mut archive = archive.stdout(Stdio::piped()).spawn().context("cannot run git")?;
    let tar = archive.stdout.take().context("git has an output")?;
    let unpacked = command("tar", ["-x", "-C"]).arg(&folder).stdin(tar).status().context("cannot run tar")?;
    ensure!(archive.wait()?.success() && unpacked.success(), "cannot read the revision {revision}");
    let figures = of_folder(&folder.join("crates"));
    fs::remove_dir_all(&folder)?;
    figures
}

fn of_folder(crates: &Path) -> Result<Figures> {
    let mut texts = Vec::new();
    for entry in fs::read_dir(crates)? {
        let source = entry?.path().join("src");
        if source.is_dir() {
            read(&source, &mut texts)?;
        }
    }
    let all = |count: &dyn Fn(&str) -> usize| texts.iter().map(|text| count(text)).sum::<usize>();
    let circles = cycles::circles_of_crates(crates)?;
    Ok(vec![
        ("files without tests", texts.len()),
        ("lines", all(&|text| text.lines().count())),
        ("files over 600 lines", texts.iter().filter(|text| text.lines().count() > LONG_FILE).count()),
        ("functions over 80 lines", all(&|text| longer(text, is_function, LONG_FUNCTION))),
        ("matches over 100 lines", all(&|text| longer(text, is_match, LONG_MATCH))),
        ("parameters that are `bool`", all(&boolean_parameters)),
        ("matches over `Op` with a wildcard arm", all(&wildcards)),
        ("comparisons with a string", all(&string_comparisons)),
        ("signatures with `types: &mut TypeTable`", all(&|text| text.matches("types: &mut TypeTable").count())),
        ("circles of modules", circles.len()),
        ("modules in circles", circles.iter().map(|(_, modules)| modules.len()).sum()),
    ])
}

/// The code of the files of a folder, without comments and tests.
fn read(folder: &Path, texts: &mut Vec<String>) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.file_stem().is_some_and(|name| name == "tests") {
            continue;
        }
        if path.is_dir() {
            read(&path, texts)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path)?;
            let code = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
            let code = code.lines().filter(|line| !line.trim_start().starts_with("//"));
            texts.push(code.collect::<Vec<_>>().join("\n"));
        }
    }
    Ok(())
}

fn indentation(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// The blocks whose first lines are as `begins` says, each as its lines from the first one to the closing brace.
fn blocks(text: &str, begins: impl Fn(&str) -> bool) -> Vec<Vec<&str>> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    for (start, line) in lines.iter().enumerate().filter(|(_, line)| begins(line)) {
        let depth = indentation(line);
        let ends =
            |line: &&str| indentation(line) == depth && (line.trim_start().starts_with('}') || line.ends_with(';'));
        let length = lines[start + 1..].iter().position(ends).map_or(0, |length| length + 2);
        found.push(lines[start..start + length].to_vec());
    }
    found
}

fn longer(text: &str, begins: impl Fn(&str) -> bool, limit: usize) -> usize {
    blocks(text, begins).iter().filter(|block| block.len() > limit).count()
}

fn is_function(line: &str) -> bool {
    let line = line.trim_start();
    ["fn ", "pub fn ", "pub(crate) fn ", "pub(super) fn "].iter().any(|begin| line.starts_with(begin))
        && !line.ends_with('}')
        && !line.ends_with(';')
}

fn is_match(line: &str) -> bool {
    line.ends_with('{') && [" match ", "(match "].iter().any(|word| line.contains(word))
}

fn boolean_parameters(text: &str) -> usize {
    let after_functions = text.match_indices("fn ").map(|(at, _)| &text[at..]);
    let lists = after_functions.filter_map(|text| {
        let start = text.find('(')?;
        let end = text.find(['{', ';'])?;
        text.get(start..end)
    });
    let parameters = lists.map(|list| list.split("->").next().unwrap_or_default().matches(": bool").count());
    parameters.sum()
}

fn wildcards(text: &str) -> usize {
    let over_ops = blocks(text, is_match).into_iter().filter(|block| {
        let depth = indentation(block[0]) + 4;
        let has_arm =
            |begin: &str| block.iter().any(|line| indentation(line) == depth && line.trim_start().starts_with(begin));
        (has_arm("Op::") || has_arm("Intrinsic::")) && (has_arm("_ =>") || has_arm("_ if "))
    });
    over_ops.count()
}

fn string_comparisons(text: &str) -> usize {
    let is_compared = |line: &&str| {
        let arm = line.trim_start().starts_with('"') && line.contains("=>");
        arm || ["== \"", "!= \"", "Some(\""].iter().any(|comparison| line.contains(comparison))
    };
    text.lines().filter(is_compared).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_counted() {
        let text = "\
fn f(a: bool, b: u32, c: bool) -> bool {
    match op {
        Op::Zero => 1,
        _ => 2,
    };
    let x = match word {
        \"a\" => 1,
        _ => 2,
    };
    y == \"b\"
}
fn g() -> bool;
";
        assert_eq!(boolean_parameters(text), 2);
        assert_eq!(string_comparisons(text), 2);
        assert_eq!(blocks(text, is_function)[0].len(), 11);
        assert_eq!(longer(text, is_function, 10), 1);
        assert_eq!(longer(text, is_function, 11), 0);
    }
}
