//! What functions make their results from, for their callers: the analysis of a body ends at its calls, and these summaries
//! take it through them.
//!
//! Only values count. What merely decides (conditions, selectors, indices) makes nothing that a derivative could follow.

mod ways;

use ir::{Callee, Func, FuncId, GlobalId, Module, Op, OpId, ValueId};
use la_arena::{Arena, ArenaMap};
use rustc_hash::FxHashSet;

use crate::{
    flow::{Edge, Flow, Loss, Passage, Sink},
    memory::{Passed, Variable, Way, flow_in},
    reach::reachable,
};

/// What the callers of a function ask.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Dependences {
    /// For each result, the inputs that go into it as values, whether or not their derivatives come along.
    pub results: Vec<Vec<u32>>,
    /// The inputs that go into derivatives that the user wrote. These may have effects, so that a derivative is expected
    /// whether or not the call's results are used.
    pub written: Vec<u32>,
    /// The results that have derivatives which a derivative written by the user makes from what it reads.
    pub made: Vec<u32>,
}

/// What is known of the program beside what is in the module.
pub trait Surroundings {
    /// The summary of a function without body in the module; of others, too, where it is known already.
    fn dependences(&self, callee: FuncId) -> Option<&Dependences>;

    /// What calls of a function without body in the module do with memory.
    fn passed(&self, callee: FuncId) -> Vec<Passed>;

    /// The inputs that a function of the core library writes to memory: a call of it is a store of the user's.
    fn stores_of_library(&self, callee: FuncId) -> Vec<u32>;

    /// Which variable of the program a global of the module is.
    fn variable(&self, global: GlobalId) -> Option<Variable>;
}

/// For modules that hold all there is to know.
pub struct NothingElse;

impl Surroundings for NothingElse {
    fn dependences(&self, _: FuncId) -> Option<&Dependences> {
        None
    }

    fn passed(&self, _: FuncId) -> Vec<Passed> {
        Vec::new()
    }

    fn stores_of_library(&self, _: FuncId) -> Vec<u32> {
        Vec::new()
    }

    fn variable(&self, global: GlobalId) -> Option<Variable> {
        Some(Variable(u32::from(global.into_raw()).into()))
    }
}

/// The summary of a function with a body. What surrounds it may speak of functions that call it in turn: the summaries of
/// a circle are found by beginning with none and going round until nothing changes.
pub fn dependences(module: &Module, id: FuncId, surroundings: &dyn Surroundings) -> Dependences {
    Callees::new(module, surroundings).make(id)
}

/// How a function with a body takes values into memory and out of it.
pub fn ways_through_memory(module: &Module, id: FuncId, surroundings: &dyn Surroundings) -> Vec<Way> {
    Callees::new(module, surroundings).ways(id)
}

/// The summaries of the functions that a function calls, made when they are asked for.
pub(crate) struct Callees<'a> {
    pub(crate) module: &'a Module,
    pub(crate) surroundings: &'a dyn Surroundings,
    made: ArenaMap<FuncId, Dependences>,
    /// Functions whose summary is being made: of these everything is assumed.
    making: FxHashSet<FuncId>,
    /// The same for what they do with memory, where nothing is: it is what their other ways do.
    pub(crate) making_ways: FxHashSet<FuncId>,
}

