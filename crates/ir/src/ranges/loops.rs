//! Loops: what the numbers that they carry can be.

use super::{
    Analysis, End, LoopFacts,
    interval::{FAR, Interval},
    known::{Base, Known, Number, Relation},
    trips::{TripCount, WalkedLoop},
};
use crate::{BinaryOp, Constant, Op, OpId, RegionId, Terminator, ValueId};

/// Walks that look for ranges that nothing leaves, from one number that is compared with to the next.
const MOST_WALKS: usize = 4;

/// Values at which growing ranges may stop.
const MOST_THRESHOLDS: usize = 16;

/// How deep conjunctions are looked into.
const MOST_CONJUNCTIONS: usize = 32;

/// What a loop carries.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Carried {
    /// In front of each test of the condition.
    pub tested: Vec<Known>,
    /// Those with which an iteration follows, as far as carried conditions tell; `None` if none does.
    pub entering: Option<Vec<Known>>,
}

/// What is gathered while the body of a loop is walked.
pub(super) struct LoopFrame {
    /// The carried values that the condition wants to be true.
    wanted: Vec<usize>,
    /// With what it goes on; `None` if it never does.
    edges: Option<Carried>,
    breaks: Option<Vec<Known>>,
    /// Ends other than by its condition.
    pub leaves_early: bool,
    /// How many regions around cannot run.
    pub dead: u32,
}

/// What a walk of a loop has found.
struct LoopWalk {
    frame: LoopFrame,
    /// The carried values when the condition fails; `None` if it cannot.
    at_end: Option<Vec<Known>>,
    /// The carried values when an iteration starts; `None` if none does.
    in_body: Option<Vec<Known>>,
}

