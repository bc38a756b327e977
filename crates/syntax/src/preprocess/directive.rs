//! Reads directives.

use diagnostics::{Code, codes};
use smol_str::SmolStr;

use super::environment::{BodyToken, Definition};
use super::macros::Token;
use super::{Diagnostic, IncludePath};
use crate::lexer::{directive_tokens, unfolded};
use crate::{SyntaxKind, T, TextRange, TextSize};

/// A preprocessor line.
pub(super) enum Directive {
    Define {
        name: Token,
        definition: Definition,
    },
    Undefine(Token),
    If(Condition),
    IfDefined {
        name: Token,
        negated: bool,
    },
    ElseIf(Condition),
    Else,
    EndIf,
    /// The operand; what is not spelled as a path may be after expansion.
    Include(Vec<Token>),
    Error(String),
    Warning(String),
    PragmaOnce,
    /// The words behind `#pragma warning`, which may be macros.
    PragmaWarning(Vec<Token>),
    /// Means nothing here: `#line`, `#extension`, `#version`, `#lang`, a lone `#`, and what is malformed.
    Ignored,
}

/// The expression behind `#if` or `#elif`.
pub(super) struct Condition {
    pub(super) tokens: Vec<Token>,
    /// The last token, for what is missing behind it.
    pub(super) end: TextRange,
}

/// A directive, and what is wrong with its form.
pub(super) struct Read {
    pub(super) directive: Directive,
    /// `#` and the directive's name.
    pub(super) name: TextRange,
    /// In the order of their places.
    pub(super) complaints: Vec<Diagnostic>,
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
        tokens.push(Token::spelled(kind, unfolded(&text[range]).into(), TextRange::new(start, end), space_before));
        space_before = false;
    }
    tokens
}

/// The tokens behind a directive's name, one after the other.
struct Operands {
    tokens: std::iter::Peekable<std::vec::IntoIter<Token>>,
    /// The last token, for what is missing behind it.
    end: TextRange,
    complaints: Vec<Diagnostic>,
}

impl Operands {
    fn next_if(&mut self, kind: SyntaxKind) -> Option<Token> {
        self.tokens.next_if(|token| token.kind == kind)
    }

    /// The next token, or the last one.
    fn place(&mut self) -> TextRange {
        self.tokens.peek().map_or(self.end, |token| token.range)
    }

    /// Says something of the next token.
    fn complain(&mut self, code: Code, message: String) {
        let place = self.place();
        self.complaints.push(Diagnostic::new(code, place, message));
    }

    fn name(&mut self, directive: &str) -> Option<Token> {
        let name = self.next_if(SyntaxKind::IDENT);
        if name.is_none() {
            self.complain(codes::INCOMPLETE_DIRECTIVE, format!("expected a name after `#{directive}`"));
        }
        name
    }

    /// What a directive does not take.
    fn nothing_else(&mut self, directive: &str) {
        if self.tokens.peek().is_some() {
            self.complain(codes::TOKENS_AFTER_DIRECTIVE, after_directive(directive));
        }
    }

    fn rest(&mut self) -> Vec<Token> {
        self.tokens.by_ref().collect()
    }

    fn condition(&mut self) -> Condition {
        Condition { tokens: self.rest(), end: self.end }
    }
}

/// What is said of a token that a directive does not take.
pub(super) fn after_directive(directive: &str) -> String {
    format!("`#{directive}` takes nothing more: begin a new line, or make it a comment")
}

/// Reads a directive that stands at `offset`.
pub(super) fn read(text: &str, offset: usize) -> Read {
    let mut tokens = tokens_of(text, offset).into_iter().peekable();
    let sign = tokens.next();
    let word = tokens.peek().cloned();
    let (Some(sign), Some(word)) = (sign, word) else {
        let place = TextRange::empty(TextSize::new(offset as u32));
        return Read { directive: Directive::Ignored, name: place, complaints: Vec::new() };
    };
    let name = sign.range.cover(word.range);
    tokens.next();
    let mut last = name;
    let tokens: Vec<Token> = tokens.inspect(|token| last = token.range).collect();
    let mut operands = Operands { tokens: tokens.into_iter().peekable(), end: last, complaints: Vec::new() };
    let directive = of_name(&word, name, text, &mut operands);
    Read { directive, name, complaints: operands.complaints }
}

