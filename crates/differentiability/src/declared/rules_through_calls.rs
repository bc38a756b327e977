//! 41022 where a derivative is differentiated again: behind the function that is named stands one whose derivative the user wrote,
//! and that derivative is not differentiable. slangc says it of calls in functions that are marked, and fails without a word of
//! `fwd_diff(fwd_diff(f))`.

use ::diagnostics::stack;
use base_db::Db;
use diagnostics::codes;
use hir_def::{
    body::DerivativeOperator,
    item::{self, ItemId},
    position::Location,
    source_map,
};
use hir_ty::{
    conformance::{self, Implementation},
    differential::rules::derivative_rules_in,
    display::qualified_name,
    env::Env,
    generics,
    infer::{
        self,
        result::{Callable, Resolution},
    },
    signature::FunctionRef,
    substitute::{self, MAX_TYPE_DEPTH, Substitution},
    ty::GenericArg,
};

use super::{
    custom_derivative::is_requirement,
    forward_through_calls::{ActiveCallee, active_callees},
};
use crate::{
    Cause, Finding,
    finding::{has_unsupported, mark_differentiable, name_location},
    flow::Flow,
};

/// What is done to a function, the innermost operator first.
pub(super) type Operators = Vec<DerivativeOperator>;

pub(super) fn check(db: &dyn Db, item: ItemId, findings: &mut Vec<Finding>) {
    let mut wrong = Vec::new();
    let env = Env::of(db, item);
    for (expr, resolution) in infer::infer(db, item).resolutions.iter() {
        if let Resolution::Call(call) = resolution
            && let Some((function, operators)) = differentiated(&call.callee)
            && operators.len() > 1
            && let Some(obstacle) = obstacle(db, env, function, operators)
        {
            wrong.push((expr, function, obstacle));
        }
    }
    if wrong.is_empty() || has_unsupported(db, item) {
        return;
    }
    wrong.sort_by_key(|(expr, ..)| *expr);
    let map = source_map::body_source_map(db, item);
    for (expr, function, obstacle) in wrong {
        findings.push(wording(db, map.expr(expr), function.item, obstacle));
    }
}

/// What is said where the derivative of `function` is asked for.
pub(super) fn wording(db: &dyn Db, at: Location, function: ItemId, obstacle: &Obstacle) -> Finding {
    let (asked, of) = (qualified_name(db, function), qualified_name(db, obstacle.function));
    let rule = qualified_name(db, obstacle.rule);
    let message = format!(
        "the derivative of `{asked}` cannot be differentiated: it calls `{of}`, whose derivative `{rule}` is not differentiable"
    );
    let mut finding = Finding::new(codes::LOST_AT_CALL, at, message);
    finding.related.extend(obstacle.way.iter().cloned());
    finding.fix(mark_differentiable(db, obstacle.rule, &rule))
}

/// The function that is called, and what is done to it.
pub(super) fn differentiated(callable: &Callable) -> Option<(FunctionRef, Operators)> {
    match callable {
        Callable::Function(function) => Some((*function, Vec::new())),
        Callable::Derivative { operator, of } => {
            let (function, mut operators) = differentiated(of)?;
            operators.push(*operator);
            Some((function, operators))
        }
        Callable::Make(_) | Callable::Synthesized { .. } | Callable::Value(_) => None,
    }
}

/// Why the derivatives of a function cannot be differentiated again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Obstacle {
    /// The function that has a derivative of its own.
    function: ItemId,
    /// That derivative, which is not differentiable.
    rule: ItemId,
    /// The calls that lead there.
    way: Vec<Cause>,
}

/// What stands behind the calls of `function`, the types being what its generic arguments say; what it lacks itself is said by
/// [`super::operand`]. With one operator: behind the derivatives that it asks for.
#[salsa::tracked(returns(ref), cycle_initial = none)]
pub(super) fn obstacle(db: &dyn Db, env: Env, function: FunctionRef, operators: Operators) -> Option<Obstacle> {
    stack::deep(|| search(db, env, function, &operators))
}

fn none(_: &dyn Db, _: salsa::Id, _: Env, _: FunctionRef, _: Operators) -> Option<Obstacle> {
    None
}

