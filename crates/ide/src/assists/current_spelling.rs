//! Writes what has another name today as it is written today, there or in the whole file.

use syntax::{SyntaxKind, TextRange, TextSize, lexer};

use super::{Assist, AssistKind, Selection};
use crate::{
    FilePosition, TextEdit,
    semantics::{self, Definition, in_prelude},
};

/// Words of older programs, and what they are called today.
const WORDS: [(&str, &str); 3] =
    [("__fwd_diff", "fwd_diff"), ("__bwd_diff", "bwd_diff"), ("BackwardDifferentiable", "Differentiable")];

/// Accessors of pairs, and the fields that say the same.
const ACCESSORS: [(&str, &str); 2] = [("getPrimal", "p"), ("getDifferential", "d")];

pub(super) fn current_spelling(place: &Selection<'_>) -> Vec<Assist> {
    converted(place).unwrap_or_default()
}

fn converted(place: &Selection<'_>) -> Option<Vec<Assist>> {
    let is_old = |word: &str| WORDS.iter().chain(&ACCESSORS).any(|(old, _)| *old == word);
    // Most places have none of these words, and the text around need not be read as tokens.
    if !is_old(&word(place)?) {
        return None;
    }
    let text = place.db.text(place.file)?.rope().to_string();
    let lexed = lexer::lex(&text);
    let words: Vec<TextRange> = (0..lexed.len())
        .filter(|index| lexed.kind(*index) == SyntaxKind::IDENT && is_old(&text[lexed.range(*index)]))
        .map(|index| lexed.range(index))
        .map(|range| TextRange::at(TextSize::new(range.start as u32), TextSize::new(range.len() as u32)))
        .collect();
    let here = words.iter().find(|range| range.contains_range(place.range))?;
    let (edit, new) = conversion(place, &text, *here)?;
    let old = &text[std::ops::Range::<usize>::from(*here)];
    let assist = |title: String, edits: Vec<TextEdit>| Assist { title, kind: AssistKind::Rewrite, edits };
    let mut assists = vec![assist(format!("Write `{old}` as `{new}`"), vec![edit])];
    let all: Vec<TextEdit> = words.iter().filter_map(|range| Some(conversion(place, &text, *range)?.0)).collect();
    if all.len() > 1 {
        assists.push(assist(format!("Convert all {} older spellings in this file", all.len()), all));
    }
    Some(assists)
}

/// The word at the beginning of what is selected.
fn word(place: &Selection<'_>) -> Option<String> {
    let rope = place.db.text(place.file)?.rope();
    let at = rope.try_byte_to_char(place.range.start().into()).ok()?;
    let is_word = |letter: &char| *letter == '_' || letter.is_alphanumeric();
    let before: Vec<char> = rope.get_chars_at(at)?.reversed().take_while(is_word).collect();
    Some(before.into_iter().rev().chain(rope.get_chars_at(at)?.take_while(is_word)).collect())
}

/// The change of an older word, and what it is called today.
fn conversion(place: &Selection<'_>, text: &str, at: TextRange) -> Option<(TextEdit, &'static str)> {
    let old = &text[std::ops::Range::<usize>::from(at)];
    let today = |table: &[(&str, &'static str)]| table.iter().find(|(word, _)| *word == old).map(|(_, new)| *new);
    if let Some(new) = today(&WORDS) {
        return Some((place.edit(at, new), new));
    }
    let new = today(&ACCESSORS)?;
    let call = text[at.end().into()..].strip_prefix("()")?;
    let of = semantics::find(place.db, FilePosition { file: place.file, offset: at.start().into() })?;
    // What is called on is a pair, and not a type of the user with such a method.
    let is_of_pair = matches!(of.definition, Definition::Item(item) if in_prelude(place.db, item));
    let end = TextSize::new((text.len() - call.len()) as u32);
    is_of_pair.then(|| (place.edit(TextRange::new(at.start(), end), new), new))
}
