//! What a body could do without: variables that nobody reads, code that is never reached, and names that are out of use.

use diagnostics::codes;
use hir_def::{
    attribute::AttributeKind,
    body::{CaseLabel, Condition, Expr, ExprId, Literal, LocalId, LocalKind, Stmt, StmtId},
    item::{self, ItemId},
    type_ref::TypeRef,
};
use hir_ty::{
    diagnostics::{Diagnostic, Node, Site},
    display::item_name,
    infer::result::Resolution,
    ty::Ty,
};
use rustc_hash::FxHashSet;

use super::{CheckedBody, Declaration};

pub(super) fn check(body: &mut CheckedBody<'_>) {
    unused_locals(body);
    unreachable(body);
    deprecated(body);
}

/// E41810 (hint): a local variable whose name is never mentioned again. Names that begin with `_` mean it.
fn unused_locals(body: &mut CheckedBody<'_>) {
    let store = &body.body.store;
    let mentioned: FxHashSet<LocalId> = body
        .inferred
        .resolutions
        .values()
        .filter_map(|resolution| match resolution {
            Resolution::Local(local) => Some(*local),
            _ => None,
        })
        .collect();
    // Constants may be sizes of arrays, and broken code may mention anything.
    let unclear = store.exprs.iter().any(|(_, expr)| matches!(expr, Expr::Missing | Expr::Unsupported(_)))
        || store.stmts.iter().any(|(_, stmt)| matches!(stmt, Stmt::Missing | Stmt::Unsupported(_)))
        || body.inferred.expr_types.iter().any(|(_, ty)| ty.is_error());
    if unclear {
        return;
    }
    // What is measured is read as a type, until its name is known: `sizeof(x)`.
    let in_types = store.type_refs.iter().filter_map(|(_, ty)| match ty {
        TypeRef::Path(path) => path.segments.first(),
        _ => None,
    });
    let in_values = store.exprs.iter().filter_map(|(_, expr)| match expr {
        Expr::Path(path) => path.segments.first(),
        _ => None,
    });
    let named_in_types: FxHashSet<&str> = in_values.chain(in_types).map(|segment| segment.name.as_str()).collect();
    for (_, stmt) in store.stmts.iter() {
        let Stmt::Let { local, .. } = stmt else { continue };
        let data = &store.locals[*local];
        let name = data.name.as_str();
        if matches!(data.kind, LocalKind::Variable | LocalKind::Let)
            && !name.is_empty()
            && !name.starts_with('_')
            && !mentioned.contains(local)
            && !named_in_types.contains(name)
        {
            let place = Site { item: body.item, node: Node::Local(*local) };
            let message = format!("variable '{name}' is never used");
            body.found.push(Diagnostic::new(codes::UNUSED_VARIABLE, place, message));
        }
    }
}

/// E41000 (warning): statements after one that always leaves.
fn unreachable(body: &mut CheckedBody<'_>) {
    let store = &body.body.store;
    let mut found = Vec::new();
    for (_, stmt) in store.stmts.iter() {
        match stmt {
            Stmt::Block(stmts) => found.extend(first_unreachable(body, stmts)),
            Stmt::Switch { cases, .. } => {
                found.extend(cases.iter().filter_map(|case| first_unreachable(body, &case.body)));
            }
            _ => {}
        }
    }
    if found.is_empty() || hir_def::body::queries::has_syntax_errors(body.db, body.item) {
        return;
    }
    found.sort_by_key(|stmt: &StmtId| stmt.into_raw().into_u32());
    for stmt in found {
        let place = Site { item: body.item, node: Node::Stmt(stmt) };
        let diagnostic = Diagnostic::new(codes::UNREACHABLE_CODE, place, "unreachable code detected");
        body.found.push(diagnostic);
    }
}

/// The first statement with an effect after one that leaves.
fn first_unreachable(body: &CheckedBody<'_>, stmts: &[StmtId]) -> Option<StmtId> {
    let leaving = stmts.iter().position(|stmt| leaves(body, *stmt, 0))?;
    stmts[leaving + 1..].iter().copied().find(|stmt| !matches!(body.body.store.stmts[*stmt], Stmt::Empty))
}

