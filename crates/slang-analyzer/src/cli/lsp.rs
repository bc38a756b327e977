//! `slang-analyzer lsp`: the language server.

use std::{ffi::OsString, process::ExitCode};

use clap::Args;

use crate::server;

/// Serve the language server protocol on standard input and output.
#[derive(Args)]
pub struct Arguments {
    /// What editors say of the transport (`--stdio`), which is the only one.
    #[arg(hide = true, trailing_var_arg = true, allow_hyphen_values = true)]
    _transport: Vec<OsString>,
}

pub fn main() -> ExitCode {
    server::run()
}
