//! Members of types: declared, added by extensions, inherited from interfaces.

use base_db::Db;
use hir_def::{
    item::{self, ItemId, ItemKind},
    name::Name,
};
use rustc_hash::FxHashMap;

use crate::{
    conformance::{
        self,
        extension::{self, AppliedExtension},
    },
    generics::{
        env::Env,
        substitute::{self, Substitution},
    },
    types::{
        aggregate, known,
        signature::FunctionRef,
        ty::{GenericArgs, Ty},
    },
};

/// A member that a type has under some name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Member {
    /// The declaration.
    pub item: ItemId,
    /// Arguments for the generic parameters around the member (not its own).
    pub args: GenericArgs,
    /// The type that the member is asked of, where the member is declared in terms of `This`.
    pub self_ty: Option<Ty>,
    /// Where it comes from.
    pub origin: Origin,
}

/// Where a member comes from; earlier ones are preferred among equally good overloads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// The type itself declares it.
    Own,
    /// An extension of the type declares it.
    Extension,
    /// An interface that the type fulfils, or an extension of one, declares it.
    Interface,
}

/// The members of a type, interface, extension or namespace by name.
#[salsa::tracked(returns(ref))]
fn member_index(db: &dyn Db, container: ItemId) -> FxHashMap<Name, Box<[ItemId]>> {
    let mut index: FxHashMap<Name, Vec<ItemId>> = FxHashMap::default();
    for member in item::members(db, container) {
        if let Some(name) = &item::item_data(db, *member).name {
            index.entry(name.clone()).or_default().push(*member);
        }
    }
    index.into_iter().map(|(name, items)| (name, items.into_boxed_slice())).collect()
}

/// The constructor without parameters that a type writes: variables of the type that get no value are made by it.
pub fn default_constructor(db: &dyn Db, env: Env, ty: Ty) -> Option<FunctionRef> {
    let Ty::Adt(..) = ty else { return None };
    lookup(db, env, ty, &Name::new("__init")).into_iter().find_map(|member| {
        let data = item::item_data(db, member.item);
        let takes_nothing = matches!(&data.kind, ItemKind::Constructor { params, .. } if params.is_empty());
        (takes_nothing && member.origin != Origin::Interface && data.generics.params.is_empty())
            .then_some(FunctionRef { item: member.item, args: member.args, self_ty: member.self_ty })
    })
}

/// What `container` itself declares as `name`.
pub fn declared<'db>(db: &'db dyn Db, container: ItemId, name: &Name) -> &'db [ItemId] {
    member_index(db, container).get(name).map_or(&[], |items| items)
}

/// The names that `container` itself declares.
pub fn declared_names(db: &dyn Db, container: ItemId) -> impl Iterator<Item = &Name> {
    member_index(db, container).keys()
}

/// The extensions that apply to `base` and declare something called `name`.
pub fn extensions_declaring(db: &dyn Db, env: Env, base: Ty, name: &Name) -> Vec<AppliedExtension> {
    let env = env.about(db, base);
    extension::declaring(db, env, base, name)
        .iter()
        .filter_map(|item| Some(AppliedExtension { item: *item, args: extension::apply(db, env, *item, base)? }))
        .collect()
}

/// Everything called `name` in `ty`. Requirements of interfaces come along with what fulfils them.
pub fn lookup(db: &dyn Db, env: Env, ty: Ty, name: &Name) -> Vec<Member> {
    let mut found = Vec::new();
    let own_interface = extension::is_interface(db, ty);
    if let Some((declaration, args)) = known::declaration_of(db, ty)
        && !own_interface
    {
        let own = declared(db, declaration, name);
        found.extend(own.iter().map(|item| Member { item: *item, args, self_ty: None, origin: Origin::Own }));
    }
    // A synthesised differential has the differentiable fields of its struct.
    if let Ty::SynthesizedDifferential(item, args) = ty {
        let is_field = |own: &&ItemId| aggregate::field_position(db, env, ty, **own).is_some();
        let own = declared(db, item, name).iter().filter(is_field);
        found.extend(own.map(|item| Member { item: *item, args, self_ty: None, origin: Origin::Own }));
    }
    for extension in extensions_declaring(db, env, ty, name) {
        let of_interface = extension::is_interface(db, extension::target(db, extension.item));
        found.extend(declared(db, extension.item, name).iter().map(|item| Member {
            item: *item,
            args: extension.args,
            self_ty: of_interface.then_some(ty),
            origin: Origin::Extension,
        }));
    }
    // A member that is not a function hides whatever the interfaces say about it.
    if found.iter().any(|member| !is_overloadable(db, member.item)) {
        return found;
    }
    for interface in interfaces_declaring(db, env, ty, name) {
        let Ty::Adt(interface, args) = *interface else { continue };
        found.extend(declared(db, interface, name).iter().map(|item| Member {
            item: *item,
            args,
            self_ty: Some(ty),
            origin: Origin::Interface,
        }));
    }
    found
}

