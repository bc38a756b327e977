//! What the client sends, cut into messages before the protocol's library reads it.
//!
//! The library reads nothing more after the first message that it cannot read, and waits for the answers to its own
//! requests when it is told to end. Here only messages that it understands go on to it, what is none is passed to
//! [`Refusals`], which answers it, and the end of the input or an `exit` is the end of the process within a second,
//! whatever is still open.

use std::{
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll},
    time::Duration,
};

use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufRead, AsyncBufReadExt, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader},
    sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel},
};
use tower_lsp::jsonrpc::{Error, ErrorCode, Id, Request, Response};
use tower_service::Service;

use crate::platform;

/// How long what is open may still take after the end.
const GRACE: Duration = Duration::from_millis(600);

/// Longer messages are refused: nobody has a document of this size.
const MAX_LENGTH: u64 = 1 << 30;

/// Longest line of a header: what is longer is none.
const MAX_HEADER_LINE: u64 = 4096;

/// The method under which what is no message goes on, with the error that answers it.
const REFUSED: &str = "slang-analyzer/refused";

/// Messages of `input` that are understood, as the library reads them. What is read is not held up by what is slow.
pub(crate) fn messages(
    input: impl tokio::io::AsyncRead + Send + Unpin + 'static,
    was_shut_down: Arc<AtomicBool>,
) -> impl tokio::io::AsyncRead {
    let (received, waiting) = unbounded_channel();
    let (messages, output) = tokio::io::duplex(1 << 16);
    platform::spawn(pass_on(waiting, messages));
    platform::spawn(async move {
        read_all(&mut BufReader::new(input), &received).await;
        // The library may be busy for long, and may wait for answers that never come.
        end_soon(&was_shut_down);
    });
    output
}

/// Writes what is received until there is no more.
async fn pass_on(mut waiting: UnboundedReceiver<Vec<u8>>, mut output: impl AsyncWrite + Unpin) {
    while let Some(body) = waiting.recv().await {
        let header = format!("Content-Length: {}\r\n\r\n", body.len());
        if output.write_all(header.as_bytes()).await.is_err() || output.write_all(&body).await.is_err() {
            return;
        }
    }
}

/// Reads until `exit` or the end.
async fn read_all(input: &mut (impl AsyncBufRead + Unpin), received: &UnboundedSender<Vec<u8>>) {
    while let Some(body) = next_body(input).await {
        let is_exit = match body.as_deref().map_err(|error| (Id::Null, error.clone())).and_then(understood) {
            Ok(method) => {
                let is_exit = method.as_deref() == Some("exit");
                if received.send(body.unwrap_or_default()).is_err() {
                    return;
                }
                is_exit
            }
            Err((id, error)) => {
                let refused = json!({"jsonrpc": "2.0", "method": REFUSED, "params": {"id": id, "error": error}});
                if received.send(refused.to_string().into_bytes()).is_err() {
                    return;
                }
                false
            }
        };
        if is_exit {
            return;
        }
    }
}

/// The next message's body, or why there is none where one begins; nothing at the end of the input.
async fn next_body(input: &mut (impl AsyncBufRead + Unpin)) -> Option<Result<Vec<u8>, Error>> {
    let mut length: Option<u64> = None;
    loop {
        let mut line = Vec::new();
        let read = (&mut *input).take(MAX_HEADER_LINE).read_until(b'\n', &mut line).await.ok()?;
        if read == 0 {
            return None;
        }
        let line = String::from_utf8_lossy(&line);
        let line = line.trim();
        if line.is_empty() {
            match length {
                Some(0) => length = None,
                Some(length) if length <= MAX_LENGTH => return body(input, length).await.map(Ok),
                Some(_) => return Some(Err(refusal(ErrorCode::ParseError, "a message is too long"))),
                // Between two messages.
                None => {}
            }
            continue;
        }
        // The rest of a body that was longer than its header said may stand in front of the next header.
        if let Some(at) = line.to_ascii_lowercase().find("content-length:") {
            let digits = line[at..].split_once(':').map_or("", |(_, digits)| digits.trim());
            match digits.parse() {
                Ok(number) => length = Some(number),
                Err(_) => return Some(Err(refusal(ErrorCode::ParseError, "the length of a message is not a number"))),
            }
        }
    }
}

async fn body(input: &mut (impl AsyncBufRead + Unpin), length: u64) -> Option<Vec<u8>> {
    let mut body = Vec::new();
    // Room is made for what comes, not for what is announced.
    (&mut *input).take(length).read_to_end(&mut body).await.ok()?;
    (body.len() as u64 == length).then_some(body)
}

