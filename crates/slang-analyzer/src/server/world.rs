//! What the writer owns: the database, the documents, the settings.

use std::{
    cell::RefCell,
    collections::BTreeMap,
    ops::Deref,
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
};

use base_db::{
    Project, RootDatabase, SourceFile,
    documents::{Documents, PRELUDE_SCHEME},
    line_column::ColumnUnit,
    memory::TableMemory,
};
use hir_def::loading::{Loader, Look, with_needed};
use ide::{diagnostics::Diagnostic, inclusions::Headers, severities::Severities};
use rustc_hash::{FxHashMap, FxHashSet};
use tokio::sync::mpsc::UnboundedSender;
use tower_lsp::ls_types::{Position, TextDocumentContentChangeEvent, TextDocumentPositionParams, Uri};

use super::{
    capabilities::Refreshes,
    configuration::{self, Hints, Lenses, Scope, Settings},
    convert,
    diagnostics::{self, Message},
    index::{Search, Stage, WorkspaceIndex},
    notices::Notice,
    rendered_diagnostics::RenderedDiagnostics,
    writer::Writer,
};
use crate::{discovery, loader};

/// New files that are looked for one by one; for more, the workspace is searched as a whole.
const MAX_SEARCHED_AT_ONCE: usize = 32;

/// They say which files count.
const IGNORE_FILES: [&str; 2] = [".gitignore", ".ignore"];

/// A document that the client has open.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OpenDocument {
    pub file: SourceFile,
    pub version: i32,
    /// Parts of which the diagnostics were found since it was opened.
    found_parts: u32,
}

impl OpenDocument {
    /// The part that is to be looked at next, of a document that is so large that it has parts and that was not looked at
    /// since it was opened.
    pub(crate) fn next_part(&self, db: &RootDatabase) -> Option<u32> {
        let parts = ide::diagnostics::parts(db, self.file);
        (self.found_parts < parts).then_some(self.found_parts)
    }
}

/// What the client told about itself.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ClientFacts {
    pub columns: ColumnUnit,
    /// Asks for diagnostics itself, so none are pushed.
    pub pulls_diagnostics: bool,
    pub shows_progress: bool,
    /// Takes completions with places to fill in.
    pub inserts_snippets: bool,
    pub refreshes: Refreshes,
    /// Shows a link to the manual at the code of a diagnostic.
    pub links_codes: bool,
    /// Takes changes of files with the versions that they are made for.
    pub takes_versions: bool,
}

impl Default for ClientFacts {
    fn default() -> Self {
        ClientFacts {
            columns: ColumnUnit::Utf16,
            pulls_diagnostics: false,
            links_codes: false,
            takes_versions: false,
            shows_progress: false,
            inserts_snippets: false,
            refreshes: Refreshes::default(),
        }
    }
}

pub(crate) struct World {
    db: RootDatabase,
    documents: Documents,
    loader: Loader,
    index: WorkspaceIndex,
    open: Arc<BTreeMap<Uri, OpenDocument>>,
    client: ClientFacts,
    /// Folders of the workspace.
    folders: Vec<PathBuf>,
    /// What the client said.
    said: Settings,
    /// The same with what project files add.
    settings: Settings,
    publisher: UnboundedSender<Message>,
    notices: UnboundedSender<Notice>,
    /// What the user knows to be wrong with settings.
    told_problems: Vec<String>,
    /// By which threads that search send what they find.
    writer: Writer,
    /// Something changed since diagnostics were scheduled last.
    changed: bool,
    /// What is not open is to be diagnosed once nobody types.
    changed_elsewhere: bool,
    revision: u64,
    /// The search under way found a file that was not known so.
    found_others: bool,
    /// Made when it is first asked for, after a change of what files include.
    headers: Arc<OnceLock<Headers>>,
    rendered: Arc<RenderedDiagnostics>,
    /// Something changed since old results were dropped.
    keeps_old_results: bool,
    /// Where the user looked last, in a document: there the next edit may be.
    looked_at: Option<(Uri, Position)>,
    /// Results are to be looked at for an edit that may come.
    prepares: bool,
    /// Much was read or dropped since memory was given back: a file was opened, closed or found, or settings changed.
    keeps_free_memory: bool,
}

