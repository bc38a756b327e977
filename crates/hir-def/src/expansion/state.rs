//! The macro definitions and open conditionals before each segment.

use std::sync::Arc;

use base_db::{Db, Project, Segment, SegmentKind, SourceFile, chunks, text::Part};
use rustc_hash::FxHashMap;
use syntax::preprocess::{self, Expanded, MacroEnv};

use super::host::{FileHost, resolve_include};
use crate::modules;

/// What the preprocessor knows at a point. Cheap to clone and to compare.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub(super) struct State {
    pub(super) env: MacroEnv,
    /// Files that said `#pragma once`, sorted: they are not included again.
    pub(super) once: Arc<[SourceFile]>,
}

impl State {
    /// The state after a text of `file`.
    pub(super) fn behind(&self, db: &dyn Db, file: SourceFile, expanded: &Expanded) -> State {
        let mut once = self.once.to_vec();
        add_once(db, file, expanded, &mut once);
        once.sort();
        once.dedup();
        let once = if *once == *self.once { self.once.clone() } else { once.into() };
        State { env: expanded.env.clone(), once }
    }
}

fn add_once(db: &dyn Db, file: SourceFile, expanded: &Expanded, once: &mut Vec<SourceFile>) {
    for include in &expanded.includes {
        let Some(included) = resolve_include(db, file, &include.path) else { continue };
        if include.expanded.pragma_once {
            once.push(included);
        }
        add_once(db, included, &include.expanded, once);
    }
}

/// The states in which a segment's header and body begin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SegmentStates {
    pub(super) header: State,
    pub(super) body: State,
}

/// Only the segments whose state is not the file's first one.
#[derive(Debug, Clone, PartialEq, Eq)]
struct FileStates {
    first: State,
    changed: FxHashMap<Segment, SegmentStates>,
    last: State,
}

#[salsa::tracked]
pub(super) fn states_before(db: &dyn Db, segment: Segment) -> SegmentStates {
    let file = segment.file(db);
    if modules::is_prelude(db, file) {
        return SegmentStates { header: State::default(), body: State::default() };
    }
    let states = file_states(db, file);
    let unchanged = || SegmentStates { header: states.first.clone(), body: states.first.clone() };
    states.changed.get(&segment).cloned().unwrap_or_else(unchanged)
}

/// Whether an `#if` of the file is still open at its end.
pub(super) fn ends_in_conditional(db: &dyn Db, file: SourceFile) -> bool {
    !modules::is_prelude(db, file) && file_states(db, file).last.env.open_conditions() > 0
}

/// Whether a file's directives change what the preprocessor knows.
pub(super) fn changes(db: &dyn Db, file: SourceFile) -> bool {
    !file_states(db, file).changed.is_empty()
}

/// The state that `-D` definitions make.
#[salsa::tracked]
fn first_state(db: &dyn Db, project: Project) -> State {
    let definitions = project.macro_definitions(db);
    let env = MacroEnv::new(definitions.iter().map(|(name, value)| (&**name, &**value)));
    State { env, once: Arc::default() }
}

#[salsa::tracked]
fn file_states(db: &dyn Db, file: SourceFile) -> FileStates {
    let first = Project::try_get(db).map(|project| first_state(db, project).clone()).unwrap_or_default();
    let mut walk = FileWalk { db, file, first: first.clone(), state: first.clone(), changed: FxHashMap::default() };
    for chunk in 0..chunks::chunks(db, file) {
        // Most files change nothing in most places.
        if walk.state != walk.first || !segments_with_directives(db, file, chunk).is_empty() {
            walk.segments(chunks::chunk(db, file, chunk));
        }
    }
    FileStates { first, changed: walk.changed, last: walk.state }
}

struct FileWalk<'db> {
    db: &'db dyn Db,
    file: SourceFile,
    first: State,
    state: State,
    changed: FxHashMap<Segment, SegmentStates>,
}

impl<'db> FileWalk<'db> {
    fn segments(&mut self, segments: &[Segment]) {
        for &segment in segments {
            let header = self.state.clone();
            let has_directives = segment.has_directives(self.db);
            if has_directives {
                self.pass(segment, Part::Header, segment.header(self.db));
            }
            self.segments(segment.members(self.db));
            let body = self.state.clone();
            if has_directives {
                self.pass(segment, Part::Body, segment.body_directives(self.db));
            }
            if header != self.first || body != self.first {
                self.changed.insert(segment, SegmentStates { header, body });
            }
        }
    }

    fn pass(&mut self, segment: Segment, part: Part, text: &'db str) {
        if text.is_empty() {
            return;
        }
        let host = FileHost::of_segment(self.db, segment, part, text, &self.state);
        let expanded = preprocess::expand(text, &self.state.env, &host);
        self.state = self.state.behind(self.db, self.file, &expanded);
    }
}

/// The texts of a file that hold its directives, each with its segment.
pub(super) fn directive_texts(db: &dyn Db, file: SourceFile) -> Vec<(Segment, &str)> {
    let segments = (0..chunks::chunks(db, file)).flat_map(|chunk| segments_with_directives(db, file, chunk));
    let texts = |segment: &Segment| [(*segment, &**segment.header(db)), (*segment, &**segment.body_directives(db))];
    segments.flat_map(texts).collect()
}

#[salsa::tracked(returns(deref))]
fn segments_with_directives(db: &dyn Db, file: SourceFile, chunk: u32) -> Box<[Segment]> {
    chunks::with_members(db, file, chunk).into_iter().filter(|segment| segment.has_directives(db)).collect()
}

/// The top-level segments of a file that are directives.
pub(crate) fn directives(db: &dyn Db, file: SourceFile) -> impl Iterator<Item = Segment> {
    let directives = (0..chunks::chunks(db, file)).flat_map(move |chunk| segments_with_directives(db, file, chunk));
    directives.copied().filter(|segment| segment.kind(db) == SegmentKind::Directive && segment.parent(db).is_none())
}
