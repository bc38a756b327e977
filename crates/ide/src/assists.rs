//! Changes of the program that a position or a selection offers: refactorings, and what no single diagnostic asks for.
//!
//! Each has its file and one function, which answers `None` wherever the program might come to mean something else.

mod auto_import;
mod constructor;
mod current_spelling;
mod custom_derivative;
mod differentiable_chain;
mod extract_function;
mod extract_variable;
mod inline_function;
mod inline_variable;
mod introduce_parameter;
mod missing_cases;
mod remove_unused;

use base_db::{Db, SourceFile};
use hir_def::{
    body::Body,
    expansion,
    item::ItemId,
    position::{self, Location},
    source_map,
};
use hir_ty::infer::result::InferenceResult;
use syntax::{TextRange, TextSize};

use crate::{FilePosition, FileRange, TextEdit, semantics};

/// A change that is offered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assist {
    /// What it does, for a menu.
    pub title: String,
    /// What kind of change it is.
    pub kind: AssistKind,
    /// The change.
    pub edits: Vec<TextEdit>,
}

/// The kinds of changes, as the protocol sorts them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AssistKind {
    /// Mends what is wrong here.
    QuickFix,
    /// Imports what declares a name that means nothing here.
    Import,
    /// Gives a part of the code a name.
    Extract,
    /// Puts what a name stands for in its place.
    Inline,
    /// Writes new code.
    Rewrite,
}

/// Where changes are asked for.
struct Selection<'db> {
    db: &'db dyn Db,
    file: SourceFile,
    /// The selection without the spaces around it; empty for a cursor.
    range: TextRange,
}

/// What is asked, in the order in which it is offered.
const ASSISTS: [fn(&Selection<'_>) -> Vec<Assist>; 12] = [
    auto_import::auto_import,
    missing_cases::missing_cases,
    remove_unused::remove_unused,
    differentiable_chain::differentiable_chain,
    custom_derivative::custom_derivative,
    constructor::constructor,
    extract_variable::extract_variable,
    extract_function::extract_function,
    introduce_parameter::introduce_parameter,
    inline_variable::inline_variable,
    inline_function::inline_function,
    current_spelling::current_spelling,
];

/// The changes that are offered for a selection.
pub fn assists(db: &dyn Db, at: FileRange) -> Vec<Assist> {
    let Some(range) = trimmed(db, at) else { return Vec::new() };
    let place = Selection { db, file: at.file, range };
    ASSISTS.iter().flat_map(|assist| assist(&place)).collect()
}

fn trimmed(db: &dyn Db, at: FileRange) -> Option<TextRange> {
    let text = db.text(at.file)?;
    let end = TextSize::new(u32::try_from(text.rope().len_bytes()).ok()?);
    let range = TextRange::new(at.range.start().min(end), at.range.end().min(end));
    let selected = text.slice(range.into());
    let before = selected.len() - selected.trim_start().len();
    let length = selected.trim().len();
    if length == 0 {
        return Some(TextRange::empty(range.start()));
    }
    Some(TextRange::at(range.start() + TextSize::new(before as u32), TextSize::new(length as u32)))
}

/// A function with its body.
struct Code<'db> {
    db: &'db dyn Db,
    function: ItemId,
    body: &'db Body,
    inferred: &'db InferenceResult,
    map: &'db source_map::BodySourceMap,
}

impl<'db> Selection<'db> {
    fn position(&self) -> FilePosition {
        FilePosition { file: self.file, offset: self.range.start().into() }
    }

    /// The function around the place.
    fn code(&self) -> Option<Code<'db>> {
        self.code_of(semantics::function_at(self.db, self.position())?)
    }

    /// A function that is spelled as it is meant: no macro has a part in it.
    fn code_of(&self, function: ItemId) -> Option<Code<'db>> {
        let code = self.code_with_macros(function);
        let owner = code.map.owner();
        expansion::expanded(self.db, owner.segment, owner.part).map.is_identity().then_some(code)
    }

    /// A function in which macros may have a part: who asks has to see to it that what is changed is [`Code::is_spelled`].
    fn code_with_macros(&self, function: ItemId) -> Code<'db> {
        let map = source_map::body_source_map(self.db, function);
        let (body, inferred) = semantics::body_of(self.db, function);
        Code { db: self.db, function, body, inferred, map }
    }

    /// Whether macros come or go in a range of the file.
    fn defines_macros(&self, range: TextRange) -> bool {
        let Some(text) = self.text(range) else { return true };
        let mut words = text.lines().filter_map(|line| line.trim_start().strip_prefix('#')).map(str::trim_start);
        words.any(|word| ["define", "undef", "include"].iter().any(|defining| word.starts_with(defining)))
    }

    fn text(&self, range: TextRange) -> Option<String> {
        Some(self.db.text(self.file)?.slice(range.into()))
    }

    fn edit(&self, range: TextRange, text: impl Into<String>) -> TextEdit {
        TextEdit { at: FileRange { file: self.file, range }, text: text.into() }
    }

    /// The spaces that the line of an offset begins with, if there is nothing else in front of it.
    fn indentation(&self, offset: TextSize) -> Option<String> {
        let text = self.db.text(self.file)?;
        let rope = text.rope();
        let line = rope.try_line_to_byte(rope.try_byte_to_line(offset.into()).ok()?).ok()?;
        let before = text.slice(line..offset.into());
        before.trim().is_empty().then_some(before)
    }
}

impl Code<'_> {
    /// Whether a range of the file is code of this function as it stands there: no macro and no directive has a part in it.
    fn is_spelled(&self, range: TextRange) -> bool {
        let owner = self.map.owner();
        let map = &expansion::expanded(self.db, owner.segment, owner.part).map;
        if map.is_identity() {
            return true;
        }
        let begin = Location { range: TextRange::empty(TextSize::new(0)), ..owner };
        let begin = position::absolute(self.db, begin).1.start();
        // What another file includes is expanded there.
        owner.segment == self.function.segment(self.db)
            && range.start().checked_sub(begin).is_some_and(|start| map.is_verbatim(TextRange::at(start, range.len())))
    }

    /// The same, for the tokens on both sides of it as well: a macro might take apart what is put there.
    fn is_spelled_around(&self, place: &Selection<'_>, range: TextRange) -> bool {
        let Some(text) = place.db.text(place.file).map(|text| text.rope().to_string()) else { return false };
        let before = text[..range.start().into()].trim_end().len().saturating_sub(1);
        let behind = &text[range.end().into()..];
        let behind = text.len() - behind.trim_start().len() + 1;
        let around = TextRange::new(TextSize::new(before as u32), TextSize::new(behind.min(text.len()) as u32));
        self.is_spelled(around)
    }
}
