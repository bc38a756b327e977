//! Reads segments one after the other from the tokens of a file.

use std::cell::OnceCell;

use diagnostics::stack;

use super::boundary::{self, Condition, Tokens};
use super::header::Header;
use super::{MAX_CONTAINER_DEPTH, Segment, SegmentKind};
use crate::lexer::Lexed;
use crate::{SyntaxKind, T};

/// After this many blocks without an end, blocks end at the first declaration that they should not contain, without
/// looking for their brace any more: that keeps the time linear.
const MOST_OPEN_BLOCKS: usize = 8;

pub(super) struct Scanner<'t> {
    tokens: Tokens<'t>,
    /// The next raw token.
    position: usize,
    /// Where the next segment begins in the text.
    start: usize,
    /// How many `#if` among the segments before this one, in the same container, still lack their `#endif`.
    open_conditions: usize,
    /// The end of the current segment was found by reading to the end of the file.
    open_ended: bool,
    open_blocks: usize,
    /// For each token whether it is a `{` without partner, counted over the whole file. Needed only for containers
    /// that look unclosed.
    unclosed: OnceCell<Vec<bool>>,
}

/// How a part of a declaration ended.
#[derive(PartialEq, Eq)]
enum End {
    /// With a semicolon or brace, or cut off: by the end of the file or where another declaration begins.
    Complete,
    /// A `{` that begins a body is next.
    Body,
    /// A `#else` or `#endif` inside belongs to an `#if` before the declaration.
    CrossesOutward,
    /// An `#if` inside is still open.
    CrossesInward,
}

impl<'t> Scanner<'t> {
    pub(super) fn new(text: &'t str, lexed: &'t Lexed) -> Self {
        Scanner {
            tokens: Tokens { text, lexed },
            position: 0,
            start: 0,
            open_conditions: 0,
            open_ended: false,
            open_blocks: 0,
            unclosed: OnceCell::new(),
        }
    }

    /// All segments of a file.
    pub(super) fn file(&mut self) -> Vec<Segment> {
        let mut segments = Vec::new();
        while self.next_segment(0, &mut segments) {}
        segments
    }

    /// Adds the next segment; false at the `}` of the container and at the end of the file. An irregular segment takes
    /// back those since the `#if` that it crosses.
    pub(super) fn next_segment(&mut self, depth: usize, segments: &mut Vec<Segment>) -> bool {
        let first = self.tokens.next_visible(self.position);
        let segment = match self.tokens.kind(first) {
            SyntaxKind::EOF => {
                // In a container this trivia goes to its body.
                if depth > 0 || first == self.position {
                    return false;
                }
                self.position = first;
                self.finish(SegmentKind::Trivia, self.tokens.end())
            }
            T!['}'] if depth > 0 => return false,
            SyntaxKind::DIRECTIVE => {
                self.position = first + 1;
                match boundary::condition(self.tokens.text_of(first)) {
                    Some(Condition::If) => self.open_conditions += 1,
                    Some(Condition::End) => self.open_conditions = self.open_conditions.saturating_sub(1),
                    Some(Condition::Else) | None => {}
                }
                self.finish_without_body(SegmentKind::Directive)
            }
            _ => self.item(first, depth, segments),
        };
        segments.push(segment);
        true
    }

    fn item(&mut self, first: usize, depth: usize, before: &mut Vec<Segment>) -> Segment {
        let start = self.start;
        let column = self.tokens.column(first);
        let mut header = Header::new(column);
        self.position = first;
        let (end, body_start) = match self.header(&mut header) {
            End::Body if header.is_container && depth < MAX_CONTAINER_DEPTH => {
                match stack::deep(|| self.container(&header, depth)) {
                    Some(container) => return container,
                    None => (End::CrossesOutward, None),
                }
            }
            End::Body => {
                let body_start = self.tokens.range(self.position).start;
                // What is too deep to be taken apart holds declarations, so that none ends it.
                let column = (!header.is_container).then_some(column);
                (self.block(column), Some(body_start))
            }
            end => (end, None),
        };
        match end {
            End::CrossesOutward => self.irregular(open_condition(before, &self.tokens), start, before),
            End::CrossesInward => self.irregular(None, start, before),
            End::Complete | End::Body => {
                if body_start.is_some() && header.takes_tail() {
                    self.take_tail(header.has_tail_on_line());
                }
                self.take_trailing_comment();
                match body_start {
                    Some(body_start) => self.finish(SegmentKind::Item, body_start),
                    None => self.finish_without_body(SegmentKind::Item),
                }
            }
        }
    }

