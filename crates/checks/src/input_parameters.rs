//! Methods that change the copy of an argument.

use diagnostics::codes;
use hir_def::{
    attribute::Modifiers,
    body::{Expr, ExprId, LocalId, LocalKind},
};
use hir_ty::{
    diagnostics::Node,
    display::item_name,
    infer::result::{Base, Callable, Resolution},
    signature,
    ty::Ty,
};

use super::CheckedBody;

/// E30068 (warning): a `[mutating]` method of a parameter that is passed as a copy. As slangc, members of a parameter and
/// parameters of generic type are not looked at: a copy of which one part is changed is often meant.
pub(super) fn check(body: &mut CheckedBody<'_>) {
    let mut found = Vec::new();
    for (id, expr) in body.body.store.exprs.iter() {
        let (Expr::Call { .. }, Some(Resolution::Call(call))) = (expr, body.inferred.resolutions.get(&id)) else {
            continue;
        };
        let (Callable::Function(function), Some(Base::Expr(receiver))) = (&call.callee, call.this) else { continue };
        if !matches!(body.inferred.expr_types.get(receiver), Some(Ty::Adt(..)))
            || !signature::signature(body.db, function.item).this.is_some_and(|this| this.mutating)
        {
            continue;
        }
        if let Some(param) = input_parameter(body, receiver) {
            found.push((id, item_name(body.db, function.item), body.body.store.locals[param].name.clone()));
        }
    }
    for (call, method, param) in found {
        let message = format!("'{method}' changes the copy of the argument that '{param}' is");
        body.report(codes::MUTATED_INPUT_PARAMETER, Node::ExprName(call), message);
    }
}

/// The parameter that an expression is or is an element of, if it is passed as a copy.
fn input_parameter(body: &CheckedBody<'_>, expr: ExprId) -> Option<LocalId> {
    if body.inferred.adjustments.contains_key(&expr) {
        return None;
    }
    if let Expr::Index { base, .. } = &body.body.store.exprs[expr] {
        let is_array = body.inferred.expr_types.get(*base).is_some_and(|ty| ty.as_array(body.db).is_some());
        return if is_array { input_parameter(body, *base) } else { None };
    }
    let Some(Resolution::Local(local)) = body.inferred.resolutions.get(&expr) else { return None };
    let declared = &body.body.store.locals[*local];
    let elsewhere = Modifiers::OUT | Modifiers::INOUT | Modifiers::REF | Modifiers::CONSTREF | Modifiers::BORROW;
    let is_copy = matches!(declared.kind, LocalKind::Param { .. })
        && !declared.modifiers.intersects(elsewhere | Modifiers::CONST);
    is_copy.then_some(*local)
}
