//! Edits of a text that compose: each may stand inside a part that another keeps.

use syntax::{TextRange, TextSize};

/// One change of a program that keeps its meaning, whole or not at all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Edit {
    /// The name of the transformation.
    pub transformation: &'static str,
    pub rewrites: Vec<Rewrite>,
    /// Declarations for the end of the file, on one line.
    pub declarations: Vec<Piece>,
    /// A name that means something new in the whole file, so that no other edit may bring it.
    pub name: Option<&'static str>,
}

/// New text for a range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Rewrite {
    pub range: TextRange,
    pub pieces: Vec<Piece>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Piece {
    /// New text, on one line.
    Text(String),
    /// A part of the text that is kept, with the edits inside of it. It may stand more than once.
    Kept(TextRange),
    /// The name that stands at a place, which may be another one by now.
    Name(TextRange),
}

impl From<&str> for Piece {
    fn from(text: &str) -> Piece {
        Piece::Text(text.to_owned())
    }
}

impl From<String> for Piece {
    fn from(text: String) -> Piece {
        Piece::Text(text)
    }
}

impl From<TextRange> for Piece {
    fn from(range: TextRange) -> Piece {
        Piece::Kept(range)
    }
}

impl Edit {
    pub(crate) fn new(transformation: &'static str, rewrites: Vec<Rewrite>) -> Edit {
        Edit { transformation, rewrites, declarations: Vec::new(), name: None }
    }

    /// Whether both can be applied: each pair of rewrites lies apart, or one in a part that the other keeps.
    pub(crate) fn is_compatible(&self, other: &Edit) -> bool {
        let fit = |a: &Rewrite, b: &Rewrite| a.is_apart(b) || self.keeps(a, b) || other.keeps(b, a);
        let is_new = self.name.is_none() || self.name != other.name;
        is_new && self.rewrites.iter().all(|a| other.rewrites.iter().all(|b| fit(a, b)))
    }

    /// Whether what `inner` replaces is still there when `outer`, which belongs to this edit, has been replaced.
    fn keeps(&self, outer: &Rewrite, inner: &Rewrite) -> bool {
        let mut of_both = kept(&outer.pieces).chain(kept(&self.declarations));
        outer.range.contains_range(inner.range) && of_both.any(|kept| kept.contains_range(inner.range))
    }
}

impl Rewrite {
    pub(crate) fn new(range: TextRange, pieces: impl IntoIterator<Item = Piece>) -> Rewrite {
        Rewrite { range, pieces: pieces.into_iter().collect() }
    }

    fn is_apart(&self, other: &Rewrite) -> bool {
        self.range.end() <= other.range.start() || other.range.end() <= self.range.start()
    }

    /// Whether the whole range is kept, so that other rewrites of the same range fit inside.
    fn wraps(&self) -> bool {
        kept(&self.pieces).any(|kept| kept == self.range)
    }
}

fn kept(pieces: &[Piece]) -> impl Iterator<Item = TextRange> {
    pieces.iter().filter_map(|piece| match piece {
        Piece::Kept(range) => Some(*range),
        Piece::Text(_) | Piece::Name(_) => None,
    })
}

/// A text after edits, which knows where its parts come from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Edited {
    pub text: String,
    /// From where in the new text on the old one is at which offset: copied, or one place for all that is new.
    parts: Vec<Part>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Part {
    start: usize,
    origin: usize,
    is_copy: bool,
}

/// Applies edits that are compatible with each other.
pub(crate) fn apply(text: &str, edits: &[Edit]) -> Edited {
    // A rewrite that only moves its range into declarations is outside of all others of the range.
    let rewrites = |edit: &'_ Edit| {
        let moves: Vec<TextRange> = kept(&edit.declarations).collect();
        edit.rewrites.iter().map(move |rewrite| (rewrite.clone(), moves.contains(&rewrite.range))).collect::<Vec<_>>()
    };
    let mut rewrites: Vec<(Rewrite, bool)> = edits.iter().flat_map(rewrites).collect();
    // Outer ones come first.
    rewrites.sort_by_key(|(rewrite, moves)| {
        (rewrite.range.start(), std::cmp::Reverse(rewrite.range.end()), !moves, !rewrite.wraps())
    });
    let rewrites: Vec<Rewrite> = rewrites.into_iter().map(|(rewrite, _)| rewrite).collect();
    let mut writer = Writer { text, rewrites: &rewrites, edited: Edited::default() };
    let whole = TextRange::up_to(TextSize::of(text));
    writer.copy(whole, 0);
    for edit in edits.iter().filter(|edit| !edit.declarations.is_empty()) {
        // Of the rewrites of a range that is declared here, the first is the call of it.
        for piece in &edit.declarations {
            let first = match piece {
                Piece::Kept(range) if edit.rewrites.iter().any(|rewrite| rewrite.range == *range) => {
                    1 + rewrites.iter().position(|rewrite| rewrite.range == *range).unwrap_or(0)
                }
                _ => 0,
            };
            writer.write(piece, text.len(), first);
        }
        writer.add("\n", text.len());
    }
    writer.edited
}

