//! Names of modules that are not imported yet: taking one imports its module.

use base_db::Db;
use hir_def::item;

use super::{CompletionItem, Offered, first_completion};
use crate::{FilePosition, importable::importable, symbols::items_named_like, text_before::text_before};

/// So many letters have to be written: fewer fit too much.
const LEAST_LETTERS: usize = 3;

/// More of them are not shown.
const MOST_SHOWN: usize = 32;

/// Whether more is offered once more letters are written.
pub fn waits_for_letters(db: &dyn Db, at: FilePosition) -> bool {
    written(&text_before(db, at)).len() < LEAST_LETTERS
}

fn written(text: &str) -> &str {
    &text[text
        .rfind(|c: char| c != '_' && !c.is_alphanumeric())
        .map_or(0, |before| before + text[before..].chars().next().map_or(1, char::len_utf8))..]
}

/// What begins with the letters that are written, behind all that is visible.
pub(super) fn imports(db: &dyn Db, at: FilePosition, offered: Offered) -> Vec<CompletionItem> {
    let text = text_before(db, at);
    let written = written(&text);
    if written.len() < LEAST_LETTERS {
        return Vec::new();
    }
    let fits = |name: &str| name.get(..written.len()).is_some_and(|start| start.eq_ignore_ascii_case(written));
    let mut items: Vec<CompletionItem> = Vec::new();
    // Only what begins so is parsed: letters in order are in most of a large workspace.
    for (name, item) in items_named_like(db, |name| fits(name).then_some(0)) {
        if items.len() == MOST_SHOWN {
            break;
        }
        if item::container(db, item).is_some() {
            continue;
        }
        let Some((_, completion)) = first_completion(db, &name, &[item], offered) else { continue };
        let Some(found) = importable(db, at.file, item) else { continue };
        if items.iter().any(|known| known.label == completion.label && known.edits == [found.edit.clone()]) {
            continue;
        }
        let detail = Some(format!("import {}", found.module));
        items.push(CompletionItem { detail, edits: vec![found.edit], group: super::IMPORTED, ..completion });
    }
    items
}
