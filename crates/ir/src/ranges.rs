//! Which integers a value can be, and how often a loop runs at most.
//!
//! Entry point: [`Ranges::new`] looks at a function once; questions are [`Ranges::of`] and [`Ranges::trip_count`].
//!
//! Each integer has an interval, and a *relation*: from which number of the enclosing loop's start of iteration it is
//! counted, and how far it is from there. Regions are walked in order; conditions narrow what they compare for as long as
//! they hold. A loop is first walked once to see which way its carried numbers move, then with those ends taken as far as
//! the comparisons or the type let them, until nothing leaves these ranges, and last with what was found ([`loops`]).
//! Arithmetic wraps as in the interpreter: a sum that might leave its type has the whole range of it.
//!
//! A carried number that stays in a range while the body runs and moves by at least so much in each iteration bounds the
//! iterations ([`trips`]), as does a distance that is halved ([`halving`]). Floats are looked at where they become integers
//! ([`floats`]) and where they count ([`simulate`], [`rounded`]). Small functions without loops are looked through at each
//! call ([`calls`]). All bounds hold for every input; other callees, memory and inputs may give any value of their type.
//!
//! The work grows with the size of the function; each nesting of loops doubles it for the innermost one, up to
//! [`MOST_WORK`], beyond which carried numbers of loops are anything.

mod assume;
mod bits;
mod calls;
mod closing;
mod euclid;
mod floats;
mod halving;
mod interval;
mod known;
mod loops;
mod rounded;
mod simulate;
mod transfer;
mod trips;

pub use interval::Interval;
pub use trips::TripCount;

use std::cell::RefCell;

use la_arena::{Arena, ArenaMap};
use rustc_hash::FxHashMap;

use crate::{Func, FuncId, OpId, RegionId, Terminator, TypeId, ValueId, op::ControlOp, types::TypeTable};
use known::{Known, MOST_PARTS};
use loops::LoopFrame;

/// Visits of operations after which loops are walked once, as if they could carry anything: per operation, and in any
/// function.
const MOST_WORK: (usize, usize) = (64, 20_000);

/// What numbers stand for that are known only once a function is specialised ([`Ranges::once_specialised`]).
const SPECIALISED: Interval = Interval::new(0, 1023);

/// What is known of the integers of a function.
#[derive(Debug, Default)]
pub struct Ranges {
    known: ArenaMap<ValueId, Interval>,
    loops: FxHashMap<OpId, LoopFacts>,
}

/// What is known of a loop.
#[derive(Debug, Clone, Default)]
struct LoopFacts {
    count: Option<TripCount>,
    steps: Vec<Option<i64>>,
}

impl Ranges {
    /// `funcs` are those that `func` may call.
    pub fn new(types: &TypeTable, funcs: &Arena<Func>, func: &Func) -> Ranges {
        Analysis::new(types, Some(funcs), func, None, MOST_PARTS).run()
    }

    /// As if undefined integers were numbers of moderate size: the value parameters of a generic function, which the
    /// editor's analysis does not know. To ask whether a loop has a bound, not which.
    pub fn once_specialised(types: &TypeTable, funcs: &Arena<Func>, func: &Func) -> Ranges {
        Analysis::new(types, Some(funcs), func, Some(SPECIALISED), MOST_PARTS).run()
    }

    /// The range of an integer or `bool` where it is defined; for what the function did not have when it was looked at,
    /// and for other types, `None`.
    pub fn of(&self, value: ValueId) -> Option<Interval> {
        self.known.get(value).copied()
    }

    /// Whether `value` is an index into `len` elements for sure.
    pub fn is_within(&self, value: ValueId, len: u32) -> bool {
        self.of(value).is_some_and(|range| range.low >= 0 && range.high < len.into())
    }

    /// The one integer that a value is.
    pub fn constant(&self, value: ValueId) -> Option<i64> {
        self.of(value)?.single()?.try_into().ok()
    }

    /// How often a loop runs; `None` if nothing bounds it.
    pub fn trip_count(&self, op: OpId) -> Option<TripCount> {
        self.loops.get(&op)?.count
    }

    /// What each iteration adds to the integer that a loop carries at an index, in the arithmetic of its type.
    pub fn step(&self, op: OpId, index: usize) -> Option<i64> {
        self.loops.get(&op)?.steps.get(index).copied().flatten()
    }
}

