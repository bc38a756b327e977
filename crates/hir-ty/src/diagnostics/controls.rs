//! Statements out of place.

use super::{Diagnostic, Place};

/// E30003: `break` outside of loops and switches.
pub fn break_outside(place: Place) -> Diagnostic {
    Diagnostic::error(30003, place, "'break' must appear inside a loop or switch")
}

/// E30004: `continue` outside of loops.
pub fn continue_outside(place: Place) -> Diagnostic {
    Diagnostic::error(30004, place, "'continue' must appear inside a loop")
}

/// E30006: `return;` where a value is wanted.
pub fn return_needs_value(place: Place, ty: &str) -> Diagnostic {
    Diagnostic::error(30006, place, format!("'return' needs a value of type '{ty}'"))
}

/// E30111: a lambda whose returns differ in type.
pub fn lambda_return_mismatch(place: Place, first: &str, other: &str) -> Diagnostic {
    let message = format!("this lambda returns '{other}' here, but '{first}' before");
    Diagnostic::error(30111, place, message)
}

/// E41010 (warning): a path through the function ends without `return`.
pub fn missing_return(place: Place, ty: &str) -> Diagnostic {
    Diagnostic::warning(41010, place, format!("control flow may reach the end of this function, which returns '{ty}'"))
}
