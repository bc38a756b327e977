//! Sessions with the real server over its standard streams.

use std::time::Duration;

use serde_json::{Value, json};
use test_support::lsp_client::LspClient;
use whole_program_tests::{root, server};

const URI: &str = "file:///session/main.slang";

fn start() -> LspClient {
    LspClient::start(&server(), &root().join("fixtures"))
}

#[test]
fn it_starts_and_stops_in_order() {
    let client = start();
    assert_eq!(client.initialize_result["serverInfo"]["name"], "slang-analyzer");
    assert_eq!(client.shutdown(), Some(0));
}

#[test]
fn exit_without_shutdown_is_an_error() {
    let mut client = start();
    client.notify("exit", Value::Null);
    assert_eq!(client.wait_for_exit(), Some(1));
}

#[test]
fn what_is_no_message_is_answered_and_the_session_goes_on() {
    let mut client = start();
    client.open(URI, "float f() { return 1.0; }\n");
    for body in ["{", "[]", "7", "null", "{}", "{\"jsonrpc\":\"2.0\",\"method\":7}", "\u{10fffd}"] {
        client.send_bytes(format!("Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes());
        let refused = client.wait_for(|message| message.get("error").is_some() && message["id"].is_null());
        assert!([-32700, -32600].map(Value::from).contains(&refused["error"]["code"]), "{body}: {refused}");
        assert!(client.hover(URI, 0, 6).contains("float f()"), "{body}");
    }
    client.send_bytes(b"Content-Length: many\r\n\r\n{}");
    assert!(client.hover(URI, 0, 6).contains("float f()"));
    client.send(&json!({"jsonrpc": "2.0", "id": 9000, "method": 7}));
    assert_eq!(client.answer(9000)["error"]["code"], -32600);
    assert_eq!(client.shutdown(), Some(0));
}

/// A server that waits for answers of the client, which never come.
fn start_unanswered() -> LspClient {
    let mut client = LspClient::spawn(&server(), &["lsp"]);
    let workspace = json!({"configuration": true, "didChangeWatchedFiles": {"dynamicRegistration": true}});
    let capabilities = json!({"workspace": workspace, "window": {"workDoneProgress": true}});
    client.post("initialize", json!({"processId": null, "capabilities": capabilities}));
    client.notify("initialized", json!({}));
    client.open(URI, "float f() { return 1.0; }\n");
    client
}

#[test]
fn it_ends_within_a_second_whatever_is_open() {
    let second = Duration::from_secs(1);
    let mut client = start_unanswered();
    client.notify("exit", Value::Null);
    assert!(client.ends_within(second), "after `exit`");
    assert_eq!(client.wait_for_exit(), Some(1));
    let mut client = start_unanswered();
    client.post("shutdown", Value::Null);
    client.notify("exit", Value::Null);
    assert!(client.ends_within(second), "after `shutdown` and `exit`");
    let mut client = start_unanswered();
    client.close_input();
    assert!(client.ends_within(second), "after the end of the input");
}

/// The server does not see the end of its input: who started it shares the pipe with another.
#[cfg(unix)]
#[test]
fn it_ends_within_a_second_of_the_process_that_started_it() {
    let command = "exec 3<&0; \"$0\" lsp <&3 & wait";
    let server = server().display().to_string();
    let mut client = LspClient::spawn("/bin/sh".as_ref(), &["-c", command, &server]);
    let process = client.process();
    let id = client.post("initialize", json!({"processId": process, "capabilities": {}}));
    assert!(client.answer(id)["result"].is_object());
    assert!(!client.ends_within(Duration::from_secs(1)), "while its parent is there");
    client.kill_process();
    assert!(client.ends_within(Duration::from_secs(1)), "after its parent");
}

#[test]
fn each_version_gets_its_diagnostics() {
    let mut client = start();
    client.open(URI, "float f() { return 1.0; }\n");
    assert_eq!(client.diagnostics(URI, 1), Vec::<Value>::new());
    client.edit(URI, 2, [0, 19], [0, 22], "missing");
    let found = client.diagnostics(URI, 2);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0]["message"].as_str().is_some_and(|message| message.contains("missing")), "{found:?}");
    client.edit(URI, 3, [0, 19], [0, 26], "1.0");
    assert_eq!(client.diagnostics(URI, 3), Vec::<Value>::new());
}

