//! 41805 (warning): a value that carries a derivative is given to a differentiable generic function that does not bound the
//! parameter's type by `IDifferentiable`. What the function gives back carries none, whatever the type stands for; slangc
//! says nothing.

use autodiff::activity;
use hir_def::position::Location;
use hir_ty::signature;
use ir::FuncId;

use super::Flow;
use crate::{Finding, finding::name_location};

/// `None` if the function drops the derivative by the user's word: `no_diff` on its result or its parameters.
pub(super) fn wording(
    flow: &Flow<'_>,
    location: Location,
    found: &activity::Finding,
    callee: FuncId,
) -> Option<Finding> {
    let item = flow.declaration(callee)?;
    let declared = signature::signature(flow.db, item);
    if declared.ret_no_diff || declared.params.iter().any(|param| param.no_diff) {
        return None;
    }
    let message = format!(
        "the derivative of {} is zero from here on: `{}` does not bound the type of its parameter by `IDifferentiable`",
        flow.lost_text(location, found),
        flow.function_name(callee)
    );
    let finding = Finding::warning(41805, location, message);
    Some(finding.cause(name_location(flow.db, item), format!("`{}` is declared here", flow.function_name(callee))))
}
