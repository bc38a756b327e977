//! Text to tokens: lossless, total, context-free.
//!
//! Keywords come out as identifiers (they are contextual in Slang). `>` is always a single token, so that
//! `A<B<C>>` needs no splitting; the parser joins adjacent ones into `>>`, `>=` and `>>=`. A preprocessor directive
//! is one token of kind `DIRECTIVE` over its whole logical line; [`directive_tokens`] looks inside.

mod literal;

use std::{borrow::Cow, ops::Range};

use diagnostics::Code;
use diagnostics::codes;
use logos::Logos;

use crate::{SyntaxError, SyntaxKind, TextRange, TextSize};

/// The tokens of a text, in order and without gaps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lexed {
    kinds: Vec<SyntaxKind>,
    /// One more than there are tokens: the last is the length of the text.
    starts: Vec<u32>,
    /// What is wrong with the text.
    pub errors: Vec<SyntaxError>,
}

impl Lexed {
    /// The number of tokens.
    pub fn len(&self) -> usize {
        self.kinds.len()
    }

    /// Whether there is no token.
    pub fn is_empty(&self) -> bool {
        self.kinds.is_empty()
    }

    /// The kind of the token with this number.
    pub fn kind(&self, index: usize) -> SyntaxKind {
        self.kinds.get(index).copied().unwrap_or(SyntaxKind::EOF)
    }

    /// The token that begins at this offset, or the first after it.
    pub fn index_at(&self, offset: usize) -> usize {
        self.starts.partition_point(|start| (*start as usize) < offset).min(self.kinds.len())
    }

    /// The bytes of a token; empty at the end of the text for an index after the last.
    pub fn range(&self, index: usize) -> Range<usize> {
        let last = self.kinds.len();
        self.starts[index.min(last)] as usize..self.starts[(index + 1).min(last)] as usize
    }
}

/// Cuts `text` into tokens.
pub fn lex(text: &str) -> Lexed {
    Lexing::new(text, true).run()
}

/// The tokens inside a directive's text (`#define A 1`), where a `#` does not begin another directive.
pub fn directive_tokens(text: &str) -> Lexed {
    Lexing::new(text, false).run()
}

/// A token without the ends of lines that cut it.
pub fn unfolded(text: &str) -> Cow<'_, str> {
    if text.contains("\\\n") || text.contains("\\\r\n") {
        Cow::Owned(text.replace("\\\r\n", "").replace("\\\n", ""))
    } else {
        Cow::Borrowed(text)
    }
}

struct Lexing<'t> {
    text: &'t str,
    raw: logos::Lexer<'t, RawToken>,
    directives: bool,
    at_line_start: bool,
    out: Lexed,
}

impl<'t> Lexing<'t> {
    fn new(text: &'t str, directives: bool) -> Self {
        let out = Lexed { kinds: Vec::new(), starts: Vec::new(), errors: Vec::new() };
        Lexing { text, raw: RawToken::lexer(text), directives, at_line_start: true, out }
    }

    fn run(mut self) -> Lexed {
        while let Some(token) = self.raw.next() {
            let start = self.raw.span().start;
            match token {
                Ok(RawToken::Newline) => {
                    self.push_whitespace(start);
                    self.at_line_start = true;
                }
                Ok(RawToken::Space) => {
                    self.push_whitespace(start);
                    self.check_continuation();
                }
                Ok(RawToken::Hash) if self.directives && self.at_line_start => self.directive(start),
                Ok(RawToken::SwizzledNumber) => {
                    self.at_line_start = false;
                    let dot = start + self.raw.slice().find('.').unwrap_or(0);
                    self.push(SyntaxKind::INT_NUMBER, start);
                    self.push(SyntaxKind::DOT, dot);
                    self.push(SyntaxKind::IDENT, dot + 1);
                }
                Ok(token) => {
                    if !matches!(token, RawToken::Comment) {
                        self.at_line_start = false;
                    }
                    self.push(token.kind(), start);
                    self.check(token);
                }
                Err(()) => {
                    self.at_line_start = false;
                    self.push(SyntaxKind::LEX_ERROR, start);
                    self.error(codes::ILLEGAL_CHARACTER, "unexpected character");
                }
            }
        }
        self.out.starts.push(self.text.len() as u32);
        self.out
    }

    fn push(&mut self, kind: SyntaxKind, start: usize) {
        self.out.kinds.push(kind);
        self.out.starts.push(start as u32);
    }

    fn push_whitespace(&mut self, start: usize) {
        if self.out.kinds.last() != Some(&SyntaxKind::WHITESPACE) {
            self.push(SyntaxKind::WHITESPACE, start);
        }
    }

