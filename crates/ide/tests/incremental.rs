//! What an edit recomputes, read from salsa's event log.

use std::collections::BTreeSet;
use std::fmt::Write;

use base_db::{Db, EventLog, RootDatabase, SourceFile, documents::Documents, line_column::ColumnUnit};
use ide::{
    diagnostics::{diagnostics, find_part, parts, placed},
    formatting::FormatOptions,
};
use syntax::{TextRange, TextSize};
use test_support::database::with_event_log;

const PATH: &str = "/main.slang";

struct Session {
    db: RootDatabase,
    documents: Documents,
    log: EventLog,
    file: SourceFile,
    text: String,
}

impl Session {
    fn open(text: String) -> Session {
        let (mut db, mut documents, log) = with_event_log();
        let file = documents.open(&mut db, PATH, &text);
        Session { db, documents, log, file, text }
    }

    /// Replaces the first occurrence of `from` after `after`.
    fn edit(&mut self, after: &str, from: &str, to: &str) {
        let start = self.text.find(after).expect("the place is there");
        let at = start + self.text[start..].find(from).expect("the text is there");
        self.documents.edit(&mut self.db, PATH, at..at + from.len(), to);
        self.text.replace_range(at..at + from.len(), to);
    }

    /// The number of diagnostics, and the names of the queries that ran to find them.
    fn diagnose(&mut self) -> (usize, Vec<String>) {
        self.log.take(&self.db);
        let found = diagnostics(&self.db, self.file).len();
        let executed = self.log.take(&self.db);
        let name = |query: &String| query.split('(').next().unwrap_or_default().to_owned();
        (found, executed.iter().map(name).collect())
    }
}

/// About 10,000 lines: differentiable functions that call each other.
fn large_file() -> String {
    file_of(900)
}

fn file_of(functions: usize) -> String {
    let mut text = String::from("float plain(float x) { return x; }\n");
    for index in 0..functions {
        let callee = if index == 0 { "sin".to_owned() } else { format!("step_{}", index - 1) };
        write!(
            text,
            "\n[Differentiable]\nfloat step_{index}(float x)\n{{\n    float y = x * 1.5;\n    [MaxIters(3)]\n    for (int i = 0; i < 3; i++)\n        y = y * x + {callee}(y);\n    return y;\n}}\n"
        )
        .expect("strings can be written");
    }
    text
}

#[test]
fn an_edit_in_a_body_re_runs_that_function_and_nothing_else() {
    let mut session = Session::open(large_file());
    assert_eq!(session.diagnose().0, 0);
    // The first edit of a body lowers its durability once; from the second on an edit costs what it touches.
    session.edit("float step_450(", "1.5", "1.25");
    assert_eq!(session.diagnose().0, 0);
    session.edit("float step_450(", "1.25", "1.75");
    let (found, executed) = session.diagnose();
    assert_eq!(found, 0);
    assert!(executed.len() < 40, "{executed:#?}");
    let distinct: BTreeSet<&String> = executed.iter().collect();
    assert_eq!(distinct.len(), executed.len(), "some query ran for more than one function: {executed:#?}");
    assert!(executed.iter().any(|query| query.starts_with("infer")), "{executed:#?}");
}

/// What an edit runs and verifies until the diagnostics with their lines are there.
fn cost_of_an_edit(functions: usize) -> (Vec<String>, usize) {
    let mut session = Session::open(file_of(functions));
    let show = |session: &mut Session| {
        session.log.take(&session.db);
        session.log.take_verified();
        assert!(placed(&session.db, session.file, ColumnUnit::Utf16).is_some());
        let mut executed = session.log.take(&session.db);
        executed.iter_mut().for_each(|query| query.truncate(query.find('(').unwrap_or(query.len())));
        executed.sort();
        (executed, session.log.take_verified())
    };
    show(&mut session);
    session.edit("float step_45(", "1.5", "1.25");
    show(&mut session);
    session.edit("float step_45(", "1.25", "1.75");
    show(&mut session)
}

