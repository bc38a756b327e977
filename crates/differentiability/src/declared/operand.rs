//! 30027: `fwd_diff` or `bwd_diff` of a function that has no such derivative.

use base_db::Db;
use hir_def::{
    body::{self, DerivativeOperator, Expr, ExprId},
    item::{self, ItemId},
    modules, source_map,
};
use hir_ty::{
    differential::rules::not_differentiable,
    infer::{
        self,
        result::{Callable, Resolution},
    },
};

use crate::{
    Finding,
    finding::{add_attribute, has_unsupported, name_location, name_of},
};

pub(super) fn check(db: &dyn Db, item: ItemId, findings: &mut Vec<Finding>) {
    let file = item::file_of(db, item);
    let mut wrong: Vec<(ExprId, DerivativeOperator, ItemId)> = Vec::new();
    for (expr, resolution) in &infer::infer(db, item).resolutions {
        if let Resolution::Call(call) = resolution
            && let Callable::Derivative { operator, of } = &call.callee
            && let Some(function) = not_differentiable(db, of, *operator, file)
        {
            wrong.push((*expr, *operator, function));
        }
    }
    if wrong.is_empty() || has_unsupported(db, item) {
        return;
    }
    wrong.sort_by_key(|(expr, ..)| *expr);
    let store = &body::lower::body(db, item).store;
    let map = source_map::body_source_map(db, item);
    for (expr, operator, function) in wrong {
        let operand = match store.exprs[expr] {
            Expr::Call { callee, .. } => callee,
            _ => expr,
        };
        let direction = match operator {
            DerivativeOperator::Forward => "forward",
            DerivativeOperator::Backward => "backward",
        };
        let name = name_of(db, function);
        let own = !modules::is_prelude(db, item::file_of(db, function));
        let mark = || add_attribute(db, function, "Differentiable", format!("Mark `{name}` as [Differentiable]"));
        findings.push(
            Finding::error(30027, map.expr(operand), format!("`{name}` is not {direction}-differentiable"))
                .cause(name_location(db, function).filter(|_| own), format!("`{name}` is declared here"))
                .fix(own.then(mark).flatten()),
        );
    }
}
