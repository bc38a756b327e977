//! Statements that do not depend on each other, in the other order.

use syntax::ast::{self, AstNode};

use super::Fresh;
use crate::variants::{
    edit::{Edit, Rewrite},
    program::Program,
    sites::{self, is_in_list},
};

/// What a statement writes, if that is all that it does.
fn written(program: &Program, stmt: &ast::Stmt) -> Option<String> {
    match stmt {
        ast::Stmt::ExprStmt(stmt) => {
            let (target, _, value) = sites::assignment(stmt)?;
            let is_local = program.is_local(sites::range(target.syntax()));
            (is_local && sites::is_pure(value.syntax())).then(|| sites::text(target.syntax()))
        }
        ast::Stmt::DeclStmt(stmt) => {
            let Some(ast::Item::VarDecl(decl)) = stmt.item() else { return None };
            let mut declarators = decl.declarators();
            let declarator = declarators.next().filter(|_| declarators.next().is_none())?;
            let is_pure = declarator.initializer().is_none_or(|value| sites::is_pure(value.syntax()));
            (is_pure && decl.modifier_list().is_none()).then(|| Some(sites::text(declarator.name()?.syntax())))?
        }
        _ => None,
    }
}

pub(crate) fn swapped(program: &Program, _: &mut Fresh) -> Vec<Edit> {
    let mut edits = Vec::new();
    for stmt in sites::nodes::<ast::Stmt>(&program.tree).filter(|stmt| is_in_list(stmt.syntax())) {
        let Some(next) = stmt.syntax().next_sibling().and_then(ast::Stmt::cast) else { continue };
        let (Some(a), Some(b)) = (written(program, &stmt), written(program, &next)) else { continue };
        if !sites::is_without(next.syntax(), &a) || !sites::is_without(stmt.syntax(), &b) {
            continue;
        }
        let (first, second) = (sites::range(stmt.syntax()), sites::range(next.syntax()));
        let between = syntax::TextRange::new(first.end(), second.start());
        let rewrite = Rewrite::new(first.cover(second), [second.into(), between.into(), first.into()]);
        edits.push(Edit::new("reordered", vec![rewrite]));
    }
    edits
}
