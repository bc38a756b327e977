//! `slang-analyzer jacobian`: all derivatives of a function at one point.

use std::{ffi::OsString, process::ExitCode};

use interp::{Limits, Value, gradcheck::jacobian};
use ir::{Scalar, Type, TypeId, types::TypeTable};
use lexopt::ValueExt;
use serde_json::json;

use super::{
    compile::Failure,
    functions::{self, Report},
    report::Format,
};

struct Arguments {
    of: functions::Arguments,
    /// The numbers in all inputs, in order.
    at: Vec<f64>,
}

pub fn main(arguments: Vec<OsString>) -> ExitCode {
    functions::run(parse(arguments), |arguments| print(&arguments))
}

fn parse(arguments: Vec<OsString>) -> Result<Arguments, lexopt::Error> {
    let mut at = None;
    let of = functions::Arguments::parse("jacobian", arguments, |option, parser| {
        if option == "at" {
            at = Some(numbers(&parser.value()?.string()?)?);
        }
        Ok(option == "at")
    })?;
    if of.functions.len() != 1 {
        return Err("jacobian: name a function with --function".into());
    }
    Ok(Arguments { of, at: at.ok_or("jacobian: give the inputs with --at, as `0.5,1,2`")? })
}

fn numbers(text: &str) -> Result<Vec<f64>, lexopt::Error> {
    let parse = |part: &str| part.trim().parse::<f64>().map_err(|_| format!("jacobian: `{part}` is no number"));
    Ok(text.split(',').map(parse).collect::<Result<_, _>>()?)
}

fn print(arguments: &Arguments) -> Result<Report, Failure> {
    let compiled = arguments.of.lower()?;
    let Some(&func) = compiled.roots.first() else { return Err(Failure::internal("the function was not lowered")) };
    let module = &compiled.module;
    let mut rest = arguments.at.iter().copied();
    let inputs = module.funcs[func].inputs.iter().map(|input| value(&module.types, input.ty, &mut rest));
    let inputs: Option<Vec<Value>> = inputs.collect();
    let (Some(inputs), None) = (inputs, rest.next()) else {
        let function = &module.funcs[func].name;
        let message = format!("jacobian: `{function}` does not take {} numbers", arguments.at.len());
        return Err(Failure::Usage(message));
    };
    let found = jacobian::jacobian(module, func, &inputs, Limits::default())
        .map_err(|error| Failure::Unsupported(error.to_string()))?;
    let mut lines = Vec::new();
    for ((result, value), row) in found.results.iter().zip(&found.values).zip(&found.rows) {
        match arguments.of.format {
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
    Ok(Report { lines, status: 0 })
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
