//! Every operation with a pole, where it is; the places are those that mathematics gives, and Slang where it bounds a
//! derivative.

use crate::gradcheck::{
    Options,
    non_finite::{NonFinite, Stage, find_non_finite},
};

use super::*;

/// A module in which each operation has a place in a source; IR text has none.
fn with_spans(text: &str) -> VerifiedModule {
    let mut module = module(text).into_module();
    let func = module.func_named("f").unwrap();
    let ops: Vec<ir::OpId> = module.funcs[func].ops.iter().map(|(id, _)| id).collect();
    for (start, op) in (1..).zip(ops) {
        let span = module.span(ir::SourceSpan { file: 0, start, end: start + 1 });
        module.funcs[func].ops[op].span = span;
    }
    VerifiedModule::new(module).expect("places break no rule")
}

/// What is found at some inputs.
fn found(text: &str, at: &[f64]) -> Vec<NonFinite> {
    let module = with_spans(text);
    let func = module.func_named("f").unwrap();
    let report = find_non_finite(&module, func, Some(at), &Options::default()).expect("the inputs fit");
    assert_eq!((report.points, &report.failure, &report.jvp, &report.vjp), (1, &None, &None, &None), "{text}");
    report.found
}

/// A function of floats that computes `op`.
fn of_floats(op: &str, count: usize) -> String {
    let inputs: Vec<String> = ["a", "b", "c"][..count].iter().map(|name| format!("%{name}: f32 diff")).collect();
    let inputs = inputs.join(", ");
    format!(
        "func @f({inputs}) -> (y: f32 diff) forward_differentiable backward_differentiable {{ %y: f32 = {op} return %y }}"
    )
}

/// Powers of two that a `f32` holds.
const LARGE: f64 = (1u128 << 100) as f64;
const LARGEST: f64 = (1u128 << 127) as f64;

#[test]
fn each_pole_is_named() {
    // The operation, inputs at a pole, and whether the value itself is not finite there.
    let table: &[(&str, &[f64], bool)] = &[
        ("sqrt(%a)", &[-1.0], true),
        ("rsqrt(%a)", &[0.0], true),
        ("rsqrt(%a)", &[-1.0], true),
        ("rcp(%a)", &[0.0], true),
        ("log(%a)", &[0.0], true),
        ("log2(%a)", &[0.0], true),
        ("log10(%a)", &[-1.0], true),
        ("pow(%a, %b)", &[0.0, 0.5], false),
        ("pow(%a, %b)", &[0.0, -1.0], true),
        ("pow(%a, %b)", &[-1.0, 0.5], true),
        ("acos(%a)", &[1.0], false),
        ("asin(%a)", &[-1.0], false),
        ("acos(%a)", &[1.5], true),
        ("asin(%a)", &[1.5], true),
        ("acosh(%a)", &[1.0], false),
        ("acosh(%a)", &[0.5], true),
        ("atanh(%a)", &[1.0], true),
        ("atan2(%a, %b)", &[0.0, 0.0], false),
        ("fmod(%a, %b)", &[1.0, 0.0], true),
        // `saturate` makes 0 of what is not a number.
        ("smoothstep(%a, %b, %c)", &[1.0, 1.0, 1.0], false),
        ("exp(%a)", &[100.0], true),
        ("exp2(%a)", &[200.0], true),
        ("cosh(%a)", &[100.0], true),
        ("sinh(%a)", &[100.0], true),
        ("div %a, %b", &[0.0, 0.0], true),
        ("div %a, %b", &[1.0, 0.0], true),
        ("rem %a, %b", &[1.0, 0.0], true),
        ("div %a, %b", &[LARGE, 1.0 / LARGE], true),
        ("mul %a, %b", &[LARGE, LARGE], true),
        ("add %a, %b", &[LARGEST, LARGEST], true),
        ("sub %a, %b", &[LARGEST, -LARGEST], true),
    ];
    for &(op, at, of_value) in table {
        let found = found(&of_floats(op, at.len()), at);
        let word = op.split(['(', ' ']).next().unwrap();
        let causes = found.iter().filter_map(|found| found.origin.as_ref()?.cause.as_ref());
        let named = causes.filter(|cause| cause.pole.is_some()).any(|cause| cause.op == word && cause.operands == at);
        assert!(named, "{op} at {at:?}: {found:#?}");
        let is_value = found.iter().any(|found| found.stages.contains(&Stage::Primal));
        assert_eq!(is_value, of_value, "{op} at {at:?}: {found:#?}");
    }
}

