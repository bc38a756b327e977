//! Renames macros, and the parameters of macros: every definition of the name and every use, or nothing.

use base_db::{Db, Project, SourceFile};
use syntax::{SyntaxKind, TextRange, TextSize, lexer};

use super::safety::place;
use crate::{
    FilePosition, FileRange, TextEdit,
    macros::{self, Macro},
    mentions::{self, words},
};

/// The name at a position, if it is that of a macro or of a macro's parameter.
pub(super) enum Named {
    Macro(Macro),
    /// Of this macro.
    Parameter(Macro, TextRange),
}

impl Named {
    pub(super) fn at(db: &dyn Db, at: FilePosition) -> Option<(TextRange, Named)> {
        if let Some(found) = parameter_at(db, at) {
            return Some(found);
        }
        let (range, found) = macros::macro_at(db, at)?;
        Some((range, Named::Macro(found)))
    }

    pub(super) fn rename(&self, db: &dyn Db, new_name: &str) -> Result<Vec<TextEdit>, String> {
        match self {
            Named::Macro(found) => rename_macro(db, found, new_name),
            Named::Parameter(of, name) => rename_parameter(db, of, *name, new_name),
        }
    }
}

/// Where the definition of a macro is, behind its name.
fn rest_of(db: &dyn Db, found: &Macro) -> Option<(TextRange, String)> {
    let text = db.text(found.at.file)?.rope().to_string();
    let start = usize::from(found.at.range.end());
    let mut end = start;
    for line in text[start..].split_inclusive('\n') {
        end += line.len();
        if !line.trim_end().ends_with('\\') {
            break;
        }
    }
    let range = TextRange::new(TextSize::new(start as u32), TextSize::new(end as u32));
    Some((range, text[start..end].to_owned()))
}

/// Where the parameters of a macro stand in what follows its name.
fn parameters(rest: &str) -> Option<&str> {
    rest.strip_prefix('(').and_then(|inside| inside.split_once(')')).map(|(inside, _)| inside)
}

fn parameter_at(db: &dyn Db, at: FilePosition) -> Option<(TextRange, Named)> {
    is_in_directive(db, at).then_some(())?;
    macros::written_in(db, at.file).into_iter().find_map(|found| {
        let (range, rest) = rest_of(db, &found)?;
        range.contains_inclusive(TextSize::new(at.offset)).then_some(())?;
        let inside = parameters(&rest)?;
        inside.split(',').map(str::trim).filter(|name| !name.is_empty()).find_map(|name| {
            let uses = uses_in(&rest, name, range.start());
            let here = uses.into_iter().find(|place| place.contains_inclusive(TextSize::new(at.offset)))?;
            Some((here, Named::Parameter(found.clone(), here)))
        })
    })
}

/// Whether the line of a position, or the first of those that it goes on from, may be one of the preprocessor.
fn is_in_directive(db: &dyn Db, at: FilePosition) -> bool {
    let Some(rope) = db.text(at.file).map(|text| text.rope()) else { return false };
    let Ok(last) = rope.try_byte_to_line(at.offset as usize) else { return false };
    let line = |number: usize| rope.get_line(number).map(|line| line.to_string()).unwrap_or_default();
    let before = (0..last).rev().map(line).take_while(|line| line.trim_end().ends_with('\\'));
    std::iter::once(line(last)).chain(before).any(|line| line.trim_start().starts_with('#'))
}

/// Where a definition mentions a word, outside of comments and texts.
fn uses_in(rest: &str, name: &str, start: TextSize) -> Vec<TextRange> {
    let lexed = lexer::directive_tokens(rest);
    let is_hidden = |offset: usize| {
        let token = (0..lexed.len()).find(|index| lexed.range(*index).contains(&offset));
        token.is_some_and(|token| matches!(lexed.kind(token), SyntaxKind::COMMENT | SyntaxKind::STRING))
    };
    let range = |offset: usize| TextRange::at(start + TextSize::new(offset as u32), TextSize::of(name));
    words(rest, name).filter(|offset| !is_hidden(*offset)).map(range).collect()
}

fn rename_parameter(db: &dyn Db, of: &Macro, name: TextRange, new_name: &str) -> Result<Vec<TextEdit>, String> {
    let missing = || format!("`{}` is not known any more", of.name);
    let (range, rest) = rest_of(db, of).ok_or_else(missing)?;
    let old = rest[usize::from(name.start() - range.start())..usize::from(name.end() - range.start())].to_owned();
    if words(&rest, new_name).next().is_some() || new_name == of.name {
        return Err(format!("`{new_name}` means something in the definition of `{}` already", of.name));
    }
    let edit = |range: TextRange| TextEdit { at: FileRange { file: of.at.file, range }, text: new_name.to_owned() };
    Ok(uses_in(&rest, &old, range.start()).into_iter().map(edit).collect())
}

fn rename_macro(db: &dyn Db, found: &Macro, new_name: &str) -> Result<Vec<TextEdit>, String> {
    let by_option = Project::try_get(db).map(|project| project.macro_definitions(db).iter());
    if by_option.into_iter().flatten().any(|(name, _)| **name == *found.name) {
        return Err(format!("`{}` is a macro by an option", found.name));
    }
    let files = mentions::files_that_spell(db, &found.name);
    // Whatever has the new name would become the macro, or the macro would become it.
    let taken = mentions::find_in(db, &files, |db, file| {
        let text = db.text(file).map(|text| text.rope().to_string()).unwrap_or_default();
        let at = words(&text, new_name).next();
        at.map(|at| place(db, file, TextRange::empty(TextSize::new(at as u32)))).into_iter().collect()
    });
    if let Some(place) = taken.first() {
        return Err(format!("`{new_name}` is written at {place} already"));
    }
    let uses = mentions::find_in(db, &files, |db, file| vec![uses_of(db, found, file)]);
    let mut edits = Vec::new();
    for found in uses {
        edits.extend(found?);
    }
    Ok(edits.into_iter().map(|at| TextEdit { at, text: new_name.to_owned() }).collect())
}

/// Every place of a file that names a macro; an error where it is not known whether the name does.
fn uses_of(db: &dyn Db, found: &Macro, file: SourceFile) -> Result<Vec<FileRange>, String> {
    let Some(text) = db.text(file).map(|text| text.rope().to_string()) else { return Ok(Vec::new()) };
    let lexed = lexer::lex(&text);
    let mut uses = Vec::new();
    for index in 0..lexed.len() {
        let (kind, token) = (lexed.kind(index), &text[lexed.range(index)]);
        let start = TextSize::new(lexed.range(index).start as u32);
        match kind {
            SyntaxKind::DIRECTIVE => uses.extend(uses_in(token, &found.name, start)),
            SyntaxKind::IDENT if token == found.name => {
                let range = TextRange::at(start, TextSize::of(token));
                if !macros::is_use(db, FilePosition { file, offset: start.into() }) {
                    return Err(format!(
                        "what `{token}` means at {} is not known: it is not a use of the macro there, or a condition excludes it",
                        place(db, file, range)
                    ));
                }
                uses.push(range);
            }
            _ => {}
        }
    }
    Ok(uses.into_iter().map(|range| FileRange { file, range }).collect())
}
