//! Which files spell a name: asked of texts, before anything in them is resolved. What does not spell a name does not mean
//! it.

use std::ops::Range;

use base_db::{Db, Project, Segment, SourceFile, parallel};
use hir_def::{expansion, modules};
use rustc_hash::FxHashSet;

/// All known files but those of the core library, by path.
pub(crate) fn user_files(db: &dyn Db) -> Vec<SourceFile> {
    let mut files: Vec<_> = Project::get(db).files(db).iter().collect();
    files.sort_by_key(|(path, _)| *path);
    files.into_iter().map(|(_, &file)| file).filter(|file| !modules::is_prelude(db, *file)).collect()
}

/// The user's files that spell a word, and those that include one that does.
pub(crate) fn files_that_spell(db: &dyn Db, word: &str) -> Vec<SourceFile> {
    let files = user_files(db);
    let spelled = parallel::map(db, &files, |db, file| spells(db, *file, word));
    let mut found: FxHashSet<SourceFile> =
        files.iter().zip(&spelled).filter(|(_, spells)| **spells).map(|(file, _)| *file).collect();
    let including: Vec<(SourceFile, Vec<SourceFile>)> = files
        .iter()
        .map(|file| (*file, expansion::named_in_directives(db, *file)))
        .filter(|(_, named)| !named.is_empty())
        .collect();
    // Headers include headers.
    loop {
        let before = found.len();
        for (file, named) in &including {
            if named.iter().any(|named| found.contains(named)) {
                found.insert(*file);
            }
        }
        if found.len() == before {
            break;
        }
    }
    files.into_iter().filter(|file| found.contains(file)).collect()
}

fn spells(db: &dyn Db, file: SourceFile, word: &str) -> bool {
    db.unwind_if_revision_cancelled();
    // No word goes on from one segment to the next.
    let mut waiting: Vec<Segment> = file.segments(db).to_vec();
    while let Some(segment) = waiting.pop() {
        if [segment.header(db), segment.body(db)].iter().any(|text| is_spelled(text, word)) {
            return true;
        }
        waiting.extend(segment.members(db).iter());
    }
    false
}

/// The files that a file is compiled with: those of its module, and of all that these import, directly or not.
pub fn reached(db: &dyn Db, file: SourceFile) -> FxHashSet<SourceFile> {
    let mut reached = FxHashSet::from_iter([file]);
    let mut pending = vec![file];
    while let Some(file) = pending.pop() {
        let view = modules::module_view(db, file);
        let further = view.files.iter().chain(view.imported.iter()).copied();
        pending.extend(further.filter(|file| reached.insert(*file)));
    }
    reached
}

/// Where a text has a word, in order.
pub(crate) fn words<'t>(text: &'t str, word: &'t str) -> impl Iterator<Item = usize> + 't {
    let is_word = |c: Option<char>| c.is_some_and(|c| c == '_' || c.is_alphanumeric());
    text.match_indices(word).map(|(offset, _)| offset).filter(move |&offset| {
        !is_word(text[..offset].chars().next_back()) && !is_word(text[offset + word.len()..].chars().next())
    })
}

/// Where a text spells a name, in order: as a word, or as one that the ends of lines cut.
pub(crate) fn spellings(text: &str, name: &str) -> Vec<Range<usize>> {
    if !has_cuts(text) {
        return words(text, name).map(|offset| offset..offset + name.len()).collect();
    }
    // The places of what is left without the ends of lines that a backslash joins.
    let mut joined = String::with_capacity(text.len());
    let mut cuts: Vec<(usize, usize)> = Vec::new();
    let mut rest = 0;
    for (offset, _) in text.match_indices('\\') {
        let length = CUTS.iter().find(|cut| text[offset..].starts_with(**cut)).map_or(0, |cut| cut.len());
        if length > 0 {
            joined.push_str(&text[rest..offset]);
            rest = offset + length;
            cuts.push((joined.len(), rest - joined.len()));
        }
    }
    joined.push_str(&text[rest..]);
    let place = |offset: usize| {
        let before = cuts.partition_point(|(from, _)| *from <= offset);
        offset + before.checked_sub(1).map_or(0, |last| cuts[last].1)
    };
    // The end of a name is behind its last letter.
    words(&joined, name).map(|offset| place(offset)..place(offset + name.len() - 1) + 1).collect()
}

fn is_spelled(text: &str, name: &str) -> bool {
    words(text, name).next().is_some() || has_cuts(text) && !spellings(text, name).is_empty()
}

/// A backslash at the end of a line joins it with the next one.
const CUTS: [&str; 2] = ["\\\r\n", "\\\n"];

fn has_cuts(text: &str) -> bool {
    CUTS.iter().any(|cut| text.contains(cut))
}

/// What is found in each of some files, in their order.
pub(crate) fn find_in<T: Send>(
    db: &dyn Db,
    files: &[SourceFile],
    find: impl Fn(&dyn Db, SourceFile) -> Vec<T> + Sync,
) -> Vec<T> {
    parallel::map(db, files, |db, file| find(db, *file)).into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::spellings;

    #[test]
    fn names_are_found_where_lines_cut_them() {
        let text = "foo fo\\\no f\\\r\no\\\no foo\\\nd a\\\nfoo \\\nfoo";
        let found: Vec<&str> = spellings(text, "foo").into_iter().map(|range| &text[range]).collect();
        assert_eq!(found, ["foo", "fo\\\no", "f\\\r\no\\\no", "foo"]);
    }
}
