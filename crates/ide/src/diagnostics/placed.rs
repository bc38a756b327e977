//! Diagnostics with lines and columns, in chunks that an edit elsewhere leaves as they are.
//!
//! Places count from the beginning of the chunk, whose own place is the sum of the extents before it. The chunks of a file
//! are gathered by a tree of queries, so that an edit looks at as many results as lie between a leaf and the root.

use std::sync::Arc;

use base_db::{
    Db, SourceFile,
    line_column::{ColumnUnit, LineColumn, LineColumns},
    parallel,
};
use hir_def::position::Location;
use syntax::{TextRange, TextSize};

use super::{Relative, at_end, gather, macro_uses};
use crate::{chunk_text::ChunkText, marks};

/// Top-level segments whose diagnostics are placed together, and how many results a node of the tree gathers.
const WIDTH: usize = 16;

/// A diagnostic of a chunk, without fixes.
pub type Placed = ::diagnostics::Diagnostic<ChunkLocation>;

/// The diagnostics of some neighbouring segments, in the order of their places.
#[derive(Debug, PartialEq, Eq)]
pub struct PlacedChunk {
    /// The diagnostics.
    pub diagnostics: Box<[Placed]>,
    /// Where its text ends, which is where the next chunk begins.
    pub extent: LineColumn,
    /// Nothing outside of the chunk decides whether and where these are shown.
    stands_alone: bool,
}

/// Where a diagnostic of a chunk is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChunkLocation {
    /// From and to, counted from the beginning of the chunk.
    Inside(LineColumn, LineColumn),
    /// In another chunk or file.
    Outside(Location),
}

/// The diagnostics of a file in the order of their places; `None` where they are only known as a whole: texts that say
/// what is shown concern other lines than their own, and a chunk may find what is wrong elsewhere.
pub fn placed(db: &dyn Db, file: SourceFile, unit: ColumnUnit) -> Option<&[Arc<PlacedChunk>]> {
    let leaves = file.segments(db).len().div_ceil(WIDTH);
    let mut level = 0;
    while WIDTH.pow(level + 1) < leaves {
        level += 1;
    }
    let chunks = node(db, file, unit, level, 0);
    chunks.iter().all(|chunk| chunk.stands_alone).then_some(chunks)
}

/// Leaves that are found at a time. What finding them leaves behind can be dropped before the next are asked for.
const PART: u32 = 64;

/// A file of fewer leaves is found as a whole: threads would not make it faster.
const FEW: u32 = 8;

/// How many parts a file has; none if it is small.
pub fn parts(db: &dyn Db, file: SourceFile) -> u32 {
    let leaves = file.segments(db).len().div_ceil(WIDTH) as u32;
    if leaves < FEW { 0 } else { leaves.div_ceil(PART) }
}

/// Finds the diagnostics of one part on all cores, for who asks for all of them next.
pub fn find_part(db: &dyn Db, file: SourceFile, unit: ColumnUnit, part: u32) {
    let leaves = file.segments(db).len().div_ceil(WIDTH) as u32;
    let leaves: Vec<u32> = (part * PART..leaves.min((part + 1) * PART)).collect();
    parallel::map(db, &leaves, |db, leaf| chunk(db, file, unit, *leaf).diagnostics.len());
}

/// The chunks below a node of the tree. Nodes of a level are numbered from left to right; those of the lowest gather leaves.
#[salsa::tracked(returns(deref))]
fn node(db: &dyn Db, file: SourceFile, unit: ColumnUnit, level: u32, number: u32) -> Arc<[Arc<PlacedChunk>]> {
    let children = file.segments(db).len().div_ceil(WIDTH.pow(level + 1)) as u32;
    let first = number * WIDTH as u32;
    let children = first..children.min(first + WIDTH as u32);
    match level.checked_sub(1) {
        None => children.map(|leaf| Arc::clone(chunk(db, file, unit, leaf))).collect(),
        Some(below) => children.flat_map(|child| node(db, file, unit, below, child)).cloned().collect(),
    }
}

