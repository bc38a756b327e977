//! What tests of features ask: each function takes a fixture and what the feature must answer on it.

use std::ops::Range;

use base_db::{Db, SourceFile};
use ide::{
    FilePosition, FileRange, TextEdit,
    assists::{Assist, assists},
    completion::{CompletionItem, completion},
    definition::{definition, type_definition},
    diagnostics::diagnostics,
    hover::hover,
    inlay_hints::inlay_hints,
    missing_members::missing_members,
    references::{Access, highlights, references},
    related::implementations,
    rename::rename,
    signature_help::signature_help,
    symbols::{Symbol, document_symbols},
};
use test_support::{database::TestDatabase, fixture::Annotation};

/// The hover at the cursor contains all of `parts`.
pub(crate) fn check_hover(fixture: &str, parts: &[&str]) {
    let test = TestDatabase::new(fixture);
    let markdown = hover(&test.db, cursor(&test)).expect("there is a hover").markdown;
    for part in parts {
        assert!(markdown.contains(part), "`{part}` is not in\n{markdown}");
    }
}

pub(crate) fn check_no_hover(fixture: &str) {
    let test = TestDatabase::new(fixture);
    assert_eq!(hover(&test.db, cursor(&test)), None);
}

/// From the cursor one goes to the places marked `here`, in any order, and nowhere else.
pub(crate) fn check_definition(fixture: &str) {
    check_targets(fixture, definition);
}

pub(crate) fn check_type_definition(fixture: &str) {
    check_targets(fixture, type_definition);
}

pub(crate) fn check_implementations(fixture: &str) {
    check_targets(fixture, implementations);
}

/// The name at the cursor stands at the places marked `here`, its declaration included, and nowhere else.
pub(crate) fn check_references(fixture: &str) {
    check_targets(fixture, |db, at| {
        references(db, at).unwrap_or_default().into_iter().map(|reference| reference.at).collect()
    });
}

/// The places marked `read`, `write` and `text` are highlighted as such, and no others.
pub(crate) fn check_highlights(fixture: &str) {
    let test = TestDatabase::new(fixture);
    let found = highlights(&test.db, cursor(&test)).unwrap_or_default();
    let places = found.iter().map(|(at, _)| (at.file, range(*at))).collect();
    compare(&test, "", places, |annotation, index| {
        let word = match found[index].1 {
            Access::Read => "read",
            Access::Write => "write",
            Access::Text => "text",
        };
        annotation.severity == word
    });
}

fn check_targets(fixture: &str, ask: impl Fn(&dyn Db, FilePosition) -> Vec<FileRange>) {
    let test = TestDatabase::new(fixture);
    let found = ask(&test.db, cursor(&test)).into_iter().map(|target| (target.file, range(target)));
    compare(&test, "here", found.collect(), |_, _| true);
}

/// From the cursor one goes to the beginning of a file.
pub(crate) fn check_leads_to_file(fixture: &str, path: &str) {
    let test = TestDatabase::new(fixture);
    let found = definition(&test.db, cursor(&test));
    let [target] = found.as_slice() else { panic!("one target: {found:?}") };
    assert_eq!((target.file.path(&test.db).as_ref(), range(*target).start), (path, 0));
}

/// The diagnostics of all files are those of the annotations, `//^^^ severity code: words`, and no others.
pub(crate) fn check_diagnostics(fixture: &str) {
    let test = TestDatabase::new(fixture);
    let all: Vec<_> = test.files.iter().flat_map(|&file| diagnostics(&test.db, file)).collect();
    let found = all.iter().map(|found| (found.at.file, range(found.at))).collect();
    compare(&test, "", found, |annotation, index| {
        let found = &all[index];
        annotation.severity == found.severity.word()
            && annotation.code.as_deref().and_then(|code| code.parse().ok()) == Some(found.code.0)
            && found.message.contains(&annotation.message)
    });
}

/// The fix `title` at the cursor changes the fixture's text to `changed`, which is written as a fixture as well.
pub(crate) fn check_fix(fixture: &str, title: &str, changed: &str) {
    let test = TestDatabase::new(fixture);
    let at = cursor(&test);
    let offset = at.offset as usize;
    let found = diagnostics(&test.db, at.file);
    let here = found.iter().filter(|found| range(found.at).start <= offset && offset <= range(found.at).end);
    let mut fixes: Vec<_> = here.flat_map(|found| found.fixes.iter().cloned()).collect();
    fixes.extend(missing_members(&test.db, at));
    let titles: Vec<&str> = fixes.iter().map(|fix| fix.title.as_str()).collect();
    let fix = fixes.iter().find(|fix| fix.title == title).unwrap_or_else(|| panic!("the fixes are {titles:?}"));
    check_edits(&test, &fix.edits, changed);
}

