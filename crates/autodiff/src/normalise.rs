//! Pass 1: every function gets one exit.
//!
//! Input: any verified function. Output: the same function without `break`, `continue`, early `return` and unreachable
//! ends: regions end in `yield`, the body in `return`. What is computed, the order of effects and the number of
//! iterations are preserved.
//!
//! ```text
//! loop (i, s) { i < n } {                  loop (i, s, running = true) { if running { i < n } else { false } } {
//!   if s > 9 { break i, s }                  i', s', r = if s > 9 { i, s, false } else { i + 1, s * s, true }
//!   yield i + 1, s * s            =>         yield i', s', r
//! }                                        }
//! ```
//!
//! The rest of a region after an `if` of which only one arm goes on moves into that arm, so that most early exits need
//! no flag. Where both arms may go on and may leave, the `if` yields a flag for each way to leave, and the rest runs
//! under it. Calls go to the callee's primal substitute where it has one.

use ::diagnostics::stack;
use ir::{
    BinaryOp, Callee, Func, FuncId, Op, OpId, RegionId, Terminator, TypeId, UnaryOp, ValueId, builder::FuncBuilder,
    op::LoopBound, ranges::Ranges, types::TypeTable,
};
use la_arena::Arena;
use rustc_hash::FxHashMap;

use crate::{AutodiffError, ErrorKind, copy::Copier, loops};

/// Nesting that the passes follow. Early exits in sequence nest, so this bounds their number too.
pub(crate) const DEEPEST: u32 = ::diagnostics::limits::CONTINUATIONS;

/// A function with one exit.
#[derive(Debug, Clone)]
pub struct Normalised {
    /// The function, with one exit.
    pub func: Func,
    /// What is known of each of its loops.
    pub loops: FxHashMap<OpId, NormalLoop>,
}

/// What is known of a loop of the normalised function.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NormalLoop {
    /// Most iterations.
    pub bound: Option<u32>,
    /// Carried values that are affine in the iteration: index and step.
    pub inductions: Vec<(usize, i64)>,
    /// The condition alone ends the loop, and it compares an induction with a value that is known before the loop.
    pub test: Option<NormalTest>,
}

/// The comparison that ends a loop.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NormalTest {
    /// The index of the induction.
    pub param: usize,
    /// How the induction is compared: the loop goes on while it is true.
    pub op: BinaryOp,
    /// What it is compared with.
    pub limit: Limit,
}

/// What an induction is compared with.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Limit {
    /// A number.
    Constant(i64),
    /// A value from before the loop.
    Value(ValueId),
}

/// Runs the pass. `funcs` tells primal substitutes.
pub fn normalise(types: &TypeTable, funcs: &Arena<Func>, func: &Func) -> Result<Normalised, AutodiffError> {
    let ranges = Ranges::new(types, funcs, func);
    let mut builder = FuncBuilder::new(types, func.name.clone(), func.inputs.clone(), func.results.clone(), func.span);
    builder.func.is_precise = func.is_precise;
    builder.func.rules = func.rules.clone();
    let Some(body) = func.body else {
        let kind = ErrorKind::NoBody { callee: func.name.clone() };
        return Err(AutodiffError { kind, function: func.name.clone(), span: func.span });
    };
    let mut copier = Copier::new(func);
    for (index, &param) in func.regions[body].params.iter().enumerate() {
        let value = builder.input(index);
        copier.bind(&mut builder, param, value);
    }
    let mut pass = Pass {
        b: builder,
        copier,
        func,
        ranges,
        funcs,
        exits: FxHashMap::default(),
        loops: FxHashMap::default(),
        carried: Vec::new(),
        depth: 0,
    };
    let results = pass.tail(body, 0, Continuation::End(Kind::Normal), &Target::Function)?;
    pass.b.ret(results);
    let (func, loops) = (pass.b.finish(), pass.loops);
    Ok(Normalised { func, loops })
}

/// The ways to leave a region.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Normal,
    Continue,
    Break,
    Return,
}