    /// Takes the rest of the logical line. Block comments and raw strings may continue it over several lines.
    fn directive(&mut self, start: usize) {
        self.push(SyntaxKind::DIRECTIVE, start);
        while let Some(token) = self.raw.next() {
            if token == Ok(RawToken::Newline) {
                self.push_whitespace(self.raw.span().start);
                return;
            }
            if token == Ok(RawToken::Space) {
                self.check_continuation();
            }
            if matches!(token, Ok(RawToken::Comment)) {
                self.check(RawToken::Comment);
            }
        }
    }

    /// Reports a line that is continued by the end of the text.
    fn check_continuation(&mut self) {
        let slice = self.raw.slice();
        if self.raw.remainder().is_empty()
            && let Some(before) = slice.strip_suffix("\\\n").or_else(|| slice.strip_suffix("\\\r\n"))
        {
            let start = TextSize::new((self.raw.span().start + before.len()) as u32);
            let message = "the line is continued, but the text ends here".to_owned();
            let range = TextRange::at(start, TextSize::of('\\'));
            self.out.errors.push(SyntaxError::coded(codes::BACKSLASH_AT_END, message, range));
        }
    }

    /// Reports a literal or comment that does not end, and literals without a value.
    fn check(&mut self, token: RawToken) {
        let slice = self.raw.slice();
        let closed = |quote: char| slice.len() > 1 && slice.ends_with(quote) && !ends_in_escape(slice, quote);
        let at_end = self.raw.remainder().is_empty();
        let unclosed = if at_end { codes::END_OF_FILE_IN_LITERAL } else { codes::NEWLINE_IN_LITERAL };
        match token {
            RawToken::Comment if slice.starts_with("/*") && (slice.len() < 4 || !slice.ends_with("*/")) => {
                self.error(codes::UNEXPECTED_TOKEN, "unterminated block comment");
            }
            RawToken::String if !closed('"') => self.error(unclosed, "unterminated string literal"),
            RawToken::RawString if !raw_string_is_closed(slice) => {
                self.error(codes::END_OF_FILE_IN_LITERAL, "unterminated raw string literal");
            }
            RawToken::Char if !closed('\'') => self.error(unclosed, "unterminated character literal"),
            // What stands in the place of bytes that are no text counts as a letter, so that one byte breaks one name.
            RawToken::Ident if slice.contains(char::REPLACEMENT_CHARACTER) => {
                self.coded_error(Some((codes::INVALID_UTF8, "invalid UTF-8 byte sequence in a name".to_owned())));
            }
            RawToken::IntNumber => self.coded_error(literal::integer_error(slice)),
            RawToken::FloatNumber => self.coded_error(literal::float_error(slice)),
            RawToken::String | RawToken::Char => self.coded_error(literal::text_error(slice)),
            RawToken::Backslash if at_end => {
                self.coded_error(Some((
                    codes::BACKSLASH_AT_END,
                    "a backslash at the end of the text continues nothing".to_owned(),
                )));
            }
            _ => {}
        }
    }

    fn coded_error(&mut self, error: Option<(Code, String)>) {
        if let Some((code, message)) = error {
            let span = self.raw.span();
            let range = TextRange::new(TextSize::new(span.start as u32), TextSize::new(span.end as u32));
            self.out.errors.push(SyntaxError::coded(code, message, range));
        }
    }

    fn error(&mut self, code: Code, message: &'static str) {
        self.coded_error(Some((code, message.to_owned())));
    }
}

/// Whether the closing quote is itself escaped, as in `"abc\"`.
fn ends_in_escape(slice: &str, quote: char) -> bool {
    let inner = slice.strip_suffix(quote).unwrap_or(slice);
    inner.bytes().rev().take_while(|byte| *byte == b'\\').count() % 2 == 1
}

/// Consumes a raw string after its `R"`; without an end it takes the rest of the text.
fn raw_string(lexer: &mut logos::Lexer<'_, RawToken>) {
    let rest = lexer.remainder();
    let length = match rest.find('(') {
        Some(open) if !rest[..open].contains(['"', '\n']) => {
            let end = format!("){}\"", &rest[..open]);
            rest.find(&end).map_or(rest.len(), |position| position + end.len())
        }
        // Not a raw string after all: take the line, and let the check below report it.
        _ => rest.find('\n').unwrap_or(rest.len()),
    };
    lexer.bump(length);
}

