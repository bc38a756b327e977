//! Code that never runs, or whose result is not used.

use syntax::ast::{self, AstNode};

use super::Fresh;
use crate::variants::{
    edit::{Edit, Piece, Rewrite},
    program::{Kind, Program},
    sites::{self, is_in_list},
};

/// After an assignment to a variable of floats: more assignments to it, which never happen.
pub(crate) fn never_run(program: &Program, fresh: &mut Fresh) -> Vec<Edit> {
    let mut edits = Vec::new();
    for stmt in sites::nodes::<ast::ExprStmt>(&program.tree) {
        let Some((target, _, _)) = sites::assignment(&stmt) else { continue };
        let to = sites::range(target.syntax());
        let is_place = is_in_list(stmt.syntax()) && program.is_place(&target) && sites::is_run(stmt.syntax());
        let is_number = program.type_of(to).is_some_and(|ty| matches!(ty.kind, Kind::Float | Kind::Floats));
        if !is_place || !is_number {
            continue;
        }
        let range = sites::range(stmt.syntax());
        // `$N` is a new name, `$P` the place.
        for dead in [
            "bool $N = false; if ($N) $P = $P * $P;",
            "for (int $N = 0; $N < 2; $N++) { if ($N > 5) $P += $P; }",
            "switch (3) { case 2: $P = $P + $P; break; default: break; }",
            "let $N = $P * $P;",
        ] {
            let dead = dead.replace("$N", &fresh.name("never"));
            let mut pieces: Vec<Piece> = vec![range.into(), " ".into()];
            for (number, part) in dead.split("$P").enumerate() {
                if number > 0 {
                    pieces.push(to.into());
                }
                pieces.push(part.into());
            }
            edits.push(Edit::new("dead-code", vec![Rewrite::new(range, pieces)]));
        }
    }
    edits
}
