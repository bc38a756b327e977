//! What is wrong with derivatives, said where the user would fix it: the derivative data-flow analysis of bodies, and what
//! attributes and signatures alone tell.
//!
//! Entry points: [`diagnostics`]; [`value_flow`] and [`explain_value`] for what the analysis says of each name.
//!
//! One file per diagnostic, each with its wording, its fix and when it is given: `flow/` for those that need the body's
//! data flow, `declared/` for those that need declarations (and the shape of the body) alone. Numbers are slangc's where
//! it has one; ours start at 41800.
//!
//! # Invariants
//! - A finding is plain data: places relative to segments, finished texts, edits. It stays equal when something else in
//!   the file changes, so that an edit in one body re-runs that function's chain and nothing else.
//! - Nothing is reported about what is already an error elsewhere: a body that does not type-check is not analysed.
//! - Deliberately absent: the analysis itself (`autodiff::activity`), absolute positions, severities by configuration.

#![warn(missing_docs)]

mod declared;
mod finding;
mod flow;
mod places;
mod summary;
mod transposition;
mod value_flow;

#[cfg(test)]
mod tests;

use base_db::Db;
use hir_def::item::ItemId;

pub use finding::{Cause, Edit, Finding, Fix};
pub use value_flow::{FlowState, ValueExplanation, ValueFlow, WayPart, WayStep, explain_value, value_flow};

/// Why the body of a function, which is analysed and has no errors of its own, could not be read: an error elsewhere, or what is
/// not supported.
pub fn unread(db: &dyn Db, item: ItemId) -> Option<&lower::LowerError> {
    flow::is_analysed(db, item).then(|| lower::lower_for_analysis(db, item).errors.first()).flatten()
}

/// Everything that is wrong with the derivatives of a declaration, in the order of places.
#[salsa::tracked(returns(deref))]
pub fn diagnostics(db: &dyn Db, item: ItemId) -> Box<[Finding]> {
    let mut findings = declared::findings(db, item);
    findings.extend(flow::findings(db, item));
    findings.sort_by_key(|finding| (finding.at.part, finding.at.range.start()));
    findings.into_boxed_slice()
}
