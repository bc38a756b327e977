//! Modules after `import`, paths between quotes, directives and macros.

use base_db::{Db, Project, SourceFile};
use hir_def::{item::ModulePath, modules};

use super::{CompletionItem, CompletionKind, LOCALS, OWN, plain};
use crate::{FilePosition, macros, mentions, symbols::SymbolKind};

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

/// The files that may be modules, with the names under which a file may find them.
pub(crate) fn module_names(db: &dyn Db, from: SourceFile) -> Vec<(String, SourceFile)> {
    let files = reachable(db, from).into_iter();
    files.filter_map(|(path, file)| Some((module_name(&path)?, file))).collect()
}

/// The files that a path between quotes may name; `written` is what is written of it.
pub(super) fn paths(db: &dyn Db, from: SourceFile, written: &str) -> Vec<CompletionItem> {
    // What is inserted goes on from the last separator.
    let folder = written.rfind('/').map_or("", |at| &written[..=at]);
    let files = reachable(db, from).into_iter().filter(|(_, file)| *file != from);
    let rest = files.filter_map(|(path, _)| path.strip_prefix(folder).map(str::to_owned));
    one_each(rest.map(|rest| plain(&rest, CompletionKind::File, OWN)).collect())
}

pub(super) fn directives() -> Vec<CompletionItem> {
    let item = |(name, documentation): &(&str, &str)| CompletionItem {
        documentation: Some((*documentation).to_owned()),
        ..plain(name, CompletionKind::Keyword, LOCALS)
    };
    DIRECTIVES.iter().map(item).collect()
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

/// The known files below the folder of a file or a search root, with their paths from there.
fn reachable(db: &dyn Db, from: SourceFile) -> Vec<(String, SourceFile)> {
    let own = from.path(db).rfind('/').map(|at| from.path(db)[..=at].to_owned()).unwrap_or_default();
    let roots = Project::get(db).search_roots(db).iter().map(|root| format!("{}/", root.trim_end_matches('/')));
    let folders: Vec<String> = std::iter::once(own).chain(roots).collect();
    let below = |file: SourceFile| {
        let path = file.path(db);
        let rest =
            folders.iter().filter_map(|folder| path.strip_prefix(folder.as_str())).min_by_key(|rest| rest.len())?;
        Some((rest.to_owned(), file))
    };
    mentions::user_files(db).into_iter().filter_map(below).collect()
}

/// `a.b` for `a/b.slang`, where each part is a name.
fn module_name(path: &str) -> Option<String> {
    let parts = path.strip_suffix(".slang")?.split('/');
    let parts: Vec<String> = parts.map(|part| part.replace('-', "_")).collect();
    let is_name = |part: &String| {
        part.starts_with(|c: char| c == '_' || c.is_alphabetic())
            && part.chars().all(|c| c == '_' || c.is_alphanumeric())
    };
    parts.iter().all(is_name).then(|| parts.join("."))
}

fn one_each(mut items: Vec<CompletionItem>) -> Vec<CompletionItem> {
    items.sort_by(|a, b| a.label.cmp(&b.label));
    items.dedup_by(|a, b| a.label == b.label);
    items
}
