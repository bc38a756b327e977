//! Semantic tokens in LSP's relative encoding, and what changed since the client asked last.

use std::{
    collections::HashMap,
    fmt::Write as _,
    ops::Range,
    sync::{Arc, Mutex, PoisonError},
};

use base_db::{SourceFile, line_column::LineColumn};
use ide::semantic_tokens::{EncodedChunk, EncodedToken, TokenKind, TokenModifier, encoded_chunks};
use tower_lsp::ls_types::{
    SemanticToken, SemanticTokenModifier, SemanticTokenType, SemanticTokens, SemanticTokensLegend, Uri,
};

use super::world::Snapshot;

/// The names of kinds and modifiers; tokens refer to them by position.
pub(crate) fn legend() -> SemanticTokensLegend {
    SemanticTokensLegend {
        token_types: TokenKind::ALL.iter().map(|kind| SemanticTokenType::new(kind.name())).collect(),
        token_modifiers: TokenModifier::ALL
            .iter()
            .map(|modifier| SemanticTokenModifier::new(modifier.name()))
            .collect(),
    }
}

/// Numbers of a token.
const NUMBERS: usize = 5;

/// The tokens of a document, as numbers relative to the token before.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tokens {
    chunks: Vec<Chunk>,
}

/// Tokens that are found together: the first, and the text of the others.
#[derive(Debug, Clone)]
struct Chunk {
    /// Relative to the last token of the chunk before.
    first: [u32; NUMBERS],
    found: Arc<EncodedChunk>,
}

impl PartialEq for Chunk {
    fn eq(&self, other: &Chunk) -> bool {
        let same_rest = || Arc::ptr_eq(&self.found, &other.found) || self.found.rest == other.found.rest;
        self.first == other.first && same_rest()
    }
}

impl Chunk {
    /// Five numbers for each token, every number after a comma.
    fn write(&self, text: &mut String) {
        for number in self.first {
            // Writing into a string does not fail.
            let _ = write!(text, ",{number}");
        }
        text.push_str(&self.found.rest);
    }
}

/// All tokens of a file.
pub(crate) fn of_file(snapshot: &Snapshot, file: SourceFile) -> Tokens {
    let mut tokens = Tokens::default();
    let mut before = LineColumn { line: 0, column: 0 };
    for (start, found) in encoded_chunks(&snapshot.db, file, snapshot.client.columns, 0..u32::MAX) {
        let first = found.first;
        let at = first.at.behind(start);
        let line = at.line - before.line;
        let column = if line == 0 { at.column - before.column } else { at.column };
        before = found.last.behind(start);
        tokens.chunks.push(Chunk { first: [line, column, first.length, first.kind, first.modifiers], found });
    }
    tokens
}

/// The tokens of some lines.
pub(crate) fn of_lines(snapshot: &Snapshot, file: SourceFile, lines: Range<u32>) -> SemanticTokens {
    let mut data: Vec<SemanticToken> = Vec::new();
    let mut taken = LineColumn { line: 0, column: 0 };
    for (start, found) in encoded_chunks(&snapshot.db, file, snapshot.client.columns, lines.clone()) {
        let mut at = found.first.at.behind(start);
        let EncodedToken { length, kind, modifiers, .. } = found.first;
        for [line, column, length, token_type, modifiers] in
            std::iter::once([0, 0, length, kind, modifiers]).chain(numbers(&found.rest))
        {
            at = LineColumn { line: at.line + line, column: if line == 0 { at.column + column } else { column } };
            if !lines.contains(&at.line) {
                continue;
            }
            data.push(SemanticToken {
                delta_line: at.line - taken.line,
                delta_start: if at.line == taken.line { at.column - taken.column } else { at.column },
                length,
                token_type,
                token_modifiers_bitset: modifiers,
            });
            taken = at;
        }
    }
    SemanticTokens { result_id: None, data }
}

/// The tokens of a text in which every number is after a comma.
fn numbers(text: &str) -> impl Iterator<Item = [u32; NUMBERS]> {
    let mut numbers = text.split(',').skip(1).map(|number| number.parse().unwrap_or(0));
    std::iter::from_fn(move || {
        let mut token = [0; NUMBERS];
        for number in &mut token {
            *number = numbers.next()?;
        }
        Some(token)
    })
}

impl Tokens {
    /// All numbers, as JSON.
    fn json(&self, result_id: &str) -> String {
        let mut data = String::with_capacity(self.chunks.iter().map(|chunk| chunk.found.rest.len() + 32).sum());
        for chunk in &self.chunks {
            chunk.write(&mut data);
        }
        // The first comma goes.
        format!("{{\"resultId\":\"{result_id}\",\"data\":[{}]}}", data.get(1..).unwrap_or_default())
    }

