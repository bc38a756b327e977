//! What an edit recomputes, read from salsa's event log.

use std::collections::BTreeSet;
use std::fmt::Write;

use base_db::{EventLog, RootDatabase, SourceFile, documents::Documents};
use ide::diagnostics::diagnostics;

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
        let (mut db, log) = RootDatabase::with_event_log();
        let mut documents = Documents::new(&mut db);
        documents.load_prelude(&mut db, prelude::FILES.iter().copied());
        let file = documents.open(&mut db, PATH, &text);
        Session { db, documents, log, file, text }
    }

    /// Replaces the first occurrence of `from` behind `after`.
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
    let mut text = String::from("float plain(float x) { return x; }\n");
    for index in 0..900 {
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
