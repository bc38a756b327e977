//! 41808: a body without errors that the analysis cannot read. What is lost in it would be lost in silence.

use base_db::Db;
use diagnostics::codes;
use hir_def::item::ItemId;
use lower::{Cause, LoweredFunction};

use crate::{
    Finding,
    finding::{name_location, name_of},
    summary,
};

/// Nothing is said of code that has errors elsewhere, such as in a type that it takes.
pub(super) fn check(db: &dyn Db, item: ItemId, lowered: &LoweredFunction) -> Option<Finding> {
    let (error, feature) = lowered.errors.iter().find_map(|error| match &error.cause {
        Cause::Unsupported(feature) => Some((error, feature)),
        Cause::Broken(_) => None,
    })?;
    let at = summary::location_of(item.segment(db), error.span).or_else(|| name_location(db, item))?;
    let name = name_of(db, item);
    let message = format!("derivatives that '{name}' loses are not looked for: {feature} is not supported there");
    Some(Finding::new(codes::NOT_LOOKED_AT, at, message))
}
