//! `[ForwardDerivative(f)]` and its five relatives name a function that does not exist or does not fit.
//!
//! - 31146: the function has another one of this kind. slangc says so where one stands on the function and the other one names
//!   it, and of others that `fwd_diff` is ambiguous, where it is used.
//! - 31147, 31148: the primal function, or the derivative, that is named does not exist, or has generic constraints that the
//!   primal function does not promise.
//! - 31149, 31150, 38106: a parameter, the number of parameters, or the result is not what the derivative's must be. The
//!   expected signature is printed. A substitute must have the signature of its original.
//! - 31151: a generic parameter of the derivative does not follow from the primal function, or the primal function that a
//!   derivative names asks more of its generic arguments than the derivative.
//! - 31152, 31153: requirements of interfaces have no custom derivative and cannot be one.
//! - 31156: the derivative of a static function must be static.
//! - 31158: the substitute of a differentiable function must be differentiable.
//! - 31162: what a module makes public needs what it imports, which those who import it cannot see.

use base_db::Db;
use diagnostics::{Code, codes};
use hir_def::{
    attribute::Modifiers,
    item::{self, ItemId, ItemKind},
    modules,
    position::Location,
    visibility::{Visibility, visibility},
};
use hir_ty::{
    conversion,
    differential::{
        association::{self, Choice, Misfit},
        attribute::{Association, AssociationKind, DerivativeAttribute, WrittenAttribute, own_attributes},
        display::{param_text, signature_text},
        fit::Mismatch,
        rules::{derivative_rules, derivative_rules_in},
        signature::CallableParam,
    },
    display::display,
    env::{Bound, Env},
    generics,
};

use super::signature_fix;
use crate::{
    Finding,
    finding::{attribute_location, name_location, name_of},
};

pub(super) fn check(db: &dyn Db, item: ItemId, findings: &mut Vec<Finding>) {
    for written in own_attributes(db, item) {
        if let DerivativeAttribute::Association(association) = written.attribute {
            findings.extend(check_association(db, written, association));
        }
    }
}

fn check_association(db: &dyn Db, written: WrittenAttribute, association: Association) -> Option<Finding> {
    // Without a function it is misused anyway.
    written.argument?;
    let location = attribute_location(db, written.item, written.id)?;
    let choice = association::choose(db, written);
    let (primal, other) = match &choice {
        Choice::Found(chosen) if association.reversed => (chosen.item, written.item),
        Choice::Found(chosen) => (written.item, chosen.item),
        Choice::Mismatch(misfit) => (misfit.primal, misfit.other),
        Choice::Unresolved => {
            let (code, what) = match (association.kind, association.reversed) {
                (_, true) => (codes::CANNOT_RESOLVE_ORIGINAL, "the function that this is the derivative of"),
                (AssociationKind::PrimalSubstitute, false) => {
                    (codes::CANNOT_RESOLVE_DERIVATIVE, "the primal substitute")
                }
                (_, false) => (codes::CANNOT_RESOLVE_DERIVATIVE, "the derivative function"),
            };
            let finding = Finding::new(code, location, format!("cannot find {what}"));
            return Some(finding.fix(signature_fix::nearest_name(db, written)));
        }
    };
    if is_requirement(db, primal) {
        let message =
            "a requirement of an interface has no derivative of its own: each type that conforms may have one";
        return Some(Finding::new(codes::CUSTOM_DERIVATIVE_OF_REQUIREMENT, location, message));
    }
    if is_requirement(db, other) {
        let message = "a requirement of an interface cannot be the derivative of a function";
        return Some(Finding::new(codes::REQUIREMENT_AS_CUSTOM_DERIVATIVE, location, message));
    }
    if is_static(db, primal) && !is_static(db, other) {
        let message = format!("`{}` must be static, as the function is whose derivative it is", name_of(db, other));
        return Some(
            Finding::new(codes::CUSTOM_DERIVATIVE_NOT_STATIC, location, message)
                .fix(crate::finding::make_static(db, other)),
        );
    }
    if let Choice::Mismatch(misfit) = &choice {
        if association.kind == AssociationKind::PrimalSubstitute && is_called_for(db, misfit) {
            return None;
        }
        let (code, message) = mismatch_message(db, association.kind, &name_of(db, misfit.other), misfit);
        let named = if association.reversed { primal } else { other };
        return Some(
            Finding::new(code, location, message)
                .related(name_location(db, named), format!("`{}` is declared here", name_of(db, named)))
                .fix(signature_fix::repair_signature(db, misfit)),
        );
    }
    let named = if association.reversed { primal } else { other };
    if let Some(finding) = not_exported(db, association, written.item, named, location) {
        return Some(finding);
    }
    if let Some(finding) = second(db, written, association.kind, (primal, other), location) {
        return Some(finding);
    }
    match association.kind {
        AssociationKind::PrimalSubstitute => less_differentiable(db, primal, other, location),
        AssociationKind::ForwardDerivative | AssociationKind::BackwardDerivative => None,
    }
}

