//! `cargo xtask cycles`: which modules of a crate use each other in a circle.
//!
//! A module is a file or folder directly under `src`; it uses another one where it says `crate::other`. What is allowed
//! stands in [`KNOWN`]: a circle that is not part of one of those fails.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use anyhow::{Context, Result, ensure};

use crate::process::root;

type Uses = BTreeMap<String, BTreeSet<String>>;

/// The circles that there are, each with its crate, its modules, and why they use each other.
const KNOWN: &[(&str, &str, &str)] = &[
    (
        "hir-def",
        "attribute body expansion heap item lower modules parse type_ref",
        "the data (attributes hold expressions, expressions types, types expressions) has its queries beside it, which \
         parse, expand macros, read what modules import, and lower",
    ),
    (
        "hir-ty",
        "conformance differential generics infer types",
        "what a type is may depend on what conforms (`T.Differential`), on what is differentiable, and on the initializer \
         of a variable (`let x = …`, `float a[] = { … }`)",
    ),
    ("interp", "exact_floats memory value words", "memory holds values, and values of handle type refer to memory"),
    (
        "interp",
        "machine ops place thread",
        "the interpreter proper: threads run operations, which start calls on a thread",
    ),
];

pub(crate) fn run(mut arguments: lexopt::Parser) -> Result<()> {
    if let Some(argument) = arguments.next()? {
        return Err(argument.unexpected().into());
    }
    check()
}

/// Lists the circles and fails on those that are not among the known ones.
pub(crate) fn check() -> Result<()> {
    let mut new = Vec::new();
    for (name, circle) in circles_of_crates(&root().join("crates"))? {
        let shown = format!("{name}: {} modules in a circle: {}", circle.len(), circle.join(" "));
        let reason = reason(&name, &circle);
        println!("{shown}{}", reason.map_or_else(String::new, |reason| format!(" ({reason})")));
        if reason.is_none() {
            new.push(shown);
        }
    }
    ensure!(new.is_empty(), "circles that are not in the list of crates/xtask/src/cycles.rs:\n{}", new.join("\n"));
    Ok(())
}

/// The circles of all crates of a folder, each with the name of its crate.
pub(crate) fn circles_of_crates(crates: &Path) -> Result<Vec<(String, Vec<String>)>> {
    let mut entries: Vec<_> = fs::read_dir(crates)?.collect::<Result<_, _>>()?;
    entries.sort_by_key(|entry| entry.file_name());
    let mut found = Vec::new();
    for entry in entries {
        let source = entry.path().join("src");
        let name = entry.file_name().to_string_lossy().into_owned();
        if source.is_dir() {
            let uses = uses(&source).with_context(|| format!("cannot read the modules of {name}"))?;
            found.extend(circles(&uses).into_iter().map(|circle| (name.clone(), circle)));
        }
    }
    Ok(found)
}

/// Why the modules use each other, if they are among those of a circle that is known.
fn reason(name: &str, circle: &[String]) -> Option<&'static str> {
    let known = KNOWN.iter().filter(|(known, ..)| *known == name).find(|(_, modules, _)| {
        let modules: Vec<&str> = modules.split_whitespace().collect();
        circle.iter().all(|module| modules.contains(&module.as_str()))
    });
    known.map(|(_, _, reason)| *reason)
}

/// Which modules of a crate each of its modules uses.
fn uses(source: &Path) -> Result<Uses> {
    let mut uses = Uses::new();
    for entry in fs::read_dir(source)? {
        let path = entry?.path();
        let Some(module) = path.file_stem().map(|name| name.to_string_lossy().into_owned()) else { continue };
        if !matches!(module.as_str(), "lib" | "main" | "tests" | "bin") {
            read(&path, uses.entry(module).or_default())?;
        }
    }
    let modules: BTreeSet<String> = uses.keys().cloned().collect();
    for (module, used) in &mut uses {
        used.retain(|other| other != module && modules.contains(other));
    }
    Ok(uses)
}

/// Adds the modules that a file, or the files of a folder, name after `crate::`.
fn read(path: &Path, used: &mut BTreeSet<String>) -> Result<()> {
    if path.is_dir() {
        for entry in fs::read_dir(path)? {
            let inner = entry?.path();
            if inner.file_stem().is_none_or(|name| name != "tests") {
                read(&inner, used)?;
            }
        }
    } else if path.extension().is_some_and(|extension| extension == "rs") {
        let text = fs::read_to_string(path)?;
        // Tests may use what they like.
        let code = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
        let code: String =
            code.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n");
        for (at, prefix) in code.match_indices("crate::") {
            used.extend(named(&code[at + prefix.len()..]));
        }
    }
    Ok(())
}

/// The first names of what follows `crate::`: one, or several in braces.
fn named(text: &str) -> Vec<String> {
    let word = |text: &str| text.chars().take_while(|c| *c == '_' || c.is_alphanumeric()).collect::<String>();
    let Some(list) = text.strip_prefix('{') else { return vec![word(text)] };
    let mut names = vec![word(list.trim_start())];
    let mut depth = 0;
    for (at, character) in list.char_indices() {
        match character {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => names.push(word(list[at + 1..].trim_start())),
            _ => {}
        }
    }
    names.retain(|name| !name.is_empty());
    names
}

/// The largest sets of modules of which each one reaches each other one.
fn circles(uses: &Uses) -> Vec<Vec<String>> {
    let reached: BTreeMap<&String, BTreeSet<&String>> =
        uses.keys().map(|module| (module, reached(uses, module))).collect();
    let mut circles: BTreeSet<Vec<String>> = BTreeSet::new();
    for (module, targets) in &reached {
        if targets.contains(module) {
            let circle = targets.iter().filter(|target| reached[**target].contains(module));
            circles.insert(circle.map(|target| (*target).clone()).collect());
        }
    }
    circles.into_iter().collect()
}

/// What a module uses, and what that uses, and so on.
fn reached<'a>(uses: &'a Uses, module: &str) -> BTreeSet<&'a String> {
    let mut reached = BTreeSet::new();
    let mut pending: Vec<&String> = uses[module].iter().collect();
    while let Some(next) = pending.pop() {
        if reached.insert(next) {
            pending.extend(&uses[next]);
        }
    }
    reached
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_after_a_crate() {
        assert_eq!(named("types::Ty;"), ["types"]);
        assert_eq!(named("{\n    a::{b, c},\n    d,\n    e::F,\n};"), ["a", "d", "e"]);
    }

    #[test]
    fn circles_are_largest_sets_that_reach_each_other() {
        let uses = [("a", "b"), ("b", "c"), ("c", "a b"), ("d", "a"), ("e", "")];
        let set = |used: &str| used.split_whitespace().map(str::to_owned).collect();
        let uses: Uses = uses.iter().map(|(module, used)| ((*module).to_owned(), set(used))).collect();
        assert_eq!(circles(&uses), [["a", "b", "c"]]);
    }
}
