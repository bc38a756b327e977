//! What the preprocessor makes of a segment.

use base_db::{Db, Segment, SourceFile, text::Part};
use syntax::TextRange;

/// Whether the segment's code counts: not inside the branch of an `#if` that is not taken.
pub fn is_active(_db: &dyn Db, _segment: Segment) -> bool {
    true
}

/// The range of the spelled text that stands for a range of the expanded text.
pub fn spelled(_db: &dyn Db, _segment: Segment, _part: Part, range: TextRange) -> TextRange {
    range
}

/// The files that a file includes with `#include`.
pub(crate) fn included_files(_db: &dyn Db, _file: SourceFile) -> &[SourceFile] {
    &[]
}

/// The first file that includes this one with `#include`.
pub(crate) fn including_file(_db: &dyn Db, _file: SourceFile) -> Option<SourceFile> {
    None
}
