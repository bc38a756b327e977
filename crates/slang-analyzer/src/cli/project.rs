//! A database for one command: the files named on the command line, and what they import.

use std::{
    io::Read as _,
    path::{Path, PathBuf},
    sync::{Arc, atomic::AtomicBool},
};

use base_db::{
    Project, RootDatabase, SourceFile,
    documents::{Documents, PRELUDE_SCHEME},
};
use hir_def::loading::{Loader, Look};
use rustc_hash::FxHashSet;

use super::arguments::ProjectArguments;
use crate::{
    compiler_flags::CompilerFlags,
    discovery::{self, Filter},
    loader,
};

/// The path that stands for standard input.
const STANDARD_INPUT: &str = "-";

/// Its name in reports. What it imports is looked for from the working directory on.
const STANDARD_INPUT_NAME: &str = "<stdin>";

pub struct CommandProject {
    pub db: RootDatabase,
    documents: Documents,
    loader: Loader,
    /// What options of slangc ask for.
    pub flags: CompilerFlags,
}

impl CommandProject {
    /// # Errors
    /// If an option of slangc is none.
    pub fn new(arguments: &ProjectArguments) -> Result<CommandProject, String> {
        let flags = arguments.compiler_flags()?;
        let mut db = RootDatabase::default();
        let mut documents = Documents::new(&mut db);
        documents.load_prelude(&mut db, prelude::files());
        documents.offer_glsl(prelude::glsl_files);
        let roots = arguments.search_roots.iter().chain(&flags.search_roots);
        documents.set_search_roots(&mut db, roots.map(|root| Arc::from(absolute(root))).collect());
        let macros = arguments.macro_definitions.iter().chain(&flags.macro_definitions);
        let macros = macros.map(|(name, value)| (name.as_str().into(), value.as_str().into()));
        documents.set_macro_definitions(&mut db, macros.collect());
        documents.set_unscoped_enums(&mut db, flags.unscoped_enums);
        documents.set_allow_glsl(&mut db, flags.allow_glsl);
        Ok(CommandProject { db, documents, loader: Loader::default(), flags })
    }

    /// The paths of all files that were read, without the core library.
    pub fn paths(&self) -> Vec<String> {
        let files = Project::get(&self.db).files(&self.db).keys();
        let mut paths: Vec<String> = files.map(ToString::to_string).collect();
        paths.retain(|path| !path.starts_with(PRELUDE_SCHEME));
        paths.sort_unstable();
        paths
    }

    /// Reads a file (or with `-` standard input) and what it imports.
    ///
    /// # Errors
    /// If it cannot be read; why.
    pub fn load(&mut self, path: &Path) -> Result<SourceFile, String> {
        self.load_all(&[path.to_path_buf()]).pop().unwrap_or_else(|| Err(cannot_read(path)))
    }

    /// Reads files and what they import, in the order of the paths; of those that cannot be read, why.
    pub fn load_all(&mut self, paths: &[PathBuf]) -> Vec<Result<SourceFile, String>> {
        let (streams, on_disk): (Vec<&PathBuf>, Vec<&PathBuf>) = paths.iter().partition(|path| is_stream(path));
        let on_disk: Vec<PathBuf> = on_disk.into_iter().map(|path| absolute(path).into()).collect();
        let mut texts = discovery::read_all(&on_disk);
        texts.extend(streams.into_iter().filter_map(|path| Some((known_as(path), read_stream(path)?))));
        let changes = texts.iter().map(|(name, text)| (name.as_str(), Some(text.as_slice())));
        self.documents.change_all_on_disk(&mut self.db, changes);
        let files: Vec<Result<SourceFile, String>> =
            paths.iter().map(|path| self.documents.file(&known_as(path)).ok_or_else(|| cannot_read(path))).collect();
        let found = || files.iter().filter_map(|file| file.as_ref().ok().copied());
        self.loader.load(&mut self.db, &mut self.documents, found(), Look::Close, loader::read);
        // Looking for Python's packages takes its time, and most programs need none.
        if self.loader.misses_files() && self.add_python_modules(&on_disk) {
            self.loader.forget();
            self.loader.load(&mut self.db, &mut self.documents, found(), Look::Close, loader::read);
        }
        files
    }

