//! Literals that get a name.

use syntax::ast::{self, AstNode};

use super::Fresh;
use crate::variants::{
    edit::{Edit, Rewrite},
    program::Program,
    sites,
};

/// `2.5` as `static const float k = 2.5;` at the top level.
pub(crate) fn named(program: &Program, fresh: &mut Fresh) -> Vec<Edit> {
    let mut edits = Vec::new();
    for literal in sites::nodes::<ast::LiteralExpr>(&program.tree).filter(|literal| sites::is_run(literal.syntax())) {
        let range = sites::range(literal.syntax());
        let Some(ty) = program.type_of(range) else { continue };
        // A literal that is converted may be of a type that takes part in no operation without it.
        if ty.is_converted || !matches!(ty.spelled.as_str(), "float" | "int" | "uint") {
            continue;
        }
        let (name, literal) = (fresh.name("constant"), sites::text(literal.syntax()));
        edits.push(Edit {
            declarations: vec![format!("static const {} {name} = {literal};", ty.spelled).into()],
            ..Edit::new("named-constant", vec![Rewrite::new(range, [name.clone().into()])])
        });
    }
    edits
}
