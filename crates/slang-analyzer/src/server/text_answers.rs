//! Answers that are JSON text already.
//!
//! The protocol's library makes a tree of every answer before it writes it, which costs more than all else where an
//! answer has a million numbers. Here a method answers with a [`TextAnswer`]: the library writes its key, and the output
//! puts the text in the key's place.
//!
//! The library registers the methods of the protocol with types of its own. [`TextMethods`] stands in front of it and
//! gives the methods of [`METHODS`] the names under which ours are registered.

use std::{
    collections::{HashMap, VecDeque},
    io,
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll, ready},
};

use serde::{Deserialize, Serialize};
use tokio::{io::AsyncWrite, sync::Notify};
use tower_lsp::jsonrpc::{Request, Response};
use tower_service::Service;

pub(crate) const DIAGNOSTIC: &str = "slang-analyzer/text/diagnostic";
pub(crate) const WORKSPACE_DIAGNOSTIC: &str = "slang-analyzer/text/workspaceDiagnostic";
pub(crate) const SEMANTIC_TOKENS_FULL: &str = "slang-analyzer/text/semanticTokens/full";
pub(crate) const SEMANTIC_TOKENS_DELTA: &str = "slang-analyzer/text/semanticTokens/full/delta";

/// Methods of the protocol, and under which names ours are registered.
const METHODS: [(&str, &str); 4] = [
    ("textDocument/diagnostic", DIAGNOSTIC),
    ("workspace/diagnostic", WORKSPACE_DIAGNOSTIC),
    ("textDocument/semanticTokens/full", SEMANTIC_TOKENS_FULL),
    ("textDocument/semanticTokens/full/delta", SEMANTIC_TOKENS_DELTA),
];

/// What a key begins with: a character that is nobody's, so that no text of a user is taken for a key.
const KEY: &str = "\u{10fffd}slang-analyzer text ";

/// Longest message that may hold a key: its envelope is a method or an id.
const MAX_ENVELOPE: usize = 512;

/// The key of a text that waits for being written.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct TextAnswer(String);

/// The texts that wait.
#[derive(Debug, Default)]
pub(crate) struct TextAnswers {
    waiting: Mutex<Waiting>,
    one_is_written: Notify,
}

#[derive(Debug, Default)]
struct Waiting {
    texts: HashMap<u64, String>,
    count: u64,
}

impl TextAnswers {
    /// An answer that is written as `json`, which must be a value of JSON.
    pub(crate) fn answer(&self, json: String) -> TextAnswer {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.count += 1;
        let key = waiting.count;
        waiting.texts.insert(key, json);
        TextAnswer(format!("{KEY}{key}"))
    }

    /// Waits until an answer is written.
    pub(crate) async fn written(&self, answer: &TextAnswer) {
        loop {
            // Before the look, so that what is written behind it is noticed.
            let one_is_written = self.one_is_written.notified();
            if !self.waits(answer) {
                return;
            }
            one_is_written.await;
        }
    }

    fn waits(&self, answer: &TextAnswer) -> bool {
        let key = answer.0.strip_prefix(KEY).and_then(|key| key.parse().ok());
        let waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        key.is_some_and(|key: u64| waiting.texts.contains_key(&key))
    }

    /// A message whose key is replaced by its text: what is before it, the text, what is behind it.
    fn resolved<'m>(&self, message: &'m str) -> Option<(&'m str, String, &'m str)> {
        let (before, rest) = message.split_once(KEY)?;
        let (key, behind) = rest.split_once('"')?;
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let text = waiting.texts.remove(&key.parse().ok()?)?;
        self.one_is_written.notify_waiters();
        Some((before.strip_suffix('"')?, text, behind))
    }
}

/// A service whose methods of [`METHODS`] have other names, and whose capabilities are all of the protocol.
pub(crate) struct TextMethods<S>(pub S);

impl<S> Service<Request> for TextMethods<S>
where
    S: Service<Request, Response = Option<Response>>,
    S::Future: Send + 'static,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = Pin<Box<dyn Future<Output = Result<S::Response, S::Error>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.0.poll_ready(context)
    }

    fn call(&mut self, request: Request) -> Self::Future {
        if request.method() == "initialize" {
            let answer = self.0.call(request);
            return Box::pin(async { Ok(answer.await?.map(with_all_capabilities)) });
        }
        let Some((_, name)) = METHODS.iter().find(|(method, _)| *method == request.method()) else {
            return Box::pin(self.0.call(request));
        };
        let (_, id, params) = request.into_parts();
        let mut renamed = Request::build(*name);
        if let Some(id) = id {
            renamed = renamed.id(id);
        }
        if let Some(params) = params {
            renamed = renamed.params(params);
        }
        Box::pin(self.0.call(renamed.finish()))
    }
}

