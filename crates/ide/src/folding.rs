//! Folding ranges: blocks, comments, runs of imports, conditional code.

use base_db::{Db, SourceFile};
use syntax::{
    SyntaxElement, SyntaxKind, TextRange, WalkEvent,
    ast::{self, AstNode},
    parse_file,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fold {
    pub range: TextRange,
    pub kind: FoldKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FoldKind {
    Braces,
    Comment,
    Imports,
    /// From `#if` to `#endif`.
    Conditional,
}

pub fn folding_ranges(db: &dyn Db, file: SourceFile) -> Vec<Fold> {
    let Some(text) = db.text(file) else { return Vec::new() };
    let text = text.rope().to_string();
    let mut folds = Vec::new();
    let mut conditionals = Vec::new();
    let mut imports: Option<TextRange> = None;
    let mut comments: Option<TextRange> = None;
    let mut blank_line = false;
    for event in parse_file(&text).syntax_node().preorder_with_tokens() {
        let WalkEvent::Enter(element) = event else { continue };
        match element {
            SyntaxElement::Node(node) => match node.kind() {
                SyntaxKind::IMPORT_DECL | SyntaxKind::INCLUDE_DECL => {
                    let range = node.text_range();
                    imports = Some(imports.map_or(range, |run| run.cover(range)));
                }
                SyntaxKind::SOURCE_FILE => {}
                kind => {
                    if ast::Item::can_cast(kind) {
                        folds.extend(imports.take().map(|range| Fold { range, kind: FoldKind::Imports }));
                    }
                    if is_braced(&node) {
                        let start =
                            node.first_token().map_or(node.text_range().start(), |token| token.text_range().start());
                        let range = TextRange::new(start, node.text_range().end());
                        folds.push(Fold { range, kind: FoldKind::Braces });
                    }
                }
            },
            SyntaxElement::Token(token) => match token.kind() {
                SyntaxKind::COMMENT => {
                    let range = token.text_range();
                    // Line comments below each other fold as one.
                    comments = match comments.take() {
                        Some(run) if !blank_line => Some(run.cover(range)),
                        run => {
                            folds.extend(run.map(|range| Fold { range, kind: FoldKind::Comment }));
                            Some(range)
                        }
                    };
                    blank_line = false;
                }
                SyntaxKind::WHITESPACE => {
                    blank_line = token.text().matches('\n').count() > 1;
                }
                SyntaxKind::DIRECTIVE => {
                    let word = token.text().trim_start_matches('#').trim_start();
                    if word.starts_with("if") {
                        conditionals.push(token.text_range());
                    } else if word.starts_with("endif")
                        && let Some(start) = conditionals.pop()
                    {
                        folds.push(Fold { range: start.cover(token.text_range()), kind: FoldKind::Conditional });
                    }
                }
                _ => folds.extend(comments.take().map(|range| Fold { range, kind: FoldKind::Comment })),
            },
        }
    }
    folds.extend(imports.map(|range| Fold { range, kind: FoldKind::Imports }));
    folds.extend(comments.map(|range| Fold { range, kind: FoldKind::Comment }));
    folds
}

fn is_braced(node: &syntax::SyntaxNode) -> bool {
    node.first_token().is_some_and(|token| token.text() == "{")
        && node.last_token().is_some_and(|token| token.text() == "}")
}
