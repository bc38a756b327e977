//! Initializer lists.

use ::diagnostics::codes;

use super::{Diagnostic, Site};

/// E30523: more elements than the type has.
pub fn too_many_initializers(place: Site, expected: usize, got: usize) -> Diagnostic {
    Diagnostic::new(
        codes::TOO_MANY_INITIALIZERS,
        place,
        format!("too many initializers (expected {expected}, got {got})"),
    )
}

/// E39999, E30513: more elements than fields that all who see the struct see, or a struct of which they see none.
pub fn too_many_for_visible_fields(place: Site, ty: &str, visible: usize, got: usize) -> Diagnostic {
    if visible == 0 {
        let message = format!("cannot use an initializer list for '{ty}': no field of it is visible here");
        return Diagnostic::new(codes::NO_CONSTRUCTOR_FOR_LIST, place, message);
    }
    let message = format!("too many arguments for the constructor of '{ty}': its {visible} visible fields got {got}");
    Diagnostic::new(codes::CANNOT_RESOLVE, place, message)
}

/// E30513: `{…}` for a struct without constructors whose base has some.
pub fn base_has_constructors(place: Site, ty: &str, base: &str) -> Diagnostic {
    let message = format!("cannot use an initializer list for type '{ty}': its base '{base}' has constructors");
    Diagnostic::new(codes::NO_CONSTRUCTOR_FOR_LIST, place, message)
}

/// E30513: `(S)0`, which is a list of zeros, for a struct that its constructors alone make.
pub fn zero_of_constructed(place: Site, ty: &str) -> Diagnostic {
    let message = format!("'{ty}' is made by its constructors, and cannot be made of zeros by a cast");
    Diagnostic::new(codes::NO_CONSTRUCTOR_FOR_LIST, place, message)
}

/// E30513: `{}` for what the host provides.
pub fn resource_is_not_made(place: Site, ty: &str) -> Diagnostic {
    let message = format!(
        "a value of type '{ty}' is given by the host: it cannot be made here, and its variable has no initializer"
    );
    Diagnostic::new(codes::NO_CONSTRUCTOR_FOR_LIST, place, message)
}

/// E30019, E30523: `{…}` with several elements for a type that has no parts; of scalars they are too many.
pub fn cannot_initialize(place: Site, ty: &str, is_scalar: bool) -> Diagnostic {
    let code = if is_scalar { codes::TOO_MANY_INITIALIZERS } else { codes::TYPE_MISMATCH };
    Diagnostic::new(code, place, format!("an initializer list cannot make a value of type '{ty}'"))
}

/// E41812: `{…}` where nothing says which type is wanted.
pub fn initializer_without_type(place: Site) -> Diagnostic {
    Diagnostic::new(codes::UNTYPED_INITIALIZER, place, "the type of this initializer list is not known here")
}
