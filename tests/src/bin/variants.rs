//! Checks variants of programs: `cargo xtask variants --count N [--first SEED] [--files DIR]… [--workers N] [--engines cpp,wgsl]
//! [--save DIR]`.
//! Files without `--files` are the fixtures; `--save` writes the variants that fail, made small.

#![expect(clippy::print_stdout, reason = "a command talks to the person who runs it")]

use std::{num::NonZero, path::PathBuf, process::ExitCode};

use anyhow::{Context as _, Result};
use lexopt::prelude::*;
use whole_program_tests::{engines::Engine, mutations::slang_files, variants};

fn main() -> Result<ExitCode> {
    let (mut count, mut first) = (1_000, 0);
    let mut folders: Vec<PathBuf> = Vec::new();
    let mut engines = Vec::new();
    let mut save: Option<PathBuf> = None;
    let mut workers = std::thread::available_parallelism().map_or(1, NonZero::get);
    let mut arguments = lexopt::Parser::from_env();
    while let Some(argument) = arguments.next()? {
        match argument {
            Long("count") => count = arguments.value()?.parse()?,
            Long("first") => first = arguments.value()?.parse()?,
            Long("workers") => workers = arguments.value()?.parse()?,
            Long("files") => folders.push(arguments.value()?.into()),
            Long("engines") => {
                let names = arguments.value()?.string()?;
                let named = |name: &str| Engine::from_name(name).with_context(|| format!("unknown engine `{name}`"));
                engines = names.split(',').map(named).collect::<Result<Vec<_>>>()?;
            }
            Long("save") => save = Some(arguments.value()?.into()),
            _ => return Err(argument.unexpected().into()),
        }
    }
    let files = match folders.as_slice() {
        [] => variants::fixtures(),
        folders => folders.iter().flat_map(|folder| slang_files(folder)).collect(),
    };
    let summary = variants::check_variants(&files, first, count, workers, &engines);
    for wrong in &summary.wrong {
        println!("{}, variant {}: {}", wrong.file.display(), wrong.number, wrong.what);
        println!("  {}\n{}", wrong.transformations.join(", "), wrong.diff);
        if let Some(folder) = &save {
            std::fs::create_dir_all(folder)?;
            let stem = wrong.file.file_stem().unwrap_or_default().to_string_lossy();
            std::fs::write(folder.join(format!("{stem}_{}.slang", wrong.number)), &wrong.text)?;
        }
    }
    let applied: Vec<String> = summary.applied.iter().map(|(name, count)| format!("{name} {count}")).collect();
    println!("applied: {}", applied.join(", "));
    println!(
        "{} variants run, {} of them in other engines, {} more checked only, {} wrong",
        summary.run,
        summary.in_engines,
        summary.checked,
        summary.wrong.len()
    );
    Ok(if summary.wrong.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(1) })
}
