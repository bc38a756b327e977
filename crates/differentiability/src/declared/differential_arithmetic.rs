//! `dzero` and `dadd`: what is written does not fit, or what the compiler makes says less than it seems to.
//!
//! - 38105: a written one takes other parameters than the requirement.
//! - 38106: a written one does not give a derivative.
//! - 30019: the field that is to hold a derivative has another type than the derivative.
//! - 30123 (warning): a `Differential` without differentiable fields: zero and sum of such derivatives say nothing.
//! - 30125 (warning): the fields of a generic struct that are differentiable only by the extension that makes the struct so.
//!   slangc leaves them out, and refuses the extension; their derivatives are right here.

use base_db::Db;
use diagnostics::codes;
use hir_def::{
    attribute::{AttributeKind, Modifiers},
    item::{self, ItemId, ItemKind},
    name::Name,
};
use hir_ty::{
    aggregate,
    conformance::{self, Implementation},
    differential::{aggregate::field_derivatives, differential_of, signature::function_signature},
    display::display,
    env::Env,
    generics,
    known::{self, Known},
    members,
    signature::FunctionRef,
    ty::Ty,
};

use super::derivative_member::is_written;
use crate::{
    Finding,
    finding::{name_location, name_of},
};

/// The functions of `IDifferentiable`, which the compiler makes where the user does not.
const ARITHMETIC: [&str; 2] = ["dzero", "dadd"];

/// Checks a struct, or an extension that adds the conformance.
pub(super) fn check(db: &dyn Db, item: ItemId, findings: &mut Vec<Finding>) {
    let Some(this) = generics::self_type(db, item).filter(|this| matches!(this, Ty::Adt(..))) else { return };
    let env = Env::of(db, item);
    let declares = conformance::bases(db, item).iter().any(|base| is_differentiable_interface(db, *base));
    let Some(differential) = differential_of(db, env, this).filter(|ty| declares && !ty.is_error()) else { return };
    for name in ARITHMETIC {
        written(db, env, item, this, name, differential, findings);
    }
    let is_written_here = |name: &&str| !members::declared(db, item, &Name::new(name)).is_empty();
    let made: Vec<&str> = ARITHMETIC.into_iter().filter(|name| !is_written_here(name)).collect();
    if made.is_empty() {
        return;
    }
    nothing_in_differential(db, env, item, this, differential, &made, findings);
    field_of_another_type(db, env, this, differential, findings);
    if matches!(item::item_data(db, item).kind, ItemKind::Extension { .. }) {
        differentiable_by_extension(db, env, item, this, findings);
    }
}

fn is_differentiable_interface(db: &dyn Db, base: Ty) -> bool {
    matches!(base, Ty::Adt(interface, _) if known::interface(db, Known::IDifferentiable) == Some(interface))
}

/// 38105, 38106.
fn written(db: &dyn Db, env: Env, item: ItemId, this: Ty, name: &str, differential: Ty, findings: &mut Vec<Finding>) {
    let declared = members::declared(db, item, &Name::new(name));
    let [only] = *declared else { return };
    let Some(requirement) = requirement(db, name) else { return };
    let required =
        FunctionRef { item: requirement, args: generics::identity_args(db, requirement), self_ty: Some(this) };
    let Some(location) = name_location(db, only) else { return };
    let shown = display(db, differential);
    let cause = name_location(db, requirement);
    match conformance::implementation(db, env, required) {
        Some(Implementation::Function(found)) if found.item == only => {
            let ret = function_signature(db, env, found).ret;
            if ret != differential && !ret.is_error() {
                let message = format!("`{name}` must return `{shown}`, but it returns `{}`", display(db, ret));
                findings.push(
                    Finding::new(codes::DERIVATIVE_RESULT_MISMATCH, location, message)
                        .related(cause, "the requirement is declared here"),
                );
            }
        }
        Some(Implementation::Synthesized(_)) => {
            let params = if name == "dadd" { format!("{shown}, {shown}") } else { String::new() };
            let message = format!(
                "`{name}` does not match the requirement of `IDifferentiable`: `static {shown} {name}({params})`"
            );
            findings.push(
                Finding::new(codes::REQUIREMENT_NOT_MATCHED, location, message)
                    .related(cause, "the requirement is declared here"),
            );
        }
        Some(Implementation::Function(_) | Implementation::Field(_)) | None => {}
    }
}

