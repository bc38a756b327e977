//! Damages the Slang files of a folder and checks that the analyzer survives. `cargo xtask mutations` runs this.
//!
//! The checks run in a process of their own, which tells the number of each mutant before it begins: when it dies, by
//! itself or because a check takes too long, the mutant is kept and a new process goes on with the next.

#![expect(clippy::print_stdout, reason = "a program for the person who runs it")]

use std::{
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Command, ExitCode, Stdio},
    sync::mpsc::{RecvTimeoutError, channel},
    thread,
    time::Duration,
};

use lexopt::prelude::*;
use whole_program_tests::mutations::{Checker, LIMIT, Outcome, mutant, slang_files};

/// The stack of a program's first thread on most machines.
const STACK_SIZE: usize = 8 << 20;

/// Failures of one file after which the rest of its mutants is left out.
const MOST_FAILURES: usize = 20;

struct Arguments {
    files: PathBuf,
    count: usize,
    /// Files that are taken, evenly spread over all.
    limit: usize,
    seed: u64,
    /// Where failing mutants are kept.
    out: PathBuf,
    /// Check this file's mutants from `from` on, as the inner process.
    worker: Option<PathBuf>,
    from: usize,
}

fn main() -> ExitCode {
    let outcome = arguments().map_err(|error| error.to_string()).and_then(|arguments| match &arguments.worker {
        Some(file) => work(file, &arguments).map(|()| true),
        None => supervise(&arguments),
    });
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("mutations: {error}");
            ExitCode::from(2)
        }
    }
}

fn arguments() -> Result<Arguments, lexopt::Error> {
    let mut arguments = Arguments {
        files: PathBuf::new(),
        count: 1000,
        limit: usize::MAX,
        seed: 1,
        out: std::env::temp_dir().join("mutations"),
        worker: None,
        from: 0,
    };
    let mut parser = lexopt::Parser::from_env();
    while let Some(argument) = parser.next()? {
        match argument {
            Long("files") => arguments.files = parser.value()?.into(),
            Long("count") => arguments.count = parser.value()?.parse()?,
            Long("limit") => arguments.limit = parser.value()?.parse()?,
            Long("seed") => arguments.seed = parser.value()?.parse()?,
            Long("out") => arguments.out = parser.value()?.into(),
            Long("worker") => arguments.worker = Some(parser.value()?.into()),
            Long("from") => arguments.from = parser.value()?.parse()?,
            _ => return Err(argument.unexpected()),
        }
    }
    Ok(arguments)
}

/// The inner process: a line before each check, and one about each panic.
fn work(file: &Path, arguments: &Arguments) -> Result<(), String> {
    let text = read(file)?;
    std::panic::set_hook(Box::new(|panic| {
        println!("panic {}", panic.to_string().replace('\n', " "));
    }));
    let (file, seed, numbers) = (file.to_path_buf(), arguments.seed, arguments.from..arguments.count);
    let checks = move || {
        let mut checker = Checker::new(&file);
        for number in numbers {
            println!("{number}");
            if let Outcome::Done(time) = checker.check(&mutant(&text, seed, number))
                && time > LIMIT / 10
            {
                println!("slow {} ms", time.as_millis());
            }
        }
        println!("end");
    };
    let checks = thread::Builder::new().stack_size(STACK_SIZE).spawn(checks).map_err(|error| error.to_string())?;
    checks.join().map_err(|_| "the checks ended early".to_owned())
}

/// Runs workers over all files; whether nothing failed.
fn supervise(arguments: &Arguments) -> Result<bool, String> {
    let all = slang_files(&arguments.files);
    let step = all.len().div_ceil(arguments.limit.min(all.len()).max(1)).max(1);
    std::fs::create_dir_all(&arguments.out).map_err(|error| error.to_string())?;
    let mut failures = 0;
    for file in all.iter().step_by(step) {
        failures += supervise_file(file, arguments)?;
    }
    println!("{failures} failures");
    Ok(failures == 0)
}

fn supervise_file(file: &Path, arguments: &Arguments) -> Result<usize, String> {
    let text = read(file)?;
    let (mut from, mut failures) = (0, 0);
    while from < arguments.count && failures < MOST_FAILURES {
        let mut worker = start_worker(file, from, arguments)?;
        let output = worker.stdout.take().ok_or("the worker has no output")?;
        let (sender, lines) = channel();
        let reader = thread::spawn(move || {
            let _ = BufReader::new(output).lines().map_while(Result::ok).try_for_each(|line| sender.send(line));
        });
        let mut current = from;
        let ending = loop {
            // The first check makes the database, too.
            match lines.recv_timeout(LIMIT + Duration::from_secs(2)) {
                Ok(line) if line == "end" => break None,
                Ok(line) => match line.parse() {
                    Ok(number) => current = number,
                    Err(_) => {
                        failures += usize::from(!line.starts_with("slow"));
                        keep(file, &mutant(&text, arguments.seed, current), current, &line, &arguments.out)?;
                    }
                },
                Err(RecvTimeoutError::Timeout) => break Some("hangs"),
                Err(RecvTimeoutError::Disconnected) => break Some("dies"),
            }
        };
        let _ = worker.kill();
        let _ = worker.wait();
        let _ = reader.join();
        let Some(what) = ending else { break };
        failures += 1;
        keep(file, &mutant(&text, arguments.seed, current), current, what, &arguments.out)?;
        from = current + 1;
    }
    Ok(failures)
}

fn start_worker(file: &Path, from: usize, arguments: &Arguments) -> Result<std::process::Child, String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut command = Command::new(program);
    command.arg("--worker").arg(file);
    for (option, value) in
        [("--from", from.to_string()), ("--count", arguments.count.to_string()), ("--seed", arguments.seed.to_string())]
    {
        command.args([option, &value]);
    }
    command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().map_err(|error| error.to_string())
}

/// Says what happened, and writes the mutant to where it can be tried again.
fn keep(file: &Path, mutant: &str, number: usize, what: &str, out: &Path) -> Result<(), String> {
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    let kept = out.join(format!("{stem}-{number}.slang"));
    std::fs::write(&kept, mutant).map_err(|error| error.to_string())?;
    println!("{} mutant {number}: {what} ({})", file.display(), kept.display());
    std::io::stdout().flush().map_err(|error| error.to_string())
}

fn read(file: &Path) -> Result<String, String> {
    let bytes = std::fs::read(file).map_err(|error| format!("{}: {error}", file.display()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