impl Edited {
    /// Where the text at an offset comes from.
    pub(crate) fn origin(&self, offset: usize) -> usize {
        let next = self.parts.partition_point(|part| part.start <= offset);
        match next.checked_sub(1).and_then(|index| self.parts.get(index)) {
            Some(part) if part.is_copy => part.origin + offset - part.start,
            Some(part) => part.origin,
            None => offset,
        }
    }
}

struct Writer<'a> {
    text: &'a str,
    /// Outer ones first.
    rewrites: &'a [Rewrite],
    edited: Edited,
}

impl Writer<'_> {
    fn add(&mut self, new: &str, origin: usize) {
        self.edited.parts.push(Part { start: self.edited.text.len(), origin, is_copy: false });
        self.edited.text.push_str(new);
    }

    /// Writes a piece, with those rewrites inside of it that come after the first few.
    fn write(&mut self, piece: &Piece, origin: usize, first: usize) {
        match piece {
            Piece::Text(new) => self.add(new, origin),
            Piece::Kept(range) => self.copy(*range, first),
            Piece::Name(range) => {
                let new = self.rewrites.iter().filter(|rewrite| rewrite.range == *range).find_map(|rewrite| {
                    match rewrite.pieces.as_slice() {
                        [Piece::Text(name)] => Some(name.clone()),
                        _ => None,
                    }
                });
                match new {
                    Some(name) => self.add(&name, range.start().into()),
                    None => self.copy_plain(*range),
                }
            }
        }
    }

    /// Copies a range with the rewrites inside of it.
    fn copy(&mut self, range: TextRange, first: usize) {
        let mut at = range.start();
        for (index, rewrite) in self.rewrites.iter().enumerate().skip(first) {
            if !range.contains_range(rewrite.range) || rewrite.range.start() < at {
                continue;
            }
            self.copy_plain(TextRange::new(at, rewrite.range.start()));
            for piece in &rewrite.pieces {
                // What is inside of this rewrite comes later; a part from elsewhere is whole.
                let is_inside = matches!(piece, Piece::Kept(kept) if rewrite.range.contains_range(*kept));
                self.write(piece, rewrite.range.start().into(), if is_inside { index + 1 } else { 0 });
            }
            at = rewrite.range.end();
        }
        self.copy_plain(TextRange::new(at, range.end()));
    }

    fn copy_plain(&mut self, range: TextRange) {
        if !range.is_empty() {
            self.edited.parts.push(Part { start: self.edited.text.len(), origin: range.start().into(), is_copy: true });
            self.edited.text.push_str(&self.text[range]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(start: u32, end: u32) -> TextRange {
        TextRange::new(start.into(), end.into())
    }

    #[test]
    fn edits_inside_kept_parts_are_applied_and_origins_are_known() {
        let text = "a = b + c;";
        let wrapped = Rewrite::new(range(4, 9), ["f(".into(), range(4, 9).into(), ")".into()]);
        let twice = Rewrite::new(range(0, 10), ["{ ".into(), range(0, 10).into(), " }".into()]);
        let swapped = Rewrite::new(range(4, 9), [range(8, 9).into(), " + ".into(), range(4, 5).into()]);
        let renamed = Rewrite::new(range(8, 9), ["d".into()]);
        let edits: Vec<Edit> =
            [renamed, wrapped, swapped, twice].map(|rewrite| Edit::new("test", vec![rewrite])).to_vec();
        assert!(edits.iter().enumerate().all(|(i, a)| edits[..i].iter().all(|b| a.is_compatible(b))));
        let edited = apply(text, &edits);
        assert_eq!(edited.text, "{ a = f(d + b); }");
        assert_eq!(edited.origin(2), 0);
        assert_eq!(edited.origin(edited.text.find('b').expect("it is there")), 4);
    }

    #[test]
    fn what_is_moved_into_a_declaration_is_edited_there() {
        let text = "a = b + c;";
        let outlined = Edit {
            declarations: vec!["float g() { return ".into(), range(4, 9).into(), "; }".into()],
            ..Edit::new("test", vec![Rewrite::new(range(4, 9), ["g()".into()])])
        };
        let wrapped = Edit::new("test", vec![Rewrite::new(range(4, 9), ["f(".into(), range(4, 9).into(), ")".into()])]);
        let renamed = Edit::new("test", vec![Rewrite::new(range(8, 9), ["d".into()])]);
        let edits = [wrapped, renamed, outlined];
        assert!(edits[2].is_compatible(&edits[1]) && edits[0].is_compatible(&edits[2]));
        assert_eq!(apply(text, &edits).text, "a = g();float g() { return f(b + d); }\n");
    }

    #[test]
    fn edits_of_what_another_drops_are_refused() {
        let drops = Edit::new("test", vec![Rewrite::new(range(0, 10), ["x".into()])]);
        let inside = Edit::new("test", vec![Rewrite::new(range(2, 3), ["y".into()])]);
        assert!(!drops.is_compatible(&inside) && !drops.is_compatible(&drops));
    }
}