impl Analysis<'_> {
    pub(super) fn goes_on(&mut self, values: &[ValueId]) {
        let Some(frame) = self.frames.last().filter(|frame| frame.dead == 0) else { return };
        let wanted = frame.wanted.clone();
        let edge = self.carried(values, &wanted);
        if let Some(frame) = self.frames.last_mut() {
            frame.edges = Some(match frame.edges.take() {
                Some(before) => before.join(&edge),
                None => edge,
            });
        }
    }

    pub(super) fn breaks(&mut self, values: &[ValueId]) {
        let values: Vec<Known> = values.iter().map(|&value| self.known(value)).collect();
        let Some(frame) = self.frames.last_mut() else { return };
        frame.leaves_early = true;
        if frame.dead == 0 {
            frame.breaks = Some(match frame.breaks.take() {
                Some(before) => joined(&before, &values),
                None => values,
            });
        }
    }

    /// Values that a loop starts or goes on with.
    fn carried(&mut self, values: &[ValueId], wanted: &[usize]) -> Carried {
        // A way out that is passed says more of what they are made of (`if (i++ > 8) break;`).
        let tested: Vec<Known> = values.iter().map(|&value| self.once_more(value)).collect();
        if wanted.is_empty() {
            return Carried { entering: Some(tested.clone()), tested };
        }
        let entering = self.scope(|this| {
            let can = wanted.iter().all(|&index| values.get(index).is_none_or(|&value| this.assume(value, true)));
            can.then(|| values.iter().map(|&value| this.again(value)).collect())
        });
        Carried { tested, entering }
    }

    /// Walks a loop until what it carries is known; whether what follows can run.
    pub(super) fn loop_op(&mut self, op: OpId) -> bool {
        let Op::Loop { init, cond, .. } = &self.func.ops[op].op else { return true };
        let wanted = self.wanted(*cond);
        let start = self.carried(init, &wanted);
        let carried = self.ranges_of_carried(op, &wanted, &start);
        let walk = self.walk(op, &wanted, &carried);
        let walked = WalkedLoop {
            op,
            start: &start,
            edges: walk.frame.edges.as_ref(),
            in_body: walk.in_body.as_deref(),
            leaves_early: walk.frame.leaves_early,
        };
        let count = self.trip_count(&walked);
        let steps = (0..init.len()).map(|index| walked.step(index)).collect();
        self.loop_results(op, &start.tested, &walk, count);
        self.loops.insert(op, LoopFacts { count, steps });
        walk.at_end.is_some() || walk.frame.breaks.is_some()
    }

    /// Ranges that hold for what is carried in every iteration.
    fn ranges_of_carried(&mut self, op: OpId, wanted: &[usize], start: &Carried) -> Carried {
        let wholes: Vec<Known> = self.func.ops[op].results.iter().map(|&result| self.whole(result)).collect();
        let anything = Carried { tested: wholes.clone(), entering: Some(wholes.clone()) };
        if self.is_glance || self.work_left == 0 {
            return anything;
        }
        let Some(edges) = self.glance(op, wanted, start) else { return start.clone() };
        let thresholds = self.thresholds(op);
        let mut carried = start.widened(&edges, &thresholds, &wholes);
        for walk in 0..MOST_WALKS + 2 {
            let Some(edges) = self.glance(op, wanted, &carried) else { return start.clone() };
            if carried.holds(&edges) {
                // Nothing leaves these ranges, and so nothing leaves what they lead to.
                return start.join(&edges);
            }
            // Numbers that are compared with may lie close to each other; what the comparisons leave of the whole type may hold
            // all the same.
            let thresholds = if walk < MOST_WALKS { &thresholds[..] } else { &[] };
            carried = carried.widened(&edges, thresholds, &wholes);
        }
        anything
    }

    /// With what the loop goes on, if that is what it carries; loops inside are taken to carry anything.
    fn glance(&mut self, op: OpId, wanted: &[usize], carried: &Carried) -> Option<Carried> {
        self.is_glance = true;
        let walk = self.walk(op, wanted, carried);
        self.is_glance = false;
        walk.frame.edges
    }

    /// Walks the condition and the body once.
    fn walk(&mut self, op: OpId, wanted: &[usize], carried: &Carried) -> LoopWalk {
        let func = self.func;
        let dead = self.frames.last().map_or(0, |frame| frame.dead);
        let frame = LoopFrame { wanted: wanted.to_vec(), edges: None, breaks: None, leaves_early: false, dead };
        let mut walk = LoopWalk { frame, at_end: None, in_body: None };
        let Op::Loop { cond, body, .. } = func.ops[op].op else { return walk };
        let (cond_params, body_params) = (&func.regions[cond].params, &func.regions[body].params);
        self.scope(|this| {
            for (index, (&param, known)) in cond_params.iter().zip(&carried.tested).enumerate() {
                let mut known = this.whole(param).meet(known).unwrap_or_else(|| this.whole(param));
                known.for_each_number(&mut |leaf, number| {
                    number.relation = Some(Relation::same(Base::Carried { of: op, index: index as u32, leaf }));
                });
                this.known.insert(param, known);
            }
            let yields = matches!(this.region(cond), End::Yields(_));
            let test = func.regions[cond].terminator.values().first().copied().filter(|_| yields);
            walk.frame.leaves_early = !yields;
            walk.at_end = this.scope(|this| {
                let ends = test.is_some_and(|test| this.assume(test, false));
                ends.then(|| cond_params.iter().map(|&param| this.known(param)).collect())
            });
            let mut enters = test.is_some_and(|test| this.assume(test, true));
            for (index, (&param, &tested)) in body_params.iter().zip(cond_params).enumerate() {
                let tested = this.known(tested);
                let known = carried.entering.as_ref().and_then(|entering| tested.meet(&entering[index]));
                enters &= known.is_some();
                this.known.insert(param, known.unwrap_or(tested));
            }
            walk.in_body = enters.then(|| body_params.iter().map(|&param| this.known(param)).collect());
            walk.frame.dead += u32::from(!enters);
            this.frames.push(std::mem::replace(
                &mut walk.frame,
                LoopFrame { wanted: Vec::new(), edges: None, breaks: None, leaves_early: false, dead },
            ));
            if let End::Yields(_) = this.region(body) {
                this.goes_on(func.regions[body].terminator.values());
            }
            if let Some(frame) = this.frames.pop() {
                walk.frame = frame;
            }
        });
        walk
    }

    /// The carried values that must be true for the condition to be: what a loop with early exits runs under.
    fn wanted(&self, cond: RegionId) -> Vec<usize> {
        let params = &self.func.regions[cond].params;
        let conjuncts = self.conjuncts(cond);
        conjuncts.iter().filter_map(|value| params.iter().position(|param| param == value)).collect()
    }

    /// The values that must all be true for the condition to be.
    pub(super) fn conjuncts(&self, cond: RegionId) -> Vec<ValueId> {
        let mut pending: Vec<ValueId> =
            self.func.regions[cond].terminator.values().first().copied().into_iter().collect();
        let mut found = Vec::new();
        while let Some(value) = pending.pop() {
            if found.len() + pending.len() >= MOST_CONJUNCTIONS {
                break;
            }
            match self.func.defining_op(value).map(|data| &data.op) {
                Some(Op::Binary(BinaryOp::And, a, b)) => pending.extend([*b, *a]),
                Some(Op::If { cond, then, otherwise }) => {
                    let yielded = |region: RegionId| match &self.func.regions[region].terminator {
                        Terminator::Yield(values) => values.first().copied(),
                        _ => None,
                    };
                    let is_single = self.func.defining_op(value).is_some_and(|data| data.results.len() == 1);
                    match (yielded(*then), yielded(*otherwise)) {
                        (Some(then), Some(otherwise)) if is_single && self.is_false(otherwise) => {
                            pending.extend([then, *cond]);
                        }
                        _ => found.push(value),
                    }
                }
                _ => found.push(value),
            }
        }
        found
    }

    fn is_false(&self, value: ValueId) -> bool {
        matches!(self.func.defining_op(value).map(|data| &data.op), Some(Op::Const(Constant::Bool(false))))
    }

    /// Numbers that the loop compares with, and those beside them.
    fn thresholds(&self, op: OpId) -> Vec<i128> {
        let Op::Loop { cond, body, .. } = self.func.ops[op].op else { return Vec::new() };
        // Numbers are compared with zero also where they are taken for conditions.
        let mut found = vec![-1, 0, 1];
        let mut regions = vec![body, cond];
        while let Some(region) = regions.pop() {
            for &op in &self.func.regions[region].ops {
                match &self.func.ops[op].op {
                    Op::Binary(op, a, b) if op.is_comparison() => {
                        for value in [*a, *b] {
                            let Some(range) = self.known(value).range() else { continue };
                            if self.whole(value).range() != Some(range) && found.len() < MOST_THRESHOLDS {
                                found.extend([range.low, range.high].iter().flat_map(|end| end - 1..=end + 1));
                            }
                        }
                    }
                    Op::Loop { .. } => {}
                    op if regions.len() < MOST_THRESHOLDS => regions.extend(op.regions()),
                    Op::Const(..)
                    | Op::Zero
                    | Op::Undef
                    | Op::Unary(..)
                    | Op::Binary(..)
                    | Op::Math(..)
                    | Op::Convert(..)
                    | Op::Bitcast(..)
                    | Op::Select { .. }
                    | Op::Detach(..)
                    | Op::Forget(..)
                    | Op::Make(..)
                    | Op::Splat(..)
                    | Op::Extract { .. }
                    | Op::Insert { .. }
                    | Op::Swizzle { .. }
                    | Op::Call { .. }
                    | Op::If { .. }
                    | Op::Switch { .. }
                    | Op::Global(..)
                    | Op::Builtin(..)
                    | Op::Load { .. }
                    | Op::Store { .. }
                    | Op::Atomic { .. }
                    | Op::ByteLoad { .. }
                    | Op::ByteStore { .. }
                    | Op::ByteAtomic { .. }
                    | Op::BufferLength { .. }
                    | Op::Intrinsic { .. }
                    | Op::Barrier { .. }
                    | Op::Print { .. }
                    | Op::SumMake { .. }
                    | Op::SumMatch { .. }
                    | Op::SumTag(..) => {}
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// What is known of the values of a loop that has ended.
    fn loop_results(&mut self, op: OpId, start: &[Known], walk: &LoopWalk, count: Option<TripCount>) {
        let iterations = count.map_or(FAR, |count| count.at_most.into());
        let results = self.func.ops[op].results.clone();
        for (index, result) in results.into_iter().enumerate() {
            let ends = walk.at_end.iter().chain(&walk.frame.breaks).filter_map(|values| values.get(index).cloned());
            let end = ends.reduce(|a, b| a.join(&b)).and_then(|end| self.whole(result).meet(&end));
            let mut known = end.unwrap_or_else(|| self.whole(result));
            let numbers = |known: &Known| known.numbers();
            let starts = start.get(index).map_or(Vec::new(), numbers);
            let next = walk.frame.edges.as_ref().and_then(|edges| edges.tested.get(index)).map(numbers);
            known.for_each_number(&mut |leaf, number| {
                let base = Base::Carried { of: op, index: index as u32, leaf };
                let start = starts.get(leaf as usize).copied();
                let next = next.as_ref().map(|next| next.get(leaf as usize).copied());
                number.relation = since_start(base, *number, start, next, iterations);
            });
            self.define(result, known);
        }
    }
}

/// From where a loop's number has come by its end, seen from where its start is counted from.
fn since_start(
    base: Base,
    end: Number,
    start: Option<Number>,
    next: Option<Option<Number>>,
    iterations: i128,
) -> Option<Relation> {
    let start = start?.relation.filter(|relation| relation.exact)?;
    let of_loop = |number: Number| number.relation.filter(|relation| relation.exact && relation.base == base);
    let last = of_loop(end)?.offset;
    let step = match next {
        Some(next) => of_loop(next?)?.offset,
        None => Interval::ZERO,
    };
    let all_steps = step.times(Interval::new(0, iterations));
    Some(Relation { offset: start.offset.plus(all_steps).plus(last), shrinks: 1, grows: 1, ..start })
}

impl Carried {
    fn join(&self, other: &Carried) -> Carried {
        let entering = match (&self.entering, &other.entering) {
            (Some(a), Some(b)) => Some(joined(a, b)),
            (a, b) => a.clone().or_else(|| b.clone()),
        };
        Carried { tested: joined(&self.tested, &other.tested), entering }
    }

    fn holds(&self, other: &Carried) -> bool {
        let entering = match (&self.entering, &other.entering) {
            (Some(a), Some(b)) => holds(a, b),
            (None, Some(_)) => false,
            (_, None) => true,
        };
        entering && holds(&self.tested, &other.tested)
    }

    /// Ranges that hold both, as far as possible so that they hold what comes next, too.
    fn widened(&self, next: &Carried, thresholds: &[i128], wholes: &[Known]) -> Carried {
        let entering = match (&self.entering, &next.entering) {
            (Some(a), Some(b)) => Some(widened(a, b, thresholds, wholes)),
            (a, b) => a.clone().or_else(|| b.clone()),
        };
        Carried { tested: widened(&self.tested, &next.tested, thresholds, wholes), entering }
    }
}

fn joined(a: &[Known], b: &[Known]) -> Vec<Known> {
    a.iter().zip(b).map(|(a, b)| a.join(b)).collect()
}

fn holds(a: &[Known], b: &[Known]) -> bool {
    a.iter().zip(b).all(|(a, b)| {
        let (a, b) = (a.numbers(), b.numbers());
        a.len() == b.len() && a.iter().zip(&b).all(|(a, b)| a.range.contains(b.range))
    })
}

fn widened(from: &[Known], next: &[Known], thresholds: &[i128], wholes: &[Known]) -> Vec<Known> {
    let all = from.iter().zip(next).zip(wholes);
    let widened = all.map(|((from, next), whole)| {
        let (from, next, mut whole) = (from.numbers(), next.numbers(), whole.clone());
        whole.for_each_number(&mut |leaf, number| {
            let (Some(from), Some(next)) = (from.get(leaf as usize), next.get(leaf as usize)) else { return };
            let (from, next, whole) = (from.range, next.range, number.range);
            let low = thresholds.iter().rev().find(|&&threshold| threshold <= next.low);
            let high = thresholds.iter().find(|&&threshold| threshold >= next.high);
            let low = if next.low >= from.low { from.low } else { *low.unwrap_or(&whole.low) };
            let high = if next.high <= from.high { from.high } else { *high.unwrap_or(&whole.high) };
            number.range = whole.meet(Interval::new(low, high)).unwrap_or(whole);
        });
        whole
    });
    widened.collect()
}
