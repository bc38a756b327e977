//! What the writer owns: the database, the documents, the settings.

use std::{cell::RefCell, collections::BTreeMap, path::PathBuf, sync::Arc};

use base_db::{
    RootDatabase, SourceFile,
    documents::{Documents, PRELUDE_SCHEME},
    line_column::ColumnUnit,
};
use hir_def::loading::load_dependencies;
use ide::{diagnostics::Diagnostic, severities::Severities};
use rustc_hash::FxHashMap;
use tokio::sync::mpsc::UnboundedSender;
use tower_lsp::ls_types::{TextDocumentContentChangeEvent, Uri};

use super::{
    configuration::{self, Hints, Settings},
    convert,
    diagnostics::{self, Message},
};
use crate::loader;

/// A document that the client has open.
#[derive(Debug, Clone, Copy)]
pub struct OpenDocument {
    pub file: SourceFile,
    pub version: i32,
}

/// What the client told about itself.
#[derive(Debug, Clone, Copy)]
pub struct ClientFacts {
    pub columns: ColumnUnit,
    /// Asks for diagnostics itself, so none are pushed.
    pub pulls_diagnostics: bool,
}

impl Default for ClientFacts {
    fn default() -> Self {
        ClientFacts { columns: ColumnUnit::Utf16, pulls_diagnostics: false }
    }
}

pub struct World {
    db: RootDatabase,
    documents: Documents,
    open: Arc<BTreeMap<Uri, OpenDocument>>,
    client: ClientFacts,
    /// Folders of the workspace.
    folders: Vec<PathBuf>,
    settings: Settings,
    publisher: UnboundedSender<Message>,
    /// Something changed since diagnostics were scheduled last.
    changed: bool,
}

/// The state of the world at one moment, for readers.
pub struct Snapshot {
    pub db: RootDatabase,
    pub open: Arc<BTreeMap<Uri, OpenDocument>>,
    pub client: ClientFacts,
    pub hints: Hints,
    pub severities: Arc<Severities>,
    /// The URIs of files, as far as they were asked for.
    pub uris: RefCell<FxHashMap<SourceFile, Option<Uri>>>,
}

impl Snapshot {
    /// The diagnostics of a file as the user wants to see them.
    pub fn diagnostics(&self, file: SourceFile) -> Vec<Diagnostic> {
        let mut diagnostics = ide::diagnostics::diagnostics(&self.db, file);
        self.severities.apply(&mut diagnostics);
        diagnostics
    }
}

impl World {
    pub fn new(publisher: UnboundedSender<Message>) -> World {
        let mut db = RootDatabase::default();
        let mut documents = Documents::new(&mut db);
        documents.load_prelude(&mut db, prelude::FILES.iter().copied());
        World {
            db,
            documents,
            open: Arc::default(),
            client: ClientFacts::default(),
            folders: Vec::new(),
            settings: Settings::default(),
            publisher,
            changed: false,
        }
    }

    pub fn snapshot(&self) -> Snapshot {
        Snapshot {
            db: self.db.clone(),
            open: Arc::clone(&self.open),
            client: self.client,
            hints: self.settings.hints,
            severities: Arc::clone(&self.settings.severities),
            uris: RefCell::default(),
        }
    }

    pub fn initialize(&mut self, client: ClientFacts, folders: Vec<PathBuf>) {
        self.client = client;
        self.folders = folders;
        self.apply_settings();
    }

    pub fn change_folders(&mut self, added: Vec<PathBuf>, removed: &[PathBuf]) {
        self.folders.retain(|folder| !removed.contains(folder));
        self.folders.extend(added);
        self.apply_settings();
    }

    pub fn configure(&mut self, settings: Settings) {
        if settings != self.settings {
            self.settings = settings;
            self.apply_settings();
        }
    }

    pub fn open_document(&mut self, uri: Uri, version: i32, text: &str) {
        let path = convert::path_of(&uri);
        if path.starts_with(PRELUDE_SCHEME) {
            // The core library is what it is, whatever the client believes.
            if let Some(file) = self.documents.file(&path) {
                Arc::make_mut(&mut self.open).insert(uri, OpenDocument { file, version });
            }
            return;
        }
        let file = self.documents.open(&mut self.db, &path, text);
        Arc::make_mut(&mut self.open).insert(uri, OpenDocument { file, version });
        load_dependencies(&mut self.db, &mut self.documents, file, loader::read);
        self.changed = true;
    }