    /// Adds the folders where Python packages keep modules to the search roots, as the server does, with the folders around the
    /// files for the workspace. Returns whether there are any.
    fn add_python_modules(&mut self, files: &[PathBuf]) -> bool {
        let mut around: Vec<PathBuf> = Vec::new();
        for folder in files.iter().flat_map(|file| file.ancestors().skip(1)) {
            if !around.iter().any(|known| known == folder) {
                around.push(folder.to_path_buf());
            }
        }
        let known = Project::get(&self.db).search_roots(&self.db).to_vec();
        let mut roots = known.clone();
        for folder in loader::python_module_folders(&around) {
            let folder: Arc<str> = Arc::from(folder.to_string_lossy().as_ref());
            if !roots.contains(&folder) {
                roots.push(folder);
            }
        }
        let has_new = roots.len() > known.len();
        if has_new {
            self.documents.set_search_roots(&mut self.db, roots);
        }
        has_new
    }
}

/// Whether a path is read from its beginning to its end, once: standard input, pipes.
fn is_stream(path: &Path) -> bool {
    let is_file = |metadata: std::fs::Metadata| metadata.is_file() || metadata.is_dir();
    path.as_os_str() == STANDARD_INPUT || std::fs::metadata(path).is_ok_and(|metadata| !is_file(metadata))
}

fn read_stream(path: &Path) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = if path.as_os_str() == STANDARD_INPUT {
        std::io::stdin().lock().take(loader::MAX_FILE_SIZE).read_to_end(&mut bytes)
    } else {
        std::fs::File::open(path).ok()?.take(loader::MAX_FILE_SIZE).read_to_end(&mut bytes)
    };
    read.ok().map(|_| bytes)
}

/// The path by which the database knows what a path of the command line names.
fn known_as(path: &Path) -> String {
    if path.as_os_str() == STANDARD_INPUT {
        return absolute(Path::new(STANDARD_INPUT_NAME));
    }
    // Where the link of a pipe leads is no path.
    match is_stream(path) {
        true => std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf()).to_string_lossy().into_owned(),
        false => absolute(path),
    }
}

fn cannot_read(path: &Path) -> String {
    let why = match std::fs::metadata(path) {
        Ok(metadata) if metadata.is_dir() => "it is a folder".to_owned(),
        Ok(metadata) if metadata.len() > loader::MAX_FILE_SIZE => {
            format!("it has more than {} MiB", loader::MAX_FILE_SIZE >> 20)
        }
        _ => match std::fs::File::open(path) {
            Ok(_) => return format!("cannot read {}", path.display()),
            Err(error) => error.to_string(),
        },
    };
    format!("cannot read {}: {why}", path.display())
}

/// The process ends with its command, and the system takes its memory back at once: to free it piece by piece would cost a
/// seventh of `check`.
impl Drop for CommandProject {
    fn drop(&mut self) {
        std::mem::forget(self.db.clone());
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

/// Slang files among and below the given paths, in order, each once.
pub fn expand(paths: &[PathBuf]) -> Vec<PathBuf> {
    let filter = Filter { extensions: vec!["slang".to_owned()], excluded: Vec::new() };
    let mut files = Vec::new();
    let mut seen = FxHashSet::default();
    for path in paths {
        if path.is_dir() {
            let found = discovery::discover(std::slice::from_ref(path), &filter, &AtomicBool::new(false));
            files.extend(found.files);
        } else {
            files.push(path.clone());
        }
    }
    files.retain(|path| seen.insert(known_as(path)));
    files
}

/// The folders among the paths without a Slang file below them.
pub fn without_files<'a>(paths: &'a [PathBuf], files: &[PathBuf]) -> impl Iterator<Item = &'a PathBuf> {
    let folders = paths.iter().filter(|path| path.is_dir());
    folders.filter(|folder| !files.iter().any(|file| file.starts_with(folder)))
}
