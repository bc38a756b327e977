//! Semantic tokens in LSP's relative encoding.

use std::ops::Range;

use base_db::{Db, SourceFile};
use ide::semantic_tokens::{TokenKind, TokenModifier};
use tower_lsp::ls_types::{
    SemanticToken, SemanticTokenModifier, SemanticTokenType, SemanticTokens, SemanticTokensLegend,
};

use super::world::Snapshot;

/// The names of kinds and modifiers; tokens refer to them by position.
pub fn legend() -> SemanticTokensLegend {
    SemanticTokensLegend {
        token_types: TokenKind::ALL.iter().map(|kind| SemanticTokenType::new(kind.name())).collect(),
        token_modifiers: TokenModifier::ALL
            .iter()
            .map(|modifier| SemanticTokenModifier::new(modifier.name()))
            .collect(),
    }
}

pub fn of_file(snapshot: &Snapshot, file: SourceFile, range: Option<Range<usize>>) -> SemanticTokens {
    let Some(text) = snapshot.db.text(file) else { return SemanticTokens::default() };
    let mut data = Vec::new();
    let (mut line, mut column) = (0, 0);
    for token in ide::semantic_tokens::semantic_tokens(&snapshot.db, file, range) {
        let start = text.line_column(token.range.start().into(), snapshot.client.columns);
        let end = text.line_column(token.range.end().into(), snapshot.client.columns);
        if end.line != start.line {
            // Clients take tokens of one line only; what spans several is left to the editor's grammar.
            continue;
        }
        data.push(SemanticToken {
            delta_line: start.line - line,
            delta_start: if start.line == line { start.column - column } else { start.column },
            length: end.column - start.column,
            token_type: token.kind.index(),
            token_modifiers_bitset: token.modifiers.iter().map(|modifier| 1 << modifier.index()).sum(),
        });
        (line, column) = (start.line, start.column);
    }
    SemanticTokens { result_id: None, data }
}
