//! Calls with their parameters as places to fill in.

use base_db::Db;
use hir_def::item::{self, ItemId, ItemKind};

use super::CompletionItem;
use crate::FilePosition;

/// An item that names a function, as a call of it; several functions of one name leave open what goes in.
pub(super) fn with_arguments(
    db: &dyn Db,
    at: FilePosition,
    item: CompletionItem,
    functions: &[ItemId],
) -> CompletionItem {
    let [first, ..] = functions else { return item };
    let ItemKind::Function(function) = &item::item_data(db, *first).kind else { return item };
    if goes_on(db, at) {
        return item;
    }
    let name = escaped(&item.label);
    let names: Option<Vec<String>> = function
        .params
        .iter()
        .filter(|param| param.default.is_none())
        .enumerate()
        .map(|(index, param)| Some(format!("${{{}:{}}}", index + 1, escaped(param.name.as_ref()?.as_str()))))
        .collect();
    let arguments = match (functions, names) {
        ([_], Some(names)) if names.is_empty() => "()$0".to_owned(),
        ([_], Some(names)) => format!("({})$0", names.join(", ")),
        _ => "($1)$0".to_owned(),
    };
    CompletionItem { insert_text: Some(format!("{name}{arguments}")), is_snippet: true, ..item }
}

/// Whether arguments follow already, or the rest of the name.
fn goes_on(db: &dyn Db, at: FilePosition) -> bool {
    let Some(text) = db.text(at.file) else { return true };
    let start = at.offset as usize;
    let Some(next) = text.rope().get_byte_slice(start..).and_then(|rest| rest.get_char(0)) else { return false };
    next == '(' || next == '<' || next == '_' || next.is_alphanumeric()
}

/// A text as a part of a snippet.
pub(super) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        if matches!(letter, '$' | '}' | '\\') {
            escaped.push('\\');
        }
        escaped.push(letter);
    }
    escaped
}
