//! Parts of the language that are not supported yet.

use ::diagnostics::codes;

use super::{Diagnostic, Place};

/// E39998: one per construct; what depends on it stays silent.
pub fn not_supported_yet(place: Place, what: &str) -> Diagnostic {
    Diagnostic::new(codes::NOT_SUPPORTED_YET, place, format!("{what} is not supported yet"))
}
