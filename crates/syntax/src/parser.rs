//! The hand-written parser: tokens to events to a green tree.
//!
//! The grammar functions (`grammar`) drive a [`Parser`], which records events; `sink` turns the events and the trivia
//! between the tokens into a tree. The grammar never sees trivia and never fails: what it does not expect becomes an
//! `ERROR` node and a message.
//!
//! Three limits keep every input cheap: recursion depth ([`MAX_DEPTH`]), at which the statement or declaration around is
//! given up as a whole, depth of the tree (in `sink`; long
//! left-associative chains are deep without recursion), and a budget for speculation, after which a guess simply
//! fails.

mod grammar;
mod input;
mod sink;

use diagnostics::{Code, codes, stack};

use crate::SyntaxKind;

use SyntaxKind::{EOF, ERROR, TOMBSTONE};

pub use grammar::BodyKind;
pub(crate) use grammar::{body, container_end, source_file, type_alone};
pub(crate) use input::Input;
pub(crate) use sink::build;

/// How deep grammar functions may nest. A level of parentheses costs two or three.
const MAX_DEPTH: u32 = ::diagnostics::limits::GRAMMAR;

#[derive(Debug, Clone)]
pub(crate) enum Event {
    /// Begins a node, or nothing if it stays a tombstone. `forward_parent` is the distance to the `Start` of a node
    /// that was put around this one later.
    Start {
        kind: SyntaxKind,
        forward_parent: Option<u32>,
    },
    Finish,
    /// `raw_count` adjacent raw tokens become one token of the tree.
    Token {
        kind: SyntaxKind,
        raw_count: u8,
    },
    /// The place of a body that is parsed on its own.
    Hole,
    /// A message about the next token.
    Error {
        code: Code,
        message: &'static str,
    },
}

/// What parsing hands to tree building.
pub(crate) struct Output {
    pub(crate) events: Vec<Event>,
    pub(crate) hole: Option<BodyKind>,
}

pub(crate) struct Parser<'i> {
    input: &'i Input<'i>,
    position: usize,
    events: Vec<Event>,
    depth: u32,
    /// How many enclosing generic argument lists there are in which `>` closes instead of comparing.
    in_generic_args: u32,
    speculation: Speculation,
    /// The statement or declaration here nests too deeply: until it is left, no more tokens are seen.
    given_up: bool,
    /// The error that says so stands already.
    is_depth_reported: bool,
    hole: Option<BodyKind>,
}

/// Bounds what guessing may cost.
struct Speculation {
    /// Tokens that guesses may still consume.
    budget: usize,
    /// How many guesses enclose this point.
    depth: u32,
    /// The innermost guess has failed: until it is left, no more tokens are seen.
    has_failed: bool,
    /// Positions at which reading generic arguments has failed before.
    failed: Vec<u64>,
}

/// A place to come back to when a guess fails.
struct Checkpoint {
    position: usize,
    events: usize,
    hole: Option<BodyKind>,
}

impl<'i> Parser<'i> {
    pub(crate) fn new(input: &'i Input<'i>) -> Self {
        let speculation = Speculation {
            budget: 1_000 + 8 * input.len(),
            depth: 0,
            has_failed: false,
            failed: vec![0; input.len() / 64 + 1],
        };
        Parser {
            input,
            position: 0,
            events: Vec::with_capacity(3 * input.len()),
            depth: 0,
            in_generic_args: 0,
            speculation,
            given_up: false,
            is_depth_reported: false,
            hole: None,
        }
    }

    pub(crate) fn finish(self) -> Output {
        Output { events: self.events, hole: self.hole }
    }

    /// Whether all functions of the grammar are to return: for them this is the end of the text.
    fn sees_nothing(&self) -> bool {
        self.speculation.has_failed || self.given_up
    }

    /// The kind of the current token, where compound operators that begin with `>` count as one.
    fn current(&self) -> SyntaxKind {
        self.nth(0)
    }

    /// The raw kind of a token ahead: `>` is always single here.
    fn nth(&self, n: usize) -> SyntaxKind {
        if self.sees_nothing() {
            return EOF;
        }
        self.input.kind(self.position + n)
    }

    /// The keyword that an identifier ahead would be, or its plain kind.
    fn nth_keyword(&self, n: usize) -> SyntaxKind {
        if self.sees_nothing() {
            return EOF;
        }
        self.input.keyword(self.position + n)
    }

    /// Whether the current token is this one. Keywords match the identifiers that spell them.
    fn at(&self, kind: SyntaxKind) -> bool {
        self.nth_at(0, kind)
    }

