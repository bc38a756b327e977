//! How the cost of checking and compiling grows with a program: instructions for sizes n, 2n and 4n of each axis, and the
//! exponent that fits them.
//!
//! Instructions are counted by valgrind, so that figures hold on a busy machine and are nearly the same in each run. What
//! every run costs is no part of the fit: it is made of the differences between the sizes.

use std::{
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use anyhow::{Context, Result, ensure};
use test_support::scaling::{self, Axis, Compiled};

use crate::process::is_installed;

/// What is still linear: hash tables and sorted lists grow a little faster.
const LIMIT: f64 = 1.1;

/// What little work may grow as it likes: the fit of small numbers says nothing.
const NEGLIGIBLE: f64 = 2e6;

#[derive(Default)]
pub(super) struct Options {
    /// Words that a line of the table must have, any of them; all lines if there are none.
    pub(super) axes: Vec<String>,
    /// The sizes of axes are multiplied by this.
    pub(super) times: usize,
    /// A server that is built already.
    pub(super) binary: Option<PathBuf>,
    /// Where the programs are written instead of measured.
    pub(super) write: Option<PathBuf>,
}

/// One line of the table.
struct Case {
    axis: &'static Axis,
    what: &'static str,
    /// What the command is given after the file.
    arguments: &'static [&'static str],
    command: &'static str,
}

/// How a case went.
struct Growth {
    sizes: [usize; 3],
    /// Instructions for each of the sizes.
    counts: [f64; 3],
    /// The command said that it cannot do it.
    refused: bool,
}

pub(super) fn run(options: Options) -> Result<()> {
    let times = options.times.max(1);
    if let Some(folder) = &options.write {
        return write_all(&options.axes, times, folder);
    }
    ensure!(is_installed("valgrind"), "valgrind counts the instructions and is not installed");
    let binary = match options.binary {
        Some(path) => std::path::absolute(path)?,
        None => super::release_build()?,
    };
    let mut cases = Vec::new();
    for axis in scaling::axes() {
        cases.extend(cases_of(axis));
    }
    cases.retain(|case| is_wanted(&options.axes, &case.line()));
    let folder = std::env::temp_dir().join(format!("slang-analyzer-scaling-{}", std::process::id()));
    let results = measure_all(&cases, times, &binary, &folder);
    // What is left behind in the temporary folder harms nobody.
    let _ = std::fs::remove_dir_all(&folder);
    print(&cases, results)
}

fn is_wanted(words: &[String], line: &str) -> bool {
    words.is_empty() || words.iter().any(|words| line.contains(words.as_str()))
}

/// The programs of each axis in a folder of its name and one of their size: for a profiler.
fn write_all(words: &[String], times: usize, folder: &Path) -> Result<()> {
    for axis in scaling::axes().filter(|axis| is_wanted(words, axis.name)) {
        for size in sizes(axis, times) {
            write_program(axis, size, &folder.join(axis.name.replace(' ', "-")).join(size.to_string()))?;
        }
    }
    Ok(())
}

fn sizes(axis: &Axis, times: usize) -> [usize; 3] {
    [1, 2, 4].map(|factor| axis.size * times * factor)
}

/// Writes the files of an axis; the name of the first.
fn write_program(axis: &Axis, size: usize, folder: &Path) -> Result<String> {
    std::fs::create_dir_all(folder)?;
    let files = axis.files(size);
    for (name, text) in &files {
        std::fs::write(folder.join(name), text)?;
    }
    Ok(files.into_iter().next().map(|(name, _)| name).unwrap_or_default())
}

fn cases_of(axis: &'static Axis) -> Vec<Case> {
    const TO_CODE: &[&str] = &["--target", "cpp", "--function", "entry"];
    const TO_DERIVATIVE: &[&str] = &["--target", "cpp", "--function", "bwd_diff(entry)"];
    let mut cases = vec![Case { axis, what: "check", arguments: &[], command: "check" }];
    if axis.compiled != Compiled::Nothing {
        cases.push(Case { axis, what: "emit", arguments: TO_CODE, command: "emit" });
    }
    if axis.compiled == Compiled::Derivative {
        cases.push(Case { axis, what: "emit bwd_diff", arguments: TO_DERIVATIVE, command: "emit" });
    }
    cases
}

