//! The tokens as the grammar sees them: without trivia, with keywords looked up and brackets matched.

use crate::{SyntaxKind, lexer::Lexed};

pub(crate) struct Input<'t> {
    text: &'t str,
    tokens: Vec<Token>,
    /// For each bracket the position of its partner, for other tokens and brackets without one `NO_PARTNER`.
    partners: Vec<u32>,
}

#[derive(Clone, Copy)]
struct Token {
    kind: SyntaxKind,
    /// The keyword that an identifier spells; for all others the kind again.
    keyword: SyntaxKind,
    /// Whether nothing stands between this token and the next.
    joint: bool,
    first_on_line: bool,
    start: u32,
    end: u32,
}

const NO_PARTNER: u32 = u32::MAX;

impl<'t> Input<'t> {
    /// The tokens of `text`. With a `hole`, the body of an item is left out before the raw token of that index.
    pub(crate) fn new(text: &'t str, lexed: &Lexed, hole: Option<usize>) -> Input<'t> {
        let mut tokens = Vec::with_capacity(lexed.len());
        let mut first_on_line = true;
        let hole_token = Token {
            kind: SyntaxKind::BODY_HOLE,
            keyword: SyntaxKind::BODY_HOLE,
            joint: false,
            first_on_line: false,
            start: 0,
            end: 0,
        };
        for index in 0..lexed.len() {
            let kind = lexed.kind(index);
            let range = lexed.range(index);
            if hole == Some(index) {
                tokens.push(hole_token);
            }
            if kind.is_trivia() || kind == SyntaxKind::DIRECTIVE {
                first_on_line |= text[range].contains('\n');
                continue;
            }
            let keyword = match kind {
                SyntaxKind::IDENT => SyntaxKind::from_keyword(&text[range.clone()]).unwrap_or(kind),
                _ => kind,
            };
            let next = lexed.kind(index + 1);
            let joint = !next.is_trivia() && next != SyntaxKind::DIRECTIVE;
            let (start, end) = (range.start as u32, range.end as u32);
            tokens.push(Token { kind, keyword, joint, first_on_line, start, end });
            first_on_line = false;
        }
        if hole == Some(lexed.len()) {
            tokens.push(hole_token);
        }
        let partners = match_brackets(&tokens);
        Input { text, tokens, partners }
    }

    pub(crate) fn len(&self) -> usize {
        self.tokens.len()
    }

    pub(crate) fn kind(&self, position: usize) -> SyntaxKind {
        self.tokens.get(position).map_or(SyntaxKind::EOF, |token| token.kind)
    }

    pub(crate) fn keyword(&self, position: usize) -> SyntaxKind {
        self.tokens.get(position).map_or(SyntaxKind::EOF, |token| token.keyword)
    }

    pub(crate) fn is_joint(&self, position: usize) -> bool {
        self.tokens.get(position).is_some_and(|token| token.joint)
    }

    /// Whether a line break stands before this token.
    pub(crate) fn is_first_on_line(&self, position: usize) -> bool {
        self.tokens.get(position).is_some_and(|token| token.first_on_line)
    }

    pub(crate) fn text(&self, position: usize) -> &'t str {
        self.tokens.get(position).map_or("", |token| &self.text[token.start as usize..token.end as usize])
    }

    /// The position of the bracket that belongs to the one here.
    pub(crate) fn matching(&self, position: usize) -> Option<usize> {
        self.partners.get(position).copied().filter(|partner| *partner != NO_PARTNER).map(|partner| partner as usize)
    }
}

/// Matches `()`, `[]` and `{}`. A closing bracket that does not fit ends the open ones inside a brace it fits.
fn match_brackets(tokens: &[Token]) -> Vec<u32> {
    let mut partners = vec![NO_PARTNER; tokens.len()];
    let mut open: Vec<usize> = Vec::new();
    for (position, token) in tokens.iter().enumerate() {
        let opening = match token.kind {
            SyntaxKind::L_PAREN | SyntaxKind::L_BRACKET | SyntaxKind::L_BRACE => {
                open.push(position);
                continue;
            }
            SyntaxKind::R_PAREN => SyntaxKind::L_PAREN,
            SyntaxKind::R_BRACKET => SyntaxKind::L_BRACKET,
            SyntaxKind::R_BRACE => SyntaxKind::L_BRACE,
            _ => continue,
        };
        // A brace is stronger than parentheses and brackets that were left open inside it; they are not stronger
        // than a brace.
        let weaker = |kind: SyntaxKind| kind != SyntaxKind::L_BRACE && opening == SyntaxKind::L_BRACE;
        while let Some(&top) = open.last() {
            let kind = tokens[top].kind;
            if kind == opening {
                partners[top] = position as u32;
                partners[position] = top as u32;
                open.pop();
                break;
            }
            if !weaker(kind) {
                break;
            }
            open.pop();
        }
    }
    partners
}