#[test]
fn an_edit_costs_the_same_in_files_of_any_size() {
    let (executed, verified) = cost_of_an_edit(90);
    for functions in [900, 9000] {
        let (executed_here, verified_here) = cost_of_an_edit(functions);
        assert_eq!(executed_here, executed, "in {functions} functions");
        // A file that is sixteen times as large has one more level of chunks.
        assert!(verified_here <= verified + 2 * 16, "{verified_here} in {functions} functions, {verified} in 90");
    }
}

/// What is asked of a few lines of a file, and whether the answer is one.
type Request = fn(&RootDatabase, ide::FilePosition, TextRange) -> bool;

const REQUESTS: [(&str, Request); 8] = [
    ("hints", |db, at, range| !ide::inlay_hints::inlay_hints(db, at.file, range).is_empty()),
    ("derivatives", |db, at, range| !ide::inlay_hints::derivative_hints(db, at.file, range).is_empty()),
    ("selection", |db, at, _| ide::selection_range::selection_ranges(db, at).len() > 3),
    ("formatting", |db, at, range| {
        !ide::formatting::formatting(db, at.file, range, FormatOptions::indentation(2, true)).is_empty()
    }),
    ("rename", |db, at, _| ide::rename::rename(db, at, "fresh").is_ok_and(|edits| edits.len() > 1)),
    ("highlights", |db, at, _| ide::references::highlights(db, at).is_some_and(|uses| uses.len() > 1)),
    ("cursor", |db, at, _| {
        // A variable that is used and written is left alone.
        let range = TextRange::empty(TextSize::new(at.offset));
        ide::assists::assists(db, ide::FileRange { file: at.file, range }).is_empty()
    }),
    ("hover", |db, at, _| ide::hover::hover(db, at).is_some()),
];

/// What each of the requests runs and verifies behind an edit of the last function but some.
fn costs_of_requests(functions: usize) -> Vec<(&'static str, Vec<String>, usize)> {
    let mut session = Session::open(file_of(functions).replace("float y =", "var y ="));
    let last = format!("float step_{}(", functions - 3);
    let ask = |session: &mut Session, name: &str, request: Request| {
        let begin = session.text.find(&last).expect("it is there");
        let offset = begin + session.text[begin..].find("y = x").expect("a local is there");
        let range = TextRange::new(TextSize::new(begin as u32), TextSize::new((offset + 120) as u32));
        let at = ide::FilePosition { file: session.file, offset: offset as u32 };
        session.log.take(&session.db);
        session.log.take_verified();
        assert!(request(&session.db, at, range), "{name}");
        let mut executed = session.log.take(&session.db);
        executed.iter_mut().for_each(|query| query.truncate(query.find('(').unwrap_or(query.len())));
        executed.sort();
        (executed, session.log.take_verified())
    };
    let mut value = "1.5".to_owned();
    let mut edit = |session: &mut Session| {
        let next = format!("{value}0");
        session.edit(&last, &value, &next);
        value = next;
    };
    let costs = REQUESTS.iter().map(|(name, request)| {
        ask(&mut session, name, *request);
        // The first edit of a body lowers its durability.
        edit(&mut session);
        ask(&mut session, name, *request);
        edit(&mut session);
        let (executed, verified) = ask(&mut session, name, *request);
        (*name, executed, verified)
    });
    costs.collect()
}

#[test]
fn a_request_for_some_lines_costs_what_they_do() {
    let small = costs_of_requests(90);
    for ((name, executed, verified), (_, executed_here, verified_here)) in small.iter().zip(costs_of_requests(2000)) {
        assert_eq!(&executed_here, executed, "{name}");
        // A file that is sixteen times as large has one more level of chunks.
        assert!(
            verified_here <= verified + 2 * 16,
            "{name}: {verified_here} in the large file, {verified} in the small one"
        );
    }
}

