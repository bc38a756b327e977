//! What the server tells the client that it can do.

use base_db::line_column::ColumnUnit;
use tower_lsp::ls_types::{
    CallHierarchyServerCapability, ClientCapabilities, CodeActionKind, CodeActionOptions, CodeActionProviderCapability,
    CodeLensOptions, CompletionOptions, DeclarationCapability, DiagnosticOptions, DiagnosticServerCapabilities,
    DocumentLinkOptions, DocumentOnTypeFormattingOptions, FileOperationFilter, FileOperationPattern,
    FileOperationPatternKind, FileOperationRegistrationOptions, FoldingRangeProviderCapability,
    HoverProviderCapability, ImplementationProviderCapability, InitializeParams, OneOf, RenameOptions, SaveOptions,
    SelectionRangeProviderCapability, SemanticTokensFullOptions, SemanticTokensOptions,
    SemanticTokensServerCapabilities, ServerCapabilities, SignatureHelpOptions, TextDocumentSyncCapability,
    TextDocumentSyncKind, TextDocumentSyncOptions, TextDocumentSyncSaveOptions, TypeDefinitionProviderCapability,
    WorkDoneProgressOptions, WorkspaceFileOperationsServerCapabilities, WorkspaceFoldersServerCapabilities,
    WorkspaceServerCapabilities,
};

use super::{convert, semantic_tokens, world::ClientFacts};

pub(crate) fn client_facts(params: &InitializeParams) -> ClientFacts {
    let capabilities = &params.capabilities;
    let encodings = capabilities.general.as_ref().and_then(|general| general.position_encodings.as_deref());
    let document = capabilities.text_document.as_ref();
    let pulled = document.and_then(|document| document.diagnostic.as_ref());
    let pushed = document.and_then(|document| document.publish_diagnostics.as_ref());
    let links = [
        pulled.and_then(|pulled| pulled.code_description_support),
        pushed.and_then(|pushed| pushed.code_description_support),
    ];
    let items =
        document.and_then(|document| document.completion.as_ref()).and_then(|asked| asked.completion_item.as_ref());
    let inserts_snippets = items.and_then(|item| item.snippet_support) == Some(true);
    let shows_progress = capabilities.window.as_ref().and_then(|window| window.work_done_progress) == Some(true);
    let edits = capabilities.workspace.as_ref().and_then(|workspace| workspace.workspace_edit.as_ref());
    let takes_versions = edits.and_then(|edits| edits.document_changes) == Some(true);
    ClientFacts {
        takes_versions,
        columns: convert::column_unit(encodings),
        pulls_diagnostics: pulled.is_some(),
        links_codes: links.contains(&Some(true)),
        shows_progress,
        inserts_snippets,
        refreshes: refreshes(capabilities),
    }
}

/// What the client asks for again when it is told that answers are old.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Refreshes {
    pub diagnostics: bool,
    pub semantic_tokens: bool,
    pub inlay_hints: bool,
    pub code_lenses: bool,
}

fn refreshes(capabilities: &ClientCapabilities) -> Refreshes {
    let Some(workspace) = &capabilities.workspace else { return Refreshes::default() };
    let diagnostics = workspace.diagnostics.as_ref().and_then(|diagnostics| diagnostics.refresh_support);
    let semantic_tokens = workspace.semantic_tokens.as_ref().and_then(|tokens| tokens.refresh_support);
    let inlay_hints = workspace.inlay_hint.as_ref().and_then(|hints| hints.refresh_support);
    let code_lenses = workspace.code_lens.as_ref().and_then(|lenses| lenses.refresh_support);
    Refreshes {
        diagnostics: diagnostics == Some(true),
        semantic_tokens: semantic_tokens == Some(true),
        inlay_hints: inlay_hints == Some(true),
        code_lenses: code_lenses == Some(true),
    }
}

