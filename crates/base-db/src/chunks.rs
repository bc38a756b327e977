//! Chunks of a file's segments, for queries that gather what is known of a whole file: an edit asks one chunk again.

use crate::{Db, Segment, SourceFile};

/// Top-level segments of a chunk.
const SEGMENTS: usize = 64;

/// How many chunks a file has.
pub fn chunks(db: &dyn Db, file: SourceFile) -> u32 {
    file.segments(db).len().div_ceil(SEGMENTS) as u32
}

/// The top-level segments of a chunk.
pub fn chunk(db: &dyn Db, file: SourceFile, number: u32) -> &[Segment] {
    file.segments(db).chunks(SEGMENTS).nth(number as usize).unwrap_or_default()
}
