//! 30314: `[MaybeDifferentiable]` on something that is not a requirement of an interface.

use base_db::Db;
use diagnostics::codes;
use hir_def::{
    attribute::AttributeKind,
    item::{self, ItemId, ItemKind},
};

use crate::{Finding, finding::attribute_location};

pub(super) fn check(db: &dyn Db, item: ItemId, findings: &mut Vec<Finding>) {
    let in_interface = item::container(db, item)
        .is_some_and(|container| matches!(item::item_data(db, container).kind, ItemKind::Interface { .. }));
    if in_interface {
        return;
    }
    for (id, attribute) in item::item_data(db, item).attributes() {
        if attribute.kind == Some(AttributeKind::MaybeDifferentiable)
            && let Some(location) = attribute_location(db, item, id)
        {
            let message = "[MaybeDifferentiable] can only be on a requirement of an interface";
            findings.push(Finding::new(codes::MAYBE_DIFFERENTIABLE_MISPLACED, location, message));
        }
    }
}
