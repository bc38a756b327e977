//! What `.clang-format` says, as far as formatting here follows it: keys by the names that clang-format has for them.

use super::FormatOptions;

/// Where the brace of a body stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Braces {
    /// Where the user put it.
    #[default]
    AsWritten,
    /// Behind what it belongs to: `Attach`.
    Attached,
    /// On a line of its own: `Allman`.
    OwnLine,
}

/// Whether a space stands between `if` and its parenthesis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SpaceBeforeParens {
    /// Where the user put one.
    #[default]
    AsWritten,
    /// Everywhere.
    Always,
    /// Nowhere.
    Never,
}

impl FormatOptions {
    /// The options of a file that lies below a `.clang-format` of this text; `None` if that says that nothing is formatted.
    /// Keys that are not known here change nothing.
    pub fn of_clang_format(text: &str) -> Option<FormatOptions> {
        let entries: Vec<(&str, &str)> = text.lines().filter_map(entry).collect();
        let value = |key: &str| entries.iter().rev().find(|(known, _)| *known == key).map(|(_, value)| *value);
        if value("DisableFormat").is_some_and(is_true) {
            return None;
        }
        let mut options = based_on(value("BasedOnStyle").unwrap_or("LLVM"));
        let number = |key: &str| value(key).and_then(|value| value.parse::<u32>().ok());
        if let Some(width) = number("IndentWidth") {
            options.indent_width = width.clamp(1, 64);
        }
        if let Some(width) = number("TabWidth") {
            options.tab_width = width.clamp(1, 64);
        }
        if let Some(most) = number("MaxEmptyLinesToKeep") {
            options.max_empty_lines = Some(most);
        }
        if let Some(tabs) = value("UseTab") {
            options.insert_spaces = matches!(tabs, "Never" | "false");
        }
        match value("BreakBeforeBraces") {
            Some("Attach") => options.braces = Braces::Attached,
            Some("Allman") => options.braces = Braces::OwnLine,
            Some(_) => options.braces = Braces::AsWritten,
            None => {}
        }
        match value("SpaceBeforeParens") {
            Some("Never") => options.space_before_parens = SpaceBeforeParens::Never,
            Some("Custom") => options.space_before_parens = SpaceBeforeParens::AsWritten,
            Some(_) => options.space_before_parens = SpaceBeforeParens::Always,
            None => {}
        }
        Some(options)
    }
}

/// The styles that clang-format knows by name; what has no key here is as the user writes it.
fn based_on(name: &str) -> FormatOptions {
    let (indent_width, tab_width, braces) = match name {
        "Microsoft" => (4, 4, Braces::OwnLine),
        "WebKit" => (4, 8, Braces::AsWritten),
        "Mozilla" | "GNU" => (2, 8, Braces::AsWritten),
        // LLVM, Google, Chromium.
        _ => (2, 8, Braces::Attached),
    };
    FormatOptions {
        indent_width,
        tab_width,
        insert_spaces: true,
        max_empty_lines: Some(1),
        braces,
        space_before_parens: SpaceBeforeParens::Always,
        final_newline: false,
        trim_final_newlines: false,
    }
}

/// `Key: Value` at the beginning of a line, without comment and quotes.
fn entry(line: &str) -> Option<(&str, &str)> {
    let line = line.split_once('#').map_or(line, |(before, _)| before);
    let (key, value) = line.split_once(':')?;
    let is_key = key.starts_with(|c: char| c.is_ascii_alphabetic()) && key.chars().all(|c| c.is_ascii_alphanumeric());
    is_key.then(|| (key, value.trim().trim_matches(['"', '\''])))
}

fn is_true(value: &str) -> bool {
    value == "true"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_read() {
        let text = "---\n# ours\nBasedOnStyle: \"Google\"\nIndentWidth: 3 # three\nUseTab: ForIndentation\nBreakBeforeBraces: Allman\nBraceWrapping:\n  AfterEnum: true\nMaxEmptyLinesToKeep: 2\nSpaceBeforeParens: Never\n...\n";
        let options = FormatOptions::of_clang_format(text).expect("it formats");
        let wanted = FormatOptions {
            indent_width: 3,
            tab_width: 8,
            insert_spaces: false,
            max_empty_lines: Some(2),
            braces: Braces::OwnLine,
            space_before_parens: SpaceBeforeParens::Never,
            final_newline: false,
            trim_final_newlines: false,
        };
        assert_eq!(options, wanted);
        assert_eq!(FormatOptions::of_clang_format("DisableFormat: true\n"), None);
        assert_eq!(
            FormatOptions::of_clang_format("nonsense: [\n\t:\n::\n").map(|options| options.indent_width),
            Some(2)
        );
    }
}