/// Who looks at a function before it is edited has the server look at all results then: the first edit is like the second.
#[test]
fn the_first_edit_of_an_expected_function_costs_what_the_second_does() {
    let mut session = Session::open(file_of(900));
    let shown = |session: &mut Session| {
        session.log.take(&session.db);
        session.log.take_verified();
        assert!(placed(&session.db, session.file, ColumnUnit::Utf16).is_some());
        (session.log.take(&session.db).len(), session.log.take_verified())
    };
    shown(&mut session);
    let inside =
        |session: &Session, name: &str| session.text.find(&format!("float {name}(")).expect("it is there") + 30;
    let offset = inside(&session, "step_45");
    assert!(session.documents.expect_edit(&mut session.db, session.file, offset));
    assert!(!session.documents.expect_edit(&mut session.db, session.file, offset), "it is known");
    shown(&mut session);
    session.edit("float step_45(", "1.5", "1.25");
    let (executed, verified) = shown(&mut session);
    session.edit("float step_45(", "1.25", "1.75");
    assert_eq!(shown(&mut session), (executed, verified));
    // Of many that are looked at, few stay expected.
    for index in 100..120 {
        let offset = inside(&session, &format!("step_{index}"));
        assert!(session.documents.expect_edit(&mut session.db, session.file, offset));
    }
    shown(&mut session);
    session.edit("float step_45(", "1.75", "1.25");
    let (_, verified_with_others) = shown(&mut session);
    assert!(verified_with_others < verified * 8, "{verified_with_others} and {verified}");
}

/// Threads find in parts what one thread finds at once.
#[test]
fn all_cores_find_what_one_does() {
    let text = file_of(900).replacen("x * 1.5", "wrng", 1);
    let (one, other) = (Session::open(text.clone()), Session::open(text));
    for part in 0..parts(&other.db, other.file) {
        find_part(&other.db, other.file, ColumnUnit::Utf16, part);
    }
    ide::diagnostics::find(&other.db, other.file);
    let of = |session: &Session| format!("{:?}", placed(&session.db, session.file, ColumnUnit::Utf16));
    assert_eq!(of(&one), of(&other));
    let all = |session: &Session| format!("{:?}", diagnostics(&session.db, session.file));
    assert_eq!(all(&one), all(&other));
}

#[test]
fn what_was_dropped_is_made_again_for_who_asks_and_not_for_an_edit_elsewhere() {
    let mut session = Session::open(file_of(2000));
    assert_eq!(session.diagnose().0, 0);
    let bytes = |session: &mut Session| {
        let of_bodies = ["infer_body", "lowered_body", "lower_for_analysis"];
        of_bodies
            .map(|name| session.db.memory().iter().find(|table| table.table == name).map_or(0, |table| table.bytes))
    };
    let all = bytes(&mut session);
    session.db.drop_old_results();
    let kept = bytes(&mut session);
    for (kept, all) in kept.iter().zip(all) {
        // A quarter of the results, and for each what it depends on.
        assert!(kept * 2 < all, "{kept} of {all}");
    }
    let once = |executed: &[String]| (count(executed, "infer_body"), count(executed, "lowered_body"));
    // The first edit of a body lowers its durability, and so that of what is said of the callers that see how it is called;
    // those are looked at again, and nobody else.
    session.edit("float step_45(", "1.5", "1.25");
    let (found, executed) = session.diagnose();
    assert_eq!((found, count(&executed, "diagnostics")), (0, 13), "{executed:#?}");
    assert_eq!(once(&executed), (13, 13), "{executed:#?}");
    session.edit("float step_45(", "1.25", "1.75");
    let (found, executed) = session.diagnose();
    assert_eq!((found, once(&executed)), (0, (1, 1)), "{executed:#?}");
    // Whoever asks about another function pays for that function.
    let offset = session.text.find("y * x").expect("the loop of the first function");
    let position = ide::FilePosition { file: session.file, offset: offset as u32 };
    assert!(ide::hover::hover(&session.db, position).is_some());
    let executed: Vec<String> = session
        .log
        .take(&session.db)
        .iter()
        .map(|query| query.split('(').next().unwrap_or_default().to_owned())
        .collect();
    assert_eq!(once(&executed), (1, 1), "{executed:#?}");
}

