//! The text in front of a position, as far back as its declaration begins.

use base_db::Db;
use hir_def::source_map;
use syntax::TextSize;

use crate::FilePosition;

/// Text before the position that is looked at: no declaration's head is longer.
const LOOKED_AT: usize = 1 << 14;

/// The text from the declaration's beginning on, or from a line not too far away.
pub(crate) fn text_before(db: &dyn Db, at: FilePosition) -> String {
    let Some(text) = db.text(at.file) else { return String::new() };
    let offset = at.offset as usize;
    let segment = source_map::segment_at(db, at.file, TextSize::new(at.offset.saturating_sub(1)));
    let begins = segment.and_then(|(segment, ..)| text.part_start(segment, base_db::text::Part::Header));
    let start = begins.unwrap_or(0).max(offset.saturating_sub(LOOKED_AT)).min(offset);
    let rope = text.rope();
    // An edit may have left the line's beginning to the segment before.
    let line = |at: usize| rope.try_line_to_byte(rope.try_byte_to_line(at).unwrap_or(0)).unwrap_or(0);
    text.slice(line(start)..offset)
}
