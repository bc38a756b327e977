//! Between `ide`'s plain data and LSP.

use std::ops::Range as ByteRange;
use std::path::{Component, Path, PathBuf};

use base_db::{
    Db, SourceFile,
    documents::PRELUDE_SCHEME,
    line_column::{ColumnUnit, LineColumn},
};
use diagnostics::{Code, manual};
use ide::{
    FileRange, TextEdit,
    diagnostics::{Severity, Tag},
};
use tower_lsp::ls_types::{
    self as lsp, CodeDescription, Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, DiagnosticTag,
    Location, NumberOrString, Position, PositionEncodingKind, Range, Uri,
};

use super::world::Snapshot;

/// The scheme of the core library's documents, which no file holds: editors ask for their text by
/// `workspace/textDocumentContent`.
pub(crate) const PRELUDE_URI_SCHEME: &str = "slang-prelude";

/// The path by which the database knows a document: that of `file:` URIs, that of the core library's files, else the
/// URI itself (unsaved documents).
pub(crate) fn path_of(uri: &Uri) -> String {
    match uri.scheme().as_str() {
        "file" => uri
            .to_file_path()
            .map_or_else(|| uri.as_str().to_owned(), |path| without_detours(&path).to_string_lossy().into_owned()),
        PRELUDE_URI_SCHEME => format!("{PRELUDE_SCHEME}{}", uri.path().as_str().trim_start_matches('/')),
        _ => uri.as_str().to_owned(),
    }
}

/// A path without `.` and `..`.
fn without_detours(path: &Path) -> PathBuf {
    let mut straight = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            // Above the root there is nothing.
            Component::ParentDir => drop(straight.pop()),
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => straight.push(part),
        }
    }
    straight
}

/// The one URI of a document that clients may name by several: `file:///a/sub/../b.slang` is `file:///a/b.slang`.
pub(crate) fn canonical(uri: &Uri) -> Uri {
    let path = uri.to_file_path().filter(|_| uri.scheme().as_str() == "file");
    // Paths that differ in `.` alone are equal as paths.
    let is_other = |straight: &PathBuf| path.as_deref().is_some_and(|path| path.as_os_str() != straight.as_os_str());
    let straight = path.as_deref().map(without_detours).filter(is_other);
    straight.and_then(Uri::from_file_path).unwrap_or_else(|| uri.clone())
}

/// The URI of a file of the database. Three slashes, because some editors take `scheme:/path` for a relative path.
pub(crate) fn uri_of(db: &dyn Db, file: SourceFile) -> Option<Uri> {
    let path = file.path(db);
    match path.strip_prefix(PRELUDE_SCHEME) {
        Some(name) => format!("{PRELUDE_URI_SCHEME}:///{name}").parse().ok(),
        None if path.starts_with('/') => Uri::from_file_path(Path::new(path.as_ref())),
        None => path.parse().ok(),
    }
}

pub(crate) fn column_unit(encodings: Option<&[PositionEncodingKind]>) -> ColumnUnit {
    // UTF-8 columns are bytes for us; UTF-16 is what every client can do.
    let encodings = encodings.unwrap_or_default();
    if encodings.contains(&PositionEncodingKind::UTF8) { ColumnUnit::Utf8 } else { ColumnUnit::Utf16 }
}

pub(crate) fn encoding(unit: ColumnUnit) -> PositionEncodingKind {
    match unit {
        ColumnUnit::Utf8 => PositionEncodingKind::UTF8,
        ColumnUnit::Utf16 => PositionEncodingKind::UTF16,
        ColumnUnit::Utf32 => PositionEncodingKind::UTF32,
    }
}

pub(crate) fn byte_offset(db: &dyn Db, file: SourceFile, position: Position, unit: ColumnUnit) -> Option<usize> {
    let position = LineColumn { line: position.line, column: position.character };
    Some(db.text(file)?.offset(position, unit))
}

/// Ends before starts, which broken clients send, are empty ranges.
pub(crate) fn byte_range(db: &dyn Db, file: SourceFile, range: Range, unit: ColumnUnit) -> Option<ByteRange<usize>> {
    let start = byte_offset(db, file, range.start, unit)?;
    let end = byte_offset(db, file, range.end, unit)?;
    Some(start..end.max(start))
}

