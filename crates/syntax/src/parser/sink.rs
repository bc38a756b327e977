//! Events and trivia to a green tree.

use diagnostics::{Code, codes};
use rowan::GreenNodeBuilder;

use super::{Event, Output};
use crate::ast::{AstNode, Item};
use crate::lexer::{self, Lexed};
use crate::{GreenNode, SyntaxError, SyntaxKind, TextRange, TextSize};

/// How deep a tree may be. Nodes below are left out (their tokens stay), with one error.
///
/// Real code stays far below: this allows a sum of about a thousand terms.
const MAX_TREE_DEPTH: usize = ::diagnostics::limits::TREE as usize;

/// Builds the tree. A `hole` stands before the raw token of that index.
pub(crate) fn build(text: &str, lexed: &Lexed, hole: Option<usize>, output: Output) -> (GreenNode, Vec<SyntaxError>) {
    let errors = lexed.errors.clone();
    let mut sink = Sink {
        text,
        lexed,
        hole,
        token: 0,
        depth: 0,
        skipped: 0,
        too_deep: false,
        builder: GreenNodeBuilder::new(),
        last_error: None,
        errors,
    };
    sink.run(output.events);
    sink.errors.sort_by_key(|error| error.range.start());
    (sink.builder.finish(), sink.errors)
}

struct Sink<'t> {
    text: &'t str,
    lexed: &'t Lexed,
    hole: Option<usize>,
    /// The next raw token.
    token: usize,
    depth: usize,
    /// Open nodes that were left out because of the depth limit.
    skipped: usize,
    too_deep: bool,
    builder: GreenNodeBuilder<'static>,
    last_error: Option<TextSize>,
    errors: Vec<SyntaxError>,
}

