//! One kind of loop as another.

use syntax::ast::{self, AstNode};

use super::Fresh;
use crate::variants::{
    edit::{Edit, Piece, Rewrite},
    program::Program,
    sites::{self, Jumps},
};

/// `for (init; c; step) body` as `{ init; while (c) { body step; } }`, where `continue` takes the step, too.
pub(crate) fn for_as_while(program: &Program, _: &mut Fresh) -> Vec<Edit> {
    sites::nodes::<ast::ForStmt>(&program.tree).filter_map(|stmt| for_as_while_at(&stmt)).collect()
}

fn for_as_while_at(stmt: &ast::ForStmt) -> Option<Edit> {
    let modifiers = stmt.modifiers();
    let is_unrolled = |modifiers: &ast::ModifierList| {
        modifiers.attribute_lists().any(|list| sites::text(list.syntax()).to_lowercase().contains("unroll"))
    };
    if modifiers.as_ref().is_some_and(is_unrolled) {
        return None;
    }
    let (init, body) = (stmt.for_init()?, stmt.body()?);
    let jumps = Jumps::of(body.syntax());
    if jumps.others {
        return None;
    }
    let mut pieces = vec!["{ ".into(), sites::range(init.syntax()).into(), " ".into()];
    if let Some(modifiers) = modifiers {
        pieces.extend([sites::range(modifiers.syntax()).into(), " ".into()]);
    }
    let condition = stmt.expr_condition().map(|condition| sites::range(condition.syntax()));
    pieces.push("while (".into());
    pieces.push(condition.map_or("true".into(), Piece::Kept));
    pieces.extend([") { ".into(), sites::range(body.syntax()).into(), " ".into()]);
    // A comma is usual in a step, and a finding of its own in a statement.
    if stmt.for_step().is_some_and(|step| sites::text(step.syntax()).contains(',')) {
        return None;
    }
    let step = stmt.for_step().map(|step| sites::range(step.syntax()));
    if let Some(step) = step {
        pieces.extend([step.into(), "; ".into()]);
    }
    pieces.push("} }".into());
    let mut rewrites = vec![Rewrite::new(sites::range(stmt.syntax()), pieces)];
    if let Some(step) = step {
        for jump in jumps.continues {
            let range = sites::range(&jump);
            rewrites.push(Rewrite::new(range, ["{ ".into(), step.into(), "; ".into(), range.into(), " }".into()]));
        }
    }
    Some(Edit::new("for-as-while", rewrites))
}

/// `while (c) body` as `for (; c; ) body`.
pub(crate) fn while_as_for(program: &Program, _: &mut Fresh) -> Vec<Edit> {
    let edit = |stmt: ast::WhileStmt| {
        let (condition, body) = (stmt.condition()?, stmt.body()?);
        let ast::Condition::ExprCondition(condition) = condition else { return None };
        let mut pieces = Vec::new();
        if let Some(modifiers) = stmt.modifiers() {
            pieces.extend([sites::range(modifiers.syntax()).into(), " ".into()]);
        }
        pieces.extend(["for (; ".into(), sites::range(condition.syntax()).into(), "; ) ".into()]);
        pieces.push(sites::range(body.syntax()).into());
        Some(Edit::new("while-as-for", vec![Rewrite::new(sites::range(stmt.syntax()), pieces)]))
    };
    sites::nodes::<ast::WhileStmt>(&program.tree).filter_map(edit).collect()
}
