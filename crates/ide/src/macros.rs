//! Macros as they are written: their names, and the lines that define them. Read off the texts when somebody asks; what
//! conditions leave out is not told from what counts.

use base_db::{Db, SourceFile};
use hir_def::{expansion, source_map};
use rustc_hash::FxHashSet;
use syntax::{
    SyntaxKind, TextRange, TextSize, lexer,
    preprocess::{Expanded, MacroUse},
};

use crate::{FilePosition, FileRange, mentions::words};

/// Longer expansions are not shown.
const MOST_SHOWN: usize = 2000;

/// A `#define`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Macro {
    pub(crate) name: String,
    /// Where the name is defined.
    pub(crate) at: FileRange,
    /// The whole definition.
    pub(crate) text: String,
}

impl Macro {
    /// Whether it has a list of parameters: a parenthesis directly behind the name.
    pub(crate) fn takes_arguments(&self) -> bool {
        self.text.split_once(self.name.as_str()).is_some_and(|(_, rest)| rest.starts_with('('))
    }
}

/// The macros that a file defines itself, each definition of a name.
pub(crate) fn written_in(db: &dyn Db, file: SourceFile) -> Vec<Macro> {
    let Some(text) = db.text(file) else { return Vec::new() };
    let text = text.rope().to_string();
    let mut start = 0;
    let lines = text.split_inclusive('\n').filter_map(|line| {
        let at = start;
        start += line.len();
        definition(file, &text, at, line)
    });
    lines.collect()
}

/// The macros that are defined in front of a position, in the file and in what it includes; the last definition of each
/// name.
pub(crate) fn macros_before(db: &dyn Db, at: FilePosition) -> Vec<Macro> {
    let mut found = Vec::new();
    let mut seen = FxHashSet::from_iter([at.file]);
    add(db, at.file, at.offset as usize, &mut seen, &mut found);
    let mut names = FxHashSet::default();
    found.reverse();
    found.retain(|found: &Macro| names.insert(found.name.clone()));
    found
}

/// The macro that a name at a position means, and where the name stands.
pub(crate) fn macro_at(db: &dyn Db, at: FilePosition) -> Option<(TextRange, Macro)> {
    let (range, name) = name_at(db, at)?;
    // Its own definition ends behind the name.
    let end = FilePosition { offset: range.end().into(), ..at };
    let found = macros_before(db, end).into_iter().find(|found| found.name == name)?;
    Some((range, found))
}

/// The name at a position where a macro may stand: in a directive, or where the preprocessor saw one.
fn name_at(db: &dyn Db, at: FilePosition) -> Option<(TextRange, String)> {
    let rope = db.text(at.file)?.rope();
    let line = rope.try_byte_to_line(at.offset as usize).ok()?;
    let start = rope.try_line_to_byte(line).ok()?;
    let text = rope.get_line(line)?.to_string();
    let is_word = |c: char| c == '_' || c.is_alphanumeric();
    let offset = (at.offset as usize).checked_sub(start)?;
    let begin = text
        .get(..offset)?
        .rfind(|c: char| !is_word(c))
        .map_or(0, |before| before + text[before..].chars().next().map_or(1, char::len_utf8));
    let length = text.get(begin..)?.find(|c: char| !is_word(c)).unwrap_or(text.len() - begin);
    let name = &text[begin..begin + length];
    let range = TextRange::at(TextSize::new((start + begin) as u32), TextSize::of(name));
    let in_directive = text.trim_start().starts_with('#') && !is_hidden(&text, begin);
    if !name.starts_with(|c: char| c == '_' || c.is_alphabetic()) || !(in_directive || use_at(db, at).is_some()) {
        return None;
    }
    Some((range, name.to_owned()))
}

