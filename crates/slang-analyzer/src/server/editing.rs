//! Features that change the text: rename, formatting, code actions; and the hints between the text.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
};

use diagnostics::codes;
use ide::{
    FileRange, TextEdit, assists::AssistKind, diagnostics::Fix, file_renames::Move, formatting::FormatOptions,
    inlay_hints::InlayHintKind,
};
use syntax::{TextRange, TextSize};
use tower_lsp::{
    jsonrpc::{Error, Result},
    ls_types::{
        self as lsp, CodeAction, CodeActionKind, CodeActionOrCommand, CodeActionResponse, DocumentChanges, FileRename,
        FormattingOptions, InlayHint, InlayHintLabel, OneOf, OptionalVersionedTextDocumentIdentifier, Position,
        PrepareRenameResponse, Range, TextDocumentEdit, TextDocumentPositionParams, Uri, WorkspaceEdit,
    },
};

use super::{
    convert::{self, path_of},
    features::place,
    world::Snapshot,
};

pub(crate) fn prepare_rename(
    snapshot: &Snapshot,
    at: &TextDocumentPositionParams,
) -> Result<Option<PrepareRenameResponse>> {
    let Some(at) = place(snapshot, at) else { return Ok(None) };
    let (range, placeholder) = ide::rename::prepare_rename(&snapshot.db, at).map_err(refused)?;
    let range = snapshot.range(FileRange { file: at.file, range });
    Ok(Some(PrepareRenameResponse::RangeWithPlaceholder { range, placeholder }))
}

pub(crate) fn rename(
    snapshot: &Snapshot,
    at: &TextDocumentPositionParams,
    new_name: &str,
) -> Result<Option<WorkspaceEdit>> {
    let Some(at) = place(snapshot, at) else { return Ok(None) };
    let edits = ide::rename::rename(&snapshot.db, at, new_name).map_err(refused)?;
    let is_foreign = |edit: &&TextEdit| snapshot.is_outside(edit.at.file) && !is_open(snapshot, edit.at.file);
    if let Some(foreign) = edits.iter().find(is_foreign) {
        let path = foreign.at.file.path(&snapshot.db);
        return Err(refused(format!("it is declared or used in {path}, which is not a file of the workspace")));
    }
    Ok(Some(workspace_edit(snapshot, &edits)))
}

/// Files outside the workspace are left as they are.
pub(crate) fn file_renames(snapshot: &Snapshot, renamed: &[FileRename]) -> Option<WorkspaceEdit> {
    let path = |uri: &str| Some(path_of(&uri.parse().ok()?));
    let moves = renamed.iter().filter_map(|file| Some(Move { from: path(&file.old_uri)?, to: path(&file.new_uri)? }));
    let moves: Vec<Move> = moves.collect();
    let mut edits = ide::file_renames::file_renames(&snapshot.db, &moves);
    edits.retain(|edit| !snapshot.is_outside(edit.at.file) || is_open(snapshot, edit.at.file));
    (!edits.is_empty()).then(|| workspace_edit(snapshot, &edits))
}

fn is_open(snapshot: &Snapshot, file: base_db::SourceFile) -> bool {
    snapshot.open.values().any(|document| document.file == file)
}

/// Clients show the message to the user.
fn refused(reason: String) -> Error {
    Error::invalid_params(reason)
}

pub(crate) fn formatting(
    snapshot: &Snapshot,
    uri: &Uri,
    range: Option<Range>,
    options: &FormattingOptions,
) -> Option<Vec<lsp::TextEdit>> {
    let file = snapshot.file(uri)?;
    let range = match range {
        Some(range) => text_range(snapshot, file, range)?,
        None => TextRange::up_to(TextSize::new(u32::MAX)),
    };
    let style = match clang_format(file.path(&snapshot.db)) {
        Some(text) => FormatOptions::of_clang_format(&text)?,
        None => FormatOptions::indentation(options.tab_size, options.insert_spaces),
    };
    let options = FormatOptions {
        final_newline: options.insert_final_newline == Some(true),
        trim_final_newlines: options.trim_final_newlines == Some(true),
        ..style
    };
    let edits = ide::formatting::formatting(&snapshot.db, file, range, options).into_iter();
    Some(edits.map(|edit| snapshot.text_edit(&edit)).collect())
}

/// The `.clang-format` of the nearest folder around a file that has one.
fn clang_format(path: &str) -> Option<String> {
    let folders = Path::new(path).ancestors().skip(1);
    let named = folders.flat_map(|folder| [folder.join(".clang-format"), folder.join("_clang-format")]);
    // What is larger is none.
    let is_small = |path: &PathBuf| std::fs::metadata(path).is_ok_and(|file| file.is_file() && file.len() < 1 << 16);
    named.into_iter().find(is_small).and_then(|path| std::fs::read_to_string(path).ok())
}

