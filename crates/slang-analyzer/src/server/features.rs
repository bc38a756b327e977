//! The editor features, from LSP's parameters to `ide` and from its answers back.

use ide::{
    FilePosition, FileRange,
    code_lens::LensAction,
    completion::CompletionKind,
    folding::FoldKind,
    preview::PreviewOperator,
    references::Access,
    symbols::{Symbol, SymbolKind},
};
use serde_json::json;
use tower_lsp::ls_types::{
    self as lsp, CodeLens, Command, CompletionItem, CompletionItemKind, CompletionList, CompletionResponse,
    CompletionTextEdit, DocumentHighlight, DocumentHighlightKind, DocumentLink, DocumentSymbol, DocumentSymbolResponse,
    Documentation, FoldingRange, FoldingRangeKind, GotoDefinitionResponse, Hover, HoverContents, InsertTextFormat,
    Location, MarkupContent, MarkupKind, ParameterInformation, ParameterLabel, Position, Range, SelectionRange,
    SemanticTokensRangeResult, SignatureHelp, SignatureInformation, SymbolInformation, TextDocumentPositionParams, Uri,
    WorkspaceSymbolResponse,
};

use super::{navigation, semantic_tokens, world::Snapshot};

/// Symbols of a whole workspace that are sent at once; more would not be read.
const MAX_WORKSPACE_SYMBOLS: usize = 256;

pub(crate) fn place(snapshot: &Snapshot, at: &TextDocumentPositionParams) -> Option<FilePosition> {
    snapshot.file_position(&at.text_document.uri, at.position)
}

fn markdown(text: String) -> MarkupContent {
    MarkupContent { kind: MarkupKind::Markdown, value: text }
}

pub(crate) fn hover(snapshot: &Snapshot, at: &TextDocumentPositionParams) -> Option<Hover> {
    let at = place(snapshot, at)?;
    let hover = ide::hover::hover(&snapshot.db, at)?;
    Some(Hover {
        contents: HoverContents::Markup(markdown(hover.markdown)),
        range: Some(snapshot.range(FileRange { file: at.file, range: hover.range })),
    })
}

pub(crate) fn definition(snapshot: &Snapshot, at: &TextDocumentPositionParams) -> Option<GotoDefinitionResponse> {
    navigation::response(snapshot, ide::definition::definition(&snapshot.db, place(snapshot, at)?))
}

pub(crate) fn references(
    snapshot: &Snapshot,
    at: &TextDocumentPositionParams,
    declaration: bool,
) -> Option<Vec<Location>> {
    let found = ide::references::references(&snapshot.db, place(snapshot, at)?)?;
    let wanted = found.iter().filter(|reference| declaration || !reference.is_declaration);
    Some(wanted.filter_map(|reference| snapshot.location(reference.at)).collect())
}

pub(crate) fn highlight(snapshot: &Snapshot, at: &TextDocumentPositionParams) -> Option<Vec<DocumentHighlight>> {
    let found = ide::references::highlights(&snapshot.db, place(snapshot, at)?)?;
    let highlight = |(at, access): &(FileRange, Access)| DocumentHighlight {
        range: snapshot.range(*at),
        kind: Some(match access {
            Access::Read => DocumentHighlightKind::READ,
            Access::Write => DocumentHighlightKind::WRITE,
            Access::Text => DocumentHighlightKind::TEXT,
        }),
    };
    Some(found.iter().map(highlight).collect())
}

pub(crate) fn document_links(snapshot: &Snapshot, uri: &Uri) -> Option<Vec<DocumentLink>> {
    let file = snapshot.file(uri)?;
    let links = ide::document_links::document_links(&snapshot.db, file).into_iter();
    let link = |(range, target)| {
        let begin = FileRange { file: target, range: syntax::TextRange::empty(syntax::TextSize::new(0)) };
        Some(DocumentLink {
            range: snapshot.range(FileRange { file, range }),
            target: Some(snapshot.location(begin)?.uri),
            tooltip: None,
            data: None,
        })
    };
    Some(links.filter_map(link).collect())
}

/// `trigger` is what was typed if the client asks by itself.
pub(crate) fn completion(
    snapshot: &Snapshot,
    at: &TextDocumentPositionParams,
    trigger: Option<&str>,
) -> Option<CompletionResponse> {
    let asked = serde_json::to_value(at).ok();
    let at = place(snapshot, at)?;
    // A comparison, a colon of a `case`, a division.
    if trigger.is_some_and(|trigger| trigger != "(") && !ide::completion::is_particular(&snapshot.db, at) {
        return None;
    }
    let is_incomplete = ide::completion::waits_for_letters(&snapshot.db, at);
    let mut items = ide::completion::completion(&snapshot.db, at);
    // What takes the place of something cannot do with the name alone.
    items.retain(|item| !item.is_snippet || item.edits.is_empty() || snapshot.client.inserts_snippets);
    let items = items.into_iter().map(|item| completion_item(snapshot, item, asked.as_ref())).collect();
    Some(CompletionResponse::List(CompletionList { is_incomplete, items }))
}

