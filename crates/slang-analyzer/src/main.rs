//! `slang-analyzer`: the language server and the command line.

use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: slang_analyzer::platform::allocator::Allocator = slang_analyzer::platform::allocator::Allocator;

fn main() -> ExitCode {
    slang_analyzer::log::start();
    slang_analyzer::cli::main(std::env::args_os().skip(1).collect())
}
