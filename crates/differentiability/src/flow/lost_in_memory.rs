//! 41804 (warning): a value that carried a derivative is written to memory and read back where a derivative is expected.
//! Memory holds no derivatives; slangc says nothing.

use autodiff::activity;
use hir_def::position::Location;

use super::Flow;
use crate::Finding;

pub(super) fn wording(flow: &Flow<'_>, location: Location, found: &activity::Finding) -> Finding {
    let lost = flow.lost_text(location, found);
    let message = format!("the derivative of {lost} does not come back from memory: what is read here has none");
    Finding::warning(41804, location, message)
}
