//! Imports the module that declares a name which means nothing here.

use hir_def::{name::Name, scope, source_map};
use syntax::{SyntaxKind, lexer};

use super::{Assist, AssistKind, Selection};
use crate::{
    importable::{Importable, importable},
    mentions,
    semantics::{self, item_at},
};

/// More modules than this are not offered for one name.
const MOST_OFFERED: usize = 8;

pub(super) fn auto_import(place: &Selection<'_>) -> Vec<Assist> {
    offered(place).unwrap_or_default()
}

fn offered(place: &Selection<'_>) -> Option<Vec<Assist>> {
    let db = place.db;
    let (name, is_member) = word(place)?;
    if is_member || semantics::find(db, place.position()).is_some() {
        return None;
    }
    let known = match item_at(db, place.position()) {
        Some(context) => scope::lookup(db, context, &name),
        None => scope::lookup_in_file(db, place.file, &name),
    };
    if !known.is_empty() {
        return None;
    }
    let mut modules: Vec<Importable> = mentions::files_that_spell(db, name.as_str())
        .into_iter()
        .filter_map(|file| importable(db, place.file, *scope::file_names(db, file).get(&name).first()?))
        .collect();
    modules.sort_by(|one, two| one.module.cmp(&two.module));
    modules.dedup_by(|one, two| one.module == two.module);
    let assist = |found: Importable| Assist {
        title: format!("Import `{}`, which declares `{name}`", found.module),
        kind: AssistKind::Import,
        edits: vec![found.edit],
    };
    Some(modules.into_iter().take(MOST_OFFERED).map(assist).collect())
}

/// The name at the place, and whether it is asked of something.
fn word(place: &Selection<'_>) -> Option<(Name, bool)> {
    let (segment, part, offset) = source_map::segment_at(place.db, place.file, place.range.start())?;
    let text = match part {
        base_db::text::Part::Header => segment.header(place.db),
        base_db::text::Part::Body => segment.body(place.db),
    };
    let lexed = lexer::lex(text);
    let offset = usize::from(offset);
    let index = (0..lexed.len()).find(|index| {
        let range = lexed.range(*index);
        lexed.kind(*index) == SyntaxKind::IDENT && range.start <= offset && offset <= range.end
    })?;
    let blank = |index: &usize| matches!(lexed.kind(*index), SyntaxKind::WHITESPACE | SyntaxKind::COMMENT);
    let before = (0..index).rev().find(|index| !blank(index)).map(|index| &text[lexed.range(index)]);
    Some((Name::new(&text[lexed.range(index)]), matches!(before, Some("." | "->" | "::"))))
}
