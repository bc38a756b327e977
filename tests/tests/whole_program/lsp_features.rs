//! One session each for the features that editors ask for.

use serde_json::{Value, json};
use test_support::lsp_client::LspClient;
use whole_program_tests::{root, server};

const URI: &str = "file:///session/main.slang";

fn open(text: &str) -> LspClient {
    let mut client = LspClient::start(&server(), &root().join("fixtures/constructs"));
    client.open(URI, text);
    client
}

/// The parameters of a request about the place of the first `needle` in `text`.
fn at(text: &str, needle: &str) -> Value {
    json!({"textDocument": {"uri": URI}, "position": position(text, needle)})
}

fn position(text: &str, needle: &str) -> Value {
    let offset = text.find(needle).expect("the text holds it");
    let line = text[..offset].matches('\n').count();
    let column = offset - text[..offset].rfind('\n').map_or(0, |at| at + 1);
    json!({"line": line, "character": column})
}

/// The text after edits of one file.
fn apply(text: &str, edits: &Value) -> String {
    let offset = |position: &Value| {
        let line = position["line"].as_u64().expect("a line") as usize;
        let start: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
        start + position["character"].as_u64().expect("a column") as usize
    };
    let mut edits: Vec<_> = edits
        .as_array()
        .expect("a list of edits")
        .iter()
        .map(|edit| {
            (offset(&edit["range"]["start"]), offset(&edit["range"]["end"]), edit["newText"].as_str().unwrap_or(""))
        })
        .collect();
    edits.sort();
    let mut result = text.to_owned();
    for (start, end, new) in edits.into_iter().rev() {
        result.replace_range(start..end, new);
    }
    result
}

fn rename(client: &mut LspClient, text: &str, needle: &str, new_name: &str) -> Value {
    let mut params = at(text, needle);
    params["newName"] = json!(new_name);
    client.request("textDocument/rename", params)
}

/// Who takes versions gets that of each open document, and none of what is closed.
#[test]
fn changes_name_the_version_that_they_are_made_for() {
    let mut client = LspClient::spawn(&server(), &["lsp"]);
    let capabilities = json!({"workspace": {"workspaceEdit": {"documentChanges": true}}});
    client.initialize(&[&root().join("fixtures/constructs")], capabilities);
    client.open(URI, "float f(float x) { return x; }\n");
    client.replace_all(URI, 7, "float f(float x) { return x * x; }\n");
    let params = json!({
        "textDocument": {"uri": URI},
        "position": {"line": 0, "character": 6},
        "newName": "g",
    });
    let edits = client.request("textDocument/rename", params);
    assert_eq!(edits["changes"], Value::Null);
    let changed = edits["documentChanges"].as_array().expect("a list");
    assert_eq!(changed.len(), 1);
    assert_eq!(changed[0]["textDocument"], json!({"uri": URI, "version": 7}));
    assert_eq!(changed[0]["edits"][0]["newText"], "g");
}

#[test]
fn rename_changes_every_use_and_nothing_else() {
    let text = "struct Lamp { float power; }\nfloat glow(Lamp lamp)\n{\n    float power = 2.0;\n    return lamp.power * power;\n}\nfloat both(Lamp a) { return glow(a) + a.power; }\n";
    let mut client = open(text);
    let edits = rename(&mut client, text, "power;", "strength");
    let changed = apply(text, &edits["changes"][URI]);
    assert_eq!(changed, text.replace("float power; }", "float strength; }").replace(".power", ".strength"));
    let edits = rename(&mut client, text, "power = 2.0", "factor");
    let changed = apply(text, &edits["changes"][URI]);
    assert_eq!(changed, text.replace("float power = 2.0", "float factor = 2.0").replace("* power", "* factor"));
    let edits = rename(&mut client, text, "Lamp lamp", "Light");
    assert_eq!(apply(text, &edits["changes"][URI]), text.replace("Lamp", "Light"));
    let prepared = client.request("textDocument/prepareRename", at(text, "glow(a)"));
    assert_eq!(prepared["placeholder"], "glow");
}

