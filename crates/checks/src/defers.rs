//! What may not leave a `defer`: it runs when its block is left, and leads nowhere else.

use diagnostics::codes;
use hir_def::body::{BodyRoot, Stmt, StmtId};
use hir_ty::diagnostics::Node;

use super::CheckedBody;

pub(super) fn check(body: &mut CheckedBody<'_>) {
    let BodyRoot::Block(_) = body.body.root else { return };
    let defers: Vec<StmtId> = body
        .body
        .store
        .stmts
        .iter()
        .filter_map(|(_, stmt)| match stmt {
            Stmt::Defer(deferred) => Some(*deferred),
            _ => None,
        })
        .collect();
    for deferred in defers {
        leaving(body, deferred, Inside::default());
    }
}

/// What is around a statement and still inside of the `defer`.
#[derive(Debug, Clone, Copy, Default)]
struct Inside {
    a_loop: bool,
    a_switch: bool,
    depth: u32,
}

/// The parser allows less.
const MAX_DEPTH: u32 = 1_000;

/// E30108, E30109, E30110: `break`, `continue` and `return` that lead out.
fn leaving(body: &mut CheckedBody<'_>, stmt: StmtId, inside: Inside) {
    if inside.depth > MAX_DEPTH {
        return;
    }
    let inside = Inside { depth: inside.depth + 1, ..inside };
    let in_loop = Inside { a_loop: true, ..inside };
    let store = &body.body.store;
    match &store.stmts[stmt] {
        Stmt::Return(_) => {
            body.report(codes::RETURN_LEAVES_DEFER, Node::Stmt(stmt), "'return' does not leave a 'defer'")
        }
        Stmt::Break(None) if !inside.a_loop && !inside.a_switch => {
            body.report(codes::BREAK_LEAVES_DEFER, Node::Stmt(stmt), "'break' does not leave a 'defer'");
        }
        Stmt::Continue if !inside.a_loop => {
            body.report(codes::CONTINUE_LEAVES_DEFER, Node::Stmt(stmt), "'continue' does not leave a 'defer'");
        }
        Stmt::Block(stmts) | Stmt::Sequence(stmts) => stmts.iter().for_each(|stmt| leaving(body, *stmt, inside)),
        Stmt::If { then, otherwise, .. } => {
            leaving(body, *then, inside);
            otherwise.iter().for_each(|stmt| leaving(body, *stmt, inside));
        }
        Stmt::For { body: inner, .. } | Stmt::While { body: inner, .. } | Stmt::DoWhile { body: inner, .. } => {
            leaving(body, *inner, in_loop);
        }
        Stmt::CompileTimeFor { body: inner, .. } => leaving(body, *inner, in_loop),
        Stmt::Switch { cases, .. } => {
            let inside = Inside { a_switch: true, ..inside };
            cases.iter().flat_map(|case| &case.body).for_each(|stmt| leaving(body, *stmt, inside));
        }
        Stmt::Labeled { body: inner, .. } => leaving(body, *inner, inside),
        Stmt::DoCatch { body: inner, catches } => {
            leaving(body, *inner, inside);
            catches.iter().for_each(|catch| leaving(body, catch.body, inside));
        }
        Stmt::TargetSwitch { arms, .. } => {
            arms.iter().flat_map(|arm| &arm.body).for_each(|stmt| leaving(body, *stmt, inside));
        }
        // A `defer` inside is looked at by itself.
        Stmt::Defer(_)
        | Stmt::Break(_)
        | Stmt::Continue
        | Stmt::Missing
        | Stmt::Unsupported(_)
        | Stmt::Empty
        | Stmt::Expr(_)
        | Stmt::Let { .. }
        | Stmt::Discard
        | Stmt::Throw(_)
        | Stmt::IntrinsicAsm(_) => {}
    }
}
