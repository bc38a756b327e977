//! From a declaration to those that stand for it, and back: a requirement of an interface and its implementations, a
//! function and the derivatives that the user wrote for it.

use base_db::Db;
use hir_def::{
    item::{self, ItemId, ItemKind},
    scope,
};
use hir_ty::differential::rules::derivative_rules;

use crate::{
    FilePosition, FileRange,
    family::family,
    mentions,
    semantics::{self, Definition},
    type_hierarchy,
};

/// Go to implementation: of a requirement, the members that fulfil it; of an interface, its types; of a function, what
/// differentiated code runs in its place.
pub fn implementations(db: &dyn Db, at: FilePosition) -> Vec<FileRange> {
    let Some(found) = semantics::find(db, at) else { return Vec::new() };
    let Definition::Item(item) = found.definition else {
        return semantics::declarations(db, &found.definition);
    };
    if matches!(item::item_data(db, item).kind, ItemKind::Interface { .. }) {
        return type_hierarchy::subtypes(db, at).into_iter().map(|symbol| symbol.name_range).collect();
    }
    let fulfilling = family(db, item).into_iter().filter(|member| !in_interface(db, *member)).collect();
    let mut shown: Vec<ItemId> = if in_interface(db, item) { fulfilling } else { Vec::new() };
    shown.extend(written_derivatives(db, item));
    places_or(db, shown, item)
}

/// Go to declaration: of a member that fulfils a requirement, the requirement; of a derivative that the user wrote, the
/// function that it is one of; else where the name is declared.
pub fn declarations(db: &dyn Db, at: FilePosition) -> Vec<FileRange> {
    let Some(found) = semantics::find(db, at) else { return Vec::new() };
    let Definition::Item(item) = found.definition else {
        return semantics::declarations(db, &found.definition);
    };
    let mut shown: Vec<ItemId> = Vec::new();
    if !in_interface(db, item) {
        shown.extend(family(db, item).into_iter().filter(|member| in_interface(db, *member)));
    }
    if let ItemKind::Function(_) = item::item_data(db, item).kind {
        let files = item::item_data(db, item).name.as_ref().map(|name| mentions::files_that_spell(db, name.as_str()));
        shown.extend(mentions::find_in(db, &files.unwrap_or_default(), |db, file| {
            let items = scope::all_file_items(db, file).iter().copied();
            items.filter(|other| written_derivatives(db, *other).any(|written| written == item)).collect()
        }));
    }
    places_or(db, shown, item)
}

fn places_or(db: &dyn Db, mut shown: Vec<ItemId>, item: ItemId) -> Vec<FileRange> {
    if shown.is_empty() {
        shown.push(item);
    }
    shown.into_iter().filter_map(|item| semantics::declaration(db, &Definition::Item(item))).collect()
}

/// The functions that the user wrote for the derivatives of a function.
fn written_derivatives(db: &dyn Db, item: ItemId) -> impl Iterator<Item = ItemId> {
    let rules = match item::item_data(db, item).kind {
        ItemKind::Function(_) => Some(derivative_rules(db, item)),
        _ => None,
    };
    let written = rules.map(|rules| [rules.forward_derivative, rules.backward_derivative, rules.primal_substitute]);
    written.into_iter().flatten().flatten()
}

fn in_interface(db: &dyn Db, item: ItemId) -> bool {
    let container = item::container(db, item);
    container.is_some_and(|container| matches!(item::item_data(db, container).kind, ItemKind::Interface { .. }))
}