impl Sink<'_> {
    fn run(&mut self, mut events: Vec<Event>) {
        let mut parents = Vec::new();
        let last = events.len().saturating_sub(1);
        for index in 0..events.len() {
            match std::mem::replace(&mut events[index], tombstone()) {
                Event::Start { kind, forward_parent } => {
                    parents.push(kind);
                    let mut position = index;
                    let mut next = forward_parent;
                    while let Some(distance) = next {
                        position += distance as usize;
                        next = match events.get_mut(position).map(|event| std::mem::replace(event, tombstone())) {
                            Some(Event::Start { kind, forward_parent }) => {
                                parents.push(kind);
                                forward_parent
                            }
                            _ => None,
                        };
                    }
                    while let Some(kind) = parents.pop() {
                        if kind != SyntaxKind::TOMBSTONE {
                            self.start(kind);
                        }
                    }
                }
                Event::Finish => {
                    if index == last {
                        self.eat_trivia(self.lexed.len());
                    }
                    self.finish_node();
                }
                Event::Token { kind, raw_count } => {
                    self.eat_trivia(self.lexed.len());
                    self.push_token(kind, raw_count as usize);
                }
                Event::Hole => {
                    self.eat_trivia(self.hole.unwrap_or_default());
                    self.builder.token(SyntaxKind::BODY_HOLE.into(), "");
                }
                Event::Error { code, message } => self.error(code, message),
            }
        }
    }

    fn start(&mut self, kind: SyntaxKind) {
        if self.depth > 0 {
            let attached = self.first_attached_trivia(kind);
            self.eat_trivia(attached);
        }
        if self.depth >= MAX_TREE_DEPTH || self.skipped > 0 {
            self.skipped += 1;
            if !std::mem::replace(&mut self.too_deep, true) {
                self.error(codes::UNEXPECTED_TOKEN, "too deeply nested or too long a chain of operators");
            }
            return;
        }
        self.depth += 1;
        self.builder.start_node(kind.into());
    }

    fn finish_node(&mut self) {
        if self.skipped > 0 {
            self.skipped -= 1;
            return;
        }
        self.depth -= 1;
        self.builder.finish_node();
    }

    /// Adds whitespace, comments and directives up to (not including) the token `end`.
    fn eat_trivia(&mut self, end: usize) {
        while self.token < end {
            let kind = self.lexed.kind(self.token);
            let text = &self.text[self.lexed.range(self.token)];
            if kind.is_trivia() {
                self.builder.token(kind.into(), text);
            } else if kind == SyntaxKind::DIRECTIVE {
                self.directive(text);
            } else {
                return;
            }
            self.token += 1;
        }
    }

    fn directive(&mut self, text: &str) {
        self.builder.start_node(SyntaxKind::DIRECTIVE.into());
        let inner = lexer::directive_tokens(text);
        for index in 0..inner.len() {
            self.builder.token(inner.kind(index).into(), &text[inner.range(index)]);
        }
        self.builder.finish_node();
    }

    fn push_token(&mut self, kind: SyntaxKind, raw_count: usize) {
        let start = self.lexed.range(self.token).start;
        self.token += raw_count;
        let end = self.lexed.range(self.token).start;
        self.builder.token(kind.into(), &self.text[start..end]);
    }

    /// The first token of the trivia here that goes inside a node of this kind: declarations own the comments directly
    /// before them, without a blank line between.
    fn first_attached_trivia(&self, kind: SyntaxKind) -> usize {
        let mut end = self.token;
        while self.lexed.kind(end).is_trivia() || self.lexed.kind(end) == SyntaxKind::DIRECTIVE {
            end += 1;
        }
        if !owns_comments(kind) {
            return end;
        }
        let mut attached = end;
        for index in (self.token..end).rev() {
            let text = &self.text[self.lexed.range(index)];
            match self.lexed.kind(index) {
                SyntaxKind::WHITESPACE if text.bytes().filter(|byte| *byte == b'\n').count() > 1 => break,
                SyntaxKind::WHITESPACE => {}
                SyntaxKind::COMMENT if self.is_behind_code(index) => break,
                SyntaxKind::COMMENT => attached = index,
                _ => break,
            }
        }
        attached
    }

    /// Whether a comment in the trivia here is on the same line as the code before it, and so about that.
    fn is_behind_code(&self, comment: usize) -> bool {
        let gap = self.lexed.range(self.token).start..self.lexed.range(comment).start;
        self.token > 0 && !self.text[gap].contains('\n')
    }

    /// An error about the next token that is not trivia; after the last token, about the end of the last one.
    fn error(&mut self, code: Code, message: &'static str) {
        let mut index = self.token;
        while self.lexed.kind(index).is_trivia() || self.lexed.kind(index) == SyntaxKind::DIRECTIVE {
            index += 1;
        }
        let range = if index < self.lexed.len() { self.lexed.range(index) } else { self.end_of_last_token() };
        let range = TextRange::new(TextSize::new(range.start as u32), TextSize::new(range.end as u32));
        // What else is missing at the same place follows from the first thing.
        if self.last_error != Some(range.start()) {
            self.last_error = Some(range.start());
            self.errors.push(SyntaxError::coded(code, message, range));
        }
    }

    fn end_of_last_token(&self) -> std::ops::Range<usize> {
        let is_hidden = |index: &usize| {
            let kind = self.lexed.kind(*index);
            kind.is_trivia() || kind == SyntaxKind::DIRECTIVE
        };
        let end = (0..self.lexed.len()).rev().find(|index| !is_hidden(index)).map_or(0, |i| self.lexed.range(i).end);
        end..end
    }
}

/// Placeholder for an event that was handled ahead of its turn.
fn tombstone() -> Event {
    Event::Start { kind: SyntaxKind::TOMBSTONE, forward_parent: None }
}

fn owns_comments(kind: SyntaxKind) -> bool {
    Item::can_cast(kind) || matches!(kind, SyntaxKind::ENUM_CASE | SyntaxKind::ACCESSOR)
}
