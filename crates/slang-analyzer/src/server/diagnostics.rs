//! Finding and publishing diagnostics.

use std::{
    collections::{BTreeMap, HashMap},
    hash::Hasher as _,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Mutex, PoisonError},
};

use base_db::{Project, SourceFile, parallel};
use ide::mentions;
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use serde::Serialize;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender};
use tower_lsp::{
    Client,
    ls_types::{Diagnostic, DiagnosticSeverity, PreviousResultId, Uri, notification::Notification},
};

use super::{
    configuration::Scope,
    convert, diagnostic_limit,
    text_answers::{TextAnswer, TextAnswers},
    world::Snapshot,
};

/// What one document is to show.
#[derive(Debug)]
pub(crate) struct Publication {
    uri: Uri,
    /// Nothing for a file that is not open.
    version: Option<i32>,
    /// Equal for equal diagnostics.
    id: u64,
    /// The parameters of the protocol's notification.
    json: String,
}

impl Publication {
    fn new(uri: Uri, version: Option<i32>, write_items: impl FnOnce(&mut String)) -> Publication {
        let mut json = String::from("{\"diagnostics\":");
        let id = write_hashed(&mut json, write_items);
        let stated = version.map_or_else(String::new, |version| format!(",\"version\":{version}"));
        json.push_str(&format!(",\"uri\":{}{stated}}}", serde_json::to_string(&uri).unwrap_or_default()));
        Publication { uri, version, id, json }
    }
}

/// Writes diagnostics behind a text; returns what is equal for equal diagnostics.
fn write_hashed(json: &mut String, write_items: impl FnOnce(&mut String)) -> u64 {
    let start = json.len();
    write_items(json);
    let mut hasher = FxHasher::default();
    hasher.write(&json.as_bytes()[start..]);
    hasher.finish()
}

fn write_list(json: &mut String, diagnostics: &[Diagnostic]) {
    let severities: Vec<_> = diagnostics.iter().map(|diagnostic| diagnostic.severity).collect();
    let written = match diagnostic_limit::kept(&severities) {
        None => serde_json::to_string(diagnostics),
        Some(kept) => {
            let rest = diagnostic_limit::remainder(&severities, &kept);
            let shown = diagnostics.iter().zip(&kept).filter(|(_, kept)| **kept).map(|(diagnostic, _)| diagnostic);
            serde_json::to_string(&std::iter::once(&rest).chain(shown).collect::<Vec<_>>())
        }
    };
    // What has no keys that are not texts can be written.
    json.push_str(&written.unwrap_or_else(|_| NOTHING.to_owned()));
}

/// What the publisher is told.
#[derive(Debug)]
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
            let write_items = |json: &mut String| drop(write_document(&snapshot, document.file, json));
            publications.push(Publication::new(uri.clone(), Some(document.version), write_items));
        }
    });
    // Before anything is published: the client may edit at once, and the writer waits for snapshots.
    drop(snapshot);
    if !matches!(found, Ok(Err(_))) {
        // What was found before a panic is better than nothing.
        let _ = publisher.send(Message::Open(publications));
    }
}

/// Looks whether what open documents show is still right, for a client that will ask for it.
pub(crate) fn verify_open(snapshot: Snapshot) {
    let _span = tracing::info_span!("verify_diagnostics").entered();
    let mut json = String::new();
    // An edit that cancels it asks the same again.
    let _ = cancellable(|| {
        for (_, document) in snapshot.open.iter().filter(|(uri, _)| !is_prelude(uri)) {
            json.clear();
            drop(write_document(&snapshot, document.file, &mut json));
        }
    });
}

/// Finds what one part of a large document shows, see [`super::world::World::found_part`]. Returns whether it was not
/// cancelled.
pub(crate) fn find_part(snapshot: Snapshot, file: SourceFile, part: u32) -> bool {
    let _span = tracing::info_span!("find_diagnostics", part).entered();
    let found = cancellable(|| find_part_of(&snapshot, file, part));
    drop(snapshot);
    !matches!(found, Ok(Err(_)))
}

/// The same for the document that a client asks about, or for all that are open: the part that comes next, if there is one.
pub(crate) fn find_next_part(snapshot: &Snapshot, among: Option<&Uri>) -> Option<(Uri, u32)> {
    let among = among.map(convert::canonical);
    let is_meant = |uri: &Uri| among.as_ref().is_none_or(|among| among == uri);
    let mut meant = snapshot.open.iter().filter(|(uri, _)| is_meant(uri));
    let (uri, file, part) =
        meant.find_map(|(uri, document)| Some((uri.clone(), document.file, document.next_part(&snapshot.db)?)))?;
    find_part_of(snapshot, file, part);
    Some((uri, part))
}

