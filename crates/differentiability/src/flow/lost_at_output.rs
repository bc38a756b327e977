//! 41025: what a call gives out through an `out` or `inout` parameter carries a derivative, and the argument is a place
//! that cannot hold one.

use autodiff::activity;
use hir_def::position::Location;
use ir::{Callee, Op, ValueDef};

use super::Flow;
use crate::Finding;

/// Whether the value that is stored comes straight out of a parameter of a call.
pub(super) fn applies(flow: &Flow<'_>, found: &activity::Finding) -> bool {
    let Some(ValueDef::Result { op, index }) = found.lost.map(|lost| flow.func().values[lost].def) else {
        return false;
    };
    match flow.op(op) {
        Op::Call { callee: Callee::Func(callee), .. } => {
            let slots = &flow.module().funcs[*callee].results;
            slots.get(index as usize).is_some_and(|slot| slot.name != "return")
        }
        _ => false,
    }
}

pub(super) fn wording(location: Location) -> Finding {
    let message = "the derivative is lost here: the argument of an `out` or `inout` parameter is a place that cannot hold \
                   one; pass a temporary variable instead";
    Finding::error(41025, location, message)
}
