//! Derivative data-flow analysis: which values carry a derivative, where one is expected, and where one is lost.
//!
//! A value *carries* a derivative if one reaches it from a differentiable input, and a derivative *is expected* of it
//! if it goes into a differentiable result. Both are reachability in the graph of [`crate::flow`], which makes loops and
//! branches nothing special. A finding is an edge that loses the derivative of a value that carries one on its way to
//! where one is expected; it holds the way from the input to the loss and from the loss to the result.

use ir::{
    BinaryOp, Callee, Func, FuncId, MathFn, Module, Op, OpId, SpanId, Type, ValueDef, ValueId, ranges::Ranges,
    types::TypeTable,
};
use la_arena::{Arena, ArenaMap};
use rustc_hash::FxHashSet;

use crate::{
    chain,
    dependence::{Callees, NothingElse, Surroundings},
    flow::{Edge, Flow, Mode, Passage, Sink, flow, has_written},
    loops,
    memory::flow_in,
    reach::reachable,
};

pub use crate::{
    chain::{ChainStep, StepKind},
    flow::Loss,
};

/// The outcome of the analysis of one function.
#[derive(Debug, Default)]
pub struct Activity {
    carries: FxHashSet<ValueId>,
    expected: FxHashSet<ValueId>,
    /// What is lost or cannot be made.
    pub findings: Vec<Finding>,
}

/// A place where a derivative is lost or cannot be made.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// What is wrong.
    pub kind: FindingKind,
    /// Where it is.
    pub span: SpanId,
    /// The operation that loses it.
    pub op: OpId,
    /// The value whose derivative is lost; `None` for loops.
    pub lost: Option<ValueId>,
    /// The value that should have had a derivative; `None` where the value leaves the function (a store).
    pub value: Option<ValueId>,
    /// From the input to `lost`.
    pub chain_from_source: Vec<ChainStep>,
    /// From `value` to the result, or to the argument, that expects a derivative.
    pub chain_to_result: Vec<ChainStep>,
}

/// What is wrong at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FindingKind {
    /// The derivative is lost on the way to where it is expected.
    Lost(Loss),
    /// A value that carries a derivative is written where none can be kept (41031, 41809).
    StoredWithoutDetach,
    /// The loop has no bound and carries derivatives that reverse mode has to follow back (30510).
    UnboundedLoop,
    /// `[ForceUnroll]` of a loop whose iterations only running it tells, or that never ends (40020).
    CannotUnroll,
    /// `[MaxIters(declared)]` is less than the iterations that the loop makes.
    BoundTooSmall {
        /// The `n` of the attribute.
        declared: u32,
        /// How often the loop runs.
        iterations: u32,
    },
    /// `[MaxIters(declared)]` is more than the iterations that the loop makes (30519), or makes at most.
    BoundTooLarge {
        /// The `n` of the attribute.
        declared: u32,
        /// How often the loop runs.
        iterations: u32,
        /// Whether it runs exactly so often, and not at most.
        exact: bool,
    },
}

impl Activity {
    /// A derivative reaches the value from a differentiable input.
    pub fn carries(&self, value: ValueId) -> bool {
        self.carries.contains(&value)
    }

    /// The value goes into a differentiable result.
    pub fn is_expected(&self, value: ValueId) -> bool {
        self.expected.contains(&value)
    }

    /// Both: the back end gives it a tangent.
    pub fn is_active(&self, value: ValueId) -> bool {
        self.carries(value) && self.is_expected(value)
    }
}

/// Analyses a function of the module, as it was lowered. Never fails; a function without body has no findings. What is
/// known of the program around it tells whether what goes into a call matters to what comes out.
pub fn analyze(module: &Module, id: FuncId, surroundings: &dyn Surroundings) -> Activity {
    let func = &module.funcs[id];
    let mut flow = flow_in(module, id);
    let mut callees = Callees::new(module, surroundings);
    let made = callees.made_by_calls(func, &flow);
    let mut activity = reach(&module.types, func, &flow, Ends { sources: made, sinks: Vec::new() });
    flow.edges.extend(callees.edges_through_memory(func, &flow));
    flow.stores.extend(callees.stores_of_library(func));
    let loses = |edge: &Edge| matches!(edge.passage, Passage::Lost(_)) && activity.carries(edge.from);
    if flow.edges.iter().any(loses) {
        flow = callees.through_calls(func, &flow);
    }
    let mut finder = Finder::new(&module.types, func, &flow, &activity);
    finder.losses();
    finder.stores();
    finder.loops(module, &activity);
    finder.findings.sort_by_key(|finding| finding.op);
    activity.findings = finder.findings;
    activity
}

