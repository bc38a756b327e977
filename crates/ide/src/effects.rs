//! What parts of a body read and write, in the order in which they are computed: who moves code asks here whether its
//! value would be another one elsewhere.

use base_db::Db;
use hir_def::{
    attribute::Modifiers,
    body::{Body, BodyRoot, Expr, ExprId, LocalId, PrefixOp},
    item::{self, ItemId, ItemKind},
};
use hir_ty::{
    differential::{rules::derivative_rules, signature::callable_signature},
    env::Env,
    infer::{
        self,
        result::{Argument, Base, CallResolution, Callable, Conversion, InferenceResult, Resolution},
    },
    signature::signature,
    ty::{BuiltinClass, ParamDirection, Ty},
};
use rustc_hash::FxHashSet;

use crate::semantics::{body_of, in_prelude};

/// The places of a body that something is put into: what is assigned, given out by a call, or changed by a method.
pub(crate) fn written(db: &dyn Db, function: ItemId) -> Vec<ExprId> {
    let (body, inferred) = body_of(db, function);
    let mut places: Vec<ExprId> =
        body.store
            .exprs
            .iter()
            .filter_map(|(_, expr)| match expr {
                Expr::Assign { target, .. } => Some(*target),
                Expr::Prefix { op: PrefixOp::Increment | PrefixOp::Decrement, operand }
                | Expr::Postfix { operand, .. } => Some(*operand),
                _ => None,
            })
            .collect();
    for resolution in inferred.resolutions.values() {
        match resolution {
            Resolution::Call(call) => places.extend(given_out(db, function, call)),
            Resolution::Property { base: Base::Expr(base), get: Some(get), .. } if changes_receiver(db, get.item) => {
                places.push(*base);
            }
            _ => {}
        }
    }
    places
}

/// What a call puts something into.
fn given_out(db: &dyn Db, function: ItemId, call: &CallResolution) -> Vec<ExprId> {
    let is_out = |direction: ParamDirection| {
        matches!(direction, ParamDirection::Out | ParamDirection::InOut | ParamDirection::Ref)
    };
    let (outputs, changes_receiver): (Vec<bool>, bool) = match &call.callee {
        Callable::Function(callee) => {
            let signature = signature(db, callee.item);
            let outputs = signature.params.iter().map(|param| is_out(param.direction)).collect();
            (outputs, changes_receiver(db, callee.item))
        }
        // A derivative takes what it is called of as its first parameter.
        callee @ Callable::Derivative { .. } => match callable_signature(db, Env::of(db, function), callee) {
            Ok(signature) if signature.params.len() == call.args.len() => {
                (signature.params.iter().map(|param| is_out(param.direction)).collect(), true)
            }
            _ => (vec![true; call.args.len()], true),
        },
        Callable::Value(value) => {
            let params = match infer::infer(db, function).expr_types.get(*value) {
                Some(Ty::Function(function)) => function.params(db),
                Some(Ty::Closure(closure)) => closure.params(db),
                _ => &[],
            };
            (params.iter().map(|(direction, _)| is_out(*direction)).collect(), false)
        }
        Callable::Make(_) | Callable::Synthesized { .. } => return Vec::new(),
    };
    let arguments = call.args.iter().zip(outputs).filter_map(|(argument, is_out)| match argument {
        Argument::Expr(argument) if is_out => Some(*argument),
        Argument::Expr(_) | Argument::Default { .. } => None,
    });
    let receiver = match call.this {
        Some(Base::Expr(base)) if changes_receiver => Some(base),
        _ => None,
    };
    arguments.chain(receiver).collect()
}

fn changes_receiver(db: &dyn Db, callee: ItemId) -> bool {
    signature(db, callee).receiver(db).is_some_and(|this| this.mutating)
}

