//! `slang-analyzer nan`: which operation makes an infinity or NaN, in the value of a function or only in its derivatives.
//!
//! Exit status: 0 if all numbers are finite at all inputs that were tried, 1 if some are not, 4 if a function did not run or
//! a derivative could not be made.

use std::process::ExitCode;

use clap::Args;
use ide::{
    function_instances::Skipped,
    gradient_check::{Cases, DescribedNonFinite, NonFiniteOutcome, stage_word},
};
use serde_json::json;

use super::{
    compile::Failure,
    functions::{self, Report, json_number, json_numbers},
    project::display_path,
    sampling::{Sampling, prepared, taking},
    status::Status,
};

/// Find the operations that make an infinity or NaN, in a function or only in its derivatives.
#[derive(Args)]
#[command(after_help = "Examples:
  slang-analyzer nan loss.slang
  slang-analyzer nan loss.slang --function loss --at 0,1,1
  slang-analyzer nan loss.slang --function loss --domain x=0..1

Without --at: at random inputs, at 0, 1, -1, at equal inputs and at the ends of domains. Numbers have the precision \
of their types, as on a device.")]
pub struct Arguments {
    #[command(flatten)]
    of: functions::FunctionArguments,
    /// The numbers in all inputs, in order
    #[arg(long, value_name = "NUMBER", value_delimiter = ',', allow_hyphen_values = true)]
    at: Vec<f64>,
    #[command(flatten)]
    sampling: Sampling,
}

pub fn main(arguments: &Arguments) -> ExitCode {
    functions::run(arguments.of.report.format, || find(arguments))
}

fn find(arguments: &Arguments) -> Result<Report, Failure> {
    let Arguments { of, at, sampling } = arguments;
    let at = (!at.is_empty()).then_some(at.as_slice());
    if at.is_some() && of.functions.len() != 1 {
        return Err(Failure::Usage("name one function with --function".to_owned()));
    }
    let (checks, skipped) = prepared(of, &sampling.options(), Cases::LeftOut)?;
    let outcomes: Vec<NonFiniteOutcome> =
        taking(checks, at)?.into_iter().map(|check| check.find_non_finite(at)).collect();
    let mut lines = functions::lines(of.report.format, &outcomes, human, json);
    let left_out = |skipped: &Skipped| json!({"function": skipped.name, "problems": [skipped.reason]});
    lines.extend(functions::skipped_lines(of.report.format, &skipped, left_out));
    let status = match () {
        () if outcomes.iter().any(|outcome| !outcome.found.is_empty()) => Status::Errors,
        () if outcomes.iter().any(|outcome| !outcome.problems.is_empty()) => Status::NotSettled,
        () => Status::Done,
    };
    Ok(Report { lines, status })
}

fn human(outcome: &NonFiniteOutcome, lines: &mut Vec<String>) {
    let NonFiniteOutcome { function, points, found, problems } = outcome;
    let plural = |count: usize| if count == 1 { "" } else { "s" };
    let (origins, inputs) = (found.len(), plural(*points as usize));
    lines.push(match origins {
        0 => format!("{function}: finite at {points} input{inputs}"),
        _ => format!("{function}: NOT FINITE ({origins} origin{}, {points} input{inputs})", plural(origins)),
    });
    for described in found {
        let place = described.place.as_ref().map_or_else(String::new, |place| {
            format!("{}:{}:{}: ", display_path(&place.path), place.line, place.column)
        });
        lines.push(format!("  {place}{}", described.message));
    }
    lines.extend(problems.iter().map(|problem| format!("  {problem}")));
}

fn json(outcome: &NonFiniteOutcome) -> String {
    let origin = |described: &DescribedNonFinite| {
        let DescribedNonFinite { message, place, found } = described;
        let cause = found.origin.as_ref().and_then(|origin| origin.cause.as_ref());
        let pole = cause.and_then(|cause| cause.pole);
        let inputs: Vec<_> = found.inputs.iter().map(|input| json_numbers(&input.floats())).collect();
        json!({
            "stages": found.stages.iter().map(|stage| stage_word(*stage)).collect::<Vec<_>>(),
            "result": found.result.to_string(),
            "input": found.input.as_ref().map(ToString::to_string),
            "found": json_number(found.found),
            "at": inputs,
            "file": place.as_ref().map(|place| display_path(&place.path)),
            "line": place.as_ref().map(|place| place.line),
            "column": place.as_ref().map(|place| place.column),
            "text": place.as_ref().map(|place| place.text.as_str()),
            "operation": cause.map(|cause| cause.op.as_str()),
            "operands": cause.map(|cause| json_numbers(&cause.operands)),
            "cause": pole.map(|pole| pole.what),
            "cure": pole.map(|pole| pole.cure),
            "message": message,
        })
    };
    let found: Vec<_> = outcome.found.iter().map(origin).collect();
    json!({"function": outcome.function, "points": outcome.points, "origins": found, "problems": outcome.problems})
        .to_string()
}
