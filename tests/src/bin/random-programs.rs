//! Checks the derivatives of many random programs: `cargo xtask random-programs --count N [--first SEED]
//! [--workers N] [--slangc PATH]`; `--print SEED` shows a program, and `--engines interp,cpp,wgsl` runs them in several
//! engines instead, `--turns` as CI does, `--memory` with shared memory, buffers of structs and groups of
//! threads. `--reduce SEED` makes a program that fails in one of these ways small,
//! `--coverage` tells how many programs reach each operation, rule and construct.

#![expect(clippy::print_stdout, reason = "a command talks to the person who runs it")]

use std::{num::NonZero, path::PathBuf, process::ExitCode};

use anyhow::{Context, Result};
use lexopt::prelude::*;
use test_support::random_source::{SourceProgram, random_source};
use whole_program_tests::{
    engines::{Depth, Engine, Program, compare},
    random_kernels::{Progress, compare_programs, kernel, kernel_with_memory},
    random_programs::{Front, check_programs},
    reduce::reduce,
    slangc,
};

/// What makes a program for the engines of a random one.
type Make = fn(u64, SourceProgram) -> Program;

fn main() -> Result<ExitCode> {
    let (mut count, mut first, mut slangc) = (1_000, 0, None);
    let (mut engines, mut reduced, mut shows_coverage, mut depth) = (None, None, false, Depth::All);
    let mut make: Make = kernel;
    let mut workers = std::thread::available_parallelism().map_or(1, NonZero::get);
    let mut arguments = lexopt::Parser::from_env();
    while let Some(argument) = arguments.next()? {
        match argument {
            Long("count") => count = arguments.value()?.parse()?,
            Long("first") => first = arguments.value()?.parse()?,
            Long("workers") => workers = arguments.value()?.parse()?,
            Long("slangc") => slangc = Some(PathBuf::from(arguments.value()?)),
            Long("engines") => {
                let names = arguments.value()?.string()?;
                let named = |name: &str| Engine::from_name(name).with_context(|| format!("unknown engine `{name}`"));
                engines = Some(names.split(',').map(named).collect::<Result<Vec<_>>>()?);
            }
            Long("turns") => depth = Depth::Turns,
            Long("memory") => make = kernel_with_memory,
            Long("coverage") => shows_coverage = true,
            Long("reduce") => reduced = Some(arguments.value()?.parse()?),
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
    if let Some(seed) = reduced {
        return Ok(reduce_program(make, seed, engines.as_deref()));
    }
    if let Some(engines) = engines {
        return Ok(compare_in_engines(make, first, count, &engines, depth, workers));
    }
    let summary = check_programs(first, count, workers, &|seed, wrong| println!("seed {seed}: {wrong}"));
    if shows_coverage {
        println!("{}", summary.coverage.table());
    }
    println!("{} programs checked, {} skipped, {} wrong", summary.checked, summary.skipped, summary.wrong.len());
    Ok(if summary.wrong.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

/// Tells what is wrong as soon as it is known, and which seeds are done, so that a run that was ended can go on.
fn compare_in_engines(
    make: Make,
    first: u64,
    count: u64,
    engines: &[Engine],
    depth: Depth,
    workers: usize,
) -> ExitCode {
    let comparison = compare_programs(make, first, count, engines, depth, workers, &|progress| match progress {
        Progress::Wrong { program, what } => println!("{}: {what}", program.name),
        Progress::Done { seeds, comparison } => {
            let found = comparison.disagreements.len();
            println!("seeds {} to {} are done: {found} disagreements", seeds.start, seeds.end - 1);
        }
    });
    println!(
        "{} programs compared, {} disagreements, {} differences explained by the program's condition",
        comparison.compared,
        comparison.disagreements.len(),
        comparison.explained
    );
    if comparison.disagreements.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(1) }
}

/// Prints the smallest program that fails like the one of a seed.
fn reduce_program(make: Make, seed: u64, engines: Option<&[Engine]>) -> ExitCode {
    let program = random_source(seed);
    let mut front = Front::new();
    let reduced = reduce(&program, seed, |program| match engines {
        None => front.checked(seed, program).err(),
        Some(engines) => {
            let comparison = compare(&[make(seed, program.clone())], engines, Depth::All);
            comparison.disagreements.first().map(ToString::to_string)
        }
    });
    match reduced {
        Some((program, wrong)) => {
            println!("// {wrong}\n{}", program.text);
            ExitCode::SUCCESS
        }
        None => {
            println!("nothing is wrong with the program of seed {seed}");
            ExitCode::from(1)
        }
    }
}
