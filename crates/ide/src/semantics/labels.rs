//! Labels: `name:` in front of a statement, and the `break name;` that leave it.

use base_db::Db;
use hir_def::{
    body::{Body, Stmt, StmtId, queries},
    expansion,
    item::ItemId,
    name::Name,
    position::Location,
    source_map::{self, BodySourceMap},
};
use syntax::{SyntaxKind, TextRange, TextSize, lexer};

use super::{Definition, FoundAt, found};

/// The label that is declared or named at an offset of a body.
pub(super) fn label_at(
    db: &dyn Db,
    item: ItemId,
    body: &Body,
    map: &BodySourceMap,
    offset: TextSize,
) -> Option<FoundAt> {
    let stmt = map.stmt_at(offset)?;
    let labeled = match &body.store.stmts[stmt] {
        Stmt::Labeled { .. } => stmt,
        Stmt::Break(Some(label)) => left_by(body, map, stmt, label)?,
        _ => return None,
    };
    let place = place_of_label(db, item, stmt)?;
    let definition = Definition::Label { owner: item, stmt: labeled };
    place.range.contains_inclusive(offset).then(|| (place, found(definition, item)))
}

/// Where a statement spells the label that it has or leaves.
pub(crate) fn place_of_label(db: &dyn Db, owner: ItemId, stmt: StmtId) -> Option<Location> {
    let body = queries::body(db, owner);
    let (label, words_before) = match &body.store.stmts[stmt] {
        Stmt::Labeled { label, .. } => (label, 0),
        Stmt::Break(Some(label)) => (label, 1),
        _ => return None,
    };
    let whole = source_map::body_source_map(db, owner).stmt(stmt);
    let text =
        expansion::spelled_text(db, whole.segment, whole.part).get(std::ops::Range::<usize>::from(whole.range))?;
    let lexed = lexer::lex(text);
    let words = (0..lexed.len()).filter(|index| lexed.kind(*index) == SyntaxKind::IDENT);
    let word = words.map(|index| lexed.range(index)).nth(words_before)?;
    let range = TextRange::at(TextSize::new(word.start as u32), TextSize::new(word.len() as u32));
    (&text[word] == label.as_str()).then(|| Location { range: range + whole.range.start(), ..whole })
}

/// The labels of the statements around an offset of a body, innermost first.
pub(crate) fn labels_around(db: &dyn Db, owner: ItemId, offset: TextSize) -> Vec<Name> {
    let (body, map) = (queries::body(db, owner), source_map::body_source_map(db, owner));
    let around = body.store.stmts.iter().filter_map(|(id, stmt)| match stmt {
        Stmt::Labeled { label, .. } => Some((map.stmt(id).range, label)),
        _ => None,
    });
    let mut around: Vec<(TextRange, &Name)> = around.filter(|(range, _)| range.contains(offset)).collect();
    around.sort_by_key(|(range, _)| range.len());
    around.into_iter().map(|(_, label)| label.clone()).collect()
}

/// The innermost statement around a `break` that has the label which it names.
fn left_by(body: &Body, map: &BodySourceMap, exit: StmtId, name: &Name) -> Option<StmtId> {
    let inside = map.stmt(exit).range;
    let labeled = body.store.stmts.iter().filter(|(id, stmt)| {
        matches!(stmt, Stmt::Labeled { label, .. } if label == name) && map.stmt(*id).range.contains_range(inside)
    });
    labeled.map(|(id, _)| id).min_by_key(|id| map.stmt(*id).range.len())
}