#[test]
fn rename_of_a_requirement_renames_what_fulfils_it() {
    let text = "interface IShape { float area(); }\nstruct Square : IShape { float side; float area() { return side * side; } }\nstruct Other { float area() { return 0; } }\nfloat use<T : IShape>(T t, Square s) { return t.area() + s.area(); }\n";
    let mut client = open(text);
    let edits = rename(&mut client, text, "area() { return side", "extent");
    let wanted = text.replace("area", "extent").replace("Other { float extent", "Other { float area");
    assert_eq!(apply(text, &edits["changes"][URI]), wanted);
}

#[test]
fn rename_reaches_other_files_and_derivative_attributes() {
    let library = "file:///session/library.slang";
    let text = "import library;\n[BackwardDerivative(mine_bwd)]\nfloat mine(float x) { return shared(x); }\nvoid mine_bwd(inout DifferentialPair<float> x, float d) { x = diffPair(x.p, d); }\n";
    let library_text = "float shared(float x) { return x; }\n";
    let mut client = LspClient::start(&server(), &root().join("fixtures/constructs"));
    client.open(library, library_text);
    client.open(URI, text);
    let edits = rename(&mut client, text, "shared(x)", "common");
    assert_eq!(apply(text, &edits["changes"][URI]), text.replace("shared", "common"));
    assert_eq!(apply(library_text, &edits["changes"][library]), library_text.replace("shared", "common"));
    let edits = rename(&mut client, text, "mine_bwd(inout", "mine_vjp");
    assert_eq!(apply(text, &edits["changes"][URI]), text.replace("mine_bwd", "mine_vjp"));
}

#[test]
fn rename_is_refused_with_the_reason() {
    // The reasons are tested in `ide`; this is how a client hears of one.
    let text = "float other(float y) { float z = y; return z; }\n";
    let mut client = open(text);
    let mut params = at(text, "z = y");
    params["newName"] = json!("y");
    let error = client.request_error("textDocument/rename", params);
    assert!(error["message"].as_str().is_some_and(|message| message.contains("already")), "{error}");
}

#[test]
fn inlay_hints_show_deduced_types_and_parameters() {
    let text = "float mix2(float first, float second) { return first + second; }\nvoid f(float first)\n{\n    let sum = mix2(first, 2.0);\n    var pair = diffPair(sum);\n}\n";
    let mut client = open(text);
    let range = json!({"start": {"line": 0, "character": 0}, "end": {"line": 9, "character": 0}});
    let hints = client.request("textDocument/inlayHint", json!({"textDocument": {"uri": URI}, "range": range}));
    let shown: Vec<(u64, String)> = hints
        .as_array()
        .expect("hints")
        .iter()
        .map(|hint| (hint["position"]["line"].as_u64().unwrap_or(0), hint["label"].as_str().unwrap_or("").to_owned()))
        .collect();
    let wanted = [(3, ": float"), (3, "second:"), (4, ": DifferentialPair<float>")];
    assert_eq!(shown, wanted.map(|(line, label)| (line, label.to_owned())));
}

#[test]
fn calls_lead_up_and_down() {
    let text = "[Differentiable]\nfloat low(float x) { return x * x; }\nfloat middle(float x) { return low(x) + low(2 * x); }\nfloat top(float x) { var p = diffPair(x); bwd_diff(low)(p, 1.0); return middle(x) + p.d; }\n";
    let mut client = open(text);
    let items = client.request("textDocument/prepareCallHierarchy", at(text, "low(float"));
    assert_eq!(items[0]["name"], "low");
    let incoming = client.request("callHierarchy/incomingCalls", json!({"item": items[0]}));
    let callers: Vec<(String, usize)> = incoming
        .as_array()
        .expect("calls")
        .iter()
        .map(|call| {
            (call["from"]["name"].as_str().unwrap_or("").to_owned(), call["fromRanges"].as_array().map_or(0, Vec::len))
        })
        .collect();
    assert_eq!(callers, [("middle".to_owned(), 2), ("top".to_owned(), 1)]);
    let items = client.request("textDocument/prepareCallHierarchy", at(text, "top(float"));
    let outgoing = client.request("callHierarchy/outgoingCalls", json!({"item": items[0]}));
    let mut callees: Vec<&str> =
        outgoing.as_array().expect("calls").iter().filter_map(|call| call["to"]["name"].as_str()).collect();
    callees.sort_unstable();
    assert_eq!(callees, ["diffPair", "low", "middle"]);
}

