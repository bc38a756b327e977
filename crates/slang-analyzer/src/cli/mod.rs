//! The command line. Each command is a module with its arguments and a `main` function that takes them.
//!
//! What a command makes (code, results, a report) goes to standard output, all that it has to say about the program to
//! standard error; for `check` the diagnostics are what it makes. [`status::Status`] is the table of exit statuses.

pub mod arguments;
pub mod binding;
pub mod check;
pub mod compile;
pub mod completions;
pub mod cost;
pub mod emit;
pub mod explain;
pub mod functions;
pub mod gradcheck;
pub mod ir;
pub mod jacobian;
mod junit;
pub mod line_diff;
pub mod lsp;
pub mod nan;
pub mod progress;
pub mod project;
pub mod reflection;
pub mod report;
pub mod residuals;
pub mod run;
pub mod sampling;
pub mod signature;
pub mod status;
pub mod values;

use std::{ffi::OsString, process::ExitCode};

use clap::{CommandFactory as _, Parser, Subcommand};

use self::status::Status;
use crate::compiler_flags::as_own_options;

/// The compiler and language server for differentiable Slang.
#[derive(Parser)]
#[command(
    name = "slang-analyzer",
    version,
    after_help = "Without a command it is the language server. `slang-analyzer help COMMAND` shows a command with examples.",
    after_long_help = Status::table()
)]
struct CommandLine {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    Lsp(lsp::Arguments),
    Check(check::Arguments),
    Emit(emit::Arguments),
    Ir(ir::Arguments),
    Run(run::Arguments),
    Gradcheck(gradcheck::Arguments),
    Jacobian(jacobian::Arguments),
    Nan(nan::Arguments),
    Cost(cost::Arguments),
    Values(values::Arguments),
    Residuals(residuals::Arguments),
    Signature(signature::Arguments),
    Explain(explain::Arguments),
    Completions(completions::Arguments),
}

/// Runs the command of these arguments, the name of the program not among them.
pub fn main(arguments: Vec<OsString>) -> ExitCode {
    let named = std::iter::once(OsString::from("slang-analyzer")).chain(with_own_options(arguments));
    let command_line = match CommandLine::try_parse_from(named) {
        Ok(command_line) => command_line,
        Err(message) => {
            // Help that was asked for goes to standard output, what is wrong to standard error. A reader that went away
            // is not a reason to fail.
            let _ = message.print();
            return if message.use_stderr() { Status::Usage.into() } else { Status::Done.into() };
        }
    };
    match command_line.command {
        None => lsp::main(),
        Some(Command::Lsp(_)) => lsp::main(),
        Some(Command::Check(arguments)) => check::main(&arguments),
        Some(Command::Emit(arguments)) => emit::main(&arguments),
        Some(Command::Ir(arguments)) => ir::main(&arguments),
        Some(Command::Run(arguments)) => run::main(&arguments),
        Some(Command::Gradcheck(arguments)) => gradcheck::main(&arguments),
        Some(Command::Jacobian(arguments)) => jacobian::main(&arguments),
        Some(Command::Values(arguments)) => values::main(&arguments),
        Some(Command::Cost(arguments)) => cost::main(&arguments),
        Some(Command::Nan(arguments)) => nan::main(&arguments),
        Some(Command::Residuals(arguments)) => residuals::main(&arguments),
        Some(Command::Signature(arguments)) => signature::main(&arguments),
        Some(Command::Explain(arguments)) => explain::main(&arguments),
        Some(Command::Completions(arguments)) => completions::main(&arguments, CommandLine::command()),
    }
}

/// Commands that read files take slangc's options, too.
fn with_own_options(arguments: Vec<OsString>) -> Vec<OsString> {
    const COMMANDS: [&str; 10] =
        ["check", "emit", "ir", "run", "gradcheck", "jacobian", "nan", "cost", "values", "residuals"];
    let takes = arguments.first().is_some_and(|command| COMMANDS.iter().any(|name| command == name));
    if !takes {
        return arguments;
    }
    // A path that is no text is none of slangc's options.
    match arguments.iter().map(|word| word.to_str().map(str::to_owned)).collect() {
        Some(words) => as_own_options(words).into_iter().map(OsString::from).collect(),
        None => arguments,
    }
}

/// Says what is wrong with the use of a command.
pub fn usage_error(message: &str) -> ExitCode {
    eprintln!("error: {message}");
    Status::Usage.into()
}
