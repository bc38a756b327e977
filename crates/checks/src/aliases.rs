//! Aliases of types that stand for themselves.

use ::diagnostics::stack;
use base_db::Db;
use diagnostics::codes;
use hir_def::item::{ItemId, ItemKind};
use hir_ty::{diagnostics::Node, resolve};
use rustc_hash::FxHashSet;

use super::Declaration;

/// E40002: what an alias stands for is made from the alias itself, by way of other aliases.
pub(super) fn check(declaration: &mut Declaration<'_>) {
    let (db, alias) = (declaration.db, declaration.item);
    if !matches!(declaration.data.kind, ItemKind::TypeAlias { .. }) || !leads_to_a_circle(db, alias) {
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

/// Whether what an alias stands for is made from a circle of aliases. Each alias is looked at once, however long the chains are.
#[salsa::tracked(returns(copy), cycle_result = circle)]
fn leads_to_a_circle(db: &dyn Db, alias: ItemId) -> bool {
    let mut named = resolve::aliases_in(db, alias).into_iter();
    stack::deep(|| named.any(|alias| leads_to_a_circle(db, alias)))
}

fn circle(_db: &dyn Db, _id: salsa::Id, _alias: ItemId) -> bool {
    true
}
