//! The diagnostics of documents as JSON, kept chunk by chunk: after an edit, what did not change and did not move is
//! copied.

use std::sync::{Arc, Mutex, PoisonError};

use base_db::{SourceFile, line_column::LineColumn};
use hir_def::position;
use ide::{
    FileRange,
    diagnostics::{ChunkLocation, PlacedChunk, placed},
    severities::Severities,
};
use rustc_hash::FxHashMap;
use tower_lsp::ls_types::{DiagnosticSeverity, Location, Position, Range};

use super::{convert, diagnostic_limit, world::Snapshot};

#[derive(Debug, Default)]
pub(crate) struct RenderedDiagnostics {
    documents: Mutex<FxHashMap<SourceFile, Document>>,
}

#[derive(Debug, Default)]
struct Document {
    severities: Arc<Severities>,
    chunks: Vec<Chunk>,
}

#[derive(Debug)]
struct Chunk {
    placed: Arc<PlacedChunk>,
    start: LineColumn,
    /// Places in other chunks and files, and where they were.
    outside: Vec<(position::Location, Option<Location>)>,
    /// A comma before each diagnostic.
    json: Box<str>,
    /// Of each diagnostic its severity, and where it ends in the text.
    ends: Box<[(Option<DiagnosticSeverity>, u32)]>,
}

impl RenderedDiagnostics {
    /// Writes the list of a file's diagnostics, if they are found in chunks that stand alone.
    pub(crate) fn write(&self, snapshot: &Snapshot, file: SourceFile, json: &mut String) -> bool {
        let Some(placed) = placed(&snapshot.db, file, snapshot.client.columns) else { return false };
        let mut documents = self.documents.lock().unwrap_or_else(PoisonError::into_inner);
        let document = documents.entry(file).or_default();
        if !Arc::ptr_eq(&document.severities, &snapshot.severities) {
            *document = Document { severities: Arc::clone(&snapshot.severities), chunks: Vec::new() };
        }
        document.chunks.truncate(placed.len());
        let mut start = LineColumn { line: 0, column: 0 };
        for (index, placed) in placed.iter().enumerate() {
            match document.chunks.get_mut(index) {
                Some(chunk) if chunk.is_as_it_was(snapshot, placed, start) => {}
                Some(chunk) => *chunk = Chunk::new(snapshot, file, placed, start),
                None => document.chunks.push(Chunk::new(snapshot, file, placed, start)),
            }
            start = placed.extent.behind(start);
        }
        json.reserve(document.chunks.iter().map(|chunk| chunk.json.len()).sum::<usize>() + 256);
        let list = json.len();
        document.write(json);
        if json.len() == list {
            json.push('[');
        } else {
            // The bracket goes in place of the first comma.
            json.replace_range(list..=list, "[");
        }
        json.push(']');
        true
    }

    /// A document was closed.
    pub(crate) fn forget(&self, file: SourceFile) {
        self.documents.lock().unwrap_or_else(PoisonError::into_inner).remove(&file);
    }
}

impl Document {
    /// Writes all diagnostics, or as many as are shown, with a comma before each.
    fn write(&self, json: &mut String) {
        let count: usize = self.chunks.iter().map(|chunk| chunk.ends.len()).sum();
        if count <= diagnostic_limit::MAX_SHOWN {
            self.chunks.iter().for_each(|chunk| json.push_str(&chunk.json));
            return;
        }
        let severities: Vec<_> = self.chunks.iter().flat_map(|chunk| chunk.ends.iter().map(|(of, _)| *of)).collect();
        let Some(kept) = diagnostic_limit::kept(&severities) else { return };
        let rest = diagnostic_limit::remainder(&severities, &kept);
        json.push(',');
        json.push_str(&serde_json::to_string(&rest).unwrap_or_default());
        let all = self.chunks.iter().flat_map(|chunk| {
            let starts = std::iter::once(0).chain(chunk.ends.iter().map(|(_, end)| *end as usize));
            starts.zip(&chunk.ends).map(|(start, (_, end))| chunk.json.get(start..*end as usize).unwrap_or_default())
        });
        all.zip(&kept).filter(|(_, kept)| **kept).for_each(|(diagnostic, _)| json.push_str(diagnostic));
    }
}

impl Chunk {
    fn new(snapshot: &Snapshot, file: SourceFile, placed: &Arc<PlacedChunk>, start: LineColumn) -> Chunk {
        let mut outside = Vec::new();
        let mut json = String::new();
        let mut ends = Vec::new();
        for diagnostic in &placed.diagnostics {
            let Some(severity) = snapshot.severities.wanted(diagnostic.code, diagnostic.severity) else { continue };
            let Some(range) = inside(&diagnostic.at, start) else { continue };
            let location = |place: &ChunkLocation| match place {
                ChunkLocation::Inside(..) => Some(Location { uri: snapshot.uri(file)?, range: inside(place, start)? }),
                ChunkLocation::Outside(location) => {
                    let now = located(snapshot, *location);
                    outside.push((*location, now.clone()));
                    now
                }
            };
            let mut shown = snapshot.diagnostic_at(diagnostic, range, location);
            shown.severity = Some(convert::severity(severity));
            json.push(',');
            json.push_str(&serde_json::to_string(&shown).unwrap_or_default());
            ends.push((shown.severity, json.len() as u32));
        }
        Chunk { placed: Arc::clone(placed), start, outside, json: json.into(), ends: ends.into() }
    }

    fn is_as_it_was(&self, snapshot: &Snapshot, placed: &Arc<PlacedChunk>, start: LineColumn) -> bool {
        let stayed = |(location, before): &(position::Location, _)| located(snapshot, *location) == *before;
        Arc::ptr_eq(&self.placed, placed) && self.start == start && self.outside.iter().all(stayed)
    }
}

/// The range of a place in a chunk that begins at `start`.
fn inside(place: &ChunkLocation, start: LineColumn) -> Option<Range> {
    let shown = |at: LineColumn| Position { line: at.line, character: at.column };
    match place {
        ChunkLocation::Inside(from, to) => {
            Some(Range { start: shown(from.behind(start)), end: shown(to.behind(start)) })
        }
        ChunkLocation::Outside(_) => None,
    }
}

fn located(snapshot: &Snapshot, location: position::Location) -> Option<Location> {
    let (file, range) = position::absolute(&snapshot.db, location);
    snapshot.location(FileRange { file, range })
}
