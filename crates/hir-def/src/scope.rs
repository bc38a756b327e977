//! Names: which items a name means at a place, before any type is known.
//!
//! [`scopes`] lists the scopes around an item, innermost first; [`lookup_in`] asks one of them. The first scope that has
//! the name hides the others, so [`lookup`] stops there; overloads of one scope come together. Generic parameters and
//! locals are not items: ask the items' data and [`crate::local_scope`] before.

mod namespaces;
pub mod prelude_index;
mod similar;

use std::sync::{Arc, OnceLock};

use base_db::{Db, Project, Segment, SourceFile, chunks, documents::PRELUDE_SCHEME};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::{
    attribute::{AttributeKind, Modifiers},
    item::{self, ItemId, ItemKind},
    modules::{self, module_view},
    name::Name,
    type_ref::Path,
    visibility::is_accessible_in_file,
};
use prelude_index::{glsl_items, prelude_items};
use similar::ByLength;

pub use similar::{Letters, names_like};

/// Items by name, in the order of declaration.
#[derive(Debug, Clone, Default)]
pub struct NameMap {
    names: FxHashMap<Name, Vec<ItemId>>,
    /// Made of the names when one is misspelt.
    by_length: OnceLock<ByLength>,
}

impl PartialEq for NameMap {
    fn eq(&self, other: &NameMap) -> bool {
        self.names == other.names
    }
}

impl Eq for NameMap {}

impl NameMap {
    /// The items with this name, in the order of the text; none for a name that nothing has.
    pub fn get(&self, name: &Name) -> &[ItemId] {
        self.names.get(name).map_or(&[], |items| items)
    }

    /// All names with their items, in no order.
    pub fn iter(&self) -> impl Iterator<Item = (&Name, &[ItemId])> {
        self.names.iter().map(|(name, items)| (name, items.as_slice()))
    }

    fn by_length(&self) -> &ByLength {
        self.by_length.get_or_init(|| ByLength::new(self.names.keys()))
    }

    fn merge(&mut self, other: &NameMap) {
        for (name, items) in &other.names {
            self.names.entry(name.clone()).or_default().extend(items);
        }
    }

    fn extend<'a>(&mut self, names: impl IntoIterator<Item = &'a (Name, ItemId)>) {
        for (name, item) in names {
            self.names.entry(name.clone()).or_default().push(*item);
        }
    }
}

/// A place that gives names a meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scope {
    /// Members of a type, interface, extension or enum as written there; inherited members are found through types.
    Members(ItemId),
    /// A namespace as seen from a file: all its parts, and what it uses.
    Namespace(ItemId, SourceFile),
    /// The module of a file, what it imports, and what the file uses.
    Module(SourceFile),
    /// The core library.
    /// GLSL's library, where a file asks for it.
    Glsl,
    /// The core library.
    Prelude,
}

/// The scopes around an item, innermost first. An item's own members are not among them, those of its containers are.
pub fn scopes(db: &dyn Db, at: ItemId) -> Vec<Scope> {
    let mut scopes = Vec::new();
    let mut container = item::container(db, at);
    let file = item::file_of(db, at);
    while let Some(item) = container {
        match item::item_data(db, item).kind {
            ItemKind::Namespace => scopes.push(Scope::Namespace(item, file)),
            // Their members are members of the scope around.
            ItemKind::ConstantBuffer { .. } | ItemKind::Property { .. } | ItemKind::Subscript { .. } => {}
            _ => scopes.push(Scope::Members(item)),
        }
        container = item::container(db, item);
    }
    scopes.extend(file_scopes(db, file));
    scopes
}

/// The scopes at the top level of a file.
pub fn file_scopes(db: &dyn Db, file: SourceFile) -> impl Iterator<Item = Scope> + use<> {
    let glsl = modules::sees_glsl(db, file).then_some(Scope::Glsl);
    [Some(Scope::Module(file)), glsl, Some(Scope::Prelude)].into_iter().flatten()
}

