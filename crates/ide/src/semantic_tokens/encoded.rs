//! Tokens as editors take them: numbers relative to the token before, as text that is written once.

use std::{fmt::Write as _, ops::Range, sync::Arc};

use base_db::{
    Db, Segment, SourceFile,
    line_column::{ColumnUnit, LineColumn, LineColumns},
    text::Part,
};

use super::{CHUNK, Token};
use crate::chunk_text::ChunkText;

/// The tokens of some neighbouring segments.
#[derive(Debug, PartialEq, Eq)]
pub struct EncodedChunk {
    /// Its place counts from the beginning of the chunk.
    pub first: EncodedToken,
    /// Where the last token begins, counted from the beginning of the chunk.
    pub last: LineColumn,
    /// The tokens after the first: five decimal numbers each, every number after a comma. They are lines from the token
    /// before, columns from it (or from the line's beginning), length, kind, modifiers.
    pub rest: Box<str>,
}

/// A token as LSP counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EncodedToken {
    /// Where it begins.
    pub at: LineColumn,
    /// In the unit of columns.
    pub length: u32,
    /// See [`super::TokenKind::index`].
    pub kind: u32,
    /// See [`super::Modifiers::bits`].
    pub modifiers: u32,
}

/// The chunks of a file that have tokens and touch some lines, in order, each with the place where it begins. For answers
/// only: the places are not tracked.
pub fn encoded_chunks(
    db: &dyn Db,
    file: SourceFile,
    unit: ColumnUnit,
    lines: Range<u32>,
) -> Vec<(LineColumn, Arc<EncodedChunk>)> {
    let Some(text) = db.text(file) else { return Vec::new() };
    let start = |segments: &[Segment]| Some(text.line_column(text.part_start(*segments.first()?, Part::Header)?, unit));
    let mut chunks = file.segments(db).chunks(CHUNK).enumerate().peekable();
    let mut found = Vec::new();
    while let Some((number, segments)) = chunks.next() {
        let Some(begin) = start(segments) else { continue };
        let end = chunks.peek().and_then(|(_, segments)| start(segments)).map_or(u32::MAX, |end| end.line);
        if end < lines.start || lines.end <= begin.line {
            continue;
        }
        if let Some(chunk) = encoded_chunk(db, file, number as u32, unit) {
            found.push((begin, Arc::clone(chunk)));
        }
    }
    found
}

#[salsa::tracked(returns(ref))]
fn encoded_chunk(db: &dyn Db, file: SourceFile, number: u32, unit: ColumnUnit) -> Option<Arc<EncodedChunk>> {
    let segments = file.segments(db).chunks(CHUNK).nth(number as usize)?;
    let text = ChunkText::new(db, segments);
    let mut tokens = encode(text.text(), text.tokens(db, segments), unit);
    let first = tokens.next()?;
    let mut last = first.at;
    let mut rest = String::new();
    for EncodedToken { at, length, kind, modifiers } in tokens {
        let lines = at.line - last.line;
        let columns = if lines == 0 { at.column - last.column } else { at.column };
        // Writing into a string does not fail.
        let _ = write!(rest, ",{lines},{columns},{length},{kind},{modifiers}");
        last = at;
    }
    Some(Arc::new(EncodedChunk { first, last, rest: rest.into() }))
}

fn encode(text: &str, tokens: Vec<Token>, unit: ColumnUnit) -> impl Iterator<Item = EncodedToken> {
    let mut places = LineColumns::new(text, unit);
    tokens.into_iter().filter_map(move |token| {
        let start = places.at(token.range.start().into());
        let end = places.at(token.range.end().into());
        // Clients take tokens of one line only; what spans several is left to the editor's grammar.
        (start.line == end.line).then(|| EncodedToken {
            at: start,
            length: end.column - start.column,
            kind: token.kind.index(),
            modifiers: token.modifiers.bits(),
        })
    })
}
