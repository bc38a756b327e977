//! `slang-analyzer`: the language server and the command line.

use std::process::ExitCode;

fn main() -> ExitCode {
    slang_analyzer::cli::main(std::env::args_os().skip(1).collect())
}
