//! Gradient checks as JUnit XML, which build servers show: a test for each function and each of its cases.

use ide::{
    function_instances::Skipped,
    gradient_check::{Outcome, Verdict},
};

use super::gradcheck::verdict_word;

/// The document for the checks of a file.
pub(super) fn report(file: &str, outcomes: &[Outcome], skipped: &[Skipped]) -> String {
    let count = |wanted: fn(&Outcome) -> bool| outcomes.iter().filter(|outcome| wanted(outcome)).count();
    let without = count(Outcome::is_skipped) + skipped.len();
    let (tests, failures) = (outcomes.len() + skipped.len(), count(is_failure));
    let suite = escaped(file);
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <testsuites tests=\"{tests}\" failures=\"{failures}\" skipped=\"{without}\">\n  \
         <testsuite name=\"{suite}\" tests=\"{tests}\" failures=\"{failures}\" skipped=\"{without}\">\n"
    );
    for outcome in outcomes {
        let name = escaped(&outcome.function);
        let lines = escaped(&outcome.lines.join("\n"));
        text += &format!("    <testcase classname=\"{suite}\" name=\"{name}\">\n");
        if is_failure(outcome) {
            let word = verdict_word(outcome);
            text += &format!("      <failure type=\"{word}\" message=\"{}\">{lines}</failure>\n", message(outcome));
        } else if outcome.is_skipped() {
            text += &format!("      <skipped message=\"{}\"/>\n", message(outcome));
        } else {
            text += &format!("      <system-out>{lines}</system-out>\n");
        }
        text += "    </testcase>\n";
    }
    for Skipped { name, reason } in skipped {
        let (name, reason) = (escaped(name), escaped(reason));
        text += &format!("    <testcase classname=\"{suite}\" name=\"{name}\">\n");
        text += &format!("      <skipped message=\"{reason}\"/>\n    </testcase>\n");
    }
    text + "  </testsuite>\n</testsuites>\n"
}

/// The document for a file of which nothing could be run: it cannot be read or has errors, which the command reports.
pub(super) fn not_run(file: &str) -> String {
    let suite = escaped(file);
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <testsuites tests=\"1\" failures=\"0\" errors=\"1\" skipped=\"0\">\n  \
         <testsuite name=\"{suite}\" tests=\"1\" failures=\"0\" errors=\"1\" skipped=\"0\">\n    \
         <testcase classname=\"{suite}\" name=\"{suite}\">\n      \
         <error type=\"not run\" message=\"the file cannot be checked; the command says why\"/>\n    \
         </testcase>\n  </testsuite>\n</testsuites>\n"
    )
}

/// Whether a check fails a build: what was not compared is not known to be right.
fn is_failure(outcome: &Outcome) -> bool {
    match outcome.verdict {
        Verdict::Ok => false,
        Verdict::Wrong | Verdict::NotSettled => true,
        Verdict::NothingCompared => !outcome.is_skipped(),
    }
}

/// What there is to say first: what is wrong, what was not compared, or why nothing was.
fn message(outcome: &Outcome) -> String {
    let described = outcome.described.iter().map(|described| &described.message);
    let first = described.chain(&outcome.not_settled).chain(outcome.lines.iter().skip(1)).chain(&outcome.lines).next();
    escaped(first.map_or("", String::as_str))
}

/// Text in XML; control characters, which it cannot have, are replaced.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '"' => escaped += "&quot;",
            '\n' | '\t' => escaped.push(character),
            control if control.is_control() => escaped.push('\u{fffd}'),
            other => escaped.push(other),
        }
    }
    escaped
}
