//! Programs that tests start: compilers, and what they make.

use std::{
    io,
    path::PathBuf,
    process::{Command, Output, Stdio},
    sync::atomic::{AtomicU64, Ordering},
    time::{Duration, Instant},
};

use anyhow::{Context, Result};

/// How long a compiler or a compiled program may run.
const PATIENCE: Duration = Duration::from_secs(120);

/// A folder for temporary files that goes away with it.
pub struct Scratch(pub PathBuf);

impl Scratch {
    /// # Panics
    /// If the folder for temporary files cannot be written.
    pub fn new(name: &str) -> Scratch {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("slang-analyzer-{name}-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("the folder for temporary files can be written");
        Scratch(folder)
    }

    pub fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// # Panics
    /// If the folder for temporary files cannot be written.
    pub fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.file(name);
        std::fs::write(&path, text).expect("the folder for temporary files can be written");
        path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Programs that are ended when they take too long: compilers that never end have held up tests.
pub trait Limited {
    /// What [`Command::output`] returns, with this on standard input.
    fn finished_on(&mut self, input: Stdio) -> io::Result<Output>;

    /// What [`Command::output`] returns, with nothing on standard input.
    fn finished(&mut self) -> io::Result<Output> {
        self.finished_on(Stdio::null())
    }
}

impl Limited for Command {
    fn finished_on(&mut self, input: Stdio) -> io::Result<Output> {
        // Through files, so that nothing waits for a full pipe.
        let scratch = Scratch::new("output");
        let (out, error) = (scratch.file("out"), scratch.file("err"));
        let (stdout, stderr) = (std::fs::File::create(&out)?, std::fs::File::create(&error)?);
        // What users start does not have the stacks of tests' threads.
        self.env_remove("RUST_MIN_STACK");
        let mut child = self.stdin(input).stdout(stdout).stderr(stderr).spawn()?;
        let started = Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait()? {
                break status;
            }
            if started.elapsed() > PATIENCE {
                child.kill()?;
                child.wait()?;
                let message = format!("it did not end within {} seconds", PATIENCE.as_secs());
                return Err(io::Error::new(io::ErrorKind::TimedOut, message));
            }
            std::thread::sleep(Duration::from_millis(2));
        };
        Ok(Output { status, stdout: std::fs::read(&out)?, stderr: std::fs::read(&error)? })
    }
}

/// Whether a program can be started.
pub fn is_there(program: &str) -> bool {
    Command::new(program).arg("--version").finished().is_ok()
}

/// Standard output, or why there is none: the first line with an error, or that it was ended.
pub fn output_of(command: &mut Command) -> Result<std::result::Result<String, String>> {
    let Output { status, stdout, stderr } = match command.finished() {
        Err(error) if error.kind() == io::ErrorKind::TimedOut => return Ok(Err(error.to_string())),
        output => output.with_context(|| format!("cannot run {command:?}"))?,
    };
    let (text, said) = (String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr));
    if status.success() {
        return Ok(Ok(text.into_owned()));
    }
    let lines = || said.lines().chain(text.lines());
    let is_error = |line: &&str| line.to_ascii_lowercase().contains("error");
    let line = lines().find(is_error).or_else(|| lines().next());
    Ok(Err(format!("{status}: {}", line.unwrap_or_default())))
}

/// Runs a command to its end and returns what it prints.
///
/// # Panics
/// With all that it says, if it does not end well.
pub fn succeeded(command: &mut Command) -> String {
    let output = command.finished().unwrap_or_else(|error| panic!("cannot run {command:?}: {error}"));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}:\n{}{}", text, errors.chars().take(4000).collect::<String>());
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_printed_comes_back_with_the_status() {
        let output = Command::new("sh").args(["-c", "echo out; echo Error: broken >&2; exit 3"]).finished();
        let output = output.expect("a shell");
        assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(3), b"out\n".as_slice()));
        let failed = output_of(Command::new("sh").args(["-c", "echo Error: broken >&2; exit 3"])).expect("a shell");
        assert_eq!(failed, Err("exit status: 3: Error: broken".to_owned()));
    }
}
