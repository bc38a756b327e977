//! A database for one command: the files named on the command line, and what they import.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    sync::Arc,
};

use base_db::{RootDatabase, SourceFile, documents::Documents};
use hir_def::loading::load_dependencies;

use crate::loader;

/// Options that all commands share.
#[derive(Debug, Clone, Default)]
pub struct ProjectOptions {
    /// `-I`.
    pub search_roots: Vec<PathBuf>,
    /// `-D NAME[=VALUE]`.
    pub macro_definitions: Vec<(String, String)>,
}

impl ProjectOptions {
    /// Takes the value of `-D`; a name alone means 1.
    pub fn define(&mut self, value: OsString) {
        let text = value.to_string_lossy();
        let (name, value) = text.split_once('=').unwrap_or((&text, "1"));
        self.macro_definitions.push((name.trim().to_owned(), value.to_owned()));
    }
}

pub struct CommandProject {
    pub db: RootDatabase,
    documents: Documents,
}

impl CommandProject {
    pub fn new(options: &ProjectOptions) -> CommandProject {
        let mut db = RootDatabase::default();
        let mut documents = Documents::new(&mut db);
        documents.load_prelude(&mut db, prelude::FILES.iter().copied());
        let roots = options.search_roots.iter().map(|root| Arc::from(absolute(root))).collect();
        documents.set_search_roots(&mut db, roots);
        let macros =
            options.macro_definitions.iter().map(|(name, value)| (name.as_str().into(), value.as_str().into()));
        documents.set_macro_definitions(&mut db, macros.collect());
        CommandProject { db, documents }
    }

    /// Reads a file and what it imports.
    pub fn load(&mut self, path: &Path) -> Result<SourceFile, String> {
        let name = absolute(path);
        let bytes = loader::read(&name).ok_or_else(|| format!("cannot read {}", path.display()))?;
        self.documents.change_on_disk(&mut self.db, &name, Some(&bytes));
        let file = self.documents.file(&name).ok_or_else(|| format!("cannot read {}", path.display()))?;
        load_dependencies(&mut self.db, &mut self.documents, file, loader::read);
        Ok(file)
    }
}

/// The path by which the database knows a file: absolute, without `.` and `..`.
fn absolute(path: &Path) -> String {
    let path =
        std::fs::canonicalize(path).or_else(|_| std::path::absolute(path)).unwrap_or_else(|_| path.to_path_buf());
    path.to_string_lossy().into_owned()
}

/// The path of a file as a person reads it: relative to the working directory if it is below.
pub fn display_path(path: &str) -> String {
    let relative = std::env::current_dir().ok().and_then(|folder| {
        let folder = std::fs::canonicalize(folder).ok()?;
        Path::new(path).strip_prefix(folder).ok().map(|path| path.to_string_lossy().into_owned())
    });
    relative.unwrap_or_else(|| path.to_owned())
}

/// Slang files among and below the given paths, in order.
pub fn expand(paths: &[PathBuf]) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for path in paths {
        if path.is_dir() {
            for folder in loader::folders_under(std::slice::from_ref(path)) {
                files.extend(slang_files_in(&folder));
            }
        } else {
            files.push(path.clone());
        }
    }
    files
}

fn slang_files_in(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut files: Vec<PathBuf> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.is_file() && path.extension().is_some_and(|extension| extension == "slang"))
        .collect();
    files.sort();
    files
}
