//! What may not leave a `defer`: it runs when its block is left, and leads nowhere else.

use diagnostics::codes;
use hir_def::{
    body::{BodyRoot, Child, Stmt, StmtId},
    name::Name,
};
use hir_ty::diagnostics::Node;

use super::CheckedBody;

pub(super) fn check(body: &mut CheckedBody<'_>) {
    let BodyRoot::Block(_) = body.body.root else { return };
    for (_, stmt) in body.body.store.stmts.iter() {
        if let Stmt::Defer(deferred) = stmt {
            leaving(body, *deferred, Inside::default());
        }
    }
}

/// What is around a statement and still inside of the `defer`.
#[derive(Debug, Clone, Copy, Default)]
struct Inside<'a> {
    a_loop: bool,
    a_switch: bool,
    label: Option<&'a Labels<'a>>,
    depth: u32,
}

/// The innermost label, and those around it.
#[derive(Debug)]
struct Labels<'a> {
    name: &'a Name,
    around: Option<&'a Labels<'a>>,
}

impl Inside<'_> {
    fn has_label(&self, name: &Name) -> bool {
        std::iter::successors(self.label, |label| label.around).any(|label| label.name == name)
    }
}

/// The parser allows less.
const MAX_DEPTH: u32 = ::diagnostics::limits::CHECKED_BODIES;

/// E30108, E30109, E30110: `break`, `continue` and `return` that lead out.
fn leaving(body: &mut CheckedBody<'_>, id: StmtId, inside: Inside<'_>) {
    if inside.depth > MAX_DEPTH {
        return;
    }
    let inside = Inside { depth: inside.depth + 1, ..inside };
    let store = &body.body.store;
    let stmt = &store.stmts[id];
    let inside = match stmt {
        Stmt::Return(_) => {
            body.report(codes::RETURN_LEAVES_DEFER, Node::Stmt(id), "'return' does not leave a 'defer'");
            return;
        }
        Stmt::Break(None) if !inside.a_loop && !inside.a_switch => {
            body.report(codes::BREAK_LEAVES_DEFER, Node::Stmt(id), "'break' does not leave a 'defer'");
            return;
        }
        // A label that is nowhere is an error of its own.
        Stmt::Break(Some(label)) if !inside.has_label(label) && is_label(body, label) => {
            body.report(codes::BREAK_LEAVES_DEFER, Node::Stmt(id), "'break' does not leave a 'defer'");
            return;
        }
        Stmt::Continue if !inside.a_loop => {
            body.report(codes::CONTINUE_LEAVES_DEFER, Node::Stmt(id), "'continue' does not leave a 'defer'");
            return;
        }
        // A `defer` inside is looked at by itself.
        Stmt::Defer(_) => return,
        Stmt::For { .. } | Stmt::While { .. } | Stmt::DoWhile { .. } | Stmt::CompileTimeFor { .. } => {
            Inside { a_loop: true, ..inside }
        }
        Stmt::Switch { .. } | Stmt::TargetSwitch { .. } => Inside { a_switch: true, ..inside },
        _ => inside,
    };
    let labels = match stmt {
        Stmt::Labeled { label, .. } => Some(Labels { name: label, around: inside.label }),
        _ => None,
    };
    let inside = Inside { label: labels.as_ref().or(inside.label), ..inside };
    stmt.for_each_child(|child| match child {
        Child::Stmt(stmt) => leaving(body, stmt, inside),
        Child::Expr(_) => {}
    });
}

fn is_label(body: &CheckedBody<'_>, name: &Name) -> bool {
    let mut stmts = body.body.store.stmts.iter();
    stmts.any(|(_, stmt)| matches!(stmt, Stmt::Labeled { label, .. } if label == name))
}
