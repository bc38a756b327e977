//! `slang-analyzer`: the language server and the command line.

use std::process::ExitCode;

/// Trees and tables are many small pieces: a sixth of a compilation is the system's allocator.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    slang_analyzer::log::start();
    slang_analyzer::cli::main(std::env::args_os().skip(1).collect())
}
