//! `slang-analyzer jacobian`: all derivatives of a function at one point.

use std::process::ExitCode;

use clap::Args;
use interp::{Limits, Value, gradcheck::jacobian};
use ir::{FuncId, Module, source_names::source_name};
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

/// The inputs of a function, from numbers of which none may be left.
fn inputs_of(module: &Module, func: FuncId, at: &[f64]) -> Option<Vec<Value>> {
    let mut rest = at.iter().copied();
    let inputs = module.funcs[func].inputs.iter().map(|input| Value::from_numbers(&module.types, input.ty, &mut rest));
    let inputs = inputs.collect::<Option<Vec<Value>>>()?;
    rest.next().is_none().then_some(inputs)
}

/// `2 numbers were given: `f` takes `x` (f32), `y` (f32)`
fn what_is_taken(module: &Module, functions: &[FuncId], given: usize) -> String {
    let takes = functions.iter().map(|func| {
        let func = &module.funcs[*func];
        let inputs =
            func.inputs.iter().map(|input| format!("`{}` ({})", input.name, source_name(&module.types, input.ty)));
        format!("`{}` takes {}", func.name, Vec::from_iter(inputs).join(", "))
    });
    let numbers = if given == 1 { "1 number was given".to_owned() } else { format!("{given} numbers were given") };
    format!("{numbers}: {}", Vec::from_iter(takes).join("; "))
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
        [] => return Err(Failure::Usage(what_is_taken(module, &program.roots, arguments.at.len()))),
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
                let line = json!({"result": result.to_string(), "value": value, "inputs": inputs, "derivatives": row});
                lines.push(line.to_string());
            }
        }
    }
    Ok(Report { lines, status: Status::Done })
}
