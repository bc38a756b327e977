//! Type hierarchy: the interfaces of a type, and the types of an interface.

use base_db::{Db, SourceFile};
use hir_def::{
    item::{self, ItemId, ItemKind},
    name::Name,
    scope,
};
use hir_ty::{conformance, extension, resolve, ty::Ty};
use rustc_hash::FxHashSet;

use crate::{
    FilePosition, FileRange,
    family::{bases_of, interfaces_of, is_named},
    mentions,
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
    let Some(place) = declared_at(db, item) else { return Vec::new() };
    let is_below = |db: &dyn Db, candidate: ItemId| {
        let above = match item::item_data(db, candidate).kind {
            ItemKind::Interface { .. } => bases_of(db, candidate),
            _ => interfaces_of(db, candidate),
        };
        is_type(db, candidate)
            && declared_at(db, candidate) != Some(place)
            && above.into_iter().any(|interface| declared_at(db, interface) == Some(place))
    };
    let mut seen = FxHashSet::default();
    let below = mentions::find_in(db, &files_below(db, item), |db, file| {
        let items = scope::all_file_items(db, file).iter().copied();
        items.filter(|candidate| is_below(db, *candidate)).filter_map(|item| symbol_of(db, item)).collect()
    });
    // A type in a header is one of each file that includes it.
    below.into_iter().filter(|symbol| seen.insert(symbol.name_range)).collect()
}

/// The files in which something may conform to an interface: those that spell its name, or that of an interface that
/// inherits it, or of an alias of either.
fn files_below(db: &dyn Db, interface: ItemId) -> Vec<SourceFile> {
    let Some(name) = item::item_data(db, interface).name.clone() else { return Vec::new() };
    let mut names = vec![name];
    let mut files: Vec<SourceFile> = Vec::new();
    let mut next = 0;
    while let Some(name) = names.get(next).cloned() {
        next += 1;
        let spelling = mentions::files_that_spell(db, name.as_str());
        let passed_on = mentions::find_in(db, &spelling, |db, file| {
            let items = scope::all_file_items(db, file).iter().copied();
            let passes_on = items.filter(|item| match &item::item_data(db, *item).kind {
                ItemKind::Interface { .. } => bases_of(db, *item).into_iter().any(|base| is_named(db, base, &name)),
                ItemKind::TypeAlias { .. } => {
                    matches!(resolve::alias_target(db, *item), Ty::Adt(target, _) if is_named(db, target, &name))
                }
                _ => false,
            });
            passes_on.filter_map(|item| item::item_data(db, item).name.clone()).collect::<Vec<Name>>()
        });
        for name in passed_on {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        files.extend(spelling);
    }
    files.sort_by_key(|file| file.path(db));
    files.dedup();
    files
}

fn declared_at(db: &dyn Db, item: ItemId) -> Option<FileRange> {
    semantics::declaration(db, &Definition::Item(item))
}

fn extensions_of(db: &dyn Db, item: ItemId) -> Vec<ItemId> {
    let place = declared_at(db, item);
    let Some(name) = &item::item_data(db, item).name else { return Vec::new() };
    mentions::find_in(db, &mentions::files_that_spell(db, name.as_str()), |db, file| {
        let items = scope::all_file_items(db, file).iter().copied();
        let of_type = items.filter(|candidate| {
            matches!(item::item_data(db, *candidate).kind, ItemKind::Extension { .. })
                && matches!(extension::target(db, *candidate), Ty::Adt(of, _) if declared_at(db, of) == place)
        });
        of_type.collect()
    })
}

fn is_type(db: &dyn Db, item: ItemId) -> bool {
    matches!(
        item::item_data(db, item).kind,
        ItemKind::Struct { .. } | ItemKind::Interface { .. } | ItemKind::Enum { .. }
    )
}
