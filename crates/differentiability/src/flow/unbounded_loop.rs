//! 30510: reverse mode must remember each iteration of a loop that carries derivatives, and nothing says how many there can
//! be. Only given for functions that are differentiated backwards; slangc reports more.

use diagnostics::codes;
use hir_def::position::Location;

use super::Flow;
use crate::{Finding, Fix};

pub(super) fn wording(flow: &Flow<'_>, location: Location) -> Finding {
    let stmt = flow.loop_at(location);
    let start = stmt.map_or(location, |stmt| flow.stmt_location(stmt));
    let keyword = stmt.map_or(location, |stmt| flow.keyword_location(stmt));
    let message = "this loop carries derivatives and nothing bounds its iterations: add [MaxIters(n)] or [ForceUnroll]";
    let fix = |title: &str, text: &str| Some(Fix::new(title, [crate::finding::insert_before(start, text)]));
    Finding::new(codes::LOOP_WITHOUT_BOUND, keyword, message)
        .fix(fix("Add [MaxIters(16)]", "[MaxIters(16)] "))
        .fix(fix("Add [ForceUnroll]", "[ForceUnroll] "))
}
