//! Every editor feature as a function of a database snapshot: plain data in, plain data out.
//!
//! Entry points: one module per feature ([`diagnostics`], [`hover`], [`definition`], [`completion`], [`signature_help`],
//! [`symbols`], [`folding`], [`preview`], …), each with one public function of the feature's name.
//! [`driver`] compiles, for those that show what comes out and for the command line; [`passes`] runs one pass after another.
//!
//! # Invariants
//! - Positions are byte offsets in spelled text; the server turns them into lines and columns.
//! - Every function takes any offset of any file in any state, and returns `None` or an empty list where it has nothing to
//!   say.
//! - Nothing here waits, reads files, or keeps state: salsa remembers what is worth it.
//! - Deliberately absent: LSP types, JSON. Semantic tokens are encoded here as the protocol counts them, and diagnostics have
//!   lines and columns, because both are kept from edit to edit.

#![warn(missing_docs)]

pub mod assists;
pub mod call_hierarchy;
mod chunk_text;
pub mod code_lens;
mod compiled;
pub mod completion;
mod declaration_text;
pub mod definition;
pub mod derivative_flow;
pub mod diagnostics;
pub mod document_links;
mod documentation;
pub mod driver;
mod effects;
mod excerpt;
mod family;
pub mod file_renames;
pub mod fix_all;
pub mod folding;
pub mod formatting;
pub mod function_instances;
pub mod function_ir;
pub mod gradient_check;
pub mod hover;
pub mod import_failures;
mod importable;
pub mod inclusions;
pub mod inlay_hints;
pub mod lone_part;
mod macros;
mod marks;
mod memory_layout;
pub mod mentions;
pub mod missing_members;
mod namespaces;
pub mod passes;
mod pragma_warnings;
pub mod preview;
pub mod references;
pub mod related;
pub mod rename;
pub mod residual_plan;
pub mod selection_range;
pub mod semantic_tokens;
mod semantics;
pub mod severities;
pub mod signature_help;
pub mod symbols;
pub mod syntax_tree;
mod text_before;
mod touched;
pub mod type_hierarchy;

use base_db::SourceFile;
use syntax::TextRange;

/// A place to ask about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FilePosition {
    /// The file.
    pub file: SourceFile,
    /// In bytes.
    pub offset: u32,
}

/// A range in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FileRange {
    /// The file.
    pub file: SourceFile,
    /// The range in its text, in bytes.
    pub range: TextRange,
}

/// A change of one file's text.
pub type TextEdit = ::diagnostics::Edit<FileRange>;
