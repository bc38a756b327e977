//! 41801 (warning): a value that carries a derivative becomes part of a value whose type is not differentiable (built from
//! its fields, passed on as such, or converted to an interface), and a result is made from that. The derivative is zero from
//! there on; slangc says nothing.

use autodiff::activity;
use hir_def::position::Location;
use hir_ty::display::display;
use ir::Type;

use super::Flow;
use crate::Finding;

const CODE: u32 = 41801;

pub(super) fn wording(flow: &Flow<'_>, location: Location, found: &activity::Finding) -> Finding {
    let message = format!(
        "the derivative of {} is zero from here on: it becomes part of a value whose type is not differentiable",
        flow.lost_text(location, found)
    );
    Finding::warning(CODE, location, message)
}

/// What an interface that is not differentiable stands for carries no derivative, whatever type it is of.
pub(super) fn interface(flow: &Flow<'_>, location: Location, found: &activity::Finding) -> Finding {
    let interface = found.value.and_then(|value| match flow.module().types.get(flow.func().ty(value)) {
        Type::Opaque(opaque) => flow.lowered.opaque.get(opaque.id as usize),
        _ => None,
    });
    let interface = interface.map_or_else(|| "an interface".to_owned(), |ty| format!("`{}`", display(flow.db, *ty)));
    let message = format!(
        "the derivative of {} is zero from here on: it becomes {interface}, which does not conform to `IDifferentiable`",
        flow.lost_text(location, found)
    );
    Finding::warning(CODE, location, message)
}
