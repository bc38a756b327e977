//! One kind of branch as another.

use syntax::{
    SyntaxKind, TextRange,
    ast::{self, AstNode},
};

use super::Fresh;
use crate::variants::{
    edit::{Edit, Rewrite},
    program::{Kind, Program},
    sites::{self, Jumps, is_in_list},
};

struct Branch {
    range: TextRange,
    condition: TextRange,
    then: ast::Stmt,
    otherwise: Option<ast::Stmt>,
}

/// The `if` statements with a plain condition.
fn branches(program: &Program) -> impl Iterator<Item = Branch> {
    sites::nodes::<ast::IfStmt>(&program.tree).filter_map(|stmt| {
        let Some(ast::Condition::ExprCondition(condition)) = stmt.condition() else { return None };
        Some(Branch {
            range: sites::range(stmt.syntax()),
            condition: sites::range(condition.syntax()),
            then: stmt.then_branch()?,
            otherwise: match stmt.else_branch() {
                Some(otherwise) => Some(otherwise.stmt()?),
                None => None,
            },
        })
        .filter(|_| stmt.modifiers().is_none())
    })
}

/// `if (c) a else b` as `if (!(c)) b else a`.
pub(crate) fn negated(program: &Program, _: &mut Fresh) -> Vec<Edit> {
    let edit = |branch: Branch| {
        let then = sites::range(branch.then.syntax());
        let mut pieces = vec!["if (!(".into(), branch.condition.into(), ")) { ".into()];
        if let Some(otherwise) = branch.otherwise {
            pieces.push(sites::range(otherwise.syntax()).into());
        }
        pieces.extend([" } else { ".into(), then.into(), " }".into()]);
        Edit::new("negated-condition", vec![Rewrite::new(branch.range, pieces)])
    };
    branches(program).map(edit).collect()
}

/// `if (c) a else b` as `switch ((c) ? 1 : 0) { case 1: a break; default: b break; }`.
pub(crate) fn if_as_switch(program: &Program, _: &mut Fresh) -> Vec<Edit> {
    let edit = |branch: Branch| {
        let parts = [Some(&branch.then), branch.otherwise.as_ref()];
        let jumps: Vec<Jumps> = parts.into_iter().flatten().map(|part| Jumps::of(part.syntax())).collect();
        // `break` would mean the switch, and code after a `return` is never reached.
        if jumps.iter().any(|jumps| !jumps.breaks.is_empty() || !jumps.returns.is_empty() || jumps.others) {
            return None;
        }
        if jumps.iter().any(|jumps| !jumps.continues.is_empty()) {
            return None;
        }
        let then = sites::range(branch.then.syntax());
        let mut pieces = vec!["switch ((".into(), branch.condition.into(), ") ? 1 : 0) { case 1: { ".into()];
        pieces.extend([then.into(), " } break; default: { ".into()]);
        if let Some(otherwise) = &branch.otherwise {
            pieces.push(sites::range(otherwise.syntax()).into());
        }
        pieces.push(" } break; }".into());
        Some(Edit::new("if-as-switch", vec![Rewrite::new(branch.range, pieces)]))
    };
    branches(program).filter_map(edit).collect()
}

/// The one assignment that a branch consists of.
fn only_assignment(stmt: &ast::Stmt) -> Option<(ast::Expr, ast::Expr)> {
    let stmt = match stmt {
        ast::Stmt::BlockStmt(block) => {
            let mut stmts = block.stmts();
            stmts.next().filter(|_| stmts.next().is_none())?
        }
        stmt => stmt.clone(),
    };
    let ast::Stmt::ExprStmt(stmt) = stmt else { return None };
    match sites::assignment(&stmt)? {
        (target, SyntaxKind::EQ, value) => Some((target, value)),
        _ => None,
    }
}

/// `if (c) x = a; else x = b;` as `x = (c) ? (a) : (b);`.
pub(crate) fn if_as_ternary(program: &Program, _: &mut Fresh) -> Vec<Edit> {
    let edit = |branch: Branch| {
        let (target, a) = only_assignment(&branch.then)?;
        let b = match &branch.otherwise {
            Some(otherwise) => {
                let (same, b) = only_assignment(otherwise)?;
                (sites::text(same.syntax()) == sites::text(target.syntax())).then(|| sites::range(b.syntax()))?
            }
            None => sites::range(target.syntax()),
        };
        let (to, a) = (sites::range(target.syntax()), sites::range(a.syntax()));
        let types = [to, a, b].map(|range| program.type_of(range));
        let [Some(ty), Some(a_ty), Some(b_ty)] = types else { return None };
        // A value that is converted may get another type beside the other value.
        let are_equal = ty.spelled == a_ty.spelled && ty.spelled == b_ty.spelled;
        if !are_equal || ty.kind == Kind::Other || !sites::is_pure(target.syntax()) {
            return None;
        }
        let pieces = [
            to.into(),
            " = (".into(),
            branch.condition.into(),
            ") ? (".into(),
            a.into(),
            ") : (".into(),
            b.into(),
            ");".into(),
        ];
        Some(Edit::new("if-as-ternary", vec![Rewrite::new(branch.range, pieces)]))
    };
    branches(program).filter_map(edit).collect()
}

/// `T x = c ? a : b;` as `T x; if (c) x = a; else x = b;`.
pub(crate) fn ternary_as_if(program: &Program, _: &mut Fresh) -> Vec<Edit> {
    let edit = |stmt: ast::DeclStmt| {
        let Some(ast::Item::VarDecl(decl)) = stmt.item() else { return None };
        let (mut declarators, ty) = (decl.declarators(), decl.ty()?);
        let declarator = declarators.next().filter(|_| declarators.next().is_none())?;
        let Some(ast::Expr::TernaryExpr(ternary)) = declarator.initializer() else { return None };
        let name = declarator.name()?;
        let is_plain = is_in_list(stmt.syntax()) && sites::is_run(decl.syntax()) && decl.modifier_list().is_none();
        let is_scalar = declarator.array_suffixes().next().is_none() && declarator.ty().is_none();
        let condition = sites::range(ternary.condition()?.syntax());
        // Conditions of several components select by component.
        if !is_plain || !is_scalar || program.type_of(condition)?.kind != Kind::Bool {
            return None;
        }
        let name = sites::range(name.syntax());
        let pieces = [
            sites::range(ty.syntax()).into(),
            " ".into(),
            name.into(),
            "; if (".into(),
            condition.into(),
            ") ".into(),
            name.into(),
            " = ".into(),
            sites::range(ternary.then_branch()?.syntax()).into(),
            "; else ".into(),
            name.into(),
            " = ".into(),
            sites::range(ternary.else_branch()?.syntax()).into(),
            ";".into(),
        ];
        Some(Edit::new("ternary-as-if", vec![Rewrite::new(sites::range(decl.syntax()), pieces)]))
    };
    sites::nodes::<ast::DeclStmt>(&program.tree).filter_map(edit).collect()
}
