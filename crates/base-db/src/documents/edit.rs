//! Edits that concern few segments: cuts only those anew.
//!
//! An edit inside one body is the common case and costs as much as that body. Other edits cut a window of sibling
//! segments around them; where its outermost segments come out as they were, so would all others. Everything else, and
//! every file in which a brace is missing or conditionals cross declarations, is cut anew as a whole.

use std::ops::Range;

use super::Documents;
use crate::{
    Db, RootDatabase, Segment, SegmentKind, SourceFile,
    segment_store::SegmentStore,
    segmentation::{self, Plan},
    text::Part,
};

/// How many siblings on each side an edit may affect.
const MARGIN: usize = 3;

/// The replacement of a byte range by a text.
pub(crate) struct Edit<'t> {
    pub(crate) range: Range<usize>,
    pub(crate) text: &'t str,
}

impl Documents {
    /// Applies the edit to the segments and their layout if few are concerned; returns whether it did.
    pub(crate) fn edit_segments(&mut self, db: &mut RootDatabase, file: SourceFile, edit: &Edit<'_>) -> bool {
        !self.segments.is_far_reaching(file) && (self.edit_body(db, file, edit) || self.edit_window(db, file, edit))
    }

    fn edit_body(&mut self, db: &mut RootDatabase, file: SourceFile, edit: &Edit<'_>) -> bool {
        let Some(layout) = db.text(file).map(|text| &text.layout) else { return false };
        let Some((place, start)) = layout.piece_at(edit.range.start) else { return false };
        let (piece, length) = (layout.piece(place), layout.length(place));
        let segment = piece.segment;
        // The outermost bytes are the braces.
        let inside = start < edit.range.start && edit.range.end < start + length;
        if piece.part != Part::Body || !inside || segment.kind(db) != SegmentKind::Item {
            return false;
        }
        let header = segment.header(db).clone();
        if start > header.len() && !starts_line(&header) {
            return false;
        }
        let body = splice(segment.body(db), edit.range.start - start..edit.range.end - start, edit.text);
        let text = format!("{header}{body}");
        let plans = segmentation::segment(&text);
        let [plan] = plans.as_slice() else { return false };
        let same = plan.kind == SegmentKind::Item
            && plan.header.len() == header.len()
            && plan.has_directives == segment.has_directives(db)
            && *plan.body_directives() == **segment.body_directives(db);
        let old = Plan { header: &header, body: segment.body(db), members: Vec::new(), ..*plan };
        if !same || !plan.is_closed() || plan.is_far_reaching() || old.is_far_reaching() {
            return false;
        }
        self.segments.edit_body(db, segment, &body);
        if let Some(text) = db.texts_mut().get_mut(&file) {
            text.layout.set_length(place, body.len());
        }
        true
    }

    fn edit_window(&mut self, db: &mut RootDatabase, file: SourceFile, edit: &Edit<'_>) -> bool {
        let Some(window) = Window::around(db, file, edit) else { return false };
        let old = window.siblings(db)[window.range.clone()].to_vec();
        let mut text = String::new();
        for segment in &old {
            write_text(db, *segment, &mut text);
        }
        let start = window.start;
        if start > 0 && !starts_line(&text) {
            return false;
        }
        let text = splice(&text, edit.range.start - start..edit.range.end - start, edit.text);
        let plans = segmentation::segment(&text);
        let contained = !plans.iter().any(Plan::is_far_reaching) && window.keeps_conditions(db, &old, &plans);
        if !contained || !window.reproduces_its_ends(db, &old, &plans) {
            return false;
        }
        self.apply_window(db, file, &window, &old, &plans);
        true
    }

