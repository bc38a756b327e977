//! Namespaces, which are declared in parts, each an item of its own.

use base_db::{Db, SourceFile};
use hir_def::{
    item::{self, ItemId, ItemKind},
    name::Name,
    scope,
};
use rustc_hash::FxHashSet;

use crate::{mentions, semantics::Definition};

pub(crate) fn is_namespace(db: &dyn Db, item: ItemId) -> bool {
    matches!(item::item_data(db, item).kind, ItemKind::Namespace)
}

/// All parts of a namespace: those of its name in the files that are compiled together, by way of any of them.
pub(crate) fn parts(db: &dyn Db, part: ItemId) -> Vec<Definition> {
    let path = path(db, part);
    let Some(name) = path.first() else { return vec![Definition::Item(part)] };
    // Each file with what it sees and the parts that it declares.
    let declared = mentions::find_in(db, &mentions::files_that_spell(db, name.as_str()), |db, file| {
        let items = scope::all_file_items(db, file).iter().copied();
        let parts: Vec<ItemId> =
            items.filter(|item| is_namespace(db, *item) && self::path(db, *item) == path).collect();
        vec![(file, mentions::reached(db, file), parts)]
    });
    let mut connected: FxHashSet<SourceFile> = FxHashSet::from_iter([item::file_of(db, part)]);
    let mut taken: FxHashSet<SourceFile> = FxHashSet::default();
    loop {
        let before = taken.len();
        for (file, reached, parts) in &declared {
            let is_seen = connected.contains(file) || reached.iter().any(|file| connected.contains(file));
            if is_seen && taken.insert(*file) {
                // What sees two parts makes them one, and all that it sees beside.
                let seen = declared.iter().filter(|(other, ..)| reached.contains(other));
                connected.extend(seen.filter(|(_, _, parts)| !parts.is_empty()).map(|(other, ..)| *other));
                if !parts.is_empty() {
                    connected.insert(*file);
                }
            }
        }
        if taken.len() == before {
            break;
        }
    }
    let parts = declared.into_iter().filter(|(file, ..)| connected.contains(file)).flat_map(|(.., parts)| parts);
    let mut parts: Vec<Definition> = parts.map(Definition::Item).collect();
    if !parts.contains(&Definition::Item(part)) {
        parts.push(Definition::Item(part));
    }
    parts
}

/// The names of a namespace and of those around it, innermost first.
fn path(db: &dyn Db, namespace: ItemId) -> Vec<Name> {
    let around = std::iter::successors(Some(namespace), |item| item::container(db, *item));
    around.filter_map(|item| item::item_data(db, item).name.clone()).collect()
}
