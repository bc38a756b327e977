//! `[TreatAsDifferentiable]` where it means nothing.
//!
//! - 30313: on a requirement of an interface, which has no body whose derivative could be zero.

use base_db::Db;
use diagnostics::codes;
use hir_def::item::{self, ItemId, ItemKind};
use hir_ty::differential::attribute::{DerivativeAttribute, own_attributes};

use crate::{
    Finding, Fix,
    finding::{Edit, attribute_location},
};

pub(super) fn check(db: &dyn Db, item: ItemId, findings: &mut Vec<Finding>) {
    let ItemKind::Function(function) = &item::item_data(db, item).kind else { return };
    let in_interface = item::container(db, item)
        .is_some_and(|container| matches!(item::item_data(db, container).kind, ItemKind::Interface { .. }));
    if !in_interface || function.has_body {
        return;
    }
    for written in own_attributes(db, item) {
        if written.attribute == DerivativeAttribute::TreatAsDifferentiable
            && let Some(location) = attribute_location(db, item, written.id)
        {
            let message = "[TreatAsDifferentiable] cannot be on a requirement of an interface: write [Differentiable] here \
                           and [TreatAsDifferentiable] on the methods whose derivative is zero";
            let edit = Edit { at: location, text: "Differentiable".to_owned() };
            findings.push(
                Finding::new(codes::TREAT_AS_DIFFERENTIABLE_ON_REQUIREMENT, location, message)
                    .fix(Some(Fix::new("Change to [Differentiable]", [edit]))),
            );
        }
    }
}
