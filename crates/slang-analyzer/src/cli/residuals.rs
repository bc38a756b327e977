//! `slang-analyzer residuals`: what reverse mode keeps between its two sweeps, in bytes, and why.

use std::{ffi::OsString, process::ExitCode};

use autodiff::{
    AutodiffError,
    residuals::{ResidualItem, ResidualPlan},
};
use ir::FuncId;
use serde_json::json;

use super::{
    compile::{self, Compiled, Failure},
    functions::{self, Arguments, Report},
    project::display_path,
    report::Format,
};

pub fn main(arguments: Vec<OsString>) -> ExitCode {
    functions::run(Arguments::parse("residuals", arguments, |_, _| Ok(false)), |arguments| residuals(&arguments))
}

fn residuals(arguments: &Arguments) -> Result<Report, Failure> {
    let compiled = arguments.lower()?;
    let mut lines = Vec::new();
    for &func in &compiled.roots {
        let plan = autodiff::residual_plan(&compiled.module, func);
        match arguments.format {
            Format::Human => human(&compiled, func, &plan, &mut lines),
            Format::Json => lines.push(json(&compiled, func, &plan)),
        }
    }
    if lines.is_empty() {
        return Err(Failure::Usage("residuals: there is no differentiable function".to_owned()));
    }
    Ok(Report { lines, status: 0 })
}

fn human(compiled: &Compiled, func: FuncId, plan: &Result<ResidualPlan, AutodiffError>, lines: &mut Vec<String>) {
    let name = &compiled.module.funcs[func].name;
    let plan = match plan {
        Ok(plan) => plan,
        Err(error) => {
            lines.push(format!("{name}: no backward derivative: {error}"));
            return;
        }
    };
    lines.push(format!("{name}: {} bytes", plan.bytes()));
    for item in &plan.items {
        let what = item.name.as_ref().map_or_else(|| "a value".to_owned(), |name| format!("`{name}`"));
        let size = match (item.total_bytes, item.iterations) {
            (0, _) => String::new(),
            (total, 1) => format!(", {total} bytes"),
            (total, iterations) => format!(", {total} bytes for {iterations} iterations"),
        };
        let place = compile::place(&compiled.project.db, &compiled.files, source_span(compiled, item));
        lines.push(format!("  {place}{what}: {} is {}{size}: {}", item.type_name, item.decision, item.reason));
    }
}

fn source_span(compiled: &Compiled, item: &ResidualItem) -> ir::SourceSpan {
    compiled.module.spans.get(item.span.0 as usize).copied().unwrap_or_default()
}

fn json(compiled: &Compiled, func: FuncId, plan: &Result<ResidualPlan, AutodiffError>) -> String {
    let name = compiled.module.funcs[func].name.as_str();
    let plan = match plan {
        Ok(plan) => plan,
        Err(error) => return json!({"function": name, "error": error.to_string()}).to_string(),
    };
    let item = |item: &ResidualItem| {
        let span = source_span(compiled, item);
        let place = compile::position(&compiled.project.db, &compiled.files, span);
        let (file, line, column) = place
            .map_or((None, None, None), |(path, line, column)| (Some(display_path(&path)), Some(line), Some(column)));
        json!({
            "name": item.name.as_deref(),
            "type": item.type_name.as_str(),
            "decision": item.decision.to_string(),
            "reason": item.reason.to_string(),
            "bytes": item.bytes,
            "iterations": item.iterations,
            "total_bytes": item.total_bytes,
            "file": file,
            "line": line,
            "column": column,
        })
    };
    let items: Vec<_> = plan.items.iter().map(item).collect();
    json!({"function": name, "bytes": plan.bytes(), "items": items}).to_string()
}
