//! Early returns in other words.

use syntax::{
    SyntaxKind, TextRange,
    ast::{self, AstNode},
};

use super::Fresh;
use crate::variants::{
    edit::{Edit, Rewrite},
    program::{Kind, Program},
    sites::{self, Jumps},
};

/// `if (c) return a; rest… return b;` at the end of a function.
struct EarlyReturn {
    /// From the `if` to the last `return`.
    range: TextRange,
    condition: TextRange,
    early: ast::Expr,
    /// Between both, if anything is.
    rest: Option<TextRange>,
    last: ast::Expr,
    returned: String,
    kind: Kind,
}

fn early_returns(program: &Program) -> impl Iterator<Item = EarlyReturn> {
    sites::nodes::<ast::FuncDecl>(&program.tree).flat_map(|function| of_function(program, &function))
}

fn of_function(program: &Program, function: &ast::FuncDecl) -> Vec<EarlyReturn> {
    let (Some(body), Some(returned)) = (function.body(), function.ty()) else { return Vec::new() };
    let stmts: Vec<ast::Stmt> = body.stmts().collect();
    let Some((ast::Stmt::ReturnStmt(last), before)) = stmts.split_last() else { return Vec::new() };
    let Some(last_value) = last.expr() else { return Vec::new() };
    let found = before.iter().enumerate().filter_map(|(index, stmt)| {
        let ast::Stmt::IfStmt(branch) = stmt else { return None };
        let Some(ast::Condition::ExprCondition(condition)) = branch.condition() else { return None };
        if branch.else_branch().is_some() || branch.modifiers().is_some() {
            return None;
        }
        let early = only_return(&branch.then_branch()?)?;
        let rest = &before[index + 1..];
        let in_rest = rest.iter().map(|stmt| Jumps::of(stmt.syntax()));
        if in_rest.into_iter().any(|jumps| jumps.others) {
            return None;
        }
        let values = [early.syntax(), last_value.syntax()].map(sites::range);
        let kinds = values.map(|range| program.type_of(range).map(|ty| ty.kind));
        Some(EarlyReturn {
            range: sites::range(branch.syntax()).cover(sites::range(last.syntax())),
            condition: sites::range(condition.syntax()),
            early,
            rest: match rest {
                [] => None,
                [first, ..] => {
                    let end = rest.last().unwrap_or(first);
                    Some(sites::range(first.syntax()).cover(sites::range(end.syntax())))
                }
            },
            last: last_value.clone(),
            returned: sites::text(returned.syntax()),
            kind: kinds[0].filter(|kind| kinds[1] == Some(*kind)).unwrap_or(Kind::Other),
        })
    });
    found.collect()
}

/// The value that a branch returns at once.
fn only_return(stmt: &ast::Stmt) -> Option<ast::Expr> {
    match stmt {
        ast::Stmt::ReturnStmt(stmt) => stmt.expr(),
        ast::Stmt::BlockStmt(block) => {
            let mut stmts = block.stmts();
            let only = stmts.next().filter(|_| stmts.next().is_none())?;
            (only.syntax().kind() == SyntaxKind::RETURN_STMT).then(|| only_return(&only)).flatten()
        }
        _ => None,
    }
}

/// A flag says that the result is known.
pub(crate) fn as_flag(program: &Program, fresh: &mut Fresh) -> Vec<Edit> {
    let mut edits = Vec::new();
    for found in early_returns(program).filter(|found| matches!(found.kind, Kind::Float | Kind::Floats)) {
        let (value, flag) = (fresh.name("value"), fresh.name("returned"));
        let ty = &found.returned;
        let mut pieces = vec![format!("{ty} {value} = {ty}(0.0); bool {flag} = false; if (").into()];
        pieces.extend([found.condition.into(), format!(") {{ {value} = ").into()]);
        pieces.push(sites::range(found.early.syntax()).into());
        pieces.push(format!("; {flag} = true; }} if (!{flag}) {{ ").into());
        pieces.extend(found.rest.map(Into::into));
        pieces.extend([format!(" {value} = ").into(), sites::range(found.last.syntax()).into()]);
        pieces.push(format!("; }} return {value};").into());
        edits.push(Edit::new("return-as-flag", vec![Rewrite::new(found.range, pieces)]));
    }
    edits
}

/// What follows stands in `else`.
pub(crate) fn as_else(program: &Program, _: &mut Fresh) -> Vec<Edit> {
    let edit = |found: EarlyReturn| {
        let mut pieces = vec!["if (".into(), found.condition.into(), ") { return ".into()];
        pieces.extend([sites::range(found.early.syntax()).into(), "; } else { ".into()]);
        pieces.extend(found.rest.map(Into::into));
        pieces.extend([" return ".into(), sites::range(found.last.syntax()).into(), "; }".into()]);
        Edit::new("return-as-else", vec![Rewrite::new(found.range, pieces)])
    };
    early_returns(program).map(edit).collect()
}