/// The assist `title` for `selected` behind the cursor, or for the cursor alone, changes the fixture's text to `changed`.
pub(crate) fn check_assist(fixture: &str, selected: &str, title: &str, changed: &str) {
    let test = TestDatabase::new(fixture);
    let found = assists_at(&test, selected);
    let titles: Vec<&str> = found.iter().map(|assist| assist.title.as_str()).collect();
    let assist = found.iter().find(|assist| assist.title == title).unwrap_or_else(|| panic!("offered: {titles:?}"));
    check_edits(&test, &assist.edits, changed);
}

/// No assist whose title begins so is offered.
pub(crate) fn check_no_assist(fixture: &str, selected: &str, title: &str) {
    let test = TestDatabase::new(fixture);
    let titles: Vec<String> = assists_at(&test, selected).into_iter().map(|assist| assist.title).collect();
    assert!(!titles.iter().any(|offered| offered.starts_with(title)), "{titles:?}");
}

fn assists_at(test: &TestDatabase, selected: &str) -> Vec<Assist> {
    let FilePosition { file, offset } = cursor(test);
    let range = syntax::TextRange::at(offset.into(), syntax::TextSize::of(selected));
    assists(&test.db, FileRange { file, range })
}

/// Renaming what is at the cursor changes the fixture's text to `changed`.
pub(crate) fn check_rename(fixture: &str, new_name: &str, changed: &str) {
    let test = TestDatabase::new(fixture);
    let edits = rename(&test.db, cursor(&test), new_name).expect("it can be renamed");
    check_edits(&test, &edits, changed);
}

/// Renaming what is at the cursor is refused with a reason that contains `reason`.
pub(crate) fn check_rename_refused(fixture: &str, new_name: &str, reason: &str) {
    let test = TestDatabase::new(fixture);
    let error = rename(&test.db, cursor(&test), new_name).expect_err("it is refused");
    assert!(error.contains(reason), "{error}");
}

/// Completion at the cursor offers just these labels, in any order.
pub(crate) fn check_completion(fixture: &str, labels: &[&str]) {
    let mut found = offered(fixture);
    found.sort();
    let mut wanted = labels.to_vec();
    wanted.sort_unstable();
    assert_eq!(found, wanted);
}

/// Completion at the cursor offers all of `labels` and none of `others`, whatever else there is.
pub(crate) fn check_offers(fixture: &str, labels: &[&str], others: &[&str]) {
    let found = offered(fixture);
    let is_offered = |label: &&str| found.iter().any(|found| found == label);
    assert_eq!(labels.iter().copied().filter(is_offered).collect::<Vec<_>>(), labels);
    assert_eq!(others.iter().copied().filter(is_offered).collect::<Vec<_>>(), Vec::<&str>::new());
}

/// Completion at the cursor offers these labels, in any order, before all others.
pub(crate) fn check_first(fixture: &str, labels: &[&str]) {
    let test = TestDatabase::new(fixture);
    let items = completion(&test.db, cursor(&test));
    let least = items.iter().map(|item| item.group).min();
    let mut first: Vec<&str> =
        items.iter().filter(|item| Some(item.group) == least).map(|item| item.label.as_str()).collect();
    first.sort_unstable();
    first.dedup();
    assert_eq!(first, labels);
}

/// Taking the completion `label` at the cursor changes the text to `changed`; places to fill in stand as snippets have them.
pub(crate) fn check_completed(fixture: &str, label: &str, changed: &str) {
    let test = TestDatabase::new(fixture);
    let at = cursor(&test);
    let items = completion(&test.db, at);
    let item = items.iter().find(|item| item.label == label).unwrap_or_else(|| panic!("`{label}` is not offered"));
    assert_eq!(completed(&test, item), changed);
}

/// The text after taking a completion at the cursor; places to fill in stand as snippets have them.
pub(crate) fn completed(test: &TestDatabase, item: &CompletionItem) -> String {
    let at = cursor(test);
    let mut text = test.text(at.file);
    // The client replaces the word in front of the cursor.
    let end = at.offset as usize;
    let start = text[..end].rfind(|c: char| c != '_' && !c.is_alphanumeric()).map_or(0, |before| before + 1);
    let replaced = item.replaces.map_or(start..end, range);
    let mut edits: Vec<(Range<usize>, &str)> = vec![(replaced, item.insert_text.as_deref().unwrap_or(&item.label))];
    edits.extend(item.edits.iter().map(|edit| (range(edit.at), edit.text.as_str())));
    edits.sort_by_key(|(range, _)| range.start);
    for (range, with) in edits.into_iter().rev() {
        text.replace_range(range, with);
    }
    text
}

fn offered(fixture: &str) -> Vec<String> {
    let test = TestDatabase::new(fixture);
    completion(&test.db, cursor(&test)).into_iter().map(|item| item.label).collect()
}

