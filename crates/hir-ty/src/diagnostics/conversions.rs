//! Values of the wrong type.

use ::diagnostics::codes;
use hir_def::name::Name;

use super::{Diagnostic, Site};

/// E30019: no implicit conversion.
pub fn type_mismatch(place: Site, expected: &str, got: &str) -> Diagnostic {
    Diagnostic::new(codes::TYPE_MISMATCH, place, format!("expected an expression of type '{expected}', got '{got}'"))
}

/// E30019: `&value` of an interface.
pub fn address_of_interface(place: Site, ty: &str) -> Diagnostic {
    let message =
        format!("the address of a value of the interface '{ty}' cannot be taken; its own type is not known here");
    Diagnostic::new(codes::TYPE_MISMATCH, place, message)
}

/// E30019 with the hint that a cast would do.
pub fn needs_explicit_conversion(place: Site, expected: &str, got: &str) -> Diagnostic {
    type_mismatch(place, expected, got)
        .note(format!("an explicit conversion from '{got}' to '{expected}' is possible"), None)
}

/// E30081 (warning): a conversion that may lose information.
pub fn lossy_conversion(place: Site, to: &str, from: &str) -> Diagnostic {
    Diagnostic::new(
        codes::LOSSY_CONVERSION,
        place,
        format!("implicit conversion from '{from}' to '{to}' is not recommended"),
    )
}

/// E30082 (warning): a `float` where a function or an operator works on `double`.
pub fn widened_to_double(place: Site) -> Diagnostic {
    let message = "implicit conversion from 'float' to 'double': arithmetic on 'double' is slow on GPUs; write 'double(…)' if it is meant";
    Diagnostic::new(codes::WIDENED_TO_DOUBLE, place, message)
}

/// E40016 (warning): a literal that does not fit.
pub fn literal_overflow(place: Site, value: u64, ty: &str) -> Diagnostic {
    Diagnostic::new(codes::LITERAL_OVERFLOW, place, format!("integer value '{value}' does not fit in type '{ty}'"))
}

/// E30019: `(T)value` where no conversion exists.
pub fn impossible_cast(place: Site, to: &str, from: &str) -> Diagnostic {
    Diagnostic::new(codes::TYPE_MISMATCH, place, format!("'{from}' cannot be converted to '{to}'"))
}

/// E30620: `var x;` or `let x;`.
pub fn missing_type(place: Site, name: &Name) -> Diagnostic {
    Diagnostic::new(codes::MISSING_TYPE, place, format!("'{name}' needs a type or an initial value"))
}

/// E30009: a variable of type `void`.
pub fn void_variable(place: Site) -> Diagnostic {
    Diagnostic::new(codes::VOID_VARIABLE, place, "a variable cannot be of type 'void'")
}
