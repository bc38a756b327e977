//! The fields of a struct and those of the `Differential` that it writes do not correspond.
//!
//! - 31130: `[DerivativeMember(D.name)]` names no field of the differential type.
//! - 31132: `[DerivativeMember]` in a type that is not differentiable, or on a variable that is not a field.
//! - 30096: the differential type that is written is not its own differential.
//! - 30310: `[DerivativeMember]` on a field whose type is not differentiable.
//! - 30121: a differentiable field has no counterpart in the differential type.

use base_db::Db;
use diagnostics::codes;
use hir_def::{
    attribute::{AttributeId, AttributeKind},
    item::{self, ItemId},
    name::Name,
};
use hir_ty::{
    aggregate,
    differential::{
        Differentiability,
        aggregate::{derivative_member, field_derivatives},
        differentiability,
    },
    display::display,
    env::Env,
    generics,
    ty::Ty,
};

use crate::{
    Finding,
    finding::{attribute_location, name_location, name_of},
};

pub(super) fn check(db: &dyn Db, item: ItemId, findings: &mut Vec<Finding>) {
    let Some(this) = generics::self_type(db, item) else { return };
    let env = Env::of(db, item);
    let kind = differentiability(db, env, this);
    let differential = kind.differential();
    if differential.is_some_and(Ty::is_error) {
        return;
    }
    for &(field, _) in aggregate::fields(db, env, this) {
        let Some(attribute) = member_attribute(db, field) else { continue };
        let Some(location) = attribute_location(db, field, attribute) else { continue };
        let Some(differential) = differential else {
            let message = format!("`{}` is not differentiable, so its fields have no derivative", name_of(db, item));
            findings.push(Finding::new(codes::DERIVATIVE_MEMBER_WITHOUT_DIFFERENTIAL, location, message));
            continue;
        };
        let target = derivative_member(db, field);
        let exists = target.as_ref().is_some_and(|target| has_field(db, env, differential, target));
        if !exists {
            let message = format!("[DerivativeMember] must name a field of `{}`", display(db, differential));
            findings.push(Finding::new(codes::INVALID_DERIVATIVE_MEMBER, location, message));
        }
    }
    let Some(differential) = differential.filter(|differential| is_written(*differential, this)) else { return };
    let second = differentiability(db, env, differential).differential();
    if let Some(second) = second
        && second != differential
        && !second.is_error()
        && let Some(location) = name_location(db, item)
    {
        let message = format!(
            "`{}` cannot be a `Differential`: its own differential must be itself, but it is `{}`",
            display(db, differential),
            display(db, second)
        );
        findings.push(
            Finding::new(codes::DIFFERENTIAL_OF_DIFFERENTIAL, location, message)
                .related(written_location(db, differential), "the differential type is declared here"),
        );
        return;
    }
    for derivative in field_derivatives(db, env, this) {
        let attribute = member_attribute(db, derivative.field);
        match (derivative.differential, derivative.derivative, attribute) {
            (None, _, Some(attribute)) => {
                if let Some(location) = attribute_location(db, derivative.field, attribute) {
                    let message = format!("the type of `{}` is not differentiable", name_of(db, derivative.field));
                    findings.push(Finding::new(codes::DERIVATIVE_OF_PLAIN_FIELD, location, message));
                }
            }
            (Some(_), None, None) => {
                if let Some(location) = name_location(db, derivative.field) {
                    let name = name_of(db, derivative.field);
                    let what = match kind {
                        Differentiability::Pointer(_) => "place",
                        Differentiability::None | Differentiability::Value(_) => "differentiable field",
                    };
                    let message = format!(
                        "{what} `{name}` has no counterpart in `{}`: name one with [DerivativeMember], or mark the field as \
                         `no_diff`",
                        display(db, differential)
                    );
                    findings.push(
                        Finding::new(codes::FIELD_WITHOUT_COUNTERPART, location, message)
                            .related(written_location(db, differential), "the differential type is declared here"),
                    );
                }
            }
            _ => {}
        }
    }
}

/// 31132 on a variable outside of types.
pub(super) fn check_variable(db: &dyn Db, item: ItemId, findings: &mut Vec<Finding>) {
    if generics::enclosing_aggregate(db, item).is_none()
        && let Some(location) = member_attribute(db, item).and_then(|index| attribute_location(db, item, index))
    {
        findings.push(Finding::new(
            codes::DERIVATIVE_MEMBER_WITHOUT_DIFFERENTIAL,
            location,
            "[DerivativeMember] can only be on a field of a type",
        ));
    }
}

/// Whether the differential is a type that the user named.
pub(super) fn is_written(differential: Ty, this: Ty) -> bool {
    differential != this && matches!(differential, Ty::Scalar(_) | Ty::Builtin(..) | Ty::Adt(..))
}

fn written_location(db: &dyn Db, differential: Ty) -> Option<hir_def::position::Location> {
    match differential {
        Ty::Adt(item, _) => name_location(db, item),
        _ => None,
    }
}

fn has_field(db: &dyn Db, env: Env, ty: Ty, name: &Name) -> bool {
    aggregate::fields(db, env, ty).iter().any(|(field, _)| item::item_data(db, *field).name.as_ref() == Some(name))
}

fn member_attribute(db: &dyn Db, field: ItemId) -> Option<AttributeId> {
    let mut attributes = item::item_data(db, field).attributes();
    attributes.find(|(_, attribute)| attribute.kind == Some(AttributeKind::DerivativeMember)).map(|(id, _)| id)
}
