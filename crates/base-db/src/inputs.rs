//! The inputs of all queries.

#![expect(missing_docs, reason = "salsa makes constructors and setters without documentation")]

use std::sync::Arc;

use syntax::segment::Declared;

use crate::memory;

/// One file.
#[salsa::input]
#[derive(Debug, PartialOrd, Ord)]
pub struct SourceFile {
    /// Absolute path with `/` separators, or `prelude:/NAME.slang` for the core library.
    #[returns(ref)]
    pub path: Arc<str>,
    /// Top-level segments in order; together their texts are the file.
    #[returns(ref)]
    pub segments: Arc<[Segment]>,
    /// What each segment declares, for files of our own libraries: they are found without a look at the texts.
    #[returns(deref)]
    pub declared: Arc<[Declared<'static>]>,
}

/// What a segment holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SegmentKind {
    /// One preprocessor line.
    Directive,
    /// A declaration whose body, if any, is one block.
    Item,
    /// A namespace, struct, class, interface or extension: members are segments of their own.
    Container,
    /// Trivia at the end of a file or container, or stray tokens.
    Trivia,
    /// Code whose item boundaries cross conditional directives: parsed as a whole, may hold several items.
    Irregular,
}

/// One item of a file.
#[salsa::input(heap_size = memory::texts)]
#[derive(Debug)]
pub struct Segment {
    /// The file that it is a piece of.
    #[returns(copy)]
    pub file: SourceFile,
    /// The container this is a member of.
    #[returns(copy)]
    pub parent: Option<Segment>,
    /// What it holds.
    #[returns(copy)]
    pub kind: SegmentKind,
    /// Whether header or body contain preprocessor lines.
    #[returns(copy)]
    pub has_directives: bool,
    /// Whether `body` is not empty: asked by what must not run again when the body changes.
    #[returns(copy)]
    pub has_body: bool,
    /// Leading trivia, attributes, signature. For a container through the `{`.
    #[returns(ref)]
    pub header: Arc<str>,
    /// The body with its braces; for a container the text after the members (`}` and what follows). May be empty.
    #[returns(ref)]
    pub body: Arc<str>,
    /// The preprocessor lines of the body, one per line: what follows the segment depends on them, but not on the rest.
    #[returns(ref)]
    pub body_directives: Arc<str>,
    /// Members of a container.
    #[returns(ref)]
    pub members: Arc<[Segment]>,
}

/// What a check runs under. One per database.
#[salsa::input(singleton)]
#[derive(Debug)]
pub struct Project {
    /// Every known file, by path.
    #[returns(ref)]
    pub files: Arc<rustc_hash::FxHashMap<Arc<str>, SourceFile>>,
    /// Folders in which `import` and `#include` look, after the folder of the file that names them.
    #[returns(ref)]
    pub search_roots: Arc<[Arc<str>]>,
    /// `-D NAME=VALUE`.
    #[returns(ref)]
    pub macro_definitions: Arc<[(Arc<str>, Arc<str>)]>,
    /// Whether the cases of an enum that does not say `class` are names of the scope around it: `-unscoped-enum`.
    #[returns(copy)]
    pub unscoped_enums: bool,
    /// The core library's files.
    #[returns(ref)]
    pub prelude: Arc<[SourceFile]>,
    /// Whether all files see GLSL's library: `-allow-glsl`.
    #[returns(copy)]
    pub allow_glsl: bool,
    /// The files of GLSL's library: none until something asks for it.
    #[returns(ref)]
    pub glsl: Arc<[SourceFile]>,
}
