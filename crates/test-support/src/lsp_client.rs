//! A client that talks to the real server over its standard streams.

use std::{
    collections::VecDeque,
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Child, ChildStdin, Command, Stdio},
    sync::mpsc::{Receiver, RecvTimeoutError, channel},
    time::{Duration, Instant},
};

use serde_json::{Value, json};

/// How long a test waits for an answer before it fails.
const PATIENCE: Duration = Duration::from_secs(60);

/// A client of the language server over its standard streams.
pub struct LspClient {
    child: Child,
    stdin: Option<ChildStdin>,
    messages: Receiver<Value>,
    /// Read while waiting for something else.
    waiting: VecDeque<Value>,
    next_id: i64,
    /// What the server asked, in order.
    pub asked: Vec<String>,
    /// The answer to `initialize`.
    pub initialize_result: Value,
}

impl LspClient {
    /// Starts `server lsp` and initialises it with the workspace folder `root`.
    pub fn start(server: &Path, root: &Path) -> LspClient {
        LspClient::start_command(server, &["lsp"], root)
    }

    /// Starts any language server and initialises it with the workspace folder `root`.
    pub fn start_command(server: &Path, arguments: &[&str], root: &Path) -> LspClient {
        let capabilities = json!({
            "general": {"positionEncodings": ["utf-16"]},
            "textDocument": {"publishDiagnostics": {"relatedInformation": true, "versionSupport": true}},
        });
        let mut client = LspClient::spawn(server, arguments);
        client.initialize(&[root], capabilities);
        client
    }

    /// Says hello, as a client that can do so much and shows some folders.
    pub fn initialize(&mut self, folders: &[&Path], capabilities: Value) {
        let uris: Vec<String> = folders.iter().map(|folder| format!("file://{}", folder.display())).collect();
        let named: Vec<Value> = uris.iter().map(|uri| json!({"uri": uri, "name": uri})).collect();
        let params = json!({
            "processId": null,
            "rootUri": uris.first(),
            "workspaceFolders": named,
            "capabilities": capabilities,
        });
        self.initialize_result = self.request("initialize", params);
        self.notify("initialized", json!({}));
    }

    /// Starts the server and says nothing yet.
    pub fn spawn(server: &Path, arguments: &[&str]) -> LspClient {
        let mut child = Command::new(server)
            .args(arguments)
            // What users start does not have the stacks of tests' threads.
            .env_remove("RUST_MIN_STACK")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .expect("the server starts");
        let stdin = child.stdin.take();
        let stdout = child.stdout.take().expect("standard output is a pipe");
        let (send, messages) = channel();
        std::thread::spawn(move || {
            let mut stdout = BufReader::new(stdout);
            while let Some(message) = read_message(&mut stdout) {
                if send.send(message).is_err() {
                    break;
                }
            }
        });
        LspClient {
            child,
            stdin,
            messages,
            waiting: VecDeque::new(),
            next_id: 0,
            asked: Vec::new(),
            initialize_result: Value::Null,
        }
    }

    /// Sends a message.
    pub fn send(&mut self, message: &Value) {
        let text = message.to_string();
        let stdin = self.stdin.as_mut().expect("the connection is open");
        write!(stdin, "Content-Length: {}\r\n\r\n{text}", text.len()).expect("the server reads");
        stdin.flush().expect("the server reads");
    }

    /// Sends bytes that need not be a message.
    pub fn send_bytes(&mut self, bytes: &[u8]) {
        let stdin = self.stdin.as_mut().expect("the connection is open");
        stdin.write_all(bytes).expect("the server reads");
        stdin.flush().expect("the server reads");
    }

    /// Sends a notification.
    pub fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    /// Sends a request and returns its id at once.
    pub fn post(&mut self, method: &str, params: Value) -> i64 {
        self.next_id += 1;
        let id = self.next_id;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        id
    }

    /// The whole answer (`result` or `error`) to the request `id`.
    pub fn answer(&mut self, id: i64) -> Value {
        self.wait_for(|message| message.get("method").is_none() && message["id"] == id)
    }