fn raw_string_is_closed(slice: &str) -> bool {
    let Some(inner) = slice.strip_prefix("R\"") else { return false };
    let Some(open) = inner.find('(') else { return false };
    inner.len() > open + 1 && inner[open + 1..].ends_with(&format!("){}\"", &inner[..open]))
}

fn block_comment(lexer: &mut logos::Lexer<'_, RawToken>) {
    let rest = lexer.remainder();
    lexer.bump(rest.find("*/").map_or(rest.len(), |position| position + 2));
}

#[derive(Logos, Debug, Clone, Copy, PartialEq, Eq)]
enum RawToken {
    #[regex(r"([ \t\x0B\x0C\u{FEFF}]|\\\r?\n)+")]
    Space,
    #[regex(r"\r\n|\n|\r")]
    Newline,
    #[regex(r"//([^\n\r\\]|\\\r?\n|\\)*", allow_greedy = true)]
    #[token("/*", block_comment)]
    Comment,
    // A backslash at the end of a line joins it with the next one, also in the middle of a name.
    #[regex(r"[a-zA-Z_\u{80}-\u{FEFE}\u{FF00}-\u{10FFFF}]((\\\r?\n)*[a-zA-Z0-9_\u{80}-\u{FEFE}\u{FF00}-\u{10FFFF}])*")]
    Ident,
    #[regex(r"[0-9][0-9a-zA-Z_]*")]
    IntNumber,
    // `1.xxx`: the dot belongs to the components that are taken from the integer.
    #[regex(r"([0-9]+|0[xX][0-9a-fA-F]+)\.[xr][a-zA-Z_0-9]*", priority = 30)]
    SwizzledNumber,
    #[regex(r"[0-9]+\.[0-9]*([eE][+-]?[0-9]+)?[a-zA-Z_0-9]*")]
    #[regex(r"\.[0-9]+([eE][+-]?[0-9]+)?[a-zA-Z_0-9]*")]
    #[regex(r"[0-9]+[eE][+-]?[0-9]+[a-zA-Z_0-9]*", priority = 20)]
    #[regex(r"([0-9]+(\.[0-9]*)?|0[xX][0-9a-fA-F]*\.[0-9a-fA-F]*)#INF[a-zA-Z_0-9]*")]
    #[regex(r"0[xX][0-9a-fA-F]*\.[0-9a-fA-F]*[a-zA-Z_]*")]
    #[regex(r"0[xX][0-9a-fA-F]*(\.[0-9a-fA-F]*)?[pP][+-]?[0-9]+[a-zA-Z_0-9]*", priority = 20)]
    FloatNumber,
    #[regex(r#""([^"\\\n\r]|\\\r\n|\\[^\r]|\\\r)*"?"#)]
    String,
    #[token("R\"", raw_string)]
    RawString,
    #[regex(r"'([^'\\\n\r]|\\\r\n|\\[^\r]|\\\r)*'?")]
    Char,
    #[token("#")]
    Hash,
    #[token("##")]
    HashHash,
    #[token(";")]
    Semicolon,
    #[token(",")]
    Comma,
    #[token("(")]
    LParen,
    #[token(")")]
    RParen,
    #[token("{")]
    LBrace,
    #[token("}")]
    RBrace,
    #[token("[")]
    LBracket,
    #[token("]")]
    RBracket,
    #[token("<")]
    LAngle,
    #[token(">")]
    RAngle,
    #[token(".")]
    Dot,
    #[token("..")]
    DotDot,
    #[token("...")]
    Ellipsis,
    #[token(":")]
    Colon,
    #[token("::")]
    ColonColon,
    #[token("?")]
    Question,
    #[token("->")]
    Arrow,
    #[token("=>")]
    FatArrow,
    #[token("=")]
    Eq,
    #[token("==")]
    EqEq,
    #[token("!")]
    Bang,
    #[token("!=")]
    BangEq,
    #[token("<=")]
    LtEq,
    #[token("<<")]
    Shl,
    #[token("+")]
    Plus,
    #[token("-")]
    Minus,
    #[token("*")]
    Star,
    #[token("/")]
    Slash,
    #[token("%")]
    Percent,
    #[token("&")]
    Ampersand,
    #[token("|")]
    Pipe,
    #[token("^")]
    Caret,
    #[token("~")]
    Tilde,
    #[token("&&")]
    AmpersandAmpersand,
    #[token("||")]
    PipePipe,
    #[token("++")]
    PlusPlus,
    #[token("--")]
    MinusMinus,
    #[token("+=")]
    PlusEq,
    #[token("-=")]
    MinusEq,
    #[token("*=")]
    StarEq,
    #[token("/=")]
    SlashEq,
    #[token("%=")]
    PercentEq,
    #[token("<<=")]
    ShlEq,
    #[token("&=")]
    AmpersandEq,
    #[token("|=")]
    PipeEq,
    #[token("^=")]
    CaretEq,
    #[token("$")]
    Dollar,
    #[token("$$")]
    DollarDollar,
    #[token("@")]
    At,
    #[token("\\")]
    Backslash,
}

