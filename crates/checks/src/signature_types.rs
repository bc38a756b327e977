//! What is wrong with the types that a signature writes: unknown names, arguments that do not fit.

use base_db::Db;
use hir_def::{
    body::Expr,
    item::{self, Item, ItemId, ItemKind},
    type_ref::{GenericArgRef, TypeRef, TypeRefId},
};
use hir_ty::{diagnostics::Diagnostic, lower_ty::TypeLowering};

/// Lowers every type of the signature once more, this time reporting. Types inside types are reported once.
pub(super) fn check(db: &dyn Db, item: ItemId) -> Vec<Diagnostic> {
    let data = item::item_data(db, item);
    let outside = outside_members(&data.kind);
    let mut found: Vec<Diagnostic> = Vec::new();
    let inner = inner_types(data);
    for (id, _) in data.store.type_refs.iter() {
        if inner.contains(&id) {
            continue;
        }
        let mut lowering = TypeLowering::new(db, item, &data.store).reporting();
        if outside.contains(&id) {
            lowering = lowering.outside_members();
        }
        // `nonempty(N)` where the parser could not know that `N` is a pack of values.
        if lowering.named_value_pack(id).is_some() {
            continue;
        }
        lowering.lower(id);
        for diagnostic in lowering.into_diagnostics() {
            if !found.iter().any(|known| known.at == diagnostic.at) {
                found.push(diagnostic);
            }
        }
    }
    found
}

/// Types that are parts of other types, or arguments of names in expressions, which inference reports.
fn inner_types(data: &Item) -> Vec<TypeRefId> {
    fn args(args: &Option<Vec<GenericArgRef>>, inner: &mut Vec<TypeRefId>) {
        for arg in args.iter().flatten() {
            if let GenericArgRef::Type(ty) = arg {
                inner.push(*ty);
            }
        }
    }
    let mut inner = Vec::new();
    for (_, ty) in data.store.type_refs.iter() {
        match ty {
            TypeRef::Path(path) => path.segments.iter().for_each(|segment| args(&segment.args, &mut inner)),
            TypeRef::Member { member, .. } => args(&member.args, &mut inner),
            _ => {}
        }
    }
    for (_, expr) in data.store.exprs.iter() {
        match expr {
            Expr::Path(path) => path.segments.iter().for_each(|segment| args(&segment.args, &mut inner)),
            Expr::Member { generic_args, .. } => args(generic_args, &mut inner),
            Expr::Type(ty) | Expr::Cast { ty, .. } => inner.push(*ty),
            Expr::SizeOf { ty: Some(ty), .. } => inner.push(*ty),
            _ => {}
        }
    }
    for (_, ty) in data.store.type_refs.iter() {
        match ty {
            TypeRef::Array { element: part, .. }
            | TypeRef::Pointer(part)
            | TypeRef::Optional(part)
            | TypeRef::Expand(part)
            | TypeRef::Each(part)
            | TypeRef::Some(part)
            | TypeRef::Dyn(part)
            | TypeRef::Modified(_, part)
            | TypeRef::Member { base: part, .. } => inner.push(*part),
            TypeRef::Tuple(parts) | TypeRef::And(parts) => inner.extend(parts),
            TypeRef::Function { params, ret } => {
                inner.extend(params.iter().map(|(_, ty)| *ty));
                inner.push(*ret);
            }
            TypeRef::PackQuery { operands, .. } => {
                for operand in operands {
                    if let GenericArgRef::Type(ty) = operand {
                        inner.push(*ty);
                    }
                }
            }
            TypeRef::Missing
            | TypeRef::Unsupported(_)
            | TypeRef::Infer
            | TypeRef::Declared(_)
            | TypeRef::Path(_)
            | TypeRef::Expr(_) => {}
        }
    }
    inner
}

/// Types that are looked up from outside the type that they are written on.
fn outside_members(kind: &ItemKind) -> Vec<TypeRefId> {
    match kind {
        ItemKind::Struct { bases } | ItemKind::Enum { bases, .. } | ItemKind::Interface { bases } => bases.clone(),
        ItemKind::Extension { target, bases } => bases.iter().copied().chain([*target]).collect(),
        _ => Vec::new(),
    }
}
