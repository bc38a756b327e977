//! Kinds of tokens and nodes, and the rowan language they form.

mod generated;

use diagnostics::stack;
use rowan::{GreenNodeData, GreenTokenData, NodeOrToken, TextRange, TextSize};

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

/// The range of a node without the blanks and comments around it; `None` if there is nothing else. It is asked of every
/// node that is lowered, so it looks at the green tree, which takes no allocation for each token.
pub fn code_range(node: &SyntaxNode) -> Option<TextRange> {
    let green = node.green();
    let (before, behind) = (blanks_before(&green)?, blanks_behind(&green)?);
    let whole = node.text_range();
    Some(TextRange::new(whole.start() + before, whole.end() - behind))
}

/// The end of [`code_range`], for which the front of the tree is not looked at.
pub fn code_end(node: &SyntaxNode) -> TextSize {
    let behind = blanks_behind(&node.green()).unwrap_or_else(|| node.text_range().len());
    node.text_range().end() - behind
}

/// How much of a tree lies before its first token that is not trivia. Nodes inside may be empty.
fn blanks_before(green: &GreenNodeData) -> Option<TextSize> {
    let mut before = TextSize::new(0);
    for child in green.children() {
        match child {
            NodeOrToken::Node(node) => match stack::deep(|| blanks_before(node)) {
                Some(inside) => return Some(before + inside),
                None => before += node.text_len(),
            },
            NodeOrToken::Token(token) if is_trivia(token) => before += token.text_len(),
            NodeOrToken::Token(_) => return Some(before),
        }
    }
    None
}

fn blanks_behind(green: &GreenNodeData) -> Option<TextSize> {
    let mut behind = TextSize::new(0);
    for child in green.children().rev() {
        match child {
            NodeOrToken::Node(node) => match stack::deep(|| blanks_behind(node)) {
                Some(inside) => return Some(behind + inside),
                None => behind += node.text_len(),
            },
            NodeOrToken::Token(token) if is_trivia(token) => behind += token.text_len(),
            NodeOrToken::Token(_) => return Some(behind),
        }
    }
    None
}

fn is_trivia(token: &GreenTokenData) -> bool {
    SyntaxKind::from_raw(token.kind().0).is_trivia()
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
