//! The files of the workspace folders: found and read off the writer's thread, then known to the database like those that
//! are open.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use rustc_hash::FxHashSet;
use tokio::sync::mpsc::UnboundedSender;

use super::{notices::Notice, writer::Writer};
use crate::{
    discovery::{self, Filter},
    platform,
};

/// Files that the writer takes at once: edits wait no longer than for these.
const BATCH: usize = 128;

/// How far a search is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Stage {
    #[default]
    Searching,
    /// Where files are is known, and so what imports mean that name files in other folders.
    FoldersKnown,
    /// All files are known.
    FilesKnown,
}

/// What is known of the workspace folders.
#[derive(Debug, Default)]
pub(crate) struct WorkspaceIndex {
    pub stage: Stage,
    /// Paths of the files that were found.
    pub files: Arc<FxHashSet<String>>,
    /// The folders that hold them, and all others.
    pub folders: Vec<PathBuf>,
    /// Paths at which something happened while the search was under way, which may have looked before.
    pub meanwhile: Vec<String>,
    /// Set once the search that runs is not wanted any more.
    cancelled: Arc<AtomicBool>,
}

/// A search that is under way. Its results are taken as long as it is wanted.
#[derive(Debug, Clone)]
pub(crate) struct Search {
    cancelled: Arc<AtomicBool>,
}

impl Search {
    pub(crate) fn is_wanted(&self) -> bool {
        !self.cancelled.load(Ordering::Relaxed)
    }
}

impl WorkspaceIndex {
    /// Searches the folders anew. What is known stays until the search has found otherwise.
    pub(crate) fn search(
        &mut self,
        folders: Vec<PathBuf>,
        filter: Filter,
        writer: Writer,
        notices: UnboundedSender<Notice>,
    ) {
        self.cancelled.store(true, Ordering::Relaxed);
        self.cancelled = Arc::default();
        self.stage = Stage::Searching;
        self.meanwhile.clear();
        let search = Search { cancelled: Arc::clone(&self.cancelled) };
        let run = move || {
            let searched = AssertUnwindSafe(|| search_folders(&folders, &filter, &search, &writer, &notices));
            if catch_unwind(searched).is_err() {
                writer.write(move |world| world.give_up_search(&search));
            }
        };
        if platform::beside("index", run).is_err() {
            // What is open and what it imports is known all the same.
            self.stage = Stage::FilesKnown;
        }
    }
}

fn search_folders(
    folders: &[PathBuf],
    filter: &Filter,
    search: &Search,
    writer: &Writer,
    notices: &UnboundedSender<Notice>,
) {
    let _ = notices.send(Notice::IndexBegins);
    let found = discovery::discover(folders, filter, &search.cancelled);
    let (of, known_folders) = (search.clone(), found.folders);
    writer.write(move |world| world.take_folders(&of, known_folders));
    for (batch, files) in found.files.chunks(BATCH).enumerate() {
        if !search.is_wanted() {
            break;
        }
        let texts = discovery::read_all(files);
        let of = search.clone();
        writer.write(move |world| world.take_files(&of, &texts));
        let known = batch * BATCH + files.len();
        let _ = notices.send(Notice::IndexGrows { known, of: found.files.len() });
    }
    let of = search.clone();
    let files = found.files.iter().map(|path| path.to_string_lossy().into_owned()).collect();
    writer.write(move |world| world.finish_search(&of, files));
    let _ = notices.send(Notice::IndexEnds);
}