    fn nth_at(&self, n: usize, kind: SyntaxKind) -> bool {
        match kind {
            SyntaxKind::GT_EQ | SyntaxKind::SHR | SyntaxKind::SHR_EQ => self.compound_at(n) == Some(kind),
            _ if kind.is_keyword() => self.nth_keyword(n) == kind,
            _ => self.nth(n) == kind,
        }
    }

    /// The operator that begins with `>` here and is longer than it.
    fn compound_at(&self, n: usize) -> Option<SyntaxKind> {
        let position = self.position + n;
        let next = |distance: usize| {
            let joint = (1..=distance).all(|step| self.input.is_joint(position + step - 1));
            if joint { self.input.kind(position + distance) } else { EOF }
        };
        if self.sees_nothing() || self.input.kind(position) != SyntaxKind::R_ANGLE {
            return None;
        }
        match (next(1), next(2)) {
            (SyntaxKind::R_ANGLE, SyntaxKind::EQ) => Some(SyntaxKind::SHR_EQ),
            (SyntaxKind::R_ANGLE, _) => Some(SyntaxKind::SHR),
            (SyntaxKind::EQ, _) => Some(SyntaxKind::GT_EQ),
            _ => None,
        }
    }

    fn at_end(&self) -> bool {
        self.nth(0) == EOF
    }

    /// Consumes the current token if it is this one.
    fn eat(&mut self, kind: SyntaxKind) -> bool {
        if !self.at(kind) {
            return false;
        }
        self.bump_as(kind);
        true
    }

    /// Consumes the current token under the kind that it was asked for with.
    fn bump_as(&mut self, kind: SyntaxKind) {
        let raw_count = match kind {
            SyntaxKind::GT_EQ | SyntaxKind::SHR => 2,
            SyntaxKind::SHR_EQ => 3,
            _ => 1,
        };
        self.position += raw_count as usize;
        self.events.push(Event::Token { kind, raw_count });
        if self.speculation.depth > 0 {
            self.speculation.budget = self.speculation.budget.saturating_sub(1);
            self.speculation.has_failed |= self.speculation.budget == 0;
        }
    }

    /// Consumes the current token as what it is; an identifier stays one even where it spells a keyword.
    fn bump_any(&mut self) {
        let kind = self.nth(0);
        match kind {
            EOF => {}
            SyntaxKind::BODY_HOLE => {
                // A body where none belongs: it stays in the tree, inside an error.
                self.hole_as(BodyKind::Block);
            }
            _ => self.bump_as(kind),
        }
    }

    /// Puts the body that is parsed elsewhere here.
    fn hole_as(&mut self, kind: BodyKind) {
        self.position += 1;
        self.hole = Some(kind);
        self.events.push(Event::Hole);
    }

    fn expect(&mut self, kind: SyntaxKind, message: &'static str) -> bool {
        if self.eat(kind) {
            return true;
        }
        self.error(message);
        false
    }

    fn error(&mut self, message: &'static str) {
        self.coded_error(codes::UNEXPECTED_TOKEN, message);
    }

    fn coded_error(&mut self, code: Code, message: &'static str) {
        if self.given_up {
            return;
        }
        self.speculation.has_failed |= self.speculation.depth > 0;
        self.events.push(Event::Error { code, message });
    }

    /// Reports an error and puts the current token into an `ERROR` node.
    fn error_and_bump(&mut self, message: &'static str) {
        let marker = self.start();
        self.error(message);
        self.bump_any();
        marker.complete(self, ERROR);
    }

    fn start(&mut self) -> Marker {
        let position = self.events.len() as u32;
        self.events.push(Event::Start { kind: TOMBSTONE, forward_parent: None });
        Marker { position }
    }

