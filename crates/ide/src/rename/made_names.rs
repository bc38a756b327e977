//! What macros make of names: a new name that is one of theirs would be replaced, and a name that they put together out of
//! pieces would be missed.

use base_db::{Db, Project, Segment, SourceFile, text::Part};
use hir_def::{
    expansion,
    position::{self, Location},
};
use rustc_hash::FxHashSet;
use syntax::{TextRange, TextSize, lexer::unfolded, preprocess::Expanded};

use super::safety::place;
use crate::{
    FilePosition, inclusions,
    macros::macros_before,
    mentions::{self, words},
    references::{Reference, Wanted},
    touched,
};

/// Why a new name would not stay what it is at the uses.
pub(super) fn replaced(db: &dyn Db, uses: &[Reference], new_name: &str) -> Option<String> {
    let by_option = Project::try_get(db).map(|project| project.macro_definitions(db).iter());
    if by_option.into_iter().flatten().any(|(name, _)| **name == *new_name) {
        return Some(format!("`{new_name}` is a macro by an option"));
    }
    // What nobody spells is no macro.
    if mentions::files_that_spell(db, new_name).is_empty() {
        return None;
    }
    let mut files: Vec<SourceFile> = uses.iter().map(|found| found.at.file).collect();
    files.dedup();
    let including: Vec<SourceFile> = files.iter().flat_map(|file| inclusions::files_that_include(db, *file)).collect();
    let mut seen = FxHashSet::default();
    files.extend(including);
    files.retain(|file| seen.insert(*file));
    let defined = files.into_iter().find_map(|file| {
        let all = macros_before(db, FilePosition { file, offset: u32::MAX });
        all.into_iter().find(|defined| defined.name == new_name)
    })?;
    Some(format!("`{new_name}` is a macro ({})", place(db, defined.at.file, defined.at.range)))
}

/// Why a use is not spelled as one: `a##b` makes the name, or a macro whose text has the name of a local.
pub(super) fn pasted(db: &dyn Db, wanted: &Wanted) -> Option<String> {
    let files = match wanted.only_in {
        Some(file) => vec![file],
        None => mentions::user_files(db),
    };
    let pastes = |db: &dyn Db, file: SourceFile| {
        let all = macros_before(db, FilePosition { file, offset: u32::MAX });
        all.iter().any(|defined| defined.text.contains("##"))
    };
    let found = mentions::find_in(db, &files, |db, file| {
        let sees = || wanted.declared.iter().any(|at| mentions::reached(db, file).contains(&at.file));
        let is_header = || wanted.declared.iter().any(|at| inclusions::files_that_include(db, at.file).contains(&file));
        let segments = match wanted.extents(db) {
            Some(extents) => {
                let here = extents.iter().filter(|extent| extent.file == file);
                here.flat_map(|extent| touched::segments(db, file, extent.range)).collect()
            }
            None if pastes(db, file) && (sees() || is_header()) => all_segments(db, file),
            None => Vec::new(),
        };
        made_in(db, wanted, file, segments).into_iter().collect()
    });
    found.into_iter().next()
}

fn all_segments(db: &dyn Db, file: SourceFile) -> Vec<Segment> {
    touched::segments(db, file, TextRange::up_to(TextSize::new(u32::MAX)))
}

fn made_in(db: &dyn Db, wanted: &Wanted, file: SourceFile, segments: Vec<Segment>) -> Option<String> {
    for segment in segments {
        for part in [Part::Header, Part::Body] {
            let expanded = expansion::expanded(db, segment, part);
            let spelled = expansion::spelled_text(db, segment, part);
            for name in wanted.spellings() {
                let Some(range) = made(db, file, expanded, spelled, name) else { continue };
                let (_, range) = position::absolute(db, Location { segment, part, range });
                if wanted.reaches(db, file, range) {
                    return Some(format!(
                        "a macro makes `{name}` at {}, where a rename would miss it",
                        place(db, file, range)
                    ));
                }
            }
        }
    }
    None
}

/// The call of a macro whose expansion has a name that nobody spells there; of what an `#include` brings in, the directive.
fn made(db: &dyn Db, file: SourceFile, expanded: &Expanded, spelled: &str, name: &str) -> Option<TextRange> {
    if expanded.map.is_identity() {
        return None;
    }
    let text = expanded.text(spelled);
    let by_macro = words(text, name).find_map(|offset| {
        let range = TextRange::at(TextSize::new(offset as u32), TextSize::of(name));
        let spelling = expanded.map.spelled(range);
        let is_written =
            || spelled.get(std::ops::Range::<usize>::from(spelling.range)).is_some_and(|text| unfolded(text) == name);
        (!spelling.exact && spelling.include.is_none() && !is_written()).then_some(spelling.range)
    });
    by_macro.or_else(|| {
        expanded.includes.iter().find_map(|include| {
            let included = expansion::resolve_include(db, file, &include.path)?;
            let spelled = db.text(included)?.rope().to_string();
            made(db, included, &include.expanded, &spelled, name).map(|_| include.directive)
        })
    })
}
