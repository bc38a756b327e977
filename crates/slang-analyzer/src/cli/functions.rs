//! What the commands about the derivatives of functions share: a file, functions in it, and a report of lines.

use std::{path::PathBuf, process::ExitCode};

use clap::Args;
use ide::{driver::Program, function_instances::Skipped};

use super::{
    arguments::{Format, ProjectArguments, ReportArguments},
    compile::{self, Failure, Roots},
    output,
    project::CommandProject,
    status::Status,
};

#[derive(Args)]
pub struct FunctionArguments {
    /// The file, `-` for standard input
    pub file: PathBuf,
    /// A function (`f`), a method (`Type.method`), an instance of a generic one (`cholesky<4>`, `Mlp<16>.eval`), what
    /// each conforming type does for a requirement (`IFoo.eval`), or a derivative (`bwd_diff(f)`)
    #[arg(long = "function", value_name = "NAME")]
    pub functions: Vec<String>,
    #[command(flatten)]
    pub report: ReportArguments,
    #[command(flatten)]
    pub project: ProjectArguments,
}

/// What a command says.
pub struct Report {
    pub lines: Vec<String>,
    pub status: Status,
}

impl FunctionArguments {
    /// Lowers the named functions.
    pub fn lower(&self) -> Result<(CommandProject, Program), Failure> {
        compile::lower(&self.file, &self.project, self.report, Roots::Functions(&self.functions), &[], None)
    }
}

/// Runs a command and prints its report, or, in the format that was asked for, why there is none.
pub fn run(format: Format, command: impl FnOnce() -> Result<Report, Failure> + Send) -> ExitCode {
    match compile::with_large_stack(command) {
        Ok(Report { lines, status }) => {
            lines.iter().for_each(|line| output::line(line));
            status.into()
        }
        Err(failure) => failure.exit(format),
    }
}

/// The outcome of each function, in the format that was asked for: in JSON, a line each.
pub fn lines<T>(
    format: Format,
    outcomes: &[T],
    human: impl Fn(&T, &mut Vec<String>),
    json: impl Fn(&T) -> String,
) -> Vec<String> {
    let mut lines = Vec::new();
    for outcome in outcomes {
        match format {
            Format::Human => human(outcome, &mut lines),
            Format::Json => lines.push(json(outcome)),
        }
    }
    lines
}

/// A number in JSON, which has no form for infinities and NaN: these are the texts `inf`, `-inf` and `NaN`.
pub fn json_number(number: f64) -> serde_json::Value {
    match number.is_finite() {
        true => number.into(),
        false => number.to_string().into(),
    }
}

/// The same of a list of numbers.
pub fn json_numbers(numbers: &[f64]) -> serde_json::Value {
    numbers.iter().copied().map(json_number).collect()
}

/// The functions that a command leaves out, with why.
pub fn skipped_lines(
    format: Format,
    skipped: &[Skipped],
    json: impl Fn(&Skipped) -> serde_json::Value,
) -> impl Iterator<Item = String> {
    skipped.iter().map(move |skipped| match format {
        Format::Human => format!("{}: skipped ({})", skipped.name, skipped.reason),
        Format::Json => json(skipped).to_string(),
    })
}