    fn apply_window(
        &mut self,
        db: &mut RootDatabase,
        file: SourceFile,
        window: &Window,
        old: &[Segment],
        plans: &[Plan<'_>],
    ) {
        let Some(layout) = db.text(file).map(|text| &text.layout) else { return };
        let first_place = old.first().and_then(|segment| layout.place(*segment, Part::Header));
        let last_place = old.last().and_then(|segment| layout.place(*segment, Part::Body));
        let (Some(first_place), Some(last_place)) = (first_place, last_place) else { return };
        let new = self.segments.update(db, file, window.parent, old, plans);
        if *new != *old {
            let mut siblings = window.siblings(db).to_vec();
            siblings.splice(window.range.clone(), new.iter().copied());
            SegmentStore::set_siblings(db, file, window.parent, siblings.into());
        }
        let mut pieces = Vec::new();
        super::collect_pieces(db, &new, &mut pieces);
        if let Some(text) = db.texts_mut().get_mut(&file) {
            text.layout.splice(first_place..last_place + 1, pieces.into_iter());
        }
    }
}

/// Neighbouring segments of one file or container.
struct Window {
    parent: Option<Segment>,
    file: SourceFile,
    range: Range<usize>,
    /// Where the window begins in the file.
    start: usize,
}

impl Window {
    /// The segments that an edit touches, and some on each side.
    fn around(db: &RootDatabase, file: SourceFile, edit: &Edit<'_>) -> Option<Window> {
        let layout = &db.text(file)?.layout;
        let at = |offset: usize| layout.piece_at(offset).map(|(place, _)| layout.piece(place).segment);
        let first = at(edit.range.start)?;
        let last = at(edit.range.end)?;
        // The innermost container that holds both is the parent of the window's segments. An edit that touches a
        // container's own header or end concerns the container as a whole.
        let first_path = path(db, first);
        let last_path = path(db, last);
        let common = first_path.iter().zip(&last_path).take_while(|(a, b)| a == b).count();
        let common = common.min(first_path.len() - 1).min(last_path.len() - 1);
        let parent = common.checked_sub(1).map(|index| first_path[index]);
        let mut window = Window { parent, file, range: 0..0, start: 0 };
        let siblings = window.siblings(db);
        let position = |segment| siblings.iter().position(|sibling| *sibling == segment);
        let touched = position(first_path[common])?..position(last_path[common])? + 1;
        window.range = touched.start.saturating_sub(MARGIN)..(touched.end + MARGIN).min(siblings.len());
        let first = *siblings.get(window.range.start)?;
        window.start = layout.offset(layout.place(first, Part::Header)?);
        Some(window)
    }

    fn siblings<'db>(&self, db: &'db RootDatabase) -> &'db [Segment] {
        match self.parent {
            Some(parent) => parent.members(db),
            None => self.file.segments(db),
        }
    }

    /// Whether the directives are what they were, and none is inside a declaration: the window does not know which
    /// conditionals are open around it.
    fn keeps_conditions(&self, db: &RootDatabase, old: &[Segment], plans: &[Plan<'_>]) -> bool {
        let old_directives = old.iter().filter(|segment| segment.kind(db) == SegmentKind::Directive);
        let directives = plans.iter().filter(|plan| plan.kind == SegmentKind::Directive);
        let same = old_directives.map(|segment| &**segment.header(db)).eq(directives.map(|plan| plan.header));
        same && !plans.iter().any(|plan| plan.kind != SegmentKind::Directive && holds_directives(plan))
    }

    /// Whether the outermost segments are what they were, so that those after them are, too.
    fn reproduces_its_ends(&self, db: &RootDatabase, old: &[Segment], plans: &[Plan<'_>]) -> bool {
        let first = self.range.start == 0
            || old.first().zip(plans.first()).is_some_and(|(segment, plan)| plan.matches(db, *segment));
        if self.range.end < self.siblings(db).len() {
            // Two, because the end of the first of them depends on the other.
            let mut last = old.iter().rev().zip(plans.iter().rev()).take(2);
            let enough = old.len() >= 2 && plans.len() >= 2;
            return first && enough && last.all(|(segment, plan)| plan.matches(db, *segment));
        }
        // Nothing follows in a file; in a container its brace does, and must not be needed to end the last member.
        first && (self.parent.is_none() || plans.last().is_some_and(Plan::is_closed))
    }
}

/// Whether a piece of a file begins on a line of its own: recovery looks at indentation, which is not known otherwise.
fn starts_line(text: &str) -> bool {
    text[..text.len() - text.trim_start().len()].contains('\n')
}

fn holds_directives(plan: &Plan<'_>) -> bool {
    plan.has_directives || plan.members.iter().any(holds_directives)
}

/// The segment with its containers, outermost first.
fn path(db: &RootDatabase, segment: Segment) -> Vec<Segment> {
    let mut path: Vec<Segment> = std::iter::successors(Some(segment), |segment| segment.parent(db)).collect();
    path.reverse();
    path
}

fn write_text(db: &RootDatabase, segment: Segment, text: &mut String) {
    text.push_str(segment.header(db));
    for member in segment.members(db).iter() {
        write_text(db, *member, text);
    }
    text.push_str(segment.body(db));
}

fn splice(text: &str, range: Range<usize>, with: &str) -> String {
    let mut result = String::with_capacity(text.len() + with.len());
    result.push_str(&text[..range.start]);
    result.push_str(with);
    result.push_str(&text[range.end..]);
    result
}
