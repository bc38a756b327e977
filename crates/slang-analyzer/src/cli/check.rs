//! `slang-analyzer check`: all that is wrong with files, the derivative code included; runs nothing.

use std::{path::PathBuf, process::ExitCode, sync::Arc};

use base_db::{SourceFile, parallel};
use clap::Args;
use hir_def::modules;
use ide::{
    diagnostics::{Code, Severity},
    inclusions::Headers,
    severities,
};
use rustc_hash::FxHashSet;

use super::{
    arguments::{ProjectArguments, ReportArguments},
    progress::ProgressBar,
    project::{CommandProject, expand, without_files},
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
  slang-analyzer check --severity E41804=error --severity E41810=off shaders
  slang-analyzer check renderer.slang -profile sm_6_6 -warnings-as-errors all    as slangc has it
  cat renderer.slang | slang-analyzer check -

Hints are in the JSON form alone. Settings of editors, `slangdconfig.json` among them, are not read: options say the \
same.")]
pub struct Arguments {
    /// Files, folders with their .slang files, `-` for standard input
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// What a warning or hint counts as: error, warning, info, hint or off; errors stay errors
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
    let mut is_misused = false;
    let mut misused = |message: &str| {
        is_misused = true;
        usage_error(message);
    };
    // A folder whose name is mistyped must not pass for one without errors.
    for folder in without_files(&arguments.paths, &paths) {
        misused(&format!("there are no Slang files in {}", folder.display()));
    }
    let (mut read, mut loaded) = (Vec::new(), Vec::new());
    for (path, file) in paths.iter().zip(project.load_all(&paths)) {
        match file {
            Ok(file) => {
                read.push(path);
                loaded.push(file);
            }
            Err(error) => misused(&error),
        }
    }
    // What a folder has only to be included is right or wrong there.
    let headers = Headers::new(&project.db);
    let is_checked = |path: &PathBuf, file| arguments.paths.contains(path) || !headers.is_header(&project.db, file);
    let mut files: Vec<SourceFile> =
        read.iter().zip(&loaded).filter(|(path, file)| is_checked(path, **file)).map(|(_, file)| *file).collect();
    // In a folder every file is looked at; a file with a name of its own is to be compiled.
    let named = read.iter().zip(&loaded).filter(|(path, _)| arguments.paths.contains(path));
    let compiled: Vec<SourceFile> = named.map(|(_, file)| *file).collect();
    // The parts of a module that is compiled are compiled with it.
    let mut seen: FxHashSet<SourceFile> = files.iter().copied().collect();
    for &file in &compiled {
        let module = modules::module_view(&project.db, file);
        let parts = module.files.iter().filter(|_| module.root == file);
        files.extend(parts.copied().filter(|part| seen.insert(*part)));
    }
    let mut severities = Arc::default();
    project.flags.add_to(&mut severities);
    Arc::make_mut(&mut severities).0.extend(arguments.severities.iter().copied());
    let mut reporter = Reporter::on_output(arguments.report);
    let mut progress = ProgressBar::new("checking", files.len());
    let mut failed = false;
    // In parts, so that what is found is shown and not kept.
    for part in files.chunks(FILES_AT_ONCE) {
        // Many files are looked at side by side, of one its parts.
        if let [file] = part {
            ide::diagnostics::find(&project.db, *file);
        }
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
    match (is_misused, failed) {
        (true, _) => Status::Usage.into(),
        (false, true) => Status::Errors.into(),
        (false, false) => Status::Done.into(),
    }
}

fn severity(text: &str) -> Result<(Code, Option<Severity>), String> {
    let (code, level) = text.split_once('=').ok_or("a code and a severity are needed, as in E41804=error")?;
    let (code, level) = (severities::code(code)?, severities::level(level)?);
    let is_error = diagnostics::entry(code).is_some_and(|entry| entry.severity == Severity::Error);
    match is_error && level != Some(Severity::Error) {
        true => Err(format!("{code} is an error and stays one")),
        false => Ok((code, level)),
    }
}
