//! Segment inputs: made, changed where they differ, and recycled, because salsa never frees an input.

use std::{collections::VecDeque, sync::Arc};

use rustc_hash::FxHashSet;
use salsa::{Durability, Setter};

use crate::{RootDatabase, Segment, SegmentKind, SourceFile, segmentation::Plan};

/// Bodies that were looked at and not edited, of which the next edit may be.
const MOST_EXPECTED: usize = 4;

#[derive(Default)]
pub(crate) struct SegmentStore {
    free: Vec<Segment>,
    created: usize,
    /// Those whose bodies have the lowest durability: what was edited, and what may be soon, the oldest first.
    edited: FxHashSet<Segment>,
    expected: VecDeque<Segment>,
    /// Files in which the extent of a segment depends on text far away.
    far_reaching: FxHashSet<SourceFile>,
}

impl SegmentStore {
    pub(crate) fn created(&self) -> usize {
        self.created
    }

    pub(crate) fn is_far_reaching(&self, file: SourceFile) -> bool {
        self.far_reaching.contains(&file)
    }

    /// Makes a file say what the plans say.
    pub(crate) fn replace(&mut self, db: &mut RootDatabase, file: SourceFile, plans: &[Plan<'_>]) {
        if plans.iter().any(Plan::is_far_reaching) {
            self.far_reaching.insert(file);
        } else {
            self.far_reaching.remove(&file);
        }
        let old = file.segments(db).clone();
        let segments = self.update(db, file, None, &old, plans);
        if segments != old {
            Self::set_siblings(db, file, None, segments);
        }
    }

    pub(crate) fn set_siblings(
        db: &mut RootDatabase,
        file: SourceFile,
        parent: Option<Segment>,
        segments: Arc<[Segment]>,
    ) {
        match parent {
            Some(parent) => parent.set_members(db).to(segments),
            None => file.set_segments(db).to(segments),
        };
    }

    /// The body of a segment was edited and may soon be again.
    pub(crate) fn edit_body(&mut self, db: &mut RootDatabase, segment: Segment, body: &str) {
        if holds_statements(segment.kind(db), segment.header(db)) {
            self.edited.insert(segment);
            self.expected.retain(|expected| *expected != segment);
            segment.set_body(db).with_durability(Durability::LOW).to(body.into());
        } else {
            segment.set_body(db).to(body.into());
        }
    }

    /// The body of a segment may be edited soon: makes the edit cost what the second one does. Returns whether it had not been
    /// expected before, so that all results have to be looked at.
    pub(crate) fn expect_edit(&mut self, db: &mut RootDatabase, segment: Segment) -> bool {
        let is_known = self.edited.contains(&segment) || self.expected.contains(&segment);
        if is_known || !holds_statements(segment.kind(db), segment.header(db)) {
            return false;
        }
        let body = segment.body(db).clone();
        segment.set_body(db).with_durability(Durability::LOW).to(body);
        self.expected.push_back(segment);
        // Each edit looks at all of them.
        if self.expected.len() > MOST_EXPECTED
            && let Some(first) = self.expected.pop_front()
        {
            let body = first.body(db).clone();
            first.set_body(db).with_durability(Durability::MEDIUM).to(body);
        }
        true
    }

    /// Makes segments that never change.
    pub(crate) fn allocate_constant(
        &mut self,
        db: &mut RootDatabase,
        file: SourceFile,
        parent: Option<Segment>,
        plans: &[Plan<'_>],
    ) -> Arc<[Segment]> {
        let segments = plans.iter().map(|plan| {
            self.created += 1;
            let constant = Durability::NEVER_CHANGE;
            let segment = new_segment(db, file, parent, plan, SegmentDurability::constant(plan));
            // A field that is set begins a revision, which asks something of every query there is.
            if !plan.members.is_empty() {
                let members = self.allocate_constant(db, file, Some(segment), &plan.members);
                segment.set_members(db).with_durability(constant).to(members);
            }
            segment
        });
        segments.collect()
    }

    /// Makes the segments of a file or container say what the plans say. Equal segments at both ends keep their
    /// identity, those between are paired in order: ids of items survive edits inside them.
    pub(crate) fn update(
        &mut self,
        db: &mut RootDatabase,
        file: SourceFile,
        parent: Option<Segment>,
        old: &[Segment],
        plans: &[Plan<'_>],
    ) -> Arc<[Segment]> {
        let equal = |(segment, plan): &(&Segment, &Plan<'_>)| plan.matches(db, **segment);
        let prefix = old.iter().zip(plans).take_while(equal).count();
        let (old_rest, plans_rest) = (&old[prefix..], &plans[prefix..]);
        let suffix = old_rest.iter().rev().zip(plans_rest.iter().rev()).take_while(equal).count();
        let changed_old = &old_rest[..old_rest.len() - suffix];
        let changed_plans = &plans_rest[..plans_rest.len() - suffix];

        let mut segments = old[..prefix].to_vec();
        for (index, plan) in changed_plans.iter().enumerate() {
            segments.push(match changed_old.get(index) {
                Some(&segment) => {
                    self.change(db, segment, plan);
                    segment
                }
                None => self.make(db, file, parent, plan),
            });
        }
        segments.extend_from_slice(&old_rest[old_rest.len() - suffix..]);
        for &segment in changed_old.iter().skip(changed_plans.len()) {
            self.recycle(db, segment);
        }
        segments.into()
    }

    /// Sets the fields that differ.
    fn change(&mut self, db: &mut RootDatabase, segment: Segment, plan: &Plan<'_>) {
        if segment.kind(db) != plan.kind {
            segment.set_kind(db).to(plan.kind);
        }
        if segment.has_directives(db) != plan.has_directives {
            segment.set_has_directives(db).to(plan.has_directives);
        }
        if **segment.header(db) != *plan.header {
            segment.set_header(db).to(plan.header.into());
        }
        if **segment.body(db) != *plan.body {
            self.edited.remove(&segment);
            self.expected.retain(|expected| *expected != segment);
            segment.set_body(db).with_durability(body_durability(plan)).to(plan.body.into());
        }
        let directives = plan.body_directives();
        if **segment.body_directives(db) != *directives {
            segment.set_body_directives(db).to(directives.into());
        }
        if segment.has_body(db) == plan.body.is_empty() {
            segment.set_has_body(db).to(!plan.body.is_empty());
        }
        let old = segment.members(db).clone();
        let members = self.update(db, segment.file(db), Some(segment), &old, &plan.members);
        if members != old {
            segment.set_members(db).to(members);
        }
    }

    fn make(&mut self, db: &mut RootDatabase, file: SourceFile, parent: Option<Segment>, plan: &Plan<'_>) -> Segment {
        let Some(segment) = self.free.pop() else {
            self.created += 1;
            let segment = new_segment(db, file, parent, plan, SegmentDurability::editable(plan));
            if !plan.members.is_empty() {
                let members = self.update(db, file, Some(segment), &[], &plan.members);
                segment.set_members(db).to(members);
            }
            return segment;
        };
        segment.set_file(db).to(file);
        segment.set_parent(db).to(parent);
        self.change(db, segment, plan);
        segment
    }

    /// Empties a segment and keeps it for later.
    fn recycle(&mut self, db: &mut RootDatabase, segment: Segment) {
        self.change(db, segment, &Plan::empty());
        self.free.push(segment);
    }
}

/// How likely the parts of a new segment are to change.
struct SegmentDurability {
    header: Durability,
    members: Durability,
    body: Durability,
}

impl SegmentDurability {
    /// For the core library. A list of members that is set once more may not be constant before that.
    fn constant(plan: &Plan<'_>) -> SegmentDurability {
        let constant = Durability::NEVER_CHANGE;
        let members = if plan.members.is_empty() { constant } else { Durability::HIGH };
        SegmentDurability { header: constant, members, body: constant }
    }

    fn editable(plan: &Plan<'_>) -> SegmentDurability {
        SegmentDurability { header: Durability::HIGH, members: Durability::HIGH, body: body_durability(plan) }
    }
}

/// A new input without members; the list of members can still be set once.
fn new_segment(
    db: &RootDatabase,
    file: SourceFile,
    parent: Option<Segment>,
    plan: &Plan<'_>,
    durability: SegmentDurability,
) -> Segment {
    let has_body = !plan.body.is_empty();
    let (header_text, body_text) = (plan.header.into(), plan.body.into());
    let (kind, has_directives, directives) = (plan.kind, plan.has_directives, plan.body_directives().into());
    let members = Arc::default();
    Segment::builder(file, parent, kind, has_directives, has_body, header_text, body_text, directives, members)
        .durability(durability.header)
        .members_durability(durability.members)
        .body_durability(durability.body)
        .new(db)
}

/// Only the queries about the body itself read the statements of a function: an edit there must not make all other
/// queries look at their inputs again, so its durability is lower, and lowest once it has been edited. What other bodies
/// declare is read by everything that looks a name up, and stays durable.
fn body_durability(plan: &Plan<'_>) -> Durability {
    if holds_statements(plan.kind, plan.header) { Durability::MEDIUM } else { Durability::HIGH }
}

/// A guess from the header's text, which is enough: it only decides what an edit costs.
fn holds_statements(kind: SegmentKind, header: &str) -> bool {
    const OTHER_BODIES: [&str; 6] = ["enum", "property", "__subscript", "cbuffer", "tbuffer", "register"];
    let is_function = kind == SegmentKind::Item && header.contains('(');
    is_function && !OTHER_BODIES.iter().any(|word| header.contains(word))
}
