//! A text cut into the texts of its segments.

use crate::SegmentKind;

/// What a segment should say.
#[derive(Debug, Clone)]
pub(crate) struct Plan<'t> {
    pub(crate) kind: SegmentKind,
    pub(crate) has_directives: bool,
    pub(crate) header: &'t str,
    pub(crate) body: &'t str,
    pub(crate) members: Vec<Plan<'t>>,
}

/// One segment for the whole text.
pub(crate) fn segment(text: &str) -> Vec<Plan<'_>> {
    if text.is_empty() {
        return Vec::new();
    }
    let kind = SegmentKind::Irregular;
    vec![Plan { kind, has_directives: text.contains('#'), header: text, body: "", members: Vec::new() }]
}
