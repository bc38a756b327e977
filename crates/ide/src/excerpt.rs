//! The text of a file around some places, without the declarations elsewhere: what it says at these places is read as in the
//! whole file.
//!
//! Beside what is touched an excerpt has what the reading of it depends on: the declarations next to it, what is around
//! it, the first declaration of each container, all conditions of the preprocessor, and the end of the file.

use std::{collections::BTreeSet, ops::Range};

use base_db::{
    Db, Segment, SegmentKind, SourceFile,
    text::{FileText, Part},
};
use syntax::{TextRange, TextSize};

use crate::touched;

pub(crate) struct Excerpt {
    text: String,
    /// Pieces in order: where each begins in the excerpt, and its bytes of the file. No two are behind each other there.
    pieces: Vec<(usize, Range<usize>)>,
}

impl Excerpt {
    /// Around some ranges of a file.
    pub(crate) fn new(db: &dyn Db, file: SourceFile, around: &[TextRange]) -> Option<Excerpt> {
        let text = db.text(file)?;
        let mut excerpt = Excerpt { text: String::new(), pieces: Vec::new() };
        let segments = file.segments(db);
        let mut chosen = chosen(db, text, segments, around);
        chosen.extend(segments.len().checked_sub(1));
        excerpt.add(db, text, segments, &chosen, text.len(), around);
        for (start, piece) in &mut excerpt.pieces {
            *start = excerpt.text.len();
            excerpt.text.push_str(&text.slice(piece.clone()));
        }
        Some(excerpt)
    }

    /// All of a file.
    pub(crate) fn whole(db: &dyn Db, file: SourceFile) -> Option<Excerpt> {
        let text = db.text(file)?;
        Some(Excerpt { text: text.rope().to_string(), pieces: vec![(0, 0..text.len())] })
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Where a range of the excerpt is in the file. It may be longer there, by what was left out in it.
    pub(crate) fn in_file(&self, range: TextRange) -> TextRange {
        let start = usize::from(range.start());
        let (from, piece) = self.piece(|from, _| from <= start);
        let begin = piece.start + (start - from);
        if range.is_empty() {
            return TextRange::empty(TextSize::new(begin as u32));
        }
        // What ends with a piece does not reach into the next one.
        let last = usize::from(range.end()) - 1;
        let (from, piece) = self.piece(|from, _| from <= last);
        TextRange::new(TextSize::new(begin as u32), TextSize::new((piece.start + (last - from) + 1) as u32))
    }

    /// Where a place of the file is in the excerpt, if it is there.
    pub(crate) fn offset(&self, in_file: TextSize) -> Option<TextSize> {
        let offset = usize::from(in_file);
        let (from, piece) = self.piece(|_, piece| piece.start <= offset);
        (piece.start <= offset && offset <= piece.end).then(|| TextSize::new((from + (offset - piece.start)) as u32))
    }

    /// The last piece of those that are not behind a place.
    fn piece(&self, is_before: impl Fn(usize, &Range<usize>) -> bool) -> (usize, Range<usize>) {
        let behind = self.pieces.partition_point(|(from, piece)| is_before(*from, piece));
        self.pieces.get(behind.saturating_sub(1)).cloned().unwrap_or_default()
    }

    /// The chosen ones among some segments that end at a place, without the members that do not matter.
    fn add(
        &mut self,
        db: &dyn Db,
        text: &FileText,
        among: &[Segment],
        chosen: &BTreeSet<usize>,
        end: usize,
        around: &[TextRange],
    ) {
        let start = |segment: &Segment| text.part_start(*segment, Part::Header).unwrap_or_default();
        for &index in chosen {
            let segment = among[index];
            let end = among.get(index + 1).map_or(end, start);
            let members = segment.members(db);
            let Some(first) = members.first() else {
                self.push(start(&segment)..end);
                continue;
            };
            let body = text.part_start(segment, Part::Body).unwrap_or(end);
            self.push(start(&segment)..start(first));
            let inside = TextRange::new(TextSize::new(start(first) as u32), TextSize::new(body as u32));
            let around: Vec<TextRange> =
                around.iter().copied().filter(|range| inside.intersect(*range).is_some()).collect();
            let mut chosen = self::chosen(db, text, members, &around);
            // The first declaration says how far all of them are indented.
            chosen.extend(members.iter().position(|member| member.kind(db) != SegmentKind::Directive));
            self.add(db, text, members, &chosen, body, &around);
            self.push(body..end);
        }
    }

    fn push(&mut self, piece: Range<usize>) {
        match self.pieces.last_mut() {
            _ if piece.is_empty() => {}
            Some((_, last)) if last.end == piece.start => last.end = piece.end,
            _ => self.pieces.push((0, piece)),
        }
    }
}

/// Those of some segments behind each other that ranges touch, those next to them, and all conditions.
fn chosen(db: &dyn Db, text: &FileText, among: &[Segment], around: &[TextRange]) -> BTreeSet<usize> {
    let conditions = among.iter().enumerate().filter(|(_, segment)| is_condition(db, **segment));
    let mut chosen: BTreeSet<usize> = conditions.map(|(index, _)| index).collect();
    for range in around {
        let touched = touched::neighbours(text, among, *range);
        chosen.extend(touched.start.saturating_sub(1)..(touched.end + 1).min(among.len()));
    }
    chosen
}

fn is_condition(db: &dyn Db, segment: Segment) -> bool {
    let has_word = || {
        let directive = segment.header(db).lines().find_map(|line| line.trim_start().strip_prefix('#'));
        directive.is_some_and(|word| ["if", "el", "endif"].iter().any(|begin| word.trim_start().starts_with(begin)))
    };
    segment.kind(db) == SegmentKind::Directive && has_word()
}

#[cfg(test)]
mod tests {
    use super::*;
    use test_support::database::with_core_library;

