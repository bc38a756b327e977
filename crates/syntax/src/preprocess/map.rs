//! Places in the expanded text and where they are spelled.

use crate::{TextRange, TextSize};

/// Maps ranges between an expanded text and the spelled text it was made from.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SpellingMap {
    /// In the order of the expanded text and without gaps; nothing if both texts are the same.
    pieces: Option<Vec<Piece>>,
}

/// A stretch of the expanded text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Piece {
    expanded: TextRange,
    spelled: TextRange,
    origin: Origin,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    /// Both texts are the same here, byte for byte.
    Verbatim,
    /// Made by the macro call at the spelled range, or a name there without the ends of lines that cut it.
    Macro,
    /// The text that the `#include` at the spelled range brought in.
    Include(u32),
}

/// Where something of the expanded text is spelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spelling {
    /// The range in the text that was written.
    pub range: TextRange,
    /// The range is exactly what the text says; otherwise it is the macro call or `#include` that it came from.
    pub exact: bool,
    /// In an included text: which of [`super::Expanded::includes`], and the range in its expanded text.
    pub include: Option<(u32, TextRange)>,
}

impl SpellingMap {
    /// Whether both texts are the same.
    pub fn is_identity(&self) -> bool {
        self.pieces.is_none()
    }

    /// Whether all of a spelled range is in the expanded text as it is, without macros and directives in it. What stands in
    /// the arguments of a macro may be.
    pub fn is_verbatim(&self, spelled: TextRange) -> bool {
        let Some(pieces) = &self.pieces else { return true };
        let verbatim = pieces.iter().filter(|piece| piece.origin == Origin::Verbatim);
        verbatim.into_iter().any(|piece| piece.spelled.contains_range(spelled))
    }

    /// Where a range of the expanded text is spelled. A range over several pieces gives the range from the first to the
    /// last of them.
    pub fn spelled(&self, range: TextRange) -> Spelling {
        let Some(pieces) = &self.pieces else { return Spelling { range, exact: true, include: None } };
        let Some(first) = piece_at(pieces, range.start(), range.is_empty()) else {
            return Spelling { range: TextRange::default(), exact: false, include: None };
        };
        let end = if range.is_empty() { range.end() } else { range.end() - TextSize::new(1) };
        let last = piece_at(pieces, end, range.is_empty()).unwrap_or(first);
        let (first, last) = (pieces[first], pieces[last]);
        if first == last {
            return match first.origin {
                Origin::Verbatim => {
                    let start = first.spelled.start() + (range.start() - first.expanded.start());
                    Spelling { range: TextRange::at(start, range.len()), exact: true, include: None }
                }
                Origin::Macro => Spelling { range: first.spelled, exact: false, include: None },
                Origin::Include(index) => {
                    let inside = range - first.expanded.start();
                    Spelling { range: first.spelled, exact: false, include: Some((index, inside)) }
                }
            };
        }
        let start = match first.origin {
            Origin::Verbatim => first.spelled.start() + (range.start() - first.expanded.start()),
            _ => first.spelled.start(),
        };
        let end = match last.origin {
            Origin::Verbatim => last.spelled.start() + (range.end() - last.expanded.start()),
            _ => last.spelled.end(),
        };
        let exact = first.origin == Origin::Verbatim && last.origin == Origin::Verbatim;
        Spelling { range: TextRange::new(start.min(end), end.max(start)), exact, include: None }
    }

    /// Where a spelled offset went: its exact place if there is one (the first, if an argument is used several times),
    /// else the start of what its macro call became. Nothing for directives and excluded code.
    pub fn expanded(&self, offset: TextSize) -> Option<TextSize> {
        let Some(pieces) = &self.pieces else { return Some(offset) };
        let verbatim = pieces.iter().filter(|piece| piece.origin == Origin::Verbatim);
        let holding = |piece: &&Piece| piece.spelled.contains(offset);
        let ending = |piece: &&Piece| piece.spelled.end() == offset;
        let exact = verbatim.clone().find(holding).or_else(|| verbatim.clone().find(ending));
        if let Some(piece) = exact {
            return Some(piece.expanded.start() + (offset - piece.spelled.start()));
        }
        let made = pieces.iter().find(|piece| piece.origin != Origin::Verbatim && piece.spelled.contains(offset))?;
        Some(made.expanded.start())
    }
}

/// The piece that holds an offset. Between two pieces an empty range belongs to the earlier one.
fn piece_at(pieces: &[Piece], offset: TextSize, prefer_earlier: bool) -> Option<usize> {
    let behind = match prefer_earlier {
        true => pieces.partition_point(|piece| piece.expanded.start() < offset),
        false => pieces.partition_point(|piece| piece.expanded.start() <= offset),
    };
    behind.checked_sub(1).or(if pieces.is_empty() { None } else { Some(0) })
}

/// Writes an expanded text together with its map.
#[derive(Default)]
pub(super) struct MapBuilder {
    text: String,
    pieces: Vec<Piece>,
}

impl MapBuilder {
    pub(super) fn len(&self) -> usize {
        self.text.len()
    }

    pub(super) fn push(&mut self, text: &str, spelled: TextRange, origin: Origin) {
        if text.is_empty() {
            return;
        }
        let start = TextSize::new(self.text.len() as u32);
        self.text.push_str(text);
        let expanded = TextRange::new(start, TextSize::new(self.text.len() as u32));
        if let Some(last) = self.pieces.last_mut() {
            let continues = match origin {
                Origin::Verbatim => last.origin == origin && last.spelled.end() == spelled.start(),
                Origin::Macro => last.origin == origin && last.spelled == spelled,
                Origin::Include(_) => false,
            };
            if continues {
                last.expanded = last.expanded.cover(expanded);
                last.spelled = last.spelled.cover(spelled);
                return;
            }
        }
        self.pieces.push(Piece { expanded, spelled, origin });
    }

    /// Whether the text so far ends in whitespace, or there is none.
    pub(super) fn ends_in_space(&self) -> bool {
        self.text.is_empty() || self.text.ends_with([' ', '\n', '\t', '\r'])
    }

    pub(super) fn last_char(&self) -> Option<char> {
        self.text.chars().next_back()
    }

    pub(super) fn finish(self) -> (String, SpellingMap) {
        (self.text, SpellingMap { pieces: Some(self.pieces) })
    }
}
