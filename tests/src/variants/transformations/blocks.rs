//! Statements put into blocks and into loops that run once.

use syntax::{
    SyntaxKind,
    ast::{self, AstNode},
};

use super::Fresh;
use crate::variants::{
    edit::{Edit, Rewrite},
    program::Program,
    sites::{self, Jumps, is_in_list},
};

/// The statements of lists that declare nothing: each can stand in a block of its own.
fn statements(program: &Program) -> impl Iterator<Item = ast::Stmt> {
    sites::nodes::<ast::Stmt>(&program.tree).filter(|stmt| {
        let kind = stmt.syntax().kind();
        is_in_list(stmt.syntax())
            && !matches!(kind, SyntaxKind::DECL_STMT | SyntaxKind::DEFER_STMT | SyntaxKind::LABEL_STMT)
    })
}

pub(crate) fn in_block(program: &Program, _: &mut Fresh) -> Vec<Edit> {
    let edit = |stmt: ast::Stmt| {
        let range = sites::range(stmt.syntax());
        Edit::new("block", vec![Rewrite::new(range, ["{ ".into(), range.into(), " }".into()])])
    };
    statements(program).map(edit).collect()
}

pub(crate) fn in_loop(program: &Program, fresh: &mut Fresh) -> Vec<Edit> {
    let mut edits = Vec::new();
    let counters = sites::counter_names(&program.tree);
    let counts = |stmt: &ast::Stmt| {
        let changed = sites::names(stmt.syntax()).next();
        matches!(stmt, ast::Stmt::ExprStmt(_)) && changed.is_some_and(|name| counters.contains(name.text()))
    };
    for stmt in statements(program).filter(|stmt| !counts(stmt)) {
        let jumps = Jumps::of(stmt.syntax());
        // What follows a loop that always returns would count as reachable.
        let always_returns = match &stmt {
            ast::Stmt::ReturnStmt(_)
            | ast::Stmt::BlockStmt(_)
            | ast::Stmt::SwitchStmt(_)
            | ast::Stmt::TargetSwitchStmt(_) => true,
            ast::Stmt::IfStmt(branch) => branch.else_branch().is_some(),
            _ => false,
        };
        let leaves = !jumps.breaks.is_empty() || !jumps.continues.is_empty() || jumps.others;
        if leaves || always_returns && !jumps.returns.is_empty() {
            continue;
        }
        let range = sites::range(stmt.syntax());
        for (before, after) in [
            ("for (int $N = 0; $N < 1; $N++) { ", " }"),
            ("{ int $N = 0; [MaxIters(1)] while ($N < 1) { $N = $N + 1; ", " } }"),
            ("{ int $N = 3; for (; $N > 2; $N--) { ", " } }"),
            ("[ForceUnroll] for (int $N = 0; $N < 1; ++$N) { ", " }"),
        ] {
            let before = before.replace("$N", &fresh.name("once"));
            let rewrite = Rewrite::new(range, [before.into(), range.into(), after.into()]);
            edits.push(Edit::new("one-iteration", vec![rewrite]));
        }
    }
    edits
}
