//! Checks the derivatives of many random programs: `cargo xtask random-programs --count N [--first SEED]`.

#![expect(clippy::print_stdout, reason = "a command talks to the person who runs it")]

use std::process::ExitCode;

use anyhow::Result;
use lexopt::prelude::*;
use test_support::random_source::random_source;
use whole_program_tests::random_programs::check_programs;

fn main() -> Result<ExitCode> {
    let (mut count, mut first) = (1_000, 0);
    let mut arguments = lexopt::Parser::from_env();
    while let Some(argument) = arguments.next()? {
        match argument {
            Long("count") => count = arguments.value()?.parse()?,
            Long("first") => first = arguments.value()?.parse()?,
            Long("print") => {
                println!("{}", random_source(arguments.value()?.parse()?).text);
                return Ok(ExitCode::SUCCESS);
            }
            _ => return Err(argument.unexpected().into()),
        }
    }
    let summary = check_programs(first, count, &|seed, wrong| println!("seed {seed}: {wrong}"));
    println!("{} programs checked, {} skipped, {} wrong", summary.checked, summary.skipped, summary.wrong.len());
    Ok(if summary.wrong.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(1) })
}
