//! `slang-analyzer gradcheck`: compares derivatives with differences.
//!
//! Where inputs are sampled is told by `--domain x=0.5..2`, or in the source (see [`ide::gradient_check`]).

use std::{ffi::OsString, process::ExitCode};

use hir_def::item::ItemId;
use ide::gradient_check::{Verdict, annotated_domains, describe_finding, domain, outcome};
use interp::gradcheck::{Checked, Finding, FindingKind, Kink, Options, check_function};
use lexopt::ValueExt;
use serde_json::json;

use super::{
    compile::Failure,
    functions::{self, Report},
    report::Format,
};

struct Arguments {
    of: functions::Arguments,
    check: Options,
}

pub fn main(arguments: Vec<OsString>) -> ExitCode {
    functions::run(parse(arguments), |arguments| gradcheck(&arguments))
}

fn parse(arguments: Vec<OsString>) -> Result<Arguments, lexopt::Error> {
    let mut check = Options::default();
    let of = functions::Arguments::parse("gradcheck", arguments, |option, parser| {
        match option {
            "domain" => {
                let domain = domain(&parser.value()?.string()?).map_err(wrong_domain)?;
                check.ranges.push(domain);
            }
            "samples" => check.samples = parser.value()?.parse()?,
            "seed" => check.seed = parser.value()?.parse()?,
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    Ok(Arguments { of, check })
}

fn wrong_domain(problem: String) -> String {
    format!("gradcheck: {problem}")
}

/// One line per function, and whether nothing is wrong.
fn gradcheck(arguments: &Arguments) -> Result<Report, Failure> {
    let compiled = arguments.of.lower()?;
    let mut lines = Vec::new();
    let mut good = true;
    for (&func, &item) in compiled.roots.iter().zip(&compiled.items) {
        let data = &compiled.module.funcs[func];
        let mut options = arguments.check.clone();
        // The first range of an input counts, so that the command line can overrule the source.
        let annotated = annotated_domains(&compiled.project.db, item, &data.inputs);
        options.ranges.extend(annotated.map_err(|problem| Failure::Usage(wrong_domain(problem)))?);
        let checked = check_function(&compiled.module, func, &options);
        good &= checked.report.findings.is_empty();
        match arguments.of.format {
            Format::Human => human(&data.name, &checked, &mut lines),
            Format::Json => lines.push(json(&data.name, &checked)),
        }
    }
    if lines.is_empty() {
        return Err(Failure::Usage("gradcheck: there is no differentiable function".to_owned()));
    }
    Ok(Report { lines, good })
}

fn human(name: &str, checked: &Checked, lines: &mut Vec<String>) {
    let outcome = outcome(checked);
    let verdict = match outcome.verdict {
        Verdict::Wrong => "WRONG",
        Verdict::NotChecked => "not checked",
        Verdict::Ok => "ok",
    };
    let mut told = outcome.lines.iter();
    let compared = told.next().map_or("", String::as_str);
    lines.push(format!("{name}: {verdict} ({compared})"));
    lines.extend(told.map(|line| format!("  {line}")));
}

fn json(name: &str, checked: &Checked) -> String {
    let report = &checked.report;
    json!({
        "function": name,
        "good": report.is_good(),
        "samples": report.samples,
        "directions": report.directions,
        "outside_domain": report.outside_domain,
        "kinks": report.kinks,
        "unsettled": report.unsettled,
        "overflows": report.overflows,
        "no_forward": checked.jvp.as_ref().map(ToString::to_string),
        "no_backward": checked.vjp.as_ref().map(ToString::to_string),
        "findings": report.findings.iter().map(finding_json).collect::<Vec<_>>(),
        "kink_places": report.kink_places.iter().map(kink_json).collect::<Vec<_>>(),
    })
    .to_string()
}

fn finding_json(finding: &Finding) -> serde_json::Value {
    let (kind, result, input, numbers) = match &finding.kind {
        FindingKind::Jvp { result, input, found, expected } => {
            ("forward", Some(result), Some(input), Some((found, expected)))
        }
        FindingKind::Vjp { input, found, expected, .. } => ("backward", None, Some(input), Some((found, expected))),
        FindingKind::PrimalChanged { result, found, expected } => {
            ("primal", Some(result), None, Some((found, expected)))
        }
        FindingKind::StateChanged { .. } => ("state", None, None, None),
        FindingKind::Failed { .. } => ("failed", None, None, None),
    };
    let inputs: Vec<Vec<f64>> = finding.inputs.iter().map(interp::Value::floats).collect();
    json!({
        "kind": kind,
        "result": result.map(ToString::to_string),
        "input": input.map(ToString::to_string),
        "found": numbers.map(|(found, _)| found),
        "expected": numbers.map(|(_, expected)| expected),
        "message": describe_finding(finding),
        "at": inputs,
    })
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

/// Whether attributes make a function differentiable.
pub fn is_differentiable(db: &dyn base_db::Db, function: ItemId) -> bool {
    hir_ty::differential::rules::derivative_rules(db, function).is_differentiable()
}
