//! Places in files: relative to segments inside queries, absolute in answers.

use base_db::{Db, Segment, SourceFile, text::Part};
use syntax::{TextRange, TextSize};

/// A range of the spelled text of a segment's header or body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Location {
    /// The segment.
    pub segment: Segment,
    /// Its header or its body.
    pub part: Part,
    /// The range in the spelled text of that part.
    pub range: TextRange,
}

/// The absolute place of a location. Not tracked: for answers only.
pub fn absolute(db: &dyn Db, location: Location) -> (SourceFile, TextRange) {
    let file = location.segment.file(db);
    let start = db.text(file).and_then(|text| text.part_start(location.segment, location.part)).unwrap_or_default();
    (file, location.range + TextSize::new(start as u32))
}
