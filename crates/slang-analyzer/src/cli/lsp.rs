//! `slang-analyzer lsp`: the language server.

use std::{ffi::OsString, process::ExitCode};

use clap::Args;

use crate::{platform, server};

/// Serve the language server protocol on standard input and output.
#[derive(Args)]
pub struct Arguments {
    /// What editors say of the transport (`--stdio`), which is the only one.
    #[arg(hide = true, trailing_var_arg = true, allow_hyphen_values = true)]
    _transport: Vec<OsString>,
}

pub fn main() -> ExitCode {
    match platform::block_on(async { server::serve(tokio::io::stdin(), tokio::io::stdout()).await }) {
        // As the protocol asks: 0 after `shutdown`, 1 without.
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            tracing::error!("cannot start: {error}");
            ExitCode::FAILURE
        }
    }
}
