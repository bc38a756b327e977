//! Selection ranges: the nodes around a position, from the inside out.

use base_db::Db;
use syntax::{TextRange, TextSize, TokenAtOffset, parse_file};

use crate::{FilePosition, excerpt::Excerpt};

/// Clients read an answer that nests as deeply as the ranges do, and few read a thousand levels.
const MOST_NESTED: usize = 200;

/// The innermost range first; each contains the one before it.
pub fn selection_ranges(db: &dyn Db, at: FilePosition) -> Vec<TextRange> {
    let Some(text) = db.text(at.file) else { return Vec::new() };
    let whole = TextRange::up_to(TextSize::new(text.len() as u32));
    let place = TextSize::new(at.offset).min(whole.end());
    let Some(excerpt) = Excerpt::new(db, at.file, &[TextRange::empty(place)]) else { return Vec::new() };
    let Some(offset) = excerpt.offset(place) else { return vec![whole] };
    let root = parse_file(excerpt.text()).syntax_node();
    let token = match root.token_at_offset(offset) {
        TokenAtOffset::None => return vec![whole],
        TokenAtOffset::Single(token) => token,
        // Between two tokens a word is meant rather than a space or bracket.
        TokenAtOffset::Between(left, right) => {
            if right.kind().is_trivia() {
                left
            } else {
                right
            }
        }
    };
    let mut ranges = vec![token.text_range()];
    let mut nodes = token.parent_ancestors().map(|node| node.text_range());
    ranges.extend(nodes.by_ref().take(MOST_NESTED));
    // Of a chain of thousands of operators only the first links and the whole are told.
    let last = nodes.last();
    ranges.extend(last);
    let mut ranges: Vec<TextRange> = ranges.into_iter().map(|range| excerpt.in_file(range)).collect();
    // The outermost is the file, whatever of it was read.
    ranges.pop();
    ranges.push(whole);
    ranges.dedup();
    ranges
}