#[test]
fn types_lead_to_interfaces_and_back() {
    let text = "interface IBase { float f(); }\ninterface IShape : IBase { float area(); }\nstruct Square : IShape { float f() { return 1; } float area() { return 1; } }\nstruct Dot { }\nextension Dot : IBase { float f() { return 0; } }\n";
    let mut client = open(text);
    let names = |answer: &Value| -> Vec<String> {
        let items = answer.as_array().expect("a list").iter();
        items.filter_map(|item| item["name"].as_str().map(str::to_owned)).collect()
    };
    let items = client.request("textDocument/prepareTypeHierarchy", at(text, "IBase"));
    let below = client.request("typeHierarchy/subtypes", json!({"item": items[0]}));
    assert_eq!(names(&below), ["IShape", "Square", "Dot"]);
    let items = client.request("textDocument/prepareTypeHierarchy", at(text, "Dot { }"));
    assert_eq!(names(&client.request("typeHierarchy/supertypes", json!({"item": items[0]}))), ["IBase"]);
    let implementations = client.request("textDocument/implementation", at(text, "f(); }"));
    assert_eq!(implementations.as_array().map(Vec::len), Some(2), "{implementations}");
}

#[test]
fn go_to_the_type_of_a_value() {
    let text = "struct Lamp { float power; }\nfloat f(Lamp lamp) { return lamp.power; }\n";
    let mut client = open(text);
    let targets = client.request("textDocument/typeDefinition", at(text, "lamp.power"));
    assert_eq!(targets[0]["range"]["start"], position(text, "Lamp {"));
}

#[test]
fn missing_members_are_written() {
    let text = "interface INoise { [Differentiable] float at(float x, no_diff int octave); static int count(); }\nstruct White : INoise\n{\n    float seed;\n}\n";
    let mut client = open(text);
    let range = json!({"start": position(text, "INoise\n"), "end": position(text, "INoise\n")});
    let actions = client.request(
        "textDocument/codeAction",
        json!({"textDocument": {"uri": URI}, "range": range, "context": {"diagnostics": []}}),
    );
    let action =
        actions.as_array().expect("actions").iter().find(|action| action["title"] == "Add the missing members");
    let changed = apply(text, &action.expect("the fix is offered")["edit"]["changes"][URI]);
    client.open("file:///session/fixed.slang", &changed);
    assert_eq!(client.diagnostics("file:///session/fixed.slang", 1), Vec::<Value>::new(), "{changed}");
    assert!(
        changed.contains("float at(float x, no_diff int octave)") && changed.contains("static int count()"),
        "{changed}"
    );
}

#[test]
fn excluded_code_is_dimmed() {
    let text =
        "#if 0\nfloat gone(float x)\n{\n    return nothing;\n}\n#else\nfloat here(float x) { return x; }\n#endif\n";
    let mut client = open(text);
    assert_eq!(client.diagnostics(URI, 1), Vec::<Value>::new());
    let legend = client.initialize_result["capabilities"]["semanticTokensProvider"]["legend"]["tokenTypes"].clone();
    let comment = legend.as_array().expect("a legend").iter().position(|name| name == "comment").expect("comments");
    let tokens = client.request("textDocument/semanticTokens/full", json!({"textDocument": {"uri": URI}}));
    let data: Vec<usize> =
        tokens["data"].as_array().expect("tokens").iter().map(|n| n.as_u64().unwrap_or(0) as usize).collect();
    let mut line = 0;
    let mut dimmed = Vec::new();
    for token in data.chunks(5) {
        line += token[0];
        if token[3] == comment {
            dimmed.push(line);
        }
    }
    assert_eq!(dimmed, [1, 2, 3, 4]);
}

