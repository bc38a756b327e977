//! How far a command is, for whoever waits in front of a terminal.

use std::{
    io::{IsTerminal as _, Write as _},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

/// Commands that end sooner show nothing.
const PATIENCE: Duration = Duration::from_millis(300);

/// How often the bar is drawn anew.
const PERIOD: Duration = Duration::from_millis(50);

/// Letters of a full bar.
const WIDTH: usize = 30;

/// A bar on the terminal that standard error is, if it is one.
pub struct ProgressBar {
    what: &'static str,
    of: usize,
    done: AtomicUsize,
    /// When it is drawn next; nothing where nobody would see it.
    next: Option<Mutex<Instant>>,
}

impl ProgressBar {
    pub fn new(what: &'static str, of: usize) -> ProgressBar {
        let is_seen = std::io::stderr().is_terminal();
        let next = is_seen.then(|| Mutex::new(Instant::now() + PATIENCE));
        ProgressBar { what, of, done: AtomicUsize::new(0), next }
    }

    /// One more is done. From any thread.
    pub fn step(&self) {
        let done = 1 + self.done.fetch_add(1, Ordering::Relaxed);
        let Some(next) = &self.next else { return };
        let mut next = next.lock().unwrap_or_else(PoisonError::into_inner);
        if Instant::now() >= *next {
            *next = Instant::now() + PERIOD;
            let _ = write!(std::io::stderr(), "\r\x1b[K{}", self.line(done));
        }
    }

    /// Takes the bar away until it is drawn again: something else is to be written.
    pub fn hide(&mut self) {
        if self.next.is_some() {
            let _ = write!(std::io::stderr(), "\r\x1b[K");
        }
    }

    fn line(&self, done: usize) -> String {
        let full = WIDTH * done.min(self.of) / self.of.max(1);
        format!("{} [{}{}] {done} of {} files", self.what, "#".repeat(full), "-".repeat(WIDTH - full), self.of)
    }
}

#[cfg(test)]
mod tests {
    use super::ProgressBar;

    #[test]
    fn the_bar_is_as_full_as_work_is_done() {
        let bar = ProgressBar::new("checking", 3);
        assert_eq!(bar.line(0), format!("checking [{}] 0 of 3 files", "-".repeat(30)));
        assert_eq!(bar.line(1), format!("checking [{}{}] 1 of 3 files", "#".repeat(10), "-".repeat(20)));
        assert_eq!(bar.line(3), format!("checking [{}] 3 of 3 files", "#".repeat(30)));
        assert!(ProgressBar::new("checking", 0).line(0).ends_with("0 of 0 files"));
    }
}