/// Everything called `name` in `ty`, as [`lookup`] finds it, but first what stands where `ty` is said to conform to
/// `interface`: a type may conform to several instances of a generic interface, each in an extension of its own.
pub(crate) fn lookup_for(db: &dyn Db, env: Env, ty: Ty, name: &Name, interface: Ty) -> Vec<Member> {
    let mut found = lookup(db, env, ty, name);
    if is_instance(db, interface) && found.iter().any(|member| member.origin == Origin::Extension) {
        found.sort_by_cached_key(|member| {
            let container = item::container(db, member.item);
            !container.is_some_and(|container| states(db, env, ty, (container, member.args), interface))
        });
    }
    found
}

/// Whether there may be others of the same interface.
pub(crate) fn is_instance(db: &dyn Db, interface: Ty) -> bool {
    matches!(interface, Ty::Adt(_, args) if !args.args(db).is_empty())
}

/// Whether a declaration, with its arguments, says that `ty` conforms to `interface`.
pub(crate) fn states(db: &dyn Db, env: Env, ty: Ty, (declaration, args): (ItemId, GenericArgs), interface: Ty) -> bool {
    let substitution = Substitution::of_item(db, declaration, args).with_this(ty);
    conformance::bases(db, declaration).iter().any(|base| {
        let base = substitute::substitute(db, env, *base, &substitution);
        base == interface || conformance::interfaces_of(db, env, base).contains(&interface)
    })
}

/// The interfaces of `ty` that declare something called `name`.
pub fn interfaces_declaring<'db>(db: &'db dyn Db, env: Env, ty: Ty, name: &Name) -> Vec<&'db Ty> {
    /// Fewer are asked one by one.
    const MANY: usize = 16;
    let all = conformance::interfaces_of(db, env, ty);
    let declares =
        |interface: &&Ty| matches!(interface, Ty::Adt(interface, _) if !declared(db, *interface, name).is_empty());
    if all.len() <= MANY {
        return all.iter().filter(declares).collect();
    }
    let positions = requirement_index(db, env.about(db, ty), ty).get(name);
    positions.into_iter().flatten().map(|position| &all[*position]).collect()
}

/// Which of the interfaces of a type declare each name.
#[salsa::tracked(returns(ref))]
fn requirement_index(db: &dyn Db, env: Env, ty: Ty) -> FxHashMap<Name, Vec<usize>> {
    let mut index: FxHashMap<Name, Vec<usize>> = FxHashMap::default();
    for (position, interface) in conformance::interfaces_of(db, env, ty).iter().enumerate() {
        let Ty::Adt(interface, _) = *interface else { continue };
        for name in declared_names(db, interface) {
            index.entry(name.clone()).or_default().push(position);
        }
    }
    index
}

/// Whether several declarations of one name may stand side by side.
pub fn is_overloadable(db: &dyn Db, item: ItemId) -> bool {
    matches!(
        item::item_data(db, item).kind,
        ItemKind::Function(_) | ItemKind::Constructor { .. } | ItemKind::Subscript { .. }
    )
}

/// The names of all members of `ty`, for suggestions and completion.
pub fn names(db: &dyn Db, env: Env, ty: Ty) -> Vec<Name> {
    let mut names: Vec<Name> = Vec::new();
    if let Some((declaration, _)) = known::declaration_of(db, ty) {
        names.extend(declared_names(db, declaration).cloned());
    }
    for extension in extension::applicable(db, env, ty) {
        names.extend(declared_names(db, extension.item).cloned());
    }
    for interface in conformance::interfaces_of(db, env, ty) {
        if let Ty::Adt(interface, _) = interface {
            names.extend(declared_names(db, *interface).cloned());
        }
    }
    names.sort();
    names.dedup();
    names
}
