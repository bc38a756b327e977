//! A text cut into the texts of its segments.

use syntax::{
    SyntaxKind, lexer,
    segment::{self, Segment},
};

use crate::SegmentKind;

/// What a segment should say.
#[derive(Debug, Clone)]
pub(crate) struct Plan<'t> {
    pub(crate) kind: SegmentKind,
    pub(crate) has_directives: bool,
    pub(crate) header: &'t str,
    pub(crate) body: &'t str,
    pub(crate) members: Vec<Plan<'t>>,
    /// Its end depends on everything after it.
    pub(crate) open_ended: bool,
}

pub(crate) fn segment(text: &str) -> Vec<Plan<'_>> {
    plans(text, segment::segment(text))
}

/// The segments of a text, as its plans.
pub(crate) fn plans(text: &str, segments: Vec<Segment>) -> Vec<Plan<'_>> {
    segments.into_iter().map(|segment| Plan::new(text, segment)).collect()
}

impl<'t> Plan<'t> {
    fn new(text: &'t str, segment: Segment) -> Plan<'t> {
        Plan {
            kind: match segment.kind {
                segment::SegmentKind::Directive => SegmentKind::Directive,
                segment::SegmentKind::Item => SegmentKind::Item,
                segment::SegmentKind::Container => SegmentKind::Container,
                segment::SegmentKind::Trivia => SegmentKind::Trivia,
                segment::SegmentKind::Irregular => SegmentKind::Irregular,
            },
            has_directives: segment.has_directives,
            header: &text[segment.header],
            body: &text[segment.body],
            open_ended: segment.open_ended,
            members: segment.members.into_iter().map(|member| Plan::new(text, member)).collect(),
        }
    }

    /// Nothing, for a segment that is out of use.
    pub(crate) fn empty() -> Plan<'static> {
        let kind = SegmentKind::Trivia;
        Plan { kind, has_directives: false, header: "", body: "", members: Vec::new(), open_ended: false }
    }

    /// Whether the extent of segments depends on more than their neighbours: they cross conditionals, or their braces do
    /// not match, so that recovery may have cut them.
    pub(crate) fn is_far_reaching(&self) -> bool {
        let irregular = self.open_ended || self.kind == SegmentKind::Irregular;
        irregular || !self.is_balanced() || self.members.iter().any(Plan::is_far_reaching)
    }

    /// The preprocessor lines of the body.
    pub(crate) fn body_directives(&self) -> String {
        if !self.has_directives || !self.body.contains('#') {
            return String::new();
        }
        let lexed = lexer::lex(self.body);
        let directives = (0..lexed.len()).filter(|index| lexed.kind(*index) == SyntaxKind::DIRECTIVE);
        directives.map(|index| format!("{}\n", &self.body[lexed.range(index)])).collect()
    }

    /// Whether the last token is a `}` or `;`: then no comment, string or declaration goes on after the text.
    pub(crate) fn is_closed(&self) -> bool {
        let lexed = lexer::lex(if self.body.is_empty() { self.header } else { self.body });
        let last = lexed.len().checked_sub(1).map(|last| lexed.kind(last));
        matches!(last, Some(SyntaxKind::R_BRACE | SyntaxKind::SEMICOLON))
    }

    fn is_balanced(&self) -> bool {
        let mut depth = Some(0);
        for text in [self.header, self.body] {
            // A container's body begins with the brace that closes its header's.
            depth = depth.and_then(|depth| brace_depth(depth, text));
        }
        depth == Some(0)
    }
}

/// The number of open braces after a text; `None` if it closes more than there were.
fn brace_depth(mut depth: usize, text: &str) -> Option<usize> {
    if !text.contains(['{', '}']) {
        return Some(depth);
    }
    let lexed = lexer::lex(text);
    for index in 0..lexed.len() {
        match lexed.kind(index) {
            SyntaxKind::L_BRACE => depth += 1,
            SyntaxKind::R_BRACE => depth = depth.checked_sub(1)?,
            _ => {}
        }
    }
    Some(depth)
}