/// An expression and all that it is a part of, outwards, as far as who writes the one writes the other.
pub(crate) fn parts_around(body: &Body, place: ExprId) -> impl Iterator<Item = ExprId> + '_ {
    std::iter::successors(Some(place), |place| match &body.store.exprs[*place] {
        Expr::Member { base, .. } | Expr::Index { base, .. } => Some(*base),
        _ => None,
    })
}

/// The local that a place is a part of.
pub(crate) fn local_of(body: &Body, inferred: &InferenceResult, place: ExprId) -> Option<LocalId> {
    match inferred.resolutions.get(&parts_around(body, place).last()?) {
        Some(Resolution::Local(local)) => Some(*local),
        _ => None,
    }
}

/// What is read and written.
#[derive(Debug, Default)]
pub(crate) struct Effects {
    reads: FxHashSet<LocalId>,
    writes: FxHashSet<LocalId>,
    outside: Outside,
}

/// What happens to that which other functions see as well: globals, buffers, what pointers point to, `this`.
#[derive(Debug, Default, Clone, Copy)]
struct Outside {
    reads: bool,
    writes: bool,
}

const ALL: Outside = Outside { reads: true, writes: true };

impl Outside {
    fn add(&mut self, other: Outside) {
        self.reads |= other.reads;
        self.writes |= other.writes;
    }
}

impl Effects {
    /// The effects of some expressions of a function's body with all that is in them.
    pub(crate) fn of(db: &dyn Db, function: ItemId, exprs: &[ExprId]) -> Effects {
        let (body, inferred) = body_of(db, function);
        let mut inside: Vec<ExprId> = exprs.to_vec();
        let mut next = 0;
        while let Some(expr) = inside.get(next).copied() {
            next += 1;
            body.store.exprs[expr].for_each_operand(|operand| inside.push(operand));
        }
        let mut effects = Effects::default();
        let mut callees = Vec::new();
        for &expr in &inside {
            if let Some(Resolution::Local(local)) = inferred.resolutions.get(&expr) {
                effects.reads.insert(*local);
            }
            effects.outside.add(outside_of_expr(db, body, inferred, expr, &mut callees));
        }
        effects.outside.add(outside_of_functions(db, callees));
        let is_inside = |place: &ExprId| inside.contains(place);
        for place in written(db, function).into_iter().filter(is_inside) {
            effects.writes.extend(local_of(body, inferred, place));
            effects.outside.writes |= is_outside(body, inferred, place);
        }
        effects
    }

    /// Whether nothing is written: who does not need the value does not miss the rest.
    pub(crate) fn are_none(&self) -> bool {
        self.writes.is_empty() && !self.outside.writes
    }

    /// Whether the order of what has these effects and what has others makes no difference.
    pub(crate) fn commutes_with(&self, other: &Effects) -> bool {
        let keeps = |one: &Effects, other: &Effects| {
            let outside = one.outside.writes && (other.outside.reads || other.outside.writes);
            let touched = |local: &LocalId| other.reads.contains(local) || other.writes.contains(local);
            !outside && !one.writes.iter().any(touched)
        };
        keeps(self, other) && keeps(other, self)
    }
}

/// Whether a place is no part of a local.
fn is_outside(body: &Body, inferred: &InferenceResult, place: ExprId) -> bool {
    local_of(body, inferred, place).is_none() || parts_around(body, place).any(|part| is_memory(body, inferred, part))
}

/// Whether an expression reaches what a pointer, a buffer or a block holds.
pub(crate) fn is_memory(body: &Body, inferred: &InferenceResult, expr: ExprId) -> bool {
    let base = match &body.store.exprs[expr] {
        Expr::Prefix { op: PrefixOp::Deref, .. } => return true,
        Expr::Member { base, .. } | Expr::Index { base, .. } => *base,
        _ => return false,
    };
    let steps = inferred.adjustments.get(&base).into_iter().flatten();
    let mut conversions = steps.map(|step| step.conversion);
    let holds_value = match inferred.expr_types.get(base) {
        Some(Ty::Builtin(kind, _)) => matches!(kind.class(), BuiltinClass::Numeric | BuiltinClass::Composite),
        _ => true,
    };
    !holds_value || conversions.any(|conversion| conversion == Conversion::Dereference)
}

