//! 30027: `fwd_diff` or `bwd_diff` of a function that has no such derivative. 41022: of one that has only a forward derivative
//! that cannot be transposed. 30600: the function is as visible as the
//! derivative that the user wrote for it. 38037: `f.apply_bwd` in a differentiable function returns the context in a tuple with a
//! result that carries no derivative, so the tuple carries none.

use base_db::{Db, SourceFile};
use diagnostics::codes;
use hir_def::{
    body::{self, DerivativeOperator, Expr, ExprId},
    item::{self, ItemId},
    modules, source_map, visibility,
};
use hir_ty::{
    differential::{
        differential_of,
        rules::{derivative_rules, derivative_rules_in, not_differentiable},
        signature::callable_signature,
    },
    display::{display, qualified_name},
    env::Env,
    infer::{
        self,
        result::{Callable, Resolution},
    },
};

use crate::{
    Finding,
    finding::{has_unsupported, mark_differentiable, name_location, name_of},
    transposition,
};

pub(super) fn check(db: &dyn Db, item: ItemId, findings: &mut Vec<Finding>) {
    let file = item::file_of(db, item);
    let mut wrong: Vec<(ExprId, DerivativeOperator, ItemId)> = Vec::new();
    let mut hidden: Vec<(ExprId, ItemId)> = Vec::new();
    let mut without: Vec<(ExprId, String)> = Vec::new();
    let mut not_transposed: Vec<(ExprId, ItemId, &str)> = Vec::new();
    for (expr, resolution) in infer::infer(db, item).resolutions.iter() {
        if let Resolution::Call(call) = resolution
            && let Callable::Derivative { operator, of } = &call.callee
        {
            if let Some(function) = not_differentiable(db, of, *operator, file) {
                wrong.push((expr, *operator, function));
            } else if let Some(derivative) = hidden_derivative(db, item, of, *operator) {
                hidden.push((expr, derivative));
            } else if let Some((function, why)) = not_transposable(db, of, *operator, file) {
                not_transposed.push((expr, function, why));
            } else if *operator == DerivativeOperator::Apply
                && derivative_rules(db, item).is_differentiable()
                && let Ok(applied) = callable_signature(db, Env::of(db, item), &call.callee)
                && differential_of(db, Env::of(db, item), applied.ret).is_none()
            {
                without.push((expr, display(db, applied.ret)));
            }
        }
    }
    hidden.sort();
    let store = &body::queries::body(db, item).store;
    let map = source_map::body_source_map(db, item);
    let operand_of = |expr: ExprId| match store.exprs[expr] {
        Expr::Call { callee, .. } => map.expr(callee),
        _ => map.expr(expr),
    };
    without.sort();
    for (expr, ty) in without {
        let message =
            format!("`{ty}`, which holds the context, carries no derivative: this step cannot be differentiated");
        findings.push(Finding::new(codes::CONTEXT_WITHOUT_DERIVATIVE, operand_of(expr), message));
    }
    for (expr, derivative) in hidden {
        let message = format!("'{}' is not accessible from here", name_of(db, derivative));
        findings.push(
            Finding::new(codes::NOT_ACCESSIBLE, operand_of(expr), message)
                .related(name_location(db, derivative), "this derivative would be called"),
        );
    }
    not_transposed.sort();
    for (expr, function, why) in not_transposed {
        let name = qualified_name(db, function);
        let message = format!("`{name}` has only a forward derivative, and {why}");
        findings.push(
            Finding::new(codes::LOST_AT_CALL, operand_of(expr), message)
                .related(name_location(db, function), format!("`{name}` is declared here")),
        );
    }
    if wrong.is_empty() || has_unsupported(db, item) {
        return;
    }
    wrong.sort_by_key(|(expr, ..)| *expr);
    for (expr, operator, function) in wrong {
        let direction = match operator {
            DerivativeOperator::Forward => "forward",
            DerivativeOperator::Backward
            | DerivativeOperator::Apply
            | DerivativeOperator::Remat
            | DerivativeOperator::Propagate => "backward",
        };
        let name = qualified_name(db, function);
        let own = !modules::is_prelude(db, item::file_of(db, function));
        let mark = || mark_differentiable(db, function, &name);
        findings.push(
            Finding::new(
                codes::MEMBER_NOT_FOUND,
                operand_of(expr),
                format!("`{name}` is not {direction}-differentiable"),
            )
            .related(name_location(db, function).filter(|_| own), format!("`{name}` is declared here"))
            .fix(own.then(mark).flatten()),
        );
    }
}

/// The derivative that the user wrote for a function, if code of `from` cannot see it.
fn hidden_derivative(db: &dyn Db, from: ItemId, of: &Callable, operator: DerivativeOperator) -> Option<ItemId> {
    let Callable::Function(function) = of else { return None };
    let derivative = derivative_rules_in(db, function.item, item::file_of(db, from)).custom(operator)?;
    (!visibility::is_accessible(db, derivative, from)).then_some(derivative)
}

/// The function whose backward derivative is asked for, if it has only a forward derivative that cannot be transposed, and why that
/// is so.
fn not_transposable<'db>(
    db: &'db dyn Db,
    of: &Callable,
    operator: DerivativeOperator,
    from: SourceFile,
) -> Option<(ItemId, &'db str)> {
    let Callable::Function(function) = of else { return None };
    let rules = derivative_rules_in(db, function.item, from);
    let is_transposed = operator != DerivativeOperator::Forward
        && rules.forward_derivative.is_some()
        && rules.custom(DerivativeOperator::Backward).is_none()
        && !rules.backward_differentiable
        && !rules.treat_as_differentiable;
    let why = if is_transposed { transposition::obstacle(db, function.item).as_deref() } else { None };
    Some((function.item, why?))
}
