//! Finding the files that files need: the writer's side of `import`, `__include` and `#include`.

use base_db::{Project, RootDatabase, SourceFile, documents::Documents};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::{expansion, modules, paths};

/// What files need, as far as it was looked for: an edit that names no other file costs a comparison.
#[derive(Default)]
pub struct Loader {
    /// For each file that was looked at, how, and the files that it needs.
    needed: FxHashMap<SourceFile, (Look, Vec<Needed>)>,
    /// What no search root has. Roots are many, and asking the disk for all of them takes its time.
    missing: FxHashSet<FileNames>,
}

/// The names that a file may have, best first.
type FileNames = Vec<String>;

/// A file that another one needs, and how that one is to be looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Needed {
    names: FileNames,
    look: Look,
}

/// How well files are looked at for what they need.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Look {
    /// What they spell: for headers, which mean nothing by themselves and may stand under a condition that does not hold, and
    /// for files of which nothing else is known yet.
    Brief,
    /// All that their text makes of them, macros and headers included.
    Close,
}

/// Loads what one file needs; see [`Loader::load`].
pub fn load_dependencies(
    db: &mut RootDatabase,
    documents: &mut Documents,
    file: SourceFile,
    read: impl FnMut(&str) -> Option<Vec<u8>>,
) {
    Loader::default().load(db, documents, [file], Look::Close, read);
}

impl Loader {
    /// Loads what files need, directly or not, as far as `read` finds it. Files that are known already are not read again.
    /// Returns whether any names others than when it was looked at last.
    pub fn load(
        &mut self,
        db: &mut RootDatabase,
        documents: &mut Documents,
        files: impl IntoIterator<Item = SourceFile>,
        look: Look,
        mut read: impl FnMut(&str) -> Option<Vec<u8>>,
    ) -> bool {
        let mut names_others = false;
        let mut pending: Vec<(SourceFile, Look)> = files.into_iter().map(|file| (file, look)).collect();
        let mut modules: FxHashSet<SourceFile> = FxHashSet::default();
        let mut headers_are_new = false;
        // Level by level, so that the list of files changes once for each.
        while !pending.is_empty() {
            let mut found: Vec<(String, Vec<u8>, Look)> = Vec::new();
            let mut next: Vec<(SourceFile, Look)> = Vec::new();
            for (file, look) in std::mem::take(&mut pending) {
                if look == Look::Close {
                    modules.insert(file);
                } else if self.needed.get(&file).is_some_and(|(before, _)| *before == Look::Close) {
                    continue;
                }
                let needed = needed(db, file, look);
                if self.needed.get(&file).is_some_and(|(before, known)| *before == look && *known == needed) {
                    continue;
                }
                names_others = true;
                if modules::asks_for_glsl(db, file) {
                    documents.load_glsl(db);
                }
                for Needed { names, look } in &needed {
                    match self.find(db, file, names, &mut read) {
                        Some(Found::Known(file)) => next.push((file, *look)),
                        Some(Found::OnDisk(path, text)) => found.push((path, text, *look)),
                        None => {}
                    }
                }
                self.needed.insert(file, (look, needed));
            }
            documents
                .change_all_on_disk(db, found.iter().map(|(path, text, _)| (path.as_str(), Some(text.as_slice()))));
            headers_are_new |= found.iter().any(|(.., look)| *look == Look::Brief);
            pending = next;
            pending.extend(found.iter().filter_map(|(path, _, look)| Some((documents.file(path)?, *look))));
            // What headers import is known now to those that include them.
            if pending.is_empty() && std::mem::take(&mut headers_are_new) {
                pending.extend(modules.iter().map(|file| (*file, Look::Close)));
            }
        }
        names_others
    }

    /// Whether something was not found, neither beside who asks for it nor in a search root.
    pub fn misses_files(&self) -> bool {
        !self.missing.is_empty()
    }

    /// A file that is not known any more, whatever it needs.
    pub fn forget_file(&mut self, file: SourceFile) {
        self.needed.remove(&file);
    }

    /// What was not found may be there now, or elsewhere than before.
    pub fn forget(&mut self) {
        self.needed.clear();
        self.missing.clear();
    }

    fn find(
        &mut self,
        db: &RootDatabase,
        from: SourceFile,
        names: &FileNames,
        mut read: impl FnMut(&str) -> Option<Vec<u8>>,
    ) -> Option<Found> {
        let project = Project::try_get(db)?;
        let mut on_disk = |path: String| read(&path).map(|text| Found::OnDisk(path, text));
        // A neighbor hides what the search roots have, whether it is known already or not.
        for path in paths::beside(db, from, names) {
            let known = project.files(db).get(path.as_str()).map(|file| Found::Known(*file));
            if let Some(found) = known.or_else(|| on_disk(path)) {
                return Some(found);
            }
        }
        if let Some(known) = paths::file_named(db, from, names) {
            return Some(Found::Known(known));
        }
        if self.missing.contains(names) {
            return None;
        }
        let found = paths::in_roots(project.search_roots(db), names).find_map(on_disk);
        if found.is_none() {
            self.missing.insert(names.clone());
        }
        found
    }
}

enum Found {
    Known(SourceFile),
    OnDisk(String, Vec<u8>),
}

/// Some files, and what they need, directly or not, as far as it is known.
pub fn with_needed(db: &RootDatabase, files: impl IntoIterator<Item = (SourceFile, Look)>) -> FxHashSet<SourceFile> {
    let mut seen: FxHashMap<SourceFile, Look> = FxHashMap::default();
    let mut pending: Vec<(SourceFile, Look)> = files.into_iter().collect();
    while let Some((file, look)) = pending.pop() {
        if seen.get(&file).is_some_and(|before| *before >= look) {
            continue;
        }
        seen.insert(file, look);
        let found = needed(db, file, look).into_iter();
        pending.extend(found.filter_map(|Needed { names, look }| Some((paths::file_named(db, file, &names)?, look))));
    }
    seen.into_keys().collect()
}

/// The files that a file needs.
fn needed(db: &RootDatabase, file: SourceFile, look: Look) -> Vec<Needed> {
    let clauses = match look {
        Look::Close => modules::module_clauses(db, file),
        Look::Brief => &modules::spelled_clauses(db, file),
    };
    let items = clauses.imports.iter().chain(&clauses.includes).chain(&clauses.implementing);
    let by_item = items.filter_map(|item| Some(modules::file_names(modules::path_of(db, *item)?)));
    let by_item = by_item.map(|names| Needed { names, look });
    let included = expansion::paths_in_directives(db, file).iter();
    by_item.chain(included.map(|path| Needed { names: vec![path.clone()], look: Look::Brief })).collect()
}
