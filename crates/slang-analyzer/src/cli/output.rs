//! Standard output, for results: what could not be written is said once, when the command ends.

use std::{
    io::{ErrorKind, Result, Write as _},
    process::ExitCode,
    sync::Mutex,
};

use super::usage_error;

/// What went wrong first.
static FAILED: Mutex<Option<String>> = Mutex::new(None);

/// Writes bytes to standard output.
pub fn bytes(bytes: &[u8]) {
    keep(std::io::stdout().lock().write_all(bytes));
}

/// Writes a line to standard output.
pub fn line(text: &str) {
    keep(writeln!(std::io::stdout().lock(), "{text}"));
}

/// Keeps a failure for the end; a reader that went away is no failure.
pub fn keep(written: Result<()>) {
    let Err(error) = written else { return };
    let Ok(mut failed) = FAILED.lock() else { return };
    if error.kind() != ErrorKind::BrokenPipe && failed.is_none() {
        *failed = Some(error.to_string());
    }
}

/// The exit status of a command that would have been `status` if all its output had reached its reader.
pub fn finish(status: ExitCode) -> ExitCode {
    keep(std::io::stdout().lock().flush());
    let failed = FAILED.lock().ok().and_then(|mut failed| failed.take());
    match failed {
        Some(error) => usage_error(&format!("cannot write to standard output: {error}")),
        None => status,
    }
}
