//! Selection ranges: the nodes around a position, from the inside out.

use base_db::Db;
use syntax::{TextRange, TextSize, TokenAtOffset, parse_file};

use crate::FilePosition;

/// The innermost range first; each contains the one before it.
pub fn selection_ranges(db: &dyn Db, at: FilePosition) -> Vec<TextRange> {
    let Some(text) = db.text(at.file) else { return Vec::new() };
    let root = parse_file(&text.rope().to_string()).syntax_node();
    let offset = TextSize::new(at.offset).min(root.text_range().end());
    let token = match root.token_at_offset(offset) {
        TokenAtOffset::None => return vec![root.text_range()],
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
    for node in token.parent_ancestors() {
        if ranges.last() != Some(&node.text_range()) {
            ranges.push(node.text_range());
        }
    }
    ranges
}
