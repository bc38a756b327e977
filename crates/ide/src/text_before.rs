//! The text in front of a position, as far back as its declaration begins.

use base_db::{Db, Segment};
use hir_def::source_map;
use syntax::{TextSize, lexer};

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
    let line = rope.try_line_to_byte(rope.try_byte_to_line(start).unwrap_or(0)).unwrap_or(0);
    let closed = end_of_what_was_open(&text.slice(line..start));
    text.slice(line + closed..offset)
}

/// Where in a text the last bracket ends that was opened in front of it.
fn end_of_what_was_open(text: &str) -> usize {
    let lexed = lexer::lex(text);
    let (mut depth, mut end) = (0usize, 0);
    for index in 0..lexed.len() {
        let range = lexed.range(index);
        match &text[range.clone()] {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" if depth == 0 => end = range.end,
            ")" | "]" | "}" => depth -= 1,
            _ => {}
        }
    }
    end
}

/// The heads of the declarations around the one that a position is in, outermost first, each with its open brace: what
/// [`text_before`] does not go back to.
pub(crate) fn heads_around(db: &dyn Db, at: FilePosition) -> String {
    let here = source_map::segment_at(db, at.file, TextSize::new(at.offset.saturating_sub(1)));
    let parent = |segment: &Segment| segment.parent(db);
    let around = std::iter::successors(here.and_then(|(segment, ..)| parent(&segment)), parent);
    let mut heads: Vec<&str> = around.map(|segment| segment.header(db).as_ref()).collect();
    heads.reverse();
    heads.into_iter().flat_map(|head| [head, "\n"]).collect()
}

/// The text behind a position, as far as it is looked at.
pub(crate) fn text_after(db: &dyn Db, at: FilePosition) -> String {
    let offset = at.offset as usize;
    db.text(at.file).map(|text| text.slice(offset..offset.saturating_add(LOOKED_AT))).unwrap_or_default()
}