const KINDS: [Kind; 4] = [Kind::Normal, Kind::Continue, Kind::Break, Kind::Return];

/// A set of [`Kind`]s.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Kinds(u8);

impl Kinds {
    fn of(kind: Kind) -> Kinds {
        Kinds(1 << kind as u8)
    }

    fn has(self, kind: Kind) -> bool {
        self.0 & Kinds::of(kind).0 != 0
    }

    fn with(self, other: Kinds) -> Kinds {
        Kinds(self.0 | other.0)
    }

    fn without(self, kind: Kind) -> Kinds {
        Kinds(self.0 & !Kinds::of(kind).0)
    }

    fn is_empty(self) -> bool {
        self.0 == 0
    }
}

/// What follows when a region yields.
#[derive(Clone, Copy)]
enum Continuation<'c> {
    /// The region that is being built ends, in this way.
    End(Kind),
    /// The rest of `region`, from operation `from` on, with `results` bound to what is yielded.
    Then { region: RegionId, from: usize, results: &'c [ValueId], next: &'c Continuation<'c> },
}

/// How the exits of the region that is being built are given to the operation that owns it.
enum Target {
    /// The function's results.
    Function,
    /// Values of each kind in turn, then a flag for each kind but the first.
    Slots { kinds: Kinds, slots: Vec<(Kind, Vec<TypeId>)> },
    /// The next carried values of a loop with exits: carried, running, returned (if both are needed), results.
    LoopBody { params: Vec<ValueId>, carried: usize, returned_flag: bool, returns: bool },
    /// The next carried values of a loop without exits.
    PlainLoop,
}

struct Pass<'a> {
    b: FuncBuilder<'a>,
    copier: Copier<'a>,
    func: &'a Func,
    ranges: Ranges,
    funcs: &'a Arena<Func>,
    exits: FxHashMap<RegionId, Kinds>,
    loops: FxHashMap<OpId, NormalLoop>,
    /// The types that the loops around the cursor carry, innermost last.
    carried: Vec<Vec<TypeId>>,
    depth: u32,
}

