//! Each message of the client as a span of the log, in which all is done that it asks for.

use std::task::{Context, Poll};

use tower_lsp::jsonrpc::{Request, Response};
use tower_service::Service;
use tracing::{Instrument as _, instrument::Instrumented, warn_span};

/// A service whose requests are spans.
pub(crate) struct Traced<S>(pub S);

impl<S> Service<Request> for Traced<S>
where
    S: Service<Request, Response = Option<Response>>,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = Instrumented<S::Future>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.0.poll_ready(context)
    }

    fn call(&mut self, request: Request) -> Self::Future {
        let request = without_empty_parameters(request);
        // At the level of warnings, so that these name the request.
        let span = match request.id() {
            Some(id) => warn_span!("request", method = request.method(), %id),
            None => warn_span!("notification", method = request.method()),
        };
        let _entered = span.enter();
        tracing::info!("received");
        self.0.call(request).instrument(span.clone())
    }
}

/// What takes no parameters. Some clients say so by an empty object, which the service would refuse.
const WITHOUT_PARAMETERS: [&str; 4] = ["shutdown", "exit", "slang-analyzer/status", "slang-analyzer/memory"];

fn without_empty_parameters(request: Request) -> Request {
    let is_empty = request.params().is_some_and(|params| params.as_object().is_some_and(|params| params.is_empty()));
    if !is_empty || !WITHOUT_PARAMETERS.contains(&request.method()) {
        return request;
    }
    let (method, id, _) = request.into_parts();
    match id {
        Some(id) => Request::build(method).id(id).finish(),
        None => Request::build(method).finish(),
    }
}