    fn excerpt_of(text: &str, wanted: &str) -> Excerpt {
        let (mut db, mut documents) = with_core_library();
        let file = documents.open(&mut db, "/main.slang", text);
        let start = text.find(wanted).expect("it is there");
        let range = TextRange::at(TextSize::new(start as u32), TextSize::of(wanted));
        let excerpt = Excerpt::new(&db, file, &[range]).expect("the file is there");
        let inside = TextRange::at(excerpt.offset(range.start()).expect("it is inside"), range.len());
        assert_eq!(&excerpt.text()[std::ops::Range::<usize>::from(inside)], wanted);
        assert_eq!(excerpt.in_file(inside), range);
        excerpt
    }

    #[test]
    fn an_excerpt_is_as_long_as_what_it_is_around() {
        let functions = |from: usize, to: usize| -> String {
            (from..to).map(|index| format!("float f{index:04}(float x)\n{{\n    return x;\n}}\n")).collect()
        };
        for (begin, end) in [("", ""), ("namespace n\n{\n", "}\n"), ("namespace n\n{\nstruct S\n{\n", "}\n}\n")] {
            let length = |count: usize| {
                let text = format!("{begin}{}{end}", functions(1000, 1000 + count));
                excerpt_of(&text, &format!("f{:04}", 1000 + count / 2)).text().len()
            };
            assert_eq!(length(100), length(1000), "{begin}");
        }
    }

    #[test]
    fn an_excerpt_has_what_the_reading_depends_on() {
        let text = "float a;\n#if X\nfloat b;\nfloat c;\n#else\nnamespace n {\nfloat d;\nfloat e;\nfloat f;\nfloat g;\nfloat h;\n}\n#endif\nfloat i;\nfloat j;\n";
        let wanted = "#if X\n#else\nnamespace n {\nfloat d;\nfloat f;\nfloat g;\nfloat h;\n}\n#endif\n";
        let found = excerpt_of(text, "g;");
        let without_spaces = |text: &str| text.split_whitespace().collect::<String>();
        assert_eq!(without_spaces(found.text()), without_spaces(wanted));
    }
}
