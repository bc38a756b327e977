//! Finding the files that files need: the writer's side of `import`, `__include` and `#include`.

use base_db::{Project, RootDatabase, SourceFile, documents::Documents};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::{expansion, modules, paths};

/// What files need, as far as it was looked for: an edit that names no other file costs a comparison.
#[derive(Default)]
pub struct Loader {
    /// For each file that was looked at, the names of the files that it needs.
    needed: FxHashMap<SourceFile, Vec<FileNames>>,
    /// What no search root has. Roots are many, and asking the disk for all of them takes its time.
    missing: FxHashSet<FileNames>,
}

/// The names that a file may have, best first.
type FileNames = Vec<String>;

/// How well files are looked at for what they need.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Look {
    /// All that their text makes of them, macros included.
    Close,
    /// What they spell, for files of which nothing else is known yet.
    Brief,
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
        let mut pending: Vec<SourceFile> = files.into_iter().collect();
        // Level by level, so that the list of files changes once for each.
        while !pending.is_empty() {
            let mut found: Vec<(String, Vec<u8>)> = Vec::new();
            let mut next: Vec<SourceFile> = Vec::new();
            for file in std::mem::take(&mut pending) {
                let names = needed(db, file, look);
                if self.needed.get(&file) == Some(&names) {
                    continue;
                }
                names_others = true;
                for names in &names {
                    match self.find(db, file, names, &mut read) {
                        Some(Found::Known(file)) => next.push(file),
                        Some(Found::OnDisk(path, text)) => found.push((path, text)),
                        None => {}
                    }
                }
                self.needed.insert(file, names);
            }
            documents.change_all_on_disk(db, found.iter().map(|(path, text)| (path.as_str(), Some(text.as_slice()))));
            pending = next;
            pending.extend(found.iter().filter_map(|(path, _)| documents.file(path)));
        }
        names_others
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

/// The names of the files that a file needs.
fn needed(db: &RootDatabase, file: SourceFile, look: Look) -> Vec<FileNames> {
    let clauses = match look {
        Look::Close => modules::module_clauses(db, file),
        Look::Brief => &modules::spelled_clauses(db, file),
    };
    let items = clauses.imports.iter().chain(&clauses.includes).chain(&clauses.implementing);
    let by_item = items.filter_map(|item| Some(modules::file_names(modules::path_of(db, *item)?)));
    let included = expansion::paths_in_directives(db, file).iter().map(|path| vec![path.clone()]);
    by_item.chain(included).collect()
}
