//! Where the manual explains each diagnostic.

use crate::{Code, Entry, entries, entry};

/// Where the manual can be read.
pub const URL: &str = "https://slang-analyzer.github.io/slang-analyzer";

/// A page of the manual: its diagnostics are those from a number up to the first of the next page.
#[derive(Debug)]
pub struct Page {
    /// A part of the file's name, see [`Page::file`].
    name: &'static str,
    /// The heading of the page.
    pub title: &'static str,
    first: u32,
}

/// All pages in the order of their numbers.
pub const PAGES: &[Page] = &[
    Page { name: "files", title: "Files and the preprocessor", first: 0 },
    Page { name: "syntax", title: "Syntax", first: 20000 },
    Page { name: "types", title: "Names, types and declarations", first: 30000 },
    Page { name: "derivatives", title: "Attributes and derivatives", first: 31000 },
    Page { name: "generics", title: "Interfaces and generics", first: 32000 },
    Page { name: "flow", title: "Data flow", first: 39000 },
];

impl Page {
    /// The page of a diagnostic.
    fn of(code: Code) -> &'static Page {
        let after = PAGES.partition_point(|page| page.first <= code.0);
        &PAGES[after.saturating_sub(1)]
    }

    /// The name of the file, without an extension.
    pub fn file(&self) -> String {
        format!("diagnostics-{}", self.name)
    }

    /// The diagnostics of the page.
    pub fn entries(&self) -> impl Iterator<Item = &'static Entry> {
        entries().iter().filter(|entry| Page::of(entry.code).first == self.first)
    }
}

/// The address of the explanation of a diagnostic.
pub fn address(code: Code) -> Option<String> {
    let entry = entry(code)?;
    Some(format!("{URL}/reference/{}.html#{}", Page::of(code).file(), anchor(entry)))
}

/// The anchor that mdBook makes of an explanation's heading, which is its first line.
pub fn anchor(entry: &Entry) -> String {
    let heading = entry.explanation.lines().next().unwrap_or_default().trim_start_matches('#').trim();
    let kept = heading.chars().filter_map(|character| match character {
        ' ' => Some('-'),
        _ if character.is_alphanumeric() || character == '_' || character == '-' => {
            Some(character.to_ascii_lowercase())
        }
        _ => None,
    });
    kept.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codes;

    #[test]
    fn addresses_are_those_of_mdbook() {
        let lost = "e41804-derivative-that-does-not-come-back-from-memory";
        assert_eq!(anchor(entry(codes::LOST_IN_MEMORY).unwrap()), lost);
        let unused = address(codes::UNUSED_VARIABLE).unwrap();
        assert_eq!(unused, format!("{URL}/reference/diagnostics-flow.html#e41810-variable-that-is-never-used"));
        let pragma = entries().iter().map(anchor).find(|anchor| anchor.starts_with("e15000"));
        assert_eq!(pragma.as_deref(), Some("e15000-if-without-endif"));
    }

    #[test]
    fn each_diagnostic_is_on_one_page() {
        let on_pages: usize = PAGES.iter().map(|page| page.entries().count()).sum();
        assert_eq!(on_pages, entries().len());
    }
}
