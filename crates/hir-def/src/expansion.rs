//! What the preprocessor makes of the segments: macro environments, expanded texts, and where they are spelled.
//!
//! Each segment is expanded on its own, from the state that the segments before it leave behind. The states of a file
//! come from its directives alone, so an edit in code without directives never changes them. An `#include` brings the
//! included text into the segment of the directive, which so declares what the file says, under the macros defined there.

mod host;
mod joins;
mod state;

use ::diagnostics::{Severity, codes};
use base_db::{Db, Project, Segment, SourceFile, text::Part};
use syntax::{
    TextRange,
    preprocess::{self, Expanded, NoFiles},
};

use crate::{modules, position::Location};

use host::FileHost;
use joins::joined_text;
pub(crate) use state::directives;
use state::{State, states_before};

pub use host::resolve_include;
pub(crate) use joins::{Join, join};

/// The expansion of a segment's header or body; its `env` is empty.
pub fn expanded(db: &dyn Db, segment: Segment, part: Part) -> &Expanded {
    match (part, join(db, segment)) {
        (Part::Header, Join::Alone) => expanded_header(db, segment),
        (Part::Body, Join::Alone) => expanded_body(db, segment),
        (Part::Header, Join::First) => expanded_run(db, segment),
        (Part::Body, Join::First) | (_, Join::Within(_)) => Expanded::nothing(),
    }
}

/// Whether a segment shares its expansion with others.
pub fn is_joined(db: &dyn Db, segment: Segment) -> bool {
    join(db, segment) != Join::Alone
}

/// Whether a segment has a body that is expanded and parsed by itself.
pub(crate) fn has_body(db: &dyn Db, segment: Segment) -> bool {
    segment.has_body(db) && !is_joined(db, segment)
}

/// The text that is parsed.
pub fn expanded_text(db: &dyn Db, segment: Segment, part: Part) -> &str {
    expanded(db, segment, part).text(spelled_text(db, segment, part))
}

/// What the locations of a segment's part are places in.
pub fn spelled_text(db: &dyn Db, segment: Segment, part: Part) -> &str {
    match (part, join(db, segment)) {
        (Part::Header, Join::Alone) => segment.header(db),
        (Part::Body, Join::Alone) => segment.body(db),
        (Part::Header, Join::First) => joined_text(db, segment),
        (Part::Body, Join::First) | (_, Join::Within(_)) => "",
    }
}

/// Of the header alone, whatever it is part of.
#[salsa::tracked]
fn expanded_header(db: &dyn Db, segment: Segment) -> Expanded {
    expand(db, segment, Part::Header, segment.header(db), &states_before(db, segment).header)
}

#[salsa::tracked]
fn expanded_body(db: &dyn Db, segment: Segment) -> Expanded {
    expand(db, segment, Part::Body, segment.body(db), &states_before(db, segment).body)
}

/// Of the run of segments that this one begins.
#[salsa::tracked]
fn expanded_run(db: &dyn Db, segment: Segment) -> Expanded {
    expand(db, segment, Part::Header, joined_text(db, segment), &states_before(db, segment).header)
}

fn expand(db: &dyn Db, segment: Segment, part: Part, text: &str, state: &State) -> Expanded {
    if modules::is_prelude(db, segment.file(db)) {
        return preprocess::expand(text, &Default::default(), &NoFiles);
    }
    let host = FileHost::of_segment(db, segment, part, text, state);
    let mut expanded = preprocess::expand(text, &state.env, &host);
    // The states of the file know the environment after the text. Without it, a new definition leaves the expansions
    // of texts that do not use it equal.
    expanded.env = Default::default();
    expanded
}

/// Whether the segment's code counts: not inside the branch of an `#if` that is not taken.
#[salsa::tracked(returns(copy))]
pub fn is_active(db: &dyn Db, segment: Segment) -> bool {
    states_before(db, segment).header.env.is_active() && !matches!(join(db, segment), Join::Within(_))
}