/// The state of the world at one moment, for readers.
pub(crate) struct Snapshot {
    pub db: RootDatabase,
    pub facts: Facts,
    /// The URIs of files, as far as they were asked for.
    pub uris: RefCell<FxHashMap<SourceFile, Option<Uri>>>,
}

/// All of it but the database.
#[derive(Clone)]
pub(crate) struct Facts {
    pub open: Arc<BTreeMap<Uri, OpenDocument>>,
    pub client: ClientFacts,
    pub hints: Hints,
    pub lenses: Lenses,
    pub severities: Arc<Severities>,
    pub scope: Scope,
    pub stage: Stage,
    /// Paths of the files of the workspace.
    pub indexed: Arc<FxHashSet<String>>,
    /// Folders of the workspace.
    pub folders: Arc<[PathBuf]>,
    /// Grows with each change.
    pub revision: u64,
    headers: Arc<OnceLock<Headers>>,
    /// What was shown last.
    pub rendered: Arc<RenderedDiagnostics>,
}

impl Deref for Snapshot {
    type Target = Facts;

    fn deref(&self) -> &Facts {
        &self.facts
    }
}

impl Snapshot {
    pub(crate) fn new(db: RootDatabase, facts: Facts) -> Snapshot {
        Snapshot { db, facts, uris: RefCell::default() }
    }

    /// The diagnostics of a file as the user wants to see them.
    pub(crate) fn diagnostics(&self, file: SourceFile) -> Vec<Diagnostic> {
        let mut diagnostics = ide::diagnostics::diagnostics(&self.db, file);
        self.severities.apply(&mut diagnostics);
        diagnostics
    }

    /// What files bring in, which is the same after most edits.
    pub(crate) fn headers(&self) -> &Headers {
        self.headers.get_or_init(|| Headers::new(&self.db))
    }

    /// Whether a file is one of others, that those of the workspace use.
    pub(crate) fn is_outside(&self, file: SourceFile) -> bool {
        let path = Path::new(&**file.path(&self.db));
        !self.folders.is_empty() && !self.folders.iter().any(|folder| path.starts_with(folder))
    }
}

impl World {
    pub(crate) fn new(publisher: UnboundedSender<Message>, notices: UnboundedSender<Notice>, writer: Writer) -> World {
        let mut db = RootDatabase::default();
        let mut documents = Documents::new(&mut db);
        documents.load_prelude(&mut db, prelude::files());
        documents.offer_glsl(prelude::glsl_files);
        World {
            db,
            documents,
            loader: Loader::default(),
            index: WorkspaceIndex::default(),
            open: Arc::default(),
            client: ClientFacts::default(),
            folders: Vec::new(),
            said: Settings::default(),
            settings: Settings::default(),
            publisher,
            notices,
            told_problems: Vec::new(),
            writer,
            changed: false,
            changed_elsewhere: false,
            revision: 0,
            found_others: false,
            headers: Arc::default(),
            rendered: Arc::default(),
            keeps_old_results: false,
            looked_at: None,
            prepares: false,
            keeps_free_memory: false,
        }
    }

    pub(crate) fn snapshot(&self) -> Snapshot {
        let facts = Facts {
            open: Arc::clone(&self.open),
            client: self.client,
            hints: self.settings.hints,
            lenses: self.settings.lenses,
            severities: Arc::clone(&self.settings.severities),
            scope: self.settings.scope,
            stage: self.index.stage,
            indexed: Arc::clone(&self.index.files),
            folders: self.folders.clone().into(),
            revision: self.revision,
            headers: Arc::clone(&self.headers),
            rendered: Arc::clone(&self.rendered),
        };
        Snapshot::new(self.db.clone(), facts)
    }

    /// What the analysis holds, by table.
    pub(crate) fn memory(&mut self) -> Vec<TableMemory> {
        // Measuring cancels the search for diagnostics.
        self.changed = true;
        self.db.memory()
    }

    pub(crate) fn initialize(&mut self, client: ClientFacts, folders: Vec<PathBuf>) {
        self.client = client;
        self.folders = folders;
        self.apply_settings();
        self.search();
    }

    /// How much of the workspace is known.
    pub(crate) fn stage(&self) -> Stage {
        self.index.stage
    }

    pub(crate) fn change_folders(&mut self, added: Vec<PathBuf>, removed: &[PathBuf]) {
        self.folders.retain(|folder| !removed.contains(folder));
        self.folders.extend(added);
        self.apply_settings();
        self.search();
    }

