//! 41025: the argument of an `out` or `inout` parameter that carries a derivative is a place that cannot hold one: a
//! `no_diff` field, a part of a value whose type is not differentiable, an element of a buffer, a global variable.

use base_db::Db;
use diagnostics::codes;
use hir_def::{body::ExprId, item::ItemId, source_map};
use hir_ty::{
    differential::rules::derivative_rules,
    infer::{
        self,
        result::{Argument, Callable, Resolution},
    },
    signature,
    ty::ParamDirection,
};

use crate::{Finding, finding::make_struct_differentiable, places::Places};

pub(super) fn check(db: &dyn Db, item: ItemId, findings: &mut Vec<Finding>) {
    let rules = derivative_rules(db, item);
    if !rules.is_differentiable() || rules.treat_as_differentiable {
        return;
    }
    let places = Places::new(db, item);
    let mut wrong: Vec<ExprId> = Vec::new();
    for resolution in infer::infer(db, item).resolutions.values() {
        let Resolution::Call(call) = resolution else { continue };
        let Callable::Function(callee) = &call.callee else { continue };
        if call.no_diff || !derivative_rules(db, callee.item).is_differentiable() {
            continue;
        }
        for (param, argument) in signature::signature(db, callee.item).params.iter().zip(&call.args) {
            let comes_out = matches!(param.direction, ParamDirection::Out | ParamDirection::InOut);
            let Argument::Expr(argument) = *argument else { continue };
            if comes_out && !param.no_diff && places.carries(argument) && !places.holds_derivative(argument) {
                wrong.push(argument);
            }
        }
    }
    let map = source_map::body_source_map(db, item);
    wrong.sort();
    for argument in wrong {
        let message = "the derivative is lost here: this place cannot hold what comes out with a derivative; pass a \
                       temporary variable instead";
        let fix = places.plain_owner(argument).and_then(|ty| make_struct_differentiable(db, ty));
        findings.push(Finding::new(codes::LOST_AT_OUTPUT, map.expr(argument), message).fix(fix));
    }
}
