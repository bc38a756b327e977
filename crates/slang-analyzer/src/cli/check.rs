//! `slang-analyzer check`: all that is wrong with files, the derivative code included; runs nothing.

use std::{path::PathBuf, process::ExitCode};

use clap::Args;
use ide::{
    diagnostics::{Code, Severity},
    severities::{self, Severities},
};

use super::{
    arguments::{ProjectArguments, ReportArguments},
    project::{CommandProject, expand},
    report::{Reporter, has_errors},
    status::Status,
    usage_error,
};

/// Report all that is wrong with files and folders, derivatives that are lost included.
#[derive(Args)]
#[command(after_help = "Examples:
  slang-analyzer check shaders
  slang-analyzer check renderer.slang -I modules -D QUALITY=2
  slang-analyzer check --format json renderer.slang
  slang-analyzer check --severity E41804=error --severity E40100=off shaders
  cat renderer.slang | slang-analyzer check -")]
pub struct Arguments {
    /// Files, folders with their .slang files, `-` for standard input
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// What a warning or hint counts as: error, warning, info, hint or off
    #[arg(long = "severity", value_name = "CODE=LEVEL", value_parser = severity)]
    severities: Vec<(Code, Option<Severity>)>,
    #[command(flatten)]
    project: ProjectArguments,
    #[command(flatten)]
    report: ReportArguments,
}

pub fn main(arguments: &Arguments) -> ExitCode {
    let mut project = CommandProject::new(&arguments.project);
    let mut files = Vec::new();
    for path in expand(&arguments.paths) {
        match project.load(&path) {
            Ok(file) => files.push(file),
            Err(error) => return usage_error(&error),
        }
    }
    let severities = Severities(arguments.severities.iter().copied().collect());
    let mut reporter = Reporter::on_output(arguments.report);
    let mut failed = false;
    for file in files {
        let mut diagnostics = ide::diagnostics::diagnostics(&project.db, file);
        diagnostics.extend(ide::import_failures::import_failures(&project.db, file));
        severities.apply(&mut diagnostics);
        failed |= has_errors(&diagnostics);
        reporter.report(&project.db, &diagnostics);
    }
    reporter.summary();
    if failed { Status::Errors.into() } else { Status::Done.into() }
}

fn severity(text: &str) -> Result<(Code, Option<Severity>), String> {
    let (code, level) = text.split_once('=').ok_or("a code and a severity are needed, as in E41804=error")?;
    Ok((severities::code(code)?, severities::level(level)?))
}
