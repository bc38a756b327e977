//! Diagnostics on standard output, for people and as JSON.

use std::io::{IsTerminal as _, Write as _};

use ::diagnostics::codes;
use annotate_snippets::{AnnotationKind, Element, Group, Level, Origin, Renderer, Snippet};
use base_db::{Db, SourceFile, line_column::ColumnUnit};
use ide::{
    FileRange,
    diagnostics::{Diagnostic, Severity},
    driver::{Problem, ProblemKind},
};
use serde::Serialize;

use super::{
    arguments::{Color, Format, ReportArguments},
    output,
    project::display_path,
};

/// One diagnostic as a line of JSON. Lines and columns count from 1, columns in characters, as in reports for people; ends are
/// exclusive.
#[derive(Debug, Serialize)]
struct JsonDiagnostic<'a> {
    path: String,
    line: u32,
    column: u32,
    end_line: u32,
    end_column: u32,
    severity: &'static str,
    code: String,
    message: &'a str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    related: Vec<JsonRelated<'a>>,
    /// The titles of what mends it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    fixes: Vec<&'a str>,
}

#[derive(Debug, Serialize)]
struct JsonRelated<'a> {
    path: String,
    line: u32,
    column: u32,
    message: &'a str,
}

/// Which stream a report goes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stream {
    Output,
    Error,
}

/// Writes diagnostics, and counts them for the line at the end.
pub struct Reporter {
    format: Format,
    stream: Stream,
    renderer: Renderer,
    errors: usize,
    warnings: usize,
}

impl Reporter {
    /// For a command whose result the diagnostics are.
    pub fn on_output(arguments: ReportArguments) -> Reporter {
        Reporter::new(arguments, Stream::Output, std::io::stdout().is_terminal())
    }

    /// For a command whose result is something else.
    pub fn on_error(arguments: ReportArguments) -> Reporter {
        Reporter::new(arguments, Stream::Error, std::io::stderr().is_terminal())
    }

    fn new(arguments: ReportArguments, stream: Stream, is_terminal: bool) -> Reporter {
        let colored = match arguments.color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => is_terminal && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty()),
        };
        let renderer = if colored { Renderer::styled() } else { Renderer::plain() };
        Reporter { format: arguments.format, stream, renderer, errors: 0, warnings: 0 }
    }

    pub fn report(&mut self, db: &dyn Db, diagnostics: &[Diagnostic]) {
        for diagnostic in diagnostics {
            match diagnostic.severity {
                Severity::Error => self.errors += 1,
                Severity::Warning => self.warnings += 1,
                Severity::Info | Severity::Hint => {}
            }
            match self.format {
                // Hints are for the eye in an editor.
                Format::Human if diagnostic.severity == Severity::Hint => {}
                Format::Human => self.write(&format!("{}\n", human(db, diagnostic, &self.renderer))),
                Format::Json => self.write(&json(db, diagnostic)),
            }
        }
    }

    /// Reports what kept the compiler from making code.
    pub fn problems(&mut self, db: &dyn Db, problems: &[Problem]) {
        for problem in problems {
            let message = match problem.kind {
                ProblemKind::Unsupported => problem.message.clone(),
                ProblemKind::Internal => format!("internal error: {}", problem.message),
            };
            match problem.at {
                Some(at) => self.report(db, &[Diagnostic::new(codes::NOT_SUPPORTED_YET, at, message)]),
                None => {
                    self.errors += 1;
                    let line = match self.format {
                        Format::Human => {
                            self.renderer.render(&[Group::with_title(Level::ERROR.primary_title(&message))])
                        }
                        Format::Json => {
                            serde_json::json!({"severity": "error", "code": "", "message": message}).to_string()
                        }
                    };
                    self.write(&line);
                }
            }
        }
    }

    /// How many errors and warnings there were, for people, if there were any.
    pub fn summary(&self) {
        let counted = |count: usize, what: &str| match count {
            0 => None,
            1 => Some(format!("1 {what}")),
            count => Some(format!("{count} {what}s")),
        };
        let counts: Vec<String> =
            [counted(self.errors, "error"), counted(self.warnings, "warning")].into_iter().flatten().collect();
        if self.format == Format::Human && !counts.is_empty() {
            self.write(&counts.join(", "));
        }
    }

    fn write(&self, text: &str) {
        match self.stream {
            Stream::Output => output::line(text),
            // There is nowhere to say that this failed.
            Stream::Error => drop(writeln!(std::io::stderr().lock(), "{text}")),
        }
    }
}

pub fn has_errors(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
}