/// The method of a message that the library understands, if it has one; the error that answers another.
fn understood(body: &[u8]) -> Result<Option<String>, (Id, Error)> {
    if let Ok(request) = serde_json::from_slice::<Request>(body) {
        // Notifications that begin so may be ignored, which the library does with requests as well.
        if let Some(id) = request.id().filter(|_| request.method().starts_with("$/")) {
            return Err((id.clone(), refusal(ErrorCode::MethodNotFound, "there is no such method")));
        }
        return Ok(Some(request.method().to_owned()));
    }
    if serde_json::from_slice::<Response>(body).is_ok() {
        return Ok(None);
    }
    let value: Value = serde_json::from_slice(body)
        .map_err(|error| (Id::Null, refusal(ErrorCode::ParseError, &format!("a message is no JSON: {error}"))))?;
    let id = value.get("id").and_then(|id| serde_json::from_value(id.clone()).ok()).unwrap_or_default();
    Err((id, refusal(ErrorCode::InvalidRequest, "a message is neither a request nor an answer")))
}

fn refusal(code: ErrorCode, message: &str) -> Error {
    Error { code, message: message.to_owned().into(), data: None }
}

fn end_soon(was_shut_down: &Arc<AtomicBool>) {
    let was_shut_down = Arc::clone(was_shut_down);
    platform::end_process(GRACE, move || i32::from(!was_shut_down.load(Ordering::Relaxed)));
}

/// A service that answers what is no message.
pub(crate) struct Refusals<S>(pub S);

impl<S> Service<Request> for Refusals<S>
where
    S: Service<Request, Response = Option<Response>>,
    S::Future: Send + 'static,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Option<Response>, S::Error>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.0.poll_ready(context)
    }

    fn call(&mut self, request: Request) -> Self::Future {
        if request.method() != REFUSED {
            return Box::pin(self.0.call(request));
        }
        let params = request.params().cloned().unwrap_or_default();
        let part = |name: &str| params.get(name).cloned().unwrap_or_default();
        let id = serde_json::from_value(part("id")).unwrap_or_default();
        let error: Error = serde_json::from_value(part("error")).unwrap_or_else(|_| Error::parse_error());
        tracing::warn!("refused: {}", error.message);
        Box::pin(async move { Ok(Some(Response::from_error(id, error))) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The methods of the messages in some bytes, and the codes of what is refused.
    fn read(bytes: &[u8]) -> Vec<String> {
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        let (received, mut waiting) = unbounded_channel();
        runtime.block_on(read_all(&mut &bytes[..], &received));
        drop(received);
        let mut methods = Vec::new();
        while let Ok(body) = waiting.try_recv() {
            let message: Value = serde_json::from_slice(&body).expect("JSON");
            methods.push(match message["method"].as_str() {
                Some(REFUSED) => format!("{} {}", message["params"]["id"], message["params"]["error"]["code"]),
                method => method.unwrap_or_default().to_owned(),
            });
        }
        methods
    }

    fn framed(body: &str) -> String {
        format!("Content-Length: {}\r\n\r\n{body}", body.len())
    }

    const NEXT: &str = r#"{"jsonrpc":"2.0","method":"next"}"#;

    #[test]
    fn what_is_no_message_is_refused_and_the_next_is_read() {
        let bodies = [
            ("{", "null -32700"),
            ("[]", "null -32600"),
            ("7", "null -32600"),
            ("null", "null -32600"),
            ("\"text\"", "null -32600"),
            ("{}", "null -32600"),
            (r#"{"jsonrpc":"2.0","id":5,"method":7}"#, "5 -32600"),
            (r#"{"jsonrpc":"1.0","id":"a","method":"x"}"#, "\"a\" -32600"),
            (r#"{"jsonrpc":"2.0","id":{},"method":"x"}"#, "null -32600"),
        ];
        for (body, refused) in bodies {
            assert_eq!(read((framed(body) + &framed(NEXT)).as_bytes()), [refused, "next"], "{body}");
        }
        let bytes = [b"Content-Length: 3\r\n\r\n\xff\xfe\xfd".as_slice(), framed(NEXT).as_bytes()].concat();
        assert_eq!(read(&bytes), ["null -32700", "next"]);
    }

    #[test]
    fn headers_that_are_none_are_passed_over() {
        let next = framed(NEXT);
        for before in ["garbage\r\n\r\n", "\r\n\r\n", "\n", "Content-Length: 0\r\n\r\n", "content-type: x\r\n"] {
            assert_eq!(read(format!("{before}{next}").as_bytes()), ["next"], "{before}");
        }
        for length in ["x", "-1", "99999999999999999999", "4000000000"] {
            let text = format!("Content-Length: {length}\r\n\r\n{{}}{next}");
            assert_eq!(read(text.as_bytes()), ["null -32700", "next"], "{length}");
        }
        let cut = format!("Content-Length: {}\r\n\r\n{NEXT} {{ too much }}{next}", NEXT.len());
        assert_eq!(read(cut.as_bytes()), ["next", "next"]);
        assert_eq!(read(&next.as_bytes()[..next.len() - 1]), Vec::<String>::new());
    }

    #[test]
    fn nothing_is_read_behind_the_exit() {
        let exit = framed(r#"{"jsonrpc":"2.0","method":"exit"}"#);
        assert_eq!(read((exit + &framed(NEXT)).as_bytes()), ["exit"]);
    }
}
