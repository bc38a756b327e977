//! Small programs in IR text; expected values are computed by hand or by the standard library.

mod arithmetic;
mod control;
mod damaged;
mod dispatch;
mod gradcheck;
mod in_place;
mod math;
mod pointers;
mod poles;
mod random;
mod simplified;
mod trip_counts;
mod waves;
mod words;

use ir::{Module, verify::VerifiedModule};
use test_support::modules::module;

use crate::{InterpError, Limits, Machine, Precision, Value};

fn run_with(text: &str, precision: Precision, limits: Limits, args: &[Value]) -> Result<Vec<Value>, InterpError> {
    let module = module(text);
    let func = module.func_named("f").unwrap();
    Machine::new(&module, precision, limits).call(func, args)
}

/// Runs `@f`.
fn run(text: &str, args: &[Value]) -> Vec<Value> {
    run_with(text, Precision::Declared, Limits::default(), args).unwrap()
}

/// Runs `@f`, which has `%a`, `%b`, … of type `operand` and computes `op` of type `result`.
fn eval(op: &str, operand: &str, result: &str, args: &[Value]) -> Value {
    let inputs: Vec<String> = args.iter().zip(["a", "b", "c"]).map(|(_, name)| format!("%{name}: {operand}")).collect();
    let text = format!("func @f({}) -> (return: {result}) {{ %r: {result} = {op} return %r }}", inputs.join(", "));
    run(&text, args).remove(0)
}

fn floats(values: &[f64]) -> Value {
    Value::Aggregate(values.iter().map(|&value| Value::Float(value)).collect())
}

fn ints(values: &[i64]) -> Value {
    Value::Aggregate(values.iter().map(|&value| Value::Int(value)).collect())
}
