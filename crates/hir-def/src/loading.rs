//! Finding the files that a file needs: the writer's side of `import`, `__include` and `#include`.

use base_db::{RootDatabase, SourceFile, documents::Documents};
use rustc_hash::FxHashSet;

use crate::{expansion, modules};

/// Loads what `file` needs, directly or not, as far as `read` finds it. Files that are known already are not read again.
pub fn load_dependencies(
    db: &mut RootDatabase,
    documents: &mut Documents,
    file: SourceFile,
    mut read: impl FnMut(&str) -> Option<Vec<u8>>,
) {
    let mut seen = FxHashSet::from_iter([file]);
    let mut pending = vec![file];
    while let Some(file) = pending.pop() {
        for candidates in needed(db, file) {
            let known = candidates.iter().find_map(|path| documents.file(path));
            let found = known.or_else(|| {
                let (path, text) = candidates.iter().find_map(|path| Some((path, read(path)?)))?;
                documents.change_on_disk(db, path, Some(&text));
                documents.file(path)
            });
            pending.extend(found.filter(|found| seen.insert(*found)));
        }
    }
}

/// For each file that is named, the paths at which it may be, best first.
fn needed(db: &RootDatabase, file: SourceFile) -> Vec<Vec<String>> {
    let clauses = modules::module_clauses(db, file);
    let items = clauses.imports.iter().chain(&clauses.includes).chain(&clauses.implementing);
    let by_item = items.filter_map(|item| Some(modules::candidates(db, file, modules::path_of(db, *item)?)));
    by_item.chain(expansion::include_candidates(db, file)).collect()
}
