//! What comes out of a call through a parameter of interface type.

use diagnostics::codes;
use hir_def::body::{Expr, ExprId};
use hir_ty::{
    diagnostics::Node,
    display::display,
    extension,
    infer::result::{Argument, Callable, Resolution},
    signature,
    ty::{ParamDirection, Ty},
};

use super::CheckedBody;

/// E30077: any type that conforms may come out of a parameter of interface type, so the variable is of that type, too.
pub(super) fn check(body: &mut CheckedBody<'_>) {
    let mut found: Vec<(ExprId, Ty, Ty)> = Vec::new();
    for (id, expr) in body.body.store.exprs.iter() {
        let (Expr::Call { .. }, Some(Resolution::Call(call))) = (expr, body.inferred.resolutions.get(&id)) else {
            continue;
        };
        let Callable::Function(function) = &call.callee else { continue };
        for (param, argument) in signature::signature(body.db, function.item).params.iter().zip(&call.args) {
            let Argument::Expr(argument) = *argument else { continue };
            let comes_out = matches!(param.direction, ParamDirection::Out | ParamDirection::InOut);
            if !comes_out || !extension::is_interface(body.db, param.ty) {
                continue;
            }
            match body.inferred.expr_types.get(argument) {
                Some(given) if !given.is_error() && !extension::is_interface(body.db, *given) => {
                    found.push((argument, *given, param.ty));
                }
                _ => {}
            }
        }
    }
    for (argument, given, wanted) in found {
        let (given, wanted) = (display(body.db, given), display(body.db, wanted));
        let message = format!("a value of any type that conforms to '{wanted}' may come out, not only a '{given}'");
        body.report(codes::CONCRETE_OUTPUT_ARGUMENT, Node::Expr(argument), message);
    }
}