fn completion_item(
    snapshot: &Snapshot,
    item: ide::completion::CompletionItem,
    asked: Option<&serde_json::Value>,
) -> CompletionItem {
    let is_complete = item.detail.is_some() || item.documentation.is_some();
    // Without places to fill in, the name alone is of use.
    let insert_text = item.insert_text.filter(|_| !item.is_snippet || snapshot.client.inserts_snippets);
    let is_snippet = item.is_snippet && insert_text.is_some();
    let edits = item.edits.iter().map(|edit| snapshot.text_edit(edit));
    // What is no word of its own says what it takes the place of: clients would go by their own idea of a word.
    let text_edit = item.replaces.map(|replaced| {
        let new_text = insert_text.clone().unwrap_or_else(|| item.label.clone());
        CompletionTextEdit::Edit(snapshot.text_edit(&ide::TextEdit { at: replaced, text: new_text }))
    });
    CompletionItem {
        text_edit,
        // Clients look for what is written in what is replaced.
        filter_text: item.replaces.is_some().then(|| item.label.clone()),
        label: item.label,
        kind: Some(completion_kind(item.kind)),
        detail: item.detail,
        documentation: item.documentation.map(|text| Documentation::MarkupContent(markdown(text))),
        insert_text,
        insert_text_format: Some(if is_snippet { InsertTextFormat::SNIPPET } else { InsertTextFormat::PLAIN_TEXT }),
        additional_text_edits: Some(edits.collect()).filter(|edits: &Vec<_>| !edits.is_empty()),
        // What is left out now is asked for by [`resolve_completion`].
        data: asked.filter(|_| !is_complete).cloned(),
        // Smaller groups first, then by name.
        sort_text: Some(format!("{}", item.group)),
        ..CompletionItem::default()
    }
}

/// Adds signature and documentation to the item that the user looks at.
pub(crate) fn resolve_completion(snapshot: &Snapshot, item: CompletionItem) -> CompletionItem {
    let asked = item.data.clone().and_then(|data| serde_json::from_value::<TextDocumentPositionParams>(data).ok());
    let at = asked.and_then(|asked| place(snapshot, &asked));
    let Some(found) = at.and_then(|at| ide::completion::resolve(&snapshot.db, at, &item.label)) else { return item };
    let documentation = found.documentation.map(|text| Documentation::MarkupContent(markdown(text)));
    CompletionItem { detail: found.detail, documentation, ..item }
}

fn completion_kind(kind: CompletionKind) -> CompletionItemKind {
    match kind {
        CompletionKind::Keyword => CompletionItemKind::KEYWORD,
        CompletionKind::Local => CompletionItemKind::VARIABLE,
        CompletionKind::Snippet => CompletionItemKind::SNIPPET,
        CompletionKind::Attribute => CompletionItemKind::PROPERTY,
        CompletionKind::BuiltinType => CompletionItemKind::CLASS,
        CompletionKind::Semantic => CompletionItemKind::VALUE,
        CompletionKind::File => CompletionItemKind::FILE,
        CompletionKind::Symbol(kind) => match kind {
            SymbolKind::Function => CompletionItemKind::FUNCTION,
            SymbolKind::Method => CompletionItemKind::METHOD,
            SymbolKind::Constructor => CompletionItemKind::CONSTRUCTOR,
            SymbolKind::Struct => CompletionItemKind::STRUCT,
            SymbolKind::Interface => CompletionItemKind::INTERFACE,
            SymbolKind::Enum => CompletionItemKind::ENUM,
            SymbolKind::EnumCase => CompletionItemKind::ENUM_MEMBER,
            SymbolKind::Variable => CompletionItemKind::VARIABLE,
            SymbolKind::Constant => CompletionItemKind::CONSTANT,
            SymbolKind::Field => CompletionItemKind::FIELD,
            SymbolKind::Property => CompletionItemKind::PROPERTY,
            SymbolKind::Namespace | SymbolKind::Module => CompletionItemKind::MODULE,
            SymbolKind::TypeAlias | SymbolKind::TypeParameter => CompletionItemKind::TYPE_PARAMETER,
            SymbolKind::Operator => CompletionItemKind::OPERATOR,
        },
    }
}

