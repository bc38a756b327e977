//! The LSP methods. Each handler sends to the writer before its first await (see [`super::writer`]).

use std::{
    path::PathBuf,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tower_lsp::{
    Client, LanguageServer,
    jsonrpc::{Error, Result},
    ls_types::{
        CallHierarchyIncomingCall, CallHierarchyIncomingCallsParams, CallHierarchyItem, CallHierarchyOutgoingCall,
        CallHierarchyOutgoingCallsParams, CallHierarchyPrepareParams, CodeActionParams, CodeActionResponse, CodeLens,
        CodeLensParams, CompletionItem, CompletionParams, CompletionResponse, CreateFilesParams, DeleteFilesParams,
        DidChangeConfigurationParams, DidChangeTextDocumentParams, DidChangeWatchedFilesParams,
        DidChangeWatchedFilesRegistrationOptions, DidChangeWorkspaceFoldersParams, DidCloseTextDocumentParams,
        DidOpenTextDocumentParams, DidSaveTextDocumentParams, DocumentDiagnosticParams, DocumentFormattingParams,
        DocumentHighlight, DocumentHighlightParams, DocumentLink, DocumentLinkParams, DocumentOnTypeFormattingParams,
        DocumentRangeFormattingParams, DocumentSymbolParams, DocumentSymbolResponse, FileSystemWatcher, FoldingRange,
        FoldingRangeParams, GlobPattern, GotoDefinitionParams, GotoDefinitionResponse, Hover, HoverParams,
        InitializeParams, InitializeResult, InitializedParams, InlayHint, InlayHintParams, Location,
        PrepareRenameResponse, ReferenceParams, Registration, RenameFilesParams, RenameParams, SelectionRange,
        SelectionRangeParams, SemanticTokensDeltaParams, SemanticTokensParams, SemanticTokensRangeParams,
        SemanticTokensRangeResult, ServerInfo, SignatureHelp, SignatureHelpParams, TextDocumentPositionParams,
        TextEdit, TypeHierarchyItem, TypeHierarchyPrepareParams, TypeHierarchySubtypesParams,
        TypeHierarchySupertypesParams, Uri, WorkspaceDiagnosticParams, WorkspaceEdit, WorkspaceSymbolParams,
        WorkspaceSymbolResponse, notification::Notification,
    },
};

use ide::gradient_check::{Cases, CostOutcome};

use super::{
    capabilities,
    computation::compute,
    configuration,
    diagnostics::{self, WorkspaceDiagnostics},
    editing,
    exploration::{self, ExploreParams, ExploreResult, ValuesParams, ValuesResult},
    extensions::{
        self, ContentParams, ContentResult, CostResult, ExplainResult, FlowParams, FlowResult, FunctionParams,
        GradientCheckResult, GradientTest, GradientTestsParams, IrParams, IrResult, MemoryReport, NonFiniteParams,
        NonFiniteResult, PreviewParams, PreviewResult, ResidualPlanResult, Status, SyntaxTreeParams,
    },
    features,
    index::Stage,
    navigation,
    notices::{self, Notice},
    semantic_tokens::SentTokens,
    text_answers::{TextAnswer, TextAnswers},
    world::{Snapshot, World},
    writer::Writer,
};
use crate::{log, platform};

#[derive(Clone)]
pub(crate) struct SlangServer {
    client: Client,
    writer: Writer,
    was_shut_down: Arc<AtomicBool>,
    can_register: Arc<[AtomicBool; 2]>,
    shows_progress: Arc<AtomicBool>,
    /// Nothing may be asked of the client before it says that it is ready: until then they wait.
    notices: Arc<Mutex<Option<UnboundedReceiver<Notice>>>>,
    sent_tokens: Arc<SentTokens>,
    answers: Arc<TextAnswers>,
    workspace_diagnostics: Arc<WorkspaceDiagnostics>,
    /// Large documents are looked at part by part, for one answer at a time.
    parts: Arc<tokio::sync::Mutex<()>>,
}

/// Files whose changes concern us. Any folder may hold source, and what is in it comes and goes with it.
const WATCHED: [&str; 8] = [
    "**/*.slang",
    "**/*.slangh",
    "**/*.hlsl",
    "**/*.hlsli",
    "**/*.h",
    "**/slangdconfig.json",
    "**/.gitignore",
    "**/.ignore",
];

/// Files whose reports are sent as one partial result.
const REPORTS_AT_ONCE: usize = 64;

/// A part of an answer, as text.
enum PartialResult {}

impl Notification for PartialResult {
    type Params = TextAnswer;
    const METHOD: &'static str = "$/progress";
}

/// Indices into `can_register`.
const WATCHED_FILES: usize = 0;
const CONFIGURATION: usize = 1;

impl SlangServer {
    pub(crate) fn new(client: Client, answers: Arc<TextAnswers>) -> SlangServer {
        let (publisher, publications) = unbounded_channel();
        let (notices, noticed) = unbounded_channel();
        platform::spawn(diagnostics::publish(client.clone(), Arc::clone(&answers), publications));
        let writer = Writer::start(move |writer| World::new(publisher, notices, writer)).unwrap_or_else(|error| {
            tracing::error!("cannot start its threads: {error}");
            std::process::exit(1);
        });
        SlangServer {
            client,
            writer,
            was_shut_down: Arc::default(),
            can_register: Arc::default(),
            shows_progress: Arc::default(),
            notices: Arc::new(Mutex::new(Some(noticed))),
            sent_tokens: Arc::default(),
            answers,
            workspace_diagnostics: Arc::default(),
            parts: Arc::default(),
        }
    }

    pub(crate) fn was_shut_down(&self) -> bool {
        self.was_shut_down.load(Ordering::Relaxed)
    }

    pub(crate) fn shut_down_flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.was_shut_down)
    }

    pub(crate) async fn derivative_preview(&self, params: PreviewParams) -> Result<Option<PreviewResult>> {
        let target = extensions::preview_target(&params).map_err(Error::invalid_params)?;
        self.writer.read(move |snapshot| extensions::derivative_preview(snapshot, &params, target)).await
    }

    pub(crate) async fn derivative_flow(&self, params: FlowParams) -> Result<Option<FlowResult>> {
        self.writer.read(move |snapshot| extensions::derivative_flow(snapshot, &params)).await
    }

    pub(crate) async fn explain_derivative(&self, params: FlowParams) -> Result<Option<ExplainResult>> {
        self.writer.read(move |snapshot| extensions::explain_derivative(snapshot, &params)).await
    }

    pub(crate) async fn residual_plan(&self, params: FunctionParams) -> Result<Option<ResidualPlanResult>> {
        self.writer.read(move |snapshot| extensions::residual_plan(snapshot, &params)).await
    }

    pub(crate) async fn function_ir(&self, params: IrParams) -> Result<Option<IrResult>> {
        let pass = extensions::pass(&params).map_err(Error::invalid_params)?;
        self.writer.read(move |snapshot| extensions::function_ir(snapshot, &params, pass)).await
    }

    /// Edits do not wait for the check: it runs without the database.
    pub(crate) async fn gradient_check(&self, params: FunctionParams) -> Result<Option<GradientCheckResult>> {
        let edges = extensions::CHECKED_EDGES;
        let check = self
            .writer
            .read(move |snapshot| extensions::gradient_checks(snapshot, &params, edges, Cases::Included))
            .await?;
        match check {
            Some(check) => compute(move || extensions::run_gradient_checks(check)).await.map(Some),
            None => Ok(None),
        }
    }

    pub(crate) async fn gradient_tests(&self, params: GradientTestsParams) -> Result<Vec<GradientTest>> {
        self.writer.read(move |snapshot| extensions::gradient_tests(snapshot, &params)).await
    }

    /// As the check, beside edits; places are then those of the text as it is.
    pub(crate) async fn non_finite(&self, params: NonFiniteParams) -> Result<Option<NonFiniteResult>> {
        let NonFiniteParams { function, at } = params;
        let edges = interp::gradcheck::Options::default().edges;
        let checks = self
            .writer
            .read(move |snapshot| extensions::gradient_checks(snapshot, &function, edges, Cases::LeftOut))
            .await?;
        let Some(checks) = checks else { return Ok(None) };
        let outcome = compute(move || extensions::find_non_finite(checks, at.as_deref())).await?;
        self.writer.read(move |snapshot| extensions::non_finite(snapshot, &outcome)).await.map(Some)
    }

    pub(crate) async fn cost(&self, params: FunctionParams) -> Result<Option<CostResult>> {
        let Some(outcome) = self.counted(params).await? else { return Ok(None) };
        self.writer.read(move |snapshot| extensions::cost(snapshot, &outcome)).await.map(Some)
    }

    /// What the first instance of a function costs, counted beside edits.
    async fn counted(&self, params: FunctionParams) -> Result<Option<CostOutcome>> {
        let checks =
            self.writer.read(move |snapshot| extensions::gradient_checks(snapshot, &params, 0, Cases::LeftOut)).await?;
        let Some(first) = checks.and_then(|(_, checks)| checks.into_iter().next()) else { return Ok(None) };
        compute(move || first.cost()).await.map(Some)
    }

    pub(crate) async fn explore(&self, params: ExploreParams) -> Result<Option<ExploreResult>> {
        let function = params.function.clone();
        let checks = self
            .writer
            .read(move |snapshot| extensions::gradient_checks(snapshot, &function, 0, Cases::LeftOut))
            .await?;
        match checks {
            Some(checks) => compute(move || exploration::explore(checks, &params)).await.map(Some),
            None => Ok(None),
        }
    }

    pub(crate) async fn values(&self, params: ValuesParams) -> Result<Option<ValuesResult>> {
        let function = params.function.clone();
        let checks = self
            .writer
            .read(move |snapshot| extensions::gradient_checks(snapshot, &function, 0, Cases::LeftOut))
            .await?;
        let Some(checks) = checks else { return Ok(None) };
        let margins = compute(move || exploration::margin(checks, &params)).await?;
        self.writer.read(move |snapshot| exploration::values(snapshot, &margins)).await.map(Some)
    }

    pub(crate) async fn syntax_tree(&self, params: SyntaxTreeParams) -> Result<Option<String>> {
        self.writer.read(move |snapshot| extensions::syntax_tree(snapshot, &params)).await
    }

    pub(crate) async fn text_document_content(&self, params: ContentParams) -> Result<Option<ContentResult>> {
        self.writer.read(move |snapshot| extensions::text_document_content(snapshot, &params)).await
    }

    pub(crate) async fn status(&self) -> Result<Status> {
        self.writer.read(extensions::status).await
    }

    pub(crate) async fn memory(&self) -> Result<MemoryReport> {
        self.writer.ask(|world| MemoryReport::new(world.memory())).await
    }

    pub(crate) async fn diagnostic(&self, params: DocumentDiagnosticParams) -> Result<TextAnswer> {
        let (uri, previous) = (params.text_document.uri, params.previous_result_id);
        let answers = Arc::clone(&self.answers);
        self.find_in_parts(Some(uri.clone())).await?;
        let question =
            move |snapshot: &Snapshot| answers.answer(diagnostics::report(snapshot, &uri, previous.as_deref()));
        self.writer.read_at(Stage::FoldersKnown, question).await
    }

    /// The cursor is there, or the mouse: the next edit may be as well.
    fn look_at(&self, at: &TextDocumentPositionParams) {
        let at = at.clone();
        self.writer.write(move |world| world.look_at(at));
    }

    /// Looks at what is large and new among the open documents, or at one of them, part by part: see [`World::found_part`].
    async fn find_in_parts(&self, among: Option<Uri>) -> Result<()> {
        // Who comes second finds that all is known.
        let _turn = self.parts.lock().await;
        loop {
            let among = among.clone();
            let next = move |snapshot: &Snapshot| diagnostics::find_next_part(snapshot, among.as_ref());
            let Some((uri, part)) = self.writer.read_at(Stage::FoldersKnown, next).await? else { return Ok(()) };
            self.writer.write(move |world| world.found_part(&uri, part));
        }
    }

    /// A client that takes partial results gets them file by file in parts, and an empty answer behind them.
    pub(crate) async fn workspace_diagnostic(&self, params: WorkspaceDiagnosticParams) -> Result<TextAnswer> {
        let previous = params.previous_result_ids;
        let workspace = Arc::clone(&self.workspace_diagnostics);
        self.find_in_parts(None).await?;
        let question = move |snapshot: &Snapshot| workspace.reports(snapshot, &previous);
        let mut reports = self.writer.read_at(Stage::FilesKnown, question).await?;
        if let Some(token) = params.partial_result_params.partial_result_token {
            let token = serde_json::to_string(&token).unwrap_or_default();
            for part in reports.chunks(REPORTS_AT_ONCE) {
                let text = format!("{{\"token\":{token},\"value\":{{\"items\":[{}]}}}}", part.join(","));
                let part = self.answers.answer(text);
                self.client.send_notification::<PartialResult>(part.clone()).await;
                // What is written behind the answer is not read.
                self.answers.written(&part).await;
            }
            reports.clear();
        }
        Ok(self.answers.answer(format!("{{\"items\":[{}]}}", reports.join(","))))
    }

    pub(crate) async fn semantic_tokens_full(&self, params: SemanticTokensParams) -> Result<Option<TextAnswer>> {
        let uri = params.text_document.uri;
        let asked = uri.clone();
        let tokens = self.writer.read(move |snapshot| features::semantic_tokens(snapshot, &asked)).await?;
        Ok(tokens.map(|tokens| self.answers.answer(self.sent_tokens.whole(uri, tokens))))
    }

    pub(crate) async fn semantic_tokens_full_delta(
        &self,
        params: SemanticTokensDeltaParams,
    ) -> Result<Option<TextAnswer>> {
        let uri = params.text_document.uri;
        let asked = uri.clone();
        let tokens = self.writer.read(move |snapshot| features::semantic_tokens(snapshot, &asked)).await?;
        let difference = |tokens| self.sent_tokens.difference(uri, &params.previous_result_id, tokens);
        Ok(tokens.map(|tokens| self.answers.answer(difference(tokens))))
    }

    /// What the user did to files and folders in the editor: watchers of files say nothing of folders.
    fn files_changed(&self, uris: impl Iterator<Item = String>) {
        let uris: Vec<Uri> = uris.filter_map(|uri| uri.parse().ok()).collect();
        self.writer.write(move |world| world.disk_changed(&uris));
    }

    /// Asks the client for its settings; the answer is applied when it comes.
    async fn ask_for_settings(&self) {
        if !self.can_register[CONFIGURATION].load(Ordering::Relaxed) {
            return;
        }
        if let Ok(answers) = self.client.configuration(configuration::items()).await {
            let settings = configuration::from_answers(&answers);
            log::configure(settings.log.as_deref());
            self.writer.write(move |world| world.configure(settings));
        }
    }
}

