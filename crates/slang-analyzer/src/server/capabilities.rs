//! What the server tells the client that it can do.

use base_db::line_column::ColumnUnit;
use tower_lsp::ls_types::{
    DiagnosticOptions, DiagnosticServerCapabilities, FoldingRangeProviderCapability, InitializeParams, OneOf,
    SaveOptions, SelectionRangeProviderCapability, ServerCapabilities, TextDocumentSyncCapability,
    TextDocumentSyncKind, TextDocumentSyncOptions, TextDocumentSyncSaveOptions, WorkspaceFoldersServerCapabilities,
    WorkspaceServerCapabilities,
};

use super::{convert, world::ClientFacts};

pub fn client_facts(params: &InitializeParams) -> ClientFacts {
    let capabilities = &params.capabilities;
    let encodings = capabilities.general.as_ref().and_then(|general| general.position_encodings.as_deref());
    let pulls_diagnostics =
        capabilities.text_document.as_ref().is_some_and(|text_document| text_document.diagnostic.is_some());
    ClientFacts { columns: convert::column_unit(encodings), pulls_diagnostics }
}

pub fn server_capabilities(client: ClientFacts) -> ServerCapabilities {
    let columns: ColumnUnit = client.columns;
    ServerCapabilities {
        position_encoding: Some(convert::encoding(columns)),
        text_document_sync: Some(TextDocumentSyncCapability::Options(TextDocumentSyncOptions {
            open_close: Some(true),
            change: Some(TextDocumentSyncKind::INCREMENTAL),
            save: Some(TextDocumentSyncSaveOptions::SaveOptions(SaveOptions { include_text: Some(false) })),
            ..TextDocumentSyncOptions::default()
        })),
        document_symbol_provider: Some(OneOf::Left(true)),
        workspace_symbol_provider: Some(OneOf::Left(true)),
        folding_range_provider: Some(FoldingRangeProviderCapability::Simple(true)),
        selection_range_provider: Some(SelectionRangeProviderCapability::Simple(true)),
        diagnostic_provider: client.pulls_diagnostics.then(|| {
            DiagnosticServerCapabilities::Options(DiagnosticOptions {
                identifier: Some("slang-analyzer".to_owned()),
                inter_file_dependencies: true,
                workspace_diagnostics: false,
                ..DiagnosticOptions::default()
            })
        }),
        workspace: Some(WorkspaceServerCapabilities {
            workspace_folders: Some(WorkspaceFoldersServerCapabilities {
                supported: Some(true),
                change_notifications: Some(OneOf::Left(true)),
            }),
            ..WorkspaceServerCapabilities::default()
        }),
        ..ServerCapabilities::default()
    }
}