fn find_part_of(snapshot: &Snapshot, file: SourceFile, part: u32) {
    // What a header shows is found in the files that include it.
    if contexts(snapshot, file).is_empty() {
        ide::diagnostics::find_part(&snapshot.db, file, snapshot.client.columns, part);
    }
}

/// Sends the diagnostics of all files that are to show some.
pub(crate) fn publish_all(snapshot: Snapshot, publisher: &UnboundedSender<Message>) {
    let _span = tracing::info_span!("publish_diagnostics").entered();
    let found = cancellable(|| {
        let shown = of_all(&snapshot);
        let publications = shown.into_iter().map(|(uri, items)| {
            let version = snapshot.open.get(&uri).map(|document| document.version);
            Publication::new(uri, version, |json| items.write(json))
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

/// Writes what an open document shows: a header what is wrong with it where it is included, if that is known. Returns
/// what was found in other files on the way.
fn write_document(snapshot: &Snapshot, file: SourceFile, json: &mut String) -> Vec<(SourceFile, Diagnostic)> {
    let contexts = contexts(snapshot, file);
    if !contexts.is_empty() {
        write_list(json, &of_header(snapshot, file, contexts));
    } else if !snapshot.rendered.write(snapshot, file, json) {
        let Found { own, elsewhere } = of_file(snapshot, file);
        write_list(json, &own);
        return elsewhere;
    }
    Vec::new()
}

fn of_header(snapshot: &Snapshot, file: SourceFile, contexts: Vec<SourceFile>) -> Vec<Diagnostic> {
    let mut shown = Listed::default();
    for context in contexts {
        let here = of_file(snapshot, context).elsewhere.into_iter().filter(|(place, _)| *place == file);
        for (_, diagnostic) in here {
            shown.add(diagnostic);
        }
    }
    shown.diagnostics
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
        let shown = snapshot.diagnostic(&diagnostic);
        if place == file {
            found.own.push(shown);
        } else {
            found.elsewhere.push((place, shown));
        }
    }
    found
}

/// What a file shows: as JSON where that is kept from the edit before.
#[derive(Debug)]
enum Items {
    Written(String),
    Listed(Listed),
}

impl Items {
    fn write(&self, json: &mut String) {
        match self {
            Items::Written(text) => json.push_str(text),
            Items::Listed(listed) => write_list(json, &listed.diagnostics),
        }
    }
}

/// Diagnostics of one file, each once: a header that several files include says the same to each.
#[derive(Debug, Default)]
struct Listed {
    diagnostics: Vec<Diagnostic>,
    by_start: FxHashMap<(u32, u32), Vec<usize>>,
}

impl Listed {
    fn add(&mut self, diagnostic: Diagnostic) {
        let start = diagnostic.range.start;
        let here = self.by_start.entry((start.line, start.character)).or_default();
        if !here.iter().any(|&known| self.diagnostics[known] == diagnostic) {
            here.push(self.diagnostics.len());
            self.diagnostics.push(diagnostic);
        }
    }
}

/// The diagnostics of all files that show them, also those that are open and have none.
fn of_all(snapshot: &Snapshot) -> BTreeMap<Uri, Items> {
    let (shown, asked) = shown_and_asked(snapshot);
    let mut listed: BTreeMap<Uri, Listed> = BTreeMap::new();
    let mut add = |file: SourceFile, diagnostic: Diagnostic| {
        // Nobody mends here what others have written, but what does not compile is why nothing does.
        let is_wanted = diagnostic.severity == Some(DiagnosticSeverity::ERROR) || !snapshot.is_outside(file);
        if let Some(uri) = snapshot.uri(file).filter(|_| is_wanted) {
            listed.entry(uri).or_default().add(diagnostic);
        }
    };
    // What is open was written when it was published, and most of it is as it was.
    let (alone, asked): (Vec<SourceFile>, Vec<SourceFile>) = asked.into_iter().partition(|file| {
        let is_open = snapshot.open.values().any(|document| document.file == *file);
        is_open && !snapshot.headers().is_included(*file)
    });
    let facts = &snapshot.facts;
    let found =
        parallel::map(&snapshot.db, &asked, |db, file| of_file(&Snapshot::new(db.fork(), facts.clone()), *file));
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
    let mut written = Vec::with_capacity(alone.len());
    for file in alone {
        let mut json = String::new();
        for (place, diagnostic) in write_document(snapshot, file, &mut json) {
            add(place, diagnostic);
        }
        written.extend(snapshot.uri(file).map(|uri| (uri, Items::Written(json))));
    }
    let mut all: BTreeMap<Uri, Items> = listed.into_iter().map(|(uri, listed)| (uri, Items::Listed(listed))).collect();
    all.extend(written);
    for uri in snapshot.open.keys().filter(|uri| !is_prelude(uri)) {
        all.entry(uri.clone()).or_insert_with(|| Items::Listed(Listed::default()));
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
    let mut json = String::from("{\"kind\":\"full\",\"items\":");
    let mut related: BTreeMap<Uri, Vec<Diagnostic>> = BTreeMap::new();
    let id = write_hashed(&mut json, |json| match snapshot.file(uri) {
        None => json.push_str(NOTHING),
        Some(file) => {
            for (place, diagnostic) in write_document(snapshot, file, json) {
                if let Some(uri) = snapshot.uri(place).filter(|uri| !snapshot.open.contains_key(uri)) {
                    related.entry(uri).or_default().push(diagnostic);
                }
            }
        }
    });
    let id = result_id(id);
    if previous == Some(id.as_str()) {
        json.clear();
        json.push_str("{\"kind\":\"unchanged\"");
    }
    json.push_str(&format!(",\"resultId\":\"{id}\""));
    if !related.is_empty() {
        let full = |items: Vec<Diagnostic>| Report { kind: "full", items };
        let related: BTreeMap<Uri, Report> = related.into_iter().map(|(uri, items)| (uri, full(items))).collect();
        json.push_str(&format!(",\"relatedDocuments\":{}", serde_json::to_string(&related).unwrap_or_default()));
    }
    json.push('}');
    json
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
        let nothing = |uri: &&Uri| FileReport::new((*uri).clone(), None, &Items::Listed(Listed::default()));
        reports.extend(previous.iter().map(|(uri, known)| nothing(uri).to_json(Some(known))));
        reports
    }

    fn all(&self, snapshot: &Snapshot) -> Arc<[FileReport]> {
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some((_, all)) = last.filter(|(revision, _)| *revision == snapshot.revision) {
            return all;
        }
        let report = |(uri, items): (Uri, Items)| {
            let version = snapshot.open.get(&uri).map(|document| document.version);
            FileReport::new(uri, version, &items)
        };
        let all: Arc<[FileReport]> = of_all(snapshot).into_iter().map(report).collect();
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Some((snapshot.revision, Arc::clone(&all)));
        all
    }
}

/// The diagnostics of a file that has none.
const NOTHING: &str = "[]";

impl FileReport {
    fn new(uri: Uri, version: Option<i32>, items: &Items) -> FileReport {
        let mut json = String::new();
        let id = write_hashed(&mut json, |json| items.write(json));
        FileReport { uri, version, result_id: result_id(id), items: json }
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

/// The protocol's full report of another document.
#[derive(Debug, Serialize)]
struct Report {
    kind: &'static str,
    items: Vec<Diagnostic>,
}

/// The protocol's name of a result.
fn result_id(id: u64) -> String {
    format!("{id:016x}")
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
    let mut published: HashMap<Uri, (Option<i32>, u64)> = HashMap::new();
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
        for Publication { uri, version, id, json } in publications {
            let known = published.get(&uri);
            // What was found before an edit may come behind what was found after it.
            if known.is_some_and(|known| *known == (version, id) || known.0 > version) {
                continue;
            }
            published.insert(uri, (version, id));
            client.send_notification::<PublishText>(answers.answer(json)).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use tower_lsp::ls_types::{Position, Range};

    use super::*;

    fn at(line: u32, message: &str) -> Diagnostic {
        let position = Position { line, character: 2 };
        Diagnostic {
            range: Range { start: position, end: position },
            message: message.to_owned(),
            ..Default::default()
        }
    }

    #[test]
    fn what_several_files_say_of_a_header_is_listed_once() {
        let mut listed = Listed::default();
        [at(1, "a"), at(1, "b"), at(2, "a"), at(1, "a"), at(2, "a")].into_iter().for_each(|found| listed.add(found));
        assert_eq!(listed.diagnostics, [at(1, "a"), at(1, "b"), at(2, "a")]);
    }
}
