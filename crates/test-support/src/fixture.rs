//! The fixture language: Slang text with a cursor, several files, and marked places: expected diagnostics, and where
//! answers of the editor lead.
//!
//! ```text
//! //- /lib.slang
//! float g(float x) { return x; }
//! //- /main.slang
//! [Differentiable]
//! float f(float x) { return g$0(x); }
//!                         //^^^^ error 41022: derivative
//! ```
//!
//! - `//- /path` starts a file; a fixture without such a line is one file, `/main.slang`.
//! - `$0` is the cursor and is removed.
//! - A comment `//^^^ severity code: words` expects a diagnostic on the carets' columns of the last line before that is
//!   not such a comment; `code` and `words` may be left out. The first caret may also stand for the columns of the
//!   slashes: `//` counts as part of the indentation.
//! - A comment `//^^^ here` marks a place in the same way: a target, a reference; `//^^^ read`, `//^^^ write` and
//!   `//^^^ text` say what a highlighted one does.

use std::ops::Range;

/// One parsed fixture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fixture {
    /// The files, in the order of the text.
    pub files: Vec<FixtureFile>,
    /// Index of the file with the `$0`, and its offset in bytes.
    pub cursor: Option<(usize, usize)>,
}

/// A file of a fixture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FixtureFile {
    /// Begins with `/`.
    pub path: String,
    /// Without cursors; annotations stay, as comments.
    pub text: String,
    /// What is expected, and where.
    pub annotations: Vec<Annotation>,
}

/// An expected diagnostic.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Annotation {
    /// From 0.
    pub line: usize,
    /// Bytes from the start of the line.
    pub start: usize,
    /// The offset behind the last byte.
    pub end: usize,
    /// `error`, `warning`, `info`, `hint`, or `here`, `read`, `write`, `text` for a place that is not a diagnostic.
    pub severity: String,
    /// The number of the diagnostic, if one is expected.
    pub code: Option<String>,
    /// Must occur in the message.
    pub message: String,
}

impl Annotation {
    /// Whether the carets stand under a range (in bytes) of their file's text, or under its part on their line. The two
    /// slashes of `//^^^` are drawn over the first columns of what starts at the very left.
    pub fn covers(&self, text: &str, range: Range<usize>) -> bool {
        let (line, start) = line_column(text, range.start);
        let (end_line, end) = line_column(text, range.end);
        let width = text.lines().nth(line).map_or(0, str::len);
        let end = if end_line == line { end } else { width }.max(start + 1);
        let slashes = self.start - 2;
        self.line == line && (self.start == start || (slashes..self.start).contains(&start)) && self.end == end
    }
}

impl Fixture {
    /// Reads a fixture. Panics where it is not one: a test is wrong then.
    pub fn parse(text: &str) -> Fixture {
        let mut files: Vec<FixtureFile> = Vec::new();
        let mut cursor = None;
        for line in text.split_inclusive('\n') {
            if let Some(path) = line.strip_prefix("//- ") {
                files.push(FixtureFile { path: path.trim().to_owned(), text: String::new(), annotations: Vec::new() });
                continue;
            }
            if files.is_empty() {
                files.push(FixtureFile {
                    path: "/main.slang".to_owned(),
                    text: String::new(),
                    annotations: Vec::new(),
                });
            }
            let index = files.len() - 1;
            let file = &mut files[index];
            match line.split_once("$0") {
                Some((before, after)) => {
                    assert!(cursor.is_none(), "a fixture has one cursor");
                    cursor = Some((index, file.text.len() + before.len()));
                    file.text.push_str(before);
                    file.text.push_str(after);
                }
                None => file.text.push_str(line),
            }
        }
        for file in &mut files {
            file.annotations = annotations(&file.text);
        }
        Fixture { files, cursor }
    }

    /// The only file's text and the cursor's offset.
    pub fn single_with_cursor(text: &str) -> (String, usize) {
        let fixture = Fixture::parse(text);
        assert_eq!(fixture.files.len(), 1, "a fixture of one file");
        let (_, offset) = fixture.cursor.expect("a fixture with a cursor");
        (fixture.files.into_iter().next().map(|file| file.text).unwrap_or_default(), offset)
    }
}

/// Zero-based line and byte column of an offset.
pub fn line_column(text: &str, offset: usize) -> (usize, usize) {
    let before = &text[..offset];
    let line = before.matches('\n').count();
    (line, offset - before.rfind('\n').map_or(0, |at| at + 1))
}

fn annotations(text: &str) -> Vec<Annotation> {
    let mut found = Vec::new();
    let mut subject = 0;
    for (number, line) in text.lines().enumerate() {
        let Some(annotation) = parse_annotation(line, subject) else {
            subject = number;
            continue;
        };
        found.push(annotation);
    }
    found
}

fn parse_annotation(line: &str, subject: usize) -> Option<Annotation> {
    let comment = line.find("//")?;
    if !line[..comment].trim().is_empty() {
        return None;
    }
    let rest = &line[comment + 2..];
    let carets_at = rest.find('^')?;
    if !rest[..carets_at].trim().is_empty() {
        return None;
    }
    let carets = rest[carets_at..].chars().take_while(|&c| c == '^').count();
    let words = rest[carets_at + carets..].trim();
    let (severity, words) = words.split_once([' ', ':']).unwrap_or((words, ""));
    let known = ["error", "warning", "info", "hint", "here", "read", "write", "text"];
    assert!(known.contains(&severity), "an annotation begins with one of {known:?}: {line:?}");
    let is_code = !words.is_empty() && words.bytes().all(|byte| byte.is_ascii_digit());
    let (head, message) = words.split_once(':').unwrap_or(if is_code { (words, "") } else { ("", words) });
    let code = head.trim();
    Some(Annotation {
        line: subject,
        start: comment + 2 + carets_at,
        end: comment + 2 + carets_at + carets,
        severity: severity.to_owned(),
        code: (!code.is_empty()).then(|| code.to_owned()),
        message: message.trim().to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_cursor_and_annotations() {
        let fixture = Fixture::parse(
            "//- /a.slang\nint x;\n//- /b.slang\nint y = z$0z;\n      //^^ error 30015: undefined\n//  ^ warning: never\n",
        );
        assert_eq!(fixture.files.len(), 2);
        assert_eq!(fixture.files[0].path, "/a.slang");
        assert_eq!(fixture.files[0].text, "int x;\n");
        assert_eq!(fixture.cursor, Some((1, 9)));
        let annotations = &fixture.files[1].annotations;
        assert_eq!(annotations.len(), 2);
        assert_eq!((annotations[0].line, annotations[0].start, annotations[0].end), (0, 8, 10));
        assert_eq!(annotations[0].code.as_deref(), Some("30015"));
        assert_eq!(annotations[0].message, "undefined");
        assert_eq!((annotations[1].line, annotations[1].severity.as_str()), (0, "warning"));
        assert_eq!(annotations[1].code, None);
        assert_eq!(annotations[1].message, "never");
    }

    #[test]
    fn positions() {
        assert_eq!(line_column("ab\ncd", 4), (1, 1));
        assert_eq!(line_column("ab", 0), (0, 0));
    }
}