/// Of the line that was typed in.
pub(crate) fn on_type_formatting(
    snapshot: &Snapshot,
    uri: &Uri,
    position: Position,
    options: &FormattingOptions,
) -> Option<Vec<lsp::TextEdit>> {
    let start = Position { line: position.line, character: 0 };
    formatting(snapshot, uri, Some(Range { start, end: position }), options)
}

pub(crate) fn inlay_hints(snapshot: &Snapshot, uri: &Uri, range: Range) -> Option<Vec<InlayHint>> {
    let file = snapshot.file(uri)?;
    let range = text_range(snapshot, file, range)?;
    let wanted = snapshot.hints;
    let derivatives = match wanted.derivatives {
        true => ide::inlay_hints::derivative_hints(&snapshot.db, file, range),
        false => Vec::new(),
    };
    let hints = ide::inlay_hints::inlay_hints(&snapshot.db, file, range).into_iter().filter(|hint| match hint.kind {
        InlayHintKind::Type => wanted.deduced_types,
        InlayHintKind::Parameter => wanted.parameter_names,
        InlayHintKind::Derivative => wanted.derivatives,
    });
    let hints = hints.chain(derivatives);
    let hints = hints.map(|hint| {
        let (kind, is_parameter) = match hint.kind {
            InlayHintKind::Type => (Some(lsp::InlayHintKind::TYPE), false),
            InlayHintKind::Parameter => (Some(lsp::InlayHintKind::PARAMETER), true),
            InlayHintKind::Derivative => (None, false),
        };
        let position = snapshot.position(file, hint.offset as usize);
        let range = Range { start: position, end: position };
        let text_edits = hint.can_be_written.then(|| vec![lsp::TextEdit { range, new_text: hint.label.clone() }]);
        InlayHint {
            position,
            label: InlayHintLabel::String(hint.label),
            kind,
            text_edits,
            tooltip: None,
            padding_left: kind.is_none().then_some(true),
            padding_right: Some(is_parameter),
            data: None,
        }
    });
    Some(hints.collect())
}

fn text_range(snapshot: &Snapshot, file: base_db::SourceFile, range: Range) -> Option<TextRange> {
    let bytes = convert::byte_range(&snapshot.db, file, range, snapshot.client.columns)?;
    let (start, end) = (u32::try_from(bytes.start).ok()?, u32::try_from(bytes.end).ok()?);
    Some(TextRange::new(TextSize::new(start), TextSize::new(end)))
}

/// `only` names the kinds that the client wants, all if it is `None`.
pub(crate) fn code_actions(
    snapshot: &Snapshot,
    uri: &Uri,
    range: Range,
    only: Option<&[CodeActionKind]>,
) -> Option<CodeActionResponse> {
    let file = snapshot.file(uri)?;
    let is_wanted = |kind: &CodeActionKind| only.is_none_or(|only| only.iter().any(|wanted| is_kind(kind, wanted)));
    let mut actions = Vec::new();
    // What changes the whole file comes when it is asked for by name: on save, or from a menu.
    if only.is_some() && is_wanted(&CodeActionKind::SOURCE_FIX_ALL) {
        let fix = ide::fix_all::fix_file(&snapshot.diagnostics(file), file);
        actions.extend(fix.map(|fix| CodeAction {
            title: fix.title.clone(),
            kind: Some(CodeActionKind::SOURCE_FIX_ALL),
            edit: Some(workspace_edit(snapshot, &fix.edits)),
            ..CodeAction::default()
        }));
    }
    if is_wanted(&CodeActionKind::QUICKFIX) || only.is_some_and(wants_refactoring) {
        actions.extend(actions_here(snapshot, file, range)?);
    }
    actions.retain(|action| action.kind.as_ref().is_none_or(is_wanted));
    Some(actions.into_iter().map(CodeActionOrCommand::CodeAction).collect())
}

fn wants_refactoring(only: &[CodeActionKind]) -> bool {
    let is_part = |kind: &CodeActionKind| is_kind(kind, &CodeActionKind::REFACTOR);
    only.iter().any(|wanted| is_part(wanted) || is_kind(&CodeActionKind::REFACTOR, wanted))
}

