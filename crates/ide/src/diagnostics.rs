//! Diagnostics of a file: what every room below found, merged.

use base_db::{Db, SourceFile};

use crate::{FileRange, TextEdit};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    pub at: FileRange,
    pub severity: Severity,
    /// Slang's number as `E30015`, or a name of our own.
    pub code: String,
    /// A short sentence that stands alone.
    pub message: String,
    /// The chain of causes, candidates, declarations.
    pub related: Vec<Related>,
    /// Best first.
    pub fixes: Vec<Fix>,
    /// The text may go: editors dim it.
    pub unnecessary: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    Error,
    Warning,
    Info,
    Hint,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Related {
    pub at: FileRange,
    pub message: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fix {
    pub title: String,
    pub edits: Vec<TextEdit>,
}

/// In the order of their places.
pub fn diagnostics(_db: &dyn Db, _file: SourceFile) -> Vec<Diagnostic> {
    Vec::new()
}
