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
pub mod output;
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

use std::{ffi::OsString, io::IsTerminal as _, process::ExitCode};

use clap::{CommandFactory as _, Parser, Subcommand};

use self::status::Status;
use crate::compiler_flags::as_own_options;

const WITHOUT_COMMAND: &str =
    "Without a command it is the language server. `slang-analyzer help COMMAND` shows a command with examples.";

/// The compiler and language server for differentiable Slang.
#[derive(Parser)]
#[command(
    name = "slang-analyzer",
    version,
    after_help = WITHOUT_COMMAND,
    after_long_help = format!("{WITHOUT_COMMAND}\n\n{}", Status::table())
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
    let arguments = match with_own_options(arguments) {
        Ok(arguments) => arguments,
        Err(message) => return usage_error(&message),
    };
    let named = std::iter::once(OsString::from("slang-analyzer")).chain(arguments);
    let command = match CommandLine::try_parse_from(named) {
        Ok(command_line) => command_line.command,
        Err(message) => {
            // Help that was asked for goes to standard output, what is wrong to standard error.
            let printed = message.print();
            if message.use_stderr() {
                return Status::Usage.into();
            }
            output::keep(printed);
            return output::finish(Status::Done.into());
        }
    };
    match command {
        None => {
            if std::io::stdin().is_terminal() {
                eprintln!("serving the language server protocol; `slang-analyzer --help` lists what else there is");
            }
            lsp::main()
        }
        Some(Command::Lsp(_)) => lsp::main(),
        Some(command) => output::finish(run_command(command)),
    }
}

fn run_command(command: Command) -> ExitCode {
    match command {
        Command::Lsp(_) => lsp::main(),
        Command::Check(arguments) => check::main(&arguments),
        Command::Emit(arguments) => emit::main(&arguments),
        Command::Ir(arguments) => ir::main(&arguments),
        Command::Run(arguments) => run::main(&arguments),
        Command::Gradcheck(arguments) => gradcheck::main(&arguments),
        Command::Jacobian(arguments) => jacobian::main(&arguments),
        Command::Values(arguments) => values::main(&arguments),
        Command::Cost(arguments) => cost::main(&arguments),
        Command::Nan(arguments) => nan::main(&arguments),
        Command::Residuals(arguments) => residuals::main(&arguments),
        Command::Signature(arguments) => signature::main(&arguments),
        Command::Explain(arguments) => explain::main(&arguments),
        Command::Completions(arguments) => completions::main(&arguments, CommandLine::command()),
    }
}

/// Commands that read files take slangc's options, too.
///
/// # Errors
/// If a word has the form of such an option, and is none that is known.
fn with_own_options(arguments: Vec<OsString>) -> Result<Vec<OsString>, String> {
    const COMMANDS: [&str; 11] =
        ["check", "emit", "ir", "run", "gradcheck", "jacobian", "nan", "cost", "values", "residuals", "signature"];
    let takes = arguments.first().is_some_and(|command| COMMANDS.iter().any(|name| command == name));
    if !takes {
        return Ok(arguments);
    }
    // A path that is no text is none of slangc's options.
    match arguments.iter().map(|word| word.to_str().map(str::to_owned)).collect() {
        Some(words) => Ok(as_own_options(words)?.into_iter().map(OsString::from).collect()),
        None => Ok(arguments),
    }
}

/// Says what is wrong with the use of a command.
pub fn usage_error(message: &str) -> ExitCode {
    eprintln!("error: {message}");
    Status::Usage.into()
}
