//! Whatever the input, parsing gives a tree with the same text and errors inside it, and never panics.

use std::fs;
use std::path::Path;

use diagnostics::{Severity, entry};
use fastrand::Rng;
use syntax::preprocess::{MacroEnv, NoFiles, expand};
use syntax::segment::{Segment, SegmentKind, segment};
use syntax::{SyntaxError, TextRange, TextSize, parse_file, parse_items};
use test_support::random_edit::random_edit;

fn fixtures() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("test_data");
    let mut fixtures: Vec<(String, String)> = fs::read_dir(folder)
        .expect("the fixtures are there")
        .map(|entry| entry.expect("the folder can be read").path())
        .map(|path| (path.display().to_string(), fs::read_to_string(&path).expect("a fixture is text")))
        .collect();
    fixtures.sort();
    fixtures
}

fn check(text: &str) {
    let parse = parse_file(text);
    assert_eq!(parse.syntax_node().text(), text);
    let whole = TextRange::up_to(TextSize::of(text));
    for error in &parse.errors {
        assert!(whole.contains_range(error.range), "{error:?} in {text:?}");
    }
}

fn check_segments(text: &str) {
    fn cover(segments: &[Segment], mut end: usize) -> usize {
        for segment in segments {
            assert_eq!(segment.header.start, end, "{segment:?}");
            end = cover(&segment.members, segment.header.end);
            assert_eq!(segment.body.start, end, "{segment:?}");
            end = segment.body.end;
        }
        end
    }
    assert_eq!(cover(&segment(text), 0), text.len(), "{text:?}");
}

/// Those that are no warnings.
fn errors(found: Vec<SyntaxError>) -> Vec<SyntaxError> {
    let is_error = |found: &SyntaxError| entry(found.code).is_some_and(|entry| entry.severity == Severity::Error);
    found.into_iter().filter(is_error).collect()
}

#[test]
fn fixtures_parse_without_errors() {
    for (name, text) in fixtures() {
        check(&text);
        check_segments(&text);
        let parse = parse_file(&text);
        if !name.ends_with("broken.slang") && !name.ends_with("macros.slang") {
            assert_eq!(errors(parse.errors), [], "{name}");
            assert_eq!(errors(parse_items(&text).errors), [], "{name} without segments");
        }
    }
}

#[test]
fn expanded_macros_parse_without_errors() {
    for (name, text) in fixtures() {
        let expanded = expand(&text, &MacroEnv::new([]), &NoFiles);
        if name.ends_with("macros.slang") {
            assert_eq!(expanded.diagnostics, []);
            assert_eq!(parse_file(expanded.text(&text)).errors, []);
        }
    }
}

/// The segments without their places.
fn shapes(segments: &[Segment], text: &str, out: &mut Vec<String>) {
    for segment in segments {
        out.push(format!("{:?} {:?}", segment.kind, &text[segment.header.clone()]));
        shapes(&segment.members, text, out);
        out.push(format!("{:?}", &text[segment.body.clone()]));
    }
}

#[test]
fn neighbouring_segments_cut_alone_are_the_same() {
    let mut rng = Rng::with_seed(6);
    for (name, text) in fixtures() {
        let segments = segment(&text);
        let local = |segment: &Segment| !segment.open_ended && segment.kind == SegmentKind::Item;
        for _ in 0..100 {
            let first = rng.usize(..segments.len());
            let last = rng.usize(first..segments.len());
            let window = &segments[first..=last];
            let neighbours_are_local = segments[first..(last + 2).min(segments.len())].iter().all(local);
            if !neighbours_are_local {
                continue;
            }
            let (mut expected, mut actual) = (Vec::new(), Vec::new());
            shapes(window, &text, &mut expected);
            let alone = &text[window[0].range().start..window[window.len() - 1].range().end];
            shapes(&segment(alone), alone, &mut actual);
            assert_eq!(actual, expected, "{name}");
        }
    }
}

#[test]
fn truncated_fixtures() {
    for (_, text) in fixtures() {
        let mut rng = Rng::with_seed(1);
        for _ in 0..60 {
            let end = text.floor_char_boundary(rng.usize(..=text.len()));
            check(&text[..end]);
        }
    }
}

