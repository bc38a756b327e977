//! Formatting: indentation by nesting, and no spaces at the ends of lines. Where a line breaks is the user's choice.

use base_db::{Db, SourceFile};
use syntax::{SyntaxKind, TextRange, TextSize, lexer};

use crate::{FileRange, TextEdit};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FormatOptions {
    pub tab_size: u32,
    pub insert_spaces: bool,
}

/// The edits that indent the lines which a range touches.
pub fn formatting(db: &dyn Db, file: SourceFile, range: TextRange, options: FormatOptions) -> Vec<TextEdit> {
    let Some(text) = db.text(file) else { return Vec::new() };
    let text = text.rope().to_string();
    let edits = indent(&text, options).into_iter();
    let touched = edits.filter(|(at, _)| range.intersect(*at).is_some());
    touched.map(|(range, text)| TextEdit { at: FileRange { file, range }, text }).collect()
}

/// One line as the lexer sees it.
struct Line<'t> {
    start: usize,
    text: &'t str,
    /// Begins inside a comment or string: stays as it is.
    continues_token: bool,
    is_directive: bool,
    /// Closing brackets that it begins with, opening and closing brackets of the whole line.
    leading_closers: usize,
    opens: usize,
    closes: usize,
    /// Its last character that is neither space nor comment.
    last: Option<char>,
    first_word: &'t str,
}

fn indent(text: &str, options: FormatOptions) -> Vec<(TextRange, String)> {
    let mut edits = Vec::new();
    let mut depth = 0usize;
    // Extra levels of statements without braces: `if (x)` and what it governs on the next line.
    let mut extra = 0usize;
    for line in lines(text) {
        let trimmed = line.text.trim();
        if !line.continues_token {
            let is_label = matches!(line.first_word, "case" | "default") || trimmed.starts_with("default:");
            let level = match line.is_directive || trimmed.is_empty() {
                true => 0,
                // One level further out than what they lead to.
                false if is_label => depth.saturating_sub(1),
                false if trimmed.starts_with(['{', '}', ')', ']']) => {
                    depth.saturating_sub(line.leading_closers) + extra.saturating_sub(1)
                }
                false => depth + extra,
            };
            push(&mut edits, &line, level, options);
        } else if line.text.ends_with([' ', '\t']) && !trimmed.is_empty() && !line.text.contains('"') {
            push_end(&mut edits, &line);
        }
        if line.is_directive {
            continue;
        }
        depth = (depth + line.opens).saturating_sub(line.closes);
        extra = match line.last {
            None => extra,
            Some('{' | '}' | '(' | '[' | ';' | ',' | ':' | ']') => 0,
            Some(_) if matches!(line.first_word, "if" | "for" | "while" | "else" | "do") => extra + 1,
            // A declaration's head, whose brace follows, or an expression that goes on.
            Some(_) => 1,
        };
    }
    edits
}

fn push(edits: &mut Vec<(TextRange, String)>, line: &Line<'_>, level: usize, options: FormatOptions) {
    let content = line.text.trim_start_matches([' ', '\t']);
    let old = &line.text[..line.text.len() - content.len()];
    let width = level * options.tab_size as usize;
    let new = if options.insert_spaces { " ".repeat(width) } else { "\t".repeat(level) };
    if content.trim().is_empty() {
        if !line.text.is_empty() {
            edits.push((range(line.start, line.text.len()), String::new()));
        }
        return;
    }
    if old != new {
        edits.push((range(line.start, old.len()), new));
    }
    push_end(edits, line);
}

/// Takes away spaces at the end.
fn push_end(edits: &mut Vec<(TextRange, String)>, line: &Line<'_>) {
    let kept = line.text.trim_end_matches([' ', '\t']).len();
    if kept < line.text.len() {
        edits.push((range(line.start + kept, line.text.len() - kept), String::new()));
    }
}

fn range(start: usize, length: usize) -> TextRange {
    TextRange::at(TextSize::new(start as u32), TextSize::new(length as u32))
}

fn lines(text: &str) -> Vec<Line<'_>> {
    let lexed = lexer::lex(text);
    let mut lines = Vec::new();
    let mut start = 0;
    let mut token = 0;
    for full in text.split_inclusive('\n') {
        let content = full.trim_end_matches(['\n', '\r']);
        let end = start + full.len();
        let mut line = Line {
            start,
            text: content,
            continues_token: false,
            is_directive: false,
            leading_closers: 0,
            opens: 0,
            closes: 0,
            last: None,
            first_word: "",
        };
        let mut is_first = true;
        while token < lexed.len() && lexed.range(token).start < end {
            let range = lexed.range(token);
            let (kind, spelled) = (lexed.kind(token), &text[range.clone()]);
            if range.start < start {
                line.continues_token = !matches!(kind, SyntaxKind::WHITESPACE);
            }
            match kind {
                SyntaxKind::WHITESPACE | SyntaxKind::COMMENT => {}
                SyntaxKind::DIRECTIVE => line.is_directive = true,
                _ => {
                    match spelled {
                        "{" | "(" | "[" => line.opens += 1,
                        "}" | ")" | "]" => {
                            line.closes += 1;
                            line.leading_closers += usize::from(is_first);
                        }
                        _ => {}
                    }
                    if is_first && !matches!(spelled, "}" | ")" | "]") {
                        line.first_word = spelled;
                        is_first = false;
                    }
                    line.last = spelled.chars().next_back();
                }
            }
            if range.end > end {
                break;
            }
            token += 1;
        }
        lines.push(line);
        start = end;
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::{FormatOptions, indent};

    const OPTIONS: FormatOptions = FormatOptions { tab_size: 4, insert_spaces: true };

    fn formatted(text: &str) -> String {
        let mut result = text.to_owned();
        for (range, with) in indent(text, OPTIONS).into_iter().rev() {
            result.replace_range(std::ops::Range::<usize>::from(range), &with);
        }
        result
    }

    #[test]
    fn nesting_indents() {
        let text = "struct S\n{\nfloat x;  \n  float f(int n)\n{\nif (n > 0)\nreturn x;\nfor (;;)\n{\nx = g(1,\n2);\n}\n}\n}\n";
        let wanted = "struct S\n{\n    float x;\n    float f(int n)\n    {\n        if (n > 0)\n            return x;\n        for (;;)\n        {\n            x = g(1,\n                2);\n        }\n    }\n}\n";
        assert_eq!(formatted(text), wanted);
        assert_eq!(formatted(wanted), wanted);
    }

    #[test]
    fn comments_directives_and_labels() {
        let text = "void f(int k)\n{\n  #if X\n    switch (k)\n    {\n    case 0:\n    break;\n    }\n#endif\n    /* as\n it is */\n}\n";
        let wanted = "void f(int k)\n{\n#if X\n    switch (k)\n    {\n    case 0:\n        break;\n    }\n#endif\n    /* as\n it is */\n}\n";
        assert_eq!(formatted(text), wanted);
    }

    #[test]
    fn only_spaces_change_whatever_the_text_is() {
        for text in ["}}}", "((", "\"abc", "/* a", "#define X \\\n  y\n", "", "\t\n  \n", "case"] {
            let spaceless = |text: &str| text.replace([' ', '\t'], "");
            assert_eq!(spaceless(&formatted(text)), spaceless(text));
        }
    }
}
