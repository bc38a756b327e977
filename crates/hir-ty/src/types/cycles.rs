//! How queries that ask themselves come to an answer.
//!
//! Cyclic programs are ordinary input: types refer to themselves, constants to each other, extensions to what extensions
//! add. Every query that can take part in a cycle starts from "nothing known" and is repeated until its answer stays the
//! same; one that does not settle soon becomes an error.

use base_db::Db;

use crate::types::ty::Ty;

/// How often a query is repeated before it counts as having no answer.
const MAX_ITERATIONS: u32 = 12;

/// The answer of one more round, or `otherwise` if the rounds lead nowhere.
pub(crate) fn settle<T>(cycle: &salsa::Cycle<'_>, value: T, otherwise: T) -> T {
    if cycle.iteration() > MAX_ITERATIONS { otherwise } else { value }
}

/// [`settle`] for queries that answer with a type.
pub(crate) fn settle_type<Key>(_db: &dyn Db, cycle: &salsa::Cycle<'_>, _last: &Ty, value: Ty, _key: Key) -> Ty {
    settle(cycle, value, Ty::Error)
}
