//! What the functions of a program make their results from and do with memory, each asked for once and only where a caller's
//! finding depends on it.

use autodiff::{
    dependence::{self, Dependences, Surroundings},
    memory::{Passed, Source, Target, Variable, Way},
};
use base_db::{Db, Segment, SourceFile, text::Part};
use hir_def::{
    item::{self, ItemId, ItemKind},
    modules,
    position::Location,
    scope,
};
use hir_ty::{conformance, env::Env, extension, generics, ty::Ty};
use ir::{Func, FuncId, GlobalId};
use lower::LoweredFunction;
use rustc_hash::FxHashMap;
use salsa::plumbing::AsId;
use syntax::{TextRange, TextSize};

use crate::finding::name_of;

/// How many calls deep a value is followed. A program may have chains of calls of any length, and each is a query inside of
/// another one; what goes deeper is taken to come back, and not to be stored.
const DEEPEST: u32 = 12;

/// The summary of a function; `None` if it has no body that can be lowered (a requirement, an external function), or stands
/// too deep.
#[salsa::tracked(returns(ref))]
fn dependences(db: &dyn Db, item: ItemId, deepest: u32) -> Option<Dependences> {
    let deepest = deepest.checked_sub(1)?;
    let (lowered, func) = with_body(db, item)?;
    // A function that calls itself makes nothing but by its other ways.
    let mut summary = nothing_made(&lowered.module.funcs[func]);
    loop {
        let around = Around { db, item, lowered, deepest, own: Some(&summary) };
        let next = dependence::dependences(&lowered.module, func, &around);
        if next == summary {
            return Some(summary);
        }
        summary = next;
    }
}

/// What a call of a function does with memory. Most functions do nothing with it, which is told without looking at them for
/// each depth again, and without looking at them again after edits of their bodies.
#[salsa::tracked(returns(deref))]
fn passed(db: &dyn Db, item: ItemId, deepest: u32) -> Box<[Passed]> {
    let Some(below) = deepest.checked_sub(1) else { return Box::default() };
    let reach = reach(db, item);
    if !reach.touches_memory && reach.runs.iter().all(|function| passed(db, *function, below).is_empty()) {
        return Box::default();
    }
    ways(db, item, deepest).into_iter().map(|way| way.passed).collect()
}

/// What a function may do with memory, before anything is known of how.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Reach {
    /// By operations of its own.
    touches_memory: bool,
    /// The other functions that may run where it calls.
    runs: Box<[ItemId]>,
}

#[salsa::tracked(returns(ref))]
fn reach(db: &dyn Db, item: ItemId) -> Reach {
    let Some((lowered, func)) = with_body(db, item) else { return Reach::default() };
    let around = Around::new(db, item, lowered);
    let runs = lowered.callees.iter().flat_map(|(callee, _)| around.running(*callee));
    let mut runs: Vec<ItemId> = runs.filter(|function| *function != item).collect();
    runs.sort_unstable();
    runs.dedup();
    Reach { touches_memory: autodiff::memory::touches_memory(&lowered.module.funcs[func]), runs: runs.into() }
}

/// How it does that. These have positions in the function's body, so that they are made again where they are to be shown.
fn ways(db: &dyn Db, item: ItemId, deepest: u32) -> Vec<Way> {
    let Some(deepest) = deepest.checked_sub(1) else { return Vec::new() };
    let Some((lowered, func)) = with_body(db, item) else { return Vec::new() };
    dependence::ways_through_memory(&lowered.module, func, &Around { db, item, lowered, deepest, own: None })
}

fn with_body(db: &dyn Db, item: ItemId) -> Option<(&LoweredFunction, FuncId)> {
    let lowered = lower::lower_for_analysis(db, item);
    let func = lowered.func.filter(|func| lowered.module.funcs[*func].body.is_some())?;
    Some((lowered, func))
}

/// The program around one function.
pub(crate) struct Around<'db> {
    db: &'db dyn Db,
    item: ItemId,
    lowered: &'db LoweredFunction,
    deepest: u32,
    /// What is known of the function itself, where its own summary is being made.
    own: Option<&'db Dependences>,
}

impl<'db> Around<'db> {
    pub(crate) fn new(db: &'db dyn Db, item: ItemId, lowered: &'db LoweredFunction) -> Around<'db> {
        Around { db, item, lowered, deepest: DEEPEST, own: None }
    }

    /// The functions that may run where `callee` is called.
    fn running(&self, callee: FuncId) -> impl Iterator<Item = ItemId> + use<'db> {
        let (db, file) = (self.db, item::file_of(self.db, self.item));
        let called = item_of(self.lowered, callee);
        let own = called.filter(|called| item::item_data(db, *called).has_body());
        let others = called.map_or(&[][..], |called| implementations(db, file, called));
        own.into_iter().chain(others.iter().copied())
    }
}