/// What a name means at an item; empty if nothing does.
pub fn lookup(db: &dyn Db, at: ItemId, name: &Name) -> Vec<ItemId> {
    let found = scopes(db, at).into_iter().map(|scope| lookup_in(db, scope, name));
    found.into_iter().find(|items| !items.is_empty()).unwrap_or_default()
}

/// What a name means at the top level of a file.
pub fn lookup_in_file(db: &dyn Db, file: SourceFile, name: &Name) -> Vec<ItemId> {
    let mut found = file_scopes(db, file).map(|scope| lookup_in(db, scope, name));
    found.find(|items| !items.is_empty()).unwrap_or_default()
}

/// Whether two items are one declaration: all parts of a namespace are one namespace.
pub fn is_same(db: &dyn Db, one: ItemId, other: ItemId) -> bool {
    one == other || namespaces::are_parts_of_one(db, one, other)
}

/// What a name means in one scope.
pub fn lookup_in(db: &dyn Db, scope: Scope, name: &Name) -> Vec<ItemId> {
    match scope {
        Scope::Members(item) => member_names(db, item).get(name).to_vec(),
        Scope::Namespace(item, file) => lookup_in_namespace(db, item, file, name),
        Scope::Module(file) => module_lookup(db, file, name.clone()).to_vec(),
        Scope::Glsl => glsl_items(db, name),
        Scope::Prelude => prelude_items(db, name.clone()).to_vec(),
    }
}

/// What a name means in a namespace as seen from a file, in any of its parts.
pub fn lookup_in_namespace(db: &dyn Db, namespace: ItemId, from: SourceFile, name: &Name) -> Vec<ItemId> {
    let own = namespaces::lookup(db, namespace, from, name);
    if !own.is_empty() {
        return own;
    }
    let used = namespaces::used_in(db, namespace, from).iter();
    accessible(db, from, used.flat_map(|used| namespaces::lookup(db, *used, from, name)).collect())
}

/// What a module keeps for itself is not meant elsewhere where the name also means something that may be used: only of names
/// that mean nothing else is it said that they are hidden.
fn accessible(db: &dyn Db, from: SourceFile, items: Vec<ItemId>) -> Vec<ItemId> {
    if items.len() < 2 {
        return items;
    }
    let (seen, hidden): (Vec<ItemId>, Vec<ItemId>) =
        items.into_iter().partition(|item| is_accessible_in_file(db, *item, from));
    if seen.is_empty() { hidden } else { seen }
}

/// The names of a file's module, its imports and the namespaces it uses. A query for each name, so that a new
/// declaration re-runs only what uses its name.
#[salsa::tracked(returns(deref))]
fn module_lookup(db: &dyn Db, file: SourceFile, name: Name) -> Box<[ItemId]> {
    let direct = module_lookup_direct(db, file, &name);
    if !direct.is_empty() {
        return direct.into();
    }
    let used = namespaces::used_at_top_level(db, file).iter();
    let found = used.flat_map(|namespace| namespaces::lookup(db, *namespace, file, &name)).collect();
    accessible(db, file, found).into()
}

/// Without what `using` adds.
fn module_lookup_direct(db: &dyn Db, file: SourceFile, name: &Name) -> Vec<ItemId> {
    // The files of the core library are one scope, which is asked next.
    if modules::is_prelude(db, file) {
        return Vec::new();
    }
    // What the file itself declares hides what the other files of its module do; overloads come together.
    let own = file_names(db, file).get(name);
    if own.iter().any(|item| !matches!(item::item_data(db, *item).kind, ItemKind::Function(_))) {
        return own.to_vec();
    }
    let view = module_view(db, file);
    let files = view.files.iter().chain(view.imported.iter());
    let found = files.flat_map(|file| file_names(db, *file).get(name).iter().copied()).collect();
    accessible(db, file, found)
}

