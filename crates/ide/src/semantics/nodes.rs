//! The name at an offset of a signature or body: the innermost type or expression there, and what it means.

use base_db::Db;
use hir_def::{
    body::{Body, Expr, ExprStore},
    item::ItemId,
    local_scope::local_scopes,
    position::Location,
    source_map::{BodySourceMap, NodeMap},
    type_ref::TypeRef,
};
use hir_ty::{infer::result::InferenceResult, ty::Ty};
use syntax::TextSize;

use super::{Definition, Found, FoundAt, classify_expr, classify_type, found, paths};

/// What the type or expression at an offset means. Of two that begin and end together, the type is the name.
pub(super) fn find_in_nodes(
    db: &dyn Db,
    item: ItemId,
    store: &ExprStore,
    nodes: &NodeMap,
    inferred: &InferenceResult,
    offset: TextSize,
) -> Option<FoundAt> {
    let ty = nodes.type_ref_at(offset);
    let expr = nodes.expr_at(offset);
    let in_type = || {
        let id = ty?;
        let classify = || classify_type(db, item, store, inferred, id);
        paths::find_in_type(db, item, store, id, nodes.type_ref(id), offset, classify)
    };
    let in_expr = || {
        let id = expr?;
        let classify = || classify_expr(db, item, store, inferred, id);
        let location = match &store.exprs[id] {
            // Of a member, the name alone.
            Expr::Member { .. } => Some(nodes.expr_name(id)).filter(|name| name.range.contains_inclusive(offset))?,
            expr if is_operator(expr) => nodes.expr_name(id),
            _ => nodes.expr(id),
        };
        paths::find_in_expr(db, item, store, id, location, offset, classify)
    };
    let length = |location: Location| location.range.len();
    let expr_is_smaller = match (ty, expr) {
        (Some(ty), Some(expr)) => length(nodes.expr(expr)) < length(nodes.type_ref(ty)),
        (ty, _) => ty.is_none(),
    };
    if expr_is_smaller { in_expr().or_else(in_type) } else { in_type().or_else(in_expr) }
}

/// The constant of a body that sizes an array or is an argument of a type or attribute, where inference records nothing.
pub(super) fn constant_local_at(
    db: &dyn Db,
    item: ItemId,
    body: &Body,
    map: &BodySourceMap,
    inferred: &InferenceResult,
    offset: TextSize,
) -> Option<FoundAt> {
    let ty = map.type_ref_at(offset).map(|id| (map.type_ref(id), id));
    let expr = map.expr_at(offset).map(|id| (map.expr(id), id));
    let is_of_type = match (ty, expr) {
        (Some((ty, _)), Some((expr, _))) => ty.range.len() <= expr.range.len(),
        (ty, _) => ty.is_some(),
    };
    let (location, path) = if is_of_type {
        let (location, id) = ty?;
        let TypeRef::Path(path) = &body.store.type_refs[id] else { return None };
        let is_type = inferred.type_refs.get(id).is_some_and(|ty| *ty != Ty::Error);
        // What is measured may be a value: `sizeof(x)`.
        let is_measured =
            || body.store.exprs.iter().any(|(_, expr)| matches!(expr, Expr::SizeOf { ty: Some(ty), .. } if *ty == id));
        (!is_type || is_measured()).then_some((location, path))?
    } else {
        let (location, id) = expr?;
        let Expr::Path(path) = &body.store.exprs[id] else { return None };
        let is_known = inferred.resolutions.get(&id).is_some();
        (!is_known).then_some((location, path.as_ref()))?
    };
    let [segment] = path.segments.as_slice() else { return None };
    let scopes = local_scopes(db, item);
    let mut visible = scopes.at_stmt(map.stmt_at(offset)?);
    let local = visible.find(|local| body.store.locals[*local].name == segment.name)?;
    let ty = inferred.local_types.get(local).copied();
    Some((location, Found { ty, ..found(Definition::Local { owner: item, local }, item) }))
}

fn is_operator(expr: &Expr) -> bool {
    matches!(expr, Expr::Binary { .. } | Expr::Prefix { .. } | Expr::Postfix { .. } | Expr::Assign { .. })
}
