//! The requests under `slang-analyzer/`.

use base_db::Db;
use ide::preview::{PreviewOperator, PreviewTarget};
use serde::{Deserialize, Serialize};
use tower_lsp::ls_types::{Position, Range, TextDocumentIdentifier, Uri};

use super::world::Snapshot;

/// `slang-analyzer/derivativePreview`: the derivative of the function at a position, or of the one that is named.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PreviewParams {
    pub text_document: TextDocumentIdentifier,
    pub position: Position,
    #[serde(default)]
    pub function: Option<String>,
    #[serde(default)]
    pub operator: Operator,
    #[serde(default)]
    pub target: Target,
}

#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Operator {
    Forward,
    #[default]
    Backward,
}

#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Target {
    #[default]
    Slang,
    Wgsl,
}

#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PreviewResult {
    /// The function that is previewed; later requests name it to follow it through edits.
    pub function: String,
    pub text: String,
    /// For lines of `text` (from 0), the source they come from.
    pub lines: Vec<PreviewLine>,
}

#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PreviewLine {
    pub line: u32,
    pub uri: Uri,
    pub range: Range,
}

pub fn derivative_preview(snapshot: &Snapshot, params: &PreviewParams) -> Option<PreviewResult> {
    let at = snapshot.file_position(&params.text_document.uri, params.position)?;
    let operator = match params.operator {
        Operator::Forward => PreviewOperator::Forward,
        Operator::Backward => PreviewOperator::Backward,
    };
    let target = match params.target {
        Target::Slang => PreviewTarget::Slang,
        Target::Wgsl => PreviewTarget::Wgsl,
    };
    let preview = ide::preview::preview(&snapshot.db, at, params.function.as_deref(), operator, target)?;
    let lines = preview
        .lines
        .iter()
        .filter_map(|&(line, source)| {
            let location = snapshot.location(source)?;
            Some(PreviewLine { line, uri: location.uri, range: location.range })
        })
        .collect();
    Some(PreviewResult { function: preview.function, text: preview.text, lines })
}

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

#[derive(Debug, Clone, Deserialize)]
pub struct ContentParams {
    pub uri: Uri,
}

#[derive(Debug, Clone, Serialize)]
pub struct ContentResult {
    pub text: String,
}

/// `workspace/textDocumentContent` (LSP 3.18): the text of a document of the core library, which the client shows
/// read-only.
pub fn text_document_content(snapshot: &Snapshot, params: &ContentParams) -> Option<ContentResult> {
    let text = snapshot.db.text(snapshot.file(&params.uri)?)?;
    Some(ContentResult { text: text.rope().to_string() })
}
