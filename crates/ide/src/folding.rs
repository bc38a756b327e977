//! Folding ranges: blocks, comments, runs of imports, conditional code.

use base_db::{Db, SourceFile};
use syntax::{
    SyntaxElement, SyntaxKind, TextRange, TextSize, WalkEvent,
    ast::{self, AstNode},
    lexer, parse_file,
};

/// Lines that may be folded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fold {
    /// From the first to the last character.
    pub range: TextRange,
    /// What is folded.
    pub kind: FoldKind,
}

/// What is folded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FoldKind {
    /// What is between braces, or between lines of the preprocessor.
    Braces,
    /// A comment, or several one after the other.
    Comment,
    /// Imports one after the other.
    Imports,
    /// From `#if` or `#else` to what ends it.
    Conditional,
    /// From `#region` to `#endregion`.
    Region,
}

/// What of a file may be folded.
pub fn folding_ranges(db: &dyn Db, file: SourceFile) -> Vec<Fold> {
    let Some(text) = db.text(file) else { return Vec::new() };
    let text = text.rope().to_string();
    let mut folds = Vec::new();
    let mut imports: Option<TextRange> = None;
    let mut comments: Option<TextRange> = None;
    let mut blank_line = false;
    let mut in_lines = false;
    for event in parse_file(&text).syntax_node().preorder_with_tokens() {
        let WalkEvent::Enter(element) = event else { continue };
        match element {
            SyntaxElement::Node(node) => match node.kind() {
                SyntaxKind::IMPORT_DECL | SyntaxKind::INCLUDE_DECL => {
                    // Comments in front of it fold by themselves.
                    let mut tokens = node.descendants_with_tokens().filter_map(SyntaxElement::into_token);
                    let first = tokens.find(|token| !token.kind().is_trivia());
                    let start = first.map_or(node.text_range().start(), |token| token.text_range().start());
                    let range = TextRange::new(start, node.text_range().end());
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
                    let is_line = token.text().starts_with("//");
                    comments = match comments.take() {
                        Some(run) if !blank_line && is_line && in_lines => Some(run.cover(range)),
                        run => {
                            folds.extend(run.map(|range| Fold { range, kind: FoldKind::Comment }));
                            Some(range)
                        }
                    };
                    blank_line = false;
                    in_lines = is_line;
                }
                SyntaxKind::WHITESPACE => {
                    blank_line = token.text().matches('\n').count() > 1;
                }
                _ => folds.extend(comments.take().map(|range| Fold { range, kind: FoldKind::Comment })),
            },
        }
    }
    add_directives(&text, &mut folds);
    folds.extend(imports.map(|range| Fold { range, kind: FoldKind::Imports }));
    folds.extend(comments.map(|range| Fold { range, kind: FoldKind::Comment }));
    folds
}

/// Trees hold what directives leave of the text; what is folded are all of its lines.
fn add_directives(text: &str, folds: &mut Vec<Fold>) {
    let lexed = lexer::lex(text);
    let mut open: Vec<(FoldKind, TextSize)> = Vec::new();
    for index in (0..lexed.len()).filter(|index| lexed.kind(*index) == SyntaxKind::DIRECTIVE) {
        let start = TextSize::new(lexed.range(index).start as u32);
        let word = text[lexed.range(index)].trim_start_matches('#').trim_start();
        let word = word.strip_prefix("pragma").map_or(word, str::trim_start);
        let (ends, begins) = match word.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default() {
            "if" | "ifdef" | "ifndef" => (None, Some(FoldKind::Conditional)),
            "else" | "elif" | "elifdef" | "elifndef" => (Some(FoldKind::Conditional), Some(FoldKind::Conditional)),
            "endif" => (Some(FoldKind::Conditional), None),
            "region" => (None, Some(FoldKind::Region)),
            "endregion" => (Some(FoldKind::Region), None),
            _ => (None, None),
        };
        let begun = ends.and_then(|ends| open.pop_if(|(kind, _)| *kind == ends));
        folds.extend(begun.map(|(kind, from)| Fold { range: TextRange::new(from, start), kind }));
        open.extend(begins.map(|kind| (kind, start)));
    }
}

fn is_braced(node: &syntax::SyntaxNode) -> bool {
    node.first_token().is_some_and(|token| token.text() == "{")
        && node.last_token().is_some_and(|token| token.text() == "}")
}