/// Salsa takes a dropped result of a query that recovers from cycles for one that panicked, and whoever asks for it in the same
/// revision is cancelled.
#[test]
fn no_query_drops_results_and_recovers_from_cycles() {
    let crates = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crates lie beside this one");
    let mut folders = vec![crates.to_owned()];
    let mut dropping = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder of source") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = std::fs::read_to_string(&path).expect("source");
                for options in text.split("#[salsa::tracked(").skip(1).filter_map(|rest| rest.split(")]").next()) {
                    let has = |option: &str| options.split(',').any(|part| part.trim().starts_with(option));
                    dropping += usize::from(has("lru"));
                    assert!(!(has("lru") && has("cycle_")), "{}: {options}", path.display());
                }
            }
        }
    }
    assert!(dropping >= 6, "the queries of bodies and trees drop results, {dropping} were found");
}

#[test]
fn an_error_appears_and_goes_with_the_edit_that_makes_it() {
    let mut session = Session::open(large_file());
    session.edit("float step_450(", "1.5", "wrng");
    assert_eq!(session.diagnose().0, 1);
    session.edit("float step_450(", "wrng", "plain(x)");
    assert_eq!(session.diagnose().0, 1, "a derivative that is lost");
    session.edit("float step_450(", "plain(x)", "no_diff plain(x)");
    assert_eq!(session.diagnose().0, 0);
}

#[test]
fn an_attribute_re_runs_the_function_and_its_callers_alone() {
    let mut session = Session::open(large_file());
    assert_eq!(session.diagnose().0, 0);
    session.edit("[Differentiable]\nfloat step_450(", "[Differentiable]", "[ForwardDifferentiable]");
    let (_, executed) = session.diagnose();
    let inferred = executed.iter().filter(|query| *query == "infer_body").count();
    assert!(inferred <= 2, "the function itself and `step_451`: {executed:#?}");
}

/// How often each query ran, for those whose cost grows with the program.
fn count(executed: &[String], query: &str) -> usize {
    executed.iter().filter(|name| *name == query).count()
}

/// 60 functions, of which every tenth satisfies `marked`; the text of one comes from its number.
fn many(function: impl Fn(usize, bool) -> String) -> String {
    (0..60).map(|index| function(index, index % 10 == 0)).collect()
}

#[test]
fn a_macro_re_runs_the_functions_that_use_it() {
    let uses = many(|index, marked| {
        let factor = if marked { "SCALE" } else { "3.0" };
        format!("float f{index}(float x) {{ return x * {factor}; }}\n")
    });
    let mut session = Session::open(format!("#define SCALE 2.0\n{uses}"));
    assert_eq!(session.diagnose().0, 0);
    session.edit("#define", "2.0", "2.5");
    let (found, executed) = session.diagnose();
    assert_eq!(found, 0);
    // The six uses; the other functions' texts are looked at, and are the same as before.
    assert_eq!(count(&executed, "lowered_body"), 6, "{executed:#?}");
    assert_eq!(count(&executed, "infer_body"), 6, "{executed:#?}");
    // A macro that nobody uses costs no parse.
    session.edit("#define", "#define SCALE", "#define OTHER 1\n#define SCALE");
    let (found, executed) = session.diagnose();
    assert_eq!((found, count(&executed, "lowered_body"), count(&executed, "infer_body")), (0, 0, 0), "{executed:#?}");
}