/// What mends or changes the code of a range.
fn actions_here(snapshot: &Snapshot, file: base_db::SourceFile, range: Range) -> Option<Vec<CodeAction>> {
    let bytes = convert::byte_range(&snapshot.db, file, range, snapshot.client.columns)?;
    let diagnostics = snapshot.diagnostics(file);
    let touched = diagnostics.iter().filter(|diagnostic| {
        let at = diagnostic.at.range;
        diagnostic.at.file == file && usize::from(at.start()) <= bytes.end && bytes.start <= usize::from(at.end())
    });
    let range = TextRange::new(offset(bytes.start)?, offset(bytes.end)?);
    let assists = ide::assists::assists(&snapshot.db, FileRange { file, range });
    // Who imports what declares a name mends it better than who takes another name.
    let imports = assists.iter().any(|assist| assist.kind == AssistKind::Import);
    let mut actions = Vec::new();
    let mut members: Option<Fix> = None;
    let mut all_of_file: Vec<String> = Vec::new();
    for diagnostic in touched {
        let shown = snapshot.diagnostic(diagnostic);
        for (index, fix) in diagnostic.fixes.iter().enumerate() {
            let is_import_better = imports && diagnostic.code == codes::UNDEFINED_NAME;
            actions.push(code_action(snapshot, fix, &shown, index == 0 && !is_import_better));
            if let Some(all) = ide::fix_all::fix_all(&diagnostics, diagnostic, &fix.title)
                && !all_of_file.contains(&all.title)
            {
                actions.push(code_action(snapshot, &all, &shown, false));
                all_of_file.push(all.title);
            }
        }
        // One fix writes all members that are missing, of however many diagnostics.
        if diagnostic.code == codes::MISSING_REQUIREMENT && members.is_none() {
            let at = ide::FilePosition { file, offset: diagnostic.at.range.start().into() };
            members = ide::missing_members::missing_members(&snapshot.db, at);
            actions.extend(members.iter().map(|fix| code_action(snapshot, fix, &shown, true)));
        }
    }
    let mut is_first_import = true;
    for assist in assists {
        let is_import = assist.kind == AssistKind::Import;
        actions.push(CodeAction {
            is_preferred: is_import.then(|| std::mem::take(&mut is_first_import)),
            title: assist.title,
            kind: Some(match assist.kind {
                AssistKind::QuickFix | AssistKind::Import => CodeActionKind::QUICKFIX,
                AssistKind::Extract => CodeActionKind::REFACTOR_EXTRACT,
                AssistKind::Inline => CodeActionKind::REFACTOR_INLINE,
                AssistKind::Rewrite => CodeActionKind::REFACTOR_REWRITE,
            }),
            edit: Some(workspace_edit(snapshot, &assist.edits)),
            ..CodeAction::default()
        });
    }
    // What is preferred comes first.
    actions.sort_by_key(|action| action.is_preferred != Some(true));
    Some(actions)
}

/// Whether a kind is one, or a part of one; all are parts of the empty one.
fn is_kind(kind: &CodeActionKind, wanted: &CodeActionKind) -> bool {
    let rest = kind.as_str().strip_prefix(wanted.as_str());
    rest.is_some_and(|rest| rest.is_empty() || wanted.as_str().is_empty() || rest.starts_with('.'))
}

fn offset(bytes: usize) -> Option<TextSize> {
    u32::try_from(bytes).ok().map(TextSize::new)
}

fn code_action(snapshot: &Snapshot, fix: &Fix, diagnostic: &lsp::Diagnostic, preferred: bool) -> CodeAction {
    CodeAction {
        title: fix.title.clone(),
        kind: Some(CodeActionKind::QUICKFIX),
        diagnostics: Some(vec![diagnostic.clone()]),
        edit: Some(workspace_edit(snapshot, &fix.edits)),
        is_preferred: Some(preferred),
        ..CodeAction::default()
    }
}

/// Changes by file. Open documents have the version that the changes are made for, so that a client can tell that its text is
/// another by now.
fn workspace_edit(snapshot: &Snapshot, edits: &[TextEdit]) -> WorkspaceEdit {
    let mut changes: HashMap<Uri, Vec<lsp::TextEdit>> = HashMap::new();
    for edit in edits {
        if let Some(location) = snapshot.location(edit.at) {
            changes.entry(location.uri).or_default().push(snapshot.text_edit(edit));
        }
    }
    if !snapshot.client.takes_versions {
        return WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() };
    }
    let mut documents: Vec<TextDocumentEdit> = changes
        .into_iter()
        .map(|(uri, edits)| {
            let version = snapshot.open.get(&uri).map(|document| document.version);
            let edits = edits.into_iter().map(OneOf::Left).collect();
            TextDocumentEdit { text_document: OptionalVersionedTextDocumentIdentifier { uri, version }, edits }
        })
        .collect();
    documents.sort_by(|a, b| a.text_document.uri.as_str().cmp(b.text_document.uri.as_str()));
    WorkspaceEdit { document_changes: Some(DocumentChanges::Edits(documents)), ..WorkspaceEdit::default() }
}
