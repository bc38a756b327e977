//! 30510: reverse mode must remember each iteration of a loop that carries derivatives, and nothing says how many there can
//! be. Only given for functions that are differentiated backwards; slangc reports more. `[ForceUnroll]` would help none of these
//! loops, whose iterations nothing tells even once they are specialised.

use diagnostics::codes;
use hir_def::position::Location;

use super::Flow;
use crate::{Finding, Fix};

pub(super) fn wording(flow: &Flow<'_>, location: Location) -> Finding {
    let stmt = flow.loop_at(location);
    let start = stmt.map_or(location, |stmt| flow.stmt_location(stmt));
    let keyword = stmt.map_or(location, |stmt| flow.keyword_location(stmt));
    let message = "this loop carries derivatives and nothing bounds its iterations: add [MaxIters(n)]";
    let fix = Fix::new("Add [MaxIters(16)]", [crate::finding::insert_before(start, "[MaxIters(16)] ")]);
    Finding::new(codes::LOOP_WITHOUT_BOUND, keyword, message).fix(Some(fix))
}