    /// Reads up to the `{` of a body, or to the end of the declaration.
    fn header(&mut self, header: &mut Header) -> End {
        let first = self.position;
        let mut conditions: Vec<Header> = Vec::new();
        loop {
            let position = self.tokens.next_visible(self.position);
            if position != first && self.is_outdented(position, header.column) {
                let is_next = (header.may_end() && boundary::starts_declaration(&self.tokens, position))
                    || (header.is_cut_by_declaration() && boundary::cannot_be_in_block(&self.tokens, position));
                // Directives directly before the next declaration are not part of this one.
                if is_next {
                    self.end_before(position);
                    return End::Complete;
                }
            }
            match self.tokens.kind(position) {
                SyntaxKind::EOF => {
                    self.end_before(position);
                    return End::Complete;
                }
                SyntaxKind::DIRECTIVE => {
                    match boundary::condition(self.tokens.text_of(position)) {
                        Some(Condition::If) => conditions.push(header.clone()),
                        Some(Condition::Else) => match conditions.last() {
                            Some(saved) => *header = saved.clone(),
                            None if self.open_conditions > 0 => return End::CrossesOutward,
                            None => {}
                        },
                        Some(Condition::End) => {
                            let closes_own = conditions.pop().is_some();
                            if !closes_own && self.open_conditions > 0 {
                                return End::CrossesOutward;
                            }
                        }
                        None => {}
                    }
                    self.position = position + 1;
                    continue;
                }
                T![;] => {
                    self.position = position + 1;
                    return if conditions.is_empty() { End::Complete } else { End::CrossesInward };
                }
                T!['}'] => {
                    if position == first {
                        self.position = position + 1;
                    }
                    return End::Complete;
                }
                T!['{'] => {
                    self.position = position;
                    if header.is_body_next() {
                        return if conditions.is_empty() { End::Body } else { End::CrossesInward };
                    }
                    let end = self.block(Some(header.column));
                    if end != End::Complete || self.open_ended {
                        return end;
                    }
                    header.see_initializer();
                    continue;
                }
                _ => {}
            }
            header.see(&self.tokens, position);
            self.position = position + 1;
        }
    }

