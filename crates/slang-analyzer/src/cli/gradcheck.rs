//! `slang-analyzer gradcheck`: compares derivatives with differences.
//!
//! Where inputs are sampled is told by `--domain x=0.5..2`, or in the source (see [`ide::gradient_check`]). Exit status: 0
//! if every function that was checked is right in all its parts, 1 if something is wrong, 4 if nothing is wrong but of some
//! function nothing was compared, or not every part: an input, a result, a buffer, a branch of a rule written by hand.

use std::{path::PathBuf, process::ExitCode};

use clap::Args;
use ide::{
    function_instances::Skipped,
    gradient_check::{Cases, GradientCheck, Outcome, Verdict},
};
use interp::gradcheck::{Agreement, Coordinate, Finding, FindingKind, Kink, Options, Wrong};
use serde_json::json;

use super::{
    arguments::Format,
    compile::Failure,
    functions::{self, Report},
    project::display_path,
    sampling::{Sampling, prepared},
    status::Status,
};

/// Compare the derivatives of functions with differences.
#[derive(Args)]
#[command(after_help = "Examples:
  slang-analyzer gradcheck loss.slang
  slang-analyzer gradcheck loss.slang --function 'Mlp<16>.eval' --domain x=0.5..2 --samples 32

Without --function: all differentiable functions of the file, methods and generic ones included. The domain of an \
input can be said in the source, too, in a comment above the function: `/// @domain x = 0.5..2`; inputs at which it \
is checked besides, as `/// @gradcheck x = 1, y = 0.5..2`.")]
pub struct Arguments {
    #[command(flatten)]
    of: functions::FunctionArguments,
    #[command(flatten)]
    sampling: Sampling,
    /// After how many steps of the interpreter the check of a function is ended without having settled
    #[arg(long, value_name = "N", default_value_t = Options::default().all_steps)]
    steps: u64,
    /// Write the results as JUnit XML, too
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
}

pub fn main(arguments: &Arguments) -> ExitCode {
    functions::run(arguments.of.report.format, || gradcheck(arguments))
}

fn gradcheck(arguments: &Arguments) -> Result<Report, Failure> {
    let Arguments { of, sampling, steps, junit } = arguments;
    let options = Options { all_steps: *steps, ..sampling.options() };
    let write_junit = |text: String| match junit {
        Some(path) => std::fs::write(path, text)
            .map_err(|error| Failure::Usage(format!("cannot write {}: {error}", path.display()))),
        None => Ok(()),
    };
    let file = display_path(&of.file.to_string_lossy());
    let (checks, skipped) = match prepared(of, &options, Cases::Included) {
        Ok(prepared) => prepared,
        Err(failure) => {
            // The report of the run before would pass for one of this.
            write_junit(super::junit::not_run(&file))?;
            return Err(failure);
        }
    };
    let outcomes: Vec<Outcome> = checks.into_iter().map(GradientCheck::run).collect();
    let mut lines = functions::lines(of.report.format, &outcomes, human, json);
    lines.extend(functions::skipped_lines(of.report.format, &skipped, skipped_json));
    if of.report.format == Format::Human && outcomes.len() + skipped.len() > 1 {
        lines.push(summary(&outcomes, skipped.len()));
    }
    write_junit(super::junit::report(&file, &outcomes, &skipped))?;
    Ok(Report { lines, status: status(&outcomes) })
}

fn status(outcomes: &[Outcome]) -> Status {
    let is_open = |outcome: &Outcome| match outcome.verdict {
        Verdict::NotSettled => true,
        Verdict::NothingCompared => !outcome.is_skipped(),
        Verdict::Ok | Verdict::Wrong => false,
    };
    if outcomes.iter().any(|outcome| outcome.verdict == Verdict::Wrong) {
        Status::Errors
    } else if outcomes.iter().any(is_open) || !outcomes.iter().any(|outcome| outcome.verdict == Verdict::Ok) {
        Status::NotSettled
    } else {
        Status::Done
    }
}

/// `5 checks: 3 ok, 1 wrong, 1 skipped`
fn summary(outcomes: &[Outcome], skipped: usize) -> String {
    let count = |word: &str| outcomes.iter().filter(|outcome| verdict_word(outcome) == word).count();
    let counts = [
        (count("ok"), "ok"),
        (count("WRONG"), "wrong"),
        (count("NOT SETTLED"), "not settled"),
        (count("NOTHING COMPARED"), "not compared"),
        (count("skipped") + skipped, "skipped"),
    ];
    let counts: Vec<String> =
        counts.iter().filter(|(count, _)| *count > 0).map(|(count, word)| format!("{count} {word}")).collect();
    format!("{} checks: {}", outcomes.len() + skipped, counts.join(", "))
}

pub(super) fn verdict_word(outcome: &Outcome) -> &'static str {
    match outcome.verdict {
        Verdict::Wrong => "WRONG",
        Verdict::NotSettled => "NOT SETTLED",
        Verdict::NothingCompared if outcome.is_skipped() => "skipped",
        Verdict::NothingCompared => "NOTHING COMPARED",
        Verdict::Ok => "ok",
    }
}

fn human(outcome: &Outcome, lines: &mut Vec<String>) {
    let mut told = outcome.lines.iter();
    let compared = told.next().map_or("", String::as_str);
    lines.push(format!("{}: {} ({compared})", outcome.function, verdict_word(outcome)));
    lines.extend(told.map(|line| format!("  {line}")));
}

