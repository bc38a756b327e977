//! `public`, `internal`, `private`: who may use a declaration.

use base_db::{Db, Segment, SourceFile, chunks};

use crate::{
    attribute::Modifiers,
    expansion,
    item::{self, ItemId, ItemKind},
    modules::{self, module_clauses, module_view},
};

/// Who may use a declaration, narrowest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Visibility {
    /// Inside the type that declares it, its extensions and nested types.
    Private,
    /// Inside the module.
    Internal,
    /// Everywhere.
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
            | ItemKind::ConstantBuffer { .. } => return visibility(db, container),
            // From 2026 on the members of a public type are public unless they say otherwise.
            ItemKind::Struct { .. }
                if written_language(db, item::file_of(db, item)) >= 2026
                    && visibility(db, container) == Visibility::Public =>
            {
                return Visibility::Public;
            }
            _ => {}
        }
    }
    if matches!(data.kind, ItemKind::Namespace) {
        Visibility::Public
    } else {
        default_visibility(db, item::file_of(db, item))
    }
}

/// The year in `#language slang 2026`; 0 for files that name none.
#[salsa::tracked(returns(copy))]
fn written_language(db: &dyn Db, file: SourceFile) -> u32 {
    let directives = expansion::directives(db, file);
    let languages = directives.filter_map(|segment| {
        let line = segment.header(db).lines().find_map(|line| line.trim().strip_prefix("#language"))?;
        let digits: String = line.chars().filter(char::is_ascii_digit).collect();
        digits.get(..4)?.parse().ok()
    });
    languages.last().unwrap_or(0)
}

/// Modules that neither say so with a `module` clause nor mention visibility are from before it existed: everything in
/// them is public.
fn default_visibility(db: &dyn Db, file: SourceFile) -> Visibility {
    if modules::is_prelude(db, file) {
        return Visibility::Public;
    }
    let view = module_view(db, file);
    let is_module = module_clauses(db, view.root).module.is_some() || module_clauses(db, file).implementing.is_some();
    if is_module || view.files.iter().any(|file| mentions_visibility(db, *file)) {
        Visibility::Internal
    } else {
        Visibility::Public
    }
}

/// Whether any declaration of a file is `public`, `internal` or `private`.
#[salsa::tracked(returns(copy))]
fn mentions_visibility(db: &dyn Db, file: SourceFile) -> bool {
    (0..chunks::chunks(db, file)).any(|chunk| chunk_mentions_visibility(db, file, chunk))
}

#[salsa::tracked(returns(copy))]
fn chunk_mentions_visibility(db: &dyn Db, file: SourceFile, chunk: u32) -> bool {
    chunks::with_members(db, file, chunk).into_iter().any(|segment| segment_mentions_visibility(db, segment))
}

fn segment_mentions_visibility(db: &dyn Db, segment: Segment) -> bool {
    let written = Modifiers::PUBLIC | Modifiers::INTERNAL | Modifiers::PRIVATE;
    item::segment_items(db, segment).iter().any(|item| item::item_data(db, *item).modifiers.intersects(written))
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

/// Whether code at the top level of a file may use `item`, which belongs to no type.
pub(crate) fn is_accessible_in_file(db: &dyn Db, item: ItemId, from: SourceFile) -> bool {
    in_module_of(db, item, from) || visibility(db, item) == Visibility::Public
}

/// Whether `item` is of the module that `from` is of.
pub fn same_module(db: &dyn Db, item: ItemId, from: ItemId) -> bool {
    in_module_of(db, item, item::file_of(db, from))
}

fn in_module_of(db: &dyn Db, item: ItemId, from: SourceFile) -> bool {
    let file = item::file_of(db, item);
    file == from || module_view(db, file).root == module_view(db, from).root
}
