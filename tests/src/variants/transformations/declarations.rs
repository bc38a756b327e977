//! Declarations apart from their values, and assignments in other words.

use syntax::{
    SyntaxKind, TextRange,
    ast::{self, AstNode},
};

use super::Fresh;
use crate::variants::{
    edit::{Edit, Piece, Rewrite},
    program::{Kind, Program},
    sites::{self, is_in_list},
};

/// A declaration of variables in a function, each with the type to declare it with.
struct Declaration {
    decl: ast::VarDecl,
    variables: Vec<Variable>,
}

struct Variable {
    /// What declares it, without a value.
    declared: Vec<Piece>,
    name: TextRange,
    value: Option<ast::Expr>,
}

/// The declarations in lists of statements whose variables could be assigned.
fn declarations(program: &Program) -> Vec<Declaration> {
    let of_stmt = |stmt: ast::DeclStmt| {
        let Some(ast::Item::VarDecl(decl)) = stmt.item() else { return None };
        if !is_in_list(stmt.syntax()) || !sites::is_run(decl.syntax()) || decl.generic_prefix().is_some() {
            return None;
        }
        let modifiers = match decl.modifier_list() {
            Some(modifiers) if modifiers.attribute_lists().next().is_some() => return None,
            Some(modifiers) => vec![sites::range(modifiers.syntax()).into(), " ".into()],
            None => Vec::new(),
        };
        let variables: Option<Vec<_>> =
            decl.declarators().map(|declarator| variable(program, &decl, &modifiers, &declarator)).collect();
        Some(Declaration { decl, variables: variables? })
    };
    sites::nodes::<ast::DeclStmt>(&program.tree).filter_map(of_stmt).collect()
}

fn variable(
    program: &Program,
    decl: &ast::VarDecl,
    modifiers: &[Piece],
    declarator: &ast::Declarator,
) -> Option<Variable> {
    let name = declarator.name()?;
    let value = declarator.initializer();
    if matches!(value, Some(ast::Expr::InitListExpr(_) | ast::Expr::LambdaExpr(_))) {
        return None;
    }
    let mut declared = modifiers.to_vec();
    match decl.ty() {
        Some(ty) if declarator.ty().is_none() => {
            let suffixes: String = declarator.array_suffixes().map(|suffix| sites::text(suffix.syntax())).collect();
            if suffixes.contains("[]") || sites::own_tokens(declarator.syntax()).any(|token| token.text() == "*") {
                return None;
            }
            declared.extend([sites::range(ty.syntax()).into(), " ".into()]);
            declared.extend([sites::range(name.syntax()).into(), suffixes.into()]);
        }
        _ => {
            let spelled = match declarator.ty() {
                Some(ty) => sites::text(ty.syntax()),
                None => {
                    let ty = program.type_of(sites::range(name.syntax()))?;
                    ty.can_be_written.then(|| ty.spelled.clone())?
                }
            };
            declared.extend([format!("{spelled} ").into(), sites::range(name.syntax()).into()]);
        }
    }
    Some(Variable { declared, name: sites::range(name.syntax()), value })
}

/// `T x = e;` as `T x; x = e;`.
pub(crate) fn split(program: &Program, _: &mut Fresh) -> Vec<Edit> {
    let mut edits = Vec::new();
    for Declaration { decl, variables } in declarations(program) {
        if variables.iter().all(|variable| variable.value.is_none()) && variables.len() < 2 {
            continue;
        }
        let mut pieces = Vec::new();
        for variable in variables {
            pieces.extend(variable.declared);
            if let Some(value) = variable.value {
                pieces.extend(["; ".into(), variable.name.into(), " = ".into()]);
                pieces.push(sites::range(value.syntax()).into());
            }
            pieces.push("; ".into());
        }
        edits.push(Edit::new("split-declaration", vec![Rewrite::new(sites::range(decl.syntax()), pieces)]));
    }
    edits
}

