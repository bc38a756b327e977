//! Hierarchies of calls and types, implementations, declarations of types.

use ide::{FilePosition, FileRange, call_hierarchy, related, symbols::Symbol, type_hierarchy};
use tower_lsp::ls_types::{
    CallHierarchyIncomingCall, CallHierarchyItem, CallHierarchyOutgoingCall, GotoDefinitionResponse, Location, Range,
    TextDocumentPositionParams, TypeHierarchyItem, Uri,
};

use super::{
    features::{place, symbol_kind},
    world::Snapshot,
};

pub(crate) fn type_definition(snapshot: &Snapshot, at: &TextDocumentPositionParams) -> Option<GotoDefinitionResponse> {
    response(snapshot, ide::definition::type_definition(&snapshot.db, place(snapshot, at)?))
}

pub(crate) fn implementation(snapshot: &Snapshot, at: &TextDocumentPositionParams) -> Option<GotoDefinitionResponse> {
    response(snapshot, related::implementations(&snapshot.db, place(snapshot, at)?))
}

pub(crate) fn declaration(snapshot: &Snapshot, at: &TextDocumentPositionParams) -> Option<GotoDefinitionResponse> {
    response(snapshot, related::declarations(&snapshot.db, place(snapshot, at)?))
}

pub(crate) fn response(snapshot: &Snapshot, targets: Vec<FileRange>) -> Option<GotoDefinitionResponse> {
    let locations: Vec<Location> = targets.into_iter().filter_map(|target| snapshot.location(target)).collect();
    (!locations.is_empty()).then_some(GotoDefinitionResponse::Array(locations))
}

pub(crate) fn prepare_calls(snapshot: &Snapshot, at: &TextDocumentPositionParams) -> Option<Vec<CallHierarchyItem>> {
    let symbol = call_hierarchy::function_at(&snapshot.db, place(snapshot, at)?)?;
    Some(vec![call_item(snapshot, &symbol)?])
}

pub(crate) fn incoming_calls(snapshot: &Snapshot, item: &CallHierarchyItem) -> Option<Vec<CallHierarchyIncomingCall>> {
    let at = start_of(snapshot, &item.uri, item.selection_range)?;
    let calls = call_hierarchy::incoming_calls(&snapshot.db, at).into_iter().filter_map(|call| {
        let from_ranges = call.at.iter().map(|at| snapshot.range(*at)).collect();
        Some(CallHierarchyIncomingCall { from: call_item(snapshot, &call.function)?, from_ranges })
    });
    Some(calls.collect())
}

pub(crate) fn outgoing_calls(snapshot: &Snapshot, item: &CallHierarchyItem) -> Option<Vec<CallHierarchyOutgoingCall>> {
    let at = start_of(snapshot, &item.uri, item.selection_range)?;
    let calls = call_hierarchy::outgoing_calls(&snapshot.db, at).into_iter().filter_map(|call| {
        let from_ranges = call.at.iter().map(|at| snapshot.range(*at)).collect();
        Some(CallHierarchyOutgoingCall { to: call_item(snapshot, &call.function)?, from_ranges })
    });
    Some(calls.collect())
}

fn call_item(snapshot: &Snapshot, symbol: &Symbol) -> Option<CallHierarchyItem> {
    let location = snapshot.location(symbol.range)?;
    Some(CallHierarchyItem {
        name: symbol.name.clone(),
        kind: symbol_kind(symbol.kind),
        tags: None,
        detail: symbol.container.clone(),
        uri: location.uri,
        range: location.range,
        selection_range: snapshot.range(symbol.name_range),
        data: None,
    })
}

pub(crate) fn prepare_types(snapshot: &Snapshot, at: &TextDocumentPositionParams) -> Option<Vec<TypeHierarchyItem>> {
    let symbol = type_hierarchy::type_at(&snapshot.db, place(snapshot, at)?)?;
    Some(vec![type_item(snapshot, &symbol)?])
}

pub(crate) fn supertypes(snapshot: &Snapshot, item: &TypeHierarchyItem) -> Option<Vec<TypeHierarchyItem>> {
    let at = start_of(snapshot, &item.uri, item.selection_range)?;
    let symbols = type_hierarchy::supertypes(&snapshot.db, at);
    Some(symbols.iter().filter_map(|symbol| type_item(snapshot, symbol)).collect())
}

pub(crate) fn subtypes(snapshot: &Snapshot, item: &TypeHierarchyItem) -> Option<Vec<TypeHierarchyItem>> {
    let at = start_of(snapshot, &item.uri, item.selection_range)?;
    let symbols = type_hierarchy::subtypes(&snapshot.db, at);
    Some(symbols.iter().filter_map(|symbol| type_item(snapshot, symbol)).collect())
}

fn type_item(snapshot: &Snapshot, symbol: &Symbol) -> Option<TypeHierarchyItem> {
    let location = snapshot.location(symbol.range)?;
    Some(TypeHierarchyItem {
        name: symbol.name.clone(),
        kind: symbol_kind(symbol.kind),
        tags: None,
        detail: symbol.container.clone(),
        uri: location.uri,
        range: location.range,
        selection_range: snapshot.range(symbol.name_range),
        data: None,
    })
}

fn start_of(snapshot: &Snapshot, uri: &Uri, range: Range) -> Option<FilePosition> {
    snapshot.file_position(uri, range.start)
}
