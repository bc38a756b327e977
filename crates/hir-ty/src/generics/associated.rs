//! Associated types: what `T.Name` stands for.

use ::diagnostics::stack;
use base_db::Db;
use hir_def::item::{self, ItemId, ItemKind};

use crate::{
    conformance::{self, extension, members},
    differential,
    generics::{
        self,
        env::{Bound, Env},
        substitute::{self, MAX_TYPE_DEPTH, Substitution},
    },
    types::{
        conversion, cycles,
        known::{self, Known},
        lower_ty::TypeLowering,
        resolve::{self, TypeNs},
        ty::{AssociatedTy, GenericArgs, Ty},
    },
};

/// The associated type `item` (declared in an interface with the arguments `interface_args`) of `base`. Stays symbolic
/// while `base` is a parameter that nothing more is known about.
pub fn associated_type(db: &dyn Db, env: Env, base: Ty, item: ItemId, interface_args: GenericArgs) -> Ty {
    if base.is_error() || substitute::depth(db, base) > MAX_TYPE_DEPTH {
        return Ty::Error;
    }
    let symbolic = Ty::Associated(AssociatedTy::new(db, base, item, interface_args));
    if let Some(equal) = env.bounds(db).iter().find_map(|bound| stated_equal(db, *bound, symbolic)) {
        return equal;
    }
    if let Ty::Associated(inner) = symbolic
        && let Some(equal) =
            promised_bounds(db, env, inner).into_iter().find_map(|bound| stated_equal(db, bound, symbolic))
    {
        return equal;
    }
    match base {
        Ty::This(_) => symbolic,
        Ty::Param(_) | Ty::Associated(_) | Ty::Expand(_) | Ty::PackQuery(_) => {
            from_extension(db, env, base, item).unwrap_or(symbolic)
        }
        _ if extension::is_interface(db, base) => {
            if known::is_member(db, item, Known::IDifferentiable, "Differential") {
                // The differential of "any type that conforms" is any differentiable type.
                known::interface_type(db, Known::IDifferentiable).unwrap_or(symbolic)
            } else {
                symbolic
            }
        }
        _ => implementation(db, env.about(db, base), base, item, interface_args),
    }
}

/// What a bound says that an associated type is equal to. Of two associated types the one with the shorter path stands for
/// both, so that `A.B == A.B.C` ends.
fn stated_equal(db: &dyn Db, bound: Bound, symbolic: Ty) -> Option<Ty> {
    let Bound::Equal { left, right } = bound else { return None };
    let is_shorter = |ty: Ty, other: Ty| substitute::depth(db, ty) < substitute::depth(db, other);
    let is_associated = |ty: Ty| matches!(ty, Ty::Associated(_));
    if left == symbolic && !(is_associated(right) && is_shorter(left, right)) {
        return Some(right);
    }
    (right == symbolic && (!is_associated(left) || is_shorter(left, right))).then_some(left)
}

/// What the interfaces around an associated type promise about it: `associatedtype A where A.B == A`, `associatedtype A`
/// with bounds in an interface's own `where` clause. Nothing is promised about `This` inside the interface itself: its bounds
/// are what is being found out.
pub(crate) fn promised_bounds(db: &dyn Db, env: Env, associated: AssociatedTy) -> Vec<Bound> {
    let mut promised = Vec::new();
    let mut base = associated.base(db);
    for _ in 0..MAX_TYPE_DEPTH {
        if matches!(base, Ty::This(_)) {
            return Vec::new();
        }
        if matches!(base, Ty::Param(_) | Ty::Associated(_)) {
            for interface in declared_interfaces(db, env, base) {
                let Ty::Adt(item, args) = interface else { continue };
                let substitution = Substitution::of_item(db, item, args).with_this(base).symbolic();
                promised
                    .extend(requirement_bounds(db, item).iter().map(|bound| put_in(db, env, *bound, &substitution)));
            }
        }
        match base {
            Ty::Associated(inner) => base = inner.base(db),
            _ => break,
        }
    }
    promised
}

/// The interfaces that bounds name for a parameter or associated type, and those that they inherit; no extensions, which may
/// depend on what is asked.
fn declared_interfaces(db: &dyn Db, env: Env, ty: Ty) -> Vec<Ty> {
    let mut found: Vec<Ty> = Vec::new();
    let mut pending: Vec<Ty> = env
        .bounds(db)
        .iter()
        .filter_map(|bound| match *bound {
            Bound::Conforms { subject, interface, .. } if subject == ty => Some(interface),
            _ => None,
        })
        .collect();
    if let Ty::Associated(associated) = ty {
        let data = item::item_data(db, associated.item(db));
        if let ItemKind::AssociatedType { bounds, .. } = &data.kind {
            let mut lowering = TypeLowering::new(db, associated.item(db), &data.store);
            pending.extend(bounds.iter().map(|bound| lowering.lower(*bound)));
        }
    }
    while let Some(interface) = pending.pop() {
        let Ty::Adt(item, _) = interface else { continue };
        if found.len() > 64 || found.contains(&interface) || !extension::is_interface(db, interface) {
            continue;
        }
        found.push(interface);
        pending.extend(conformance::bases(db, item));
    }
    found
}

