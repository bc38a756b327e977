//! What the functions of a program make their results from, each asked for once and only where a caller's finding depends
//! on it.

use autodiff::dependence::{self, Dependences};
use base_db::Db;
use hir_def::item::ItemId;
use ir::{Func, FuncId};
use lower::LoweredFunction;

/// How many calls deep a value is followed. A program may have chains of calls of any length, and each is a query inside of
/// another one; what goes deeper is taken to come back.
const DEEPEST: u32 = 12;

/// The summary of a function; `None` if it has no body that can be lowered (a requirement, an external function), or stands
/// too deep.
#[salsa::tracked(returns(ref))]
fn dependences(db: &dyn Db, item: ItemId, deepest: u32) -> Option<Dependences> {
    let deepest = deepest.checked_sub(1)?;
    let lowered = lower::lower_for_analysis(db, item);
    let func = lowered.func.filter(|func| lowered.module.funcs[*func].body.is_some())?;
    // A function that calls itself makes nothing but by its other ways.
    let mut summary = nothing_made(&lowered.module.funcs[func]);
    loop {
        let known = |callee| match item_of(lowered, callee)? {
            own if own == item => Some(&summary),
            other => dependences(db, other, deepest).as_ref(),
        };
        let next = dependence::dependences(&lowered.module, func, &known);
        if next == summary {
            return Some(summary);
        }
        summary = next;
    }
}

/// The summary of a function that is called in a lowered one.
pub(crate) fn of_callee<'db>(db: &'db dyn Db, lowered: &LoweredFunction, callee: FuncId) -> Option<&'db Dependences> {
    dependences(db, item_of(lowered, callee)?, DEEPEST).as_ref()
}

fn item_of(lowered: &LoweredFunction, callee: FuncId) -> Option<ItemId> {
    lowered.callees.iter().find(|(func, _)| *func == callee).map(|(_, item)| *item)
}

fn nothing_made(func: &Func) -> Dependences {
    Dependences { results: vec![Vec::new(); func.results.len()], written: Vec::new() }
}
