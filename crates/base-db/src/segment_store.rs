//! Segment inputs: made, changed where they differ, and recycled, because salsa never frees an input.

use std::sync::Arc;

use salsa::{Durability, Setter};

use crate::{RootDatabase, Segment, SegmentKind, SourceFile, segmentation::Plan};

#[derive(Default)]
pub(crate) struct SegmentStore {
    free: Vec<Segment>,
    created: usize,
}

impl SegmentStore {
    pub(crate) fn created(&self) -> usize {
        self.created
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
            let (kind, directives) = (plan.kind, plan.has_directives);
            let members = Arc::default();
            let segment =
                Segment::builder(file, parent, kind, directives, plan.header.into(), plan.body.into(), members)
                    .durability(Durability::NEVER_CHANGE)
                    .members_durability(Durability::HIGH)
                    .new(db);
            let members = self.allocate_constant(db, file, Some(segment), &plan.members);
            segment.set_members(db).with_durability(Durability::NEVER_CHANGE).to(members);
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
        self.change_body(db, segment, plan.body);
        let old = segment.members(db).clone();
        let members = self.update(db, segment.file(db), Some(segment), &old, &plan.members);
        if members != old {
            segment.set_members(db).to(members);
        }
    }

    pub(crate) fn change_body(&mut self, db: &mut RootDatabase, segment: Segment, body: &str) {
        if **segment.body(db) != *body {
            segment.set_body(db).to(body.into());
        }
    }

    fn make(&mut self, db: &mut RootDatabase, file: SourceFile, parent: Option<Segment>, plan: &Plan<'_>) -> Segment {
        let Some(segment) = self.free.pop() else {
            self.created += 1;
            let (header, body): (Arc<str>, Arc<str>) = (plan.header.into(), plan.body.into());
            let segment = Segment::builder(file, parent, plan.kind, plan.has_directives, header, body, Arc::default())
                .durability(Durability::HIGH)
                .body_durability(Durability::MEDIUM)
                .new(db);
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
        let empty =
            Plan { kind: SegmentKind::Trivia, has_directives: false, header: "", body: "", members: Vec::new() };
        self.change(db, segment, &empty);
        segment.set_body(db).with_durability(Durability::MEDIUM).to(Arc::default());
        self.free.push(segment);
    }
}
