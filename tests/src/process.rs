//! Programs that tests start: compilers, and what they make.

use std::{
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::atomic::{AtomicU64, Ordering},
    time::{Duration, Instant},
};

use anyhow::{Context, Result};

/// How long a compiler or a compiled program may run.
const PATIENCE: Duration = Duration::from_secs(120);

/// A folder for temporary files that goes away with it.
pub struct Scratch(PathBuf);

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

/// Whether a program can be started.
pub fn is_there(program: &str) -> bool {
    let mut command = Command::new(program);
    command.arg("--version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
}

/// Standard output, or why there is none: the first line with an error, or that it was ended.
pub fn output_of(command: &mut Command) -> Result<std::result::Result<String, String>> {
    // Through files, so that nothing waits for a full pipe.
    let scratch = Scratch::new("output");
    let (out, error) = (scratch.file("out"), scratch.file("err"));
    command.stdout(std::fs::File::create(&out)?).stderr(std::fs::File::create(&error)?).stdin(Stdio::null());
    let mut child = command.spawn().with_context(|| format!("cannot run {command:?}"))?;
    let started = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break Some(status);
        }
        if started.elapsed() > PATIENCE {
            child.kill()?;
            child.wait()?;
            break None;
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    let read = |path: &Path| -> Result<String> { Ok(String::from_utf8_lossy(&std::fs::read(path)?).into_owned()) };
    let (text, said) = (read(&out)?, read(&error)?);
    Ok(match status {
        Some(status) if status.success() => Ok(text),
        Some(status) => {
            let lines = || said.lines().chain(text.lines());
            let is_error = |line: &&str| line.to_ascii_lowercase().contains("error");
            let line = lines().find(is_error).or_else(|| lines().next());
            Err(format!("{status}: {}", line.unwrap_or_default()))
        }
        None => Err("it did not end".to_owned()),
    })
}
