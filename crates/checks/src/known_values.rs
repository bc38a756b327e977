//! Which expressions of bodies have a value that the compiler knows.

use diagnostics::codes;
use hir_def::{
    attribute::Modifiers,
    body::{BodyRoot, Expr, ExprId},
    item::{self, ItemId, ItemKind},
};
use hir_ty::{consts, diagnostics::Node, infer::result::Resolution, lower_ty::TypeLowering, ty::Ty};

use super::{CheckedBody, called_item};

/// E39999: the value of a case of an enum is not known when the program is compiled.
pub(super) fn check_case(body: &mut CheckedBody<'_>) {
    if let ItemKind::EnumCase { has_value: true } = item::item_data(body.db, body.item).kind
        && let BodyRoot::Expr(value) = body.body.root
    {
        check(body, value);
    }
}

/// E39999: an expression is not known when the program is compiled. Returns whether it is.
pub(super) fn check(body: &mut CheckedBody<'_>, expr: ExprId) -> bool {
    let known = is_known(body, expr);
    if !known {
        let message = "expression does not evaluate to a compile-time constant";
        body.report(codes::CANNOT_RESOLVE, Node::Expr(expr), message);
    }
    known
}

/// Whether an expression is an integer that is known, as far as nothing else is wrong with it.
fn is_known(body: &CheckedBody<'_>, expr: ExprId) -> bool {
    let is_constant = |item: ItemId| {
        let is_variable = matches!(item::item_data(body.db, item).kind, ItemKind::Variable { .. });
        !is_variable || consts::constant_value(body.db, item).is_some()
    };
    match body.inferred.resolutions.get(&expr) {
        // What `let` names is fixed, but only a constant is known.
        Some(Resolution::Local(local)) => {
            return body.body.store.locals[*local].modifiers.contains(Modifiers::CONST);
        }
        Some(Resolution::Global { item, .. } | Resolution::Field { item, .. }) => return is_constant(*item),
        Some(Resolution::EnumCase(_) | Resolution::Constant(_) | Resolution::Type(_)) => return true,
        Some(Resolution::Conversion { to: Ty::Scalar(scalar), .. }) if scalar.is_float() => return false,
        Some(Resolution::Call(call)) => {
            let is_function = |item| matches!(item::item_data(body.db, item).kind, ItemKind::Function(_));
            if called_item(&call.callee).is_some_and(is_function) {
                return false;
            }
        }
        Some(Resolution::Element { base, .. }) => {
            return matches!(body.inferred.resolutions.get(base), Some(Resolution::Global { .. }))
                && consts::evaluate(&mut TypeLowering::new(body.db, body.item, &body.body.store), expr).is_some();
        }
        _ => {}
    }
    let mut operands = Vec::new();
    let node = &body.body.store.exprs[expr];
    node.for_each_operand(|operand| operands.push(operand));
    // What is called says which conversion it is.
    if let Expr::Call { callee, .. } = node {
        operands.retain(|operand| operand != callee);
    }
    operands.into_iter().all(|operand| is_known(body, operand))
}
