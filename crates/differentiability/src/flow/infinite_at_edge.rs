//! 41841 (hint): an argument is limited to a range whose edge is where the derivative is infinite: `acos(clamp(x, -1, 1))`.
//! What keeps the value defined does not keep the derivative finite.

use autodiff::activity::Activity;
use diagnostics::codes;
use ir::{BinaryOp, Constant, Func, MathFn, Op, ValueDef, ValueId};

use super::Flow;
use crate::Finding;

/// What is infinite at the least or the greatest argument that a limit allows.
struct Edge {
    function: MathFn,
    at: f64,
    is_least: bool,
}

const fn least(function: MathFn, at: f64) -> Edge {
    Edge { function, at, is_least: true }
}

const fn greatest(function: MathFn, at: f64) -> Edge {
    Edge { function, at, is_least: false }
}

/// The square root is not here: its derivative at 0 is bounded, as it is in slangc.
const EDGES: [Edge; 11] = [
    least(MathFn::Acos, -1.0),
    greatest(MathFn::Acos, 1.0),
    least(MathFn::Asin, -1.0),
    greatest(MathFn::Asin, 1.0),
    least(MathFn::Acosh, 1.0),
    least(MathFn::Atanh, -1.0),
    greatest(MathFn::Atanh, 1.0),
    least(MathFn::Rsqrt, 0.0),
    least(MathFn::Log, 0.0),
    least(MathFn::Log2, 0.0),
    least(MathFn::Log10, 0.0),
];

pub(super) fn check(flow: &Flow<'_>, activity: &Activity) -> Vec<Finding> {
    let func = flow.func();
    let active = func.ops.iter().filter(|(_, data)| data.results.iter().any(|result| activity.is_active(*result)));
    let found = active.filter_map(|(_, data)| {
        let (argument, edges) = infinite_at(func, &data.op)?;
        let limits = Limits::of(func, argument)?;
        let reached: Vec<f64> = edges.into_iter().filter(|(at, is_least)| limits.end(*is_least) == Some(*at)).map(|(at, _)| at).collect();
        let location = flow.location(data.span)?;
        let text = flow.text(location)?;
        let places: Vec<String> = reached.iter().map(f64::to_string).collect();
        let message = format!(
            "the derivative of `{text}` is infinite where its argument is {}, which the limit allows: keep the argument a little away from there",
            places.join(" or ")
        );
        let related = flow.location(limits.span);
        let finding = Finding::new(codes::INFINITE_AT_EDGE, location, message);
        (!reached.is_empty()).then(|| finding.related(related, "this limits it"))
    });
    found.collect()
}

/// The argument of an operation, and where its derivative is infinite, if that is the least or the greatest value it takes.
fn infinite_at(func: &Func, op: &Op) -> Option<(ValueId, Vec<(f64, bool)>)> {
    match op {
        Op::Math(MathFn::Pow, args) => {
            let exponent = constant(func, args[1])?;
            (exponent < 1.0).then(|| (args[0], vec![(0.0, true)]))
        }
        Op::Math(function, args) => {
            let of = EDGES.iter().filter(|edge| edge.function == *function);
            Some((*args.first()?, of.map(|edge| (edge.at, edge.is_least)).collect()))
        }
        Op::Binary(BinaryOp::Div, _, divisor) => Some((*divisor, vec![(0.0, true)])),
        _ => None,
    }
}

/// The range that a value is limited to, ends included.
struct Limits {
    least: Option<f64>,
    greatest: Option<f64>,
    span: ir::SpanId,
}

impl Limits {
    fn of(func: &Func, value: ValueId) -> Option<Limits> {
        let ValueDef::Result { op, .. } = func.values[value].def else { return None };
        let data = &func.ops[op];
        let either = |left: &ValueId, right: &ValueId| constant(func, *left).or_else(|| constant(func, *right));
        let (least, greatest) = match &data.op {
            Op::Math(MathFn::Max, args) => (either(&args[0], &args[1]), None),
            Op::Math(MathFn::Min, args) => (None, either(&args[0], &args[1])),
            Op::Math(MathFn::Clamp, args) => (constant(func, args[1]), constant(func, args[2])),
            Op::Math(MathFn::Saturate, _) => (Some(0.0), Some(1.0)),
            Op::Math(MathFn::Abs, _) => (Some(0.0), None),
            Op::Math(MathFn::Dot, args) if args[0] == args[1] => (Some(0.0), None),
            Op::Binary(BinaryOp::Mul, left, right) if left == right => (Some(0.0), None),
            _ => return None,
        };
        Some(Limits { least, greatest, span: data.span })
    }

    fn end(&self, is_least: bool) -> Option<f64> {
        if is_least { self.least } else { self.greatest }
    }
}

/// The number that a value is, or all components of it are.
fn constant(func: &Func, value: ValueId) -> Option<f64> {
    let ValueDef::Result { op, .. } = func.values[value].def else { return None };
    match &func.ops[op].op {
        Op::Const(Constant::Float(number)) => Some(*number),
        Op::Const(Constant::Int(number)) => Some(*number as f64),
        Op::Zero => Some(0.0),
        Op::Splat(inner) | Op::Convert(inner) => constant(func, *inner),
        Op::Unary(ir::UnaryOp::Neg, inner) => constant(func, *inner).map(|number| -number),
        Op::Binary(BinaryOp::Div, left, right) => Some(constant(func, *left)? / constant(func, *right)?),
        _ => None,
    }
}