/// Whether a substitute that does not have the signature of its original can be called as the original is, and never will
/// be, because the original has no derivatives.
fn is_called_for(db: &dyn Db, misfit: &Misfit) -> bool {
    let rules = derivative_rules(db, misfit.primal);
    let env = Env::of(db, misfit.other);
    let converts = |(found, expected): (&CallableParam, &CallableParam)| {
        found.direction == expected.direction && conversion::convert(db, env, expected.ty, found.ty).is_some()
    };
    !rules.forward_differentiable
        && !rules.backward_differentiable
        && misfit.found.params.len() == misfit.expected.params.len()
        && misfit.found.params.iter().zip(&misfit.expected.params).all(converts)
}

/// 31146: the one that counts is the first on the function itself, or else the first that names the function.
fn second(
    db: &dyn Db,
    written: WrittenAttribute,
    kind: AssociationKind,
    (primal, other): (ItemId, ItemId),
    location: Location,
) -> Option<Finding> {
    let rules = derivative_rules_in(db, primal, item::file_of(db, written.item));
    let first = rules.associated(kind)?;
    let is_of_kind = |attribute: &WrittenAttribute| {
        matches!(attribute.attribute, DerivativeAttribute::Association(association) if association.kind == kind)
            && associated(db, *attribute) == Some((primal, other))
    };
    let mut before = own_attributes(db, written.item).into_iter().take_while(|attribute| attribute.id != written.id);
    let is_repeated = before.any(|attribute| is_of_kind(&attribute));
    (first != other || is_repeated).then(|| {
        let message = format!("`{}` has a {} already: `{}`", name_of(db, primal), role(kind), name_of(db, first));
        Finding::new(codes::SECOND_CUSTOM_DERIVATIVE, location, message)
            .related(name_location(db, first), format!("`{}` is declared here", name_of(db, first)))
    })
}

/// The primal function and the other one that an attribute ties together.
fn associated(db: &dyn Db, written: WrittenAttribute) -> Option<(ItemId, ItemId)> {
    match (written.attribute, association::choose(db, written)) {
        (DerivativeAttribute::Association(association), Choice::Found(chosen)) => Some(match association.reversed {
            true => (chosen.item, written.item),
            false => (written.item, chosen.item),
        }),
        _ => None,
    }
}

/// 31162: as in slangc, forward derivatives and substitutes may be given to a function that is imported: only a backward
/// derivative makes public what names both.
fn not_exported(
    db: &dyn Db,
    association: Association,
    written: ItemId,
    named: ItemId,
    location: Location,
) -> Option<Finding> {
    let (file, other) = (item::file_of(db, written), item::file_of(db, named));
    let is_public = |item| visibility(db, item) == Visibility::Public;
    let names_both = !association.reversed || association.kind == AssociationKind::BackwardDerivative;
    let concerned = names_both
        && !modules::is_prelude(db, file)
        && !modules::is_prelude(db, other)
        && is_public(written)
        && is_public(named);
    (concerned && !modules::exports(db, file, other)).then(|| {
        let message = format!(
            "`{}` is of a module that this one imports without exporting it: those who import this one cannot see it",
            name_of(db, named)
        );
        Finding::new(codes::CUSTOM_DERIVATIVE_NOT_EXPORTED, location, message)
            .related(name_location(db, named), format!("`{}` is declared here", name_of(db, named)))
    })
}

fn is_static(db: &dyn Db, item: ItemId) -> bool {
    generics::enclosing_aggregate(db, item).is_none() || item::item_data(db, item).modifiers.contains(Modifiers::STATIC)
}

