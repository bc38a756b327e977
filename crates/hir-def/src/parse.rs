//! Syntax trees of segments: header and body apart, from the expanded texts.
//!
//! A tree is many times as large as its text. What is asked for once, by the query that lowers it, is not kept: the header of
//! each segment and the block of each function.

use base_db::{Db, Segment, SegmentKind, text::Part};
use syntax::{BodyKind, HeaderShape, SyntaxError, Tree};

use crate::{expansion, heap};

/// A tree, its errors, and whether the header leaves a place for a body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PartParse {
    pub(crate) green: Tree,
    pub(crate) errors: Vec<SyntaxError>,
    /// What the body of the segment is, if the header wants one.
    hole: Option<BodyKind>,
}

impl PartParse {
    /// Whether the body is a block of statements.
    pub(crate) fn has_block(&self) -> bool {
        self.hole == Some(BodyKind::Block)
    }
}

/// The tree of a header, for who asks once and keeps none.
pub(crate) fn header(db: &dyn Db, segment: Segment) -> PartParse {
    let shape = match segment.kind(db) {
        // Excluded by a condition: nothing follows, not even a brace.
        _ if !expansion::is_active(db, segment) => HeaderShape::Whole,
        _ if expansion::is_joined(db, segment) => HeaderShape::Whole,
        SegmentKind::Container => HeaderShape::Container,
        _ if segment.has_body(db) => HeaderShape::BeforeBody,
        _ => HeaderShape::Whole,
    };
    let parse = syntax::parse_header(expansion::expanded_text(db, segment, Part::Header), shape);
    PartParse { green: parse.parse.green, errors: parse.parse.errors, hole: parse.body_kind }
}

/// The tree of the body of a segment whose header is this.
pub(crate) fn body(db: &dyn Db, segment: Segment, header: &PartParse) -> Option<PartParse> {
    body_of_kind(db, segment, header.hole)
}

/// The tree of a body that is a block, for who asks once and keeps none.
pub(crate) fn block(db: &dyn Db, segment: Segment) -> Option<PartParse> {
    body_of_kind(db, segment, Some(BodyKind::Block))
}

/// `None` if the header says that there is no body.
fn body_of_kind(db: &dyn Db, segment: Segment, kind: Option<BodyKind>) -> Option<PartParse> {
    if !expansion::is_active(db, segment) || expansion::is_joined(db, segment) {
        return None;
    }
    let text = expansion::expanded_text(db, segment, Part::Body);
    let parse = match segment.kind(db) {
        SegmentKind::Container => syntax::parse_container_end(text),
        _ => syntax::parse_body(text, kind?),
    };
    Some(PartParse { green: parse.green, errors: parse.errors, hole: None })
}

/// Trees of segments that several declarations share. Of those that were not asked for lately the tree is dropped at the next
/// edit, and made again where it is wanted again.
#[salsa::tracked(lru = 512, heap_size = heap::tree)]
pub(crate) fn parse_header(db: &dyn Db, segment: Segment) -> PartParse {
    header(db, segment)
}

/// The same of bodies.
#[salsa::tracked(returns(as_ref), lru = 512, heap_size = heap::optional_tree)]
pub(crate) fn parse_body(db: &dyn Db, segment: Segment) -> Option<PartParse> {
    body(db, segment, parse_header(db, segment))
}