/// The code of a segment and its members that conditions exclude, directives not included.
pub fn inactive(db: &dyn Db, segment: Segment) -> Vec<Location> {
    let mut found = Vec::new();
    let mut pending = vec![segment];
    while let Some(segment) = pending.pop() {
        pending.extend(segment.members(db).iter().rev());
        if segment.has_directives(db) || is_joined(db, segment) || !is_active(db, segment) {
            for part in [Part::Header, Part::Body] {
                let ranges = expanded(db, segment, part).inactive.iter();
                found.extend(ranges.map(|&range| Location { segment, part, range }));
            }
        }
    }
    found
}

/// Whether the segment brings in the text of other files.
pub fn has_includes(db: &dyn Db, segment: Segment) -> bool {
    segment.has_directives(db) && !expanded(db, segment, Part::Header).includes.is_empty()
}

/// Whether the segment is an `#include` of a file that is not found.
pub(crate) fn lacks_include(db: &dyn Db, segment: Segment) -> bool {
    expanded_header(db, segment).diagnostics.iter().any(|finding| finding.code == codes::INCLUDE_NOT_FOUND)
}

/// Where a range of the expanded text is spelled. What an `#include` brought in is in the included file; its location is
/// relative to the beginning of that file.
pub fn spelled(db: &dyn Db, segment: Segment, part: Part, range: TextRange) -> Location {
    let expanded = expanded(db, segment, part);
    let here = Location { segment, part, range: spelled_here(db, segment, part, range) };
    if expanded.includes.is_empty() {
        return here;
    }
    let mut spelling = expanded.map.spelled(range);
    if spelling.include.is_none() {
        // A range that goes on after the included text is shown where it begins.
        let first = TextRange::at(range.start(), range.len().min(1.into()));
        spelling = expanded.map.spelled(first);
    }
    let mut file = segment.file(db);
    let mut expanded = expanded;
    let mut location = here;
    while let Some((index, inside)) = spelling.include {
        let Some(include) = expanded.includes.get(index as usize) else { break };
        let Some(included) = resolve_include(db, file, &include.path) else { break };
        let Some(first) = included.segments(db).first() else { break };
        expanded = &include.expanded;
        spelling = expanded.map.spelled(inside);
        file = included;
        location = Location { segment: *first, part: Part::Header, range: spelling.range };
    }
    location
}

/// Where a range of the expanded text is spelled in its own segment: included text at the `#include`.
pub fn spelled_here(db: &dyn Db, segment: Segment, part: Part, range: TextRange) -> TextRange {
    expanded(db, segment, part).map.spelled(range).range
}

/// What the preprocessor complains about.
pub(crate) fn diagnostics(db: &dyn Db, segment: Segment, part: Part) -> Vec<::diagnostics::Diagnostic<Location>> {
    let diagnostic =
        |code, range, message: String| ::diagnostics::Diagnostic::new(code, Location { segment, part, range }, message);
    let mut found = Vec::new();
    let file = segment.file(db);
    let expanded = expanded(db, segment, part);
    for finding in &expanded.diagnostics {
        found.push(diagnostic(finding.code, finding.at, finding.message.clone()));
    }
    // What is wrong inside of included files is said at the `#include`: they have no segments here.
    for include in &expanded.includes {
        let Some(included) = resolve_include(db, file, &include.path) else { continue };
        if let Some((path, finding)) = first_error_within(db, included, &include.expanded) {
            // Where the file lies differs from machine to machine.
            let name = path.rsplit('/').next().unwrap_or(&path);
            let message = format!("in '{name}': {}", finding.message);
            found.push(diagnostic(finding.code, include.directive, message));
        }
    }
    let is_last = part == Part::Header && file.segments(db).last() == Some(&segment);
    if is_last && state::ends_in_conditional(db, file) {
        let end = TextRange::empty((segment.header(db).len() as u32).into());
        let message = "an `#if` is not closed by `#endif`".to_owned();
        found.push(diagnostic(codes::UNTERMINATED_CONDITIONAL, end, message));
    }
    found
}