#[test]
fn damaged_fixtures() {
    let mut rng = Rng::with_seed(2);
    for (_, text) in fixtures() {
        for _ in 0..60 {
            let mut damaged = text.clone();
            for _ in 0..rng.usize(1..6) {
                let (range, with) = random_edit(&damaged, &mut rng);
                damaged.replace_range(range, &with);
            }
            check(&damaged);
            check_segments(&damaged);
        }
    }
}

/// Tokens that bring the parser into trouble most easily.
const PIECES: &[&str] = &[
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    "<",
    ">",
    ";",
    ",",
    ":",
    "::",
    ".",
    "=",
    "=>",
    "->",
    "+",
    "-",
    "*",
    "&",
    "?",
    "!",
    "\"",
    "'",
    "/*",
    "*/",
    "//",
    "\n",
    " ",
    "#if 1\n",
    "#else\n",
    "#endif\n",
    "#define A(x) x##x\n",
    "\\\n",
    "struct ",
    "S ",
    "f",
    "(x)",
    "int ",
    "float x ",
    "let ",
    "if ",
    "for ",
    "switch ",
    "case ",
    "return ",
    "interface ",
    "namespace ",
    "extension ",
    "enum ",
    "property ",
    "get ",
    "__init",
    "__subscript",
    "operator",
    "where ",
    "__generic<",
    "A<B",
    "no_diff ",
    "fwd_diff(",
    "each ",
    "expand ",
    "sizeof(",
    "is ",
    "as ",
    "in ",
    "static ",
    "1.5e",
    "0x",
    "R\"(",
    "\u{e9}",
    "\u{1F600}",
    "\u{FEFF}",
    "$",
    "@",
    "typedef ",
    "import ",
    "cbuffer ",
    "func ",
    "void g() {",
    "\nvoid h()\n{\n",
];

#[test]
fn random_tokens() {
    let mut rng = Rng::with_seed(3);
    let mut text = String::new();
    for _ in 0..60_000 {
        text.clear();
        for _ in 0..rng.usize(1..24) {
            text.push_str(rng.choice(PIECES).unwrap_or(&""));
        }
        check(&text);
        check_segments(&text);
    }
}

#[test]
fn random_bytes() {
    let mut rng = Rng::with_seed(4);
    for _ in 0..40_000 {
        let bytes: Vec<u8> =
            (0..rng.usize(0..48)).map(|_| if rng.bool() { rng.u8(..) } else { rng.u8(32..127) }).collect();
        check(&String::from_utf8_lossy(&bytes));
    }
}

#[test]
fn random_tokens_preprocess() {
    let mut rng = Rng::with_seed(5);
    let pieces = [
        "A",
        "B",
        "(",
        ")",
        ",",
        "#",
        "##",
        "x",
        "\n",
        " ",
        "1",
        "\"",
        "\n#define A ",
        "\n#define B(x, ...) ",
        "\n#if ",
        "\n#elif ",
        "\n#else",
        "\n#endif",
        "\n#undef A",
        "defined",
        "&&",
        "-",
        "?",
        ":",
        "__VA_ARGS__",
        "__LINE__",
    ];
    let env = MacroEnv::new([]);
    let mut text = String::new();
    for _ in 0..20_000 {
        text.clear();
        for _ in 0..rng.usize(1..30) {
            text.push_str(rng.choice(pieces).unwrap_or(""));
        }
        let expanded = expand(&text, &env, &NoFiles);
        let result = expanded.text(&text);
        let whole = TextRange::up_to(TextSize::of(&*text));
        for diagnostic in &expanded.diagnostics {
            assert!(whole.contains_range(diagnostic.at), "{diagnostic:?} in {text:?}");
        }
        for offset in 0..=result.len() {
            let place = expanded.map.spelled(TextRange::empty(TextSize::new(offset as u32)));
            assert!(whole.contains_range(place.range), "{text:?}");
        }
        for offset in 0..=text.len() {
            if let Some(place) = expanded.map.expanded(TextSize::new(offset as u32)) {
                assert!(usize::from(place) <= result.len(), "{text:?}");
            }
        }
    }
}

