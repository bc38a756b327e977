//! Who may use a member: what is private to a type belongs to its extensions, and what an interface asks for to those who see it.

use base_db::Db;
use hir_def::{
    item::{self, ItemId, ItemKind},
    visibility::{self as access, Visibility, visibility},
};

use super::{extension, members};
use crate::types::ty::Ty;

/// Whether the code of `from` may use `item`: what is private to a type belongs to its extensions as well.
pub fn is_accessible(db: &dyn Db, item: ItemId, from: ItemId) -> bool {
    if visibility(db, item) != Visibility::Private {
        return access::is_accessible(db, item, from) || is_of_accessible_interface(db, item, from);
    }
    let Some(owner) = item::container(db, item).and_then(|container| type_item(db, container)) else {
        return access::is_accessible(db, item, from);
    };
    std::iter::successors(Some(from), |inner| item::container(db, *inner))
        .any(|around| type_item(db, around) == Some(owner))
        || is_of_accessible_interface(db, item, from)
}

/// Whether an interface of the member's type asks for a member of this name: who sees the interface may use it.
fn is_of_accessible_interface(db: &dyn Db, member: ItemId, from: ItemId) -> bool {
    let (Some(container), Some(name)) = (item::container(db, member), &item::item_data(db, member).name) else {
        return false;
    };
    let mut interfaces: Vec<ItemId> = vec![container];
    let mut next = 0;
    while let Some(&around) = interfaces.get(next) {
        next += 1;
        for base in super::bases(db, around).iter().copied() {
            let Ty::Adt(interface, _) = base else { continue };
            if extension::is_interface(db, base) && !interfaces.contains(&interface) {
                interfaces.push(interface);
            }
        }
    }
    let asks = |interface: &ItemId| !members::declared(db, *interface, name).is_empty();
    interfaces.iter().skip(1).any(|interface| asks(interface) && access::is_accessible(db, *interface, from))
}

/// The type that a container adds members to.
fn type_item(db: &dyn Db, container: ItemId) -> Option<ItemId> {
    match item::item_data(db, container).kind {
        ItemKind::Struct { .. } | ItemKind::Interface { .. } | ItemKind::Enum { .. } => Some(container),
        ItemKind::Extension { .. } => match extension::target(db, container) {
            Ty::Adt(item, _) => Some(item),
            _ => None,
        },
        _ => None,
    }
}
