//! Types, signatures and rules on small programs. Expected results come from the user guide and from slangc 2026.14.

mod differentials;
mod rules;
mod signatures;

use base_db::{RootDatabase, SourceFile};
use hir_def::{
    body::DerivativeOperator,
    item::{self, ItemId},
    name::Name,
    scope,
};
use test_support::database::with_core_library;

use super::{association::identity, display::signature_text, signature::derivative_signature};
use crate::{generics::env::Env, infer::result::Callable};

/// A database with the prelude and one file.
pub(super) fn program(text: &str) -> (RootDatabase, SourceFile) {
    let (mut db, mut documents) = with_core_library();
    let file = documents.open(&mut db, "/main.slang", text);
    (db, file)
}

/// The first item of this name.
pub(super) fn find(db: &RootDatabase, file: SourceFile, name: &str) -> ItemId {
    let name = Name::new(name);
    let items = scope::all_file_items(db, file);
    *items.iter().find(|item| item::item_data(db, **item).name.as_ref() == Some(&name)).expect("an item of this name")
}

/// `fwd_diff(name)` and `bwd_diff(name)` as a user would write them.
pub(super) fn derivatives(text: &str, name: &str) -> String {
    let (db, file) = program(text);
    let function = Callable::Function(identity(&db, find(&db, file, name)));
    [(DerivativeOperator::Forward, "fwd_diff"), (DerivativeOperator::Backward, "bwd_diff")]
        .map(|(operator, spelling)| {
            let env = Env::of(&db, find(&db, file, name));
            let signature = derivative_signature(&db, env, &function, operator).expect("a signature");
            signature_text(&db, &format!("{spelling}({name})"), &signature)
        })
        .join("\n")
}
