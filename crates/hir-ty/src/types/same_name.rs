//! Many declarations of one name: what each use of the name would otherwise find out for all of them again.

use std::borrow::Cow;

use base_db::Db;
use hir_def::item::{self, ItemId, ItemKind};

/// Fewer are looked at one by one.
pub(crate) const MANY: usize = 16;

/// Declarations of one name, in the order of declaration.
#[salsa::interned]
#[derive(Debug)]
pub(crate) struct SameName<'db> {
    #[returns(deref)]
    pub(crate) items: Box<[ItemId]>,
}

impl<'db> SameName<'db> {
    /// `None` for few, which are looked at one by one.
    pub(crate) fn of_many(db: &'db dyn Db, items: &[ItemId]) -> Option<SameName<'db>> {
        (items.len() > MANY).then(|| SameName::new(db, Box::from(items)))
    }
}

/// The declarations among these that may be meant where a type or a namespace is wanted.
pub(super) fn types<'a>(db: &'a dyn Db, items: &'a [ItemId]) -> Cow<'a, [ItemId]> {
    match SameName::of_many(db, items) {
        Some(many) => Cow::Borrowed(&of_sort(db, many).types),
        None => Cow::Owned(items.iter().copied().filter(|item| sort(db, *item) == Some(Sort::Type)).collect()),
    }
}

/// The declarations among these that may be constants.
pub(super) fn constants<'a>(db: &'a dyn Db, items: &'a [ItemId]) -> Cow<'a, [ItemId]> {
    match SameName::of_many(db, items) {
        Some(many) => Cow::Borrowed(&of_sort(db, many).constants),
        None => Cow::Owned(items.iter().copied().filter(|item| sort(db, *item) == Some(Sort::Constant)).collect()),
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sort {
    Type,
    Constant,
}

fn sort(db: &dyn Db, item: ItemId) -> Option<Sort> {
    match item::item_data(db, item).kind {
        ItemKind::Struct { .. }
        | ItemKind::Enum { .. }
        | ItemKind::Interface { .. }
        | ItemKind::TypeAlias { .. }
        | ItemKind::AssociatedType { .. }
        | ItemKind::Namespace
        | ItemKind::Module { .. }
        | ItemKind::GlobalTypeParam => Some(Sort::Type),
        ItemKind::Variable { .. } | ItemKind::EnumCase { .. } => Some(Sort::Constant),
        _ => None,
    }
}

#[derive(Debug, Default, PartialEq, Eq)]
struct BySort {
    types: Box<[ItemId]>,
    constants: Box<[ItemId]>,
}

#[salsa::tracked(returns(ref))]
fn of_sort<'db>(db: &'db dyn Db, items: SameName<'db>) -> BySort {
    let of = |wanted: Sort| items.items(db).iter().copied().filter(|item| sort(db, *item) == Some(wanted)).collect();
    BySort { types: of(Sort::Type), constants: of(Sort::Constant) }
}