    /// Reads a block whose `{` is next. Stops early where a declaration begins, at this column or before it, that no block can
    /// contain.
    fn block(&mut self, column: Option<usize>) -> End {
        let mut depth = 0_usize;
        let mut conditions: Vec<usize> = Vec::new();
        let open = self.position;
        let mut last_code = open;
        let outside: fn(&Tokens<'_>, usize) -> bool = match self.open_blocks {
            0..MOST_OPEN_BLOCKS => boundary::cannot_be_in_block,
            _ => boundary::starts_declaration,
        };
        loop {
            let position = self.tokens.next_visible(self.position);
            match self.tokens.kind(position) {
                SyntaxKind::EOF => {
                    self.open_ended = true;
                    self.open_blocks += 1;
                    let next =
                        column.and_then(|column| boundary::first_declaration(&self.tokens, open..position, column));
                    match next {
                        Some(next) => self.end_before(next),
                        None => self.position = last_code + 1,
                    }
                    return End::Complete;
                }
                SyntaxKind::DIRECTIVE => match boundary::condition(self.tokens.text_of(position)) {
                    Some(Condition::If) => conditions.push(depth),
                    Some(Condition::Else) => match conditions.last() {
                        Some(saved) => depth = *saved,
                        None if self.open_conditions > 0 => return End::CrossesOutward,
                        None => {}
                    },
                    Some(Condition::End) => {
                        let closes_own = conditions.pop().is_some();
                        if !closes_own && self.open_conditions > 0 {
                            return End::CrossesOutward;
                        }
                    }
                    None => {}
                },
                T!['{'] => depth += 1,
                T!['}'] => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        self.position = position + 1;
                        return if conditions.is_empty() { End::Complete } else { End::CrossesInward };
                    }
                }
                _ => {
                    if let Some(column) = column
                        && self.is_outdented(position, column)
                        && outside(&self.tokens, position)
                    {
                        self.open_ended |= self.open_blocks >= MOST_OPEN_BLOCKS;
                        // Now that the brace is known to be missing, less certain signs count, too.
                        let next = boundary::first_declaration(&self.tokens, open..position, column);
                        self.end_before(next.unwrap_or(position));
                        return End::Complete;
                    }
                }
            }
            if !self.tokens.is_hidden(position) {
                last_code = position;
            }
            self.position = position + 1;
        }
    }

    /// A container whose `{` is next; nothing if a conditional directive crosses its end.
    fn container(&mut self, declared: &Header, depth: usize) -> Option<Segment> {
        let open = self.position;
        self.position += 1;
        let header = self.start..self.tokens.range(self.position).start;
        let mut has_directives = self.tokens.has_directive(self.tokens.index_at(header.start), self.position);
        self.start = header.end;
        let outer_conditions = std::mem::take(&mut self.open_conditions);
        let mut members = Vec::new();
        let mut members_column = None;
        let mut open_ended = false;
        loop {
            let first = self.tokens.next_visible(self.position);
            if outer_conditions > 0 && self.open_conditions == 0 && self.crosses_outward(first) {
                self.open_conditions = outer_conditions;
                return None;
            }
            if self.ends_unclosed_container(first, open, declared.column, &mut members_column) {
                open_ended = true;
                break;
            }
            if !self.next_segment(depth + 1, &mut members) {
                break;
            }
        }
        self.open_conditions = outer_conditions;
        let body_start = self.start;
        let closed = !open_ended && self.take_closing_brace(declared);
        let body = body_start..self.tokens.range(self.position).start;
        self.start = body.end;
        has_directives |= self.tokens.has_directive(self.tokens.index_at(body_start), self.position);
        let kind = SegmentKind::Container;
        Some(Segment { kind, header, members, body, has_directives, open_ended: !closed })
    }

    fn crosses_outward(&self, position: usize) -> bool {
        self.tokens.kind(position) == SyntaxKind::DIRECTIVE
            && matches!(
                boundary::condition(self.tokens.text_of(position)),
                Some(Condition::Else) | Some(Condition::End)
            )
    }

    /// Whether the next member is none: it is indented no deeper than the container, while the first member was, and
    /// the container's brace has no partner.
    fn ends_unclosed_container(&self, first: usize, open: usize, column: usize, members: &mut Option<usize>) -> bool {
        let kind = self.tokens.kind(first);
        if matches!(kind, SyntaxKind::EOF | SyntaxKind::DIRECTIVE | T!['}']) || !self.tokens.is_first_on_line(first) {
            return false;
        }
        let here = self.tokens.column(first);
        let members = *members.get_or_insert(here);
        members > column
            && here <= column
            && boundary::starts_declaration(&self.tokens, first)
            && self.unclosed.get_or_init(|| boundary::unclosed_braces(&self.tokens))[open]
    }

    /// Takes the `}` of a container and what belongs to it. Returns false if there is none.
    fn take_closing_brace(&mut self, declared: &Header) -> bool {
        let brace = self.tokens.next_visible(self.position);
        if self.tokens.kind(brace) != T!['}'] {
            self.position = brace;
            return false;
        }
        self.position = brace + 1;
        self.take_tail(declared.has_tail_on_line());
        self.take_trailing_comment();
        true
    }

    /// After the `}` of a type: `;`, or variables and `;`, which may have to begin on the line of the brace.
    fn take_tail(&mut self, is_on_line: bool) {
        let next = self.tokens.next_visible(self.position);
        if self.tokens.kind(next) == T![;] {
            self.position = next + 1;
            return;
        }
        if is_on_line && self.tokens.is_first_on_line(next) {
            return;
        }
        let mut position = self.tokens.next_visible(next + 1);
        // `} lamps[4];` declares variables, `} float2[4] corners(…)` begins the next declaration.
        while self.tokens.kind(position) == T!['['] {
            let Some(behind) = self.tokens.behind_group(position, T!['['], T![']']) else { return };
            position = behind;
        }
        let declares = self.tokens.kind(next) == SyntaxKind::IDENT
            && matches!(self.tokens.kind(position), T![;] | T![=] | T![,] | T![:]);
        if !declares {
            return;
        }
        let mut depth = 0_usize;
        loop {
            match self.tokens.kind(position) {
                T!['{'] => depth += 1,
                T!['}'] if depth > 0 => depth -= 1,
                T![;] if depth == 0 => {
                    self.position = position + 1;
                    return;
                }
                // No semicolon: the variable alone belongs to the type.
                SyntaxKind::EOF | SyntaxKind::DIRECTIVE | T!['}'] => break,
                _ if self.is_outdented(position, 0) => break,
                _ => {}
            }
            position = self.tokens.next_visible(position + 1);
        }
        self.position = next + 1;
    }

    /// A comment after a declaration on the same line is about that declaration.
    fn take_trailing_comment(&mut self) {
        let mut position = self.position;
        let mut end = position;
        loop {
            match self.tokens.kind(position) {
                SyntaxKind::WHITESPACE if !self.tokens.text_of(position).contains('\n') => {}
                SyntaxKind::COMMENT => end = position + 1,
                SyntaxKind::WHITESPACE | SyntaxKind::EOF => break,
                // More code follows on this line: the comments are about that.
                _ => return,
            }
            position += 1;
        }
        self.position = end;
    }

    /// Reads on until every conditional and every brace is closed that was opened since `from`, an earlier segment, or
    /// since the start of the declaration.
    fn irregular(&mut self, from: Option<usize>, item_start: usize, before: &mut Vec<Segment>) -> Segment {
        self.start = item_start;
        if let Some(index) = from {
            self.start = before[index].header.start;
            before.truncate(index);
            self.open_conditions -= 1;
        }
        self.position = self.tokens.index_at(self.start);
        self.open_ended = false;
        let mut depth = 0_usize;
        let mut conditions: Vec<usize> = Vec::new();
        let mut complete = false;
        loop {
            let position = self.tokens.next_visible(self.position);
            match self.tokens.kind(position) {
                SyntaxKind::EOF => {
                    self.position = position;
                    self.open_ended = true;
                    break;
                }
                SyntaxKind::DIRECTIVE => match boundary::condition(self.tokens.text_of(position)) {
                    Some(Condition::If) => conditions.push(depth),
                    Some(Condition::Else) => depth = conditions.last().copied().unwrap_or(depth),
                    Some(Condition::End) => {
                        conditions.pop();
                    }
                    None => {}
                },
                T!['{'] => depth += 1,
                T!['}'] if depth == 0 && conditions.is_empty() && complete => break,
                T!['}'] => depth = depth.saturating_sub(1),
                _ => {}
            }
            let kind = self.tokens.kind(position);
            if kind != SyntaxKind::DIRECTIVE {
                complete = matches!(kind, T![;] | T!['}']);
            }
            self.position = position + 1;
            if complete && depth == 0 && conditions.is_empty() {
                break;
            }
        }
        self.take_trailing_comment();
        self.finish_without_body(SegmentKind::Irregular)
    }

    fn is_outdented(&self, position: usize, column: usize) -> bool {
        self.tokens.is_first_on_line(position) && self.tokens.column(position) <= column
    }

    /// Ends the segment so that the trivia and directives before a token go to the next one.
    fn end_before(&mut self, position: usize) {
        let mut end = position;
        while end > 0 && self.tokens.is_hidden(end - 1) {
            end -= 1;
        }
        self.position = end;
    }

    fn finish_without_body(&mut self, kind: SegmentKind) -> Segment {
        self.finish(kind, self.tokens.range(self.position).start)
    }

    /// A segment from `start` to the current position.
    fn finish(&mut self, kind: SegmentKind, body_start: usize) -> Segment {
        let first = self.tokens.index_at(self.start);
        let end = self.tokens.range(self.position).start;
        let body_start = body_start.min(end);
        let header = self.start..body_start;
        self.start = end;
        let has_directives = self.tokens.has_directive(first, self.position);
        let open_ended = std::mem::take(&mut self.open_ended);
        Segment { kind, header, members: Vec::new(), body: body_start..end, has_directives, open_ended }
    }
}

/// The segment of the last `#if` whose `#endif` is not among the segments.
fn open_condition(segments: &[Segment], tokens: &Tokens<'_>) -> Option<usize> {
    let mut closed = 0_usize;
    for (index, segment) in segments.iter().enumerate().rev() {
        if segment.kind != SegmentKind::Directive {
            continue;
        }
        let directive = tokens.next_visible(tokens.index_at(segment.header.start));
        match boundary::condition(tokens.text_of(directive)) {
            Some(Condition::If) if closed == 0 => return Some(index),
            Some(Condition::If) => closed -= 1,
            Some(Condition::End) => closed += 1,
            Some(Condition::Else) | None => {}
        }
    }
    None
}
