//! Where loops and `switch`es are left or go on.

use base_db::Db;
use hir_def::{
    body::{Stmt, StmtId},
    position, source_map,
};
use syntax::{SyntaxKind, TextRange, TextSize, lexer};

use super::Access;
use crate::{FilePosition, FileRange, semantics};

const WORDS: [&str; 4] = ["for", "while", "do", "switch"];

/// The word of the loop or `switch` that a position belongs to, with each `break` and `continue` that means it.
pub(super) fn of_loop(db: &dyn Db, at: FilePosition) -> Option<Vec<(FileRange, Access)>> {
    let function = semantics::function_at(db, at)?;
    let (body, map) = (hir_def::body::queries::body(db, function), source_map::body_source_map(db, function));
    let text = db.text(at.file)?;
    let range = |stmt: StmtId| {
        let (file, range) = position::absolute(db, map.stmt(stmt));
        (file == at.file).then_some(range)
    };
    let offset = TextSize::new(at.offset);
    let word_of = |stmt: StmtId, words: &[&str]| {
        let range = range(stmt)?;
        let found = first_word(&text.slice(range.into()), words)?;
        Some(found + range.start())
    };
    let stmts = || body.store.stmts.iter();
    let target = |exit: StmtId| {
        let inside = range(exit)?;
        let around =
            stmts().filter(|(id, _)| *id != exit && range(*id).is_some_and(|range| range.contains_range(inside)));
        let meant = around.filter_map(|(id, stmt)| match (&body.store.stmts[exit], stmt) {
            (Stmt::Break(Some(wanted)), Stmt::Labeled { label, body }) => (wanted == label).then_some(*body),
            (Stmt::Break(Some(_)), _) => None,
            (Stmt::Break(None), Stmt::Switch { .. }) => Some(id),
            (_, Stmt::For { .. } | Stmt::While { .. } | Stmt::DoWhile { .. }) => Some(id),
            _ => None,
        });
        meant.min_by_key(|id| range(*id).map(|range| range.len()))
    };
    let exits: Vec<(StmtId, TextRange)> = stmts()
        .filter_map(|(id, stmt)| match stmt {
            Stmt::Break(_) => Some((id, word_of(id, &["break"])?)),
            Stmt::Continue => Some((id, word_of(id, &["continue"])?)),
            _ => None,
        })
        .collect();
    let is_loop = |stmt: &Stmt| {
        matches!(stmt, Stmt::For { .. } | Stmt::While { .. } | Stmt::DoWhile { .. } | Stmt::Switch { .. })
    };
    let here = exits.iter().find(|(_, word)| word.contains_inclusive(offset)).and_then(|(exit, _)| target(*exit));
    let meant = here.or_else(|| {
        let mut loops = stmts().filter(|(_, stmt)| is_loop(stmt)).map(|(id, _)| id);
        loops.find(|id| word_of(*id, &WORDS).is_some_and(|word| word.contains_inclusive(offset)))
    })?;
    let of_it = exits.iter().filter(|(exit, _)| target(*exit) == Some(meant)).map(|(_, word)| *word);
    let all = word_of(meant, &WORDS).into_iter().chain(of_it);
    Some(all.map(|range| (FileRange { file: at.file, range }, Access::Text)).collect())
}

/// The first of some words in a statement, behind its attributes.
fn first_word(text: &str, words: &[&str]) -> Option<TextRange> {
    let lexed = lexer::lex(text);
    let mut depth = 0usize;
    for index in 0..lexed.len() {
        let range = lexed.range(index);
        match &text[range.clone()] {
            "[" => depth += 1,
            "]" => depth = depth.saturating_sub(1),
            word if depth == 0 && lexed.kind(index) == SyntaxKind::IDENT && words.contains(&word) => {
                return Some(TextRange::at(TextSize::new(range.start as u32), TextSize::of(word)));
            }
            _ => {}
        }
    }
    None
}
