//! Sessions about files that nobody opened: those of the workspace folders, and what happens to them on disk.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use serde_json::{Value, json};
use test_support::lsp_client::LspClient;
use whole_program_tests::server;

/// A folder of files that goes when the test ends.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str, files: &[(&str, &str)]) -> Folder {
        let folder = Folder(std::env::temp_dir().join(format!("slang-analyzer-{name}-{}", std::process::id())));
        std::fs::create_dir_all(&folder.0).expect("a folder can be made");
        for (path, text) in files {
            folder.write(path, text);
        }
        folder
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.0.join(path);
        std::fs::create_dir_all(path.parent().expect("it is in the folder")).expect("a folder can be made");
        std::fs::write(path, text).expect("a file can be written");
    }

    fn uri(&self, path: &str) -> String {
        format!("file://{}", self.0.join(path).display())
    }

    /// Tells the server that something happened to files, as an editor that watches them does.
    fn changed(&self, client: &mut LspClient, paths: &[(&str, u32)]) {
        let changes: Vec<Value> =
            paths.iter().map(|(path, kind)| json!({"uri": self.uri(path), "type": kind})).collect();
        client.notify("workspace/didChangeWatchedFiles", json!({"changes": changes}));
    }

    /// The new texts of all files that edits change, by their paths in the folder.
    fn edited(&self, edits: &Value) -> BTreeMap<String, String> {
        let changes = edits["changes"].as_object().expect("changes by document");
        let edited = changes.iter().map(|(uri, edits)| {
            let path = uri.strip_prefix(&self.uri("")).expect("it is in the folder").to_owned();
            let text = std::fs::read_to_string(self.0.join(&path)).expect("the file is there");
            (path, apply(&text, edits))
        });
        edited.collect()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn apply(text: &str, edits: &Value) -> String {
    let mut lines: Vec<String> = text.split('\n').map(str::to_owned).collect();
    let mut edits: Vec<&Value> = edits.as_array().expect("a list").iter().collect();
    let place = |edit: &Value, end: &str| {
        let at = &edit["range"][end];
        (at["line"].as_u64().expect("a line") as usize, at["character"].as_u64().expect("a column") as usize)
    };
    edits.sort_by_key(|edit| std::cmp::Reverse(place(edit, "start")));
    for edit in edits {
        let ((line, start), (end_line, end)) = (place(edit, "start"), place(edit, "end"));
        assert_eq!(line, end_line);
        lines[line].replace_range(start..end, edit["newText"].as_str().expect("a text"));
    }
    lines.join("\n")
}

fn start(folder: &Path) -> LspClient {
    LspClient::start(&server(), folder)
}

/// The position of a text in a file that the folder holds.
fn at(folder: &Folder, path: &str, needle: &str) -> Value {
    let text = std::fs::read_to_string(folder.0.join(path)).expect("the file is there");
    let offset = text.find(needle).expect("the text is there");
    let line = text[..offset].matches('\n').count();
    let character = offset - text[..offset].rfind('\n').map_or(0, |newline| newline + 1);
    json!({"textDocument": {"uri": folder.uri(path)}, "position": {"line": line, "character": character}})
}

fn open(client: &mut LspClient, folder: &Folder, path: &str) {
    let text = std::fs::read_to_string(folder.0.join(path)).expect("the file is there");
    client.open(&folder.uri(path), &text);
}

fn rename(client: &mut LspClient, folder: &Folder, path: &str, needle: &str, to: &str) -> BTreeMap<String, String> {
    let mut params = at(folder, path, needle);
    params["newName"] = json!(to);
    folder.edited(&client.request("textDocument/rename", params))
}

fn symbols(client: &mut LspClient, query: &str) -> Vec<String> {
    let found = client.request("workspace/symbol", json!({"query": query}));
    let names =
        found.as_array().expect("a list").iter().map(|symbol| symbol["name"].as_str().unwrap_or("?").to_owned());
    names.collect()
}

const DEEP: &str = "a/b/c/d/e/f/g/h/i/j/k/user.slang";

#[test]
fn rename_reaches_files_that_nobody_opened() {
    let user = "import camera;\nfloat far() { return load_camera(2.0).focal; }\n// load_camera\n";
    let folder = Folder::new(
        "rename",
        &[
            (
                "shaders/camera.slang",
                "public struct Camera { public float focal; }\npublic Camera load_camera(float x) { return { x }; }\n",
            ),
            (DEEP, user),
            ("build/user.slang", user),
            ("other.slang", "float load_camera() { return 1; }\n"),
        ],
    );
    let mut client = start(&folder.0);
    open(&mut client, &folder, DEEP);
    let renamed = "import camera;\nfloat far() { return fetch(2.0).focal; }\n// load_camera\n";
    let edited = rename(&mut client, &folder, DEEP, "load_camera", "fetch");
    let paths: Vec<&str> = edited.keys().map(String::as_str).collect();
    assert_eq!(paths, [DEEP, "build/user.slang", "shaders/camera.slang"]);
    assert_eq!(edited[DEEP], renamed);
    assert_eq!(edited["build/user.slang"], renamed);
    assert!(edited["shaders/camera.slang"].contains("public Camera fetch(float x)"), "{edited:?}");
    // From the other end, and of a member.
    let edited = rename(&mut client, &folder, "shaders/camera.slang", "focal", "length");
    assert_eq!(edited.len(), 3, "{edited:?}");
    let references = json!({"context": {"includeDeclaration": false}});
    let mut params = at(&folder, "shaders/camera.slang", "load_camera");
    params["context"] = references["context"].clone();
    assert_eq!(client.request("textDocument/references", params).as_array().map(Vec::len), Some(2));
}

#[test]
fn names_of_several_parts_and_with_arguments_are_renamed() {
    let library = "public namespace outer { public namespace inner { public float deep() { return 1; } } public struct Box<T> { public T t; public static float zero() { return 0; } } }\n";
    let user = "import library;\nusing namespace outer::inner;\nfloat f()\n{\n    outer::Box<float> a = { 1.0 };\n    outer.Box<outer.Box<float>> b = { a };\n    let c = outer::Box<float>(2.0);\n    return outer::inner::deep() + outer.inner.deep() + deep() + b.t.t + c.t + outer::Box<float>::zero();\n}\n";
    let part = "import library;\nnamespace outer { float more() { return inner::deep(); } }\nextension outer::Box<float> { float extended() { return t; } }\nfloat g() { return outer::more(); }\n";
    let stranger = "namespace outer { float deep() { return 1; } }\nfloat h() { return outer::deep(); }\n";
    let files = [("library.slang", library), ("user.slang", user), ("part.slang", part), ("stranger.slang", stranger)];
    let folder = Folder::new("parts", &files);
    let mut client = start(&folder.0);
    open(&mut client, &folder, "user.slang");
    for (needle, name) in
        [("deep()", "deep"), ("Box<", "Box"), ("inner {", "inner"), ("outer {", "outer"), ("zero()", "zero")]
    {
        let edited = rename(&mut client, &folder, "library.slang", needle, "renamed");
        for (path, text) in &files[..3] {
            let wanted = text.replace(name, "renamed");
            assert_eq!(edited.get(*path).map_or(*text, String::as_str), wanted, "{name} in {path}");
        }
        assert!(!edited.contains_key("stranger.slang"), "{edited:?}");
    }
    // The same from a use in the middle of a name.
    let edited = rename(&mut client, &folder, "user.slang", "inner::deep() +", "renamed");
    assert_eq!(edited["user.slang"], user.replace("inner", "renamed"));
}

#[test]
fn aliases_and_associated_types_are_renamed_and_not_what_they_stand_for() {
    let library = "public interface IShape { associatedtype Unit; Unit size(); }\npublic struct Disk : IShape { public typealias Unit = float; public Unit size() { return 2.0; } }\npublic typealias Round = Disk;\n";
    let user = "import library;\nDisk.Unit f(Round r) { Disk.Unit x = r.size(); return x; }\nT.Unit g<T : IShape>(T t) { return t.size(); }\nfloat h() { Round r = {}; let s = Round(); return g(r) + s.size(); }\n";
    let files = [("library.slang", library), ("user.slang", user)];
    let folder = Folder::new("aliases", &files);
    let mut client = start(&folder.0);
    for name in ["Unit", "Round", "Disk"] {
        let edited = rename(&mut client, &folder, "library.slang", name, "Renamed");
        for (path, text) in files {
            assert_eq!(edited[path], text.replace(name, "Renamed"), "{name} in {path}");
        }
    }
}

#[test]
fn a_header_is_renamed_with_all_that_include_it() {
    let user = "#include \"shapes.slangh\"\nfloat f(Disk d) { return area(d) + d.radius; }\n";
    let header = "struct Disk { float radius; }\nfloat area(Disk d) { return d.radius * scale(d.radius); }\n";
    let folder = Folder::new(
        "header",
        &[
            ("shapes.slangh", header),
            ("first.slang", &format!("float scale(float x) {{ return x; }}\n{user}")),
            ("second.slang", &format!("float scale(float x) {{ return 2.0 * x; }}\n{user}")),
        ],
    );
    let mut client = start(&folder.0);
    open(&mut client, &folder, "first.slang");
    for (path, needle) in [("first.slang", "area"), ("shapes.slangh", "area"), ("second.slang", "area")] {
        let edited = rename(&mut client, &folder, path, needle, "surface");
        assert_eq!(edited.len(), 3, "from {path}: {edited:?}");
        assert!(edited["shapes.slangh"].contains("float surface(Disk d)"), "{edited:?}");
        assert!(edited["second.slang"].contains("return surface(d)"), "{edited:?}");
    }
    let edited = rename(&mut client, &folder, "second.slang", "radius", "r");
    assert_eq!(edited["shapes.slangh"], header.replace("radius", "r"));
    // What the header only sees through those that include it: each declares its own, and the header means both.
    let edited = rename(&mut client, &folder, "shapes.slangh", "scale", "factor");
    assert_eq!(edited.len(), 3, "{edited:?}");
}

/// The reason why a rename is refused.
fn refusal(client: &mut LspClient, folder: &Folder, path: &str, needle: &str, to: &str) -> String {
    let mut params = at(folder, path, needle);
    params["newName"] = json!(to);
    let error = client.request_error("textDocument/rename", params);
    error["message"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn a_rename_that_would_be_incomplete_or_change_meanings_is_refused_with_the_place() {
    let library = "public struct Lamp { public float power; float twice() { return 2.0 * power; } }\npublic float glow(Lamp lamp) { return lamp.power; }\npublic float dim(Lamp lamp) { return 0.5 * glow(lamp); }\npublic struct Torch { float light; }\n";
    let folder = Folder::new(
        "refused",
        &[
            ("library.slang", library),
            ("excluded.slang", "import library;\n#if FAST\nfloat a(Lamp l) { return glow(l); }\n#endif\n"),
            (
                "macro.slang",
                "import library;\n#define POWER(l) \\\n    l.power\nfloat b(Lamp l) { return POWER(l); }\n",
            ),
            ("broken.slang", "import library;\nfloat c(Lamp l) { return nothing.dim(l); }\n"),
            (
                "user.slang",
                "import library;\nstatic float brightness = 1.0;\nfloat d(Lamp lamp, Torch torch) { float shade = lerp(0.0, 1.0, 0.5); return shade * brightness * lamp.power; }\n",
            ),
            // Nothing here means what the others declare.
            ("stranger.slang", "#define GLOW glow\n#if FAST\nfloat glow;\n#endif\nfloat dim, Lamp;\n"),
        ],
    );
    let mut client = start(&folder.0);
    for (path, needle, to, reasons) in [
        ("library.slang", "glow(Lamp", "shine", ["condition", "excluded.slang:3"]),
        ("library.slang", "power;", "strength", ["macro", "macro.slang:3"]),
        ("library.slang", "dim(Lamp", "shadow", ["error", "broken.slang:2"]),
        ("library.slang", "Torch {", "lerp", ["mean", "user.slang:3"]),
        ("library.slang", "Torch {", "brightness", ["mean", "user.slang:3"]),
        ("user.slang", "shade =", "brightness", ["mean", "user.slang:3"]),
        ("user.slang", "brightness =", "shade", ["local variable", "user.slang:3"]),
    ] {
        let refused = refusal(&mut client, &folder, path, needle, to);
        assert!(reasons.iter().all(|reason| refused.contains(reason)), "{needle} to {to}: {refused}");
    }
    // What is in the way of one is not in the way of others.
    assert_eq!(rename(&mut client, &folder, "library.slang", "twice", "brightness").len(), 1);
    assert_eq!(rename(&mut client, &folder, "user.slang", "shade =", "power").len(), 1);
    assert_eq!(rename(&mut client, &folder, "user.slang", "brightness =", "power").len(), 1);
}

#[test]
fn what_happens_on_disk_is_seen() {
    let folder = Folder::new(
        "disk",
        &[("library.slang", "public float one() { return 1.0; }\n"), ("sub/other.slang", "float of_other;\n")],
    );
    let mut client = start(&folder.0);
    folder.write("main.slang", "import library;\nfloat f() { return one() + two(); }\n");
    open(&mut client, &folder, "main.slang");
    let main = folder.uri("main.slang");
    let found = client.wait_for_diagnostics(&main, |found| !found.is_empty());
    assert!(found[0]["message"].as_str().is_some_and(|message| message.contains("two")), "{found:?}");
    // Changed.
    folder.write("library.slang", "public float one() { return 1.0; }\npublic float two() { return 2.0; }\n");
    folder.changed(&mut client, &[("library.slang", 2)]);
    assert_eq!(client.wait_for_diagnostics(&main, <[Value]>::is_empty), Vec::<Value>::new());
    // Created, in a new folder.
    folder.write("new/deep/created.slang", "float of_created;\n");
    folder.changed(&mut client, &[("new/deep/created.slang", 1)]);
    assert_eq!(symbols(&mut client, "of_created"), ["of_created"]);
    // Renamed, with its folder, as an editor tells that does not watch folders.
    std::fs::rename(folder.0.join("new"), folder.0.join("newer")).expect("a folder can be renamed");
    let files = json!({"files": [{"oldUri": folder.uri("new"), "newUri": folder.uri("newer")}]});
    client.notify("workspace/didRenameFiles", files);
    let found = client.request("workspace/symbol", json!({"query": "of_created"}));
    assert_eq!(found.as_array().map(Vec::len), Some(1), "{found}");
    assert_eq!(found[0]["location"]["uri"], folder.uri("newer/deep/created.slang"));
    // Deleted.
    std::fs::remove_file(folder.0.join("sub/other.slang")).expect("a file can be removed");
    std::fs::remove_file(folder.0.join("library.slang")).expect("a file can be removed");
    folder.changed(&mut client, &[("sub/other.slang", 3), ("library.slang", 3)]);
    assert_eq!(symbols(&mut client, "of_other"), Vec::<String>::new());
    assert!(!client.wait_for_diagnostics(&main, |found| !found.is_empty()).is_empty());
    // And there again.
    folder.write("library.slang", "public float one() { return 1.0; }\npublic float two() { return 2.0; }\n");
    folder.changed(&mut client, &[("library.slang", 1)]);
    assert_eq!(client.wait_for_diagnostics(&main, <[Value]>::is_empty), Vec::<Value>::new());
}

/// What a server says that is asked about the whole workspace, and about the files that `main.slang` could include.
fn known(client: &mut LspClient, folder: &Folder) -> (Vec<String>, Vec<String>) {
    let mut names = symbols(client, "");
    names.sort();
    let place = json!({"textDocument": {"uri": folder.uri("main.slang")}, "position": {"line": 0, "character": 10}});
    let found = client.request("textDocument/completion", place);
    let labels = found["items"].as_array().into_iter().flatten().map(|item| item["label"].as_str().unwrap_or("?"));
    let mut labels: Vec<String> = labels.map(str::to_owned).collect();
    labels.sort();
    (names, labels)
}

/// However files came to say what they say: what a server answers is what one answers that was never told otherwise.
#[test]
fn a_server_knows_what_a_fresh_one_would() {
    const PLAIN: &str = "float of_user() { return 1; }\n";
    const INCLUDING: &str = "#include \"h.h\"\nfloat of_user() { return of_header(); }\n";
    let header = "#include \"below.h\"\nstatic float of_header() { return 1; }\n#define OF_HEADER 1\n";
    let files = [
        ("main.slang", "#include \"\"\n"),
        ("user.slang", PLAIN),
        ("open.slang", PLAIN),
        ("h.h", header),
        ("below.h", "static float of_below;\n"),
    ];
    let folder = Folder::new("fresh", &files);
    let mut shown: BTreeMap<&str, String> = BTreeMap::new();
    let mut client = start(&folder.0);
    for path in ["main.slang", "open.slang"] {
        open(&mut client, &folder, path);
        shown.insert(path, files.iter().find(|(of, _)| *of == path).expect("it is one of them").1.to_owned());
    }
    type Step = fn(&Folder, &mut LspClient, &mut BTreeMap<&str, String>);
    let on_disk: [(&str, Step); 9] = [
        ("nothing", |_, _, _| {}),
        ("an include appears in a closed file", |folder, client, _| {
            folder.write("user.slang", INCLUDING);
            folder.changed(client, &[("user.slang", 2)]);
        }),
        ("and goes", |folder, client, _| {
            folder.write("user.slang", PLAIN);
            folder.changed(client, &[("user.slang", 2)]);
        }),
        ("an include appears in an open file", |folder, client, shown| {
            client.replace_all(&folder.uri("open.slang"), 2, INCLUDING);
            shown.insert("open.slang", INCLUDING.to_owned());
        }),
        ("and goes by an edit", |folder, client, shown| {
            client.edit(&folder.uri("open.slang"), 3, [0, 0], [1, 0], "");
            shown.insert("open.slang", INCLUDING.split_once('\n').expect("two lines").1.to_owned());
        }),
        ("an open file is deleted", |folder, client, _| {
            std::fs::remove_file(folder.0.join("open.slang")).expect("a file can be removed");
            folder.changed(client, &[("open.slang", 3)]);
        }),
        ("its text includes", |folder, client, shown| {
            client.replace_all(&folder.uri("open.slang"), 4, INCLUDING);
            shown.insert("open.slang", INCLUDING.to_owned());
        }),
        ("it is there again with another text", |folder, client, _| {
            folder.write("open.slang", PLAIN);
            folder.changed(client, &[("open.slang", 1)]);
        }),
        ("it is closed", |folder, client, shown| {
            client.notify("textDocument/didClose", json!({"textDocument": {"uri": folder.uri("open.slang")}}));
            shown.remove("open.slang");
        }),
    ];
    for (what, step) in on_disk {
        step(&folder, &mut client, &mut shown);
        let mut fresh = start(&folder.0);
        for (path, text) in &shown {
            fresh.open(&folder.uri(path), text);
        }
        assert_eq!(known(&mut client, &folder), known(&mut fresh, &folder), "{what}");
        fresh.shutdown();
    }
}

/// The search of the folders reads many files, and is not through when files appear, change and go.
#[test]
fn what_happens_while_folders_are_searched_is_seen() {
    let folder = Folder::new("searched", &[]);
    for number in 0..3_000 {
        folder.write(&format!("many/file_{number}.slang"), &format!("float of_many_{number}() {{ return 1.0; }}\n"));
    }
    folder.write("a/gone.slang", "float sought_gone;\n");
    folder.write("a/changed.slang", "float sought_before;\n");
    let mut client = start(&folder.0);
    std::thread::sleep(std::time::Duration::from_millis(20));
    std::fs::remove_file(folder.0.join("a/gone.slang")).expect("a file can be removed");
    folder.write("a/changed.slang", "float sought_after;\n");
    folder.write("a/created.slang", "float sought_created;\n");
    folder.changed(&mut client, &[("a/gone.slang", 3), ("a/changed.slang", 2), ("a/created.slang", 1)]);
    let mut found = symbols(&mut client, "sought");
    found.sort();
    assert_eq!(found, ["sought_after", "sought_created"]);
}

#[test]
fn what_is_ignored_or_excluded_is_no_part_of_the_workspace() {
    let folder = Folder::new(
        "excluded",
        &[
            (".gitignore", "ignored/\n"),
            ("slangdconfig.json", r#"{"slang-analyzer.workspace.exclude": ["out/**"]}"#),
            ("ignored/a.slang", "float sought_ignored;\n"),
            ("out/b.slang", "float sought_excluded;\n"),
            ("build/c.slang", "float sought_built;\n"),
            ("d.slang", "float sought_plain;\n"),
        ],
    );
    let mut client = start(&folder.0);
    assert_eq!(symbols(&mut client, "sought"), ["sought_built", "sought_plain"]);
    folder.write("ignored/e.slang", "float sought_later;\n");
    folder.changed(&mut client, &[("ignored/e.slang", 1)]);
    assert_eq!(symbols(&mut client, "sought"), ["sought_built", "sought_plain"]);
    folder.write(".gitignore", "build/\n");
    folder.changed(&mut client, &[(".gitignore", 2)]);
    assert_eq!(symbols(&mut client, "sought"), ["sought_later", "sought_plain", "sought_ignored"]);
}

#[test]
fn several_folders_are_one_workspace_and_what_they_import_may_lie_outside() {
    let outside = Folder::new("outside", &[("far.slang", "public float from_far() { return 1.0; }\n")]);
    let far = format!("import \"../{}/far\";\n", outside.0.file_name().expect("a name").to_string_lossy());
    let first = Folder::new("first", &[("a.slang", "public float shared_name() { return 1.0; }\n")]);
    let second = Folder::new(
        "second",
        &[("b.slang", &format!("{far}import a;\nfloat g() {{ return shared_name() + from_far(); }}\n"))],
    );
    let mut client = LspClient::spawn(&server(), &["lsp"]);
    client.initialize(&[&first.0, &second.0], json!({}));
    let mut params = at(&first, "a.slang", "shared_name");
    params["context"] = json!({"includeDeclaration": false});
    let found = client.request("textDocument/references", params);
    assert_eq!(found[0]["uri"], second.uri("b.slang"), "{found}");
    let found = client.request("textDocument/definition", at(&second, "b.slang", "from_far"));
    assert_eq!(found[0]["uri"], outside.uri("far.slang"), "{found}");
    let refused = refusal(&mut client, &second, "b.slang", "from_far", "near");
    assert!(refused.contains("far.slang, which is not a file of the workspace"), "{refused}");
    // A folder that goes takes its files along.
    let event = json!({"added": [], "removed": [{"uri": second.uri(""), "name": "second"}]});
    client.notify("workspace/didChangeWorkspaceFolders", json!({"event": event}));
    let mut params = at(&first, "a.slang", "shared_name");
    params["context"] = json!({"includeDeclaration": false});
    assert_eq!(client.request("textDocument/references", params), json!([]));
}

#[test]
fn the_client_sees_how_far_the_index_is_and_asks_again_after_changes_on_disk() {
    let folder =
        Folder::new("progress", &[("a.slang", "import b;\nfloat f() { return missing(); }\n"), ("b.slang", "")]);
    let mut client = LspClient::spawn(&server(), &["lsp"]);
    let refresh = json!({"refreshSupport": true});
    let workspace =
        json!({"diagnostics": refresh, "semanticTokens": refresh, "inlayHint": refresh, "codeLens": refresh});
    let capabilities = json!({
        "window": {"workDoneProgress": true},
        "workspace": workspace,
        "textDocument": {"diagnostic": {}},
    });
    client.initialize(&[&folder.0], capabilities);
    for kind in ["begin", "end"] {
        client.wait_for(|message| message["method"] == "$/progress" && message["params"]["value"]["kind"] == kind);
    }
    open(&mut client, &folder, "a.slang");
    let pull = json!({"textDocument": {"uri": folder.uri("a.slang")}});
    assert_eq!(client.request("textDocument/diagnostic", pull.clone())["items"].as_array().map(Vec::len), Some(1));
    client.asked.clear();
    folder.write("b.slang", "public float missing() { return 1.0; }\n");
    folder.changed(&mut client, &[("b.slang", 2)]);
    while client.asked.len() < 4 {
        assert_eq!(client.request("textDocument/diagnostic", pull.clone())["items"], json!([]));
    }
    let asked = [
        "workspace/diagnostic/refresh",
        "workspace/semanticTokens/refresh",
        "workspace/inlayHint/refresh",
        "workspace/codeLens/refresh",
    ];
    assert_eq!(client.asked, asked);
}

#[cfg(unix)]
#[test]
fn links_in_circles_and_many_other_files_do_not_hinder() {
    let folder = Folder::new("many", &[("sub/a.slang", "float in_sub;\n")]);
    std::os::unix::fs::symlink(&folder.0, folder.0.join("sub/circle")).expect("a link can be made");
    for number in 0..5000 {
        folder.write(&format!("data/{number}.bin"), "");
    }
    let mut client = start(&folder.0);
    assert_eq!(symbols(&mut client, "in_sub"), ["in_sub"]);
}

/// A folder of a module with a fragment and a header, which are right where they belong and nowhere else.
fn module_with_parts(name: &str) -> Folder {
    Folder::new(
        name,
        &[
            (
                "module.slang",
                "module parts;\n__include fragment;\n#define UNIT 2.0\n#include \"header.slangh\"\nfloat whole() { return part() + in_header(); }\n",
            ),
            (
                "fragment.slang",
                "implementing parts;\nfloat part() { return of_module(); }\nfloat of_module() { return UNIT2; }\nstatic const float UNIT2 = 2.0;\n",
            ),
            ("header.slangh", "float in_header() { return UNIT; }\n"),
            ("included.slang", "float also() { return UNIT; }\n"),
            ("second.slang", "#define UNIT 3.0\n#include \"included.slang\"\n"),
            ("dependency.slang", "public float given() { return lost; }\n"),
            ("stranger.slang", "float f() { return missing; }\n"),
            ("main.slang", "import dependency;\nfloat main_of() { return given(); }\n"),
        ],
    )
}

/// The names of the files that reports are about, with how many diagnostics each has.
fn reported(folder: &Folder, reports: &[Value]) -> BTreeMap<String, Option<usize>> {
    let named = reports.iter().map(|report| {
        let uri = report["uri"].as_str().expect("a document");
        let path = uri.strip_prefix(&folder.uri("")).expect("it is in the folder");
        (path.to_owned(), report["items"].as_array().map(Vec::len))
    });
    named.collect()
}

#[test]
fn a_client_pulls_the_diagnostics_of_the_whole_workspace() {
    let folder = module_with_parts("pull");
    folder.write("slangdconfig.json", r#"{"slang-analyzer.diagnostics.scope": "workspace"}"#);
    let mut client = LspClient::spawn(&server(), &["lsp"]);
    client.initialize(&[&folder.0], json!({"textDocument": {"diagnostic": {}}}));
    assert_eq!(client.initialize_result["capabilities"]["diagnosticProvider"]["workspaceDiagnostics"], true);
    let first = client.request("workspace/diagnostic", json!({"previousResultIds": []}));
    let first = first["items"].as_array().cloned().expect("reports");
    let wrong: BTreeMap<String, Option<usize>> =
        [("dependency.slang".into(), Some(1)), ("stranger.slang".into(), Some(1))].into();
    assert_eq!(reported(&folder, &first), wrong);
    let known: Vec<Value> =
        first.iter().map(|report| json!({"uri": report["uri"], "value": report["resultId"]})).collect();
    let again = client.request("workspace/diagnostic", json!({"previousResultIds": known}));
    let again = again["items"].as_array().cloned().expect("reports");
    assert!(again.len() == 2 && again.iter().all(|report| report["kind"] == "unchanged"), "{again:?}");
    // One is mended, one goes.
    folder.write("dependency.slang", "public float given() { return 1.0; }\n");
    std::fs::remove_file(folder.0.join("stranger.slang")).expect("a file can be removed");
    folder.changed(&mut client, &[("dependency.slang", 2), ("stranger.slang", 3)]);
    let id = client.post("workspace/diagnostic", json!({"previousResultIds": known, "partialResultToken": "parts"}));
    let part = client.wait_for(|message| message["method"] == "$/progress" && message["params"]["token"] == "parts");
    let items = part["params"]["value"]["items"].as_array().cloned().expect("reports");
    let mended: BTreeMap<String, Option<usize>> = wrong.keys().map(|path| (path.clone(), Some(0))).collect();
    assert_eq!(reported(&folder, &items), mended);
    assert_eq!(client.answer(id)["result"]["items"], json!([]));
    // What is open is pulled on its own, and is unchanged as long as it is.
    open(&mut client, &folder, "main.slang");
    let pulled = client.request("textDocument/diagnostic", json!({"textDocument": {"uri": folder.uri("main.slang")}}));
    assert_eq!(pulled["items"], json!([]));
    let document = json!({"uri": folder.uri("main.slang")});
    let pulled = client
        .request("textDocument/diagnostic", json!({"textDocument": document, "previousResultId": pulled["resultId"]}));
    assert_eq!(pulled["kind"], "unchanged");
}

#[test]
fn what_open_files_import_shows_its_errors_and_what_is_nobodys_does_not() {
    let folder = module_with_parts("push");
    let mut client = start(&folder.0);
    open(&mut client, &folder, "main.slang");
    let (dependency, stranger) = (folder.uri("dependency.slang"), folder.uri("stranger.slang"));
    let found = client.wait_for_diagnostics(&dependency, |found| !found.is_empty());
    assert!(found[0]["message"].as_str().is_some_and(|message| message.contains("lost")), "{found:?}");
    // Parts show what is wrong with them where they belong.
    for path in ["fragment.slang", "header.slangh", "included.slang"] {
        open(&mut client, &folder, path);
        assert_eq!(client.diagnostics(&folder.uri(path), 1), Vec::<Value>::new(), "{path}");
    }
    client.replace_all(&folder.uri("header.slangh"), 2, "float in_header() { return UNIT + nowhere; }\n");
    let found = client.diagnostics(&folder.uri("header.slangh"), 2);
    assert!(found.len() == 1 && found[0]["message"].as_str().is_some_and(|text| text.contains("nowhere")), "{found:?}");
    // The setting shows the others.
    folder.write("slangdconfig.json", r#"{"slang-analyzer.diagnostics.scope": "workspace"}"#);
    folder.changed(&mut client, &[("slangdconfig.json", 1)]);
    assert_eq!(client.wait_for_diagnostics(&stranger, |found| !found.is_empty()).len(), 1);
    std::fs::remove_file(folder.0.join("slangdconfig.json")).expect("a file can be removed");
    folder.changed(&mut client, &[("slangdconfig.json", 3)]);
    assert_eq!(client.wait_for_diagnostics(&stranger, <[Value]>::is_empty), Vec::<Value>::new());
}

#[test]
fn imports_follow_files_that_the_editor_renames() {
    let folder = Folder::new(
        "moved",
        &[
            ("lib/noise.slang", "module noise;\npublic float noise(float x) { return x; }\n"),
            ("lib/common.slangh", "float common(float x) { return x; }\n"),
            (
                "main.slang",
                "import lib.noise;\n#include \"lib/common.slangh\"\nfloat f() { return noise(common(1.0)); }\n",
            ),
            ("closed.slang", "import lib.noise;\n"),
            ("other.slang", "float other() { return 1.0; }\n"),
        ],
    );
    let mut client = start(&folder.0);
    let registered = &client.initialize_result["capabilities"]["workspace"]["fileOperations"]["willRename"]["filters"];
    assert!(registered.as_array().is_some_and(|filters| !filters.is_empty()), "{registered}");
    open(&mut client, &folder, "main.slang");
    let renamed = |client: &mut LspClient, from: &str, to: &str| {
        let files = json!({"files": [{"oldUri": folder.uri(from), "newUri": folder.uri(to)}]});
        let edits = client.request("workspace/willRenameFiles", files);
        if edits.is_null() { BTreeMap::new() } else { folder.edited(&edits) }
    };
    let main = |module: &str, header: &str| {
        format!("import {module};\n#include \"{header}\"\nfloat f() {{ return noise(common(1.0)); }}\n")
    };
    let expected = |files: &[(&str, String)]| -> BTreeMap<String, String> {
        files.iter().map(|(path, text)| ((*path).to_owned(), text.clone())).collect()
    };
    assert_eq!(
        renamed(&mut client, "lib/noise.slang", "lib/simplex.slang"),
        expected(&[
            ("main.slang", main("lib.simplex", "lib/common.slangh")),
            ("closed.slang", "import lib.simplex;\n".to_owned())
        ])
    );
    assert_eq!(
        renamed(&mut client, "lib/common.slangh", "common.slangh"),
        expected(&[("main.slang", main("lib.noise", "common.slangh"))])
    );
    // A folder with all that is in it.
    assert_eq!(
        renamed(&mut client, "lib", "shared"),
        expected(&[
            ("main.slang", main("shared.noise", "shared/common.slangh")),
            ("closed.slang", "import shared.noise;\n".to_owned())
        ])
    );
    // What nobody names changes nothing, and neither does what is not there.
    assert_eq!(renamed(&mut client, "other.slang", "another.slang"), BTreeMap::new());
    assert_eq!(renamed(&mut client, "missing.slang", "found.slang"), BTreeMap::new());
    assert_eq!(client.shutdown(), Some(0));
}

/// The kinds and titles of code actions for a whole file, and the file after the first of them.
fn actions(client: &mut LspClient, folder: &Folder, path: &str, only: &str) -> (Vec<(String, String)>, Option<String>) {
    let whole = json!({"start": {"line": 0, "character": 0}, "end": {"line": 1000, "character": 0}});
    let params = json!({
        "textDocument": {"uri": folder.uri(path)},
        "range": whole,
        "context": {"diagnostics": [], "only": [only]},
    });
    let found = client.request("textDocument/codeAction", params);
    let found = found.as_array().cloned().unwrap_or_default();
    let word = |action: &Value, key: &str| action[key].as_str().unwrap_or_default().to_owned();
    let named = found.iter().map(|action| (word(action, "kind"), word(action, "title"))).collect();
    let edited = found.first().and_then(|action| folder.edited(&action["edit"]).remove(path));
    (named, edited)
}

#[test]
fn all_that_has_one_answer_is_fixed_on_request() {
    let text = "\
[Differentable] float f(float x) { return x; }
float plain(float x) { return x; }
[Differentiable] float g(float x, int n) { while (n > 0) { x *= x; n--; } return plain(x) }
";
    let fixed = "\
[Differentiable] float f(float x) { return x; }
float plain(float x) { return x; }
[Differentiable] float g(float x, int n) { while (n > 0) { x *= x; n--; } return plain(x); }
";
    let folder = Folder::new("fix-all", &[("main.slang", text), ("clean.slang", "float f() { return 1.0; }\n")]);
    let mut client = start(&folder.0);
    let kinds = &client.initialize_result["capabilities"]["codeActionProvider"]["codeActionKinds"];
    assert!(kinds.as_array().is_some_and(|kinds| kinds.contains(&json!("source.fixAll"))), "{kinds}");
    for path in ["main.slang", "clean.slang"] {
        open(&mut client, &folder, path);
    }
    for asked in ["source.fixAll", "source"] {
        let (named, edited) = actions(&mut client, &folder, "main.slang", asked);
        assert_eq!(named, [("source.fixAll".to_owned(), "Fix all that has one answer".to_owned())], "{asked}");
        assert_eq!(edited.as_deref(), Some(fixed));
    }
    assert_eq!(actions(&mut client, &folder, "clean.slang", "source.fixAll"), (Vec::new(), None));
    // Nor is it offered where fixes of single places are.
    let (named, _) = actions(&mut client, &folder, "main.slang", "quickfix");
    assert!(!named.is_empty() && named.iter().all(|(kind, _)| kind == "quickfix"), "{named:?}");
    assert_eq!(client.shutdown(), Some(0));
}

#[test]
fn a_project_file_that_cannot_be_read_is_told_once() {
    let folder =
        Folder::new("project-file", &[("main.slang", "float f() { return 1.0; }\n"), ("slangdconfig.json", "{bad")]);
    let mut client = start(&folder.0);
    let told = |client: &mut LspClient| {
        let message = client.wait_for(|message| message["method"] == "window/showMessage");
        message["params"]["message"].as_str().unwrap_or_default().to_owned()
    };
    let first = told(&mut client);
    assert!(first.contains("slangdconfig.json is not read") && first.contains("line 1"), "{first}");
    // The same again says nothing; another mistake does.
    folder.changed(&mut client, &[("slangdconfig.json", 2)]);
    folder.write("slangdconfig.json", "[]");
    folder.changed(&mut client, &[("slangdconfig.json", 2)]);
    let second = told(&mut client);
    assert!(second.contains("it is not a JSON object"), "{second}");
    assert_eq!(client.shutdown(), Some(0));
}

#[test]
fn requests_without_parameters_take_an_empty_object() {
    let folder = Folder::new("empty-parameters", &[]);
    let mut client = start(&folder.0);
    for method in ["slang-analyzer/memory", "slang-analyzer/status"] {
        assert!(client.request(method, json!({})).is_object(), "{method}");
        assert!(client.request(method, Value::Null).is_object(), "{method}");
    }
    client.request("shutdown", json!({}));
    client.notify("exit", json!({}));
    assert_eq!(client.wait_for_exit(), Some(0));
}
