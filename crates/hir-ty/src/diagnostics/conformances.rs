//! Interfaces that are not conformed to.

use ::diagnostics::codes;

use super::{Diagnostic, Place};

/// E38029: a generic argument misses a bound of its parameter.
pub fn bound_not_met(place: Place, ty: &str, interface: &str, declaration: Option<(String, Place)>) -> Diagnostic {
    let diagnostic = Diagnostic::new(
        codes::TYPE_ARGUMENT_DOES_NOT_CONFORM,
        place,
        format!("type argument '{ty}' does not conform to the required interface '{interface}'"),
    );
    match declaration {
        Some((signature, place)) => diagnostic.note(format!("required by {signature}"), Some(place)),
        None => diagnostic,
    }
}

/// E38030: a `where A == B` that does not hold.
pub fn types_not_equal(place: Place, left: &str, right: &str, declaration: Option<(String, Place)>) -> Diagnostic {
    let diagnostic =
        Diagnostic::new(codes::TYPES_NOT_EQUAL, place, format!("'{left}' must be the same type as '{right}'"));
    match declaration {
        Some((signature, place)) => diagnostic.note(format!("required by {signature}"), Some(place)),
        None => diagnostic,
    }
}

/// E38031: an empty pack where `nonempty` is required.
pub fn pack_empty(place: Place, declaration: Option<(String, Place)>) -> Diagnostic {
    let diagnostic = Diagnostic::new(codes::NO_DIFF_NOT_ON_CALL, place, "the pack must not be empty here".to_owned());
    match declaration {
        Some((signature, place)) => diagnostic.note(format!("required by {signature}"), Some(place)),
        None => diagnostic,
    }
}

/// E38100: a type says that it conforms and lacks a member.
pub fn missing_requirement(place: Place, ty: &str, member: &str, requirement: Place) -> Diagnostic {
    Diagnostic::new(
        codes::MISSING_REQUIREMENT,
        place,
        format!("type '{ty}' does not provide required interface member '{member}'"),
    )
    .note(format!("'{member}' is required here"), Some(requirement))
}

/// E38105: the one member of that name is not what the interface requires.
pub fn requirement_not_matched(place: Place, member: &str, interface: &str, requirement: Place) -> Diagnostic {
    Diagnostic::new(
        codes::REQUIREMENT_NOT_MATCHED,
        place,
        format!("'{member}' does not match what '{interface}' requires"),
    )
    .note(format!("'{member}' is required here"), Some(requirement))
}

/// E38029: the type that stands for an associated type misses a bound of it.
pub fn associated_type_bound_not_met(
    place: Place,
    name: &str,
    given: &str,
    interface: &str,
    requirement: Place,
) -> Diagnostic {
    Diagnostic::new(
        codes::TYPE_ARGUMENT_DOES_NOT_CONFORM,
        place,
        format!("'{given}' cannot be '{name}': it does not conform to '{interface}'"),
    )
    .note(format!("'{name}' is required here"), Some(requirement))
}

/// E30807: a base that is no interface.
pub fn base_not_an_interface(place: Place, ty: &str) -> Diagnostic {
    Diagnostic::new(codes::BASE_NOT_AN_INTERFACE, place, format!("'{ty}' is not an interface"))
}