/// `T x = e;` as `T x; for (…once…) x = e;`.
pub(crate) fn before_loop(program: &Program, fresh: &mut Fresh) -> Vec<Edit> {
    let mut edits = Vec::new();
    let counters = sites::counter_names(&program.tree);
    let counts = |decl: &ast::VarDecl| {
        let mut names = decl.declarators().filter_map(|declarator| declarator.name());
        names.any(|name| counters.contains(name.syntax().text().to_string().trim()))
    };
    for Declaration { decl, mut variables } in declarations(program) {
        let (Some(Variable { declared, name, value: Some(value) }), true) = (variables.pop(), variables.is_empty())
        else {
            continue;
        };
        if counts(&decl) {
            continue;
        }
        let counter = fresh.name("once");
        let mut pieces = declared;
        let before = format!("; for (int {counter} = 0; {counter} < 2; {counter}++) {{ if ({counter} == 0) ");
        pieces.extend([before.into(), name.into(), " = ".into(), sites::range(value.syntax()).into()]);
        pieces.push("; }".into());
        edits.push(Edit::new("declared-before-loop", vec![Rewrite::new(sites::range(decl.syntax()), pieces)]));
    }
    edits
}

/// `x += e;` as `x = x + (e);`, `x++;` as `x += 1;`.
pub(crate) fn expanded_assignment(program: &Program, _: &mut Fresh) -> Vec<Edit> {
    let mut edits = Vec::new();
    for stmt in sites::nodes::<ast::ExprStmt>(&program.tree).filter(|stmt| sites::is_run(stmt.syntax())) {
        let Some((target, operator, value)) = sites::assignment(&stmt) else { continue };
        let (to, from) = (sites::range(target.syntax()), sites::range(value.syntax()));
        let Some(operator) = sites::expanded_operator(operator).filter(|_| sites::is_pure(target.syntax())) else {
            continue;
        };
        // With other types, the operation would be done in another one than that of the target.
        let (Some(target_ty), Some(value_ty)) = (program.type_of(to), program.type_of(from)) else { continue };
        if target_ty.spelled != value_ty.spelled || target_ty.kind == Kind::Other {
            continue;
        }
        let pieces = [to.into(), " = ".into(), to.into(), format!(" {operator} (").into(), from.into(), ");".into()];
        edits.push(Edit::new("expanded-assignment", vec![Rewrite::new(sites::range(stmt.syntax()), pieces)]));
    }
    edits
}

/// `x = e;` as a call that writes its `out` or `inout` parameter.
pub(crate) fn assigned_by_call(program: &Program, fresh: &mut Fresh) -> Vec<Edit> {
    let mut edits = Vec::new();
    // What goes in and out is read: nothing may be read of a variable that no value was given to.
    let without_value: Vec<String> = sites::nodes::<ast::Declarator>(&program.tree)
        .filter(|declarator| declarator.initializer().is_none())
        .filter_map(|declarator| Some(declarator.name()?.syntax().text().to_string().trim().to_owned()))
        .collect();
    for stmt in sites::nodes::<ast::ExprStmt>(&program.tree).filter(|stmt| sites::is_run(stmt.syntax())) {
        let Some((target, SyntaxKind::EQ, value)) = sites::assignment(&stmt) else { continue };
        let variable = target.syntax().first_token().map(|token| token.text().to_owned()).unwrap_or_default();
        let (to, from) = (sites::range(target.syntax()), sites::range(value.syntax()));
        let Some(ty) = program.type_of(to).filter(|ty| program.is_place(&target) && ty.is_global) else { continue };
        if matches!(value, ast::Expr::InitListExpr(_)) {
            continue;
        }
        // A call is told of (E30082) where it makes a `double` of a smaller number, an assignment is not.
        if ty.spelled.starts_with("double") && program.type_of(from).is_none_or(|from| from.spelled != ty.spelled) {
            continue;
        }
        let attribute = if ty.is_differentiable { program.attribute(to) } else { "" };
        let ty = &ty.spelled;
        for direction in ["out", "inout"] {
            if direction == "inout" && without_value.contains(&variable) {
                continue;
            }
            let name = fresh.name("assign");
            let pieces = [format!("{name}(").into(), to.into(), ", ".into(), from.into(), ");".into()];
            let declaration =
                format!("{attribute}void {name}({direction} {ty} place, {ty} value) {{ place = value; }}");
            edits.push(Edit {
                declarations: vec![declaration.into()],
                ..Edit::new("assigned-by-call", vec![Rewrite::new(sites::range(stmt.syntax()), pieces)])
            });
        }
    }
    edits
}