    pub(crate) fn configure(&mut self, settings: Settings) {
        if settings != self.said {
            self.said = settings;
            self.apply_settings();
        }
    }

    pub(crate) fn open_document(&mut self, uri: &Uri, version: i32, text: &str) {
        let uri = convert::canonical(uri);
        let path = convert::path_of(&uri);
        if path.starts_with(PRELUDE_SCHEME) {
            // The core library is what it is, whatever the client believes.
            if let Some(file) = self.documents.file(&path) {
                Arc::make_mut(&mut self.open).insert(uri, OpenDocument { file, version, found_parts: 0 });
            }
            return;
        }
        let is_new = self.documents.file(&path).is_none();
        let file = self.documents.open(&mut self.db, &path, text);
        Arc::make_mut(&mut self.open).insert(uri, OpenDocument { file, version, found_parts: 0 });
        if is_new {
            // What was missing may be this.
            self.load_again();
        }
        self.load([file]);
        self.touch();
    }

    /// What the files need, which are open.
    fn load(&mut self, files: impl IntoIterator<Item = SourceFile>) {
        if self.loader.load(&mut self.db, &mut self.documents, files, Look::Close, loader::read) {
            self.headers = Arc::default();
            self.drop_unneeded();
        }
    }

    /// What the files of the workspace need, of which most are not open.
    fn load_indexed(&mut self) {
        let files: Vec<SourceFile> = self.index.files.iter().filter_map(|path| self.documents.file(path)).collect();
        self.loader.load(&mut self.db, &mut self.documents, files, Look::Brief, loader::read);
        self.headers = Arc::default();
        self.drop_unneeded();
    }

    /// A file that is neither open nor one of the workspace's is known as long as one of these needs it.
    fn drop_unneeded(&mut self) {
        if self.index.stage < Stage::FilesKnown {
            return;
        }
        let open: FxHashSet<SourceFile> = self.open.values().map(|document| document.file).collect();
        let is_needed_by_others = |path: &str, file: &SourceFile| {
            !path.starts_with(PRELUDE_SCHEME) && !open.contains(file) && !self.index.files.contains(path)
        };
        let known = Project::get(&self.db).files(&self.db).iter();
        let mut unneeded: Vec<(Arc<str>, SourceFile)> = known
            .filter(|(path, file)| is_needed_by_others(path, file))
            .map(|(path, file)| (path.clone(), *file))
            .collect();
        if unneeded.is_empty() {
            return;
        }
        let indexed = self.index.files.iter().filter_map(|path| self.documents.file(path));
        let looked_at = open.iter().map(|file| (*file, Look::Close)).chain(indexed.map(|file| (file, Look::Brief)));
        let needed = with_needed(&self.db, looked_at);
        unneeded.retain(|(_, file)| !needed.contains(file));
        self.documents.change_all_on_disk(&mut self.db, unneeded.iter().map(|(path, _)| (&**path, None)));
        for (_, file) in unneeded {
            self.loader.forget_file(file);
        }
    }

    /// Looks again for all that open files need: it may be elsewhere now.
    fn load_again(&mut self) {
        self.loader.forget();
        self.headers = Arc::default();
        let files: Vec<SourceFile> = self.open.values().map(|document| document.file).collect();
        self.load(files);
    }

    /// Applies changes in order; positions of each refer to the text after the ones before.
    pub(crate) fn change_document(&mut self, uri: &Uri, version: i32, changes: Vec<TextDocumentContentChangeEvent>) {
        let uri = &convert::canonical(uri);
        let Some(document) = Arc::make_mut(&mut self.open).get_mut(uri) else { return };
        document.version = version;
        let is_replaced = changes.iter().any(|change| change.range.is_none());
        if is_replaced {
            document.found_parts = 0;
        }
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
        self.load([file]);
        if is_replaced {
            self.touch();
        } else {
            self.touch_text();
        }
    }

    /// The user asked about a place.
    pub(crate) fn look_at(&mut self, at: TextDocumentPositionParams) {
        self.looked_at = Some((at.text_document.uri, at.position));
    }

    /// Whether there is a place that the next edit may be at, and that nothing was prepared for.
    pub(crate) fn expects_edit(&self) -> bool {
        self.looked_at.is_some()
    }