/// 31158.
fn less_differentiable(db: &dyn Db, primal: ItemId, substitute: ItemId, location: Location) -> Option<Finding> {
    let (original, replacement) = (derivative_rules(db, primal), derivative_rules(db, substitute));
    let less = (original.forward_differentiable && !replacement.forward_differentiable)
        || (original.backward_differentiable && !replacement.backward_differentiable);
    let message = format!(
        "`{}` is differentiable, so its substitute `{}` must be, too",
        name_of(db, primal),
        name_of(db, substitute)
    );
    less.then(|| {
        let title = format!("Mark `{}` as [Differentiable]", name_of(db, substitute));
        Finding::new(codes::SUBSTITUTE_NOT_DIFFERENTIABLE, location, message).fix(crate::finding::add_attribute(
            db,
            substitute,
            "Differentiable",
            title,
        ))
    })
}

fn role(kind: AssociationKind) -> &'static str {
    match kind {
        AssociationKind::ForwardDerivative => "forward derivative",
        AssociationKind::BackwardDerivative => "backward derivative",
        AssociationKind::PrimalSubstitute => "substitute",
    }
}

/// How the function called `other` differs from what it should be.
pub(super) fn mismatch_message(db: &dyn Db, kind: AssociationKind, other: &str, misfit: &Misfit) -> (Code, String) {
    let role = role(kind);
    let primal = name_of(db, misfit.primal);
    let expected = signature_text(db, other, &misfit.expected);
    match misfit.mismatch {
        Mismatch::ParamCount => (
            codes::DERIVATIVE_PARAMETER_COUNT,
            format!(
                "`{other}` takes {} parameters, but the {role} of `{primal}` takes {}: `{expected}`",
                misfit.found.params.len(),
                misfit.expected.params.len(),
            ),
        ),
        Mismatch::Param(index) => {
            let text =
                |params: &[CallableParam]| params.get(index).map(|param| param_text(db, param)).unwrap_or_default();
            (
                codes::DERIVATIVE_PARAMETER_MISMATCH,
                format!(
                    "parameter {} of `{other}` is `{}`, but the {role} of `{primal}` has `{}` there: `{expected}`",
                    index + 1,
                    text(&misfit.found.params),
                    text(&misfit.expected.params),
                ),
            )
        }
        Mismatch::Return => (
            codes::DERIVATIVE_RESULT_MISMATCH,
            format!(
                "`{other}` returns `{}`, but the {role} of `{primal}` returns `{}`: `{expected}`",
                display(db, misfit.found.ret),
                display(db, misfit.expected.ret),
            ),
        ),
        Mismatch::Undeduced(parameter) => (
            codes::DERIVATIVE_GENERIC_NOT_DEDUCED,
            format!(
                "generic parameter `{}` of `{other}` does not follow from the signature of `{primal}`",
                generics::parameter_name(db, parameter),
            ),
        ),
        Mismatch::Unmet(Bound::Conforms { subject, interface, .. }) => (
            codes::CANNOT_RESOLVE_DERIVATIVE,
            format!(
                "`{other}` asks for `{} : {}`, which `{primal}` does not promise",
                display(db, subject),
                display(db, interface)
            ),
        ),
        Mismatch::UnmetByOriginal(Bound::Conforms { subject, interface, .. }) => (
            codes::DERIVATIVE_GENERIC_NOT_DEDUCED,
            format!(
                "`{primal}` asks for `{} : {}`, which `{other}` does not promise: its generic arguments cannot be found from \
                 those of `{other}`",
                display(db, subject),
                display(db, interface)
            ),
        ),
        Mismatch::UnmetByOriginal(_) => (
            codes::DERIVATIVE_GENERIC_NOT_DEDUCED,
            format!("`{primal}` has constraints that `{other}` does not promise"),
        ),
        Mismatch::Unmet(_) => {
            (codes::CANNOT_RESOLVE_DERIVATIVE, format!("`{other}` has constraints that `{primal}` does not promise"))
        }
    }
}

pub(super) fn is_requirement(db: &dyn Db, item: ItemId) -> bool {
    let in_interface = item::container(db, item)
        .is_some_and(|container| matches!(item::item_data(db, container).kind, ItemKind::Interface { .. }));
    in_interface && !item::item_data(db, item).has_body()
}