impl Pass<'_> {
    fn error(&self, kind: ErrorKind, id: OpId) -> AutodiffError {
        AutodiffError { kind, function: self.func.name.clone(), span: self.func.ops[id].span }
    }

    /// The ways in which control leaves `region`; `Normal` stands for its `yield`.
    fn exits(&mut self, region: RegionId) -> Kinds {
        if let Some(&kinds) = self.exits.get(&region) {
            return kinds;
        }
        let func = self.func;
        let mut kinds = Kinds::default();
        let mut ends = true;
        for &op in &func.regions[region].ops {
            let own = self.op_exits(op);
            kinds = kinds.with(own.without(Kind::Normal));
            if !own.has(Kind::Normal) {
                ends = false;
                break;
            }
        }
        if ends {
            kinds = kinds.with(match func.regions[region].terminator {
                Terminator::Yield(_) => Kinds::of(Kind::Normal),
                Terminator::Return(_) => Kinds::of(Kind::Return),
                Terminator::Break(_) => Kinds::of(Kind::Break),
                Terminator::Continue(_) => Kinds::of(Kind::Continue),
                Terminator::Unreachable => Kinds::default(),
            });
        }
        self.exits.insert(region, kinds);
        kinds
    }

    fn op_exits(&mut self, id: OpId) -> Kinds {
        let func = self.func;
        match &func.ops[id].op {
            Op::Loop { body, .. } => {
                let body = self.exits(*body);
                let normal = Kinds::of(Kind::Normal);
                if body.has(Kind::Return) { normal.with(Kinds::of(Kind::Return)) } else { normal }
            }
            op => {
                let regions = op.regions();
                if regions.is_empty() {
                    return Kinds::of(Kind::Normal);
                }
                regions.into_iter().fold(Kinds::default(), |kinds, region| kinds.with(self.exits(region)))
            }
        }
    }

    /// Builds the rest of `region` from operation `from` on and what follows it, at the cursor. Gives the values with
    /// which the region that is being built has to end.
    fn tail(
        &mut self,
        region: RegionId,
        from: usize,
        continuation: Continuation<'_>,
        target: &Target,
    ) -> Result<Vec<ValueId>, AutodiffError> {
        let func = self.func;
        for index in from..func.regions[region].ops.len() {
            let id = func.regions[region].ops[index];
            let rest =
                Continuation::Then { region, from: index + 1, results: &func.ops[id].results, next: &continuation };
            match &func.ops[id].op {
                Op::Loop { .. } => {
                    let returned = self.loop_(id)?;
                    if let Some((returned, values)) = returned {
                        return self.guarded(id, returned, Kind::Return, &values, rest, target);
                    }
                }
                op if op.regions().is_empty() => self.plain(id),
                _ => {
                    if let Some(values) = self.branch(id, rest, target)? {
                        return Ok(values);
                    }
                }
            }
        }
        let terminator = func.regions[region].terminator.clone();
        let values: Vec<ValueId> = terminator.values().iter().map(|&value| self.copier.get(value)).collect();
        let kind = match terminator {
            Terminator::Yield(_) => return self.go_on(continuation, values, target),
            Terminator::Return(_) => Kind::Return,
            Terminator::Break(_) => Kind::Break,
            Terminator::Continue(_) => Kind::Continue,
            Terminator::Unreachable => return Ok(self.leave(None, &[], target)),
        };
        Ok(self.leave(Some(kind), &values, target))
    }

    fn go_on(
        &mut self,
        continuation: Continuation<'_>,
        values: Vec<ValueId>,
        target: &Target,
    ) -> Result<Vec<ValueId>, AutodiffError> {
        match continuation {
            Continuation::End(kind) => Ok(self.leave(Some(kind), &values, target)),
            Continuation::Then { region, from, results, next } => {
                for (&result, &value) in results.iter().zip(&values) {
                    self.copier.bind(&mut self.b, result, value);
                }
                self.tail(region, from, *next, target)
            }
        }
    }

    /// The values with which the region ends when control leaves it by `kind` (`None`: it does not get here).
    fn leave(&mut self, kind: Option<Kind>, values: &[ValueId], target: &Target) -> Vec<ValueId> {
        match target {
            Target::Function if kind == Some(Kind::Return) => values.to_vec(),
            Target::Function => {
                let types: Vec<TypeId> = self.func.results.iter().map(|slot| slot.ty).collect();
                types.into_iter().map(|ty| self.b.undef(ty)).collect()
            }
            Target::PlainLoop if kind.is_some() => values.to_vec(),
            // An iteration that cannot end: any value will do, and the parameters of the region are at hand.
            Target::PlainLoop => self.b.params(self.b.current()),
            Target::Slots { kinds, slots } => {
                let mut encoded = Vec::new();
                for (slot, types) in slots {
                    if Some(*slot) == kind {
                        encoded.extend_from_slice(values);
                    } else {
                        encoded.extend(types.iter().map(|&ty| self.b.undef(ty)));
                    }
                }
                let flags = KINDS.into_iter().filter(|&flag| kinds.has(flag)).skip(1);
                encoded.extend(flags.map(|flag| self.b.bool(Some(flag) == kind)));
                encoded
            }
            Target::LoopBody { params, carried, returned_flag, returns } => {
                let goes_on = matches!(kind, Some(Kind::Continue | Kind::Normal));
                let mut encoded: Vec<ValueId> = match kind {
                    Some(Kind::Continue | Kind::Normal | Kind::Break) => values.to_vec(),
                    Some(Kind::Return) | None => params[..*carried].to_vec(),
                };
                encoded.push(self.b.bool(goes_on));
                if *returned_flag {
                    encoded.push(self.b.bool(kind == Some(Kind::Return)));
                }
                if *returns {
                    let first = carried + 1 + usize::from(*returned_flag);
                    match kind {
                        Some(Kind::Return) => encoded.extend_from_slice(values),
                        _ => encoded.extend_from_slice(&params[first..]),
                    }
                }
                encoded
            }
        }
    }

    fn plain(&mut self, id: OpId) {
        let new = self.copier.op(&mut self.b, id);
        if let Op::Call { callee: Callee::Func(callee), .. } = &mut self.b.func.ops[new].op
            && let Some(substitute) = substitute(self.funcs, *callee)
        {
            *callee = substitute;
        }
    }

    /// Builds an `if`, `switch` or `match`. Gives the final values if the rest of the region has been built with it.
    fn branch(
        &mut self,
        id: OpId,
        rest: Continuation<'_>,
        target: &Target,
    ) -> Result<Option<Vec<ValueId>>, AutodiffError> {
        let func = self.func;
        let regions = func.ops[id].op.regions();
        let arms: Vec<Kinds> = regions.iter().map(|&region| self.exits(region)).collect();
        let kinds = arms.iter().fold(Kinds::default(), |all, &kinds| all.with(kinds));
        let result_types: Vec<TypeId> = func.ops[id].results.iter().map(|&result| func.ty(result)).collect();
        if kinds.without(Kind::Normal).is_empty() && kinds.has(Kind::Normal) {
            let target = Target::Slots { kinds, slots: vec![(Kind::Normal, result_types)] };
            let results = self.arms(id, Continuation::End(Kind::Normal), &target)?;
            for (&old, &new) in func.ops[id].results.iter().zip(&results) {
                self.copier.bind(&mut self.b, old, new);
            }
            return Ok(None);
        }
        let going_on = arms.iter().filter(|kinds| kinds.has(Kind::Normal)).count();
        if going_on <= 1 {
            return Ok(Some(self.arms(id, rest, target)?));
        }
        // Several arms go on and some leave: the rest runs under a flag.
        // The types of the values that the innermost loop around carries.
        let carried = self.carried.last().cloned().unwrap_or_default();
        let returned = func.results.iter().map(|slot| slot.ty).collect();
        let mut slots = vec![(Kind::Normal, result_types)];
        for kind in [Kind::Continue, Kind::Break] {
            if kinds.has(kind) {
                slots.push((kind, carried.clone()));
            }
        }
        if kinds.has(Kind::Return) {
            slots.push((Kind::Return, returned));
        }
        let layout: Vec<(Kind, usize)> = slots.iter().map(|(kind, types)| (*kind, types.len())).collect();
        let results = self.arms(id, Continuation::End(Kind::Normal), &Target::Slots { kinds, slots })?;
        let mut at = 0;
        let mut leaving = Vec::new();
        for (kind, count) in layout {
            let values = &results[at..at + count];
            at += count;
            if kind == Kind::Normal {
                for (&old, &new) in func.ops[id].results.iter().zip(values) {
                    self.copier.bind(&mut self.b, old, new);
                }
            } else {
                leaving.push((kind, values.to_vec()));
            }
        }
        let leaving: Vec<_> = leaving.into_iter().zip(results[at..].to_vec()).collect();
        Ok(Some(self.guarded_all(id, &leaving, rest, target)?))
    }

    /// `if flag { leave by kind } else { rest }`, for each flag in turn.
    fn guarded_all(
        &mut self,
        id: OpId,
        leaving: &[((Kind, Vec<ValueId>), ValueId)],
        rest: Continuation<'_>,
        target: &Target,
    ) -> Result<Vec<ValueId>, AutodiffError> {
        let Some((((kind, values), flag), others)) = leaving.split_first() else {
            let Continuation::Then { region, from, next, .. } = rest else {
                return Ok(Vec::new());
            };
            return self.tail(region, from, *next, target);
        };
        self.descend(id)?;
        let then = self.b.new_region(&[]);
        let otherwise = self.b.new_region(&[]);
        let before = self.b.switch_to(then);
        let left = self.leave(Some(*kind), values, target);
        self.b.yield_(left.iter().copied());
        self.b.switch_to(otherwise);
        let went_on = stack::deep(|| self.guarded_all(id, others, rest, target))?;
        self.b.yield_(went_on);
        self.b.switch_to(before);
        self.depth -= 1;
        let types: Vec<TypeId> = left.iter().map(|&value| self.b.ty(value)).collect();
        let op = self.b.op(Op::If { cond: *flag, then, otherwise }, &types);
        Ok(self.b.func.ops[op].results.to_vec())
    }

    fn guarded(
        &mut self,
        id: OpId,
        flag: ValueId,
        kind: Kind,
        values: &[ValueId],
        rest: Continuation<'_>,
        target: &Target,
    ) -> Result<Vec<ValueId>, AutodiffError> {
        self.guarded_all(id, &[((kind, values.to_vec()), flag)], rest, target)
    }

    fn descend(&mut self, id: OpId) -> Result<(), AutodiffError> {
        self.depth += 1;
        if self.depth > DEEPEST { Err(self.error(ErrorKind::NestedTooDeeply, id)) } else { Ok(()) }
    }

    /// Builds the arms, each with `continuation` after it, and the operation; returns its results.
    fn arms(
        &mut self,
        id: OpId,
        continuation: Continuation<'_>,
        target: &Target,
    ) -> Result<Vec<ValueId>, AutodiffError> {
        self.descend(id)?;
        let func = self.func;
        let mut op = func.ops[id].op.clone();
        op.for_each_operand_mut(|value| *value = self.copier.get(*value));
        let span = func.ops[id].span;
        let mut regions = Vec::new();
        let mut types: Vec<TypeId> = Vec::new();
        for region in op.regions() {
            let new = self.copier.empty_region(&mut self.b, region);
            let before = self.b.switch_to(new);
            let values = stack::deep(|| self.tail(region, 0, continuation, target))?;
            types = values.iter().map(|&value| self.b.ty(value)).collect();
            self.b.yield_(values);
            self.b.switch_to(before);
            regions.push(new);
        }
        let mut regions = regions.into_iter();
        op.for_each_region_mut(|region| {
            if let Some(new) = regions.next() {
                *region = new;
            }
        });
        self.b.span = span;
        self.depth -= 1;
        let new = self.b.op(op, &types);
        Ok(self.b.func.ops[new].results.to_vec())
    }

    /// Builds a loop and binds its results. If its body returns from the function: whether it did, and with what.
    fn loop_(&mut self, id: OpId) -> Result<Option<(ValueId, Vec<ValueId>)>, AutodiffError> {
        self.descend(id)?;
        let func = self.func;
        let Op::Loop { init, cond, body, bound } = &func.ops[id].op else {
            return Ok(None);
        };
        let exits = self.exits(*body);
        let (breaks, returns) = (exits.has(Kind::Break), exits.has(Kind::Return));
        let leaves = breaks || returns;
        let carried = init.len();
        let mut start: Vec<ValueId> = init.iter().map(|&value| self.copier.get(value)).collect();
        if leaves {
            start.push(self.b.bool(true));
        }
        if breaks && returns {
            start.push(self.b.bool(false));
        }
        if returns {
            let types: Vec<TypeId> = func.results.iter().map(|slot| slot.ty).collect();
            start.extend(types.into_iter().map(|ty| self.b.undef(ty)));
        }
        let types: Vec<TypeId> = start.iter().map(|&value| self.b.ty(value)).collect();

        let new_cond = self.bind_region(*cond, &types);
        let before = self.b.switch_to(new_cond);
        if leaves {
            let running = self.b.func.regions[new_cond].params[carried];
            let then = self.b.new_region(&[]);
            let otherwise = self.b.new_region(&[]);
            self.b.switch_to(then);
            let values = self.tail(*cond, 0, Continuation::End(Kind::Normal), &Target::PlainLoop)?;
            self.b.yield_(values);
            self.b.switch_to(otherwise);
            let no = self.b.bool(false);
            self.b.yield_([no]);
            self.b.switch_to(new_cond);
            let flag = self.b.types.bool();
            let value = self.b.value(Op::If { cond: running, then, otherwise }, flag);
            self.b.yield_([value]);
        } else {
            let values = self.tail(*cond, 0, Continuation::End(Kind::Normal), &Target::PlainLoop)?;
            self.b.yield_(values);
        }

        let new_body = self.bind_region(*body, &types);
        self.b.switch_to(new_body);
        let target = if leaves {
            Target::LoopBody { params: self.b.params(new_body), carried, returned_flag: breaks && returns, returns }
        } else {
            Target::PlainLoop
        };
        self.carried.push(types[..carried].to_vec());
        let next = self.tail(*body, 0, Continuation::End(Kind::Continue), &target)?;
        self.carried.pop();
        self.b.yield_(next);
        self.b.switch_to(before);

        let facts = self.facts(id, *bound, leaves)?;
        self.b.span = func.ops[id].span;
        let inferred = facts.bound.or(bound.inferred);
        let new_bound = LoopBound { inferred, ..*bound };
        let op = Op::Loop { init: start.into_iter().collect(), cond: new_cond, body: new_body, bound: new_bound };
        let new = self.b.op(op, &types);
        self.loops.insert(new, facts);
        let results = self.b.func.ops[new].results.to_vec();
        for (&old, &result) in func.ops[id].results.iter().zip(&results) {
            self.copier.bind(&mut self.b, old, result);
        }
        self.depth -= 1;
        if !returns {
            return Ok(None);
        }
        let returned = if breaks {
            results[carried + 1]
        } else {
            // Only a return ends the loop before its condition does.
            self.b.unary(UnaryOp::Not, results[carried])
        };
        Ok(Some((returned, results[carried + 1 + usize::from(breaks)..].to_vec())))
    }

    /// A region with the given parameters, to the first of which those of `old` are bound.
    fn bind_region(&mut self, old: RegionId, types: &[TypeId]) -> RegionId {
        let new = self.b.new_region(types);
        let func = self.func;
        for (index, &param) in func.regions[old].params.iter().enumerate() {
            let to = self.b.func.regions[new].params[index];
            self.copier.bind(&mut self.b, param, to);
        }
        new
    }

    fn facts(&mut self, id: OpId, declared: LoopBound, leaves: bool) -> Result<NormalLoop, AutodiffError> {
        let shape = loops::shape(&self.ranges, self.func, id);
        let exact = !leaves && !shape.early_exit;
        if let (Some(declared), Some(count)) = (declared.max_iters, shape.count)
            && let iterations = count.at_most
            && count.exact
            && declared < iterations
        {
            return Err(self.error(ErrorKind::BoundTooSmall { declared, iterations }, id));
        }
        let test = shape.test.filter(|_| exact).and_then(|test| {
            let limit = match self.ranges.constant(test.limit) {
                Some(number) => Limit::Constant(number),
                // Values of the condition region are not known before the loop.
                None => {
                    Limit::Value(self.copier.map.get(&test.limit).copied().filter(|_| self.is_outside(test.limit, id))?)
                }
            };
            Some(NormalTest { param: test.param, op: test.op, limit })
        });
        Ok(NormalLoop { bound: loops::bound(declared, shape.count), inductions: shape.inductions, test })
    }

    /// Whether `value` is defined outside the regions of the loop `id`.
    fn is_outside(&self, value: ValueId, id: OpId) -> bool {
        fn defines(func: &Func, region: RegionId, value: ValueId) -> bool {
            let data = &func.regions[region];
            data.params.contains(&value)
                || data.ops.iter().any(|&op| {
                    func.ops[op].results.contains(&value)
                        || func.ops[op].op.regions().into_iter().any(|nested| defines(func, nested, value))
                })
        }
        !self.func.ops[id].op.regions().into_iter().any(|region| defines(self.func, region, value))
    }
}

/// The function that takes the place of `callee` in differentiated code, if it names one.
fn substitute(funcs: &Arena<Func>, callee: FuncId) -> Option<FuncId> {
    funcs[callee].rules.primal_substitute
}
