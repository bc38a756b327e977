//! Random edits and requests, valid and not, in one session with the real server: each is answered, with an error only where
//! the question was wrong or an edit came between; and now and then what it says is what a server says that has just been
//! started.
//!
//! `SESSION_ROUNDS` and `SESSION_SEED` in the environment make longer sessions and other ones.

use std::path::Path;

use fastrand::Rng;
use serde_json::{Value, json};
use test_support::{lsp_client::LspClient, random_edit::random_edit};
use whole_program_tests::{mutations::slang_files, root, server};

/// Edits and requests, if the environment does not say.
const ROUNDS: usize = 160;

/// After so many of them a new server is asked.
const ROUNDS_OF_EACH: usize = 80;

/// Requests that wait for their answers at one time.
const MOST_PENDING: usize = 12;

/// What a request may fail with: it was cancelled, or an edit came between.
const EXPECTED: [i64; 3] = [-32800, -32801, -32802];

/// What a wrong question may fail with as well: its parameters, its method, or that what it asks for is not possible.
const OF_WRONG_QUESTIONS: [i64; 3] = [-32602, -32601, -32803];

fn number(variable: &str, default: usize) -> usize {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// A document that is open.
struct Document {
    uri: String,
    text: String,
    version: i32,
}

impl Document {
    /// A position in it, or outside of it.
    fn position(&self, random: &mut Rng) -> Value {
        if random.u8(..20) == 0 {
            return json!({"line": random.u32(..), "character": random.u32(..)});
        }
        let mut at = random.usize(..=self.text.len());
        while !self.text.is_char_boundary(at) {
            at -= 1;
        }
        position(&self.text, at)
    }
}

/// Lines and UTF-16 columns, as the protocol counts them. A carriage return alone ends a line, too.
fn position(text: &str, at: usize) -> Value {
    let before = &text[..at];
    let ends =
        before.char_indices().filter(|(index, c)| *c == '\n' || *c == '\r' && !text[index + 1..].starts_with('\n'));
    let (count, last) = ends.fold((0, 0), |(count, _), (index, _)| (count + 1, index + 1));
    json!({"line": count, "character": before[last..].encode_utf16().count()})
}

/// Methods that ask about a position, with what else they take.
fn question(document: &Document, random: &mut Rng) -> (&'static str, Value) {
    const AT_POSITIONS: [&str; 14] = [
        "textDocument/hover",
        "textDocument/definition",
        "textDocument/declaration",
        "textDocument/typeDefinition",
        "textDocument/implementation",
        "textDocument/references",
        "textDocument/documentHighlight",
        "textDocument/completion",
        "textDocument/signatureHelp",
        "textDocument/prepareRename",
        "textDocument/rename",
        "textDocument/prepareCallHierarchy",
        "textDocument/prepareTypeHierarchy",
        "slang-analyzer/derivativePreview",
    ];
    const OF_DOCUMENTS: [&str; 13] = [
        "textDocument/documentSymbol",
        "textDocument/semanticTokens/full",
        "textDocument/semanticTokens/range",
        "textDocument/inlayHint",
        "textDocument/foldingRange",
        "textDocument/codeLens",
        "textDocument/codeAction",
        "textDocument/documentLink",
        "textDocument/formatting",
        "textDocument/rangeFormatting",
        "textDocument/diagnostic",
        "slang-analyzer/derivativeFlow",
        "slang-analyzer/explainDerivative",
    ];
    let (start, end) = (document.position(random), document.position(random));
    let params = json!({
        "textDocument": {"uri": document.uri},
        "position": start,
        "range": {"start": start, "end": end},
        "context": {"includeDeclaration": true, "diagnostics": [], "triggerKind": 1, "isRetrigger": false},
        "newName": "renamed",
        "options": {"tabSize": 4, "insertSpaces": true},
        "target": random.choice(["slang", "hlsl", "cuda", "wgsl"]),
    });
    let methods: &[&str] = if random.bool() { &AT_POSITIONS } else { &OF_DOCUMENTS };
    (random.choice(methods).copied().unwrap_or_default(), params)
}

/// What no client should ask.
fn wrong_question(random: &mut Rng) -> (&'static str, Value) {
    let questions = [
        (
            "textDocument/hover",
            json!({"textDocument": {"uri": "file:///nowhere.slang"}, "position": {"line": 0, "character": 0}}),
        ),
        ("textDocument/hover", json!({"textDocument": 7})),
        ("textDocument/completion", json!([])),
        ("textDocument/nothing", json!({})),
        ("slang-analyzer/gradientCheck", json!({"position": -1})),
        (
            "textDocument/semanticTokens/full/delta",
            json!({"textDocument": {"uri": "file:///nowhere.slang"}, "previousResultId": "none"}),
        ),
        ("callHierarchy/incomingCalls", json!({"item": {}})),
        ("completionItem/resolve", json!({"label": "none", "data": 3})),
        ("workspace/executeCommand", json!({"command": "none"})),
    ];
    questions[random.usize(..questions.len())].clone()
}

/// What is wrong with a document, in an order of its own.
fn diagnostics(client: &mut LspClient, uri: &str) -> Vec<String> {
    let found = client.request("textDocument/diagnostic", json!({"textDocument": {"uri": uri}}));
    let mut found: Vec<String> = found["items"].as_array().into_iter().flatten().map(Value::to_string).collect();
    found.sort();
    found
}

struct Session {
    client: LspClient,
    random: Rng,
    documents: Vec<Document>,
    originals: Vec<String>,
    pending: Vec<(i64, String, bool)>,
}

impl Session {
    fn edit(&mut self) {
        let index = self.random.usize(..self.documents.len());
        let document = &mut self.documents[index];
        // Now and then all is put right again, so that most rounds begin with a program that means something.
        let (range, with) = match self.random.u8(..4) {
            0 => (0..document.text.len(), self.originals[index].clone()),
            _ => random_edit(&document.text, &mut self.random),
        };
        document.version += 1;
        let (start, end) = (position(&document.text, range.start), position(&document.text, range.end));
        let change = json!({"range": {"start": start, "end": end}, "text": with});
        self.client.notify(
            "textDocument/didChange",
            json!({"textDocument": {"uri": document.uri, "version": document.version}, "contentChanges": [change]}),
        );
        document.text.replace_range(range, &with);
    }

    fn ask(&mut self) {
        let is_wrong = self.random.u8(..10) == 0;
        let (method, params) = match is_wrong {
            true => wrong_question(&mut self.random),
            false => question(&self.documents[self.random.usize(..self.documents.len())], &mut self.random),
        };
        let id = self.client.post(method, params.clone());
        if self.random.u8(..8) == 0 {
            self.client.notify("$/cancelRequest", json!({"id": id}));
        }
        self.pending.push((id, format!("{method} {params}"), is_wrong));
    }

    /// Waits until no more than so many requests are open.
    fn settle(&mut self, most: usize) {
        while self.pending.len() > most {
            let (id, asked, is_wrong) = self.pending.remove(0);
            let answer = self.client.answer(id);
            let Some(code) = answer["error"]["code"].as_i64() else { continue };
            // A rename that is not possible is refused with the reason.
            let may_be_refused = asked.contains("Rename") || asked.contains("/rename");
            let is_expected =
                EXPECTED.contains(&code) || (is_wrong || may_be_refused) && OF_WRONG_QUESTIONS.contains(&code);
            assert!(is_expected, "{asked}\n{answer}");
        }
    }

    /// What this server says of the documents is what a new one says.
    fn compare(&mut self, folder: &Path) {
        self.settle(0);
        let mut fresh = LspClient::start(&server(), folder);
        for document in &self.documents {
            fresh.open(&document.uri, &document.text);
        }
        for document in &self.documents {
            let here = diagnostics(&mut self.client, &document.uri);
            assert_eq!(here, diagnostics(&mut fresh, &document.uri), "{}:\n{}", document.uri, document.text);
        }
        assert_eq!(fresh.shutdown(), Some(0));
    }
}

#[test]
fn any_session_ends_where_a_new_one_begins() {
    let rounds = number("SESSION_ROUNDS", ROUNDS);
    let mut random = Rng::with_seed(number("SESSION_SEED", 1) as u64);
    // Nothing is on the disk: what is open is all that there is.
    let folder = root().join("target/tmp/random-session");
    std::fs::create_dir_all(&folder).expect("a folder can be made");
    let mut files = slang_files(&root().join("fixtures/samples"));
    files.extend(
        slang_files(&root().join("fixtures/constructs"))
            .into_iter()
            .filter(|file| std::fs::read_to_string(file).is_ok_and(|text| !text.contains("//- "))),
    );
    let mut done = 0;
    while done < rounds {
        random.shuffle(&mut files);
        let mut session = Session {
            client: LspClient::start(&server(), &folder),
            random: random.fork(),
            documents: Vec::new(),
            originals: Vec::new(),
            pending: Vec::new(),
        };
        for file in files.iter().take(3) {
            let text = std::fs::read_to_string(file).expect("a fixture can be read");
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            let uri = format!("file://{}/{name}", folder.display());
            session.client.open(&uri, &text);
            session.documents.push(Document { uri, text: text.clone(), version: 1 });
            session.originals.push(text);
        }
        let end = rounds.min(done + 10 * ROUNDS_OF_EACH);
        while done < end {
            done += 1;
            match session.random.u8(..3) {
                0 => session.edit(),
                _ => session.ask(),
            }
            session.settle(MOST_PENDING);
            if done.is_multiple_of(ROUNDS_OF_EACH) {
                session.compare(&folder);
            }
        }
        session.compare(&folder);
        assert_eq!(session.client.shutdown(), Some(0));
    }
}
