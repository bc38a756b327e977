//! Derivatives against central differences of the function itself. Nothing is held as a constant: a derivative that gets
//! lost on its way is a difference, whoever loses it.

use hir_def::body::DerivativeOperator::{self, Backward, Forward};
use hir_ty::{signature::FunctionRef, ty::GenericArgs};
use interp::{Limits, Machine, Precision, Value};
use ir::FuncId;
use test_support::modules::verified;

use super::{database, float, function, numbers};
use crate::{Root, lower_program};

/// What is wrong with the derivatives of the functions `names`, all `float -> float`, at these points.
pub(super) fn disagreements(text: &str, names: &[String], at: &[f64]) -> Vec<String> {
    const STEP: f64 = 1e-6;
    const WAYS: [&[DerivativeOperator]; 3] = [&[], &[Forward], &[Backward]];
    let (db, file) = database(text);
    let args = GenericArgs::new(&db, Box::default());
    let functions = names.iter().map(|name| FunctionRef { item: function(&db, file, name), args, self_ty: None });
    let wanted: Vec<Root> = functions
        .flat_map(|function| WAYS.map(|operators| Root::Function { function, operators: operators.to_vec() }))
        .collect();
    let lowered = lower_program(&db, &wanted, &[], crate::Setting::default());
    if !lowered.errors.is_empty() {
        return lowered.errors.iter().map(|error| format!("{} at {:?}", error, error.span)).collect();
    }
    let mut module = verified(lowered.module);
    let roots: Vec<FuncId> = lowered.roots.iter().map(|root| root.expect("a root without errors")).collect();
    if let Err(errors) = autodiff::expand(&mut module, &roots) {
        return errors.iter().map(ToString::to_string).collect();
    }
    let call = |root: FuncId, args: &[Value]| -> Vec<f64> {
        let mut machine = Machine::new(&module, Precision::F64, Limits::default());
        let results = machine.call(root, args);
        let results = results.unwrap_or_else(|error| panic!("{}: {error:?}", module.funcs[root].name));
        results.iter().flat_map(numbers).collect()
    };
    let mut found = Vec::new();
    for (name, roots) in names.iter().zip(roots.chunks(WAYS.len())) {
        let &[primal, forward, backward] = roots else { panic!("a function without its derivatives") };
        for &x in at {
            let value = |x: f64| call(primal, &[float(x)])[0];
            let expected = (value(x + STEP) - value(x - STEP)) / (2.0 * STEP);
            let pair = |derivative: f64| Value::Aggregate(vec![float(x), float(derivative)]);
            let ways =
                [("forward", call(forward, &[pair(1.0)])), ("backward", call(backward, &[pair(0.0), float(1.0)]))];
            for (way, got) in ways {
                // A pair comes out of each: the value (or the parameter) and the derivative.
                if (got[1] - expected).abs() > 1e-5 * (1.0 + expected.abs()) {
                    found.push(format!("{name} at {x}, {way}: {} instead of {expected}", got[1]));
                }
            }
        }
    }
    found
}
