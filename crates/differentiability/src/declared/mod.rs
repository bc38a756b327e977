//! What declarations and the shape of bodies tell, without data flow. Each file has one function `check` that adds its
//! findings about one declaration.

mod abort;
mod borrowed_parameter;
mod custom_derivative;
mod derivative_member;
mod differential_arithmetic;
mod field_of_plain_this;
mod forward_through_calls;
mod function_extension;
mod maybe_differentiable;
mod merging_use;
mod no_diff_placement;
mod nothing_differentiable;
mod operand;
mod output_place;
mod pointer_output;
mod requirement;
mod rules_through_calls;
mod rules_within;
mod signature_fix;
mod treat_as_differentiable;
mod two_differentials;

use base_db::Db;
use hir_def::item::{self, ItemId, ItemKind};

use crate::Finding;

/// The findings about one declaration.
pub(crate) fn findings(db: &dyn Db, item: ItemId) -> Vec<Finding> {
    let mut findings = Vec::new();
    match item::item_data(db, item).kind {
        ItemKind::Function(_) | ItemKind::Constructor { .. } | ItemKind::Accessor { .. } => {
            for check in [
                custom_derivative::check,
                function_extension::check,
                treat_as_differentiable::check,
                pointer_output::check,
                borrowed_parameter::check,
                requirement::check,
                no_diff_placement::check,
                field_of_plain_this::check,
                operand::check,
                forward_through_calls::check,
                rules_through_calls::check,
                rules_within::check,
                output_place::check,
                abort::check,
                maybe_differentiable::check,
                merging_use::check,
                nothing_differentiable::check,
            ] {
                check(db, item, &mut findings);
            }
        }
        ItemKind::Variable { .. } => derivative_member::check_variable(db, item, &mut findings),
        ItemKind::Struct { .. } => {
            two_differentials::check(db, item, &mut findings);
            derivative_member::check(db, item, &mut findings);
            differential_arithmetic::check(db, item, &mut findings);
        }
        ItemKind::Extension { .. } => differential_arithmetic::check(db, item, &mut findings),
        _ => {}
    }
    findings
}