#[test]
fn token_differences_lead_to_the_tokens() {
    let text = "float f(float x) { return x; }\nfloat g(float y) { return f(y); }\n";
    let mut client = open(text);
    let document = json!({"textDocument": {"uri": URI}});
    let first = client.request("textDocument/semanticTokens/full", document.clone());
    client.edit(URI, 2, [0, 26], [0, 27], "x * x");
    let delta = client.request(
        "textDocument/semanticTokens/full/delta",
        json!({"textDocument": {"uri": URI}, "previousResultId": first["resultId"]}),
    );
    let mut data = first["data"].as_array().expect("tokens").clone();
    for edit in delta["edits"].as_array().expect("edits") {
        let start = edit["start"].as_u64().unwrap_or(0) as usize;
        let count = edit["deleteCount"].as_u64().unwrap_or(0) as usize;
        data.splice(start..start + count, edit["data"].as_array().cloned().unwrap_or_default());
    }
    let whole = client.request("textDocument/semanticTokens/full", document);
    assert_eq!(Value::Array(data), whole["data"]);
}

#[test]
fn the_chosen_completion_gets_its_documentation() {
    let text = "/// What it does.\nfloat helper(float x) { return x; }\nfloat f() { return hel; }\n";
    let mut client = open(text);
    let mut params = at(text, "hel;");
    params["position"]["character"] = json!(params["position"]["character"].as_u64().unwrap_or(0) + 3);
    let items = client.request("textDocument/completion", params);
    let item =
        items["items"].as_array().expect("items").iter().find(|item| item["label"] == "helper").expect("it is offered");
    let resolved = client.request("completionItem/resolve", item.clone());
    assert_eq!(resolved["detail"], "float helper(float x)");
    assert_eq!(resolved["documentation"]["value"], "What it does.");
}

#[test]
fn formatting_indents() {
    let text = "float f(float x)\n{\nif (x > 0)\nreturn x;  \n      return -x;\n}\n";
    let mut client = open(text);
    let options = json!({"tabSize": 4, "insertSpaces": true});
    let edits = client.request("textDocument/formatting", json!({"textDocument": {"uri": URI}, "options": options}));
    let wanted = "float f(float x)\n{\n    if (x > 0)\n        return x;\n    return -x;\n}\n";
    assert_eq!(apply(text, &edits), wanted);
}

