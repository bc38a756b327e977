//! `slang-analyzer jacobian`: all derivatives of a function at one point.

use std::process::ExitCode;

use clap::Args;
use interp::{Limits, Value, gradcheck::jacobian};
use ir::{Scalar, Type, TypeId, types::TypeTable};
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
    let inputs = module.funcs[func].inputs.iter().map(|input| value(&module.types, input.ty, &mut rest));
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

/// A value of the type from as many numbers as it holds.
fn value(types: &TypeTable, ty: TypeId, numbers: &mut dyn Iterator<Item = f64>) -> Option<Value> {
    let many = |count: usize, numbers: &mut dyn Iterator<Item = f64>, scalar| -> Option<Vec<Value>> {
        (0..count).map(|_| number(scalar, numbers.next()?)).collect()
    };
    Some(match types.get(ty) {
        Type::Scalar(scalar) => return number(scalar, numbers.next()?),
        Type::Vector { scalar, len } => Value::Aggregate(many(len.into(), numbers, scalar)?),
        Type::Matrix { scalar, rows, cols } => {
            let rows = (0..rows).map(|_| Some(Value::Aggregate(many(cols.into(), numbers, scalar)?)));
            Value::Aggregate(rows.collect::<Option<_>>()?)
        }
        Type::Array { element, len } => {
            Value::Aggregate((0..len).map(|_| value(types, element, numbers)).collect::<Option<_>>()?)
        }
        Type::Struct(id) => {
            let fields = types.structs[id].fields.iter().map(|field| value(types, field.ty, numbers));
            Value::Aggregate(fields.collect::<Option<_>>()?)
        }
        Type::Sum(_) | Type::Handle(_) | Type::Opaque(_) => return None,
    })
}

fn number(scalar: Scalar, number: f64) -> Option<Value> {
    Some(match scalar {
        Scalar::Bool => Value::Bool(number != 0.0),
        scalar if scalar.is_float() => Value::Float(number),
        _ if number.fract() == 0.0 => Value::Int(number as i64),
        _ => return None,
    })
}
