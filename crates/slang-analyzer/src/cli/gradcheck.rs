//! `slang-analyzer gradcheck`: compares derivatives with differences.

use std::{ffi::OsString, path::PathBuf, process::ExitCode};

use hir_def::item;
use interp::gradcheck::{Checked, Finding, FindingKind, Kink, Options, check_function};
use lexopt::prelude::*;
use serde_json::json;
use smol_str::SmolStr;

use super::{
    compile::{self, Failure, Roots},
    project::ProjectOptions,
    report::{self, Format},
    usage_error,
};

struct Arguments {
    file: PathBuf,
    functions: Vec<String>,
    format: Format,
    options: ProjectOptions,
    check: Options,
}

pub fn main(arguments: Vec<OsString>) -> ExitCode {
    let arguments = match parse(arguments) {
        Ok(arguments) => arguments,
        Err(error) => return usage_error(&error.to_string()),
    };
    match compile::with_large_stack(move || gradcheck(&arguments)) {
        Ok((lines, good)) => {
            lines.iter().for_each(|line| report::line(line));
            if good { ExitCode::SUCCESS } else { ExitCode::from(1) }
        }
        Err(failure) => failure.exit(),
    }
}

fn parse(arguments: Vec<OsString>) -> Result<Arguments, lexopt::Error> {
    let mut file = None;
    let mut functions = Vec::new();
    let (mut format, mut options, mut check) = (Format::default(), ProjectOptions::default(), Options::default());
    let mut parser = lexopt::Parser::from_args(arguments);
    while let Some(argument) = parser.next()? {
        match argument {
            Short('I') => options.search_roots.push(parser.value()?.into()),
            Short('D') => options.define(parser.value()?),
            Long("function") => functions.push(parser.value()?.string()?),
            Long("domain") => check.ranges.push(domain(&parser.value()?.string()?)?),
            Long("samples") => check.samples = parser.value()?.parse()?,
            Long("seed") => check.seed = parser.value()?.parse()?,
            Long("format") => format = parser.value()?.parse()?,
            Value(path) if file.is_none() => file = Some(PathBuf::from(path)),
            _ => return Err(argument.unexpected()),
        }
    }
    Ok(Arguments { file: file.ok_or("gradcheck: name a file")?, functions, format, options, check })
}

/// The name and range of `x=0.5..2`.
fn domain(text: &str) -> Result<(SmolStr, (f64, f64)), lexopt::Error> {
    let parsed = text.split_once('=').and_then(|(name, range)| {
        let (low, high) = range.split_once("..")?;
        Some((name.trim().into(), (low.trim().parse::<f64>().ok()?, high.trim().parse::<f64>().ok()?)))
    });
    match parsed {
        Some((name, (low, high))) if low.is_finite() && high.is_finite() && low <= high => Ok((name, (low, high))),
        _ => Err(format!("gradcheck: `{text}` is no domain; write it as `x=0.5..2`").into()),
    }
}

/// One line per function, and whether nothing is wrong. Without names, every differentiable function of the file that
/// has no generic parameters is checked.
fn gradcheck(arguments: &Arguments) -> Result<(Vec<String>, bool), Failure> {
    let roots = if arguments.functions.is_empty() {
        Roots::Differentiable
    } else {
        Roots::Functions(arguments.functions.clone())
    };
    let compiled = compile::lower(&arguments.file, &arguments.options, &roots, &[])?;
    let mut lines = Vec::new();
    let mut good = true;
    for &func in &compiled.roots {
        let checked = check_function(&compiled.module, func, &arguments.check);
        good &= checked.report.findings.is_empty();
        let name = &compiled.module.funcs[func].name;
        match arguments.format {
            Format::Human => human(name, &checked, &mut lines),
            Format::Json => lines.push(json(name, &checked)),
        }
    }
    if lines.is_empty() {
        return Err(Failure::Usage("gradcheck: there is no differentiable function".to_owned()));
    }
    Ok((lines, good))
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
pub fn is_differentiable(db: &dyn base_db::Db, function: item::ItemId) -> bool {
    hir_ty::differential::rules::derivative_rules(db, function).is_differentiable()
}