/// The values of a function that carry derivatives, and those of which one is expected, without findings.
pub fn reaching(module: &Module, id: FuncId) -> Activity {
    let (func, flow) = (&module.funcs[id], flow_in(module, id));
    let made = Callees::new(module, &NothingElse).made_by_calls(func, &flow);
    reach(&module.types, func, &flow, Ends { sources: made, sinks: Vec::new() })
}

/// The calls of a function that derivatives go through.
pub fn active_calls(module: &Module, id: FuncId) -> Vec<(FuncId, OpId)> {
    let func = &module.funcs[id];
    let activity = reaching(module, id);
    let calls = func.ops.iter().filter_map(|(op, data)| match &data.op {
        Op::Call { callee: Callee::Func(callee), args, no_diff: false } => {
            let goes_in = args.iter().any(|&arg| activity.carries(arg));
            let comes_out = data.results.iter().any(|&result| activity.is_expected(result));
            (goes_in && comes_out).then_some((*callee, op))
        }
        _ => None,
    });
    calls.collect()
}

/// The sets alone, for a function that need not be in the module. User-written derivatives of the mode are ends of their
/// own: they may make tangents, and take cotangents, where no input of the function has part in it.
pub(crate) fn active_values(types: &TypeTable, funcs: &Arena<Func>, func: &Func, mode: Mode) -> Activity {
    let flow = flow(types, funcs, func);
    let ends = Ends::of_mode(funcs, func, &flow, mode);
    reach(types, func, &flow, ends)
}

/// Where derivatives come from and go to besides inputs and results.
#[derive(Default)]
struct Ends {
    sources: Vec<ValueId>,
    sinks: Vec<ValueId>,
}

impl Ends {
    /// The calls through which a derivative gets to one that the user wrote for the mode.
    fn of_mode(funcs: &Arena<Func>, func: &Func, flow: &Flow, mode: Mode) -> Ends {
        let mut ends = Ends::default();
        for &(callee, op) in &flow.calls {
            let data = &func.ops[op];
            if let Op::Call { args, .. } = &data.op
                && has_written(funcs, callee, mode)
            {
                let target = &funcs[callee];
                let results = data.results.iter().zip(&target.results);
                ends.sources.extend(results.filter(|(_, slot)| slot.differentiable).map(|(&result, _)| result));
                let args = args.iter().zip(&target.inputs);
                ends.sinks.extend(args.filter(|(_, input)| input.differentiable).map(|(&arg, _)| arg));
            }
        }
        ends
    }
}

fn reach(types: &TypeTable, func: &Func, flow: &Flow, ends: Ends) -> Activity {
    let derivative = |edge: &Edge| edge.passage == Passage::Derivative;
    let inputs = func.input_values().iter().zip(&func.inputs).filter(|(_, input)| input.differentiable);
    let sources = inputs.map(|(&value, _)| value).chain(ends.sources);
    let results = flow.sinks.iter().filter(|(_, sink)| matches!(sink, Sink::Result(_)));
    let sinks = results.map(|(value, _)| *value).chain(ends.sinks);
    let differentiable = |value: &ValueId| types.is_differentiable(func.ty(*value));
    Activity {
        carries: reachable(flow, sources.filter(differentiable), derivative, |edge| (edge.from, edge.to)),
        expected: reachable(flow, sinks.filter(differentiable), derivative, |edge| (edge.to, edge.from)),
        findings: Vec::new(),
    }
}