#[test]
fn deep_nesting_and_long_chains() {
    let opening = [
        "(",
        "{",
        "[",
        "f(",
        "A<",
        "a[",
        "if (x) ",
        "-",
        "struct S {",
        "namespace n {",
        "x ? ",
        "(int)",
        "{ {",
        "(int x) => ",
        "for (;;) ",
        "A<B<",
        "a < ",
        "no_diff ",
        "x = ",
        "a.b<",
        "switch (x) { case 1: ",
        "[a(",
        "a::b<c,",
        "[x]\n",
        "a.\n",
        "}",
        "(a)",
        "f(a<b,",
    ];
    for piece in opening {
        let nested = piece.repeat(3_000);
        check(&nested);
        check(&format!("void f() {{ x = {nested}"));
        check(&format!("void f() {{ {nested}"));
    }
    for (first, next) in
        [("a", " + a"), ("a", ".b"), ("a", "[0]"), ("a", "()"), ("a", ", a"), ("a", " as T"), ("a", "++")]
    {
        check(&format!("int x = {first}{};", next.repeat(20_000)));
    }
    check(&format!("typealias T = a{};", "[1]".repeat(20_000)));
    check(&format!("typealias T = a{};", "::b".repeat(20_000)));
    check(&format!("void f() {{ {} }}", "if (x) {} else ".repeat(3_000)));
    check(&"#if 1\n".repeat(3_000));
    check(&"void f() {\n".repeat(3_000));
}

/// Recovery goes on behind the statement or declaration: the slip there is found.
#[test]
fn one_error_says_that_something_nests_too_deeply() {
    let messages = |text: &str| -> Vec<String> {
        parse_file(text).errors.into_iter().map(|error| error.message.to_string()).collect()
    };
    let check = |before: &str, deep: &str, behind: &str| {
        let mut wanted = messages(&format!("{before} {behind}"));
        assert!(!wanted.is_empty(), "{behind:?} has a slip");
        wanted.insert(0, "too deeply nested".to_owned());
        assert_eq!(messages(&format!("{before} {deep} {behind}")), wanted, "with {:?} …", &deep[..deep.len().min(60)]);
    };
    let n = 50_000;
    let statements = [
        format!("return {}2;", "x ? 1 : ".repeat(n)),
        format!("if (x) x = 1; {} else x = 3;", "else if (x) x = 2; ".repeat(n)),
        format!("if (x) {{ x = 1; }} {} else {{ x = 3; }}", "else if (x) { x = 2; } ".repeat(n)),
        format!("x = {}x{};", "(".repeat(n), ")".repeat(n)),
        format!("x = {}x{};", "f(".repeat(n), ")".repeat(n)),
        format!("x = {}x{};", "f(x, x + ".repeat(n), ")".repeat(n)),
        format!("x = {}x{};", "a[".repeat(n), "]".repeat(n)),
        format!("x = {}x;", "x = ".repeat(n)),
        format!("x = {}x;", "-".repeat(n)),
        format!("x = {}x;", "(int)".repeat(n)),
        format!("int y[] = {}x{};", "{ 1, ".repeat(n), " }".repeat(n)),
        format!("{} x = 1; {}", "{".repeat(n), "}".repeat(n)),
        format!("{} x = 1; {}", "{ x = 0;".repeat(n), "x = 3; }".repeat(n)),
        format!("{} x = 1;", "if (x) ".repeat(n)),
        format!("{} x = 1; {}", "for (;;) {".repeat(n), "}".repeat(n)),
        format!("{} x = 1; {}", "do {".repeat(n), "} while (x);".repeat(n)),
    ];
    for statement in statements {
        check("void f(int x) { x = 1;", &statement, "x = 2; x ) 3; } int last;");
    }
    let declarations = [
        format!("{} int x; {}", "struct S {".repeat(n), "};".repeat(n)),
        format!("{} int x; {}", "namespace n {".repeat(n), "}".repeat(n)),
        format!("static int x = {}1{};", "(".repeat(n), ")".repeat(n)),
    ];
    for declaration in declarations {
        check("int first;", &declaration, "int last ) 3;");
    }
}

#[test]
fn small_stacks_suffice() {
    let thread = std::thread::Builder::new().stack_size(1 << 20).spawn(|| {
        for piece in
            ["(", "{", "f(", "A<", "if (x) ", "(int x) => {", "x ? ", "-", "(a)", "(int)", "a = ", "{ {", "[a("]
        {
            check(&format!("void f() {{ x = {}", piece.repeat(1_000)));
            check(&format!("void f() {{ {}", piece.repeat(1_000)));
        }
        check(&format!("int x = a{};", " + a".repeat(20_000)));
    });
    thread.expect("a thread starts").join().expect("no overflow");
}