/// What an expression by itself, without its operands and the functions that it calls, does outside of the body.
fn outside_of_expr(
    db: &dyn Db,
    body: &Body,
    inferred: &InferenceResult,
    expr: ExprId,
    callees: &mut Vec<ItemId>,
) -> Outside {
    let mut outside = Outside { reads: is_memory(body, inferred, expr), writes: false };
    match &body.store.exprs[expr] {
        Expr::Lambda { .. } | Expr::SpirvAsm { .. } | Expr::New { .. } | Expr::Unsupported(_) | Expr::Missing => {
            return ALL;
        }
        _ => {}
    }
    match inferred.resolutions.get(&expr) {
        Some(Resolution::Global { item, .. }) => {
            outside.reads |= !item::item_data(db, *item).modifiers.contains(Modifiers::CONST);
        }
        Some(Resolution::This | Resolution::Field { base: Base::ImplicitThis, .. }) => outside.reads = true,
        Some(Resolution::Property { base, get, set, .. }) => {
            outside.reads |= matches!(base, Base::ImplicitThis);
            callees.extend(get.iter().chain(set).map(|accessor| accessor.item));
        }
        Some(Resolution::Call(call)) => {
            let of_this = matches!(call.this, Some(Base::ImplicitThis));
            outside.reads |= of_this;
            match &call.callee {
                Callable::Function(function) => {
                    outside.writes |= of_this && changes_receiver(db, function.item);
                    callees.push(function.item);
                }
                Callable::Make(_) | Callable::Synthesized { .. } => {}
                Callable::Derivative { .. } | Callable::Value(_) => outside = ALL,
            }
        }
        _ => {}
    }
    for step in inferred.adjustments.get(&expr).into_iter().flatten() {
        if let Conversion::Constructor(function) = step.conversion {
            callees.push(function.item);
        }
    }
    outside
}

/// What calls of some functions may do to what others see. What they do to their parameters, their signatures say.
fn outside_of_functions(db: &dyn Db, callees: Vec<ItemId>) -> Outside {
    let mut outside = Outside::default();
    let mut seen = FxHashSet::default();
    let mut pending = callees;
    while let Some(function) = pending.pop() {
        if !seen.insert(function) {
            continue;
        }
        if in_prelude(db, function) {
            outside.add(outside_of_library(db, function));
            continue;
        }
        let (body, inferred) = body_of(db, function);
        if body.root == BodyRoot::None {
            return ALL;
        }
        for (expr, _) in body.store.exprs.iter() {
            outside.add(outside_of_expr(db, body, inferred, expr, &mut pending));
        }
        outside.writes |= written(db, function).into_iter().any(|place| is_outside(body, inferred, place));
    }
    outside
}

/// A function of the core library that makes numbers of numbers is one in the sense of mathematics.
fn outside_of_library(db: &dyn Db, function: ItemId) -> Outside {
    let is_number = |ty: Ty| match ty {
        Ty::Scalar(_) | Ty::Param(_) => true,
        Ty::Builtin(kind, _) => matches!(kind.class(), BuiltinClass::Numeric | BuiltinClass::Composite),
        _ => false,
    };
    let signature = signature(db, function);
    let is_computed = !signature.params.is_empty()
        && is_number(signature.ret)
        && signature.params.iter().all(|param| is_number(param.ty) && param.direction == ParamDirection::In)
        && signature.this.is_none();
    let is_constructor = matches!(item::item_data(db, function).kind, ItemKind::Constructor { .. });
    if is_computed || is_constructor || derivative_rules(db, function).is_differentiable() {
        Outside::default()
    } else {
        ALL
    }
}
