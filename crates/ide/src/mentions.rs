//! Which files spell a name: asked of texts, before anything in them is resolved. What does not spell a name does not mean
//! it.

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
        if [segment.header(db), segment.body(db)].iter().any(|text| words(text, word).next().is_some()) {
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

/// What is found in each of some files, in their order.
pub(crate) fn find_in<T: Send>(
    db: &dyn Db,
    files: &[SourceFile],
    find: impl Fn(&dyn Db, SourceFile) -> Vec<T> + Sync,
) -> Vec<T> {
    parallel::map(db, files, |db, file| find(db, *file)).into_iter().flatten().collect()
}