fn requirement(db: &dyn Db, name: &str) -> Option<ItemId> {
    let interface = known::interface(db, Known::IDifferentiable)?;
    members::declared(db, interface, &Name::new(name)).first().copied()
}

/// 30123.
fn nothing_in_differential(
    db: &dyn Db,
    env: Env,
    item: ItemId,
    this: Ty,
    differential: Ty,
    made: &[&str],
    findings: &mut Vec<Finding>,
) {
    if !is_written(differential, this) || differential_of(db, env, differential) != Some(differential) {
        return;
    }
    let has_derivative = |(_, ty): &(ItemId, Ty)| differential_of(db, env, *ty).is_some();
    if aggregate::fields(db, env, differential).iter().any(has_derivative) {
        return;
    }
    let Some(location) = name_location(db, item) else { return };
    let made: Vec<String> = made.iter().map(|name| format!("`{name}`")).collect();
    let message = format!(
        "{} cannot be made for `{}`: no field of its differential type `{}` is differentiable",
        made.join(" and "),
        display(db, this),
        display(db, differential)
    );
    let declared = differential_item_of(differential).and_then(|declared| name_location(db, declared));
    findings.push(
        Finding::new(codes::EMPTY_DIFFERENTIAL, location, message)
            .related(declared, "the differential type is declared here"),
    );
}

/// 30019: what is made by the compiler adds derivatives where they lie.
fn field_of_another_type(db: &dyn Db, env: Env, this: Ty, differential: Ty, findings: &mut Vec<Finding>) {
    let places = aggregate::fields(db, env, differential);
    for derivative in field_derivatives(db, env, this) {
        let (Some(place), Some(wanted)) = (derivative.derivative, derivative.differential) else { continue };
        let Some((_, written)) = places.iter().find(|(field, _)| *field == place) else { continue };
        if *written == wanted || written.is_error() || wanted.is_error() {
            continue;
        }
        let Some(location) = name_location(db, derivative.field) else { continue };
        let message = format!(
            "the derivative of `{}` is of type `{}`, but `{}` of `{}`, which is to hold it, is of type `{}`: give it that type, \
             write `dzero` and `dadd`, or mark the field as `no_diff`",
            name_of(db, derivative.field),
            display(db, wanted),
            name_of(db, place),
            display(db, differential),
            display(db, *written)
        );
        let declared = name_location(db, place).filter(|_| place != derivative.field);
        findings.push(
            Finding::new(codes::TYPE_MISMATCH, location, message).related(declared, "the field is declared here"),
        );
    }
}

fn differential_item_of(differential: Ty) -> Option<ItemId> {
    match differential {
        Ty::Adt(item, _) => Some(item),
        _ => None,
    }
}

/// 30125.
fn differentiable_by_extension(db: &dyn Db, env: Env, item: ItemId, this: Ty, findings: &mut Vec<Finding>) {
    let Ty::Adt(declaration, _) = this else { return };
    let Some(declared) = generics::self_type(db, declaration) else { return };
    let declared_env = Env::of(db, declaration);
    let declared = aggregate::fields(db, declared_env, declared);
    for (&(field, declared), &(_, ty)) in declared.iter().zip(aggregate::fields(db, env, this)) {
        let data = item::item_data(db, field);
        let excused =
            data.modifiers.contains(Modifiers::NO_DIFF) || data.has_attribute(AttributeKind::DerivativeMember);
        let by_extension =
            differential_of(db, declared_env, declared).is_none() && differential_of(db, env, ty).is_some();
        if excused || !by_extension {
            continue;
        }
        let same_file = item::file_of(db, field) == item::file_of(db, item);
        let Some(location) = name_location(db, if same_file { field } else { item }) else { continue };
        let name = name_of(db, field);
        let message = format!(
            "slangc leaves `{name}` out of the derivatives of `{}`: it is differentiable only by an extension; write \
             `dzero` and `dadd` there, or mark the field as `no_diff`",
            display(db, this)
        );
        findings.push(
            Finding::new(codes::DIFFERENTIABLE_BY_EXTENSION, location, message)
                .related(name_location(db, item), "the extension is here"),
        );
    }
}
