//! Types that inherit from themselves.

use base_db::Db;
use diagnostics::codes;
use hir_def::item::{self, ItemId, ItemKind};
use hir_ty::{conformance, diagnostics::Node, ty::Ty};

use super::Declaration;

/// How many types are looked at.
const MOST_TYPES: usize = 1024;

/// E39999: what a type inherits must come to an end. Of several types in a circle one is enough to say it of.
pub(super) fn check(declaration: &mut Declaration<'_>) {
    if !matches!(declaration.data.kind, ItemKind::Struct { .. } | ItemKind::Interface { .. }) {
        return;
    }
    let (db, item) = (declaration.db, declaration.item);
    let above = inherited(db, item);
    let is_first = |other: &ItemId| item::item_data(db, *other).name >= declaration.data.name;
    if above.contains(&item) && above.iter().filter(|other| inherited(db, **other).contains(&item)).all(is_first) {
        let message = format!("'{}' inherits from itself", declaration.name());
        declaration.report(codes::CANNOT_RESOLVE, Node::Name, message);
    }
}

/// All structs and interfaces above a type; itself, if it is in a circle.
fn inherited(db: &dyn Db, item: ItemId) -> Vec<ItemId> {
    let mut found: Vec<ItemId> = Vec::new();
    let mut pending = vec![item];
    while let Some(item) = pending.pop() {
        for base in conformance::bases(db, item) {
            let Ty::Adt(base, _) = *base else { continue };
            if found.len() < MOST_TYPES && !found.contains(&base) {
                found.push(base);
                pending.push(base);
            }
        }
    }
    found
}