impl Case {
    fn line(&self) -> String {
        format!("{}: {}", self.what, self.axis.name)
    }
}

impl Growth {
    /// The `k` of `a + b·nᵏ`.
    fn exponent(&self) -> f64 {
        let [small, middle, large] = self.counts;
        ((large - middle) / (middle - small)).log2()
    }

    fn is_superlinear(&self) -> bool {
        self.counts[2] - self.counts[0] > NEGLIGIBLE && self.exponent() > LIMIT
    }
}

/// Each processor takes the next case that is not measured yet.
fn measure_all(cases: &[Case], times: usize, binary: &Path, folder: &Path) -> Vec<Result<Growth>> {
    let next = AtomicUsize::new(0);
    let results: Mutex<Vec<(usize, Result<Growth>)>> = Mutex::default();
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(case) = cases.get(index) else { break };
                    let result = measure(case, times, binary, &folder.join(index.to_string()));
                    eprintln!("{}", case.line());
                    if let Ok(mut results) = results.lock() {
                        results.push((index, result));
                    }
                }
            });
        }
    });
    let mut results = results.into_inner().unwrap_or_default();
    results.sort_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}

fn measure(case: &Case, times: usize, binary: &Path, folder: &Path) -> Result<Growth> {
    let sizes = sizes(case.axis, times);
    let mut growth = Growth { sizes, counts: [0.0; 3], refused: false };
    for (size, count) in sizes.into_iter().zip(&mut growth.counts) {
        let folder = folder.join(size.to_string());
        let main = write_program(case.axis, size, &folder)?;
        let (instructions, status) = count_instructions(case, binary, &folder, &main)?;
        *count = instructions;
        growth.refused |= status == Some(1) && case.command == "emit";
        ensure!(matches!(status, Some(0 | 1)), "{} at {size}: ended with {status:?}", case.line());
    }
    Ok(growth)
}

/// The number of instructions that the command takes, and its exit status.
fn count_instructions(case: &Case, binary: &Path, folder: &Path, main: &str) -> Result<(f64, Option<i32>)> {
    let counts = folder.join("counts");
    let output = Command::new("valgrind")
        .args(["--tool=cachegrind", "--cache-sim=no"])
        .arg(format!("--cachegrind-out-file={}", counts.display()))
        .arg(binary)
        .args([case.command, main])
        .args(case.arguments)
        .current_dir(folder)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .context("cannot run valgrind")?;
    let text = std::fs::read_to_string(&counts).with_context(|| format!("{}: no counts", case.line()))?;
    let total = text.lines().find_map(|line| line.strip_prefix("summary: "));
    let total = total.with_context(|| format!("{}: no total in what valgrind wrote", case.line()))?;
    Ok((total.trim().parse()?, output.code()))
}

fn print(cases: &[Case], results: Vec<Result<Growth>>) -> Result<()> {
    println!("{:<66}{:>8}{:>10}{:>10}{:>10}{:>10}", "millions of instructions", "n", "n", "2n", "4n", "exponent");
    let mut superlinear = 0;
    for (case, result) in cases.iter().zip(results) {
        let growth = match result {
            Ok(growth) => growth,
            Err(error) => {
                println!("{:<66}{error:#}", case.line());
                superlinear += 1;
                continue;
            }
        };
        let [small, middle, large] = growth.counts.map(|count| count / 1e6);
        let remark = match (growth.is_superlinear(), growth.refused) {
            (true, true) => "  superlinear, refused",
            (true, false) => "  superlinear",
            (false, true) => "  refused",
            (false, false) => "",
        };
        superlinear += usize::from(growth.is_superlinear());
        println!(
            "{:<66}{:>8}{small:>10.1}{middle:>10.1}{large:>10.1}{:>10.2}{remark}",
            case.line(),
            growth.sizes[0],
            growth.exponent()
        );
    }
    println!("{} of {} are not linear: their exponent is above {LIMIT}", superlinear, cases.len());
    Ok(())
}
