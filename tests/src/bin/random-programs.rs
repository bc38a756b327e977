//! Checks the derivatives of many random programs: `cargo xtask random-programs --count N [--first SEED]
//! [--workers N] [--slangc PATH]`; `--print SEED` shows a program.

#![expect(clippy::print_stdout, reason = "a command talks to the person who runs it")]

use std::{num::NonZero, path::PathBuf, process::ExitCode};

use anyhow::Result;
use lexopt::prelude::*;
use test_support::random_source::random_source;
use whole_program_tests::{random_programs::check_programs, slangc};

fn main() -> Result<ExitCode> {
    let (mut count, mut first, mut slangc) = (1_000, 0, None);
    let mut workers = std::thread::available_parallelism().map_or(1, NonZero::get);
    let mut arguments = lexopt::Parser::from_env();
    while let Some(argument) = arguments.next()? {
        match argument {
            Long("count") => count = arguments.value()?.parse()?,
            Long("first") => first = arguments.value()?.parse()?,
            Long("workers") => workers = arguments.value()?.parse()?,
            Long("slangc") => slangc = Some(PathBuf::from(arguments.value()?)),
            Long("print") => {
                println!("{}", random_source(arguments.value()?.parse()?).text);
                return Ok(ExitCode::SUCCESS);
            }
            _ => return Err(argument.unexpected().into()),
        }
    }
    if let Some(slangc) = slangc {
        let comparison = slangc::compare(&slangc, first, count, &|seed, what| println!("seed {seed}: {what}"))?;
        println!(
            "{} programs compared, {} disagreements, {} not compiled by slangc",
            comparison.compared,
            comparison.disagreements.len(),
            comparison.rejected.len()
        );
        return Ok(ExitCode::SUCCESS);
    }
    let summary = check_programs(first, count, workers, &|seed, wrong| println!("seed {seed}: {wrong}"));
    println!("{} programs checked, {} skipped, {} wrong", summary.checked, summary.skipped, summary.wrong.len());
    Ok(if summary.wrong.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(1) })
}
