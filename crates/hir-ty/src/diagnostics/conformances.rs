//! Interfaces that are not conformed to.

use ::diagnostics::codes;

use super::{Diagnostic, Site};

/// E38029: a generic argument misses a bound of its parameter.
pub fn bound_not_met(place: Site, ty: &str, interface: &str, declaration: Option<(String, Site)>) -> Diagnostic {
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

/// E38043: a `where A(B)` that does not hold.
pub fn not_convertible(place: Site, from: &str, to: &str, declaration: Option<(String, Site)>) -> Diagnostic {
    let message = format!("'{from}' is not convertible to '{to}', which 'where {to}({from})' asks for");
    let diagnostic = Diagnostic::new(codes::CONVERSION_MISSING, place, message);
    match declaration {
        Some((signature, place)) => diagnostic.note(format!("required by {signature}"), Some(place)),
        None => diagnostic,
    }
}

/// E30440: a `where A == B` that does not hold.
pub fn types_not_equal(place: Site, left: &str, right: &str, declaration: Option<(String, Site)>) -> Diagnostic {
    let diagnostic =
        Diagnostic::new(codes::CONSTRAINT_NOT_MET, place, format!("'{left}' must be the same type as '{right}'"));
    match declaration {
        Some((signature, place)) => diagnostic.note(format!("required by {signature}"), Some(place)),
        None => diagnostic,
    }
}

/// E30440: an empty pack where `nonempty` is required.
pub fn pack_empty(place: Site, declaration: Option<(String, Site)>) -> Diagnostic {
    let diagnostic = Diagnostic::new(codes::CONSTRAINT_NOT_MET, place, "the pack must not be empty here".to_owned());
    match declaration {
        Some((signature, place)) => diagnostic.note(format!("required by {signature}"), Some(place)),
        None => diagnostic,
    }
}
