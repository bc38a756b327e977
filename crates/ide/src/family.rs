//! Declarations that share a name for good: a requirement of an interface and everything that fulfils it.

use base_db::Db;
use hir_def::{
    item::{self, ItemId, ItemKind},
    name::Name,
    scope,
};
use hir_ty::{conformance, env::Env, generics, ty::Ty};
use rustc_hash::FxHashSet;

use crate::{
    FileRange, mentions,
    semantics::{self, Definition},
};

/// All members of the family that an item belongs to, itself included; just the item if it is not a member of a type or
/// interface, or fulfils nothing.
pub(crate) fn family(db: &dyn Db, item: ItemId) -> Vec<ItemId> {
    let Some(container) = item::container(db, item) else { return vec![item] };
    let Some(name) = item::item_data(db, item).name.clone() else { return vec![item] };
    let mut interfaces = Interfaces::default();
    interfaces.add_requiring(db, container, &name);
    if interfaces.items.is_empty() {
        return vec![item];
    }
    let named: Vec<(ItemId, ItemId)> =
        mentions::find_in(db, &mentions::files_that_spell(db, name.as_str()), |db, file| {
            let items =
                scope::all_file_items(db, file).iter().copied().filter(|candidate| is_named(db, *candidate, &name));
            items.filter_map(|candidate| Some((candidate, item::container(db, candidate)?))).collect()
        });
    let mut family: Vec<ItemId> = vec![item];
    // What fulfils two requirements at once makes them one family.
    let mut next = 0;
    while next < interfaces.items.len() {
        let interface = interfaces.items[next];
        next += 1;
        family.extend(item::members(db, interface).iter().copied().filter(|member| is_named(db, *member, &name)));
        for &(candidate, container) in &named {
            if !family.contains(&candidate) && interfaces.hold_one_of(db, container) {
                family.push(candidate);
                interfaces.add_requiring(db, container, &name);
            }
        }
    }
    family.sort();
    family.dedup();
    family
}

/// Interfaces by the places of their declarations: one in a header is an item of each file that includes it.
#[derive(Default)]
struct Interfaces {
    items: Vec<ItemId>,
    declared: FxHashSet<FileRange>,
}

impl Interfaces {
    /// Those that require a member of the name of a type, interface or extension.
    fn add_requiring(&mut self, db: &dyn Db, container: ItemId, name: &Name) {
        let mut found: Vec<ItemId> = match item::item_data(db, container).kind {
            ItemKind::Interface { .. } => bases_of(db, container),
            ItemKind::Struct { .. } | ItemKind::Extension { .. } | ItemKind::Enum { .. } => {
                interfaces_of(db, container)
            }
            _ => return,
        };
        found.retain(|interface| declares(db, *interface, name));
        if matches!(item::item_data(db, container).kind, ItemKind::Interface { .. }) {
            found.push(container);
        }
        for interface in found {
            let place = semantics::declaration(db, &Definition::Item(interface));
            if !self.items.contains(&interface) {
                self.items.push(interface);
                self.declared.extend(place);
            }
        }
    }

    /// Whether the type that a container is about conforms to one of them, or the container is one of them.
    fn hold_one_of(&self, db: &dyn Db, container: ItemId) -> bool {
        let is_one = |item: ItemId| {
            let place = || semantics::declaration(db, &Definition::Item(item));
            self.items.contains(&item) || place().is_some_and(|place| self.declared.contains(&place))
        };
        let of_interface = matches!(item::item_data(db, container).kind, ItemKind::Interface { .. });
        let conforms_to = if of_interface { bases_of(db, container) } else { interfaces_of(db, container) };
        is_one(container) || conforms_to.into_iter().any(is_one)
    }
}

/// The interfaces that an interface inherits directly.
pub(crate) fn bases_of(db: &dyn Db, interface: ItemId) -> Vec<ItemId> {
    conformance::bases(db, interface)
        .iter()
        .filter_map(|ty| if let Ty::Adt(item, _) = ty { Some(*item) } else { None })
        .collect()
}

/// The interfaces that the type which a struct, enum or extension is about conforms to.
pub(crate) fn interfaces_of(db: &dyn Db, container: ItemId) -> Vec<ItemId> {
    let Some(ty) = generics::self_type(db, container) else { return Vec::new() };
    let found = conformance::interfaces_of(db, Env::of(db, container), ty).iter();
    found.filter_map(|ty| if let Ty::Adt(item, _) = ty { Some(*item) } else { None }).collect()
}

fn declares(db: &dyn Db, interface: ItemId, name: &Name) -> bool {
    item::members(db, interface).iter().any(|member| is_named(db, *member, name))
}

/// Whether a declaration has a name; `get` and `set` of a property are words and no names.
pub(crate) fn is_named(db: &dyn Db, item: ItemId, name: &Name) -> bool {
    let data = item::item_data(db, item);
    data.name.as_ref() == Some(name) && !matches!(data.kind, ItemKind::Accessor { .. })
}
