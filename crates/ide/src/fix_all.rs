//! One fix for all diagnostics of a file that say the same and have the same answer.

use base_db::SourceFile;

use crate::{
    TextEdit,
    diagnostics::{Diagnostic, Fix, Severity},
};

/// The fix of this title for all diagnostics with the code of `of`, if there are several and they leave each other alone.
pub fn fix_all(diagnostics: &[Diagnostic], of: &Diagnostic, title: &str) -> Option<Fix> {
    let same = diagnostics.iter().filter(|other| other.code == of.code && other.at.file == of.at.file);
    let fixes = same.filter_map(|other| other.fixes.iter().find(|fix| fix.title == title));
    let (count, edits) = together(fixes);
    (count > 1).then(|| Fix { title: format!("{title} (all {count} in this file)"), edits })
}

/// The fixes of all errors and warnings of a file that have only one answer.
pub fn fix_file(diagnostics: &[Diagnostic], file: SourceFile) -> Option<Fix> {
    let wrong = diagnostics
        .iter()
        .filter(|found| found.at.file == file && matches!(found.severity, Severity::Error | Severity::Warning));
    let (count, edits) = together(wrong.filter_map(|found| match found.fixes.as_slice() {
        [only] => Some(only),
        _ => None,
    }));
    (count > 0).then(|| Fix { title: "Fix all that has one answer".to_owned(), edits })
}

/// The edits of those fixes that leave each other alone, and how many they are.
fn together<'a>(fixes: impl Iterator<Item = &'a Fix>) -> (usize, Vec<TextEdit>) {
    let mut edits: Vec<TextEdit> = Vec::new();
    let mut count = 0;
    for fix in fixes {
        // Two diagnostics may be answered by one edit; what overlaps otherwise is for the user to do in turn.
        let new: Vec<&TextEdit> = fix.edits.iter().filter(|edit| !edits.contains(edit)).collect();
        let overlaps = |edit: &TextEdit| {
            let meets =
                |other: &TextEdit| other.at.file == edit.at.file && other.at.range.intersect(edit.at.range).is_some();
            edits.iter().any(meets)
        };
        if new.is_empty() || new.iter().any(|edit| overlaps(edit)) {
            continue;
        }
        edits.extend(new.into_iter().cloned());
        count += 1;
    }
    (count, edits)
}
