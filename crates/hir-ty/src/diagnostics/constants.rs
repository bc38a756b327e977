//! Values that must be known at compile time.

use ::diagnostics::codes;

use super::{Diagnostic, Site};

/// E39999: an array size, generic argument or enum value that is not a constant integer.
pub fn not_a_constant(place: Site) -> Diagnostic {
    Diagnostic::new(codes::CANNOT_RESOLVE, place, "expression does not evaluate to a compile-time constant")
}

/// E30025: an array size below zero.
pub fn invalid_array_size(place: Site) -> Diagnostic {
    Diagnostic::new(codes::INVALID_ARRAY_SIZE, place, "array size must not be negative")
}

/// E30083: `countof` of something that has no count.
pub fn invalid_count_argument(place: Site) -> Diagnostic {
    Diagnostic::new(codes::INVALID_COUNT_ARGUMENT, place, "argument to 'countof' can only be a type pack or tuple")
}

/// E30086: the layout of a size is no layout.
pub fn not_a_layout(place: Site, given: &str) -> Diagnostic {
    Diagnostic::new(codes::NOT_A_LAYOUT, place, format!("{given} does not conform to 'IBufferDataLayout'"))
}
