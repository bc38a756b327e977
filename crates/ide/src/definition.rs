//! Go to definition: from a name to where it is declared.

use base_db::Db;

use crate::{FilePosition, FileRange, semantics};

/// The places that declare what stands at a position; of `bwd_diff`, the function that is differentiated.
pub fn definition(db: &dyn Db, at: FilePosition) -> Vec<FileRange> {
    let found = semantics::find(db, at);
    found.map(|found| semantics::declarations(db, &found.definition)).unwrap_or_default()
}

/// The declaration of the type of what stands at a position.
pub fn type_definition(db: &dyn Db, at: FilePosition) -> Vec<FileRange> {
    let ty = semantics::find(db, at).and_then(|found| found.ty);
    ty.map(|ty| semantics::declarations(db, &semantics::definition_of_type(db, ty))).unwrap_or_default()
}