pub(crate) fn server_capabilities(client: ClientFacts) -> ServerCapabilities {
    let columns: ColumnUnit = client.columns;
    ServerCapabilities {
        position_encoding: Some(convert::encoding(columns)),
        text_document_sync: Some(TextDocumentSyncCapability::Options(TextDocumentSyncOptions {
            open_close: Some(true),
            change: Some(TextDocumentSyncKind::INCREMENTAL),
            save: Some(TextDocumentSyncSaveOptions::SaveOptions(SaveOptions { include_text: Some(false) })),
            ..TextDocumentSyncOptions::default()
        })),
        hover_provider: Some(HoverProviderCapability::Simple(true)),
        definition_provider: Some(OneOf::Left(true)),
        declaration_provider: Some(DeclarationCapability::Simple(true)),
        completion_provider: Some(CompletionOptions {
            trigger_characters: Some([".", ":", ">", "[", "(", "\"", "/", "#"].map(str::to_owned).into()),
            resolve_provider: Some(true),
            ..CompletionOptions::default()
        }),
        type_definition_provider: Some(TypeDefinitionProviderCapability::Simple(true)),
        implementation_provider: Some(ImplementationProviderCapability::Simple(true)),
        call_hierarchy_provider: Some(CallHierarchyServerCapability::Simple(true)),
        rename_provider: Some(OneOf::Right(RenameOptions {
            prepare_provider: Some(true),
            work_done_progress_options: WorkDoneProgressOptions::default(),
        })),
        document_formatting_provider: Some(OneOf::Left(true)),
        document_range_formatting_provider: Some(OneOf::Left(true)),
        document_on_type_formatting_provider: Some(DocumentOnTypeFormattingOptions {
            first_trigger_character: "}".to_owned(),
            more_trigger_character: None,
        }),
        inlay_hint_provider: Some(OneOf::Left(true)),
        signature_help_provider: Some(SignatureHelpOptions {
            trigger_characters: Some(["(", ",", "[", "<"].map(str::to_owned).into()),
            ..SignatureHelpOptions::default()
        }),
        references_provider: Some(OneOf::Left(true)),
        document_highlight_provider: Some(OneOf::Left(true)),
        document_symbol_provider: Some(OneOf::Left(true)),
        document_link_provider: Some(DocumentLinkOptions {
            resolve_provider: Some(false),
            work_done_progress_options: WorkDoneProgressOptions::default(),
        }),
        workspace_symbol_provider: Some(OneOf::Left(true)),
        folding_range_provider: Some(FoldingRangeProviderCapability::Simple(true)),
        selection_range_provider: Some(SelectionRangeProviderCapability::Simple(true)),
        code_action_provider: Some(CodeActionProviderCapability::Options(CodeActionOptions {
            code_action_kinds: Some(vec![
                CodeActionKind::QUICKFIX,
                CodeActionKind::REFACTOR_EXTRACT,
                CodeActionKind::REFACTOR_INLINE,
                CodeActionKind::REFACTOR_REWRITE,
                CodeActionKind::SOURCE_FIX_ALL,
            ]),
            ..CodeActionOptions::default()
        })),
        code_lens_provider: Some(CodeLensOptions { resolve_provider: Some(true) }),
        semantic_tokens_provider: Some(SemanticTokensServerCapabilities::SemanticTokensOptions(
            SemanticTokensOptions {
                legend: semantic_tokens::legend(),
                range: Some(true),
                full: Some(SemanticTokensFullOptions::Delta { delta: Some(true) }),
                ..SemanticTokensOptions::default()
            },
        )),
        diagnostic_provider: client.pulls_diagnostics.then(|| {
            DiagnosticServerCapabilities::Options(DiagnosticOptions {
                identifier: Some("slang-analyzer".to_owned()),
                inter_file_dependencies: true,
                workspace_diagnostics: true,
                ..DiagnosticOptions::default()
            })
        }),
        workspace: Some(WorkspaceServerCapabilities {
            workspace_folders: Some(WorkspaceFoldersServerCapabilities {
                supported: Some(true),
                change_notifications: Some(OneOf::Left(true)),
            }),
            file_operations: Some(file_operations()),
        }),
        ..ServerCapabilities::default()
    }
}

/// What the user does to files and folders in the editor. Any folder may hold source.
fn file_operations() -> WorkspaceFileOperationsServerCapabilities {
    let pattern = |kind, glob: &str| FileOperationFilter {
        scheme: Some("file".to_owned()),
        pattern: FileOperationPattern { glob: glob.to_owned(), matches: Some(kind), options: None },
    };
    let source = pattern(FileOperationPatternKind::File, "**/*.{slang,slangh,hlsl,hlsli,h}");
    let folder = pattern(FileOperationPatternKind::Folder, "**");
    let registration = FileOperationRegistrationOptions { filters: vec![source, folder] };
    WorkspaceFileOperationsServerCapabilities {
        did_create: Some(registration.clone()),
        did_rename: Some(registration.clone()),
        will_rename: Some(registration.clone()),
        did_delete: Some(registration),
        ..WorkspaceFileOperationsServerCapabilities::default()
    }
}