fn of_name(word: &Token, place: TextRange, text: &str, operands: &mut Operands) -> Directive {
    let directive = match word.text.as_str() {
        "define" => return define(operands),
        // The conditions say what they do not take once they are read.
        "if" => return Directive::If(operands.condition()),
        "elif" => return Directive::ElseIf(operands.condition()),
        "include" => return Directive::Include(operands.rest()),
        "error" => return Directive::Error(message(text, "error")),
        "warning" => return Directive::Warning(message(text, "warning")),
        "pragma" => return pragma(place, operands),
        "undef" => match operands.name("undef") {
            Some(name) => Directive::Undefine(name),
            None => return Directive::Ignored,
        },
        what @ ("ifdef" | "ifndef") => match operands.name(what) {
            Some(name) => Directive::IfDefined { name, negated: what == "ifndef" },
            None => return Directive::Ignored,
        },
        "else" => Directive::Else,
        "endif" => Directive::EndIf,
        "line" => {
            line(operands);
            return Directive::Ignored;
        }
        "extension" => return Directive::Ignored,
        "version" => {
            glsl_version(place, operands);
            return Directive::Ignored;
        }
        "lang" | "language" => {
            slang_version(place, operands);
            return Directive::Ignored;
        }
        other => {
            let (code, message) = if word.kind == SyntaxKind::IDENT {
                (codes::UNKNOWN_DIRECTIVE, format!("unknown preprocessor directive `#{other}`"))
            } else {
                (codes::DIRECTIVE_WITHOUT_NAME, "expected the name of a directive after `#`".to_owned())
            };
            operands.complaints.push(Diagnostic::new(code, place, message));
            return Directive::Ignored;
        }
    };
    operands.nothing_else(&word.text);
    directive
}

/// `#line 12 "file"`: places are those of the file itself all the same.
fn line(operands: &mut Operands) {
    let number = operands.tokens.next_if(|token| token.kind == SyntaxKind::INT_NUMBER || token.text == "default");
    if number.is_some() {
        operands.next_if(SyntaxKind::STRING);
        operands.nothing_else("line");
    } else if operands.tokens.peek().is_some() {
        let message = "expected the number of a line or `default` after `#line`".to_owned();
        operands.complain(codes::INVALID_LINE_DIRECTIVE, message);
    }
}

/// The numbers behind `#version`.
const GLSL_VERSIONS: &[&str] = &[
    "100", "110", "120", "130", "140", "150", "300", "310", "320", "330", "400", "410", "420", "430", "440", "450",
    "460",
];

/// What may be behind `#lang slang`.
const SLANG_VERSIONS: &[&str] =
    &["legacy", "default", "2018", "2025", "202a", "2026", "202b", "latest", "202c", "next"];

fn glsl_version(place: TextRange, operands: &mut Operands) {
    match operands.next_if(SyntaxKind::INT_NUMBER) {
        Some(number) if GLSL_VERSIONS.contains(&number.text.as_str()) => {}
        Some(number) => {
            let message = format!("{} is not a version of GLSL: {}", number.text, GLSL_VERSIONS.join(", "));
            operands.complaints.push(Diagnostic::new(codes::UNKNOWN_LANGUAGE_VERSION, number.range, message));
        }
        None => {
            let message = "expected the number of a version after `#version`, such as 450".to_owned();
            operands.complaints.push(Diagnostic::new(codes::VERSION_WITHOUT_NUMBER, place, message));
        }
    }
}

