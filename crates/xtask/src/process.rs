//! Running other programs.

use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
    process::Command,
    time::Instant,
};

use anyhow::{Context, Result, ensure};

/// The top of the checkout.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap_or(Path::new(".")).to_path_buf()
}

/// `program` with `arguments`, to be run at the top of the checkout.
pub(crate) fn command<A: AsRef<OsStr>>(program: impl AsRef<OsStr>, arguments: impl IntoIterator<Item = A>) -> Command {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(root());
    command
}

pub(crate) fn cargo<'a>(arguments: impl IntoIterator<Item = &'a str>) -> Command {
    command(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()), arguments)
}

/// Runs it and fails if it does. Says how long it took, since all of it has to end within the time that CI has.
pub(crate) fn check(command: &mut Command) -> Result<()> {
    eprintln!("$ {}", describe(command));
    let start = Instant::now();
    let status = command.status().with_context(|| format!("cannot run {}", describe(command)))?;
    ensure!(status.success(), "{} failed: {status}", describe(command));
    eprintln!("  {} s", start.elapsed().as_secs());
    Ok(())
}

/// Whether a program is on the path.
pub(crate) fn is_installed(program: &str) -> bool {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&paths).any(|folder| folder.join(program).is_file())
}

fn describe(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
}