impl Surroundings for Around<'_> {
    fn dependences(&self, callee: FuncId) -> Option<&Dependences> {
        match (item_of(self.lowered, callee)?, self.own) {
            (callee, Some(own)) if callee == self.item => Some(own),
            (callee, _) => dependences(self.db, callee, self.deepest).as_ref(),
        }
    }

    fn passed(&self, callee: FuncId) -> Vec<Passed> {
        self.running(callee)
            // A function that calls itself does what its other ways do.
            .filter(|function| *function != self.item)
            .flat_map(|function| passed(self.db, function, self.deepest).iter().cloned())
            .collect()
    }

    fn stores_of_library(&self, callee: FuncId) -> Vec<u32> {
        let of_library = |function: &ItemId| modules::is_prelude(self.db, item::file_of(self.db, *function));
        let passed =
            self.running(callee).filter(of_library).flat_map(|function| passed(self.db, function, self.deepest));
        let mut stored: Vec<u32> = passed
            .filter_map(|passed| match (&passed.source, &passed.target) {
                (Source::Input(input), Target::Place(_)) => Some(*input),
                _ => None,
            })
            .collect();
        stored.sort_unstable();
        stored.dedup();
        stored
    }

    fn variable(&self, global: GlobalId) -> Option<Variable> {
        let (_, item, local) = self.lowered.globals.iter().find(|(known, ..)| *known == global)?;
        let local = local.map_or(0, |local| u64::from(u32::from(local.into_raw())) + 1);
        Some(Variable(u64::from(item.as_id().index()) << 32 | local))
    }
}

/// What the types that a file sees do for a requirement, whatever their generic arguments are.
#[salsa::tracked(returns(deref))]
fn implementations(db: &dyn Db, file: SourceFile, requirement: ItemId) -> Box<[ItemId]> {
    let Some(interface) = item::container(db, requirement) else { return Box::default() };
    if !matches!(item::item_data(db, interface).kind, ItemKind::Interface { .. }) {
        return Box::default();
    }
    let name = &item::item_data(db, requirement).name;
    let files = extension::reachable_files(db, file).iter().filter(|file| !modules::is_prelude(db, **file));
    let types = files.flat_map(|file| conforming_types(db, *file).get(&interface)).flatten();
    let members = types.flat_map(|ty| item::members(db, *ty).iter().copied());
    members
        .filter(|member| item::item_data(db, *member).name == *name && item::item_data(db, *member).has_body())
        .collect()
}

/// For each interface the types and extensions of a file that conform to it, in the order of declaration. One table, because
/// a file may have as many interfaces as types.
#[salsa::tracked(returns(ref))]
fn conforming_types(db: &dyn Db, file: SourceFile) -> FxHashMap<ItemId, Vec<ItemId>> {
    let mut conforming: FxHashMap<ItemId, Vec<ItemId>> = FxHashMap::default();
    for &item in scope::all_file_items(db, file).iter() {
        if !matches!(item::item_data(db, item).kind, ItemKind::Struct { .. } | ItemKind::Extension { .. }) {
            continue;
        }
        let Some(this) = generics::self_type(db, item) else { continue };
        for base in conformance::interfaces_of(db, Env::of(db, item), this) {
            let Ty::Adt(interface, _) = base else { continue };
            let types = conforming.entry(*interface).or_default();
            // An interface with other arguments is the same.
            if types.last() != Some(&item) {
                types.push(item);
            }
        }
    }
    conforming
}

/// The functions on the way from a call to where it writes to memory, each with the place where it hands the value on or
/// stores it. `way` is the number of the way in what the call does with memory.
pub(crate) fn way_into_memory(
    db: &dyn Db,
    item: ItemId,
    lowered: &LoweredFunction,
    callee: FuncId,
    way: u32,
) -> Vec<(String, Location)> {
    let mut found = Vec::new();
    let (mut item, mut lowered, mut callee, mut way, mut deepest) = (item, lowered, callee, way as usize, DEEPEST);
    loop {
        let around = Around { db, item, lowered, deepest, own: None };
        let mut function = None;
        for running in around.running(callee).filter(|function| *function != item) {
            let count = passed(db, running, deepest).len();
            if way < count {
                function = Some(running);
                break;
            }
            way -= count;
        }
        let Some(function) = function else { return found };
        let Some(step) = ways(db, function, deepest).into_iter().nth(way) else { return found };
        let Some((body, func)) = with_body(db, function) else { return found };
        let span = body.module.funcs[func].ops[step.op].span;
        found.extend(location(db, function, body, span).map(|location| (name_of(db, function), location)));
        let Some((next, next_way)) = step.call else { return found };
        (item, lowered, callee, way) = (function, body, next, next_way as usize);
        deepest -= 1;
    }
}

/// The place of something in a function that was lowered; `None` for code that has none of its own.
pub(crate) fn location(db: &dyn Db, item: ItemId, lowered: &LoweredFunction, span: ir::SpanId) -> Option<Location> {
    if span == ir::SpanId::NONE {
        return None;
    }
    location_of(item.segment(db), *lowered.module.spans.get(span.0 as usize)?)
}

/// Where a part of the lowered code stands in its segment; `None` for code that has no place.
pub(crate) fn location_of(segment: Segment, span: ir::SourceSpan) -> Option<Location> {
    if span == ir::SourceSpan::default() {
        return None;
    }
    let part = if span.file == 0 { Part::Header } else { Part::Body };
    let range = TextRange::new(TextSize::new(span.start), TextSize::new(span.end.max(span.start)));
    Some(Location { segment, part, range })
}

fn item_of(lowered: &LoweredFunction, callee: FuncId) -> Option<ItemId> {
    lowered.callees.iter().find(|(func, _)| *func == callee).map(|(_, item)| *item)
}

fn nothing_made(func: &Func) -> Dependences {
    Dependences { results: vec![Vec::new(); func.results.len()], ..Dependences::default() }
}
