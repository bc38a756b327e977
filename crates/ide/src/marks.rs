//! What the texts of a file say about its diagnostics, asked for in chunks of segments: few files say anything, and then no
//! line of theirs is looked at.

use base_db::{
    Db, SourceFile,
    chunks::{self, chunks},
};

/// How a comment begins that allows diagnostics on its line, or on the next one if it is alone on its line.
pub(crate) const ALLOW: &str = "slang-analyzer: allow(";

pub(crate) const PRAGMA: &str = "pragma";

/// What a `#pragma` is about that concerns diagnostics.
pub(crate) const WARNING: &str = "warning";

/// Whether a file has comments that allow something.
pub(crate) fn has_allowances(db: &dyn Db, file: SourceFile) -> bool {
    (0..chunks(db, file)).any(|chunk| chunk_marks(db, file, chunk).allowances)
}

/// Whether a file has `#pragma`s, of warnings or not.
pub(crate) fn has_pragmas(db: &dyn Db, file: SourceFile) -> bool {
    (0..chunks(db, file)).any(|chunk| chunk_marks(db, file, chunk).pragmas)
}

/// Whether a text may say something about diagnostics of other lines than its own.
pub(crate) fn says_something(text: &str) -> bool {
    text.contains(ALLOW) || (text.contains(PRAGMA) && text.contains(WARNING))
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Marks {
    allowances: bool,
    pragmas: bool,
}

#[salsa::tracked(returns(copy))]
fn chunk_marks(db: &dyn Db, file: SourceFile, chunk: u32) -> Marks {
    let mut marks = Marks::default();
    for segment in chunks::with_members(db, file, chunk) {
        for text in [segment.header(db), segment.body(db)] {
            marks.allowances |= text.contains(ALLOW);
            marks.pragmas |= text.contains(PRAGMA);
        }
    }
    marks
}