/// The namespace that a `using` names; found without the help of other `using`s.
pub fn resolve_using(db: &dyn Db, using: ItemId) -> Option<ItemId> {
    let ItemKind::Using { path } = &item::item_data(db, using).kind else {
        return None;
    };
    resolve_namespace(db, using, path)
}

fn resolve_namespace(db: &dyn Db, at: ItemId, path: &Path) -> Option<ItemId> {
    let file = item::file_of(db, at);
    let is_namespace = |item: &ItemId| matches!(item::item_data(db, *item).kind, ItemKind::Namespace);
    let (first, rest) = path.segments.split_first()?;
    let outside_in = scopes(db, at).into_iter().filter_map(|scope| match scope {
        Scope::Members(_) => None,
        Scope::Namespace(item, file) => Some(namespaces::lookup(db, item, file, &first.name)),
        Scope::Module(file) => Some(module_lookup_direct(db, file, &first.name)),
        Scope::Glsl => None,
        Scope::Prelude => Some(prelude_items(db, first.name.clone()).to_vec()),
    });
    let mut namespace = outside_in.flatten().find(is_namespace)?;
    for segment in rest {
        namespace = namespaces::lookup(db, namespace, file, &segment.name).into_iter().find(is_namespace)?;
    }
    Some(namespace)
}

/// The names that a segment adds to the scope around it.
#[salsa::tracked(returns(deref))]
pub(crate) fn segment_names(db: &dyn Db, segment: Segment) -> Box<[(Name, ItemId)]> {
    let items = item::segment_items(db, segment).iter();
    let top = items.copied().filter(|item| item::item_data(db, *item).parent.is_none());
    top.flat_map(|item| visible_names(db, item)).collect()
}

/// The item's name, or the names of its members where they are visible outside of it.
fn visible_names(db: &dyn Db, item: ItemId) -> Vec<(Name, ItemId)> {
    let data = item::item_data(db, item);
    let own = match data.kind {
        ItemKind::Accessor { .. } => None,
        _ => data.name.clone().map(|name| (name, item)),
    };
    let transparent = match data.kind {
        ItemKind::ConstantBuffer { .. } => true,
        ItemKind::Enum { scoped, .. } => !scoped || is_unscoped_by_option(db, item),
        _ => false,
    };
    let inner = transparent.then(|| item::members(db, item).iter()).into_iter().flatten();
    own.into_iter().chain(inner.flat_map(|member| visible_names(db, *member))).collect()
}

/// The core library is what it is under every option.
fn is_unscoped_by_option(db: &dyn Db, enumeration: ItemId) -> bool {
    let is_option_set = Project::try_get(db).is_some_and(|project| project.unscoped_enums(db));
    is_option_set
        && !item::item_data(db, enumeration).modifiers.contains(Modifiers::CLASS)
        && !enumeration.segment(db).file(db).path(db).starts_with(PRELUDE_SCHEME)
}

/// The names that a file declares at its top level.
#[salsa::tracked]
pub fn file_names(db: &dyn Db, file: SourceFile) -> NameMap {
    let mut names = NameMap::default();
    for chunk in 0..chunks::chunks(db, file) {
        names.extend(chunk_names(db, file, chunk));
    }
    names
}

/// The names that some segments add to the scope around them.
#[salsa::tracked(returns(deref))]
fn chunk_names(db: &dyn Db, file: SourceFile, chunk: u32) -> Box<[(Name, ItemId)]> {
    chunks::chunk(db, file, chunk).iter().flat_map(|segment| segment_names(db, *segment)).cloned().collect()
}

/// The names of an item's members.
#[salsa::tracked]
pub fn member_names(db: &dyn Db, item: ItemId) -> NameMap {
    let mut names = NameMap::default();
    for member in item::members(db, item) {
        names.extend(&visible_names(db, *member));
    }
    names
}

