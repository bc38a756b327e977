//! The text of a file, and positions in it: segments to offsets and back.

use std::ops::Range;

use ropey::Rope;

pub use crate::layout::Part;
use crate::{
    Segment,
    layout::{Layout, Piece},
    line_column::{self, ColumnUnit, LineColumn},
};

/// A file as text. Cheap to clone: the rope is shared.
#[derive(Debug, Clone, Default)]
pub struct FileText {
    pub(crate) rope: Rope,
    pub(crate) layout: Layout,
}

impl FileText {
    /// The text as a rope.
    pub fn rope(&self) -> &Rope {
        &self.rope
    }

    /// Length in bytes.
    pub fn len(&self) -> usize {
        self.rope.len_bytes()
    }

    /// Whether there is no character.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Absolute offset of the start of a segment's part; `None` if the segment is not in this file.
    pub fn part_start(&self, segment: Segment, part: Part) -> Option<usize> {
        Some(self.layout.offset(self.layout.place(segment, part)?))
    }

    /// The part that holds the byte at `offset`, with the offset inside it. At the end of the text it is the last part.
    pub fn part_at(&self, offset: usize) -> Option<(Segment, Part, usize)> {
        let (place, start) = self.layout.piece_at(offset)?;
        let Piece { segment, part } = self.layout.piece(place);
        Some((segment, part, (offset - start).min(self.layout.length(place))))
    }

    /// Line and column of a byte offset; offsets after the end give the end.
    pub fn line_column(&self, offset: usize, unit: ColumnUnit) -> LineColumn {
        line_column::line_column(&self.rope, offset, unit)
    }

    /// Byte offset of a line and column; columns after the end of a line give its end.
    pub fn offset(&self, position: LineColumn, unit: ColumnUnit) -> usize {
        line_column::offset(&self.rope, position, unit)
    }

    /// The text of a byte range, clipped to the file.
    pub fn slice(&self, range: Range<usize>) -> String {
        let end = range.end.min(self.len());
        let start = range.start.min(end);
        self.rope.get_byte_slice(start..end).map(|slice| slice.to_string()).unwrap_or_default()
    }
}
