//! Modules after `import`, paths between quotes, directives and macros.

use base_db::{Db, SourceFile};
use hir_def::{item::ModulePath, modules};
use syntax::{TextRange, TextSize};

use super::{CompletionItem, CompletionKind, LOCALS, OWN, plain};
use crate::{
    FilePosition, FileRange,
    importable::{module_name, module_names, reachable},
    macros,
    symbols::SymbolKind,
    text_before::{text_after, text_before},
};

/// Directives, each with what it does.
const DIRECTIVES: [(&str, &str); 13] = [
    ("include", "Puts the text of a file here."),
    ("define", "Defines a macro."),
    ("undef", "Forgets a macro."),
    ("if", "What follows counts if the condition holds."),
    ("ifdef", "What follows counts if the macro is defined."),
    ("ifndef", "What follows counts if the macro is not defined."),
    ("elif", "What follows counts if no branch before did and the condition holds."),
    ("else", "What follows counts if no branch before did."),
    ("endif", "Ends the last `#if`."),
    ("pragma", "Says something to the compiler: `once`, `warning`."),
    ("error", "Reports an error."),
    ("warning", "Reports a warning."),
    ("line", "Changes the number of the line."),
];

/// The modules that a file can import, by the names under which it finds them; `written` are the first parts of the name.
pub(super) fn modules(db: &dyn Db, from: SourceFile, written: &str) -> Vec<CompletionItem> {
    let mut items: Vec<CompletionItem> = Vec::new();
    for (name, file) in module_names(db, from) {
        let Some(rest) = name.strip_prefix(written) else { continue };
        let is_found = modules::resolve(db, from, &ModulePath::Dotted(name.clone())) == Some(file);
        let is_part = modules::module_clauses(db, file).implementing.is_some();
        if is_found && !is_part && file != from {
            items.push(CompletionItem {
                detail: Some(file.path(db).to_string()),
                ..plain(rest, CompletionKind::Symbol(SymbolKind::Module), OWN)
            });
        }
    }
    one_each(items)
}

/// What a module in a file is called if nothing else is meant.
pub(super) fn own_module_name(db: &dyn Db, file: SourceFile) -> Vec<CompletionItem> {
    let path = file.path(db);
    let name = module_name(path.rsplit('/').next().unwrap_or_default());
    name.map(|name| plain(&name, CompletionKind::Symbol(SymbolKind::Module), OWN)).into_iter().collect()
}

/// The files that a path between quotes may name; `written` is what is written of it.
pub(super) fn paths(db: &dyn Db, from: SourceFile, written: &str) -> Vec<CompletionItem> {
    // What is inserted goes on from the last separator.
    let folder = written.rfind('/').map_or("", |at| &written[..=at]);
    let files = reachable(db, from).into_iter().filter(|(_, file)| *file != from);
    let rest = files.filter_map(|(path, _)| path.strip_prefix(folder).map(str::to_owned));
    one_each(rest.map(|rest| plain(&rest, CompletionKind::File, OWN)).collect())
}

/// The items, which take the place of the piece of a path that the position is in.
pub(super) fn replacing(db: &dyn Db, at: FilePosition, mut items: Vec<CompletionItem>) -> Vec<CompletionItem> {
    let (before, after) = (text_before(db, at), text_after(db, at));
    // Dots are parts of names of files, and between those of modules.
    let in_quotes = before.rsplit('\n').next().is_some_and(|line| line.contains(['"', '<']));
    let is_part =
        |c: char| c == '_' || c.is_alphanumeric() || in_quotes && !matches!(c, '/' | '"' | '<' | '>' | '\n' | '\r');
    let start = before.len() - before.trim_end_matches(is_part).len();
    let end = after.len() - after.trim_start_matches(is_part).len();
    let offset = TextSize::new(at.offset);
    let range = TextRange::new(offset - TextSize::new(start as u32), offset + TextSize::new(end as u32));
    items.iter_mut().for_each(|item| item.replaces = Some(FileRange { file: at.file, range }));
    items
}

pub(super) fn directives() -> Vec<CompletionItem> {
    let item = |(name, documentation): &(&str, &str)| CompletionItem {
        documentation: Some((*documentation).to_owned()),
        ..plain(name, CompletionKind::Keyword, LOCALS)
    };
    DIRECTIVES.iter().map(item).collect()
}

/// What `#pragma` says.
const PRAGMAS: [(&str, &str); 3] = [
    ("once", "A file is included once, however often it is named."),
    ("warning", "`warning(disable: 30081)`, `push`, `pop`: which warnings are shown."),
    ("region", "Begins what folds as one, up to `#pragma endregion`."),
];

pub(super) fn pragmas() -> Vec<CompletionItem> {
    let item = |(name, documentation): &(&str, &str)| CompletionItem {
        documentation: Some((*documentation).to_owned()),
        ..plain(name, CompletionKind::Keyword, LOCALS)
    };
    PRAGMAS.iter().map(item).collect()
}

/// The macros that are defined in front of a position.
pub(super) fn macros(db: &dyn Db, at: FilePosition) -> Vec<CompletionItem> {
    let found = macros::macros_before(db, at).into_iter();
    found
        .map(|found| CompletionItem {
            detail: Some(found.text),
            ..plain(&found.name, CompletionKind::Symbol(SymbolKind::Constant), OWN)
        })
        .collect()
}

fn one_each(mut items: Vec<CompletionItem>) -> Vec<CompletionItem> {
    items.sort_by(|a, b| a.label.cmp(&b.label));
    items.dedup_by(|a, b| a.label == b.label);
    items
}
