//! Finding and publishing diagnostics.

use std::{
    collections::{BTreeMap, HashMap},
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
};

use serde::Serialize;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender};
use tower_lsp::{
    Client,
    ls_types::{Diagnostic, Uri, notification::Notification},
};

use super::{
    convert,
    text_answers::{TextAnswer, TextAnswers},
    world::Snapshot,
};

/// What one document is to show.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Publication {
    pub uri: Uri,
    /// Nothing for a file that is not open and is shown because an open one includes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<i32>,
    pub diagnostics: Vec<Diagnostic>,
}

/// What the publisher is told.
#[derive(Debug, Clone)]
pub enum Message {
    /// All that is to be shown now; documents that are not among it show nothing.
    Everything(Vec<Publication>),
    Closed(Uri),
}

/// Sends the diagnostics of every open document and of what they include; ends early if an edit cancels it, since the
/// writer schedules it again after each edit.
pub fn publish_all(snapshot: Snapshot, publisher: &UnboundedSender<Message>) {
    let mut publications: Vec<Publication> = Vec::with_capacity(snapshot.open.len());
    let found = catch_unwind(AssertUnwindSafe(|| {
        salsa::Cancelled::catch(AssertUnwindSafe(|| {
            let is_prelude = |uri: &Uri| uri.scheme().as_str() == convert::PRELUDE_URI_SCHEME;
            let mut elsewhere = Vec::new();
            for (uri, document) in snapshot.open.iter().filter(|(uri, _)| !is_prelude(uri)) {
                let found = of_file(&snapshot, document.file);
                let version = Some(document.version);
                publications.push(Publication { uri: uri.clone(), version, diagnostics: found.own });
                elsewhere.extend(found.elsewhere);
            }
            for (uri, diagnostic) in elsewhere {
                add(&mut publications, uri, diagnostic);
            }
        }))
    }));
    // Before anything is published: the client may edit at once, and the writer waits for snapshots.
    drop(snapshot);
    if matches!(found, Ok(Err(_))) {
        return;
    }
    // What was found before a panic is better than nothing.
    let _ = publisher.send(Message::Everything(publications));
}

/// A file that several others include says the same to each.
fn add(publications: &mut Vec<Publication>, uri: Uri, diagnostic: Diagnostic) {
    match publications.iter_mut().find(|publication| publication.uri == uri) {
        Some(publication) if publication.diagnostics.contains(&diagnostic) => {}
        Some(publication) => publication.diagnostics.push(diagnostic),
        None => publications.push(Publication { uri, version: None, diagnostics: vec![diagnostic] }),
    }
}

/// The diagnostics of a file and of the files that it includes.
#[derive(Debug, Default)]
pub struct Found {
    pub own: Vec<Diagnostic>,
    pub elsewhere: Vec<(Uri, Diagnostic)>,
}

pub fn of_file(snapshot: &Snapshot, file: base_db::SourceFile) -> Found {
    let diagnostics = snapshot.diagnostics(file);
    let mut found = Found { own: Vec::with_capacity(diagnostics.len()), elsewhere: Vec::new() };
    for diagnostic in diagnostics {
        let place = diagnostic.at.file;
        let shown = snapshot.diagnostic(diagnostic);
        if place == file {
            found.own.push(shown);
        } else if let Some(uri) = snapshot.uri(place) {
            found.elsewhere.push((uri, shown));
        }
    }
    found
}

/// The answer to a pull of a document's diagnostics, as JSON.
pub fn report(snapshot: &Snapshot, uri: &Uri) -> String {
    let found = snapshot.file(uri).map(|file| of_file(snapshot, file)).unwrap_or_default();
    let mut related: BTreeMap<Uri, Report> = BTreeMap::new();
    for (uri, diagnostic) in found.elsewhere {
        related.entry(uri).or_insert_with(|| Report::new(Vec::new())).items.push(diagnostic);
    }
    let report = RelatedReport { report: Report::new(found.own), related };
    // What has no keys that are not texts can be written.
    serde_json::to_string(&report).unwrap_or_default()
}

/// The protocol's full report.
#[derive(Debug, Serialize)]
struct Report {
    kind: &'static str,
    items: Vec<Diagnostic>,
}

impl Report {
    fn new(items: Vec<Diagnostic>) -> Report {
        Report { kind: "full", items }
    }
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
pub async fn publish(client: Client, answers: Arc<TextAnswers>, mut messages: UnboundedReceiver<Message>) {
    let mut published: HashMap<Uri, Publication> = HashMap::new();
    while let Some(message) = messages.recv().await {
        let (publications, gone) = match message {
            Message::Everything(publications) => {
                let is_shown = |uri: &Uri| publications.iter().any(|publication| publication.uri == *uri);
                let gone = published.keys().filter(|uri| !is_shown(uri)).cloned().collect();
                (publications, gone)
            }
            Message::Closed(uri) => (Vec::new(), vec![uri]),
        };
        for uri in gone {
            published.remove(&uri);
            client.publish_diagnostics(uri, Vec::new(), None).await;
        }
        for publication in publications {
            if published.get(&publication.uri) == Some(&publication) {
                continue;
            }
            let text = serde_json::to_string(&publication).unwrap_or_default();
            published.insert(publication.uri.clone(), publication);
            client.send_notification::<PublishText>(answers.answer(text)).await;
        }
    }
}