#[test]
fn a_macro_in_a_signature_re_runs_what_sees_the_signature() {
    let uses = many(|index, marked| {
        let callee = if marked { "scaled" } else { "sin" };
        format!("float f{index}(float x) {{ return {callee}(x); }}\n")
    });
    let mut session = Session::open(format!("#define REAL float\nfloat scaled(REAL x) {{ return 2 * x; }}\n{uses}"));
    assert_eq!(session.diagnose().0, 0);
    session.edit("#define", "REAL float", "REAL double");
    let (_, executed) = session.diagnose();
    // The function itself and its six callers.
    assert_eq!(count(&executed, "infer_body"), 7, "{executed:#?}");
}

#[test]
fn an_edit_in_an_imported_body_re_runs_nothing_of_the_importer() {
    let mut session = Session::open(
        "import lights;\n".to_owned()
            + &many(|index, marked| {
                let callee = if marked { "shade" } else { "sin" };
                format!("float f{index}(float x) {{ return {callee}(x); }}\n")
            }),
    );
    let library =
        "module lights;\npublic float shade(float x) { return x * 2.0; }\npublic float other(float x) { return x; }\n";
    let file = session.documents.open(&mut session.db, "/lights.slang", library);
    assert_eq!(session.diagnose().0, 0);
    let edit = |session: &mut Session, from: &str, to: &str| {
        let text = session.db.text(file).expect("the file is there").rope().to_string();
        let at = text.find(from).expect("the text is there");
        session.documents.edit(&mut session.db, "/lights.slang", at..at + from.len(), to);
    };
    edit(&mut session, "2.0", "3.0");
    let (found, executed) = session.diagnose();
    assert_eq!((found, count(&executed, "infer_body"), count(&executed, "lowered_body")), (0, 0, 0), "{executed:#?}");
    // A signature that changes re-runs those that call it.
    edit(&mut session, "shade(float x", "shade(float x, float y = 1.0");
    let (found, executed) = session.diagnose();
    assert_eq!((found, count(&executed, "infer_body")), (0, 6), "{executed:#?}");
    // A new name re-runs nobody who does not use it.
    edit(&mut session, "public float other", "public float fresh() { return 1; }\npublic float other");
    let (found, executed) = session.diagnose();
    assert_eq!((found, count(&executed, "infer_body")), (0, 0), "{executed:#?}");
}

#[test]
fn an_edit_in_a_generic_body_re_runs_no_caller() {
    let mut session = Session::open("interface IAdd { This plus(This other); }\nstruct Num : IAdd { float n; Num plus(Num other) { return other; } }\nT twice<T : IAdd>(T x) { return x.plus(x); }\n".to_owned() + &many(|index, marked| {
        let value = if marked { "twice(x)" } else { "x" };
        format!("Num f{index}(Num x) {{ return {value}; }}\n")
    }));
    assert_eq!(session.diagnose().0, 0);
    session.edit("T twice", "x.plus(x)", "x.plus(x).plus(x)");
    let (found, executed) = session.diagnose();
    assert_eq!((found, count(&executed, "infer_body")), (0, 1), "{executed:#?}");
    // Its bounds are part of what callers see.
    session.edit("T twice", "IAdd>", "IAdd, let N : int = 2>");
    let (found, executed) = session.diagnose();
    assert_eq!((found, count(&executed, "infer_body")), (0, 7), "{executed:#?}");
}

#[test]
fn an_edit_of_an_included_file_re_runs_what_it_defines() {
    let mut session = Session::open(
        "#include \"common.h\"\n".to_owned()
            + &many(|index, marked| {
                let factor = if marked { "SCALE" } else { "3.0" };
                format!("float f{index}(float x) {{ return x * {factor}; }}\n")
            }),
    );
    session.documents.open(&mut session.db, "/common.h", "#define SCALE 2.0\n");
    assert_eq!(session.diagnose().0, 0);
    session.documents.edit(&mut session.db, "/common.h", 14..17, "4.0");
    let (found, executed) = session.diagnose();
    assert_eq!((found, count(&executed, "infer_body")), (0, 6), "{executed:#?}");
}
