//! What parsing complains about.

use std::borrow::Cow;

use crate::{TextRange, TextSize};

/// A message about a place in a text.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SyntaxError {
    pub message: Cow<'static, str>,
    pub range: TextRange,
}

impl SyntaxError {
    pub fn new(message: impl Into<Cow<'static, str>>, range: TextRange) -> SyntaxError {
        SyntaxError { message: message.into(), range }
    }

    /// The same error in a text that has this one at `offset`.
    pub fn shifted(&self, offset: TextSize) -> SyntaxError {
        SyntaxError { message: self.message.clone(), range: self.range + offset }
    }
}
