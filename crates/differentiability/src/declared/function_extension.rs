//! A `__func_extension` that extends nothing, or does not fit what it extends.
//!
//! - 30126: the target is neither `fwd_diff(f)`, `bwd_diff(f)` nor `__apply(f)`.
//! - 30127: `__apply` does not return a tuple of the result and a context.
//! - 30015: there is no function of that name.
//! - 31149, 31150, 38106: parameters or result are not those of the derivative; the expected signature is printed.
//! - 31151: a generic parameter does not follow from the function.
//! - 38105: the context has no `operator()` that propagates derivatives.
//! - 31201: a visibility, which means nothing on a declaration without name.
//! - 30200: the function has this derivative already.

use base_db::Db;
use diagnostics::codes;
use hir_def::item::{ExtensionOperator, ItemId};
use hir_ty::{
    differential::{
        attribute::AssociationKind,
        display::signature_text,
        function_extension::{self, Target},
        signature::ParamRole,
    },
    display::display,
};

use super::custom_derivative::mismatch_message;
use crate::{
    Finding,
    finding::{name_location, name_of},
};

pub(super) fn check(db: &dyn Db, item: ItemId, findings: &mut Vec<Finding>) {
    let Some(extension) = function_extension::written(db, item) else { return };
    let Some(location) = name_location(db, item) else { return };
    if let Some(visibility) = function_extension::written_visibility(db, item) {
        findings.push(Finding::new(
            codes::MODIFIER_NOT_ALLOWED,
            location,
            format!("modifier '{visibility}' is not allowed here"),
        ));
    }
    if extension.operator == ExtensionOperator::Unknown {
        let message = "__func_extension is for fwd_diff(…), bwd_diff(…) or __apply(…)";
        findings.push(Finding::new(codes::EXTENDED_FUNCTION_UNKNOWN, location, message));
        return;
    }
    let problem = function_extension::context_problem(db, item);
    let finding = match problem.as_ref().unwrap_or_else(|| function_extension::target(db, item)) {
        Target::Found(_) => match function_extension::earlier(db, item) {
            Some(earlier) => {
                Finding::new(codes::CONFLICTING_DECLARATION, location, "the function has this derivative already")
                    .related(name_location(db, earlier), "it is given here".to_owned())
            }
            None => return,
        },
        Target::Unresolved => {
            Finding::new(codes::UNDEFINED_NAME, location, "cannot find the function that is extended")
        }
        Target::NoContext => {
            let message = "__apply must return a tuple of the function's result and a context";
            Finding::new(codes::APPLY_WITHOUT_CONTEXT, location, message)
        }
        Target::Mismatch(misfit) => {
            let kind = match extension.operator {
                ExtensionOperator::Forward => AssociationKind::ForwardDerivative,
                ExtensionOperator::Backward => AssociationKind::BackwardDerivative,
                ExtensionOperator::Apply | ExtensionOperator::Unknown => AssociationKind::PrimalSubstitute,
            };
            let operator = match extension.operator {
                ExtensionOperator::Forward => "fwd_diff",
                ExtensionOperator::Backward => "bwd_diff",
                ExtensionOperator::Apply | ExtensionOperator::Unknown => "__apply",
            };
            let name = format!("{operator}({})", name_of(db, misfit.primal));
            let (code, message) = mismatch_message(db, kind, &name, misfit);
            Finding::new(code, location, message)
        }
        Target::NoCallOperator { context, expected } => {
            let mut expected = expected.clone();
            expected.params.retain(|param| param.role != ParamRole::This);
            let message = format!(
                "the context `{}` must have the call operator `{}`",
                display(db, *context),
                signature_text(db, "operator()", &expected),
            );
            Finding::new(codes::REQUIREMENT_NOT_MATCHED, location, message)
        }
    };
    findings.push(finding);
}
