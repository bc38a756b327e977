//! Names as the user wrote them.

use smol_str::SmolStr;

/// An identifier. Operators are named by their token (`+`, `[]` for subscripts).
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Name(pub SmolStr);

impl Name {
    /// A name of this text.
    pub fn new(text: &str) -> Name {
        Name(text.into())
    }

    /// Its text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Display for Name {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}
