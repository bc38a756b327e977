//! From a text to a [`Parse`].

use crate::ast::{AstNode, SourceFile};
use crate::lexer::lex;
use crate::parser::{self, Input, Parser};
use crate::{GreenNode, SyntaxError, SyntaxNode};

/// A tree and what was wrong with its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parse {
    pub green: GreenNode,
    pub errors: Vec<SyntaxError>,
}

impl Parse {
    pub fn syntax_node(&self) -> SyntaxNode {
        SyntaxNode::new_root(self.green.clone())
    }

    /// The file, if this is the tree of one.
    pub fn file(&self) -> Option<SourceFile> {
        SourceFile::cast(self.syntax_node())
    }
}

/// Parses a whole file.
pub fn parse_file(text: &str) -> Parse {
    let lexed = lex(text);
    let input = Input::new(text, &lexed, None);
    let mut parser = Parser::new(&input);
    parser::source_file(&mut parser);
    let (green, errors) = parser::build(text, &lexed, None, parser.finish());
    Parse { green, errors }
}
