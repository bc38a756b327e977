//! Diagnostics of a file: what every room below found, merged.
//!
//! Findings are gathered per segment, relative to it, and segments in chunks: an edit in one body gathers that segment
//! and its chunk again, and leaves the other chunks' results as they are.

use std::sync::Arc;

use base_db::{Db, Segment, SourceFile};
use hir_def::{
    item,
    position::{self, Location},
};
use hir_ty::{
    check,
    diagnostics::{Tag, location},
};

use crate::{FileRange, TextEdit};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    pub at: FileRange,
    pub severity: Severity,
    /// Slang's number as `E30015`.
    pub code: String,
    /// A short sentence that stands alone.
    pub message: String,
    /// The chain of causes, candidates, declarations.
    pub related: Vec<Related>,
    /// Best first.
    pub fixes: Vec<Fix>,
    /// The text may go: editors dim it.
    pub unnecessary: bool,
    /// What the text names is out of use: editors strike it through.
    pub deprecated: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    Error,
    Warning,
    Info,
    Hint,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Related {
    pub at: FileRange,
    pub message: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fix {
    pub title: String,
    pub edits: Vec<TextEdit>,
}

/// In the order of their places.
pub fn diagnostics(db: &dyn Db, file: SourceFile) -> Vec<Diagnostic> {
    let chunks = file.segments(db).len().div_ceil(CHUNK);
    let mut diagnostics: Vec<Diagnostic> = Vec::new();
    for chunk in 0..chunks {
        let found = chunk_diagnostics(db, file, chunk as u32);
        diagnostics.extend(found.iter().map(|diagnostic| diagnostic.absolute(db)));
    }
    diagnostics.sort_by_key(|diagnostic| (diagnostic.at.range.start(), diagnostic.at.range.end(), diagnostic.severity));
    diagnostics
}

/// A diagnostic whose places are relative to segments: equal after edits elsewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Relative {
    at: Location,
    severity: Severity,
    code: u32,
    message: String,
    related: Vec<(Location, String)>,
    fixes: Vec<(String, Vec<(Location, String)>)>,
    unnecessary: bool,
    deprecated: bool,
}

impl Relative {
    fn absolute(&self, db: &dyn Db) -> Diagnostic {
        let place = |location: Location| {
            let (file, range) = position::absolute(db, location);
            FileRange { file, range }
        };
        Diagnostic {
            at: place(self.at),
            severity: self.severity,
            code: format!("E{:05}", self.code),
            message: self.message.clone(),
            related: self
                .related
                .iter()
                .map(|(at, message)| Related { at: place(*at), message: message.clone() })
                .collect(),
            fixes: self
                .fixes
                .iter()
                .map(|(title, edits)| Fix {
                    title: title.clone(),
                    edits: edits.iter().map(|(at, text)| TextEdit { at: place(*at), text: text.clone() }).collect(),
                })
                .collect(),
            unnecessary: self.unnecessary,
            deprecated: self.deprecated,
        }
    }
}

/// Slang's number of a name that means nothing.
const UNDEFINED_NAME: u32 = 30015;

/// Segments whose diagnostics are merged by one query.
const CHUNK: usize = 64;

#[salsa::tracked(returns(deref))]
fn chunk_diagnostics(db: &dyn Db, file: SourceFile, chunk: u32) -> Arc<[Relative]> {
    let segments = file.segments(db);
    let start = chunk as usize * CHUNK;
    let mut diagnostics = Vec::new();
    for &segment in segments.iter().skip(start).take(CHUNK) {
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
    diagnostics.extend(header.chain(body).map(syntactic));
    let own = item::segment_items(db, segment);
    let declares = own.iter().any(|item| hir_def::body::lower::body(db, *item).declared > 0);
    let local = if declares { item::segment_local_items(db, segment) } else { Vec::new() };
    for &item in own.iter().chain(&local) {
        // The missing file is reported once, where it is named.
        let follows = |diagnostic: &&hir_ty::diagnostics::Diagnostic| {
            diagnostic.code == UNDEFINED_NAME && hir_def::diagnostics::lacks_files(db, segment.file(db))
        };
        let found = check::diagnostics(db, item).filter(|diagnostic| !follows(diagnostic));
        diagnostics.extend(found.filter_map(|diagnostic| of_types(db, diagnostic)));
        diagnostics.extend(differentiability::diagnostics(db, item).iter().map(of_derivatives));
    }
    diagnostics.into()
}

fn syntactic(diagnostic: &hir_def::diagnostics::Diagnostic) -> Relative {
    Relative {
        at: diagnostic.location,
        severity: match diagnostic.severity {
            hir_def::diagnostics::Severity::Error => Severity::Error,
            hir_def::diagnostics::Severity::Warning => Severity::Warning,
        },
        code: diagnostic.code,
        message: diagnostic.message.clone(),
        related: Vec::new(),
        fixes: Vec::new(),
        unnecessary: false,
        deprecated: false,
    }
}

fn of_types(db: &dyn Db, diagnostic: &hir_ty::diagnostics::Diagnostic) -> Option<Relative> {
    let at = location(db, diagnostic.place)?;
    let mut message = diagnostic.message.clone();
    let mut related = Vec::new();
    for note in &diagnostic.notes {
        match note.place.and_then(|place| location(db, place)) {
            Some(place) => related.push((place, note.message.clone())),
            // A note without a place of its own belongs to the sentence.
            None => message.push_str(&format!("; {}", note.message)),
        }
    }
    let fix = diagnostic.fix.iter().map(|fix| (fix.label.clone(), vec![(at, fix.replacement.clone())]));
    Some(Relative {
        at,
        severity: severity(diagnostic.severity),
        code: diagnostic.code,
        message,
        related,
        fixes: fix.collect(),
        unnecessary: diagnostic.tag == Some(Tag::Unnecessary),
        deprecated: diagnostic.tag == Some(Tag::Deprecated),
    })
}

fn of_derivatives(finding: &differentiability::Finding) -> Relative {
    let fixes = finding.fixes.iter().map(|fix| {
        let edits = fix.edits.iter().map(|edit| (edit.location, edit.text.clone())).collect();
        (fix.title.clone(), edits)
    });
    Relative {
        at: finding.location,
        severity: severity(finding.severity),
        code: finding.code,
        message: finding.message.clone(),
        related: finding.causes.iter().map(|cause| (cause.location, cause.message.clone())).collect(),
        fixes: fixes.collect(),
        unnecessary: false,
        deprecated: false,
    }
}

fn severity(severity: hir_ty::diagnostics::Severity) -> Severity {
    match severity {
        hir_ty::diagnostics::Severity::Error => Severity::Error,
        hir_ty::diagnostics::Severity::Warning => Severity::Warning,
        hir_ty::diagnostics::Severity::Hint => Severity::Hint,
    }
}
