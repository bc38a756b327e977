//! Functions that are named where no call chooses among overloads: in attributes (`[ForwardDerivative(A.f)]`) and by
//! `__func_extension fwd_diff(A::f)`.

use base_db::Db;
use hir_def::{
    body::ExprId,
    item::{self, AccessorKind, ItemId, ItemKind},
    name::Name,
    scope,
    type_ref::{GenericArgRef, Path, PathSegment},
};

use crate::{
    conformance::members::{self, Member},
    generics::{self, env::Env},
    types::{
        lower_ty::TypeLowering,
        resolve::{self, TypeNs},
        signature::FunctionRef,
        ty::{GenericArg, GenericArgs, Ty},
    },
};

/// A function by its name.
#[derive(Debug, Clone)]
pub(super) struct Named {
    pub item: ItemId,
    /// Arguments for the generic parameters around the declaration.
    args: GenericArgs,
    self_ty: Option<Ty>,
    /// Generic arguments written after the name.
    explicit: Option<Vec<GenericArgRef>>,
}

impl Named {
    fn of_item(db: &dyn Db, item: ItemId) -> Named {
        let args = item::container(db, item)
            .map_or_else(|| GenericArgs::empty(db), |container| generics::identity_args(db, container));
        Named { item, args, self_ty: None, explicit: None }
    }

    fn of_member(member: Member) -> Named {
        Named { item: member.item, args: member.args, self_ty: member.self_ty, explicit: None }
    }

    /// The function with its generic arguments, those that are not written standing for themselves.
    pub(super) fn reference(&self, lowering: &mut TypeLowering<'_>) -> FunctionRef {
        let db = lowering.db;
        let identity = generics::identity_args(db, self.item);
        let outer = self.args.args(db);
        let own = &item::item_data(db, self.item).generics.params;
        let explicit = self.explicit.as_deref().unwrap_or_default();
        let mut args: Vec<GenericArg> = outer.to_vec();
        for (index, param) in own.iter().enumerate() {
            let otherwise = identity.args(db).get(outer.len() + index).copied();
            let written = match (&param.kind, explicit.get(index)) {
                (
                    kind @ (hir_def::item::GenericParamKind::Pack { .. }
                    | hir_def::item::GenericParamKind::ValuePack { .. }),
                    _,
                ) => {
                    let values = matches!(kind, hir_def::item::GenericParamKind::ValuePack { .. });
                    let rest = explicit.get(index..).unwrap_or_default();
                    let elements = lowering.pack_arguments(rest, values, &param.name);
                    Some(GenericArg::Pack(GenericArgs::new(db, elements.into_boxed_slice())))
                }
                (hir_def::item::GenericParamKind::Value { .. }, Some(arg)) => {
                    Some(GenericArg::Value(lowering.value_argument(arg, &param.name)))
                }
                (hir_def::item::GenericParamKind::Type { .. }, Some(arg)) => {
                    Some(GenericArg::Type(lowering.type_argument(arg, &param.name)))
                }
                (_, None) => None,
            };
            args.extend(written.filter(|_| self.explicit.is_some()).or(otherwise));
        }
        FunctionRef { item: self.item, args: GenericArgs::new(db, args.into_boxed_slice()), self_ty: self.self_ty }
    }
}

/// The functions that an expression of the signature of `owner` names, innermost scope only.
pub(super) fn functions_named(db: &dyn Db, owner: ItemId, argument: ExprId) -> Vec<Named> {
    let Some(path) = item::item_data(db, owner).store.as_path(argument) else { return Vec::new() };
    let Some((last, qualifier)) = path.segments.split_last() else { return Vec::new() };
    let with_args = |mut named: Vec<Named>| {
        named.iter_mut().for_each(|named| named.explicit.clone_from(&last.args));
        named
    };
    if qualifier.is_empty() {
        return with_args(unqualified(db, owner, &last.name));
    }
    if let (Some(kind), Some((property, qualifier))) = (AccessorKind::from_name(&last.name), qualifier.split_last()) {
        let properties = members_named(db, owner, path.global, qualifier, &property.name);
        let accessor = |property: Named| Some(Named { item: item::accessor(db, property.item, kind)?, ..property });
        let accessors: Vec<Named> = properties.into_iter().filter_map(accessor).collect();
        if !accessors.is_empty() {
            return accessors;
        }
    }
    with_args(only_functions(db, members_named(db, owner, path.global, qualifier, &last.name)))
}

/// Whatever a type or namespace has under a name.
fn members_named(db: &dyn Db, owner: ItemId, global: bool, qualifier: &[PathSegment], name: &Name) -> Vec<Named> {
    let qualifier = Path { global, segments: qualifier.to_vec() };
    let mut lowering = TypeLowering::new(db, owner, &item::item_data(db, owner).store);
    match resolve::path_as_type(&mut lowering, &qualifier) {
        Some(TypeNs::Type(ty)) => {
            members::lookup(db, Env::of(db, owner), ty, name).into_iter().map(Named::of_member).collect()
        }
        Some(TypeNs::Generic { item, .. }) => {
            members::declared(db, item, name).iter().map(|item| Named::of_item(db, *item)).collect()
        }
        Some(TypeNs::Namespace(namespace)) => {
            let items = scope::lookup_in_namespace(db, namespace, item::file_of(db, owner), name);
            items.into_iter().map(|item| Named::of_item(db, item)).collect()
        }
        Some(TypeNs::BuiltinGeneric(_)) | None => Vec::new(),
    }
}

/// The functions that a plain name means: members of the type around (whoever declares them), then what the file sees.
fn unqualified(db: &dyn Db, owner: ItemId, name: &Name) -> Vec<Named> {
    let mut current = item::container(db, owner);
    while let Some(container) = current {
        if let Some(this) = generics::self_type(db, container) {
            let members = members::lookup(db, Env::of(db, owner), this, name);
            let functions = only_functions(db, members.into_iter().map(Named::of_member).collect());
            if !functions.is_empty() {
                return functions;
            }
        }
        current = item::container(db, container);
    }
    let items = scope::lookup(db, owner, name);
    only_functions(db, items.into_iter().map(|item| Named::of_item(db, item)).collect())
}

fn only_functions(db: &dyn Db, named: Vec<Named>) -> Vec<Named> {
    let is_function = |named: &Named| {
        matches!(item::item_data(db, named.item).kind, ItemKind::Function(_) | ItemKind::Constructor { .. })
    };
    named.into_iter().filter(is_function).collect()
}
