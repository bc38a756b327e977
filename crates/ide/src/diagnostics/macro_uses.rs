//! What is to be said of a macro's body is said where it is first used, and not at each of its uses: it is the body that one
//! changes. Errors are shown everywhere, since each of them stops the code that is written there.

use ::diagnostics::{Code, Severity};
use base_db::Db;
use hir_def::expansion;
use rustc_hash::FxHashSet;
use smol_str::SmolStr;

use super::Relative;

/// The warnings and hints that were said of macros.
#[derive(Default)]
pub(super) struct Said<'a> {
    said: FxHashSet<(Code, &'a str, SmolStr)>,
}

impl<'a> Said<'a> {
    /// Whether the same is not said of the same macro already.
    pub(super) fn is_new(&mut self, db: &dyn Db, diagnostic: &'a Relative) -> bool {
        name_of_macro(db, diagnostic).is_none_or(|name| self.said.insert((diagnostic.code, &diagnostic.message, name)))
    }
}

/// The macro whose body, as a whole use of it shows it, a warning or hint is about.
pub(super) fn name_of_macro(db: &dyn Db, diagnostic: &Relative) -> Option<SmolStr> {
    if diagnostic.severity == Severity::Error {
        return None;
    }
    let at = diagnostic.at;
    let uses = &expansion::expanded(db, at.segment, at.part).uses;
    uses.iter().find(|used| used.call == at.range).map(|used| used.name.clone())
}
