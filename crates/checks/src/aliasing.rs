//! One place given to a call twice.

use diagnostics::codes;
use hir_def::{
    body::{Expr, ExprId, Literal},
    item::ItemId,
};
use hir_ty::{
    diagnostics::Node,
    differential::signature::{CallableParam, ParamRole, callable_signature},
    display::direction_prefix,
    env::Env,
    infer::result::{Argument, Base, Callable, Resolution},
    ty::ParamDirection,
};

use super::CheckedBody;

/// E30051 (warning): of two arguments that are one place, at least one comes out changed: what the other one takes or gives is
/// overwritten. `bwd_diff(f)(p, p, 1.0)` keeps the derivative of the second parameter alone.
pub(super) fn check(body: &mut CheckedBody<'_>) {
    let mut found = Vec::new();
    for (id, expr) in body.body.store.exprs.iter() {
        // Operators have their meaning on one variable (`a += a`).
        let (Expr::Call { .. }, Some(Resolution::Call(call))) = (expr, body.inferred.resolutions.get(&id)) else {
            continue;
        };
        if call.args.len() < 2 || !matches!(call.callee, Callable::Function(_) | Callable::Derivative { .. }) {
            continue;
        }
        let Ok(signature) = callable_signature(body.db, Env::of(body.db, body.item), &call.callee) else { continue };
        let mut params = signature.params;
        params.retain(|param| param.role != ParamRole::This || call.this.is_none());
        if params.len() != call.args.len() {
            continue;
        }
        let placed: Vec<(&CallableParam, ExprId, Vec<Step>)> = params
            .iter()
            .zip(&call.args)
            .filter_map(|(param, arg)| {
                let Argument::Expr(arg) = *arg else { return None };
                Some((param, arg, place(body, arg)?))
            })
            .collect();
        for (index, (param, arg, place)) in placed.iter().enumerate() {
            let same = |(other, _, at): &&(&CallableParam, ExprId, Vec<Step>)| {
                at == place && (comes_out(param) || comes_out(other))
            };
            if let Some((other, ..)) = placed[index + 1..].iter().find(same) {
                let (first, second) = if comes_out(param) { (*param, *other) } else { (*other, *param) };
                found.push((*arg, format!("{} and {} are given the same place", shown(first), shown(second))));
            }
        }
    }
    for (arg, what) in found {
        let message = format!("{what}: what the one gets, the other one overwrites");
        body.report(codes::SAME_PLACE_TWICE, Node::Expr(arg), message);
    }
}

fn comes_out(param: &CallableParam) -> bool {
    match param.direction {
        ParamDirection::Out | ParamDirection::InOut | ParamDirection::Ref => true,
        ParamDirection::In | ParamDirection::ConstRef => false,
    }
}

fn shown(param: &CallableParam) -> String {
    format!("the parameter '{}{}'", direction_prefix(param.direction), param.name)
}

/// One step on the way to a place, from the outside in.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Step {
    Local(hir_def::body::LocalId),
    Global(ItemId),
    This,
    Field(ItemId),
    Element(u64),
}

/// The place that an expression names for sure; elements with computed numbers may be any.
fn place(body: &CheckedBody<'_>, mut id: ExprId) -> Option<Vec<Step>> {
    let mut steps = Vec::new();
    loop {
        match body.inferred.resolutions.get(&id)? {
            Resolution::Local(local) => {
                steps.push(Step::Local(*local));
                return Some(steps);
            }
            Resolution::Global { item, .. } => {
                steps.push(Step::Global(*item));
                return Some(steps);
            }
            Resolution::This => {
                steps.push(Step::This);
                return Some(steps);
            }
            Resolution::Field { base, item } => {
                steps.push(Step::Field(*item));
                match base {
                    Base::Expr(base) => id = *base,
                    Base::ImplicitThis => {
                        steps.push(Step::This);
                        return Some(steps);
                    }
                }
            }
            Resolution::Element { base, index } => {
                let Expr::Literal(Literal::Int { value, .. }) = body.body.store.exprs[*index] else { return None };
                steps.push(Step::Element(value));
                id = *base;
            }
            _ => return None,
        }
    }
}
