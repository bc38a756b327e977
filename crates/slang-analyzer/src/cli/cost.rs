//! `slang-analyzer cost`: what functions and their backward derivatives do, line by line: an estimate.

use std::process::ExitCode;

use clap::Args;
use ide::{
    function_instances::Skipped,
    gradient_check::{Alternative, Cases, Cost, CostOutcome, CostTable, GradientCheck, LineCost, Operations},
};
use interp::gradcheck::Options;
use serde_json::json;

use super::{
    compile::Failure,
    functions::{self, Report},
    project::display_path,
    sampling::prepared,
    status::Status,
};

/// Estimate what functions and their backward derivatives cost, line by line.
#[derive(Args)]
#[command(after_help = "Examples:
  slang-analyzer cost loss.slang
  slang-analyzer cost loss.slang --function 'Mlp<16>.eval' --format json

Counted are scalar operations after simplification: of the function (forward), and of its backward derivative, both \
sweeps together (reverse). Loops count as often as they run at most, branches with all their arms. Without \
--function: all differentiable functions of the file.")]
pub struct Arguments {
    #[command(flatten)]
    of: functions::FunctionArguments,
}

pub fn main(arguments: &Arguments) -> ExitCode {
    functions::run(arguments.of.report.format, || cost(&arguments.of))
}

fn cost(of: &functions::FunctionArguments) -> Result<Report, Failure> {
    let (checks, skipped) = prepared(of, &Options::default(), Cases::LeftOut)?;
    let outcomes: Vec<CostOutcome> = checks.into_iter().map(GradientCheck::cost).collect();
    let mut lines = functions::lines(of.report.format, &outcomes, human, json);
    let left_out = |skipped: &Skipped| json!({"function": skipped.name, "error": skipped.reason});
    lines.extend(functions::skipped_lines(of.report.format, &skipped, left_out));
    Ok(Report { lines, status: Status::Done })
}

fn human(CostOutcome { function, cost }: &CostOutcome, lines: &mut Vec<String>) {
    let CostTable { total, has_unknown_loops, lines: by_line, alternatives } = match cost {
        Ok(table) => table,
        Err(problems) => {
            lines.push(format!("{function}: no estimate: {}", problems.join("; ")));
            return;
        }
    };
    lines.push(format!("{function}: {} (estimate)", total.words()));
    if *has_unknown_loops {
        lines.push("  how often some loop runs is not known: one iteration counts".to_owned());
    }
    for LineCost { place, cost } in by_line {
        lines.push(format!("  {}:{}: {}: {}", display_path(&place.path), place.line, cost.words(), place.text));
    }
    for Alternative { what, total: then } in alternatives {
        lines.push(format!("  with {what}: {}", then.change_from(*total)));
    }
}

fn json(CostOutcome { function, cost }: &CostOutcome) -> String {
    let table = match cost {
        Ok(table) => table,
        Err(problems) => return json!({"function": function, "error": problems.join("; ")}).to_string(),
    };
    let line = |LineCost { place, cost }: &LineCost| {
        let mut line = cost_json(*cost);
        line["file"] = display_path(&place.path).into();
        line["line"] = place.line.into();
        line["text"] = place.text.as_str().into();
        line
    };
    let alternative = |Alternative { what, total }: &Alternative| {
        let mut alternative = cost_json(*total);
        alternative["what"] = what.as_str().into();
        alternative
    };
    json!({
        "function": function,
        "estimate": true,
        "total": cost_json(table.total),
        "unknown_loops": table.has_unknown_loops,
        "lines": table.lines.iter().map(line).collect::<Vec<_>>(),
        "alternatives": table.alternatives.iter().map(alternative).collect::<Vec<_>>(),
    })
    .to_string()
}

fn cost_json(Cost { forward, reverse, bytes }: Cost) -> serde_json::Value {
    json!({"forward": operations_json(forward), "reverse": operations_json(reverse), "bytes": bytes})
}

fn operations_json(operations: Operations) -> serde_json::Value {
    let Operations { arithmetic, transcendental, memory, atomics } = operations;
    json!({"all": operations.all(), "arithmetic": arithmetic, "transcendental": transcendental, "memory": memory,
           "atomics": atomics})
}
