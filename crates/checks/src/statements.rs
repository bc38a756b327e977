//! Statements and expressions that have a type and yet make no sense.

use diagnostics::codes;
use hir_def::{
    attribute::{AttributeKind, Modifiers},
    body::{BinaryOp, BodyRoot, CaseLabel, Child, Condition, Expr, ExprId, Literal, LocalId, LocalKind, Stmt, StmtId},
    item::{ItemKind, item_data},
    name::Name,
    type_ref::TypeRef,
};
use hir_ty::{
    consts, conversion,
    diagnostics::Node,
    display::{display, item_name},
    env::Env,
    extension,
    infer::result::{Callable, Resolution},
    signature,
    ty::{BuiltinType, Ty},
};

use super::{CheckedBody, known_values, numbers};

pub(super) fn check(body: &mut CheckedBody<'_>) {
    if let BodyRoot::Block(block) = body.body.root {
        labels(body, block, &mut Vec::new());
    }
    let store = &body.body.store;
    for (id, stmt) in store.stmts.iter() {
        match stmt {
            Stmt::Expr(expr) => {
                discarded(body, *expr);
                dangling_comparison(body, *expr);
            }
            Stmt::If { cond, then, otherwise, .. } => {
                if let Condition::Expr(cond) = cond {
                    predicate(body, *cond);
                }
                [Some(*then), *otherwise].into_iter().flatten().for_each(|branch| empty_branch(body, branch));
            }
            Stmt::While { cond: Condition::Expr(cond), .. } | Stmt::DoWhile { cond, .. } => predicate(body, *cond),
            Stmt::For { cond, step, .. } => {
                cond.iter().for_each(|cond| predicate(body, *cond));
                step.iter().for_each(|step| discarded(body, *step));
            }
            Stmt::Switch { selector, cases, .. } => {
                let defaults = cases.iter().flat_map(|case| {
                    case.labels.iter().filter(|label| **label == CaseLabel::Default).map(move |_| case)
                });
                if let Some(case) = { defaults }.nth(1) {
                    // A label has no place of its own.
                    let label = case.labels.iter().find_map(|label| match label {
                        CaseLabel::Value(value) => Some(Node::Expr(*value)),
                        CaseLabel::Default => None,
                    });
                    let node = case.body.first().map(|first| Node::Stmt(*first)).or(label);
                    let node = node.unwrap_or(Node::Stmt(id));
                    body.report(codes::SEVERAL_DEFAULTS, node, "several 'default' cases in one 'switch'");
                }
                switch(body, *selector, cases.iter().flat_map(|case| &case.labels).copied().collect());
            }
            _ => {}
        }
    }
    commas(body);
    for (id, expr) in store.exprs.iter() {
        match expr {
            Expr::Is { operand, ty } => type_test(body, id, *operand, *ty, false),
            Expr::As { operand, ty } => type_test(body, id, *operand, *ty, true),
            Expr::Member { base, arrow: true, .. } => arrow(body, id, *base),
            Expr::Ternary { cond, .. } => choice_by_component(body, id, *cond),
            _ => {}
        }
    }
    for (_, ty) in store.type_refs.iter() {
        if let TypeRef::Array { len: Some(len), .. } = ty {
            division_by_zero(body, *len);
        }
    }
}

fn type_of(body: &CheckedBody<'_>, expr: ExprId) -> Ty {
    body.inferred.expr_types.get(expr).copied().unwrap_or(Ty::Error)
}

/// E30053: a `break` that names a label which is not around it.
fn labels(body: &mut CheckedBody<'_>, stmt: StmtId, around: &mut Vec<Name>) {
    // The parser allows less.
    if around.len() > 256 {
        return;
    }
    let store = &body.body.store;
    match &store.stmts[stmt] {
        Stmt::Break(Some(label)) if !around.contains(label) => {
            body.report(codes::UNKNOWN_LABEL, Node::Stmt(stmt), format!("label '{label}' is not found"));
        }
        Stmt::Labeled { label, body: inner } => {
            around.push(label.clone());
            labels(body, *inner, around);
            around.pop();
        }
        stmt => stmt.for_each_child(|child| match child {
            Child::Stmt(stmt) => labels(body, stmt, around),
            Child::Expr(_) => {}
        }),
    }
}

/// Whether the value of a local is fixed where it is declared.
pub(super) fn is_constant(body: &CheckedBody<'_>, local: LocalId) -> bool {
    let local = &body.body.store.locals[local];
    local.modifiers.contains(Modifiers::CONST) || local.kind == LocalKind::Let
}

