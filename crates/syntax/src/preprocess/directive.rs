//! Reads directives.

use diagnostics::{Code, codes};
use smol_str::SmolStr;

use super::IncludePath;
use super::environment::{BodyToken, Definition};
use super::macros::Token;
use crate::lexer::directive_tokens;
use crate::{SyntaxKind, T, TextRange, TextSize};

/// A preprocessor line.
pub(super) enum Directive {
    Define {
        name: SmolStr,
        definition: Definition,
    },
    Undefine(Token),
    If(Vec<Token>),
    IfDefined {
        name: Token,
        negated: bool,
    },
    ElseIf(Vec<Token>),
    Else,
    EndIf,
    /// The operand; what is not spelled as a path may be after expansion.
    Include(Vec<Token>),
    Error(String),
    Warning(String),
    PragmaOnce,
    /// Means nothing to us: `#line`, `#pragma warning`, `#version`, `#extension`, `#lang`, a lone `#`.
    Ignored,
    /// Malformed, with the number and the reason.
    Invalid(Code, String),
}

/// The tokens of a directive's text, without trivia. `offset` is where the text stands.
fn tokens_of(text: &str, offset: usize) -> Vec<Token> {
    let lexed = directive_tokens(text);
    let mut tokens = Vec::new();
    let mut space_before = false;
    for index in 0..lexed.len() {
        let kind = lexed.kind(index);
        if kind.is_trivia() {
            space_before = true;
            continue;
        }
        let range = lexed.range(index);
        let (start, end) = (TextSize::new((offset + range.start) as u32), TextSize::new((offset + range.end) as u32));
        tokens.push(Token::spelled(kind, unfold(&text[range]), TextRange::new(start, end), space_before));
        space_before = false;
    }
    tokens
}

/// Takes line continuations out of a token.
fn unfold(text: &str) -> SmolStr {
    if text.contains("\\\n") || text.contains("\\\r\n") {
        text.replace("\\\r\n", "").replace("\\\n", "").into()
    } else {
        text.into()
    }
}

/// Reads a directive that stands at `offset`.
pub(super) fn read(text: &str, offset: usize) -> Directive {
    let mut tokens = tokens_of(text, offset);
    if tokens.len() < 2 {
        return Directive::Ignored;
    }
    let mut rest = tokens.split_off(2);
    let Some(word) = tokens.pop() else { return Directive::Ignored };
    let name = |rest: &[Token], what: &str| match rest.first() {
        Some(token) if token.kind == SyntaxKind::IDENT => Ok(token.clone()),
        _ => Err(Directive::Invalid(codes::INCOMPLETE_DIRECTIVE, format!("expected a name after `#{what}`"))),
    };
    match word.text.as_str() {
        "define" => define(rest),
        "undef" => name(&rest, "undef").map_or_else(|error| error, Directive::Undefine),
        "if" => Directive::If(rest),
        what @ ("ifdef" | "ifndef") => {
            let negated = what == "ifndef";
            name(&rest, what).map_or_else(|error| error, |name| Directive::IfDefined { name, negated })
        }
        "elif" => Directive::ElseIf(rest),
        "else" => Directive::Else,
        "endif" => Directive::EndIf,
        "include" => Directive::Include(std::mem::take(&mut rest)),
        "error" => Directive::Error(message(text, "error")),
        "warning" => Directive::Warning(message(text, "warning")),
        "pragma" => pragma(&rest),
        "line" | "version" | "extension" | "lang" | "language" => Directive::Ignored,
        other => Directive::Invalid(codes::UNKNOWN_DIRECTIVE, format!("unknown preprocessor directive `#{other}`")),
    }
}

/// What `#pragma warning(…)` does; all but the last two name the warnings after a colon.
const WARNING_SPECIFIERS: &[&str] = &["default", "disable", "error", "once", "suppress", "push", "pop"];