    /// The first edit of a function asks of all results whether they still hold; who looks at it may be about to edit it, so
    /// that is asked now, if nobody waits for an answer.
    pub(crate) fn prepare_for_edit(&mut self) {
        if !self.is_idle() {
            return;
        }
        let Some((uri, position)) = self.looked_at.take() else { return };
        let Some(file) = self.open.get(&uri).map(|document| document.file) else { return };
        let Some(offset) = convert::byte_offset(&self.db, file, position, self.client.columns) else { return };
        if self.documents.expect_edit(&mut self.db, file, offset) {
            (self.changed, self.prepares) = (true, true);
        }
    }

    /// What a document needs may have been written meanwhile.
    pub(crate) fn save_document(&mut self) {
        self.load_again();
        self.touch();
    }

    /// From now on the file is what the disk says.
    pub(crate) fn close_document(&mut self, uri: &Uri) {
        let uri = &convert::canonical(uri);
        let Some(closed) = Arc::make_mut(&mut self.open).remove(uri) else { return };
        self.rendered.forget(closed.file);
        let path = convert::path_of(uri);
        if path.starts_with(PRELUDE_SCHEME) {
            return;
        }
        self.documents.close(&mut self.db, &path, loader::read(&path).as_deref());
        // The disk may say that it needs others than the editor did.
        self.load_again();
        self.load_indexed();
        let _ = self.publisher.send(Message::Closed(uri.clone()));
        self.touch();
    }

    /// Files changed, appeared or went on disk.
    pub(crate) fn disk_changed(&mut self, uris: &[Uri]) {
        let is_open = |uri: &&Uri| self.open.contains_key(&convert::canonical(uri));
        let paths = uris.iter().filter(|uri| !is_open(uri)).map(convert::path_of).collect();
        self.paths_changed(paths);
    }

    fn paths_changed(&mut self, paths: Vec<String>) {
        if self.index.stage < Stage::FilesKnown {
            self.index.meanwhile.extend_from_slice(&paths);
        }
        let is_named =
            |path: &String, names: &[&str]| path.rsplit('/').next().is_some_and(|last| names.contains(&last));
        if paths.iter().any(|path| is_named(path, &[configuration::PROJECT_FILE])) {
            self.apply_settings();
        }
        let unknown = paths.iter().filter(|path| self.documents.file(path).is_none()).count();
        if unknown > MAX_SEARCHED_AT_ONCE || paths.iter().any(|path| is_named(path, &IGNORE_FILES)) {
            self.search();
        }
        let others_changed = !paths.is_empty();
        let mut changes: Vec<(String, Option<Vec<u8>>)> = Vec::new();
        for path in paths {
            if path.starts_with(PRELUDE_SCHEME) {
                continue;
            }
            if self.documents.file(&path).is_some() {
                let text = loader::read(&path);
                changes.push((path, text));
            } else if unknown <= MAX_SEARCHED_AT_ONCE {
                changes.extend(self.appeared_or_went(&path));
            }
        }
        let texts = changes.iter().map(|(path, text)| (path.as_str(), text.as_deref()));
        let changed = self.documents.change_all_on_disk(&mut self.db, texts);
        self.load_again();
        // A save of what is open says nothing of others.
        if others_changed {
            self.load_indexed();
        }
        if changed {
            self.answers_are_old();
        }
    }

    /// What a path that is no known file says about files: one or a folder of them is new, or a folder is gone.
    fn appeared_or_went(&mut self, path: &str) -> Vec<(String, Option<Vec<u8>>)> {
        let found = discovery::discover_at(path.as_ref(), &self.folders, &self.settings.sources);
        let new_folders: Vec<PathBuf> =
            found.folders.into_iter().filter(|folder| !self.index.folders.contains(folder)).collect();
        if !new_folders.is_empty() {
            self.index.folders.extend(new_folders);
            self.index.folders.sort();
            self.apply_search_roots();
        }
        let mut changes: Vec<(String, Option<Vec<u8>>)> = Vec::new();
        for (path, text) in discovery::read_all(&found.files) {
            Arc::make_mut(&mut self.index.files).insert(path.clone());
            changes.push((path, Some(text)));
        }
        if !Path::new(path).exists() {
            let below = format!("{path}/");
            let gone = self.index.files.iter().filter(|file| file.starts_with(&below));
            changes.extend(gone.map(|file| (file.clone(), None)));
        }
        changes
    }

