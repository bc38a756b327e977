//! Semantic tokens in LSP's relative encoding, and what changed since the client asked last.

use std::{
    collections::HashMap,
    ops::Range,
    sync::{Mutex, PoisonError},
};

use base_db::{Db, SourceFile};
use ide::semantic_tokens::{TokenKind, TokenModifier};
use tower_lsp::ls_types::{
    SemanticToken, SemanticTokenModifier, SemanticTokenType, SemanticTokens, SemanticTokensDelta, SemanticTokensEdit,
    SemanticTokensFullDeltaResult, SemanticTokensLegend, Uri,
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

/// The tokens that the client has of each document.
#[derive(Default)]
pub struct SentTokens {
    sent: Mutex<Sent>,
}

#[derive(Default)]
struct Sent {
    of_document: HashMap<Uri, SemanticTokens>,
    /// Numbers the answers.
    count: u64,
}

impl SentTokens {
    /// Numbers an answer with all tokens.
    pub fn remember(&self, uri: Uri, tokens: SemanticTokens) -> SemanticTokens {
        let mut sent = self.sent.lock().unwrap_or_else(PoisonError::into_inner);
        sent.count += 1;
        let tokens = SemanticTokens { result_id: Some(sent.count.to_string()), ..tokens };
        sent.of_document.insert(uri, tokens.clone());
        tokens
    }

    /// The difference from the answer that the client names, or all tokens if that is not the last one.
    pub fn difference(&self, uri: Uri, since: &str, tokens: SemanticTokens) -> SemanticTokensFullDeltaResult {
        let old = {
            let sent = self.sent.lock().unwrap_or_else(PoisonError::into_inner);
            sent.of_document.get(&uri).filter(|old| old.result_id.as_deref() == Some(since)).cloned()
        };
        let tokens = self.remember(uri, tokens);
        match old {
            Some(old) => SemanticTokensFullDeltaResult::TokensDelta(SemanticTokensDelta {
                result_id: tokens.result_id,
                edits: edits(&old.data, &tokens.data),
            }),
            None => SemanticTokensFullDeltaResult::Tokens(tokens),
        }
    }

    pub fn forget(&self, uri: &Uri) {
        self.sent.lock().unwrap_or_else(PoisonError::into_inner).of_document.remove(uri);
    }
}

/// One edit: between the tokens that are equal at both ends. Places count numbers, five for each token.
fn edits(old: &[SemanticToken], new: &[SemanticToken]) -> Vec<SemanticTokensEdit> {
    const NUMBERS: u32 = 5;
    if old == new {
        return Vec::new();
    }
    let prefix = old.iter().zip(new).take_while(|(old, new)| old == new).count();
    let (old, new) = (&old[prefix..], &new[prefix..]);
    let suffix = old.iter().rev().zip(new.iter().rev()).take_while(|(old, new)| old == new).count();
    vec![SemanticTokensEdit {
        start: prefix as u32 * NUMBERS,
        delete_count: (old.len() - suffix) as u32 * NUMBERS,
        data: Some(new[..new.len() - suffix].to_vec()),
    }]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token(delta_line: u32) -> SemanticToken {
        SemanticToken { delta_line, ..SemanticToken::default() }
    }

    #[test]
    fn one_edit_leads_from_the_old_tokens_to_the_new() {
        for (old, new) in
            [(vec![1, 2, 3], vec![1, 9, 3]), (vec![1, 1], vec![1, 1, 1]), (vec![], vec![4]), (vec![4, 4, 4], vec![4])]
        {
            let (old, new): (Vec<_>, Vec<_>) =
                (old.into_iter().map(token).collect(), new.into_iter().map(token).collect());
            let mut text = old.clone();
            for edit in edits(&old, &new) {
                let start = edit.start as usize / 5;
                text.splice(start..start + edit.delete_count as usize / 5, edit.data.unwrap_or_default());
            }
            assert_eq!(text, new);
        }
        assert_eq!(edits(&[token(1)], &[token(1)]), []);
    }

    #[test]
    fn an_answer_that_is_not_the_last_gives_all_tokens() {
        let sent = SentTokens::default();
        let uri: Uri = "file:///a.slang".parse().expect("a URI");
        let first = sent.remember(uri.clone(), SemanticTokens { result_id: None, data: vec![token(1)] });
        let id = first.result_id.expect("answers have numbers");
        let again = || SemanticTokens { result_id: None, data: vec![token(1)] };
        let same = sent.difference(uri.clone(), &id, again());
        assert!(matches!(same, SemanticTokensFullDeltaResult::TokensDelta(delta) if delta.edits.is_empty()));
        let old = sent.difference(uri.clone(), &id, again());
        assert!(matches!(old, SemanticTokensFullDeltaResult::Tokens(_)));
        sent.forget(&uri);
    }
}