#[test]
fn formatting_follows_the_clang_format_around_the_file() {
    let folder = std::env::temp_dir().join(format!("slang-analyzer-format-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder can be made");
    std::fs::write(folder.join(".clang-format"), "BasedOnStyle: LLVM\nIndentWidth: 3\n")
        .expect("a file can be written");
    let uri = format!("file://{}/main.slang", folder.display());
    let text = "float f(float x)\n{\n  if(x > 0)\n    return x;\n\n\n  return -x;\n}\n";
    let mut client = open("");
    client.notify(
        "textDocument/didOpen",
        json!({"textDocument": {"uri": uri, "languageId": "slang", "version": 1, "text": text}}),
    );
    let options = json!({"tabSize": 4, "insertSpaces": true});
    let edits = client.request("textDocument/formatting", json!({"textDocument": {"uri": uri}, "options": options}));
    let wanted = "float f(float x) {\n   if (x > 0)\n      return x;\n\n   return -x;\n}\n";
    assert_eq!(apply(text, &edits), wanted);
    std::fs::remove_dir_all(&folder).expect("the folder can be removed");
}

#[test]
fn a_derivative_shows_its_own_signature_whatever_the_arguments() {
    let text = "[Differentiable] float soft(float distance, float radius) { return distance * radius; }\nvoid f()\n{\n    var a = diffPair(1.0);\n    bwd_diff(soft)(a);\n    bwd_diff(soft)(a, a, 1.0, 2.0, 3.0);\n    bwd_diff(soft)(\n}\n";
    let mut client = open(text);
    for (needle, offset) in [("(a);", 1), ("2.0, 3.0", 7), ("(\n}", 1)] {
        let mut params = at(text, needle);
        params["position"]["character"] = json!(params["position"]["character"].as_u64().unwrap_or(0) + offset);
        let help = client.request("textDocument/signatureHelp", params);
        let label = help["signatures"][0]["label"].as_str().unwrap_or_default();
        assert!(label.contains("bwd_diff(soft)(inout DifferentialPair<float> distance"), "{needle}: {help}");
    }
}

#[test]
fn a_project_is_configured_by_its_file_and_found_in_its_python_environment() {
    let folder = std::env::temp_dir().join(format!("slang-analyzer-project-{}", std::process::id()));
    let package = folder.join(".venv/lib/python3.12/site-packages/slangpy/slang");
    std::fs::create_dir_all(&package).expect("a folder can be made");
    std::fs::create_dir_all(folder.join("shaders")).expect("a folder can be made");
    let write = |path: &str, text: &str| std::fs::write(folder.join(path), text).expect("a file can be written");
    write(".venv/lib/python3.12/site-packages/slangpy/slang/slangpy.slang", "public float of_python() { return 1; }\n");
    write("shaders/helpers.h", "#define HELPER 2.0\n");
    write(
        "slangdconfig.json",
        r#"{"slang.predefinedMacros": ["WIDTH=4"], "slang.additionalSearchPaths": ["shaders"], "slang.searchInAllWorkspaceDirectories": false}"#,
    );
    let mut client = LspClient::start(&server(), &folder);
    let uri = format!("file://{}/main.slang", folder.display());
    let text = "#include \"helpers.h\"\nimport slangpy;\nfloat f() { return of_python() * WIDTH + HELPER; }\n";
    client.open(&uri, text);
    assert_eq!(client.diagnostics(&uri, 1), Vec::<Value>::new());
    write("slangdconfig.json", r#"{"slang.additionalSearchPaths": ["shaders"]}"#);
    let changed = json!([{"uri": format!("file://{}/slangdconfig.json", folder.display()), "type": 2}]);
    client.notify("workspace/didChangeWatchedFiles", json!({"changes": changed}));
    let found = client.wait_for_diagnostics(&uri, |found| !found.is_empty());
    assert!(found[0]["message"].as_str().is_some_and(|message| message.contains("WIDTH")), "{found:?}");
    std::fs::remove_dir_all(&folder).expect("the folder can be removed");
}

#[test]
fn errors_in_included_files_are_shown_there() {
    let header = "file:///session/header.h";
    let mut client = LspClient::start(&server(), &root().join("fixtures/constructs"));
    let header_text = "float first() { return 1; }\nfloat second() { return missing; }\nfloat third( { }\n";
    client.open(header, header_text);
    client.open(URI, "\n\n\n#include \"header.h\"\nfloat f() { return first(); }\n");
    assert_eq!(client.diagnostics(URI, 1), Vec::<Value>::new());
    client.notify("textDocument/didClose", json!({"textDocument": {"uri": header}}));
    let mut other = LspClient::start(&server(), &root().join("fixtures/constructs"));
    let folder = std::env::temp_dir().join(format!("slang-analyzer-include-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder can be made");
    let path = folder.join("header.h");
    std::fs::write(&path, header_text).expect("a file can be written");
    let (uri, header) = (format!("file://{}/main.slang", folder.display()), format!("file://{}", path.display()));
    // The header is not open: the client shows what is said about it all the same.
    other.open(&uri, "\n\n\n#include \"header.h\"\nfloat f() { return first(); }\n");
    let lines = |found: &[Value]| -> Vec<u64> {
        found.iter().filter_map(|problem| problem["range"]["start"]["line"].as_u64()).collect()
    };
    let found = other.wait_for_diagnostics(&header, |found| !found.is_empty());
    assert_eq!(lines(&found).first(), Some(&1), "{found:?}");
    assert!(lines(&found).contains(&2), "{found:?}");
    std::fs::write(&path, "float first() { return 1; }\n").expect("a file can be written");
    other.notify("workspace/didChangeWatchedFiles", json!({"changes": [{"uri": header, "type": 2}]}));
    assert_eq!(other.wait_for_diagnostics(&header, <[Value]>::is_empty), Vec::<Value>::new());
    std::fs::remove_dir_all(&folder).expect("the folder can be removed");
}

fn code_actions(client: &mut LspClient, text: &str, needle: &str, only: Option<&[&str]>) -> Vec<Value> {
    let at = position(text, needle);
    let mut context = json!({"diagnostics": []});
    if let Some(only) = only {
        context["only"] = json!(only);
    }
    let params = json!({"textDocument": {"uri": URI}, "range": {"start": at, "end": at}, "context": context});
    client.request("textDocument/codeAction", params).as_array().cloned().unwrap_or_default()
}

#[test]
fn only_the_kinds_that_are_asked_for_are_offered() {
    let text = "struct La { float x; }\nfloat f(float x) { let y = x; let unused = 1; return y; }\n";
    let mut client = open(text);
    let kinds = |actions: Vec<Value>| -> Vec<String> {
        let mut kinds: Vec<String> =
            actions.iter().filter_map(|action| action["kind"].as_str().map(str::to_owned)).collect();
        kinds.sort();
        kinds.dedup();
        kinds
    };
    for (needle, only, wanted) in [
        ("y = x", Some(["refactor.inline"].as_slice()), ["refactor.inline"].as_slice()),
        ("y = x", Some(&["refactor"]), &["refactor.inline"]),
        ("y = x", Some(&["refactor.extract"]), &[]),
        ("y = x", Some(&["quickfix"]), &[]),
        ("unused", Some(&["quickfix"]), &["quickfix"]),
        ("La", Some(&["refactor.rewrite", "source.fixAll"]), &["refactor.rewrite"]),
    ] {
        assert_eq!(kinds(code_actions(&mut client, text, needle, only)), wanted, "{needle} {only:?}");
    }
}

#[test]
fn inserted_lines_end_as_those_of_the_file() {
    let text = "struct La\r\n{\r\n    float x;\r\n}\r\n";
    let mut client = open(text);
    let actions = code_actions(&mut client, text, "La", None);
    let written = actions.iter().find(|action| action["kind"] == "refactor.rewrite").expect("a constructor is offered");
    let edits = written["edit"]["changes"][URI].clone();
    assert_eq!(
        apply(text, &edits),
        "struct La\r\n{\r\n    float x;\r\n    __init(float x)\r\n    {\r\n        this.x = x;\r\n    }\r\n}\r\n"
    );
}

#[test]
fn a_document_has_one_name() {
    let text = "float weight;\nfloat f() { return weight; }\n";
    let mut client = open(text);
    client.open("file:///session/sub/../other.slang", "float g() { return 1; }\nfloat h() { return g(); }\n");
    let other = json!({"uri": "file:///session/other.slang"});
    let params = json!({"textDocument": other, "position": {"line": 0, "character": 6}, "context": {"includeDeclaration": true}});
    let places = client.request("textDocument/references", params);
    let uris: Vec<&str> = places.as_array().into_iter().flatten().filter_map(|place| place["uri"].as_str()).collect();
    assert_eq!(uris, ["file:///session/other.slang", "file:///session/other.slang"]);
}
