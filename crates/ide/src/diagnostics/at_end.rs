//! What is missing at the end of a file is shown there, as slangc does: the unexpected token is the end of the file.
//!
//! The rooms below know segments only, and place what is missing behind the last token of one. Which segment is the last
//! with a token is known here.

use ::diagnostics::{Code, codes};
use base_db::Db;
use syntax::{TextRange, TextSize};

use super::Diagnostic;
use crate::FileRange;

/// What is said of the last token then.
pub(super) const MISSING_BEHIND: &str = "it is missing behind this, where the file ends";

/// Moves syntax errors about nothing at all, behind which no token of their file follows, to the end of the file.
pub(super) fn move_there(db: &dyn Db, diagnostics: &mut [Diagnostic]) {
    for diagnostic in diagnostics {
        let FileRange { file, range } = diagnostic.at;
        if !is_about_nothing(diagnostic.code, range) {
            continue;
        }
        let Some(text) = db.text(file) else { continue };
        let Some(rest) = text.rope().get_byte_slice(usize::from(range.start())..) else { continue };
        let end = TextSize::new(text.len() as u32);
        if range.start() < end && is_trivia(rest.chars()) {
            let moved = diagnostic.clone().related(Some(diagnostic.at), MISSING_BEHIND);
            *diagnostic = Diagnostic { at: FileRange { file, range: TextRange::empty(end) }, ..moved };
        }
    }
}

/// Whether a diagnostic is a syntax error about what is missing at a place.
pub(super) fn is_about_nothing(code: Code, range: TextRange) -> bool {
    code == codes::UNEXPECTED_TOKEN && range.is_empty()
}

/// Whether a text is white space and comments. Stops at the first token.
pub(super) fn is_trivia(mut text: impl Iterator<Item = char>) -> bool {
    while let Some(first) = text.next() {
        if first.is_whitespace() {
            continue;
        }
        match (first, text.next()) {
            ('/', Some('/')) => {
                let _ = text.find(|char| *char == '\n');
            }
            ('/', Some('*')) => {
                let mut before = ' ';
                // An unclosed comment reaches to the end.
                let _ = text.find(|char| std::mem::replace(&mut before, *char) == '*' && *char == '/');
            }
            _ => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::is_trivia;

    #[test]
    fn comments_are_trivia() {
        for text in ["", " \n", "// a", "// a\n /* b\n */\n", "/**/", "/* a", "/* ** */ // b"] {
            assert!(is_trivia(text.chars()), "{text}");
        }
        for text in ["a", "// a\nb", "/* a */ b", "/", "/ /", "#endif"] {
            assert!(!is_trivia(text.chars()), "{text}");
        }
    }
}