/// The `where` clauses of an interface and of its associated types, about `This`.
#[salsa::tracked(returns(deref), cycle_initial = requirement_bounds_initial, cycle_fn = requirement_bounds_settle)]
fn requirement_bounds(db: &dyn Db, interface: ItemId) -> Box<[Bound]> {
    let outer = generics::bounds(db, interface).iter();
    let mut bounds: Vec<Bound> = outer.copied().collect();
    for member in item::members(db, interface) {
        if matches!(item::item_data(db, *member).kind, ItemKind::AssociatedType { .. } | ItemKind::Constraint) {
            bounds.extend(generics::own_bounds(db, *member));
        }
    }
    bounds.into_boxed_slice()
}

fn requirement_bounds_initial(_db: &dyn Db, _id: salsa::Id, _interface: ItemId) -> Box<[Bound]> {
    Box::default()
}

fn requirement_bounds_settle(
    _db: &dyn Db,
    cycle: &salsa::Cycle<'_>,
    last: &Box<[Bound]>,
    value: Box<[Bound]>,
    _interface: ItemId,
) -> Box<[Bound]> {
    cycles::settle(cycle, value, last.clone())
}

pub(super) fn put_in(db: &dyn Db, env: Env, bound: Bound, substitution: &Substitution) -> Bound {
    // Only parameters and `This` are replaced here: resolving what comes out would ask for these very bounds again.
    let replace = |ty: Ty| substitute::substitute(db, env, ty, substitution);
    match bound {
        Bound::Conforms { subject, interface, optional } => {
            Bound::Conforms { subject: replace(subject), interface: replace(interface), optional }
        }
        Bound::Equal { left, right } => Bound::Equal { left: replace(left), right: replace(right) },
        Bound::Coercible { from, to } => Bound::Coercible { from: replace(from), to: replace(to) },
        Bound::NonEmpty { pack } => Bound::NonEmpty { pack: substitute::substitute_args(db, env, pack, substitution) },
        Bound::EqualValues { left, right } => Bound::EqualValues {
            left: substitute::substitute_const(db, env, left, substitution),
            right: substitute::substitute_const(db, env, right, substitution),
        },
    }
}

/// What a type that is not a parameter has for an associated type: its own declaration, an extension's, the interface's
/// default, or the synthesised `Differential`.
#[salsa::tracked(returns(copy), cycle_initial = implementation_initial, cycle_fn = implementation_settle)]
fn implementation(db: &dyn Db, env: Env, base: Ty, item: ItemId, interface_args: GenericArgs) -> Ty {
    let data = item::item_data(db, item);
    let Some(name) = &data.name else { return Ty::Error };
    if let Some(found) = of_conformance(db, env, base, item, interface_args) {
        return found;
    }
    if let Some((adt, args)) = known::declaration_of(db, base)
        && let Some(found) = stack::deep(|| declared_type(db, env, adt, args, base, name))
    {
        return found;
    }
    if let Some(found) = from_extension(db, env, base, item) {
        return found;
    }
    if let ItemKind::AssociatedType { default: Some(default), .. } = &data.kind {
        let default = TypeLowering::new(db, item, &data.store).lower(*default);
        let substitution = Substitution::of_item(db, item, interface_args).with_this(base);
        return substitute::substitute(db, env, default, &substitution);
    }
    if known::is_member(db, item, Known::IDifferentiable, "Differential") {
        return differential::synthesized_differential(db, env, base).unwrap_or(Ty::Error);
    }
    if known::is_member(db, item, Known::EnumType, "__Tag") {
        return conversion::enum_integer(db, base).unwrap_or(Ty::Error);
    }
    Ty::Error
}

fn implementation_initial(_db: &dyn Db, _id: salsa::Id, _env: Env, _base: Ty, _item: ItemId, _args: GenericArgs) -> Ty {
    Ty::Error
}

#[expect(clippy::too_many_arguments, reason = "salsa passes the query's arguments after its own")]
fn implementation_settle(
    _db: &dyn Db,
    cycle: &salsa::Cycle<'_>,
    _last: &Ty,
    value: Ty,
    _env: Env,
    _base: Ty,
    _item: ItemId,
    _args: GenericArgs,
) -> Ty {
    cycles::settle(cycle, value, Ty::Error)
}

/// What an extension declares that says that `base` conforms to this instance of a generic interface: others may be for
/// other instances.
fn of_conformance(db: &dyn Db, env: Env, base: Ty, item: ItemId, interface_args: GenericArgs) -> Option<Ty> {
    let name = item::item_data(db, item).name.as_ref()?;
    let interface = Ty::Adt(item::container(db, item)?, interface_args);
    if !members::is_instance(db, interface) {
        return None;
    }
    let extensions = members::extensions_declaring(db, env, base, name);
    extensions
        .into_iter()
        .filter(|extension| members::states(db, env, base, (extension.item, extension.args), interface))
        .find_map(|extension| declared_type(db, env, extension.item, extension.args, base, name))
}

fn from_extension(db: &dyn Db, env: Env, base: Ty, item: ItemId) -> Option<Ty> {
    let name = item::item_data(db, item).name.as_ref()?;
    members::extensions_declaring(db, env, base, name)
        .into_iter()
        .find_map(|extension| declared_type(db, env, extension.item, extension.args, base, name))
}

fn declared_type(
    db: &dyn Db,
    env: Env,
    container: ItemId,
    args: GenericArgs,
    this: Ty,
    name: &hir_def::name::Name,
) -> Option<Ty> {
    members::declared(db, container, name).iter().find_map(|member| {
        match resolve::declared_member_type(db, env, *member, args, this)? {
            TypeNs::Type(ty) => Some(ty),
            TypeNs::Generic { .. } | TypeNs::BuiltinGeneric(_) | TypeNs::Namespace(_) => None,
        }
    })
}
