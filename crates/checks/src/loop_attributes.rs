//! The numbers in `[MaxIters(n)]` and `[ForceUnroll(n)]`: the compiler must know them.

use diagnostics::codes;
use hir_def::{
    attribute::{AttributeKind, Modifiers},
    body::{Expr, ExprId, Literal, Local, LocalKind},
};
use hir_ty::{
    consts,
    diagnostics::{Node, Site, conversions, names},
    lower_ty::TypeLowering,
    ty::Const,
};

use super::{CheckedBody, attributes};

pub(super) fn check(body: &mut CheckedBody<'_>) {
    for (_, attribute) in body.body.store.attributes.iter() {
        let unknown = attributes::unknown_names(body.db, body.item, &body.body.store, attribute);
        let has_unknown = !unknown.is_empty();
        body.found.extend(unknown.into_iter().map(|(expr, name)| {
            names::undefined_identifier(Site { item: body.item, node: Node::Expr(expr) }, &name, None)
        }));
        if let Some(AttributeKind::MaxIters | AttributeKind::ForceUnroll) = attribute.kind
            && !has_unknown
            && let Some(&number) = attribute.args.first()
        {
            check_number(body, number);
        }
    }
}

/// E30019, E39999, E30081 (warning): what no compiler can know before the loop runs.
fn check_number(body: &mut CheckedBody<'_>, number: ExprId) {
    let expr = &body.body.store.exprs[number];
    if let Expr::Literal(Literal::String(_)) = expr {
        body.report(codes::TYPE_MISMATCH, Node::Expr(number), "expected an expression of type 'int', got 'String'");
        return;
    }
    if consts::cuts_off(&body.body.store, number) {
        let place = Site { item: body.item, node: Node::Expr(number) };
        body.found.push(conversions::lossy_conversion(place, "int", "float"));
    }
    let mut lowering = TypeLowering::new(body.db, body.item, &body.body.store);
    let is_known = match consts::integer(&mut lowering, number) {
        Some(Const::Error) | None => names_constant(body, expr),
        Some(_) => true,
    };
    if !is_known {
        body.report(
            codes::CANNOT_RESOLVE,
            Node::Expr(number),
            "expression does not evaluate to a compile-time constant",
        );
    }
}

/// Whether an expression is the name of a constant of the body.
fn names_constant(body: &CheckedBody<'_>, expr: &Expr) -> bool {
    let Expr::Path(path) = expr else { return false };
    let [segment] = path.segments.as_slice() else { return false };
    let is_constant = |local: &Local| local.modifiers.contains(Modifiers::CONST) || local.kind == LocalKind::Let;
    body.body.store.locals.iter().any(|(_, local)| local.name == segment.name && is_constant(local))
}