/// Adds what the library's type of capabilities has no field for.
fn with_all_capabilities(response: Response) -> Response {
    let (id, mut result) = response.into_parts();
    if let Ok(result) = &mut result
        && let Some(capabilities) = result.get_mut("capabilities")
    {
        capabilities["typeHierarchyProvider"] = true.into();
    }
    Response::from_parts(id, result)
}

/// An output of messages in which texts stand for their keys.
pub(crate) struct TextOutput<W> {
    output: W,
    answers: Arc<TextAnswers>,
    /// What is not yet a whole message.
    incoming: Vec<u8>,
    /// What is to be written, and how much of the first is.
    outgoing: VecDeque<Vec<u8>>,
    written: usize,
}

impl<W> TextOutput<W> {
    pub(crate) fn new(output: W, answers: Arc<TextAnswers>) -> TextOutput<W> {
        TextOutput { output, answers, incoming: Vec::new(), outgoing: VecDeque::new(), written: 0 }
    }

    /// Takes the whole messages of what came in.
    fn take_messages(&mut self) {
        while let Some((header, length)) = content_length(&self.incoming) {
            let end = header + length;
            if self.incoming.len() < end {
                return;
            }
            let rest = self.incoming.split_off(end);
            let message = std::mem::replace(&mut self.incoming, rest);
            match self.with_text(&message[header..]) {
                Some(parts) => self.outgoing.extend(parts),
                None => self.outgoing.push_back(message),
            }
        }
    }

    fn with_text(&self, body: &[u8]) -> Option<[Vec<u8>; 3]> {
        if body.len() > MAX_ENVELOPE {
            return None;
        }
        let (before, text, behind) = self.answers.resolved(std::str::from_utf8(body).ok()?)?;
        let length = before.len() + text.len() + behind.len();
        let header = format!("Content-Length: {length}\r\n\r\n{before}");
        Some([header.into_bytes(), text.into_bytes(), behind.as_bytes().to_vec()])
    }
}

/// The length of a message's header, with the empty line that ends it, and of its content.
fn content_length(message: &[u8]) -> Option<(usize, usize)> {
    const END: &[u8] = b"\r\n\r\n";
    let end = message.windows(END.len()).position(|window| window == END)?;
    let header = std::str::from_utf8(&message[..end]).ok()?;
    let length = header.lines().find_map(|line| line.strip_prefix("Content-Length: "))?;
    Some((end + END.len(), length.trim().parse().ok()?))
}

impl<W: AsyncWrite + Unpin> AsyncWrite for TextOutput<W> {
    fn poll_write(mut self: Pin<&mut Self>, _: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.incoming.extend_from_slice(bytes);
        self.take_messages();
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = &mut *self;
        while let Some(first) = this.outgoing.front() {
            match ready!(Pin::new(&mut this.output).poll_write(context, &first[this.written..]))? {
                0 if this.written < first.len() => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                count => this.written += count,
            }
            if this.written == first.len() {
                this.outgoing.pop_front();
                this.written = 0;
            }
        }
        Pin::new(&mut this.output).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.as_mut().poll_flush(context))?;
        Pin::new(&mut self.output).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncWriteExt;

    use super::*;

    fn message(body: &str) -> String {
        format!("Content-Length: {}\r\n\r\n{body}", body.len())
    }

    /// What comes out of the messages, written in pieces of a size.
    fn written(answers: &Arc<TextAnswers>, messages: &str, piece: usize) -> String {
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        runtime.block_on(async {
            let mut output = TextOutput::new(Vec::new(), Arc::clone(answers));
            for piece in messages.as_bytes().chunks(piece) {
                output.write_all(piece).await.expect("memory takes all");
            }
            output.flush().await.expect("memory takes all");
            String::from_utf8(output.output).expect("messages are text")
        })
    }

    #[test]
    fn texts_stand_for_their_keys_wherever_messages_are_cut() {
        for piece in [1, 7, 1000] {
            let answers = Arc::new(TextAnswers::default());
            let key = serde_json::to_string(&answers.answer("[1,2,\"é\"]".to_owned())).expect("a string");
            let messages = [message("{\"id\":1}"), message(&format!("{{\"result\":{key},\"id\":2}}")), message("{}")];
            let expected =
                [message("{\"id\":1}"), message("{\"result\":[1,2,\"é\"],\"id\":2}"), message("{}")].concat();
            assert_eq!(written(&answers, &messages.concat(), piece), expected);
        }
    }

    #[test]
    fn what_only_looks_like_a_key_stays() {
        let answers = Arc::new(TextAnswers::default());
        let body = format!("{{\"result\":\"{KEY}7\",\"id\":2}}");
        assert_eq!(written(&answers, &message(&body), 1000), message(&body));
    }
}
