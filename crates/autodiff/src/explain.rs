//! Why a value carries a derivative, or why it does not: the question that a reader of a body asks of each name in it.
//!
//! The answer is that of [`activity`](crate::activity), with the ways that led to it. For a value without a derivative the
//! nearest place after it is found where a derivative that came from an input ended.

use std::collections::VecDeque;

use ir::{Func, FuncId, Module, Op, OpId, ValueId};
use la_arena::ArenaMap;

use crate::{
    activity::{Activity, reaching},
    chain::{self, ChainStep},
    flow::{Edge, Flow, Loss, Passage, Sink},
    memory::flow_in,
};

/// What there is to say about one value.
#[derive(Debug, Clone, PartialEq)]
pub struct Explanation {
    /// How a derivative gets to the value.
    pub arrival: Arrival,
    /// The way on to a differentiable result; `None` if the value goes into none.
    pub to_result: Option<Vec<ChainStep>>,
}

/// How a derivative gets to a value.
#[derive(Debug, Clone, PartialEq)]
pub enum Arrival {
    /// The way from a differentiable input, or from a call that makes a derivative.
    Carries(Vec<ChainStep>),
    /// The value depends on a differentiable input, whose derivative ends at an operation on the way.
    Ended {
        /// The operation that ends it.
        op: OpId,
        /// What ends it.
        end: End,
        /// The way from the input to the operation.
        to_end: Vec<ChainStep>,
    },
    /// The value depends on no differentiable input.
    Independent,
}

/// What ends a derivative.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// By the user's word: `detach`, `no_diff` in front of a call, a parameter, result or field marked `no_diff`.
    Dropped,
    /// A comparison or another question, or a number without derivative.
    Number,
    /// As in the findings of the analysis.
    Lost(Loss),
}

/// The answers for the values of one function.
pub struct Explainer<'m> {
    func: &'m Func,
    flow: Flow,
    activity: Activity,
}

impl<'m> Explainer<'m> {
    /// Analyses the function `id` once, for any number of questions.
    pub fn new(module: &'m Module, id: FuncId) -> Explainer<'m> {
        Explainer { func: &module.funcs[id], flow: flow_in(module, id), activity: reaching(module, id) }
    }

    /// The analysis that the answers come from.
    pub fn activity(&self) -> &Activity {
        &self.activity
    }

    /// What there is to say about a value of the function.
    pub fn explain(&self, value: ValueId) -> Explanation {
        let keeps = |edge: &Edge| edge.passage == Passage::Derivative;
        let arrival = if self.activity.carries(value) {
            Arrival::Carries(chain::from_source(self.func, &self.flow, value, keeps))
        } else {
            self.nearest_end(value)
        };
        let is_expected = self.activity.is_expected(value);
        let is_result = |sink: Sink| matches!(sink, Sink::Result(_));
        let to_result = is_expected.then(|| chain::to_sink(self.func, &self.flow, value, keeps, is_result));
        Explanation { arrival, to_result }
    }

    /// Goes back from `value` to the nearest value that carries a derivative.
    fn nearest_end(&self, value: ValueId) -> Arrival {
        let mut sources: ArenaMap<ValueId, Vec<(ValueId, Option<OpId>)>> = ArenaMap::default();
        for edge in &self.flow.edges {
            sources.entry(edge.to).or_default().push((edge.from, edge.op));
        }
        for (op, data) in self.func.ops.iter().filter(|(_, data)| data.op.regions().is_empty()) {
            for &result in &data.results {
                let operands = data.op.operands();
                sources.entry(result).or_default().extend(operands.iter().map(|&operand| (operand, Some(op))));
            }
        }
        let mut seen: ArenaMap<ValueId, ()> = ArenaMap::default();
        seen.insert(value, ());
        let mut queue = VecDeque::from([value]);
        while let Some(to) = queue.pop_front() {
            for &(from, op) in sources.get(to).map_or(&[][..], |list| list) {
                if let (true, Some(op)) = (self.activity.carries(from), op) {
                    let keeps = |edge: &Edge| edge.passage == Passage::Derivative;
                    let to_end = chain::from_source(self.func, &self.flow, from, keeps);
                    return Arrival::Ended { op, end: self.end(op, from, to), to_end };
                }
                if !seen.contains_idx(from) {
                    seen.insert(from, ());
                    queue.push_back(from);
                }
            }
        }
        Arrival::Independent
    }

    fn end(&self, op: OpId, from: ValueId, to: ValueId) -> End {
        let edge = self.flow.edges.iter().find(|edge| (edge.op, edge.from, edge.to) == (Some(op), from, to));
        match edge.map(|edge| edge.passage) {
            Some(Passage::Lost(loss)) => End::Lost(loss),
            Some(Passage::Number | Passage::Argument) => End::Number,
            // No edge: the flow has none where the user drops a derivative, nor where questions are asked.
            _ => match &self.func.ops[op].op {
                Op::Detach(_) | Op::Forget(_) | Op::Call { .. } | Op::Extract { .. } => End::Dropped,
                _ => End::Number,
            },
        }
    }
}