    /// Searches the folders of the workspace anew.
    fn search(&mut self) {
        let (folders, filter) = (self.folders.clone(), self.settings.sources.clone());
        self.index.search(folders, filter, self.writer.clone(), self.notices.clone());
    }

    /// The folders that a search found.
    pub(crate) fn take_folders(&mut self, search: &Search, folders: Vec<PathBuf>) {
        if !search.is_wanted() {
            return;
        }
        if folders != self.index.folders {
            self.index.folders = folders;
            self.apply_search_roots();
        }
        self.index.stage = Stage::FoldersKnown;
    }

    /// Some of the files that a search found. They are seen when all are there.
    pub(crate) fn take_files(&mut self, search: &Search, texts: &[(String, Vec<u8>)]) {
        if search.is_wanted() {
            let texts = texts.iter().map(|(path, text)| (path.as_str(), Some(text.as_slice())));
            self.found_others |= self.documents.prepare_from_disk(&mut self.db, texts);
        }
    }

    /// All files of a search are there; those of an earlier one that it did not find are not of the workspace any more.
    pub(crate) fn finish_search(&mut self, search: &Search, files: FxHashSet<String>) {
        if !search.is_wanted() {
            return;
        }
        let gone: Vec<String> = self.index.files.difference(&files).cloned().collect();
        self.index.files = Arc::new(files);
        let gone = gone.iter().map(|path| (path.as_str(), None));
        self.found_others |= self.documents.change_all_on_disk(&mut self.db, gone);
        self.load_again();
        self.load_indexed();
        if std::mem::take(&mut self.found_others) {
            self.answers_are_old();
        }
        self.end_search();
    }

    /// A search failed: what is known has to do.
    pub(crate) fn give_up_search(&mut self, search: &Search) {
        if search.is_wanted() {
            self.end_search();
        }
    }

    /// What was read may be older than what was said of it meanwhile.
    fn end_search(&mut self) {
        self.index.stage = Stage::FilesKnown;
        self.drop_unneeded();
        let meanwhile = std::mem::take(&mut self.index.meanwhile);
        if !meanwhile.is_empty() {
            self.paths_changed(meanwhile);
        }
    }

    fn answers_are_old(&mut self) {
        self.touch();
        if !self.open.is_empty() {
            let _ = self.notices.send(Notice::AnswersAreOld(self.client.refreshes));
        }
    }

    /// After a panic of a change: the documents are what the client said last, so nothing is lost; say that all of it
    /// is to be looked at again.
    pub(crate) fn recover(&mut self) {
        self.touch();
    }

    /// Something changed: what was said of it is old.
    fn touch(&mut self) {
        self.touch_text();
        self.keeps_free_memory = true;
    }

    /// The same for an edit, which leaves little.
    fn touch_text(&mut self) {
        (self.changed, self.changed_elsewhere, self.keeps_old_results) = (true, true, true);
        self.revision += 1;
    }

    /// The work of finding and publishing the diagnostics of open documents, if something changed since the last time.
    pub(crate) fn diagnostics_job(&mut self) -> Option<Box<dyn FnOnce() + Send>> {
        // An import that names a file in a folder that is not known yet would be said to name nothing.
        if self.index.stage < Stage::FoldersKnown || !std::mem::take(&mut self.changed) {
            return None;
        }
        let prepares = std::mem::take(&mut self.prepares);
        match self.next_part() {
            Some((uri, file, part)) if !self.client.pulls_diagnostics => {
                let (snapshot, writer) = (self.snapshot(), self.writer.clone());
                Some(Box::new(move || {
                    if diagnostics::find_part(snapshot, file, part) {
                        writer.write(move |world| world.found_part(&uri, part));
                    }
                }))
            }
            _ if prepares && self.client.pulls_diagnostics => {
                let snapshot = self.snapshot();
                Some(Box::new(move || diagnostics::verify_open(snapshot)))
            }
            _ => self.publishing(diagnostics::publish_open),
        }
    }

    fn next_part(&self) -> Option<(Uri, SourceFile, u32)> {
        self.open.iter().find_map(|(uri, document)| Some((uri.clone(), document.file, document.next_part(&self.db)?)))
    }

