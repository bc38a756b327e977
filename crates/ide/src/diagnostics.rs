//! Diagnostics of a file: what every room below found, merged.
//!
//! Findings are gathered per segment, relative to it, and segments in chunks: an edit in one body gathers that segment
//! and its chunk again, and leaves the other chunks' results as they are.

mod at_end;
mod macro_uses;
mod placed;
mod written_fixes;

use std::sync::Arc;

pub use ::diagnostics::{Code, Severity, Tag, codes};
use base_db::{
    Db, Segment, SourceFile,
    chunks::{self, chunks},
    parallel,
};
use hir_def::{
    item,
    position::{self, Location},
};
use hir_ty::diagnostics::location;
pub use placed::{ChunkLocation, Placed, PlacedChunk, find_part, parts, placed};

use crate::{FileRange, pragma_warnings, severities};

/// A diagnostic at a range of a file.
pub type Diagnostic = ::diagnostics::Diagnostic<FileRange>;

/// A change of texts that answers a diagnostic.
pub type Fix = ::diagnostics::Fix<FileRange>;

/// A diagnostic whose places are relative to segments: equal after edits elsewhere.
type Relative = ::diagnostics::Diagnostic<Location>;

/// In the order of their places, without those that comments allow (see [`severities`]).
pub fn diagnostics(db: &dyn Db, file: SourceFile) -> Vec<Diagnostic> {
    let found: Vec<&[Relative]> = (0..chunks(db, file)).map(|chunk| chunk_diagnostics(db, file, chunk)).collect();
    let mut diagnostics: Vec<Diagnostic> = Vec::with_capacity(found.iter().map(|found| found.len()).sum());
    let mut said = macro_uses::Said::default();
    for diagnostic in found.into_iter().flatten().filter(|diagnostic| said.is_new(db, diagnostic)) {
        diagnostics.extend(diagnostic.locate(|location| Some(absolute(db, *location))));
    }
    at_end::move_there(db, &mut diagnostics);
    written_fixes::add_fixes(db, &mut diagnostics);
    severities::take_allowed_out(db, &mut diagnostics);
    diagnostics.sort_by_key(|diagnostic| (diagnostic.at.range.start(), diagnostic.at.range.end(), diagnostic.severity));
    pragma_warnings::apply(db, &mut diagnostics);
    diagnostics
}

/// Finds them on all cores, for who asks for them next. Not for queries.
pub fn find(db: &dyn Db, file: SourceFile) {
    let chunks: Vec<u32> = (0..chunks(db, file)).collect();
    parallel::map(db, &chunks, |db, chunk| chunk_diagnostics(db, file, *chunk).len());
}

fn absolute(db: &dyn Db, location: Location) -> FileRange {
    let (file, range) = position::absolute(db, location);
    FileRange { file, range }
}

#[salsa::tracked(returns(deref))]
fn chunk_diagnostics(db: &dyn Db, file: SourceFile, chunk: u32) -> Arc<[Relative]> {
    let mut diagnostics = Vec::new();
    for &segment in chunks::chunk(db, file, chunk) {
        gather(db, segment, &mut diagnostics);
    }
    diagnostics.into()
}

fn gather(db: &dyn Db, segment: Segment, diagnostics: &mut Vec<Relative>) {
    let mut waiting = vec![segment];
    while let Some(segment) = waiting.pop() {
        db.unwind_if_revision_cancelled();
        diagnostics.extend_from_slice(segment_diagnostics(db, segment));
        waiting.extend(segment.members(db).iter().rev());
    }
}

/// What is wrong with a segment, without its members.
#[salsa::tracked(returns(deref))]
fn segment_diagnostics(db: &dyn Db, segment: Segment) -> Arc<[Relative]> {
    let mut diagnostics: Vec<Relative> = Vec::new();
    let header = hir_def::diagnostics::header_diagnostics(db, segment).iter();
    let body = hir_def::diagnostics::body_diagnostics(db, segment).iter();
    diagnostics.extend(header.chain(body).cloned());
    for item in item::segment_bodies(db, segment) {
        // The missing file is reported once, where it is named.
        let follows = |diagnostic: &&hir_ty::diagnostics::Diagnostic| {
            diagnostic.code == codes::UNDEFINED_NAME && hir_def::diagnostics::lacks_files(db, segment.file(db))
        };
        let found = checks::diagnostics(db, item).filter(|diagnostic| !follows(diagnostic));
        diagnostics.extend(found.filter_map(|diagnostic| diagnostic.locate(|place| location(db, *place))));
        diagnostics.extend(differentiability::diagnostics(db, item).iter().cloned());
    }
    diagnostics.into()
}
