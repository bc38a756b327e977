//! The language server.

mod capabilities;
mod computation;
mod configuration;
mod convert;
mod diagnostic_limit;
mod diagnostics;
mod editing;
mod exploration;
mod extensions;
mod features;
mod handlers;
mod index;
mod input;
mod navigation;
mod notices;
mod rendered_diagnostics;
mod requests;
mod semantic_tokens;
mod text_answers;
mod world;
mod writer;

use std::sync::Arc;

use tokio::io::{AsyncRead, AsyncWrite};
use tower_lsp::LspService;

use handlers::SlangServer;
use input::Refusals;
use requests::Traced;
use text_answers::{TextAnswers, TextMethods, TextOutput};

/// Requests and notifications that are in progress at once. At tower's default of four, four slow requests would block
/// `$/cancelRequest` and `didChange`.
const CONCURRENCY: usize = 256;

/// Serves until the client says `exit` or closes the stream. Returns whether it was shut down before.
pub(crate) async fn serve(
    input: impl AsyncRead + Send + Unpin + 'static,
    output: impl AsyncWrite + Send + Unpin + 'static,
) -> bool {
    let answers = Arc::new(TextAnswers::default());
    let (service, socket) = LspService::build(|client| SlangServer::new(client, Arc::clone(&answers)))
        .custom_method(text_answers::DIAGNOSTIC, SlangServer::diagnostic)
        .custom_method(text_answers::WORKSPACE_DIAGNOSTIC, SlangServer::workspace_diagnostic)
        .custom_method(text_answers::SEMANTIC_TOKENS_FULL, SlangServer::semantic_tokens_full)
        .custom_method(text_answers::SEMANTIC_TOKENS_DELTA, SlangServer::semantic_tokens_full_delta)
        .custom_method("slang-analyzer/derivativePreview", SlangServer::derivative_preview)
        .custom_method("slang-analyzer/derivativeFlow", SlangServer::derivative_flow)
        .custom_method("slang-analyzer/explainDerivative", SlangServer::explain_derivative)
        .custom_method("slang-analyzer/residualPlan", SlangServer::residual_plan)
        .custom_method("slang-analyzer/ir", SlangServer::function_ir)
        .custom_method("slang-analyzer/gradientCheck", SlangServer::gradient_check)
        .custom_method("slang-analyzer/gradientTests", SlangServer::gradient_tests)
        .custom_method("slang-analyzer/nonFinite", SlangServer::non_finite)
        .custom_method("slang-analyzer/cost", SlangServer::cost)
        .custom_method("slang-analyzer/explore", SlangServer::explore)
        .custom_method("slang-analyzer/values", SlangServer::values)
        .custom_method("slang-analyzer/syntaxTree", SlangServer::syntax_tree)
        .custom_method("workspace/textDocumentContent", SlangServer::text_document_content)
        .custom_method("slang-analyzer/status", SlangServer::status)
        .custom_method("slang-analyzer/memory", SlangServer::memory)
        .finish();
    let server = service.inner().clone();
    let input = input::messages(input, server.shut_down_flag());
    tower_lsp::Server::new(input, TextOutput::new(output, answers), socket)
        .concurrency_level(CONCURRENCY)
        .serve(Traced(Refusals(TextMethods(service))))
        .await;
    server.was_shut_down()
}
