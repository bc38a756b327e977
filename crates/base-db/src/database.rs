//! The concrete database: salsa's storage and the texts that answer questions about positions.

use std::sync::{
    Arc, Mutex, OnceLock,
    atomic::{AtomicUsize, Ordering},
};

use ropey::Rope;
use rustc_hash::FxHashMap;

use crate::{Db, SourceFile, text::FileText};

/// All state of an analysis. Cloning makes a snapshot for another thread: cheap, and the writer waits until every
/// snapshot is dropped.
#[salsa::db]
#[derive(Clone)]
pub struct RootDatabase {
    storage: salsa::Storage<Self>,
    texts: Arc<FxHashMap<SourceFile, FileText>>,
    library: Arc<FxHashMap<SourceFile, LibraryText>>,
}

/// The text of a file of our own libraries. It never changes, and few ask for positions in it.
#[derive(Clone)]
struct LibraryText {
    text: &'static str,
    made: OnceLock<FileText>,
}

#[salsa::db]
impl salsa::Database for RootDatabase {}

#[salsa::db]
impl Db for RootDatabase {
    fn text(&self, file: SourceFile) -> Option<&FileText> {
        let of_library = || {
            let LibraryText { text, made } = self.library.get(&file)?;
            Some(made.get_or_init(|| FileText::new(self, file, Rope::from_str(text))))
        };
        self.texts.get(&file).or_else(of_library)
    }

    fn fork(&self) -> RootDatabase {
        self.clone()
    }
}

impl Default for RootDatabase {
    fn default() -> RootDatabase {
        RootDatabase { storage: salsa::Storage::new(None), texts: Arc::default(), library: Arc::default() }
    }
}

impl RootDatabase {
    /// A database that records which queries run.
    pub fn with_event_log() -> (RootDatabase, EventLog) {
        let log = EventLog::default();
        let sink = log.clone();
        let storage = salsa::Storage::new(Some(Box::new(move |event| match event.kind {
            salsa::EventKind::WillExecute { database_key } => sink.push(database_key),
            salsa::EventKind::DidValidateMemoizedValue { .. } => {
                sink.verified.fetch_add(1, Ordering::Relaxed);
            }
            _ => {}
        })));
        (RootDatabase { storage, texts: Arc::default(), library: Arc::default() }, log)
    }

    /// Drops what queries keep of results that are made again where they are wanted, beyond those asked for lately. The next
    /// change would do so, too. Like a change this waits until no snapshot is left.
    pub fn drop_old_results(&mut self) {
        salsa::Database::trigger_lru_eviction(self);
    }

    pub(crate) fn add_library_text(&mut self, file: SourceFile, text: &'static str) {
        let text = LibraryText { text, made: OnceLock::new() };
        Arc::make_mut(&mut self.library).insert(file, text);
    }

    /// The writer's access to the texts. Salsa has waited for the snapshots when an input was set, so this rarely copies.
    pub(crate) fn texts_mut(&mut self) -> &mut FxHashMap<SourceFile, FileText> {
        Arc::make_mut(&mut self.texts)
    }
}

/// The queries that ran, oldest first.
#[derive(Clone, Default)]
pub struct EventLog {
    executed: Arc<Mutex<Vec<salsa::DatabaseKeyIndex>>>,
    verified: Arc<AtomicUsize>,
}

impl EventLog {
    fn push(&self, key: salsa::DatabaseKeyIndex) {
        if let Ok(mut executed) = self.executed.lock() {
            executed.push(key);
        }
    }

    /// The names of the queries that ran since the last call, as `query(Id(…))`.
    pub fn take(&self, db: &dyn Db) -> Vec<String> {
        let keys = self.executed.lock().map(|mut executed| std::mem::take(&mut *executed)).unwrap_or_default();
        salsa::attach(db, || keys.iter().map(|key| format!("{key:?}")).collect())
    }

    /// How many results were found to be still right since the last call.
    pub fn take_verified(&self) -> usize {
        self.verified.swap(0, Ordering::Relaxed)
    }
}