/// The walk over a function.
struct Analysis<'a> {
    types: &'a TypeTable,
    /// Where callees are found; `None` inside of one, so that no call is looked through from there.
    funcs: Option<&'a Arena<Func>>,
    func: &'a Func,
    /// What undefined integers are, if not anything.
    undefined: Option<Interval>,
    wholes: FxHashMap<TypeId, Known>,
    known: ArenaMap<ValueId, Known>,
    /// What was known of values that are narrowed, innermost scope last.
    narrowed: Vec<(ValueId, Option<Known>)>,
    /// The loops around the region that is walked, innermost last.
    frames: Vec<LoopFrame>,
    loops: FxHashMap<OpId, LoopFacts>,
    work_left: usize,
    /// Not more than a first look: loops are not walked again.
    is_glance: bool,
    /// What the function has been seen to return.
    returned: Option<Vec<Known>>,
    /// What functions without inputs give.
    tables: RefCell<FxHashMap<FuncId, Option<Known>>>,
}

/// How the walk of a region ends.
enum End {
    /// With these values, under what is known at the end.
    Yields(Vec<Known>),
    /// Elsewhere, or never.
    Leaves,
}

impl<'a> Analysis<'a> {
    fn new(
        types: &'a TypeTable,
        funcs: Option<&'a Arena<Func>>,
        func: &'a Func,
        undefined: Option<Interval>,
        most_parts: usize,
    ) -> Analysis<'a> {
        let mut wholes = FxHashMap::default();
        for (_, value) in func.values.iter() {
            wholes
                .entry(value.ty)
                .or_insert_with(|| Known::of_type(types, value.ty, most_parts, &mut Interval::of_type));
        }
        Analysis {
            types,
            funcs,
            func,
            undefined,
            wholes,
            known: ArenaMap::default(),
            narrowed: Vec::new(),
            frames: Vec::new(),
            loops: FxHashMap::default(),
            work_left: func.ops.len() * MOST_WORK.0 + MOST_WORK.1,
            is_glance: false,
            returned: None,
            tables: RefCell::default(),
        }
    }

    fn run(mut self) -> Ranges {
        if let Some(body) = self.func.body {
            for &input in &self.func.regions[body].params {
                let whole = self.whole(input);
                self.define(input, whole);
            }
            self.scope(|this| this.region(body));
        }
        let known = self.known.iter().filter_map(|(value, known)| Some((value, known.range()?))).collect();
        Ranges { known, loops: self.loops }
    }

    /// What holds for any value of the type.
    fn whole(&self, value: ValueId) -> Known {
        self.wholes.get(&self.func.ty(value)).cloned().unwrap_or(Known::Nothing)
    }

    fn undefined(&self, value: ValueId) -> Known {
        let mut known = self.whole(value);
        if let Some(undefined) = self.undefined {
            known.for_each_number(&mut |_, number| {
                number.range = number.range.meet(undefined).unwrap_or(number.range);
            });
        }
        known
    }

    fn known(&self, value: ValueId) -> Known {
        self.known.get(value).cloned().unwrap_or_else(|| self.whole(value))
    }

    /// Says more of a value, until the scope ends.
    fn set(&mut self, value: ValueId, known: Known) {
        let before = self.known.insert(value, known);
        self.narrowed.push((value, before));
    }

    /// Runs something, and forgets afterwards what it has narrowed.
    fn scope<T>(&mut self, run: impl FnOnce(&mut Self) -> T) -> T {
        let start = self.narrowed.len();
        let result = run(self);
        for (value, before) in self.narrowed.split_off(start).into_iter().rev() {
            match before {
                Some(before) => self.known.insert(value, before),
                None => self.known.remove(value),
            };
        }
        result
    }

    /// Walks a region under what is known.
    fn region(&mut self, region: RegionId) -> End {
        let func = self.func;
        for &op in &func.regions[region].ops {
            self.work_left = self.work_left.saturating_sub(1);
            if !self.op(op) {
                // What follows cannot run. It is walked all the same, so that it is known.
                self.frames.iter_mut().for_each(|frame| frame.dead += 1);
                let rest = func.regions[region].ops.iter().skip_while(|&&other| other != op).skip(1);
                for &op in rest {
                    self.op(op);
                }
                self.frames.iter_mut().for_each(|frame| frame.dead -= 1);
                return End::Leaves;
            }
        }
        match &func.regions[region].terminator {
            Terminator::Yield(values) => End::Yields(values.iter().map(|&value| self.known(value)).collect()),
            Terminator::Continue(values) => {
                self.goes_on(values);
                End::Leaves
            }
            Terminator::Break(values) => {
                self.breaks(values);
                End::Leaves
            }
            Terminator::Return(values) => {
                self.returns(values);
                self.frames.iter_mut().for_each(|frame| frame.leaves_early = true);
                End::Leaves
            }
            Terminator::Unreachable => {
                self.frames.iter_mut().for_each(|frame| frame.leaves_early = true);
                End::Leaves
            }
        }
    }

    /// Whether what follows can run.
    fn op(&mut self, op: OpId) -> bool {
        let func = self.func;
        match func.ops[op].op.control() {
            Some(ControlOp::If { cond, then, otherwise }) => {
                self.arms(op, &[(then, Choice::Truth(cond, true)), (otherwise, Choice::Truth(cond, false))])
            }
            Some(ControlOp::Switch { selector, cases, default }) => {
                // A case beyond the type is another number, as that wraps.
                let whole = self.whole(selector).range();
                let arm = |(values, region): &(smallvec::SmallVec<[i64; 2]>, RegionId)| {
                    let values = values.iter().map(|&value| Interval::only(value.into()));
                    let hull =
                        values.reduce(Interval::hull).filter(|&hull| whole.is_some_and(|whole| whole.contains(hull)));
                    (*region, hull.map_or(Choice::Any, |hull| Choice::Within(selector, hull)))
                };
                let mut arms: Vec<_> = cases.iter().map(arm).collect();
                arms.push((default, Choice::Any));
                self.arms(op, &arms)
            }
            Some(ControlOp::Match { variants, null, .. }) => {
                let arms: Vec<_> = variants.iter().copied().chain(null).map(|region| (region, Choice::Any)).collect();
                self.arms(op, &arms)
            }
            Some(ControlOp::Loop { .. }) => self.loop_op(op),
            None => {
                self.plain_op(op);
                true
            }
        }
    }

    /// Walks the arms of a choice and joins what they yield; whether any of them yields.
    fn arms(&mut self, op: OpId, arms: &[(RegionId, Choice)]) -> bool {
        let mut yields: Option<Vec<Known>> = None;
        let mut yielding = Vec::new();
        for &(region, choice) in arms {
            let end = self.scope(|this| {
                for &param in &this.func.regions[region].params {
                    let whole = this.whole(param);
                    this.define(param, whole);
                }
                if this.choose(choice) {
                    return this.region(region);
                }
                this.frames.iter_mut().for_each(|frame| frame.dead += 1);
                this.region(region);
                this.frames.iter_mut().for_each(|frame| frame.dead -= 1);
                End::Leaves
            });
            if let End::Yields(values) = end {
                yielding.push(choice);
                yields = Some(match yields {
                    Some(before) => before.iter().zip(&values).map(|(a, b)| a.join(b)).collect(),
                    None => values,
                });
            }
        }
        let goes_on = yields.is_some();
        let yields = yields.unwrap_or_default();
        for (index, &result) in self.func.ops[op].results.iter().enumerate() {
            let known = yields.get(index).and_then(|known| self.whole(result).meet(known));
            let known = known.unwrap_or_else(|| self.whole(result));
            self.define(result, known);
        }
        // What follows runs only after the one arm that comes to its end.
        if let [choice] = yielding[..] {
            self.choose(choice);
        }
        goes_on
    }

    /// Takes a choice for made; `false` if it cannot be.
    fn choose(&mut self, choice: Choice) -> bool {
        match choice {
            Choice::Truth(cond, truth) => self.assume(cond, truth),
            Choice::Within(selector, values) => self.narrow(selector, values),
            Choice::Any => true,
        }
    }
}

/// When an arm runs.
#[derive(Debug, Clone, Copy)]
enum Choice {
    Truth(ValueId, bool),
    Within(ValueId, Interval),
    Any,
}

#[cfg(test)]
#[path = "ranges/tests.rs"]
mod tests;
