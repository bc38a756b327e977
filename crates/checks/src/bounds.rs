//! E30029: elements of arrays that there are not.
//!
//! As slangc has it, of what an entry point says itself: there a constant index is what is read, whatever the caller does.

use diagnostics::codes;
use hir_def::{
    attribute::AttributeKind,
    body::{Expr, ExprId},
    item,
};
use hir_ty::{
    consts,
    diagnostics::Node,
    lower_ty::TypeLowering,
    ty::{BuiltinType, Const, GenericArg, Ty},
};

use super::CheckedBody;

pub(super) fn check(body: &mut CheckedBody<'_>) {
    let data = item::item_data(body.db, body.item);
    let is_entry = data.has_attribute(AttributeKind::Shader) || data.has_attribute(AttributeKind::NumThreads);
    if !is_entry || !data.generics.params.is_empty() {
        return;
    }
    let outside: Vec<(ExprId, i64, i64)> =
        body.body.store.exprs.iter().filter_map(|(_, expr)| outside(body, expr)).collect();
    for (index, value, count) in outside {
        let message = format!("the array has {count} elements: there is none of index {value}");
        body.report(codes::INDEX_OUT_OF_BOUNDS, Node::Expr(index), message);
    }
}

/// The index of an access that is known to be outside of its array, with what it is and the number of elements.
fn outside(body: &CheckedBody<'_>, expr: &Expr) -> Option<(ExprId, i64, i64)> {
    let Expr::Index { base, args } = expr else { return None };
    let &[index] = args.as_slice() else { return None };
    let &Ty::Builtin(BuiltinType::Array, of) = body.inferred.expr_types.get(*base)? else { return None };
    let &[_, GenericArg::Value(Const::Value(count)), ..] = of.args(body.db) else { return None };
    let store = &body.body.store;
    // A local hides the constant of its name.
    let is_local = |path: &hir_def::type_ref::Path| {
        path.segments.first().is_some_and(|first| store.locals.iter().any(|(_, local)| local.name == first.name))
    };
    if matches!(&store.exprs[index], Expr::Path(path) if is_local(path)) {
        return None;
    }
    match consts::evaluate(&mut TypeLowering::new(body.db, body.item, store), index)? {
        Const::Value(value) if value < 0 || value >= count => Some((index, value, count)),
        _ => None,
    }
}