    /// One edit that leads from older tokens to these, as JSON: between the tokens that are equal at both ends. Places
    /// count numbers.
    fn json_since(&self, old: &Tokens, result_id: &str) -> String {
        let same = |(old, new): &(&Chunk, &Chunk)| old == new;
        let prefix = old.chunks.iter().zip(&self.chunks).take_while(same).count();
        let (before, after) = (&old.chunks[prefix..], &self.chunks[prefix..]);
        let suffix = before.iter().rev().zip(after.iter().rev()).take_while(same).count();
        let text = |chunks: &[Chunk]| {
            let mut text = String::new();
            for chunk in &chunks[..chunks.len() - suffix] {
                chunk.write(&mut text);
            }
            text
        };
        let (before, after) = (text(before), text(after));
        let (before, after): (Vec<_>, Vec<_>) = (numbers(&before).collect(), numbers(&after).collect());
        let first = before.iter().zip(&after).take_while(|(old, new)| old == new).count();
        let (before, after) = (&before[first..], &after[first..]);
        if before.is_empty() && after.is_empty() {
            return format!("{{\"resultId\":\"{result_id}\",\"edits\":[]}}");
        }
        let last = before.iter().rev().zip(after.iter().rev()).take_while(|(old, new)| old == new).count();
        let unchanged: usize = old.chunks[..prefix].iter().map(|chunk| 1 + count(&chunk.found.rest)).sum();
        let start = (unchanged + first) * NUMBERS;
        let deleted = (before.len() - last) * NUMBERS;
        let data: Vec<String> = after[..after.len() - last].iter().flatten().map(u32::to_string).collect();
        let data = data.join(",");
        format!(
            "{{\"resultId\":\"{result_id}\",\"edits\":[{{\"start\":{start},\"deleteCount\":{deleted},\"data\":[{data}]}}]}}"
        )
    }
}

/// How many tokens a text has.
fn count(text: &str) -> usize {
    text.bytes().filter(|byte| *byte == b',').count() / NUMBERS
}

/// The tokens that the client has of each document.
#[derive(Default)]
pub(crate) struct SentTokens {
    sent: Mutex<Sent>,
}

#[derive(Default)]
struct Sent {
    of_document: HashMap<Uri, (u64, Tokens)>,
    /// Numbers the answers.
    count: u64,
}

impl SentTokens {
    /// An answer with all tokens, as JSON.
    pub(crate) fn whole(&self, uri: Uri, tokens: Tokens) -> String {
        let mut sent = self.sent.lock().unwrap_or_else(PoisonError::into_inner);
        sent.count += 1;
        let id = sent.count;
        sent.of_document.insert(uri, (id, tokens.clone()));
        drop(sent);
        tokens.json(&id.to_string())
    }

    /// The difference from the answer that the client names, or all tokens if that is not the last one, as JSON.
    pub(crate) fn difference(&self, uri: Uri, since: &str, tokens: Tokens) -> String {
        let mut sent = self.sent.lock().unwrap_or_else(PoisonError::into_inner);
        sent.count += 1;
        let id = sent.count;
        let old = sent.of_document.insert(uri, (id, tokens.clone()));
        drop(sent);
        match old {
            Some((old_id, old)) if old_id.to_string() == since => tokens.json_since(&old, &id.to_string()),
            _ => tokens.json(&id.to_string()),
        }
    }

    pub(crate) fn forget(&self, uri: &Uri) {
        self.sent.lock().unwrap_or_else(PoisonError::into_inner).of_document.remove(uri);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    /// Tokens in chunks of given lengths, of which each has a number of its own.
    fn tokens(chunks: &[&[u32]]) -> Tokens {
        let at = LineColumn { line: 0, column: 0 };
        let chunk = |lengths: &&[u32]| {
            let first = EncodedToken { at, length: lengths[0], kind: 0, modifiers: 0 };
            let rest: String = lengths[1..].iter().map(|length| format!(",0,1,{length},0,0")).collect();
            let found = Arc::new(EncodedChunk { first, last: at, rest: rest.into() });
            Chunk { first: [1, 0, lengths[0], 0, 0], found }
        };
        Tokens { chunks: chunks.iter().map(chunk).collect() }
    }

    fn data(json: &str) -> Vec<Value> {
        let answer: Value = serde_json::from_str(json).expect("JSON");
        answer["data"].as_array().cloned().unwrap_or_default()
    }

    #[test]
    fn one_edit_leads_from_the_old_tokens_to_the_new() {
        let states: [&[&[u32]]; 7] = [
            &[],
            &[&[1]],
            &[&[1, 2, 3], &[4, 5]],
            &[&[1, 2, 3], &[4, 9, 5]],
            &[&[1, 3], &[4, 9, 5]],
            &[&[1, 2, 3], &[7], &[4, 5]],
            &[&[1, 2, 3, 3], &[4, 4, 5]],
        ];
        for old in states {
            for new in states {
                let (old, new) = (tokens(old), tokens(new));
                let mut numbers = data(&old.json("1"));
                let delta: Value = serde_json::from_str(&new.json_since(&old, "2")).expect("JSON");
                let edits = delta["edits"].as_array().expect("edits");
                for edit in edits {
                    let [start, count] =
                        ["start", "deleteCount"].map(|key| edit[key].as_u64().expect("a number") as usize);
                    numbers.splice(start..start + count, edit["data"].as_array().expect("data").iter().cloned());
                }
                assert_eq!(numbers, data(&new.json("2")));
                assert_eq!(edits.is_empty(), old.chunks == new.chunks);
            }
        }
    }

    #[test]
    fn an_answer_that_is_not_the_last_gives_all_tokens() {
        let sent = SentTokens::default();
        let uri: Uri = "file:///a.slang".parse().expect("a URI");
        let id = |json: &str| {
            let answer: Value = serde_json::from_str(json).expect("JSON");
            answer["resultId"].as_str().expect("answers have numbers").to_owned()
        };
        let first = id(&sent.whole(uri.clone(), tokens(&[&[1]])));
        let same = sent.difference(uri.clone(), &first, tokens(&[&[1]]));
        assert!(same.contains("\"edits\":[]"), "{same}");
        let old = sent.difference(uri.clone(), &first, tokens(&[&[1]]));
        assert!(old.contains("\"data\":["), "{old}");
        sent.forget(&uri);
        let forgotten = sent.difference(uri, &id(&old), tokens(&[&[1]]));
        assert!(forgotten.contains("\"data\":["), "{forgotten}");
    }
}
