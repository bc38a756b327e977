//! Types that inherit from themselves, or from what another module does not open.

use base_db::Db;
use diagnostics::codes;
use hir_def::{
    attribute::AttributeKind,
    item::{self, ItemId, ItemKind},
    visibility,
};
use hir_ty::{conformance, diagnostics::Node, known, ty::Ty};

use super::Declaration;

/// How many types are looked at.
const MOST_TYPES: usize = 1024;

pub(super) fn check(declaration: &mut Declaration<'_>) {
    ends(declaration);
    crosses_modules(declaration);
}

/// E30830, E30831: interfaces are open to other modules unless they are sealed, structs sealed unless they are open.
fn crosses_modules(declaration: &mut Declaration<'_>) {
    let db = declaration.db;
    let (ItemKind::Struct { bases } | ItemKind::Interface { bases } | ItemKind::Extension { bases, .. }) =
        &declaration.data.kind
    else {
        return;
    };
    for written in bases {
        let Ty::Adt(base, _) = declaration.lower(*written) else { continue };
        if known::is_in_prelude(db, base) || visibility::same_module(db, base, declaration.item) {
            continue;
        }
        let data = item::item_data(db, base);
        let name = data.name.as_ref().map_or("", |name| name.as_str());
        if data.has_attribute(AttributeKind::Sealed) {
            let message = format!("'{name}' is sealed: only its own module may inherit from it");
            declaration.report(codes::INHERITS_SEALED, Node::SignatureTypeRef(*written), message);
        } else if matches!(data.kind, ItemKind::Struct { .. }) && !data.has_attribute(AttributeKind::Open) {
            let message = format!("'{name}' is of another module and not [open]: only its own may inherit from it");
            declaration.report(codes::INHERITS_UNOPENED, Node::SignatureTypeRef(*written), message);
        }
    }
}

/// E39999: what a type inherits must come to an end. Of several types in a circle one is enough to say it of.
fn ends(declaration: &mut Declaration<'_>) {
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
