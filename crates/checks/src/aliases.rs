//! Aliases of types that stand for themselves.

use diagnostics::codes;
use hir_def::item::{ItemId, ItemKind};
use hir_ty::{diagnostics::Node, resolve};
use rustc_hash::FxHashSet;

use super::Declaration;

/// E40002: what an alias stands for is made from the alias itself, by way of other aliases.
pub(super) fn check(declaration: &mut Declaration<'_>) {
    let (db, alias) = (declaration.db, declaration.item);
    if !matches!(declaration.data.kind, ItemKind::TypeAlias { .. }) {
        return;
    }
    let mut seen: FxHashSet<ItemId> = FxHashSet::default();
    let mut open = vec![alias];
    while let Some(next) = open.pop() {
        open.extend(resolve::aliases_in(db, next).into_iter().filter(|named| seen.insert(*named)));
    }
    if seen.contains(&alias) {
        let message = format!("'{}' stands for itself", declaration.name());
        declaration.report(codes::CYCLIC_REFERENCE, Node::Name, message);
    }
}