/// `#pragma once` and `#pragma warning(…)`; what the latter changes is for those who publish diagnostics.
fn pragma(rest: &[Token]) -> Directive {
    let Some((name, rest)) = rest.split_first() else {
        return Directive::Invalid(codes::PRAGMA_WITHOUT_NAME, "expected a name after `#pragma`".to_owned());
    };
    match name.text.as_str() {
        "once" => Directive::PragmaOnce,
        "warning" => match rest {
            [open, specifier, ..] if open.kind == T!['('] && specifier.kind == SyntaxKind::IDENT => {
                let specifier = specifier.text.as_str();
                if WARNING_SPECIFIERS.contains(&specifier) {
                    return Directive::Ignored;
                }
                let message = format!("`{specifier}` is none of {}", WARNING_SPECIFIERS.join(", "));
                Directive::Invalid(codes::UNKNOWN_WARNING_SPECIFIER, message)
            }
            _ => {
                let message = "expected what to do with which warnings: `#pragma warning(disable: 30081)`".to_owned();
                Directive::Invalid(codes::UNEXPECTED_TOKEN, message)
            }
        },
        other => {
            Directive::Invalid(codes::UNKNOWN_PRAGMA, format!("`#pragma {other}` is not known and changes nothing"))
        }
    }
}

fn message(text: &str, word: &str) -> String {
    let rest = text.find(word).map_or("", |at| &text[at + word.len()..]);
    format!("#{word}: {}", rest.trim())
}

fn define(tokens: Vec<Token>) -> Directive {
    let mut tokens = tokens.into_iter().peekable();
    let Some(name) = tokens.next().filter(|token| token.kind == SyntaxKind::IDENT) else {
        return Directive::Invalid(codes::INCOMPLETE_DIRECTIVE, "expected a name after `#define`".to_owned());
    };
    let is_function = tokens.peek().is_some_and(|token| token.kind == T!['('] && !token.space_before);
    let (mut params, mut variadic) = (None, false);
    if is_function {
        tokens.next();
        match parameters(&mut tokens) {
            Some((names, takes_rest)) => (params, variadic) = (Some(names), takes_rest),
            None => {
                return Directive::Invalid(codes::PREPROCESSOR_ERROR, "expected macro parameters and `)`".to_owned());
            }
        }
    }
    let body = tokens.map(|token| BodyToken { kind: token.kind, text: token.text, space_before: token.space_before });
    Directive::Define { name: name.text, definition: Definition { params, variadic, body: body.collect() } }
}

fn parameters(tokens: &mut impl Iterator<Item = Token>) -> Option<(Vec<SmolStr>, bool)> {
    let mut names = Vec::new();
    let mut variadic = false;
    loop {
        let token = tokens.next()?;
        match token.kind {
            T![')'] => return Some((names, variadic)),
            T![,] if !variadic => {}
            SyntaxKind::IDENT if !variadic => names.push(token.text),
            T![...] if !variadic => {
                variadic = true;
                names.push("__VA_ARGS__".into());
            }
            _ => return None,
        }
        // `name...` gives the rest a name.
        if token.kind == SyntaxKind::IDENT {
            let next = tokens.next()?;
            match next.kind {
                T![')'] => return Some((names, variadic)),
                T![,] => {}
                T![...] => variadic = true,
                _ => return None,
            }
        }
    }
}

/// The definition of a macro without parameters.
pub(super) fn object_like(value: &str) -> Definition {
    let body = tokens_of(value, 0).into_iter();
    let body = body.map(|token| BodyToken { kind: token.kind, text: token.text, space_before: token.space_before });
    Definition { params: None, variadic: false, body: body.collect() }
}

/// The path that an `#include` or `__has_include` names: a string, or tokens in angle brackets.
pub(super) fn include_path(tokens: &[Token]) -> Option<IncludePath> {
    match tokens {
        [token] if token.kind == SyntaxKind::STRING => {
            let path = token.text.strip_prefix('"')?.strip_suffix('"')?;
            Some(IncludePath { path: path.into(), angled: false })
        }
        [open, inner @ .., close] if open.kind == T![<] && close.kind == T![>] => {
            let path: String = inner.iter().map(|token| token.text.as_str()).collect();
            Some(IncludePath { path: path.into(), angled: true })
        }
        _ => None,
    }
}