struct Finder<'a> {
    func: &'a Func,
    flow: &'a Flow,
    /// The values that go into something that expects a derivative, lost on the way or not.
    wanted: FxHashSet<ValueId>,
    /// Those, and what goes into calls that may make such a value from it: integers, and values of plain types.
    wanted_as_argument: FxHashSet<ValueId>,
    /// On the way to any result, of whatever type.
    wanted_as_part: FxHashSet<ValueId>,
    /// The same for signs, which are integers by nature.
    wanted_of_sign: FxHashSet<ValueId>,
    /// The values that go into something that expects a derivative, however often they become integers on the way.
    wanted_as_integer: FxHashSet<ValueId>,
    /// The values that carry a derivative, or would if what is reported as lost on the way to them were not: each loss is
    /// one to mend.
    carrying: FxHashSet<ValueId>,
    /// Those that carry one as it is: where another loss comes before, a place without derivative is none too few.
    carrying_now: &'a FxHashSet<ValueId>,
    /// What the ends of regions give to values, if something comes out of a place without derivative.
    given: ArenaMap<ValueId, Vec<ValueId>>,
    findings: Vec<Finding>,
}

fn given_by_regions(flow: &Flow) -> ArenaMap<ValueId, Vec<ValueId>> {
    let mut given: ArenaMap<ValueId, Vec<ValueId>> = ArenaMap::default();
    if flow.edges.iter().any(|edge| edge.passage == Passage::Unheld) {
        for edge in flow.edges.iter().filter(|edge| edge.op.is_none()) {
            given.entry(edge.to).or_default().push(edge.from);
        }
    }
    given
}

