//! Takes away a variable that nothing mentions, if its value does nothing else.

use hir_def::{
    body::{LocalKind, Stmt},
    position,
};

use super::{Assist, AssistKind, Selection, inline_variable::whole_lines};
use crate::{
    effects::Effects,
    references::references,
    semantics::{self, Definition},
};

pub(super) fn remove_unused(place: &Selection<'_>) -> Vec<Assist> {
    removed(place).into_iter().collect()
}

fn removed(place: &Selection<'_>) -> Option<Assist> {
    let Definition::Local { owner, local } = semantics::find(place.db, place.position())?.definition else {
        return None;
    };
    let code = place.code_of(owner)?;
    let declared = &code.body.store.locals[local];
    let (stmt, init) = code.body.store.stmts.iter().find_map(|(id, stmt)| match stmt {
        Stmt::Let { local: of, init } if *of == local => Some((id, *init)),
        _ => None,
    })?;
    // `float a, b;` declares two by one statement.
    let in_block =
        code.body.store.stmts.iter().any(|(_, around)| matches!(around, Stmt::Block(stmts) if stmts.contains(&stmt)));
    let (file, range) = position::absolute(place.db, code.map.stmt(stmt));
    let is_whole = place.text(range)?.ends_with(';');
    let is_quiet = init.is_none_or(|init| Effects::of(place.db, owner, &[init]).are_none());
    let is_used = references(place.db, place.position())?.iter().any(|found| !found.is_declaration);
    if !matches!(declared.kind, LocalKind::Variable | LocalKind::Let)
        || !in_block
        || !is_whole
        || !is_quiet
        || is_used
        || file != place.file
    {
        return None;
    }
    let edits = vec![place.edit(whole_lines(place, range)?, "")];
    Some(Assist { title: format!("Remove the unused `{}`", declared.name), kind: AssistKind::QuickFix, edits })
}
