//! Syntax trees of segments: header and body apart, from the expanded texts.

use base_db::{Db, Segment};
use syntax::{BodyKind, GreenNode, SyntaxError};

/// A tree, its errors, and whether the header leaves a place for a body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PartParse {
    pub(crate) green: GreenNode,
    pub(crate) errors: Vec<SyntaxError>,
    /// What the body of the segment is, if it has one.
    hole: Option<BodyKind>,
}

impl PartParse {
    pub(crate) fn has_hole(&self) -> bool {
        self.hole.is_some()
    }

    /// Whether the body holds declarations instead of statements.
    pub(crate) fn body_declares(&self) -> bool {
        self.hole.is_some_and(|kind| kind != BodyKind::Block)
    }
}

#[salsa::tracked]
pub(crate) fn header(db: &dyn Db, segment: Segment) -> PartParse {
    let parse = syntax::parse_file(segment.header(db));
    PartParse { green: parse.green, errors: parse.errors, hole: None }
}

/// `None` if the header says that there is no body.
#[salsa::tracked(returns(as_ref))]
pub(crate) fn body(db: &dyn Db, segment: Segment) -> Option<PartParse> {
    let _kind = header(db, segment).hole?;
    let parse = syntax::parse_file(segment.body(db));
    Some(PartParse { green: parse.green, errors: parse.errors, hole: None })
}
