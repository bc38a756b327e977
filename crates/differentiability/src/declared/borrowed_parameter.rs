//! A differentiable function borrows what it would have to give a derivative to.
//!
//! - 38034: a parameter of differentiable type passed as `constref` or `borrow in`.
//! - 38036: `[constref]` on a differentiable method of a differentiable type.

use base_db::Db;
use diagnostics::codes;
use hir_def::{
    attribute::AttributeKind,
    item::{self, ItemId},
};
use hir_ty::{
    differential::{differential_of, rules::derivative_rules},
    env::Env,
    signature,
    ty::ParamDirection,
};

use crate::{
    Finding,
    finding::{attribute_location, param_location},
};

pub(super) fn check(db: &dyn Db, item: ItemId, findings: &mut Vec<Finding>) {
    let rules = derivative_rules(db, item);
    if !rules.is_differentiable() {
        return;
    }
    let env = Env::of(db, item);
    let signature = signature::signature(db, item);
    for (index, param) in signature.params.iter().enumerate() {
        if param.direction == ParamDirection::ConstRef
            && !param.no_diff
            && differential_of(db, env, param.ty).is_some()
            && let Some(location) = param_location(db, item, index)
        {
            let message = format!("`{}` carries a derivative and cannot be borrowed: pass it as `in`", param.name);
            findings.push(Finding::new(codes::BORROWED_DIFFERENTIABLE_PARAMETER, location, message));
        }
    }
    let differentiable_this = signature
        .this
        .is_some_and(|this| !this.no_diff && !rules.no_diff_this && differential_of(db, env, this.ty).is_some());
    if !differentiable_this {
        return;
    }
    for (id, attribute) in item::item_data(db, item).attributes() {
        if matches!(attribute.kind, Some(AttributeKind::ConstRef | AttributeKind::RefThis))
            && let Some(location) = attribute_location(db, item, id)
        {
            let name = &attribute.name;
            let message = format!("[{name}] cannot be on a differentiable method of a differentiable type");
            findings.push(Finding::new(codes::BORROWED_DIFFERENTIABLE_THIS, location, message));
        }
    }
}