impl<'a> Finder<'a> {
    fn new(types: &TypeTable, func: &'a Func, flow: &'a Flow, activity: &'a Activity) -> Finder<'a> {
        let carrying = activity.carries.clone();
        let none = FxHashSet::default;
        let mut finder = Finder {
            func,
            flow,
            wanted: none(),
            wanted_as_argument: none(),
            wanted_as_part: none(),
            wanted_of_sign: none(),
            wanted_as_integer: none(),
            carrying,
            carrying_now: &activity.carries,
            given: given_by_regions(flow),
            findings: Vec::new(),
        };
        let loses = |edge: &Edge| matches!(edge.passage, Passage::Lost(_)) && activity.carries(edge.from);
        if flow.edges.iter().any(loses) {
            let sinks = || flow.sinks.iter().map(|(value, _)| *value);
            // After the first loss the value goes on, through others, too; but who makes an integer of it
            // (`int(floor(x))`) expects no derivative.
            let becomes_integer = |edge: &Edge| match edge.passage {
                Passage::Lost(Loss::ToInteger | Loss::Bitcast) => true,
                Passage::Lost(Loss::PlainResult(_)) => {
                    matches!(types.get(func.ty(edge.to)), Type::Scalar(_) | Type::Vector { .. } | Type::Matrix { .. })
                }
                _ => false,
            };
            let is_argument = |edge: &Edge| edge.passage == Passage::Argument;
            let back = |edge: &Edge| (edge.to, edge.from);
            finder.wanted = reachable(flow, sinks(), |edge| !becomes_integer(edge) && !is_argument(edge), back);
            finder.wanted_as_argument = reachable(flow, sinks(), |edge| !becomes_integer(edge), back);
            // Who gets a value of a type without derivative reads its parts.
            let returned = flow.returned.iter().map(|(value, _)| *value);
            finder.wanted_as_part = reachable(flow, sinks().chain(returned), |edge| !becomes_integer(edge), back);
            finder.wanted_of_sign = reachable(flow, sinks(), |edge| !is_argument(edge), back);
            finder.wanted_as_integer = reachable(flow, sinks(), |_| true, back);
            let carried = activity.carries.iter().copied();
            finder.carrying = reachable(flow, carried, |edge| finder.goes_on(edge), |edge| (edge.from, edge.to));
        }
        finder
    }

    /// Whether a derivative goes along the edge, or would if the loss that is reported there were mended. What has no
    /// derivative by nature can only be excused, and then the derivative ends there.
    fn goes_on(&self, edge: &Edge) -> bool {
        match edge.passage {
            Passage::Derivative | Passage::Unheld => true,
            Passage::Number | Passage::Argument => false,
            Passage::Lost(loss) => match loss {
                Loss::Call(_) | Loss::Unbounded(_) | Loss::NoDiffField | Loss::NonDifferentiableLocation => {
                    self.is_reported(edge, loss)
                }
                Loss::Intrinsic
                | Loss::ToInteger
                | Loss::ToInterface
                | Loss::PlainResult(_)
                | Loss::Bitcast
                | Loss::Rounding(_)
                | Loss::Memory
                | Loss::StoredByCall(..) => false,
            },
        }
    }

    /// Whether a derivative that comes to the edge is missed after it.
    fn is_reported(&self, edge: &Edge, loss: Loss) -> bool {
        // A store into a place without derivative is wrong whether or not it is read again; what is made with all its parts
        // (a tuple of which one part is compared) loses what is asked of it.
        let in_type = matches!(loss, Loss::NoDiffField | Loss::NonDifferentiableLocation);
        let stored = in_type && edge.op.is_some_and(|op| matches!(self.func.ops[op].op, Op::Insert { .. }));
        let wanted = match loss {
            Loss::Rounding(MathFn::Sign) => &self.wanted_of_sign,
            Loss::ToInteger | Loss::Bitcast => &self.wanted_as_integer,
            Loss::ToInterface | Loss::PlainResult(_) => &self.wanted_as_argument,
            Loss::NoDiffField | Loss::NonDifferentiableLocation => &self.wanted_as_part,
            _ => &self.wanted,
        };
        match loss {
            _ if stored => self.carrying_now.contains(&edge.from),
            _ if in_type => wanted.contains(&edge.to) || self.comes_out_wanted(edge.from, wanted),
            // A factor only says on which side of zero the product is.
            Loss::Rounding(MathFn::Sign) if self.is_factor(edge.to) => false,
            _ => wanted.contains(&edge.to),
        }
    }

    /// Whether a value that was put into a place without derivative, or a part of it, comes out of one again, on the way to
    /// a result.
    fn comes_out_wanted(&self, value: ValueId, wanted: &FxHashSet<ValueId>) -> bool {
        let parts = self.parts_of(value);
        let comes_out =
            |edge: &Edge| edge.passage == Passage::Unheld && wanted.contains(&edge.to) && parts.contains(&edge.from);
        self.flow.edges.iter().any(comes_out)
    }

    /// A value and what it is put together from.
    fn parts_of(&self, value: ValueId) -> FxHashSet<ValueId> {
        let (mut parts, mut pending) = (FxHashSet::default(), vec![value]);
        while let Some(value) = pending.pop() {
            if !parts.insert(value) {
                continue;
            }
            let ValueDef::Result { op, .. } = self.func.values[value].def else {
                pending.extend(self.given.get(value).into_iter().flatten());
                continue;
            };
            match self.func.ops[op].op {
                Op::Make(ref made_of) => pending.extend(made_of),
                Op::Insert { aggregate, value, .. } => pending.extend([aggregate, value]),
                Op::Extract { aggregate, .. } => pending.push(aggregate),
                Op::Select { then, otherwise, .. } => pending.extend([then, otherwise]),
                Op::If { .. } | Op::Switch { .. } | Op::SumMatch { .. } | Op::Loop { .. } => {
                    pending.extend(self.given.get(value).into_iter().flatten());
                }
                _ => {}
            }
        }
        parts
    }

    /// Whether a value is used as a factor of what carries a derivative alone, converted to another number or multiplied with
    /// others before or not.
    fn is_factor(&self, value: ValueId) -> bool {
        let (mut seen, mut pending) = (FxHashSet::default(), vec![value]);
        while let Some(value) = pending.pop() {
            if !seen.insert(value) {
                continue;
            }
            if self.flow.sinks.iter().any(|(sink, _)| *sink == value) {
                return false;
            }
            for edge in self.flow.edges.iter().filter(|edge| edge.from == value) {
                match edge.op.map(|op| &self.func.ops[op].op) {
                    Some(&Op::Binary(BinaryOp::Mul | BinaryOp::Div, left, right)) => {
                        let other = if left == value { right } else { left };
                        if !self.carrying.contains(&other) {
                            pending.push(edge.to);
                        }
                    }
                    Some(Op::Convert(_) | Op::Splat(_)) => pending.push(edge.to),
                    _ => return false,
                }
            }
        }
        true
    }

    /// Edges that lose the derivative of a value that carries one, on the way to where one is expected.
    fn losses(&mut self) {
        let mut reported = FxHashSet::default();
        for edge in &self.flow.edges {
            let (Passage::Lost(loss), Some(op)) = (edge.passage, edge.op) else {
                continue;
            };
            if self.carrying.contains(&edge.from) && self.is_reported(edge, loss) && reported.insert(op) {
                self.findings.push(Finding {
                    kind: FindingKind::Lost(loss),
                    span: self.func.ops[op].span,
                    op,
                    lost: Some(edge.from),
                    value: Some(edge.to),
                    chain_from_source: self.way_from_source(edge.from),
                    chain_to_result: self.way_to_result(edge.to),
                });
            }
        }
    }

    fn stores(&mut self) {
        // Several components that one assignment writes are stored one by one.
        let mut told = FxHashSet::default();
        for &(value, op) in &self.flow.stores {
            let span = self.func.ops[op].span;
            if self.carrying_now.contains(&value) && told.insert(span) {
                self.findings.push(Finding {
                    kind: FindingKind::StoredWithoutDetach,
                    span,
                    op,
                    lost: Some(value),
                    value: None,
                    chain_from_source: self.way_from_source(value),
                    chain_to_result: Vec::new(),
                });
            }
        }
    }

    fn loops(&mut self, module: &Module, activity: &Activity) {
        let (mut ranges, mut specialised) = (None, None);
        for (id, data) in self.func.ops.iter() {
            let Op::Loop { bound, .. } = &data.op else {
                continue;
            };
            let ranges = ranges.get_or_insert_with(|| Ranges::new(&module.types, &module.funcs, self.func));
            let shape = loops::shape(ranges, self.func, id);
            if let (Some(declared), Some(count)) = (bound.max_iters, shape.count) {
                let iterations = count.at_most;
                if declared < iterations && count.exact {
                    self.loop_finding(FindingKind::BoundTooSmall { declared, iterations }, id, None);
                }
                // Where a counter is compared, before the body or (`do … while`) after it: how often a loop over floats runs
                // is not a number that anyone would write.
                let counts = shape.test.is_some() || (count.exact && !shape.inductions.is_empty());
                if declared > iterations && counts {
                    let kind = FindingKind::BoundTooLarge { declared, iterations, exact: count.exact };
                    self.loop_finding(kind, id, None);
                }
            }
            let active = data.results.iter().copied().find(|&result| activity.is_active(result));
            let active = active.filter(|_| self.func.rules.backward_differentiable);
            let mut is_unbounded = || {
                let specialised = specialised
                    .get_or_insert_with(|| Ranges::once_specialised(&module.types, &module.funcs, self.func));
                loops::bound(*bound, shape.count).is_none() && specialised.trip_count(id).is_none()
            };
            if bound.force_unroll.is_some() {
                let is_open = bound.force_unroll == Some(0) && bound.iterations().is_none();
                if is_open && (shape.never_unrolls(self.func) || (active.is_some() && is_unbounded())) {
                    self.loop_finding(FindingKind::CannotUnroll, id, None);
                }
            } else if active.is_some() && is_unbounded() {
                self.loop_finding(FindingKind::UnboundedLoop, id, active);
            }
        }
    }

    fn way_from_source(&self, value: ValueId) -> Vec<ChainStep> {
        chain::from_source(self.func, self.flow, value, |edge| self.goes_on(edge))
    }

    fn way_to_result(&self, value: ValueId) -> Vec<ChainStep> {
        chain::to_sink(self.func, self.flow, value, |_| true, |_| true)
    }

    fn loop_finding(&mut self, kind: FindingKind, op: OpId, active: Option<ValueId>) {
        self.findings.push(Finding {
            kind,
            span: self.func.ops[op].span,
            op,
            lost: None,
            value: active,
            chain_from_source: active.map_or_else(Vec::new, |value| self.way_from_source(value)),
            chain_to_result: active.map_or_else(Vec::new, |value| self.way_to_result(value)),
        });
    }
}
