//! Members that do not exist or cannot be used this way.

use ::diagnostics::codes;
use hir_def::name::Name;

use super::{Diagnostic, Site};

/// E30027: the type has no member of this name.
pub fn member_not_found(place: Site, name: &Name, ty: &str, suggestion: Option<&str>) -> Diagnostic {
    let diagnostic = Diagnostic::new(codes::MEMBER_NOT_FOUND, place, format!("'{name}' is not a member of '{ty}'"));
    match suggestion {
        Some(suggestion) => diagnostic
            .note(format!("did you mean '{suggestion}'?"), None)
            .replacement(format!("Replace by '{suggestion}'"), suggestion),
        None => diagnostic,
    }
}

/// E30403: a member that the type has only if an optional constraint holds.
pub fn unchecked_constraint(place: Site, name: &Name, ty: &str) -> Diagnostic {
    let message = format!("'{name}' is there only if '{ty}' meets an optional constraint: ask 'if ({ty} is …)' first");
    Diagnostic::new(codes::UNCHECKED_OPTIONAL_CONSTRAINT, place, message)
}

/// E30052: letters of a swizzle that the type does not have.
pub fn invalid_swizzle(place: Site, name: &Name, ty: &str) -> Diagnostic {
    Diagnostic::new(codes::INVALID_SWIZZLE, place, format!("invalid swizzle pattern '{name}' on type '{ty}'"))
}

/// E30100: `S.method(…)` of a method that is not static.
pub fn not_static(place: Site, ty: &str, name: &Name) -> Diagnostic {
    Diagnostic::new(
        codes::MEMBER_NOT_STATIC,
        place,
        format!("type '{ty}' cannot be used to refer to non-static member '{name}'"),
    )
}

/// E30013: `base[index]` on something that has no elements.
pub fn no_subscript(place: Site, ty: &str) -> Diagnostic {
    Diagnostic::new(codes::NO_SUBSCRIPT, place, format!("type '{ty}' cannot be subscripted"))
}

/// E39999: more or fewer indices than the type takes.
pub fn wrong_index_count(place: Site, ty: &str, got: usize) -> Diagnostic {
    Diagnostic::new(codes::CANNOT_RESOLVE, place, format!("type '{ty}' takes one index, got {got}"))
}