/// Line and column of both ends, counted from 1; a mark of the order of bytes in front of the text is none of its columns.
fn ends(db: &dyn Db, at: FileRange, unit: ColumnUnit) -> [(u32, u32); 2] {
    let Some(text) = db.text(at.file) else { return [(1, 1); 2] };
    let mark = match (text.slice(0..BYTE_ORDER_MARK.len()) == BYTE_ORDER_MARK, unit) {
        (false, _) => 0,
        (true, ColumnUnit::Utf8) => BYTE_ORDER_MARK.len() as u32,
        (true, ColumnUnit::Utf16 | ColumnUnit::Utf32) => 1,
    };
    let place = |offset: syntax::TextSize| {
        let position = text.line_column(offset.into(), unit);
        let column = if position.line == 0 { position.column.saturating_sub(mark) } else { position.column };
        (position.line + 1, column + 1)
    };
    [place(at.range.start()), place(at.range.end())]
}

const BYTE_ORDER_MARK: &str = "\u{feff}";

fn json(db: &dyn Db, diagnostic: &Diagnostic) -> String {
    let [(line, column), (end_line, end_column)] = ends(db, diagnostic.at, ColumnUnit::Utf32);
    let related = diagnostic
        .related
        .iter()
        .map(|related| {
            let [(line, column), _] = ends(db, related.at, ColumnUnit::Utf32);
            JsonRelated { path: display_path(related.at.file.path(db)), line, column, message: &related.message }
        })
        .collect();
    let diagnostic = JsonDiagnostic {
        path: display_path(diagnostic.at.file.path(db)),
        line,
        column,
        end_line,
        end_column,
        severity: diagnostic.severity.word(),
        code: diagnostic.code.to_string(),
        message: &diagnostic.message,
        related,
        fixes: diagnostic.fixes.iter().map(|fix| fix.title.as_str()).collect(),
    };
    serde_json::to_string(&diagnostic).unwrap_or_default()
}

/// The message, the lines that it is about, then the chain of causes in the same way, and what can be done.
fn human(db: &dyn Db, diagnostic: &Diagnostic, renderer: &Renderer) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Info => Level::INFO,
        Severity::Hint => Level::NOTE,
    };
    let title = level.primary_title(&diagnostic.message);
    let code = diagnostic.code.to_string();
    let mut first = Group::with_title(title.id(&code)).element(excerpt(db, diagnostic.at, AnnotationKind::Primary));
    for fix in &diagnostic.fixes {
        first = first.element(Level::HELP.message(&fix.title));
    }
    let causes = diagnostic.related.iter().map(|related| {
        let title = Level::NOTE.secondary_title(&related.message);
        Group::with_title(title).element(excerpt(db, related.at, AnnotationKind::Primary))
    });
    let groups: Vec<Group<'_>> = std::iter::once(first).chain(causes).collect();
    renderer.render(&groups)
}

/// Lines with more bytes than this are not shown: nobody reads them, and each finding in one would cost its length again.
const LONGEST_SHOWN: usize = 4096;

/// The lines of a range with a mark under it, or its place alone if they are too long to be read.
fn excerpt<'a>(db: &dyn Db, at: FileRange, kind: AnnotationKind) -> Element<'a> {
    let [(line, column), (end_line, end_column)] = ends(db, at, ColumnUnit::Utf8);
    let path = display_path(at.file.path(db));
    let Some((source, last)) = source_lines(db, at.file, line - 1, end_line - 1) else {
        let [(_, column), _] = ends(db, at, ColumnUnit::Utf32);
        return Origin::path(path).line(line as usize).char_column(column as usize).into();
    };
    let start = (column as usize - 1).min(source.len());
    let end = (last + end_column as usize - 1).clamp(start, source.len());
    Snippet::source(source).path(path).line_start(line as usize).annotation(kind.span(start..end)).into()
}

/// Lines of a file, counted from 0, both ends included, and where the last one starts in the text. `None` if one is longer
/// than is shown.
fn source_lines(db: &dyn Db, file: SourceFile, first: u32, last: u32) -> Option<(String, usize)> {
    let Some(text) = db.text(file) else { return Some((String::new(), 0)) };
    let rope = text.rope();
    let mut lines = String::new();
    let mut start = 0;
    for line in first..=last {
        let Some(line) = rope.get_line(line as usize) else { break };
        if line.len_bytes() > LONGEST_SHOWN {
            return None;
        }
        start = lines.len();
        line.chunks().for_each(|chunk| lines.push_str(chunk));
    }
    if first == 0 && lines.starts_with(BYTE_ORDER_MARK) {
        lines.drain(..BYTE_ORDER_MARK.len());
        start = start.saturating_sub(BYTE_ORDER_MARK.len());
    }
    let kept = lines.trim_end_matches(['\n', '\r']).len();
    lines.truncate(kept);
    Some((lines, start.min(kept)))
}