#[test]
fn requests_see_the_edits_before_them() {
    let mut client = start();
    client.open(URI, "float first() { return 1.0; }\n");
    for round in 0..50 {
        let name = format!("name_{round}");
        let end = if round == 0 { 11 } else { 6 + format!("name_{}", round - 1).len() as u32 };
        client.edit(URI, round + 2, [0, 6], [0, end], &name);
        let symbols = client.request("textDocument/documentSymbol", json!({"textDocument": {"uri": URI}}));
        assert_eq!(symbols[0]["name"], name.as_str());
    }
}

#[test]
fn messages_in_any_order_are_survived() {
    let mut client = start();
    let position = json!({"line": 1000, "character": 1000});
    // About documents that were never opened, outside of the text, backwards.
    client.notify("textDocument/didClose", json!({"textDocument": {"uri": URI}}));
    client.edit(URI, 7, [3, 0], [4, 0], "x");
    client.request("textDocument/documentSymbol", json!({"textDocument": {"uri": URI}}));
    client.open(URI, "float f(");
    client.edit(URI, 2, [9, 9], [0, 2], "}}}}(((");
    client.open(URI, "\u{feff}float\0 g() { é");
    // About functions that are not there, with parameters that make no sense.
    let document = json!({"uri": URI});
    for method in [
        "derivativePreview",
        "residualPlan",
        "gradientCheck",
        "gradientTests",
        "nonFinite",
        "cost",
        "values",
        "explore",
        "ir",
        "derivativeFlow",
        "explainDerivative",
        "syntaxTree",
    ] {
        for params in [
            json!({"textDocument": document, "position": position, "function": "none(", "pass": "x", "target": "x", "at": [1e300, -1], "operator": "backward"}),
            json!({"textDocument": {"uri": "file:///nowhere.slang"}, "position": position}),
            json!({"textDocument": document, "position": {"line": 0, "character": 0}, "range": {"start": position, "end": position}}),
            json!([]),
        ] {
            let id = client.post(&format!("slang-analyzer/{method}"), params);
            client.answer(id);
        }
    }
    // Answered, not waited for.
    assert_eq!(client.request_error("$/nothing", json!({}))["code"], json!(-32601));
    client.request("textDocument/foldingRange", json!({"textDocument": {"uri": URI}}));
    let ranges =
        client.request("textDocument/selectionRange", json!({"textDocument": {"uri": URI}, "positions": [position]}));
    assert_eq!(ranges.as_array().map(Vec::len), Some(1));
    client.notify("textDocument/didClose", json!({"textDocument": {"uri": URI}}));
    client.notify("textDocument/didClose", json!({"textDocument": {"uri": URI}}));
    assert_eq!(client.shutdown(), Some(0));
}