/// The signature shown at the cursor is `label`, and its active parameter is spelled `parameter`.
pub(crate) fn check_signature(fixture: &str, label: &str, parameter: &str) {
    let test = TestDatabase::new(fixture);
    let help = signature_help(&test.db, cursor(&test)).unwrap_or_else(|| panic!("no signature in {fixture}"));
    let shown = &help.signatures[help.active_signature as usize];
    let active = help.active_parameter.and_then(|active| shown.parameters.get(active as usize));
    let active = active.map_or("", |range| &shown.label[range.clone()]);
    assert_eq!((shown.label.as_str(), active), (label, parameter));
}

/// The text with each inlay hint in `⟨⟩` where it is shown: the hints of the text without them are just these.
pub(crate) fn check_inlay_hints(shown: &str) {
    let is_hint = |part: &&str| part.contains('⟩');
    let source: String = shown
        .split('⟨')
        .map(|part| if is_hint(&part) { part.split_once('⟩').map_or("", |(_, rest)| rest) } else { part })
        .collect();
    let test = TestDatabase::new(&source);
    let file = test.last_file();
    let mut text = test.text(file);
    let whole = syntax::TextRange::up_to(syntax::TextSize::of(text.as_str()));
    let mut hints = inlay_hints(&test.db, file, whole);
    hints.sort_by_key(|hint| hint.offset);
    for hint in hints.iter().rev() {
        text.insert_str(hint.offset as usize, &format!("⟨{}⟩", hint.label));
    }
    assert_eq!(text, shown);
}

/// The outline of the last file, as names with what is in them in parentheses.
pub(crate) fn check_outline(fixture: &str, outline: &str) {
    fn shown(symbols: &[Symbol]) -> String {
        let one = |symbol: &Symbol| match symbol.children.as_slice() {
            [] => symbol.name.clone(),
            children => format!("{}({})", symbol.name, shown(children)),
        };
        symbols.iter().map(one).collect::<Vec<_>>().join(" ")
    }
    let test = TestDatabase::new(fixture);
    assert_eq!(shown(&document_symbols(&test.db, test.last_file())), outline);
}

pub(crate) fn cursor(test: &TestDatabase) -> FilePosition {
    let (file, offset) = test.cursor();
    FilePosition { file, offset }
}

pub(crate) fn range(at: FileRange) -> Range<usize> {
    at.range.into()
}

/// The text of a file after the edits.
pub(crate) fn edited(text: &str, edits: &[TextEdit], file: SourceFile) -> String {
    let mut text = text.to_owned();
    let mut edits: Vec<&TextEdit> = edits.iter().filter(|edit| edit.at.file == file).collect();
    edits.sort_by_key(|edit| range(edit.at).start);
    for edit in edits.into_iter().rev() {
        text.replace_range(range(edit.at), &edit.text);
    }
    text
}

/// The texts of all files after the edits are those of `changed`.
pub(crate) fn check_edits(test: &TestDatabase, edits: &[TextEdit], changed: &str) {
    let mut shown = String::new();
    for (index, &file) in test.files.iter().enumerate() {
        let text = edited(&test.text(file), edits, file);
        if test.files.len() > 1 {
            shown.push_str(&format!("//- {}\n", test.fixture.files[index].path));
        }
        shown.push_str(&text);
    }
    assert_eq!(shown, changed);
}

/// Each annotation (of one severity, if that is given) covers one of the ranges that were found and `fits` it, and nothing
/// else was found.
fn compare(
    test: &TestDatabase,
    severity: &str,
    found: Vec<(SourceFile, Range<usize>)>,
    fits: impl Fn(&Annotation, usize) -> bool,
) {
    let mut rest: Vec<(usize, (SourceFile, Range<usize>))> = found.into_iter().enumerate().collect();
    let mut missing = Vec::new();
    for (file, parts) in test.files.iter().zip(&test.fixture.files) {
        for annotation in parts.annotations.iter().filter(|one| severity.is_empty() || one.severity == severity) {
            let is_meant = |(index, (found, range)): &(usize, (SourceFile, Range<usize>))| {
                found == file && annotation.covers(&parts.text, range.clone()) && fits(annotation, *index)
            };
            match rest.iter().position(is_meant) {
                Some(position) => drop(rest.remove(position)),
                None => missing.push((&parts.path, annotation)),
            }
        }
    }
    let rest: Vec<String> = rest
        .into_iter()
        .map(|(_, (file, range))| {
            let text = test.text(file);
            let (line, column) = test_support::fixture::line_column(&text, range.start);
            format!("{} line {line} column {column} (from 0): `{}`", file.path(&test.db), &text[range])
        })
        .collect();
    assert!(missing.is_empty() && rest.is_empty(), "not found: {missing:#?}\nfound, but not marked: {rest:#?}");
}