fn slang_version(place: TextRange, operands: &mut Operands) {
    let names_slang = operands.tokens.next_if(|token| token.text.eq_ignore_ascii_case("slang")).is_some();
    let Some(version) = operands.tokens.next() else {
        let message = format!("expected a version of the language: {}", SLANG_VERSIONS.join(", "));
        operands.complaints.push(Diagnostic::new(codes::VERSION_WITHOUT_NUMBER, place, message));
        return;
    };
    // `202a` is a number and a name to the lexer.
    let mut word = version.text.to_string();
    let mut range = version.range;
    while let Some(part) = operands.tokens.next_if(|token| !token.space_before) {
        word.push_str(&part.text);
        range = range.cover(part.range);
    }
    if SLANG_VERSIONS.contains(&word.as_str()) {
        return;
    }
    let (code, message) = if !names_slang && version.kind == SyntaxKind::IDENT {
        (codes::UNKNOWN_LANGUAGE, format!("the language `{word}` is not known: the only one is `slang`"))
    } else {
        (codes::UNKNOWN_LANGUAGE_VERSION, format!("`{word}` is not a version: {}", SLANG_VERSIONS.join(", ")))
    };
    operands.complaints.push(Diagnostic::new(code, range, message));
}

/// What `#pragma warning(…)` does with the warnings behind its colon.
const WARNING_SPECIFIERS: &[&str] = &["default", "disable", "error", "once", "suppress"];

/// `#pragma once` and `#pragma warning(…)`; what the latter changes is for those who publish diagnostics.
fn pragma(place: TextRange, operands: &mut Operands) -> Directive {
    let Some(name) = operands.tokens.next() else {
        let message = "expected a name after `#pragma`".to_owned();
        operands.complaints.push(Diagnostic::new(codes::PRAGMA_WITHOUT_NAME, place, message));
        return Directive::Ignored;
    };
    match name.text.as_str() {
        "once" => {
            operands.nothing_else("pragma once");
            Directive::PragmaOnce
        }
        "warning" => Directive::PragmaWarning(operands.rest()),
        other => {
            let message = format!("`#pragma {other}` is not known and changes nothing");
            operands.complaints.push(Diagnostic::new(codes::UNKNOWN_PRAGMA, name.range, message));
            Directive::Ignored
        }
    }
}

/// Says what is wrong with the words behind `#pragma warning`, in which macros are replaced:
/// `(push)`, `(pop)`, or `(disable : 30081 41022; error : 30080)`. `last` is the directive's last token.
pub(super) fn check_pragma_warning(words: Vec<Token>, last: TextRange) -> Option<Diagnostic> {
    let unexpected = |words: &[Token], message: String| {
        let place = words.first().map_or(last, |word| word.range);
        Some(Diagnostic::new(codes::UNEXPECTED_TOKEN, place, message))
    };
    let mut rest = match words.split_first() {
        Some((open, rest)) if open.kind == T!['('] => rest,
        _ => {
            let message = "expected what to do with which warnings: `#pragma warning(disable: 30081)`".to_owned();
            return unexpected(&words, message);
        }
    };
    loop {
        let behind = match rest.split_first() {
            Some((word, behind)) if word.kind == SyntaxKind::IDENT => behind,
            _ => return unexpected(rest, "expected what to do: `disable`, `error`, `push`, …".to_owned()),
        };
        let word = &rest[0];
        rest = behind;
        if matches!(word.text.as_str(), "push" | "pop") {
            break;
        }
        if !WARNING_SPECIFIERS.contains(&word.text.as_str()) {
            let message = format!("`{}` is none of {}, push, pop", word.text, WARNING_SPECIFIERS.join(", "));
            return Some(Diagnostic::new(codes::UNKNOWN_WARNING_SPECIFIER, word.range, message));
        }
        match rest.split_first() {
            Some((colon, behind)) if colon.kind == T![:] => rest = behind,
            _ => return unexpected(rest, format!("expected `:` and the numbers of warnings after `{}`", word.text)),
        }
        let numbers = rest.iter().take_while(|word| word.kind == SyntaxKind::INT_NUMBER).count();
        rest = &rest[numbers..];
        match rest.split_first() {
            Some((separator, behind)) if separator.kind == T![;] => rest = behind,
            _ => break,
        }
    }
    match rest {
        [close] if close.kind == T![')'] => None,
        [close, extra, ..] if close.kind == T![')'] => {
            let message = after_directive("pragma warning(…)");
            Some(Diagnostic::new(codes::TOKENS_AFTER_DIRECTIVE, extra.range, message))
        }
        _ => unexpected(rest, "expected `)`; numbers of warnings stand beside each other".to_owned()),
    }
}

