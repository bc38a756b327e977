//! Expressions that become functions of the variables in them.

use syntax::{
    SyntaxKind, TextRange,
    ast::{self, AstNode},
};

use super::Fresh;
use crate::variants::{
    edit::{Edit, Piece, Rewrite},
    program::Program,
    sites,
};

pub(crate) fn outlined(program: &Program, fresh: &mut Fresh) -> Vec<Edit> {
    let mut edits = Vec::new();
    for expr in sites::values(&program.tree) {
        let range = sites::range(expr.syntax());
        let Some(ty) = program.type_of(range).filter(|ty| ty.is_global) else { continue };
        let is_small = matches!(expr, ast::Expr::LiteralExpr(_) | ast::Expr::PathExpr(_));
        if is_small || sites::has_step(&expr) || !sites::is_pure(expr.syntax()) {
            continue;
        }
        let Some(params) = params(program, &expr) else { continue };
        // A comment would end the line of the declaration.
        if sites::text(expr.syntax()).contains("//") {
            continue;
        }
        let name = fresh.name("outlined");
        let attribute = if ty.is_differentiable { program.attribute(range) } else { "" };
        let mut declarations: Vec<Piece> = vec![format!("{attribute}{} {name}(", ty.spelled).into()];
        let mut call: Vec<Piece> = vec![format!("{name}(").into()];
        for (number, (variable, ty)) in params.into_iter().enumerate() {
            let comma = if number > 0 { ", " } else { "" };
            declarations.extend([format!("{comma}{ty} ").into(), Piece::Name(variable)]);
            call.extend([comma.into(), Piece::Name(variable)]);
        }
        call.push(")".into());
        declarations.extend([") { return ".into(), range.into(), "; }".into()]);
        edits.push(Edit { declarations, ..Edit::new("outlined", vec![Rewrite::new(range, call)]) });
    }
    edits
}

/// Where the variables in an expression are named first, with their types; `None` if it uses anything else of its function.
fn params(program: &Program, expr: &ast::Expr) -> Option<Vec<(TextRange, String)>> {
    let mut known: Vec<String> = Vec::new();
    let mut params = Vec::new();
    for node in expr.syntax().descendants() {
        match node.kind() {
            SyntaxKind::THIS_EXPR | SyntaxKind::TYPE_EXPR | SyntaxKind::CAST_EXPR => return None,
            SyntaxKind::PATH_EXPR => {
                let range = sites::range(&node);
                if node.parent().is_some_and(|parent| parent.kind() == SyntaxKind::CALL_EXPR) {
                    continue;
                }
                let ty = program.type_of(range).filter(|ty| ty.is_global && program.is_local(range))?;
                let name = sites::text(&node);
                if !known.contains(&name) {
                    known.push(name);
                    params.push((range, ty.spelled.clone()));
                }
            }
            _ => {}
        }
    }
    Some(params)
}
