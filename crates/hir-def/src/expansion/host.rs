//! What the preprocessor asks about files.

use std::{cell::RefCell, sync::Arc};

use base_db::{Db, Segment, SourceFile, text::Part};
use diagnostics::{codes, stack};
use syntax::preprocess::{self, Expanded, Host, IncludePath, Included, MacroEnv, NotIncluded};

use super::state::State;
use crate::paths;

/// How deep includes may nest.
const MAX_INCLUDE_DEPTH: u32 = ::diagnostics::limits::INCLUDES;

/// The file that an `#include` in `from` means.
pub fn resolve_include(db: &dyn Db, from: SourceFile, path: &IncludePath) -> Option<SourceFile> {
    match path.angled {
        true => paths::file_in_roots(db, &path.path),
        false => file_named(db, from, &path.path),
    }
}

/// The file that a quoted path means in a file.
pub(super) fn file_named(db: &dyn Db, from: SourceFile, path: &str) -> Option<SourceFile> {
    paths::file_named(db, from, &[path.to_owned()])
}

pub(super) struct FileHost<'db> {
    db: &'db dyn Db,
    file: SourceFile,
    /// The place of the text and the text, if it begins with a part of a segment and is not a whole file.
    segment: Option<(Segment, Part, &'db str)>,
    depth: u32,
    /// Grows while the text is expanded.
    once: RefCell<Arc<[SourceFile]>>,
}

impl<'db> FileHost<'db> {
    pub(super) fn of_segment(
        db: &'db dyn Db,
        segment: Segment,
        part: Part,
        text: &'db str,
        state: &State,
    ) -> FileHost<'db> {
        let once = RefCell::new(state.once.clone());
        FileHost { db, file: segment.file(db), segment: Some((segment, part, text)), depth: 0, once }
    }
}

impl Host for FileHost<'_> {
    fn exists(&self, path: &IncludePath) -> bool {
        resolve_include(self.db, self.file, path).is_some()
    }

    fn include(&self, path: &IncludePath, env: &MacroEnv) -> Result<Included, NotIncluded> {
        let Some(file) = resolve_include(self.db, self.file, path) else {
            let message = format!("failed to find include file '{}'", path.path);
            return Err(NotIncluded { code: codes::INCLUDE_NOT_FOUND, message });
        };
        if self.depth >= MAX_INCLUDE_DEPTH {
            let message = format!("including '{}' nests too deeply; does it include itself?", path.path);
            return Err(NotIncluded { code: codes::CYCLIC_INCLUDE, message });
        }
        let once = self.once.borrow().clone();
        if once.contains(&file) {
            let expanded = Arc::new(preprocess::expand("", env, &preprocess::NoFiles));
            return Ok(Included { text: Arc::default(), expanded });
        }
        let state = State { env: env.clone(), once };
        let inclusion = Inclusion::new(self.db, file, state.clone(), self.depth + 1);
        let included = stack::deep(|| included_file(self.db, inclusion));
        let mut behind = state.behind(self.db, file, &included.expanded);
        if included.expanded.pragma_once {
            let mut once = behind.once.to_vec();
            once.push(file);
            once.sort();
            behind.once = once.into();
        }
        *self.once.borrow_mut() = behind.once;
        Ok(included.clone().into())
    }

    fn line(&self, offset: usize) -> u32 {
        let Some((segment, part, text)) = self.segment else {
            return 1 + line_breaks(&file_text(self.db, self.file)[..offset]);
        };
        let inside = line_breaks(text.get(..offset).unwrap_or_default());
        1 + line_breaks(&text_before(self.db, segment, part)) + inside
    }

    fn file_name(&self) -> String {
        self.file.path(self.db).to_string()
    }
}

fn line_breaks(text: &str) -> u32 {
    text.bytes().filter(|byte| *byte == b'\n').count() as u32
}

/// The text of the file in front of a segment's part. Only `__LINE__` asks for it.
fn text_before(db: &dyn Db, segment: Segment, part: Part) -> String {
    let mut text = String::new();
    let mut pending: Vec<(Segment, Part)> = Vec::new();
    for &top in segment.file(db).segments(db).iter().rev() {
        pending.push((top, Part::Header));
    }
    while let Some(next) = pending.pop() {
        if next == (segment, part) {
            break;
        }
        match next {
            (current, Part::Header) => {
                text.push_str(current.header(db));
                pending.push((current, Part::Body));
                pending.extend(current.members(db).iter().rev().map(|member| (*member, Part::Header)));
            }
            (current, Part::Body) => text.push_str(current.body(db)),
        }
    }
    text
}

/// One inclusion of a file.
#[salsa::interned]
struct Inclusion<'db> {
    #[returns(copy)]
    file: SourceFile,
    state: State,
    #[returns(copy)]
    depth: u32,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct IncludedFile {
    text: Arc<str>,
    expanded: Arc<Expanded>,
}

impl From<IncludedFile> for Included {
    fn from(file: IncludedFile) -> Included {
        Included { text: file.text, expanded: file.expanded }
    }
}

#[salsa::tracked]
fn included_file<'db>(db: &'db dyn Db, inclusion: Inclusion<'db>) -> IncludedFile {
    let file = inclusion.file(db);
    let state = inclusion.state(db);
    let text = file_text(db, file);
    let once = RefCell::new(state.once.clone());
    let host = FileHost { db, file, segment: None, depth: inclusion.depth(db), once };
    let expanded = preprocess::expand(text, &state.env, &host);
    let result = expanded.changed_text().cloned().unwrap_or_else(|| text.into());
    IncludedFile { text: result, expanded: Arc::new(expanded) }
}

/// The whole text of a file, for those that include it.
#[salsa::tracked(returns(deref))]
fn file_text(db: &dyn Db, file: SourceFile) -> String {
    text_of(db, file.segments(db))
}

/// The text of some segments that follow each other.
pub(super) fn text_of(db: &dyn Db, segments: &[Segment]) -> String {
    fn write(db: &dyn Db, segments: &[Segment], text: &mut String) {
        for segment in segments {
            text.push_str(segment.header(db));
            write(db, segment.members(db), text);
            text.push_str(segment.body(db));
        }
    }
    let mut text = String::new();
    write(db, segments, &mut text);
    text
}
