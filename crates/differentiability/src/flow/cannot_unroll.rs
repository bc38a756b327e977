//! 40020: `[ForceUnroll]` of a loop that compiling cannot run to its end: how often it runs depends on a parameter, or it
//! counts away from its limit.

use diagnostics::codes;
use hir_def::position::Location;

use super::Flow;
use crate::{Finding, Fix};

pub(super) fn wording(flow: &Flow<'_>, location: Location) -> Finding {
    let stmt = flow.loop_at(location);
    let start = stmt.map_or(location, |stmt| flow.stmt_location(stmt));
    let keyword = stmt.map_or(location, |stmt| flow.keyword_location(stmt));
    let message = "this loop cannot be unrolled: when it ends is not known before it runs; [MaxIters(n)] bounds it";
    let fix = Fix::new("Add [MaxIters(16)]", [crate::finding::insert_before(start, "[MaxIters(16)] ")]);
    Finding::new(codes::CANNOT_UNROLL_LOOP, keyword, message).fix(Some(fix))
}