/// Whether control never comes out after a statement.
fn leaves(body: &CheckedBody<'_>, stmt: StmtId, depth: u32) -> bool {
    if depth > 256 {
        return false;
    }
    let inside = |stmt: StmtId| leaves(body, stmt, depth + 1);
    match &body.body.store.stmts[stmt] {
        // A fragment that is discarded goes on as a helper of its neighbours: `discard; return 0;` is how HLSL is written.
        Stmt::Return(_) | Stmt::Break(_) | Stmt::Continue => true,
        Stmt::Block(stmts) | Stmt::Sequence(stmts) => stmts.iter().any(|stmt| inside(*stmt)),
        Stmt::If { then, otherwise: Some(otherwise), .. } => inside(*then) && inside(*otherwise),
        Stmt::Switch { cases, .. } => {
            // Each case leaves the function or loop, not just the switch.
            cases.iter().any(|case| case.labels.contains(&CaseLabel::Default))
                && cases.iter().all(|case| case.body.iter().any(|stmt| returns(body, *stmt, depth + 1)))
        }
        Stmt::While { cond: Condition::Expr(cond), body: inner, .. } => {
            is_true(body, *cond) && !breaks(body, *inner, depth + 1)
        }
        Stmt::For { cond, body: inner, .. } => {
            cond.is_none_or(|cond| is_true(body, cond)) && !breaks(body, *inner, depth + 1)
        }
        _ => false,
    }
}

fn returns(body: &CheckedBody<'_>, stmt: StmtId, depth: u32) -> bool {
    match &body.body.store.stmts[stmt] {
        _ if depth > 256 => false,
        Stmt::Return(_) => true,
        Stmt::Block(stmts) | Stmt::Sequence(stmts) => {
            !breaks(body, stmt, depth) && stmts.iter().any(|stmt| returns(body, *stmt, depth + 1))
        }
        Stmt::If { then, otherwise: Some(otherwise), .. } => {
            returns(body, *then, depth + 1) && returns(body, *otherwise, depth + 1)
        }
        _ => false,
    }
}

fn is_true(body: &CheckedBody<'_>, expr: ExprId) -> bool {
    matches!(body.body.store.exprs[expr], Expr::Literal(Literal::Bool(true)))
}

/// Whether there is a `break` anywhere inside; one that belongs to a loop further inside counts as well.
fn breaks(body: &CheckedBody<'_>, stmt: StmtId, depth: u32) -> bool {
    if depth > 256 {
        return true;
    }
    match &body.body.store.stmts[stmt] {
        Stmt::Break(_) | Stmt::Missing | Stmt::Unsupported(_) => true,
        stmt => stmt.any_inner(|stmt| breaks(body, stmt, depth + 1)),
    }
}

/// E31200 (warning): uses of what `[deprecated("…")]` says not to use any more.
fn deprecated(body: &mut CheckedBody<'_>) {
    let db = body.db;
    let reason = |expr: ExprId| {
        let used = body.inferred.resolutions.get(&expr).and_then(super::used_item)?;
        Some((used, deprecation(db, used)?))
    };
    let mut found = Vec::new();
    for (expr, node) in body.body.store.exprs.iter() {
        let Some((used, reason)) = reason(expr) else { continue };
        let mut said = false;
        node.for_each_operand(|operand| {
            let of_operand = body.inferred.resolutions.get(&operand).and_then(super::used_item);
            said |= of_operand == Some(used);
        });
        if !said {
            let place = Site { item: body.item, node: Node::ExprName(expr) };
            let message = deprecation_message(db, used, reason);
            found.push(Diagnostic::new(codes::DEPRECATED_USE, place, message));
        }
    }
    for (id, ty) in body.inferred.type_refs.iter() {
        if let TypeRef::Path(_) = &body.body.store.type_refs[id]
            && let Ty::Adt(used, _) = *ty
            && let Some(reason) = deprecation(db, used)
        {
            let place = Site { item: body.item, node: Node::TypeRef(id) };
            found.push(Diagnostic::new(codes::DEPRECATED_USE, place, deprecation_message(db, used, reason)));
        }
    }
    body.found.extend(found);
}

/// E31200 (warning): types that `[deprecated("…")]` says not to use any more.
pub(super) fn deprecated_types(declaration: &mut Declaration<'_>) {
    let db = declaration.db;
    let around = declaration.container().map(|(container, _)| container);
    for (id, written) in declaration.data.store.type_refs.iter() {
        if let TypeRef::Path(_) = written
            && let Ty::Adt(used, _) = declaration.lower(id)
            && Some(used) != around
            && let Some(reason) = deprecation(db, used)
        {
            let message = deprecation_message(db, used, reason);
            declaration.report(codes::DEPRECATED_USE, Node::SignatureTypeRef(id), message);
        }
    }
}

fn deprecation_message(db: &dyn base_db::Db, used: ItemId, reason: &str) -> String {
    let name = item_name(db, used);
    if reason.is_empty() {
        format!("'{name}' has been deprecated")
    } else {
        format!("'{name}' has been deprecated: {reason}")
    }
}

/// The reason in `[deprecated("reason")]`.
fn deprecation(db: &dyn base_db::Db, item: ItemId) -> Option<&str> {
    let data = item::item_data(db, item);
    let attribute = data.attribute(AttributeKind::Deprecated)?;
    Some(attribute.string(&data.store, 0).unwrap_or_default())
}
