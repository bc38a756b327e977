//! 41022: a place (`IDifferentiablePtrType`) goes into a call of a function that is not differentiable, and a derivative of what
//! comes out is expected. What is read of the place there does not reach the place for derivatives that travels with it. Nor
//! does it if another place comes out.

use autodiff::activity::Activity;
use hir_def::{
    body::{Expr, ExprId, LocalKind},
    position::Location,
};
use hir_ty::{
    differential::{Differentiability, differentiability, rules::derivative_rules},
    env::Env,
    infer::{
        self,
        result::{Argument, Base, Callable, InferenceResult, Resolution},
    },
    signature::{self, FunctionRef},
};
use ir::Op;

use super::{Flow, lost_at_call};
use crate::Finding;

pub(super) fn check(flow: &Flow<'_>, activity: &Activity) -> Vec<Finding> {
    // A lambda has copies of what it captures.
    if flow.lowered.func != Some(flow.func) {
        return Vec::new();
    }
    let places = PlacesInCalls { flow, env: Env::of(flow.db, flow.item), inference: infer::infer(flow.db, flow.item) };
    let mut found: Vec<(Location, ExprId, ExprId, FunctionRef)> = Vec::new();
    for (call, resolution) in places.inference.resolutions.iter() {
        let (function, base, args) = match resolution {
            Resolution::Call(resolved) if !resolved.no_diff => match &resolved.callee {
                Callable::Function(function) => (*function, resolved.this, &resolved.args),
                Callable::Derivative { .. } | Callable::Make(_) | Callable::Value(_) | Callable::Synthesized { .. } => {
                    continue;
                }
            },
            Resolution::Property { base, get: Some(get), args, .. } => (*get, Some(*base), args),
            _ => continue,
        };
        let rules = derivative_rules(flow.db, function.item);
        if rules.is_differentiable() || rules.treat_as_differentiable {
            continue;
        }
        let receiver = match base {
            Some(Base::Expr(expr)) => Some(expr),
            Some(Base::ImplicitThis) | None => None,
        };
        let arguments = args.iter().filter_map(|argument| match argument {
            Argument::Expr(expr) => Some(*expr),
            Argument::Default { .. } => None,
        });
        let Some(place) = receiver.into_iter().chain(arguments).find(|expr| places.is_place(*expr)) else { continue };
        let location = flow.expr_location(call);
        let is_moved = || {
            let ty = places.inference.expr_types.get(call);
            ty.is_some_and(|ty| lower::moves_place(flow.db, places.env, function.item, *ty))
        };
        let is_lost = if places.has_place_type(call) { !is_moved() } else { is_expected(flow, activity, location) };
        if is_lost {
            found.push((location, call, place, function));
        }
    }
    found.sort_by_key(|(location, ..)| (location.range.start(), location.range.end()));
    let word = |(location, call, place, function): (Location, ExprId, ExprId, FunctionRef)| {
        let text =
            flow.text(flow.expr_location(place)).map_or_else(|| "a place".to_owned(), |text| format!("`{text}`"));
        let property = match &flow.body().store.exprs[call] {
            Expr::Member { name, .. } => Some(name.as_str()),
            _ => None,
        };
        lost_at_call::of_place(flow, location, &text, function.item, property)
    };
    found.into_iter().map(word).collect()
}

/// Whether a derivative is expected of anything that comes out of the call that is written at `location`.
fn is_expected(flow: &Flow<'_>, activity: &Activity, location: Location) -> bool {
    let calls = flow.func().ops.iter().filter(|(_, data)| matches!(data.op, Op::Call { no_diff: false, .. }));
    calls
        .filter(|(_, data)| data.results.iter().any(|result| activity.is_expected(*result)))
        .any(|(_, data)| flow.location(data.span) == Some(location))
}

struct PlacesInCalls<'a> {
    flow: &'a Flow<'a>,
    env: Env,
    inference: &'a InferenceResult,
}

impl PlacesInCalls<'_> {
    fn has_place_type(&self, expr: ExprId) -> bool {
        let ty = self.inference.expr_types.get(expr);
        ty.is_some_and(|ty| matches!(differentiability(self.flow.db, self.env, *ty), Differentiability::Pointer(_)))
    }

    /// Whether the expression is a place with one for its derivatives: the source does not mark it as without.
    fn is_place(&self, expr: ExprId) -> bool {
        self.has_place_type(expr) && !self.is_marked(expr)
    }

    fn is_marked(&self, expr: ExprId) -> bool {
        let mut part = expr;
        // Each step goes to an operand, of which an expression tree has finitely many.
        loop {
            let base = match self.inference.resolutions.get(&part) {
                Some(Resolution::Local(local)) => {
                    let LocalKind::Param { index } = self.flow.body().store.locals[*local].kind else { return false };
                    let signature = signature::signature(self.flow.db, self.flow.item);
                    return signature.params.get(index as usize).is_some_and(|param| param.no_diff);
                }
                // What is not handed in has no place for derivatives.
                Some(Resolution::Global { .. }) => return true,
                Some(Resolution::Call(call)) => return call.no_diff,
                Some(Resolution::Field { base: Base::Expr(base), .. } | Resolution::Element { base, .. }) => *base,
                Some(Resolution::Field { base: Base::ImplicitThis, .. }) => return self.this_is_marked(),
                _ => return matches!(self.flow.body().store.exprs[part], Expr::This) && self.this_is_marked(),
            };
            part = base;
        }
    }

    fn this_is_marked(&self) -> bool {
        signature::signature(self.flow.db, self.flow.item).this.is_some_and(|this| this.no_diff)
    }
}
