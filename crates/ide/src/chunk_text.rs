//! The text of some neighbouring segments, and where their parts are in it.

use base_db::{Db, Segment, text::Part};
use hir_def::position::Location;
use rustc_hash::FxHashMap;
use syntax::TextSize;

#[derive(Default)]
pub(crate) struct ChunkText {
    text: String,
    starts: FxHashMap<(Segment, Part), TextSize>,
}

impl ChunkText {
    pub(crate) fn new(db: &dyn Db, segments: &[Segment]) -> ChunkText {
        let mut chunk = ChunkText::default();
        for &segment in segments {
            chunk.add(db, segment);
        }
        chunk
    }

    fn add(&mut self, db: &dyn Db, segment: Segment) {
        self.starts.insert((segment, Part::Header), TextSize::of(self.text.as_str()));
        self.text.push_str(segment.header(db));
        for &member in segment.members(db).iter() {
            self.add(db, member);
        }
        self.starts.insert((segment, Part::Body), TextSize::of(self.text.as_str()));
        self.text.push_str(segment.body(db));
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Where the part of a location begins, if it is in this text.
    pub(crate) fn start(&self, location: Location) -> Option<TextSize> {
        self.starts.get(&(location.segment, location.part)).copied()
    }
}
