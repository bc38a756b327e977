//! Diagnostics on standard output, for people and as JSON.

use std::io::Write;

use base_db::{Db, SourceFile, line_column::ColumnUnit};
use ide::{
    FileRange,
    diagnostics::{Diagnostic, Severity},
};
use serde::Serialize;

use super::project::display_path;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Format {
    #[default]
    Human,
    Json,
}

impl std::str::FromStr for Format {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "human" => Ok(Format::Human),
            "json" => Ok(Format::Json),
            _ => Err(format!("unknown format `{text}`: it is `human` or `json`")),
        }
    }
}

/// One diagnostic as a line of JSON. Lines and columns count from 1, columns in bytes; ends are exclusive.
#[derive(Debug, Serialize)]
struct JsonDiagnostic<'a> {
    path: String,
    line: u32,
    column: u32,
    end_line: u32,
    end_column: u32,
    severity: &'static str,
    code: &'a str,
    message: &'a str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    related: Vec<JsonRelated<'a>>,
}

#[derive(Debug, Serialize)]
struct JsonRelated<'a> {
    path: String,
    line: u32,
    column: u32,
    message: &'a str,
}

/// Writes a line to standard output. A reader that went away is no reason to fail.
pub fn line(text: &str) {
    let mut out = std::io::stdout().lock();
    let _ = writeln!(out, "{text}");
}

pub fn report(db: &dyn Db, diagnostics: &[Diagnostic], format: Format) {
    for diagnostic in diagnostics {
        match format {
            // Hints are for the eye in an editor.
            Format::Human if diagnostic.severity == Severity::Hint => {}
            Format::Human => line(&human(db, diagnostic)),
            Format::Json => line(&json(db, diagnostic)),
        }
    }
}

pub fn has_errors(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
}

fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "info",
        Severity::Hint => "hint",
    }
}

/// Line and column of both ends, counted from 1.
fn ends(db: &dyn Db, at: FileRange) -> [(u32, u32); 2] {
    let place = |offset: syntax::TextSize| {
        let position = db.text(at.file).map(|text| text.line_column(offset.into(), ColumnUnit::Utf8));
        position.map_or((1, 1), |position| (position.line + 1, position.column + 1))
    };
    [place(at.range.start()), place(at.range.end())]
}

fn json(db: &dyn Db, diagnostic: &Diagnostic) -> String {
    let [(line, column), (end_line, end_column)] = ends(db, diagnostic.at);
    let related = diagnostic
        .related
        .iter()
        .map(|related| {
            let [(line, column), _] = ends(db, related.at);
            JsonRelated { path: display_path(related.at.file.path(db)), line, column, message: &related.message }
        })
        .collect();
    let diagnostic = JsonDiagnostic {
        path: display_path(diagnostic.at.file.path(db)),
        line,
        column,
        end_line,
        end_column,
        severity: severity(diagnostic.severity),
        code: &diagnostic.code,
        message: &diagnostic.message,
        related,
    };
    serde_json::to_string(&diagnostic).unwrap_or_default()
}

/// The message, the line with carets under the place, then the chain of causes in the same way.
fn human(db: &dyn Db, diagnostic: &Diagnostic) -> String {
    let code = if diagnostic.code.is_empty() { String::new() } else { format!("[{}]", diagnostic.code) };
    let mut text = format!("{}{code}: {}\n", severity(diagnostic.severity), diagnostic.message);
    text.push_str(&excerpt(db, diagnostic.at, '^'));
    for related in &diagnostic.related {
        text.push_str(&format!("  = {}\n", related.message));
        text.push_str(&excerpt(db, related.at, '-'));
    }
    for fix in &diagnostic.fixes {
        text.push_str(&format!("  help: {}\n", fix.title));
    }
    text
}

fn excerpt(db: &dyn Db, at: FileRange, mark: char) -> String {
    let [(line, column), (end_line, end_column)] = ends(db, at);
    let source = source_line(db, at.file, line - 1);
    let width = line.to_string().len();
    let before: String = source.chars().take(column as usize - 1).map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
    let length = if end_line == line { end_column.saturating_sub(column).max(1) as usize } else { 1 };
    let marks: String = std::iter::repeat_n(mark, length).collect();
    format!(
        "{:width$} --> {}:{line}:{column}\n{:width$} |\n{line} | {source}\n{:width$} | {before}{marks}\n",
        "",
        display_path(at.file.path(db)),
        "",
        ""
    )
}

fn source_line(db: &dyn Db, file: SourceFile, line: u32) -> String {
    let Some(text) = db.text(file) else { return String::new() };
    let rope = text.rope();
    rope.get_line(line as usize).map(|line| line.to_string().trim_end().to_owned()).unwrap_or_default()
}
