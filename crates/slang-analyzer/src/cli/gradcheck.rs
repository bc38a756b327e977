//! `slang-analyzer gradcheck`: compares derivatives with differences.
//!
//! Where inputs are sampled is told by `--domain x=0.5..2`, or in the source, by a line of the comment above the function:
//!
//! ```text
//! /// @domain x = 0.5..2
//! [Differentiable] float f(float x) { return log(log(x + 1.0)); }
//! ```
//!
//! The domain of other inputs is searched.

use std::{ffi::OsString, process::ExitCode};

use hir_def::item::{self, ItemId};
use interp::gradcheck::{Checked, Finding, FindingKind, Kink, Options, check_function};
use lexopt::ValueExt;
use serde_json::json;
use smol_str::SmolStr;

use super::{
    compile::{Compiled, Failure},
    functions::{self, Report},
    report::Format,
};

/// The word in front of a domain in a comment.
const ANNOTATION: &str = "@domain ";

struct Arguments {
    of: functions::Arguments,
    check: Options,
}

/// An input and the range of its floats.
type Domain = (SmolStr, (f64, f64));

pub fn main(arguments: Vec<OsString>) -> ExitCode {
    functions::run(parse(arguments), |arguments| gradcheck(&arguments))
}

fn parse(arguments: Vec<OsString>) -> Result<Arguments, lexopt::Error> {
    let mut check = Options::default();
    let of = functions::Arguments::parse("gradcheck", arguments, |option, parser| {
        match option {
            "domain" => {
                let text = parser.value()?.string()?;
                let domain = domain(&text).ok_or_else(|| no_domain(&text))?;
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

/// What `x=0.5..2` means.
fn domain(text: &str) -> Option<Domain> {
    let (name, range) = text.split_once('=')?;
    let (low, high) = range.split_once("..")?;
    let (low, high) = (low.trim().parse::<f64>().ok()?, high.trim().parse::<f64>().ok()?);
    (low.is_finite() && high.is_finite() && low <= high).then(|| (name.trim().into(), (low, high)))
}

fn no_domain(text: &str) -> String {
    format!("gradcheck: `{text}` is no domain; write it as `x=0.5..2`")
}

/// The domains in the comment above a function.
fn annotated(compiled: &Compiled, item: ItemId, inputs: &[ir::Input]) -> Result<Vec<Domain>, Failure> {
    let data = item::item_data(&compiled.project.db, item);
    let lines = data.doc.iter().flat_map(|doc| doc.lines());
    let annotations = lines.filter_map(|line| line.trim().strip_prefix(ANNOTATION));
    let read = |text: &str| {
        let found = domain(text).ok_or_else(|| Failure::Usage(no_domain(text)))?;
        if inputs.iter().any(|input| input.name == found.0) {
            Ok(found)
        } else {
            Err(Failure::Usage(format!("gradcheck: `{text}` is the domain of no parameter")))
        }
    };
    annotations.map(read).collect()
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
        options.ranges.extend(annotated(&compiled, item, &data.inputs)?);
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
    let report = &checked.report;
    let verdict = match (report.findings.is_empty(), report.samples) {
        (false, _) => "WRONG",
        (true, 0) => "not checked",
        (true, _) => "ok",
    };
    lines.push(format!(
        "{name}: {verdict} ({} samples, {} directions, {} outside of the domain, {} at kinks)",
        report.samples, report.directions, report.outside_domain, report.kinks
    ));
    for (mode, error) in [("forward", &checked.jvp), ("backward", &checked.vjp)] {
        if let Some(error) = error {
            lines.push(format!("  no {mode} derivative: {error}"));
        }
    }
    if report.overflows > 0 {
        lines.push(format!(
            "  in {} places the derivative is not finite because numbers on the way to the value are too large for 64 bits",
            report.overflows
        ));
    }
    lines.extend(report.findings.iter().map(|finding| format!("  {}", describe(finding))));
    lines.extend(report.kink_places.iter().map(|kink| format!("  {}", describe_kink(kink))));
}

fn describe_kink(kink: &Kink) -> String {
    let Kink { result, input, left, right, found } = kink;
    format!(
        "`{result}` has a kink in `{input}`: the slope is {left} to the left and {right} to the right, the derivative \
         says {found}"
    )
}

fn describe(finding: &Finding) -> String {
    match &finding.kind {
        FindingKind::Jvp { result, input, found, expected } => {
            format!("the tangent of `{result}` by `{input}` is {found}, differences say {expected}")
        }
        FindingKind::Vjp { input, found, expected, .. } => {
            format!("the cotangent of `{input}` is {found}, the tangents say {expected}")
        }
        FindingKind::PrimalChanged { result, found, expected } => {
            format!("the derivative gives {found} for the value of `{result}`, the function {expected}")
        }
        FindingKind::StateChanged { kind, variable } => {
            format!("{} leaves another value in `{variable}` than the function", kind.word())
        }
        FindingKind::Failed { kind, error } => {
            let what = kind.map_or("the function", |kind| kind.word());
            format!("{what} does not run: {error}")
        }
    }
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
        "message": describe(finding),
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
