//! Tries whether findings and gradients agree: `cargo run -p whole-program-tests --bin losses -- --count N [--first SEED]
//! [--workers N]`.

#![expect(clippy::print_stdout, reason = "a command talks to the person who runs it")]

use std::{num::NonZero, process::ExitCode};

use anyhow::Result;
use lexopt::prelude::*;
use whole_program_tests::losses::{check_places, sources};

fn main() -> Result<ExitCode> {
    let (mut count, mut first) = (1_000, 0);
    let mut workers = std::thread::available_parallelism().map_or(1, NonZero::get);
    let mut arguments = lexopt::Parser::from_env();
    while let Some(argument) = arguments.next()? {
        match argument {
            Long("count") => count = arguments.value()?.parse()?,
            Long("first") => first = arguments.value()?.parse()?,
            Long("workers") => workers = arguments.value()?.parse()?,
            _ => return Err(argument.unexpected().into()),
        }
    }
    let summary = check_places(&sources(), first, count, workers);
    for wrong in &summary.wrong {
        println!("{}, place {}, {}: {}\n{}", wrong.program, wrong.number, wrong.way, wrong.what, wrong.diff);
    }
    println!(
        "derivatives lost {} ({} by differences), marked {}, kept {}, without meaning {}; {} wrong",
        summary.lost,
        summary.by_differences,
        summary.marked,
        summary.kept,
        summary.inert,
        summary.wrong.len()
    );
    Ok(if summary.wrong.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(1) })
}
