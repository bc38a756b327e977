//! Extensions: which are visible, and which apply to a type.

use ::diagnostics::stack;
use base_db::{Db, Project, SourceFile, chunks};
use hir_def::{
    item::{self, ItemId, ItemKind},
    modules,
    name::Name,
    prelude_index,
};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::{
    conformance::{self, PartialInterfaces, members},
    generics::{self, env::Env, solve::Solver},
    types::{
        cycles,
        lower_ty::TypeLowering,
        ty::{BuiltinType, GenericArgs, Scalar, Ty},
    },
};

/// The outermost constructor of a type: what extensions are filed under.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Head {
    /// `void`
    Void,
    /// `String`
    String,
    /// A scalar.
    Scalar(Scalar),
    /// A type that the compiler knows, whatever its arguments.
    Builtin(BuiltinType),
    /// A struct, enum or interface, whatever its arguments.
    Adt(ItemId),
    /// Any function type.
    Function,
}

impl Head {
    /// `None` for types that any extension might be about.
    pub fn of(ty: Ty) -> Option<Head> {
        match ty {
            Ty::Void => Some(Head::Void),
            Ty::String => Some(Head::String),
            Ty::Scalar(scalar) => Some(Head::Scalar(scalar)),
            Ty::Builtin(kind, _) => Some(Head::Builtin(kind)),
            Ty::Adt(item, _) => Some(Head::Adt(item)),
            Ty::Function(_) => Some(Head::Function),
            Ty::Error
            | Ty::Param(_)
            | Ty::This(_)
            | Ty::Associated(_)
            | Ty::Closure(_)
            | Ty::Expand(_)
            | Ty::PackQuery(_)
            | Ty::SynthesizedDifferential(..)
            | Ty::NoneLiteral
            | Ty::NullLiteral => None,
        }
    }
}

/// The extensions that a file sees.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ExtensionIndex {
    by_head: FxHashMap<Head, Vec<ItemId>>,
    /// `extension<T : I> T` and extensions of interfaces.
    blanket: Vec<ItemId>,
}

impl ExtensionIndex {
    /// Those that may apply to a type with this head.
    fn candidates(&self, head: Option<Head>) -> impl Iterator<Item = ItemId> + '_ {
        let own = head.and_then(|head| self.by_head.get(&head)).map_or(&[][..], Vec::as_slice);
        own.iter().chain(&self.blanket).copied()
    }
}

/// An extension with the arguments that make its target the type in question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AppliedExtension {
    /// The extension.
    pub item: ItemId,
    /// For all generic parameters in scope inside the extension.
    pub args: GenericArgs,
}

/// The extensions that `file` sees: its own and those of everything it imports, the prelude included.
#[salsa::tracked(returns(ref), cycle_initial = index_initial, cycle_fn = index_settle)]
pub fn extensions(db: &dyn Db, file: SourceFile) -> ExtensionIndex {
    let mut index = ExtensionIndex::default();
    for reachable in reachable_files(db, file) {
        let own = extensions_of_file(db, *reachable);
        for (head, items) in &own.by_head {
            index.by_head.entry(*head).or_default().extend(items);
        }
        index.blanket.extend(&own.blanket);
    }
    index
}

/// All files whose declarations may matter to `file`: its module's, those that are imported, directly or not, and the
/// prelude's.
#[salsa::tracked(returns(deref))]
pub fn reachable_files(db: &dyn Db, file: SourceFile) -> Box<[SourceFile]> {
    let mut files = vec![file];
    let mut seen: FxHashSet<SourceFile> = FxHashSet::from_iter([file]);
    let mut next = 0;
    while let Some(current) = files.get(next).copied() {
        next += 1;
        let view = modules::module_view(db, current);
        for reached in view.files.iter().chain(view.imported.iter()) {
            if seen.insert(*reached) {
                files.push(*reached);
            }
        }
    }
    if let Some(project) = Project::try_get(db) {
        if modules::sees_glsl(db, file) {
            files.extend(project.glsl(db).iter().filter(|glsl| **glsl != file));
        }
        files.extend(project.prelude(db).iter().filter(|prelude| **prelude != file));
    }
    files.into_boxed_slice()
}

/// The extensions that a file declares.
#[salsa::tracked(returns(ref), cycle_initial = index_initial, cycle_fn = index_settle)]
fn extensions_of_file(db: &dyn Db, file: SourceFile) -> ExtensionIndex {
    let mut index = ExtensionIndex::default();
    let mut add = |item: ItemId| {
        let target = target(db, item);
        match Head::of(target) {
            Some(head) if !is_interface(db, target) => index.by_head.entry(head).or_default().push(item),
            _ if target.is_error() => {}
            _ => index.blanket.push(item),
        }
    };
    if modules::is_prelude(db, file) {
        prelude_index::prelude_extensions(db, file).into_iter().for_each(add);
    } else {
        let written = (0..chunks::chunks(db, file)).flat_map(|chunk| extensions_of_chunk(db, file, chunk));
        written.for_each(|item| add(*item));
    }
    index
}

/// The extensions that some segments declare, those in namespaces as well. Apart from what they are for: few segments are
/// extensions, and that of all is asked what it is.
#[salsa::tracked(returns(deref))]
fn extensions_of_chunk(db: &dyn Db, file: SourceFile, chunk: u32) -> Box<[ItemId]> {
    let mut extensions = Vec::new();
    let top = chunks::chunk(db, file, chunk).iter().flat_map(|segment| item::top_items(db, *segment));
    let mut pending: Vec<ItemId> = top.copied().collect();
    pending.reverse();
    while let Some(item) = pending.pop() {
        match item::item_data(db, item).kind {
            ItemKind::Namespace => pending.extend(item::members(db, item).iter().rev()),
            ItemKind::Extension { .. } => extensions.push(item),
            _ => {}
        }
    }
    extensions.into()
}

