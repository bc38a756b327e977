//! Macro expansion: C's rules for arguments, `#`, `##`, rescanning and recursion.

use std::collections::VecDeque;
use std::sync::Arc;

use diagnostics::{codes, stack};
use smol_str::SmolStr;

use super::environment::{Definition, MacroEnv, is_positional};
use super::{Diagnostic, Host, MacroUse};
use crate::lexer::directive_tokens;
use crate::{SyntaxKind, T, TextRange};

/// How many bytes the expansion of one macro may make, and all expansions in a short text.
const MOST_BYTES: usize = 1 << 20;
/// How many bytes each byte of a longer text may come to in addition: generated code may call macros on each of its lines.
const MOST_TIMES: usize = 32;

/// How many bytes expansions in a text may make.
pub(super) fn room_of(text: &str) -> usize {
    MOST_BYTES + text.len().saturating_mul(MOST_TIMES)
}

/// How long a token may become by joining and quoting.
const MOST_TOKEN_BYTES: usize = 1 << 16;
/// How deep macros may stand for macros.
const MOST_FRAMES: usize = ::diagnostics::limits::MACROS as usize;
/// How deep arguments of calls in arguments may nest.
const MAX_ARGUMENT_DEPTH: u32 = ::diagnostics::limits::MACRO_ARGUMENTS;

/// A token on its way through expansion.
#[derive(Debug, Clone)]
pub(super) struct Token {
    pub(super) kind: SyntaxKind,
    pub(super) text: SmolStr,
    pub(super) space_before: bool,
    /// Where it is spelled, or the macro call that made it.
    pub(super) range: TextRange,
    /// Taken from the spelled text as it is.
    pub(super) verbatim: bool,
    /// The name of a macro that was being expanded when it appeared: it stays a name.
    painted: bool,
}

impl Token {
    pub(super) fn spelled(kind: SyntaxKind, text: SmolStr, range: TextRange, space_before: bool) -> Token {
        Token { kind, text, space_before, range, verbatim: true, painted: false }
    }

    /// What the token counts for in the limits.
    fn size(&self) -> usize {
        self.text.len() + 8
    }
}

/// Where tokens come from when all macro bodies are used up.
pub(super) trait Source {
    /// The next token, if there is one before the next directive or the end.
    fn next(&mut self) -> Option<Token>;
    fn peek(&mut self) -> Option<&Token>;
}

/// Tokens in memory.
impl Source for VecDeque<Token> {
    fn next(&mut self) -> Option<Token> {
        self.pop_front()
    }

    fn peek(&mut self) -> Option<&Token> {
        self.front()
    }
}

/// What all expansions in one text share.
pub(super) struct Shared<'a> {
    pub(super) env: &'a MacroEnv,
    pub(super) host: &'a dyn Host,
    pub(super) diagnostics: &'a mut Vec<Diagnostic>,
    pub(super) uses: &'a mut Vec<MacroUse>,
    /// How many bytes may still be made.
    pub(super) room: &'a mut usize,
}

/// A macro body that is being read.
struct Frame {
    name: SmolStr,
    tokens: VecDeque<Token>,
}

/// Reads expanded tokens from a source.
pub(super) struct Expansion<'a, 'b, S> {
    shared: &'a mut Shared<'b>,
    source: &'a mut S,
    frames: Vec<Frame>,
    depth: u32,
    /// Ends when the first token's expansion is used up, instead of with the source.
    only_first: bool,
    started: bool,
}

/// Expands a list of tokens completely.
pub(super) fn expand_list(tokens: Vec<Token>, shared: &mut Shared<'_>, depth: u32) -> Vec<Token> {
    let mut source = VecDeque::from(tokens);
    let (only_first, started) = (false, false);
    let mut expansion = Expansion { shared, source: &mut source, frames: Vec::new(), depth, only_first, started };
    std::iter::from_fn(|| expansion.next()).collect()
}

impl<'a, 'b, S: Source> Expansion<'a, 'b, S> {
    /// The expansion of the source's first token, and of arguments that follow it.
    pub(super) fn of_first(shared: &'a mut Shared<'b>, source: &'a mut S) -> Self {
        Expansion { shared, source, frames: Vec::new(), depth: 0, only_first: true, started: false }
    }

    fn is_used_up(&self) -> bool {
        self.frames.iter().all(|frame| frame.tokens.is_empty())
    }

