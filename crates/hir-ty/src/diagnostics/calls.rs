//! Calls that do not work out.

use ::diagnostics::codes;
use hir_def::name::Name;

use super::{Diagnostic, Site};

/// A function that was considered, and why it was not taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// The function as it is declared, with its types.
    pub signature: String,
    /// Why it was not taken, where one reason can be told.
    pub reason: Option<String>,
    /// Where it is declared, if in the program.
    pub place: Option<Site>,
}

/// How many candidates a diagnostic lists.
const MAX_CANDIDATES: usize = 10;

fn with_candidates(mut diagnostic: Diagnostic, candidates: &[Candidate]) -> Diagnostic {
    for candidate in candidates.iter().take(MAX_CANDIDATES) {
        let reason = candidate.reason.as_ref().map_or_else(String::new, |reason| format!(": {reason}"));
        diagnostic = diagnostic.note(format!("candidate: {}{reason}", candidate.signature), candidate.place);
    }
    match candidates.len().checked_sub(MAX_CANDIDATES) {
        Some(more @ 1..) => diagnostic.note(format!("{more} more overload candidates"), None),
        _ => diagnostic,
    }
}

/// E39999: no overload fits.
pub fn no_applicable_overload(place: Site, name: &str, arguments: &str, candidates: &[Candidate]) -> Diagnostic {
    let message = format!("no overload for '{name}' applicable to arguments of type ({arguments})");
    with_candidates(Diagnostic::new(codes::CANNOT_RESOLVE, place, message), candidates)
}

/// E39999: an operator on bits between built-in numbers of which one has a fraction.
pub fn operator_needs_integers(place: Site, name: &str, ty: &str) -> Diagnostic {
    let message = format!("operator '{name}' works on the bits of integers, and '{ty}' is not an integer type");
    Diagnostic::new(codes::CANNOT_RESOLVE, place, message).note("'asuint(…)' gives the bits of a 'float'", None)
}

/// E39999: several overloads fit equally well.
pub fn ambiguous_call(place: Site, name: &str, arguments: &str, candidates: &[Candidate]) -> Diagnostic {
    let message = format!("ambiguous call to '{name}' with arguments of type ({arguments})");
    with_candidates(Diagnostic::new(codes::CANNOT_RESOLVE, place, message), candidates)
}

/// E39999: a single candidate with another number of parameters.
pub fn wrong_argument_count(place: Site, expected: usize, got: usize, candidate: &Candidate) -> Diagnostic {
    let which = if got < expected { "not enough" } else { "too many" };
    let message = format!("{which} arguments to call (got {got}, expected {expected})");
    with_candidates(Diagnostic::new(codes::CANNOT_RESOLVE, place, message), std::slice::from_ref(candidate))
}

/// E30438: more arguments than a generic function takes, whose generic arguments are to follow from them.
pub fn too_many_for_generic(place: Site, expected: usize, got: usize, candidate: &Candidate) -> Diagnostic {
    let message = format!("too many arguments to call of a generic function (got {got}, expected {expected})");
    with_candidates(
        Diagnostic::new(codes::GENERIC_CALL_ARGUMENT_COUNT, place, message),
        std::slice::from_ref(candidate),
    )
}

/// E39999: more generic arguments are written than there are parameters.
pub fn too_many_generic_arguments(place: Site, name: &str, expected: usize, candidate: &Candidate) -> Diagnostic {
    let message = match expected {
        0 => format!("'{name}' is not generic"),
        1 => format!("'{name}' takes 1 generic argument"),
        _ => format!("'{name}' takes {expected} generic arguments"),
    };
    with_candidates(Diagnostic::new(codes::CANNOT_RESOLVE, place, message), std::slice::from_ref(candidate))
}

/// E39999: generic arguments that the call does not determine.
pub fn cannot_deduce(place: Site, name: &str, parameter: &str, candidate: &Candidate) -> Diagnostic {
    let message = format!("could not deduce generic argument '{parameter}' of '{name}'");
    with_candidates(Diagnostic::new(codes::CANNOT_RESOLVE, place, message), std::slice::from_ref(candidate))
}

/// E30016: the callee is not a function.
pub fn not_callable(place: Site, ty: &str) -> Diagnostic {
    Diagnostic::new(codes::NOT_CALLABLE, place, format!("no call operation found for type '{ty}'"))
}

/// E33070: `fwd_diff`/`bwd_diff` of something that is not a function.
pub fn expected_a_function(place: Site, ty: &str) -> Diagnostic {
    Diagnostic::new(codes::EXPECTED_A_FUNCTION, place, format!("expected a function, got '{ty}'"))
}

/// E33070: a function name that is used as a value where nothing says which of its overloads is meant.
pub fn overloaded_function_value(place: Site, name: &str) -> Diagnostic {
    Diagnostic::new(
        codes::CANNOT_RESOLVE,
        place,
        format!("'{name}' is overloaded and nothing here says which one is meant"),
    )
}

/// E30600: a `[deriv_method]` is reached through the method whose derivative it is, never by its own name.
pub fn derivative_method(place: Site, name: &Name) -> Diagnostic {
    let message = format!("'{name}' is a [deriv_method]: it is called as the derivative of a method, not by itself");
    Diagnostic::new(codes::NOT_ACCESSIBLE, place, message)
}