#[test]
fn the_core_library_is_a_read_only_document() {
    let mut client = start();
    client.open(URI, "float f(float x) { return saturate(x); }\n");
    let at = |uri: &str, line: u64, character: u64| json!({"textDocument": {"uri": uri}, "position": {"line": line, "character": character}});
    let targets = client.request("textDocument/definition", at(URI, 0, 28));
    let uri = targets[0]["uri"].as_str().expect("a place").to_owned();
    assert!(uri.starts_with("slang-prelude:///"), "{uri}");
    let content = client.request("workspace/textDocumentContent", json!({"uri": uri}));
    let text = content["text"].as_str().expect("a text").to_owned();
    let start = &targets[0]["range"]["start"];
    let (line, character) = (start["line"].as_u64().expect("a line"), start["character"].as_u64().expect("a column"));
    let declaration = text.lines().nth(line as usize).expect("the line is there");
    assert!(declaration[character as usize..].starts_with("saturate"), "{declaration}");
    // Hover works before the client opens the document and after; what it sends as text does not count.
    assert!(client.request("textDocument/hover", at(&uri, line, character))["contents"].is_object());
    client.open(&uri, "nonsense(");
    // As some editors spell the same document.
    let short = uri.replace(":///", ":/");
    for uri in [&uri, &short] {
        client.edit(uri, 2, [0, 0], [0, 1], "x");
        assert!(client.request("textDocument/hover", at(uri, line, character))["contents"].is_object(), "{uri}");
    }
    client.notify("textDocument/didClose", json!({"textDocument": {"uri": uri}}));
    assert_eq!(client.request("textDocument/definition", at(URI, 0, 28)), targets);
}

/// So many functions that the server looks at them part by part; every hundredth names what is not there.
fn large_text() -> String {
    let function = |number: usize| {
        let value = if number.is_multiple_of(100) { "missing" } else { "x" };
        format!("float step_{number}(float x) {{ return {value} * {number}.0; }}\n")
    };
    (0..3000).map(function).collect()
}

fn lines(diagnostics: &[Value]) -> Vec<u64> {
    diagnostics.iter().filter_map(|diagnostic| diagnostic["range"]["start"]["line"].as_u64()).collect()
}

#[test]
fn all_of_a_large_document_is_diagnosed_and_little_of_what_that_took_is_kept() {
    let every_hundredth: Vec<u64> = (0..30).map(|number| number * 100).collect();
    let mut client = start();
    client.open(URI, &large_text());
    assert_eq!(lines(&client.diagnostics(URI, 1)), every_hundredth);
    // An edit while it opens: what the editor shows then is of the text after it.
    let other = "file:///session/other.slang";
    client.open(other, &large_text());
    client.edit(other, 2, [2999, 0], [2999, 0], "float last() { return missing; }\n");
    assert_eq!(lines(&client.diagnostics(other, 2)), [&every_hundredth[..], &[2999]].concat());
    // Most of the 6,000 bodies were dropped since.
    let held = |client: &mut LspClient| {
        let report = client.request("slang-analyzer/memory", Value::Null);
        let tables = report["tables"].as_array().cloned().unwrap_or_default();
        let of_bodies = tables.iter().find(|table| table["table"] == "infer_body").expect("bodies are inferred");
        of_bodies["bytes"].as_u64().zip(of_bodies["entries"].as_u64()).expect("numbers")
    };
    let is_small = |client: &mut LspClient| {
        std::thread::sleep(Duration::from_millis(50));
        let (bytes, entries) = held(client);
        entries >= 6000 && bytes < 6000 * 500
    };
    assert!((0..1200).any(|_| is_small(&mut client)), "{:?} bytes and bodies", held(&mut client));
}

#[test]
fn all_of_a_large_document_is_there_for_who_asks() {
    let mut client = LspClient::spawn(&server(), &["lsp"]);
    client.initialize(&[&root().join("fixtures/stages")], json!({"textDocument": {"diagnostic": {}}}));
    client.open(URI, &large_text());
    let whole = client.post("workspace/diagnostic", json!({"previousResultIds": []}));
    let pulled = client.request("textDocument/diagnostic", json!({"textDocument": {"uri": URI}}));
    assert_eq!(pulled["items"].as_array().map(|items| lines(items).len()), Some(30));
    let whole = client.answer(whole);
    let reports = whole["result"]["items"].as_array().expect("reports");
    let here = reports.iter().find(|report| report["uri"] == URI).expect("the open document");
    assert_eq!(here["items"].as_array().map(|items| lines(items).len()), Some(30));
}