#[salsa::tracked(returns(ref))]
fn chunk(db: &dyn Db, file: SourceFile, unit: ColumnUnit, number: u32) -> Arc<PlacedChunk> {
    let segments = file.segments(db).chunks(WIDTH).nth(number as usize).unwrap_or_default();
    let text = ChunkText::new(db, segments);
    let mut found: Vec<Relative> = Vec::new();
    for &segment in segments {
        gather(db, segment, &mut found);
    }
    let range = |location: &Location| Some(location.range + text.start(*location)?);
    let is_last = segments.last() == file.segments(db).last();
    let mut depends_on_next = false;
    for diagnostic in &mut found {
        let Some(end) = end_instead(&text, diagnostic) else { continue };
        if is_last {
            let moved = diagnostic.clone().related(Some(diagnostic.at), at_end::MISSING_BEHIND);
            *diagnostic = Relative { at: end, ..moved };
        } else {
            depends_on_next = true;
        }
    }
    found.sort_by_key(|diagnostic| {
        let at = range(&diagnostic.at);
        (at.map(|at| (at.start(), at.end())), diagnostic.severity)
    });
    // The uses of a macro in other chunks count as those in this one.
    let of_macros = found.iter().any(|diagnostic| macro_uses::name_of_macro(db, diagnostic).is_some());
    let places = Places::new(text.text(), unit, found.iter().flat_map(locations).filter_map(range));
    let place = |location: &Location| match range(location) {
        Some(range) => Some(ChunkLocation::Inside(places.of(range.start()), places.of(range.end()))),
        None => Some(ChunkLocation::Outside(*location)),
    };
    let diagnostics: Box<[Placed]> = found
        .into_iter()
        .filter_map(|mut diagnostic| {
            diagnostic.fixes.clear();
            diagnostic.locate(place)
        })
        .collect();
    let is_inside = |diagnostic: &Placed| matches!(diagnostic.at, ChunkLocation::Inside(..));
    let stands_alone =
        !depends_on_next && !of_macros && !marks::says_something(text.text()) && diagnostics.iter().all(is_inside);
    Arc::new(PlacedChunk { diagnostics, extent: places.end, stands_alone })
}

/// The end of the chunk, for what is missing behind its last token.
fn end_instead(text: &ChunkText, diagnostic: &Relative) -> Option<Location> {
    let start = text.start(diagnostic.at)?;
    let range = diagnostic.at.range + start;
    let rest = text.text().get(usize::from(range.start())..)?;
    let is_there =
        at_end::is_about_nothing(diagnostic.code, range) && !rest.is_empty() && at_end::is_trivia(rest.chars());
    let end = TextSize::new(text.text().len() as u32);
    is_there.then(|| Location { range: TextRange::empty(end - start), ..diagnostic.at })
}

/// Where a diagnostic and what is related to it is.
fn locations(diagnostic: &Relative) -> impl Iterator<Item = &Location> {
    diagnostic.related.iter().map(|related| &related.at).chain([&diagnostic.at])
}

/// Lines and columns of some places of a text.
struct Places {
    known: Vec<(TextSize, LineColumn)>,
    end: LineColumn,
}

impl Places {
    fn new(text: &str, unit: ColumnUnit, ranges: impl Iterator<Item = TextRange>) -> Places {
        let mut offsets: Vec<TextSize> = ranges.flat_map(|range| [range.start(), range.end()]).collect();
        offsets.sort_unstable();
        offsets.dedup();
        let mut lines = LineColumns::new(text, unit);
        let known = offsets.into_iter().map(|offset| (offset, lines.at(offset.into()))).collect();
        Places { known, end: lines.at(text.len()) }
    }

    fn of(&self, offset: TextSize) -> LineColumn {
        let index = self.known.binary_search_by_key(&offset, |(offset, _)| *offset);
        index.map_or(self.end, |index| self.known[index].1)
    }
}
