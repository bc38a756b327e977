//! Places in files: relative to segments inside queries, absolute in answers.

use base_db::{
    Db, Segment, SourceFile,
    text::{FileText, Part},
};
use syntax::{TextRange, TextSize};

use crate::expansion::{self, Join};

/// A range of the spelled text of a segment's header or body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Location {
    pub segment: Segment,
    pub part: Part,
    pub range: TextRange,
}

/// The absolute place of a location. Not tracked: for answers only.
pub fn absolute(db: &dyn Db, location: Location) -> (SourceFile, TextRange) {
    let file = location.segment.file(db);
    let start = db.text(file).and_then(|text| text.part_start(location.segment, location.part)).unwrap_or_default();
    (file, location.range + TextSize::new(start as u32))
}

/// The segment, part and relative offset of an absolute offset. Not tracked: for answers only.
pub fn segment_at(db: &dyn Db, file: SourceFile, offset: TextSize) -> Option<(Segment, Part, TextSize)> {
    let text = db.text(file)?;
    let (segment, part, inside) = text.part_at(offset.into())?;
    let (segment, part, inside) = match expansion::join(db, segment) {
        Join::Alone => (segment, part, inside),
        Join::First => from_start(text, segment, offset)?,
        Join::Within(first) => from_start(text, first, offset)?,
    };
    Some((segment, part, TextSize::new(inside as u32)))
}

/// The place of an offset in the run of segments that are expanded as one: that is the header of the first.
fn from_start(text: &FileText, first: Segment, offset: TextSize) -> Option<(Segment, Part, usize)> {
    let start = text.part_start(first, Part::Header)?;
    Some((first, Part::Header, usize::from(offset).checked_sub(start)?))
}
