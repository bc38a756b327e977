//! `slang-analyzer completions`: what a shell needs to complete commands and options.

use std::process::ExitCode;

use clap::Args;
use clap_complete::Shell;

use super::{output, status::Status};

/// Print the completions of a shell.
#[derive(Args)]
#[command(
    after_help = "Example:\n  slang-analyzer completions bash > ~/.local/share/bash-completion/completions/slang-analyzer"
)]
pub struct Arguments {
    #[arg(value_enum)]
    shell: Shell,
}

pub fn main(arguments: &Arguments, mut command: clap::Command) -> ExitCode {
    let name = command.get_name().to_owned();
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut command, name, &mut script);
    let script = String::from_utf8_lossy(&script);
    // For bash, clap_complete 4.6 takes the hyphen in the program's name for the beginning of a subcommand in one of two
    // places that have to agree.
    output::bytes(script.replace("slang__subcmd__analyzer", "slang__analyzer").as_bytes());
    Status::Done.into()
}
