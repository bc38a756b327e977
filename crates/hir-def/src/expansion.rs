//! What the preprocessor makes of a segment.

use base_db::{Db, Segment, SourceFile, text::Part};
use syntax::TextRange;

use crate::diagnostics::Diagnostic;

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

/// What the preprocessor complains about.
pub(crate) fn diagnostics(_db: &dyn Db, _segment: Segment, _part: Part) -> &[Diagnostic] {
    &[]
}

/// For each `#include` of a file, the paths at which the file may be, best first.
pub(crate) fn include_candidates(_db: &dyn Db, _file: SourceFile) -> Vec<Vec<String>> {
    Vec::new()
}
