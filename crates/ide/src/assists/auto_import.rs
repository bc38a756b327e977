//! Imports the module that declares a name which means nothing here.

use base_db::{Db, SourceFile};
use hir_def::{
    item::{self, ItemId, ModulePath},
    modules,
    name::Name,
    position, scope, source_map,
    visibility::{Visibility, visibility},
};
use syntax::{SyntaxKind, TextRange, TextSize, lexer};

use super::{Assist, AssistKind, Place};
use crate::{
    FileRange, TextEdit, completion, mentions,
    semantics::{self, item_at},
};

/// More modules than this are not offered for one name.
const MOST_OFFERED: usize = 8;

pub(super) fn auto_import(place: &Place<'_>) -> Vec<Assist> {
    offered(place).unwrap_or_default()
}

fn offered(place: &Place<'_>) -> Option<Vec<Assist>> {
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
        kind: AssistKind::QuickFix,
        edits: vec![found.edit],
    };
    Some(modules.into_iter().take(MOST_OFFERED).map(assist).collect())
}

/// The name at the place, and whether it is asked of something.
fn word(place: &Place<'_>) -> Option<(Name, bool)> {
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

/// A module that can be imported, and how.
pub(crate) struct Importable {
    pub(crate) module: String,
    pub(crate) edit: TextEdit,
}

/// How a file imports the module that declares an item; `None` if the item is not for others, or is seen already.
pub(crate) fn importable(db: &dyn Db, from: SourceFile, item: ItemId) -> Option<Importable> {
    let declaring = item::file_of(db, item);
    let root = modules::module_root(db, declaring);
    if visibility(db, item) != Visibility::Public || modules::module_root(db, from) == root {
        return None;
    }
    // What another module exports on is seen with it.
    if modules::module_view(db, from).imported.contains(&root) {
        return None;
    }
    let module = completion::module_names(db, from).into_iter().find(|(_, file)| *file == root)?.0;
    (modules::resolve(db, from, &ModulePath::Dotted(module.clone())) == Some(root)).then_some(())?;
    let at = FileRange { file: from, range: TextRange::empty(place_of_import(db, from)?) };
    Some(Importable { edit: TextEdit { at, text: format!("import {module};\n") }, module })
}

/// The line behind the last import, behind the line that names the module, or the first one that is no comment of the file's
/// head.
fn place_of_import(db: &dyn Db, file: SourceFile) -> Option<TextSize> {
    let clauses = modules::module_clauses(db, file);
    let rope = db.text(file)?.rope().clone();
    let imports = clauses.imports.iter().chain(&clauses.includes).chain(&clauses.module).chain(&clauses.implementing);
    let ends = imports.filter_map(|item| {
        let (of, range) = position::absolute(db, source_map::item_source(db, *item).as_ref()?.range);
        (of == file).then(|| usize::from(range.end()))
    });
    if let Some(end) = ends.max() {
        let next = rope.try_byte_to_line(end).ok()? + 1;
        let begins = rope.try_line_to_byte(next).ok()?;
        // The last line may not end.
        let is_line = begins > 0 && rope.get_byte(begins - 1) == Some(b'\n');
        return is_line.then_some(TextSize::new(u32::try_from(begins).ok()?));
    }
    let mut offset = 0;
    let mut behind_head = 0;
    for line in rope.lines() {
        let text = line.to_string();
        match text.trim() {
            "" => behind_head = offset + text.len(),
            head if head.starts_with("//") && !head.starts_with("///") => {}
            head if head.starts_with("#pragma") || head.starts_with("#language") || head.starts_with("#lang") => {
                behind_head = offset + text.len();
            }
            _ => break,
        }
        offset += text.len();
    }
    Some(TextSize::new(u32::try_from(behind_head).ok()?))
}
