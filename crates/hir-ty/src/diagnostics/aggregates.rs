//! Initializer lists.

use super::{Diagnostic, Place};

/// E30523: more elements than the type has.
pub fn too_many_initializers(place: Place, expected: usize, got: usize) -> Diagnostic {
    Diagnostic::error(30523, place, format!("too many initializers (expected {expected}, got {got})"))
}

/// E30504: `{…}` for a type that it cannot build.
pub fn cannot_initialize(place: Place, ty: &str) -> Diagnostic {
    Diagnostic::error(30504, place, format!("an initializer list cannot make a value of type '{ty}'"))
}

/// E30504: `{…}` where nothing says which type is wanted.
pub fn initializer_without_type(place: Place) -> Diagnostic {
    Diagnostic::error(30504, place, "the type of this initializer list is not known here")
}
