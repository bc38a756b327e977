//! Kinds of tokens and nodes, and the rowan language they form.

mod generated;

use generated::PUNCTUATION;
pub use generated::{KEYWORDS, SyntaxKind};

/// Slang as a rowan language.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SlangLanguage {}

/// A node of a tree of Slang.
pub type SyntaxNode = rowan::SyntaxNode<SlangLanguage>;
/// A token of a tree of Slang.
pub type SyntaxToken = rowan::SyntaxToken<SlangLanguage>;
/// A node or a token.
pub type SyntaxElement = rowan::SyntaxElement<SlangLanguage>;
/// The nodes directly below a node.
pub type SyntaxNodeChildren = rowan::SyntaxNodeChildren<SlangLanguage>;
/// A walk over all that is below a node, which says where it enters and leaves.
pub type PreorderWithTokens = rowan::api::PreorderWithTokens<SlangLanguage>;

impl rowan::Language for SlangLanguage {
    type Kind = SyntaxKind;

    fn kind_from_raw(raw: rowan::SyntaxKind) -> SyntaxKind {
        SyntaxKind::from_raw(raw.0)
    }

    fn kind_to_raw(kind: SyntaxKind) -> rowan::SyntaxKind {
        rowan::SyntaxKind(kind as u16)
    }
}

impl From<SyntaxKind> for rowan::SyntaxKind {
    fn from(kind: SyntaxKind) -> rowan::SyntaxKind {
        rowan::SyntaxKind(kind as u16)
    }
}

impl SyntaxKind {
    /// The keyword with this text. Keywords are contextual, so the token may still be a name.
    pub fn from_keyword(text: &str) -> Option<SyntaxKind> {
        let index = KEYWORDS.binary_search_by_key(&text, |(word, _)| word).ok()?;
        Some(KEYWORDS[index].1)
    }

    /// The text of a keyword or punctuation token.
    pub fn fixed_text(self) -> Option<&'static str> {
        [PUNCTUATION, KEYWORDS].into_iter().find_map(|table| {
            let (_, first) = table.first()?;
            let index = (self as usize).checked_sub(*first as usize)?;
            table.get(index).map(|(text, _)| *text)
        })
    }

    /// Whitespace and comments, which the parser does not see.
    pub fn is_trivia(self) -> bool {
        matches!(self, SyntaxKind::WHITESPACE | SyntaxKind::COMMENT)
    }

    /// Trees are built from our own kinds alone, so the fallback is never taken.
    fn from_raw(raw: u16) -> SyntaxKind {
        generated::ALL.get(raw as usize).copied().unwrap_or(SyntaxKind::ERROR)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_kinds_are_their_positions() {
        for (index, kind) in generated::ALL.iter().enumerate() {
            assert_eq!(*kind as usize, index, "{kind:?}");
        }
    }

    #[test]
    fn keywords_are_found_by_their_text() {
        for (text, kind) in KEYWORDS {
            assert_eq!(SyntaxKind::from_keyword(text), Some(*kind));
            assert_eq!(kind.fixed_text(), Some(*text));
            assert!(kind.is_keyword());
        }
        for (text, kind) in PUNCTUATION {
            assert_eq!(kind.fixed_text(), Some(*text));
        }
        for kind in [SyntaxKind::TOMBSTONE, SyntaxKind::IDENT, SyntaxKind::ERROR, SyntaxKind::SOURCE_FILE] {
            assert_eq!(kind.fixed_text(), None);
        }
        assert!(!SyntaxKind::IDENT.is_keyword());
        assert!(!SyntaxKind::SOURCE_FILE.is_keyword());
    }
}
