//! A method is less differentiable than the requirement of the interface that it fulfils: 38105 where it is not
//! differentiable at all, 38110 where it is so in one direction only, is static, or the interface carries derivatives.

use base_db::Db;
use diagnostics::codes;
use hir_def::{
    body::DerivativeOperator,
    item::{self, ItemId, ItemKind},
};
use hir_ty::{
    conformance::{self, Implementation},
    differential::rules::derivative_rules,
    env::Env,
    generics,
    known::Known,
    members,
    signature::FunctionRef,
    ty::Ty,
};

use crate::{
    Finding,
    finding::{add_attribute, name_location, name_of},
};

pub(super) fn check(db: &dyn Db, item: ItemId, findings: &mut Vec<Finding>) {
    let Some(aggregate) = generics::enclosing_aggregate(db, item) else { return };
    if matches!(item::item_data(db, aggregate).kind, ItemKind::Interface { .. }) {
        return;
    }
    let (Some(this), Some(name)) = (generics::self_type(db, aggregate), &item::item_data(db, item).name) else {
        return;
    };
    let env = Env::of(db, item);
    let rules = derivative_rules(db, item);
    for interface in members::interfaces_declaring(db, env, this, name) {
        let Ty::Adt(interface, args) = *interface else { continue };
        if conformance::is_of_core_library(db, this, Ty::Adt(interface, args)) {
            continue;
        }
        for &requirement in members::declared(db, interface, name) {
            let required = derivative_rules(db, requirement);
            let missing = [DerivativeOperator::Forward, DerivativeOperator::Backward]
                .into_iter()
                .find(|operator| required.allows(*operator) && !rules.allows(*operator));
            let Some(missing) = missing else { continue };
            let args = generics::identity_args_within(db, requirement, args);
            let reference = FunctionRef { item: requirement, args, self_ty: Some(this) };
            let fulfils = matches!(
                conformance::implementation(db, env, reference),
                Some(Implementation::Function(function)) if function.item == item
            );
            if fulfils && let Some(location) = name_location(db, item) {
                let direction = match missing {
                    DerivativeOperator::Forward => "forward",
                    DerivativeOperator::Backward
                    | DerivativeOperator::Apply
                    | DerivativeOperator::Remat
                    | DerivativeOperator::Propagate => "backward",
                };
                let message = format!(
                    "`{name}` is not {direction}-differentiable, but the requirement of `{}` that it fulfils is",
                    name_of(db, interface)
                );
                let fix = add_attribute(db, item, "Differentiable", format!("Mark `{name}` as [Differentiable]"));
                let is_static = hir_ty::signature::signature(db, item).this.is_none();
                // `this` of an interface that carries derivatives is one more input of them.
                let carries = conformance::conforms_to_known(db, env, Ty::Adt(interface, args), Known::IDifferentiable);
                let code = if rules.is_differentiable() || is_static || carries {
                    codes::REQUIREMENT_LESS_DIFFERENTIABLE
                } else {
                    codes::REQUIREMENT_NOT_MATCHED
                };
                findings.push(
                    Finding::new(code, location, message)
                        .related(name_location(db, requirement), "the requirement is declared here")
                        .fix(fix),
                );
            }
        }
    }
}
