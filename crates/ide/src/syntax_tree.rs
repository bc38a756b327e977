//! The lossless tree of a file as text, for people who work on the analyzer.

use std::fmt::Write;

use base_db::{Db, SourceFile};
use syntax::{SyntaxElement, WalkEvent, parse_file};

/// One line per node and token, indented by depth: kind, range, and the text of tokens.
pub fn syntax_tree(db: &dyn Db, file: SourceFile) -> String {
    let Some(text) = db.text(file) else { return String::new() };
    let mut out = String::new();
    let mut depth = 0;
    for event in parse_file(&text.rope().to_string()).syntax_node().preorder_with_tokens() {
        match event {
            WalkEvent::Enter(element) => {
                let indent = 2 * depth;
                // Writing to a string does not fail.
                let _ = match &element {
                    SyntaxElement::Node(node) => {
                        writeln!(out, "{:indent$}{:?}@{:?}", "", node.kind(), node.text_range())
                    }
                    SyntaxElement::Token(token) => {
                        writeln!(out, "{:indent$}{:?}@{:?} {:?}", "", token.kind(), token.text_range(), token.text())
                    }
                };
                depth += 1;
            }
            WalkEvent::Leave(_) => depth -= 1,
        }
    }
    out
}
