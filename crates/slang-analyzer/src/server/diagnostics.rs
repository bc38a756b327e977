//! Finding and publishing diagnostics.

use std::{
    collections::{BTreeMap, HashMap},
    hash::Hasher as _,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Mutex, PoisonError},
};

use base_db::{Project, SourceFile, parallel};
use ide::mentions;
use rustc_hash::{FxHashSet, FxHasher};
use serde::Serialize;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender};
use tower_lsp::{
    Client,
    ls_types::{Diagnostic, DiagnosticSeverity, PreviousResultId, Uri, notification::Notification},
};

use super::{
    configuration::Scope,
    convert,
    text_answers::{TextAnswer, TextAnswers},
    world::Snapshot,
};

/// What one document is to show.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Publication {
    pub uri: Uri,
    /// Nothing for a file that is not open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<i32>,
    pub diagnostics: Vec<Diagnostic>,
}

/// What the publisher is told.
#[derive(Debug, Clone)]
pub(crate) enum Message {
    /// What open documents are to show.
    Open(Vec<Publication>),
    /// All that is to be shown now; documents that are not among it show nothing.
    Everything(Vec<Publication>),
    Closed(Uri),
}

/// Sends the diagnostics of every open document; ends early if an edit cancels it, since the writer schedules it again
/// after each edit.
pub(crate) fn publish_open(snapshot: Snapshot, publisher: &UnboundedSender<Message>) {
    let _span = tracing::info_span!("publish_diagnostics").entered();
    let mut publications: Vec<Publication> = Vec::with_capacity(snapshot.open.len());
    let found = cancellable(|| {
        for (uri, document) in snapshot.open.iter().filter(|(uri, _)| !is_prelude(uri)) {
            let version = Some(document.version);
            publications.push(Publication {
                uri: uri.clone(),
                version,
                diagnostics: of_document(&snapshot, document.file),
            });
        }
    });
    // Before anything is published: the client may edit at once, and the writer waits for snapshots.
    drop(snapshot);
    if !matches!(found, Ok(Err(_))) {
        // What was found before a panic is better than nothing.
        let _ = publisher.send(Message::Open(publications));
    }
}

/// Sends the diagnostics of all files that are to show some.
pub(crate) fn publish_all(snapshot: Snapshot, publisher: &UnboundedSender<Message>) {
    let _span = tracing::info_span!("publish_diagnostics").entered();
    let found = cancellable(|| {
        let shown = of_all(&snapshot);
        let publications = shown.into_iter().map(|(uri, diagnostics)| {
            let version = snapshot.open.get(&uri).map(|document| document.version);
            Publication { uri, version, diagnostics }
        });
        publications.collect()
    });
    drop(snapshot);
    if let Ok(Ok(publications)) = found {
        let _ = publisher.send(Message::Everything(publications));
    }
}

fn cancellable<R>(find: impl FnOnce() -> R) -> std::thread::Result<Result<R, salsa::Cancelled>> {
    catch_unwind(AssertUnwindSafe(|| salsa::Cancelled::catch(AssertUnwindSafe(find))))
}

fn is_prelude(uri: &Uri) -> bool {
    uri.scheme().as_str() == convert::PRELUDE_URI_SCHEME
}

/// Files that bring in a header and that are asked what is wrong with it: what all say is the same to most.
const MAX_CONTEXTS: usize = 4;

/// The files that are asked what is wrong with a header: first those that are open.
fn contexts(snapshot: &Snapshot, header: SourceFile) -> Vec<SourceFile> {
    let mut contexts: Vec<SourceFile> = snapshot.headers().contexts(header).collect();
    let is_open = |file: &SourceFile| snapshot.open.values().any(|document| document.file == *file);
    contexts.sort_by_key(|file| (!is_open(file), file.path(&snapshot.db)));
    contexts.truncate(MAX_CONTEXTS);
    contexts
}

/// What an open document shows: a header what is wrong with it where it is included, if that is known.
fn of_document(snapshot: &Snapshot, file: SourceFile) -> Vec<Diagnostic> {
    let contexts = contexts(snapshot, file);
    if contexts.is_empty() {
        return of_file(snapshot, file).own;
    }
    let mut shown: Vec<Diagnostic> = Vec::new();
    for context in contexts {
        let here = of_file(snapshot, context).elsewhere.into_iter().filter(|(place, _)| *place == file);
        for (_, diagnostic) in here {
            if !shown.contains(&diagnostic) {
                shown.push(diagnostic);
            }
        }
    }
    shown
}

/// The diagnostics of a file and of the files that it includes.
#[derive(Debug, Default)]
struct Found {
    own: Vec<Diagnostic>,
    elsewhere: Vec<(SourceFile, Diagnostic)>,
}

fn of_file(snapshot: &Snapshot, file: SourceFile) -> Found {
    let _span = tracing::info_span!("diagnostics", file = %file.path(&snapshot.db)).entered();
    let diagnostics = snapshot.diagnostics(file);
    let mut found = Found { own: Vec::with_capacity(diagnostics.len()), elsewhere: Vec::new() };
    for diagnostic in diagnostics {
        let place = diagnostic.at.file;
        let shown = snapshot.diagnostic(diagnostic);
        if place == file {
            found.own.push(shown);
        } else {
            found.elsewhere.push((place, shown));
        }
    }
    found
}

