//! 41802 (warning): a value that carries a derivative becomes a plain number and then part of a result whose derivative is
//! expected: converted to an integer, its bits reinterpreted, its sign taken. The derivative is zero from there on; slangc
//! says nothing.

use autodiff::activity::{self, Loss};
use diagnostics::codes;
use hir_def::position::Location;

use super::{Flow, lost_at_call};
use crate::Finding;

pub(super) fn wording(flow: &Flow<'_>, location: Location, found: &activity::Finding, loss: Loss) -> Finding {
    let why = match loss {
        Loss::ToInteger => "an integer has none",
        Loss::Bitcast => "its bits as another type have none",
        Loss::Rounding(_)
        | Loss::Call(_)
        | Loss::Intrinsic
        | Loss::NoDiffField
        | Loss::NonDifferentiableLocation
        | Loss::ToInterface
        | Loss::PlainResult(_)
        | Loss::Memory
        | Loss::StoredByCall(..)
        | Loss::Unbounded(_) => "its sign is constant on both sides of zero",
    };
    let message = format!(
        "the derivative of {} is zero from here on: {why}; `detach(…)` says that this is meant",
        flow.lost_text(location, found)
    );
    let value = flow.converted_at(location);
    Finding::new(codes::LOST_AS_NUMBER, location, message).fix(lost_at_call::detach(value))
}