pub(crate) fn signature_help(snapshot: &Snapshot, at: &TextDocumentPositionParams) -> Option<SignatureHelp> {
    let help = ide::signature_help::signature_help(&snapshot.db, place(snapshot, at)?)?;
    let signatures = help
        .signatures
        .into_iter()
        .map(|signature| SignatureInformation {
            parameters: Some(
                signature
                    .parameters
                    .iter()
                    .map(|range| ParameterInformation {
                        label: ParameterLabel::LabelOffsets(utf16_offsets(&signature.label, range.clone())),
                        documentation: None,
                    })
                    .collect(),
            ),
            label: signature.label,
            documentation: signature.documentation.map(|text| Documentation::MarkupContent(markdown(text))),
            active_parameter: None,
        })
        .collect();
    Some(SignatureHelp {
        signatures,
        active_signature: Some(help.active_signature),
        active_parameter: help.active_parameter,
    })
}

/// Label offsets count UTF-16 units whatever the encoding of positions is.
fn utf16_offsets(label: &str, range: std::ops::Range<usize>) -> [u32; 2] {
    let units = |end: usize| label.get(..end).map_or(0, |text| text.encode_utf16().count() as u32);
    [units(range.start), units(range.end)]
}

pub(crate) fn document_symbols(snapshot: &Snapshot, uri: &Uri) -> Option<DocumentSymbolResponse> {
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

pub(crate) fn workspace_symbols(snapshot: &Snapshot, query: &str) -> Option<WorkspaceSymbolResponse> {
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

pub(crate) fn symbol_kind(kind: SymbolKind) -> lsp::SymbolKind {
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

pub(crate) fn folding_ranges(snapshot: &Snapshot, uri: &Uri) -> Option<Vec<FoldingRange>> {
    let file = snapshot.file(uri)?;
    let folds = ide::folding::folding_ranges(&snapshot.db, file);
    let ranges = folds.iter().map(|fold| {
        let range = snapshot.range(FileRange { file, range: fold.range });
        FoldingRange {
            start_line: range.start.line,
            // What closes it stays visible.
            end_line: match fold.kind {
                FoldKind::Braces | FoldKind::Conditional | FoldKind::Region => range.end.line.saturating_sub(1),
                FoldKind::Comment | FoldKind::Imports => range.end.line,
            },
            kind: match fold.kind {
                FoldKind::Comment => Some(FoldingRangeKind::Comment),
                FoldKind::Imports => Some(FoldingRangeKind::Imports),
                FoldKind::Region => Some(FoldingRangeKind::Region),
                FoldKind::Braces | FoldKind::Conditional => None,
            },
            ..FoldingRange::default()
        }
    });
    Some(ranges.filter(|range| range.end_line > range.start_line).collect())
}

pub(crate) fn selection_ranges(snapshot: &Snapshot, uri: &Uri, positions: &[Position]) -> Option<Vec<SelectionRange>> {
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

pub(crate) fn code_lenses(snapshot: &Snapshot, uri: &Uri) -> Option<Vec<CodeLens>> {
    let file = snapshot.file(uri)?;
    let wanted = snapshot.lenses;
    let lenses = ide::code_lens::code_lenses(&snapshot.db, file).into_iter().filter(|lens| match lens.action {
        LensAction::Preview(_) => wanted.preview,
        LensAction::CheckGradient => wanted.gradient,
        LensAction::FindNonFinite => wanted.non_finite,
        LensAction::Cost => wanted.cost,
    });
    let lenses = lenses.map(|lens| {
        let (command, operator) = match lens.action {
            LensAction::Preview(PreviewOperator::Forward) => ("slang-analyzer.previewDerivative", Some("forward")),
            LensAction::Preview(PreviewOperator::Backward) => ("slang-analyzer.previewDerivative", Some("backward")),
            LensAction::CheckGradient => ("slang-analyzer.checkGradient", None),
            LensAction::FindNonFinite => ("slang-analyzer.findNonFinite", None),
            LensAction::Cost => ("slang-analyzer.showCost", None),
        };
        let mut argument = json!({"uri": uri.as_str(), "function": lens.function});
        if let Some(operator) = operator {
            argument["operator"] = operator.into();
        }
        let range = snapshot.range(FileRange { file, range: lens.range });
        if lens.action == LensAction::Cost {
            return CodeLens { range, command: None, data: Some(argument) };
        }
        let arguments = Some(vec![argument]);
        let command = Command { title: lens.title, command: command.to_owned(), arguments };
        CodeLens { range, command: Some(command), data: None }
    });
    Some(lenses.collect())
}

pub(crate) fn semantic_tokens(snapshot: &Snapshot, uri: &Uri) -> Option<semantic_tokens::Tokens> {
    Some(semantic_tokens::of_file(snapshot, snapshot.file(uri)?))
}

pub(crate) fn semantic_tokens_range(snapshot: &Snapshot, uri: &Uri, range: Range) -> Option<SemanticTokensRangeResult> {
    let lines = range.start.line..range.end.line.saturating_add(1);
    Some(SemanticTokensRangeResult::Tokens(semantic_tokens::of_lines(snapshot, snapshot.file(uri)?, lines)))
}