/// The diagnostics of all files that show them, also those that are open and have none.
fn of_all(snapshot: &Snapshot) -> BTreeMap<Uri, Vec<Diagnostic>> {
    let (shown, asked) = shown_and_asked(snapshot);
    let facts = &snapshot.facts;
    let found =
        parallel::map(&snapshot.db, &asked, |db, file| of_file(&Snapshot::new(db.fork(), facts.clone()), *file));
    let mut all: BTreeMap<Uri, Vec<Diagnostic>> = BTreeMap::new();
    for uri in snapshot.open.keys().filter(|uri| !is_prelude(uri)) {
        all.entry(uri.clone()).or_default();
    }
    let mut add = |file: SourceFile, diagnostic: Diagnostic| {
        // Nobody mends here what others have written, but what does not compile is why nothing does.
        let is_wanted = diagnostic.severity == Some(DiagnosticSeverity::ERROR) || !snapshot.is_outside(file);
        if let Some(uri) = snapshot.uri(file).filter(|_| is_wanted) {
            let of_file = all.entry(uri).or_default();
            // A file that several others include says the same to each.
            if !of_file.contains(&diagnostic) {
                of_file.push(diagnostic);
            }
        }
    };
    for (asked, found) in asked.iter().zip(found) {
        if shown.contains(asked) {
            found.own.into_iter().for_each(|diagnostic| add(*asked, diagnostic));
        }
        for (place, diagnostic) in found.elsewhere {
            if shown.contains(asked) || shown.contains(&place) {
                add(place, diagnostic);
            }
        }
    }
    all
}

/// The files that show diagnostics, and those that are asked for them: not headers, but what brings them in.
fn shown_and_asked(snapshot: &Snapshot) -> (FxHashSet<SourceFile>, Vec<SourceFile>) {
    let db = &snapshot.db;
    let known = Project::get(db).files(db);
    let of_core_library = Project::get(db).prelude(db);
    let mut shown: FxHashSet<SourceFile> = FxHashSet::default();
    for document in snapshot.open.values() {
        shown.extend(mentions::reached(db, document.file));
    }
    if snapshot.scope == Scope::Workspace {
        shown.extend(snapshot.indexed.iter().filter_map(|path| known.get(path.as_str())));
    }
    shown.retain(|file| !of_core_library.contains(file));
    let is_open = |file: &SourceFile| snapshot.open.values().any(|document| document.file == *file);
    let mut asked: FxHashSet<SourceFile> = FxHashSet::default();
    for &file in &shown {
        let contexts = contexts(snapshot, file);
        // A header that nothing includes is checked for whoever writes it.
        if contexts.is_empty() && (is_open(&file) || !snapshot.headers().is_header(db, file)) {
            asked.insert(file);
        }
        asked.extend(contexts);
    }
    let mut asked: Vec<SourceFile> = asked.into_iter().collect();
    asked.sort_by_key(|file| file.path(db));
    (shown, asked)
}

/// The answer to a pull of a document's diagnostics, as JSON.
pub(crate) fn report(snapshot: &Snapshot, uri: &Uri, previous: Option<&str>) -> String {
    let mut related: BTreeMap<Uri, Report> = BTreeMap::new();
    let mut own = Vec::new();
    if let Some(file) = snapshot.file(uri) {
        if contexts(snapshot, file).is_empty() {
            let found = of_file(snapshot, file);
            own = found.own;
            for (place, diagnostic) in found.elsewhere {
                if let Some(uri) = snapshot.uri(place).filter(|uri| !snapshot.open.contains_key(uri)) {
                    related
                        .entry(uri)
                        .or_insert_with(|| Report::full(Vec::new(), None))
                        .items
                        .get_or_insert_default()
                        .push(diagnostic);
                }
            }
        } else {
            own = of_document(snapshot, file);
        }
    }
    let report = RelatedReport { report: Report::new(own, previous), related };
    // What has no keys that are not texts can be written.
    serde_json::to_string(&report).unwrap_or_default()
}

/// What all files show, as it was found last: clients ask again every few seconds.
#[derive(Debug, Default)]
pub(crate) struct WorkspaceDiagnostics {
    last: Mutex<Option<(u64, Arc<[FileReport]>)>>,
}

/// What a file shows, with its diagnostics as JSON.
#[derive(Debug)]
struct FileReport {
    uri: Uri,
    version: Option<i32>,
    result_id: String,
    items: String,
}