fn search(db: &dyn Db, env: Env, function: FunctionRef, operators: &[DerivativeOperator]) -> Option<Obstacle> {
    let (first, after) = operators.split_first()?;
    let file = item::file_of(db, function.item);
    let rules = derivative_rules_in(db, function.item, file);
    if let Some(rule) = rules.custom(*first) {
        return obstacle(db, env, symbolic(db, rule), after.to_vec()).clone();
    }
    let is_transposed = rules.forward_derivative.is_some() && !rules.backward_differentiable;
    if is_transposed || rules.treat_as_differentiable {
        return None;
    }
    let lowered = lower::lower_for_analysis(db, function.item);
    let func = lowered.func.filter(|func| lowered.module.funcs[*func].body.is_some())?;
    let flow = Flow { db, item: function.item, lowered, func };
    active_callees(&flow).into_iter().find_map(|callee| {
        let unwritten = || Some((symbolic(db, callee.item?), Vec::new()));
        let (called, mut all) = written(db, function, &callee).or_else(unwritten)?;
        all.extend(operators);
        let called = implemented(db, env, called)?;
        let (first, after) = all.split_first()?;
        let cause = callee.at.map(|at| {
            let names = (qualified_name(db, function.item), qualified_name(db, called.item));
            Cause { message: format!("`{}` calls `{}` here", names.0, names.1), at }
        });
        let mut way: Vec<Cause> = cause.into_iter().collect();
        if let Some(next) = after.first()
            && let Some(rule) = derivative_rules_in(db, called.item, file).custom(*first)
            && let rules = derivative_rules_in(db, rule, file)
            && !rules.allows(*next)
            && rules.forward_derivative.is_none()
        {
            let message = format!("`{}` is declared here", qualified_name(db, rule));
            way.extend(name_location(db, rule).map(|at| Cause { message, at }));
            return Some(Obstacle { function: called.item, rule, way });
        }
        let behind = obstacle(db, env, called, all).as_ref()?;
        way.extend(behind.way.iter().cloned());
        Some(Obstacle { way, ..behind.clone() })
    })
}

/// A function whose generic parameters stand for themselves.
pub(super) fn symbolic(db: &dyn Db, item: ItemId) -> FunctionRef {
    FunctionRef { item, args: generics::identity_args(db, item), self_ty: None }
}

/// What is called at a place of a function's body, with the generic arguments that the function has.
fn written(db: &dyn Db, within: FunctionRef, callee: &ActiveCallee) -> Option<(FunctionRef, Operators)> {
    let at = callee.at?;
    let map = source_map::body_source_map(db, within.item);
    let mut calls =
        infer::infer(db, within.item).resolutions.iter().filter_map(|(expr, resolution)| match resolution {
            Resolution::Call(call) if map.expr(expr) == at => differentiated(&call.callee),
            _ => None,
        });
    let (function, operators) = calls.find(|(function, _)| callee.item.is_none_or(|item| item == function.item))?;
    let (env, given) = (Env::of(db, within.item), Substitution::of_function(db, within));
    let args = substitute::substitute_args(db, env, function.args, &given);
    let self_ty = function.self_ty.map(|this| substitute::substitute(db, env, this, &given));
    Some((FunctionRef { args, self_ty, ..function }, operators))
}

/// What a type has for a requirement, where the type is known. `None` of what instances nest in themselves without end.
fn implemented(db: &dyn Db, env: Env, function: FunctionRef) -> Option<FunctionRef> {
    let mut types = function.args.args(db).iter().filter_map(|arg| match arg {
        GenericArg::Type(ty) => Some(*ty),
        GenericArg::Value(_) | GenericArg::Pack(_) => None,
    });
    if types.any(|ty| substitute::depth(db, ty) > MAX_TYPE_DEPTH) {
        return None;
    }
    let is_required = function.self_ty.is_some() && is_requirement(db, function.item);
    match if is_required { conformance::implementation(db, env, function) } else { None } {
        Some(Implementation::Function(found)) => Some(found),
        Some(Implementation::Field(_) | Implementation::Synthesized(_)) => None,
        None => Some(function),
    }
}