fn index_initial(_db: &dyn Db, _id: salsa::Id, _file: SourceFile) -> ExtensionIndex {
    ExtensionIndex::default()
}

fn index_settle(
    _db: &dyn Db,
    cycle: &salsa::Cycle<'_>,
    last: &ExtensionIndex,
    value: ExtensionIndex,
    _file: SourceFile,
) -> ExtensionIndex {
    cycles::settle(cycle, value, last.clone())
}

/// The type that an extension is written for, in terms of its generic parameters.
#[salsa::tracked(returns(copy), cycle_initial = target_initial, cycle_fn = cycles::settle_type)]
pub fn target(db: &dyn Db, extension: ItemId) -> Ty {
    let data = item::item_data(db, extension);
    match &data.kind {
        ItemKind::Extension { target, .. } => {
            TypeLowering::new(db, extension, &data.store).outside_members().lower(*target)
        }
        _ => Ty::Error,
    }
}

fn target_initial(_db: &dyn Db, _id: salsa::Id, _extension: ItemId) -> Ty {
    Ty::Error
}

/// Whether a type is an interface (as a value: any type that conforms).
pub fn is_interface(db: &dyn Db, ty: Ty) -> bool {
    matches!(ty, Ty::Adt(item, _) if matches!(item::item_data(db, item).kind, ItemKind::Interface { .. }))
}

/// The arguments with which `extension` is about `ty`, if it is and its own constraints hold.
#[salsa::tracked(returns(copy), cycle_initial = apply_initial, cycle_fn = apply_settle)]
pub fn apply(db: &dyn Db, env: Env, extension: ItemId, ty: Ty) -> Option<GenericArgs> {
    apply_given(db, env, extension, ty, None)
}

/// [`apply`] while the interfaces of a type are being found.
pub(crate) fn apply_given(
    db: &dyn Db,
    env: Env,
    extension: ItemId,
    ty: Ty,
    partial: Option<PartialInterfaces<'_>>,
) -> Option<GenericArgs> {
    let target = target(db, extension);
    let params = generics::parameters(db, extension);
    let bounds = generics::own_bounds(db, extension);
    let solve = |subject: Ty| {
        let mut solver = Solver::new(db, env, params).given(partial);
        if !solver.unify(target, subject) {
            return None;
        }
        let args = solver.finish(db, bounds)?;
        let unmet = stack::deep(|| conformance::first_unmet_bound_given(db, env, extension, args, Some(ty), partial));
        unmet.is_none().then_some(args)
    };
    if !is_interface(db, target) {
        return solve(ty);
    }
    conformance::interfaces_so_far(db, env, ty, partial).iter().find_map(|interface| solve(*interface))
}

fn apply_initial(_db: &dyn Db, _id: salsa::Id, _env: Env, _extension: ItemId, _ty: Ty) -> Option<GenericArgs> {
    None
}

fn apply_settle(
    _db: &dyn Db,
    cycle: &salsa::Cycle<'_>,
    _last: &Option<GenericArgs>,
    value: Option<GenericArgs>,
    _env: Env,
    _extension: ItemId,
    _ty: Ty,
) -> Option<GenericArgs> {
    cycles::settle(cycle, value, None)
}

/// The extensions that may apply to `ty`, to go by its head.
pub(crate) fn candidates(db: &dyn Db, env: Env, ty: Ty) -> impl Iterator<Item = ItemId> {
    extensions(db, env.file(db)).candidates(Head::of(ty))
}

/// Those of [`candidates`] that say that the type conforms to something.
pub(crate) fn conforming(db: &dyn Db, env: Env, ty: Ty) -> &[ItemId] {
    &by_member(db, env.file(db), Head::of(ty)).conforming
}

/// Those of [`candidates`] that declare something called `name`.
pub(crate) fn declaring<'db>(db: &'db dyn Db, env: Env, ty: Ty, name: &Name) -> &'db [ItemId] {
    by_member(db, env.file(db), Head::of(ty)).declaring.get(name).map_or(&[], Vec::as_slice)
}

/// The extensions that may apply to the types of one head, by what they add.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Added {
    declaring: FxHashMap<Name, Vec<ItemId>>,
    conforming: Vec<ItemId>,
}

#[salsa::tracked(returns(ref), cycle_initial = added_initial, cycle_fn = added_settle)]
fn by_member(db: &dyn Db, file: SourceFile, head: Option<Head>) -> Added {
    let mut added = Added::default();
    for extension in extensions(db, file).candidates(head) {
        for name in members::declared_names(db, extension) {
            added.declaring.entry(name.clone()).or_default().push(extension);
        }
        if !conformance::bases(db, extension).is_empty() {
            added.conforming.push(extension);
        }
    }
    added
}

fn added_initial(_db: &dyn Db, _id: salsa::Id, _file: SourceFile, _head: Option<Head>) -> Added {
    Added::default()
}

fn added_settle(
    _db: &dyn Db,
    cycle: &salsa::Cycle<'_>,
    last: &Added,
    value: Added,
    _file: SourceFile,
    _head: Option<Head>,
) -> Added {
    cycles::settle(cycle, value, last.clone())
}

/// The extensions that apply to `ty`.
pub fn applicable(db: &dyn Db, env: Env, ty: Ty) -> impl Iterator<Item = AppliedExtension> {
    let env = env.about(db, ty);
    candidates(db, env, ty).filter_map(move |item| Some(AppliedExtension { item, args: apply(db, env, item, ty)? }))
}
