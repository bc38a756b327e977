//! What functions take into memory and out of it, by their own operations and by those of what they call.

use ir::{Callee, Func, FuncId, Op, OpId, ValueId};
use rustc_hash::FxHashSet;

use super::Callees;
use crate::{
    flow::{Edge, Flow, Loss, Passage},
    memory::{
        Passed, Place, Root, Source, Target, Way,
        event::{self, Access, Event, holds_float},
        flow_in,
        order::Order,
        place::Places,
    },
    reach::reachable,
};

impl<'a> Callees<'a> {
    /// The edges of what goes through memory by calls; those of the function's own operations are in the flow already.
    pub(crate) fn edges_through_memory(&mut self, func: &Func, flow: &Flow) -> Vec<Edge> {
        let events = self.events(func, flow);
        if events.iter().all(|event| event.call.is_none()) {
            return Vec::new();
        }
        event::edges(&self.module.types, func, &events, |is_calls| is_calls)
    }

    /// What the function and its callees do with memory; nothing if none of them does.
    fn events(&mut self, func: &Func, flow: &Flow) -> Vec<Event> {
        let mut calls: Vec<(OpId, FuncId, Vec<Passed>)> = Vec::new();
        for (op, data) in func.ops.iter() {
            if let Op::Call { callee: Callee::Func(callee), no_diff: false, .. } = data.op {
                let passed = self.passed_by(callee);
                if !passed.is_empty() {
                    calls.push((op, callee, passed));
                }
            }
        }
        if calls.is_empty() && !event::touches_memory(func) {
            return Vec::new();
        }
        let surroundings = self.surroundings;
        let variables = |global| surroundings.variable(global);
        let places = Places { types: &self.module.types, func, given: event::given(flow), variables: &variables };
        let mut events = event::of_operations(&places);
        for (op, callee, passed) in calls {
            let data = &func.ops[op];
            let Op::Call { args, .. } = &data.op else { continue };
            let here = |place: &Place| match place.root {
                Root::Variable(_) => vec![place.clone()],
                Root::Input(index) => {
                    args.get(index as usize).map_or(Vec::new(), |&arg| places.behind(arg, &place.path))
                }
            };
            for (way, passed) in (0..).zip(&passed) {
                let (what, at) = match (&passed.source, &passed.target) {
                    (Source::Input(index), Target::Place(place)) => {
                        let Some(&arg) = args.get(*index as usize) else { continue };
                        (Access::Store(arg), here(place))
                    }
                    (Source::Place(place), Target::Result(index)) => {
                        let Some(&result) = data.results.get(*index as usize) else { continue };
                        (Access::Load(result), here(place))
                    }
                    (Source::Place(from), Target::Place(to)) => (Access::Copy(here(from)), here(to)),
                    // That is what dependences tell.
                    (Source::Input(_), Target::Result(_)) => continue,
                };
                if !at.is_empty() {
                    events.push(Event { op, what, places: at, call: Some((callee, way)) });
                }
            }
        }
        events
    }

    /// What calls of the core library store.
    pub(crate) fn stores_of_library(&self, func: &Func) -> Vec<(ValueId, OpId)> {
        let mut stores = Vec::new();
        for (op, data) in func.ops.iter() {
            if let Op::Call { callee: Callee::Func(callee), args, no_diff: false } = &data.op
                && !self.is_users_business(*callee)
            {
                let stored = self.surroundings.stores_of_library(*callee);
                stores.extend(stored.iter().filter_map(|input| Some((*args.get(*input as usize)?, op))));
            }
        }
        stores
    }

    /// What the user's own derivatives do with memory is the user's business.
    fn is_users_business(&self, callee: FuncId) -> bool {
        let rules = &self.module.funcs[callee].rules;
        rules.forward.is_some() || rules.backward.is_some() || rules.treat_as_differentiable
    }

    /// The summary of a function that is called.
    fn passed_by(&mut self, callee: FuncId) -> Vec<Passed> {
        if self.is_users_business(callee) {
            return Vec::new();
        }
        if self.module.funcs[callee].body.is_none() {
            return self.surroundings.passed(callee);
        }
        if !self.making_ways.insert(callee) {
            return Vec::new();
        }
        let passed = self.ways(callee).into_iter().map(|way| way.passed).collect();
        self.making_ways.remove(&callee);
        passed
    }

