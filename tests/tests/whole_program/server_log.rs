//! What the server writes to its log.

use serde_json::json;
use test_support::lsp_client::LspClient;
use whole_program_tests::{process::Scratch, root, server};

const URI: &str = "file:///session/main.slang";

/// The log of a session with one open document and one hover, with this value of `SLANG_ANALYZER_LOG`.
fn log(asked: &str) -> String {
    let scratch = Scratch::new("log");
    let file = scratch.file("log.txt");
    let command = format!("SLANG_ANALYZER_LOG={asked} exec '{}' lsp 2> '{}'", server().display(), file.display());
    let mut client = LspClient::start_command("sh".as_ref(), &["-c", &command], &root().join("fixtures/constructs"));
    client.open(URI, "float f(float x)\n{\n    return x * 2.0;\n}\n");
    let hover = client.hover(URI, 2, 11);
    assert!(hover.contains("float"), "{hover}");
    client.request("shutdown", json!(null));
    client.notify("exit", json!(null));
    drop(client);
    std::fs::read_to_string(&file).expect("there is a log")
}

#[test]
fn queries_stand_inside_the_requests_that_execute_them() {
    let log = log("info");
    let hover = "request{method=\"textDocument/hover\"";
    assert!(log.lines().any(|line| line.contains(hover) && line.contains("received")), "{log}");
    assert!(log.contains("notification{method=\"textDocument/didOpen\"}"), "{log}");
    assert!(log.lines().any(|line| line.contains("infer_body") && line.contains("executing query")), "{log}");
}

#[test]
fn nothing_is_written_where_nothing_is_asked_for() {
    assert_eq!(log("off"), "");
    assert!(!log("warn").contains("executing query"));
}
