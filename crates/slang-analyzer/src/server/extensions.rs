//! The requests under `slang-analyzer/`.

use serde::{Deserialize, Serialize};
use tower_lsp::ls_types::TextDocumentIdentifier;

use super::world::Snapshot;

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SyntaxTreeParams {
    pub text_document: TextDocumentIdentifier,
}

/// `slang-analyzer/syntaxTree`: the lossless tree of a document, for people who work on the analyzer.
pub fn syntax_tree(snapshot: &Snapshot, params: &SyntaxTreeParams) -> Option<String> {
    let file = snapshot.file(&params.text_document.uri)?;
    Some(ide::syntax_tree::syntax_tree(&snapshot.db, file))
}

#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Status {
    pub version: String,
    pub open_documents: usize,
    pub known_files: usize,
}

/// `slang-analyzer/status`: what the server holds.
pub fn status(snapshot: &Snapshot) -> Status {
    Status {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        open_documents: snapshot.open.len(),
        known_files: base_db::Project::get(&snapshot.db).files(&snapshot.db).len(),
    }
}