    /// Sends a request and returns its result; an error fails the test.
    pub fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.post(method, params);
        let answer = self.answer(id);
        assert!(answer.get("error").is_none(), "{method} failed: {}", answer["error"]);
        answer["result"].clone()
    }

    /// Sends a request and returns its error; a result fails the test.
    pub fn request_error(&mut self, method: &str, params: Value) -> Value {
        let id = self.post(method, params);
        let answer = self.answer(id);
        assert!(answer.get("error").is_some(), "{method} did not fail: {}", answer["result"]);
        answer["error"].clone()
    }

    /// Says that an editor has opened a file.
    pub fn open(&mut self, uri: &str, text: &str) {
        let document = json!({"uri": uri, "languageId": "slang", "version": 1, "text": text});
        self.notify("textDocument/didOpen", json!({"textDocument": document}));
    }

    /// Replaces the range (`[line, character]` each) of the document.
    pub fn edit(&mut self, uri: &str, version: i32, start: [u32; 2], end: [u32; 2], text: &str) {
        let position = |[line, character]: [u32; 2]| json!({"line": line, "character": character});
        let change = json!({"range": {"start": position(start), "end": position(end)}, "text": text});
        self.notify(
            "textDocument/didChange",
            json!({"textDocument": {"uri": uri, "version": version}, "contentChanges": [change]}),
        );
    }

    /// The diagnostics published for `uri` at `version`.
    pub fn diagnostics(&mut self, uri: &str, version: i32) -> Vec<Value> {
        let message = self.wait_for(|message| {
            message["method"] == "textDocument/publishDiagnostics"
                && message["params"]["uri"] == uri
                && message["params"]["version"] == version
        });
        message["params"]["diagnostics"].as_array().cloned().unwrap_or_default()
    }

    /// Replaces the whole text of the document.
    pub fn replace_all(&mut self, uri: &str, version: i32, text: &str) {
        self.notify(
            "textDocument/didChange",
            json!({"textDocument": {"uri": uri, "version": version}, "contentChanges": [{"text": text}]}),
        );
    }

    /// Waits until diagnostics are published for `uri` that `wanted` accepts; those published before are let go.
    pub fn wait_for_diagnostics(&mut self, uri: &str, wanted: impl Fn(&[Value]) -> bool) -> Vec<Value> {
        loop {
            let message = self.wait_for(|message| {
                message["method"] == "textDocument/publishDiagnostics" && message["params"]["uri"] == uri
            });
            let diagnostics = message["params"]["diagnostics"].as_array().cloned().unwrap_or_default();
            if wanted(&diagnostics) {
                return diagnostics;
            }
        }
    }

    /// Hover at a position as plain text.
    pub fn hover(&mut self, uri: &str, line: u32, character: u32) -> String {
        let position = json!({"line": line, "character": character});
        let result = self.request("textDocument/hover", json!({"textDocument": {"uri": uri}, "position": position}));
        result["contents"]["value"].as_str().unwrap_or_default().to_owned()
    }

    /// The first message, read before or still to come, that `wanted` accepts; requests of the server are answered with
    /// null on the way, other messages are kept.
    pub fn wait_for(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        if let Some(at) = self.waiting.iter().position(&wanted) {
            return self.waiting.remove(at).unwrap_or_default();
        }
        let deadline = Instant::now() + PATIENCE;
        loop {
            match self.messages.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(message) if message.get("method").is_some() && message.get("id").is_some() => {
                    self.asked.extend(message["method"].as_str().map(str::to_owned));
                    let result = match message["method"].as_str() {
                        Some("workspace/configuration") => {
                            let items = message["params"]["items"].as_array().map_or(0, Vec::len);
                            Value::Array(vec![Value::Null; items])
                        }
                        _ => Value::Null,
                    };
                    self.send(&json!({"jsonrpc": "2.0", "id": message["id"], "result": result}));
                }
                Ok(message) if wanted(&message) => return message,
                Ok(message) => self.waiting.push_back(message),
                Err(RecvTimeoutError::Timeout) => panic!("the server did not answer in {PATIENCE:?}"),
                Err(RecvTimeoutError::Disconnected) => panic!("the server ended: {:?}", self.child.wait()),
            }
        }
    }

    /// Shuts down in order; the exit status of the server.
    pub fn shutdown(mut self) -> Option<i32> {
        self.request("shutdown", Value::Null);
        self.notify("exit", Value::Null);
        self.wait_for_exit()
    }

    /// The number of the process that was started.
    pub fn process(&self) -> u32 {
        self.child.id()
    }

    /// Closes the server's input.
    pub fn close_input(&mut self) {
        drop(self.stdin.take());
    }

    /// Kills the process that was started, and leaves the pipes open.
    pub fn kill_process(&mut self) {
        self.child.kill().expect("it can be killed");
        self.child.wait().expect("it can be waited for");
    }

    /// Whether the server's output ends within a time; nothing that it asks is answered.
    pub fn ends_within(&mut self, time: Duration) -> bool {
        let deadline = Instant::now() + time;
        loop {
            match self.messages.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(_) => {}
                Err(RecvTimeoutError::Timeout) => return false,
                Err(RecvTimeoutError::Disconnected) => return true,
            }
        }
    }

    /// The exit status of the server once it has ended.
    pub fn wait_for_exit(mut self) -> Option<i32> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(status) = self.child.try_wait().expect("the server can be waited for") {
                return status.code();
            }
            assert!(Instant::now() < deadline, "the server does not end");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for LspClient {
    fn drop(&mut self) {
        drop(self.stdin.take());
        // The test is over, however it ended: no server is left behind.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn read_message(stream: &mut impl BufRead) -> Option<Value> {
    let mut length = None;
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).ok()? == 0 {
            return None;
        }
        let line = line.trim();
        if line.is_empty() {
            break;
        }
        if let Some(value) = line.strip_prefix("Content-Length:") {
            length = value.trim().parse().ok();
        }
    }
    let mut body = vec![0; length?];
    stream.read_exact(&mut body).ok()?;
    serde_json::from_slice(&body).ok()
}
