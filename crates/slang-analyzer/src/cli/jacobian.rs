//! `slang-analyzer jacobian`: all derivatives of a function at one point.

use std::process::ExitCode;

use clap::Args;
use interp::{Limits, Value, gradcheck::jacobian};
use serde_json::json;

use super::{
    arguments::Format,
    compile::Failure,
    functions::{self, Report},
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
    functions::run(|| print(arguments))
}

fn print(arguments: &Arguments) -> Result<Report, Failure> {
    if arguments.of.functions.len() != 1 {
        return Err(Failure::Usage("name one function with --function".to_owned()));
    }
    let (_, program) = arguments.of.lower()?;
    let Some(&func) = program.roots.first() else { return Err(Failure::internal("the function was not lowered")) };
    let module = &program.module;
    let mut rest = arguments.at.iter().copied();
    let inputs = module.funcs[func].inputs.iter().map(|input| Value::from_numbers(&module.types, input.ty, &mut rest));
    let inputs: Option<Vec<Value>> = inputs.collect();
    let (Some(inputs), None) = (inputs, rest.next()) else {
        let function = &module.funcs[func].name;
        let message = format!("`{function}` does not take {} numbers", arguments.at.len());
        return Err(Failure::Usage(message));
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
                let line = json!({"result": result.to_string(), "value": value, "inputs": inputs, "derivatives": row});
                lines.push(line.to_string());
            }
        }
    }
    Ok(Report { lines, status: Status::Done })
}