    /// How a function with a body takes values into memory and out of it.
    pub(crate) fn ways(&mut self, id: FuncId) -> Vec<Way> {
        let (module, func) = (self.module, &self.module.funcs[id]);
        let own = flow_in(module, id);
        let events = self.events(func, &own);
        if events.is_empty() {
            return Vec::new();
        }
        let flow = self.complete(func, own);
        let order = Order::new(func);
        let stored = event::all_stored(&module.types, func, &events, &order);
        let goes_on = |edge: &Edge| goes_on(module, func, edge);
        let from = |value: ValueId| reachable(&flow, std::iter::once(value), goes_on, |edge| (edge.from, edge.to));
        let mut ways = Ways::default();
        // What is lost in the body of a differentiable function is said there.
        let carried = self.said_in_body(func, &flow);
        for (index, &input) in (0..).zip(func.input_values()) {
            if func.rules.marked_inputs.contains(&index) {
                continue;
            }
            let reached = from(input);
            for stored in stored.iter().filter(|stored| reached.contains(&stored.value)) {
                let event = &events[stored.event];
                let is_plain = matches!(event.what, Access::Store(value) if value == stored.value);
                if !(event.call.is_none() && is_plain && carried.contains(&stored.value)) {
                    ways.stored(Source::Input(index), &stored.places, event);
                }
            }
        }
        for load in &events {
            let Access::Load(result) = load.what else { continue };
            let reached = from(result);
            for &(value, index) in &flow.returned {
                if reached.contains(&value) && holds_float(&module.types, func.ty(value)) {
                    for place in &load.places {
                        ways.add(Source::Place(place.clone()), Target::Result(index as u32), load);
                    }
                }
            }
            for stored in stored.iter().filter(|stored| reached.contains(&stored.value)) {
                for place in &load.places {
                    ways.stored(Source::Place(place.clone()), &stored.places, &events[stored.event]);
                }
            }
        }
        for copy in &events {
            let Access::Copy(from) = &copy.what else { continue };
            for place in from {
                ways.stored(Source::Place(place.clone()), &copy.places, copy);
            }
        }
        ways.0
    }

    /// The values of a differentiable function that carry a derivative, so that each place which cannot keep one is an error.
    fn said_in_body(&self, func: &Func, flow: &Flow) -> FxHashSet<ValueId> {
        if !func.rules.forward_differentiable && !func.rules.backward_differentiable {
            return FxHashSet::default();
        }
        let inputs = func.input_values().iter().zip(&func.inputs).filter(|(_, input)| input.differentiable);
        let derivative = |edge: &Edge| edge.passage == Passage::Derivative;
        reachable(flow, inputs.map(|(&value, _)| value), derivative, |edge| (edge.from, edge.to))
    }
}

/// Whether a value goes along the edge as something that may have had a derivative, kept or not.
fn goes_on(module: &ir::Module, func: &Func, edge: &Edge) -> bool {
    match edge.passage {
        Passage::Derivative | Passage::Unheld => true,
        // Of a type parameter, or of a type that keeps none.
        Passage::Number | Passage::Argument => {
            [edge.from, edge.to].iter().all(|&end| holds_float(&module.types, func.ty(end)))
        }
        Passage::Lost(loss) => match loss {
            Loss::ToInteger | Loss::Bitcast | Loss::Rounding(_) => false,
            Loss::Call(_)
            | Loss::Intrinsic
            | Loss::NoDiffField
            | Loss::NonDifferentiableLocation
            | Loss::PlainResult(_)
            | Loss::Memory
            | Loss::StoredByCall(..)
            | Loss::ToInterface
            | Loss::Unbounded(_) => holds_float(&module.types, func.ty(edge.to)),
        },
    }
}

#[derive(Default)]
struct Ways(Vec<Way>);

impl Ways {
    fn stored(&mut self, source: Source, places: &[Place], event: &Event) {
        for place in places {
            self.add(source.clone(), Target::Place(place.clone()), event);
        }
    }

    fn add(&mut self, source: Source, target: Target, event: &Event) {
        let passed = Passed { source, target };
        if self.0.iter().all(|way| way.passed != passed) {
            self.0.push(Way { passed, op: event.op, call: event.call });
        }
    }
}
