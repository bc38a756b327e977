//! The chain of causes: how the derivative gets to the place of a finding, and where it is expected afterwards.

use autodiff::activity::{self, ChainStep, StepKind};
use hir_def::position::Location;
use hir_ty::signature;
use ir::{Callee, Op, OpId};

use super::Flow;
use crate::{
    Cause, Finding,
    finding::{name_location, name_of, param_location},
};

/// The finding with its chain. Steps at the place of the finding itself, and steps that say nothing new, are left out.
/// `between` is what the derivative goes through where it is lost.
pub(super) fn with_causes(
    flow: &Flow<'_>,
    mut finding: Finding,
    found: &activity::Finding,
    between: Vec<Cause>,
) -> Finding {
    let declared = std::mem::take(&mut finding.related);
    let before = found.chain_from_source.iter().filter_map(|step| before(flow, step));
    let after = found.chain_to_result.iter().filter_map(|step| after(flow, step));
    for cause in before.chain(between).chain(after).chain(declared) {
        let repeated = finding.related.iter().any(|known| known.at == cause.at);
        if cause.at != finding.at && !repeated {
            finding.related.push(cause);
        }
    }
    finding
}

fn before(flow: &Flow<'_>, step: &ChainStep) -> Option<Cause> {
    match step.what {
        StepKind::Input(index) => {
            let name = &flow.func().inputs.get(index)?.name;
            Some(Cause { message: format!("`{name}` carries a derivative here"), at: place_of_param(flow, name)? })
        }
        StepKind::Call(op) => at(flow, step, format!("…goes through the call of {} here", callee(flow, op)?)),
        StepKind::Operation(_) | StepKind::Flow => at(flow, step, format!("…goes into `{}` here", named(flow, step)?)),
        StepKind::Result(_) | StepKind::Argument(_) => None,
    }
}

fn after(flow: &Flow<'_>, step: &ChainStep) -> Option<Cause> {
    match step.what {
        StepKind::Input(_) => None,
        StepKind::Call(op) => at(flow, step, format!("…the call of {} would pass it on here", callee(flow, op)?)),
        StepKind::Operation(_) | StepKind::Flow => {
            at(flow, step, format!("…`{}` would carry it here", named(flow, step)?))
        }
        StepKind::Result(index) => {
            let result = flow.func().results.get(index)?;
            if result.is_return() {
                let message = format!("…the result of `{}` expects it here", name_of(flow.db, flow.item));
                Some(Cause { message, at: name_location(flow.db, flow.item)? })
            } else {
                let message = format!("…`{}` expects it on the way out", result.name);
                Some(Cause { message, at: place_of_param(flow, &result.name)? })
            }
        }
        StepKind::Argument(op) => at(flow, step, format!("…the differentiable {} expects it here", callee(flow, op)?)),
    }
}

fn at(flow: &Flow<'_>, step: &ChainStep, message: String) -> Option<Cause> {
    Some(Cause { message, at: flow.location(step.span)? })
}

/// The variable that a step gives a value to.
fn named<'db>(flow: &Flow<'db>, step: &ChainStep) -> Option<&'db str> {
    flow.func().values[step.value].name.as_deref()
}

/// The function that an operation calls.
pub(crate) fn callee(flow: &Flow<'_>, op: OpId) -> Option<String> {
    match flow.op(op) {
        Op::Call { callee: Callee::Func(func) | Callee::Derivative(_, func), .. } => {
            Some(format!("`{}`", flow.function_name(*func)))
        }
        Op::Intrinsic { intrinsic, .. } => Some(format!("`{}`", intrinsic.source_name())),
        _ => None,
    }
}

/// Where a parameter is declared; the function itself for one that the user did not write.
pub(crate) fn place_of_param(flow: &Flow<'_>, name: &str) -> Option<Location> {
    let signature = signature::signature(flow.db, flow.item);
    match signature.params.iter().position(|param| param.name.as_str() == name) {
        Some(index) => param_location(flow.db, flow.item, index),
        None => name_location(flow.db, flow.item),
    }
}
