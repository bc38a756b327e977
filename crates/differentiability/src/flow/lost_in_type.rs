//! 41801 (warning): a value that carries a derivative becomes part of a value whose type is not differentiable (built from
//! its fields, or passed on as such), and a result is made from that. The derivative is zero from there on; slangc says
//! nothing.

use autodiff::activity;
use hir_def::position::Location;

use super::Flow;
use crate::Finding;

pub(super) fn wording(flow: &Flow<'_>, location: Location, found: &activity::Finding) -> Finding {
    let message = format!(
        "the derivative of {} is zero from here on: it becomes part of a value whose type is not differentiable",
        flow.lost_text(location, found)
    );
    Finding::warning(41801, location, message)
}
