//! What parsing complains about.

use std::borrow::Cow;

use diagnostics::{Code, codes};

use crate::{TextRange, TextSize};

/// A message about a place in a text.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SyntaxError {
    /// Slang's number.
    pub code: Code,
    /// A sentence for the user.
    pub message: Cow<'static, str>,
    /// Where it is, from the begin of the text that was parsed.
    pub range: TextRange,
}

impl SyntaxError {
    /// E20001: something unexpected in the text.
    pub fn new(message: impl Into<Cow<'static, str>>, range: TextRange) -> SyntaxError {
        SyntaxError::coded(codes::UNEXPECTED_TOKEN, message, range)
    }

    /// An error with a number of the registry.
    pub fn coded(code: Code, message: impl Into<Cow<'static, str>>, range: TextRange) -> SyntaxError {
        SyntaxError { code, message: message.into(), range }
    }

    /// The same error in a text that has this one at `offset`.
    pub fn shifted(&self, offset: TextSize) -> SyntaxError {
        SyntaxError { range: self.range + offset, ..self.clone() }
    }
}