    /// A part of a large document was looked at after opening. Of what that took the results are dropped before the next part:
    /// those of the next take their place in memory, and pages that hold what is kept and what is dropped side by side do
    /// not become many.
    pub(crate) fn found_part(&mut self, uri: &Uri, part: u32) {
        let Some(document) = Arc::make_mut(&mut self.open).get_mut(uri) else { return };
        document.found_parts = document.found_parts.max(part + 1);
        if self.is_idle() {
            self.db.drop_old_results();
        }
        (self.changed, self.keeps_old_results, self.keeps_free_memory) = (true, true, true);
    }

    /// Whether no answer is on its way: each snapshot has one of these.
    fn is_idle(&self) -> bool {
        Arc::strong_count(&self.rendered) == 1
    }

    /// Whether there is work that waits for the user to pause.
    pub(crate) fn has_diagnostics_elsewhere(&self) -> bool {
        self.changed_elsewhere && self.index.stage >= Stage::FilesKnown && self.next_part().is_none()
    }

    /// The same for all that is shown, open or not.
    pub(crate) fn diagnostics_elsewhere_job(&mut self) -> Option<Box<dyn FnOnce() + Send>> {
        self.changed_elsewhere = false;
        self.publishing(diagnostics::publish_all)
    }

    /// Once nobody asks any more, what can be made again is dropped: opening a large file leaves much.
    pub(crate) fn may_drop_results(&self) -> bool {
        self.keeps_old_results
    }

    /// Does so, unless an answer is on its way. Returns whether much memory is free now.
    pub(crate) fn drop_results_if_idle(&mut self) -> bool {
        if !self.is_idle() {
            return false;
        }
        self.keeps_old_results = false;
        self.db.drop_old_results();
        std::mem::take(&mut self.keeps_free_memory)
    }

    fn publishing(
        &self,
        publish: impl FnOnce(Snapshot, &UnboundedSender<Message>) + Send + 'static,
    ) -> Option<Box<dyn FnOnce() + Send>> {
        if self.client.pulls_diagnostics {
            return None;
        }
        let snapshot = self.snapshot();
        let publisher = self.publisher.clone();
        Some(Box::new(move || publish(snapshot, &publisher)))
    }

    fn apply_settings(&mut self) {
        let mut settings = self.said.clone();
        let mut problems = Vec::new();
        for folder in &self.folders {
            let path = folder.join(configuration::PROJECT_FILE);
            let Some(text) = loader::read(&path.to_string_lossy()) else { continue };
            if let Err(why) = settings.add_project_file(&text, folder) {
                problems.push(format!("{} is not read: {why}", path.display()));
            }
        }
        // Each is told once, until it is another.
        for problem in problems.iter().filter(|problem| !self.told_problems.contains(problem)) {
            tracing::warn!("{problem}");
            let _ = self.notices.send(Notice::Problem(problem.clone()));
        }
        self.told_problems = problems;
        let macros =
            settings.predefined_macros.iter().map(|(name, value)| (name.as_str().into(), value.as_str().into()));
        self.documents.set_macro_definitions(&mut self.db, macros.collect());
        self.documents.set_unscoped_enums(&mut self.db, settings.unscoped_enums);
        self.documents.set_allow_glsl(&mut self.db, settings.allow_glsl);
        let finds_others = settings.sources != self.settings.sources;
        self.settings = settings;
        self.apply_search_roots();
        if finds_others {
            self.search();
        }
        self.answers_are_old();
    }

    /// Tells the database where imports look.
    fn apply_search_roots(&mut self) {
        let mut roots: Vec<PathBuf> = Vec::new();
        for path in &self.settings.additional_search_paths {
            // Relative paths mean each workspace folder's.
            if path.is_absolute() {
                roots.push(path.clone());
            } else {
                roots.extend(self.folders.iter().map(|folder| folder.join(path)));
            }
        }
        if self.settings.search_in_all_workspace_directories {
            roots.extend(self.index.folders.iter().cloned());
        }
        roots.extend(loader::python_module_folders(&self.folders));
        let roots: Vec<Arc<str>> = roots.iter().map(|root| Arc::from(root.to_string_lossy().as_ref())).collect();
        self.documents.set_search_roots(&mut self.db, roots);
        self.load_again();
        self.touch();
    }
}
