//! Text to lossless syntax tree.
//!
//! # Invariants
//! - The text of a tree is its input, byte for byte, whatever the input.
//! - Knows neither salsa nor files nor the language server protocol; trees are plain values.

pub mod ast;
mod error;
pub mod keywords;
pub mod lexer;
mod parser;
mod parsing;
pub mod preprocess;
pub mod segment;
mod syntax_kind;

pub use error::SyntaxError;
pub use parser::BodyKind;
pub use parsing::{
    GreenElement, HeaderParse, HeaderShape, Parse, file_tree, parse_body, parse_container_end, parse_file,
    parse_header, parse_items, stitch_body, stitch_container,
};
pub use rowan::{GreenNode, TextRange, TextSize, TokenAtOffset, WalkEvent};
pub use syntax_kind::{
    KEYWORDS, PreorderWithTokens, SlangLanguage, SyntaxElement, SyntaxKind, SyntaxNode, SyntaxNodeChildren, SyntaxToken,
};
