//! Namespaces, which have many parts, in one file and in several: what all of them together declare.
//!
//! A namespace is known by the names of those around it and its own. The parts of each file are merged once, and each name
//! is looked up once, so that many parts cost no more than one with as many members.

use std::sync::Arc;

use base_db::{Db, SourceFile};
use rustc_hash::FxHashSet;

use super::{NameMap, accessible, file_names, member_names, prelude_index::prelude_items, resolve_using};
use crate::{
    item::{self, ItemId, ItemKind},
    modules::{self, module_clauses, module_view},
    name::Name,
};

/// A namespace, whichever of its parts one looks at.
#[salsa::interned(unsafe(no_lifetime), revisions = usize::MAX)]
#[derive(Debug)]
struct Namespace {
    #[returns(copy)]
    outer: Option<Namespace>,
    #[returns(ref)]
    name: Name,
    /// Those of the core library are other ones than those of programs.
    #[returns(copy)]
    in_prelude: bool,
}

/// The namespace that an item is a part of; `None` for one without a name.
#[salsa::tracked(returns(copy))]
fn namespace_of(db: &dyn Db, part: ItemId) -> Option<Namespace> {
    let name = item::item_data(db, part).name.clone()?;
    let outer = match item::container(db, part) {
        Some(outer) => Some(namespace_of(db, outer)?),
        None => None,
    };
    Some(Namespace::new(db, outer, name, modules::is_prelude(db, item::file_of(db, part))))
}

/// Whether two items are parts of the same namespace.
pub(super) fn are_parts_of_one(db: &dyn Db, one: ItemId, other: ItemId) -> bool {
    let is_part = |item: ItemId| matches!(item::item_data(db, item).kind, ItemKind::Namespace);
    is_part(one) && is_part(other) && namespace_of(db, one).is_some_and(|one| namespace_of(db, other) == Some(one))
}

/// The parts of a namespace that are written in one file.
#[salsa::tracked(returns(deref))]
fn parts_in_file(db: &dyn Db, namespace: Namespace, file: SourceFile) -> Box<[ItemId]> {
    let name = namespace.name(db);
    let is_part = |item: &ItemId| matches!(item::item_data(db, *item).kind, ItemKind::Namespace);
    match namespace.outer(db) {
        Some(outer) => {
            let around = parts_in_file(db, outer, file).iter();
            around.flat_map(|part| member_names(db, *part).get(name)).copied().filter(is_part).collect()
        }
        None if namespace.in_prelude(db) => {
            let items = prelude_items(db, name.clone()).iter().copied();
            items.filter(|item| item::file_of(db, *item) == file).filter(is_part).collect()
        }
        None => file_names(db, file).get(name).iter().copied().filter(is_part).collect(),
    }
}

/// What the parts of a namespace in one file declare.
fn names_in_file(db: &dyn Db, namespace: Namespace, file: SourceFile) -> &NameMap {
    match parts_in_file(db, namespace, file) {
        [only] => member_names(db, *only),
        _ => merged_names(db, namespace, file),
    }
}

#[salsa::tracked]
fn merged_names(db: &dyn Db, namespace: Namespace, file: SourceFile) -> NameMap {
    let mut names = NameMap::default();
    for part in parts_in_file(db, namespace, file) {
        names.merge(member_names(db, *part));
    }
    names
}

/// The files whose parts of a namespace are seen from a file.
fn files_of(db: &dyn Db, namespace: Namespace, from: SourceFile) -> Vec<SourceFile> {
    if namespace.in_prelude(db) {
        return base_db::Project::try_get(db).map(|project| project.prelude(db).to_vec()).unwrap_or_default();
    }
    let view = module_view(db, from);
    view.files.iter().chain(view.imported.iter()).copied().collect()
}

/// What a name means in a namespace, without what the namespace uses. The part that one came by counts even where the
/// file does not see it otherwise.
pub(super) fn lookup(db: &dyn Db, part: ItemId, from: SourceFile, name: &Name) -> Vec<ItemId> {
    let Some(namespace) = namespace_of(db, part) else { return member_names(db, part).get(name).to_vec() };
    let seen = named(db, namespace, from, name.clone());
    if seen.is_empty() { member_names(db, part).get(name).to_vec() } else { seen.to_vec() }
}

/// A query for each name, so that a new declaration re-runs only what uses its name.
#[salsa::tracked(returns(deref))]
fn named(db: &dyn Db, namespace: Namespace, from: SourceFile, name: Name) -> Box<[ItemId]> {
    let files = files_of(db, namespace, from).into_iter();
    let found = files.flat_map(|file| names_in_file(db, namespace, file).get(&name)).copied().collect();
    accessible(db, from, found).into()
}

/// The maps that together hold the names of a namespace.
pub(super) fn name_maps(db: &dyn Db, part: ItemId, from: SourceFile) -> Vec<&NameMap> {
    match namespace_of(db, part) {
        Some(namespace) => {
            files_of(db, namespace, from).into_iter().map(|file| names_in_file(db, namespace, file)).collect()
        }
        None => vec![member_names(db, part)],
    }
}

/// The namespaces that are used inside of a namespace, directly or by what it uses.
pub(super) fn used_in(db: &dyn Db, part: ItemId, from: SourceFile) -> &[ItemId] {
    match namespace_of(db, part) {
        Some(namespace) => used_in_namespace(db, namespace, from),
        None => namespace_usings(db, part),
    }
}

#[salsa::tracked(returns(deref))]
fn used_in_namespace(db: &dyn Db, namespace: Namespace, from: SourceFile) -> Arc<[ItemId]> {
    closure(db, Vec::new(), vec![namespace], from)
}

/// The namespaces that a file uses at its top level, directly or by what it uses.
#[salsa::tracked(returns(deref))]
pub(super) fn used_at_top_level(db: &dyn Db, file: SourceFile) -> Arc<[ItemId]> {
    let usings = module_clauses(db, file).usings.iter();
    closure(db, usings.filter_map(|using| resolve_using(db, *using)).collect(), Vec::new(), file)
}

/// Some namespaces and all that those and the `pending` ones use.
fn closure(db: &dyn Db, found: Vec<ItemId>, pending: Vec<Namespace>, from: SourceFile) -> Arc<[ItemId]> {
    let mut found = found;
    let mut pending = pending;
    pending.extend(found.iter().filter_map(|part| namespace_of(db, *part)));
    let mut seen: FxHashSet<ItemId> = found.iter().copied().collect();
    let mut entered: FxHashSet<Namespace> = FxHashSet::default();
    let mut next = 0;
    while let Some(namespace) = pending.get(next).copied() {
        next += 1;
        if !entered.insert(namespace) {
            continue;
        }
        for file in files_of(db, namespace, from) {
            for part in parts_in_file(db, namespace, file) {
                for used in namespace_usings(db, *part) {
                    if seen.insert(*used) {
                        found.push(*used);
                        pending.extend(namespace_of(db, *used));
                    }
                }
            }
        }
    }
    found.into()
}

/// The namespaces that a part of a namespace uses.
#[salsa::tracked(returns(deref))]
fn namespace_usings(db: &dyn Db, namespace: ItemId) -> Box<[ItemId]> {
    let members = item::members(db, namespace).iter();
    members.filter_map(|member| resolve_using(db, *member)).collect()
}