impl Snapshot {
    pub(crate) fn position(&self, file: SourceFile, offset: usize) -> Position {
        let position = self.db.text(file).map(|text| text.line_column(offset, self.client.columns));
        position.map_or_else(Position::default, |at| Position { line: at.line, character: at.column })
    }

    pub(crate) fn range(&self, range: FileRange) -> Range {
        Range {
            start: self.position(range.file, range.range.start().into()),
            end: self.position(range.file, range.range.end().into()),
        }
    }

    /// Lines end as those of the file do.
    pub(crate) fn text_edit(&self, edit: &TextEdit) -> lsp::TextEdit {
        let text = self.db.text(edit.at.file);
        let ends_with_return = text.is_some_and(|text| text.rope().line(0).chars().any(|letter| letter == '\r'));
        let new_text = match ends_with_return {
            true => edit.text.replace("\r\n", "\n").replace('\n', "\r\n"),
            false => edit.text.clone(),
        };
        lsp::TextEdit { range: self.range(edit.at), new_text }
    }

    pub(crate) fn location(&self, range: FileRange) -> Option<Location> {
        Some(Location { uri: self.uri(range.file)?, range: self.range(range) })
    }

    /// [`uri_of`] a file, made once for all that is answered from this snapshot.
    pub(crate) fn uri(&self, file: SourceFile) -> Option<Uri> {
        let mut uris = self.uris.borrow_mut();
        uris.entry(file).or_insert_with(|| uri_of(&self.db, file)).clone()
    }

    /// The place in the database of a position in an open document, or in a file that is known from disk.
    pub(crate) fn file_position(&self, uri: &Uri, position: Position) -> Option<ide::FilePosition> {
        let file = self.file(uri)?;
        let offset = byte_offset(&self.db, file, position, self.client.columns)?;
        Some(ide::FilePosition { file, offset: u32::try_from(offset).ok()? })
    }

    pub(crate) fn file(&self, uri: &Uri) -> Option<SourceFile> {
        match self.open.get(&canonical(uri)) {
            Some(document) => Some(document.file),
            None => base_db::Project::get(&self.db).files(&self.db).get(path_of(uri).as_str()).copied(),
        }
    }

    pub(crate) fn diagnostic(&self, diagnostic: &ide::diagnostics::Diagnostic) -> Diagnostic {
        self.diagnostic_at(diagnostic, self.range(diagnostic.at), |at| self.location(*at))
    }

    /// A diagnostic at a range, with locations of whichever kind for what is related.
    pub(crate) fn diagnostic_at<L>(
        &self,
        diagnostic: &diagnostics::Diagnostic<L>,
        range: Range,
        mut locate: impl FnMut(&L) -> Option<Location>,
    ) -> Diagnostic {
        let related: Vec<DiagnosticRelatedInformation> = diagnostic
            .related
            .iter()
            .filter_map(|related| {
                let location = locate(&related.at)?;
                Some(DiagnosticRelatedInformation { location, message: related.message.clone() })
            })
            .collect();
        Diagnostic {
            range,
            severity: Some(severity(diagnostic.severity)),
            code: Some(NumberOrString::String(diagnostic.code.to_string())),
            code_description: self.client.links_codes.then(|| explained_at(diagnostic.code)).flatten(),
            source: Some("slang-analyzer".to_owned()),
            message: diagnostic.message.clone(),
            related_information: (!related.is_empty()).then_some(related),
            tags: diagnostic.tag.map(|tag| vec![shown_as(tag)]),
            ..Diagnostic::default()
        }
    }
}

/// The page of the manual that explains a diagnostic.
fn explained_at(code: Code) -> Option<CodeDescription> {
    Some(CodeDescription { href: manual::address(code)?.parse().ok()? })
}

pub(crate) fn severity(severity: Severity) -> DiagnosticSeverity {
    match severity {
        Severity::Error => DiagnosticSeverity::ERROR,
        Severity::Warning => DiagnosticSeverity::WARNING,
        Severity::Info => DiagnosticSeverity::INFORMATION,
        Severity::Hint => DiagnosticSeverity::HINT,
    }
}

fn shown_as(tag: Tag) -> DiagnosticTag {
    match tag {
        Tag::Unnecessary => DiagnosticTag::UNNECESSARY,
        Tag::Deprecated => DiagnosticTag::DEPRECATED,
    }
}