impl WorkspaceDiagnostics {
    /// The answer to a pull of the diagnostics of all files that show some, as the JSON of each file's report. What the
    /// client has already is said to be unchanged, and what it has and is not there any more to be empty.
    pub(crate) fn reports(&self, snapshot: &Snapshot, previous: &[PreviousResultId]) -> Vec<String> {
        let mut previous: BTreeMap<&Uri, &str> =
            previous.iter().map(|known| (&known.uri, known.value.as_str())).collect();
        let all = self.all(snapshot);
        let mut reports = Vec::new();
        for report in all.iter() {
            let known = previous.remove(&report.uri);
            // What shows nothing and never did is not worth a word.
            if report.items != NOTHING || known.is_some() {
                reports.push(report.to_json(known));
            }
        }
        let nothing = |uri: &&Uri| FileReport::new((*uri).clone(), None, &[]);
        reports.extend(previous.iter().map(|(uri, known)| nothing(uri).to_json(Some(known))));
        reports
    }

    fn all(&self, snapshot: &Snapshot) -> Arc<[FileReport]> {
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some((_, all)) = last.filter(|(revision, _)| *revision == snapshot.revision) {
            return all;
        }
        let report = |(uri, diagnostics): (Uri, Vec<Diagnostic>)| {
            let version = snapshot.open.get(&uri).map(|document| document.version);
            FileReport::new(uri, version, &diagnostics)
        };
        let all: Arc<[FileReport]> = of_all(snapshot).into_iter().map(report).collect();
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Some((snapshot.revision, Arc::clone(&all)));
        all
    }
}

/// The diagnostics of a file that has none.
const NOTHING: &str = "[]";

impl FileReport {
    fn new(uri: Uri, version: Option<i32>, diagnostics: &[Diagnostic]) -> FileReport {
        let items = serde_json::to_string(diagnostics).unwrap_or_else(|_| NOTHING.to_owned());
        FileReport { uri, version, result_id: result_id(&items), items }
    }

    fn to_json(&self, known: Option<&str>) -> String {
        let FileReport { uri, version, result_id, items } = self;
        let version = version.map_or_else(|| "null".to_owned(), |version| version.to_string());
        let uri = serde_json::to_string(uri).unwrap_or_default();
        let file = format!("\"uri\":{uri},\"version\":{version},\"resultId\":\"{result_id}\"");
        if known == Some(result_id) {
            format!("{{\"kind\":\"unchanged\",{file}}}")
        } else {
            format!("{{\"kind\":\"full\",{file},\"items\":{items}}}")
        }
    }
}

/// The protocol's full report, or its unchanged one, which has no items.
#[derive(Debug, Serialize)]
struct Report {
    kind: &'static str,
    #[serde(rename = "resultId", skip_serializing_if = "Option::is_none")]
    result_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    items: Option<Vec<Diagnostic>>,
}

impl Report {
    /// What a client that knows the result of an id is to be told.
    fn new(items: Vec<Diagnostic>, previous: Option<&str>) -> Report {
        let result_id = result_id(&serde_json::to_string(&items).unwrap_or_default());
        if previous == Some(result_id.as_str()) {
            return Report { kind: "unchanged", result_id: Some(result_id), items: None };
        }
        Report::full(items, Some(result_id))
    }

    fn full(items: Vec<Diagnostic>, result_id: Option<String>) -> Report {
        Report { kind: "full", result_id, items: Some(items) }
    }
}

/// Equal for equal diagnostics, which are JSON.
fn result_id(items: &str) -> String {
    let mut hasher = FxHasher::default();
    hasher.write(items.as_bytes());
    format!("{:016x}", hasher.finish())
}

#[derive(Debug, Serialize)]
struct RelatedReport {
    #[serde(flatten)]
    report: Report,
    #[serde(rename = "relatedDocuments", skip_serializing_if = "BTreeMap::is_empty")]
    related: BTreeMap<Uri, Report>,
}

/// What is published, with the diagnostics as text.
enum PublishText {}

impl Notification for PublishText {
    type Params = TextAnswer;
    const METHOD: &'static str = "textDocument/publishDiagnostics";
}

/// Publishes in order, and leaves out what the client has already: an edit in one file rarely changes another's
/// diagnostics.
pub(crate) async fn publish(client: Client, answers: Arc<TextAnswers>, mut messages: UnboundedReceiver<Message>) {
    let mut published: HashMap<Uri, Publication> = HashMap::new();
    while let Some(message) = messages.recv().await {
        let (publications, gone) = match message {
            Message::Everything(publications) => {
                let is_shown = |uri: &Uri| publications.iter().any(|publication| publication.uri == *uri);
                let gone = published.keys().filter(|uri| !is_shown(uri)).cloned().collect();
                (publications, gone)
            }
            Message::Open(publications) => (publications, Vec::new()),
            Message::Closed(uri) => (Vec::new(), vec![uri]),
        };
        for uri in gone {
            published.remove(&uri);
            client.publish_diagnostics(uri, Vec::new(), None).await;
        }
        for publication in publications {
            let known = published.get(&publication.uri);
            // What was found before an edit may come behind what was found after it.
            if known.is_some_and(|known| *known == publication || known.version > publication.version) {
                continue;
            }
            let text = serde_json::to_string(&publication).unwrap_or_default();
            published.insert(publication.uri.clone(), publication);
            client.send_notification::<PublishText>(answers.answer(text)).await;
        }
    }
}
