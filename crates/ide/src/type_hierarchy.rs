//! Type hierarchy: the interfaces of a type, and the types of an interface.

use base_db::Db;
use hir_def::{
    item::{self, ItemId, ItemKind},
    scope,
};
use hir_ty::{conformance, extension, ty::Ty};

use crate::{
    FilePosition,
    family::{interfaces_of, user_files},
    semantics::{self, Definition},
    symbols::{Symbol, symbol_of},
};

/// The type that is meant at a position.
pub fn type_at(db: &dyn Db, at: FilePosition) -> Option<Symbol> {
    symbol_of(db, item_at(db, at)?)
}

fn item_at(db: &dyn Db, at: FilePosition) -> Option<ItemId> {
    match semantics::find(db, at)?.definition {
        Definition::Item(item) if is_type(db, item) => Some(item),
        Definition::Item(item) => item::container(db, item).filter(|container| is_type(db, *container)),
        _ => None,
    }
}

/// The bases of the type declared at a position, those that extensions add included.
pub fn supertypes(db: &dyn Db, declaration: FilePosition) -> Vec<Symbol> {
    let Some(item) = item_at(db, declaration) else { return Vec::new() };
    let mut bases: Vec<Ty> = conformance::bases(db, item).to_vec();
    for extension in extensions_of(db, item) {
        bases.extend(conformance::bases(db, extension).iter());
    }
    let items = bases.into_iter().filter_map(|ty| if let Ty::Adt(item, _) = ty { Some(item) } else { None });
    items.filter_map(|item| symbol_of(db, item)).collect()
}

/// The types that conform to the interface declared at a position, and interfaces that inherit it.
pub fn subtypes(db: &dyn Db, declaration: FilePosition) -> Vec<Symbol> {
    let Some(item) = item_at(db, declaration) else { return Vec::new() };
    let candidates = user_files(db).into_iter().flat_map(|file| scope::all_file_items(db, file).iter().copied());
    let below = candidates.filter(|candidate| {
        *candidate != item
            && is_type(db, *candidate)
            && match item::item_data(db, *candidate).kind {
                ItemKind::Interface { .. } => {
                    conformance::bases(db, *candidate).iter().any(|base| matches!(base, Ty::Adt(of, _) if *of == item))
                }
                _ => interfaces_of(db, *candidate).contains(&item),
            }
    });
    below.filter_map(|item| symbol_of(db, item)).collect()
}

fn extensions_of(db: &dyn Db, item: ItemId) -> impl Iterator<Item = ItemId> {
    let items = user_files(db).into_iter().flat_map(|file| scope::all_file_items(db, file).iter().copied());
    items.filter(move |candidate| {
        matches!(item::item_data(db, *candidate).kind, ItemKind::Extension { .. })
            && matches!(extension::target(db, *candidate), Ty::Adt(of, _) if of == item)
    })
}

fn is_type(db: &dyn Db, item: ItemId) -> bool {
    matches!(
        item::item_data(db, item).kind,
        ItemKind::Struct { .. } | ItemKind::Interface { .. } | ItemKind::Enum { .. }
    )
}
