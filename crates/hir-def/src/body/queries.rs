//! Queries about bodies.

use std::sync::Arc;

use ::diagnostics::Severity;
use base_db::{Db, text::Part};
use syntax::{SyntaxError, SyntaxNode, TextRange};

use crate::{
    body::Body,
    heap,
    item::{self, ItemId, ItemKind, Param, queries::BodyPlace},
    lower::{StoreSources, bodies},
    parse,
};

/// A body with the ranges of its nodes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LoweredBody {
    pub(crate) body: Arc<Body>,
    /// Shared with the source map, where no macro moves them.
    pub(crate) sources: Arc<StoreSources>,
    pub(crate) part: Part,
    /// The range of the syntax that was lowered.
    pub(crate) range: TextRange,
    /// What is wrong with the syntax, where all of the segment's body was lowered.
    pub(crate) errors: Box<[SyntaxError]>,
}

/// Of what was not asked for lately the result is dropped at the next edit; with it what shares its lists, [`body`] and
/// [`crate::source_map::body_source_map`].
#[salsa::tracked(lru = 512, heap_size = heap::body)]
pub(crate) fn lowered_body(db: &dyn Db, item: ItemId) -> LoweredBody {
    let segment = item.segment(db);
    let mut errors = Vec::new();
    // Kept for longer than its nodes.
    let block;
    let (node, part) = match item::queries::declaration(db, item) {
        Some(declaration) => match declaration.body {
            BodyPlace::SegmentBody => {
                block = parse::block(db, segment);
                let root = block.as_ref().map(|parse| {
                    errors = parse.errors.clone();
                    parse.green.root()
                });
                (root, Part::Body)
            }
            BodyPlace::WithDeclaration => {
                let parse = match declaration.part {
                    Part::Header => Some(parse::parse_header(db, segment)),
                    Part::Body => parse::parse_body(db, segment),
                };
                let root = parse.map(|parse| parse.green.root());
                (root.and_then(|root| declaration.ranges.node.node(&root)), declaration.part)
            }
        },
        None => (None, Part::Header),
    };
    let range = node.as_ref().map(SyntaxNode::text_range).unwrap_or_default();
    let (body, sources) = bodies::body(item::item_data(db, item), subscript_params(db, item), node.as_ref());
    LoweredBody { body: Arc::new(body), sources: Arc::new(sources), part, range, errors: errors.into() }
}

/// Whether the braces of a body hold what is no Slang: how control flows there is not known. A query, because places of
/// errors move with each edit.
#[salsa::tracked(returns(copy))]
pub fn has_syntax_errors(db: &dyn Db, item: ItemId) -> bool {
    let is_error =
        |error: &SyntaxError| ::diagnostics::entry(error.code).is_some_and(|entry| entry.severity == Severity::Error);
    lowered_body(db, item).errors.iter().any(is_error)
}

/// The parameters of the subscript that `item` is an accessor of; none for everything else.
pub(crate) fn subscript_params(db: &dyn Db, item: ItemId) -> &[Param] {
    if !matches!(item::item_data(db, item).kind, ItemKind::Accessor { .. }) {
        return &[];
    }
    match item::container(db, item).map(|container| &item::item_data(db, container).kind) {
        Some(ItemKind::Subscript { params, .. }) => params,
        _ => &[],
    }
}

/// The body of a function, constructor or accessor, or the initialiser of a variable or enum case.
#[salsa::tracked(returns(deref), lru = 512)]
pub fn body(db: &dyn Db, item: ItemId) -> Arc<Body> {
    lowered_body(db, item).body.clone()
}
