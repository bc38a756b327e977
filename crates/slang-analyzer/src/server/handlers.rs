//! The LSP methods. Each handler sends to the writer before its first await (see [`super::writer`]).

use std::{
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use tokio::sync::mpsc::unbounded_channel;
use tower_lsp::{
    Client, LanguageServer,
    jsonrpc::Result,
    ls_types::{
        CodeActionParams, CodeActionResponse, CodeLens, CodeLensParams, CompletionParams, CompletionResponse,
        DidChangeConfigurationParams, DidChangeTextDocumentParams, DidChangeWatchedFilesParams,
        DidChangeWatchedFilesRegistrationOptions, DidChangeWorkspaceFoldersParams, DidCloseTextDocumentParams,
        DidOpenTextDocumentParams, DocumentDiagnosticParams, DocumentDiagnosticReport, DocumentDiagnosticReportResult,
        DocumentHighlight, DocumentHighlightParams, DocumentSymbolParams, DocumentSymbolResponse, FileSystemWatcher,
        FoldingRange, FoldingRangeParams, FullDocumentDiagnosticReport, GlobPattern, GotoDefinitionParams,
        GotoDefinitionResponse, Hover, HoverParams, InitializeParams, InitializeResult, InitializedParams, Location,
        ReferenceParams, Registration, RelatedFullDocumentDiagnosticReport, SelectionRange, SelectionRangeParams,
        SemanticTokensParams, SemanticTokensRangeParams, SemanticTokensRangeResult, SemanticTokensResult, ServerInfo,
        SignatureHelp, SignatureHelpParams, WorkspaceSymbolParams, WorkspaceSymbolResponse,
    },
};

use super::{
    capabilities, configuration, diagnostics,
    extensions::{self, ContentParams, ContentResult, PreviewParams, PreviewResult, Status, SyntaxTreeParams},
    features,
    world::World,
    writer::Writer,
};

#[derive(Clone)]
pub struct SlangServer {
    client: Client,
    writer: Writer,
    was_shut_down: Arc<AtomicBool>,
    can_register: Arc<[AtomicBool; 2]>,
}

/// Indices into `can_register`.
const WATCHED_FILES: usize = 0;
const CONFIGURATION: usize = 1;

impl SlangServer {
    pub fn new(client: Client) -> SlangServer {
        let (publisher, publications) = unbounded_channel();
        tokio::spawn(diagnostics::publish(client.clone(), publications));
        let writer = Writer::start(move || World::new(publisher)).unwrap_or_else(|error| {
            eprintln!("slang-analyzer: cannot start its threads: {error}");
            std::process::exit(1);
        });
        SlangServer { client, writer, was_shut_down: Arc::default(), can_register: Arc::default() }
    }

    pub fn was_shut_down(&self) -> bool {
        self.was_shut_down.load(Ordering::Relaxed)
    }

    pub async fn derivative_preview(&self, params: PreviewParams) -> Result<Option<PreviewResult>> {
        self.writer.read(move |snapshot| extensions::derivative_preview(snapshot, &params)).await
    }

    pub async fn syntax_tree(&self, params: SyntaxTreeParams) -> Result<Option<String>> {
        self.writer.read(move |snapshot| extensions::syntax_tree(snapshot, &params)).await
    }

    pub async fn text_document_content(&self, params: ContentParams) -> Result<Option<ContentResult>> {
        self.writer.read(move |snapshot| extensions::text_document_content(snapshot, &params)).await
    }

    pub async fn status(&self) -> Result<Status> {
        self.writer.read(extensions::status).await
    }

    /// Asks the client for its settings; the answer is applied when it comes.
    async fn ask_for_settings(&self) {
        if !self.can_register[CONFIGURATION].load(Ordering::Relaxed) {
            return;
        }
        if let Ok(answers) = self.client.configuration(configuration::items()).await {
            let settings = configuration::from_answers(&answers);
            self.writer.write(move |world| world.configure(settings));
        }
    }
}

impl LanguageServer for SlangServer {
    async fn initialize(&self, params: InitializeParams) -> Result<InitializeResult> {
        let client = capabilities::client_facts(&params);
        let folders = workspace_folders(&params);
        self.writer.write(move |world| world.initialize(client, folders));
        let workspace = params.capabilities.workspace.unwrap_or_default();
        let watches = workspace.did_change_watched_files.and_then(|watched| watched.dynamic_registration);
        self.can_register[WATCHED_FILES].store(watches == Some(true), Ordering::Relaxed);
        self.can_register[CONFIGURATION].store(workspace.configuration == Some(true), Ordering::Relaxed);
        Ok(InitializeResult {
            capabilities: capabilities::server_capabilities(client),
            server_info: Some(ServerInfo {
                name: "slang-analyzer".to_owned(),
                version: Some(env!("CARGO_PKG_VERSION").to_owned()),
            }),
            ..InitializeResult::default()
        })
    }

    async fn initialized(&self, _: InitializedParams) {
        if self.can_register[WATCHED_FILES].load(Ordering::Relaxed) {
            let watchers = ["**/*.slang", "**/*.slangh", "**/*.hlsl", "**/*.hlsli", "**/*.h"]
                .map(|glob| FileSystemWatcher { glob_pattern: GlobPattern::String(glob.to_owned()), kind: None });
            let options = DidChangeWatchedFilesRegistrationOptions { watchers: watchers.into() };
            let registration = Registration {
                id: "watched-files".to_owned(),
                method: "workspace/didChangeWatchedFiles".to_owned(),
                register_options: serde_json::to_value(options).ok(),
            };
            // A client that refuses has no watched files; everything else works.
            let _ = self.client.register_capability(vec![registration]).await;
        }
        self.ask_for_settings().await;
    }

    async fn shutdown(&self) -> Result<()> {
        self.was_shut_down.store(true, Ordering::Relaxed);
        Ok(())
    }

    async fn did_open(&self, params: DidOpenTextDocumentParams) {
        let document = params.text_document;
        self.writer.write(move |world| world.open_document(document.uri, document.version, &document.text));
    }

    async fn did_change(&self, params: DidChangeTextDocumentParams) {
        let document = params.text_document;
        self.writer.write(move |world| world.change_document(&document.uri, document.version, params.content_changes));
    }

    async fn did_close(&self, params: DidCloseTextDocumentParams) {
        self.writer.write(move |world| world.close_document(&params.text_document.uri));
    }

    async fn did_change_watched_files(&self, params: DidChangeWatchedFilesParams) {
        self.writer.write(move |world| {
            for change in &params.changes {
                world.disk_changed(&change.uri);
            }
        });
    }

    async fn did_change_workspace_folders(&self, params: DidChangeWorkspaceFoldersParams) {
        let paths = |folders: Vec<tower_lsp::ls_types::WorkspaceFolder>| -> Vec<PathBuf> {
            folders.iter().filter_map(|folder| Some(folder.uri.to_file_path()?.into_owned())).collect()
        };
        let (added, removed) = (paths(params.event.added), paths(params.event.removed));
        self.writer.write(move |world| world.change_folders(added, &removed));
    }

    async fn did_change_configuration(&self, _: DidChangeConfigurationParams) {
        // What clients send along differs; asking is understood by all that can.
        self.ask_for_settings().await;
    }

    async fn diagnostic(&self, params: DocumentDiagnosticParams) -> Result<DocumentDiagnosticReportResult> {
        let uri = params.text_document.uri;
        let items = self
            .writer
            .read(move |snapshot| {
                snapshot.file(&uri).map(|file| diagnostics::of_file(snapshot, file)).unwrap_or_default()
            })
            .await?;
        Ok(DocumentDiagnosticReportResult::Report(DocumentDiagnosticReport::Full(
            RelatedFullDocumentDiagnosticReport {
                related_documents: None,
                full_document_diagnostic_report: FullDocumentDiagnosticReport { result_id: None, items },
            },
        )))
    }

    async fn hover(&self, params: HoverParams) -> Result<Option<Hover>> {
        let at = params.text_document_position_params;
        self.writer.read(move |snapshot| features::hover(snapshot, &at)).await
    }

    async fn goto_definition(&self, params: GotoDefinitionParams) -> Result<Option<GotoDefinitionResponse>> {
        let at = params.text_document_position_params;
        self.writer.read(move |snapshot| features::definition(snapshot, &at)).await
    }

    async fn completion(&self, params: CompletionParams) -> Result<Option<CompletionResponse>> {
        let at = params.text_document_position;
        self.writer.read(move |snapshot| features::completion(snapshot, &at)).await
    }

    async fn signature_help(&self, params: SignatureHelpParams) -> Result<Option<SignatureHelp>> {
        let at = params.text_document_position_params;
        self.writer.read(move |snapshot| features::signature_help(snapshot, &at)).await
    }

    async fn references(&self, params: ReferenceParams) -> Result<Option<Vec<Location>>> {
        let at = params.text_document_position;
        let declaration = params.context.include_declaration;
        self.writer.read(move |snapshot| features::references(snapshot, &at, declaration)).await
    }

    async fn document_highlight(&self, params: DocumentHighlightParams) -> Result<Option<Vec<DocumentHighlight>>> {
        let at = params.text_document_position_params;
        self.writer.read(move |snapshot| features::highlight(snapshot, &at)).await
    }

    async fn document_symbol(&self, params: DocumentSymbolParams) -> Result<Option<DocumentSymbolResponse>> {
        self.writer.read(move |snapshot| features::document_symbols(snapshot, &params.text_document.uri)).await
    }

    async fn symbol(&self, params: WorkspaceSymbolParams) -> Result<Option<WorkspaceSymbolResponse>> {
        self.writer.read(move |snapshot| features::workspace_symbols(snapshot, &params.query)).await
    }

    async fn folding_range(&self, params: FoldingRangeParams) -> Result<Option<Vec<FoldingRange>>> {
        self.writer.read(move |snapshot| features::folding_ranges(snapshot, &params.text_document.uri)).await
    }

    async fn selection_range(&self, params: SelectionRangeParams) -> Result<Option<Vec<SelectionRange>>> {
        self.writer
            .read(move |snapshot| features::selection_ranges(snapshot, &params.text_document.uri, &params.positions))
            .await
    }

    async fn code_action(&self, params: CodeActionParams) -> Result<Option<CodeActionResponse>> {
        self.writer
            .read(move |snapshot| features::code_actions(snapshot, &params.text_document.uri, params.range))
            .await
    }

    async fn code_lens(&self, params: CodeLensParams) -> Result<Option<Vec<CodeLens>>> {
        self.writer.read(move |snapshot| features::code_lenses(snapshot, &params.text_document.uri)).await
    }

    async fn semantic_tokens_full(&self, params: SemanticTokensParams) -> Result<Option<SemanticTokensResult>> {
        self.writer.read(move |snapshot| features::semantic_tokens(snapshot, &params.text_document.uri)).await
    }

    async fn semantic_tokens_range(
        &self,
        params: SemanticTokensRangeParams,
    ) -> Result<Option<SemanticTokensRangeResult>> {
        self.writer
            .read(move |snapshot| features::semantic_tokens_range(snapshot, &params.text_document.uri, params.range))
            .await
    }
}

/// The folders of the workspace; clients that know none give a root.
fn workspace_folders(params: &InitializeParams) -> Vec<PathBuf> {
    let folders = params.workspace_folders.as_deref().unwrap_or_default();
    let mut paths: Vec<PathBuf> =
        folders.iter().filter_map(|folder| Some(folder.uri.to_file_path()?.into_owned())).collect();
    if paths.is_empty() {
        #[expect(deprecated, reason = "older clients send nothing else")]
        let root = params.root_uri.as_ref();
        paths.extend(root.and_then(|uri| Some(uri.to_file_path()?.into_owned())));
    }
    paths
}
