//! The registry: number, name, severity, title and explanation of every diagnostic. Numbers are Slang's; 41800
//! to 41899 are ours.

use std::fmt;

/// The number of a diagnostic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Code(
    /// Shown with five digits.
    pub u32,
);

/// `E30015`.
impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "E{:05}", self.0)
    }
}

/// How bad it is; the worst is the smallest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The program is not accepted, and no code is made of it.
    Error,
    /// The program is accepted, but hardly means what its author thinks.
    Warning,
    /// Worth knowing.
    Info,
    /// Shown by editors alone, without drawing attention.
    Hint,
}

impl Severity {
    /// As reports, settings and the annotations of fixtures spell it: `error`.
    pub fn word(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Info => "info",
            Severity::Hint => "hint",
        }
    }
}

/// How an editor may draw the text of a diagnostic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tag {
    /// Dimmed: the text may go.
    Unnecessary,
    /// Struck through.
    Deprecated,
}

/// What is known of a diagnostic before there is one.
#[derive(Debug)]
pub struct Entry {
    /// No other entry has it.
    pub code: Code,
    /// As severe as it is where nothing else is said.
    pub severity: Severity,
    /// `None` where the text is drawn as it is.
    pub tag: Option<Tag>,
    /// A few words without a verb, as the manual lists it.
    pub title: &'static str,
    /// Markdown: when it is reported and what to do, with examples.
    pub explanation: &'static str,
}

/// The entry of a number.
pub fn entry(code: Code) -> Option<&'static Entry> {
    let found = codes::ENTRIES.binary_search_by_key(&code, |entry| entry.code).ok()?;
    codes::ENTRIES.get(found)
}

/// All entries, in the order of their numbers.
pub fn entries() -> &'static [Entry] {
    codes::ENTRIES
}

/// Declares the codes and their entries. The files of explanations are named by the numbers as they are written here.
macro_rules! registry {
    ($($name:ident = $number:literal $severity:ident $(($tag:ident))? $title:literal;)*) => {
        $(
            #[doc = $title]
            #[doc = $title]
            pub const $name: Code = Code($number);
        )*

        pub(super) const ENTRIES: &[Entry] = &[
            $(Entry {
                code: $name,
                severity: Severity::$severity,
                tag: registry!(@tag $($tag)?),
                title: $title,
                explanation: include_str!(concat!("../explanations/E", stringify!($number), ".md")),
            },)*
        ];
    };
    (@tag) => { None };
    (@tag $tag:ident) => { Some(Tag::$tag) };
}

/// The code of each diagnostic by its name.
#[path = "codes.rs"]
pub mod codes;