/// All names of the core library: for completion and suggestions. To ask for one of them, see [`prelude_items`].
#[salsa::tracked]
pub fn prelude_names(db: &dyn Db) -> NameMap {
    let mut names = NameMap::default();
    for file in Project::try_get(db).into_iter().flat_map(|project| project.prelude(db).iter()) {
        for segment in file.segments(db).iter() {
            names.extend(segment_names(db, *segment));
        }
    }
    names
}

/// All names visible at an item, each with the items that [`lookup`] would give: for completion.
pub fn visible_items(db: &dyn Db, at: ItemId) -> Vec<(Name, Vec<ItemId>)> {
    visible_in(db, &scopes(db, at))
}

/// All names visible in a file outside of its declarations.
pub fn visible_file_items(db: &dyn Db, file: SourceFile) -> Vec<(Name, Vec<ItemId>)> {
    visible_in(db, &file_scopes(db, file).collect::<Vec<_>>())
}

fn visible_in(db: &dyn Db, scopes: &[Scope]) -> Vec<(Name, Vec<ItemId>)> {
    let mut seen = FxHashSet::default();
    let mut visible = Vec::new();
    for &scope in scopes {
        let mut level = NameMap::default();
        for map in name_maps(db, scope) {
            for (name, items) in map.iter() {
                level.names.entry(name.clone()).or_default().extend(items);
            }
        }
        visible.extend(level.names.into_iter().filter(|(name, _)| seen.insert(name.clone())));
    }
    visible
}

/// The maps that together make a scope.
fn name_maps(db: &dyn Db, scope: Scope) -> Vec<&NameMap> {
    match scope {
        Scope::Members(item) => vec![member_names(db, item)],
        Scope::Namespace(item, from) => {
            let used = namespaces::used_in(db, item, from).iter();
            std::iter::once(&item)
                .chain(used)
                .flat_map(|namespace| namespaces::name_maps(db, *namespace, from))
                .collect()
        }
        Scope::Module(file) => {
            let view = module_view(db, file);
            let own = view.files.iter().chain(view.imported.iter()).map(|file| file_names(db, *file));
            let used = namespaces::used_at_top_level(db, file).iter();
            own.chain(used.flat_map(|namespace| namespaces::name_maps(db, *namespace, file))).collect()
        }
        Scope::Glsl => {
            let files = Project::try_get(db).into_iter().flat_map(|project| project.glsl(db).iter());
            files.map(|file| file_names(db, *file)).collect()
        }
        Scope::Prelude => vec![prelude_names(db)],
    }
}

/// The struct `NameAttribute`, or `Name`, with `[__AttributeUsage(…)]` that defines an attribute of the program.
pub fn user_attribute(db: &dyn Db, at: ItemId, name: &Name) -> Option<ItemId> {
    let names = [Name::new(&format!("{name}{ATTRIBUTE_SUFFIX}")), name.clone()];
    names.iter().flat_map(|name| lookup(db, at, name)).find(|item| {
        let data = item::item_data(db, *item);
        matches!(data.kind, ItemKind::Struct { .. }) && data.has_attribute(AttributeKind::AttributeUsage)
    })
}

/// What the name of a struct that defines an attribute ends with, and its uses leave out.
pub const ATTRIBUTE_SUFFIX: &str = "Attribute";

/// Every item of a file, members included, in the order of declaration.
#[salsa::tracked(returns(deref))]
pub fn all_file_items(db: &dyn Db, file: SourceFile) -> Arc<[ItemId]> {
    (0..chunks::chunks(db, file)).flat_map(|chunk| all_chunk_items(db, file, chunk).iter().copied()).collect()
}

#[salsa::tracked(returns(deref))]
fn all_chunk_items(db: &dyn Db, file: SourceFile, chunk: u32) -> Box<[ItemId]> {
    let segments = chunks::with_members(db, file, chunk).into_iter();
    segments.flat_map(|segment| item::segment_items(db, segment).iter().copied()).collect()
}