#[test]
fn vectors_are_looked_at_by_component_and_as_a_whole() {
    let of_vector = |op: &str| {
        format!(
            "func @f(%a: f32x2 diff) -> (y: f32x2 diff) forward_differentiable backward_differentiable {{
                %y: f32x2 = {op} return %y
            }}"
        )
    };
    let direction = found(&of_vector("normalize(%a)"), &[0.0, 0.0]);
    let cause = direction[0].origin.as_ref().and_then(|origin| origin.cause.as_ref()).expect("a pole");
    assert_eq!((cause.op.as_str(), cause.operands.as_slice()), ("normalize", &[0.0, 0.0][..]));
    let one = found(&of_vector("log(%a)"), &[2.0, 0.0]);
    let cause = one[0].origin.as_ref().and_then(|origin| origin.cause.as_ref()).expect("a pole");
    assert_eq!((one[0].result.to_string().as_str(), cause.operands.as_slice()), ("y.y", &[0.0][..]));
}

/// Slang bounds the derivatives of these, or defines them as 0.
#[test]
fn what_is_finite_by_definition_is_no_finding() {
    for (op, at) in
        [("sqrt(%a)", &[0.0][..]), ("abs(%a)", &[0.0]), ("atan2(%a, %b)", &[0.0, 1.0]), ("tanh(%a)", &[90.0])]
    {
        assert_eq!(found(&of_floats(op, at.len()), at), [], "{op}");
    }
    let length = "func @f(%a: f32x3 diff) -> (y: f32 diff) forward_differentiable backward_differentiable {
        %y: f32 = length(%a) return %y
    }";
    assert_eq!(found(length, &[0.0; 3]), []);
}

/// A `select` drops the logarithm of 0, but its derivative is 0 times infinity.
#[test]
fn what_a_select_drops_comes_back_in_the_derivative() {
    let text = "func @f(%x: f32 diff) -> (y: f32 diff) forward_differentiable backward_differentiable {
        %0: f32 = const 0.0
        %1: bool = gt %x, %0
        %2: f32 = log(%x)
        %y: f32 = select %1, %2, %0
        return %y
    }";
    let found = found(text, &[0.0]);
    let [NonFinite { stages, found, .. }] = found.as_slice() else { panic!("{found:#?}") };
    assert_eq!(stages.as_slice(), [Stage::Backward]);
    assert!(found.is_nan(), "0 times infinity is not a number: {found}");
}

/// Samples lie in the domain that is told, and at its ends.
#[test]
fn poles_are_found_by_samples() {
    let module = module(&of_floats("acos(%a)", 1));
    let func = module.func_named("f").unwrap();
    let search = |range| {
        let options = Options { ranges: vec![("a".into(), range)], ..Options::default() };
        find_non_finite(&module, func, None, &options).expect("no inputs are given").found
    };
    assert_eq!(search((-0.5, 0.5)), []);
    let at_end = search((0.0, 1.0));
    assert_eq!((at_end.len(), at_end[0].inputs.as_slice()), (1, &[Value::Float(1.0)][..]));
    assert_eq!(at_end[0].stages, [Stage::Forward, Stage::Backward]);
}

/// A function that does not come to an end is run a few times, not at all samples.
#[test]
fn what_runs_for_ever_is_given_up() {
    let module = module(
        "func @f(%x: f32 diff) -> (y: f32 diff) forward_differentiable backward_differentiable {
            %y: f32 = loop (%x) max_iters 4 cond (%s: f32) {
                %0: bool = const true
                yield %0
            } body (%t: f32) {
                yield %t
            }
            return %y
        }",
    );
    let func = module.func_named("f").unwrap();
    let limits = Limits { steps: 1 << 22, ..Limits::default() };
    let report = find_non_finite(&module, func, None, &Options { limits, samples: u32::MAX, ..Options::default() });
    let report = report.expect("no inputs are given");
    assert_eq!((report.points, report.failure), (0, Some(InterpError::StepLimit)));
}
