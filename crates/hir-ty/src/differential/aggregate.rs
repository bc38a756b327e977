//! The differentials of structs: written by the user, the struct itself, or synthesised.
//!
//! A synthesised differential is `Ty::SynthesizedDifferential(item, args)`: a struct whose fields are the differentiable
//! fields of the primal struct under the same ids. A struct whose fields all are their own differentials is its own
//! differential. Both follow from the declaration alone, before generic arguments are put in, as in slangc: a field of
//! type `T` has a derivative only if `T` is bounded by `IDifferentiable` where the struct is declared.

use ::diagnostics::stack;
use base_db::Db;
use hir_def::{
    attribute::{AttributeKind, Modifiers},
    body::Expr,
    item::{self, ItemId, ItemKind},
    name::Name,
};
use rustc_hash::FxHashMap;

use super::of_type::{Differentiability, differentiability, differential_of};
use crate::{
    conformance::{self, members},
    generics::{
        self,
        env::Env,
        substitute::{Substitution, substitute},
    },
    types::{
        aggregate,
        known::Known,
        ty::{GenericArgs, Ty},
    },
};

/// The differential that the compiler makes for a type that does not write one, if it can: called once it is known that
/// the type conforms to `IDifferentiable` (or is a builtin type).
pub fn synthesized_differential(db: &dyn Db, env: Env, ty: Ty) -> Option<Ty> {
    match ty {
        Ty::Adt(item, args) => match &item::item_data(db, item).kind {
            ItemKind::Struct { .. } if is_own_differential(db, item) => Some(ty),
            ItemKind::Struct { .. } => Some(Ty::SynthesizedDifferential(item, args)),
            _ => None,
        },
        _ => match differentiability(db, env, ty) {
            Differentiability::Value(differential) => Some(differential),
            Differentiability::None | Differentiability::Pointer(_) => None,
        },
    }
}

/// The fields of a synthesised differential: the ids are those of the primal struct's fields.
pub fn synthesized_fields(db: &dyn Db, env: Env, item: ItemId, args: GenericArgs) -> Vec<(ItemId, Ty)> {
    let fields = match declared_fields(db, item) {
        DeclaredFields::ByDeclaration(fields) => {
            let substitution = Substitution::of_item(db, item, args);
            let put_in = |ty: Ty| substitute(db, env, ty, &substitution);
            fields.iter().map(|field| (field.item, field.differential.map(put_in))).collect()
        }
        // The struct is differentiable only under the conditions of an extension: they hold for these arguments.
        DeclaredFields::ByArguments => fields_in(db, env, Ty::Adt(item, args)),
    };
    fields.into_iter().filter_map(|(field, differential)| Some((field, differential?))).collect()
}

/// How the fields of a struct correspond to those of its differential: of the values that carry derivatives for a struct of
/// such values, of the places for one of places.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FieldDerivative {
    /// The field.
    pub field: ItemId,
    /// The field of the differential that holds the derivative.
    pub derivative: Option<ItemId>,
    /// The type of the derivative; `None` if the field has none.
    pub differential: Option<Ty>,
}

/// For each field of the struct `ty`, in order, where its derivative lies in the differential of `ty`.
pub fn field_derivatives(db: &dyn Db, env: Env, ty: Ty) -> Vec<FieldDerivative> {
    let kind = differentiability(db, env, ty);
    let Some(differential) = kind.differential() else { return Vec::new() };
    let same_ids = differential == ty || matches!(differential, Ty::SynthesizedDifferential(..));
    let mut by_name: FxHashMap<&Name, ItemId> = FxHashMap::default();
    if !same_ids {
        for (target, _) in aggregate::fields(db, env, differential) {
            if let Some(name) = &item::item_data(db, *target).name {
                by_name.entry(name).or_insert(*target);
            }
        }
    }
    let fields = match kind {
        Differentiability::None | Differentiability::Value(_) => fields_in(db, env, ty),
        Differentiability::Pointer(_) => places_in(db, env, ty),
    };
    fields
        .into_iter()
        .map(|(field, field_differential)| {
            let derivative = if same_ids {
                aggregate::field_position(db, env, differential, field).map(|_| field)
            } else {
                let name =
                    written_derivative_member(db, env, ty, field).or_else(|| item::item_data(db, field).name.clone());
                name.and_then(|name| by_name.get(&name).copied())
            };
            let derivative = derivative.filter(|_| field_differential.is_some());
            FieldDerivative { field, derivative, differential: field_differential }
        })
        .collect()
}

