//! `slang-analyzer check`: all that is wrong with files, the derivative code included; runs nothing.

use std::{ffi::OsString, path::PathBuf, process::ExitCode};

use lexopt::prelude::*;

use super::{
    project::{CommandProject, ProjectOptions, expand},
    report::{self, Format},
    usage_error,
};

struct Arguments {
    paths: Vec<PathBuf>,
    options: ProjectOptions,
    format: Format,
}

pub fn main(arguments: Vec<OsString>) -> ExitCode {
    let arguments = match parse(arguments) {
        Ok(arguments) => arguments,
        Err(error) => return usage_error(&error.to_string()),
    };
    if arguments.paths.is_empty() {
        return usage_error("check: name at least one file or folder");
    }
    let mut project = CommandProject::new(&arguments.options);
    let mut files = Vec::new();
    for path in expand(&arguments.paths) {
        match project.load(&path) {
            Ok(file) => files.push(file),
            Err(error) => return usage_error(&error),
        }
    }
    let mut failed = false;
    for file in files {
        let mut diagnostics = ide::diagnostics::diagnostics(&project.db, file);
        diagnostics.extend(ide::import_failures::import_failures(&project.db, file));
        failed |= report::has_errors(&diagnostics);
        report::report(&project.db, &diagnostics, arguments.format);
    }
    if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

fn parse(arguments: Vec<OsString>) -> Result<Arguments, lexopt::Error> {
    let mut parsed = Arguments { paths: Vec::new(), options: ProjectOptions::default(), format: Format::default() };
    let mut parser = lexopt::Parser::from_args(arguments);
    while let Some(argument) = parser.next()? {
        match argument {
            Short('I') => parsed.options.search_roots.push(parser.value()?.into()),
            Short('D') => parsed.options.define(parser.value()?),
            Long("format") => parsed.format = parser.value()?.parse()?,
            Value(path) => parsed.paths.push(path.into()),
            _ => return Err(argument.unexpected()),
        }
    }
    Ok(parsed)
}