fn json(outcome: &Outcome) -> String {
    let verdict = match outcome.verdict {
        Verdict::Ok => "ok",
        Verdict::Wrong => "wrong",
        Verdict::NotSettled => "not settled",
        Verdict::NothingCompared if outcome.is_skipped() => "skipped",
        Verdict::NothingCompared => "nothing compared",
    };
    let Some(checked) = &outcome.checked else {
        let (function, reasons) = (&outcome.function, &outcome.lines);
        return json!({"function": function, "verdict": verdict, "good": false, "reasons": reasons}).to_string();
    };
    let report = &checked.report;
    let findings = report.findings.iter().zip(&outcome.described);
    let findings = findings.map(|(finding, described)| {
        let origin = described.origin.as_ref().map(|origin| {
            json!({"path": display_path(&origin.path), "line": origin.line, "column": origin.column,
                   "text": origin.text})
        });
        finding_json(finding, &described.message, origin)
    });
    json!({
        "function": outcome.function,
        "verdict": verdict,
        "good": outcome.verdict == Verdict::Ok,
        "not_settled": outcome.not_settled,
        "samples": report.samples,
        "edges": report.edges,
        "directions": report.directions,
        "compared": report.compared(),
        "forward": agreement_json(report.forward),
        "backward": agreement_json(report.backward),
        "outside_domain": report.outside_domain,
        "beyond_bounds": report.beyond_bounds,
        "ended_after": report.ended_after,
        "kinks": report.kinks,
        "unsettled": report.unsettled,
        "overflows": report.overflows,
        "no_forward": checked.jvp.as_ref().map(ToString::to_string),
        "no_backward": checked.vjp.as_ref().map(ToString::to_string),
        "findings": findings.collect::<Vec<_>>(),
        "rules": outcome.rules,
        "kink_places": report.kink_places.iter().map(kink_json).collect::<Vec<_>>(),
        "unsettled_places": report.unsettled_places.iter().map(pair_json).collect::<Vec<_>>(),
        "lines": outcome.lines,
    })
    .to_string()
}

fn agreement_json(agreement: Agreement) -> serde_json::Value {
    json!({"compared": agreement.compared, "wrong": agreement.wrong, "not_finite": agreement.not_finite})
}

fn skipped_json(skipped: &Skipped) -> serde_json::Value {
    json!({"function": skipped.name, "verdict": "skipped", "good": false, "reasons": [skipped.reason]})
}

fn pair_json((result, input): &(Coordinate, Coordinate)) -> serde_json::Value {
    json!({"result": result.to_string(), "input": input.to_string()})
}

fn wrong_json(wrong: &Wrong) -> serde_json::Value {
    let Wrong { result, input, found, expected } = wrong;
    let (result, input) = (result.to_string(), input.to_string());
    json!({"result": result, "input": input, "found": found, "expected": expected, "ratio": found / expected})
}

/// A finding, with what its first component says in front.
fn finding_json(finding: &Finding, message: &str, origin: Option<serde_json::Value>) -> serde_json::Value {
    let mode_word = |mode: ir::DerivativeKind| if mode == ir::DerivativeKind::Jvp { "forward" } else { "backward" };
    let mut document = match &finding.kind {
        FindingKind::Wrong { mode, components, ratio, .. } => {
            let mut document = components.first().map_or_else(|| json!({}), wrong_json);
            document["kind"] = mode_word(*mode).into();
            document["ratio"] = json!(ratio);
            document["components"] = components.iter().map(wrong_json).collect();
            document
        }
        FindingKind::NotFinite { modes, components, found, .. } => {
            let mut document = components.first().map_or_else(|| json!({}), pair_json);
            document["kind"] = "not finite".into();
            document["modes"] = modes.iter().map(|mode| mode_word(*mode)).collect();
            // JSON has no such numbers.
            document["found"] = found.to_string().into();
            document["components"] = components.iter().map(pair_json).collect();
            document["origin"] = json!(origin);
            document
        }
        FindingKind::NotLinear { mode, place, found, expected } => json!({
            "kind": "not linear", "mode": mode_word(*mode), "place": place.to_string(), "found": found, "expected": expected
        }),
        FindingKind::PrimalChanged { result, found, expected } => {
            json!({"kind": "primal", "result": result.to_string(), "found": found, "expected": expected})
        }
        FindingKind::NotRestored { input, found, expected } => {
            json!({"kind": "not restored", "input": input.to_string(), "found": found, "expected": expected})
        }
        FindingKind::UsesIncoming { input, found, expected } => {
            json!({"kind": "uses incoming", "input": input.to_string(), "found": found, "expected": expected})
        }
        FindingKind::NoSum { place, found, expected, .. } => {
            json!({"kind": "no sum", "place": place.to_string(), "found": found, "expected": expected})
        }
        FindingKind::StateChanged { variable, .. } => json!({"kind": "state", "variable": variable.as_str()}),
        FindingKind::Failed { .. } => json!({"kind": "failed"}),
    };
    let inputs: Vec<Vec<f64>> = finding.inputs.iter().map(interp::Value::floats).collect();
    document["message"] = message.into();
    document["at"] = json!(inputs);
    document
}

fn kink_json(kink: &Kink) -> serde_json::Value {
    json!({
        "result": kink.result.to_string(),
        "input": kink.input.to_string(),
        "left": kink.left,
        "right": kink.right,
        "found": kink.found,
    })
}