/// The field that `[DerivativeMember(Differential.name)]` names.
pub fn derivative_member(db: &dyn Db, field: ItemId) -> Option<Name> {
    let data = item::item_data(db, field);
    let attribute = data.attribute(AttributeKind::DerivativeMember)?;
    match &data.store.exprs[*attribute.args.first()?] {
        Expr::Member { name, .. } => Some(name.clone()),
        Expr::Path(path) => path.segments.last().map(|segment| segment.name.clone()),
        _ => None,
    }
}

/// The field of the differential that is named on `field` of `ty`, or on its `extern` declaration in an extension.
fn written_derivative_member(db: &dyn Db, env: Env, ty: Ty, field: ItemId) -> Option<Name> {
    derivative_member(db, field).or_else(|| {
        let name = item::item_data(db, field).name.as_ref()?;
        let extensions = members::extensions_declaring(db, env, ty, name);
        let again = extensions.iter().flat_map(|extension| members::declared(db, extension.item, name));
        again.filter_map(|again| derivative_member(db, *again)).next()
    })
}

/// The fields of a struct with their differentials, in an environment.
fn fields_in(db: &dyn Db, env: Env, ty: Ty) -> Vec<(ItemId, Option<Ty>)> {
    aggregate::fields(db, env, ty)
        .iter()
        .map(|&(field, field_ty)| {
            let excluded = item::item_data(db, field).modifiers.contains(Modifiers::NO_DIFF);
            let differential = if excluded { None } else { differential_of(db, env, field_ty) };
            (field, differential)
        })
        .collect()
}

/// The fields of a struct of places, with the places for derivatives of those that are places themselves.
fn places_in(db: &dyn Db, env: Env, ty: Ty) -> Vec<(ItemId, Option<Ty>)> {
    let fields = aggregate::fields(db, env, ty).iter();
    fields
        .map(|&(field, field_ty)| {
            let excluded = item::item_data(db, field).modifiers.contains(Modifiers::NO_DIFF);
            let differential = match differentiability(db, env, field_ty) {
                Differentiability::Pointer(differential) if !excluded => Some(differential),
                _ => None,
            };
            (field, differential)
        })
        .collect()
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum DeclaredFields {
    /// In terms of the struct's own generic parameters.
    ByDeclaration(Box<[DeclaredField]>),
    ByArguments,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct DeclaredField {
    item: ItemId,
    ty: Ty,
    differential: Option<Ty>,
}

#[salsa::tracked(returns(ref), cycle_result = declared_fields_cycle)]
fn declared_fields(db: &dyn Db, item: ItemId) -> DeclaredFields {
    let env = Env::of(db, item);
    let this = Ty::Adt(item, generics::identity_args(db, item));
    if !conformance::conforms_to_known(db, env, this, Known::IDifferentiable) {
        return DeclaredFields::ByArguments;
    }
    let types = aggregate::fields(db, env, this);
    let fields = types.iter().zip(stack::deep(|| fields_in(db, env, this)));
    DeclaredFields::ByDeclaration(
        fields.map(|(&(item, ty), (_, differential))| DeclaredField { item, ty, differential }).collect(),
    )
}

/// A struct that contains itself; the aggregate check reports it.
fn declared_fields_cycle(_db: &dyn Db, _id: salsa::Id, _item: ItemId) -> DeclaredFields {
    DeclaredFields::ByDeclaration(Box::default())
}

/// Whether the synthesised differential would have exactly the struct's own fields.
fn is_own_differential(db: &dyn Db, item: ItemId) -> bool {
    match declared_fields(db, item) {
        DeclaredFields::ByDeclaration(fields) => fields.iter().all(|field| field.differential == Some(field.ty)),
        DeclaredFields::ByArguments => false,
    }
}