    /// The next token that is not a macro call.
    pub(super) fn next(&mut self) -> Option<Token> {
        loop {
            if self.only_first && std::mem::replace(&mut self.started, true) && self.is_used_up() {
                return None;
            }
            let mut token = self.take()?;
            if token.kind != SyntaxKind::IDENT || token.painted {
                return Some(token);
            }
            if is_positional(&token.text) && self.shared.env.get(&token.text).is_none() {
                return Some(self.positional(token));
            }
            let Some(definition) = self.shared.env.get(&token.text).cloned() else { return Some(token) };
            if self.frames.iter().any(|frame| frame.name == token.text) {
                token.painted = true;
                return Some(token);
            }
            if definition.params.is_some() && self.peek_kind() != Some(T!['(']) {
                return Some(token);
            }
            if *self.shared.room == 0 {
                return Some(token);
            }
            if self.frames.len() >= MOST_FRAMES {
                self.error("macros stand for each other too deeply here".to_owned(), token.range);
                return Some(token);
            }
            self.call(&token, &definition);
        }
    }

    fn take(&mut self) -> Option<Token> {
        while let Some(frame) = self.frames.last_mut() {
            if let Some(token) = frame.tokens.pop_front() {
                return Some(token);
            }
            self.frames.pop();
        }
        self.source.next()
    }

    fn peek_kind(&mut self) -> Option<SyntaxKind> {
        for frame in self.frames.iter().rev() {
            if let Some(token) = frame.tokens.front() {
                return Some(token.kind);
            }
        }
        self.source.peek().map(|token| token.kind)
    }

    fn positional(&mut self, token: Token) -> Token {
        let (kind, text) = if token.text == "__LINE__" {
            (SyntaxKind::INT_NUMBER, self.shared.host.line(token.range.start().into()).to_string())
        } else {
            (SyntaxKind::STRING, format!("{:?}", self.shared.host.file_name()))
        };
        Token { kind, text: text.into(), verbatim: false, ..token }
    }

    /// Replaces a macro name (and its arguments) by the macro's body.
    fn call(&mut self, name: &Token, definition: &Arc<Definition>) {
        let mut call = name.range;
        let arguments = match &definition.params {
            None => Vec::new(),
            Some(params) => self.arguments(name, params.len(), definition.variadic, &mut call),
        };
        if name.verbatim {
            self.shared.uses.push(MacroUse { name: name.text.clone(), range: name.range, call });
        }
        let body = self.substitute(definition, arguments, call, name.space_before);
        let made = 1 + body.iter().map(Token::size).sum::<usize>();
        *self.shared.room = self.shared.room.saturating_sub(made);
        if *self.shared.room == 0 {
            self.error("macro expansion makes too much text".to_owned(), name.range);
        }
        self.frames.push(Frame { name: name.text.clone(), tokens: body.into() });
    }

    /// Reads the arguments of a call. `call` grows to its end.
    fn arguments(&mut self, name: &Token, expected: usize, variadic: bool, call: &mut TextRange) -> Vec<Vec<Token>> {
        let mut arguments: Vec<Vec<Token>> = vec![Vec::new()];
        let mut depth = 0_usize;
        self.take();
        loop {
            let Some(token) = self.take() else {
                let message = format!("the call of macro `{}` is not closed", name.text);
                self.shared.diagnostics.push(Diagnostic::new(codes::UNCLOSED_MACRO_CALL, name.range, message));
                break;
            };
            if token.verbatim && name.verbatim {
                *call = call.cover(token.range);
            }
            let takes_rest = variadic && arguments.len() == expected;
            match token.kind {
                T!['('] => depth += 1,
                T![')'] if depth == 0 => break,
                T![')'] => depth -= 1,
                T![,] if depth == 0 && !takes_rest => {
                    arguments.push(Vec::new());
                    continue;
                }
                _ => {}
            }
            if let Some(argument) = arguments.last_mut() {
                argument.push(token);
            }
        }
        if expected == 0 && arguments.len() == 1 && arguments[0].is_empty() {
            arguments.clear();
        }
        if variadic && arguments.len() + 1 == expected {
            arguments.push(Vec::new());
        }
        if arguments.len() != expected {
            let (name_text, count) = (&name.text, arguments.len());
            let message = format!("macro `{name_text}` takes {expected} arguments, but {count} are given");
            self.shared.diagnostics.push(Diagnostic::new(codes::MACRO_ARGUMENT_COUNT, name.range, message));
            arguments.resize(expected, Vec::new());
        }
        arguments
    }

