//! `slang-analyzer residuals`: what reverse mode keeps between its two sweeps, in bytes, and why: of the functions that are
//! named, or of all differentiable ones of a file, methods and instances of generic functions among them.

use std::process::ExitCode;

use base_db::Db;
use clap::Args;
use hir_def::item::ItemId;
use hir_ty::differential::rules::derivative_rules;
use ide::{
    function_instances::{Instances, all_instances, instances_named},
    residual_plan::{PlacedItem, ResidualPlan, plan_of},
};
use serde_json::json;

use super::{
    arguments::Format,
    compile::{self, Failure, parse_derivative},
    functions::{self, Report},
    project::display_path,
    status::Status,
};

/// List what reverse mode keeps between its two sweeps, in bytes, and why.
#[derive(Args)]
#[command(after_help = "Examples:
  slang-analyzer residuals loss.slang
  slang-analyzer residuals loss.slang --function 'Mlp<16>.eval' --format json

Without --function: all differentiable functions of the file.")]
pub struct Arguments {
    #[command(flatten)]
    of: functions::FunctionArguments,
}

pub fn main(arguments: &Arguments) -> ExitCode {
    functions::run(arguments.of.report.format, || residuals(&arguments.of))
}

fn residuals(arguments: &functions::FunctionArguments) -> Result<Report, Failure> {
    let (project, file) = compile::load(&arguments.file, &arguments.project, arguments.report)?;
    let db = &project.db;
    let mut plans: Vec<ResidualPlan> = Vec::new();
    if arguments.functions.is_empty() {
        let is_differentiable = |item: ItemId| derivative_rules(db, item).is_differentiable();
        let Instances { found, skipped } = all_instances(db, file, is_differentiable);
        plans.extend(found.iter().map(|instance| plan_of(db, instance, &[])));
        plans.extend(
            skipped
                .into_iter()
                .map(|skipped| ResidualPlan { function: skipped.name, items: Err(vec![skipped.reason]) }),
        );
    }
    for expression in &arguments.functions {
        let (name, operators) = parse_derivative(expression);
        let instances = instances_named(db, file, name).map_err(Failure::Usage)?;
        plans.extend(instances.found.iter().map(|instance| plan_of(db, instance, &operators)));
    }
    let mut lines = Vec::new();
    for plan in &plans {
        match arguments.report.format {
            Format::Human => human(db, plan, &mut lines),
            Format::Json => lines.push(json(db, plan)),
        }
    }
    if lines.is_empty() {
        return Err(Failure::Usage("there is no differentiable function".to_owned()));
    }
    Ok(Report { lines, status: Status::Done })
}

fn human(db: &dyn Db, plan: &ResidualPlan, lines: &mut Vec<String>) {
    let name = &plan.function;
    let items = match &plan.items {
        Ok(items) => items,
        Err(problems) => {
            lines.push(format!("{name}: no backward derivative: {}", problems.join("; ")));
            return;
        }
    };
    lines.push(format!("{name}: {} bytes", plan.bytes()));
    for placed in items {
        let item = &placed.item;
        let what = item.name.as_ref().map_or_else(|| "a value".to_owned(), |name| format!("`{name}`"));
        let size = match (item.total_bytes, item.iterations) {
            (0, _) => String::new(),
            (total, 1) => format!(", {total} bytes"),
            (total, iterations) => format!(", {total} bytes for {iterations} iterations"),
        };
        let place = position(db, placed)
            .map_or_else(String::new, |(path, line, column)| format!("{}:{line}:{column}: ", display_path(&path)));
        lines.push(format!("  {place}{what}: {} is {}{size}: {}", item.type_name, item.decision, item.reason));
    }
}

fn position(db: &dyn Db, placed: &PlacedItem) -> Option<(String, u32, u32)> {
    let place = placed.place?;
    compile::position_in(db, place.file, place.range.start().into())
}

fn json(db: &dyn Db, plan: &ResidualPlan) -> String {
    let name = plan.function.as_str();
    let items = match &plan.items {
        Ok(items) => items,
        Err(problems) => return json!({"function": name, "error": problems.join("; ")}).to_string(),
    };
    let item = |placed: &PlacedItem| {
        let item = &placed.item;
        let (file, line, column) = position(db, placed)
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
    let items: Vec<_> = items.iter().map(item).collect();
    json!({"function": name, "bytes": plan.bytes(), "items": items}).to_string()
}
