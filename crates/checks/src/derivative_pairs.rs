//! E38029: `DifferentialPair<T>` of a type that has no derivative.

use hir_def::{
    body::{Expr, ExprStore},
    type_ref::{TypeRef, TypeRefId},
};
use hir_ty::{
    diagnostics::{Diagnostic, Node, Site, conformances},
    differential::{Differentiability, differentiability},
    display::display,
    env::Env,
    infer::result::Resolution,
    ty::{BuiltinType, Ty},
};

use super::{CheckedBody, Declaration};

pub(super) fn check(declaration: &mut Declaration<'_>) {
    let written: Vec<TypeRefId> = pairs_in(&declaration.data.store).collect();
    for id in written {
        let ty = declaration.lower(id);
        let node = Node::SignatureTypeRef(id);
        declaration.found.extend(without_derivative(declaration.db, declaration.item, ty, node));
    }
}

pub(super) fn check_body(body: &mut CheckedBody<'_>) {
    let store = &body.body.store;
    let types = pairs_in(store).filter_map(|id| Some((*body.inferred.type_refs.get(id)?, Node::TypeRef(id))));
    // `DifferentialPair<T>(…)`.
    let named = store.exprs.iter().filter_map(|(id, expr)| match (expr, body.inferred.resolutions.get(&id)) {
        (Expr::Path(_), Some(Resolution::Type(ty))) => Some((*ty, Node::Expr(id))),
        _ => None,
    });
    for (ty, node) in types.chain(named).collect::<Vec<_>>() {
        let found = without_derivative(body.db, body.item, ty, node);
        body.found.extend(found);
    }
}

/// The types that are written as `DifferentialPair<…>` or `DifferentialPtrPair<…>`; what an alias stands for is looked at
/// where it is declared.
fn pairs_in(store: &ExprStore) -> impl Iterator<Item = TypeRefId> + '_ {
    store.type_refs.iter().filter_map(|(id, ty)| match ty {
        TypeRef::Path(path) => {
            let last = path.segments.last()?;
            let is_pair = matches!(last.name.as_str(), "DifferentialPair" | "DifferentialPtrPair");
            (is_pair && last.args.is_some()).then_some(id)
        }
        _ => None,
    })
}

fn without_derivative(db: &dyn base_db::Db, item: hir_def::item::ItemId, ty: Ty, node: Node) -> Option<Diagnostic> {
    let (Ty::Builtin(kind @ (BuiltinType::DifferentialPair | BuiltinType::DifferentialPtrPair), _), Some(primal)) =
        (ty, ty.first_type_arg(db))
    else {
        return None;
    };
    let wanted = match (kind, differentiability(db, Env::of(db, item), primal)) {
        _ if primal.is_error() => return None,
        (BuiltinType::DifferentialPair, Differentiability::Value(_)) => return None,
        (BuiltinType::DifferentialPtrPair, Differentiability::Pointer(_)) => return None,
        (BuiltinType::DifferentialPair, _) => "IDifferentiable",
        (_, _) => "IDifferentiablePtrType",
    };
    Some(conformances::bound_not_met(Site { item, node }, &display(db, primal), wanted, None))
}
