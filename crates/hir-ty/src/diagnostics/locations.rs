//! Assignments to what cannot be assigned.

use ::diagnostics::codes;

use super::{Diagnostic, Site};

/// E30011: the target of an assignment.
pub fn not_assignable(place: Site, why: Option<(String, Option<Site>)>) -> Diagnostic {
    let diagnostic = Diagnostic::new(codes::NOT_ASSIGNABLE, place, "left of '=' is not an l-value".to_owned());
    match why {
        Some((why, place)) => diagnostic.note(why, place),
        None => diagnostic,
    }
}

/// E30047: what an operator such as `+=` or `++` changes, which is an `inout` argument of it.
pub fn operand_not_assignable(place: Site, operator: &str, why: Option<(String, Option<Site>)>) -> Diagnostic {
    let message = format!("what '{operator}' changes must be an l-value");
    let diagnostic = Diagnostic::new(codes::ARGUMENT_NOT_ASSIGNABLE, place, message);
    match why {
        Some((why, place)) => diagnostic.note(why, place),
        None => diagnostic,
    }
}

/// E30047: the argument of an `out` or `inout` parameter.
pub fn argument_not_assignable(place: Site, parameter: &str, why: Option<(String, Option<Site>)>) -> Diagnostic {
    let diagnostic = Diagnostic::new(
        codes::ARGUMENT_NOT_ASSIGNABLE,
        place,
        format!("argument passed to parameter '{parameter}' must be an l-value"),
    );
    match why {
        Some((why, place)) => diagnostic.note(why, place),
        None => diagnostic,
    }
}

/// E30047: the converted argument of an `inout` parameter cannot be converted back.
pub fn argument_not_convertible_back(place: Site, parameter: &str, expected: &str, got: &str) -> Diagnostic {
    Diagnostic::new(
        codes::ARGUMENT_NOT_ASSIGNABLE,
        place,
        format!("argument passed to parameter '{parameter}' must be of type '{expected}', got '{got}'"),
    )
}

/// E30050: a `[mutating]` method on something that cannot be assigned.
pub fn mutating_on_constant(place: Site, method: &str) -> Diagnostic {
    Diagnostic::new(
        codes::MUTATING_ON_CONSTANT,
        place,
        format!("mutating method '{method}' cannot be called on an immutable value"),
    )
}
