//! What the commands about the derivatives of functions share: a file, functions in it, and a report of lines.

use std::{ffi::OsString, path::PathBuf, process::ExitCode};

use lexopt::prelude::*;

use super::{
    compile::{self, Compiled, Failure, Roots},
    project::ProjectOptions,
    report::{self, Format},
    usage_error,
};

/// `FILE [--function NAME]… [--format human|json] [-I DIR]… [-D NAME[=VALUE]]…`
pub struct Arguments {
    pub file: PathBuf,
    pub functions: Vec<String>,
    pub format: Format,
    pub options: ProjectOptions,
}

/// What a command says.
pub struct Report {
    pub lines: Vec<String>,
    /// The exit status.
    pub status: u8,
}

impl Arguments {
    /// Reads the arguments of `command`. `own` takes the options that only this command has and says whether it knows one.
    pub fn parse(
        command: &str,
        arguments: Vec<OsString>,
        mut own: impl FnMut(&str, &mut lexopt::Parser) -> Result<bool, lexopt::Error>,
    ) -> Result<Arguments, lexopt::Error> {
        let mut file = None;
        let mut functions = Vec::new();
        let (mut format, mut options) = (Format::default(), ProjectOptions::default());
        let mut parser = lexopt::Parser::from_args(arguments);
        while let Some(argument) = parser.next()? {
            match argument {
                Short('I') => options.search_roots.push(parser.value()?.into()),
                Short('D') => options.define(parser.value()?),
                Long("function") => functions.push(parser.value()?.string()?),
                Long("format") => format = parser.value()?.parse()?,
                Value(path) if file.is_none() => file = Some(PathBuf::from(path)),
                Long(name) => {
                    let name = name.to_owned();
                    if !own(&name, &mut parser)? {
                        return Err(Long(&name).unexpected());
                    }
                }
                _ => return Err(argument.unexpected()),
            }
        }
        Ok(Arguments { file: file.ok_or_else(|| format!("{command}: name a file"))?, functions, format, options })
    }

    /// Lowers the named functions.
    pub fn lower(&self) -> Result<Compiled, Failure> {
        compile::lower(&self.file, &self.options, &Roots::Functions(self.functions.clone()), &[])
    }
}

/// Runs a command with what was read from the command line, and prints its report.
pub fn run<A: Send>(
    arguments: Result<A, lexopt::Error>,
    command: impl FnOnce(A) -> Result<Report, Failure> + Send,
) -> ExitCode {
    let arguments = match arguments {
        Ok(arguments) => arguments,
        Err(error) => return usage_error(&error.to_string()),
    };
    match compile::with_large_stack(move || command(arguments)) {
        Ok(Report { lines, status }) => {
            lines.iter().for_each(|line| report::line(line));
            ExitCode::from(status)
        }
        Err(failure) => failure.exit(),
    }
}
