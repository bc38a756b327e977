//! Finding and publishing diagnostics.

use std::{
    collections::HashMap,
    panic::{AssertUnwindSafe, catch_unwind},
};

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender};
use tower_lsp::{
    Client,
    ls_types::{Diagnostic, Uri},
};

use super::{convert, world::Snapshot};

/// What one document is to show.
#[derive(Debug, Clone, PartialEq)]
pub struct Publication {
    pub uri: Uri,
    pub version: Option<i32>,
    pub diagnostics: Vec<Diagnostic>,
}

/// Sends the diagnostics of every open document; ends early if an edit cancels it, since the writer schedules it again
/// after each edit.
pub fn publish_all(snapshot: Snapshot, publisher: &UnboundedSender<Publication>) {
    let mut publications = Vec::with_capacity(snapshot.open.len());
    let found = catch_unwind(AssertUnwindSafe(|| {
        salsa::Cancelled::catch(AssertUnwindSafe(|| {
            let is_prelude = |uri: &Uri| uri.scheme().as_str() == convert::PRELUDE_URI_SCHEME;
            for (uri, document) in snapshot.open.iter().filter(|(uri, _)| !is_prelude(uri)) {
                let diagnostics = of_file(&snapshot, document.file);
                publications.push(Publication { uri: uri.clone(), version: Some(document.version), diagnostics });
            }
        }))
    }));
    // Before anything is published: the client may edit at once, and the writer waits for snapshots.
    drop(snapshot);
    if matches!(found, Ok(Err(_))) {
        return;
    }
    // What was found before a panic is better than nothing.
    for publication in publications {
        let _ = publisher.send(publication);
    }
}

pub fn of_file(snapshot: &Snapshot, file: base_db::SourceFile) -> Vec<Diagnostic> {
    let diagnostics = ide::diagnostics::diagnostics(&snapshot.db, file);
    diagnostics.iter().map(|diagnostic| snapshot.diagnostic(diagnostic)).collect()
}

/// Publishes in order, and leaves out what the client has already: an edit in one file rarely changes another's
/// diagnostics.
pub async fn publish(client: Client, mut publications: UnboundedReceiver<Publication>) {
    let mut published: HashMap<Uri, Publication> = HashMap::new();
    while let Some(publication) = publications.recv().await {
        if published.get(&publication.uri) == Some(&publication) {
            continue;
        }
        let Publication { uri, version, diagnostics } = publication.clone();
        match version {
            Some(_) => published.insert(publication.uri.clone(), publication),
            None => published.remove(&publication.uri),
        };
        client.publish_diagnostics(uri, diagnostics, version).await;
    }
}
