//! Text to lossless syntax tree.
//!
//! Entry points, in the order in which a text meets them:
//! - [`segment::segment`] cuts a file into declarations, each with a header and a body.
//! - [`preprocess::expand`] makes the text that is meant out of the text that is spelled.
//! - [`parse_header`], [`parse_body`] and [`parse_container_end`] parse the parts of a segment, [`stitch_body`],
//!   [`stitch_container`] and [`file_tree`] put their trees together; [`parse_file`] does all of it for a whole text.
//! - [`ast`] is the typed view of the trees, generated from `slang.ungram` by `cargo xtask codegen`.
//! - [`keywords`] says what each keyword is for.
//!
//! # Invariants
//! - The text of a tree is its input, byte for byte, whatever the input; errors lie inside it.
//! - No input panics or overflows the stack; time is linear in the input, but for a bounded factor.
//! - The tree of a file is made of the trees of its segments' parts, so parsing only what changed gives the same tree.
//! - Keywords are contextual: the lexer gives identifiers, and only the parser makes keywords of some.
//! - One message per place: what is missing because something else is missing is not reported.
//! - Knows neither salsa nor files nor the language server protocol; trees are plain values.
//! - Deliberately absent: names. Where only knowing them would tell a type from a value (`(a)(b)`, `A<b>`), the shape
//!   of the tree follows fixed rules (see `parser/grammar/expressions.rs`), and lowering reinterprets.

#![warn(missing_docs)]

pub mod ast;
mod error;
pub mod keywords;
pub mod lexer;
mod parser;
mod parsing;
pub mod preprocess;
pub mod segment;
mod syntax_kind;
mod tree;

pub use error::SyntaxError;
pub use parser::BodyKind;
pub use parsing::{
    GreenElement, HeaderParse, HeaderShape, Parse, file_tree, parse_body, parse_container_end, parse_file,
    parse_header, parse_items, parse_type, stitch_body, stitch_container,
};
pub use rowan::{GreenNode, GreenNodeData, NodeOrToken, TextRange, TextSize, TokenAtOffset, WalkEvent};
pub use syntax_kind::{
    KEYWORDS, PreorderWithTokens, SlangLanguage, SyntaxElement, SyntaxKind, SyntaxNode, SyntaxNodeChildren,
    SyntaxToken, code_end, code_range,
};
pub use tree::Tree;