    /// The macro's body with its parameters replaced.
    fn substitute(
        &mut self,
        definition: &Definition,
        arguments: Vec<Vec<Token>>,
        call: TextRange,
        space_before: bool,
    ) -> Vec<Token> {
        let mut expanded: Vec<Option<Vec<Token>>> = vec![None; arguments.len()];
        let parameter = |text: &SmolStr| {
            definition.params.as_ref().and_then(|params| params.iter().position(|param| param == text))
        };
        let mut result: Vec<Token> = Vec::new();
        let body = &definition.body;
        let mut index = 0;
        // The next operand is joined to the last token of the result.
        let mut pasting = false;
        let mut room = MOST_BYTES.min(*self.shared.room) + 1;
        while index < body.len() && room > 0 {
            let token = &body[index];
            let made = |kind, text| Token {
                kind,
                text,
                space_before: token.space_before,
                range: call,
                verbatim: false,
                painted: false,
            };
            if token.kind == SyntaxKind::HASH_HASH && index > 0 && index + 1 < body.len() {
                pasting = true;
                index += 1;
                continue;
            }
            let is_pasted = pasting || body.get(index + 1).is_some_and(|next| next.kind == SyntaxKind::HASH_HASH);
            let stringized = (token.kind == SyntaxKind::HASH && definition.params.is_some())
                .then(|| body.get(index + 1).and_then(|next| parameter(&next.text)))
                .flatten();
            let mut operand = if let Some(argument) = stringized {
                index += 1;
                vec![made(SyntaxKind::STRING, stringize(&arguments[argument]))]
            } else if let Some(argument) = parameter(&token.text) {
                let mut tokens = if is_pasted {
                    arguments[argument].clone()
                } else {
                    let depth = self.depth + 1;
                    let slot = &mut expanded[argument];
                    if slot.is_none() {
                        let tokens = arguments[argument].clone();
                        *slot = Some(if depth > MAX_ARGUMENT_DEPTH {
                            self.nests_too_deeply(call);
                            tokens
                        } else {
                            stack::deep(|| expand_list(tokens, self.shared, depth))
                        });
                    }
                    slot.clone().unwrap_or_default()
                };
                if let Some(first) = tokens.first_mut() {
                    first.space_before = token.space_before;
                }
                tokens
            } else {
                vec![made(token.kind, token.text.clone())]
            };
            if std::mem::take(&mut pasting)
                && let Some(message) = paste(&mut result, &mut operand, call)
            {
                self.shared.diagnostics.push(Diagnostic::new(codes::INVALID_TOKEN_PASTE, call, message));
            }
            room = room.saturating_sub(operand.iter().map(Token::size).sum());
            result.append(&mut operand);
            index += 1;
        }
        if let Some(first) = result.first_mut() {
            first.space_before = space_before;
        }
        result
    }

    /// Says once of what nests that it does so too deeply.
    fn nests_too_deeply(&mut self, range: TextRange) {
        const MESSAGE: &str = "calls of macros in arguments of macros are nested too deeply here";
        if self.shared.diagnostics.last().is_none_or(|last| last.message != MESSAGE) {
            self.error(MESSAGE.to_owned(), range);
        }
    }

    fn error(&mut self, message: String, range: TextRange) {
        self.shared.diagnostics.push(Diagnostic::new(codes::PREPROCESSOR_ERROR, range, message));
    }
}

/// `#argument`.
fn stringize(tokens: &[Token]) -> SmolStr {
    let mut text = String::from("\"");
    for (index, token) in tokens.iter().enumerate() {
        if index > 0 && token.space_before {
            text.push(' ');
        }
        if matches!(token.kind, SyntaxKind::STRING | SyntaxKind::CHAR) {
            text.push_str(&token.text.replace('\\', "\\\\").replace('"', "\\\""));
        } else {
            text.push_str(&token.text);
        }
        if text.len() > MOST_TOKEN_BYTES {
            break;
        }
    }
    text.push('"');
    text.into()
}

/// `left##right`: joins the last token before with the first after. If that is not a single token, all of them stay, and
/// what is wrong with it comes back.
fn paste(left: &mut Vec<Token>, right: &mut Vec<Token>, call: TextRange) -> Option<String> {
    if right.is_empty() {
        return None;
    }
    if left.last().is_some_and(|before| before.text.len() + right[0].text.len() > MOST_TOKEN_BYTES) {
        return None;
    }
    let before = left.pop()?;
    let after = right.remove(0);
    let text = format!("{}{}", before.text, after.text);
    let lexed = directive_tokens(&text);
    let mut pasted: Vec<Token> = (0..lexed.len())
        .filter(|index| !lexed.kind(*index).is_trivia())
        .map(|index| Token {
            kind: lexed.kind(index),
            text: text[lexed.range(index)].into(),
            space_before: false,
            range: call,
            verbatim: false,
            painted: false,
        })
        .collect();
    if let Some(first) = pasted.first_mut() {
        first.space_before = before.space_before;
    }
    // The lexer takes operators that begin with `>` apart.
    let is_one = pasted.len() == 1 || matches!(text.as_str(), ">=" | ">>" | ">>=");
    let message = format!("`##` joins `{}` and `{}` into `{text}`, which is not a token", before.text, after.text);
    right.splice(0..0, pasted);
    (!is_one).then_some(message)
}
