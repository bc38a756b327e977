//! `slang-analyzer check`: all that is wrong with files, the derivative code included; runs nothing.

use std::{path::PathBuf, process::ExitCode, sync::Arc};

use base_db::{SourceFile, parallel};
use clap::Args;
use ide::{
    diagnostics::{Code, Severity},
    inclusions::Headers,
    severities,
};

use super::{
    arguments::{ProjectArguments, ReportArguments},
    progress::ProgressBar,
    project::{CommandProject, expand},
    report::{Reporter, has_errors},
    status::Status,
    usage_error,
};

/// Files that are checked before what was found is reported.
const FILES_AT_ONCE: usize = 256;

/// Report all that is wrong with files and folders, derivatives that are lost included.
#[derive(Args)]
#[command(after_help = "Examples:
  slang-analyzer check shaders
  slang-analyzer check renderer.slang -I modules -D QUALITY=2
  slang-analyzer check --format json renderer.slang
  slang-analyzer check --severity E41804=error --severity E40100=off shaders
  slang-analyzer check renderer.slang -profile sm_6_6 -warnings-as-errors all    as slangc has it
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
    let mut project = match CommandProject::new(&arguments.project) {
        Ok(project) => project,
        Err(error) => return usage_error(&error),
    };
    let paths = expand(&arguments.paths);
    let loaded = match project.load_all(&paths) {
        Ok(files) => files,
        Err(error) => return usage_error(&error),
    };
    // What a folder has only to be included is right or wrong there.
    let headers = Headers::new(&project.db);
    let is_checked = |path: &PathBuf, file| arguments.paths.contains(path) || !headers.is_header(&project.db, file);
    let files: Vec<SourceFile> =
        paths.iter().zip(&loaded).filter(|(path, file)| is_checked(path, **file)).map(|(_, file)| *file).collect();
    // In a folder every file is looked at; a file with a name of its own is to be compiled.
    let named = paths.iter().zip(&loaded).filter(|(path, _)| arguments.paths.contains(path));
    let compiled: Vec<SourceFile> = named.map(|(_, file)| *file).collect();
    let mut severities = Arc::default();
    project.flags.add_to(&mut severities);
    Arc::make_mut(&mut severities).0.extend(arguments.severities.iter().copied());
    let mut reporter = Reporter::on_output(arguments.report);
    let mut progress = ProgressBar::new("checking", files.len());
    let mut failed = false;
    // In parts, so that what is found is shown and not kept.
    for part in files.chunks(FILES_AT_ONCE) {
        let found = parallel::map(&project.db, part, |db, file| {
            let mut diagnostics = ide::diagnostics::diagnostics(db, *file);
            diagnostics.extend(ide::import_failures::import_failures(db, *file));
            if compiled.contains(file) {
                diagnostics.extend(ide::lone_part::lone_part(db, *file, &compiled));
            }
            severities.apply(&mut diagnostics);
            progress.step();
            diagnostics
        });
        progress.hide();
        for diagnostics in found {
            failed |= has_errors(&diagnostics);
            reporter.report(&project.db, &diagnostics);
        }
    }
    reporter.summary();
    if failed { Status::Errors.into() } else { Status::Done.into() }
}

fn severity(text: &str) -> Result<(Code, Option<Severity>), String> {
    let (code, level) = text.split_once('=').ok_or("a code and a severity are needed, as in E41804=error")?;
    Ok((severities::code(code)?, severities::level(level)?))
}
