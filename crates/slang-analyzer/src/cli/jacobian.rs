//! `slang-analyzer jacobian`: all derivatives of a function at one point.

use std::process::ExitCode;

use clap::Args;
use ide::gradient_check::{inputs_of, what_is_taken};
use interp::{Limits, gradcheck::jacobian};
use serde_json::json;

use super::{
    arguments::Format,
    compile::Failure,
    functions::{self, Report, json_number, json_numbers},
    sampling::unfit_numbers,
    status::Status,
};

/// Print all derivatives of a function at one point.
#[derive(Args)]
#[command(after_help = "Example:\n  slang-analyzer jacobian loss.slang --function loss --at 0.5,-1,2")]
pub struct Arguments {
    #[command(flatten)]
    of: functions::FunctionArguments,
    /// The numbers in all inputs, in order
    #[arg(long, required = true, value_name = "NUMBER", value_delimiter = ',', allow_hyphen_values = true)]
    at: Vec<f64>,
}

pub fn main(arguments: &Arguments) -> ExitCode {
    functions::run(arguments.of.report.format, || print(arguments))
}

fn print(arguments: &Arguments) -> Result<Report, Failure> {
    if arguments.of.functions.len() != 1 {
        return Err(Failure::Usage("name one function with --function".to_owned()));
    }
    let (_, program) = arguments.of.lower()?;
    let module = &program.module;
    let fitting = program.roots.iter().filter_map(|func| Some((*func, inputs_of(module, *func, &arguments.at)?)));
    let (func, inputs) = match Vec::from_iter(fitting).as_slice() {
        [(func, inputs)] => (*func, inputs.clone()),
        [] => {
            let takes: Vec<String> = program.roots.iter().map(|func| what_is_taken(module, *func)).collect();
            return Err(Failure::Usage(unfit_numbers(&arguments.at, &takes)));
        }
        several => {
            let name = arguments.of.functions.concat();
            let message = format!(
                "{} functions are called `{name}` and take as many numbers: name the types of the parameters, as in `{name}(float2)`",
                several.len()
            );
            return Err(Failure::Usage(message));
        }
    };
    let found = jacobian::jacobian(module, func, &inputs, Limits::default())
        .map_err(|error| Failure::Unsupported(error.to_string()))?;
    let mut lines = Vec::new();
    for ((result, value), row) in found.results.iter().zip(&found.values).zip(&found.rows) {
        match arguments.of.report.format {
            Format::Human => {
                lines.push(format!("{result} = {value}"));
                let derivatives = found.inputs.iter().zip(row);
                lines.extend(derivatives.map(|(input, derivative)| format!("  d / d {input} = {derivative}")));
            }
            Format::Json => {
                let inputs: Vec<String> = found.inputs.iter().map(ToString::to_string).collect();
                let line = json!({"result": result.to_string(), "value": json_number(*value), "inputs": inputs,
                                  "derivatives": json_numbers(row)});
                lines.push(line.to_string());
            }
        }
    }
    Ok(Report { lines, status: Status::Done })
}