/// Where a file uses or defines a macro.
pub(crate) fn uses(db: &dyn Db, wanted: &Macro, file: SourceFile) -> Vec<TextRange> {
    let Some(text) = db.text(file) else { return Vec::new() };
    let text = text.rope().to_string();
    let mut found = Vec::new();
    add(db, file, usize::MAX, &mut FxHashSet::from_iter([file]), &mut found);
    found.retain(|found| found.name == wanted.name);
    // Where the name has one definition, no use has to be asked which it means.
    let is_only = found.iter().all(|found| found.at == wanted.at);
    if is_only && found.is_empty() {
        return Vec::new();
    }
    let range = |offset: usize| TextRange::at(TextSize::new(offset as u32), TextSize::of(wanted.name.as_str()));
    let means_it = |offset: &usize| {
        let at = FilePosition { file, offset: *offset as u32 };
        match is_only {
            true => name_at(db, at).is_some(),
            false => macro_at(db, at).is_some_and(|(_, found)| found.at == wanted.at),
        }
    };
    words(&text, &wanted.name).filter(means_it).map(range).collect()
}

/// What becomes of the macro that is used at a position, with its arguments.
pub(crate) fn expansion_at(db: &dyn Db, at: FilePosition) -> Option<String> {
    let (expanded, found) = use_at(db, at)?;
    let (segment, part, _) = source_map::segment_at(db, at.file, TextSize::new(at.offset))?;
    let spelled = expansion::spelled_text(db, segment, part);
    let start = expanded.map.expanded(found.call.start())?;
    let end = expanded.map.expanded(found.call.end())?;
    let text = expanded.text(spelled).get(start.into()..end.into())?.trim();
    (!text.is_empty() && text.len() <= MOST_SHOWN).then(|| text.to_owned())
}

/// The use of a macro at a position, as the preprocessor saw it.
fn use_at(db: &dyn Db, at: FilePosition) -> Option<(&Expanded, &MacroUse)> {
    let (segment, part, offset) = source_map::segment_at(db, at.file, TextSize::new(at.offset))?;
    let expanded = expansion::expanded(db, segment, part);
    let found = expanded.uses.iter().find(|found| found.range.contains_inclusive(offset))?;
    Some((expanded, found))
}

/// Whether the preprocessor saw a macro at a position outside of directives.
pub(crate) fn is_use(db: &dyn Db, at: FilePosition) -> bool {
    use_at(db, at).is_some()
}

/// Whether a place of a line is in a comment or a text.
fn is_hidden(line: &str, place: usize) -> bool {
    let lexed = lexer::directive_tokens(line);
    let token = (0..lexed.len()).find(|index| lexed.range(*index).contains(&place));
    token.is_some_and(|token| matches!(lexed.kind(token), SyntaxKind::COMMENT | SyntaxKind::STRING))
}

fn add(db: &dyn Db, file: SourceFile, end: usize, seen: &mut FxHashSet<SourceFile>, found: &mut Vec<Macro>) {
    let Some(text) = db.text(file) else { return };
    let text = text.rope().to_string();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let at = start;
        start += line.len();
        if at >= end {
            break;
        }
        let Some(directive) = line.trim_start().strip_prefix('#') else { continue };
        let directive = directive.trim_start();
        if directive.starts_with("include") {
            let included = expansion::file_of_directive(db, file, line);
            if let Some(included) = included.filter(|included| seen.insert(*included)) {
                add(db, included, usize::MAX, seen, found);
            }
            continue;
        }
        found.extend(definition(file, &text, at, line).filter(|found| usize::from(found.at.range.end()) <= end));
    }
}

/// What a line of a text defines, if it is a `#define`.
fn definition(file: SourceFile, text: &str, at: usize, line: &str) -> Option<Macro> {
    let directive = line.trim_start().strip_prefix('#')?.trim_start();
    let rest = directive.strip_prefix("define").filter(|rest| rest.starts_with([' ', '\t']))?.trim_start();
    let length = rest.find(|c: char| c != '_' && !c.is_alphanumeric()).unwrap_or(rest.len());
    let offset = at + (line.len() - rest.len());
    let range = TextRange::at(TextSize::new(offset as u32), TextSize::new(length as u32));
    let defined = || Macro { name: rest[..length].to_owned(), at: FileRange { file, range }, text: whole(&text[at..]) };
    (length > 0).then(defined)
}

/// A directive with the lines that it goes on in.
fn whole(text: &str) -> String {
    let mut lines = Vec::new();
    for line in text.lines() {
        let line = line.trim_end();
        lines.push(line);
        if !line.ends_with('\\') {
            break;
        }
    }
    lines.join("\n").trim_start().to_owned()
}
