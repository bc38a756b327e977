//! Members that a type's interfaces require and it lacks, written out.

use base_db::Db;

use syntax::{SyntaxKind, TextRange, TextSize, lexer};

use super::{CompletionItem, CompletionKind, WANTED, calls, plain};
use crate::{
    FilePosition, FileRange, TextEdit,
    missing_members::{self, Wanted},
    symbols::SymbolKind,
    text_before::text_before,
};

/// What may be declared at a position of a type. The declaration takes the place of what is written of it.
pub(super) fn stubs(db: &dyn Db, at: FilePosition) -> Vec<CompletionItem> {
    let Some(begun) = begun(&text_before(db, at)) else { return Vec::new() };
    let end = at.offset - begun.name as u32;
    let range = TextRange::new(TextSize::new(end - begun.before as u32), TextSize::new(end));
    let removed = TextEdit { at: FileRange { file: at.file, range }, text: String::new() };
    let edits: Vec<TextEdit> = Some(removed).filter(|removed| !removed.at.range.is_empty()).into_iter().collect();
    let wanted = if begun.is_override { Wanted::Overridable } else { Wanted::Missing };
    let stubs = missing_members::stubs_at(db, at, wanted).into_iter();
    stubs
        .map(|stub| CompletionItem {
            detail: Some(format!("required by {}", stub.interface)),
            insert_text: Some(format!("{}$0", calls::escaped(stub.text.trim_end()))),
            is_snippet: true,
            edits: edits.clone(),
            ..plain(&stub.name, CompletionKind::Symbol(SymbolKind::Method), WANTED)
        })
        .collect()
}

/// How much of a declaration is written in front of a position.
struct Begun {
    /// What the client replaces: the word at the position.
    name: usize,
    /// Modifiers and the type in front of it.
    before: usize,
    is_override: bool,
}

/// `None` where the name of the declaration is written already.
fn begun(text: &str) -> Option<Begun> {
    let lexed = lexer::lex(text);
    let name = text.len() - text.trim_end_matches(|c: char| c == '_' || c.is_alphanumeric()).len();
    let end = text.len() - name;
    let mut begun = Begun { name, before: 0, is_override: false };
    for index in (0..lexed.len()).rev() {
        let range = lexed.range(index);
        if range.start >= end || lexed.kind(index).is_trivia() {
            continue;
        }
        match &text[range.clone()] {
            "{" | "}" | ";" => break,
            "(" | ")" | "=" | ":" | "," => return None,
            _ if lexed.kind(index) == SyntaxKind::DIRECTIVE => break,
            token => begun.is_override |= token == "override",
        }
        begun.before = end - range.start;
    }
    Some(begun)
}
