//! Reading files: the texts that documents import and include, found over the search roots.

use std::{
    collections::HashSet,
    path::{Path, PathBuf},
};

use base_db::{RootDatabase, SourceFile, documents::Documents};
use hir_def::modules;

/// Files larger than this are not source.
const MAX_FILE_SIZE: u64 = 64 << 20;

/// Folders of a workspace that are searched; deeper or more are left out.
const MAX_FOLDERS: usize = 512;

const MAX_FOLDER_DEPTH: usize = 6;

/// The bytes of a file; `None` if it cannot be read.
pub fn read(path: &str) -> Option<Vec<u8>> {
    let metadata = std::fs::metadata(path).ok()?;
    if !metadata.is_file() || metadata.len() > MAX_FILE_SIZE {
        return None;
    }
    std::fs::read(path).ok()
}

/// Loads what `file` imports and includes, what that imports, and so on, as far as it is on disk.
pub fn load_dependencies(db: &mut RootDatabase, documents: &mut Documents, file: SourceFile) {
    let mut waiting = vec![file];
    let mut seen = HashSet::from([file]);
    while let Some(file) = waiting.pop() {
        for candidates in dependencies(db, file) {
            let known = candidates.iter().find_map(|path| documents.file(path));
            let found = known.or_else(|| {
                let (path, bytes) = candidates.iter().find_map(|path| Some((path, read(path)?)))?;
                documents.change_on_disk(db, path, Some(&bytes));
                documents.file(path)
            });
            if let Some(dependency) = found
                && seen.insert(dependency)
            {
                waiting.push(dependency);
            }
        }
    }
}

/// For each import and include of a file, the paths at which it may be, best first.
fn dependencies(db: &RootDatabase, file: SourceFile) -> Vec<Vec<String>> {
    let clauses = modules::module_clauses(db, file);
    let items = clauses.imports.iter().chain(&clauses.includes).chain(clauses.implementing.as_ref());
    items.filter_map(|&item| Some(modules::candidates(db, file, modules::path_of(db, item)?))).collect()
}

/// The folders and the folders below them, without hidden ones and those of package managers.
pub fn folders_under(roots: &[PathBuf]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut waiting: Vec<(PathBuf, usize)> = roots.iter().rev().map(|root| (root.clone(), 0)).collect();
    while let Some((folder, depth)) = waiting.pop() {
        if found.len() == MAX_FOLDERS {
            break;
        }
        if depth < MAX_FOLDER_DEPTH {
            waiting.extend(subfolders(&folder).into_iter().rev().map(|folder| (folder, depth + 1)));
        }
        found.push(folder);
    }
    found
}

fn subfolders(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut folders: Vec<PathBuf> = entries
        .flatten()
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
        .filter(|entry| {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            !name.starts_with('.') && !["node_modules", "target", "build", "__pycache__"].contains(&name.as_ref())
        })
        .map(|entry| entry.path())
        .collect();
    folders.sort();
    folders
}
