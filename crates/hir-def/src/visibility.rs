//! `public`, `internal`, `private`: who may use a declaration.

use base_db::{Db, SourceFile};

use crate::{
    attribute::Modifiers,
    item::{self, ItemId, ItemKind},
    modules::{self, module_clauses, module_view},
};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Visibility {
    /// Inside the type that declares it, its extensions and nested types.
    Private,
    /// Inside the module.
    Internal,
    Public,
}

/// The visibility that a declaration has, written or not.
#[salsa::tracked(returns(copy))]
pub fn visibility(db: &dyn Db, item: ItemId) -> Visibility {
    let data = item::item_data(db, item);
    if data.modifiers.contains(Modifiers::PUBLIC) {
        return Visibility::Public;
    }
    if data.modifiers.contains(Modifiers::PRIVATE) {
        return Visibility::Private;
    }
    if data.modifiers.contains(Modifiers::INTERNAL) {
        return Visibility::Internal;
    }
    if let Some(container) = item::container(db, item) {
        match item::item_data(db, container).kind {
            // Requirements, cases, accessors and fields of constant buffers are as visible as what they belong to.
            ItemKind::Interface { .. }
            | ItemKind::Enum { .. }
            | ItemKind::Property { .. }
            | ItemKind::Subscript { .. }
            | ItemKind::ConstantBuffer => return visibility(db, container),
            _ => {}
        }
    }
    if matches!(data.kind, ItemKind::Namespace) {
        Visibility::Public
    } else {
        default_visibility(db, item::file_of(db, item))
    }
}

/// Files without a `module` clause are from before visibility existed: everything in them is public.
fn default_visibility(db: &dyn Db, file: SourceFile) -> Visibility {
    if modules::is_prelude(db, file) {
        return Visibility::Public;
    }
    let root = module_view(db, file).root;
    let is_module = module_clauses(db, root).module.is_some() || module_clauses(db, file).implementing.is_some();
    if is_module { Visibility::Internal } else { Visibility::Public }
}

/// Whether the code of `from` may use `item`.
pub fn is_accessible(db: &dyn Db, item: ItemId, from: ItemId) -> bool {
    match visibility(db, item) {
        Visibility::Public => true,
        Visibility::Internal => same_module(db, item, from),
        Visibility::Private => {
            let Some(owner) = item::container(db, item) else {
                return same_module(db, item, from);
            };
            let mut around = std::iter::successors(Some(from), |inner| item::container(db, *inner));
            // Which type an extension is about is known to the layer of types: here every extension may.
            around.any(|outer| outer == owner || matches!(item::item_data(db, outer).kind, ItemKind::Extension { .. }))
                && same_module(db, item, from)
        }
    }
}

fn same_module(db: &dyn Db, item: ItemId, from: ItemId) -> bool {
    let (item, from) = (item::file_of(db, item), item::file_of(db, from));
    item == from || module_view(db, item).root == module_view(db, from).root
}