impl RawToken {
    fn kind(self) -> SyntaxKind {
        match self {
            RawToken::Space | RawToken::Newline => SyntaxKind::WHITESPACE,
            RawToken::Comment => SyntaxKind::COMMENT,
            RawToken::Ident => SyntaxKind::IDENT,
            RawToken::IntNumber | RawToken::SwizzledNumber => SyntaxKind::INT_NUMBER,
            RawToken::FloatNumber => SyntaxKind::FLOAT_NUMBER,
            RawToken::String | RawToken::RawString => SyntaxKind::STRING,
            RawToken::Char => SyntaxKind::CHAR,
            RawToken::Hash => SyntaxKind::HASH,
            RawToken::HashHash => SyntaxKind::HASH_HASH,
            RawToken::Semicolon => SyntaxKind::SEMICOLON,
            RawToken::Comma => SyntaxKind::COMMA,
            RawToken::LParen => SyntaxKind::L_PAREN,
            RawToken::RParen => SyntaxKind::R_PAREN,
            RawToken::LBrace => SyntaxKind::L_BRACE,
            RawToken::RBrace => SyntaxKind::R_BRACE,
            RawToken::LBracket => SyntaxKind::L_BRACKET,
            RawToken::RBracket => SyntaxKind::R_BRACKET,
            RawToken::LAngle => SyntaxKind::L_ANGLE,
            RawToken::RAngle => SyntaxKind::R_ANGLE,
            RawToken::Dot => SyntaxKind::DOT,
            RawToken::DotDot => SyntaxKind::DOT_DOT,
            RawToken::Ellipsis => SyntaxKind::ELLIPSIS,
            RawToken::Colon => SyntaxKind::COLON,
            RawToken::ColonColon => SyntaxKind::COLON_COLON,
            RawToken::Question => SyntaxKind::QUESTION,
            RawToken::Arrow => SyntaxKind::ARROW,
            RawToken::FatArrow => SyntaxKind::FAT_ARROW,
            RawToken::Eq => SyntaxKind::EQ,
            RawToken::EqEq => SyntaxKind::EQ_EQ,
            RawToken::Bang => SyntaxKind::BANG,
            RawToken::BangEq => SyntaxKind::BANG_EQ,
            RawToken::LtEq => SyntaxKind::LT_EQ,
            RawToken::Shl => SyntaxKind::SHL,
            RawToken::Plus => SyntaxKind::PLUS,
            RawToken::Minus => SyntaxKind::MINUS,
            RawToken::Star => SyntaxKind::STAR,
            RawToken::Slash => SyntaxKind::SLASH,
            RawToken::Percent => SyntaxKind::PERCENT,
            RawToken::Ampersand => SyntaxKind::AMPERSAND,
            RawToken::Pipe => SyntaxKind::PIPE,
            RawToken::Caret => SyntaxKind::CARET,
            RawToken::Tilde => SyntaxKind::TILDE,
            RawToken::AmpersandAmpersand => SyntaxKind::AMPERSAND_AMPERSAND,
            RawToken::PipePipe => SyntaxKind::PIPE_PIPE,
            RawToken::PlusPlus => SyntaxKind::PLUS_PLUS,
            RawToken::MinusMinus => SyntaxKind::MINUS_MINUS,
            RawToken::PlusEq => SyntaxKind::PLUS_EQ,
            RawToken::MinusEq => SyntaxKind::MINUS_EQ,
            RawToken::StarEq => SyntaxKind::STAR_EQ,
            RawToken::SlashEq => SyntaxKind::SLASH_EQ,
            RawToken::PercentEq => SyntaxKind::PERCENT_EQ,
            RawToken::ShlEq => SyntaxKind::SHL_EQ,
            RawToken::AmpersandEq => SyntaxKind::AMPERSAND_EQ,
            RawToken::PipeEq => SyntaxKind::PIPE_EQ,
            RawToken::CaretEq => SyntaxKind::CARET_EQ,
            RawToken::Dollar => SyntaxKind::DOLLAR,
            RawToken::DollarDollar => SyntaxKind::DOLLAR_DOLLAR,
            RawToken::At => SyntaxKind::AT,
            RawToken::Backslash => SyntaxKind::BACKSLASH,
        }
    }
}
