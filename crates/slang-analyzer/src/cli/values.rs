//! `slang-analyzer values`: what the lines of a function make at a point, and by how much the result changes with each.

use std::process::ExitCode;

use clap::Args;
use ide::gradient_check::{Cases, ExploredInput, Margin, MarginLine};
use interp::gradcheck::Options;
use serde_json::json;

use super::{
    arguments::Format,
    compile::{Failure, parse_derivative},
    functions::{self, Report, json_number, json_numbers},
    project::display_path,
    sampling::{prepared, taking},
    status::Status,
};

/// Print what each line of a function makes at a point, and its cotangent.
#[derive(Args)]
#[command(after_help = "Example:
  slang-analyzer values loss.slang --function loss --at 0.5,-1,2 --iteration 0

Without --at: at some inputs at which the value is finite. The cotangent of a line is by how much the sum of all \
results changes with it, by differences of the function itself.")]
pub struct Arguments {
    #[command(flatten)]
    of: functions::FunctionArguments,
    /// The numbers in all inputs, in order
    #[arg(long, value_name = "NUMBER", value_delimiter = ',', allow_hyphen_values = true)]
    at: Vec<f64>,
    /// Of what runs several times, which is shown, from 0; the last without it
    #[arg(long, value_name = "N")]
    iteration: Option<u32>,
}

pub fn main(arguments: &Arguments) -> ExitCode {
    functions::run(arguments.of.report.format, || values(arguments))
}

fn values(arguments: &Arguments) -> Result<Report, Failure> {
    let Arguments { of, at, iteration } = arguments;
    let (checks, _) = match of.functions.as_slice() {
        [name] if !parse_derivative(name).1.is_empty() => {
            let message = format!("the lines of `{name}` are not in the source: name the function itself");
            return Err(Failure::Usage(message));
        }
        [_] => prepared(of, &Options::default(), Cases::LeftOut)?,
        _ => return Err(Failure::Usage("name one function with --function".to_owned())),
    };
    let at = (!at.is_empty()).then_some(at.as_slice());
    let mut lines = Vec::new();
    for check in taking(checks, at)? {
        let function = check.function.clone();
        let margin = check.margin(at, *iteration);
        let margin = margin.map_err(|problems| Failure::Unsupported(format!("{function}: {}", problems.join("; "))))?;
        match of.report.format {
            Format::Human => human(&function, &margin, &mut lines),
            Format::Json => lines.push(json(&function, &margin)),
        }
    }
    Ok(Report { lines, status: Status::Done })
}

fn human(function: &str, Margin { inputs, lines: by_line }: &Margin, lines: &mut Vec<String>) {
    let at: Vec<String> = inputs.iter().map(|input| format!("{} = {}", input.name, input.value)).collect();
    lines.push(format!("{function} at {}", at.join(", ")));
    for line in by_line {
        let place = &line.place;
        lines.push(format!("  {}:{}: {} = {}", display_path(&place.path), place.line, place.text, line.words()));
    }
}

fn json(function: &str, Margin { inputs, lines }: &Margin) -> String {
    let input = |input: &ExploredInput| json!({"name": input.name, "value": json_number(input.value)});
    let line = |line: &MarginLine| {
        let MarginLine { place, count, time, value, cotangent } = line;
        json!({"file": display_path(&place.path), "line": place.line, "text": place.text, "value": json_numbers(value),
               "cotangent": cotangent.as_deref().map(json_numbers), "count": count, "iteration": time})
    };
    let (inputs, lines): (Vec<_>, Vec<_>) = (inputs.iter().map(input).collect(), lines.iter().map(line).collect());
    json!({"function": function, "inputs": inputs, "lines": lines}).to_string()
}
