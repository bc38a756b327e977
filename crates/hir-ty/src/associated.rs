//! Associated types: what `T.Name` stands for.

use base_db::Db;
use hir_def::item::{self, ItemId, ItemKind};

use crate::{
    cycles, differential,
    env::{Bound, Env},
    extension,
    known::{self, Known},
    lower_ty::TypeLowering,
    members,
    resolve::{self, TypeNs},
    substitute::{self, MAX_TYPE_DEPTH, Substitution},
    ty::{AssociatedTy, GenericArgs, Ty},
};

/// The associated type `item` (declared in an interface with the arguments `interface_args`) of `base`. Stays symbolic
/// while `base` is a parameter that nothing more is known about.
pub fn associated_type(db: &dyn Db, env: Env, base: Ty, item: ItemId, interface_args: GenericArgs) -> Ty {
    if base.is_error() || substitute::depth(db, base) > MAX_TYPE_DEPTH {
        return Ty::Error;
    }
    let symbolic = Ty::Associated(AssociatedTy::new(db, base, item, interface_args));
    for bound in env.bounds(db) {
        match *bound {
            Bound::Equal { left, right } if left == symbolic => return right,
            Bound::Equal { left, right } if right == symbolic && !matches!(left, Ty::Associated(_)) => return left,
            _ => {}
        }
    }
    match base {
        Ty::This(_) => symbolic,
        Ty::Param(_) | Ty::Associated(_) | Ty::Expand(_) => from_extension(db, env, base, item).unwrap_or(symbolic),
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

/// What a type that is not a parameter has for an associated type: its own declaration, an extension's, the interface's
/// default, or the synthesised `Differential`.
#[salsa::tracked(returns(copy), cycle_initial = implementation_initial, cycle_fn = implementation_settle)]
fn implementation(db: &dyn Db, env: Env, base: Ty, item: ItemId, interface_args: GenericArgs) -> Ty {
    let data = item::item_data(db, item);
    let Some(name) = &data.name else { return Ty::Error };
    if let Some((adt, args)) = known::declaration_of(db, base)
        && let Some(found) = declared_type(db, env, adt, args, base, name)
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
    Ty::Error
}

fn implementation_initial(_db: &dyn Db, _id: salsa::Id, _env: Env, _base: Ty, _item: ItemId, _args: GenericArgs) -> Ty {
    Ty::Error
}

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