fn message(text: &str, word: &str) -> String {
    let rest = text.find(word).map_or("", |at| &text[at + word.len()..]);
    format!("#{word}: {}", rest.trim())
}

fn define(operands: &mut Operands) -> Directive {
    let Some(name) = operands.name("define") else { return Directive::Ignored };
    let is_function = operands.tokens.peek().is_some_and(|token| token.kind == T!['('] && !token.space_before);
    let (mut params, mut variadic) = (None, false);
    if is_function {
        operands.tokens.next();
        match parameters(operands) {
            Some((names, takes_rest)) => (params, variadic) = (Some(names), takes_rest),
            None => return Directive::Ignored,
        }
    }
    let body = operands.rest();
    check_body(&body, params.as_deref(), operands);
    let body = body
        .into_iter()
        .map(|token| BodyToken { kind: token.kind, text: token.text, space_before: token.space_before })
        .collect();
    Directive::Define { name, definition: Definition { params, variadic, body } }
}

/// Says where `#` and `##` join nothing. In what takes no arguments, `#` is looked at alike.
fn check_body(body: &[Token], params: Option<&[SmolStr]>, operands: &mut Operands) {
    let mut complain = |code, token: &Token, message: &str| {
        operands.complaints.push(Diagnostic::new(code, token.range, message.to_owned()));
    };
    let last = body.len().saturating_sub(1);
    for (index, token) in body.iter().enumerate() {
        match token.kind {
            SyntaxKind::HASH_HASH if index == 0 => {
                complain(codes::TOKEN_PASTE_AT_START, token, "`##` joins two tokens, and none is before it");
            }
            SyntaxKind::HASH_HASH if index == last => {
                complain(codes::TOKEN_PASTE_AT_END, token, "`##` joins two tokens, and none is behind it");
            }
            SyntaxKind::HASH => {
                let behind = body.get(index + 1);
                let is_parameter = |name: &Token| params.is_some_and(|params| params.contains(&name.text));
                if !behind.is_some_and(is_parameter) {
                    let message = "`#` makes a text of a parameter of the macro, and none is behind it";
                    complain(codes::INVALID_STRINGIZE, token, message);
                }
            }
            _ => {}
        }
    }
}

/// The names up to the closing parenthesis, and whether the last takes all that is left.
fn parameters(operands: &mut Operands) -> Option<(Vec<SmolStr>, bool)> {
    let mut names: Vec<SmolStr> = Vec::new();
    if operands.next_if(T![')']).is_some() {
        return Some((names, false));
    }
    loop {
        let variadic;
        if let Some(name) = operands.next_if(SyntaxKind::IDENT) {
            if names.contains(&name.text) {
                let message = format!("the macro has a parameter `{}` already", name.text);
                operands.complaints.push(Diagnostic::new(codes::DUPLICATE_MACRO_PARAMETER, name.range, message));
            }
            names.push(name.text);
            // `name...` gives the rest a name.
            variadic = operands.next_if(T![...]).is_some();
        } else if operands.next_if(T![...]).is_some() {
            variadic = true;
            names.push("__VA_ARGS__".into());
        } else {
            operands.complain(codes::INVALID_MACRO_PARAMETERS, "expected the name of a parameter".to_owned());
            return None;
        }
        if operands.next_if(T![')']).is_some() {
            return Some((names, variadic));
        }
        if variadic {
            operands.complain(codes::VARIADIC_NOT_LAST, "what takes the rest is the last parameter".to_owned());
            return None;
        }
        if operands.next_if(T![,]).is_none() {
            operands.complain(codes::INVALID_MACRO_PARAMETERS, "expected `,` or `)` behind a parameter".to_owned());
            return None;
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
