//! What the functions of a program make their results from, each asked for once and only where a caller's finding depends
//! on it.

use autodiff::dependence::{self, Dependences};
use base_db::Db;
use hir_def::item::ItemId;
use ir::FuncId;
use lower::LoweredFunction;

/// The summary of a function; `None` if it has no body that can be lowered (a requirement, an external function).
#[salsa::tracked(returns(ref), cycle_initial = nothing)]
pub(crate) fn dependences(db: &dyn Db, item: ItemId) -> Option<Dependences> {
    let lowered = lower::lower_for_analysis(db, item);
    let func = lowered.func.filter(|func| lowered.module.funcs[*func].body.is_some())?;
    Some(dependence::dependences(&lowered.module, func, &|callee| of_callee(db, lowered, callee)))
}

/// The summary of a function that is called in a lowered one.
pub(crate) fn of_callee<'db>(db: &'db dyn Db, lowered: &LoweredFunction, callee: FuncId) -> Option<&'db Dependences> {
    let (_, item) = lowered.callees.iter().find(|(func, _)| *func == callee)?;
    dependences(db, *item).as_ref()
}

/// A function that calls itself makes nothing but by its other ways.
fn nothing(db: &dyn Db, _id: salsa::Id, item: ItemId) -> Option<Dependences> {
    let lowered = lower::lower_for_analysis(db, item);
    let func = &lowered.module.funcs[lowered.func?];
    Some(Dependences { results: vec![Vec::new(); func.results.len()], written: Vec::new() })
}
