//! Statements out of place.

use ::diagnostics::codes;

use super::{Diagnostic, Site};

/// E30003: `break` outside of loops and switches.
pub fn break_outside(place: Site) -> Diagnostic {
    Diagnostic::new(codes::BREAK_OUTSIDE, place, "'break' must appear inside a loop or switch")
}

/// E30004: `continue` outside of loops.
pub fn continue_outside(place: Site) -> Diagnostic {
    Diagnostic::new(codes::CONTINUE_OUTSIDE, place, "'continue' must appear inside a loop")
}

/// E30006: `return;` where a value is wanted.
pub fn return_needs_value(place: Site, ty: &str) -> Diagnostic {
    Diagnostic::new(codes::RETURN_NEEDS_VALUE, place, format!("'return' needs a value of type '{ty}'"))
}

/// E30111: a lambda whose returns differ in type.
pub fn lambda_return_mismatch(place: Site, first: &str, other: &str) -> Diagnostic {
    let message = format!("this lambda returns '{other}' here, but '{first}' before");
    Diagnostic::new(codes::LAMBDA_RETURN_MISMATCH, place, message)
}

/// E41010 (warning): a path through the function ends without `return`.
pub fn missing_return(place: Site, ty: &str) -> Diagnostic {
    Diagnostic::new(
        codes::MISSING_RETURN,
        place,
        format!("control flow may reach the end of this function, which returns '{ty}'"),
    )
}

/// E30065: `new` of a type whose values are no objects.
pub fn new_of_no_class(place: Site, ty: &str) -> Diagnostic {
    let message = format!("'new' makes objects of classes, and '{ty}' is none");
    Diagnostic::new(codes::NEW_OF_NO_CLASS, place, message)
}
