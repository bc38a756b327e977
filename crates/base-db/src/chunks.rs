//! Chunks of a file's segments, for queries that gather what is known of a whole file: an edit asks one chunk again, and no
//! query reads as many others as the file has segments. (What a query reads is forgotten in a time that grows with the
//! most that any query at its depth has read.)

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

/// All segments of a chunk, members behind their containers, in the order of the text.
pub fn with_members(db: &dyn Db, file: SourceFile, number: u32) -> Vec<Segment> {
    let mut all = Vec::with_capacity(SEGMENTS);
    let mut waiting: Vec<Segment> = chunk(db, file, number).iter().rev().copied().collect();
    while let Some(segment) = waiting.pop() {
        all.push(segment);
        waiting.extend(segment.members(db).iter().rev());
    }
    all
}
