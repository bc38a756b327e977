//! The ways of derivatives through a function, step by step, for people to read.

use std::collections::VecDeque;

use ir::{Func, Op, OpId, SpanId, ValueDef, ValueId};
use la_arena::ArenaMap;

use crate::flow::{Edge, Flow, Sink};

/// One step of the way of a derivative.
#[derive(Debug, Clone, PartialEq)]
pub struct ChainStep {
    /// Where the step is.
    pub span: SpanId,
    /// The value that the derivative is at behind the step.
    pub value: ValueId,
    /// What the step is.
    pub what: StepKind,
}

/// How a derivative gets on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepKind {
    /// The input with this index.
    Input(usize),
    /// Made by an operation other than a call.
    Operation(OpId),
    /// Made by a call.
    Call(OpId),
    /// Goes through a branch or from one iteration to the next.
    Flow,
    /// Becomes the result with this index.
    Result(usize),
    /// Becomes an argument of a differentiable function.
    Argument(OpId),
}

/// The shortest way of a derivative from a differentiable input to `value`, along the edges that `follow` allows.
pub(crate) fn from_source(func: &Func, flow: &Flow, value: ValueId, follow: impl Fn(&Edge) -> bool) -> Vec<ChainStep> {
    let inputs = func.input_values();
    let is_source = |value: ValueId| {
        inputs.iter().position(|&input| input == value).filter(|&index| func.inputs[index].differentiable)
    };
    let path = shortest(flow, value, follow, |edge| (edge.to, edge.from), |value| is_source(value).is_some());
    let mut chain: Vec<ChainStep> = path.into_iter().rev().map(|value| step(func, value)).collect();
    if let Some(first) = chain.first_mut()
        && let Some(index) = is_source(first.value)
    {
        first.what = StepKind::Input(index);
        first.span = func.inputs[index].span;
    }
    chain
}

/// The shortest way from `value` to where a derivative is expected, along the edges that `follow` allows: to one of `sinks`.
pub(crate) fn to_sink(
    func: &Func,
    flow: &Flow,
    value: ValueId,
    follow: impl Fn(&Edge) -> bool,
    sinks: impl Fn(Sink) -> bool,
) -> Vec<ChainStep> {
    // Of several sinks, the function's results come first.
    let sink = |value: ValueId| {
        let of_value = || flow.sinks.iter().filter(|(from, sink)| *from == value && sinks(*sink));
        of_value().find(|(_, sink)| matches!(sink, Sink::Result(_))).or_else(|| of_value().next())
    };
    let path = shortest(flow, value, follow, |edge| (edge.from, edge.to), |value| sink(value).is_some());
    let mut chain: Vec<ChainStep> = path.into_iter().map(|value| step(func, value)).collect();
    if let Some((value, sink)) = chain.last().and_then(|step| sink(step.value)) {
        let (what, span) = match sink {
            Sink::Result(index) => (StepKind::Result(*index), func.span),
            Sink::Argument(op) => (StepKind::Argument(*op), func.ops[*op].span),
        };
        chain.push(ChainStep { span, value: *value, what });
    }
    chain
}

/// The values from `start` to the nearest end; `start` alone if there is none.
fn shortest(
    flow: &Flow,
    start: ValueId,
    follow: impl Fn(&Edge) -> bool,
    ends: impl Fn(&Edge) -> (ValueId, ValueId),
    is_end: impl Fn(ValueId) -> bool,
) -> Vec<ValueId> {
    let mut next: ArenaMap<ValueId, Vec<ValueId>> = ArenaMap::default();
    for edge in flow.edges.iter().filter(|edge| follow(edge)) {
        let (from, to) = ends(edge);
        next.entry(from).or_default().push(to);
    }
    let mut before: ArenaMap<ValueId, Option<ValueId>> = ArenaMap::default();
    before.insert(start, None);
    let mut queue = VecDeque::from([start]);
    while let Some(value) = queue.pop_front() {
        if is_end(value) {
            let mut path = vec![value];
            while let Some(&Some(previous)) = path.last().and_then(|&last| before.get(last)) {
                path.push(previous);
            }
            path.reverse();
            return path;
        }
        for &to in next.get(value).map_or(&[][..], |list| list) {
            if !before.contains_idx(to) {
                before.insert(to, Some(value));
                queue.push_back(to);
            }
        }
    }
    vec![start]
}

/// How `value` is made.
pub(crate) fn step(func: &Func, value: ValueId) -> ChainStep {
    match func.values[value].def {
        ValueDef::Result { op, .. } => {
            let data = &func.ops[op];
            let what = match &data.op {
                Op::Call { .. } => StepKind::Call(op),
                data if data.regions().is_empty() => StepKind::Operation(op),
                _ => StepKind::Flow,
            };
            ChainStep { span: data.span, value, what }
        }
        ValueDef::Param { .. } => ChainStep { span: func.span, value, what: StepKind::Flow },
    }
}
