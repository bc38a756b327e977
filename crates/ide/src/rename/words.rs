//! Words of the language as new names. Some of them are names as well, where the parser does not take them for what they are:
//! so it is asked.

use base_db::{Db, SourceFile};
use rustc_hash::FxHashSet;
use syntax::{SyntaxNode, TextRange, parse_file};

use super::safety::place;
use crate::{TextEdit, excerpt::Excerpt};

/// Why the new name would be read as something else than a name, or what is around it as something else than before.
pub(super) fn misread(db: &dyn Db, edits: &[TextEdit], new_name: &str) -> Option<String> {
    let mut seen: FxHashSet<SourceFile> = FxHashSet::default();
    let files = edits.iter().map(|edit| edit.at.file).filter(|file| seen.insert(*file));
    let mut misread = files.filter_map(|file| {
        let here: Vec<&TextEdit> = edits.iter().filter(|edit| edit.at.file == file).collect();
        let around: Vec<TextRange> = here.iter().map(|edit| edit.at.range).collect();
        let excerpt = Excerpt::new(db, file, &around)?;
        let (before, after) = (parse_file(excerpt.text()), parse_file(&edited(&excerpt, here)));
        let different = difference(&before.syntax_node(), &after.syntax_node());
        let is_worse = after.errors.len() != before.errors.len();
        let at = different.or(is_worse.then(|| before.syntax_node().text_range()))?;
        let place = place(db, file, excerpt.in_file(at));
        Some(format!("`{new_name}` is a word of the language, which is not read as a name at {place}"))
    });
    misread.next()
}

fn edited(excerpt: &Excerpt, mut edits: Vec<&TextEdit>) -> String {
    edits.sort_by_key(|edit| edit.at.range.start());
    let mut changed = excerpt.text().to_owned();
    for edit in edits.into_iter().rev() {
        let Some(start) = excerpt.offset(edit.at.range.start()) else { continue };
        let range = TextRange::at(start, edit.at.range.len());
        changed.replace_range(std::ops::Range::<usize>::from(range), &edit.text);
    }
    changed
}

/// Where a tree is the first time not like the other one, whatever the names are.
fn difference(before: &SyntaxNode, after: &SyntaxNode) -> Option<TextRange> {
    let mut others = after.descendants_with_tokens();
    let mut own = before.descendants_with_tokens();
    let different = own.find(|element| others.next().is_none_or(|other| other.kind() != element.kind()));
    different.map(|element| element.text_range())
}
