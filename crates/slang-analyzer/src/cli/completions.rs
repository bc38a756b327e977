//! `slang-analyzer completions`: what a shell needs to complete commands and options.

use std::process::ExitCode;

use clap::Args;
use clap_complete::Shell;

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
    clap_complete::generate(arguments.shell, &mut command, name, &mut std::io::stdout());
    ExitCode::SUCCESS
}
