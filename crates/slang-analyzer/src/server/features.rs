//! The editor features, from LSP's parameters to `ide` and from its answers back.

use ide::{
    FileRange,
    folding::FoldKind,
    symbols::{Symbol, SymbolKind},
};
use tower_lsp::ls_types::{
    self as lsp, DocumentSymbol, DocumentSymbolResponse, FoldingRange, FoldingRangeKind, Position, Range,
    SelectionRange, SymbolInformation, Uri, WorkspaceSymbolResponse,
};

use super::world::Snapshot;

/// Symbols of a whole workspace that are sent at once; more would not be read.
const MAX_WORKSPACE_SYMBOLS: usize = 256;

pub fn document_symbols(snapshot: &Snapshot, uri: &Uri) -> Option<DocumentSymbolResponse> {
    let symbols = ide::symbols::document_symbols(&snapshot.db, snapshot.file(uri)?);
    Some(DocumentSymbolResponse::Nested(symbols.iter().map(|symbol| document_symbol(snapshot, symbol)).collect()))
}

fn document_symbol(snapshot: &Snapshot, symbol: &Symbol) -> DocumentSymbol {
    #[expect(deprecated, reason = "the field must be given")]
    DocumentSymbol {
        name: symbol.name.clone(),
        detail: symbol.detail.clone(),
        kind: symbol_kind(symbol.kind),
        tags: None,
        deprecated: None,
        range: snapshot.range(symbol.range),
        selection_range: snapshot.range(symbol.name_range),
        children: Some(symbol.children.iter().map(|child| document_symbol(snapshot, child)).collect()),
    }
}

pub fn workspace_symbols(snapshot: &Snapshot, query: &str) -> Option<WorkspaceSymbolResponse> {
    let symbols = ide::symbols::workspace_symbols(&snapshot.db, query, MAX_WORKSPACE_SYMBOLS);
    let found = symbols.iter().filter_map(|symbol| {
        #[expect(deprecated, reason = "the field must be given")]
        Some(SymbolInformation {
            name: symbol.name.clone(),
            kind: symbol_kind(symbol.kind),
            tags: None,
            deprecated: None,
            location: snapshot.location(symbol.name_range)?,
            container_name: symbol.container.clone(),
        })
    });
    Some(WorkspaceSymbolResponse::Flat(found.collect()))
}

fn symbol_kind(kind: SymbolKind) -> lsp::SymbolKind {
    match kind {
        SymbolKind::Function => lsp::SymbolKind::FUNCTION,
        SymbolKind::Method => lsp::SymbolKind::METHOD,
        SymbolKind::Constructor => lsp::SymbolKind::CONSTRUCTOR,
        SymbolKind::Struct => lsp::SymbolKind::STRUCT,
        SymbolKind::Interface => lsp::SymbolKind::INTERFACE,
        SymbolKind::Enum => lsp::SymbolKind::ENUM,
        SymbolKind::EnumCase => lsp::SymbolKind::ENUM_MEMBER,
        SymbolKind::Variable => lsp::SymbolKind::VARIABLE,
        SymbolKind::Constant => lsp::SymbolKind::CONSTANT,
        SymbolKind::Field => lsp::SymbolKind::FIELD,
        SymbolKind::Property => lsp::SymbolKind::PROPERTY,
        SymbolKind::Namespace => lsp::SymbolKind::NAMESPACE,
        SymbolKind::Module => lsp::SymbolKind::MODULE,
        SymbolKind::TypeAlias | SymbolKind::TypeParameter => lsp::SymbolKind::TYPE_PARAMETER,
        SymbolKind::Operator => lsp::SymbolKind::OPERATOR,
    }
}

pub fn folding_ranges(snapshot: &Snapshot, uri: &Uri) -> Option<Vec<FoldingRange>> {
    let file = snapshot.file(uri)?;
    let folds = ide::folding::folding_ranges(&snapshot.db, file);
    let ranges = folds.iter().map(|fold| {
        let range = snapshot.range(FileRange { file, range: fold.range });
        FoldingRange {
            start_line: range.start.line,
            // The closing brace stays visible.
            end_line: if fold.kind == FoldKind::Braces { range.end.line.saturating_sub(1) } else { range.end.line },
            kind: match fold.kind {
                FoldKind::Comment => Some(FoldingRangeKind::Comment),
                FoldKind::Imports => Some(FoldingRangeKind::Imports),
                FoldKind::Braces | FoldKind::Conditional => None,
            },
            ..FoldingRange::default()
        }
    });
    Some(ranges.filter(|range| range.end_line > range.start_line).collect())
}

pub fn selection_ranges(snapshot: &Snapshot, uri: &Uri, positions: &[Position]) -> Option<Vec<SelectionRange>> {
    let answers = positions.iter().map(|&position| {
        let at = snapshot.file_position(uri, position)?;
        let ranges = ide::selection_range::selection_ranges(&snapshot.db, at);
        // From the outermost in, each holding the one around it.
        let nested = ranges.iter().rev().fold(None, |parent: Option<Box<SelectionRange>>, &range| {
            Some(Box::new(SelectionRange { range: snapshot.range(FileRange { file: at.file, range }), parent }))
        });
        let empty = Range { start: position, end: position };
        Some(nested.map_or(SelectionRange { range: empty, parent: None }, |range| *range))
    });
    answers.collect()
}