impl<'a> Callees<'a> {
    pub(crate) fn new(module: &'a Module, surroundings: &'a dyn Surroundings) -> Callees<'a> {
        Callees {
            module,
            surroundings,
            made: ArenaMap::default(),
            making: FxHashSet::default(),
            making_ways: FxHashSet::default(),
        }
    }

    /// The flow of `func` with what goes through memory by calls, and without what ends inside of them.
    pub(crate) fn complete(&mut self, func: &Func, mut flow: Flow) -> Flow {
        flow.edges.extend(self.edges_through_memory(func, &flow));
        self.through_calls(func, &flow)
    }

    /// The flow of `func` without what ends inside of its callees: values that only decide there, and arguments whose
    /// derivatives nobody reads.
    pub(crate) fn through_calls(&mut self, func: &Func, flow: &Flow) -> Flow {
        let edges = flow.edges.iter().filter(|edge| self.goes_through(func, edge)).copied().collect();
        let sinks = flow.sinks.iter().filter(|(value, sink)| match *sink {
            Sink::Result(_) => true,
            Sink::Argument(op) => self.has_effects(func, op, |arg| arg == *value),
        });
        let sinks = sinks.copied().collect();
        Flow { edges, sinks, ..flow.clone() }
    }

    /// Whether a value goes along an edge that leads through a call. In a function that is not known it may.
    fn goes_through(&mut self, func: &Func, edge: &Edge) -> bool {
        let (Passage::Argument | Passage::Lost(Loss::PlainResult(_)), Some(op)) = (edge.passage, edge.op) else {
            return true;
        };
        let data = &func.ops[op];
        let Op::Call { callee: Callee::Func(callee), args, .. } = &data.op else { return true };
        let inputs = args.iter().enumerate().filter(|(_, arg)| **arg == edge.from);
        let mut pairs = inputs.flat_map(|(input, _)| {
            let results = data.results.iter().enumerate().filter(|(_, result)| **result == edge.to);
            results.map(move |(result, _)| (input, result))
        });
        pairs.any(|(input, result)| {
            self.get(*callee).is_none_or(|summary| {
                summary.results.get(result).is_some_and(|inputs| inputs.contains(&(input as u32)))
            })
        })
    }

    /// Whether a derivative of an argument is asked for by what a call does besides making results.
    fn has_effects(&mut self, func: &Func, op: OpId, is_argument: impl Fn(ir::ValueId) -> bool) -> bool {
        let data = &func.ops[op];
        let Op::Call { callee, args, .. } = &data.op else { return true };
        let only_effects = !data.results.iter().any(|&result| self.module.types.is_differentiable(func.ty(result)));
        let Callee::Func(callee) = *callee else { return only_effects };
        let rules = &self.module.funcs[callee].rules;
        if rules.forward.is_some() || rules.backward.is_some() {
            return true;
        }
        // Of a function that is not known: it does something else if it has no result with a derivative.
        self.get(callee).map_or(only_effects, |summary| {
            let mut inputs = args.iter().enumerate().filter(|(_, arg)| is_argument(**arg));
            inputs.any(|(input, _)| summary.written.contains(&(input as u32)))
        })
    }

    /// The summary of `callee`; `None` if its body is not known.
    fn get(&mut self, callee: FuncId) -> Option<&Dependences> {
        let func = &self.module.funcs[callee];
        if let Some(known) = self.surroundings.dependences(callee) {
            return Some(known).filter(|known| known.results.len() == func.results.len());
        }
        func.body?;
        if !self.made.contains_idx(callee) {
            if !self.making.insert(callee) {
                return None;
            }
            let made = self.make(callee);
            self.making.remove(&callee);
            self.made.insert(callee, made);
        }
        self.made.get(callee)
    }

    fn make(&mut self, id: FuncId) -> Dependences {
        let func = &self.module.funcs[id];
        let flow = self.complete(func, flow_in(self.module, id));
        // What is stored where no derivative can be kept is an error in the body of a differentiable function, and said there.
        let is_marked = func.rules.forward_differentiable || func.rules.backward_differentiable;
        let is_said = |edge: &Edge| {
            is_marked && matches!(edge.passage, Passage::Lost(Loss::NoDiffField | Loss::NonDifferentiableLocation))
        };
        let mut summary = Dependences { results: vec![Vec::new(); func.results.len()], ..Dependences::default() };
        for (index, &input) in (0..).zip(func.input_values()) {
            let start = std::iter::once(input);
            let reached = reachable(&flow, start, |edge| !is_said(edge), |edge| (edge.from, edge.to));
            let returned = flow.returned.iter().filter(|(value, _)| reached.contains(value));
            for &(_, result) in returned {
                if !summary.results[result].contains(&index) {
                    summary.results[result].push(index);
                }
            }
            let is_written = |(value, sink): &(_, Sink)| matches!(sink, Sink::Argument(_)) && reached.contains(value);
            if flow.sinks.iter().any(is_written) {
                summary.written.push(index);
            }
        }
        if is_marked {
            let derivative = |edge: &Edge| edge.passage == Passage::Derivative;
            let made = self.made_by_calls(func, &flow);
            let reached = reachable(&flow, made.into_iter(), derivative, |edge| (edge.from, edge.to));
            let is_made =
                |&(value, index): &(ValueId, usize)| func.results[index].differentiable && reached.contains(&value);
            summary
                .made
                .extend(flow.returned.iter().filter(|returned| is_made(returned)).map(|(_, index)| *index as u32));
            summary.made.sort_unstable();
            summary.made.dedup();
        }
        summary
    }

    /// The results of calls whose derivatives come from what a derivative that the user wrote reads, whatever the arguments
    /// carry. Without a reference to memory among its arguments a function has none but those that it calls by name.
    pub(crate) fn made_by_calls(&mut self, func: &Func, flow: &Flow) -> Vec<ValueId> {
        let module = self.module;
        let mut made = Vec::new();
        for &(callee, op) in &flow.calls {
            let data = &func.ops[op];
            let slots = &module.funcs[callee].results;
            if makes_derivatives(&module.funcs, callee) {
                let results = data.results.iter().zip(slots);
                made.extend(results.filter(|(_, slot)| slot.differentiable).map(|(&result, _)| result));
                continue;
            }
            let Op::Call { args, .. } = &data.op else { continue };
            let rules = &module.funcs[callee].rules;
            let takes_places = args.iter().any(|arg| module.types.holds_handles(func.ty(*arg)));
            let is_marked = rules.forward_differentiable || rules.backward_differentiable;
            if takes_places && is_marked && slots.iter().any(|slot| slot.differentiable) {
                let numbers = self.get(callee).map_or(&[][..], |summary| &summary.made);
                made.extend(numbers.iter().filter_map(|number| data.results.get(*number as usize)));
            }
        }
        made
    }
}

/// Whether a written derivative of `callee` may make derivatives from what it reads, whatever the arguments carry.
fn makes_derivatives(funcs: &Arena<Func>, callee: FuncId) -> bool {
    let rules = &funcs[callee].rules;
    !rules.read_none && (rules.forward.is_some() || rules.backward.is_some())
}
