//! Headers. What an `#include` brings in is declared anew wherever the directive stands, so that a name in a header means
//! as many declarations as there are files that include it. They are one to the user, because they are written in one
//! place.

use base_db::{Db, Segment, SourceFile};
use hir_def::expansion;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::mentions::user_files;

/// A file, and the directive that brings it in, itself or by another file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Inclusion {
    pub segment: Segment,
    pub file: SourceFile,
}

/// What the directives of a file bring in.
pub(crate) fn inclusions_in(db: &dyn Db, file: SourceFile) -> Vec<Inclusion> {
    if expansion::named_in_directives(db, file).is_empty() {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut waiting: Vec<Segment> = file.segments(db).iter().rev().copied().collect();
    while let Some(segment) = waiting.pop() {
        found.extend(expansion::included_files(db, segment).into_iter().map(|file| Inclusion { segment, file }));
        waiting.extend(segment.members(db).iter().rev());
    }
    found
}

/// Where a file is brought in.
pub(crate) fn inclusions_of(db: &dyn Db, header: SourceFile) -> Vec<Inclusion> {
    let including = files_that_include(db, header);
    let inclusions = including.into_iter().flat_map(|file| inclusions_in(db, file));
    inclusions.filter(|inclusion| inclusion.file == header).collect()
}

/// The files whose directives name a file, or another that does, by path.
pub(crate) fn files_that_include(db: &dyn Db, header: SourceFile) -> Vec<SourceFile> {
    let named: Vec<(SourceFile, Vec<SourceFile>)> = user_files(db)
        .into_iter()
        .map(|file| (file, expansion::named_in_directives(db, file)))
        .filter(|(_, named)| !named.is_empty())
        .collect();
    let mut reached = FxHashSet::from_iter([header]);
    let mut found = FxHashSet::default();
    loop {
        let before = found.len();
        for (file, named) in &named {
            if named.iter().any(|named| reached.contains(named)) {
                reached.insert(*file);
                found.insert(*file);
            }
        }
        if found.len() == before {
            break;
        }
    }
    named.into_iter().map(|(file, _)| file).filter(|file| found.contains(file)).collect()
}

/// Which files are brought in by which: a header is no module, and what it says is right or wrong where it is included.
#[derive(Debug, Default)]
pub struct Headers {
    including: FxHashMap<SourceFile, Vec<SourceFile>>,
}

impl Headers {
    /// Of all known files.
    pub fn new(db: &dyn Db) -> Headers {
        let mut headers = Headers::default();
        for file in user_files(db) {
            db.unwind_if_revision_cancelled();
            for named in expansion::named_in_directives(db, file).into_iter().filter(|named| *named != file) {
                headers.including.entry(named).or_default().push(file);
            }
        }
        headers
    }

    /// Whether a file is only there to be included.
    pub fn is_header(&self, db: &dyn Db, file: SourceFile) -> bool {
        let path = file.path(db);
        let is_module = path.ends_with(".slang") || path.ends_with(".hlsl");
        !is_module || self.contexts(file).next().is_some()
    }

    /// Whether some file brings it in, be it one that it brings in itself.
    pub fn is_included(&self, file: SourceFile) -> bool {
        self.including.contains_key(&file)
    }

    /// The files that bring in a file, directly or not, and are not brought in themselves.
    pub fn contexts(&self, file: SourceFile) -> impl Iterator<Item = SourceFile> {
        let mut seen = FxHashSet::from_iter([file]);
        let mut pending = vec![file];
        std::iter::from_fn(move || {
            while let Some(next) = pending.pop() {
                match self.including.get(&next) {
                    Some(including) => pending.extend(including.iter().rev().filter(|file| seen.insert(**file))),
                    None => return Some(next),
                }
            }
            None
        })
        // Without itself, where nothing brings it in.
        .filter(move |context| *context != file)
    }
}
