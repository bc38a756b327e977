//! The preprocessor, as a function from a text and a [`MacroEnv`] to the text that is meant.
//!
//! [`expand`] evaluates conditionals, takes in `#include`d texts and expands macros. Its result is again a text, which
//! is parsed like any other: in Slang a macro may stand for any tokens, so there is no tree in which an invocation
//! could be a node. A [`SpellingMap`] leads from places in the expanded text to places in the spelled one and back.
//! A text without directives and macros is its own expansion and is not copied.
//!
//! The environment goes from text to text: what one segment of a file leaves behind, the next begins with. It also
//! holds the conditionals that are open, so that an `#if` and its `#endif` may be in different segments.
//!
//! # Invariants
//! - Knows no files: a [`Host`] finds `#include`d texts, and says where a text stands.
//! - Total: recursion, depth and size of expansions are limited, with a diagnostic.
//! - Deliberately absent: `#line` does not change the lines that diagnostics report.

mod condition;
mod directive;
mod driver;
mod environment;
mod macros;
mod map;
#[cfg(test)]
mod tests;

use std::sync::{Arc, LazyLock};

use diagnostics::{Code, codes};
use smol_str::SmolStr;

use crate::TextRange;

pub use driver::expand;
pub use environment::{Definition, MacroEnv};
pub use map::{Spelling, SpellingMap};

/// What an expansion needs to know from outside.
pub trait Host {
    /// Whether a file can be found for `__has_include`.
    fn exists(&self, path: &IncludePath) -> bool;

    /// The expansion of an included file, begun with this environment. An error says why there is none. The host
    /// ends recursion, and answers a file that said `#pragma once` and was included before with an empty expansion.
    fn include(&self, path: &IncludePath, env: &MacroEnv) -> Result<Included, NotIncluded>;

    /// The line, counted from one, that an offset of the text is on. Asked only for `__LINE__`.
    fn line(&self, offset: usize) -> u32;

    /// The name of the file that the text is in. Asked only for `__FILE__`.
    fn file_name(&self) -> String;
}

/// Why there is no text for an `#include`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotIncluded {
    /// The number of the registry.
    pub code: Code,
    /// A sentence for the user.
    pub message: String,
}

/// The answer to an `#include`.
#[derive(Debug, Clone)]
pub struct Included {
    /// The expanded text of the file.
    pub text: Arc<str>,
    /// The text behind the preprocessor, with its map.
    pub expanded: Arc<Expanded>,
}

/// A host for texts that stand alone.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoFiles;

impl Host for NoFiles {
    fn exists(&self, _path: &IncludePath) -> bool {
        false
    }

    fn include(&self, path: &IncludePath, _env: &MacroEnv) -> Result<Included, NotIncluded> {
        let message = format!("cannot find the file `{}`", path.path);
        Err(NotIncluded { code: codes::INCLUDE_NOT_FOUND, message })
    }

    fn line(&self, _offset: usize) -> u32 {
        1
    }

    fn file_name(&self) -> String {
        String::new()
    }
}

/// The operand of `#include`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct IncludePath {
    /// The text between the quotes or brackets.
    pub path: SmolStr,
    /// Written in angle brackets.
    pub angled: bool,
}

/// A text after preprocessing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expanded {
    /// Nothing if it is the spelled text unchanged.
    text: Option<Arc<str>>,
    /// Where what is read was written.
    pub map: SpellingMap,
    /// The environment after the text.
    pub env: MacroEnv,
    /// What is wrong with the directives and macros.
    pub diagnostics: Vec<Diagnostic>,
    /// Spelled ranges that a condition excludes.
    pub inactive: Vec<TextRange>,
    /// Where macros are used, in spelled order.
    pub uses: Vec<MacroUse>,
    /// What was included, in order. The map's [`Spelling::include`] counts in it.
    pub includes: Vec<Include>,
    /// Whether the text says `#pragma once`.
    pub pragma_once: bool,
}

impl Expanded {
    /// Nothing, whatever the text says.
    pub fn nothing() -> &'static Expanded {
        static NOTHING: LazyLock<Expanded> = LazyLock::new(|| Expanded {
            text: Some(Arc::from("")),
            map: SpellingMap::default(),
            env: MacroEnv::default(),
            diagnostics: Vec::new(),
            inactive: Vec::new(),
            uses: Vec::new(),
            includes: Vec::new(),
            pragma_once: false,
        });
        &NOTHING
    }

    /// The expansion of `spelled`, the text that this was made from.
    pub fn text<'t>(&'t self, spelled: &'t str) -> &'t str {
        self.text.as_deref().unwrap_or(spelled)
    }

    /// The expanded text where it differs from the spelled one.
    pub fn changed_text(&self) -> Option<&Arc<str>> {
        self.text.as_ref()
    }
}

/// A macro name in the text that was expanded, or asked for in a condition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MacroUse {
    /// The name of the macro.
    pub name: SmolStr,
    /// The name.
    pub range: TextRange,
    /// The name with its arguments.
    pub call: TextRange,
}

/// An `#include` that was followed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Include {
    /// As it is written.
    pub path: IncludePath,
    /// Where the directive is.
    pub directive: TextRange,
    /// What the included file expands to.
    pub expanded: Arc<Expanded>,
}

/// Something wrong with a directive or macro, at a spelled range.
pub type Diagnostic = diagnostics::Diagnostic<TextRange>;
