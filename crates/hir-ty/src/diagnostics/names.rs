//! Names that mean nothing, or the wrong thing.

use ::diagnostics::codes;
use hir_def::name::Name;

use super::{Diagnostic, Site};

/// E30015: nothing of this name is visible.
pub fn undefined_identifier(place: Site, name: &Name, suggestion: Option<&str>) -> Diagnostic {
    let diagnostic = Diagnostic::new(codes::UNDEFINED_NAME, place, format!("undefined identifier '{name}'"));
    match suggestion {
        Some(suggestion) => diagnostic
            .note(format!("did you mean '{suggestion}'?"), None)
            .replacement(format!("Replace by '{suggestion}'"), suggestion),
        None => diagnostic,
    }
}

/// E30060: a value or function where a type is wanted.
pub fn expected_a_type(place: Site, name: &Name) -> Diagnostic {
    Diagnostic::new(codes::EXPECTED_A_TYPE, place, format!("expected a type, '{name}' is none"))
}

/// E30019: a type where a value is wanted.
pub fn expected_a_value(place: Site, ty: &str) -> Diagnostic {
    Diagnostic::new(codes::TYPE_MISMATCH, place, format!("expected a value, got the type '{ty}'"))
}

/// E30120, E38101: `this` in static members, and outside of types.
pub fn this_outside_method(place: Site, in_type: bool) -> Diagnostic {
    let code = if in_type { codes::THIS_IN_STATIC_MEMBER } else { codes::THIS_OUTSIDE_METHOD };
    Diagnostic::new(code, place, "'this' can only be used in members of an aggregate type that are not static")
}

/// E30200: two declarations of one name in one scope.
pub fn conflicting_declaration(place: Site, name: &Name, previous: Site) -> Diagnostic {
    Diagnostic::new(
        codes::CONFLICTING_DECLARATION,
        place,
        format!("declaration of '{name}' conflicts with an earlier declaration"),
    )
    .note(format!("'{name}' is declared here first"), Some(previous))
}

/// E30408, E30441: a generic type without the arguments that it needs, or without some of them.
pub fn generic_arguments_missing(place: Site, name: &Name, expected: usize, got: usize) -> Diagnostic {
    let plural = if expected == 1 { "" } else { "s" };
    let code = if got == 0 { codes::GENERIC_ARGUMENTS_LEFT_OUT } else { codes::WRONG_NUMBER_OF_GENERIC_ARGUMENTS };
    Diagnostic::new(code, place, format!("generic type '{name}' needs {expected} argument{plural}, got {got}"))
}

/// E39999: too many generic arguments, or arguments for something that is not generic.
pub fn too_many_generic_arguments(place: Site, name: &Name, expected: usize, got: usize) -> Diagnostic {
    let message = if expected == 0 {
        format!("'{name}' is not generic")
    } else {
        let plural = if expected == 1 { "" } else { "s" };
        format!("'{name}' takes {expected} generic argument{plural}, got {got}")
    };
    Diagnostic::new(codes::CANNOT_RESOLVE, place, message)
}

/// What a generic parameter takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WantedArgument {
    /// A type.
    Type,
    /// A value.
    Value,
}

/// E30019, E30060: a type where a generic value argument is wanted, or the other way round.
pub fn generic_argument_kind(place: Site, param: &Name, wanted: WantedArgument) -> Diagnostic {
    let (code, wanted) = match wanted {
        WantedArgument::Type => (codes::EXPECTED_A_TYPE, "a type"),
        WantedArgument::Value => (codes::TYPE_MISMATCH, "a constant value"),
    };
    Diagnostic::new(code, place, format!("generic argument for '{param}' must be {wanted}"))
}

/// E30410: `__first` and its like of something that is not a pack, or of an empty one.
pub fn invalid_pack_query(place: Site) -> Diagnostic {
    Diagnostic::new(
        codes::INVALID_PACK_QUERY,
        place,
        "this needs a pack with as many elements as are asked for".to_owned(),
    )
}

/// E30075: several packs take equally many arguments each.
pub fn unevenly_shared(place: Site, name: &Name, packs: usize, got: usize) -> Diagnostic {
    let message =
        format!("the {packs} packs of '{name}' take equally many arguments; {got} cannot be shared like that");
    Diagnostic::new(codes::UNEVENLY_SHARED_PACKS, place, message)
}