    /// Applies changes in order; positions of each refer to the text after the ones before.
    pub fn change_document(&mut self, uri: &Uri, version: i32, changes: Vec<TextDocumentContentChangeEvent>) {
        let Some(document) = Arc::make_mut(&mut self.open).get_mut(uri) else { return };
        document.version = version;
        let file = document.file;
        let path = convert::path_of(uri);
        if path.starts_with(PRELUDE_SCHEME) {
            return;
        }
        for change in changes {
            match change.range {
                Some(range) => {
                    let Some(range) = convert::byte_range(&self.db, file, range, self.client.columns) else { continue };
                    self.documents.edit(&mut self.db, &path, range, &change.text);
                }
                None => drop(self.documents.open(&mut self.db, &path, &change.text)),
            }
        }
        load_dependencies(&mut self.db, &mut self.documents, file, loader::read);
        self.changed = true;
    }

    /// From now on the file is what the disk says.
    pub fn close_document(&mut self, uri: &Uri) {
        if Arc::make_mut(&mut self.open).remove(uri).is_none() {
            return;
        }
        let path = convert::path_of(uri);
        if path.starts_with(PRELUDE_SCHEME) {
            return;
        }
        self.documents.close(&mut self.db, &path, loader::read(&path).as_deref());
        let _ = self.publisher.send(Message::Closed(uri.clone()));
        self.changed = true;
    }

    /// A file that is not open changed, appeared or went on disk.
    pub fn disk_changed(&mut self, uri: &Uri) {
        if self.open.contains_key(uri) {
            return;
        }
        let path = convert::path_of(uri);
        if path.starts_with(PRELUDE_SCHEME) {
            return;
        }
        if path.rsplit('/').next() == Some(configuration::PROJECT_FILE) {
            return self.apply_settings();
        }
        self.documents.change_on_disk(&mut self.db, &path, loader::read(&path).as_deref());
        let files: Vec<SourceFile> = self.open.values().map(|document| document.file).collect();
        for file in files {
            load_dependencies(&mut self.db, &mut self.documents, file, loader::read);
        }
        self.changed = true;
    }

    /// After a panic of a change: the documents are what the client said last, so nothing is lost; say that all of it
    /// is to be looked at again.
    pub fn recover(&mut self) {
        self.changed = true;
    }

    /// The work of finding and publishing diagnostics, if something changed since the last time.
    pub fn diagnostics_job(&mut self) -> Option<Box<dyn FnOnce() + Send>> {
        if !std::mem::take(&mut self.changed) || self.client.pulls_diagnostics {
            return None;
        }
        let snapshot = self.snapshot();
        let publisher = self.publisher.clone();
        Some(Box::new(move || diagnostics::publish_all(snapshot, &publisher)))
    }

    fn apply_settings(&mut self) {
        let mut settings = self.settings.clone();
        for folder in &self.folders {
            if let Some(text) = loader::read(&folder.join(configuration::PROJECT_FILE).to_string_lossy()) {
                settings = settings.with_project_file(&text, folder);
            }
        }
        let mut roots: Vec<PathBuf> = Vec::new();
        for path in &settings.additional_search_paths {
            // Relative paths mean each workspace folder's.
            if path.is_absolute() {
                roots.push(path.clone());
            } else {
                roots.extend(self.folders.iter().map(|folder| folder.join(path)));
            }
        }
        if settings.search_in_all_workspace_directories {
            roots.extend(loader::folders_under(&self.folders));
        }
        roots.extend(loader::python_module_folders(&self.folders));
        let roots: Vec<Arc<str>> = roots.iter().map(|root| Arc::from(root.to_string_lossy().as_ref())).collect();
        self.documents.set_search_roots(&mut self.db, roots);
        let macros =
            settings.predefined_macros.iter().map(|(name, value)| (name.as_str().into(), value.as_str().into()));
        self.documents.set_macro_definitions(&mut self.db, macros.collect());
        let files: Vec<SourceFile> = self.open.values().map(|document| document.file).collect();
        for file in files {
            load_dependencies(&mut self.db, &mut self.documents, file, loader::read);
        }
        self.changed = true;
    }
}