/// The first error of the preprocessor in an included file or those that it includes, with the file that it is in.
fn first_error_within<'db>(
    db: &'db dyn Db,
    file: SourceFile,
    expanded: &'db Expanded,
) -> Option<(String, &'db preprocess::Diagnostic)> {
    let own = expanded.diagnostics.iter().find(|finding| finding.severity == Severity::Error);
    if let Some(finding) = own {
        return Some((file.path(db).to_string(), finding));
    }
    expanded.includes.iter().find_map(|include| {
        let included = resolve_include(db, file, &include.path)?;
        first_error_within(db, included, &include.expanded)
    })
}

/// The known files that a file's directives name, whether their conditions hold or not.
pub fn named_in_directives(db: &dyn Db, file: SourceFile) -> Vec<SourceFile> {
    paths_in_directives(db, file).iter().filter_map(|path| host::file_named(db, file, path)).collect()
}

/// The files that a segment brings in, directly or not, each once.
pub fn included_files(db: &dyn Db, segment: Segment) -> Vec<SourceFile> {
    let mut found = Vec::new();
    if has_includes(db, segment) {
        let mut pending = vec![(segment.file(db), expanded(db, segment, Part::Header))];
        while let Some((from, expanded)) = pending.pop() {
            for include in &expanded.includes {
                let Some(file) = resolve_include(db, from, &include.path) else { continue };
                if !found.contains(&file) {
                    found.push(file);
                }
                pending.push((file, &include.expanded));
            }
        }
    }
    found
}

/// The file that an `#include` line of a file brings in, or would if its condition held. For answers: `line` is not tracked.
pub fn file_of_directive(db: &dyn Db, file: SourceFile, line: &str) -> Option<SourceFile> {
    host::file_named(db, file, included_paths(line).next()?)
}

/// The paths of the files that a file's directives may ask for, in alphabetical order, each once. A query, because it is
/// asked after every edit.
#[salsa::tracked(returns(deref))]
pub(crate) fn paths_in_directives(db: &dyn Db, file: SourceFile) -> Box<[String]> {
    let mut paths: Vec<String> = Vec::new();
    let mut by_macro = false;
    for (_, text) in state::directive_texts(db, file) {
        paths.extend(included_paths(text).map(str::to_owned));
        by_macro |= includes_by_macro(text);
    }
    if by_macro {
        for (_, text) in state::directive_texts(db, file) {
            paths.extend(defined_paths(text).map(str::to_owned));
        }
        let given = Project::try_get(db).map(|project| project.macro_definitions(db).clone()).unwrap_or_default();
        paths.extend(given.iter().filter_map(|(_, value)| quoted(value)).map(str::to_owned));
    }
    paths.sort();
    paths.dedup();
    paths.into()
}

/// The paths that directives name, whether they count or not.
fn included_paths(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter_map(|line| {
        // A file may begin with a byte order mark, which is no white space.
        let directive = line.trim_start_matches('\u{feff}').trim_start().strip_prefix('#')?.trim_start();
        let operand = match directive.strip_prefix("include") {
            Some(operand) => operand,
            None => directive.split_once("__has_include")?.1.trim_start().strip_prefix('(')?,
        };
        quoted(operand)
    })
}

/// The path that a text begins with, in quotes or angle brackets.
fn quoted(text: &str) -> Option<&str> {
    let text = text.trim_start();
    let close = match text.chars().next()? {
        '"' => '"',
        '<' => '>',
        _ => return None,
    };
    text[1..].split_once(close).map(|(path, _)| path)
}

/// Whether a macro says what is included: `#include SCENE_FILE`.
fn includes_by_macro(text: &str) -> bool {
    let mut operands = text.lines().filter_map(|line| operand(line, "include"));
    operands.any(|operand| operand.starts_with(|first: char| first.is_alphabetic() || first == '_'))
}

/// The paths that macros stand for: `#define SCENE_FILE "scene.slang"`.
fn defined_paths(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter_map(|line| quoted(operand(line, "define")?.split_once(char::is_whitespace)?.1))
}

/// What stands behind a directive.
fn operand<'a>(line: &'a str, directive: &str) -> Option<&'a str> {
    Some(line.trim_start().strip_prefix('#')?.trim_start().strip_prefix(directive)?.trim_start())
}