    /// Runs `parse` one level deeper. At the limit, everything up to the statement or declaration around is given up, which
    /// [`Parser::skip_given_up`] then leaves; one error says so, not one for each level.
    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        if self.depth >= MAX_DEPTH {
            let is_guess = self.speculation.depth > 0;
            if is_guess || !std::mem::replace(&mut self.is_depth_reported, true) {
                self.error("too deeply nested");
            }
            self.given_up |= !is_guess;
            return None;
        }
        self.depth += 1;
        let result = stack::deep(|| parse(self));
        self.depth -= 1;
        // Behind half of the levels something else may nest too deeply.
        self.is_depth_reported &= self.depth > MAX_DEPTH / 2;
        result
    }

    /// Puts what is left of a statement or declaration that was given up into an `ERROR` node. It began at `start`.
    fn skip_given_up(&mut self, start: usize) {
        if !std::mem::take(&mut self.given_up) {
            return;
        }
        let end = self.end_of_given_up(start);
        if self.position >= end {
            return;
        }
        let marker = self.start();
        while self.position < end && !self.at_end() {
            self.bump_any();
        }
        marker.complete(self, ERROR);
    }

    /// The end of the statement or declaration that began at `start` and has been read up to here: its `;`, or the last of
    /// its blocks. An `else` goes on with it.
    fn end_of_given_up(&self, start: usize) -> usize {
        let mut position = start;
        loop {
            let kind = self.input.kind(position);
            if matches!(kind, EOF | SyntaxKind::R_BRACE) {
                return position.max(self.position);
            }
            position = match self.input.matching(position) {
                // A block without an end goes to the end of the text.
                None if kind == SyntaxKind::L_BRACE => self.input.len(),
                partner => partner.unwrap_or(position).max(position) + 1,
            };
            let may_end = match kind {
                SyntaxKind::SEMICOLON => true,
                SyntaxKind::L_BRACE | SyntaxKind::BODY_HOLE => {
                    let next = self.input.kind(position);
                    matches!(next, SyntaxKind::IDENT | SyntaxKind::L_BRACKET | SyntaxKind::L_BRACE)
                }
                _ => false,
            };
            let goes_on = matches!(self.input.keyword(position), SyntaxKind::ELSE_KW | SyntaxKind::CATCH_KW);
            if position > self.position && may_end && !goes_on {
                return position;
            }
        }
    }

    /// Puts the current token, or the whole bracketed group that it opens, into an `ERROR` node.
    fn skip_group(&mut self, message: &'static str) {
        if self.at_end() {
            self.error(message);
            return;
        }
        let marker = self.start();
        self.error(message);
        let end = self.input.matching(self.position).unwrap_or(self.position).max(self.position);
        while self.position <= end && !self.at_end() {
            self.bump_any();
        }
        marker.complete(self, ERROR);
    }

    /// Tries `parse`; if it returns `None` or reports an error, nothing has happened.
    fn speculate<T>(&mut self, parse: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        if self.speculation.budget == 0 || self.sees_nothing() {
            return None;
        }
        let checkpoint = Checkpoint { position: self.position, events: self.events.len(), hole: self.hole };
        self.speculation.depth += 1;
        let result = parse(self);
        self.speculation.depth -= 1;
        let has_failed = std::mem::replace(&mut self.speculation.has_failed, false);
        if result.is_some() && !has_failed {
            return result;
        }
        self.position = checkpoint.position;
        self.events.truncate(checkpoint.events);
        self.hole = checkpoint.hole;
        None
    }

    /// Whether a guess has already failed here.
    fn has_failed_here(&self) -> bool {
        self.speculation.failed[self.position / 64] & 1 << (self.position % 64) != 0
    }

    fn mark_failed_here(&mut self) {
        self.speculation.failed[self.position / 64] |= 1 << (self.position % 64);
    }
}

/// A node that has begun. It must be completed or abandoned.
struct Marker {
    position: u32,
}

impl Marker {
    fn complete(self, p: &mut Parser<'_>, kind: SyntaxKind) -> CompletedMarker {
        if let Some(Event::Start { kind: slot, .. }) = p.events.get_mut(self.position as usize) {
            *slot = kind;
        }
        p.events.push(Event::Finish);
        CompletedMarker { position: self.position, kind }
    }

    /// Gives up the node; its children go to the parent.
    fn abandon(self, p: &mut Parser<'_>) {
        if self.position as usize + 1 == p.events.len() {
            p.events.pop();
        }
    }

    /// Whether nothing has been consumed since the node began.
    fn is_empty(&self, p: &Parser<'_>) -> bool {
        self.position as usize + 1 == p.events.len()
    }
}

/// A finished node, which may still get a parent around it.
#[derive(Clone, Copy)]
struct CompletedMarker {
    position: u32,
    kind: SyntaxKind,
}

impl CompletedMarker {
    /// Begins a node around this one.
    fn precede(self, p: &mut Parser<'_>) -> Marker {
        let marker = p.start();
        if let Some(Event::Start { forward_parent, .. }) = p.events.get_mut(self.position as usize) {
            *forward_parent = Some(marker.position - self.position);
        }
        marker
    }

    fn kind(self) -> SyntaxKind {
        self.kind
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn events_are_small() {
        assert!(size_of::<super::Event>() <= 24);
    }
}
