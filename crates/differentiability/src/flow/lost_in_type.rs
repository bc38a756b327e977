//! 41801 (warning): a value that carries a derivative becomes part of a value whose type is not differentiable (built from
//! its fields, passed on as such, or converted to an interface), and a result is made from that. The derivative is zero from
//! there on; slangc says nothing. 41802 where a call makes an integer of it, as for what is converted at the place itself.

use autodiff::activity;
use diagnostics::codes;
use hir_def::position::Location;
use hir_ty::display::display;
use ir::{FuncId, Op, Type};

use super::Flow;
use crate::{Finding, finding::name_location};

pub(super) fn wording(flow: &Flow<'_>, location: Location, found: &activity::Finding) -> Finding {
    let why = match field_without_derivative(flow, found) {
        Some((field, ty)) => format!("it becomes the field `{field}` of `{ty}`, which is marked `no_diff`"),
        None => "it becomes part of a value whose type is not differentiable".to_owned(),
    };
    let message = format!("the derivative of {} is zero from here on: {why}", flow.lost_text(location, found));
    Finding::new(codes::LOST_IN_TYPE, location, message)
}

/// The field that the value becomes in a struct that is differentiable but for it, and the name of the struct.
fn field_without_derivative<'a>(flow: &Flow<'a>, found: &activity::Finding) -> Option<(&'a str, &'a str)> {
    let Op::Make(parts) = flow.op(found.op) else { return None };
    let Type::Struct(id) = flow.module().types.get(flow.func().ty(found.value?)) else { return None };
    let made = &flow.module().types.structs[id];
    let mut fields = made.fields.iter().zip(parts);
    let (field, _) = fields.find(|(field, part)| field.no_diff && Some(**part) == found.lost)?;
    Some((&field.name, &made.name))
}

/// What an interface that is not differentiable stands for carries no derivative, whatever type it is of.
pub(super) fn interface(flow: &Flow<'_>, location: Location, found: &activity::Finding) -> Finding {
    let interface = found.value.and_then(|value| match flow.module().types.get(flow.func().ty(value)) {
        Type::Opaque(opaque) => flow.lowered.opaque.get(opaque.id as usize),
        _ => None,
    });
    let interface = interface.map_or_else(|| "an interface".to_owned(), |ty| format!("`{}`", display(flow.db, *ty)));
    let message = format!(
        "the derivative of {} is zero from here on: it becomes {interface}, which does not conform to `IDifferentiable`",
        flow.lost_text(location, found)
    );
    Finding::new(codes::LOST_IN_TYPE, location, message)
}

/// A call makes something of it whose type has no derivative.
pub(super) fn result_of_call(
    flow: &Flow<'_>,
    location: Location,
    found: &activity::Finding,
    callee: FuncId,
) -> Finding {
    let name = flow.function_name(callee);
    let made = found.value.map(|value| flow.module().types.get(flow.func().ty(value)));
    let is_number = matches!(made, Some(Type::Scalar(_) | Type::Vector { .. } | Type::Matrix { .. }));
    let (code, why) = match is_number {
        true => (codes::LOST_AS_NUMBER, format!("`{name}` makes an integer of it, which has none")),
        false => (codes::LOST_IN_TYPE, format!("`{name}` makes of it a value whose type is not differentiable")),
    };
    let lost = flow.lost_text(location, found);
    let message = format!("the derivative of {lost} is zero from here on: {why}; `detach(…)` says that this is meant");
    let declared = flow.declaration(callee).and_then(|item| name_location(flow.db, item));
    Finding::new(code, location, message).related(declared, format!("`{name}` is declared here"))
}
