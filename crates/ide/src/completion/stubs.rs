//! Members that a type's interfaces require and it lacks, written out.

use base_db::Db;

use super::{CompletionItem, CompletionKind, WANTED, calls, plain};
use crate::{FilePosition, missing_members, symbols::SymbolKind};

/// What may be declared at a position of a type.
pub(super) fn stubs(db: &dyn Db, at: FilePosition) -> Vec<CompletionItem> {
    let stubs = missing_members::stubs_at(db, at).into_iter();
    stubs
        .map(|stub| CompletionItem {
            detail: Some(format!("required by {}", stub.interface)),
            insert_text: Some(format!("{}$0", calls::escaped(stub.text.trim_end()))),
            is_snippet: true,
            ..plain(&stub.name, CompletionKind::Symbol(SymbolKind::Method), WANTED)
        })
        .collect()
}
