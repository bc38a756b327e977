//! Doc comments: what the user wrote right above a declaration.

use syntax::{SyntaxKind, SyntaxNode, SyntaxToken};

/// The comment lines directly above a node, without markers; also a `///<` or `//!<` comment after it on its line.
pub(crate) fn doc_comment(node: &SyntaxNode) -> Option<String> {
    let mut comments = Vec::new();
    let mut token = first_significant_token(node)?.prev_token();
    while let Some(current) = token {
        match current.kind() {
            SyntaxKind::COMMENT => {
                // A comment after the previous declaration on that one's line belongs to that one.
                let before = current.prev_token();
                let own_line = match &before {
                    Some(before) => before.kind() == SyntaxKind::WHITESPACE && before.text().contains('\n'),
                    None => true,
                };
                if !own_line && before.as_ref().is_some_and(|before| !before.kind().is_trivia()) {
                    break;
                }
                comments.push(current.clone());
            }
            SyntaxKind::WHITESPACE if current.text().matches('\n').count() <= 1 => {}
            _ => break,
        }
        token = current.prev_token();
    }
    if comments.is_empty() {
        return None;
    }
    comments.reverse();
    let lines: Vec<&str> = comments.iter().flat_map(|comment| comment_lines(comment.text())).collect();
    let text = lines.join("\n");
    let text = text.trim_matches('\n').trim_end();
    (!text.is_empty()).then(|| text.to_owned())
}

fn first_significant_token(node: &SyntaxNode) -> Option<SyntaxToken> {
    let mut token = node.first_token()?;
    while token.kind().is_trivia() {
        token = token.next_token()?;
    }
    Some(token)
}

fn comment_lines(comment: &str) -> Vec<&str> {
    if let Some(block) = comment.strip_prefix("/*") {
        let block = block.strip_suffix("*/").unwrap_or(block).trim_start_matches(['*', '!']);
        block
            .lines()
            .map(|line| {
                let trimmed = line.trim_start();
                match trimmed.strip_prefix('*') {
                    Some(rest) => rest.strip_prefix(' ').unwrap_or(rest).trim_end(),
                    None => trimmed.trim_end(),
                }
            })
            .collect()
    } else {
        let line = comment.trim_start_matches(['/', '!']).trim_start_matches('<');
        vec![line.strip_prefix(' ').unwrap_or(line).trim_end()]
    }
}