/// E30057: `if (a = b)` is `if (a == b)` in a hurry; parentheses say that it is meant.
fn predicate(body: &mut CheckedBody<'_>, cond: ExprId) {
    if matches!(body.body.store.exprs[cond], Expr::Assign { op: None, .. })
        && !body.body.store.parenthesized_assignments.contains(&cond)
    {
        let message = "an assignment is not allowed as a condition; wrap it with '()' if it is meant";
        body.report(codes::ASSIGNMENT_AS_CONDITION, Node::ExprName(cond), message);
    }
}

/// E20101 (warning): a branch that ends where it begins is a slip of the finger more often than not.
fn empty_branch(body: &mut CheckedBody<'_>, branch: StmtId) {
    if matches!(body.body.store.stmts[branch], Stmt::Empty) {
        body.report(
            codes::EMPTY_BRANCH,
            Node::Stmt(branch),
            "an empty statement as a branch; '{}' says that it is meant",
        );
    }
}

/// E30059: the result of a `[NoDiscard]` function is what it is called for.
fn discarded(body: &mut CheckedBody<'_>, expr: ExprId) {
    if let Expr::Comma(parts) = &body.body.store.exprs[expr] {
        parts.iter().for_each(|part| discarded(body, *part));
        return;
    }
    let Some(Resolution::Call(call)) = body.inferred.resolutions.get(&expr) else { return };
    let Callable::Function(function) = call.callee else { return };
    let is_constructor = matches!(item_data(body.db, function.item).kind, ItemKind::Constructor { .. });
    if !is_constructor
        && signature::has_attribute(body.db, function.item, AttributeKind::NoDiscard)
        && signature::signature(body.db, function.item).ret != Ty::Void
    {
        let name = item_name(body.db, function.item);
        let message = format!("the result of calling '{name}' is discarded; the function is marked '[NoDiscard]'");
        body.report(codes::RESULT_DISCARDED, Node::ExprName(expr), message);
    }
}

/// E30058 (warning): `a == b;` is `a = b;` in a hurry.
fn dangling_comparison(body: &mut CheckedBody<'_>, expr: ExprId) {
    if matches!(body.body.store.exprs[expr], Expr::Binary { op: BinaryOp::Equal, .. }) {
        body.report(codes::UNUSED_COMPARISON, Node::ExprName(expr), "the result of '==' is not used; is '=' meant?");
    }
}

/// E30056 (warning), E30055: `?:` computes one of its operands, but here both are needed.
fn choice_by_component(body: &mut CheckedBody<'_>, id: ExprId, cond: ExprId) {
    if matches!(type_of(body, cond), Ty::Builtin(BuiltinType::Vector, _)) {
        const DIFFERENTIABLE: [AttributeKind; 4] = [
            AttributeKind::Differentiable,
            AttributeKind::ForwardDifferentiable,
            AttributeKind::BackwardDerivative,
            AttributeKind::TreatAsDifferentiable,
        ];
        let data = item_data(body.db, body.item);
        let code = match DIFFERENTIABLE.iter().any(|kind| data.has_attribute(*kind)) {
            true => codes::CHOICE_BY_COMPONENT_IN_DIFFERENTIABLE,
            false => codes::CHOICE_BY_COMPONENT,
        };
        body.report(code, Node::ExprName(id), "'?:' with a vector computes both sides; 'select' says so");
    }
}

/// E30605, E39999: the labels of a `switch`.
fn switch(body: &mut CheckedBody<'_>, selector: ExprId, labels: Vec<CaseLabel>) {
    let fractional = matches!(type_of(body, selector), Ty::Scalar(scalar) if scalar.is_float());
    let mut seen: Vec<i64> = Vec::new();
    for label in labels {
        let CaseLabel::Value(value) = label else { continue };
        // Of numbers with a fraction, slangc knows those that are written.
        if fractional && matches!(body.body.store.exprs[value], Expr::Literal(Literal::Float { .. })) {
            continue;
        }
        if fractional {
            let message = "expression does not evaluate to a compile-time constant";
            body.report(codes::CANNOT_RESOLVE, Node::Expr(value), message);
        } else if known_values::check(body, value)
            && let Some(number) = case_value(body, value)
        {
            if seen.contains(&number) {
                body.report(codes::DUPLICATE_CASE, Node::Expr(value), "this value has a case already");
            }
            seen.push(number);
        }
    }
}

