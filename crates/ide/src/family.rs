//! Declarations that share a name for good: a requirement of an interface and everything that fulfils it.

use base_db::{Db, Project, SourceFile};
use hir_def::{
    item::{self, ItemId, ItemKind},
    modules, scope,
};
use hir_ty::{conformance, env::Env, generics, ty::Ty};

/// All members of the family that an item belongs to, itself included; just the item if it is no member of a type or
/// interface, or fulfils nothing.
pub(crate) fn family(db: &dyn Db, item: ItemId) -> Vec<ItemId> {
    let Some(container) = item::container(db, item) else { return vec![item] };
    let Some(name) = item::item_data(db, item).name.clone() else { return vec![item] };
    let interfaces: Vec<ItemId> = match item::item_data(db, container).kind {
        ItemKind::Interface { .. } => vec![container],
        ItemKind::Struct { .. } | ItemKind::Extension { .. } | ItemKind::Enum { .. } => {
            interfaces_of(db, container).into_iter().filter(|interface| declares(db, *interface, &name)).collect()
        }
        _ => Vec::new(),
    };
    if interfaces.is_empty() {
        return vec![item];
    }
    let mut family: Vec<ItemId> = vec![item];
    for &interface in &interfaces {
        family.extend(item::members(db, interface).iter().copied().filter(|member| is_named(db, *member, &name)));
    }
    for file in user_files(db) {
        for &candidate in scope::all_file_items(db, file).iter().filter(|candidate| is_named(db, **candidate, &name)) {
            let fulfils = item::container(db, candidate)
                .is_some_and(|container| interfaces_of(db, container).iter().any(|item| interfaces.contains(item)));
            if fulfils {
                family.push(candidate);
            }
        }
    }
    family.sort();
    family.dedup();
    family
}

/// The interfaces that the type which a struct, enum or extension is about conforms to.
pub(crate) fn interfaces_of(db: &dyn Db, container: ItemId) -> Vec<ItemId> {
    let Some(ty) = generics::self_type(db, container) else { return Vec::new() };
    let found = conformance::interfaces_of(db, Env::of(db, container), ty).iter();
    found.filter_map(|ty| if let Ty::Adt(item, _) = ty { Some(*item) } else { None }).collect()
}

/// All known files but those of the core library, by path.
pub(crate) fn user_files(db: &dyn Db) -> Vec<SourceFile> {
    let mut files: Vec<_> = Project::get(db).files(db).iter().collect();
    files.sort_by_key(|(path, _)| *path);
    files.into_iter().map(|(_, &file)| file).filter(|file| !modules::is_prelude(db, *file)).collect()
}

fn declares(db: &dyn Db, interface: ItemId, name: &hir_def::name::Name) -> bool {
    item::members(db, interface).iter().any(|member| is_named(db, *member, name))
}

fn is_named(db: &dyn Db, item: ItemId, name: &hir_def::name::Name) -> bool {
    item::item_data(db, item).name.as_ref() == Some(name)
}
