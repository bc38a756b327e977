//! `slang-analyzer gradcheck`: compares derivatives with differences.

use std::{collections::HashSet, ffi::OsString, path::PathBuf, process::ExitCode};

use hir_def::item;
use interp::gradcheck::{Checked, Finding, FindingKind, Options, Place, check_function};
use ir::{Callee, FuncId, Module, Op};
use lexopt::prelude::*;
use serde_json::json;

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
    let (mut format, mut options) = (Format::default(), ProjectOptions::default());
    let mut parser = lexopt::Parser::from_args(arguments);
    while let Some(argument) = parser.next()? {
        match argument {
            Short('I') => options.search_roots.push(parser.value()?.into()),
            Short('D') => options.define(parser.value()?),
            Long("function") => functions.push(parser.value()?.string()?),
            Long("format") => format = parser.value()?.parse()?,
            Value(path) if file.is_none() => file = Some(PathBuf::from(path)),
            _ => return Err(argument.unexpected()),
        }
    }
    Ok(Arguments { file: file.ok_or("gradcheck: name a file")?, functions, format, options })
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
        let checked = check_function(&compiled.module, func, &Options::default());
        good &= checked.report.findings.is_empty();
        let name = &compiled.module.funcs[func].name;
        match arguments.format {
            Format::Human => {
                human(name, &checked, &mut lines);
                if !checked.report.findings.is_empty() && drops_derivatives(&compiled.module, func) {
                    lines.push(DROPPED.to_owned());
                }
            }
            Format::Json => lines.push(json(&compiled.module, func, &checked)),
        }
    }
    if lines.is_empty() {
        return Err(Failure::Usage("gradcheck: there is no differentiable function".to_owned()));
    }
    Ok((lines, good))
}

/// Said where differences and derivatives disagree by the user's word.
const DROPPED: &str = "  `no_diff` or `detach` drops derivatives here on purpose; differences include what is dropped";

/// Whether a function, or one that it calls, drops derivatives by the user's word.
fn drops_derivatives(module: &Module, func: FuncId) -> bool {
    let mut waiting = vec![func];
    let mut seen = HashSet::from([func]);
    while let Some(func) = waiting.pop() {
        for (_, data) in module.funcs[func].ops.iter() {
            match &data.op {
                Op::Detach(_) | Op::Call { no_diff: true, .. } => return true,
                Op::Call { callee: Callee::Func(callee), .. } if seen.insert(*callee) => waiting.push(*callee),
                _ => {}
            }
        }
    }
    false
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
}

fn describe(finding: &Finding) -> String {
    let place = |place: &Place| format!("`{}` ({})", place.name, place.component);
    match &finding.kind {
        FindingKind::Jvp { result, input, found, expected } => {
            format!("the tangent of {} by {} is {found}, differences say {expected}", place(result), place(input))
        }
        FindingKind::Vjp { input, found, expected, .. } => {
            format!("the cotangent of {} is {found}, the tangents say {expected}", place(input))
        }
        FindingKind::PrimalChanged { result, found, expected } => {
            format!("the derivative gives {found} for the value of {}, the function {expected}", place(result))
        }
        FindingKind::Failed { kind, error } => {
            let what = kind.map_or("the function", |kind| kind.word());
            format!("{what} does not run: {error}")
        }
    }
}

fn json(module: &Module, func: FuncId, checked: &Checked) -> String {
    let report = &checked.report;
    json!({
        "function": module.funcs[func].name.as_str(),
        "good": report.is_good(),
        "samples": report.samples,
        "directions": report.directions,
        "outside_domain": report.outside_domain,
        "kinks": report.kinks,
        "unsettled": report.unsettled,
        "drops_derivatives": drops_derivatives(module, func),
        "no_forward": checked.jvp.as_ref().map(ToString::to_string),
        "no_backward": checked.vjp.as_ref().map(ToString::to_string),
        "findings": report.findings.iter().map(describe).collect::<Vec<_>>(),
    })
    .to_string()
}

/// Whether attributes make a function differentiable.
pub fn is_differentiable(db: &dyn base_db::Db, function: item::ItemId) -> bool {
    hir_ty::differential::rules::derivative_rules(db, function).is_differentiable()
}