impl LanguageServer for SlangServer {
    async fn initialize(&self, params: InitializeParams) -> Result<InitializeResult> {
        if let Some(process) = params.process_id {
            platform::end_with(process);
        }
        let client = capabilities::client_facts(&params);
        self.shows_progress.store(client.shows_progress, Ordering::Relaxed);
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
        let noticed = self.notices.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(noticed) = noticed {
            let shows_progress = self.shows_progress.load(Ordering::Relaxed);
            platform::spawn(notices::deliver(self.client.clone(), shows_progress, noticed));
        }
        if self.can_register[WATCHED_FILES].load(Ordering::Relaxed) {
            let watchers = WATCHED
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
        self.writer.write(move |world| world.open_document(&document.uri, document.version, &document.text));
    }

    async fn did_change(&self, params: DidChangeTextDocumentParams) {
        let document = params.text_document;
        self.writer.write(move |world| world.change_document(&document.uri, document.version, params.content_changes));
    }

    async fn did_close(&self, params: DidCloseTextDocumentParams) {
        self.sent_tokens.forget(&params.text_document.uri);
        self.writer.write(move |world| world.close_document(&params.text_document.uri));
    }

    async fn did_change_watched_files(&self, params: DidChangeWatchedFilesParams) {
        let uris: Vec<Uri> = params.changes.into_iter().map(|change| change.uri).collect();
        self.writer.write(move |world| world.disk_changed(&uris));
    }

    async fn did_save(&self, _: DidSaveTextDocumentParams) {
        self.writer.write(World::save_document);
    }

    async fn did_create_files(&self, params: CreateFilesParams) {
        self.files_changed(params.files.into_iter().map(|file| file.uri));
    }

    async fn did_rename_files(&self, params: RenameFilesParams) {
        self.files_changed(params.files.into_iter().flat_map(|file| [file.old_uri, file.new_uri]));
    }

    async fn did_delete_files(&self, params: DeleteFilesParams) {
        self.files_changed(params.files.into_iter().map(|file| file.uri));
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

    async fn hover(&self, params: HoverParams) -> Result<Option<Hover>> {
        let at = params.text_document_position_params;
        self.look_at(&at);
        self.writer.read(move |snapshot| features::hover(snapshot, &at)).await
    }

    async fn goto_definition(&self, params: GotoDefinitionParams) -> Result<Option<GotoDefinitionResponse>> {
        let at = params.text_document_position_params;
        self.writer.read(move |snapshot| features::definition(snapshot, &at)).await
    }

    async fn goto_declaration(&self, params: GotoDefinitionParams) -> Result<Option<GotoDefinitionResponse>> {
        let at = params.text_document_position_params;
        self.writer.read_at(Stage::FilesKnown, move |snapshot| navigation::declaration(snapshot, &at)).await
    }

    async fn goto_type_definition(&self, params: GotoDefinitionParams) -> Result<Option<GotoDefinitionResponse>> {
        let at = params.text_document_position_params;
        self.writer.read(move |snapshot| navigation::type_definition(snapshot, &at)).await
    }

    async fn goto_implementation(&self, params: GotoDefinitionParams) -> Result<Option<GotoDefinitionResponse>> {
        let at = params.text_document_position_params;
        self.writer.read_at(Stage::FilesKnown, move |snapshot| navigation::implementation(snapshot, &at)).await
    }

    async fn prepare_call_hierarchy(
        &self,
        params: CallHierarchyPrepareParams,
    ) -> Result<Option<Vec<CallHierarchyItem>>> {
        let at = params.text_document_position_params;
        self.writer.read(move |snapshot| navigation::prepare_calls(snapshot, &at)).await
    }

    async fn incoming_calls(
        &self,
        params: CallHierarchyIncomingCallsParams,
    ) -> Result<Option<Vec<CallHierarchyIncomingCall>>> {
        self.writer.read_at(Stage::FilesKnown, move |snapshot| navigation::incoming_calls(snapshot, &params.item)).await
    }

    async fn outgoing_calls(
        &self,
        params: CallHierarchyOutgoingCallsParams,
    ) -> Result<Option<Vec<CallHierarchyOutgoingCall>>> {
        self.writer.read(move |snapshot| navigation::outgoing_calls(snapshot, &params.item)).await
    }

    async fn prepare_type_hierarchy(
        &self,
        params: TypeHierarchyPrepareParams,
    ) -> Result<Option<Vec<TypeHierarchyItem>>> {
        let at = params.text_document_position_params;
        self.writer.read(move |snapshot| navigation::prepare_types(snapshot, &at)).await
    }

    async fn supertypes(&self, params: TypeHierarchySupertypesParams) -> Result<Option<Vec<TypeHierarchyItem>>> {
        self.writer.read_at(Stage::FilesKnown, move |snapshot| navigation::supertypes(snapshot, &params.item)).await
    }

    async fn subtypes(&self, params: TypeHierarchySubtypesParams) -> Result<Option<Vec<TypeHierarchyItem>>> {
        self.writer.read_at(Stage::FilesKnown, move |snapshot| navigation::subtypes(snapshot, &params.item)).await
    }

    async fn prepare_rename(&self, at: TextDocumentPositionParams) -> Result<Option<PrepareRenameResponse>> {
        self.writer.read_at(Stage::FilesKnown, move |snapshot| editing::prepare_rename(snapshot, &at)).await?
    }

    async fn rename(&self, params: RenameParams) -> Result<Option<WorkspaceEdit>> {
        let at = params.text_document_position;
        self.writer.read_at(Stage::FilesKnown, move |snapshot| editing::rename(snapshot, &at, &params.new_name)).await?
    }

    async fn will_rename_files(&self, params: RenameFilesParams) -> Result<Option<WorkspaceEdit>> {
        self.writer.read_at(Stage::FilesKnown, move |snapshot| editing::file_renames(snapshot, &params.files)).await
    }

    async fn formatting(&self, params: DocumentFormattingParams) -> Result<Option<Vec<TextEdit>>> {
        let uri = params.text_document.uri;
        self.writer.read(move |snapshot| editing::formatting(snapshot, &uri, None, &params.options)).await
    }

    async fn range_formatting(&self, params: DocumentRangeFormattingParams) -> Result<Option<Vec<TextEdit>>> {
        let uri = params.text_document.uri;
        self.writer.read(move |snapshot| editing::formatting(snapshot, &uri, Some(params.range), &params.options)).await
    }

    async fn on_type_formatting(&self, params: DocumentOnTypeFormattingParams) -> Result<Option<Vec<TextEdit>>> {
        let TextDocumentPositionParams { text_document, position } = params.text_document_position;
        self.writer
            .read(move |snapshot| editing::on_type_formatting(snapshot, &text_document.uri, position, &params.options))
            .await
    }

    async fn inlay_hint(&self, params: InlayHintParams) -> Result<Option<Vec<InlayHint>>> {
        let uri = params.text_document.uri;
        self.writer.read(move |snapshot| editing::inlay_hints(snapshot, &uri, params.range)).await
    }

    async fn document_link(&self, params: DocumentLinkParams) -> Result<Option<Vec<DocumentLink>>> {
        let uri = params.text_document.uri;
        self.writer.read(move |snapshot| features::document_links(snapshot, &uri)).await
    }

    async fn completion_resolve(&self, item: CompletionItem) -> Result<CompletionItem> {
        self.writer.read(move |snapshot| features::resolve_completion(snapshot, item.clone())).await
    }

    async fn completion(&self, params: CompletionParams) -> Result<Option<CompletionResponse>> {
        let at = params.text_document_position;
        let trigger = params.context.and_then(|context| context.trigger_character);
        self.writer.read(move |snapshot| features::completion(snapshot, &at, trigger.as_deref())).await
    }

    async fn signature_help(&self, params: SignatureHelpParams) -> Result<Option<SignatureHelp>> {
        let at = params.text_document_position_params;
        self.writer.read(move |snapshot| features::signature_help(snapshot, &at)).await
    }

    async fn references(&self, params: ReferenceParams) -> Result<Option<Vec<Location>>> {
        let at = params.text_document_position;
        let declaration = params.context.include_declaration;
        self.writer.read_at(Stage::FilesKnown, move |snapshot| features::references(snapshot, &at, declaration)).await
    }

    async fn document_highlight(&self, params: DocumentHighlightParams) -> Result<Option<Vec<DocumentHighlight>>> {
        let at = params.text_document_position_params;
        self.look_at(&at);
        self.writer.read(move |snapshot| features::highlight(snapshot, &at)).await
    }

    async fn document_symbol(&self, params: DocumentSymbolParams) -> Result<Option<DocumentSymbolResponse>> {
        self.writer.read(move |snapshot| features::document_symbols(snapshot, &params.text_document.uri)).await
    }

    async fn symbol(&self, params: WorkspaceSymbolParams) -> Result<Option<WorkspaceSymbolResponse>> {
        self.writer
            .read_at(Stage::FilesKnown, move |snapshot| features::workspace_symbols(snapshot, &params.query))
            .await
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
        let CodeActionParams { text_document, range, context, .. } = params;
        self.look_at(&TextDocumentPositionParams { text_document: text_document.clone(), position: range.start });
        self.writer
            .read(move |snapshot| editing::code_actions(snapshot, &text_document.uri, range, context.only.as_deref()))
            .await
    }

    async fn code_lens(&self, params: CodeLensParams) -> Result<Option<Vec<CodeLens>>> {
        self.writer.read(move |snapshot| features::code_lenses(snapshot, &params.text_document.uri)).await
    }

    /// Only lenses that say what a function costs are sent without a title.
    async fn code_lens_resolve(&self, lens: CodeLens) -> Result<CodeLens> {
        let Some(params) = lens.data.clone().and_then(extensions::cost_lens) else { return Ok(lens) };
        let outcome = self.counted(params).await?;
        Ok(extensions::resolved_cost_lens(lens, outcome.as_ref()))
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
