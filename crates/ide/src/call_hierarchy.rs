//! Call hierarchy: who calls a function, and what it calls; a derivative's call counts as a call of its function.

use base_db::Db;
use hir_def::{
    item::{self, ItemId, ItemKind},
    position, source_map,
};
use hir_ty::infer::{
    self,
    result::{Callable, Resolution},
};

use crate::{
    FilePosition, FileRange,
    references::references,
    semantics::{self, Definition},
    symbols::{Symbol, symbol_of},
};

/// A function and the places of the calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// The function that calls or is called.
    pub function: Symbol,
    /// Where it is called.
    pub at: Vec<FileRange>,
}

/// The function that is meant at a position, or the one around it.
pub fn function_at(db: &dyn Db, at: FilePosition) -> Option<Symbol> {
    let named = semantics::find(db, at).and_then(|found| match found.definition {
        Definition::Item(item) => Some(item),
        Definition::Callable(callable) => function_of(&callable),
        Definition::Candidates(items) => items.first().copied(),
        _ => None,
    });
    let function = named.filter(|item| is_function(db, *item)).or_else(|| semantics::function_at(db, at))?;
    symbol_of(db, function)
}

/// The functions that call the one declared at a position.
pub fn incoming_calls(db: &dyn Db, declaration: FilePosition) -> Vec<Call> {
    let called = semantics::find(db, declaration).and_then(|found| match found.definition {
        Definition::Item(item) => Some(item),
        _ => None,
    });
    let mut calls: Vec<(ItemId, Vec<FileRange>)> = Vec::new();
    for reference in references(db, declaration).unwrap_or_default() {
        let at = FilePosition { file: reference.at.file, offset: reference.at.range.start().into() };
        if reference.is_declaration {
            continue;
        }
        let Some(caller) = semantics::function_at(db, at) else { continue };
        if called.is_some_and(|called| names_another(db, at, called)) {
            continue;
        }
        match calls.iter_mut().find(|(known, _)| *known == caller) {
            Some((_, places)) => places.push(reference.at),
            None => calls.push((caller, vec![reference.at])),
        }
    }
    with_symbols(db, calls)
}

/// Whether what a use names is not a function though it has its name: it is that of another type which fulfils the same
/// requirement. A requirement that is named may be any of them.
fn names_another(db: &dyn Db, at: FilePosition, called: ItemId) -> bool {
    let named = semantics::find(db, at).map(|found| found.definition);
    let Some(Definition::Item(named)) = named else { return false };
    let is_of_type = |item: ItemId| {
        let kind = |item: ItemId| &item::item_data(db, item).kind;
        let container = item::container(db, item).map(kind);
        let is_type =
            matches!(container, Some(ItemKind::Struct { .. } | ItemKind::Extension { .. } | ItemKind::Enum { .. }));
        is_type && matches!(kind(item), ItemKind::Function(_))
    };
    let place = |item: ItemId| semantics::declaration(db, &Definition::Item(item));
    is_of_type(named) && is_of_type(called) && place(named) != place(called)
}

/// The functions that the one declared at a position calls.
pub fn outgoing_calls(db: &dyn Db, declaration: FilePosition) -> Vec<Call> {
    let Some(caller) = semantics::function_at(db, declaration) else { return Vec::new() };
    let map = source_map::body_source_map(db, caller);
    let body = hir_def::body::queries::body(db, caller);
    let inferred = infer::infer(db, caller);
    let mut calls: Vec<(ItemId, Vec<FileRange>)> = Vec::new();
    for (id, _) in body.store.exprs.iter() {
        let Some(Resolution::Call(call)) = inferred.resolutions.get(&id) else { continue };
        let Some(callee) = function_of(&call.callee) else { continue };
        let (file, range) = position::absolute(db, map.expr(id));
        match calls.iter_mut().find(|(known, _)| *known == callee) {
            Some((_, places)) => places.push(FileRange { file, range }),
            None => calls.push((callee, vec![FileRange { file, range }])),
        }
    }
    with_symbols(db, calls)
}

fn with_symbols(db: &dyn Db, calls: Vec<(ItemId, Vec<FileRange>)>) -> Vec<Call> {
    calls.into_iter().filter_map(|(item, at)| Some(Call { function: symbol_of(db, item)?, at })).collect()
}

fn function_of(callable: &Callable) -> Option<ItemId> {
    match callable {
        Callable::Function(function) => Some(function.item),
        Callable::Derivative { of, .. } => function_of(of),
        Callable::Make(_) | Callable::Value(_) | Callable::Synthesized { .. } => None,
    }
}

fn is_function(db: &dyn Db, item: ItemId) -> bool {
    matches!(item::item_data(db, item).kind, ItemKind::Function(_) | ItemKind::Constructor { .. })
}
