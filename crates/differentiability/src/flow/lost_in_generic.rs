//! 41805 (warning): a value that carries a derivative goes through a call of a differentiable function where its
//! declaration has no place for one, and slangc says nothing. One rule says where there is one: a parameter, a result and
//! `this` carry a derivative if their types do *where the function is declared*: the type itself, the bound of a generic
//! parameter, or the interface that a requirement belongs to has to conform to `IDifferentiable`.

use autodiff::activity;
use diagnostics::codes;
use hir_def::position::Location;
use hir_ty::{generics, ty::Ty};
use ir::{FuncId, Op};

use super::Flow;
use crate::{Finding, finding::name_location};

pub(super) fn wording(flow: &Flow<'_>, location: Location, found: &activity::Finding, callee: FuncId) -> Finding {
    let name = flow.function_name(callee);
    let why = match parameter_without(flow, found, callee).as_deref() {
        Some("this") if is_of_parameter(flow, callee) => {
            format!("`{name}` does not bound the type of `this` by `IDifferentiable`")
        }
        Some("this") => {
            let owner = name.rsplit_once('.').map_or(name, |(owner, _)| owner);
            format!("`this` carries none in `{name}`, because `{owner}` does not conform to `IDifferentiable`")
        }
        Some(_) => format!("`{name}` does not bound the type of its parameter by `IDifferentiable`"),
        None => format!("`{name}` does not bound the type of its result by `IDifferentiable`"),
    };
    let lost = flow.lost_text(location, found);
    let finding =
        Finding::new(codes::LOST_IN_GENERIC, location, format!("the derivative of {lost} is zero from here on: {why}"));
    let declared = flow.declaration(callee).and_then(|item| name_location(flow.db, item));
    finding.related(declared, format!("`{name}` is declared here"))
}

/// Whether a function is a member of an extension of all types that fulfil a bound.
fn is_of_parameter(flow: &Flow<'_>, callee: FuncId) -> bool {
    let item = flow.declaration(callee);
    let extension = item.and_then(|item| generics::enclosing_aggregate(flow.db, item));
    let this = extension.and_then(|extension| generics::self_type(flow.db, extension));
    matches!(this, Some(Ty::Param(_)))
}

/// The parameter that takes the value and carries nothing.
fn parameter_without(flow: &Flow<'_>, found: &activity::Finding, callee: FuncId) -> Option<String> {
    let Op::Call { args, .. } = flow.op(found.op) else { return None };
    let inputs = args.iter().zip(&flow.module().funcs[callee].inputs);
    let mut taking = inputs.filter(|(arg, input)| Some(**arg) == found.lost && !input.differentiable);
    taking.next().map(|(_, input)| input.name.to_string())
}