/// What a label is, where it is a number, a case of an enum, or a constant.
fn case_value(body: &CheckedBody<'_>, label: ExprId) -> Option<i64> {
    match body.inferred.resolutions.get(&label) {
        Some(Resolution::EnumCase(case)) => consts::constant_value(body.db, *case)?.value(),
        Some(Resolution::Global { item, .. })
            if item_data(body.db, *item).modifiers.contains(Modifiers::STATIC | Modifiers::CONST) =>
        {
            consts::constant_value(body.db, *item)?.value()
        }
        _ => numbers::folded(&body.body.store, label),
    }
}

/// E30304: a value of a known type is of that type and no other. E30301, E30302: what a value holds is a type and no interface,
/// which is known of it before the program runs or not at all.
fn type_test(
    body: &mut CheckedBody<'_>,
    id: ExprId,
    operand: ExprId,
    ty: hir_def::type_ref::TypeRefId,
    converts: bool,
) {
    let db = body.db;
    let value = type_of(body, operand);
    let Some(tested) = body.inferred.type_refs.get(ty).copied() else { return };
    if extension::is_interface(db, tested) && !value.is_error() {
        let tested_name = display(db, tested);
        if converts {
            let message = format!("'as' converts to a type, and '{tested_name}' is an interface");
            body.report(codes::CONVERSION_TO_INTERFACE, Node::ExprName(id), message);
        } else if value != Ty::Void && conversion::convert(db, Env::of(db, body.item), value, tested).is_none() {
            let message = format!("'is' tests for a type, and '{tested_name}' is an interface");
            body.report(codes::INTERFACE_IN_TYPE_TEST, Node::ExprName(id), message);
        }
        return;
    }
    let is_concrete = |ty: Ty| match ty {
        Ty::Adt(item, args) => {
            use hir_def::item::{ItemKind, item_data};
            args.args(db).is_empty()
                && matches!(item_data(db, item).kind, ItemKind::Struct { .. } | ItemKind::Enum { .. })
        }
        Ty::Scalar(_) => true,
        _ => false,
    };
    if is_concrete(value)
        && is_concrete(tested)
        && value != tested
        && !extension::is_interface(db, tested)
        && !hir_ty::conversion::inherits_struct(db, value, tested, 0)
        && !hir_ty::conversion::inherits_struct(db, tested, value, 0)
    {
        let (value, tested) = (display(db, value), display(db, tested));
        let message = format!("a value of type '{value}' is never of the unrelated type '{tested}'");
        body.report(codes::UNRELATED_TYPE_TEST, Node::ExprName(id), message);
    }
}

/// E30101: `->` goes through a pointer.
fn arrow(body: &mut CheckedBody<'_>, id: ExprId, base: ExprId) {
    let ty = type_of(body, base);
    let plain = match ty {
        Ty::Scalar(_) | Ty::Builtin(BuiltinType::Vector | BuiltinType::Matrix | BuiltinType::Array, _) => true,
        Ty::Adt(item, _) => {
            matches!(hir_def::item::item_data(body.db, item).kind, hir_def::item::ItemKind::Struct { .. })
                && !hir_ty::known::is_in_prelude(body.db, item)
                && hir_ty::members::lookup(
                    body.db,
                    hir_ty::env::Env::of(body.db, body.item),
                    ty,
                    &hir_def::name::Name::new("operator->"),
                )
                .is_empty()
        }
        _ => false,
    };
    if plain {
        let message = format!("cannot dereference type '{}'; did you mean to use '.'?", display(body.db, ty));
        body.report(codes::ARROW_WITHOUT_POINTER, Node::ExprName(id), message);
    }
}

/// E41024 (warning): as a value, `a, b` is `b` alone.
fn commas(body: &mut CheckedBody<'_>) {
    let store = &body.body.store;
    let steps: Vec<ExprId> = store
        .stmts
        .iter()
        .filter_map(|(_, stmt)| match stmt {
            Stmt::For { step, .. } => *step,
            _ => None,
        })
        .collect();
    for (id, expr) in store.exprs.iter() {
        let is_tuple = || matches!(type_of(body, id), Ty::Builtin(BuiltinType::Tuple, _));
        let is_comma = match expr {
            Expr::Comma(_) => true,
            Expr::Tuple(elements) => elements.len() > 1 && !is_tuple(),
            _ => false,
        };
        if is_comma && !steps.contains(&id) {
            let message = "the comma operator is as much as its last operand; is something else meant?";
            body.report(codes::COMMA_OPERATOR, Node::Expr(id), message);
        }
    }
}

/// E30002: in a constant a division by zero has no value at all.
fn division_by_zero(body: &mut CheckedBody<'_>, len: ExprId) {
    if numbers::divides_by_zero(&body.body.store, len) {
        body.report(codes::DIVISION_BY_ZERO, Node::Expr(len), "division by zero");
    }
}
