//! Checking damaged files in process: does the analyzer panic or take long?
//!
//! Mutant number `n` of a file is made from the file's text, a seed and `n` alone, so that a failure is named by its
//! number. A stack overflow or lack of memory ends the process: who wants to survive that runs [`Checker`] in another one,
//! as the program `mutations` does.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use base_db::{RootDatabase, documents::Documents};
use fastrand::Rng;
use test_support::database::with_core_library;
use test_support::random_edit::random_edit;

/// A check that takes longer has failed.
pub const LIMIT: Duration = Duration::from_secs(10);

/// Damages that one mutant gets at most.
const MOST_EDITS: usize = 4;

/// Checks in one database, whose memory of earlier texts is thrown away after so many.
const CHECKS_PER_DATABASE: usize = 50;

/// Mutant number `number` of a text.
pub fn mutant(text: &str, seed: u64, number: usize) -> String {
    let mut random = Rng::with_seed(seed.wrapping_mul(0x9e37_79b9).wrapping_add(number as u64));
    let mut mutant = text.to_owned();
    for _ in 0..=random.usize(..MOST_EDITS) {
        let (range, with) = random_edit(&mutant, &mut random);
        mutant.replace_range(range, &with);
    }
    mutant
}

/// What a check came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    Done(Duration),
    Panicked,
}

/// Checks texts in place of one file.
pub struct Checker {
    path: String,
    state: Option<(RootDatabase, Documents)>,
    checks: usize,
}

impl Checker {
    /// The texts are taken for that of the file at `path`, whose neighbours they may import.
    pub fn new(path: &Path) -> Checker {
        Checker { path: path.to_string_lossy().into_owned(), state: None, checks: 0 }
    }

    /// Asks for all that is wrong with the text and for what an editor shows of it.
    pub fn check(&mut self, text: &str) -> Outcome {
        self.checks += 1;
        if self.checks.is_multiple_of(CHECKS_PER_DATABASE) {
            self.state = None;
        }
        let start = Instant::now();
        let (mut db, mut documents) = self.state.take().unwrap_or_else(with_core_library);
        let path = self.path.as_str();
        let answered = catch_unwind(AssertUnwindSafe(|| {
            let file = documents.open(&mut db, path, text);
            hir_def::loading::load_dependencies(&mut db, &mut documents, file, |path| std::fs::read(path).ok());
            ide::diagnostics::diagnostics(&db, file);
            ide::semantic_tokens::semantic_tokens(&db, file);
        }));
        if answered.is_err() {
            return Outcome::Panicked;
        }
        self.state = Some((db, documents));
        Outcome::Done(start.elapsed())
    }
}

/// The Slang files below a folder, sorted.
pub fn slang_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut waiting = vec![folder.to_path_buf()];
    while let Some(folder) = waiting.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                waiting.push(path);
            } else if path.extension().is_some_and(|extension| extension == "slang") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}
